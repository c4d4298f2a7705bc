"""Revolute joint: the child turns about an axis a.   X_J = Rot(a, q),   S = [a; 0],   Sdot v = 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..validation import vector
from .axis import axis_faults, unit
from .kind import Element, JointKind

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, repr=False)
class Revolute(JointKind):
    """A hinge. `axis` in the joint frame; q: angle in rad, positive by the right-hand rule.

    >>> import linkwork as lw
    >>> lw.Revolute(axis=(0, 1, 0), lower=-1.5, upper=1.5)
    Revolute(axis=(0.0, 1.0, 0.0), lower=-1.5, upper=1.5)
    """

    axis: tuple[float, float, float]

    nq = nv = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self.__dict__["axis"] = vector(self.axis, 3, "Revolute", "axis")

    @property
    def elements(self) -> tuple[Element, ...]:
        return (Element(unit(self.axis), 1.0, 0.0),)

    def geometry_faults(self) -> Iterator[tuple[str, str]]:
        return axis_faults(self.axis)
