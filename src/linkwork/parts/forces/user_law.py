"""What stands between the three arrays of a law and the arguments and results of a user's function (see user.py)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import ModelError
from ...kernels import compiled_form, when_compiling
from ...spatial.plain import plain
from .kind import GIVEN, MARKER, TIME, WRENCHES, put_wrenches
from .pair import put_pair

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

PLAIN_PAIR, PLAIN_WRENCHES = plain(put_pair), plain(put_wrenches)


class Moving(NamedTuple):
    """A place as a law's function sees it, in world axes: p (position), R (three rows of three, from its axes to the world's), w (angular
    velocity), u (velocity of its point); tuples.

    >>> import linkwork as lw
    >>> @lw.force
    ... def tether(a, b, t, k=10.0):
    ...     return k * (b.p[0] - a.p[0]), k * (b.p[1] - a.p[1]), k * (b.p[2] - a.p[2])
    >>> lw.Moving._fields  # what `a` and `b` have
    ('p', 'R', 'w', 'u')
    """

    p: tuple
    R: tuple
    w: tuple
    u: tuple


class JointLaw(NamedTuple):
    """A law of one coordinate."""

    parameters: int
    stores: bool

    @property
    def sizes(self) -> tuple[int, int, int]:
        return 3, self.parameters, 2

    def argument_types(self) -> tuple[Any, Any, Any]:
        from ...kernels.user_functions import NUMBER

        return (NUMBER,) * (3 + self.parameters)

    def compiled_filler(self, function: Any, returns: Any) -> Any:
        from ...kernels.user_functions import is_number, is_tuple_of_numbers, to_fixed_tuple

        count = self.parameters
        if self.stores:
            if not is_tuple_of_numbers(returns, 2):
                raise _wrong(function, returns, "two numbers, the force and the energy it stores")

            def fill(given: Any, numbers: Any, out: Any) -> None:
                out[0], out[1] = function(given[0], given[1], given[2], *to_fixed_tuple(numbers, count))  # type: ignore[call-arg]
        else:
            if not is_number(returns):
                raise _wrong(function, returns, "a number, the force along the coordinate")

            def fill(given: Any, numbers: Any, out: Any) -> None:
                out[0] = function(given[0], given[1], given[2], *to_fixed_tuple(numbers, count))  # type: ignore[call-arg]
                out[1] = 0.0

        return fill

    def plain_filler(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def fill(given: NDArray[np.float64], numbers: NDArray[np.float64], out: NDArray[np.float64]) -> None:
            found = function(float(given[0]), float(given[1]), float(given[2]), *_floats(numbers, self.parameters))
            try:
                out[0], out[1] = found if self.stores else (found, 0.0)
            except (TypeError, ValueError):
                needed = "two numbers, the force and the energy it stores" if self.stores else "a number"
                raise ValueError(f"it returned {found!r}; allowed is {needed}") from None

        return fill


class PlaceLaw(NamedTuple):
    """A law between two places."""

    parameters: int
    stores: bool

    @property
    def sizes(self) -> Any:
        return GIVEN, self.parameters, WRENCHES

    def argument_types(self) -> Any:
        from ...kernels.user_functions import NUMBER, type_of

        there = type_of(_moving(np.zeros(GIVEN), 0))
        return (there, there, *(NUMBER,) * (1 + self.parameters))

    def compiled_filler(self, function: Any, returns: Any) -> Any:
        from ...kernels.user_functions import helper, to_fixed_tuple

        count, moving = self.parameters, helper(_moving)
        split, triple, momentless = self._parts(function, returns)

        def fill(given: Any, numbers: Any, out: Any) -> None:
            a, b = moving(given, 0), moving(given, MARKER)
            n, f, stored = split(function(a, b, given[TIME], *to_fixed_tuple(numbers, count)))  # type: ignore[call-arg]
            f = triple(f)
            if momentless:
                none = (0.0, 0.0, 0.0)
                put_wrenches(out, none, f, none, (-f[0], -f[1], -f[2]), stored)
            else:
                put_pair(out, given, triple(n), f, stored)

        return fill

    def _parts(self, function: Any, returns: Any) -> Any:
        """How to take a result of this type apart."""
        from ...kernels.user_functions import helper, is_number, is_tuple

        parts = [returns]
        if self.stores:
            parts = list(returns.types) if is_tuple(returns, 2) or is_tuple(returns, 3) else [returns, None]
        elif is_tuple(returns, 2):
            parts = list(returns.types)
        vectors, energy = (parts[:-1], parts[-1]) if self.stores else (parts, None)
        if not all(map(_is_vector, vectors)) or (self.stores and not is_number(energy)):
            raise _wrong(function, returns, self.needed)
        split = {(1, False): _f, (2, False): _nf, (1, True): _fv, (2, True): _nfv}[len(vectors), self.stores]
        triple = _of_tuple if all(is_tuple(vector, 3) for vector in vectors) else _of_either
        return helper(split), helper(triple) if triple is _of_tuple else triple, len(vectors) == 1

    @property
    def needed(self) -> Any:
        if self.stores:
            return "(force, energy) or (moment, force, energy), force and moment being three numbers each"
        return "three numbers (the force), or two tuples of three (moment, force)"

    def plain_filler(self, function: Any) -> Any:
        def fill(given: Any, numbers: Any, out: Any) -> None:
            a, b = _moving(given.tolist(), 0), _moving(given.tolist(), MARKER)
            found = function(a, b, float(given[TIME]), *_floats(numbers, self.parameters))
            try:
                parts = list(found) if self.stores or len(found) == 2 else [found]
                vectors, stored = (parts[:-1], float(parts[-1])) if self.stores else (parts, 0.0)
                vectors = [tuple(map(float, vector)) for vector in vectors]
                if len(vectors) not in (1, 2) or any(len(vector) != 3 for vector in vectors):
                    raise ValueError
            except (TypeError, ValueError, IndexError):
                raise ValueError(f"it returned {found!r}; allowed are {self.needed}") from None
            f = vectors[-1]
            if len(vectors) == 1:
                none = (0.0, 0.0, 0.0)
                PLAIN_WRENCHES(out, none, f, none, (-f[0], -f[1], -f[2]), stored)
            else:
                PLAIN_PAIR(out, given, vectors[0], f, stored)

        return fill


def _moving(given: Any, at: Any) -> Any:
    """A marker as the user's function sees it; the same source compiled and in plain Python."""
    R = (
        (given[at], given[at + 1], given[at + 2]),
        (given[at + 3], given[at + 4], given[at + 5]),
        (given[at + 6], given[at + 7], given[at + 8]),
    )
    p = (given[at + 9], given[at + 10], given[at + 11])
    w = (given[at + 12], given[at + 13], given[at + 14])
    u = (given[at + 15], given[at + 16], given[at + 17])
    return Moving(p, R, w, u)


def _f(found: Any) -> Any:
    return found, found, 0.0


def _nf(found: Any) -> Any:
    return found[0], found[1], 0.0


def _fv(found: Any) -> Any:
    return found[0], found[0], float(found[1])


def _nfv(found: Any) -> Any:
    return found[0], found[1], float(found[2])


def _of_tuple(x: Any) -> Any:
    return float(x[0]), float(x[1]), float(x[2])


def _of_array(x: Any) -> Any:
    if len(x) != 3:
        return math.nan, math.nan, math.nan
    return float(x[0]), float(x[1]), float(x[2])


def _of_either(x: Any) -> Any:
    """Three numbers from a tuple, an array or a list; for compiled code."""
    raise NotImplementedError


@when_compiling
def _verbs() -> None:
    @compiled_form(_of_either)
    def _overload_of_either(x: Any) -> Any:
        from ...kernels.user_functions import is_tuple

        return _of_tuple if is_tuple(x, 3) else _of_array


def _floats(numbers: NDArray[np.float64], count: int) -> list[Any]:
    return [float(numbers[k]) for k in range(count)]


def _is_vector(t: Any) -> Any:
    """Three numbers: a tuple, or an array or list whose length is seen when it is there."""
    from ...kernels.user_functions import is_sequence_of_numbers, is_tuple_of_numbers

    return is_tuple_of_numbers(t, 3) or is_sequence_of_numbers(t)


def _wrong(function: Any, returns: Any, needed: Any) -> Any:
    return ModelError(f"its function {function.__name__} returns {returns}; allowed are {needed}; correct what it returns")
