"""What steppers share: where their numbers stand, how a step begins and ends, and how a state is brought back onto its constraints.

Slots of a stepper, from `first` on, behind those of the loads:

q0 v0      the state at the start of the step              works     integral of each power: forces, controllers, prescribed motion
theta      local coordinates about q0                       audit     largest gap, projections
stages     theta', v' and powers of each stage

A step that ends in something that is not finite is not taken: the state at its start stands again in q and v.
"""

from ..dynamics.configuration import move
from ..dynamics.force_tables import L_FORCES, L_GAP, open_loads
from ..kernels import Scalar, kernel
from ..kernels.scalar import beyond, load, store, where, zero
from ..model.rules import has_rules
from ..model.tables import at_v, at_y, count_q, count_v, open_tables
from ..solvers.modes import ACCELERATION, AGAIN, GAPS, HERE, POSITION, RATES, VELOCITY
from .rates import call_rates

AUDIT = 4  # slots of the audit
GAP, PROJECTIONS = range(2)
ROUNDS, ROUNDS_OF_VELOCITY = 5, 3  # Newton steps of a projection
ENOUGH = 0.1  # of the tolerance: what a projection may leave


@kernel(inline=True)
def at_q0(t, f, first):
    return first


@kernel(inline=True)
def at_v0(t, f, first):
    return first + count_q(t)


@kernel(inline=True)
def at_theta(t, f, first):
    return first + count_q(t) + count_v(t)


@kernel(inline=True)
def at_works(t, f, first):
    return first + count_q(t) + 2 * count_v(t)


@kernel(inline=True)
def count_works(f):
    return f.size[L_FORCES] + 2


@kernel(inline=True)
def at_audit(t, f, first):
    return at_works(t, f, first) + count_works(f)


@kernel(inline=True)
def at_stages(t, f, first):
    return at_audit(t, f, first) + AUDIT


@kernel
def copy_slots(work, source, target, count, like) -> None:
    for k in range(count):
        store(work, target + k, load(work, source + k, like))


@kernel
def keep_state(handle, loads, work, first, like) -> None:
    """q and v to q0 and v0."""
    t, f = open_tables(handle), open_loads(loads)
    copy_slots(work, 0, at_q0(t, f, first), count_q(t), like)
    copy_slots(work, at_v(t), at_v0(t, f, first), count_v(t), like)


@kernel
def restore_state(handle, loads, work, first, like) -> None:
    """q0 and v0 to q and v."""
    t, f = open_tables(handle), open_loads(loads)
    copy_slots(work, at_q0(t, f, first), 0, count_q(t), like)
    copy_slots(work, at_v0(t, f, first), at_v(t), count_v(t), like)


@kernel
def not_finite(handle, work, like) -> Scalar:
    """0, or NaN if a velocity or a coordinate is not finite."""
    t = open_tables(handle)
    bad = zero(like)
    for k in range(count_q(t) + count_v(t)):
        bad = bad + load(work, k, like) * 0.0
    return bad


@kernel
def begin_step(handle, loads, rates, memory, work, first, time, tolerance, like) -> None:
    """Rates at the start of a step, on the constraints: what has drifted beyond the tolerance (> 0) is projected first. Keeps the state."""
    if has_rules(handle):
        t, f = open_tables(handle), open_loads(loads)
        moved = tolerance > 0.0 and settle(handle, loads, rates, memory, work, first, time, tolerance, like)
        # What looked at the gaps has evaluated the rows, unless the state has moved since.
        looked = HERE if tolerance > 0.0 and not moved else 0
        call_rates(rates, handle, loads, memory, ACCELERATION + looked, time)
        gap = load(work, f.size[L_GAP], like)
        audit = at_audit(t, f, first)
        largest = load(work, audit + GAP, like)
        store(work, audit + GAP, where(largest < gap, gap, largest))
    else:
        call_rates(rates, handle, loads, memory, ACCELERATION, time)
    keep_state(handle, loads, work, first, like)


@kernel
def settle(handle, loads, rates, memory, work, first, time, tolerance, like) -> bool:
    """What has drifted beyond the tolerance is projected, in the lanes where it has. Returns whether the state has changed in any of them.

    `begin_step` does it, and whoever looks at the state before.
    """
    if not has_rules(handle) or tolerance <= 0.0:
        return False
    call_rates(rates, handle, loads, memory, GAPS, time)
    gap = load(work, open_loads(loads).size[L_GAP], like)
    due = where(gap > tolerance, zero(like) + 1.0, zero(like))
    if not beyond(due, 0.5):
        return False
    _bring_back(handle, loads, rates, memory, work, first, time, tolerance, due, like)
    return True


@kernel
def _bring_back(handle, loads, rates, memory, work, first, time, tolerance, due, like) -> None:
    """Least changes in the mass metric: of q until the gap is well below the tolerance, then of v until it opens no faster than that a second.

    The rows have been evaluated at q and v. One factor, made where q was found, serves for all: it is old by the correction itself, so that a
    second round leaves the square of what the first one left. Where that is not enough, the matrix is factored anew each time.
    """
    t, f = open_tables(handle), open_loads(loads)
    v, y, theta = at_v(t), at_y(t), at_theta(t, f, first)
    now, mode = due, POSITION + HERE
    for k in range(ROUNDS):
        call_rates(rates, handle, loads, memory, mode, time)
        for i in range(count_v(t)):
            store(work, theta + i, load(work, y + i, like) * now)
        move(handle, work, 0, theta, 0, like)
        call_rates(rates, handle, loads, memory, GAPS, time)
        now = where(load(work, f.size[L_GAP], like) > ENOUGH * tolerance, due, zero(like))
        if not beyond(now, 0.5):
            break
        mode = POSITION + (AGAIN if k == 0 else HERE)
    now = due
    for k in range(ROUNDS_OF_VELOCITY):
        if k > 0:
            call_rates(rates, handle, loads, memory, RATES, time)
            now = where(load(work, f.size[L_GAP], like) > tolerance, due, zero(like))
            if not beyond(now, 0.5):
                break
        call_rates(rates, handle, loads, memory, VELOCITY + AGAIN, time)
        for i in range(count_v(t)):
            store(work, v + i, load(work, v + i, like) + load(work, y + i, like) * now)
    audit = at_audit(t, f, first) + PROJECTIONS
    store(work, audit, load(work, audit, like) + due)
