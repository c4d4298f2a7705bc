"""Times at which a step must end: samples of controllers, times at which forces say that they jump, and breaks of piecewise time functions.

Controllers are due at whole ticks of a common clock, origin + tick / ticks; what they hold is constant in between. A force kind may name times
(`times`) at which its law is not smooth. At either, a method with a memory of the past begins anew, and so it does at breaks of a spline where the
acceleration that it prescribes jumps. At other breaks a step ends, so that none passes over what happens between two of them; the past counts on.
"""

import math
from fractions import Fraction

import numpy as np

from ..data.stepper import for_kernels
from ..errors import ModelError
from ..parts.constraints.time_function import PIECEWISE
from .controllers import sample_controllers

TICKS_LIMIT = 1e6  # Hz, of the common clock of controllers
SMOOTH = 1e-9  # of a derivative: pieces of a spline that differ by less at a break are smooth there


class Stops:
    """The stops of a system that starts at t. `tick` is the next tick at which a controller is due."""

    def __init__(self, system, t):
        self.system, self.origin, self.tick, self._every = system, float(t), 0, []
        self.ticks = common_clock(system)
        if system.has_controllers:
            system.sample_every(1.0 / self.ticks)
            self._every = [entry.every for entry in system.controller_table.entries]
        corners, self.breaks = break_times(system.model)
        self.times = np.union1d(jump_times(system), corners)
        self._seen = self._parameters()

    def begin(self, t):
        """Begin anew at a time: controllers are sampled there if it is not within their present period."""
        if self._every and not self._due(self.tick) >= t:
            self.origin, self.tick = float(t), 0

    def passed(self, time):
        """Let controllers speak that are due at this time. True if forces have jumped since the last call, so that the past does not count."""
        jumped = bool(len(self.times)) and bool(np.any(self.times == time))
        now = self._parameters()
        if now != self._seen:
            self._seen, jumped = now, True
        if self._every and self._due(self.tick) <= time:
            sample_controllers(for_kernels(self.system.stepper), self.tick, float(time))
            self.tick = min((self.tick // every + 1) * every for every in self._every)
            jumped = True
        return jumped

    def next(self, time):
        """The next stop after a time."""
        later = [times[k] for times in (self.times, self.breaks) if (k := int(np.searchsorted(times, time, side="right"))) < len(times)]
        return float(min([*later, self._due(self.tick) if self._every else math.inf]))

    def _due(self, tick):
        return self.origin + tick / self.ticks

    def _parameters(self):
        """What acts, as bytes."""
        active_forces = self.system.active_forces
        return active_forces.parameters


def jump_times(system):
    """Times at which forces say that they are not smooth, sorted."""
    return np.unique([float(x) for info in system.active_forces.infos for x in getattr(info.kind, "times", ())])


def break_times(model):
    """Breaks of all piecewise time functions of the constraints, sorted: those where value, rate or second derivative jumps, and all others."""
    corners, others = [], []
    for time_function in model.constraint_tables.time_functions:
        if time_function["kind"] == PIECEWISE:
            count, order, first = time_function["count"], time_function["order"], time_function["first"]
            breaks = model.constraint_tables.coefficients[first : first + count + 1]
            pieces = model.constraint_tables.coefficients[first + count + 1 :][: count * order].reshape(count, order)
            corner = np.zeros(count + 1, dtype=bool)
            for k in range(1, count):
                ends = (np.polyder(np.poly1d(pieces[k - 1]), m)(breaks[k] - breaks[k - 1]) for m in range(3))
                begins = (np.polyder(np.poly1d(pieces[k]), m)(0.0) for m in range(3))
                corner[k] = any(abs(a - b) > SMOOTH * max(abs(a), abs(b)) for a, b in zip(ends, begins, strict=True))
            corners.extend(breaks[corner])
            others.extend(breaks[~corner])
    return np.unique(corners), np.setdiff1d(others, corners)


def common_clock(system):
    """Ticks a second of a clock on which every controller is due at whole ticks."""
    rates = [Fraction(c.rate).limit_denominator(10**6) for c in system.controllers]
    if not rates:
        return 1.0
    ticks = Fraction(math.lcm(*(r.numerator for r in rates)), math.gcd(*(r.denominator for r in rates)))
    if ticks > TICKS_LIMIT:
        named = ", ".join(f"{c.name!r} {c.rate:g} Hz" for c in system.controllers)
        raise ModelError(
            f"controllers: their rates ({named}) meet on a clock of {float(ticks):g} Hz; allowed is 1e6 Hz; choose rounder rates"
        )
    return float(ticks)
