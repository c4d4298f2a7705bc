"""Attraction (or repulsion) between two points that falls with the square of their distance: gravitation, charges.

    d = p_b - p_a,   rho = sqrt(|d|^2 + s^2),        f_a = k d / rho^3,   f_b = -f_a,        V = -k / rho

s softens the law at short distances (Plummer 1911); with s = 0 it is k / r^2, and the points must not meet.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, real
from ...kernels.scalar import sqrt
from ...spatial.vectors import dot3, scale3, sub3
from .fields import FINITE, FROM_0
from .kind import LAW_CALL, MARKER, ForceKind, put_wrenches, three


class AttractionParameters(Record, constant=True):
    """What the law reads."""

    strength = real("k, N m^2")
    softening = real("s, m")


@kernel(address=LAW_CALL)
def attraction(given: NDArray[np.float64], parameters: AttractionParameters, out: NDArray[np.float64]) -> None:
    k, s = parameters.strength, parameters.softening
    d = sub3(three(given, MARKER + 9), three(given, 9))
    square = dot3(d, d) + s * s
    rho = sqrt(square)
    none = (0.0, 0.0, 0.0)
    if square == 0.0:
        put_wrenches(out, none, none, none, none, 0.0)
        return
    pull = scale3(k / (rho * square), d)
    put_wrenches(out, none, pull, none, scale3(-1.0, pull), -k / rho)


@dataclass(frozen=True)
class Attraction(ForceKind):
    """Two points attract each other with strength / distance^2. strength: N m^2, negative to repel; of two masses it is G m_1 m_2.

    softening: m, s in strength d / (d^2 + s^2)^(3/2): 0.35 of strength / d^2 at the distance s, 0.94 of it at 5 s, greatest at 0.71 s, and zero where
    the points meet. Without it they must not meet: there is no direction there, and no force.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("planets", gravity=(0, 0, 0))
    >>> sun, earth = (m.add_body(name, mass=1.0, inertia=(1, 1, 1)) for name in ("sun", "earth"))
    >>> _ = m.add_force("pull", lw.Attraction(strength=4.0), sun, earth)
    >>> pull = lw.applied_forces(m.build(), [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0], [0.0] * 12)["pull"]
    >>> pull.force.tolist()  # strength / distance^2, on the first, N
    [1.0, 0.0, 0.0]
    """

    strength: float
    softening: float = 0.0

    law = attraction
    law_reads = AttractionParameters
    holds = {"strength": FINITE, "softening": FROM_0}
