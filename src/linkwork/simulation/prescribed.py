r"""Time functions of constraints, looked at before a run follows them: from one sample to the next they must be such that a motion can follow.

jump        the value, or for methods that take it as drift the velocity, changes at once. A projection brings the state behind the jump onto the
            constraint again, by the least change and not by the impulse, so that no residual is left to tell: free coordinates are just wrong.
domain      an angle outside (0, pi), a length that is not positive: the rows fold over, and follow cos theta and L^2 instead.
end         a spline that says extrapolate=False is followed to its end.

Functions are sampled PARTS times from one sample of a run to the next. Between a and b, h apart, a smooth one leaves only O(h^3) in

    e = |f(b) - f(a) - h/2 (f'(a) + f'(b))|,     and likewise for f' and f''.                                                            (1)

What leaves more is halved, towards the half that leaves more, until the limit is met (smooth after all) or the clock resolves no more (a jump).
Of splines the breaks are known. Sizes are held against the limits of residuals (open_constraints.py), velocities against the fastest that the
function has been so far, or that the spline ever is: at 5 % of that free coordinates are wrong by about as much. Jumps that undo each other within a part
are not seen.
"""

import ctypes
import math
from typing import NamedTuple

import numpy as np

from ..analysis.wiring import length_of
from ..kernels import JIT
from ..model.custom import call_custom
from ..parts.constraints.kind import ANGLE, DISTANCE
from ..parts.constraints.law import FUNCTION
from ..parts.constraints.measure import LEAST_ANGLE
from .open_constraints import REFUSED, SLOWEST, TOLD

PARTS = 16  # from one sample of a run to the next
MOST = 4096  # of a step that is longer than that, or of many samples
HALVINGS = 60
RESOLVED = 1e-9  # of the time between samples: what happens within is a jump for any step
NEAR = 1e-9  # of the length of a spline: times closer to its end than this are the end

_NATIVE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class PrescribedFault(NamedTuple):
    """What a time function of constraint `name` does from time t on that no motion follows. `refused`: it ends the run, else it is told."""

    name: str
    t: float
    found: str
    remedy: str
    refused: bool

    def text(self, _=None):
        """What it does, and what to do."""
        return f"constraint {self.name!r}: {self.found} at t = {self.t:.6g} s; {self.remedy}"


class PrescribedMotion:
    """The time functions of a model's constraints on the way of a run. `fastest`: of each, its largest rate so far.

    takes_impacts: does the method solve a jump of velocities as an impact (`Method.takes_impacts`)?
    """

    def __init__(self, model, takes_impacts=False):
        self._functions = list(_functions(model))
        self._takes_impacts = takes_impacts
        self._length = min(1.0, length_of(model)) if self._functions else 1.0
        self.fastest = [function.fastest for function in self._functions]

    def first_fault(self, begin, end, parts=PARTS, jumps_only=False) -> PrescribedFault | None:
        """The first fault behind a time up to another one: one that is refused if there is any."""
        if not self._functions or not end > begin:
            return None
        found = [fault for k in range(len(self._functions)) for fault in self._faults(k, begin, end, parts, jumps_only)]
        return min(found, key=lambda fault: (not fault.refused, fault.t), default=None)

    def _faults(self, k, begin, end, parts, jumps_only):
        function = self._functions[k]
        if function.law.kind == FUNCTION:
            times = np.linspace(begin, end, parts + 1).tolist()
            values = [function.at(t) for t in times]
            if not np.isfinite(values).all():
                return  # it raised, or has no number there: the run says so when it comes to it
            self.fastest[k] = max(self.fastest[k], *(abs(value[function.level]) for value in values))
            jumps = self._jumps(k, times, values)
        else:
            jumps = [jump for jump in function.jumps if begin < jump[0] <= end]
        yield from (fault for jump in jumps if (fault := self._jump(k, *jump)) is not None)
        if jumps_only:
            return
        if function.domain is not None:
            yield from self._outside(function, np.linspace(begin, end, parts + 1).tolist())
        law = function.law
        if not law.extrapolates:
            (first, *_, last), remedy = law.breaks, "run within it, give a spline that goes on, or let it extrapolate (extrapolate=True)"
            near = NEAR * (last - first)
            if begin < first - near or end > last + near:
                found = f"its spline, from {first:g} to {last:g} s, says that it does not extrapolate, and ends"
                yield PrescribedFault(function.name, first if begin < first - near else last, found, remedy, True)

    def _limit(self, k, of_velocity, limits):
        return limits[1] * max(self.fastest[k], SLOWEST) if of_velocity else limits[0] * self._length

    def _jumps(self, k, times, values):
        """(time, 0 for values and 1 for rates, size) of jumps of a plain function between times that follow each other."""
        function, end = self._functions[k], RESOLVED * (times[-1] - times[0])
        for level in (0, 1):
            limit = self._limit(k, level == function.level, TOLD)
            for i in range(len(times) - 1):
                if _curved(times, values, i, level) > limit:
                    a, b = (times[i], values[i]), (times[i + 1], values[i + 1])
                    found = _halve(function.at, a, b, level, limit, end)
                    if found is not None:
                        yield found[0], level, found[1]
            if function.level == 0:
                return  # of a speed: its rate may jump

    def _jump(self, k, t, level, size):
        function = self._functions[k]
        of_velocity = level == function.level
        if not size > self._limit(k, of_velocity, TOLD) or (of_velocity and self._takes_impacts):
            return None
        unit, remedy = "m or rad", "give one that is continuous"
        if of_velocity:
            unit, remedy = "m/s or rad/s", "give one with a continuous velocity, or use Variational, which takes it as an impact"
        found = f"its time function jumps by {size:.3g} {unit}"
        return PrescribedFault(function.name, t, found, remedy, not size <= self._limit(k, of_velocity, REFUSED))

    def _outside(self, function, times):
        low, high, words = function.domain
        inside = lambda t: not (value := function.at(t)[0]) <= low and not value >= high  # noqa: E731
        k = next((k for k, t in enumerate(times) if not inside(t)), None)
        if k is None:
            return
        a, b = times[max(k - 1, 0)], times[k]
        for _ in range(HALVINGS):
            mid = 0.5 * (a + b)
            a, b = (mid, b) if inside(mid) else (a, mid)
        yield PrescribedFault(function.name, b, f"its time function gives {function.at(b)[0]:.6g}", words, True)


class _Function:
    """A time function of a constraint: `at(t)` gives value, rate and second derivative. level: which of these is a velocity."""

    def __init__(self, name, block, law, entry):
        self.name, self.law, self.level = name, law, 1 if block.holonomic else 0
        self.domain = _DOMAINS.get(block.kind)
        self.jumps, self.fastest = [], 0.0  # of a spline: (time, 0 or 1, size), and its largest velocity at any break
        if law.kind == FUNCTION:
            self._code, self._given, self._out = entry["code"], np.zeros(1), np.zeros(3)
            self._native = _NATIVE(int(entry["code"])) if JIT else None
            self._at = self._given.ctypes.data, self._given.ctypes.data, self._out.ctypes.data
        else:
            self._find_jumps()

    def at(self, t):
        if self.law.kind == FUNCTION:
            self._given[0] = t
            if self._native is not None:
                self._native(*self._at)
            else:
                call_custom(self._code, self._given, self._given, self._out, 1)
            return self._out.tolist()
        breaks, pieces = self.law.breaks, self.law.pieces
        k = min(max(int(np.searchsorted(breaks, t, side="right")) - 1, 0), len(pieces) - 1)
        return _polynomial(pieces[k], t - breaks[k])

    def _find_jumps(self):
        law = self.law
        before = None
        for piece, begin, end in zip(law.pieces, law.breaks, law.breaks[1:], strict=False):
            behind = _polynomial(piece, 0.0)
            if before is not None:
                self.jumps += [(begin, k, abs(behind[k] - before[k])) for k in range(self.level + 1) if before[k] != behind[k]]
            before = _polynomial(piece, end - begin)
            self.fastest = max(self.fastest, abs(behind[self.level]), abs(before[self.level]))


_DOMAINS = {
    ANGLE: (
        LEAST_ANGLE,
        math.pi - LEAST_ANGLE,
        f"allowed are angles from {LEAST_ANGLE:g} to pi - {LEAST_ANGLE:g} rad, give a function that stays between them, or run shorter",
    ),
    DISTANCE: (0.0, math.inf, "allowed are lengths above 0 m, give a function that stays above it, or run shorter"),
}


def _functions(model):
    """Those of all constraints that move."""
    blocks = iter(model.rules.blocks)
    for info in model.constraints:
        if info.is_loop:
            next(blocks)
            continue
        for block in info.kind.blocks():
            first = int(next(blocks)["law"])
            for k, law in enumerate(block.laws):
                if law.moves:
                    yield _Function(info.name, block, law, model.rules.laws[first + k])


def _polynomial(piece, x):
    """Value, rate and second derivative: Horner's rule."""
    value = rate = second = 0.0
    for c in piece:
        value, rate, second = value * x + c, rate * x + value, second * x + 2.0 * rate
    return value, rate, second


def _curved(times, values, i, level):
    """(1) between two times."""
    h, a, b = times[i + 1] - times[i], values[i], values[i + 1]
    return abs(b[level] - a[level] - 0.5 * h * (a[level + 1] + b[level + 1]))


def _halve(at, a, b, level, limit, resolved):
    """(time, size) of a jump between two times, None if the function is smooth."""
    for _ in range(HALVINGS):
        t = 0.5 * (a[0] + b[0])
        if b[0] - a[0] <= max(resolved, 4.0 * math.ulp(t)):
            break
        middle = t, at(t)
        left, right = (_curved((x[0], y[0]), (x[1], y[1]), 0, level) for x, y in ((a, middle), (middle, b)))
        if not max(left, right) > limit:
            return None
        a, b = (a, middle) if left >= right else (middle, b)
    return b[0], abs(b[1][level] - a[1][level])
