"""The face of a convex shape that faces a direction, and its polygon.

kind                         faces                                   polygon
BOX, HULL, TRIANGLE          plane faces                             their corners
CYLINDER, CONE               plane ends; the side                    corners on the rim; a line of the side (a generator)
CAPSULE                      the side                                its segment (of the core)
SPHERE, ELLIPSOID            none                                    one point

The first corner on a rim is the one that is farthest in the direction, unless the end faces it: the deepest point of a tilted cylinder is among them.
"""

import math

from ..kernels import Vector, kernel
from ..spatial.matrices import apply9, apply9_transposed
from ..spatial.vectors import add3, cross3, dot3, scale3, sub3
from .convex_data import MAX_CORNERS, RIM
from .kinds import BOX, CAPSULE, CONE, CYLINDER, HULL
from .shape_table import floats_at, integers_at
from .support import TRIANGLE, support, support_vertex

FACES_IT = 1e-6  # sine of the angle below which an end counts as facing a direction
SIDE = 2  # of a cylinder, cone or capsule; 0 and 1 are the ends at -z and +z


@kernel
def choose_face(core, polygon, d) -> float:
    """The face that faces the unit vector d most (in the frame of a): `n`, `local` and `face`. Returns n.d, or -2 if the shape has no faces."""
    kind, size = core.kind, core.size
    x, y, z = apply9_transposed(core.R, d)
    u, v, w = abs(x), abs(y), abs(z)
    local, face = (0.0, 0.0, 0.0), -1
    if kind == BOX:
        if w >= u and w >= v:
            local, face = (0.0, 0.0, math.copysign(1.0, z)), 4 + (1 if z > 0.0 else 0)
        elif v >= u:
            local, face = (0.0, math.copysign(1.0, y), 0.0), 2 + (1 if y > 0.0 else 0)
        else:
            local, face = (math.copysign(1.0, x), 0.0, 0.0), 1 if x > 0.0 else 0
    elif kind == HULL and core.nfaces > 0:  # without faces: corners only
        face = _hull_face(core, (x, y, z))
        planes, at = floats_at(core.points).values, 3 * core.count + 4 * face
        local = (planes[at], planes[at + 1], planes[at + 2])
    elif kind == TRIANGLE:
        c = core.corners
        local, face = triangle_normal((c[0], c[1], c[2]), (c[3], c[4], c[5]), (c[6], c[7], c[8])), 0
        if dot3(local, (x, y, z)) < 0.0:
            local, face = (-local[0], -local[1], -local[2]), 1
    elif kind == CYLINDER or kind == CAPSULE or kind == CONE:
        rho = math.sqrt(u * u + v * v)
        if kind == CONE:
            slant = math.sqrt(size[0] * size[0] + 4.0 * size[1] * size[1])
            radial, axial = 2.0 * size[1] / slant, size[0] / slant
        else:
            radial, axial = 1.0, 0.0
        end = w if kind == CYLINDER else (-z if kind == CONE else -2.0)
        if end > radial * rho + axial * z:
            local, face = (0.0, 0.0, math.copysign(1.0, z)), 1 if z > 0.0 else 0
        elif rho > 0.0:
            local, face = (radial * x / rho, radial * y / rho, axial), SIDE
        else:
            local, face = (radial, 0.0, axial), SIDE
    polygon.local, polygon.face = local, face
    if face < 0:
        polygon.n = d
        return -2.0
    polygon.n = apply9(core.R, local)
    return dot3(polygon.n, d)


@kernel
def triangle_normal(p, q, r) -> Vector[3]:
    """The unit normal of a triangle whose corners turn counter-clockwise about it."""
    m = cross3(sub3(q, p), sub3(r, p))
    size = math.sqrt(dot3(m, m))
    return scale3(1.0 / size, m) if size > 0.0 else (0.0, 0.0, 1.0)


@kernel
def _hull_face(core, d) -> int:
    """Of the faces around the vertex that is farthest in the direction d (its own axes), that which faces d most.

    A face elsewhere may face it more, but lies deeper.
    """
    planes, n = floats_at(core.points).values, core.count
    neighbours = integers_at(core.neighbours).values
    i = support_vertex(core, d)
    best, most = -1, -2.0
    for k in range(neighbours[9 + n + i], neighbours[10 + n + i]):
        face = neighbours[k]
        at = 3 * n + 4 * face
        facing = d[0] * planes[at] + d[1] * planes[at + 1] + d[2] * planes[at + 2]
        if facing > most:
            best, most = face, facing
    return best


@kernel
def _corner(core, polygon, k, x, y, z) -> None:
    corner = polygon.corners[k]
    corner.p = add3(core.p, apply9(core.R, (x, y, z)))
    corner.code = k


@kernel
def face_polygon(core, polygon, d) -> None:
    """The corners of the face that `choose_face` has chosen for d; of a shape without faces its support point."""
    kind, size, face = core.kind, core.size, polygon.face
    if face < 0:
        polygon.count = 1
        polygon.corners[0].p, polygon.corners[0].code = support(core, d), 0
    elif kind == BOX:
        _box_polygon(core, polygon)
    elif kind == HULL:
        _hull_polygon(core, polygon)
    elif kind == TRIANGLE:
        c = core.corners
        polygon.count = 3
        _corner(core, polygon, 0, c[0], c[1], c[2])
        second, third = (1, 2) if face == 0 else (2, 1)
        _corner(core, polygon, second, c[3], c[4], c[5])
        _corner(core, polygon, third, c[6], c[7], c[8])
        polygon.corners[1].code, polygon.corners[2].code = second, third
    elif kind == CAPSULE:
        polygon.count = 2
        _corner(core, polygon, 0, 0.0, 0.0, -size[1])
        _corner(core, polygon, 1, 0.0, 0.0, size[1])
    elif face == SIDE:
        x, y, _ = apply9_transposed(core.R, d)
        rho = math.sqrt(x * x + y * y)
        c, s = (size[0] * x / rho, size[0] * y / rho) if rho > 0.0 else (size[0], 0.0)
        top = 0.0 if kind == CONE else 1.0
        polygon.count = 2
        _corner(core, polygon, 0, c, s, -size[1])
        _corner(core, polygon, 1, top * c, top * s, size[1])
    else:
        _rim_polygon(core, polygon, apply9_transposed(core.R, d))


@kernel
def _box_polygon(core, polygon) -> None:
    """Corner codes are those of the box: bits for +x, +y, +z."""
    size, axis, top = core.size, polygon.face // 2, polygon.face % 2
    sign = 1.0 if top == 1 else -1.0
    polygon.count = 4
    for k in range(4):
        s = 1.0 if k == 1 or k == 2 else -1.0
        t = sign if k >= 2 else -sign  # turns round with the normal
        if axis == 0:
            x, y, z = sign, s, t
        elif axis == 1:
            x, y, z = t, sign, s
        else:
            x, y, z = s, t, sign
        _corner(core, polygon, k, x * size[0], y * size[1], z * size[2])
        polygon.corners[k].code = (1 if x > 0.0 else 0) + (2 if y > 0.0 else 0) + (4 if z > 0.0 else 0)


@kernel
def _hull_polygon(core, polygon) -> None:
    faces, points = integers_at(core.faces).values, floats_at(core.points).values
    first, last = faces[polygon.face], faces[polygon.face + 1]
    number = last - first
    count = min(number, MAX_CORNERS)
    polygon.count = count
    for k in range(count):
        i = faces[first + (k if number == count else k * number // count)]
        _corner(core, polygon, k, points[3 * i], points[3 * i + 1], points[3 * i + 2])
        polygon.corners[k].code = i


@kernel
def _rim_polygon(core, polygon, d) -> None:
    size, face = core.size, polygon.face
    rho = math.sqrt(d[0] * d[0] + d[1] * d[1])
    c, s = (d[0] / rho, d[1] / rho) if rho > FACES_IT else (1.0, 0.0)
    sign = 1.0 if face == 1 else -1.0
    polygon.count = RIM
    for k in range(RIM):
        angle = sign * 2.0 * math.pi * k / RIM
        e, f = math.cos(angle), math.sin(angle)
        _corner(core, polygon, k, size[0] * (c * e - s * f), size[0] * (s * e + c * f), sign * size[1])


@kernel
def is_flat(core, face) -> bool:
    """Is it a plane face, whose normal a contact may have exactly?"""
    return face >= 0 and not (face == SIDE and core.kind != BOX and core.kind != HULL)
