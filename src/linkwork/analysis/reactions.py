"""Reactions: the wrench that every joint and constraint transmits, tree and loop alike, and whether it is unique.

The accelerations and one set of multipliers come from a solver. The wrenches W follow by an inward sweep over the bodies (transmission.py). Where
rows are redundant, any self-stress Z may be added; the one is chosen that makes

    sum over all joints and constraints of |f|^2 + |n|^2 / L^2

least, n about the part's own point, L a length of the mechanism. All parts count alike, so the choice does not depend on which joint a loop
was cut at, on the solver, on the sense of a joint or on names. A component is unique if no self-stress touches it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..arguments import checked
from ..constraints.jacobian import constraint_jacobian
from ..constraints.modes import CONTRADICTION
from ..dynamics.bound import Bound, Route
from ..dynamics.forward import unforced
from ..dynamics.inverse import newton_euler_forces
from ..errors import StateError, UnknownNameError
from ..model.model import need_model
from ..parts.place import part_name
from ..solvers.forward_dynamics import forward_dynamics
from ..solvers.registry import check_solver, choose, fastest_driver
from .contact_forces import checked_speed, forces_at_contacts
from .loaded_state import LoadedState, one_state, under_forces
from .report_text import counted, listed, short, table
from .self_stress import ContactStress, SelfStress
from .split_rows import split_rows
from .transmission import Transmission, turns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray

    from ..model.model import ConstraintInfo, JointInfo, Model
    from ..parts.part import Named
    from ..parts.place import Place
    from ..solvers.delassus.driver import Constrained
    from .contact_forces import ContactForces
    from .split_rows import Split

UNIQUE = 1e-6  # a component of a self-stress of unit size below this is rounding


class Reaction(NamedTuple):
    """One wrench: moment (N m) and force (N) in some axes; `unique` says of the six components, moment first, whether they are unique.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("lamp")
    >>> _ = m.add_joint("hook", lw.Weld(), m.ground, m.add_body("lamp", mass=2.0, inertia=(1, 1, 1)))
    >>> hook = lw.reactions(m.build(), [], [])["hook"]
    >>> hook.force.round(6).tolist(), bool(hook.unique.all())  # N, world axes: what the ground exerts on the lamp
    ([0.0, 0.0, 19.62], True)
    """

    name: str
    moment: np.ndarray
    force: np.ndarray
    unique: np.ndarray


class Solution(NamedTuple):
    """What a solver said of a state: accelerations, multipliers that cause them, relative residual of contradictory rows."""

    vdot: np.ndarray
    multipliers: np.ndarray
    residual: float


class Reactions:
    """The wrenches in all joints and constraints of one state. `print(r)` shows a table, `r["pivot"]` is one of them, `r.wrench` asks for a frame.

    A joint's wrench is what its parent exerts on its child, drive included; a constraint's is what it exerts on its first place (`wrench`
    with on="second": on its second).

    vdot: the accelerations. multipliers: of all rows, the choice of least norm. self_stress: how many independent ways there are to
    stress the mechanism without load; 0 means that all is unique. residual: of contradictory rows, relative. imbalance: of the equations
    of motion, relative, a measure of accuracy. length: the L that makes moments and forces comparable, m.
    gaps: how far each constraint is open in this pose, m or rad. contacts: the ContactForces where bodies touch, None in a model in which nothing can;
    `r["ground - cup"]` is what a pair exerts on its second shape, about the middle of its points.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("lamp")
    >>> lamp = m.add_body("lamp", mass=2.0, com=(0.5, 0, 0), inertia=(1, 1, 1))
    >>> _ = m.add_joint("hook", lw.Weld(), m.ground, lamp)
    >>> r = lw.reactions(m.build(), [], [])
    >>> r.names, r.self_stress, r.moment("hook").round(6).tolist()  # N m about the hook
    (('hook',), 0, [0.0, -9.81, 0.0])
    """

    # parameters: what was found
    def __init__(
        self,
        state: LoadedState,
        transmission: Transmission,
        rows: Split,
        stress: SelfStress,
        wrenches: NDArray[np.float64],
        solution: Solution,
        contacts: ContactForces | None = None,
    ) -> None:
        self.contacts = contacts
        self.model, self.length = transmission.model, transmission.length
        self.vdot, self.multipliers, self.residual = solution
        q, v, tau, f_ext, t = state
        self._state = LoadedState(q.copy(), v.copy(), tau.copy(), f_ext, t)  # the caller may go on to write into these arrays
        self._parts, self._rows, self._stress = transmission, rows, stress
        self._first, self._second = wrenches

    @property
    def self_stress(self) -> int:
        return self._stress.count

    @functools.cached_property
    def gaps(self) -> dict[str, float]:
        return {c.name: float(np.abs(self._rows.phi[c.rows]).max(initial=0.0)) for c in self.model.constraints}

    @functools.cached_property
    def imbalance(self) -> float:
        q, v, tau, f_ext, _ = self._state
        needed = newton_euler_forces(self.model, q, v, self.vdot, f_ext)
        unbalanced = needed - tau - self.multipliers @ self._rows.J
        return float(np.max(np.abs(unbalanced), initial=0.0) / (1.0 + np.max(np.abs(needed), initial=0.0)))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all joints, then of the constraints."""
        return tuple(part.name for part in self._parts.parts)

    def wrench(self, name: str, frame: str | Named | Place = "world", on: str | None = "first") -> NDArray[np.float64]:
        """The wrench [n; f] of a joint or constraint, (6,).

        frame: "world" for world axes and the moment about the part's own point (the origin of a joint's child frame, of a constraint's
        first place); "child" or "parent" for a joint's two frames, "first" or "second" for a constraint's; or a body, a frame, the name of
        one, or a place (body.at(...)), to which the wrench is then moved ("ground": the world's origin).
        """
        return self._seen(name, frame, on, self._first, self._second)[:, 0]

    def force(self, name: str, frame: str | Named | Place = "world", on: str | None = "first") -> NDArray[np.float64]:
        """The force part of `wrench`, (3,)."""
        return self.wrench(name, frame, on)[3:]

    def moment(self, name: str, frame: str | Named | Place = "world", on: str | None = "first") -> NDArray[np.float64]:
        """The moment part of `wrench`, (3,)."""
        return self.wrench(name, frame, on)[:3]

    def unique(self, name: str, frame: str | Named | Place = "world", on: str | None = "first") -> NDArray[np.bool_]:
        """(6,) booleans: which components of `wrench` have the same value in all solutions. The others are the choice of least norm."""
        Z = self._seen(name, frame, on, *self._stress.wrenches)
        size = np.linalg.norm(Z, axis=1)
        size[:3] /= self.length
        return size < UNIQUE

    def unique_part(self, name: str) -> NDArray[np.float64]:
        """What of a wrench (world axes, about the part's point, moments over the length) is the same in all solutions, (6,)."""
        scale = np.repeat([1.0 / self.length, 1.0], 3)
        W = scale * self.wrench(name)
        U, sizes, _ = np.linalg.svd(scale[:, None] * self._seen(name, "world", "first", *self._stress.wrenches))
        U = U[:, : int(np.sum(sizes > UNIQUE))]
        return W - U @ (U.T @ W)

    def drive(self, name: str) -> NDArray[np.float64]:
        """The driving force of a joint or constraint, N m or N.

        Of a joint: what drives and couplings exert along each of its velocities, (nv,), besides the tau that was given. Of a Drive or another
        constraint: the multipliers of its rows; for rows of positions, forces along what they hold.
        """
        return self._driven(name, self.multipliers[:, None])[:, 0]

    def drive_unique(self, name: str) -> NDArray[np.bool_]:
        """Booleans: which of the numbers of `drive` are the same in all solutions."""
        return np.linalg.norm(self._driven(name, self._stress.multipliers), axis=1) < UNIQUE * max(self.length, 1.0)

    def __getitem__(self, name: Any) -> Any:
        if self.contacts is not None and isinstance(name, str) and name in self._pairs:
            pair = self.contacts.pair(name)
            return Reaction(name, pair.moment, pair.force, pair.unique)
        W = self.wrench(name)
        return Reaction(self._part(name)[1].name, W[:3], W[3:], self.unique(name))

    def __iter__(self) -> Iterator[Any]:
        return (self[name] for name in self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        unique = "all unique" if not self.self_stress else f"{counted(self.self_stress, 'self-stress', 'self-stresses')}"
        return f"Reactions({self.model.name!r}: {len(self)} joints and constraints, {unique})"

    def __str__(self) -> str:
        return reactions_text(self)

    # ------------------------------------------------------------------ inside

    @functools.cached_property
    def _pairs(self) -> frozenset[str]:
        return frozenset(f"{pair.a} - {pair.b}" for pair in self.model.pairs).difference(self._parts.index)

    def _part(self, name: str) -> tuple[Any, ...]:
        name = part_name(name, "joint or constraint")
        try:
            at = self._parts.index[name]
        except (KeyError, TypeError):
            pairs = self.contacts.names if self.contacts is not None else ()
            raise UnknownNameError("joint or constraint", name, [*self.names, *pairs]) from None
        return at, self._parts.parts[at]

    def is_joint(self, name: str) -> bool:
        return self._part(name)[0] < len(self.model.joints)

    def _seen(self, name: str, frame: Any, on: Any, first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
        s, (at, part) = self._parts, self._part(name)
        joint = at < len(self.model.joints)
        W = self._side(part, joint, on, first[at], second[at])
        if isinstance(frame, str) and frame == "world":
            return s.at(W, s.points[at, 0])
        point, R = self._place(at, part, joint, frame)
        W = s.at(W, point)
        return np.vstack([R.T @ W[:3], R.T @ W[3:]])

    def _side(self, part: Any, joint: bool, on: str, first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
        allowed = ("first",) if joint else ("first", "second")
        if on not in allowed:
            hint = "a joint's wrench is that on its child; the parent feels the opposite" if joint else "give one of its two places"
            raise StateError(f"on: found {on!r} for {part.name!r}; allowed is {' or '.join(map(repr, allowed))}; {hint}", "on")
        if joint:
            return -first if part.backwards else first
        return first if on == "first" else second

    def _place(self, at: int, part: ConstraintInfo | JointInfo, joint: bool, frame: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        s = self._parts
        sides = ("child", "parent") if joint else ("first", "second")
        if isinstance(frame, str) and frame in sides:
            return s.points[at, sides.index(frame)], s.frames[at, sides.index(frame)]
        if isinstance(frame, str) and frame in ("child", "parent", "first", "second"):
            raise StateError(
                f"frame: found {frame!r} for {part.name!r}, which is a {'joint' if joint else 'constraint'}; "
                f"allowed are 'world', {sides[0]!r}, {sides[1]!r}, or the name of a body or frame",
                "frame",
            )
        info = self.model.frame(frame)
        R, p = (np.eye(3), np.zeros(3)) if info.body < 0 else s.body_pose(self.model.bodies[info.body].name)
        return p + R @ info.pose.translation, R @ info.pose.rotation

    def _driven(self, name: str, multipliers: NDArray[np.float64]) -> NDArray[np.float64]:
        at, part = self._part(name)
        if at < len(self.model.joints):
            return self._parts.joint_forces(multipliers)[part.v_index]
        return multipliers[part.rows]


def _of_tree(model: Model, vdot: NDArray[np.float64]) -> Solution:
    return Solution(vdot, np.zeros(0), 0.0)


def _of_loops(model: Model, vdot: NDArray[np.float64], multipliers: NDArray[np.float64], report: NDArray[np.float64]) -> Solution:
    return Solution(vdot, multipliers, report.item(1))


TREE, SPARSE = 0, 1
_solved = Bound(
    Route(unforced, ("nq", "nv", "nv?"), (("nv",),), timed=None, finish=_of_tree, admits=lambda model: not model.nc),
    Route(
        fastest_driver(), ("nq", "nv", "nv?"), (("nv",), ("nc",), (2,)), timed=True, finish=_of_loops, admits=lambda model: bool(model.nc)
    ),
)


# parameters: a public function; all but the state are loads and options
@_solved.within
@checked(t="time", solver="word", forces="flag", contacts="flag")
def reactions(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None = None,
    f_ext: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    t: float = 0.0,
    solver: str = "auto",
    forces: bool = True,
    contacts: bool = True,
) -> Reactions:
    """Force and moment in every joint, tree or loop, and of every constraint, for one state; with what is unique and what is a choice.

    Args:
        model, q, v, tau, f_ext, t, solver, forces: as in `forward_dynamics`, for one state.
        contacts: let bodies that touch exert forces on each other (`contact_forces`); False: read the state as if they did not.
    Returns:
        a `Reactions`; see there.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=2.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> r = lw.reactions(m.build(), [0.0], [3.0])        # at the lowest point: weight and centripetal force
    >>> round(float(r.force("pivot")[2]), 6)
    37.62
    >>> bool(r.unique("pivot").all())
    True
    """
    touching = contacts and getattr(model, "touches", True)
    if f_ext is None and type(solver) is str and solver == "auto" and not touching and not (forces and getattr(model, "forces", True)):
        solution = _solved.short(model, q, v, tau, t)
        if solution is not None and solution.residual <= CONTRADICTION:
            return from_solution(model, LoadedState(q, v, np.zeros(model.nv) if tau is None else tau, None, t), solution)  # type: ignore[arg-type]
    need_model(model)
    state = one_state(model, q, v, tau, f_ext, t)
    if forces:
        state = under_forces(model, state)
    if touching:
        found = forces_at_contacts(model, state, checked_speed(model, None))
        state = state._replace(f_ext=found.wrenches if state.f_ext is None else state.f_ext + found.wrenches)
        return _unbound(model, state, solver, found)
    solve = choose(model, solver)
    if model.nc:
        solution = settled(model, state, solve(model, *state), solver)
    else:
        solution = Solution(forward_dynamics(model, *state[:4], forces=False), np.zeros(0), 0.0)
    _solved.bind(model, SPARSE if model.nc else TREE)
    return from_solution(model, state, solution)


def _unbound(model: Model, state: LoadedState, solver: str, contacts: ContactForces) -> Reactions:
    """The Reactions of a state with the forces at its contacts."""
    if model.nc:
        solution = settled(model, state, choose(model, solver)(model, *state), solver)
    else:
        check_solver(solver)
        solution = Solution(forward_dynamics(model, *state[:4], forces=False), np.zeros(0), 0.0)
    return from_solution(model, state, solution, contacts)


def settled(model: Model, state: LoadedState, found: Constrained, solver: str) -> Solution:
    """The Solution from what a solver found. Where constraints contradict each other: the accelerations of `forward_dynamics`, which warns and
    is the same for all solvers, and multipliers that cause them.
    """
    residual = float(np.max(found.residual))
    if not residual > CONTRADICTION:
        return Solution(found.vdot, found.multipliers, residual)
    q, v, tau, f_ext, t = state
    vdot = forward_dynamics(model, q, v, tau, f_ext, t=t, solver=solver, forces=False)
    unbalanced = newton_euler_forces(model, q, v, vdot, f_ext) - tau
    return Solution(vdot, np.linalg.lstsq(constraint_jacobian(model, q, v, t).J.T, unbalanced, rcond=None)[0], residual)


def from_solution(model: Model, state: LoadedState, solution: Solution, contacts: ContactForces | None = None) -> Reactions:
    """The `Reactions` that belong to accelerations and to any multipliers that cause them; `contacts`: forces that the loads of the state contain already."""
    q, v, _, f_ext, t = state
    rows = split_rows(model, q, t)
    transmission = Transmission(model, q, v, solution.vdot, rows.arrays)
    stress = SelfStress(transmission, rows)
    if contacts is not None and contacts.undetermined:
        stress = ContactStress(transmission, rows, q, contacts.stresses)
    multipliers = np.array(solution.multipliers)
    wrenches, multipliers = stress.least(transmission.transmit(multipliers, f_ext), multipliers)
    return Reactions(
        state, transmission, rows, stress, wrenches[..., None], Solution(solution.vdot, multipliers, solution.residual), contacts
    )


# ---- the table as text

MOST = 60  # rows of the table
OPEN = 1e-6  # a gap that is worth a word, rad or lengths of the mechanism, if that is less than 1 m


def reactions_text(r: Reactions) -> str:
    """The table that `print(reactions)` shows."""
    lines = [f"Reactions in {r.model.name!r}: what the parent exerts on the child of a joint, and a constraint on its first place"]
    if r.self_stress:
        lines.append(
            f"{counted(r.self_stress, 'self-stress', 'self-stresses')}: numbers with ~ are not unique; "
            f"shown is the choice of least norm (L = {short(r.length)} m)"
        )
    else:
        lines.append("all numbers are unique")
    open_ = {name: gap for name, gap in r.gaps.items() if gap > OPEN * min(1.0, r.length)}
    if open_:
        lines.append(f"the pose is open: {listed([*open_][:5])} by up to {short(max(open_.values()))} m or rad; lw.assemble closes it")
    if r.residual > CONTRADICTION:
        lines.append(
            f"constraints contradict each other (residual {short(r.residual)}), shown is a compromise: lw.mobility(model, q) tells which"
        )
    wrenches = {part.name: (r.wrench(part.name), r.unique(part.name)) for part in _shown(r)}
    largest = max((np.max(np.abs(W)) for W, _ in wrenches.values()), default=0.0)
    rows = []
    for name, (W, unique) in wrenches.items():
        rows.append([name, *(("" if sure else "~") + short(x, 1e-9 * largest) for x, sure in zip(W, unique, strict=True))])
    if rows:
        more = [f"and {len(rows) - MOST} more: ask for them by name"] if len(rows) > MOST else []
        rows = rows[:MOST]
        lines += table(["world axes, about its point", "Mx", "My", "Mz [N m]", "Fx", "Fy", "Fz [N]"], rows) + more
    lines += _drives(r)
    if r.contacts is not None and len(r.contacts):
        lines += ["", *r.contacts.table()]
    return "\n".join(lines)


def _shown(r: Reactions) -> list[Any]:
    """Joints that can transmit something, and constraints between places."""
    joints = [j for j in r.model.joints if not j.kind.free]
    return [*joints, *(c for c in r.model.constraints if not c.is_loop and c.places)]


def _drives(r: Reactions) -> list[str]:
    rows = []
    for c in r.model.constraints:
        if c.is_loop or not c.joints:
            continue
        force, sure = r.drive(c.name)[0], r.drive_unique(c.name)[0]
        unit = "N m" if turns(r.model.joint(c.joints[-1][0]).kind, c.joints[-1][1]) else "N"
        rows.append([c.name, ("" if sure else "~") + short(force, 1e-12), unit, listed([j for j, _ in c.joints])])
    return ["", *table(["drives and couplings", "force", "", "at"], rows)] if rows else []
