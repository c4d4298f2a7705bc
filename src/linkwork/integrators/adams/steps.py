r"""Steps of the Adams methods with any spacing of time, order 1 to 12, in local coordinates.

y = (theta, v, works) with q = q_b (+) theta about a base q_b, and f = y' = (dexp^-1(theta) v, vdot, powers). With f known at t_n, t_{n-1}, ...
as divided differences D_j = f[t_n, ..., t_{n-j}], and w_j(s) = (s - t_n) ... (s - t_{n-j+1}), a step of order k from t_n to t = t_n + h is
(Krogh 1974; Hairer, Norsett & Wanner 1993, section III.5)

    predict   y_p = y_n + sum_{j<k} D_j I_j,   f_p = sum_{j<k} D_j w_j(t)               I_j = integral of w_j from t_n to t
    correct   y = y_p + c (f(t, y) - f_p),     c = I_{k-1} / w_{k-1}(t)                 iterated until the change is small against the tolerance
    errors    of order m:  d_m E_{m-1},  d_m = (f - sum_{j<m} D_j w_j(t)) / w_m(t)      E_j = integral of (s - t) w_j from t_n to t

all of which are exact for any sequence of steps, so that steps and orders change freely. The strategy is that of LSODE (Hindmarsh 1983):
one evaluation a step, one more where the iteration has not shown that it contracts, two for a projection
onto constraints; an order one lower or higher is weighed every k + 1 steps.
"""

from ...constraints.drift_control import settle
from ...constraints.singular_poses import allowed_gap, learn_rank
from ...kernels import kernel
from ..event_screen import EventScreen, begin_at, begin_probe, keep_step, probe_step
from ..force_memory import accept_memory
from ..switches import LATE, MOST_CUTS, OVERSHOOT, first_switch
from ..time_watch import probe_ahead
from ..work_error import over_tolerance
from .history import (
    AdamsMemory,
    evaluate_at,
    is_far,
    lay_polynomial,
    local_coordinates,
    measure,
    move_base,
    place_state,
    remember,
    weigh_step,
)

REACHED, TOO_SMALL, NOT_FINITE = range(3)
CORRECTIONS = 3
TRIFLE = 1e-15  # of a time: what jumps at a stop is seen just before it in one step, and just after it where the next begins anew


@kernel(entry="i d i -> i")
def adams_steps(a: AdamsMemory, until, most) -> int:
    """Steps until `until` is reached or passed, at most so many. Returns REACHED, or why it stands still."""
    head, taken = a.head, 0
    while head.time < until and taken < most:
        if not head.started and not _first_step(a):
            return NOT_FINITE
        if is_far(a):
            move_base(a)
        place_state(a, a.y)
        measure(a)
        _take_works(a)
        if a.switched and (a.stepper.constrained or a.switches.time != head.time):
            begin_at(a.switches, head.time, a.stepper.q, a.stepper.v)
        status = _one_step(a)
        if status != REACHED:
            place_state(a, a.y)
            return status
        _give_works(a)
        if a.stepper.constrained:
            _hold(a)
        if accept_memory(a.stepper, head.time):
            head.started = False  # forces are others from here on
        taken += 1
    return REACHED


@kernel(entry="i i d i -> i")
def adams_steps_until_suspect(a: AdamsMemory, screen: EventScreen, until, most) -> int:
    """The same, until a step may hold an event (`screen.suspect`)."""
    screen.suspect = False
    for _ in range(most):
        if not a.head.time < until:
            break
        taken = a.head.steps
        status = adams_steps(a, until, 1)
        if a.head.steps > taken and _suspect(a, screen):
            screen.suspect = True
        if status != REACHED or screen.suspect:
            return status
    return REACHED


@kernel
def _suspect(a: AdamsMemory, screen: EventScreen) -> bool:
    """May there be an event in the last step?"""
    head, q, v, found = a.head, a.stepper.q, a.stepper.v, False
    if begin_probe(screen, head.time, q, v):
        count = min(head.used, head.nodes)
        for i in range(2 * a.stepper.nv):
            a.last[i] = a.D[a.stepper.stride * (count - 1) + i]
        lay_polynomial(a, screen, count, head.time - head.before)
        screen.shift = 1.0
        found = probe_step(screen, head.time, q, v)
    keep_step(screen, head.time, q, v)
    return found


@kernel
def _switch_in_step(a: AdamsMemory, k, time, h) -> float:
    """The part of the step of order k to `time` at which a force sets in or ends first, beyond 1 if none does. The corrected state stands in a.trial."""
    screen, stepper, nv, N = a.switches, a.stepper, a.stepper.nv, a.stepper.stride
    place_state(a, a.trial)
    if not begin_probe(screen, time, stepper.q, stepper.v) or a.head.cuts >= MOST_CUTS:
        return 2.0
    # The corrector's polynomial goes through f at the end, too: its last difference is greater by (f - f_p) / w.
    for i in range(2 * nv):
        a.last[i] = a.D[N * (k - 1) + i] + (a.f[i] - a.slope[i]) / a.w[k - 1]
    lay_polynomial(a, screen, k, h)
    return first_switch(screen, h)


@kernel
def _first_step(a: AdamsMemory) -> bool:
    """Evaluate f at the start, and guess a step for order 1: h^2 |y''| / 2 = half the tolerance. False if f is not finite."""
    head, N, states = a.head, a.stepper.stride, 2 * a.stepper.nv
    behind = head.time + TRIFLE * abs(head.time)
    if a.stepper.holds_rates:
        place_state(a, a.y)
        _settle(a, behind)
    bad = evaluate_at(a, a.y, behind)
    if not bad == 0.0:
        return False
    measure(a)
    head.nodes = 0
    remember(a, 1, head.time)
    fast = 0.0
    for i in range(states):
        fast = max(fast, abs(a.f[i]) * a.weight[i])
    step = 0.01
    if fast > 0.0:
        step = min(step, 1e3 / fast)
    for i in range(N):
        a.predicted[i] = a.y[i] + step * a.f[i]
        a.slope[i] = a.f[i]
    bad = evaluate_at(a, a.predicted, head.time + step)
    bend = 0.0
    for i in range(states):
        bend = max(bend, abs(a.f[i] - a.slope[i]) * a.weight[i] / step)
    if bad == 0.0 and bend > 0.0:
        step = min(step * 100.0, 1.0 / bend**0.5)
    head.step, head.order, head.used, head.wait = step, 1, 1, 2
    head.rate, head.growth, head.started = 0.7, 1e4, True
    return True


@kernel
def _take_works(a: AdamsMemory) -> None:
    """The works of the stepper into y."""
    for i in range(a.stepper.nw):
        a.y[2 * a.stepper.nv + i] = a.stepper.works[i]


@kernel
def _give_works(a: AdamsMemory) -> None:
    """The works in y to the stepper."""
    for i in range(a.stepper.nw):
        a.stepper.works[i] = a.y[2 * a.stepper.nv + i]


@kernel
def _one_step(a: AdamsMemory) -> int:
    """A step, tried again with smaller ones until its error is within the tolerance."""
    head, stop = a.head, a.settings.stop
    if a.timed:
        h = min(head.step, a.settings.max_step, stop - head.time)
        head.seen = probe_ahead(a.functions, head.time, h, head.seen)
        if a.functions.corner < stop:
            stop = a.functions.corner
        elif head.seen < head.time + h:
            head.step = head.seen - head.time
    failures, left, cut = 0, stop - head.time, False
    while True:
        k, step = head.order, min(head.step, a.settings.max_step)
        last = step >= left * (1.0 - 1e-9)
        if last:
            step = left
        elif step > 0.5 * left:
            step = 0.5 * left
        time = stop if last else head.time + step
        if not (step > 1e-14 * (abs(head.time) + 1e-3)):
            return TOO_SMALL
        weigh_step(a, k + 1, step)
        _predict(a, k)
        found = _correct(a, k, time - TRIFLE * abs(time) if last else time)
        if not found == 0.0:
            failures += 1
            cut = False
            head.rejections += 1
            head.rate, head.growth, head.wait, head.step = 0.7, 10.0, k + 1, 0.25 * step
            if failures > 40:
                return NOT_FINITE if found != found else TOO_SMALL
            continue
        error, whose = _error(a, k)
        if error <= 1.0:
            x = _switch_in_step(a, k, time, step) if a.switched else 2.0
            shorter = step * (x + OVERSHOOT)
            if x > 1.0 - LATE or not shorter > 1e-12 * (abs(head.time) + 1e-3):
                break
            cut = True
            head.rejections += 1
            head.step = shorter
            continue
        cut = False
        failures += 1
        head.rejections += 1
        head.worst, head.growth, head.wait = whose, 2.0, k + 1
        _after_failure(a, k, error, step, failures)
    _accept(a, k, time, step, error)
    head.cuts = head.cuts + 1 if cut else 0
    if cut or (a.timed and time == a.functions.corner):
        head.started = (
            False  # behind a switch or corner the past says nothing of the force: a step as long as before may pass over all of it
        )
    if a.switched:
        keep_step(a.switches, time, a.stepper.q, a.stepper.v)
    return REACHED


@kernel
def _predict(a: AdamsMemory, k) -> None:
    """y_p and f_p of order k."""
    D, N = a.D, a.stepper.stride
    for i in range(N):
        total, slope = 0.0, 0.0
        for j in range(k):
            total += D[N * j + i] * a.I[j]
            slope += D[N * j + i] * a.w[j]
        a.predicted[i] = a.y[i] + total
        a.slope[i] = slope


@kernel
def _correct(a: AdamsMemory, k, time) -> float:
    """Iterate y = y_p + c (f(y) - f_p); a.trial holds y. Returns 0 if it contracts below the tolerance, 1 if not, NaN if f is not finite."""
    head, y, N, states = a.head, a.trial, a.stepper.stride, 2 * a.stepper.nv
    c = a.I[k - 1] / a.w[k - 1]
    constant = abs(a.E[k - 1] / (a.w[k] * c)) * 2.0 * (k + 2)
    for i in range(N):
        y[i] = a.predicted[i]
    before = 0.0
    for m in range(CORRECTIONS):
        bad = evaluate_at(a, y, time)
        if not bad == 0.0:
            return bad
        change = 0.0
        for i in range(N):
            new = a.predicted[i] + c * (a.f[i] - a.slope[i])
            if i < states:
                change = max(change, abs(new - y[i]) * a.weight[i])
            y[i] = new
        head.iterations += 1
        if m > 0:
            head.rate = max(0.2 * head.rate, change / before) if before > 0.0 else 0.0
        if change * min(1.0, 1.5 * head.rate) * constant <= 1.0:
            return 0.0
        if m > 0 and change > 2.0 * before:
            return 1.0
        before = change
    return 1.0


@kernel
def _error(a: AdamsMemory, m) -> tuple[float, int]:
    """Largest |error of order m| / tolerance among y, and whose it is."""
    nv, worst, whose = a.stepper.nv, 0.0, 0
    for i in range(2 * nv):
        size = _error_of(a, m, i) * a.weight[i]
        if size > worst:
            worst, whose = size, i
    error, power, before, largest = 0.0, 0.0, 0.0, 0
    for i in range(2 * nv, a.stepper.stride):
        size = _error_of(a, m, i)
        if size > error:
            error, largest = size, i
        power += abs(a.f[i])
        before += abs(a.D[i])
    if error > 0.0:
        speed = 0.0
        for i in range(nv, 2 * nv):
            speed = max(speed, abs(a.y[i]), abs(a.trial[i]))
        size = over_tolerance(a.of_works, a.stepper, error, a.I[0] * max(power, before), speed, worst)
        if size > worst:
            worst, whose = size, largest
    return worst, whose


@kernel(inline=True)
def _error_of(a: AdamsMemory, m, i):
    """|error of order m| of the number i of y."""
    value = 0.0
    for j in range(m):
        value += a.D[a.stepper.stride * j + i] * a.w[j]
    return abs((a.f[i] - value) * (a.E[m - 1] / a.w[m]))


@kernel
def _wanted(error, order, safety) -> float:
    """By how much a step may grow, from the error that it had."""
    return 1.0 / (safety * error ** (1.0 / (order + 1.0)) + 1e-6)


@kernel
def _after_failure(a: AdamsMemory, k, error, step, failures) -> None:
    """A smaller step, perhaps of lower order; after three failures begin anew with order 1, for what is remembered may be of another regime."""
    head = a.head
    growth = _wanted(error, float(k), 1.2)
    if failures >= 3:
        head.order, head.nodes, head.wait, head.step = 1, 1, 5, step * max(0.1, min(0.2, growth))
        return
    if k > 1:
        lower, _ = _error(a, k - 1)
        down = _wanted(lower, k - 1.0, 1.3)
        if down > growth:
            growth = min(down, 1.0)
            head.order = k - 1
    head.step = step * max(0.1, min(0.9, growth))


@kernel
def _accept(a: AdamsMemory, k, time, step, error) -> None:
    """Take the step of order k to `time`; choose the next size and order if it is time to."""
    head = a.head
    same, lower, higher = _wanted(error, float(k), 1.2), 0.0, 0.0
    head.wait -= 1
    if head.wait <= 0:
        if k > 1:
            size, _ = _error(a, k - 1)
            lower = _wanted(size, k - 1.0, 1.3)
        if k < a.settings.max_order and head.nodes >= k + 1:
            size, _ = _error(a, k + 1)
            higher = _wanted(size, k + 1.0, 1.4)
    remember(a, k, time)
    for i in range(a.stepper.stride):
        a.y[i] = a.trial[i]
    head.before, head.time, head.used = head.time, time, k
    head.steps += 1
    head.rate = min(1.0, 1.02 * head.rate)
    place_state(a, a.y)
    if head.wait <= 0:
        growth, order = same, k
        if lower > growth:
            growth, order = lower, k - 1
        if higher > growth:
            growth, order = higher, k + 1
        if growth < 1.1:
            head.wait = 3
        else:
            head.step, head.order = step * min(growth, head.growth), order
            head.growth, head.wait = 10.0, order + 1


@kernel
def _settle(a: AdamsMemory, time) -> None:
    """The state in the stepper, and y with it, back onto the constraints."""
    stepper, nv = a.stepper, a.stepper.nv
    settle(stepper, time)
    for i in range(stepper.nq):
        stepper.q0[i] = a.base[i]
    local_coordinates(stepper)
    for i in range(nv):
        a.y[i] = stepper.theta[i]
        a.y[nv + i] = stepper.v[i]


@kernel
def _hold(a: AdamsMemory) -> None:
    """Bring the new state back onto its constraints if its gap may be beyond the tolerance; what is remembered stays (Eich 1993)."""
    stepper, tolerance = a.stepper, a.stepper.tolerance
    gap = stepper.gap[0]
    learn_rank(stepper)
    if tolerance > 0.0 and gap > allowed_gap(stepper):
        _settle(a, a.head.time)
        a.head.evaluations += 2
        gap = min(gap, tolerance)
    stepper.largest_gap[0] = max(stepper.largest_gap[0], gap)
