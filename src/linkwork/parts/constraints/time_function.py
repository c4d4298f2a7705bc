"""Functions of time: a prescribed value with its first and second derivative, as kernels evaluate it.

A law is given as a number (constant), a piecewise polynomial (scipy's CubicSpline, PPoly, anything with `x` and `c`), or a plain function of
time, which is compiled and differentiated. A spline goes on beyond its ends as its first and last pieces do, unless it says that it does not
(extrapolate=False): times beyond them are then refused, by runs and by functions of one state. One that says extrapolate="periodic" is refused.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...jets import is_function
from ...jets.retarget import interpreted
from ..validation import number, refuse, sequence

CONSTANT, PIECEWISE, FUNCTION = range(3)
NEAR = 1e-9  # of the length of a spline: times closer to its end than this are the end


@dataclass(frozen=True, eq=False)
class TimeFunction:
    """A prescribed value over time. `kind` says which of the other fields holds it."""

    kind: int
    value: float = 0.0  # CONSTANT
    breaks: tuple[float, ...] = ()  # PIECEWISE: t_0 < t_1 < ... < t_k
    pieces: tuple[tuple[float, ...], ...] = ()  # PIECEWISE: coefficients of each piece, highest power of (t - t_i) first
    function: Any = None  # FUNCTION: of t
    component: int = -1  # FUNCTION: which of the numbers it returns, -1 if it returns one
    extrapolates: bool = True  # PIECEWISE: do the first and last piece go on beyond the breaks?

    @property
    def moves(self):
        """Does the value change?"""
        return self.kind != CONSTANT

    @property
    def domain(self):
        """(first, last) of the times it is given for, s."""
        if self.extrapolates:
            return -math.inf, math.inf
        near = NEAR * (self.breaks[-1] - self.breaks[0])
        return self.breaks[0] - near, self.breaks[-1] + near

    def _content(self):
        return self.kind, self.value, self.breaks, self.pieces, self.function, self.component, self.extrapolates

    def __eq__(self, other):
        return isinstance(other, TimeFunction) and self._content() == other._content()

    def __hash__(self):
        return hash(self._content())

    def samples(self):
        """Some values it takes: the constant, those at the breaks, or that at time 0; what is no number is NaN."""
        if self.kind == CONSTANT:
            return (self.value,)
        if self.kind == PIECEWISE:
            ends = [np.polyval(piece, b - a) for piece, a, b in zip(self.pieces, self.breaks, self.breaks[1:], strict=False)]
            return (*(piece[-1] for piece in self.pieces), *(float(end) for end in ends))
        return (self._at_start()[0],)

    def _at_start(self):
        """(value at time 0 or NaN, what is wrong with it or None)."""
        try:
            found = interpreted(self.function)(0.0)
            if self.component >= 0:
                found = tuple(found)
                if len(found) != 3:
                    return math.nan, f"returns {len(found)} numbers at t = 0; allowed are 3: x, y, z"
                found = found[self.component]
            value = float(found)
        except Exception as error:  # whatever a user's function raises is a fault of this constraint, to be reported with the others
            return math.nan, f"failed at t = 0 ({type(error).__name__}: {error}); it must return {self._returns} for every t"
        return value, None if math.isfinite(value) else f"returned {value} at t = 0; it must return {self._returns} for every t"

    @property
    def _returns(self):
        return "a finite number" if self.component < 0 else "three finite numbers"

    def faults(self, what):
        """What is wrong with the law's numbers, if anything."""
        numbers = (self.value, *self.breaks, *(c for piece in self.pieces for c in piece))
        if not all(map(math.isfinite, numbers)):
            yield "time_function", f"{what} holds a number that is not finite; allowed are finite numbers; correct it"
        if any(b <= a for a, b in zip(self.breaks, self.breaks[1:], strict=False)):
            yield (
                "time_function",
                f"{what} has times that do not increase; allowed are increasing times; sort them and leave out repeated ones",
            )
        if self.kind == FUNCTION and (problem := self._at_start()[1]):
            yield "time_function", f"{what}, a function of time, {problem}; correct the function"


def time_function(value, owner, what) -> TimeFunction:
    """A law from what a person gives: a number, a piecewise polynomial or a function of time."""
    if isinstance(value, TimeFunction):
        return value
    if _is_spline(value):
        extrapolates = _extrapolates(value, owner, what)
        x, c = _pieces(value)
        if c.ndim != 2 or x.ndim != 1 or c.shape[1] != len(x) - 1:
            raise refuse(owner, what, value, "give a spline of one value, such as CubicSpline(times, values)")
        return _piecewise(x, c, extrapolates)
    if is_function(value):
        return TimeFunction(FUNCTION, function=value)
    if callable(value):
        needed = "give a function of t written with def or lambda, or a spline of SciPy (CubicSpline, PPoly, BSpline)"
        raise refuse(owner, what, value, needed)
    return TimeFunction(CONSTANT, number(value, owner, what))


def path_time_functions(path, owner, what) -> tuple[TimeFunction, TimeFunction, TimeFunction]:
    """Three laws, for x, y, z: from three laws, a spline of three columns, or a function of t that returns three numbers."""
    needed = "give three laws (x, y, z), a spline through points (n, 3), or a function of t that returns three numbers"
    if _is_spline(path):
        extrapolates = _extrapolates(path, owner, what)
        x, c = _pieces(path)
        if c.ndim != 3 or c.shape[2] != 3 or x.ndim != 1 or c.shape[1] != len(x) - 1:
            raise refuse(owner, what, path, needed)
        return tuple(_piecewise(x, c[..., k], extrapolates) for k in range(3))
    if is_function(path):
        return (
            TimeFunction(FUNCTION, function=path, component=0),
            TimeFunction(FUNCTION, function=path, component=1),
            TimeFunction(FUNCTION, function=path, component=2),
        )
    time_functions = sequence(path, owner, what, needed)
    if len(time_functions) != 3:
        raise refuse(owner, what, path, f"it has {len(time_functions)} entries, {needed}")
    return (
        time_function(time_functions[0], owner, f"{what} x"),
        time_function(time_functions[1], owner, f"{what} y"),
        time_function(time_functions[2], owner, f"{what} z"),
    )


def _is_spline(value):
    """Is it a piecewise polynomial (breaks x, coefficients c: PPoly, CubicSpline and their kin) or a B-spline (knots t, coefficients c, degree k)?"""
    return hasattr(value, "c") and (hasattr(value, "x") or (hasattr(value, "t") and hasattr(value, "k")))


def _pieces(spline):
    """(x, c): breaks, and the coefficients (degree + 1, pieces, ...) between them, highest power first. Of a B-spline, on its base interval."""
    if hasattr(spline, "x"):
        return np.asarray(spline.x, dtype=float), np.asarray(spline.c, dtype=float)
    from scipy.interpolate import PPoly

    t, c, k = np.asarray(spline.t, dtype=float), np.asarray(spline.c, dtype=float), int(spline.k)
    count = len(t) - k - 1
    columns = c[:count].reshape(count, -1).T
    made = [PPoly.from_spline((t, column, k)) for column in columns]
    kept = np.flatnonzero(np.diff(t) > 0.0)  # knots that coincide have nothing between them
    kept = kept[(kept >= k) & (kept < count)]
    pieces = np.stack([np.asarray(poly.c)[:, kept] for poly in made], axis=-1)
    return np.append(t[kept], t[count]), pieces.reshape(k + 1, len(kept), *c.shape[1:])


def _extrapolates(spline, owner, what):
    """Does it go on beyond its ends? What says nothing does."""
    said = getattr(spline, "extrapolate", True)
    if isinstance(said, str):
        needed = (
            f"it says extrapolate={said!r}; allowed are True and False; lay as many periods as a run takes side by side (np.tile of its values, and times "
            "that go on), or give a function of t with that period"
        )
        raise refuse(owner, what, spline, needed)
    return said is None or bool(said)


def _piecewise(x, c, extrapolates):
    return TimeFunction(PIECEWISE, breaks=tuple(x.tolist()), pieces=tuple(map(tuple, c.T.tolist())), extrapolates=extrapolates)
