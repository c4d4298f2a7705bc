"""Stops at the ends of a joint coordinate's range: one-sided springs with damping that grows with the penetration.

    x = q_lower - q  or  q - q_upper,      F = k x max(0, 1 + d x_dot)   towards the range,  for x > 0,  else 0,       V = k x^2 / 2

(Hunt and Crossley 1975, with a linear spring.) The force is continuous where the stop is touched and left, and never holds back. A stop that is hit with
the speed u gives back about the part 1 - 2 d u / 3 of it, for small d u.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, flag, real
from .fields import FROM_0, NUMBER
from .kind import ALONG_JOINT, JOINTS, LAW_CALL, ForceKind, Switch


class LimitStopParameters(Record, constant=True):
    """What the law reads."""

    stiffness = real("k, N m/rad or N/m")
    dissipation = real("d, s/rad or s/m")
    stops_below = flag("is there a lower stop?")
    lower = real("q_lower, rad or m")
    stops_above = flag("is there an upper stop?")
    upper = real("q_upper, rad or m")


@kernel(address=LAW_CALL)
def limit_stop(given: NDArray[np.float64], parameters: LimitStopParameters, out: NDArray[np.float64]) -> None:
    q, v = given[0], given[1]
    k, d = parameters.stiffness, parameters.dissipation
    push, stored = 0.0, 0.0
    if parameters.stops_below and q < parameters.lower:
        x = parameters.lower - q
        push += k * x * max(0.0, 1.0 - d * v)
        stored += 0.5 * k * x * x
    if parameters.stops_above and q > parameters.upper:
        x = q - parameters.upper
        push -= k * x * max(0.0, 1.0 + d * v)
        stored += 0.5 * k * x * x
    out[0] = push
    out[1] = stored


@dataclass(frozen=True)
class LimitStop(ForceKind):
    """Springs that keep one or more joint coordinates between lower and upper (rad or m); an infinite one is no stop.

    stiffness: N m/rad or N/m. dissipation: s/rad or s/m, damping per stiffness and penetration: about 1.5 (1 - e) / u for a stop that
    is to give back the part e of the speed u with which it is hit.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("door")
    >>> _ = m.add_joint("hinge", lw.Revolute(axis=(0, 0, 1)), m.ground, m.add_body("leaf", mass=1.0, inertia=(1, 1, 1)))
    >>> _ = m.add_force("stop", lw.LimitStop(stiffness=1000.0, upper=1.5), "hinge")
    >>> lw.applied_forces(m.build(), [1.6], [0.0]).tau.round(6).tolist()  # N m
    [-100.0]
    """

    stiffness: float
    lower: float = -math.inf
    upper: float = math.inf
    dissipation: float = 0.0

    takes = JOINTS
    most = None
    law = limit_stop
    law_reads = LimitStopParameters
    holds = {"stiffness": FROM_0, "lower": NUMBER, "upper": NUMBER, "dissipation": FROM_0}

    def law_values(self) -> dict[str, Any]:
        below, above = math.isfinite(self.lower), math.isfinite(self.upper)
        return {
            "stiffness": self.stiffness,
            "dissipation": self.dissipation,
            "stops_below": below,
            "lower": self.lower if below else 0.0,
            "stops_above": above,
            "upper": self.upper if above else 0.0,
        }

    def switches(self) -> tuple[Switch, ...]:
        return tuple(Switch(ALONG_JOINT, end) for end in (self.lower, self.upper) if math.isfinite(end))

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from super().faults()
        if math.isnan(self.lower) or math.isnan(self.upper) or not self.lower < self.upper:
            yield "limits", f"lower is {self.lower:g}, upper is {self.upper:g}; allowed is lower below upper; correct them"
        elif math.inf in (self.lower, -self.upper) or (math.isinf(self.lower) and math.isinf(self.upper)):
            yield "limits", f"lower is {self.lower:g}, upper is {self.upper:g}; allowed is at least one finite stop; give lower or upper"
