r"""What Adams' methods remember: f = y' at past times as divided differences, in local coordinates about a base that may move.

y = (theta, v, works), q = q_b (+) theta, f = (dexp^-1(theta) v, vdot, powers). theta' would be wrong by second order if v were taken for it, and so
would the past if the base moved without it: any order is then an order of 2 (Schröder 1990, section 4.4.2, has this trap). Here theta' is dexp^-1 v
(group.py), and the base moves only when a joint has turned by `reach`: each remembered f is then worked out anew from the q and v at which it was
evaluated, exactly, and the order stays what it was.
"""

import functools
from typing import Any, NamedTuple

from ..dynamics.configuration import move, subtract
from ..dynamics.force_tables import L_POWERS, open_loads
from ..dynamics.slots import HUGE
from ..kernels import address_of, kernel
from ..model.tables import at_v, at_y, count_q, count_v, floats_at, open_tables
from ..solvers.modes import ACCELERATION
from .group import local_rate
from .rates import RATES_CALL, call_rates
from .steps import at_q0, at_stages, at_theta, count_works

ROWS = 15  # remembered evaluations: order 12, one more to weigh the next order, and room
HEAD = 20
TIME, BEFORE, STEP, ORDER, USED, NODES, WAIT, RATE, GROWTH, STARTED = range(10)
STEPS, REJECTIONS, ITERATIONS, EVALUATIONS, BASES, WORST = range(10, 16)
RTOL, ATOL, MOST_ORDER, TOLERANCE, REACH, CRITICAL, LONGEST = range(7)


class AdamsMemory(NamedTuple):
    """What the method remembers, and room for a step.

    head: numbers as named above. y, base: the state, and what it is relative to. times, D, points: of remembered evaluations, the last one first: when,
    divided differences of f, and the q and v at which f was evaluated.
    scale: how each of (theta, v) is measured (`_size`); most: the largest size that counts.
    Of a step: predicted y and f (slope), y at hand (trial), f there, weight = 1 / tolerance; I, w, E row by row (parts), a polynomial.
    """

    head: Any
    y: Any
    base: Any
    times: Any
    D: Any
    points: Any
    scale: Any
    most: Any
    predicted: Any
    slope: Any
    trial: Any
    f: Any
    weight: Any
    parts: Any
    poly: Any
    chart: Any  # the address of `chart`


# What `chart` is to do.
MOVE, RATES, SUBTRACT = range(3)


@kernel(address=RATES_CALL)
def chart(handle, loads, memory, what, time) -> int:
    """To and fro between q and theta about the base in q0's slots: q from theta, theta' from theta and v (to the stage), theta from q.

    Called by its address, as rates are, since it would be compiled anew in all of its many callers. `what`: MOVE ..., plus 4 times `first`.
    """
    t, f, work, first = open_tables(handle), open_loads(loads), floats_at(memory, HUGE), what // 4
    base, theta = at_q0(t, f, first), at_theta(t, f, first)
    if what % 4 == MOVE:
        move(handle, work, base, theta, 0, 0.0)
    elif what % 4 == RATES:
        local_rate(handle, work, theta, at_v(t), at_stages(t, f, first), 0.0)
    else:
        subtract(handle, work, base, 0, theta, 0.0)
    return 0


@functools.cache
def chart_code():
    return address_of(chart)


@kernel
def evaluate_at(handle, loads, rates, memory, work, first, a, y, time) -> float:
    """f at the state y, to a.f; q and v stand in `work` after it. Returns 0, or NaN."""
    t, f = open_tables(handle), open_loads(loads)
    nv, nw, theta = count_v(t), count_works(f), at_theta(t, f, first)
    place_state(handle, loads, memory, work, first, a, y)
    call_rates(rates, handle, loads, memory, ACCELERATION, time)
    a.head[EVALUATIONS] += 1.0
    stage = at_stages(t, f, first)
    for i in range(nv):
        work[theta + i] = y[i]
    call_rates(a.chart, handle, loads, memory, 4 * first + RATES, time)
    bad = 0.0
    for i in range(nv):
        a.f[i] = work[stage + i]
        a.f[nv + i] = work[at_y(t) + i]
        bad = bad + (a.f[i] + a.f[nv + i]) * 0.0
    for i in range(nw):
        a.f[2 * nv + i] = work[f.size[L_POWERS] + i]
    return bad


@kernel
def place_state(handle, loads, memory, work, first, a, y) -> None:
    """q and v of y to their slots."""
    t, f = open_tables(handle), open_loads(loads)
    nv, base, theta = count_v(t), at_q0(t, f, first), at_theta(t, f, first)
    for i in range(count_q(t)):
        work[base + i] = a.base[i]
    for i in range(nv):
        work[theta + i] = y[i]
        work[at_v(t) + i] = y[nv + i]
    call_rates(a.chart, handle, loads, memory, 4 * first + MOVE, 0.0)


@kernel
def _size(a, settings, nq, work, i) -> float:
    """The tolerance of the number i of (theta, v), relative to the coordinate (1 rad at most, if it turns), the velocity, a free body's distance."""
    kind = a.scale[i]
    if kind < 0:  # a velocity
        large = abs(a.y[i])
    elif kind == nq:
        large = 1.0
    elif kind > nq:
        at = kind - nq - 1
        large = max(abs(work[at]), abs(work[at + 1]), abs(work[at + 2]))
    else:
        large = min(abs(work[kind]), a.most[i])
    return settings[ATOL] + settings[RTOL] * large


@kernel
def measure(a, settings, nq, nv, work) -> None:
    """1 / tolerance of each number, at the state in `work`."""
    for i in range(2 * nv):
        a.weight[i] = 1.0 / _size(a, settings, nq, work, i)


@kernel
def weigh_step(a, k, h) -> None:
    """I_j, w_j(t), E_j for j = 0 .. k."""
    poly = a.poly
    poly[0] = 1.0
    power = 1.0
    for j in range(k + 1):
        total, value, moment = 0.0, 0.0, 0.0
        for l in range(j + 1):
            total += poly[l] / (l + 1)
            value += poly[l]
            moment -= poly[l] / ((l + 1) * (l + 2))
        a.parts[0, j], a.parts[1, j], a.parts[2, j] = total * h * power, value * power, moment * h * h * power
        power *= h
        if j < k:
            back = (a.times[0] - a.times[j]) / h
            poly[j + 1] = poly[j]
            for l in range(j, 0, -1):
                poly[l] = poly[l - 1] + back * poly[l]
            poly[0] = back * poly[0]


@kernel
def remember(work, a, N, size, k, time) -> None:
    """Put f, evaluated at the q and v in `work`, before all remembered ones."""
    rows = min(int(a.head[NODES]) + 1, k + 2, ROWS)
    for i in range(N):
        carry = a.f[i]
        for j in range(rows):
            old = a.D[j, i]
            a.D[j, i] = carry
            if j + 1 < rows:
                carry = (carry - old) / (time - a.times[j])
    for j in range(rows - 1, 0, -1):
        a.times[j] = a.times[j - 1]
        for i in range(size):
            a.points[j, i] = a.points[j - 1, i]
    a.times[0] = time
    for i in range(size):
        a.points[0, i] = work[i]
    a.head[NODES] = rows


@kernel
def move_base(handle, loads, memory, work, first, a, nq, nv) -> None:
    """Describe y and all remembered f about the present q."""
    t, f = open_tables(handle), open_loads(loads)
    base, stage = at_q0(t, f, first), at_stages(t, f, first)
    place_state(handle, loads, memory, work, first, a, a.y)
    for i in range(nq):
        a.base[i] = work[i]
        work[base + i] = work[i]
    rows = int(a.head[NODES])
    for j in range(rows):
        for i in range(nq + nv):
            work[i] = a.points[j, i]
        call_rates(a.chart, handle, loads, memory, 4 * first + SUBTRACT, 0.0)
        call_rates(a.chart, handle, loads, memory, 4 * first + RATES, 0.0)
        for i in range(nv):
            a.D[j, i] = work[stage + i]
    for i in range(nv):
        a.y[i] = 0.0
        for m in range(1, rows):
            for j in range(rows - 1, m - 1, -1):
                a.D[j, i] = (a.D[j - 1, i] - a.D[j, i]) / (a.times[j - m] - a.times[j])
    a.head[BASES] += 1.0


@kernel
def is_far(a, nq, nv, reach) -> bool:
    """Has a quaternion joint turned beyond the reach of the chart?"""
    for i in range(nv):
        if a.scale[i] == nq and abs(a.y[i]) > reach:
            return True
    return False
