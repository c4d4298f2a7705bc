"""A uniform field, on one mass.

    f_a = m R_b g,    V = -m (R_b g) . (p_a - p_b)         the opposite acts on the second body, which carries the field

The second place is ground unless given, and R_b g is then g itself. The mechanism's own gravity is not touched: this one comes on top of it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, real, reals_fixed
from ...spatial.matrices import apply9
from ...spatial.vectors import dot3, scale3, sub3
from .fields import FROM_0, VECTOR
from .kind import LAW_CALL, MARKER, ForceKind, marker
from .pair import put_pair


class GravityParameters(Record, constant=True):
    """What the law reads."""

    mass = real("m, kg")
    acceleration = reals_fixed(3, "g, m/s^2, axes of the second place")


@kernel(address=LAW_CALL)
def gravity(given: NDArray[np.float64], parameters: GravityParameters, out: NDArray[np.float64]) -> None:
    _, p_a, _, _ = marker(given, 0)
    R_b, p_b, _, _ = marker(given, MARKER)
    f = scale3(parameters.mass, apply9(R_b, parameters.acceleration))
    put_pair(out, given, (0.0, 0.0, 0.0), f, -dot3(f, sub3(p_a, p_b)))


@dataclass(frozen=True)
class Gravity(ForceKind):
    """Weight in a uniform field, for one body alone: mass (kg) at the first place, acceleration (m/s^2) in the axes of the second.

    Put the first place at the body's centre of mass. A whole mechanism's gravity is Mechanism.gravity.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("stone", gravity=(0, 0, 0))
    >>> _ = m.add_force("weight", lw.Gravity(mass=2.0), m.add_body("stone", mass=2.0, inertia=(1, 1, 1)))
    >>> lw.applied_forces(m.build(), [0, 0, 0, 1, 0, 0, 0], [0.0] * 6)["weight"].force.tolist()  # N, world axes
    [0.0, 0.0, -19.62]
    """

    mass: float
    acceleration: tuple[float, float, float] = (0.0, 0.0, -9.81)

    law = gravity
    law_reads = GravityParameters
    holds = {"mass": FROM_0, "acceleration": VECTOR}
