"""Planar joint: the child moves in a plane, along two axes x, y fixed in the parent, and turns about the normal n = x x y.

X_J = Trans(x q_1 + y q_2) Rot(n, q_3),   S = [0 0 n; R^T x  R^T y  0],   Sdot v = [0; (R^T (x v_1 + y v_2)) x n v_3],   R = Rot(n, q_3).

The planar entry of Featherstone's table of joints (1987, table 8-1) has E, r and S that do not belong together: displacements
along the parent's axes need the rotated columns above. The product of exponentials used here is consistent by construction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .axis import cross, parallel_faults, unit
from .kind import Element, JointKind

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, repr=False)
class Planar(JointKind):
    """A puck on a table. `normal` in the joint frame; q: (x in m, y in m, angle in rad).

    `x_axis` gives the direction of the first coordinate (its part along the normal is dropped). Without it, x is the
    joint frame's x axis laid into the plane, or its y axis if the normal is within about 26 degrees of x.

    >>> import linkwork as lw
    >>> puck = lw.Planar(normal=(0, 0, 1))
    >>> puck.nv, [element.turn for element in puck.elements]  # two slides, then a turn
    (3, [0.0, 0.0, 1.0])
    """

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    x_axis: tuple[float, float, float] | None = None

    nq = nv = 3
    axes = ("normal", "x_axis")

    @property
    def elements(self) -> tuple[Element, ...]:
        n = unit(self.normal)
        y = unit(cross(n, unit(self.x_axis) if self.x_axis is not None else _default_x(n)))
        return Element(unit(cross(y, n)), 0.0, 1.0), Element(y, 0.0, 1.0), Element(n, 1.0, 0.0)

    def geometry_faults(self) -> Iterator[tuple[str, str]]:
        yield from super().geometry_faults()
        if self.x_axis is not None:
            yield from parallel_faults(self.normal, self.x_axis, "normal", "x_axis", "give an x_axis in the plane, or leave it out")


def _default_x(n: tuple[float, float, float]) -> tuple[float, float, float]:
    return (1.0, 0.0, 0.0) if abs(n[0]) < 0.9 else (0.0, 1.0, 0.0)
