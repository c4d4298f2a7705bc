r"""Constraints that a run cannot follow: time functions that no motion follows, examined ahead, and residuals that no projection explains, at every sample.

jump        the value of a time function, or for methods that take it as drift the velocity, changes at once. A projection brings the state behind the jump
            onto the constraint again, by the least change and not by the impulse, so that no residual shows it: free coordinates are just wrong.
domain      an angle outside (0, pi), a length that is not positive: the rows fold over, and follow cos theta and L^2 instead.
end         a spline that says extrapolate=False is followed to its end.
open        phi or phi_dot of a row is far from zero: a step has passed over motion that is prescribed, or is too large for a loop.

One measure serves for all: an angle is an angle (1 rad), a length is measured by the mechanism's, a rate by the fastest that the function, or what moves
on the row's way, has been. Rows of loops count by their natural size (constraints/rank.py) if that is more. Below TOLD nothing is reported, below REFUSED
the audit reports it, beyond it the run ends: at 5 % of the speed free coordinates are wrong by about as much. Over the zoo of mechanisms and random ones,
all methods at their usual steps leave less than 3e-6 of positions and 1e-4 of velocities; steps by a loose tolerance (1e-3) some 1e-3.

Functions are sampled PARTS times from one sample of a run to the next, and every FINEST s. Between a and b, h apart, a smooth one leaves only O(h^3) in

    e = |f(b) - f(a) - h/2 (f'(a) + f'(b))|,     and likewise for f' and f''.                                                            (1)

What leaves more is halved, towards the half that leaves more, until the limit is met (smooth after all) or the clock resolves no more (a jump).
Of splines the breaks are known. Jumps that undo each other within a part are not seen here; steps that follow the error end at them (time_watch.py).
"""

import ctypes
import math
from typing import NamedTuple

import numpy as np

from ..analysis.split_rows import split_rows
from ..constraints.tolerance import comparable, length_of, rest_pace, row_units
from ..integrators.time_watch import FINEST
from ..kernels import JIT
from ..model.custom import call_custom
from ..parts.constraints.kind import ANGLE, COUPLING, DISTANCE, LOCK, SPEED
from ..parts.constraints.measure import LEAST_ANGLE
from ..parts.constraints.time_function import FUNCTION

CLOSED = (1e-8, 1e-6)  # rad or lengths; of the fastest velocity: no more than a start may have, and not checked
TOLD = (1e-5, 1e-3)  # of 1 rad or a length; of the velocities
REFUSED = (1e-2, 5e-2)  # the same, of prescribed motion
LOOP = 10.0  # times that, of positions: a loop that is so far open is none. Less is what a tolerance of 1e-2, which may be meant, leaves between steps
SLOWEST = 1e-3  # of the pace of gravity: slower motion is measured by this, times 1 rad or a length

PARTS = 16  # from one sample of a run to the next
MOST = 4096  # of a step that is longer than that, or of many samples
HALVINGS = 60
RESOLVED = 1e-9  # of the time between samples: what happens within is a jump for any step

_NATIVE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


# ---- the measure


def _is_angle(model, info, block, k):
    """Is row k of a block (k: the place of its time function, for blocks with several) an angle? What is none is a length."""
    if block.kind in (COUPLING, SPEED):
        return all(_turns(model.joint(name), dof) for name, dof in info.joints)
    return block.kind == ANGLE or (block.kind == LOCK and k >= 3)


def _turns(joint, dof):
    if joint.kind.ball or joint.kind.free:
        return dof < 3
    return (joint.kind.elements or ())[dof].turn != 0.0 if joint.kind.elements else True


def _row_sizes(model):
    """1 for rows that are angles, the mechanism's length for others, (nc,)."""
    length, sizes = length_of(model), []
    for info in model.constraints:
        if info.is_loop:
            sizes += [1.0 if word.split()[-1].startswith("r") else length for word in info.words]
            continue
        for block in info.kind.blocks():
            places = (
                [("x", "y", "z").index(word) if word in ("x", "y", "z") else 3 for word in block.rows]
                if block.kind == LOCK
                else [0] * len(block.rows)
            )
            sizes += [1.0 if _is_angle(model, info, block, k) else length for k in places]
    return np.array(sizes)


# ---- residuals at a sample


class OpenConstraint(NamedTuple):
    """A row that is open: `name` of its constraint, its residual, whether that is of velocities, and whether the state is refused for it."""

    name: str
    residual: float
    of_velocity: bool
    prescribed: bool
    refused: bool

    def text(self, t):
        """What is open, and what to do."""
        verb, unit = ("moves off its rate by", "m/s or rad/s") if self.of_velocity else ("is open by", "m or rad")
        why = (
            "its time function jumps, or is faster than the steps; give smaller steps (step=, max_step=), or a function with a continuous velocity"
            if self.prescribed
            else "steps are too large for it; take smaller ones, or a tighter tolerance"
        )
        return f"constraint {self.name!r} {verb} {abs(self.residual):.3g} {unit} at t = {t:.6g} s: {why}"


def open_constraint(model, q, v, t, residuals) -> OpenConstraint | None:
    """The row that is farthest open at a state, None if all are closed. residuals: (phi, phi_dot), each (nc,)."""
    phi, rate = residuals
    units, pace = row_units(model), rest_pace(model)
    fastest = max(pace, float(np.abs(comparable(model) * v).max(initial=0.0)))
    if (np.abs(phi) <= CLOSED[0] * units).all() and (np.abs(rate) <= CLOSED[1] * fastest * units).all():
        return None
    split, worst = split_rows(model, q, t), None
    sizes = np.maximum(split.arrays.natural, _row_sizes(model))
    # What the velocities on a row's own way add up to: no other part of the mechanism, however fast, excuses it.
    moving = np.maximum(np.abs(split.J) @ np.abs(v), SLOWEST * pace * sizes)
    for level, (rows, measure) in enumerate(((split.counted(phi), sizes), (split.counted(rate, v, pace), moving))):
        shares = np.abs(rows) / measure
        i = int(np.argmax(shares))
        if not shares[i] <= TOLD[level] and (worst is None or shares[i] / REFUSED[level] > worst[0]):
            worst = shares[i] / REFUSED[level], i, rows[i], level == 1
    if worst is None:
        return None
    share, i, residual, of_velocity = worst
    info = next(c for c in model.constraints if c.rows.start <= i < c.rows.stop)
    prescribed = not info.is_loop and any(block.moves for block in info.kind.blocks())
    refused = share > (1.0 if prescribed else LOOP) if not of_velocity else prescribed and share > 1.0
    return OpenConstraint(info.name, float(residual), of_velocity, prescribed, bool(refused))


# ---- time functions ahead


class PrescribedFault(NamedTuple):
    """What a time function of constraint `name` does from time t on that no motion follows. `refused`: it ends the run, else there is a warning."""

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

    takes_impacts: does the method solve a jump of velocities as an impact (`Method.takes_impacts`)? `impacts`: the times of those examined last.
    """

    def __init__(self, model, takes_impacts=False):
        self._functions = list(_functions(model))
        self._takes_impacts, self.pace = takes_impacts, rest_pace(model)
        self.fastest = [function.fastest for function in self._functions]
        self.impacts: list[float] = []

    def first_fault(self, begin, end, parts=PARTS, jumps_only=False) -> PrescribedFault | None:
        """The first fault behind a time up to another one: one that is refused if there is any."""
        self.impacts = []
        if not self._functions or not end > begin:
            return None
        parts = max(parts, min(math.ceil((end - begin) / FINEST), MOST))
        found = [fault for k in range(len(self._functions)) for fault in self._faults(k, begin, end, parts, jumps_only)]
        return min(found, key=lambda fault: (not fault.refused, fault.t), default=None)

    def _faults(self, k, begin, end, parts, jumps_only):
        function = self._functions[k]
        if function.time_function.kind == FUNCTION:
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
        time_function = function.time_function
        first, last = time_function.domain
        if begin < first or end > last:
            remedy = "run within it, give a spline that goes on, or let it extrapolate (extrapolate=True)"
            found = f"its spline, from {time_function.breaks[0]:g} to {time_function.breaks[-1]:g} s, says that it does not extrapolate, and ends"
            yield PrescribedFault(function.name, time_function.breaks[0 if begin < first else -1], found, remedy, True)

    def _limit(self, k, of_velocity, limits):
        size = self._functions[k].size
        return limits[1] * max(self.fastest[k], SLOWEST * self.pace * size) if of_velocity else limits[0] * size

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
        if not size > self._limit(k, of_velocity, TOLD):
            return None
        if of_velocity and self._takes_impacts:
            self.impacts.append(t)
            return None
        unit, remedy = function.unit, "give one that is continuous"
        if of_velocity:
            unit, remedy = f"{unit}/s", "give one with a continuous velocity, or use Variational, which takes it as an impact"
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
    """A time function of a constraint: `at(t)` gives value, rate and second derivative. level: which of these is a velocity; size, unit: how it is measured."""

    def __init__(self, info, block, time_function, entry, measure):
        self.name, self.time_function, self.level = info.name, time_function, 1 if block.holonomic else 0
        self.size, self.unit = measure
        self.domain = _DOMAINS.get(block.kind)
        self.jumps, self.fastest = [], 0.0  # of a spline: (time, 0 or 1, size), and its largest velocity at any break
        if time_function.kind == FUNCTION:
            self._code, self._given, self._out = entry["code"], np.zeros(1), np.zeros(3)
            self._native = _NATIVE(int(entry["code"])) if JIT else None
            self._at = self._given.ctypes.data, self._given.ctypes.data, self._out.ctypes.data
        else:
            self._find_jumps()

    def at(self, t):
        if self.time_function.kind == FUNCTION:
            self._given[0] = t
            if self._native is not None:
                self._native(*self._at)
            else:
                call_custom(self._code, self._given, self._given, self._out, 1)
            return self._out.tolist()
        breaks, pieces = self.time_function.breaks, self.time_function.pieces
        k = min(max(int(np.searchsorted(breaks, t, side="right")) - 1, 0), len(pieces) - 1)
        return _polynomial(pieces[k], t - breaks[k])

    def _find_jumps(self):
        time_function = self.time_function
        before = None
        for piece, begin, end in zip(time_function.pieces, time_function.breaks, time_function.breaks[1:], strict=False):
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
    blocks = iter(model.constraint_tables.blocks)
    for info in model.constraints:
        if info.is_loop:
            next(blocks)
            continue
        for block in info.kind.blocks():
            first = int(next(blocks)["time_function"])
            for k, time_function in enumerate(block.time_functions):
                if time_function.moves:
                    measure = (1.0, "rad") if _is_angle(model, info, block, k) else (length_of(model), "m")
                    yield _Function(info, block, time_function, model.constraint_tables.time_functions[first + k], measure)


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
