"""A brake: a force and a torque of bounded strength against the relative motion of two bodies at a point.

    f_a = -F (u / |u|) tanh(|u| / u_0),    n_a = -T (w / |w|) tanh(|w| / w_0)            w, u: motion seen from the second body (pair.py)

or, along an axis a fixed in the first place only (a = R_a axis):

    f_a = -F tanh(a . u / u_0) a,          n_a = -T tanh(a . w / w_0) a

The power is never positive. Far below u_0 it is a damper of F / u_0, as the brake of Schröder 1990, 6.3; a ViscousDamping has no bound.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...spatial.matrices import apply9
from ...spatial.vectors import dot3, scale3
from .fields import direction_faults, keep_vectors, positive_faults, unit
from .kind import LAW_CALL, ForceKind, keep_numbers, nine, range_faults, three
from .pair import direction_against, put_pair, relative_motion


@kernel(address=LAW_CALL)
def brake(given: NDArray[np.float64], numbers: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    w, u = relative_motion(given)
    force, torque, slip, spin = numbers[0], numbers[1], numbers[2], numbers[3]
    if numbers[4] == 0.0:
        n, f = scale3(-torque, direction_against(w, spin)), scale3(-force, direction_against(u, slip))
    else:
        a = apply9(nine(given, 0), three(numbers, 5))
        n, f = scale3(-torque * math.tanh(dot3(a, w) / spin), a), scale3(-force * math.tanh(dot3(a, u) / slip), a)
    put_pair(out, given, n, f, 0.0)


@dataclass(frozen=True)
class Brake(ForceKind):
    """Holds the first place still relative to the second body, up to a force (N) and a torque (N m).

    slip_speed: m/s, slip_rate: rad/s, over which the strength is reached: held loads creep, slower than that.
    axis: a direction in the first place's axes, along and about which it acts; None for all directions.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("sledge", gravity=(0, 0, 0))
    >>> sledge = m.add_body("sledge", mass=5.0, inertia=(1, 1, 1))
    >>> _ = m.add_force("brake", lw.Brake(force=20.0), sledge, m.ground)
    >>> f = lw.applied_forces(m.build(), [0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 1.0, 0, 0])["brake"]
    >>> f.force.round(6).tolist()  # against the motion, in world axes, N
    [-20.0, -0.0, -0.0]
    """

    force: float = 0.0
    torque: float = 0.0
    slip_speed: float = 0.01
    slip_rate: float = 0.01
    axis: tuple[float, float, float] | None = None

    law = brake

    def __post_init__(self) -> None:
        keep_numbers(self, "force", "torque", "slip_speed", "slip_rate")
        if self.axis is not None:
            keep_vectors(self, "axis")

    def numbers(self) -> tuple[float, ...]:
        axis = (0.0, 0.0, 0.0) if self.axis is None else unit(self.axis)
        return (self.force, self.torque, self.slip_speed, self.slip_rate, float(self.axis is not None), *axis)

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from range_faults(self, 0.0, "force", "torque")
        yield from positive_faults(self, "slip_speed", "slip_rate")
        if self.axis is not None:
            yield from direction_faults(self, "axis")
