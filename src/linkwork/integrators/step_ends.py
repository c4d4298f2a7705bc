"""How a step begins and ends: what all integrators share.

A step that ends in something that is not finite is not taken: the state at its start stands again in q and v.
"""

from ..constraints.drift_control import settle
from ..constraints.modes import REUSE_ROWS
from ..constraints.singular_poses import accelerate, learn_rank
from ..data.stepper import Stepper
from ..dynamics.configuration import local_rate, move
from ..kernels import kernel
from ..kernels.scalar import beyond, where, zero
from ..model.tables import open_tables


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
        # The evaluation of gaps has evaluated the rows, unless the state has moved since.
        reuse = REUSE_ROWS if stepper.tolerance > 0.0 and not moved else 0
        accelerate(stepper, reuse, time)
        learn_rank(stepper)
        gap, largest = stepper.gap[0], stepper.largest_gap[0]
        stepper.largest_gap[0] = where(largest < gap, gap, largest)
    else:
        accelerate(stepper, 0, time)
    keep_state(stepper)


@kernel(entry="i -> n")
def rate_of_theta(stepper: Stepper) -> None:
    """theta' from theta and v, to the place of vdot."""
    local_rate(open_tables(stepper.model), stepper.theta, stepper.v, stepper.vdot, 0)
