"""A support: a spring and a damper that keep a point from sinking below a plane, and friction along the plane.

    e = R_b e_z,   x = -e . (p_a - p_b),   x_dot = -e . u             depth below the plane z = 0 of the second place, and its rate
    N = max(0, k x + c S(x / r) x_dot)  for x > 0,  else 0             S: cubic step from 0 to 1, so damping sets in over the depth r
    f_a = N e - mu N (u_t / |u_t|) tanh(|u_t| / u_0),    u_t = u + x_dot e                  V = k x^2 / 2  for x > 0

The force is continuous everywhere, also where the point touches and leaves, and never pulls. Friction acts where the point is, on both bodies.
Schröder 1990, 6.3 (`support`); the step and the friction are additions.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, real
from ...spatial.vectors import add3, dot3, scale3, sub3
from .fields import FROM_0, POSITIVE
from .kind import ABOVE_PLANE, LAW_CALL, MARKER, PRESSING, ForceKind, Switch, marker, put_wrenches
from .pair import direction_against, put_pair, relative_motion, smooth_step


class SupportParameters(Record, constant=True):
    """What the law reads."""

    stiffness = real("k, N/m")
    damping = real("c, N s/m")
    ramp = real("r, m")
    friction = real("mu")
    slip_speed = real("u_0, m/s")


@kernel(address=LAW_CALL)
def support(given: NDArray[np.float64], parameters: SupportParameters, out: NDArray[np.float64]) -> None:
    k, c, ramp = parameters.stiffness, parameters.damping, parameters.ramp
    mu, slip = parameters.friction, parameters.slip_speed
    _, p_a, _, _ = marker(given, 0)
    R_b, p_b, _, _ = marker(given, MARKER)
    e = R_b[2], R_b[5], R_b[8]
    none = (0.0, 0.0, 0.0)
    depth = -dot3(e, sub3(p_a, p_b))
    if depth <= 0.0:
        put_wrenches(out, none, none, none, none, 0.0)
        return
    _, u = relative_motion(given)
    sinking = -dot3(e, u)
    press = max(0.0, k * depth + c * smooth_step(depth / ramp) * sinking)
    drag = direction_against(add3(u, scale3(sinking, e)), slip)
    put_pair(out, given, none, sub3(scale3(press, e), scale3(mu * press, drag)), 0.5 * k * depth * depth)


@dataclass(frozen=True)
class Support(ForceKind):
    """The point of the first place is held above the plane z = 0 of the second place: a wheel on the ground, a foot, a buffer.

    stiffness: N/m. damping: N s/m, while the point is below the plane. ramp: m, depth over which damping sets in.
    friction: coefficient. slip_speed: m/s, over which friction sets in; a point that creeps slower than this is as good as stuck.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("foot", gravity=(0, 0, 0))
    >>> _ = m.add_force("floor", lw.Support(stiffness=1e4), m.add_body("foot", mass=1.0, inertia=(1, 1, 1)), m.ground)
    >>> model = m.build()
    >>> [lw.applied_forces(model, [0, 0, z, 1, 0, 0, 0], [0.0] * 6)["floor"].force.round(6).tolist() for z in (0.01, -0.01)]
    [[0.0, 0.0, 0.0], [0.0, 0.0, 100.0]]
    """

    stiffness: float
    damping: float = 0.0
    ramp: float = 0.01
    friction: float = 0.0
    slip_speed: float = 0.01

    law = support
    law_reads = SupportParameters
    holds = {"stiffness": FROM_0, "damping": FROM_0, "friction": FROM_0, "ramp": POSITIVE, "slip_speed": POSITIVE}

    def switches(self) -> tuple[Switch, ...]:
        if self.stiffness > 0.0 and self.damping > 0.0:  # it may cease before the point leaves, and press once more
            return (Switch(PRESSING, numbers=(self.stiffness, self.damping, self.ramp)),)
        return (Switch(ABOVE_PLANE),)
