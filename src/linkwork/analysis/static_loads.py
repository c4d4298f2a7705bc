"""All forces on a pose at rest, the motions that constraints allow there, and how stiff the pose is along them: what statics.py and resting.py work with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..constraints.jacobian import constraint_jacobian
from ..dynamics.applied_forces import with_forces
from ..dynamics.call import as_floats
from ..dynamics.configuration import integrate
from ..dynamics.inverse import bias_force
from ..dynamics.joint_limits_and_losses import limit_and_loss_forces
from ..errors import StateError
from ..parts.forces import LimitStop
from .split_rows import split_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ..model.model import Model

STEP = 1e-6  # of the differences, rad or lengths of the mechanism
RELAXED = 1e-6  # of the largest force on the way: balanced forces are no smaller, or a spring that relaxes would never be balanced


class Loads:
    """All joint forces at a pose at rest; `scale` measures what is left unbalanced, as a moment (N m): forces along slides times the mechanism's length.

    It is the largest single contribution (gravity, elements, stops, what is given) at the present pose: a stiff support that was pressed on the way
    says nothing about the pose where it is left. Trials, which ask by `at`, do not count.
    """

    # parameters: what acts, and when
    def __init__(self, model: Model, tau: Any, f_ext: Any, forces: Any, t: float, unit: NDArray[np.float64]) -> None:
        self.model, self.f_ext, self.forces, self.t, self.unit = model, f_ext, forces, t, unit
        self.tau = np.zeros(model.nv) if tau is None else as_floats("tau", tau)
        if self.tau.shape != (model.nv,) or not np.isfinite(self.tau).all():
            raise StateError(f"tau: found {self.tau!r}; allowed are {model.nv} finite numbers; correct it", "tau")
        self.scale = self._largest = 1e-300
        stops = [(info.kind, *info.joints[0]) for info in limit_and_loss_forces(model) if isinstance(info.kind, LimitStop)]
        self.stopped = [(model.joint(joint).q_index.start + k, model.joint(joint).v_index.start + k) for _, joint, k in stops]
        self.stops = np.array([(kind.stiffness, kind.lower, kind.upper) for kind, _, _ in stops]).reshape(-1, 3)

    def stopped_at(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the limits of joints exert."""
        added = np.zeros(self.model.nv)
        for (i, j), (stiffness, lower, upper) in zip(self.stopped, self.stops, strict=True):
            added[j] = stiffness * (max(lower - q[i], 0.0) - max(q[i] - upper, 0.0))
        return added

    def __call__(self, q: NDArray[np.float64]) -> Any:
        Q, size = self.at(q)
        self._largest = max(self._largest, size)
        self.scale = max(size, RELAXED * self._largest)
        return Q

    def at(self, q: NDArray[np.float64]) -> Any:
        """(joint forces, size of the largest contribution)."""
        rest, tau, f_ext = np.zeros(self.model.nv), self.tau, self.f_ext
        if self.model.forces:
            tau, f_ext = with_forces(self.model, q, rest, self.t, tau, f_ext)
        weight, stops = bias_force(self.model, q, rest), self.stopped_at(q)
        Q = tau - weight if f_ext is None else tau - bias_force(self.model, q, rest, f_ext)
        parts = [tau, weight, Q - tau + weight, stops]
        if self.forces is not None:
            try:
                added = np.asarray(self.forces(q), dtype=float)
            except Exception as error:  # whatever a user's function raises
                raise StateError(f"forces: the function raised {type(error).__name__}: {error}; correct it", "forces") from error
            if added.shape != Q.shape or not np.isfinite(added).all():
                raise StateError(f"forces: the function returned {added!r}; allowed are {self.model.nv} finite numbers", "forces")
            parts.append(added)
            Q = Q + added
        return Q + stops, float(np.abs(self.unit * np.array(parts)).max(initial=0.0))


def independent(model: Model, q: NDArray[np.float64], t: float, held: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(numbers, G): the rows that the rule of rank takes, and what they are at q."""
    split = split_rows(model, q, t)
    rows = split.without(held)
    return rows, split.J[rows]


def allowed(G: NDArray[np.float64], held: NDArray[np.bool_], unit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns of unit size (rad, or lengths of the mechanism) that span the motions allowed by independent rows G."""
    free = ~held
    if not free.any():
        return np.zeros((len(held), 0))
    _, _, vectors = np.linalg.svd(G[:, free] * unit[free], full_matrices=True)
    Z = np.zeros((len(held), free.sum() - len(G)))
    Z[free] = vectors[len(G) :].T * unit[free, None]
    return Z


def rounding(values: NDArray[np.float64], scale: float) -> float:
    """What differences of forces cannot tell from no stiffness, N m/rad."""
    return 1e-9 * max(float(np.abs(values).max(initial=0.0)), scale)


def multipliers(Q: NDArray[np.float64], G: NDArray[np.float64], unit: NDArray[np.float64]) -> Any:
    """Of independent rows, so that they balance Q in all joints whose unit is not 0, as well as they can."""
    return np.linalg.lstsq((G * unit).T, -Q * unit, rcond=None)[0]


# parameters: the pose, and all that acts there
def stiffness(
    model: Model,
    load: Loads,
    q: NDArray[np.float64],
    t: float,
    lam: NDArray[np.float64],
    rows: NDArray[np.int64],
    Z: NDArray[np.float64],
    touch: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
) -> NDArray[np.float64]:
    """H; `lam`: the multipliers of the independent `rows`; `touch`: what forces at contacts exert on the joints at a pose."""
    H = np.empty((Z.shape[1], Z.shape[1]))
    for k, z in enumerate(Z.T):
        ends = []
        for sign in (-1.0, 1.0):
            moved = integrate(model, q, sign * STEP * z)
            ends.append(load.at(moved)[0])
            if len(rows):
                ends[-1] = ends[-1] + constraint_jacobian(model, moved, np.zeros(model.nv), t).J[rows].T @ lam
            if touch is not None:
                ends[-1] = ends[-1] + touch(moved)
        H[:, k] = -Z.T @ (ends[1] - ends[0]) / (2.0 * STEP)
    return (H + H.T) / 2.0
