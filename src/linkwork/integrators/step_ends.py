"""How a step begins and ends: what all integrators share.

A step that ends in something that is not finite is not taken: the state at its start stands again in q and v.

A force that jumps where one step ends and the next begins is seen by each of them from its own side: forces are evaluated a `margin` within the step, which
is beyond the rounding of its ends. Otherwise a fixed step, which does not search for jumps, would have order 1 even where they lie on its grid.
"""

from ..constraints.drift_control import settle
from ..constraints.modes import REUSE_ROWS
from ..constraints.singular_poses import accelerate, learn_rank
from ..data.stepper import Stepper
from ..dynamics.configuration import local_rate, move
from ..kernels import kernel
from ..kernels.scalar import beyond, where, zero
from ..model.tables import open_tables

ROUNDED = 2e-15  # of a time: what rounding makes of start + k h, and of a time in seconds that is meant by it
WITHIN = 1e-3  # of a step, at most


@kernel(inline=True)
def margin(time, h):
    """How far within a step from a time on forces are evaluated at its ends."""
    return min(ROUNDED * (abs(time) + h), WITHIN * h)


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
def begin_step(stepper: Stepper, time, behind) -> None:
    """Accelerations at the start of a step, on the constraints: what has drifted beyond the tolerance (> 0) is projected first. Keeps the state.

    behind: the time at which forces are evaluated.
    """
    if stepper.constrained:
        moved = settle(stepper, time)
        # The evaluation of gaps has evaluated the rows, unless the state has moved since.
        reuse = REUSE_ROWS if stepper.tolerance > 0.0 and not moved else 0
        accelerate(stepper, reuse, behind)
        learn_rank(stepper)
        gap, largest = stepper.gap[0], stepper.largest_gap[0]
        stepper.largest_gap[0] = where(largest < gap, gap, largest)
    else:
        accelerate(stepper, 0, behind)
    keep_state(stepper)


@kernel(entry="i -> n")
def rate_of_theta(stepper: Stepper) -> None:
    """theta' from theta and v, to the place of vdot."""
    local_rate(open_tables(stepper.model), stepper.theta, stepper.v, stepper.vdot, 0)
