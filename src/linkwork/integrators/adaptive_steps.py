r"""The compiled loop of an adaptive method: steps whose size follows the error, until a time has been passed.

Step control (Gustafsson's PI controller as in Hairer & Wanner 1996, IV.2), e_n the error of step n, k the order:

    h_n+1 = h_n  0.9  e_n^-(1/k - 3/4 beta)  e_n-1^beta,      beta = 0.2 / k,     between 1/5 and 10 times h_n;      e_n > 1: taken again

A step ends exactly at the next critical time or controller sample, and the method starts afresh there. It never turns a ball or a free body by
more than TURN, where the differential of the exponential has no inverse any more. `until` shortens no step.
"""

from math import inf

from ..dynamics.configuration import move
from ..dynamics.force_tables import L_GAP, open_loads
from ..dynamics.slots import HUGE
from ..kernels import kernel
from ..model.rules import has_rules
from ..model.tables import at_v, at_y, count_v, floats_at, ints_at, open_tables
from ..solvers.modes import ACCELERATION
from .control import C_COUNT, C_EVERY, C_FIRST, CONTROLLER, sample_controllers
from .error_norm import add_squares, largest, largest_turn
from .rates import call_rates
from .runge_kutta import combine, first_stage, runge_kutta_stages
from .steps import (
    GAP,
    at_audit,
    at_q0,
    at_stages,
    at_theta,
    at_v0,
    at_works,
    begin_step,
    copy_slots,
    count_works,
    keep_state,
    restore_state,
)

REACHED, UNDER_WAY, TOO_SMALL, NOT_FINITE = range(4)
# The clock, an array of floats: what changes from step to step. The last step went from BEFORE to AFTER, which is TIME unless it was cut.
TIME, BEFORE, STEP, ERROR, FRESH, SAMPLE, TICK, CRITICAL, STEPS, REJECTIONS, EVALUATIONS, AFTER = range(12)
CLOCK = 12
# The settings, an array of floats; TICKS: controllers are sampled at ORIGIN + tick / TICKS.
RTOL, ATOL, MAX_STEP, MIN_STEP, ORDER, ORIGIN, TICKS = range(7)

SAFETY, LEAST, MOST = 0.9, 0.2, 10.0
TRIFLE = 1e-15  # of a time: before it, or after it, as near as the clock resolves
TURN = 2.5  # rad, the most that a ball or a free body is expected to turn in one step; refused above pi


@kernel
def _next_sample(control, settings, clock) -> None:
    """Set the clock to the next time at which a controller is due."""
    c = ints_at(control, 1 << 40)
    clock[SAMPLE] = inf
    if c[C_COUNT] == 0:
        return
    tick = int(clock[TICK])
    while True:
        tick += 1
        for k in range(c[C_COUNT]):
            if tick % c[C_FIRST + CONTROLLER * k + C_EVERY] == 0:
                clock[TICK] = float(tick)
                clock[SAMPLE] = settings[ORIGIN] + tick / settings[TICKS]
                return


@kernel
def _first_stage_again(handle, loads, work, first, end, tolerance) -> bool:
    """Stage 0 from the last stage of the step before (False if constraints have drifted beyond the tolerance: then rates are needed anew)."""
    t, f = open_tables(handle), open_loads(loads)
    if has_rules(handle):
        gap, audit = work[f.size[L_GAP]], at_audit(t, f, first) + GAP
        if tolerance > 0.0 and gap > tolerance:
            return False
        work[audit] = max(work[audit], gap)
    nv, nw, stages = count_v(t), count_works(f), at_stages(t, f, first)
    keep_state(handle, loads, work, first, 0.0)
    copy_slots(work, at_v(t), stages, nv, 0.0)
    copy_slots(work, stages + (2 * nv + nw) * end + nv, stages + nv, nv + nw, 0.0)
    return True


@kernel
def _norm(handle, loads, work, first, error, linkage, counts, sums, settings, vectors) -> float:
    """The norm of the error of which one or two estimates, one behind the other, stand from slot `error` on."""
    n = counts.shape[0]
    for g in range(2 * n):
        sums[g] = 0.0
    for i in range(vectors):
        at = error + 2 * i * count_v(open_tables(handle))
        add_squares(handle, loads, work, first, at, linkage, sums, i * n, settings[RTOL], settings[ATOL])
    return largest(sums, counts)


@kernel
def _choose_step(handle, loads, rates, memory, work, first, error, linkage, counts, sums, settings, time) -> float:
    """A first step from the sizes of v, vdot and of the change of both in a small Euler step (Hairer, Norsett & Wanner 1993, II.4).

    Stage 0 stands; the state is that of the start before and after.
    """
    t, f = open_tables(handle), open_loads(loads)
    nv, stage, theta, v, v0 = count_v(t), at_stages(t, f, first), at_theta(t, f, first), at_v(t), at_v0(t, f, first)
    for k in range(nv):
        work[error + k], work[error + nv + k] = 0.0, work[v0 + k]
    d0 = _norm(handle, loads, work, first, error, linkage, counts, sums, settings, 1)
    copy_slots(work, stage, error, 2 * nv, 0.0)
    d1 = _norm(handle, loads, work, first, error, linkage, counts, sums, settings, 1)
    h = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    for k in range(nv):
        work[theta + k] = h * work[v0 + k]
        work[v + k] = work[v0 + k] + h * work[stage + nv + k]
    move(handle, work, at_q0(t, f, first), theta, 0, 0.0)
    call_rates(rates, handle, loads, memory, ACCELERATION, time + h)
    for k in range(nv):
        work[error + k] = work[v + k] - work[v0 + k]
        work[error + nv + k] = work[at_y(t) + k] - work[stage + nv + k]
    d2 = _norm(handle, loads, work, first, error, linkage, counts, sums, settings, 1) / h
    restore_state(handle, loads, work, first, 0.0)
    most = max(d1, d2)
    if not most <= 1e300:
        return h
    power = 1.0 / (settings[ORDER] + 1.0)
    return min(100.0 * h, max(1e-6, 1e-3 * h) if most <= 1e-15 else (0.01 / most) ** power)


@kernel
def _attempt(handle, loads, rates, memory, work, first, error, table, count, end, linkage, counts, sums, settings, time, span, h) -> float:
    """A step of size h: its stages, the state at its end. Returns the norm of its error, infinite if a body turns too far."""
    t, f = open_tables(handle), open_loads(loads)
    nv, stages, stride = count_v(t), at_stages(t, f, first), 2 * count_v(t) + count_works(f)
    runge_kutta_stages(handle, loads, rates, memory, work, first, table, count, 1, end + 1, time, span, h, 0.0)
    row = count * (2 + count)
    combine(work, stages, stride, table, row, end + 1, 0, 2 * nv, error, -1, h, 0.0)
    combine(work, stages, stride, table, row + count, end + 1, 0, 2 * nv, error + 2 * nv, -1, h, 0.0)
    norm = _norm(handle, loads, work, first, error, linkage, counts, sums, settings, 2)
    if norm <= 1.0 and largest_turn(handle, work, at_theta(t, f, first)) > 3.1:
        return inf
    return norm


@kernel(entry="i i i i i i i A1 i i A1 A1 A1 J1 A1 A1 d i d -> i")
def adaptive_steps(
    handle,
    loads,
    rates,
    memory,
    control,
    first,
    error,
    table,
    count,
    end,
    settings,
    clock,
    critical,
    linkage,
    counts,
    sums,
    until,
    most,
    tolerance,
) -> int:
    """Steps until the clock has reached `until`, or `most` have been taken (UNDER_WAY), or none can be taken: the last good state stands then."""
    t, f = open_tables(handle), open_loads(loads)
    work = floats_at(memory, HUGE)
    stride, works = 2 * count_v(t) + count_works(f), at_works(t, f, first)
    order = settings[ORDER]
    beta = 0.2 / order
    taken = 0
    while clock[TIME] < until:
        if taken == most:
            return UNDER_WAY
        time = clock[TIME]
        if time >= clock[SAMPLE]:
            sample_controllers(handle, loads, control, work, int(clock[TICK]), time, 0.0)
            _next_sample(control, settings, clock)
            clock[FRESH] = 1.0
        while critical[int(clock[CRITICAL])] <= time:
            clock[CRITICAL] += 1.0
            clock[FRESH] = 1.0
        stop = min(critical[int(clock[CRITICAL])], clock[SAMPLE])
        if clock[FRESH] != 0.0:
            clock[ERROR] = 1e-4
        if clock[FRESH] != 0.0 or not _first_stage_again(handle, loads, work, first, end, tolerance):
            # Forces that change abruptly at a critical time are seen just before it in one step, and just after it in the next.
            begin_step(handle, loads, rates, memory, work, first, time + TRIFLE * abs(time) + 1e-300, tolerance, 0.0)
            first_stage(handle, loads, work, first, 0.0)
            clock[EVALUATIONS] += 1.0
        clock[FRESH] = 1.0
        if clock[STEP] <= 0.0:
            chosen = _choose_step(handle, loads, rates, memory, work, first, error, linkage, counts, sums, settings, time)
            clock[STEP] = max(chosen, settings[MIN_STEP])
            clock[EVALUATIONS] += 1.0
        wish = min(clock[STEP], settings[MAX_STEP])
        turning = largest_turn(handle, work, at_v0(t, f, first))
        if turning * wish > TURN:
            wish = TURN / turning
        least = max(settings[MIN_STEP], 4e-15 * max(abs(time), 1e-3))
        rejected, finite = False, True
        while True:
            if wish < least:
                clock[BEFORE] = time
                return TOO_SMALL if finite else NOT_FINITE
            left = stop - time
            h, ends = wish, False
            if h >= left * (1.0 - 1e-9):
                h, ends = left, True
            elif 2.0 * h > left:
                h = 0.5 * left
            now = stop if ends else time + h
            h = now - time
            span = h - TRIFLE * abs(stop) if ends else h
            norm = _attempt(
                handle, loads, rates, memory, work, first, error, table, count, end, linkage, counts, sums, settings, time, span, h
            )
            clock[EVALUATIONS] += float(end)
            if norm <= 1.0:
                break
            clock[REJECTIONS] += 1.0
            rejected = True
            finite = norm <= 1e300
            wish = h * (max(LEAST, SAFETY * norm ** (-1.0 / order)) if finite else LEAST)
            restore_state(handle, loads, work, first, 0.0)
        combine(work, at_stages(t, f, first), stride, table, count, end, 2 * count_v(t), count_works(f), works, works, h, 0.0)
        bounded = max(norm, 1e-10)
        factor = SAFETY * bounded ** (0.75 * beta - 1.0 / order) * clock[ERROR] ** beta
        factor = min(1.0 if rejected else MOST, max(LEAST, factor))
        clock[STEP] = max(h * factor, wish) if factor >= 1.0 and not rejected else h * factor
        clock[ERROR] = max(norm, 1e-4)
        clock[BEFORE], clock[AFTER], clock[TIME], clock[FRESH] = time, now, now, 0.0
        clock[STEPS] += 1.0
        taken += 1
    return REACHED
