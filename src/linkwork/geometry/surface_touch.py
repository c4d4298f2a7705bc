"""One triangle of a surface against a convex shape: what height fields and meshes of triangles share.

A triangle is one side of a solid. Where two of them meet, a normal belongs to the edge only if it lies between theirs (the Voronoi cone of the edge); one
that leans over a neighbour in the same plane, or into a valley, is an artefact of the cut: the neighbour gives the contact there. So the direction of
greatest separation counts if it is normal to the surface at the feature that it is from:

    inside of the triangle    n is the triangle's normal
    edge                      n.(opposite corner of the neighbour - edge) <= 0
    corner                    n.(neighbour - corner) <= 0 for all neighbours on the surface

Otherwise the triangle's normal is taken, and only what lies straight above (or below) the triangle. A shape whose middle is behind a triangle is left to
those that it is in front of.

The frame of the surface is that of a: a is the triangle, b the convex shape.
"""

import math

from ..kernels import Vector, kernel
from ..spatial.matrices import apply9
from ..spatial.vectors import add3, dot3, scale3, sub3
from .convex_manifold import drop_interior, find_points, thin_out
from .faces import triangle_normal
from .gjk import separation_along
from .manifold import MAX_POINTS, add_point
from .separation import find_separation
from .support import TRIANGLE, support

ON_FEATURE = 1e-7  # of the triangle's size: corners that are as far in a direction belong to the feature that is farthest in it
LEANS = 1e-7  # sine by which a normal may lean over a neighbour
ANY = -1e300


@kernel
def set_triangle(data, p, q, r, patch) -> None:
    """Let a be a triangle, counter-clockwise as seen from outside; b's pose is set."""
    a = data.a
    a.kind, a.radius, a.corners = TRIANGLE, 0.0, (p[0], p[1], p[2], q[0], q[1], q[2], r[0], r[1], r[2])
    middle = scale3(1.0 / 3.0, add3(add3(p, q), r))
    e, f, g = sub3(q, p), sub3(r, q), sub3(p, r)
    a.extent = math.sqrt(max(dot3(e, e), dot3(f, f), dot3(g, g)))
    apart = sub3(data.middle, middle)
    data.first, data.patch = apart, patch
    data.length = a.extent + data.b.extent + math.sqrt(dot3(apart, apart))


@kernel
def box_around(data, reach) -> Vector[6]:
    """(low corner, high corner) of a box in the frame of the surface about all that is within reach of b; `middle` becomes a point inside b."""
    b, grown = data.b, data.b.radius + reach
    x1, x0 = support(b, (1.0, 0.0, 0.0)), support(b, (-1.0, 0.0, 0.0))
    y1, y0 = support(b, (0.0, 1.0, 0.0)), support(b, (0.0, -1.0, 0.0))
    z1, z0 = support(b, (0.0, 0.0, 1.0)), support(b, (0.0, 0.0, -1.0))
    data.middle = scale3(1.0 / 6.0, add3(add3(add3(x0, x1), add3(y0, y1)), add3(z0, z1)))
    return x0[0] - grown, y0[1] - grown, z0[2] - grown, x1[0] + grown, y1[1] + grown, z1[2] + grown


@kernel
def farthest_corners(data) -> int:
    """Which corners of the triangle are farthest along `n`: bits 1, 2, 4."""
    c, n = data.a.corners, data.n
    u = n[0] * c[0] + n[1] * c[1] + n[2] * c[2]
    v = n[0] * c[3] + n[1] * c[4] + n[2] * c[5]
    w = n[0] * c[6] + n[1] * c[7] + n[2] * c[8]
    least = max(u, v, w) - ON_FEATURE * data.a.extent
    return (1 if u >= least else 0) + (2 if v >= least else 0) + (4 if w >= least else 0)


@kernel(inline=True)
def leans_over(n, corner, neighbour):
    """Does a direction at a corner lean over a neighbour of it on the surface?"""
    e = sub3(neighbour, corner)
    return dot3(n, e) > LEANS * math.sqrt(dot3(e, e))


@kernel
def outward(data) -> Vector[3]:
    """The triangle's normal."""
    c = data.a.corners
    return triangle_normal((c[0], c[1], c[2]), (c[3], c[4], c[5]), (c[6], c[7], c[8]))


@kernel
def is_behind(data) -> bool:
    """Is the middle of b behind the triangle?"""
    c = data.a.corners
    return dot3(outward(data), sub3(data.middle, (c[0], c[1], c[2]))) < 0.0


@kernel
def in_reach(data, reach) -> bool:
    """Is b within reach of the plane of the triangle?"""
    return separation_along(data, outward(data)) <= reach + data.b.radius


@kernel
def search(data, reach) -> bool:
    """Find the direction of greatest separation. False: b is out of reach."""
    find_separation(data, reach + data.b.radius)
    return data.s <= reach + data.b.radius


@kernel
def add_points_along_n(data, reach) -> None:
    """The direction counts: all points along it."""
    find_points(data, reach, True, ANY)


@kernel
def add_points_above(data, reach, overlaps) -> None:
    """The direction does not count: what is straight above the triangle, and if b is apart from it, not below."""
    n = outward(data)
    least = ANY if overlaps else -1e-9 * data.length
    data.n, data.local, data.s, data.face_of = n, n, separation_along(data, n), 1
    find_points(data, reach, False, least)


@kernel
def write_points(data, X, manifold) -> None:
    """All candidates of a surface with world pose X to the manifold, as many as it has places; b is its first shape: normals point to the surface."""
    drop_interior(data)
    thin_out(data, MAX_POINTS)
    R, p = X
    for k in range(data.ncandidates):
        point = data.candidates[k]
        n = apply9(R, point.n)
        add_point(manifold, add3(p, apply9(R, point.p)), (-n[0], -n[1], -n[2]), point.gap, point.feature)
