"""Revolute joint: the child turns about an axis a.   X_J = Rot(a, q),   S = [a; 0],   Sdot v = 0."""

from __future__ import annotations

from dataclasses import dataclass

from .axis import unit
from .kind import Element, JointKind


@dataclass(frozen=True, repr=False)
class Revolute(JointKind):
    """A hinge. `axis` in the joint frame; q: angle in rad, positive by the right-hand rule.

    >>> import linkwork as lw
    >>> lw.Revolute(axis=(0, 1, 0), lower=-1.5, upper=1.5)
    Revolute(axis=(0.0, 1.0, 0.0), lower=-1.5, upper=1.5)
    """

    axis: tuple[float, float, float]

    nq = nv = 1
    axes = ("axis",)

    @property
    def elements(self) -> tuple[Element, ...]:
        return (Element(unit(self.axis), 1.0, 0.0),)
