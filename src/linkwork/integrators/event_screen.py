r"""Which steps cannot hold an event: tested in the compiled loop of steps, so that steps far from any event cost next to nothing.

First a bound. No joint moves faster in a step of size h than about SPARE max(|v_0|, |v_1|, |3 u - v_0 - v_1|), u its mean velocity (the control
points of the quadratic with these ends and this mean); and the numbers `reach` say by how much a watched number changes at most for a unit of each
joint's way. A number that is farther from zero than it can have gone since it was last evaluated is passed by, without a pose (`begin_probe`).

Other steps are looked into: the number is evaluated at equal parts of the step, as many as the degree of the method's own polynomial requires, and at least one
for every DENSE rad that the joints turn which it depends on. A step is *suspect* unless, between all neighbouring looks, the number keeps its sign and stays
farther from zero than MARGIN times the change there and in the parts beside; simulation/events.py then looks closely. Of a user's function, which may do
anything between two looks, the change is that over the whole step. A number that stays exactly zero is no crossing.

Inside, a step is the polynomial in x (from 0 to 1) that its method has laid into the screen, local coordinates about `base`, or (`lay_cubic`) the cubic

    theta(x) = (3 x^2 - 2 x^3) theta_1 + h (x - 2 x^2 + x^3) v_0 + h (x^3 - x^2) v_1,     q = q_0 (+) theta,     v = d theta / dt

It decides where to look, not what is found there. Switches of one-sided forces are watched in the same way (switches.py).
"""

from typing import Any, NamedTuple

import numpy as np

from ..data.lending import Data
from ..data.stepper import Stepper, for_kernels
from ..data.tree import TreeData
from ..dynamics.configuration import move, subtract
from ..dynamics.joints.reach import reach_between, turns_of
from ..dynamics.sweep import POSE_ORDER, VELOCITY_ORDER, sweep_links
from ..kernels import Vector, kernel
from ..kernels.records import Record, address, flag, integer, pointer, real, reals, reals_fixed, records
from ..kernels.scalar import sqrt
from ..kernels.views import floats_of
from ..model.custom import call_native
from ..model.tables import open_tables
from ..parts.forces.pair import smooth_step
from ..spatial.matrices import apply9, apply9_transposed
from ..spatial.vectors import add3, cross3, dot3, sub3

COORDINATE, SPEED, CLOCK, FUNCTION, DISTANCE, HEIGHT, ABOVE, PRESS = range(8)  # those from DISTANCE on need poses, the last velocities
# Parts of a step that are probed in any case, and how many times the change between two probes a number must be away from zero.
SHORT, SHORT_MARGIN = 2, 4.0  # fixed steps: a number changes little in one of them
LONG, LONG_MARGIN = 8, 1.0  # steps as long as the error allows: their polynomials have degrees up to 8, at 12 Adams' steps are short
DENSE = 0.5  # rad of turning from one look to the next; a sine changes by an eighth of its size about its top, which a margin of 1 sees eight times over
SPARE = 1.5  # times the speed at the ends of a step: what a polynomial of higher degree may add
MOST_PARTS = 1_000_000
TERMS = 16  # coefficients of a step's polynomial, at most


class WatchedNumber(Record):
    """A number of the state, and what it was where the last step began and where it ended."""

    kind = integer("COORDINATE, SPEED, CLOCK, FUNCTION, DISTANCE, HEIGHT, ABOVE or PRESS")
    q = integer("COORDINATE: the coordinate")
    v = integer("COORDINATE, SPEED: the velocity")
    a = integer("DISTANCE, HEIGHT, ABOVE, PRESS: link of the first point, -1 for the world")
    b = integer("DISTANCE, ABOVE, PRESS: link of the second point")
    pa = reals_fixed(3, "the first point in its link")
    pb = reals_fixed(3, "DISTANCE, ABOVE, PRESS: the second point in its link")
    axis = reals_fixed(3, "HEIGHT: the plane's normal; ABOVE, PRESS: the normal, in the second link, of the plane through the second point")
    press = reals_fixed(3, "PRESS: stiffness, damping, and the depth over which damping sets in")
    height = real("PRESS: height above the plane where it was last evaluated", by="value_of_pose")
    began = real("PRESS: height where the step at hand began", by="begin_at, keep_step")
    ended = real("PRESS: height where it ends", by="passes_by")
    value = real("what is subtracted")
    code = address("FUNCTION: its native function")
    before = real("its value where the last step began", by="keep_step")
    last = real("its value where the last step ended, or one of the same sign", by="begin_screen, keep_step")
    now = real("the same of the step at hand", by="begin_probe, probe_step")
    slack = real(
        "DISTANCE, HEIGHT, ABOVE: how far it was from zero when it was evaluated, less its way since", by="begin_screen, keep_step"
    )
    left = real("the same after the step at hand", by="begin_probe, probe_step")
    clear = flag("can it not have come to zero in the step at hand?", by="begin_probe")
    previous = real("its value at the last look", by="note_value")
    change = real("|change| from the look before to it", by="note_value")
    near = real("the lesser of the sizes at these two looks", by="note_value")
    doubt = flag("has it come near zero between two looks?", by="note_value")
    low = real("least value in the step", by="note_value")
    high = real("greatest value", by="note_value")


class EventScreen(Record):
    """The numbers that are watched, and the step that is probed."""

    model = address("tables of the model")
    tree = pointer(TreeData, "the state between the ends of a step, and the poses of its links")
    count = integer("how many numbers")
    poses = flag("does any of them need the poses of links?")
    moving = flag("does any of them need the velocities of links?")
    states = flag("does any of them need the whole state?")
    exact = flag("are poses evaluated at the end of every step, so that what is found depends on this step alone?")
    posing = flag("does a number that is probed in this step need poses?", by="begin_probe")
    contacts = flag("is a step suspect in which pairs of shapes touch, part, stick or slip?")
    probes = integer("parts of a step that are probed, at least")
    margin = real("times the change between looks that a number must be away from zero")
    time = real("where the last step ended", by="begin_screen, keep_step")
    q0 = reals("nq", "coordinates there", by="keep_end")
    v0 = reals("nv", "velocities there", by="keep_end")
    theta1 = reals("nv", "local coordinates of the end of the step about its start", by="bound_speeds")
    speed = reals("nv", "bound of each velocity in the step", by="bound_speeds")
    reach = reals("count * nv", "change of each number for a unit of each joint's way, at most")
    turning = reals("nv", "rad by which what is watched turns for a unit of each joint's way")
    q1 = reals("nq", "coordinates where a step begins or ends that is taken from Python", by="caller")
    v1 = reals("nv", "velocities there, or where the step ends as `estimate_velocities` has them", by="estimate_velocities, caller")
    mean = reals("nv", "mean velocities of the last step that was estimated", by="estimate_velocities")
    estimated = flag("is there such a step?", by="estimate_velocities, begin_screen")
    base = reals("nq", "coordinates about which the step's polynomial is taken", by="lay_cubic, method")
    terms = integer("number of its coefficients", by="lay_cubic, method")
    shift = real("the part of the step at which its variable is zero", by="lay_cubic, method")
    of_theta = reals(f"{TERMS} * nv", "coefficients of theta, those of one power after the other", by="lay_cubic, method")
    of_v = reals(f"{TERMS} * nv", "coefficients of v", by="lay_cubic, method")
    theta = reals("nv", "local coordinates between", by="place_between")
    given = reals("1 + nq + nv", "t, q, v for a function", by="state_given")
    result = reals(1, "its value", by="the user's function")
    entries = records(WatchedNumber, "count", "one each")
    suspect = flag(
        "may there be an event in the last step?",
        by="run_until_suspect, adaptive_steps_until_suspect, adams_steps_until_suspect, caller",
    )


@kernel
def point_of(motion, link, p) -> Vector[3]:
    """Where a point of a link (-1: the world) is in the world, after a sweep."""
    if link < 0:
        return p
    at = motion.links[link]
    return add3(at.p, apply9(at.R, p))


@kernel
def state_given(screen: EventScreen, time, q, v, posing) -> None:
    """t, q and v for functions, and the poses, if requested."""
    model = open_tables(screen.model)
    if screen.states:
        screen.given[0] = time
        for k in range(model.nq):
            screen.given[1 + k] = q[k]
        for k in range(model.nv):
            screen.given[1 + model.nq + k] = v[k]
    if posing:
        sweep_links(model, screen.tree.motion, q, v, screen.tree.vdot, VELOCITY_ORDER if screen.moving else POSE_ORDER)


@kernel
def value_of_pose(screen: EventScreen, i) -> float:
    """A distance or a height, after a sweep."""
    entry, motion = screen.entries[i], screen.tree.motion
    a = point_of(motion, entry.a, entry.pa)
    if entry.kind == HEIGHT:
        return dot3(entry.axis, a) - entry.value
    d = sub3(a, point_of(motion, entry.b, entry.pb))
    if entry.kind == DISTANCE:
        return sqrt(dot3(d, d)) - entry.value
    e = entry.axis
    if entry.b >= 0:
        e = apply9(motion.links[entry.b].R, e)
    height = dot3(e, d)
    if entry.kind == ABOVE:
        return height
    entry.height = height
    stiffness, damping, ramp = entry.press
    u = sub3(_velocity_of(motion, entry.a, entry.pa), _velocity_of(motion, entry.b, add3(entry.pb, _in_link(motion, entry.b, d))))
    return -stiffness * height - damping * smooth_step(-height / ramp) * dot3(e, u)


@kernel
def _velocity_of(motion, link, p) -> Vector[3]:
    """How fast a point of a link (-1: the world) moves, in world axes, after a sweep."""
    if link < 0:
        return 0.0, 0.0, 0.0
    at = motion.links[link]
    V = at.v
    return apply9(at.R, add3((V[3], V[4], V[5]), cross3((V[0], V[1], V[2]), p)))


@kernel
def _in_link(motion, link, d) -> Vector[3]:
    """A vector of the world in the axes of a link."""
    if link < 0:
        return d
    return apply9_transposed(motion.links[link].R, d)


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


# ---- the state inside a step


@kernel
def lay_cubic(screen: EventScreen, h, v) -> None:
    """The cubic through both ends of a step that ends with the velocities v."""
    model = open_tables(screen.model)
    nv = model.nv
    for k in range(model.nq):
        screen.base[k] = screen.q0[k]
    for k in range(nv):
        first, last, way = h * screen.v0[k], h * v[k], screen.theta1[k]
        second, third = 3.0 * way - 2.0 * first - last, first + last - 2.0 * way
        screen.of_theta[k], screen.of_theta[nv + k], screen.of_theta[2 * nv + k], screen.of_theta[3 * nv + k] = 0.0, first, second, third
        screen.of_v[k], screen.of_v[nv + k], screen.of_v[2 * nv + k] = first / h, 2.0 * second / h, 3.0 * third / h
        screen.of_v[3 * nv + k] = 0.0
    screen.terms, screen.shift = 4, 0.0


@kernel(inline=True)
def along_step(coefficients, nv, terms, k, x):
    """Number k of a polynomial."""
    total = coefficients[(terms - 1) * nv + k]
    for j in range(terms - 2, -1, -1):
        total = total * x + coefficients[j * nv + k]
    return total


@kernel
def place_between(screen: EventScreen, x, h, posing) -> None:
    """The state at the part x of the step, as numbers need it."""
    model, tree, at = open_tables(screen.model), screen.tree, x - screen.shift
    for k in range(model.nv):
        screen.theta[k] = along_step(screen.of_theta, model.nv, screen.terms, k, at)
        tree.v[k] = along_step(screen.of_v, model.nv, screen.terms, k, at)
    move(model, screen.base, screen.theta, tree.q)
    state_given(screen, screen.time + x * h, tree.q, tree.v, posing)


@kernel
def value_between(screen: EventScreen, i, x, h) -> float:
    """Number i at the part x of the step; for those that need more than one joint after `place_between`."""
    entry, nv, at = screen.entries[i], open_tables(screen.model).nv, x - screen.shift
    kind, v = entry.kind, entry.v
    if kind == COORDINATE:
        return screen.base[entry.q] + along_step(screen.of_theta, nv, screen.terms, v, at) - entry.value
    if kind == SPEED:
        return along_step(screen.of_v, nv, screen.terms, v, at) - entry.value
    return value_at(screen, i, screen.time + x * h, screen.tree.q, screen.tree.v)


# ---- a step, in three parts: can it hold an event at all, a look inside, and on to the next


@kernel
def keep_end(screen: EventScreen, time, q, v) -> None:
    """The end of a step is the start of the next."""
    model = open_tables(screen.model)
    screen.time = time
    for k in range(model.nq):
        screen.q0[k] = q[k]
    for k in range(model.nv):
        screen.v0[k] = v[k]


@kernel
def begin_at(screen: EventScreen, time, q, v) -> None:
    """Begin to watch at a state."""
    screen.estimated = False
    state_given(screen, time, q, v, screen.poses)
    for i in range(screen.count):
        entry = screen.entries[i]
        entry.last = value_at(screen, i, time, q, v)
        entry.began = entry.height
        entry.before = entry.last
        entry.slack = abs(entry.last)
    keep_end(screen, time, q, v)


@kernel(entry="i i d -> n")
def begin_screen(screen: EventScreen, stepper: Stepper, time) -> None:
    """Begin to watch where a stepper stands."""
    begin_at(screen, time, stepper.q, stepper.v)


@kernel
def bound_speeds(screen: EventScreen, h, q, v) -> None:
    """How fast each joint moves at most in the step that ends in (q, v)."""
    model = open_tables(screen.model)
    subtract(model, screen.q0, q, screen.theta1)
    for k in range(model.nv):
        first, last = screen.v0[k], v[k]
        screen.speed[k] = SPARE * max(abs(first), abs(last), abs(3.0 * screen.theta1[k] / h - first - last))


@kernel
def _presses_on(entry, way, h) -> bool:
    """Does a press not set in or end in a step, in which its height changes by `way` at most? It is above the plane all the time, or its spring, where it is
    least in, outweighs what damping could take at the greatest speed."""
    before, after = entry.began, entry.ended
    if before > 0.0 and after > 0.0:
        return before + after > way
    stiffness, damping, _ = entry.press
    least = -0.5 * (before + after + way)
    return entry.last > 0.0 and entry.now > 0.0 and stiffness * least > damping * way / h


@kernel
def passes_by(screen: EventScreen, i, time, h, q, v) -> bool:
    """Can number i not have come to zero in the step? What is known of it at the end of the step goes to `now` and `left`."""
    entry, margin = screen.entries[i], screen.margin
    kind, last = entry.kind, entry.last
    if kind == FUNCTION:
        return False
    if kind >= DISTANCE:
        nv, way = open_tables(screen.model).nv, 0.0
        for k in range(nv):
            if screen.speed[k] != 0.0:
                way += screen.reach[i * nv + k] * screen.speed[k] * h
        if screen.exact:
            now = value_of_pose(screen, i)
            entry.now = now
            entry.left = abs(now)
            if kind == PRESS:
                entry.ended = entry.height
                return _presses_on(entry, margin * way, h)
            return last * now > 0.0 and abs(last) + abs(now) > margin * way
        entry.now, entry.left = last, entry.slack - way
        return entry.left > (margin - 1.0) * way
    now = value_at(screen, i, time, q, v)
    entry.now = now
    if not last * now > 0.0:
        return False
    if kind == COORDINATE:
        return abs(last) + abs(now) > margin * screen.speed[entry.v] * h
    return kind == CLOCK or abs(entry.value) > screen.speed[entry.v]


@kernel
def begin_probe(screen: EventScreen, time, q, v) -> bool:
    """May a number have come to zero in the step that ended at a time, in the state (q, v)?"""
    h, found = time - screen.time, False
    bound_speeds(screen, h, q, v)
    if screen.exact:
        state_given(screen, time, q, v, screen.poses)
    screen.posing = False
    for i in range(screen.count):
        entry = screen.entries[i]
        entry.clear = passes_by(screen, i, time, h, q, v)
        if not entry.clear:
            found = True
            if entry.kind >= DISTANCE:
                screen.posing = True
    return found


@kernel
def parts_of_step(screen: EventScreen, h) -> int:
    """Into how many parts a look divides the step."""
    turned = 0.0
    for k in range(open_tables(screen.model).nv):
        turned += screen.turning[k] * screen.speed[k] * h
    wanted = turned / (SPARE * DENSE)
    if not wanted > screen.probes:
        return screen.probes
    return int(min(wanted, float(MOST_PARTS))) + 1


@kernel
def note_value(screen: EventScreen, i, value) -> None:
    """Number i at the next look. One that is no number leaves a doubt."""
    entry, margin = screen.entries[i], screen.margin
    previous = entry.previous
    change, near = abs(value - previous), min(abs(value), abs(previous))
    if not (value * previous > 0.0 and near > margin * max(change, entry.change) and entry.near > margin * change):
        entry.doubt = True
    if not value >= entry.low:
        entry.low = value
    if not value <= entry.high:
        entry.high = value
    entry.previous, entry.change, entry.near = value, change, near


@kernel
def probe_step(screen: EventScreen, time, q, v) -> bool:
    """Is the step suspect? After `begin_probe`, with the step's polynomial laid."""
    h = time - screen.time
    parts = parts_of_step(screen, h)
    evaluated = screen.exact or not screen.posing
    if not evaluated:
        place_between(screen, 0.0, h, True)
    for i in range(screen.count):
        entry = screen.entries[i]
        if entry.kind >= DISTANCE and not entry.clear and not evaluated:
            entry.last = value_of_pose(screen, i)  # of which the sign was known
        last = entry.last
        entry.previous, entry.change, entry.near, entry.doubt = last, 0.0, 1e300, False
        entry.low, entry.high = last, last
    for part in range(1, parts + 1):
        x = part / parts
        inside = part < parts
        if inside and (screen.states or screen.posing):
            place_between(screen, x, h, screen.posing)
        if not inside:
            state_given(screen, time, q, v, screen.posing)
        for i in range(screen.count):
            if not screen.entries[i].clear:
                note_value(screen, i, value_between(screen, i, x, h) if inside else value_at(screen, i, time, q, v))
    found = False
    for i in range(screen.count):
        entry = screen.entries[i]
        if not entry.clear:
            entry.now = entry.previous
            entry.left = abs(entry.now)
            low, high = entry.low, entry.high
            doubt = entry.doubt
            if entry.kind == FUNCTION:
                doubt = not max(low, -high) > screen.margin * (high - low)
            if doubt and (low != 0.0 or high != 0.0):
                found = True
    return found


@kernel
def keep_step(screen: EventScreen, time, q, v) -> None:
    """The step at hand, which ended at a time in (q, v), has been taken."""
    for i in range(screen.count):
        entry = screen.entries[i]
        entry.before = entry.last
        entry.last = entry.now
        entry.began = entry.ended
        entry.slack = entry.left
    keep_end(screen, time, q, v)


@kernel
def suspect_step(screen: EventScreen, time, q, v) -> bool:
    """May there be an event in the step that ended at a time, in the state (q, v)? By the cubic through its ends."""
    found = False
    if begin_probe(screen, time, q, v):
        lay_cubic(screen, time - screen.time, v)
        found = probe_step(screen, time, q, v)
    keep_step(screen, time, q, v)
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


@kernel(entry="i i d i -> i")
def screen_step(screen: EventScreen, stepper: Stepper, time, laid) -> int:
    """The same, for a step of a stepper that was taken from Python; laid: 1 if its polynomial stands in the screen."""
    q, v, found = stepper.q, stepper.v, 0
    if begin_probe(screen, time, q, v):
        if laid == 0:
            lay_cubic(screen, time - screen.time, v)
        if probe_step(screen, time, q, v):
            found = 1
    keep_step(screen, time, q, v)
    return found


class NumberToWatch(NamedTuple):
    """The description of a number for a screen: the fields of a WatchedNumber, by name, and what its native function needs to live."""

    fields: dict[str, Any]
    keep: Any = None


class Screen:
    """The numbers to watch of a method's system. `record`: the EventScreen that compiled loops test steps with."""

    def __init__(self, method, numbers):
        system, numbers = method.system, list(numbers)
        self.method, self._numbers, self._model = method, numbers, system.model
        data = Data(system.model)
        self.record = record = data.new(EventScreen, count=len(numbers))
        record.model, record.count = system.model.handle, len(numbers)
        record.probes, record.margin = (SHORT, SHORT_MARGIN) if method.has_short_steps else (LONG, LONG_MARGIN)
        self._turns, self._moving = turns_of(system.model), np.zeros((len(numbers), system.model.nv), dtype=bool)
        self.watch(range(len(numbers)), numbers)

    def watch(self, places, numbers):
        """Watch other numbers at these places, such as the same function in compiled form."""
        record = self.record
        for i, number in zip(places, numbers, strict=True):
            self._numbers[i] = number
            for name, value in number.fields.items():
                setattr(record.entries[i], name, value)
            self._measure(i, number.fields)
        kinds = [entry.kind for entry in record.entries]
        record.poses = any(kind >= DISTANCE for kind in kinds)
        record.moving, record.states = PRESS in kinds, FUNCTION in kinds
        record.turning[:] = self._turns * self._moving.any(axis=0)

    def _measure(self, i, fields):
        """Which joints move number i, and by how much at most."""
        if fields["kind"] < DISTANCE:
            self._moving[i] = fields["kind"] != CLOCK
            return
        others = (fields["b"], fields["pb"]) if "b" in fields else ()
        reach, self._moving[i] = reach_between(self._model, fields["a"], fields["pa"], *others)
        self.record.reach.reshape(-1, self._model.nv)[i] = reach

    @property
    def turning(self):
        """rad by which what is watched turns for a unit of each velocity's way."""
        return self.record.turning

    def begin(self):
        """Begin to watch where the method stands."""
        begin_screen(for_kernels(self.record), for_kernels(self.method.system.stepper), self.method.time)
        self.record.suspect = False

    def test(self):
        """May there be an event in the method's last step, which was taken from Python?"""
        self.record.estimated = False
        laid = int(self.method.lay_polynomial(self.record))
        self.record.suspect = bool(screen_step(for_kernels(self.record), for_kernels(self.method.system.stepper), self.method.time, laid))
        return self.record.suspect

    def sides(self, before):
        """On which side of zero each number was where the last step began, or where it ended."""
        return [int(np.sign(entry.before if before else entry.last)) for entry in self.record.entries]
