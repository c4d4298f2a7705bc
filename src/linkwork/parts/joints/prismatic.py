"""Prismatic joint: the child slides along an axis a.   X_J = Trans(a q),   S = [0; a],   Sdot v = 0."""

from dataclasses import dataclass

from ..validation import vector
from .axis import axis_faults, unit
from .kind import Element, JointKind


@dataclass(frozen=True, repr=False)
class Prismatic(JointKind):
    """A slider. `axis` in the joint frame; q: displacement in m along the axis, whatever the length of the vector given."""

    axis: tuple[float, float, float]

    nq = nv = 1

    def __post_init__(self):
        super().__post_init__()
        self.__dict__["axis"] = vector(self.axis, 3, "Prismatic", "axis")

    @property
    def elements(self):
        return (Element(unit(self.axis), 0.0, 1.0),)

    def geometry_faults(self):
        return axis_faults(self.axis)
