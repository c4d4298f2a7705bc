"""Prismatic joint: the child slides along an axis a.   X_J = Trans(a q),   S = [0; a],   Sdot v = 0."""

from __future__ import annotations

from dataclasses import dataclass

from .axis import unit
from .kind import Element, JointKind


@dataclass(frozen=True, repr=False)
class Prismatic(JointKind):
    """A slider. `axis` in the joint frame; q: displacement in m along the axis, whatever the length of the vector given.

    >>> import linkwork as lw
    >>> lw.Prismatic(axis=(1, 0, 0), lower=0.0, upper=0.4, damping=5.0)
    Prismatic(axis=(1.0, 0.0, 0.0), lower=0.0, upper=0.4, damping=5.0)
    """

    axis: tuple[float, float, float]

    nq = nv = 1
    axes = ("axis",)

    @property
    def elements(self) -> tuple[Element, ...]:
        return (Element(unit(self.axis), 0.0, 1.0),)
