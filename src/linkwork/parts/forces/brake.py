"""A brake: a force and a torque of bounded strength against the relative motion of two bodies at a point.

    f_a = -F (u / |u|) tanh(|u| / u_0),    n_a = -T (w / |w|) tanh(|w| / w_0)            w, u: motion seen from the second body (pair.py)

or, along an axis a fixed in the first place only (a = R_a axis):

    f_a = -F tanh(a . u / u_0) a,          n_a = -T tanh(a . w / w_0) a

The power is never positive. Far below u_0 it is a damper of F / u_0, as the brake of Schröder 1990, 6.3; a ViscousDamping has no bound.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, flag, real, reals_fixed
from ...spatial.matrices import apply9
from ...spatial.vectors import dot3, scale3
from .fields import DIRECTION, FROM_0, POSITIVE, optional, unit
from .kind import LAW_CALL, ForceKind, nine
from .pair import direction_against, put_pair, relative_motion


class BrakeParameters(Record, constant=True):
    """What the law reads."""

    force = real("F, N")
    torque = real("T, N m")
    slip_speed = real("u_0, m/s")
    slip_rate = real("w_0, rad/s")
    about_axis = flag("does it act along and about an axis only?")
    axis = reals_fixed(3, "that axis, in the first place")


@kernel(address=LAW_CALL)
def brake(given: NDArray[np.float64], parameters: BrakeParameters, out: NDArray[np.float64]) -> None:
    w, u = relative_motion(given)
    force, torque, slip, spin = parameters.force, parameters.torque, parameters.slip_speed, parameters.slip_rate
    if parameters.about_axis:
        a = apply9(nine(given, 0), parameters.axis)
        n, f = scale3(-torque * math.tanh(dot3(a, w) / spin), a), scale3(-force * math.tanh(dot3(a, u) / slip), a)
    else:
        n, f = scale3(-torque, direction_against(w, spin)), scale3(-force, direction_against(u, slip))
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
    law_reads = BrakeParameters
    holds = {"force": FROM_0, "torque": FROM_0, "slip_speed": POSITIVE, "slip_rate": POSITIVE, "axis": optional(DIRECTION)}

    def law_values(self) -> dict[str, Any]:
        return {
            "force": self.force,
            "torque": self.torque,
            "slip_speed": self.slip_speed,
            "slip_rate": self.slip_rate,
            "about_axis": self.axis is not None,
            "axis": (0.0, 0.0, 0.0) if self.axis is None else unit(self.axis),
        }
