"""A rubber string: pulls when it is longer than its rest length, less while it shortens.

    d = p_b - p_a,   L = |d|,   e = d / L,   x = L - L_0,   x_dot = e . (u_b - u_a)
    F = k x [r + (1 - r) S((x_dot + s) / 2s)]   for x > 0,  else 0                     S: cubic step from 0 to 1
    f_a = F e,   f_b = -F e,                     V = (1 + r) k x^2 / 4

Stretched it pulls with k x, shortening with r k x: of the work put in it gives back the part r. The step between the two, smoothed over speeds
from -s to s, is what lets an integrator come to rest. At rest it pulls with (1 + r) k x / 2, of which V is the energy; so what the force does
beyond -dV/dt is never positive. Schröder 1990, 7.2 (k, l, e = r; the width of the smoothing is not given there; 0.1 m/s reproduces his counts).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, real
from ...kernels.scalar import sqrt
from ...spatial.vectors import dot3, scale3, sub3
from .fields import FROM_0, NUMBER, POSITIVE
from .kind import APART, LAW_CALL, MARKER, ForceKind, Switch, marker, put_wrenches
from .pair import smooth_step
from .spring_damper import NEAR


class RubberStringParameters(Record, constant=True):
    """What the law reads."""

    stiffness = real("k, N/m")
    length = real("L_0, m")
    restitution = real("r")
    smoothing = real("s, m/s")


@kernel(address=LAW_CALL)
def rubber_string(given: NDArray[np.float64], parameters: RubberStringParameters, out: NDArray[np.float64]) -> None:
    k, rest, r, s = parameters.stiffness, parameters.length, parameters.restitution, parameters.smoothing
    _, p_a, _, u_a = marker(given, 0)
    _, p_b, _, u_b = marker(given, MARKER)
    d = sub3(p_b, p_a)
    L = sqrt(dot3(d, d))
    none = (0.0, 0.0, 0.0)
    stretch = L - rest
    if stretch <= 0.0 or L <= NEAR:
        put_wrenches(out, none, none, none, none, 0.0)
        return
    e = scale3(1.0 / L, d)
    share = r + (1.0 - r) * smooth_step(0.5 * (dot3(e, sub3(u_b, u_a)) + s) / s)
    pull = scale3(k * stretch * share, e)
    put_wrenches(out, none, pull, none, scale3(-1.0, pull), 0.25 * (1.0 + r) * k * stretch * stretch)


@dataclass(frozen=True)
class RubberString(ForceKind):
    """A string of rubber between two points, slack below its length.

    stiffness: N/m. length: m. restitution: from 0 to 1, the part of the work that it gives back (1: an ideal one-way spring).
    smoothing: m/s, half the width of the range of speeds over which stretching turns into shortening.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("bungee", gravity=(0, 0, 0))
    >>> _ = m.add_force("string", lw.RubberString(stiffness=50.0, length=1.0), m.add_body("bob", mass=1.0, inertia=(1, 1, 1)), m.ground)
    >>> model = m.build()
    >>> [lw.applied_forces(model, [x, 0, 0, 1, 0, 0, 0], [0.0] * 6)["string"].force.round(6).tolist() for x in (0.5, 1.5)]  # slack, taut
    [[0.0, 0.0, 0.0], [-25.0, 0.0, 0.0]]
    """

    stiffness: float
    length: float
    restitution: float = 1.0
    smoothing: float = 0.1

    law = rubber_string
    law_reads = RubberStringParameters
    holds = {"stiffness": FROM_0, "length": FROM_0, "smoothing": POSITIVE, "restitution": NUMBER}

    def switches(self) -> tuple[Switch, ...]:
        return (Switch(APART, self.length),) if self.length > 0.0 else ()

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from super().faults()
        if not 0.0 <= self.restitution <= 1.0:
            yield "force", f"restitution is {self.restitution:g}; allowed is a number from 0 to 1; correct it"
