"""Cylindrical joint: turn about and slide along one axis a, freely.

X_J = Rot(a, q_1) Trans(a q_2),   S = [a 0; 0 a],   Sdot v = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from .axis import unit
from .kind import Element, JointKind


@dataclass(frozen=True, repr=False)
class Cylindrical(JointKind):
    """A shaft in a sleeve. `axis` in the joint frame; q: (angle in rad, displacement in m).

    >>> import linkwork as lw
    >>> lw.Cylindrical(axis=(0, 0, 1)).nv
    2
    """

    axis: tuple[float, float, float]

    nq = nv = 2
    axes = ("axis",)

    @property
    def elements(self) -> tuple[Element, ...]:
        axis = unit(self.axis)
        return Element(axis, 1.0, 0.0), Element(axis, 0.0, 1.0)
