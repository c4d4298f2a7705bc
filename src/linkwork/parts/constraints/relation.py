r"""Relation: a user's own constraint, a plain function phi(poses, t) of two places that is compiled and differentiated.

    along   R(s) = exp(s w) R,   p(s) = p + s u,   t(s) = t + s        (angular and classical accelerations are zero)

phi_dot is the first derivative of phi along this motion, gamma the second; phi_t the first along t alone; and J the first along each of
twelve unit motions: turning about a marker's point gives n_a, n_b, moving the point gives f_a, f_b. All are jets through the user's function:
model/compiled.py makes the native function, constraints/rows.py calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ...jets import is_function
from ..validation import refuse, whole
from .kind import RELATION, Block, ConstraintKind

MOST_ROWS = 12  # two bodies have no more motions to forbid


class Located(NamedTuple):
    """Where a place is in the world, as a relation's function sees it: p = (x, y, z), R = three rows of three."""

    p: tuple
    R: tuple


@dataclass(frozen=True)
class Relation(ConstraintKind):
    """Numbers that a function of two places computes stay zero: `rows` of them, holonomic, explicit time allowed.

    function(poses, t): poses = (a, b), each with p (x, y, z) and R (three rows of three, from the place's axes to the world's), t the time.
    It returns one number, or a tuple of `rows` numbers, using arithmetic and functions of math or numpy on single numbers. It is
    compiled and differentiated for you. Best defined at the top of a module, so that the mechanism can be pickled.

    >>> import linkwork as lw
    >>> def on_a_parabola(poses, t):
    ...     a, b = poses
    ...     return a.p[2] - a.p[0] ** 2
    >>> lw.Relation(on_a_parabola).rows
    1
    """

    function: Callable
    rows: int = 1

    sees_world = True

    def __post_init__(self) -> None:
        if not is_function(self.function):
            raise refuse("Relation", "function", self.function, "give a function phi(poses, t) written with def or lambda")
        needed = f"give how many numbers the function returns, a whole number from 1 to {MOST_ROWS}"
        object.__setattr__(self, "rows", whole(self.rows, "Relation", "rows", needed, 1, MOST_ROWS))

    def blocks(self) -> tuple[Block, ...]:
        words = tuple(f"relation {k + 1}" for k in range(self.rows)) if self.rows > 1 else ("relation",)
        return (Block(RELATION, words, function=self.function),)
