r"""A soft contact of a point with a plane that sticks and slips: a spring and a damper along the normal, and a state machine along the plane.

    e = R_b e_z,   x = -e . (p_a - p_b),   x_dot = -e . u              depth below the plane z = 0 of the second place, and its rate
    N = k x + b x_dot                                                   acts for x > 0 while it presses, N > 0
    p_t, u_t: place and velocity of the point along the plane, in the axes of the second place
    sliding     f_t = -mu_d N u_t / max(|u_t|, u_0)
    sticking    f_t = -(k_t (p_t - a) + b_t u_t),  no longer than mu_s N      a: the anchor, where the point was when it stuck

What the law remembers is whether the point is free, slides or sticks, and the anchor. It is advanced where a step has been accepted, by the first of these that
holds in the state at its end:

    leave     x <= 0: free                             pull      N < 0: sliding, without force
    switch    free: sliding.    sliding, |u_t| <= u_0: sticking, anchored where the point is.    sticking, |f_t| > mu_s N: sliding

At trial states within a step the force is that of the state at its start; a point that was free slides as soon as it is below the plane. So the force is a
function of the state with no other jump than that of the damper where the point touches. Wendlandt 1997, section 5.2.
V = k x^2 / 2 + |k_t (p_t - a)|^2 / (2 k_t), the latter while it sticks, and no more than the spring holds at the limit of friction.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, real
from ...kernels.scalar import sqrt
from ...spatial.vectors import add3, dot3, scale3, sub3
from .fields import FROM_0, NUMBER, POSITIVE, optional
from .kind import ABOVE_PLANE, GIVEN, LAW_CALL, MARKER, WRENCHES, ForceKind, Switch, marker, put_wrenches
from .pair import put_pair, relative_motion

FREE, SLIDING, STICKING = 0.0, 1.0, 2.0  # what is remembered, before the anchor
STATES = ("free", "sliding", "sticking")


class StickSlipParameters(Record, constant=True):
    """What the law reads."""

    stiffness = real("k, N/m")
    damping = real("b, N s/m")
    friction = real("mu_d")
    static = real("mu_s")
    shear_stiffness = real("k_t, N/m")
    shear_damping = real("b_t, N s/m")
    slip_speed = real("u_0, m/s")


@kernel(inline=True)
def _remember(out: Any, state: Any, x: Any, y: Any) -> None:
    out[WRENCHES], out[WRENCHES + 1], out[WRENCHES + 2] = state, x, y


@kernel(address=LAW_CALL)
def stick_slip(given: NDArray[np.float64], parameters: StickSlipParameters, out: NDArray[np.float64]) -> None:
    k, b = parameters.stiffness, parameters.damping
    _, p_a, _, _ = marker(given, 0)
    R_b, p_b, _, _ = marker(given, MARKER)
    e_x, e_y, e = (R_b[0], R_b[3], R_b[6]), (R_b[1], R_b[4], R_b[7]), (R_b[2], R_b[5], R_b[8])
    none = (0.0, 0.0, 0.0)
    d = sub3(p_a, p_b)
    _, u = relative_motion(given)
    depth = -dot3(e, d)
    press = k * depth - b * dot3(e, u)
    stored = 0.5 * k * depth * depth
    if depth <= 0.0:  # leave
        put_wrenches(out, none, none, none, none, 0.0)
        _remember(out, FREE, 0.0, 0.0)
        return
    if press < 0.0:  # pull
        put_wrenches(out, none, none, none, none, stored)
        _remember(out, SLIDING, 0.0, 0.0)
        return
    x, y, u_x, u_y = dot3(e_x, d), dot3(e_y, d), dot3(e_x, u), dot3(e_y, u)
    if given[GIVEN] == STICKING:
        k_t, b_t = parameters.shear_stiffness, parameters.shear_damping
        a_x, a_y, limit = given[GIVEN + 1], given[GIVEN + 2], parameters.static * press
        s_x, s_y = k_t * (x - a_x), k_t * (y - a_y)
        f_x, f_y = -s_x - b_t * u_x, -s_y - b_t * u_y
        size = sqrt(f_x * f_x + f_y * f_y)
        _remember(out, STICKING, a_x, a_y)
        if size > limit:
            f_x, f_y = f_x * (limit / size), f_y * (limit / size)
            _remember(out, SLIDING, 0.0, 0.0)
        if k_t > 0.0:
            stored += 0.5 * min(s_x * s_x + s_y * s_y, limit * limit) / k_t
    else:
        speed, slow = sqrt(u_x * u_x + u_y * u_y), parameters.slip_speed
        scale = -parameters.friction * press / max(speed, slow)
        f_x, f_y = scale * u_x, scale * u_y
        if given[GIVEN] == SLIDING and speed <= slow:
            _remember(out, STICKING, x, y)
        else:
            _remember(out, SLIDING, 0.0, 0.0)
    put_pair(out, given, none, add3(scale3(press, e), add3(scale3(f_x, e_x), scale3(f_y, e_y))), stored)


@dataclass(frozen=True)
class StickSlip(ForceKind):
    """The point of the first place on the plane z = 0 of the second place: soft contact that sticks and slips (Wendlandt 1997), with a state that it remembers.

    stiffness: N/m. damping: N s/m. friction: coefficient of sliding. static: of sticking, not below it; None for the same.
    slip_speed: m/s, below which a sliding point may stick. shear_stiffness, shear_damping: N/m and N s/m, of a point that sticks; None for those along
    the normal. At a state without a past (`lw.applied_forces`) the point slides.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("foot")
    >>> foot = m.add_body("foot", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_force("sole", lw.StickSlip(stiffness=1e4, damping=200.0, friction=0.5), foot)
    >>> _ = m.add_force("push", lw.Load((3.0, 0, 0)), foot)
    >>> rec = lw.simulate(m, 1.0, lw.RungeKutta4(step=1e-3), q=[0, 0, -1e-3, 1, 0, 0, 0])
    >>> float(abs(rec.v[-1]).max()) < 1e-6  # it sticks: 3 N are less than 0.5 x 9.81 N
    True
    """

    stiffness: float
    damping: float = 0.0
    friction: float = 0.5
    static: float | None = None
    slip_speed: float = 1e-3
    shear_stiffness: float | None = None
    shear_damping: float | None = None

    slots = 3
    law = stick_slip
    law_reads = StickSlipParameters
    holds = {
        "stiffness": FROM_0,
        "damping": FROM_0,
        "friction": FROM_0,
        "static": optional(NUMBER),
        "slip_speed": POSITIVE,
        "shear_stiffness": optional(FROM_0),
        "shear_damping": optional(FROM_0),
    }

    def law_values(self) -> dict[str, Any]:
        own = {name: getattr(self, name) for name in ("stiffness", "damping", "friction", "slip_speed")}
        like = {"static": self.friction, "shear_stiffness": self.stiffness, "shear_damping": self.damping}
        return own | {name: other if getattr(self, name) is None else getattr(self, name) for name, other in like.items()}

    def switches(self) -> tuple[Switch, ...]:
        return (Switch(ABOVE_PLANE),)

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from super().faults()
        if self.static is not None and not self.friction <= self.static < math.inf:
            yield (
                "force",
                f"static is {self.static:g}; allowed is a finite number from friction ({self.friction:g}) on; correct it, or leave it out",
            )
