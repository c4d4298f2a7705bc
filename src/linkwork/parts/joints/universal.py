"""Universal joint (Hooke, Cardan): turn about a_1 held by the parent, then about a_2 held by the child.

X_J = Rot(a_1, q_1) Rot(a_2, q_2),   S = [e a_2; 0 0],   Sdot v = [(e x a_2) v_1 v_2; 0],   e = Rot(a_2, q_2)^T a_1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .axis import parallel_faults, unit
from .kind import Element, JointKind

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, repr=False)
class Universal(JointKind):
    """A cross with two pins. `axis1`, `axis2` in the joint frame at q = 0, at any angle to each other but 0; q: two angles in rad.

    >>> import linkwork as lw
    >>> cross = lw.Universal(axis1=(1, 0, 0), axis2=(0, 1, 0))
    >>> cross.nv, [element.axis for element in cross.elements]
    (2, [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    """

    axis1: tuple[float, float, float]
    axis2: tuple[float, float, float]

    nq = nv = 2
    axes = ("axis1", "axis2")

    @property
    def elements(self) -> tuple[Element, ...]:
        return Element(unit(self.axis1), 1.0, 0.0), Element(unit(self.axis2), 1.0, 0.0)

    def geometry_faults(self) -> Iterator[tuple[str, str]]:
        yield from super().geometry_faults()
        yield from parallel_faults(self.axis1, self.axis2, "axis1", "axis2", "turn one of them, or use Revolute for a single axis")
