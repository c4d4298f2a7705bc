"""Capsules against capsules: segments with a radius.

The nearest points of the two segments give one point. Capsules that lie along each other also touch where an end of one is beside the other: each end
is a ball, and its contact with the other capsule is exact by itself. Such points are added up to 30 degrees between the axes.
"""

from ..kernels import kernel
from ..kernels.scalar import sqrt
from ..spatial.vectors import cross3, dot3, scale3, sub3
from .features import PAIR
from .frames import axis_x, axis_z, beside, clamp
from .manifold import add_point
from .sphere import COINCIDENT, add_round

ALONG = 0.25  # sin^2 of the angle up to which capsules are said to lie along each other
PARALLEL = 1e-14  # sin^2 below which the directions give no nearest points


@kernel
def capsule_capsule(a, b, Xa, Xb, reach, manifold) -> None:
    """Features: 0 between the ends, 1 and 2 the ends at +z and -z, of each."""
    ra, La, rb, Lb = a["size"][0], a["size"][1], b["size"][0], b["size"][1]
    d, e = axis_z(Xa[0]), axis_z(Xb[0])
    x = sub3(Xb[1], Xa[1])
    c, xd, xe = dot3(d, e), dot3(x, d), dot3(x, e)
    across = cross3(d, e)
    sin2 = dot3(across, across)  # 1 - c^2 without cancellation
    ends = 0
    if sin2 < ALONG:
        # An end of one beside the other, strictly between its ends: of b on a, then of a on b.
        ends += _end_beside(manifold, Xb, Lb, rb, Xa, La, ra, xd + c * Lb, True, reach, 1)
        ends += _end_beside(manifold, Xb, -Lb, rb, Xa, La, ra, xd - c * Lb, True, reach, 2)
        ends += _end_beside(manifold, Xa, La, ra, Xb, Lb, rb, c * La - xe, False, reach, 1)
        ends += _end_beside(manifold, Xa, -La, ra, Xb, Lb, rb, -c * La - xe, False, reach, 2)
        if ends > 0 and sin2 < PARALLEL:
            return
    s = clamp((xd - c * xe) / sin2, -La, La) if sin2 >= PARALLEL else clamp(xd, -La, La)
    t = clamp(c * s - xe, -Lb, Lb)
    s = clamp(xd + c * t, -La, La)
    xa, xb = beside(Xa[1], s, d), beside(Xb[1], t, e)
    fa, fb = _end_of(s, La), _end_of(t, Lb)
    apart = sub3(xb, xa)
    if dot3(apart, apart) > (COINCIDENT * (ra + rb)) ** 2:
        # An end that is nearest has been added above, unless it is beyond an end of the other.
        if sin2 >= ALONG or (fa > 0) == (fb > 0):
            add_round(manifold, xa, ra, xb, rb, d, reach, PAIR * fa + fb)
        return
    # Axes that cross: out along their common normal, towards the other's centre.
    if sin2 >= PARALLEL:
        k = 1.0 / sqrt(sin2)
        n = scale3(-k if dot3(across, x) < 0.0 else k, across)
    else:
        n = axis_x(Xa[0])
    add_point(manifold, beside(xa, ra, n), n, -ra - rb, PAIR * fa + fb)


@kernel(inline=True)
def _end_of(s, half):
    return 1 if s >= half else 2 if s <= -half else 0


# parameters: an end of one capsule and the whole other one
@kernel
def _end_beside(manifold, X, end, r, Y, half, other, at, second, reach, feature) -> int:
    """Add the contact of the end of the capsule X with the capsule Y, if it is beside Y: |at| < half, at the coordinate along Y. 1 if it is there."""
    if abs(at) >= half:
        return 0
    x, y = beside(X[1], end, axis_z(X[0])), beside(Y[1], at, axis_z(Y[0]))
    apart = sub3(x, y)
    if dot3(apart, apart) <= (COINCIDENT * (r + other)) ** 2:
        return 0
    if second:
        add_round(manifold, y, other, x, r, axis_x(Y[0]), reach, feature)
    else:
        add_round(manifold, x, r, y, other, axis_x(Y[0]), reach, PAIR * feature)
    return 1
