"""Support functions of convex shapes: a point of the core that is farthest in a direction.

    h(d) = max over the core of d.x,    support(d) one of the points where it is reached

of a hull by hill climbing on its edges from the extreme vertex of the direction's octant, or over all vertices where these are few.
"""

import math

from ..kernels import Vector, kernel
from ..spatial.matrices import apply9, apply9_transposed, times9
from ..spatial.vectors import add3, dot3, sub3
from .frames import size_of
from .kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE
from .shape_table import floats_at, integers_at

TRIANGLE = 16  # one triangle of a height field or a surface, while it is looked at
FEW = 32  # vertices over which a loop is quicker than climbing


@kernel(inline=True)
def _hypot3(v):
    return math.sqrt(dot3(v, v))


@kernel
def _local_support(core, d) -> Vector[3]:
    """In the shape's own frame."""
    kind, size = core.kind, core.size
    x, y, z = d
    if kind == BOX:
        return math.copysign(size[0], x), math.copysign(size[1], y), math.copysign(size[2], z)
    if kind == HULL:
        i = 3 * support_vertex(core, d)
        points = floats_at(core.points).values
        return points[i], points[i + 1], points[i + 2]
    if kind == TRIANGLE:
        return _triangle_support(core.corners, d)
    if kind == CAPSULE:
        return 0.0, 0.0, math.copysign(size[1], z)
    if kind == CYLINDER:
        rho = math.sqrt(x * x + y * y)
        k = size[0] / rho if rho > 0.0 else 0.0
        return k * x, k * y, math.copysign(size[1], z)
    if kind == CONE:
        rho = math.sqrt(x * x + y * y)
        if 2.0 * size[1] * z > size[0] * rho:
            return 0.0, 0.0, size[1]
        k = size[0] / rho if rho > 0.0 else 0.0
        return k * x, k * y, -size[1]
    if kind == ELLIPSOID:
        u, v, w = size[0] * x, size[1] * y, size[2] * z
        k = 1.0 / math.sqrt(u * u + v * v + w * w)
        return k * size[0] * u, k * size[1] * v, k * size[2] * w
    return 0.0, 0.0, 0.0


@kernel(inline=True)
def _triangle_support(c, d):
    u = d[0] * c[0] + d[1] * c[1] + d[2] * c[2]
    v = d[0] * c[3] + d[1] * c[4] + d[2] * c[5]
    w = d[0] * c[6] + d[1] * c[7] + d[2] * c[8]
    if u >= v and u >= w:
        return c[0], c[1], c[2]
    return (c[3], c[4], c[5]) if v >= w else (c[6], c[7], c[8])


@kernel
def support_vertex(core, d) -> int:
    """The vertex of a hull that is farthest in a direction of its own frame."""
    points, n = floats_at(core.points).values, core.count
    x, y, z = d
    if n <= FEW or core.neighbours == 0:
        best, most = 0, x * points[0] + y * points[1] + z * points[2]
        for i in range(1, n):
            h = x * points[3 * i] + y * points[3 * i + 1] + z * points[3 * i + 2]
            if h > most:
                best, most = i, h
        return best
    neighbours = integers_at(core.neighbours).values
    best = neighbours[(1 if x > 0.0 else 0) + (2 if y > 0.0 else 0) + (4 if z > 0.0 else 0)]
    most = x * points[3 * best] + y * points[3 * best + 1] + z * points[3 * best + 2]
    while True:
        at = best
        for k in range(neighbours[8 + at], neighbours[9 + at]):
            i = neighbours[k]
            h = x * points[3 * i] + y * points[3 * i + 1] + z * points[3 * i + 2]
            if h > most:
                best, most = i, h
        if best == at:
            return best


@kernel
def support(core, d) -> Vector[3]:
    """The point of a core that is farthest in a direction, both in the frame of a."""
    return add3(core.p, apply9(core.R, _local_support(core, apply9_transposed(core.R, d))))


@kernel
def set_core(core, shape, R, p) -> None:
    """A row of SHAPE as a core with pose (R, p) in the frame of a."""
    kind = shape.kind
    core.kind, core.R, core.p = kind, R, p
    size = size_of(shape)
    core.size = size
    core.radius = size[0] if kind == SPHERE or kind == CAPSULE else 0.0
    core.count, core.nfaces = shape.count, shape.nfaces
    core.points, core.faces, core.neighbours = shape.points, shape.faces, shape.neighbours
    core.extent = shape.bound if kind == HULL else size[0] + size[1] + size[2]


@kernel
def set_pair(data, a, b, Xa, Xb) -> None:
    """Two rows of SHAPE with their world poses, in the frame of a."""
    Ra, pa = Xa
    Rb, pb = Xb
    set_core(data.a, a, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    R = times9((Ra[0], Ra[3], Ra[6], Ra[1], Ra[4], Ra[7], Ra[2], Ra[5], Ra[8]), Rb)
    p = apply9_transposed(Ra, sub3(pb, pa))
    set_core(data.b, b, R, p)
    data.first, data.patch = p, -1
    data.length = data.a.extent + data.b.extent + _hypot3(p)
