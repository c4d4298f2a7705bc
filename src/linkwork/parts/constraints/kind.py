"""What every constraint kind has in common: the rows it adds to the equations of motion.

A row is one scalar equation between two markers a and b (frames fixed on two bodies), or between joint coordinates:

    phi(q, t) = 0,      phi_dot = J v + phi_t,      phi_ddot = J vdot + gamma.

Of the markers a row sees in world axes R (orientation), p (position), w (angular velocity), u (velocity of the marker's point), and it gives

    J v = n_a . w_a + f_a . u_a + n_b . w_b + f_b . u_b + sum of coefficients times joint velocities,

so (n_a, f_a) is the wrench, about the marker's point, that a multiplier of 1 puts on the first body, and (n_b, f_b) that on the second.
gamma goes with classical accelerations of the markers' points. A row without phi (rolling, a knife edge, a speed) acts on velocities only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from ...kernels import kernel
from ...native_function import reads_argument
from .time_function import TimeFunction

# Kinds of blocks, as kernels know them.
LOCK, ANGLE, DISTANCE, COUPLING, SPEED, KNIFE, DISC, BALL, RELATION = range(9)


@dataclass(frozen=True)
class Block:
    """Rows that are evaluated together. `turn_a`, `turn_b`: rotations (3x3) of the markers in the given places, None for none."""

    kind: int
    rows: tuple[str, ...]  # a word for each row
    mask: int = 0  # LOCK: bit k set if coordinate k (x y z rx ry rz) is held
    turning: int = 0  # LOCK: the axis, 1 to 3, about which a turn is prescribed by the last of its laws; 0: none is
    measure: float = 0.0  # DISTANCE: a nominal length, DISC and BALL: the radius, m
    time_functions: tuple[TimeFunction, ...] = ()
    turn_a: Any = None
    turn_b: Any = None
    coefficients: tuple[float, ...] = ()  # of the joint coordinates, in the order of the joints
    holonomic: bool = True  # False: on velocities only
    function: Any = field(default=None, compare=False)

    @property
    def moves(self) -> bool:
        """Is motion prescribed: does a law, or a user's relation, depend on time, or is a speed held that is not zero?"""
        moving = any(time_function.moves or (time_function.value != 0.0 and not self.holonomic) for time_function in self.time_functions)
        return moving or (self.function is not None and reads_argument(self.function, 1))

    @property
    def drives(self) -> bool:
        """Are velocities prescribed that are not zero: by what moves, or by a constant on velocities?"""
        return self.moves or (not self.holonomic and any(time_function.value for time_function in self.time_functions))


@dataclass(frozen=True)
class ConstraintKind:
    """Base of all constraint kinds: an immutable value.

    `takes` is "places" (two, the second is ground if not given) or "joints".

    >>> import linkwork as lw
    >>> issubclass(lw.Lock, lw.ConstraintKind), lw.Lock.takes, lw.Gear.takes
    (True, 'places', 'joints')
    >>> [block.rows for block in lw.Coincident().blocks()]
    [('x', 'y', 'z')]
    """

    takes = "places"
    least: ClassVar[int] = 1  # how many places or joints
    most: ClassVar[int | None] = 2
    sees_world = False  # does it mean something for two places on one body?
    needs_q: ClassVar[bool] = True  # joints: of coordinates, not only of velocities
    instead_of_q: ClassVar[str] = "couple frames with a Lock instead"

    def blocks(self) -> tuple[Block, ...]:
        """The rows, as kernels evaluate them."""
        raise NotImplementedError

    def faults(self) -> Iterator[tuple[str, str]]:
        """(kind of fault, what is wrong) for every value that cannot be; the part's name is put before it by the mechanism."""
        yield from ()

    def __deepcopy__(self, memo: Any) -> Self:
        return self


# ---- rows in kernels

# How constraint kernels write a row (the record Row of data/constraints.py): wrenches about the markers' points, world axes; see kind.py.
#
# `block` is a row of the model's table of blocks (model/constraint_tables.py), `rows` the RowData: rows, and functions of time that have been evaluated.
# A marker is a tuple (R, p, w, u): orientation (9 numbers, row-major), position, angular velocity, velocity of its point; all in world axes.


@kernel(inline=True)
def put_row(row: Any, n_a: Any, f_a: Any, n_b: Any, f_b: Any, phi: Any, rate: Any, gamma: Any) -> None:
    """Write one row."""
    row.n_a, row.f_a, row.n_b, row.f_b = n_a, f_a, n_b, f_b
    row.phi, row.rate, row.gamma = phi, rate, gamma
