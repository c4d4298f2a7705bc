r"""What Adams' methods remember: f = y' at past times as divided differences, in local coordinates about a base that may move.

y = (theta, v, works), q = q_b (+) theta, f = (dexp^-1(theta) v, vdot, powers). theta' would be wrong by second order if v were taken for it, and so
would the past if the base moved without it: any order is then an order of 2 (Schröder 1990, section 4.4.2, has this trap). Here theta' is dexp^-1 v
(dynamics/joints/coordinates.py), and the base moves only when a joint has turned by `reach`: each remembered f is then worked out anew from the q
and v at which it was evaluated, exactly, and the order stays what it was.

The base stands in the stepper's q0, theta in its theta, theta' in its first stage.
"""

from ...constraints.singular_poses import accelerate
from ...data.stepper import Stepper
from ...dynamics.configuration import local_rate, subtract
from ...kernels import kernel
from ...kernels.records import Record, flag, integer, integers, pointer, real, reals
from ...model.tables import open_tables
from ..event_screen import EventScreen
from ..step_ends import move_from_start
from ..time_watch import TimeWatch
from ..work_error import WorkTolerance

SPEED, TURN, SHIFT, COORDINATE = range(4)  # a velocity, a turn of a quaternion, a shift of a free body, a coordinate of q
ROWS = 15  # remembered evaluations: order 12, one more to weigh the next order, and room


class AdamsSettings(Record):
    """What does not change from step to step."""

    rtol = real("relative tolerance")
    atol = real("absolute tolerance")
    max_order = integer("highest order")
    reach = real("rad: local coordinates get a new base when a joint has turned further")
    stop = real("time at which a step must end")
    max_step = real("longest step, s")


class AdamsHead(Record):
    """The numbers of a run."""

    time = real("time of the state")
    before = real("time at the start of the last step")
    step = real("size of the next step")
    order = integer("order of the next step")
    used = integer("order of the last step")
    nodes = integer("evaluations that are remembered")
    wait = integer("steps until other orders are weighed")
    rate = real("rate at which the corrector's iteration contracts")
    growth = real("by how much the next step may grow at most")
    started = flag("has the first step been chosen?")
    steps = integer("steps taken, since Python last looked")
    rejections = integer("steps rejected")
    iterations = integer("iterations of the corrector")
    evaluations = integer("evaluations of f")
    bases = integer("how often the base was moved")
    worst = integer("number of y with the largest error in a step that was rejected")
    cuts = integer("how many of the last steps, one after the other, were cut at a switch")
    seen = real("time until which functions of time alone are seen", by="_one_step")


class AdamsMemory(Record):
    """A run by Adams' methods: the system, the numbers of the run, what it remembers, and room for a step. N = 2 nv + nw."""

    stepper = pointer(Stepper, "the system")
    settings = pointer(AdamsSettings, "settings")
    head = pointer(AdamsHead, "numbers of the run")
    switched = flag("has a force a switch?")
    switches = pointer(EventScreen, "the switches of forces, if any")
    timed = flag("are there functions of time?")
    functions = pointer(TimeWatch, "these functions, if any")
    of_works = pointer(WorkTolerance, "what the errors of works are measured by")

    y = reals("N", "the state (theta, v, works)")
    base = reals("nq", "q_b, about which theta is taken")
    times = reals("rows", "times of remembered evaluations, the last one first", by="remember")
    D = reals("rows * N", "divided differences D_j of f, row by row", by="remember")
    points = reals("rows * (nq + nv)", "q and v at which f was evaluated, row by row", by="remember")
    kind = integers("2 * nv", "what each of (theta, v) is measured by: SPEED, TURN, SHIFT or COORDINATE")
    place = integers("2 * nv", "of a COORDINATE its place in q, of a SHIFT the place of x of the free body")
    most = reals("2 * nv", "of a COORDINATE: the largest size that counts")

    predicted = reals("N", "y_p", by="_predict")
    slope = reals("N", "f_p", by="_predict")
    trial = reals("N", "y at the end of the step", by="_correct")
    f = reals("N", "f there", by="evaluate_at")
    weight = reals("2 * nv", "1 / tolerance of each of (theta, v)", by="measure")
    I = reals("rows + 1", "I_j of the step", by="weigh_step")
    w = reals("rows + 1", "w_j(t)", by="weigh_step")
    E = reals("rows + 1", "E_j", by="weigh_step")
    poly = reals("rows + 1", "coefficients of a polynomial", by="weigh_step, lay_polynomial")
    last = reals("2 * nv", "the last difference of the polynomial that is examined", by="_suspect, _switch_in_step")


@kernel
def evaluate_at(a: AdamsMemory, y, time) -> float:
    """f at the state y, to a.f; q and v stand in the stepper after it. Returns 0, or NaN."""
    stepper, nv = a.stepper, a.stepper.nv
    place_state(a, y)
    accelerate(stepper, 0, time)
    a.head.evaluations += 1
    for i in range(nv):
        stepper.theta[i] = y[i]
    _local_rate(stepper)
    bad = 0.0
    for i in range(nv):
        a.f[i] = stepper.stages[i]
        a.f[nv + i] = stepper.vdot[i]
        bad = bad + (a.f[i] + a.f[nv + i]) * 0.0
    for i in range(stepper.nw):
        a.f[2 * nv + i] = stepper.powers[i]
    return bad


@kernel
def _local_rate(stepper: Stepper) -> None:
    """theta' from theta and v, to the first stage."""
    local_rate(open_tables(stepper.model), stepper.theta, stepper.v, stepper.stages, 0)


@kernel
def local_coordinates(stepper: Stepper) -> None:
    """theta of q about the base in q0."""
    subtract(open_tables(stepper.model), stepper.q0, stepper.q, stepper.theta)


@kernel
def place_state(a: AdamsMemory, y) -> None:
    """q and v of y to the stepper."""
    stepper, nv = a.stepper, a.stepper.nv
    for i in range(stepper.nq):
        stepper.q0[i] = a.base[i]
    for i in range(nv):
        stepper.theta[i] = y[i]
        stepper.v[i] = y[nv + i]
    move_from_start(stepper)


@kernel
def _size(a: AdamsMemory, i) -> float:
    """The tolerance of the number i of (theta, v), relative to the coordinate (1 rad at most, if it turns), the velocity, a free body's distance."""
    kind, at, q = a.kind[i], a.place[i], a.stepper.q
    if kind == SPEED:
        large = abs(a.y[i])
    elif kind == TURN:
        large = 1.0
    elif kind == SHIFT:
        large = max(abs(q[at]), abs(q[at + 1]), abs(q[at + 2]))
    else:
        large = min(abs(q[at]), a.most[i])
    return a.settings.atol + a.settings.rtol * large


@kernel
def measure(a: AdamsMemory) -> None:
    """1 / tolerance of each number, at the state in the stepper."""
    for i in range(2 * a.stepper.nv):
        a.weight[i] = 1.0 / _size(a, i)


@kernel
def weigh_step(a: AdamsMemory, k, h) -> None:
    """I_j, w_j(t), E_j for j = 0 .. k, of a step of size h."""
    poly = a.poly
    poly[0] = 1.0
    power = 1.0
    for j in range(k + 1):
        total, value, moment = 0.0, 0.0, 0.0
        for l in range(j + 1):
            total += poly[l] / (l + 1)
            value += poly[l]
            moment -= poly[l] / ((l + 1) * (l + 2))
        a.I[j] = total * h * power
        a.w[j] = value * power
        a.E[j] = moment * h * h * power
        power *= h
        if j < k:
            back = (a.times[0] - a.times[j]) / h
            poly[j + 1] = poly[j]
            for l in range(j, 0, -1):
                poly[l] = poly[l - 1] + back * poly[l]
            poly[0] = back * poly[0]


@kernel
def lay_polynomial(a: AdamsMemory, screen: EventScreen, count, h) -> None:
    """The polynomial of a step of size h that begins (or ended) at y and the time of the last remembered f, into a screen: by `count` differences, of which
    the last is a.last."""
    nv, N, poly, y = a.stepper.nv, a.stepper.stride, a.poly, a.y
    for i in range(a.stepper.nq):
        screen.base[i] = a.base[i]
    for i in range(nv):
        screen.of_theta[i], screen.of_v[i] = y[i], y[nv + i]
        for l in range(1, count + 1):
            screen.of_theta[nv * l + i], screen.of_v[nv * l + i] = 0.0, 0.0
    poly[0] = 1.0
    power = h
    for j in range(count):
        for l in range(j + 1):
            weight = power * poly[l] / (l + 1)
            for i in range(nv):
                screen.of_theta[nv * (l + 1) + i] += weight * (a.D[N * j + i] if j + 1 < count else a.last[i])
                screen.of_v[nv * (l + 1) + i] += weight * (a.D[N * j + nv + i] if j + 1 < count else a.last[nv + i])
        power *= h
        if j + 1 < count:
            back = (a.times[0] - a.times[j]) / h
            poly[j + 1] = poly[j]
            for l in range(j, 0, -1):
                poly[l] = poly[l - 1] + back * poly[l]
            poly[0] = back * poly[0]
    screen.terms, screen.shift = count + 1, 0.0


@kernel
def remember(a: AdamsMemory, k, time) -> None:
    """Put f, evaluated at the q and v in the stepper, before all remembered ones."""
    D, times, points, nq, nv = a.D, a.times, a.points, a.stepper.nq, a.stepper.nv
    N, size = a.stepper.stride, nq + nv
    rows = min(a.head.nodes + 1, k + 2, ROWS)
    for i in range(N):
        moved = a.f[i]
        for j in range(rows):
            old = D[N * j + i]
            D[N * j + i] = moved
            if j + 1 < rows:
                moved = (moved - old) / (time - times[j])
    for j in range(rows - 1, 0, -1):
        times[j] = times[j - 1]
        for i in range(size):
            points[size * j + i] = points[size * (j - 1) + i]
    times[0] = time
    for i in range(nq):
        points[i] = a.stepper.q[i]
    for i in range(nv):
        points[nq + i] = a.stepper.v[i]
    a.head.nodes = rows


@kernel
def move_base(a: AdamsMemory) -> None:
    """Describe y and all remembered f about the present q."""
    stepper, D, times = a.stepper, a.D, a.times
    nq, nv, N, rows = stepper.nq, stepper.nv, stepper.stride, a.head.nodes
    place_state(a, a.y)
    for i in range(nq):
        a.base[i] = stepper.q[i]
        stepper.q0[i] = stepper.q[i]
    for j in range(rows):
        for i in range(nq):
            stepper.q[i] = a.points[(nq + nv) * j + i]
        for i in range(nv):
            stepper.v[i] = a.points[(nq + nv) * j + nq + i]
        local_coordinates(stepper)
        _local_rate(stepper)
        for i in range(nv):
            D[N * j + i] = stepper.stages[i]
    for i in range(nv):
        a.y[i] = 0.0
        for m in range(1, rows):
            for j in range(rows - 1, m - 1, -1):
                D[N * j + i] = (D[N * (j - 1) + i] - D[N * j + i]) / (times[j - m] - times[j])
    a.head.bases += 1


@kernel
def is_far(a: AdamsMemory) -> bool:
    """Has a quaternion joint turned beyond the reach of the local coordinates?"""
    for i in range(a.stepper.nv):
        if a.kind[i] == TURN and abs(a.y[i]) > a.settings.reach:
            return True
    return False
