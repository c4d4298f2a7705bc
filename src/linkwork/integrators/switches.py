r"""Switches of one-sided forces: steps that are chosen by their error end where a force sets in or ends (decision 0020).

A force kind names the numbers whose signs decide whether it acts (parts/forces/kind.py: `switches`). Between its stages a step sees nothing of the
forces: one that acts for a shorter time is stepped over, and the error of the step does not know of it. So each number is watched inside every step, by
the bounds, the polynomials and the looks of event_screen.py. If it changes its sign, or a turning point of it lies beyond zero, the step is taken again to
end there, behind the switch by OVERSHOOT of its size, and the next goes on with the force on, or off. A switch in the last part (LATE) of a step is left to
the error: the stage at its end sees the force at its strongest, and the error that it shows is greater than the one that is made.

What is found depends on the step alone, not on what was watched before: a run that is resumed takes the same steps. After MOST_CUTS cuts one after the
other (a number that trembles about zero) a step is taken as it is.
"""

import numpy as np

from ..data.stepper import for_kernels
from ..kernels import kernel
from ..parts.forces.kind import ABOVE_PLANE, ALONG_JOINT, APART, PRESSING
from .event_screen import (
    ABOVE,
    COORDINATE,
    DISTANCE,
    PRESS,
    EventScreen,
    NumberToWatch,
    Screen,
    begin_at,
    begin_probe,
    parts_of_step,
    place_between,
    value_between,
)

LATE = 0.01  # of a step
EARLY = 1e-9  # of a step: a switch before it is at its start
INWARD = 1e-3  # of a step: probes this near to its ends give slopes there
OVERSHOOT = 1e-8  # of a step
MOST_CUTS = 8
GOLDEN = 0.3819660112501051
NONE = 2.0  # no switch: beyond the end of the step


@kernel
def _switch_at(screen: EventScreen, i, x, h) -> float:
    """Number i at the part x of the step."""
    if screen.entries[i].kind >= DISTANCE:
        place_between(screen, x, h, True)
    return value_between(screen, i, x, h)


@kernel
def first_switch(screen: EventScreen, h) -> float:
    """The part of the step at which the first number changes its sign; NONE if none does. After `begin_probe`, with the polynomial laid."""
    parts, first = parts_of_step(screen, h), NONE
    for i in range(screen.count):
        if not screen.entries[i].clear:
            first = min(first, _switch_of(screen, i, h, parts))
    return first


@kernel
def _switch_of(screen: EventScreen, i, h, parts) -> float:
    """The first change of sign of number i, or the first crossing about a turning point beyond zero."""
    a, b = 0.0, EARLY
    fa = fb = _switch_at(screen, i, EARLY, h)
    for k in range(parts + 2):
        c = INWARD if k == 0 else (1.0 - INWARD if k == parts else min(k, parts) / parts)
        fc = _switch_at(screen, i, c, h)
        if fb * fc < 0.0:
            return _crossing(screen, i, h, b, c)
        side = 1.0 if fb > 0.0 else -1.0
        size = side * fb
        # Next to a probe near an end, the change gives a slope only, not the depth of a turning point.
        near = size <= max(abs(fa - fb), abs(fc - fb)) or k == 1 or k == parts + 1
        if near and size <= side * fa and size <= side * fc and fb != 0.0:
            turn = _turning_point(screen, i, h, a, c, side)
            if side * _switch_at(screen, i, turn, h) < 0.0:
                return _crossing(screen, i, h, a, turn)
        if fc != 0.0 or fb == 0.0:
            a, fa, b, fb = b, fb, c, fc
    return NONE


@kernel
def _turning_point(screen: EventScreen, i, h, a, c, side) -> float:
    """Where side times number i is least between a and c, or any place where it is below zero: by golden sections."""
    x, y = a + GOLDEN * (c - a), c - GOLDEN * (c - a)
    fx, fy = side * _switch_at(screen, i, x, h), side * _switch_at(screen, i, y, h)
    for _ in range(48):
        if fx < 0.0 or (fy >= 0.0 and c - a < 1e-9):
            return x
        if fy < 0.0:
            return y
        if fx < fy:
            c, y, fy = y, x, fx
            x = a + GOLDEN * (c - a)
            fx = side * _switch_at(screen, i, x, h)
        else:
            a, x, fx = x, y, fy
            y = c - GOLDEN * (c - a)
            fy = side * _switch_at(screen, i, y, h)
    return x


@kernel
def _crossing(screen: EventScreen, i, h, a, b) -> float:
    """Where number i changes its sign between a and b: regula falsi after Illinois; on the side of b."""
    fa, fb, kept = _switch_at(screen, i, a, h), _switch_at(screen, i, b, h), 0
    for _ in range(60):
        if b - a <= 1e-12:
            break
        x = b - fb * (b - a) / (fb - fa)
        if not a < x < b:
            x = 0.5 * (a + b)
        fx = _switch_at(screen, i, x, h)
        if fx == 0.0:
            return x
        if fx * fa < 0.0:
            b, fb = x, fx
            if kept == 1:
                fa = 0.5 * fa
            kept = 1
        else:
            a, fa = x, fx
            if kept == 2:
                fb = 0.5 * fb
            kept = 2
    return b


@kernel(entry="i d -> n")
def begin_switches(screen: EventScreen, time) -> None:
    """Begin to watch at the state (q1, v1), for a method that takes its steps from Python."""
    begin_at(screen, time, screen.q1, screen.v1)


@kernel(entry="i d -> d")
def find_switch(screen: EventScreen, time) -> float:
    """The part of the step to (q1, v1), whose polynomial is laid, at which a force sets in or ends first; NONE if none does."""
    return first_switch(screen, time - screen.time) if begin_probe(screen, time, screen.q1, screen.v1) else NONE


class Switches:
    """The switches of a system's forces. `screen` watches them; None if no force that is switched on has any."""

    def __init__(self, method):
        self.method, self.screen = method, None
        self._any = any(info.kind.switches() for info in method.system.active_forces.infos)
        self.refresh()

    def refresh(self):
        """Look anew at which forces are on, and at their numbers."""
        if not self._any:
            return
        numbers = list(_numbers(self.method.system.active_forces))
        self.screen = Screen(self.method, numbers) if numbers else None
        if self.screen is not None:
            self.screen.record.exact = True
        self.begin()

    def begin(self):
        """Begin to watch where the next step begins."""
        if self.screen is not None:
            self.screen.record.time = np.nan

    def part(self, now, end, lay):
        """The part of a step from one Point to another at which a force sets in or ends first, beyond 1 if none does; `lay(record)` lays its polynomial."""
        if self.screen is None:
            return NONE
        record = self.screen.record
        record.q1[:], record.v1[:] = now.q, now.v
        begin_switches(for_kernels(record), float(now.t))
        record.q1[:], record.v1[:] = end.q, end.v
        lay(record)
        return find_switch(for_kernels(record), float(end.t))


def _numbers(active_forces):
    """A NumberToWatch for every switch of every entry of a force that is on."""
    for row in active_forces.entries:
        if not active_forces.on[row["force"]]:
            continue
        for switch in active_forces.infos[row["force"]].kind.switches():
            if switch.of == ALONG_JOINT:
                yield NumberToWatch({"kind": COORDINATE, "q": int(row["q"]), "v": int(row["v"]), "value": switch.value})
                continue
            ends = {"a": int(row["a"]), "pa": tuple(row["pa"]), "b": int(row["b"]), "pb": tuple(row["pb"])}
            if switch.of == APART:
                yield NumberToWatch({"kind": DISTANCE, "value": switch.value, **ends})
                continue
            ends["axis"] = tuple(row["Rb"].reshape(3, 3)[:, 2])
            if switch.of == ABOVE_PLANE:
                yield NumberToWatch({"kind": ABOVE, "value": 0.0, **ends})
            elif switch.of == PRESSING:
                yield NumberToWatch({"kind": PRESS, "value": 0.0, "press": switch.numbers, **ends})
