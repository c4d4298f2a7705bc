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
from ..dynamics.call import as_floats
from ..dynamics.configuration import integrate
from ..errors import SolverError, StateError
from ..model.model import need_model
from .assembly import check_tolerance, close, held_flags, sliding, step_units
from .resting import Resting, rest
from .static_loads import Loads, allowed, independent, multipliers, rounding, stiffness

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from ..model.model import Model
    from .contact_forces import ContactForces

REACH = 0.3  # the longest step, rad; of slides, lengths of the mechanism, at first
ROUNDED = 1e-13  # rad or lengths of the mechanism: a stiff spring answers the rounding of a pose with this times its stiffness
FARTHER = 2.0  # times as far a slide goes in the next step, if this one was as long as allowed and did not overshoot
CARRIES = 1e-9  # of the largest normal force: what is pressed less carries nothing


class Equilibrium(NamedTuple):
    """A balanced pose: q (nq,), the largest unbalanced force (N or N m), the stiffness H in its principal motions (rows of `motions`), stable.

    contacts: where bodies touch, the ContactForces that hold them; None in a model in which nothing touches. Points that carry count as fixed to each other
    in `motions`, which are those that roll, tip or swing.

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
    contacts: ContactForces | None = None

    @property
    def margin(self) -> float:
        """How much friction there is to spare, from 1 down to 0: with every coefficient of friction times 1 - margin there are still forces that balance the
        pose, with less there are none. Of all forces within the cones the best count, so that it is unique where forces are not; computed when it is asked
        for. 1 where friction is not needed, or bodies can press on each other as hard as they like.
        """
        return 1.0 if self.contacts is None else self.contacts.spare_friction

    @property
    def carrying(self) -> tuple[str, ...]:
        """Names of the pairs of shapes that press on each other, such as 'ground - cup'."""
        pairs = [] if self.contacts is None else [self.contacts.pair(name) for name in self.contacts.names]
        largest = max((pair.normal for pair in pairs), default=0.0)
        return tuple(pair.name for pair in pairs if pair.normal > CARRIES * largest)

    @property
    def stable(self) -> bool:
        """Does every allowed motion meet resistance? False for a cart on a level rail: it stays where it is put; see `neutral`."""
        return bool((self.stiffness > 0.0).all())

    @property
    def neutral(self) -> np.ndarray:
        """The motions (rows) that meet no resistance and find no push: the pose is one of a family of equilibria, the one near the start."""
        return self.motions[self.stiffness == 0.0]

    def __str__(self) -> str:
        falls, rolls = int((self.stiffness < 0.0).sum()), int((self.stiffness == 0.0).sum())
        words = [f"{count} of {len(self.stiffness)} motions {what}" for count, what in ((falls, "unstable"), (rolls, "neutral")) if count]
        head = f"equilibrium, {' and '.join(words) or 'stable'}; unbalanced {self.unbalanced:.1e} N or N m after {self.iterations} steps"
        return "\n".join([head, f"q = {self.q}", *([] if self.contacts is None else [str(self.contacts)])])


# parameters: a public function; all but the start are loads and options, given by name
@checked(hold="names", t="time", max_iterations="count", settle="flag")
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
    settle: bool = True,
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
        settle: where bodies touch: let what is not held move on, slide and fall, slowly, until it is; False: it must stand where it is, or a SolverError says
            what begins to move, and where.

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
    load, slides, grown = Loads(model, tau, f_ext, forces, t, unit), sliding(model), 1.0
    if model.touches:
        return Equilibrium(*rest(Resting(model, load, held, unit, slides, t, tolerance), q, max_iterations, settle))
    if not settle:
        max_iterations = 0
    q = close(model, q, held, False, t, 1e-10, 300)
    shortest = np.inf
    for iteration in range(max_iterations + 1):
        Q, (rows, G) = load(q), independent(model, q, t, held)
        Z = allowed(G, held, unit)
        reduced = Z.T @ Q
        scale = load.scale
        worst = float(np.abs(reduced).max(initial=0.0))
        if worst <= tolerance * scale or Z.shape[1] == 0 or iteration == max_iterations or shortest < 1e-13:
            break
        values, vectors = np.linalg.eigh(stiffness(model, load, q, t, multipliers(Q, G, unit * ~held), rows, Z))
        # A motion that meets hardly any resistance is neutral or only seems to resist, by what is still unbalanced: it shares no step beyond reach.
        floor = max(rounding(values, scale), float(np.linalg.norm(reduced)) / (2.0 * REACH * grown))
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
    Q, (rows, G) = load(q), independent(model, q, t, held)
    Z = allowed(G, held, unit)
    worst = float(np.abs(Z.T @ Q).max(initial=0.0))
    unbalanced = float(np.abs(Z @ (Z.T @ Q) / unit**2).max(initial=0.0))
    H = stiffness(model, load, q, t, multipliers(Q, G, unit * ~held), rows, Z) if Z.shape[1] else np.zeros((0, 0))
    values, vectors = np.linalg.eigh(H)
    if worst > max(max(100.0 * tolerance, 1e-6) * load.scale, ROUNDED * np.abs(values).max(initial=0.0)):
        raise SolverError(
            f"model {model.name!r}: no equilibrium was found from this start: {unbalanced:.3g} N (or N m) stay unbalanced after {iteration} steps; "
            "start nearer to it, add springs where motions meet no resistance, or hold a joint"
        )
    values[np.abs(values) <= rounding(values, load.scale) + worst] = 0.0
    return Equilibrium(q, unbalanced, values, (Z @ vectors).T, iteration)
