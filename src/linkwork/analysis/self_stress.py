"""Self-stress: what may be added to the wrenches in a mechanism without changing its motion, and the choice that makes them least.

Z: multipliers with J^T Z = 0; the wrenches that they cause, measured as in reactions.py, form a tall matrix A; w are the measured wrenches of any
solution. The least is w - A s (least_stress.py; where self-stresses are hardly independent, by the factor Q R = [A, w], whose last column is Q^T w).
"""

import functools

import numpy as np

from ..dynamics.inverse import bias_force
from .least_stress import take_least

FELT = 1e-12  # a self-stress that is smaller puts no force on anything in this pose
FEW = 600  # self-stresses for which plain loops, which skip zeros, are quicker than LAPACK


class SelfStress:
    """The self-stresses of one state."""

    def __init__(self, transmission, rows):
        self._transmission, self._rows = transmission, rows

    @property
    def count(self):
        """How many independent ones there are."""
        return self._felt[0].shape[1]

    def least(self, wrenches, multipliers):
        """(wrenches, multipliers) of least norm, from those (2, parts, 6) and (nc,) of any solution, which may be written over."""
        Z, transmission = self._rows.stress, self._transmission
        if not Z.shape[1] or (Z.shape[1] <= FEW and take_least(transmission, Z, wrenches, multipliers)):
            return wrenches, multipliers
        multipliers = np.where(self._idle, 0.0, multipliers)
        Z, A = self._felt[:2]
        w, k = transmission.weighted(*wrenches[..., None], multipliers[:, None]), A.shape[1]
        R = np.linalg.qr(np.concatenate([A, w], axis=1), mode="r")
        taken = Z @ np.linalg.solve(R[:k, :k], R[:k, k])
        return wrenches - np.stack(transmission.spread(taken[:, None]))[..., 0], multipliers - taken

    @functools.cached_property
    def _all(self):
        """(A, first, second) of all self-stresses."""
        Z = self._rows.stress
        first, second = self._transmission.spread(Z)
        return self._transmission.weighted(first, second, Z), first, second

    @functools.cached_property
    def _idle(self):
        """Which rows carry a self-stress that nothing feels: their multipliers mean nothing."""
        idle = np.zeros(len(self._rows.J), dtype=bool)
        idle[self._rows.dependent[np.linalg.norm(self._all[0], axis=0) <= FELT]] = True
        return idle

    @functools.cached_property
    def _felt(self):
        """(Z, A, first, second) of those that put forces on something."""
        felt = ~self._idle[self._rows.dependent]
        return self._rows.stress[:, felt], *(x[..., felt] for x in self._all)

    @functools.cached_property
    def _unit(self):
        """What makes self-stresses orthonormal in the measure, when multiplied from the right."""
        return np.linalg.inv(np.linalg.qr(self._felt[1], mode="r")) if self.count else np.zeros((0, 0))

    @functools.cached_property
    def multipliers(self):
        """(nc, count), orthonormal in the measure."""
        return self._felt[0] @ self._unit

    @functools.cached_property
    def wrenches(self):
        """(first, second) of all parts, (parts, 6, count), orthonormal in the measure."""
        return self._felt[2] @ self._unit, self._felt[3] @ self._unit


class ContactStress(SelfStress):
    """Self-stresses of a state in which bodies touch: those of the rows, and forces at contacts that accelerate nothing. Which of the latter there are is
    decided where they are found (contact_choice.py); the least is taken over those of the rows alone.

    external: (k, nb, 6), the forces at contacts as loads on bodies. What the rows answer with follows from J^T multipliers = what the loads are at the joints.
    """

    def __init__(self, transmission, rows, q, external):
        super().__init__(transmission, rows)
        self._q, self._external = q, external

    @property
    def count(self):
        return super().count + len(self._external)

    @functools.cached_property
    def _of_contacts(self):
        """(multipliers, first, second) of the forces at contacts."""
        s, model = self._transmission, self._transmission.model
        q, still = self._q, np.zeros(model.nv)
        unloaded = bias_force(model, q, still)
        loads = unloaded - np.array([bias_force(model, q, still, f_ext) for f_ext in self._external])
        multipliers = np.linalg.lstsq(self._rows.J.T, -loads.T, rcond=None)[0] if model.nc else np.zeros((0, len(loads)))
        none = np.zeros(model.nc)
        plain = s.transmit(none)
        wrenches = np.stack([s.transmit(none, f_ext) - plain for f_ext in self._external], axis=-1)
        if model.nc:
            wrenches += np.stack(s.spread(multipliers))
        return multipliers, *wrenches

    @functools.cached_property
    def _both(self):
        """(multipliers, first, second) of all, orthonormal in the measure as far as they are felt in joints."""
        own = (super().multipliers, *super().wrenches)
        multipliers, first, second = (np.concatenate([a, b], axis=-1) for a, b in zip(own, self._of_contacts, strict=True))
        A = self._transmission.weighted(first, second, multipliers)
        _, sizes, Vt = np.linalg.svd(A, full_matrices=False)
        turn = Vt.T / np.where(sizes > FELT, np.maximum(sizes, 1e-300), np.inf)
        return multipliers @ turn, first @ turn, second @ turn

    @property
    def multipliers(self):
        return self._both[0]

    @property
    def wrenches(self):
        return self._both[1:]
