"""Spheres against spheres, capsules, boxes and cylinders: one point, the normal along the shortest way between the surfaces.

    gap = |c - x| - r,    x the point of the other shape that is nearest to the centre c

and if the centre is inside a box or a cylinder, the way out through the nearest face. Normals of faces are the axes of the shape, without rounding.
"""

from ..kernels import kernel
from ..kernels.scalar import sqrt
from ..spatial.matrices import apply9
from ..spatial.se3 import pose_act, pose_act_inverse
from ..spatial.vectors import dot3, scale3, sub3
from .features import PAIR, region_of
from .frames import axis_of, axis_x, axis_z, beside, clamp, length3, opposite, sign_of, size_of
from .manifold import add_point

COINCIDENT = 1e-12  # of the radii: centres (or axes) nearer than this give no direction
EQUAL = 1e-12  # of the half edges: depths below faces that differ by less are equal


@kernel(inline=True)
def add_round(manifold, xa, ra, xb, rb, otherwise, reach, feature):
    """The contact of two balls about xa and xb; p on the surface of the first. `otherwise`: the normal if the centres coincide."""
    d = sub3(xb, xa)
    distance = length3(d)
    gap = distance - ra - rb
    if gap <= reach:
        n = scale3(1.0 / distance, d) if distance > COINCIDENT * (ra + rb) else otherwise
        add_point(manifold, beside(xa, ra, n), n, gap, feature)


@kernel
def sphere_sphere(a, b, Xa, Xb, reach, manifold) -> None:
    add_round(manifold, Xa[1], a["size"][0], Xb[1], b["size"][0], axis_z(Xa[0]), reach, 0)


@kernel
def sphere_capsule(a, b, Xa, Xb, reach, manifold) -> None:
    """The ball against the nearest ball of the capsule. Feature: which end, or 0 between them."""
    R, p = Xb
    d, half = axis_z(R), b["size"][1]
    t = dot3(sub3(Xa[1], p), d)
    end = 0
    if t > half:
        t, end = half, 1
    elif t < -half:
        t, end = -half, 2
    add_round(manifold, Xa[1], a["size"][0], beside(p, t, d), b["size"][0], axis_x(R), reach, end)


@kernel(inline=True)
def box_excess(x, h):
    """How far a point is beyond each pair of faces of a box, signed; zero between them."""
    return x[0] - clamp(x[0], -h[0], h[0]), x[1] - clamp(x[1], -h[1], h[1]), x[2] - clamp(x[2], -h[2], h[2])


@kernel(inline=True)
def shallowest_face(x, h):
    """(axis, side, height above it) of the face of a box that is nearest to a point inside; of equal ones the first."""
    wx, wy, wz = abs(x[0]) - h[0], abs(x[1]) - h[1], abs(x[2]) - h[2]
    slack = EQUAL * (h[0] + h[1] + h[2])
    if wx >= wy - slack and wx >= wz - slack:
        return 0, sign_of(x[0]), wx
    if wy >= wz - slack:
        return 1, sign_of(x[1]), wy
    return 2, sign_of(x[2]), wz


@kernel
def add_ball_on_box(manifold, x, r, h, X, reach, first) -> None:
    """A ball (first shape) about x, in the frame X of a box (second shape) with half edges h; p on the box. `first`: the feature of the first shape."""
    R, p = X
    e = box_excess(x, h)
    outside = (1 if e[0] != 0.0 else 0) + (1 if e[1] != 0.0 else 0) + (1 if e[2] != 0.0 else 0)
    if outside > 1:
        distance = length3(e)
        if distance - r <= reach:
            n = scale3(-1.0 / distance, apply9(R, e))
            add_point(manifold, pose_act(X, sub3(x, e)), n, distance - r, PAIR * first + region_of(e[0], e[1], e[2]))
        return
    axis, side, w = 0, 1.0, 0.0
    if outside == 1:
        axis = 0 if e[0] != 0.0 else 1 if e[1] != 0.0 else 2
        side, w = sign_of(e[0] + e[1] + e[2]), abs(e[0] + e[1] + e[2])
    else:
        axis, side, w = shallowest_face(x, h)
    if w - r <= reach:
        n = scale3(-side, axis_of(R, axis))
        region = 20 + 2 * axis + (1 if side > 0.0 else 0)
        add_point(manifold, beside(pose_act(X, x), w, n), n, w - r, PAIR * first + region)


@kernel
def sphere_box(a, b, Xa, Xb, reach, manifold) -> None:
    add_ball_on_box(manifold, pose_act_inverse(Xb, Xa[1]), a["size"][0], size_of(b), Xb, reach, 0)


SIDE, CAP, RIM = 0, 1, 3  # features of a cylinder: its side; cap and rim at -z, those at +z one more


@kernel
def sphere_cylinder(a, b, Xa, Xb, reach, manifold) -> None:
    """p on the cylinder. Feature: side, cap or rim."""
    R, p = Xb
    r, radius, half = a["size"][0], b["size"][0], b["size"][1]
    x = pose_act_inverse(Xb, Xa[1])
    rho = sqrt(x[0] * x[0] + x[1] * x[1])
    outward = (x[0] / rho, x[1] / rho, 0.0) if rho > COINCIDENT * radius else (1.0, 0.0, 0.0)
    beyond_side, beyond_cap, up = rho - radius, abs(x[2]) - half, sign_of(x[2])
    end = 1 if up > 0.0 else 0
    if beyond_side > 0.0 and beyond_cap > 0.0:
        distance = sqrt(beyond_side * beyond_side + beyond_cap * beyond_cap)
        if distance - r <= reach:
            e = beyond_side * outward[0], beyond_side * outward[1], up * beyond_cap
            n = scale3(-1.0 / distance, apply9(R, e))
            add_point(manifold, pose_act(Xb, sub3(x, e)), n, distance - r, RIM + end)
    elif beyond_cap >= beyond_side:
        if beyond_cap - r <= reach:
            n = scale3(-up, axis_z(R))
            add_point(manifold, beside(Xa[1], beyond_cap, n), n, beyond_cap - r, CAP + end)
    elif beyond_side - r <= reach:
        n = opposite(apply9(R, outward))
        add_point(manifold, beside(Xa[1], beyond_side, n), n, beyond_side - r, SIDE)
