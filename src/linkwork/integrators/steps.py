"""How a step begins and ends, and how a state is brought back onto its constraints: what all integrators share.

A step that ends in something that is not finite is not taken: the state at its start stands again in q and v.
"""

from ..dynamics.configuration import local_rate, move
from ..kernels import Scalar, kernel
from ..kernels.scalar import beyond, where, zero
from ..model.tables import open_tables
from ..solvers.modes import ACCELERATION, AGAIN, GAPS, HERE, POSITION, RATES, VELOCITY
from .rates import call_rates
from .stepper import Stepper

ROUNDS, ROUNDS_OF_VELOCITY = 5, 3  # Newton steps of a projection
ENOUGH = 0.1  # of the tolerance: what a projection may leave


@kernel(inline=True)
def evaluate(stepper: Stepper, mode, time):
    """Accelerations at q and v, or what else `mode` asks for (rates.py)."""
    call_rates(stepper.rates, stepper.model, stepper.active, stepper.data, mode, time)


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
        evaluate(stepper, ACCELERATION + looked, time)
        gap, largest = stepper.gap[0], stepper.largest_gap[0]
        stepper.largest_gap[0] = where(largest < gap, gap, largest)
    else:
        evaluate(stepper, ACCELERATION, time)
    keep_state(stepper)


@kernel
def settle(stepper: Stepper, time) -> bool:
    """What has drifted beyond the tolerance is projected, in the lanes where it has. Returns whether the state has changed in any of them.

    `begin_step` does it, and whoever looks at the state before.
    """
    if not stepper.constrained or stepper.tolerance <= 0.0:
        return False
    evaluate(stepper, GAPS, time)
    due = _beyond(stepper, stepper.tolerance, zero(stepper) + 1.0)
    if not beyond(due, 0.5):
        return False
    _project_positions(stepper, due, time)
    _project_velocities(stepper, due, time)
    stepper.projections[0] = stepper.projections[0] + due
    return True


@kernel
def _beyond(stepper: Stepper, limit, due) -> Scalar:
    """`due` (1 or 0 in each lane) where the gap is beyond a limit, else 0."""
    return where(stepper.gap[0] > limit, due, zero(stepper))


@kernel
def _project_positions(stepper: Stepper, due, time) -> None:
    """Least changes of q, in the mass metric, until the gap is well below the tolerance.

    The rows have been evaluated at q and v. One factor, made where q was found, serves for all, velocities too: it is old by the correction
    itself, so that a second round leaves the square of what the first one left. Where that is not enough, the matrix is factored anew each time.
    """
    now, mode = due, POSITION + HERE
    for k in range(ROUNDS):
        evaluate(stepper, mode, time)
        for i in range(stepper.nv):
            stepper.theta[i] = stepper.vdot[i] * now
        move(open_tables(stepper.model), stepper.q, stepper.theta, stepper.q)
        evaluate(stepper, GAPS, time)
        now = _beyond(stepper, ENOUGH * stepper.tolerance, due)
        if not beyond(now, 0.5):
            break
        mode = POSITION + (AGAIN if k == 0 else HERE)


@kernel
def _project_velocities(stepper: Stepper, due, time) -> None:
    """Least changes of v until the gap opens no faster than the tolerance a second."""
    now = due
    for k in range(ROUNDS_OF_VELOCITY):
        if k > 0:
            evaluate(stepper, RATES, time)
            now = _beyond(stepper, stepper.tolerance, due)
            if not beyond(now, 0.5):
                break
        evaluate(stepper, VELOCITY + AGAIN, time)
        for i in range(stepper.nv):
            stepper.v[i] = stepper.v[i] + stepper.vdot[i] * now


@kernel(entry="i -> n")
def rate_of_theta(stepper: Stepper) -> None:
    """theta' from theta and v, to the place of vdot."""
    local_rate(open_tables(stepper.model), stepper.theta, stepper.v, stepper.vdot, 0)
