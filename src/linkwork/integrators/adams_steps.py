r"""Steps of the Adams methods with any spacing of time, order 1 to 12, in local coordinates.

y = (theta, v, works) with q = q_b (+) theta about a base q_b, and f = y' = (dexp^-1(theta) v, vdot, powers). With f known at t_n, t_{n-1}, ...
as divided differences D_j = f[t_n, ..., t_{n-j}], and w_j(s) = (s - t_n) ... (s - t_{n-j+1}), a step of order k from t_n to t = t_n + h is
(Krogh 1974; Hairer, Norsett & Wanner 1993, section III.5)

    predict   y_p = y_n + sum_{j<k} D_j I_j,   f_p = sum_{j<k} D_j w_j(t)               I_j = integral of w_j from t_n to t
    correct   y = y_p + c (f(t, y) - f_p),     c = I_{k-1} / w_{k-1}(t)                 iterated until the change is small against the tolerance
    errors    of order m:  d_m E_{m-1},  d_m = (f - sum_{j<m} D_j w_j(t)) / w_m(t)      E_j = integral of (s - t) w_j from t_n to t

all of which are exact for any sequence of steps, so that steps and orders change freely. The strategy is that of LSODE (Hindmarsh 1983): mostly
one evaluation a step, one more where the iteration has not shown that it contracts; an order one lower or higher is weighed every k + 1 steps.
"""

from ..dynamics.force_tables import L_GAP, open_loads
from ..dynamics.slots import HUGE
from ..kernels import kernel
from ..model.rules import has_rules
from ..model.tables import at_v, count_q, count_v, floats_at, open_tables
from .adams_history import (
    BEFORE,
    CRITICAL,
    EVALUATIONS,
    GROWTH,
    ITERATIONS,
    LONGEST,
    MOST_ORDER,
    NODES,
    ORDER,
    RATE,
    REACH,
    REJECTIONS,
    STARTED,
    STEP,
    STEPS,
    SUBTRACT,
    TIME,
    TOLERANCE,
    USED,
    WAIT,
    WORST,
    AdamsMemory,
    evaluate_at,
    is_far,
    measure,
    move_base,
    place_state,
    remember,
    weigh_step,
)
from .rates import call_rates
from .steps import GAP, at_audit, at_q0, at_theta, at_works, count_works, settle

REACHED, TOO_SMALL, NOT_FINITE = range(3)
CORRECTIONS = 3


@kernel
def _error(a, nv, m) -> (float, int):
    """Largest |error of order m| / tolerance among (theta, v), and whose it is."""
    worst, whose = 0.0, 0
    factor = a.parts[2, m - 1] / a.parts[1, m]
    for i in range(2 * nv):
        value = 0.0
        for j in range(m):
            value += a.D[j, i] * a.parts[1, j]
        size = abs((a.f[i] - value) * factor) * a.weight[i]
        if size > worst:
            worst, whose = size, i
    return worst, whose


@kernel
def _predict(a, N, k) -> None:
    for i in range(N):
        total, slope = 0.0, 0.0
        for j in range(k):
            total += a.D[j, i] * a.parts[0, j]
            slope += a.D[j, i] * a.parts[1, j]
        a.predicted[i], a.slope[i] = a.y[i] + total, slope


@kernel
def _correct(handle, loads, rates, memory, work, first, a, N, nv, k, time) -> float:
    """Iterate y = y_p + c (f(y) - f_p); a.trial holds y. Returns 0 if it contracts below the tolerance, 1 if not, NaN if f is not finite."""
    c = a.parts[0, k - 1] / a.parts[1, k - 1]
    constant = abs(a.parts[2, k - 1] / (a.parts[1, k] * c)) * 2.0 * (k + 2)
    y = a.trial
    for i in range(N):
        y[i] = a.predicted[i]
    before = 0.0
    for m in range(CORRECTIONS):
        bad = evaluate_at(handle, loads, rates, memory, work, first, a, y, time)
        if not bad == 0.0:
            return bad
        change = 0.0
        for i in range(N):
            new = a.predicted[i] + c * (a.f[i] - a.slope[i])
            if i < 2 * nv:
                change = max(change, abs(new - y[i]) * a.weight[i])
            y[i] = new
        a.head[ITERATIONS] += 1.0
        if m > 0:
            a.head[RATE] = max(0.2 * a.head[RATE], change / before) if before > 0.0 else 0.0
        if change * min(1.0, 1.5 * a.head[RATE]) * constant <= 1.0:
            return 0.0
        if m > 0 and change > 2.0 * before:
            return 1.0
        before = change
    return 1.0


@kernel
def _first_step(handle, loads, rates, memory, work, first, a, settings, N, nq, nv) -> int:
    """Evaluate f at the start, and guess a step for order 1: h^2 |y''| / 2 = half the tolerance."""
    h = a.head
    bad = evaluate_at(handle, loads, rates, memory, work, first, a, a.y, h[TIME])
    if not bad == 0.0:
        return NOT_FINITE
    measure(a, settings, nq, nv, work)
    h[NODES] = 0.0
    remember(work, a, N, nq + nv, 1, h[TIME])
    fast = 0.0
    for i in range(2 * nv):
        fast = max(fast, abs(a.f[i]) * a.weight[i])
    step = 0.01
    if fast > 0.0:
        step = min(step, 1e3 / fast)
    for i in range(N):
        a.predicted[i] = a.y[i] + step * a.f[i]
        a.slope[i] = a.f[i]
    bad = evaluate_at(handle, loads, rates, memory, work, first, a, a.predicted, h[TIME] + step)
    bend = 0.0
    for i in range(2 * nv):
        bend = max(bend, abs(a.f[i] - a.slope[i]) * a.weight[i] / step)
    if bad == 0.0 and bend > 0.0:
        step = min(step * 100.0, 1.0 / bend**0.5)
    h[STEP], h[ORDER], h[USED], h[WAIT], h[RATE], h[GROWTH], h[STARTED] = step, 1.0, 1.0, 2.0, 0.7, 1e4, 1.0
    return REACHED


@kernel
def _wanted(error, order, safety) -> float:
    """By how much a step may grow, from the error that it had."""
    return 1.0 / (safety * error ** (1.0 / (order + 1.0)) + 1e-6)


@kernel
def adams_steps(handle, loads, rates, memory, first, a, settings, until, most) -> int:
    """Steps until `until` is reached or passed, at most so many. Returns REACHED, or why it stands still."""
    t, f = open_tables(handle), open_loads(loads)
    work = floats_at(memory, HUGE)
    nq, nv, nw, works = count_q(t), count_v(t), count_works(f), at_works(t, f, first)
    N, h = 2 * nv + nw, a.head
    if h[STARTED] == 0.0:
        status = _first_step(handle, loads, rates, memory, work, first, a, settings, N, nq, nv)
        if status != REACHED:
            return status
    taken = 0
    while h[TIME] < until and taken < most:
        if is_far(a, nq, nv, settings[REACH]):
            move_base(handle, loads, memory, work, first, a, nq, nv)
        place_state(handle, loads, memory, work, first, a, a.y)
        measure(a, settings, nq, nv, work)
        for i in range(nw):
            a.y[2 * nv + i] = work[works + i]
        status = _one_step(handle, loads, rates, memory, work, first, a, settings, N, nq, nv)
        if status != REACHED:
            place_state(handle, loads, memory, work, first, a, a.y)
            return status
        for i in range(nw):
            work[works + i] = a.y[2 * nv + i]
        if has_rules(handle):
            _hold(handle, loads, rates, memory, work, first, a, settings, nq, nv)
        taken += 1
    return REACHED


@kernel
def _one_step(handle, loads, rates, memory, work, first, a, settings, N, nq, nv) -> int:
    """A step, tried again with smaller ones until its error is within the tolerance."""
    h = a.head
    failures, left = 0, settings[CRITICAL] - h[TIME]
    while True:
        k, step = int(h[ORDER]), min(h[STEP], settings[LONGEST])
        last = step >= left * (1.0 - 1e-9)
        if last:
            step = left
        elif step > 0.5 * left:
            step = 0.5 * left
        time = settings[CRITICAL] if last else h[TIME] + step
        if not (step > 1e-14 * (abs(h[TIME]) + 1e-3)):
            return TOO_SMALL
        weigh_step(a, k + 1, step)
        _predict(a, N, k)
        found = _correct(handle, loads, rates, memory, work, first, a, N, nv, k, time)
        if not found == 0.0:
            failures += 1
            h[REJECTIONS] += 1.0
            h[RATE], h[GROWTH], h[WAIT] = 0.7, 10.0, k + 1.0
            h[STEP] = 0.25 * step
            if failures > 40:
                return NOT_FINITE if found != found else TOO_SMALL
            continue
        error, whose = _error(a, nv, k)
        if error <= 1.0:
            break
        h[WORST] = whose
        failures += 1
        h[REJECTIONS] += 1.0
        h[GROWTH], h[WAIT] = 2.0, k + 1.0
        _after_failure(a, nv, k, error, step, failures)
    _accept(handle, loads, rates, memory, work, first, a, settings, N, nq, nv, k, time, step, error)
    return REACHED


@kernel
def _after_failure(a, nv, k, error, step, failures) -> None:
    """A smaller step, perhaps of lower order; after three failures begin anew with order 1, for what is remembered may be of another regime."""
    h = a.head
    if failures >= 3:
        h[ORDER], h[NODES], h[STEP], h[WAIT] = 1.0, 1.0, step * max(0.1, min(0.2, _wanted(error, float(k), 1.2))), 5.0
        return
    growth = _wanted(error, float(k), 1.2)
    if k > 1:
        lower, _ = _error(a, nv, k - 1)
        down = _wanted(lower, k - 1.0, 1.3)
        if down > growth:
            growth = min(down, 1.0)
            h[ORDER] = k - 1.0
    h[STEP] = step * max(0.1, min(0.9, growth))


@kernel
def _accept(handle, loads, rates, memory, work, first, a, settings, N, nq, nv, k, time, step, error) -> None:
    h = a.head
    same, lower, higher = _wanted(error, float(k), 1.2), 0.0, 0.0
    h[WAIT] -= 1.0
    if h[WAIT] <= 0.0:
        if k > 1:
            size, _ = _error(a, nv, k - 1)
            lower = _wanted(size, k - 1.0, 1.3)
        if k < settings[MOST_ORDER] and h[NODES] >= k + 1:
            size, _ = _error(a, nv, k + 1)
            higher = _wanted(size, k + 1.0, 1.4)
    remember(work, a, N, nq + nv, k, time)
    for i in range(N):
        a.y[i] = a.trial[i]
    h[BEFORE], h[TIME], h[USED] = h[TIME], time, k
    h[STEPS] += 1.0
    h[RATE] = min(1.0, 1.02 * h[RATE])
    place_state(handle, loads, memory, work, first, a, a.y)
    if h[WAIT] <= 0.0:
        growth, order = same, k
        if lower > growth:
            growth, order = lower, k - 1
        if higher > growth:
            growth, order = higher, k + 1
        h[WAIT] = k + 1.0
        if growth < 1.1:
            h[WAIT] = 3.0
        else:
            h[STEP], h[ORDER] = step * min(growth, h[GROWTH]), order
            h[GROWTH], h[WAIT] = 10.0, order + 1.0


@kernel
def _hold(handle, loads, rates, memory, work, first, a, settings, nq, nv) -> None:
    """Bring the new state back onto its constraints if its gap may be beyond the tolerance; what is remembered stays (Eich 1993)."""
    t, f, time = open_tables(handle), open_loads(loads), a.head[TIME]
    gap = work[f.size[L_GAP]]
    audit, base, theta = at_audit(t, f, first) + GAP, at_q0(t, f, first), at_theta(t, f, first)
    if settings[TOLERANCE] > 0.0 and gap > settings[TOLERANCE]:
        settle(handle, loads, rates, memory, work, first, time, settings[TOLERANCE], 0.0)
        a.head[EVALUATIONS] += 2.0
        for i in range(nq):
            work[base + i] = a.base[i]
        call_rates(a.chart, handle, loads, memory, 4 * first + SUBTRACT, 0.0)
        for i in range(nv):
            a.y[i], a.y[nv + i] = work[theta + i], work[at_v(t) + i]
        gap = min(gap, settings[TOLERANCE])
    work[audit] = max(work[audit], gap)


@kernel(entry="i i i i i A1 A1 A1 A1 A2 A2 J1 A1 A1 A1 A1 A1 A1 A2 A1 i A1 d i -> i")
def adams_run(
    handle,
    loads,
    rates,
    memory,
    first,
    head,
    y,
    base,
    times,
    D,
    points,
    scale,
    sizes,
    predicted,
    slope,
    trial,
    f,
    weight,
    parts,
    poly,
    chart,
    settings,
    until,
    most,
) -> int:
    """`adams_steps` for a call from Python: the memory's fields one by one."""
    kept = AdamsMemory(head, y, base, times, D, points, scale, sizes, predicted, slope, trial, f, weight, parts, poly, chart)
    return adams_steps(handle, loads, rates, memory, first, kept, settings, until, most)
