"""A torsion spring and damper between two frames, in all directions or about one axis.

All directions.  theta = log(R_b^T R_a), the rotation vector from the second frame to the first, in the second's axes:

    n_a = -k R_b theta - c (w_a - w_b),        V = k |theta|^2 / 2         (theta is an eigenvector of its own Jacobian, so this is the gradient)

About an axis a, the same in both frames (swing and twist).  With (w, v) the quaternion of R_b^T R_a and s = a . v:

    phi = 2 atan2(s, w),    phi_dot = g . (w_a - w_b)    in the first frame's axes,    g = (w^2 a + w a x v + s v) / (w^2 + s^2)
    n_a = -(k (phi - phi_0) + c phi_dot) R_a g,          V = k (phi - phi_0)^2 / 2

If a hinge holds the axis together, g = a. Frames know no full turns: phi - phi_0 is taken in (-pi, pi], and the torque jumps half a turn away
from rest, where theta does too. A JointSpring counts turns.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, flag, real, reals_fixed
from ...kernels.scalar import atan2
from ...spatial.matrices import apply9, apply9_transposed, times9, transposed9
from ...spatial.so3 import quaternion_from_matrix, quaternion_log
from ...spatial.vectors import add3, cross3, dot3, scale3, sub3
from .fields import DIRECTION, FINITE, FROM_0, optional, unit
from .kind import LAW_CALL, MARKER, ForceKind, nine, three
from .pair import put_pair

TURN = 2.0 * math.pi
ACROSS = 1e-24  # w^2 + s^2 below which the first frame is turned over, and no angle about the axis exists


class TorsionSpringParameters(Record, constant=True):
    """What the law reads."""

    stiffness = real("k, N m/rad")
    damping = real("c, N m s/rad")
    rest = real("phi_0, rad")
    about_axis = flag("does it act about an axis only?")
    axis = reals_fixed(3, "a, in both frames")


@kernel(address=LAW_CALL)
def torsion_spring(given: NDArray[np.float64], parameters: TorsionSpringParameters, out: NDArray[np.float64]) -> None:
    k, c, rest = parameters.stiffness, parameters.damping, parameters.rest
    R_a, R_b = nine(given, 0), nine(given, MARKER)
    q = quaternion_from_matrix(times9(transposed9(R_b), R_a))
    relative = sub3(three(given, 12), three(given, MARKER + 12))
    none = (0.0, 0.0, 0.0)
    if not parameters.about_axis:
        theta = quaternion_log(q)
        n = add3(scale3(-k, apply9(R_b, theta)), scale3(-c, relative))
        put_pair(out, given, n, none, 0.5 * k * dot3(theta, theta))
        return
    a, w, v = parameters.axis, q[0], (q[1], q[2], q[3])
    s = dot3(a, v)
    size = w * w + s * s
    away, n = 0.0, none
    if size > ACROSS:
        away = 2.0 * atan2(s, w) - rest
        away -= TURN * math.floor(away / TURN + 0.5)
        g = scale3(1.0 / size, add3(add3(scale3(w * w, a), scale3(w, cross3(a, v))), scale3(s, v)))
        rate = dot3(g, apply9_transposed(R_a, relative))
        n = apply9(R_a, scale3(-k * away - c * rate, g))
    put_pair(out, given, n, none, 0.5 * k * away * away)


@dataclass(frozen=True)
class TorsionSpring(ForceKind):
    """Turns the first frame back towards the second, the short way: half a turn from rest the torque changes its sign. A JointSpring counts turns.

    stiffness: N m/rad. damping: N m s/rad. axis: the axis of the turn, in both frames; None for turns in all directions.
    rest: rad, at which the spring is slack (with an axis only; otherwise turn one of the places).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("twist", gravity=(0, 0, 0))
    >>> _ = m.add_force("wire", lw.TorsionSpring(stiffness=2.0, axis=(0, 0, 1)), m.add_body("bob", mass=1.0, inertia=(1, 1, 1)), m.ground)
    >>> turned = [0, 0, 0, *lw.Pose.from_rpy(0, 0, 0.5).quaternion]
    >>> lw.applied_forces(m.build(), turned, [0.0] * 6)["wire"].moment.round(6).tolist()  # N m, world axes
    [0.0, -0.0, -1.0]
    """

    stiffness: float
    damping: float = 0.0
    axis: tuple[float, float, float] | None = None
    rest: float = 0.0

    law = torsion_spring
    law_reads = TorsionSpringParameters
    holds = {"stiffness": FROM_0, "damping": FROM_0, "rest": FINITE, "axis": optional(DIRECTION)}

    def law_values(self) -> dict[str, Any]:
        axis = (0.0, 0.0, 0.0) if self.axis is None else unit(self.axis)
        about = self.axis is not None
        return {"stiffness": self.stiffness, "damping": self.damping, "rest": self.rest, "about_axis": about, "axis": axis}

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from super().faults()
        if self.axis is None and self.rest != 0.0:
            yield (
                "force",
                f"rest is {self.rest:g} rad, but there is no axis to turn about; allowed is 0 then; give an axis, or turn a place",
            )
