"""What the fields of a force kind hold, in one table for each kind: what is stored when it is made, and what is judged by faults() later.

holds = {"stiffness": FROM_0, "rest": FINITE, "axis": optional(DIRECTION), "axes": one_of(AXES)}
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..validation import flag, number, refuse, vector

AXES = ("a", "b", "world")  # whose axes the components of a wrench are in; kernels know the place in this list


class Field(NamedTuple):
    """keep(value, owner, name) gives what is stored, or refuses; faults(name, value) what is wrong with it."""

    keep: Callable[[Any, str, str], Any]
    faults: Callable[[str, Any], Iterator[tuple[str, str]]] = lambda name, value: iter(())


def _number(fits: Callable[[float], bool], allowed: str) -> Field:
    def faults(name: str, value: float) -> Iterator[tuple[str, str]]:
        if not fits(value):
            yield "force", f"{name} is {value:g}; allowed is {allowed}; correct it"

    return Field(number, faults)


def _vector(fits: Callable[[Any], bool], kind: str, allowed: str) -> Field:
    def faults(name: str, value: Any) -> Iterator[tuple[str, str]]:
        if not fits(value):
            yield kind, f"{name} is ({', '.join(f'{x:g}' for x in value)}); allowed {allowed}"

    return Field(lambda value, owner, name: vector(value, 3, owner, name), faults)


NUMBER = Field(number)  # infinite ones too; the kind itself judges it
FINITE = _number(math.isfinite, "a finite number")
FROM_0 = _number(lambda x: 0.0 <= x < math.inf, "a finite number from 0 on")
POSITIVE = _number(lambda x: 0.0 < x < math.inf, "a finite number above 0")
VECTOR = _vector(lambda v: all(map(math.isfinite, v)), "force", "are finite numbers; correct it")
# The length of a direction does not matter, only that it is one.
DIRECTION = _vector(
    lambda v: 1e-9 < math.sqrt(sum(x * x for x in v)) < math.inf,
    "axis",
    "is a direction of finite length; give one such as (0, 0, 1)",
)
FLAG = Field(flag)


def one_of(choices: tuple[str, ...]) -> Field:
    """One of some words."""

    def keep(value: Any, owner: str, name: str) -> Any:
        if not isinstance(value, str) or value not in choices:
            raise refuse(owner, name, value, f"give one of {', '.join(map(repr, choices))}")
        return value

    return Field(keep)


def optional(field: Field) -> Field:
    """The same, or None."""
    return Field(
        lambda value, owner, name: None if value is None else field.keep(value, owner, name),
        lambda name, value: iter(()) if value is None else field.faults(name, value),
    )


def unit(direction):
    """The direction with length 1."""
    length = math.hypot(*direction)
    return tuple(x / length for x in direction)
