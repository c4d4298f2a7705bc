"""Back onto the constraints by the least change in the mass metric: Newton's method on positions, then on velocities."""

from ..data.stepper import Stepper
from ..dynamics.configuration import integrate, move
from ..kernels import kernel
from ..kernels.lane_flags import flags_of, where_flagged
from ..kernels.scalar import zero
from ..model.tables import open_tables
from .modes import GAPS, POSITION, RATES, REUSE_FACTOR, REUSE_ROWS, VELOCITY
from .solver_call import evaluate

ROUNDS, ROUNDS_OF_VELOCITY = 5, 3  # Newton steps of a projection
ROUNDS_OF_STATES = 4  # the same of a state between the ends of a step
STALLED = 0.5  # of the gap before: a Newton step that leaves more has met rounding


@kernel
def project_positions(stepper: Stepper, due, time, limit) -> None:
    """Least changes of q, in the mass metric, until the gap is below the limit or shrinks no more, in the lanes where it is `due` (kernels/lane_flags.py).

    The rows have been evaluated at q and v. One factor, made where q was found, serves for all, velocities too: it is old by the correction
    itself, so that a second round leaves the square of what the first one left. Where that is not enough, the matrix is factored anew each time.
    """
    now, mode, before = due, POSITION + REUSE_ROWS, stepper.gap[0]
    for k in range(ROUNDS):
        evaluate(stepper, mode, time)
        for i in range(stepper.nv):
            stepper.correction[i] = where_flagged(now, stepper.vdot[i], zero(stepper))
        move(open_tables(stepper.model), stepper.q, stepper.correction, stepper.q)
        evaluate(stepper, GAPS, time)
        now = due & flags_of(stepper.gap[0] > limit) & flags_of(stepper.gap[0] < STALLED * before)
        if now == 0:
            break
        before = stepper.gap[0]
        mode = POSITION + (REUSE_FACTOR if k == 0 else REUSE_ROWS)


@kernel
def project_velocities(stepper: Stepper, due, time, limit) -> None:
    """Least changes of v, in the lanes where it is due, until no row opens faster than the limit (1/s), with the factor that positions have left."""
    now = due
    for k in range(ROUNDS_OF_VELOCITY):
        if k > 0:
            evaluate(stepper, RATES, time)
            now = due & flags_of(stepper.gap_rate[0] > limit)
            if now == 0:
                break
        evaluate(stepper, VELOCITY + REUSE_FACTOR, time)
        for i in range(stepper.nv):
            stepper.v[i] = where_flagged(now, stepper.v[i] + stepper.vdot[i], stepper.v[i])


def onto_constraints(system, t, q, v, tolerance):
    """(q, v) moved by the least, in the mass metric, that brings gaps below the tolerance and velocities onto the constraints."""
    if not system.model.nc or not tolerance > 0.0:
        return q, v
    for _ in range(ROUNDS_OF_STATES):
        change, gap = system.correct(t, q, POSITION)
        if not gap > 0.1 * tolerance:
            break
        q = integrate(system.model, q, change)
    return q, v + system.correct(t, q, VELOCITY, v)[0]
