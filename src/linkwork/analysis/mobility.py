"""Mobility: how a mechanism can move here and nearby, which constraints are redundant, which contradict each other.

    dof = nv - rank J,      redundant = rows - rank J

nv and the rows count the joints that close loops too: each brings its freedoms and six rows, so it imposes 6 less its freedoms.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import checked
from ..constraints.tolerance import comparable
from ..data.need_memory import need_memory
from ..dynamics.call import finite
from ..errors import StateError
from ..model.model import Model, need_model
from ..parts.constraints.coupling import SpeedDrive
from .branches import generic_dof, tangent_cone
from .contradictions import Contradiction, contradictions, open_gaps
from .nearly_redundant import NearlyRedundant, nearly_redundant
from .redundancy import RedundantSet, imposed_by, redundant_sets
from .report_text import coordinates, counted, listed, motion_text, short
from .split_rows import split_rows
from .transmission import Transmission

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ..parts.constraints.kind import ConstraintKind

DOUBLE_ZERO = 1e-5  # rates of branches: double zeros of the tangent cone are known to the root of the rounding


@dataclass(frozen=True, eq=False)
class Mobility:
    """How a model can move in one configuration. `print(report)` says it in words.

    dof: degrees of freedom here. dof_generic: at poses around that it can reach; 0 if it can reach none; as here if
    the pose is open, since then none was looked for.
    freedoms: of the tree, before any loop is closed; imposed: constraints that loops and constraints impose; independent, redundant: of these.
    redundant_sets: small sets of parts that hold each other, by name. contradictions: those that cannot all hold, with their gap.
    open_gaps: {name: gap} of the constraints that do not hold here, m or rad.
    nearly_redundant: constraints that would hold more, but by less than 1e-5 of what they could; they count as redundant.
    motions: (dof, nv), each row a motion as joint velocities, scaled to a largest rate of 1; `drivers` are the coordinates that determine it.
    singular: more degrees of freedom here than nearby. branches: motions (each an array of rows) along which it can go on from here.
    blocked: motions (rows) that are possible at first order only. branches_curved: there are more branches than straight ones.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, m.add_body("bob", mass=1.0, inertia=(1, 1, 1)))
    >>> report = lw.mobility(m.build(), [0.0])
    >>> report.dof, report.redundant, report.contradictions
    (1, 0, ())
    """

    model: Model = field(repr=False)
    dof: int
    dof_generic: int
    freedoms: int
    imposed: int
    independent: int
    redundant_sets: tuple[RedundantSet, ...]
    contradictions: tuple[Contradiction, ...]
    open_gaps: dict[str, float]
    motions: np.ndarray = field(repr=False)
    drivers: tuple[str, ...] = field(repr=False)
    branches: tuple[np.ndarray, ...] = field(repr=False)
    branches_curved: bool
    blocked: np.ndarray = field(repr=False)
    nearly_redundant: tuple[NearlyRedundant, ...] = ()

    @property
    def redundant(self) -> int:
        """Constraints that could go without any motion gained."""
        return self.imposed - self.independent

    @property
    def counted(self) -> int:
        """What counting alone gives, freedoms less imposed constraints (Kutzbach's formula)."""
        return self.freedoms - self.imposed

    @property
    def singular(self) -> bool:
        return self.dof > self.dof_generic

    @property
    def driven(self) -> tuple[str, ...]:
        """Constraints that prescribe a motion in time; the freedoms they take do not count in `dof`."""
        return tuple(c.name for c in self.model.constraints if not c.is_loop and _prescribes(c.kind))

    def motion(self, k: int = 0) -> dict[str, np.ndarray]:
        """Motion k as {joint: rates}, joints that stand still left out."""
        return self.by_joint(self.motions[k])

    def by_joint(self, rates: NDArray[np.float64]) -> dict[str, np.ndarray]:
        """A vector of joint velocities as {joint: rates}, joints that stand still left out."""
        limit = 1e-9 * np.max(np.abs(rates), initial=0.0)
        return {j.name: rates[j.v_index] for j in self.model.joints if np.max(np.abs(rates[j.v_index]), initial=0.0) > limit}

    def __str__(self) -> str:
        return mobility_text(self)


@checked(t="time")
def mobility(model: Model, q: ArrayLike, t: float = 0.0) -> Mobility:
    """How the mechanism can move in configuration q: degrees of freedom, redundant and contradictory constraints, motions left, branches.

    Args:
        model: a built Model. q: one configuration (nq,), loops closed. t: time, for prescribed motion.
    Returns:
        a `Mobility`; print it, or use its fields.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("door")
    >>> leaf = m.add_body("leaf", mass=20.0, com=(0.4, 0, 0), inertia=(1, 1, 1))
    >>> _ = m.add_joint("lower hinge", lw.Revolute(axis=(0, 0, 1)), m.ground, leaf)
    >>> _ = m.add_joint("upper hinge", lw.Revolute(axis=(0, 0, 1)), m.ground.at(0, 0, 1.5), leaf.at(0, 0, 1.5))
    >>> report = lw.mobility(m.build(), [0.0, 0.0])
    >>> report.dof, report.counted, report.redundant
    (1, -4, 5)
    >>> report.redundant_sets[0].names
    ('lower hinge', 'upper hinge')
    """
    need_model(model)
    q, t = _one(model, q, t)
    need_memory(model.name, model.sizes, 8 * model.nc * (model.nc + 4 * model.nv), "mobility")
    rows = split_rows(model, q, t)
    scale = comparable(model)
    N, drivers = rows.motions(scale / _following(model))
    dof, gaps = N.shape[1], open_gaps(model, rows.phi)
    loops = [j for j in model.joints if j.closes_loop]
    sets, generic, cone = (), dof, None
    if len(rows.dependent):
        still = np.zeros(model.nv)
        sets = redundant_sets(model, rows, Transmission(model, q, still, still, rows.arrays))
        if dof and not gaps:
            cone = tangent_cone(model, q, t, N, rows.stress)
            generic = generic_dof(model, q, t, N, scale) or 0
    names = coordinates(model)
    return Mobility(
        model=model,
        dof=dof,
        dof_generic=min(generic, dof),
        freedoms=model.nv - sum(j.nv for j in loops),
        imposed=sum(imposed_by(model, c) for c in model.constraints),
        independent=rows.rank - sum(j.nv for j in loops),
        redundant_sets=sets,
        contradictions=contradictions(model, q, t, sets),
        open_gaps=gaps,
        motions=_largest_one(N.T),
        drivers=tuple(names[i] for i in drivers),
        branches=() if cone is None else tuple(_readable(piece, scale) for piece in cone.pieces),
        branches_curved=cone is not None and cone.curved,
        blocked=np.zeros((0, model.nv)) if cone is None else _readable(cone.blocked, scale),
        nearly_redundant=nearly_redundant(model, rows),
    )


def _prescribes(kind: ConstraintKind) -> bool:
    """Does a constraint prescribe a motion? Laws that are plain numbers hold a value, unless they are speeds."""
    time_functions = [time_function for block in kind.blocks() for time_function in block.time_functions]
    return any(time_function.moves or (isinstance(kind, SpeedDrive) and time_function.value != 0.0) for time_function in time_functions)


def _one(model: Model, q: Any, t: float) -> tuple[NDArray[np.float64], float]:
    inputs = [("q", q, (model.nq,))]
    (array,), leading = finite(model, inputs), np.shape(q)[:-1]
    if leading or np.ndim(t):
        raise StateError(f"q: found a batch of {leading or np.shape(t)} states; allowed is one state; call it in a loop", "q")
    return array, float(t)


def _following(model: Model) -> NDArray[np.float64]:
    """Per velocity, how gladly it follows: a motion is told best by a hinge or slide of the tree, so that others follow where they can."""
    return np.array([(10.0 if j.nv > 1 else 1.0) * (3.0 if j.closes_loop else 1.0) for j in model.joints for _ in range(j.nv)])


def _readable(motions: Any, scale: NDArray[np.float64]) -> NDArray[np.float64]:
    """The span of some motions (rows), each row with one driver that no other has."""
    from scipy.linalg import qr

    if not len(motions):
        return motions
    _, _, order = qr(motions * scale, mode="economic", pivoting=True)
    motions = np.linalg.solve(motions[:, np.sort(order[: len(motions)])], motions)
    motions[np.abs(motions) < DOUBLE_ZERO * np.max(np.abs(motions), axis=1, keepdims=True)] = 0.0
    return _largest_one(motions)


def _largest_one(motions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows scaled to a largest rate of 1."""
    return motions / np.max(np.abs(motions), axis=1, keepdims=True, initial=1e-300)


# ---- the report as text

MOST = 6  # motions and sets that are told one by one


def mobility_text(r: Mobility) -> str:
    """What `print(report)` shows."""
    lines = [f"Mobility of {r.model.name!r}: {_headline(r)}"]
    lines += _counts(r)
    if r.open_gaps:
        gaps = ", ".join(f"{name!r} by {short(gap)}" for name, gap in list(r.open_gaps.items())[:MOST])
        lines.append(f"not closed here: {gaps} (m or rad); all that is said below is of this open pose: close it first, with lw.assemble")
    lines += _some("redundant", r.redundant_sets)
    lines += _some("nearly redundant", r.nearly_redundant)
    lines += _some("contradictory", r.contradictions)
    names = coordinates(r.model)
    lines += _motions("motions left (as rates of joints)", r.motions, names)
    lines += _singular(r, names)
    return "\n".join(lines)


def _headline(r: Mobility) -> str:
    here = counted(r.dof, "degree", "degrees") + " of freedom here"
    if r.dof == 0:
        return f"{here}: it moves as {listed(r.driven)} prescribe{'s' * (len(r.driven) == 1)}" if r.driven else f"{here}: nothing can move"
    if r.open_gaps:
        return f"{here}, in an open pose"
    if r.singular and r.dof_generic == 0:
        return f"{here}, at first order only: no other pose can be reached (a singular pose)"
    return f"{here}, {r.dof_generic} at a generic pose" + (" nearby: a singular pose" if r.singular else "")


def _counts(r: Mobility) -> list[str]:
    if not r.model.constraints:
        return ["no loops and no constraints: every joint moves by itself"]
    loops = [c.name for c in r.model.constraints if c.is_loop]
    others = [c.name for c in r.model.constraints if not c.is_loop]
    by = " and ".join(
        f"{one if len(group) == 1 else many} {listed(group)}"
        for group, one, many in ((loops, "the loop closed by", "the loops closed by"), (others, "constraint", "constraints"))
        if group
    )
    return [
        f"{counted(r.freedoms, 'freedom')} of the tree, {counted(r.imposed, 'constraint')} imposed by {by}: counting gives {r.counted}",
        f"{r.independent} of these {'is' if r.independent == 1 else 'are'} independent, {r.redundant} redundant",
    ]


def _some(word: str, items: Any) -> list[str]:
    lines = [f"{word}: {item}" for item in items[:MOST]]
    return lines + ([f"{word}: {counted(len(items) - MOST, 'more set')}"] if len(items) > MOST else [])


def _motions(title: str, motions: Any, names: list[str]) -> list[str]:
    if not len(motions):
        return []
    lines = [f"{title}:", *(f"  {k + 1}: {motion_text(names, rates)}" for k, rates in enumerate(motions[:MOST]))]
    return lines + ([f"  and {len(motions) - MOST} more"] if len(motions) > MOST else [])


def _singular(r: Mobility, names: list[str]) -> list[str]:
    lines = []
    if r.singular and (len(r.branches) or r.branches_curved):
        many = "a whole surface of motions" + (", among them" if r.branches else "")
        lines.append(f"from here it can go on along {many if r.branches_curved else counted(len(r.branches), 'branch', 'branches')}:")
        for k, piece in enumerate(r.branches[:MOST]):
            lines += [
                f"  {'branch ' + str(k + 1) if i == 0 else '    and'}: {motion_text(names, rates)}" for i, rates in enumerate(piece[:3])
            ]
    if len(r.blocked):
        lines += _motions("possible at first order only, they cannot go on", r.blocked, names)
    return lines
