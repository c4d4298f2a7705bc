"""A polygon clipped by the sides of a rectangle (Sutherland and Hodgman 1974), in the working memory of a manifold.

The polygon is the face of a box seen from the plane of a face of another box: coordinates u, v in that plane and w above it. Each of its vertices knows
what it is and what the edge to the next vertex is, so that contact points keep their identity from step to step.

what a vertex is        0 .. 7                  a vertex of the polygon's box
                        CROSSING + 4 edge + side  an edge of the polygon's box across a side of the rectangle
                        CORNER + corner         a corner of the rectangle
what an edge is         8 .. 19                 an edge of the polygon's box
                        SIDE + side             a side of the rectangle
side                    0: u = half, 1: u = -half, 2: v = half, 3: v = -half;    corner: 1 on the side of positive u, 2 of positive v, added
"""

from ..kernels import kernel
from .manifold import MAX_POINTS

SIDE, CORNER, CROSSING = 32, 16, 64


@kernel(inline=True)
def put_vertex(polygon, k, uvw, feature, edge):
    vertex = polygon[k]
    vertex.u, vertex.v, vertex.w = uvw
    vertex.feature, vertex.edge = feature, edge


@kernel(inline=True)
def _beyond(vertex, side, half):
    """How far a vertex is beyond a side."""
    u, v = vertex.u, vertex.v
    return (u if side == 0 else -u if side == 1 else v if side == 2 else -v) - half


@kernel(inline=True)
def _crossing(edge, side):
    """What the point is where an edge crosses a side."""
    if edge < SIDE:
        return CROSSING + 4 * edge + side
    other = edge - SIDE
    return CORNER + (1 if side == 0 or other == 0 else 0) + (2 if side == 2 or other == 2 else 0)


# parameters: the half lengths of the rectangle are its two numbers
@kernel
def clip(polygon, count, half_u, half_v, tolerance) -> int:
    """Clip the polygon of `count` vertices; the result begins at vertex 0. Returns its number of vertices. Vertices beyond a side by up to `tolerance` stay."""
    start = 0
    for side in range(4):
        half = half_u if side < 2 else half_v
        outside = 0
        for k in range(count):
            outside += 1 if _beyond(polygon[start + k], side, half) > tolerance else 0
        if outside == count:
            return 0
        if outside > 0:
            into = MAX_POINTS - start
            count = _clip_side(polygon, start, count, into, side, half, tolerance)
            start = into
    if start > 0:
        for k in range(count):
            _copy(polygon, start + k, k)
    return count


@kernel(inline=True)
def _copy(polygon, source, to):
    vertex = polygon[source]
    put_vertex(polygon, to, (vertex.u, vertex.v, vertex.w), vertex.feature, vertex.edge)


# parameters: a polygon is the place and number of its vertices
@kernel(inline=True)
def _clip_side(polygon, start, count, into, side, half, tolerance):
    """Clip by one side, from `start` to `into`."""
    made = 0
    for k in range(count):
        here, after = polygon[start + k], polygon[start + (k + 1 if k + 1 < count else 0)]
        x, y = _beyond(here, side, half), _beyond(after, side, half)
        if x <= tolerance:
            # On the side itself the polygon goes on along the side, if its next vertex is beyond.
            edge = SIDE + side if x >= -tolerance and y > tolerance else here.edge
            put_vertex(polygon, into + made, (here.u, here.v, here.w), here.feature, edge)
            made += 1
        leaves, enters = x < -tolerance and y > tolerance, x > tolerance and y < -tolerance
        if leaves or enters:
            t = x / (x - y)
            uvw = here.u + t * (after.u - here.u), here.v + t * (after.v - here.v), here.w + t * (after.w - here.w)
            put_vertex(polygon, into + made, uvw, _crossing(here.edge, side), SIDE + side if leaves else here.edge)
            made += 1
    return made
