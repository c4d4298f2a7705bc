"""What every force law has in common: what it sees, what it gives back, and how a compiled loop calls it.

A law between two places sees each of them as a marker in world axes: R (orientation), p (position), w (angular velocity), u (velocity of its
point). It gives a wrench (n, f) on the first body, about the first marker's point, another on the second body about the second marker's,
and the energy V that it stores. A law of a joint sees one coordinate q, its velocity v, and gives a force along it and V. Both see the time
and their parameters.

A law is a plain function law(given, parameters, out) of two arrays and a record, compiled and called by its address:

places   given: R_a (9, row-major) p_a w_a u_a | R_b p_b w_b u_b | t          out: n_a f_a | n_b f_b | V
joint    given: q v t                                                          out: force | V

A law may remember some numbers (`slots`): they follow what it is given, and it gives behind its results what it would remember if the step ended in this
state. So it is a function still: at all states of a step it is given what stood at its start (integrators/force_memory.py). All are 0 where a run begins.

The record has what the law reads, numbers, whole numbers and flags, by name. It lies in memory that all laws share (dynamics/active_forces.py).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ...data.markers import GIVEN as GIVEN
from ...data.markers import MARKER as MARKER  # laws find them here
from ...data.markers import RESULT
from ...data.markers import TIME as TIME
from ...kernels import Vector, address_of, kernel
from ...kernels.records import Record
from .fields import Field

WRENCHES = RESULT  # numbers that a law between places fills
PLACES, JOINTS = "places", "joints"
ALONG_JOINT, APART, ABOVE_PLANE, PRESSING = "coordinate", "distance", "height", "press"  # numbers that switches look at


class Switch(NamedTuple):
    """A number whose sign decides whether a law acts: the joint coordinate, the distance of the places, or the height of the first place above the plane
    z = 0 of the second, less a value; or what a spring and a damper under that plane add up to, k x + c S(x / r) x_dot, by their numbers (k, c, r)."""

    of: str
    value: float = 0.0
    numbers: tuple[float, ...] = ()


@dataclass(frozen=True)
class ForceKind:
    """Base of all force kinds: an immutable value.

    `takes` is "places" (two, the second is ground if not given) or "joints" (any number, each feels the law).

    >>> import linkwork as lw
    >>> issubclass(lw.SpringDamper, lw.ForceKind), lw.SpringDamper.takes, lw.JointSpring.takes
    (True, 'places', 'joints')
    >>> lw.SpringDamper(stiffness=200.0, length=0.3).numbers()
    (200.0, 0.0, 0.3)
    """

    takes: ClassVar[str] = PLACES
    least: ClassVar[int] = 1
    most: ClassVar[int | None] = 2
    sees_world: ClassVar[bool] = False  # does it mean something for two places on one body?
    needs_q: ClassVar[bool] = True  # joints: does the law look at q, which a quaternion joint has not for each velocity?
    instead_of_q: ClassVar[str] = "let it act between places instead, or use a law of velocities"
    feeds: ClassVar[bool] = False  # may it do more work than it has stored? Springs and dampers, with their numbers as they are, never do
    law: ClassVar[Any] = None  # the compiled function
    law_reads: ClassVar[type[Record]] = Record  # the record of its parameters; a user's function has its own as arguments
    slots: ClassVar[int] = 0  # how many numbers the law remembers, data/markers.py: MEMORY at most
    function: ClassVar[Any] = None  # a user's own function, if the kind is made of one
    holds: ClassVar[Mapping[str, Field]] = {}  # what its fields hold, by name

    def __post_init__(self) -> None:
        for name, field in type(self).holds.items():
            object.__setattr__(self, name, field.keep(getattr(self, name), type(self).__name__, name))

    def law_values(self) -> dict[str, Any]:
        """The parameters as the law reads them: the fields of its record by name."""
        return {name: getattr(self, name) for name in type(self).law_reads.fields}

    def law_words(self) -> NDArray[np.int64]:
        """The record with these values, in words of 64 bits, and what follows it."""
        return words_of(type(self).law_reads, self.law_values())

    def law_given(self, words: NDArray[np.int64]) -> Any:
        """What the law is called with in plain Python, on such words."""
        return type(self).law_reads.in_words(words)

    def law_accepts(self, words: NDArray[np.int64]) -> bool:
        """May words that come from a file, as many as its own, take their place? Whole numbers among them could lead a law astray."""
        return True

    def numbers(self) -> tuple[float, ...]:
        """The parameters as numbers, one after the other: what a kind is told apart by."""
        return tuple(_numbers_in(self.law_values()))

    def code(self, owner: str) -> tuple[Any, Any]:
        """(address of the compiled law, what must be kept alive); `owner` is the part in words, for messages."""
        return address_of(type(self).law), None

    def switches(self) -> tuple[Switch, ...]:
        """Where the law sets in and ends at once; methods that choose their steps let them end there."""
        return ()

    def faults(self) -> Iterator[tuple[str, str]]:
        """(kind of fault, what is wrong) for every value that cannot be; the part's name is put before it by the mechanism."""
        for name, field in type(self).holds.items():
            yield from field.faults(name, getattr(self, name))

    def __deepcopy__(self, memo: Any) -> Self:
        return self


LAW_CALL = "p i p"  # how a law is called: given, the address of its parameters, out


def words_of(record: type[Record], values: Mapping[str, Any], behind: Sequence[float] = ()) -> NDArray[np.int64]:
    """A record with these values, in words of 64 bits, and numbers behind it."""
    own = record.layout().size // 8
    words = np.zeros(own + len(behind), np.int64)
    words[own:].view(float)[:] = behind
    _write(record.in_words(words), values)
    return words


def _write(record: Any, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if isinstance(value, dict):
            _write(getattr(record, name), value)
        else:
            setattr(record, name, value)


def _numbers_in(values: Mapping[str, Any]) -> Iterator[float]:
    for value in values.values():
        if isinstance(value, dict):
            yield from _numbers_in(value)
        elif isinstance(value, tuple):
            yield from map(float, value)
        else:
            yield float(value)


@kernel(inline=True)
def three(numbers: Any, at: Any) -> Vector[3]:
    """Three numbers of an array as a tuple."""
    return numbers[at], numbers[at + 1], numbers[at + 2]


@kernel(inline=True)
def nine(numbers: Any, at: Any) -> Vector[9]:
    """A 3x3 matrix of an array (row-major) as a tuple."""
    return (
        numbers[at],
        numbers[at + 1],
        numbers[at + 2],
        numbers[at + 3],
        numbers[at + 4],
        numbers[at + 5],
        numbers[at + 6],
        numbers[at + 7],
        numbers[at + 8],
    )


@kernel(inline=True)
def marker(given: Any, at: Any) -> tuple[Vector[9], Vector[3], Vector[3], Vector[3]]:
    """(R, p, w, u) of the marker at 0 (the first) or MARKER (the second)."""
    return nine(given, at), three(given, at + 9), three(given, at + 12), three(given, at + 15)


@kernel(inline=True)
def put_wrenches(out: Any, n_a: Any, f_a: Any, n_b: Any, f_b: Any, stored: Any) -> None:
    """Fill what a law between places gives back."""
    for k in range(3):
        out[k], out[3 + k], out[6 + k], out[9 + k] = n_a[k], f_a[k], n_b[k], f_b[k]
    out[12] = stored
