r"""Functions of time inside a step: steps that are chosen by their error are no longer than what they see of them, and end at their corners (decision 0022).

A step evaluates a function at its stages. Changes in between are missed, and no error estimate shows them. But a function of time can be evaluated at any time
before a step is taken: users' functions that prescribe motion, and relations and force laws that read t, these at the state where the step begins.
A function is *seen* by a step from t to t + h if the polynomial p of degree 8 through its values at nine Chebyshev points is, at equal places in between,

    |f - p| <= atol + rtol max |f|              of prescribed values and of their rates,
    |f - p| <= FORCE max |f| + atol m / h       of forces, m the least mass (of moments, at 1 m).                                                (1)

For the motions that methods of order 5 to 12 step through at the same tolerance this is far from sharp: of sin(w t) it allows w h = 2 at 1e-8.
There are SAMPLES places at least, and one for every FINEST s; no step is longer than LONGEST. So whatever lasts FINEST is found. Functions of time alone are
evaluated for AHEAD steps at once in compiled loops, so that what lasts AHEAD / SAMPLES of a step is found too; nothing is evaluated twice.

A step that does not see a function is shortened to its first *corner*, where value, rate or second derivative jumps, located by bisection to what the clock
resolves: it ends there, and the method begins afresh behind it. Where there is no corner, or much happens before it, it is halved until it sees the function.
What is found depends on the time, the state and the size of the step, and how far was seen before, which checkpoints keep: a run that is resumed takes the same
steps.
"""

from math import inf, pi, sin

import numpy as np

from ..data.forces import ALONG, ForceTable
from ..data.lending import Data
from ..data.markers import GIVEN, MARKER, RESULT, ROW_RESULT, TIME
from ..data.stepper import Stepper, for_kernels
from ..data.tree import TreeData
from ..dynamics.markers import marker, put_marker
from ..dynamics.sweep import VELOCITY_ORDER, sweep_links
from ..kernels import kernel
from ..kernels.records import Record, flag, integer, pointer, pointer_to, real, reals, records
from ..kernels.views import floats_of
from ..model.constraint_tables import open_constraints
from ..model.custom import call_custom, call_law
from ..model.tables import open_tables
from ..parts.constraints.kind import RELATION
from ..parts.constraints.time_function import FUNCTION
from ..parts.forces.user import WrittenForce

NODES = 9
SAMPLES = 32  # of a step, at least
FINEST = 1e-3  # s between samples, at most
LONGEST = 4.096  # s: 4096 samples
AHEAD = 4.0  # steps
FORCE = 1e-6  # of a force: what may be passed over of it
ROUNDED, CLOCK = 1e-12, 1e-15  # of a value; of a time: what rounding makes of both
TINY = 1e-12  # of a time: corners so near to the start of a step are stepped over
RESOLVED = 8e-16  # of a time: how exactly a corner is located
HALVINGS = 80
JUMP = 1e-4  # of the change in an interval: what is left of it where the clock resolves no more is a jump


class TimedFunction(Record):
    """A function of time, and which of its results are examined: of each row a value and, `levels` = 2, its rate; `known` of them have a meaning."""

    time_function = integer("a time function of a constraint: its place among all; -1: none")
    block = integer("a relation: its block of rows; -1: none")
    entry = integer("a force: its place among the entries; -1: none")
    first = integer("the first result that is examined")
    rows = integer("how many rows")
    stride = integer("results from one row to the next")
    levels = integer("results of a row that are examined")
    known = integer("results of a row among which a jump is looked for: the value, its rate, its second derivative")


class TimeWatch(Record):
    """All functions of time of a system."""

    stepper = pointer(Stepper, "the system, at the state where a step begins")
    tree = pointer(TreeData, "that state, and the poses of its links")
    posed = flag("does a function need these poses?")
    of_time_alone = flag("does none depend on the state?")
    rtol = real("relative tolerance")
    atol = real("absolute tolerance")
    mass = real("the least of all bodies, kg")
    count = integer("how many functions")
    functions = records(TimedFunction, "count", "one each")
    given = reals(GIVEN, "what a function is given", by="_prepare")
    result = reals("results", "what it gives", by="the user's function")
    places = reals(NODES, "nodes as parts of a step")
    shares = reals(f"{SAMPLES} * {NODES}", "value of each node's polynomial at each of SAMPLES places")
    weights = reals(NODES, "the same at another place", by="_weigh")
    nodes = reals(f"{NODES} * results", "results at the nodes", by="_is_seen")
    bounds = reals("results", "what each may differ from the polynomial", by="_is_seen")
    before = real("the last time before the corner that was found last", by="_jump_within")
    corner = real("where the proposed step ends at a corner, else infinite", by="step_that_sees")


@kernel
def _sample(watch: TimeWatch, i, time) -> None:
    """The results of function i at a time."""
    function, stepper, given, result = watch.functions[i], watch.stepper, floats_of(watch.given), floats_of(watch.result)
    if function.time_function >= 0:
        given[0] = time
        call_custom(open_constraints(open_tables(stepper.model)).time_functions[function.time_function].code, given, given, result, 1)
    elif function.block >= 0:
        given[TIME] = time
        call_custom(open_constraints(open_tables(stepper.model)).blocks[function.block].code, given, given, result, GIVEN)
    else:
        table = pointer_to(ForceTable, stepper.active, 0.0)
        entry = table.entries[function.entry]
        given[2 if entry.kind == ALONG else TIME] = time
        call_law(entry.code, given, entry.parameters, result)


@kernel
def _prepare(watch: TimeWatch, i) -> bool:
    """What function i is given besides the time; False for a force that is switched off."""
    function, stepper, motion = watch.functions[i], watch.stepper, watch.tree.motion
    if function.block >= 0:
        block = open_constraints(open_tables(stepper.model)).blocks[function.block]
        put_marker(watch.given, 0, marker(motion, block.a, block.Ra, block.pa))
        put_marker(watch.given, MARKER, marker(motion, block.b, block.Rb, block.pb))
    if function.entry >= 0:
        table = pointer_to(ForceTable, stepper.active, 0.0)
        entry = table.entries[function.entry]
        if table.on[entry.force] == 0:
            return False
        if entry.kind == ALONG:
            watch.given[0] = stepper.q[entry.q] if entry.q >= 0 else 0.0
            watch.given[1] = stepper.v[entry.v]
        else:
            put_marker(watch.given, 0, marker(motion, entry.a, entry.Ra, entry.pa))
            put_marker(watch.given, MARKER, marker(motion, entry.b, entry.Rb, entry.pb))
    return True


@kernel
def _allowed(watch: TimeWatch, i, at, level, end, h) -> float:
    """What a result may differ from the polynomial: (1), and rounding of it and of the clock."""
    function, size = watch.functions[i], watch.result
    if function.entry >= 0:
        most = 0.0
        for k in range(function.rows):
            most = max(most, size[k])
        return max(watch.rtol, FORCE) * most + watch.atol * watch.mass / h
    clock = CLOCK * abs(end) * size[at + 1] if level + 1 < function.known else 0.0
    return watch.atol + (watch.rtol + ROUNDED) * size[at] + clock


@kernel
def _weigh(watch: TimeWatch, x) -> None:
    """The value of each node's polynomial at the part x of a step, by the second barycentric formula (Berrut & Trefethen 2004)."""
    total, sign = 0.0, 1.0
    for j in range(NODES):
        weight = sign / (x - watch.places[j])
        if j == 0 or j == NODES - 1:
            weight = 0.5 * weight
        watch.weights[j] = weight
        total += weight
        sign = -sign
    for j in range(NODES):
        watch.weights[j] = watch.weights[j] / total


@kernel
def _is_seen(watch: TimeWatch, i, time, h) -> bool:
    """Does a step see function i? Not where it has no number."""
    function, nodes, result = watch.functions[i], watch.nodes, watch.result
    count = function.first + function.stride * function.rows
    for j in range(NODES):
        _sample(watch, i, time + watch.places[j] * h)
        for k in range(count):
            if not abs(result[k]) <= 1e300:
                return False
            nodes[k * NODES + j] = result[k]
    for k in range(count):
        result[k] = 0.0
        for j in range(NODES):
            result[k] = max(result[k], abs(nodes[k * NODES + j]))
    for row in range(function.rows):
        for level in range(function.levels):
            at = function.first + row * function.stride + level
            watch.bounds[at] = _allowed(watch, i, at, level, time + h, h)
    samples = SAMPLES
    if h > SAMPLES * FINEST:
        samples = 2 * int(0.5 * h / FINEST + 1.0)
    for s in range(samples):
        x = (s + 0.5) / samples
        shares, first = watch.shares, s * NODES
        if samples > SAMPLES:
            _weigh(watch, x)
            shares, first = watch.weights, 0
        _sample(watch, i, time + x * h)
        for row in range(function.rows):
            for level in range(function.levels):
                at = function.first + row * function.stride + level
                value = result[at]
                for j in range(NODES):
                    value -= shares[first + j] * nodes[at * NODES + j]
                if not abs(value) <= watch.bounds[at]:
                    return False
    return True


@kernel
def _jump_within(watch: TimeWatch, i, begin, end) -> float:
    """The time just behind a jump of a result of function i, the one before in `before`; infinite if none jumps.

    By bisection towards the half that changes more.
    """
    function, result = watch.functions[i], watch.result
    for place in range(function.rows * function.known):
        level = function.known - 1 - place % function.known
        at = function.first + place // function.known * function.stride + level
        a, b = begin, end
        _sample(watch, i, a)
        fa = result[at]
        _sample(watch, i, b)
        fb = result[at]
        change, width = abs(fb - fa), b - a
        if not change > 1e-9 * max(abs(fa), abs(fb)):
            continue
        for _ in range(HALVINGS):
            if b - a <= RESOLVED * max(abs(b), 1e-9):
                break
            m = 0.5 * (a + b)
            _sample(watch, i, m)
            fm = result[at]
            if abs(fm - fa) >= abs(fb - fm):
                b, fb = m, fm
            else:
                a, fa = m, fm
        if abs(fb - fa) > max(JUMP, 16.0 * (b - a) / width) * change or width <= 16.0 * RESOLVED * abs(b):
            watch.before = a
            return b
    return inf


@kernel
def _first_corner(watch: TimeWatch, i, begin, end) -> float:
    """The time just behind the first corner of function i in an interval that is not seen; infinite if there is none."""
    a, b = begin, end
    for _ in range(HALVINGS):
        if b - a <= 64.0 * RESOLVED * max(abs(b), 1e-9):
            break
        m = 0.5 * (a + b)
        if not _is_seen(watch, i, a, m - a):
            b = m
        elif not _is_seen(watch, i, m, b - m):
            a = m
        else:
            break
    return _jump_within(watch, i, a, b)


@kernel(entry="i d d -> d")
def step_that_sees(watch: TimeWatch, time, h) -> float:
    """The size of a step from a time on, h at most, that sees all functions; `corner` says whether it ends at a corner of one."""
    stepper, least = watch.stepper, TINY * max(abs(time), 1e-3)
    h, watch.corner = min(h, LONGEST), inf
    if watch.posed:
        sweep_links(open_tables(stepper.model), watch.tree.motion, stepper.q, stepper.v, watch.tree.vdot, VELOCITY_ORDER)
    for i in range(watch.count):
        if not _prepare(watch, i):
            continue
        while h > least and not _is_seen(watch, i, time, h):
            watch.corner = inf
            corner = _first_corner(watch, i, time, time + h)
            if corner == inf:
                h = 0.5 * h
            elif not watch.before - time > least:
                h = max(corner - time, least)
                break
            elif _is_seen(watch, i, time, watch.before - time):
                h, watch.corner = corner - time, corner
                break
            else:
                h = 0.5 * (corner - time)
    return max(h, least)


@kernel
def probe_ahead(watch: TimeWatch, time, h, seen) -> float:
    """Until when all functions are seen from a time on, for a step of h; `corner` says whether one has a corner there. seen: until when they are, so far."""
    if watch.of_time_alone and time + h <= seen:
        watch.corner = inf
        return seen
    return time + step_that_sees(watch, time, AHEAD * h if watch.of_time_alone else h)


class FunctionsOfTime:
    """The functions of time of a system: `record` for kernels, None if it has none."""

    def __init__(self, system, rtol, atol):
        found = [*_prescribed(system.model), *_relations(system.model), *_forces(system.active_forces)]
        self.record = None
        if not found:
            return
        results = max(RESULT, *(f["first"] + f["stride"] * f["rows"] for f in found))
        self._system = system  # the record holds addresses of what belongs to it
        self._data = Data(system.model)
        self.record = watch = self._data.new(TimeWatch, stepper=system.stepper, count=len(found), results=results)
        watch.count, watch.rtol, watch.atol = len(found), rtol, atol
        watch.posed = any(f["block"] >= 0 or (f["entry"] >= 0 and system.active_forces.entries["kind"][f["entry"]] != ALONG) for f in found)
        watch.of_time_alone = all(f["time_function"] >= 0 for f in found)
        watch.mass = _least_mass(system.model)
        watch.places[:] = [sin(0.5 * pi * j / (NODES - 1)) ** 2 for j in range(NODES)]
        watch.shares[:] = _shares(np.array(watch.places)).ravel()
        for record, fields in zip(watch.functions, found, strict=True):
            for name, value in fields.items():
                setattr(record, name, value)

    def limit(self, time, h):
        """(h, corner): the size of a step from a time on that sees all functions, and the time at which it ends at a corner, else infinite."""
        if self.record is None:
            return h, inf
        h = step_that_sees(for_kernels(self.record), float(time), float(min(h, LONGEST)))
        return h, self.record.corner


def _shares(places):
    x = (np.arange(SAMPLES) + 0.5) / SAMPLES
    weights = (-1.0) ** np.arange(NODES) / (x[:, None] - places)
    weights[:, [0, -1]] *= 0.5
    return weights / weights.sum(axis=1, keepdims=True)


def _watched(time_function=-1, block=-1, entry=-1, **results):
    return {"time_function": time_function, "block": block, "entry": entry} | results


def _prescribed(model):
    for block in model.constraint_tables.blocks:
        for k in range(block["time_function"], block["time_function"] + block["time_functions"]):
            if model.constraint_tables.time_functions["kind"][k] == FUNCTION:
                yield _watched(time_function=int(k), first=0, rows=1, stride=3, levels=2 if block["holonomic"] else 1, known=3)


def _relations(model):
    blocks = iter(range(len(model.constraint_tables.blocks)))
    for info in model.constraints:
        for block in [None] if info.is_loop else info.kind.blocks():
            k = next(blocks)
            if block is not None and block.kind == RELATION and block.moves:
                yield _watched(block=k, first=ROW_RESULT - 3, rows=len(block.rows), stride=ROW_RESULT, levels=2, known=3)


def _forces(active_forces):
    for k, entry in enumerate(active_forces.entries):
        kind = active_forces.infos[entry["force"]].kind
        if isinstance(kind, WrittenForce) and kind.reads_time:
            yield _watched(entry=k, first=0, rows=1 if entry["kind"] == ALONG else 6, stride=1, levels=1, known=1)


def _least_mass(model):
    return float(min((body.inertia.mass for body in model.bodies if body.inertia.mass > 0.0), default=1.0))
