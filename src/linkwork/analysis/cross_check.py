"""One state by all solvers: do they say the same?"""

import itertools
from dataclasses import dataclass, field
from importlib import import_module

import numpy as np

from ..arguments import checked
from ..model.model import Model, need_model
from ..solvers.choose import SOLVERS, choose
from .reactions import Reactions, from_solution, one_state, settled, under_forces
from .text import coordinates, listed, short, table


@dataclass(frozen=True)
class Disagreement:
    """Of two solvers: the largest difference of accelerations and of reactions (where unique), each relative to the largest value.

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

    def __str__(self):
        ran = listed(list(self.reactions), 12)
        found = f"{ran} ran; largest disagreement {short(self.worst)}, relative to the largest value"
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
def cross_check(model, q, v, tau=None, f_ext=None, t=0.0):
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
    for name, (module, _) in SOLVERS.items():
        try:
            import_module(f"..solvers.{module}", __package__)
        except ModuleNotFoundError:
            missing[name] = "this version does not have it"
            continue
        if not model.nc:
            missing[name] = "the model has no loops and no constraints, so it needs no such solver"
            continue
        solution = choose(model, name)(model, *state)
        ranks[name] = int(np.min(solution.rank))
        found[name] = from_solution(model, state, settled(model, state, solution, name))
    pairs = tuple(_compared(model, a, b, found[a], found[b]) for a, b in itertools.combinations(found, 2))
    return CrossCheck(model, pairs, found, ranks, missing)


def _compared(model, a, b, one, other):
    apart = np.abs(one.vdot - other.vdot)
    scale = max(1.0, float(np.max(np.abs(one.vdot), initial=0.0)))
    unique = [(name, one.unique_part(name), other.unique_part(name)) for name in one.names]
    size = max([1.0, *(float(np.max(np.abs(x))) for _, x, _ in unique)])
    reaction, part = max(((float(np.max(np.abs(x - y))) / size, name) for name, x, y in unique), default=(0.0, "nothing"))
    coordinate = coordinates(model)[int(np.argmax(apart))] if len(apart) else "nothing"
    return Disagreement((a, b), float(np.max(apart, initial=0.0)) / scale, coordinate, reaction, part)
