"""Events: numbers of the state that cross zero, and how they are found: in every step of any method, by its own state between the ends of the step.

The compiled loop of steps passes over those in which a number stays well away from zero (integrators/event_screen.py). Any other step is probed in equal
parts, and a little way in at both its ends: in QUARTERS, or LONG parts of a step whose size follows the error, and one at least for every DENSE rad that
the joints turn on which events depend. Where a function changes its sign between two looks, Brent's method finds the time. Where it comes towards zero and
turns back, its turning point is sought, and if that lies beyond zero the two crossings around it are found.

Events of contact (contact_changes.py) are no functions of the state: they are changes from one step to the next of what the method says of pairs of shapes, and
happen at the end of the step in which they change. The compiled loop returns at such steps.

What is guaranteed: if the function has at most one turning point within two neighbouring parts of a step, and does not dip in it by more than it is
seen to change, every crossing is found, to LOCATED s on the method's own motion. Coordinates, speeds, distances and planes are such functions, however
far joints turn in a step. A function of the user's is one if it follows the pose as sines of the angles do; one that changes faster, or with the time
alone, wants a max_step. A function that touches zero without crossing it is no event. A function that is zero at the start (or within LOCATED s after it)
does not fire until it has left zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import ModelError
from ..integrators.event_screen import DENSE, FUNCTION, LONG, NumberToWatch, Screen
from ..integrators.progress_check import ProgressCheck
from ..integrators.saved_values import refuse_saved, saved_number
from ..kernels import JIT
from ..native_function import interpreted_callable, native_callable
from ..parts.validation import flag, refuse, whole
from ..validation import is_flag
from .contact_changes import ContactChange, pair_statuses, statuses_at_start
from .event_law import EventLaw
from .user_errors import EventFunctionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from ..integrators.integrator import Method
    from ..model.model import Model

QUARTERS = 4
INWARD = 1e-3  # of a step: where slopes at its ends are probed
LOCATED = 1e-12  # s
MOST_PROBES = 50_000  # into one step: joints that turn 4000 times in it are too fast for events to be located
NEAR = 1e-9  # of the time between two looks, if that is less
COMPILED_AFTER = 5000  # steps: by then an interpreted function has taken as long as a tenth of its compilation


@dataclass(frozen=True)
class Event:
    """What happens when function(t, q, v), a plain function that returns a number (not True or False), crosses zero.

    In a long run the function is compiled, as forces and controllers are: numbers that it uses from outside are those of that moment. One that cannot be
    compiled stays interpreted, and an InterpretedWarning says so.
    direction: 1 for crossings upwards only, -1 for downwards, 0 for both. stop: the run ends there. name: in the recording.

    >>> import linkwork as lw
    >>> lw.Event(lambda t, q, v: q[0] - 0.5, direction=1, stop=True, name="half way").name
    'half way'
    """

    function: Any
    direction: int = 0
    stop: bool = False
    name: str | None = None

    def __post_init__(self) -> None:
        if not callable(self.function) and not hasattr(self.function, "on"):
            raise refuse("Event", "function", self.function, "give a function of t, q and v that returns a number")
        whole(self.direction, "Event", "direction", "allowed are 1 (upwards), -1 (downwards) and 0 (both)", -1, 1)
        flag(self.stop, "Event", "stop")
        if self.name is None:
            named = getattr(self.function, "said", None) or getattr(self.function, "__name__", "event")
            object.__setattr__(self, "name", "event" if named == "<lambda>" else named)
        elif not isinstance(self.name, str):
            raise refuse("Event", "name", self.name, "a name is text; give it in quotes")

    def on(self, model: Model) -> Callable[..., Any]:
        """The function of (t, q, v) for a model; names of parts are looked up here."""
        found: Callable[..., Any] = self.function.on(model) if hasattr(self.function, "on") else self.function
        return found

    def number(self, model: Model, compiled: bool = False) -> NumberToWatch:
        """The function as compiled loops watch it."""
        if hasattr(self.function, "number"):
            return NumberToWatch(self.function.number(model))
        law: Any = EventLaw(model.nq, model.nv)
        function = self.on(model)
        made = native_callable(function, law, f"event {self.name!r}") if compiled else interpreted_callable(function, law)
        return NumberToWatch({"kind": FUNCTION, "code": made.address}, made.keep)


class Occurrence(NamedTuple):
    """An event that happened: when, in which state, and whether its function went upwards (1) or downwards (-1).

    `event` is None after a run was taken up without it.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("stone")
    >>> _ = m.add_body("stone", mass=2.0, inertia=(1, 1, 1))
    >>> simulation = lw.Simulation(m, events=[lw.crosses_plane("stone", offset=-1.0, name="below")])
    >>> _ = simulation.run(1.0)
    >>> found = simulation.events[0]
    >>> found.name, round(found.t, 6), found.direction  # sqrt(2 / 9.81) s, downwards
    ('below', 0.451524, -1)
    """

    event: Event | None
    name: str
    t: float
    q: np.ndarray
    v: np.ndarray
    direction: int


def occurrence_to_list(found: Occurrence) -> list[Any]:
    """An occurrence as values for JSON."""
    return [found.name, found.t, found.q.tolist(), found.v.tolist(), found.direction]


def occurrence_from_list(given: list[Any], events: Any, model: Model) -> Occurrence:
    """The occurrence that `occurrence_to_list` gave; its event is None if there is none of its name among `events`. FormatError for anything else."""
    if not isinstance(given, list) or len(given) != 5 or not isinstance(given[0], str):
        raise refuse_saved("event", given, "a name, t, q, v and a direction")
    name, t, q, v, direction = given
    q, v = np.array(q, dtype=float), np.array(v, dtype=float)
    if q.shape != (model.nq,) or v.shape != (model.nv,):
        raise refuse_saved(f"event {name!r}", given, f"one with {model.nq} coordinates and {model.nv} velocities")
    event = next((event for event in events if event.name == name), None)
    return Occurrence(event, name, saved_number({"t": t}, "t"), q, v, saved_number({"direction": direction}, "direction", 0, -1, 1))


class EventWatch:
    """Watches events while a method moves: `advance` instead of `method.advance`, or `after_step` after every `method.step()`.

    A stop event moves the end of the last step back to where it happened, and the method begins afresh there. `reset` after the state was changed by hand.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("stone")
    >>> _ = m.add_body("stone", mass=2.0, inertia=(1, 1, 1))
    >>> simulation = lw.Simulation(m, events=[lw.crosses_plane("stone", offset=-1.0, stop=True)])  # makes one
    >>> simulation.run(1.0).status.word, round(simulation.time, 6)  # sqrt(2 / 9.81) s
    ('stopped', 0.451524)
    """

    def __init__(self, events: Iterable[Event], method: Method) -> None:
        self.events, self.method = tuple(events), method
        for event in self.events:
            if not isinstance(event, Event):
                raise ModelError(f"events: found a {type(event).__name__}; allowed are Events; write Event(function)")
        model = method.system.model
        self._functions = [event.on(model) for event in self.events]
        self._screen = Screen(method, [event.number(model) for event in self.events])
        self._to_compile = [i for i, event in enumerate(self.events) if not hasattr(event.function, "number")] if JIT else []
        self._of_contact = [i for i, event in enumerate(self.events) if isinstance(event.function, ContactChange)]
        self._pairs = {i: self.events[i].function.pairs(model) for i in self._of_contact}
        self._screen.record.contacts = bool(self._of_contact)
        self._first = method.steps
        self._fired: dict[int, float] = {}  # when each event stopped the method last
        self.reset()

    def reset(self) -> None:
        """Begin to watch at the end of the method's last step; what stopped the method there must leave zero before it fires again."""
        self._since = self._begin = t = self.method.time
        self._pending: list[Any] = []
        s = self.method.system
        values = [self._value(i, t, s.q, s.v) for i in range(len(self.events))]
        # On which side of zero each function was last, 0: not known yet.
        self._sides = [0 if self._fired.get(i) == t else int(np.sign(value)) for i, value in enumerate(values)]
        self._holds: dict[int, bool | None] = self._contact_now(begins=True)
        self._screen.begin()

    def _contact_now(self, begins: bool = False) -> dict[int, bool | None]:
        """Which conditions of contact hold at the end of the last step; None: not known before the first one, where the motion begins."""
        if not self._of_contact:
            return {}
        statuses = statuses_at_start(self.method.system) if begins else pair_statuses(self.method.system)
        return {i: self.events[i].function.holds(statuses[self._pairs[i]]) for i in self._of_contact}

    def _changes_of_contact(self) -> list[Occurrence]:
        """What has happened at contacts up to the end of the last step, since it was asked last."""
        if not self._of_contact:
            return []
        before, self._holds = self._holds, self._contact_now()
        t = self.method.time
        changed = [(i, 1 if now else -1) for i, now in self._holds.items() if before[i] is not None and now != before[i]]
        return [self._occurrence(t, i, sense) for i, sense in changed if self.events[i].direction in (0, sense)]

    def advance(self, until: float) -> list[Occurrence]:
        """Carry the method on to `until`, or to the first stop event before it; returns all that happened, what happened at once with that event too."""
        goal, method = until - _resolution(until), self.method
        progress = ProgressCheck(method, until)
        while method.time < goal and not any(found.event.stop for found in self._pending):
            if self._screen.record.time != method.time:  # steps were taken without it
                self._screen.begin()
            steps = method.steps
            suspect = method.advance_until_suspect(goal, self._screen)
            progress.check()
            if method.steps - steps > suspect:  # steps were passed over, in which numbers stayed on their side of zero
                self._sides = [new or old for new, old in zip(self._screen.sides(suspect), self._sides, strict=True)]
                self._since = max(self._since, method.before if suspect else method.time)
            if suspect:
                self._pending += self.after_step()
            else:
                self._pending += self._changes_of_contact()
            if self._to_compile and method.steps - self._first > COMPILED_AFTER:
                self._compile()
        ready = [found for found in self._pending if found.t <= until + _resolution(until)]
        self._pending = self._pending[len(ready) :]
        return ready

    def step(self) -> list[Occurrence]:
        """One step of the method; what happened up to its end, or to the first stop event in it."""
        if not any(found.event.stop for found in self._pending):
            self.method.step()
            self._pending += self.after_step()
        ready, self._pending = self._pending, []
        return ready

    def _compile(self) -> None:
        """Watch the compiled forms of functions from now on."""
        places, self._to_compile = self._to_compile, []
        self._screen.watch(places, [self.events[i].number(self.method.system.model, compiled=True) for i in places])

    def after_step(self) -> list[Occurrence]:
        """What happened in the last step, in the order of time; nothing later than the first stop event."""
        start, end = max(self._since, self.method.before), self.method.time
        if not self.events or end <= start:
            return []
        if len(self._of_contact) == len(self.events):
            self._since = end
            return self._changes_of_contact()
        times, states = self._probe_at(start, end)
        found, sides = [], []
        for i in range(len(self.events)):
            crossings, side = self._crossings(i, times, [self._value(i, t, *state) for t, state in zip(times, states, strict=True)])
            found += crossings
            sides.append(side)
        found.sort(key=lambda crossing: (crossing[0], crossing[1]))
        stop = next((k for k, (_, i, _) in enumerate(found) if self.events[i].stop), None)
        if stop is None:
            self._since, self._sides = end, sides
            return [self._occurrence(*crossing) for crossing in found] + self._changes_of_contact()
        t = found[stop][0]
        happened = [self._occurrence(*crossing) for crossing in found if crossing[0] <= t + _resolution(t)]  # at once with it too
        self._fired = {i: t for at, i, _ in found if abs(at - t) <= _resolution(t)}
        pending, holds = self._pending, self._holds  # what changes at contacts in this step has still to come
        self.method.cut(t)
        self.reset()
        self._pending, self._holds = pending, holds
        return happened

    def _probe_at(self, start: float, end: float) -> tuple[list[float], list[tuple[NDArray[np.float64], NDArray[np.float64]]]]:
        """(times, states) of the looks from one time to another in the last step: start, a little way in, parts, a little way before the end, end."""
        parts, inward = (QUARTERS if self.method.has_short_steps else LONG), INWARD
        while True:
            times = [start + x * (end - start) for x in (inward, *(k / parts for k in range(1, parts)), 1.0 - inward)]
            times = [start, *times, end]
            q, v = self.method.states_inside_step(times)
            wanted = float(np.abs(v).max(axis=0) @ self._screen.turning) * (end - start) / DENSE
            if not wanted > parts or parts >= MOST_PROBES:
                return times, list(zip(q, v, strict=True))
            parts = int(min(1.25 * wanted + 1.0, MOST_PROBES))
            inward = INWARD / parts

    # ---- for checkpoints

    def to_dict(self) -> dict[str, Any]:
        """What it knows of the functions so far, as values for JSON."""
        names, fired = [event.name for event in self.events], [[i, t] for i, t in self._fired.items()]
        pending = [occurrence_to_list(found) for found in self._pending]
        holds = [-1 if (known := self._holds.get(i)) is None else int(known) for i in range(len(names))]
        all_of_it = {"names": names, "since": self._since, "begin": self._begin, "sides": self._sides, "fired": fired, "pending": pending}
        return all_of_it | {"holds": holds}

    def from_dict(self, given: dict[str, Any]) -> None:
        """Take up what `to_dict` gave; what was known of other events than these does not count. FormatError for what it cannot have given."""
        names = given["names"]
        if names != [event.name for event in self.events]:
            return
        sides, fired = [saved_number({"side": x}, "side", 0, -1, 1) for x in given["sides"]], {}
        for i, t in given["fired"]:
            fired[saved_number({"event": i}, "event", 0, 0, len(names) - 1)] = saved_number({"fired": t}, "fired")
        if len(sides) != len(names):
            raise refuse_saved("sides of events", sides, f"{len(names)} of them")
        self._since, self._begin = saved_number(given, "since"), saved_number(given, "begin")
        self._sides, self._fired = sides, fired
        holds = [saved_number({"holds": x}, "holds", 0, -1, 1) for x in given.get("holds", [-1] * len(names))]
        if len(holds) != len(names):
            raise refuse_saved("contacts of events", holds, f"{len(names)} of them")
        self._holds = {i: None if holds[i] < 0 else bool(holds[i]) for i in self._of_contact}
        model = self.method.system.model
        self._pending = [occurrence_from_list(found, self.events, model) for found in given["pending"]]

    # ---- one function over one step

    def _crossings(self, i: int, times: list[float], values: list[float]) -> tuple[Any, ...]:
        """(crossings, side at the end); a crossing is (t, i, direction)."""
        # Times and values, with the turning points between them that lie beyond zero.
        points = list(zip(times, values, strict=True))
        for a, b, c in _turns(values):
            t, value = self._turning_point(i, times[a], times[c], 1.0 if values[b] > 0.0 else -1.0)
            if value * values[b] < 0.0:
                points.append((t, value))
        points.sort()
        found, side, last = [], self._sides[i], times[0]
        wanted = self.events[i].direction
        for t, value in points:
            now = int(np.sign(value))
            if now and side and now != side:
                at = self._locate(i, last, t, side)
                if wanted in (0, now) and at - self._begin > _resolution(self._begin):
                    found.append((at, i, now))
            if now:
                side, last = now, t
            elif side and t == times[-1] and t - self._begin > _resolution(self._begin):  # a step that ends on it: it need not go beyond
                if wanted in (0, -side):
                    found.append((t, i, -side))
                side = 0
        return found, side

    def _locate(self, i: int, a: float, b: float, side: int) -> float:
        """The time between a and b at which the function leaves the given side."""
        if self._at(i, a) * side <= 0.0:
            return a
        from scipy.optimize import brentq  # here, so that `import linkwork` need not wait for it

        t: float = a + brentq(lambda s: self._at(i, a + s), 0.0, b - a, xtol=min(0.1 * LOCATED, NEAR * (b - a)), rtol=1e-14, maxiter=200)
        return t

    def _turning_point(self, i: int, a: float, b: float, sign: float) -> tuple[float, float]:
        """(t, value) where sign times the function is least between a and b."""
        from scipy.optimize import minimize_scalar  # here, so that `import linkwork` need not wait for it

        found = minimize_scalar(
            lambda s: sign * self._at(i, a + s), bounds=(0.0, b - a), method="bounded", options={"xatol": 1e-9 * (b - a)}
        )
        return a + float(found.x), sign * float(found.fun)

    def _at(self, i: int, t: float) -> float:
        (q,), (v,) = self.method.states_inside_step([t])
        return self._value(i, t, q, v)

    def _value(self, i: int, t: float, q: NDArray[np.float64], v: NDArray[np.float64]) -> float:
        said = f"event {self.events[i].name!r}"
        try:
            value = self._functions[i](t, np.array(q), np.array(v))  # copies: what it does to them is its own affair
        except Exception as error:
            raise EventFunctionError(f"{said} raised {type(error).__name__}: {error}") from error
        if is_flag(value):
            raise EventFunctionError(
                f"{said}: its function gave {value} at t = {t:g} s; allowed is a number, whose crossings of zero are found",
                "return a difference, such as q[0] - 0.05 for q[0] > 0.05",
            )
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            raise EventFunctionError(f"{said}: its function gave {value!r:.80} at t = {t:g} s; allowed are finite numbers")
        return number

    def _occurrence(self, t: float, i: int, direction: int) -> Occurrence:
        q, v, _ = self.method.state(t)
        return Occurrence(self.events[i], str(self.events[i].name), t, q, v, direction)


def _turns(values: list[float]) -> Iterator[tuple[int, int, int]]:
    """Triples of places (a, b, c) such that a turning point towards zero lies between a and c; looks are start, inward, quarters, inward, end."""
    sizes, last = np.abs(values), len(values) - 1
    same = lambda *places: len({np.sign(values[k]) for k in places}) == 1 and values[places[0]] != 0.0  # noqa: E731
    probes = [0, *range(2, last - 1), last]
    for a, b, c in zip(probes, probes[1:], probes[2:], strict=False):
        if sizes[b] <= sizes[a] and sizes[b] <= sizes[c] and same(a, b, c):
            yield a, b, c
    # Within the first and the last quarter: towards zero at the end of the step, away from it at the quarter, or the other way round.
    if sizes[1] < sizes[0] <= sizes[2] and same(0, 1, 2):
        yield 0, 1, 2
    if sizes[last - 1] < sizes[last] <= sizes[last - 2] and same(last - 2, last - 1, last):
        yield last - 2, last - 1, last


def _resolution(t: float) -> float:
    least: float = LOCATED + 8.0 * np.spacing(abs(t))
    return least
