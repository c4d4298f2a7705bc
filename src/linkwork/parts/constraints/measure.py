r"""Distance and angle between two places, constant or prescribed in time.

symbol  meaning
D       p_a - p_b;     L(t) the length, s a nominal length that makes phi one
g, h    z_a, z_b, unit axes fixed in a and b;     theta(t) the angle between them

distance  phi = (|D|^2 - L^2) / 2s        phi_dot = (D . D_dot - L L') / s
          J: f_a = D / s, f_b = -D / s    gamma = (|D_dot|^2 - L'^2 - L L'') / s
angle     phi = g . h - cos theta         phi_dot = (w_a - w_b) . (g x h) + theta' sin theta
          J: n_a = g x h, n_b = -n_a      gamma = 2 g_dot . h_dot + g_ddot . h + g . h_ddot + theta'' sin theta + theta'^2 cos theta
          with g_dot = w_a x g, g_ddot = w_a x (w_a x g), and likewise h

Both lose their grip where the gradient vanishes: a distance at 0 (that is a point on a point), an angle at 0 and pi (that is parallel axes).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...kernels import kernel
from ...kernels.scalar import sincos, zero
from ...spatial.vectors import cross3, dot3, scale3, sub3
from .axes import axis, axis_faults, turn_to
from .kind import ANGLE, DISTANCE, Block, ConstraintKind, put_row
from .time_function import CONSTANT, time_function

# Angles nearer to 0 or pi (rad): the gradient, sin theta, is then too small against rounding of the cosine.
LEAST_ANGLE = 1e-3


@kernel
def distance_row(block: Any, A: Any, B: Any, rows: Any) -> None:
    """|D| = L, a function of time; s, a nominal length, is the block's measure."""
    o = zero(rows)
    none = (o, o, o)
    D, D_dot = sub3(A[1], B[1]), sub3(A[3], B[3])
    length = rows.times[block.time_function]
    L, rate, second = length.value, length.rate, length.second
    k = 1.0 / block.measure
    f = scale3(k, D)
    phi, phi_t, gamma = 0.5 * k * (dot3(D, D) - L * L), -k * L * rate, k * (dot3(D_dot, D_dot) - rate * rate - L * second)
    put_row(rows.rows[block.row], none, f, none, scale3(-1.0, f), phi, phi_t, gamma)


@kernel
def angle_row(block: Any, A: Any, B: Any, rows: Any) -> None:
    """The angle between z_a and z_b is theta, a function of time."""
    o = zero(rows)
    none = (o, o, o)
    g, h = (A[0][2], A[0][5], A[0][8]), (B[0][2], B[0][5], B[0][8])
    g_dot, h_dot = cross3(A[2], g), cross3(B[2], h)
    theta = rows.times[block.time_function]
    rate, second = theta.rate, theta.second
    sine, cosine = sincos(theta.value)
    n = cross3(g, h)
    gamma = 2.0 * dot3(g_dot, h_dot) + dot3(cross3(A[2], g_dot), h) + dot3(g, cross3(B[2], h_dot))
    gamma = gamma + second * sine + rate * rate * cosine
    put_row(rows.rows[block.row], n, none, scale3(-1.0, n), none, dot3(g, h) - cosine, rate * sine, gamma)


@dataclass(frozen=True)
class Distance(ConstraintKind):
    """The points of two places stay `length` apart, m: a massless rod with ball ends. The length is a number or a function of time.

    >>> import linkwork as lw
    >>> lw.Distance(0.5).blocks()[0].rows
    ('distance',)
    """

    length: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", time_function(self.length, type(self).__name__, "length"))

    def faults(self) -> Iterator[tuple[str, str]]:
        found = list(self.length.faults("length"))
        yield from found
        if not found and min(self.length.samples()) <= 0.0:
            where = "" if self.length.kind == CONSTANT else " on its way"
            yield (
                "constraint",
                f"length is {min(self.length.samples()):g} m{where}; allowed are lengths above 0; correct it, or use Coincident for points that meet",
            )

    def blocks(self) -> tuple[Block, ...]:
        nominal = abs(self.length.samples()[0])
        return (Block(DISTANCE, ("distance",), measure=nominal if 0.0 < nominal < math.inf else 1.0, time_functions=(self.length,)),)


@dataclass(frozen=True)
class Angle(ConstraintKind):
    """An axis of the first place stays at an angle (rad) to one of the second: a number or a function of time, between 0 and pi.

    Each axis is given in the axes of its place. A right angle and Coincident together make a universal joint.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("square")
    >>> shaft = m.add_body("shaft", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> _ = m.add_constraint("upright", lw.Angle(axis_a=(1, 0, 0), axis_b=(0, 0, 1)), shaft, m.ground)  # x of the shaft stays level
    >>> lw.mobility(m.build(), [0, 0, 0, 1, 0, 0, 0]).dof
    5
    """

    axis_a: Any = (0.0, 0.0, 1.0)
    axis_b: Any = (0.0, 0.0, 1.0)
    angle: Any = math.pi / 2

    def __post_init__(self) -> None:
        owner = type(self).__name__
        for name in ("axis_a", "axis_b"):
            object.__setattr__(self, name, axis(getattr(self, name), owner, name))
        object.__setattr__(self, "angle", time_function(self.angle, owner, "angle"))

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from axis_faults(self.axis_a, "axis_a")
        yield from axis_faults(self.axis_b, "axis_b")
        found = list(self.angle.faults("angle"))
        yield from found
        wrong = [] if found else [x for x in self.angle.samples() if not LEAST_ANGLE <= x <= math.pi - LEAST_ANGLE]
        if wrong:
            where = "" if self.angle.kind == CONSTANT else " on its way"
            yield (
                "constraint",
                f"angle is {wrong[0]:g} rad{where}; allowed is an angle between {LEAST_ANGLE:g} and pi - {LEAST_ANGLE:g}, since at 0 and pi its "
                "cosine has no slope; use ParallelAxes for axes that stay parallel (turn one of them round for pi), or correct it",
            )

    def blocks(self) -> tuple[Block, ...]:
        turns = turn_to(self.axis_a), turn_to(self.axis_b)
        return (Block(ANGLE, ("angle",), time_functions=(self.angle,), turn_a=turns[0], turn_b=turns[1]),)
