"""How a step begins and ends, and how a state is brought back onto its constraints: what all integrators share.

A step that ends in something that is not finite is not taken: the state at its start stands again in q and v.
"""

from typing import Any

from ..dynamics.configuration import local_rate, move
from ..kernels import kernel
from ..kernels.lane_flags import count_flagged, flags_of, where_flagged
from ..kernels.scalar import beyond, where, width, zero
from ..model.tables import open_tables
from ..solvers.modes import GAPS, HERE, RATES, VELOCITY
from .projection import evaluate, project_positions, project_velocities
from .singular_poses import TURNED, accelerate, allowed_gap, is_near, learn_rank, note_undecided, size_of
from .stepper import Stepper

ENOUGH = 0.1  # of the tolerance: what a projection may leave
RATE = 1e-7  # of the fastest velocity: rates of prescribed motion that are off by less are left alone, a tenth of what a start may be off


@kernel(inline=True)
def move_from_start(stepper: Stepper):
    """q = q0 (+) theta."""
    move(open_tables(stepper.model), stepper.q0, stepper.theta, stepper.q)


@kernel
def keep_state(stepper: Stepper) -> None:
    """q and v to q0 and v0."""
    for k in range(stepper.nq):
        stepper.q0[k] = stepper.q[k]
    for k in range(stepper.nv):
        stepper.v0[k] = stepper.v[k]


@kernel
def restore_state(stepper: Stepper) -> None:
    """q0 and v0 to q and v."""
    for k in range(stepper.nq):
        stepper.q[k] = stepper.q0[k]
    for k in range(stepper.nv):
        stepper.v[k] = stepper.v0[k]


@kernel
def is_finite(stepper: Stepper) -> bool:
    """Are all coordinates and velocities finite (in all lanes)?"""
    bad = zero(stepper)
    for k in range(stepper.nq):
        bad = bad + stepper.q[k] * 0.0
    for k in range(stepper.nv):
        bad = bad + stepper.v[k] * 0.0
    return not beyond(bad, 0.0)


@kernel
def begin_step(stepper: Stepper, time) -> None:
    """Accelerations at the start of a step, on the constraints: what has drifted beyond the tolerance (> 0) is projected first. Keeps the state."""
    if stepper.constrained:
        moved = settle(stepper, time)
        # What looked at the gaps has evaluated the rows, unless the state has moved since.
        looked = HERE if stepper.tolerance > 0.0 and not moved else 0
        accelerate(stepper, looked, time)
        learn_rank(stepper)
        gap, largest = stepper.gap[0], stepper.largest_gap[0]
        stepper.largest_gap[0] = where(largest < gap, gap, largest)
    else:
        accelerate(stepper, 0, time)
    keep_state(stepper)


@kernel
def settle(stepper: Any, time) -> bool:
    """What has drifted beyond the tolerance is projected, in the lanes where it has. Returns whether the state has changed in any of them.

    `begin_step` does it, and whoever looks at the state before.
    """
    if not stepper.constrained or stepper.tolerance <= 0.0:
        return False
    evaluate(stepper, GAPS, time)
    allowed, near = allowed_gap(stepper), is_near(stepper)
    due = flags_of(stepper.gap[0] > allowed)
    if due == 0:
        return stepper.holds_rates and _settle_rates(stepper, time)
    for k in range(stepper.nv):
        stepper.here_v[k] = stepper.v[k]
    project_positions(stepper, due, time, ENOUGH * allowed)
    project_velocities(stepper, due, time, allowed * size_of(stepper, stepper.v))
    _note_turn(stepper, near, time)
    count_flagged(stepper.projections, due, width(stepper))
    return True


@kernel
def _settle_rates(stepper: Any, time) -> bool:
    """Velocities onto the rates of the rows, in the lanes where they are off: rows on velocities alone have no gap that would call for it, and those of
    prescribed motion whose acceleration jumps open by the square of the step only."""
    evaluate(stepper, RATES, time)
    due = flags_of(stepper.gap_rate[0] > RATE * size_of(stepper, stepper.v))
    if due == 0:
        return False
    evaluate(stepper, VELOCITY, time)
    for k in range(stepper.nv):
        stepper.v[k] = where_flagged(due, stepper.v[k] + stepper.vdot[k], stepper.v[k])
    count_flagged(stepper.projections, due, width(stepper))
    return True


@kernel
def _note_turn(stepper: Stepper, near, time) -> None:
    """Has the projection of velocities, near a singular pose, taken much of the motion? It has then led to another branch."""
    most, lost = zero(stepper), zero(stepper)
    for k in range(stepper.nv):
        before, change = stepper.scale[k] * stepper.here_v[k], stepper.scale[k] * (stepper.v[k] - stepper.here_v[k])
        most, lost = most + before * before, lost + change * change
    note_undecided(stepper, near & flags_of(lost > TURNED * TURNED * most), time)


@kernel(entry="i -> n")
def rate_of_theta(stepper: Stepper) -> None:
    """theta' from theta and v, to the place of vdot."""
    local_rate(open_tables(stepper.model), stepper.theta, stepper.v, stepper.vdot, 0)
