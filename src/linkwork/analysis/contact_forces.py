"""Forces at the contacts of one state: what bodies exert on each other where they touch, under all loads, and whether that is unique.

How the forces follow from the laws of contact: contact_choice.py. Which points take part:

    gap > TOUCHING, or u_n > s        apart: no force
    |u_n| <= s                        closed;  |u_t| <= s: sticks, rolls, or begins to slide;  else it slides along u_t
    u_n < -s                          bodies strike there: an impulse and no force, so there is no answer

with u the velocity of b against a, and s the `rest_speed`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from ..arguments import checked
from ..constraints.tolerance import rest_pace
from ..errors import SolverError, StateError
from ..model.model import need_model
from ..parts.place import part_name
from ..solvers.forward_dynamics import forward_dynamics
from ..solvers.impulse_response import impulse_response
from .contact_choice import Answer, Problem, find_forces, free_combinations, least_friction, least_norm
from .contact_rows import ContactRows, contact_rows, length_of_scene
from .loaded_state import LoadedState, one_state, under_forces
from .report_text import counted, short, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from ..model.model import Model

SLOW = 1e-3  # of the speed that gravity gives within a length of the scene: slower is at rest
UNIQUE = 1e-6  # a component of a combination of unit size below this is rounding
MOST_SHOWN = 40  # points in a printed table
OPEN, STICKING, ROLLING, SLIDING = STATUSES = "open", "sticking", "rolling", "sliding"


@dataclass(frozen=True, eq=False)
class ContactForce:
    """What shape a exerts on shape b at one point; vectors are in world axes.

    a, b: names of the shapes. p: the point, m. n: unit normal, from a to b. force: on b, N. friction: coefficient of the pair.
    status: "open", "sticking", "rolling" or "sliding". unique: of the three components of `force`, whether all solutions have the same; None where it was not
    asked, as of the steps of a motion.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(0.01, 0.01, 0.01), shape=lw.Sphere(0.1)), m.add_floor()
    >>> [touch] = lw.contact_forces(m.build(), [0, 0, 0.1, 1, 0, 0, 0])
    >>> touch.status, touch.force.round(6).tolist(), touch.margin
    ('sticking', [0.0, 0.0, 19.62], 1.0)
    """

    a: str
    b: str
    p: np.ndarray = field(repr=False)
    n: np.ndarray = field(repr=False)
    force: np.ndarray
    friction: float
    status: str
    unique: np.ndarray | None = field(default=None, repr=False)

    @property
    def normal(self) -> float:
        """N, how hard they press on each other."""
        return float(self.force @ self.n)

    @property
    def tangential(self) -> NDArray[np.float64]:
        """N, the part of the force along the surface."""
        along: NDArray[np.float64] = self.force - self.normal * self.n
        return along

    @property
    def margin(self) -> float:
        """1 - |lt| / (mu ln): 1 where nothing pulls along the surface, 0 where it slips; 0 where nothing presses."""
        return _margin(self.normal, self.tangential, self.friction)


class PairForce(NamedTuple):
    """What one shape exerts on another in all their points: force (N) and moment (N m) about `at`, the middle of the points, in world axes.

    unique: booleans of the six components, moment first. normal (N), margin: as of a point, of the sums. status: of the pair.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("crate")
    >>> _ = m.add_body("crate", mass=3.0, inertia=(0.1, 0.1, 0.1), shape=lw.Box(0.4, 0.4, 0.4)), m.add_floor()
    >>> whole = lw.contact_forces(m.build(), [0, 0, 0.2, 1, 0, 0, 0]).between("ground", "crate")
    >>> whole.name, round(float(whole.force[2]), 6), whole.status
    ('ground - crate', 29.43, 'sticking')
    """

    name: str
    moment: np.ndarray
    force: np.ndarray
    unique: np.ndarray
    at: np.ndarray
    normal: float
    margin: float
    status: str


class ContactForces(Sequence["ContactForce"]):
    """The forces at all contacts of one state that touch, in the order of `model.pairs`. `print(found)` shows a table.

    vdot: the accelerations with these forces. undetermined: how many independent ways there are to add forces that accelerate nothing; 0: all are unique.
    residual: m/s^2, of the laws of contact.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("block on a slope of 0.2 rad")
    >>> _ = m.change("ground", collisions=[lw.Floor(at=lw.Pose.from_rpy(0, 0.2, 0))])
    >>> block = m.add_body("block", mass=2.0, inertia=(0.02, 0.02, 0.02), shape=lw.Box(0.2, 0.2, 0.2), surface=lw.Surface(friction=0.5))
    >>> pose = lw.Pose.from_rpy(0, 0.2, 0) @ lw.Pose((0, 0, 0.1))
    >>> found = lw.contact_forces(m.build(), [*pose.translation, *pose.quaternion])
    >>> whole = found.between("block", "ground")
    >>> whole.status, round(whole.margin, 6), whole.force.round(6).tolist()  # 1 - tan(0.2) / 0.5, N: on the ground
    ('sticking', 0.59458, [0.0, 0.0, -19.62])
    """

    # parameters: what was found
    def __init__(self, rows: ContactRows, forces: Sequence[ContactForce], vdot: Any, free: Any, residual: float) -> None:
        self.model, self.vdot, self.residual = rows.model, vdot, residual
        self._rows, self._forces, self._free = rows, tuple(forces), free
        self.balance: tuple[Any, Any, Any] | None = None

    @property
    def undetermined(self) -> int:
        return int(self._free.shape[1])

    @property
    def wrenches(self) -> NDArray[np.float64]:
        """(nb, 6): what the forces are on the bodies, in bodies' frames, as `f_ext` takes them."""
        return self._rows.wrenches(np.array([one.force for one in self._forces]).reshape(-1, 3))

    @property
    def stresses(self) -> NDArray[np.float64]:
        """(undetermined, nb, 6): what the combinations of forces that accelerate nothing are on the bodies, each of unit size."""
        return self._rows.wrenches(self._rows.world(self._free.T))

    @cached_property
    def spare_friction(self) -> float:
        """What can be taken off all coefficients of friction, as a share of them, such that forces of an equilibrium still balance; 0 of other states."""
        return 0.0 if self.balance is None else 1.0 - least_friction(*self.balance)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the pairs that touch, such as 'ground - cup'."""
        return tuple(dict.fromkeys(f"{one.a} - {one.b}" for one in self._forces))

    def __len__(self) -> int:
        return len(self._forces)

    def __iter__(self) -> Iterator[ContactForce]:
        return iter(self._forces)

    @overload
    def __getitem__(self, index: int) -> ContactForce: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[ContactForce, ...]: ...

    def __getitem__(self, index: int | slice) -> ContactForce | tuple[ContactForce, ...]:
        return self._forces[index]

    def between(self, a: Any, b: Any) -> PairForce:
        """What one of two bodies or shapes, given as themselves or by name, exerts on the second one in all points; zero if they do not touch.

        The sign is that of the order given: on b.
        """
        first, second = self._shapes_called(a), self._shapes_called(b)
        chosen = [(k, 1.0) for k, one in enumerate(self._forces) if one.a in first and one.b in second]
        chosen += [(k, -1.0) for k, one in enumerate(self._forces) if one.b in first and one.a in second]
        names = [getattr(x, "name", x) for x in (a, b)]
        return self._sum(f"{names[0]} - {names[1]}", chosen)

    def pair(self, name: str) -> PairForce:
        """The same of a pair by its name, such as 'ground - cup', on its second shape."""
        return self._sum(name, [(k, 1.0) for k, one in enumerate(self._forces) if f"{one.a} - {one.b}" == name])

    def _shapes_called(self, name: Any) -> frozenset[str]:
        name = part_name(name, "body or shape")
        found = frozenset(shape.name for shape in self.model.shapes if name in (shape.body, shape.name))
        return found or frozenset((self.model.shape(name).name,))  # which raises

    def _sum(self, name: str, chosen: Any) -> PairForce:
        at = np.mean([self._forces[k].p for k, _ in chosen], axis=0) if chosen else np.zeros(3)
        force, moment, along = np.zeros(3), np.zeros(3), np.zeros(3)
        normal, limit, free = 0.0, 0.0, np.zeros((6, self.undetermined))
        F = self._rows.world(self._free.T) if len(self._forces) else np.zeros((self.undetermined, 0, 3))
        for k, sign in chosen:
            one = self._forces[k]
            force, moment = force + sign * one.force, moment + sign * np.cross(one.p - at, one.force)
            free[:3] += sign * np.cross(one.p - at, F[:, k]).T
            free[3:] += sign * F[:, k].T
            normal, limit, along = normal + one.normal, limit + one.friction * one.normal, along + one.tangential
        free[:3] /= length_of_scene(self.model)
        margin = 1.0 - float(np.linalg.norm(along)) / limit if limit > 0.0 else 0.0
        statuses = [self._forces[k].status for k, _ in chosen]
        status = max(statuses, key=STATUSES.index, default=OPEN)
        return PairForce(name, moment, force, np.linalg.norm(free, axis=1) < UNIQUE, at, normal, margin, status)

    def __repr__(self) -> str:
        unique = "all unique" if not self.undetermined else f"{self.undetermined} undetermined"
        return f"<forces at {counted(len(self), 'contact')} of {self.model.name!r}, {unique}>"

    def __str__(self) -> str:
        head = f"{counted(len(self), 'contact')} of {self.model.name!r} that touch{'es' * (len(self) == 1)}"
        if not self._forces:
            return head
        return "\n".join([head + "; " + self._words(), *self.table(), "forces in N, world axes, on the second of a pair"])

    def _words(self) -> str:
        if not self.undetermined:
            return "all forces are unique"
        return f"{counted(self.undetermined, 'combination')} of forces accelerate{'s' * (self.undetermined == 1)} nothing: numbers with ~ are not unique"

    def table(self) -> list[str]:
        """The lines of the table."""
        largest = max((float(np.abs(one.force).max()) for one in self._forces), default=0.0)
        rows = []
        for one in self._forces[:MOST_SHOWN]:
            numbers = [("" if sure else "~") + short(x, 1e-9 * largest) for x, sure in zip(one.force, _sure(one), strict=True)]
            rows.append((f"{one.a} - {one.b}", *(short(x, 1e-12) for x in one.p), one.status, *numbers, _margin_said(one)))
        more = [f"and {len(self) - MOST_SHOWN} more"] if len(self) > MOST_SHOWN else []
        return [*table(("pair", "x", "y", "z", "status", "Fx", "Fy", "Fz", "margin"), rows), *more]


def _sure(one: ContactForce) -> NDArray[np.bool_]:
    return np.ones(3, dtype=bool) if one.unique is None else one.unique


def _margin_said(one: ContactForce) -> str:
    """The margin in three digits, never -0.000; with ~ where the force has another in another solution."""
    sure = bool(_sure(one).all()) or not one.friction > 0.0
    return f"{'' if sure else '~'}{max(one.margin, 0.0):.3f}"


def _margin(normal: float, tangential: NDArray[np.float64], friction: float) -> float:
    limit = friction * normal
    return 1.0 - float(np.linalg.norm(tangential)) / limit if limit > 0.0 else 0.0


# parameters: a public function; all but the state are loads and options
@checked(t="time", forces="flag")
def contact_forces(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    f_ext: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    t: float = 0.0,
    *,
    forces: bool = True,
    rest_speed: float | None = None,
) -> ContactForces:
    """The forces where bodies touch in one state: under all loads, with Coulomb's exact cone, and whether they are unique.

    Args:
        model, q, v, tau, f_ext, t, forces: as in `forward_dynamics`, for one state; without v at rest.
        rest_speed: m/s: slower points stick or stay closed. By default a thousandth of the speed that gravity gives within a length of the scene.
    Where forces are not unique, those of least norm are shown, or as near to them as friction allows. Raises StateError where bodies strike each other.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("table")
    >>> _ = m.add_body("table", mass=10.0, inertia=(1, 1, 1), shape=lw.Box(1.2, 0.8, 0.5)), m.add_floor()
    >>> found = lw.contact_forces(m.build(), [0, 0, 0.25, 1, 0, 0, 0])
    >>> [round(touch.normal, 6) for touch in found], found[0].unique.tolist(), bool(found.between("ground", "table").unique.all())
    ([24.525, 24.525, 24.525, 24.525], [False, False, False], True)
    """
    need_model(model)
    need_contact(model, "contact_forces")
    state = one_state(model, q, np.zeros(model.nv) if v is None else v, tau, f_ext, t)
    if forces:
        state = under_forces(model, state)
    return forces_at_contacts(model, state, checked_speed(model, rest_speed))


def need_contact(model: Model, what: str) -> None:
    """Refuse a model in which nothing touches."""
    if not model.touches:
        raise StateError(
            f"{what}: no bodies of model {model.name!r} touch: it was built without contact, or no two shapes may touch; add a floor, a Surface, "
            "m.touch(a, b) or m.contact = True before build(); m.why_not_touching(a, b) says why two bodies do not",
            "model",
        )


def checked_speed(model: Model, rest_speed: Any) -> float:
    """The rest_speed of a question, or the one by default."""
    if rest_speed is None:
        return SLOW * rest_speed_of(model)
    if isinstance(rest_speed, bool) or not isinstance(rest_speed, (int, float, np.number)) or not 0.0 <= rest_speed < np.inf:
        raise StateError(f"rest_speed: found {rest_speed!r}; allowed is a finite number from 0 on, m/s; correct it", "rest_speed")
    return float(rest_speed)


def rest_speed_of(model: Model) -> float:
    """m/s: what gravity gives within a length of the scene; without gravity, a length in a second."""
    length, g = length_of_scene(model), float(np.linalg.norm(model.gravity))
    return float(np.sqrt(g * length)) if g > 0.0 else length * rest_pace(model)


def forces_at_contacts(model: Model, state: LoadedState, slow: float) -> ContactForces:
    """The ContactForces of a state under loads that include all forces of the model."""
    q, v, tau, f_ext, t = state
    rows = contact_rows(model, q, v)
    free = forward_dynamics(model, q, v, tau, f_ext, t=t, forces=False)
    u = (rows.J @ v).reshape(-1, 3)
    _refuse_impacts(rows, u, slow)
    closed = u[:, 0] <= slow
    contact = rows.some(closed)
    problem, response = problem_of(contact, q, free, u[closed], slow)
    found = find_forces(problem)
    if found is None:
        raise SolverError(
            f"contact_forces: no forces satisfy the laws of contact at t = {t:g} s in {model.name!r}: where friction jams bodies that slide, there may be "
            "none (Painleve); smaller friction, or a state that does not slide, has some"
        )
    return described_forces(rows, closed, problem, found, response, free, slow)


# parameters: the points, and what was found of those that are closed
def described_forces(
    rows: ContactRows,
    closed: Any,
    problem: Problem,
    found: Answer,
    response: NDArray[np.float64],
    vdot: NDArray[np.float64],
    slow: float = 0.0,
) -> ContactForces:
    """The ContactForces of points, of which some are closed and have an answer; vdot: accelerations without them, response: M^-1 J^T of the closed ones."""
    contact = rows.some(closed)
    N = free_combinations(problem, found, response)
    l = least_norm(problem, found.l, N)
    made = _described(rows, closed, contact.world(l), contact.world(N.T), _statuses(contact, problem, found, slow))
    everywhere = np.zeros((3 * len(rows.points), N.shape[1]))
    everywhere[np.repeat(closed, 3)] = N
    return ContactForces(rows, made, vdot + response @ l, everywhere, found.residual)


def problem_of(
    contact: ContactRows, q: NDArray[np.float64], vdot: NDArray[np.float64], u: NDArray[np.float64], slow: float
) -> tuple[Problem, NDArray[np.float64]]:
    """(problem, response): the Problem of closed points with the accelerations vdot without them, and M^-1 J^T."""
    model = contact.model
    units = contact.frames.reshape(-1, 3)
    each = np.zeros((len(units), len(contact.points), 3))
    each[np.arange(len(units)), np.arange(len(units)) // 3] = units
    response = np.zeros((model.nv, 0))
    if len(units):
        response = impulse_response(model, np.broadcast_to(q, (len(units), model.nq)), None, contact.wrenches(each)).T
    G = contact.J @ response
    slip = np.zeros((len(u), 2))
    speed = np.hypot(u[:, 1], u[:, 2])
    moves = (speed > slow) & (contact.friction > 0.0)
    slip[moves] = u[moves, 1:] / speed[moves, None]
    return Problem((G + G.T) / 2.0, contact.J @ vdot + contact.gamma, contact.friction, slip), response


def _refuse_impacts(rows: ContactRows, u: NDArray[np.float64], slow: float) -> None:
    if not len(u) or u[:, 0].min() >= -slow:
        return
    k = int(np.argmin(u[:, 0]))
    a, b = rows.sides(k)
    raise StateError(
        f"v: found {-u[k, 0]:.3g} m/s at which {b.name!r} strikes {a.name!r} at ({', '.join(short(x, 1e-12) for x in rows.points[k].p)}) m: an impulse acts "
        f"there and no force; allowed are velocities up to rest_speed ({slow:.3g} m/s) towards each other; give velocities after the impact, or "
        "simulate it: lw.simulate records forces as means over a step",
        "v",
    )


def rolling(rows: ContactRows, slow: float) -> list[bool]:
    """Does each point, if it sticks, roll: does it move along both bodies?"""
    return [all(np.linalg.norm(going - u) > slow for u in bodies) for going, bodies in zip(rows.moving, rows.bodies_at, strict=True)]


def _statuses(contact: ContactRows, problem: Problem, answer: Answer, slow: float) -> list[str]:
    none = 1e-9 * max(float(np.abs(problem.g).max(initial=0.0)), 1e-300)
    found, rolls = [], rolling(contact, slow)
    for k, mu in enumerate(problem.friction):
        w = answer.w[3 * k : 3 * k + 3]
        if w[0] > none:
            found.append(OPEN)
        elif problem.slip[k].any() or mu == 0.0 or np.hypot(w[1], w[2]) > none:
            found.append(SLIDING)
        else:
            found.append(ROLLING if rolls[k] else STICKING)
    return found


# parameters: what the descriptions are made of
def _described(rows: ContactRows, closed: Any, forces: Any, free: Any, statuses: list[str]) -> list[ContactForce]:
    made, k = [], 0
    for i, (point, is_closed) in enumerate(zip(rows.points, closed, strict=True)):
        a, b = rows.sides(i)
        force, unique, status = np.zeros(3), np.ones(3, dtype=bool), OPEN
        if is_closed:
            force, unique, status = forces[k], np.linalg.norm(free[:, k], axis=0) < UNIQUE, statuses[k]
            k += 1
        made.append(ContactForce(a.name, b.name, point.p, point.n, force, float(rows.friction[i]), status, unique))
    return made
