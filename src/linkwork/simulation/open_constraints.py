"""Constraints that a run no longer follows: a sample whose residuals no projection explains is not recorded as if it were a state.

Projection keeps positions and velocities on the constraints from step to step. It is not asked where a step has passed over a motion that is
prescribed (a time function that jumps, or is faster than the steps), and rows on velocities alone have no residual of positions that would call it.
So every sample is looked at: residuals of phi and phi_dot, by each row's natural size (solvers/rank_rule.py), without what the rule of rank
leaves out. Over the zoo of mechanisms and random ones, all methods at their usual steps leave less than 3e-6 of positions and 1e-4 of velocities;
steps by a loose tolerance (1e-3) some 1e-3, which is told, and more is not a state of the mechanism.
"""

from typing import NamedTuple

import numpy as np

from ..analysis.rank import split_rows
from ..analysis.wiring import length_of

CLOSED = (1e-8, 1e-6)  # m or rad; of the fastest velocity: no more than a start may have, and not looked at
TOLD = (1e-5, 1e-3)  # of natural size; of what the velocities of a row add up to
REFUSED = (1e-2, 5e-2)  # the same, of prescribed motion
LOOP = 10.0  # times that, of positions: a loop that is so far open is none. Less is what a tolerance of 1e-2, which may be meant, leaves between steps
SLOWEST = 2e-3  # rad/s or m/s: slower motion is measured by this


class OpenConstraint(NamedTuple):
    """A row that is open: `name` of its constraint, its residual, whether that is of velocities, and whether the state is refused for it."""

    name: str
    residual: float
    of_velocity: bool
    prescribed: bool
    refused: bool

    def text(self, t):
        """What is open, and what to do."""
        verb, unit = ("moves off its rate by", "m/s or rad/s") if self.of_velocity else ("is open by", "m or rad")
        why = (
            "its time function jumps, or is faster than the steps; give smaller steps (step=, max_step=), or a function with a continuous velocity"
            if self.prescribed
            else "steps are too large for it; take smaller ones, or a tighter tolerance"
        )
        return f"constraint {self.name!r} {verb} {abs(self.residual):.3g} {unit} at t = {t:.6g} s: {why}"


def open_constraint(model, q, v, t, residuals) -> OpenConstraint | None:
    """The row that is farthest open at a state, None if all are closed. residuals: (phi, phi_dot), each (nc,)."""
    phi, rate = residuals
    if (np.abs(phi) <= CLOSED[0]).all() and (np.abs(rate) <= CLOSED[1] * max(1.0, float(np.abs(v).max(initial=0.0)))).all():
        return None
    split, worst = split_rows(model, q, t), None
    natural = np.maximum(split.arrays.natural, min(1.0, length_of(model)))  # a loop that only slides has no arm that would give it a length
    # What the velocities on a row's own way add up to: no other part of the mechanism, however fast, excuses it.
    moving = np.maximum(np.abs(split.J) @ np.abs(v), SLOWEST * natural)
    for level, (rows, sizes) in enumerate(((split.counted(phi), natural), (split.counted(rate, v), moving))):
        shares = np.abs(rows) / sizes
        i = int(np.argmax(shares))
        if not shares[i] <= TOLD[level] and (worst is None or shares[i] / REFUSED[level] > worst[0]):
            worst = shares[i] / REFUSED[level], i, rows[i], level == 1
    if worst is None:
        return None
    share, i, residual, of_velocity = worst
    info = next(c for c in model.constraints if c.rows.start <= i < c.rows.stop)
    prescribed = _is_prescribed(info)
    refused = share > (1.0 if prescribed else LOOP) if not of_velocity else prescribed and share > 1.0
    return OpenConstraint(info.name, float(residual), of_velocity, prescribed, bool(refused))


def _is_prescribed(info):
    return not info.is_loop and any(law.moves for block in info.kind.blocks() for law in block.laws)
