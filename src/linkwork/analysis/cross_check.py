"""One state by all solvers: do they say the same?"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import checked
from ..constraints.jacobian import constraint_jacobian
from ..model.model import Model, need_model
from ..solvers.registry import SOLVERS, choose
from .loaded_state import one_state, under_forces
from .reactions import Reactions, from_solution, settled
from .report_text import coordinates, listed, short, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from .loaded_state import LoadedState

TOGETHER = 1e-4  # of the largest row of a constraint, what each of its rows counts at least
REST = 1e-6  # rad/s^2 or m/s^2: accelerations below it are rounding around zero
TIED = 1e-12  # of the largest entry of a row: entries below it are rounding and tie nothing


@dataclass(frozen=True)
class Disagreement:
    """Of two solvers: the largest difference of accelerations, each relative to what its coordinate's rows add up to, and of reactions (where unique),
    relative to the largest value.

    `coordinate` and `part` are where these are.
    """

    solvers: tuple[str, str]
    acceleration: float
    coordinate: str
    reaction: float
    part: str


@dataclass(frozen=True, eq=False)
class CrossCheck:
    """What all solvers found for one state. `worst` is the largest disagreement of any two; `print(check)` shows all.

    reactions: {solver: Reactions}. ranks: {solver: rank of the rows}. missing: {solver: why it was not run}.

    >>> import linkwork as lw
    >>> doc = lw.shipped("four-bar")
    >>> state = doc.setup.state(doc.mechanism.build())
    >>> check = lw.cross_check(doc.mechanism.build(), state.q, state.v)
    >>> sorted(check.reactions), check.worst < 1e-9
    (['articulated', 'propagation', 'sparse'], True)
    """

    model: Model = field(repr=False)
    pairs: tuple[Disagreement, ...]
    reactions: dict[str, Reactions] = field(repr=False)
    ranks: dict[str, int]
    missing: dict[str, str]

    @property
    def worst(self) -> float:
        """The largest relative disagreement, in accelerations or reactions; 0 if only one solver ran."""
        return max((max(p.acceleration, p.reaction) for p in self.pairs), default=0.0)

    def __str__(self) -> str:
        ran = listed(list(self.reactions), 12)
        found = f"{ran} ran; largest disagreement {short(self.worst)}, relative to what adds up there"
        if not self.pairs:
            found = f"only {ran} ran, so nothing was compared" if self.reactions else "nothing to compare"
        lines = [f"Cross-check of {self.model.name!r}: {found}"]
        if len(set(self.ranks.values())) > 1:
            lines.append("they disagree on the rank: " + ", ".join(f"{name} {rank}" for name, rank in self.ranks.items()))
        if self.pairs:
            rows = [["  ".join(p.solvers), short(p.acceleration), p.coordinate, short(p.reaction), p.part] for p in self.pairs]
            lines += table(["solvers", "accelerations", "at", "reactions", "in"], rows)
        lines += [f"{name!r} was not run: {why}" for name, why in self.missing.items()]
        return "\n".join(lines)


@checked(t="time")
def cross_check(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None = None,
    f_ext: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    t: float = 0.0,
) -> CrossCheck:
    """Solve one state by all solvers and compare: accelerations, and reactions as far as they are unique.

    Args:
        model, q, v, tau, f_ext, t: as in `forward_dynamics`, for one state.
    Returns:
        a `CrossCheck`; print it, or look at `worst`.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("door")
    >>> leaf = m.add_body("leaf", mass=20.0, com=(0.4, 0, 0), inertia=(1, 1, 1))
    >>> _ = m.add_joint("lower hinge", lw.Revolute(axis=(0, 0, 1)), m.ground, leaf)
    >>> _ = m.add_joint("upper hinge", lw.Revolute(axis=(0, 0, 1)), m.ground.at(0, 0, 1.5), leaf.at(0, 0, 1.5))
    >>> lw.cross_check(m.build(), [0.0, 0.0], [1.0, 1.0], tau=[2.0, 0.0]).worst < 1e-9
    True
    """
    need_model(model)
    state = under_forces(model, one_state(model, q, v, tau, f_ext, t))
    found, ranks, missing = {}, {}, {}
    for name in SOLVERS:
        if not model.nc:
            missing[name] = "the model has no loops and no constraints, so it needs no such solver"
            continue
        solution = choose(model, name)(model, *state)
        ranks[name] = int(np.min(solution.rank))
        found[name] = from_solution(model, state, settled(model, state, solution, name))
    scales = _scales(model, state, [reactions.vdot for reactions in found.values()]) if found else None
    pairs = tuple(_compared(model, a, b, found[a], found[b], scales) for a, b in itertools.combinations(found, 2))
    return CrossCheck(model, pairs, found, ranks, missing)


def _compared(model: Model, a: str, b: str, one: Reactions, other: Reactions, scales: Any) -> Disagreement:
    apart = np.abs(one.vdot - other.vdot) / scales
    unique = [(name, one.unique_part(name), other.unique_part(name)) for name in one.names]
    size = max([1.0, *(float(np.max(np.abs(x))) for _, x, _ in unique)])
    reaction, part = max(((float(np.max(np.abs(x - y))) / size, name) for name, x, y in unique), default=(0.0, "nothing"))
    coordinate = coordinates(model)[int(np.argmax(apart))] if len(apart) else "nothing"
    return Disagreement((a, b), float(np.max(apart, initial=0.0)), coordinate, reaction, part)


def _scales(model: Model, state: LoadedState, accelerations: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """(nv,): what each acceleration is measured by, so that a loss shows on the slow side of a gear too.

    Rows tie accelerations together: sum_k J_ik vdot_k + gamma_i = 0. What a row adds up to, max_k |J_ik vdot_k| and |gamma_i|, over |J_ij|, is the
    acceleration of coordinate j that would count in that row; the least over all rows that tie j to others is its scale, or its own acceleration, if
    that is greater. A coordinate that no row ties to others is measured by the largest acceleration. Below REST all is at rest.
    """
    q, v, _, _, t = state
    rows = constraint_jacobian(model, q, v, t)
    J, own = np.abs(rows.J), np.max(np.abs(accelerations), axis=0, initial=0.0)
    J[J < TIED * np.max(J, axis=1, initial=0.0, keepdims=True)] = 0.0
    ties = (J > 0.0).sum(axis=1) > 1
    size = np.maximum(np.max(J * own, axis=1, initial=0.0), np.abs(rows.gamma))
    for part in model.constraints:  # rows of one constraint are rounded together: one that happens to add up to nothing is not known better
        size[part.rows] = np.maximum(size[part.rows], TOGETHER * np.max(size[part.rows], initial=0.0))
    with np.errstate(divide="ignore"):
        felt = np.min(np.where(J[ties] > 0.0, size[ties, None] / J[ties], np.inf), axis=0, initial=np.inf)
    largest = max(1.0, float(np.max(own, initial=0.0)))
    return np.maximum(np.where(np.isfinite(felt), np.maximum(own, felt), largest), REST)
