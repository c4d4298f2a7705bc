"""Screw joint: turning about an axis a slides along it.   X_J = Rot(a, q) Trans(p a q),   S = [a; p a],   Sdot v = 0.

p is the pitch in m/rad (Featherstone 1987, section 7.3); a thread that advances l per turn has p = l / (2 pi).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..validation import number
from .axis import unit
from .kind import Element, JointKind

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, repr=False)
class Screw(JointKind):
    """A nut on a thread. `axis` in the joint frame, `pitch` in m/rad (negative: left-handed); q: angle in rad.

    >>> import linkwork as lw
    >>> lw.Screw(axis=(0, 0, 1), pitch=0.002 / (2 * 3.141592653589793)).elements[0].turn  # 2 mm a turn
    1.0
    """

    axis: tuple[float, float, float]
    pitch: float

    nq = nv = 1
    axes = ("axis",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.__dict__["pitch"] = number(self.pitch, "Screw", "pitch")

    @property
    def elements(self) -> tuple[Element, ...]:
        return (Element(unit(self.axis), 1.0, self.pitch),)

    def geometry_faults(self) -> Iterator[tuple[str, str]]:
        yield from super().geometry_faults()
        if not math.isfinite(self.pitch):
            yield "axis", f"pitch is {self.pitch:g} m/rad; allowed is a finite number; correct it, or use Prismatic for a pure slide"
