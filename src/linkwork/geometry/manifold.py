"""Contact points of two shapes a and b.

All points of a manifold have gaps within the reach that was asked for. A point p lies on the surface of the reference shape of the pair (a face, if
there is one), and is the point of contact for both bodies. The unit normal n points from a to b; the gap along n is negative where the shapes overlap.
"""

from ..kernels import kernel
from ..kernels.records import Record, flag, integer, part, records, scalar, vector3
from .convex_data import ConvexData

MAX_POINTS = 16


class ManifoldPoint(Record):
    """A contact point, in world coordinates."""

    p = vector3("contact point, on the surface of the reference shape, m", by="add_point")
    n = vector3("unit normal, from a to b", by="add_point")
    gap = scalar("distance along n, negative: depth, m", by="add_point")
    feature = integer("the pair of features that touch: the same from step to step while they do", by="add_point")


class ClipVertex(Record):
    """A vertex of a polygon on its way through clipping (geometry/clipping.py): coordinates in the plane of a face, and height above it."""

    u = scalar("coordinate along the face's first axis, m", by="put_vertex")
    v = scalar("coordinate along the face's second axis, m", by="put_vertex")
    w = scalar("height above the face, m", by="put_vertex")
    feature = integer("what the vertex is", by="put_vertex")
    edge = integer("what the edge to the next vertex is", by="put_vertex")


class Manifold(Record):
    """Contact points of two shapes."""

    count = integer("number of contact points, 0: none within reach", by="clear, add_point")
    unsupported = flag("is there no kernel for these kinds of shapes? then nothing is known about them", by="clear, no_kernel")
    points = records(ManifoldPoint, MAX_POINTS, "the contact points")
    polygon = records(ClipVertex, 2 * MAX_POINTS, "working memory: a polygon before and after a side has clipped it")
    convex = part(ConvexData, "working memory: general convex shapes")


@kernel(inline=True)
def clear(manifold):
    """No points."""
    manifold.count = 0
    manifold.unsupported = False


@kernel(inline=True)
def no_kernel(manifold):
    """No kernel answers for this pair: no points, and said so."""
    manifold.count = 0
    manifold.unsupported = True


@kernel(inline=True)
def add_point(manifold, p, n, gap, feature):
    """One more contact point; beyond MAX_POINTS none is added."""
    if manifold.count < MAX_POINTS:
        point = manifold.points[manifold.count]
        point.p, point.n, point.gap, point.feature = p, n, gap, feature
        manifold.count += 1


@kernel
def turn_normals(manifold) -> None:
    """Let a and b change places."""
    for k in range(manifold.count):
        n = manifold.points[k].n
        manifold.points[k].n = (-n[0], -n[1], -n[2])
