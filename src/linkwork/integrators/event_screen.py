r"""Which steps cannot hold an event: tested in the compiled loop of steps, so that steps far from any event cost next to nothing.

A number of the state is looked at where a step begins and ends and at a few times between. A step is *suspect* unless all of these have the same
sign and none is nearer to zero than MARGIN times the change among them; simulation/events.py then looks closely, by the method's own state
between the ends of the step. A number that stays exactly zero is no crossing.

Between its ends, a step of size h is seen as the cubic through both, in local coordinates about its start, with x from 0 to 1:

    theta(x) = (3 x^2 - 2 x^3) theta_1 + h (x - 2 x^2 + x^3) v_0 + h (x^3 - x^2) v_1,     q = q_0 (+) theta,     v = d theta / dt

That is no better than the third order, which the margin covers: it decides where to look, not what is found there.
"""

from typing import Any, NamedTuple

import numpy as np

from ..data.lending import Data
from ..data.tree import TreeData
from ..dynamics.configuration import move, subtract
from ..dynamics.sweep import POSE_ORDER, sweep_links
from ..kernels import Vector, kernel
from ..kernels.records import Record, address, flag, integer, pointer, real, reals, reals_fixed, records
from ..kernels.scalar import sqrt
from ..kernels.views import floats_of
from ..model.custom import call_native
from ..model.tables import open_tables
from ..spatial.matrices import apply9
from ..spatial.vectors import add3, dot3, sub3
from .stepper import Stepper, for_kernels

COORDINATE, SPEED, CLOCK, DISTANCE, HEIGHT, FUNCTION = range(6)
# Times between the ends of a step, as parts of it, that divide it unevenly; and how many times the change a number must be away from zero.
SHORT, SHORT_MARGIN = (0.45,), 4.0  # fixed steps: a number changes little in one of them
LONG, LONG_MARGIN = (0.15, 0.4, 0.6, 0.85), 1.0  # steps as long as the error allows


class WatchedNumber(Record):
    """A number of the state, and what it was where the last step began and where it ended."""

    kind = integer("COORDINATE, SPEED, CLOCK, DISTANCE, HEIGHT or FUNCTION")
    q = integer("COORDINATE, SPEED: the coordinate, -1 for a velocity that is not the rate of one")
    v = integer("the velocity")
    a = integer("DISTANCE, HEIGHT: link of the first point, -1 for the world")
    b = integer("DISTANCE: link of the second point")
    pa = reals_fixed(3, "the first point in its link")
    pb = reals_fixed(3, "DISTANCE: the second point in its link; HEIGHT: the plane's normal")
    value = real("what is subtracted")
    code = address("FUNCTION: its native function")
    before = real("its value where the last step began", by="suspect_step")
    last = real("its value where the last step ended", by="begin_screen, suspect_step")


class EventScreen(Record):
    """The numbers that are watched, and the step that is looked at."""

    model = address("tables of the model")
    tree = pointer(TreeData, "the state between the ends of a step, and the poses of its links")
    count = integer("how many numbers")
    poses = flag("does any of them need the poses of links?")
    states = flag("does any of them need the whole state?")
    looks = integer("how many times between the ends of a step are looked at")
    at = reals(4, "these times, as parts of the step")
    margin = real("times the change that a number must be away from zero")
    time = real("where the last step ended", by="begin_screen, suspect_step")
    q0 = reals("nq", "coordinates there", by="keep_end")
    v0 = reals("nv", "velocities there", by="keep_end")
    theta1 = reals("nv", "local coordinates of the end of the step about its start", by="suspect_step")
    v1 = reals("nv", "velocities where the step ends, as `estimate_velocities` has them", by="estimate_velocities")
    mean = reals("nv", "mean velocities of the last step that was estimated", by="estimate_velocities")
    estimated = flag("is there such a step?", by="estimate_velocities, begin_screen")
    theta = reals("nv", "local coordinates between", by="place_between")
    given = reals("1 + nq + nv", "t, q, v for a function", by="state_given")
    result = reals(1, "its value", by="the user's function")
    low = reals("count", "least value of each number in the step", by="suspect_step")
    high = reals("count", "greatest value", by="suspect_step")
    entries = records(WatchedNumber, "count", "one each")
    suspect = flag(
        "may there be an event in the last step?",
        by="walk_until_suspect, adaptive_steps_until_suspect, adams_steps_until_suspect, caller",
    )


@kernel
def point_of(motion, link, p) -> Vector[3]:
    """Where a point of a link (-1: the world) is in the world, after a sweep."""
    if link < 0:
        return p
    at = motion.links[link]
    return add3(at.p, apply9(at.R, p))


@kernel
def state_given(screen: EventScreen, time, q, v) -> None:
    """t, q and v for functions, and the poses, if any number needs them."""
    model = open_tables(screen.model)
    if screen.states:
        screen.given[0] = time
        for k in range(model.nq):
            screen.given[1 + k] = q[k]
        for k in range(model.nv):
            screen.given[1 + model.nq + k] = v[k]
    if screen.poses:
        sweep_links(model, screen.tree.motion, q, v, screen.tree.vdot, POSE_ORDER)


@kernel
def value_of_pose(screen: EventScreen, i) -> float:
    """A distance or a height, after a sweep."""
    entry, motion = screen.entries[i], screen.tree.motion
    a = point_of(motion, entry.a, entry.pa)
    if entry.kind == HEIGHT:
        return dot3(entry.pb, a) - entry.value
    d = sub3(a, point_of(motion, entry.b, entry.pb))
    return sqrt(dot3(d, d)) - entry.value


@kernel
def value_at(screen: EventScreen, i, time, q, v) -> float:
    """Number i at a state that was given (`state_given`)."""
    entry = screen.entries[i]
    kind = entry.kind
    if kind == COORDINATE:
        return q[entry.q] - entry.value
    if kind == SPEED:
        return v[entry.v] - entry.value
    if kind == CLOCK:
        return time - entry.value
    if kind == FUNCTION:
        call_native(entry.code, floats_of(screen.given), floats_of(screen.given), 0, floats_of(screen.result))
        return screen.result[0]
    return value_of_pose(screen, i)


@kernel
def place_between(screen: EventScreen, x, h, v) -> None:
    """The state at the part x of the step, by the cubic."""
    model, tree = open_tables(screen.model), screen.tree
    a, b, c = (3.0 - 2.0 * x) * x * x, (1.0 - x) * (1.0 - x) * x, (x - 1.0) * x * x
    da, db, dc = 6.0 * x * (1.0 - x), (1.0 - 3.0 * x) * (1.0 - x), (3.0 * x - 2.0) * x
    for k in range(model.nv):
        screen.theta[k] = a * screen.theta1[k] + h * (b * screen.v0[k] + c * v[k])
        tree.v[k] = da * screen.theta1[k] / h + db * screen.v0[k] + dc * v[k]
    move(model, screen.q0, screen.theta, tree.q)


@kernel
def between_of_joint(screen: EventScreen, i, x, h, q, v) -> float:
    """A coordinate, its rate, or the time at the part x of the step: no other number is needed for them."""
    entry = screen.entries[i]
    if entry.kind == CLOCK:
        return screen.time + x * h - entry.value
    q0, v0, v1 = screen.q0[entry.q], screen.v0[entry.v], v[entry.v]
    way = q[entry.q] - q0
    if entry.kind == COORDINATE:
        theta = (3.0 - 2.0 * x) * x * x * way + h * ((1.0 - x) * (1.0 - x) * x * v0 + (x - 1.0) * x * x * v1)
        return q0 + theta - entry.value
    return 6.0 * x * (1.0 - x) * way / h + (1.0 - 3.0 * x) * (1.0 - x) * v0 + (3.0 * x - 2.0) * x * v1 - entry.value


@kernel
def keep_end(screen: EventScreen, time, q, v) -> None:
    """The end of a step is the start of the next."""
    model = open_tables(screen.model)
    screen.time = time
    for k in range(model.nq):
        screen.q0[k] = q[k]
    for k in range(model.nv):
        screen.v0[k] = v[k]


@kernel(entry="i i d -> n")
def begin_screen(screen: EventScreen, stepper: Stepper, time) -> None:
    """Begin to watch where a stepper stands."""
    q, v = stepper.q, stepper.v
    screen.estimated = False
    state_given(screen, time, q, v)
    for i in range(screen.count):
        screen.entries[i].last = value_at(screen, i, time, q, v)
        screen.entries[i].before = screen.entries[i].last
    keep_end(screen, time, q, v)


@kernel
def widen(screen: EventScreen, i, value) -> None:
    """Let the range of number i hold a value. One that is no number makes the range none, too."""
    if not value >= screen.low[i]:
        screen.low[i] = value
    if not value <= screen.high[i]:
        screen.high[i] = value


@kernel
def look_between(screen: EventScreen, x, h, q, v) -> None:
    """All numbers at the part x of the step from where the last one ended to (q, v)."""
    if screen.states or screen.poses:
        place_between(screen, x, h, v)
        state_given(screen, screen.time + x * h, screen.tree.q, screen.tree.v)
    for i in range(screen.count):
        entry = screen.entries[i]
        if entry.kind == CLOCK or (entry.kind <= SPEED and entry.q >= 0):
            widen(screen, i, between_of_joint(screen, i, x, h, q, v))
        else:
            widen(screen, i, value_at(screen, i, screen.time + x * h, screen.tree.q, screen.tree.v))


@kernel
def suspect_step(screen: EventScreen, time, q, v) -> bool:
    """May there be an event in the step that ended at a time, in the state (q, v)?"""
    h = time - screen.time
    for i in range(screen.count):
        entry = screen.entries[i]
        value = entry.last
        entry.before = value
        screen.low[i] = value
        screen.high[i] = value
    if screen.states or screen.poses:
        subtract(open_tables(screen.model), screen.q0, q, screen.theta1)
    for k in range(screen.looks):
        look_between(screen, screen.at[k], h, q, v)
    state_given(screen, time, q, v)
    found = False
    for i in range(screen.count):
        value = value_at(screen, i, time, q, v)
        screen.entries[i].last = value
        widen(screen, i, value)
        low, high = screen.low[i], screen.high[i]
        if low != 0.0 or high != 0.0:
            nearest = max(low, -high)
            if not nearest > screen.margin * (high - low):
                found = True
    keep_end(screen, time, q, v)
    return found


@kernel
def estimate_velocities(screen: EventScreen, time, q) -> None:
    """v1 for a method that carries momenta, from the mean velocity u = (q (-) q_0) / h of the step that ended in q and of the one before:

    v_1 = 3/2 u_n - 1/2 u_(n-1),     of the first step  v_1 = 2 u - v_0                 both to second order
    """
    model, h = open_tables(screen.model), time - screen.time
    subtract(model, screen.q0, q, screen.theta1)
    for k in range(model.nv):
        u = screen.theta1[k] / h
        screen.v1[k] = 1.5 * u - 0.5 * screen.mean[k] if screen.estimated else 2.0 * u - screen.v0[k]
        screen.mean[k] = u
    screen.estimated = True


@kernel(entry="i i d -> i")
def screen_step(screen: EventScreen, stepper: Stepper, time) -> int:
    """The same, for a step of a stepper that was taken from Python."""
    return 1 if suspect_step(screen, time, stepper.q, stepper.v) else 0


class NumberToWatch(NamedTuple):
    """What a screen is told of a number: the fields of a WatchedNumber, by name, and what its native function needs to live."""

    fields: dict[str, Any]
    keep: Any = None


class Screen:
    """The numbers to watch of a method's system. `record`: the EventScreen that compiled loops test steps with."""

    def __init__(self, method, numbers):
        system, numbers = method.system, list(numbers)
        self.method, self._numbers = method, numbers
        data = Data(system.model)
        self.record = record = data.new(EventScreen, count=len(numbers))
        record.model, record.count = system.model.handle, len(numbers)
        looks, record.margin = (SHORT, SHORT_MARGIN) if method.has_short_steps else (LONG, LONG_MARGIN)
        record.looks = len(looks)
        record.at[: len(looks)] = looks
        self.watch(range(len(numbers)), numbers)

    def watch(self, places, numbers):
        """Watch other numbers at these places, such as the same function in compiled form."""
        record = self.record
        for i, number in zip(places, numbers, strict=True):
            self._numbers[i] = number
            for name, value in number.fields.items():
                setattr(record.entries[i], name, value)
        kinds = [(entry.kind, entry.q) for entry in record.entries]
        record.poses = any(kind in (DISTANCE, HEIGHT) for kind, _ in kinds)
        record.states = any(kind == FUNCTION or (kind == SPEED and q < 0) for kind, q in kinds)

    def begin(self):
        """Begin to watch where the method stands."""
        begin_screen(for_kernels(self.record), for_kernels(self.method.system.stepper), self.method.time)
        self.record.suspect = False

    def test(self):
        """May there be an event in the method's last step, which was taken from Python?"""
        self.record.estimated = False
        self.record.suspect = bool(screen_step(for_kernels(self.record), for_kernels(self.method.system.stepper), self.method.time))
        return self.record.suspect

    def sides(self, before):
        """On which side of zero each number was where the last step began, or where it ended."""
        return [int(np.sign(entry.before if before else entry.last)) for entry in self.record.entries]
