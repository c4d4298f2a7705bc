"""What steppers share: where their numbers stand, how a step begins and ends, and how a state is brought back onto its constraints.

Slots of a stepper, from `first` on, behind those of the loads:

q0 v0      the state at the start of the step              works     integral of each power: forces, controllers, prescribed motion
theta      local coordinates about q0                       audit     largest gap, projections
stages     theta', v' and powers of each stage

A step that ends in something that is not finite is not taken: the state at its start stands again in q and v.
"""

from ..dynamics.configuration import move
from ..dynamics.force_tables import L_FORCES, L_GAP, open_loads
from ..kernel import kernel
from ..model.rules import has_rules
from ..model.tables import at_v, at_y, count_q, count_v, open_tables
from ..scalar import beyond, load, store, where, zero
from ..solvers.modes import ACCELERATION, POSITION, VELOCITY
from .rates import call_rates

AUDIT = 4  # slots of the audit
GAP, PROJECTIONS = range(2)
ROUNDS = 5  # Newton steps of a projection


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
def copy_slots(work, source, target, count, like):
    for k in range(count):
        store(work, target + k, load(work, source + k, like))


@kernel
def keep_state(handle, loads, work, first, like):
    """q and v to q0 and v0."""
    t, f = open_tables(handle), open_loads(loads)
    copy_slots(work, 0, at_q0(t, f, first), count_q(t), like)
    copy_slots(work, at_v(t), at_v0(t, f, first), count_v(t), like)


@kernel
def restore_state(handle, loads, work, first, like):
    """q0 and v0 to q and v."""
    t, f = open_tables(handle), open_loads(loads)
    copy_slots(work, at_q0(t, f, first), 0, count_q(t), like)
    copy_slots(work, at_v0(t, f, first), at_v(t), count_v(t), like)


@kernel
def not_finite(handle, work, like):
    """0, or NaN if a velocity or a coordinate is not finite."""
    t = open_tables(handle)
    bad = zero(like)
    for k in range(count_q(t) + count_v(t)):
        bad = bad + load(work, k, like) * 0.0
    return bad


@kernel
def begin_step(handle, loads, rates, memory, work, first, time, tolerance, like):
    """Rates at the start of a step, on the constraints: what has drifted beyond the tolerance (> 0) is projected first. Keeps the state."""
    call_rates(rates, handle, loads, memory, ACCELERATION, time)
    if has_rules(handle):
        t, f = open_tables(handle), open_loads(loads)
        gap = load(work, f.size[L_GAP], like)
        if tolerance > 0.0 and _some(gap, tolerance, like):
            project(handle, loads, rates, memory, work, first, time, tolerance, like)
            call_rates(rates, handle, loads, memory, ACCELERATION, time)
            gap = load(work, f.size[L_GAP], like)
        audit = at_audit(t, f, first)
        largest = load(work, audit + GAP, like)
        store(work, audit + GAP, where(largest < gap, gap, largest))
    keep_state(handle, loads, work, first, like)


@kernel
def settle(handle, loads, rates, memory, work, first, time, tolerance, like):
    """What `begin_step` would do about drift, before somebody looks at the state."""
    if has_rules(handle) and tolerance > 0.0:
        call_rates(rates, handle, loads, memory, ACCELERATION, time)
        t, f = open_tables(handle), open_loads(loads)
        if _some(load(work, f.size[L_GAP], like), tolerance, like):
            # Where the last step began is still asked for; a projection keeps its own state there.
            count, aside = count_q(t) + count_v(t), at_stages(t, f, first)
            copy_slots(work, at_q0(t, f, first), aside, count, like)
            project(handle, loads, rates, memory, work, first, time, tolerance, like)
            copy_slots(work, aside, at_q0(t, f, first), count, like)


@kernel
def _some(gap, tolerance, like):
    """Is the gap beyond the tolerance, in any lane?"""
    return beyond(where(gap > tolerance, zero(like) + 1.0, zero(like)), 0.5)


@kernel
def project(handle, loads, rates, memory, work, first, time, tolerance, like):
    """Bring q, then v, onto the constraints by the least change in the mass metric; only lanes whose gap is beyond the tolerance change."""
    t, f = open_tables(handle), open_loads(loads)
    v, y, theta = at_v(t), at_y(t), at_theta(t, f, first)
    keep_state(handle, loads, work, first, like)
    due = zero(like)
    for _ in range(ROUNDS):
        call_rates(rates, handle, loads, memory, POSITION, time)
        gap = load(work, f.size[L_GAP], like)
        now = where(gap > 0.01 * tolerance, zero(like) + 1.0, zero(like))
        due = where(gap > tolerance, zero(like) + 1.0, due)
        if not beyond(due * now, 0.5):
            break
        for k in range(count_v(t)):
            store(work, theta + k, load(work, y + k, like) * (due * now))
        move(handle, work, 0, theta, 0, like)
    copy_slots(work, at_v0(t, f, first), v, count_v(t), like)
    call_rates(rates, handle, loads, memory, VELOCITY, time)
    for k in range(count_v(t)):
        store(work, v + k, load(work, at_v0(t, f, first) + k, like) + load(work, y + k, like) * due)
    audit = at_audit(t, f, first) + PROJECTIONS
    store(work, audit, load(work, audit, like) + due)
