"""Self-stress: what may be added to the wrenches in a mechanism without changing its motion, and the choice that makes them least.

Z: multipliers with J^T Z = 0; the wrenches that they cause, measured as in reactions.py, form a tall matrix A; w are the measured wrenches of any
solution. The least is w - A s (least_stress.py; where self-stresses are hardly independent, by the factor Q R = [A, w], whose last column is Q^T w).
"""

import functools

import numpy as np

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
