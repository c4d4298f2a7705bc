"""Statics: a pose in which gravity, springs and all other forces are balanced, with loops closed.

    Z^T Q(q) = 0,   phi(q) = 0,       Z: motions that the constraints allow (G Z = 0),   Q = tau + forces(q) - gravity(q) + J^T f_ext

    H = -Z^T d(Q + G^T lambda) Z,    dq = Z |H|^-1 Z^T Q           Newton; |H| has the absolute values of H's eigenvalues, so that
                                                                      steps go downhill and end in a stable equilibrium where there is one
Limits of joints are the stops that act in simulations (dynamics/joint_limits_and_losses.py), one-sided springs: a part rests against them as it does there.
Damping and friction of joints exert nothing at rest.

H is taken by central differences of the forces, with the multipliers lambda (least squares of Q + G^T lambda) held: exact on the manifold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..arguments import checked
from ..constraints.jacobian import constraint_jacobian
from ..dynamics.applied_forces import with_forces
from ..dynamics.call import as_floats
from ..dynamics.configuration import integrate
from ..dynamics.inverse import bias_force
from ..dynamics.joint_limits_and_losses import limit_and_loss_forces
from ..errors import SolverError, StateError
from ..model.model import need_model
from ..parts.forces import LimitStop
from .assembly import check_tolerance, close, held_flags, sliding, step_units
from .split_rows import split_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from ..model.model import Model

STEP = 1e-6  # of the differences, rad or lengths of the mechanism
REACH = 0.3  # the longest step, rad; of slides, lengths of the mechanism, at first
RELAXED = 1e-6  # of the largest force on the way: balanced forces are no smaller, or a spring that relaxes would never be balanced
ROUNDED = 1e-13  # rad or lengths of the mechanism: a stiff spring answers the rounding of a pose with this times its stiffness
FARTHER = 2.0  # times as far a slide goes in the next step, if this one was as long as allowed and did not overshoot


class Equilibrium(NamedTuple):
    """A balanced pose: q (nq,), the largest unbalanced force (N or N m), the stiffness H in its principal motions (rows of `motions`), stable.

    Stiffness is 0 along neutral motions: those along which no force changes, to rounding.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> balance = lw.equilibrium(m.build(), [0.4])
    >>> abs(float(balance.q[0])) < 1e-9, balance.stiffness.round(6).tolist(), balance.stable  # m g l, N m/rad
    (True, [9.81], True)
    """

    q: np.ndarray
    unbalanced: float
    stiffness: np.ndarray
    motions: np.ndarray
    iterations: int

    @property
    def stable(self) -> bool:
        """Does every allowed motion meet resistance? False for a cart on a level rail: it stays where it is put; see `neutral`."""
        return bool((self.stiffness > 0.0).all())

    @property
    def neutral(self) -> np.ndarray:
        """The motions (rows) that meet no resistance and find no push: the pose is one of a family of equilibria, the one near the start."""
        return self.motions[self.stiffness == 0.0]


# parameters: a public function; all but the start are loads and options, given by name
@checked(hold="names", t="time", max_iterations="count")
def equilibrium(
    model: Model,
    q0: ArrayLike,
    *,
    tau: ArrayLike | None = None,
    f_ext: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    forces: Callable[[NDArray[np.float64]], ArrayLike] | None = None,
    hold: Any = (),
    t: float = 0.0,
    tolerance: float = 1e-8,
    max_iterations: int = 200,
) -> Equilibrium:
    """The equilibrium near q0: all constraints closed, all forces balanced; downhill from q0, so stable where one is within reach.

    Where a motion is neutral (a table on its supports slides and turns freely) the pose stays near q0 along it, and `neutral` of the result has it.

    Limits of joints act, as the stops that they are in simulations with steps of 1 ms: what rests against one is as far in as its force needs.

    Args:
        q0: where to start, (nq,).
        tau: constant joint forces (nv,). f_ext: wrenches on bodies as in lw.forward_dynamics.
        forces: a function of q that returns joint forces (nv,): springs, for instance.
        hold: joints (names) that do not move.
        tolerance: of the unbalanced force, relative to the largest force that acts.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("scale")
    >>> beam = m.add_body("beam", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    >>> _ = m.add_joint("pivot", lw.Revolute((0, -1, 0)), m.ground, beam)
    >>> found = lw.equilibrium(m.build(), [0.0], forces=lambda q: -10.0 * q)
    >>> round(float(found.q[0]), 6), found.stable
    (-0.443126, True)
    """
    need_model(model)
    q = as_floats("q0", q0)
    if q.shape != (model.nq,):
        raise StateError(f"q0: found shape {q.shape}; allowed is ({model.nq},), one state", "q0")
    check_tolerance(tolerance)
    if forces is not None and not callable(forces):
        raise StateError(f"forces: found {forces!r}; allowed is a function of q that returns {model.nv} joint forces", "forces")
    held, unit = held_flags(model, hold), step_units(model)
    load, slides, grown = _Loads(model, tau, f_ext, forces, t, unit), sliding(model), 1.0
    q = close(model, q, held, False, t, 1e-10, 300)
    shortest = np.inf
    for iteration in range(max_iterations + 1):
        Q, (rows, G) = load(q), _independent(model, q, t, held)
        Z = _allowed(G, held, unit)
        reduced = Z.T @ Q
        scale = load.scale
        worst = float(np.abs(reduced).max(initial=0.0))
        if worst <= tolerance * scale or Z.shape[1] == 0 or iteration == max_iterations or shortest < 1e-13:
            break
        values, vectors = np.linalg.eigh(_stiffness(model, load, q, t, _multipliers(Q, G, unit * ~held), rows, Z))
        # A motion that meets hardly any resistance is neutral or only seems to resist, by what is still unbalanced: it shares no step beyond reach.
        floor = max(_rounding(values, scale), float(np.linalg.norm(reduced)) / (2.0 * REACH * grown))
        s = vectors @ ((vectors.T @ reduced) / np.maximum(np.abs(values), floor))
        way = np.abs(Z @ s) / np.where(slides, grown * unit, 1.0)
        limited, halved = REACH / max(way.max(), 1e-300), False
        s *= min(1.0, limited)
        for _ in range(30):  # halve a step that overshoots: beyond it forces push back harder than before
            trial = close(model, integrate(model, q, Z @ s), held, False, t, 1e-10, 100)
            ahead = s @ (Z.T @ load.at(trial)[0])
            if ahead > -0.9 * (s @ reduced) or np.abs(s).max() < 1e-12:
                break
            s, halved = s / 2.0, True
        grown = max(1.0, grown / FARTHER) if halved else FARTHER * grown if limited < 1.0 else grown
        shortest, q = float(np.abs(s).max()), trial
    Q, (rows, G) = load(q), _independent(model, q, t, held)
    Z = _allowed(G, held, unit)
    worst = float(np.abs(Z.T @ Q).max(initial=0.0))
    unbalanced = float(np.abs(Z @ (Z.T @ Q) / unit**2).max(initial=0.0))
    H = _stiffness(model, load, q, t, _multipliers(Q, G, unit * ~held), rows, Z) if Z.shape[1] else np.zeros((0, 0))
    values, vectors = np.linalg.eigh(H)
    if worst > max(max(100.0 * tolerance, 1e-6) * load.scale, ROUNDED * np.abs(values).max(initial=0.0)):
        raise SolverError(
            f"model {model.name!r}: no equilibrium was found from this start: {unbalanced:.3g} N (or N m) stay unbalanced after {iteration} steps; "
            "start nearer to it, add springs where motions meet no resistance, or hold a joint"
        )
    values[np.abs(values) <= _rounding(values, load.scale) + worst] = 0.0
    return Equilibrium(q, unbalanced, values, (Z @ vectors).T, iteration)


class _Loads:
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

    def _of_stops(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
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
        weight, stops = bias_force(self.model, q, rest), self._of_stops(q)
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


def _independent(model: Model, q: NDArray[np.float64], t: float, held: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(numbers, G): the rows that the rule of rank takes, and what they are at q."""
    split = split_rows(model, q, t)
    rows = split.without(held)
    return rows, split.J[rows]


def _allowed(G: NDArray[np.float64], held: NDArray[np.bool_], unit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns of unit size (rad, or lengths of the mechanism) that span the motions allowed by independent rows G."""
    free = ~held
    if not free.any():
        return np.zeros((len(held), 0))
    _, _, vectors = np.linalg.svd(G[:, free] * unit[free], full_matrices=True)
    Z = np.zeros((len(held), free.sum() - len(G)))
    Z[free] = vectors[len(G) :].T * unit[free, None]
    return Z


def _rounding(values: NDArray[np.float64], scale: float) -> float:
    """What differences of forces cannot tell from no stiffness, N m/rad."""
    return 1e-9 * max(float(np.abs(values).max(initial=0.0)), scale)


def _multipliers(Q: NDArray[np.float64], G: NDArray[np.float64], unit: NDArray[np.float64]) -> Any:
    """Of independent rows, so that they balance Q in all joints whose unit is not 0, as well as they can."""
    return np.linalg.lstsq((G * unit).T, -Q * unit, rcond=None)[0]


def _stiffness(
    model: Model, load: _Loads, q: NDArray[np.float64], t: float, lam: NDArray[np.float64], rows: NDArray[np.int64], Z: NDArray[np.float64]
) -> NDArray[np.float64]:
    """H; `lam`: the multipliers of the independent `rows`."""
    H = np.empty((Z.shape[1], Z.shape[1]))
    for k, z in enumerate(Z.T):
        ends = []
        for sign in (-1.0, 1.0):
            moved = integrate(model, q, sign * STEP * z)
            ends.append(load.at(moved)[0])
            if len(rows):
                ends[-1] = ends[-1] + constraint_jacobian(model, moved, np.zeros(model.nv), t).J[rows].T @ lam
        H[:, k] = -Z.T @ (ends[1] - ends[0]) / (2.0 * STEP)
    return (H + H.T) / 2.0
