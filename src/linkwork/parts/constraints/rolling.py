r"""Rolling without slip and the knife edge: rows on velocities, and the height of what rolls.

symbol  meaning
n, k    z_b, the plane's normal;   z_a, the axis of the disc
D       p_a - p_b;   rho the radius
mu, s   n . k;   sqrt(1 - mu^2) = |k x n|, the sine of the tilt
u       -(n - mu k) / s: from the disc's centre to its lowest point;  for a ball u = -n
r       rho u: from the centre to the contact C = p_a + r
V       u_a + w_a x r - u_b - w_b x (D + r): the slip, velocity of a's point at C relative to b's

height  phi = n . D - rho s                (ball: n . D - rho)
        phi_dot = n . D_dot + (w_b x n) . D + rho mu mu_dot / s,        mu_dot = (w_a - w_b) . (k x n)
        J: f_a = n, f_b = -n, n_a = rho mu / s (k x n), n_b = n x D - n_a
        gamma = (w_b x (w_b x n)) . D + 2 (w_b x n) . D_dot + rho (mu mu_ddot / s + mu_dot^2 / s^3)
slip    phi_dot = e . V,  e = x_b and y_b  (no phi)
        J: f_a = e, f_b = -e, n_a = r x e, n_b = -(D + r) x e
        gamma = (w_b x e) . V + e . (w_a x r_dot - w_b x (D_dot + r_dot))
        r_dot = rho [-(n_dot - mu_dot k - mu k_dot) / s + mu mu_dot / s^2 u]         (ball: -rho n_dot)
edge    phi_dot = h . (u_a - u_b - w_b x D),  h = z_a, the direction across the edge  (no phi)
        J: f_a = h, f_b = -h, n_b = h x D
        gamma = (w_a x h) . (u_a - u_b - w_b x D) - h . (w_b x D_dot)

A disc that lies flat (s = 0) touches the plane all round: the rows stay finite there, but mean nothing.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.scalar import sqrt, where, zero
from ...spatial.vectors import add3, cross3, dot3, scale3, sub3
from ..validation import number
from .axes import axis, axis_faults, turn_to
from .kind import BALL, DISC, KNIFE, Block, ConstraintKind, put_row

HEIGHT, SLIP = 1, 2  # which rows of a rolling block: its mask
FLAT = 1e-16  # the least s^2


@kernel
def rolling_rows(block: Any, A: Any, B: Any, rows: Any) -> None:
    """Height (mask HEIGHT) or slip (mask SLIP) of a disc or ball at marker a on the plane of marker b; the block's first number is its radius."""
    o, rho = zero(rows), block.measure
    R_a, p_a, w_a, u_a = A
    R_b, p_b, w_b, u_b = B
    n, k = (R_b[2], R_b[5], R_b[8]), (R_a[2], R_a[5], R_a[8])
    D, D_dot = sub3(p_a, p_b), sub3(u_a, u_b)
    n_dot, k_dot = cross3(w_b, n), cross3(w_a, k)
    n_ddot = cross3(w_b, n_dot)
    # A ball is the case mu = 0, s = 1 that stays so.
    mu, mu_dot, mu_ddot, s = o, o, o, o + 1.0
    across = (o, o, o)
    if block.kind == DISC:
        across = cross3(k, n)
        mu, mu_dot = dot3(n, k), dot3(sub3(w_a, w_b), across)
        mu_ddot = dot3(n_ddot, k) + 2.0 * dot3(n_dot, k_dot) + dot3(n, cross3(w_a, k_dot))
        square = dot3(across, across)
        s = sqrt(where(square > FLAT, square, o + FLAT))
    if block.mask == HEIGHT:
        n_a = scale3(rho * mu / s, across)
        gamma = dot3(n_ddot, D) + 2.0 * dot3(n_dot, D_dot) + rho * (mu * mu_ddot / s + mu_dot * mu_dot / (s * s * s))
        put_row(rows.rows[block.row], n_a, n, sub3(cross3(n, D), n_a), scale3(-1.0, n), dot3(n, D) - rho * s, o, gamma)
    else:
        u = scale3(-1.0 / s, sub3(n, scale3(mu, k)))
        turned = sub3(n_dot, add3(scale3(mu_dot, k), scale3(mu, k_dot)))
        r, r_dot = scale3(rho, u), scale3(rho, sub3(scale3(mu * mu_dot / (s * s), u), scale3(1.0 / s, turned)))
        arm = add3(D, r)
        V = sub3(add3(D_dot, cross3(w_a, r)), cross3(w_b, arm))
        change = sub3(cross3(w_a, r_dot), cross3(w_b, add3(D_dot, r_dot)))
        for j in range(2):
            e = (R_b[0], R_b[3], R_b[6])
            if j == 1:
                e = (R_b[1], R_b[4], R_b[7])
            gamma = dot3(cross3(w_b, e), V) + dot3(e, change)
            put_row(rows.rows[block.row + j], cross3(r, e), e, cross3(e, arm), scale3(-1.0, e), o, o, gamma)


@kernel
def knife_row(block: Any, A: Any, B: Any, rows: Any) -> None:
    """No velocity of a's point along z_a, seen from b."""
    o = zero(rows)
    R_a, p_a, w_a, u_a = A
    _, p_b, w_b, u_b = B
    h = (R_a[2], R_a[5], R_a[8])
    D, D_dot = sub3(p_a, p_b), sub3(u_a, u_b)
    V = sub3(D_dot, cross3(w_b, D))
    gamma = dot3(cross3(w_a, h), V) - dot3(h, cross3(w_b, D_dot))
    put_row(rows.rows[block.row], (o, o, o), h, cross3(h, D), scale3(-1.0, h), o, o, gamma)


def _rolling(kind: Any, radius: float, turn_a: NDArray[np.float64] | None, turn_b: NDArray[np.float64] | None) -> tuple[Any, Any]:
    """Two blocks: the height holds positions, the slip velocities."""
    common: dict[str, Any] = {"measure": radius, "turn_a": turn_a, "turn_b": turn_b}
    return (
        Block(kind, ("height",), mask=HEIGHT, **common),
        Block(kind, ("slip x", "slip y"), mask=SLIP, holonomic=False, **common),
    )


def _radius_faults(radius: float) -> Iterator[tuple[str, str]]:
    if not 0.0 < radius < math.inf:
        yield "constraint", f"radius is {radius:g} m; allowed is a finite number above 0; correct it"


@dataclass(frozen=True)
class RollingDisc(ConstraintKind):
    """A thin wheel rolls on a plane without slipping. The first place is the wheel's centre, the second a point of the plane.

    radius: m. axis: the wheel's axle, in the axes of the first place. normal: of the plane, in the axes of the second.
    The wheel must not lie flat on the plane. It is held on the plane from both sides: see that it keeps pressing, or let contact do it.

    >>> import linkwork as lw
    >>> [row for block in lw.RollingDisc(0.3).blocks() for row in block.rows]
    ['height', 'slip x', 'slip y']
    """

    radius: float
    axis: Any = (0.0, 0.0, 1.0)
    normal: Any = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        owner = type(self).__name__
        object.__setattr__(self, "radius", number(self.radius, owner, "radius"))
        object.__setattr__(self, "axis", axis(self.axis, owner, "axis"))
        object.__setattr__(self, "normal", axis(self.normal, owner, "normal"))

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from _radius_faults(self.radius)
        yield from axis_faults(self.axis, "axis")
        yield from axis_faults(self.normal, "normal")

    def blocks(self) -> tuple[Block, ...]:
        return _rolling(DISC, self.radius, turn_to(self.axis), turn_to(self.normal))


@dataclass(frozen=True)
class RollingBall(ConstraintKind):
    """A ball rolls on a plane without slipping. The first place is the ball's centre, the second a point of the plane.

    radius: m. normal: of the plane, in the axes of the second place.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> ball = m.add_body("ball", shape=lw.Sphere(0.1), density=1000.0)
    >>> _ = m.add_constraint("floor", lw.RollingBall(radius=0.1), ball, m.ground)
    >>> lw.mobility(m.build(), [0, 0, 0.1, 1, 0, 0, 0]).dof  # three turns, none of them slips
    3
    """

    radius: float
    normal: Any = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        owner = type(self).__name__
        object.__setattr__(self, "radius", number(self.radius, owner, "radius"))
        object.__setattr__(self, "normal", axis(self.normal, owner, "normal"))

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from _radius_faults(self.radius)
        yield from axis_faults(self.normal, "normal")

    def blocks(self) -> tuple[Block, ...]:
        return _rolling(BALL, self.radius, None, turn_to(self.normal))


@dataclass(frozen=True)
class KnifeEdge(ConstraintKind):
    """The first place's point does not move along `direction`, which turns with the first body: a skate, a keel, a thin wheel from above.

    direction: across the edge, in the axes of the first place; the motion is that relative to the second place's body.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("skate")
    >>> skate = m.add_body("skate", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_joint("ice", lw.Planar(), m.ground, skate)
    >>> _ = m.add_constraint("edge", lw.KnifeEdge(direction=(0, 1, 0)), skate, m.ground)
    >>> lw.project_velocity(m.build(), [0.0, 0.0, 0.0], [1.0, 1.0, 0.0]).round(9).tolist()  # along the edge only
    [1.0, 0.0, 0.0]
    """

    direction: Any = (0.0, 1.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "direction", axis(self.direction, type(self).__name__, "direction"))

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from axis_faults(self.direction, "direction")

    def blocks(self) -> tuple[Block, ...]:
        return (Block(KNIFE, ("edge",), turn_a=turn_to(self.direction), holonomic=False),)
