"""Laws of time: a prescribed value with its first and second derivative, as kernels evaluate it.

A law is given as a number (constant), a piecewise polynomial (scipy's CubicSpline, PPoly, anything with `x` and `c`), a Spline
through points, or a plain function of time.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..given import number, refuse

CONSTANT, PIECEWISE, FUNCTION = range(3)


@dataclass(frozen=True, eq=False)
class Law:
    """A prescribed value over time. `kind` says which of the other fields holds it."""

    kind: int
    value: float = 0.0  # CONSTANT
    breaks: tuple[float, ...] = ()  # PIECEWISE: t_0 < t_1 < ... < t_k
    pieces: tuple[tuple[float, ...], ...] = ()  # PIECEWISE: coefficients of each piece, highest power of (t - t_i) first
    function: Any = None  # FUNCTION: of t

    @property
    def moves(self):
        """Does the value change?"""
        return self.kind != CONSTANT

    def _content(self):
        return self.kind, self.value, self.breaks, self.pieces, self.function

    def __eq__(self, other):
        return isinstance(other, Law) and self._content() == other._content()

    def __hash__(self):
        return hash(self._content())

    def faults(self, what):
        """What is wrong with the law's numbers, if anything."""
        numbers = (self.value, *self.breaks, *(c for piece in self.pieces for c in piece))
        if not all(map(math.isfinite, numbers)):
            yield "law", f"{what} holds a number that is not finite; allowed are finite numbers; correct it"
        if any(b <= a for a, b in zip(self.breaks, self.breaks[1:], strict=False)):
            yield "law", f"{what} has times that do not increase; allowed are increasing times; sort them and leave out repeated ones"


def law(value, owner, what) -> Law:
    """A law from what a person gives: a number, a piecewise polynomial or a function of time."""
    if isinstance(value, Law):
        return value
    if hasattr(value, "x") and hasattr(value, "c"):
        c, x = np.asarray(value.c, dtype=float), np.asarray(value.x, dtype=float)
        if c.ndim != 2 or x.ndim != 1 or c.shape[1] != len(x) - 1:
            raise refuse(owner, what, value, "give a spline of one value, such as CubicSpline(times, values)")
        return Law(PIECEWISE, breaks=tuple(x.tolist()), pieces=tuple(map(tuple, c.T.tolist())))
    if callable(value):
        return Law(FUNCTION, function=value)
    return Law(CONSTANT, number(value, owner, what))
