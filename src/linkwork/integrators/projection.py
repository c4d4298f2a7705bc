"""Back onto the constraints by the least change in the mass metric: Newton's method on positions, then on velocities."""

from ..dynamics.configuration import move
from ..kernels import Scalar, kernel
from ..kernels.scalar import beyond, where, zero
from ..model.tables import open_tables
from ..solvers.modes import AGAIN, GAPS, HERE, POSITION, RATES, VELOCITY
from .rates import call_rates
from .stepper import Stepper

ROUNDS, ROUNDS_OF_VELOCITY = 5, 3  # Newton steps of a projection
STALLED = 0.5  # of the gap before: a Newton step that leaves more has met rounding


@kernel(inline=True)
def evaluate(stepper: Stepper, mode, time):
    """Accelerations at q and v as the solver has them, or what else `mode` asks for (rates.py)."""
    call_rates(stepper.rates, stepper.model, stepper.active, stepper.data, mode, time)


@kernel
def where_beyond(stepper: Stepper, limit, due) -> Scalar:
    """`due` (1 or 0 in each lane) where the gap is beyond a limit, else 0."""
    return where(stepper.gap[0] > limit, due, zero(stepper))


@kernel
def project_positions(stepper: Stepper, due, time, limit) -> None:
    """Least changes of q, in the mass metric, until the gap is below the limit or shrinks no more, in the lanes where it is due.

    The rows have been evaluated at q and v. One factor, made where q was found, serves for all, velocities too: it is old by the correction
    itself, so that a second round leaves the square of what the first one left. Where that is not enough, the matrix is factored anew each time.
    """
    now, mode, before = due, POSITION + HERE, stepper.gap[0]
    for k in range(ROUNDS):
        evaluate(stepper, mode, time)
        for i in range(stepper.nv):
            stepper.correction[i] = stepper.vdot[i] * now
        move(open_tables(stepper.model), stepper.q, stepper.correction, stepper.q)
        evaluate(stepper, GAPS, time)
        now = where_beyond(stepper, limit, due)
        now = where(stepper.gap[0] < STALLED * before, now, zero(stepper))
        if not beyond(now, 0.5):
            break
        before = stepper.gap[0]
        mode = POSITION + (AGAIN if k == 0 else HERE)


@kernel
def project_velocities(stepper: Stepper, due, time, limit) -> None:
    """Least changes of v until the gap opens no faster than the limit (1/s), with the factor that positions have left."""
    now = due
    for k in range(ROUNDS_OF_VELOCITY):
        if k > 0:
            evaluate(stepper, RATES, time)
            now = where_beyond(stepper, limit, due)
            if not beyond(now, 0.5):
                break
        evaluate(stepper, VELOCITY + AGAIN, time)
        for i in range(stepper.nv):
            stepper.v[i] = stepper.v[i] + stepper.vdot[i] * now
