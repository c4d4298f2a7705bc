"""Screw joint: turning about an axis a slides along it.   X_J = Rot(a, q) Trans(p a q),   S = [a; p a],   Sdot v = 0.

p is the pitch in m/rad (Featherstone 1987, section 7.3); a thread that advances l per turn has p = l / (2 pi).
"""

import math
from dataclasses import dataclass

from ..validation import number, vector
from .axis import axis_faults, unit
from .kind import Element, JointKind


@dataclass(frozen=True, repr=False)
class Screw(JointKind):
    """A nut on a thread. `axis` in the joint frame, `pitch` in m/rad (negative: left-handed); q: angle in rad."""

    axis: tuple[float, float, float]
    pitch: float

    nq = nv = 1

    def __post_init__(self):
        super().__post_init__()
        self.__dict__["axis"] = vector(self.axis, 3, "Screw", "axis")
        self.__dict__["pitch"] = number(self.pitch, "Screw", "pitch")

    @property
    def elements(self):
        return (Element(unit(self.axis), 1.0, self.pitch),)

    def geometry_faults(self):
        yield from axis_faults(self.axis)
        if not math.isfinite(self.pitch):
            yield "axis", f"pitch is {self.pitch:g} m/rad; allowed is a finite number; correct it, or use Prismatic for a pure slide"
