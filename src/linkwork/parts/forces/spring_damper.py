"""A spring and a damper side by side between two points.

    d = p_b - p_a,   L = |d|,   e = d / L,   L_dot = e . (u_b - u_a)
    F = k (L - L_0) + c L_dot          pulls the points together if positive:   f_a = F e,   f_b = -F e,       V = k (L - L_0)^2 / 2

Where the points meet (L below 1e-12 m) there is no direction, and no force.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, real
from ...kernels.scalar import sqrt
from ...spatial.vectors import dot3, scale3, sub3
from .fields import FROM_0
from .kind import LAW_CALL, MARKER, ForceKind, marker, put_wrenches

NEAR = 1e-12  # m


class SpringDamperParameters(Record, constant=True):
    """What the law reads."""

    stiffness = real("k, N/m")
    damping = real("c, N s/m")
    length = real("L_0, m")


@kernel(address=LAW_CALL)
def spring_damper(given: NDArray[np.float64], parameters: SpringDamperParameters, out: NDArray[np.float64]) -> None:
    k, c, rest = parameters.stiffness, parameters.damping, parameters.length
    _, p_a, _, u_a = marker(given, 0)
    _, p_b, _, u_b = marker(given, MARKER)
    d = sub3(p_b, p_a)
    L = sqrt(dot3(d, d))
    none = (0.0, 0.0, 0.0)
    stretch = L - rest
    pull = none
    if L > NEAR:
        e = scale3(1.0 / L, d)
        pull = scale3(k * stretch + c * dot3(e, sub3(u_b, u_a)), e)
    put_wrenches(out, none, pull, none, scale3(-1.0, pull), 0.5 * k * stretch * stretch)


@dataclass(frozen=True)
class SpringDamper(ForceKind):
    """A spring with a damper beside it, between two points.

    stiffness: N/m. damping: N s/m. length: m, at which the spring is slack.

    >>> import linkwork as lw
    >>> lw.SpringDamper(stiffness=200.0, damping=1.5, length=0.3)
    SpringDamper(stiffness=200.0, damping=1.5, length=0.3)
    """

    stiffness: float
    damping: float = 0.0
    length: float = 0.0

    law = spring_damper
    law_reads = SpringDamperParameters
    holds = {"stiffness": FROM_0, "damping": FROM_0, "length": FROM_0}
