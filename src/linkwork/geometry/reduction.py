"""The vertices of a hull over a plane: all of them if they are few, otherwise those that carry.

First the deepest. Of the vertices at its height (LEVEL) the farthest from it, the farthest from that line on either side: the quadrilateral of a face that
lies flat. Then the same of all vertices within reach, for what comes next. Points that were chosen twice are reported once.
"""

from ..kernels import kernel
from ..spatial.se3 import pose_act
from ..spatial.vectors import cross3, dot3, sub3
from .frames import beside
from .manifold import add_point

FEW = 8
LEVEL = 1e-7  # of the bounding radius: vertices that are so near to the height of the deepest one make a face with it


@kernel(inline=True)
def _vertex(points, k):
    return points.values[3 * k], points.values[3 * k + 1], points.values[3 * k + 2]


# parameters: the vertices of a hull and a plane
@kernel
def reduced_vertices(manifold, points, count, bound, X, m, height, n, reach) -> None:
    """Add the vertices with height + m . x <= reach; X: pose of the hull, m: the plane's normal n in its frame. p on the plane."""
    within, lowest, deepest = 0, 1e300, 0
    for k in range(count):
        gap = height + dot3(m, _vertex(points, k))
        if gap <= reach:
            within += 1
        if gap < lowest:
            lowest, deepest = gap, k
    if lowest > reach:
        return
    if within <= FEW:
        for k in range(count):
            _add(manifold, points, k, X, m, height, n, reach)
        return
    for limit in (min(reach, lowest + LEVEL * bound), reach):
        far = _farthest(points, count, m, height, limit, deepest)
        left = _farthest_beside(points, count, m, height, limit, deepest, far, 1.0)
        right = _farthest_beside(points, count, m, height, limit, deepest, far, -1.0)
        for k in (deepest, far, left, right):
            _add_once(manifold, points, k, X, m, height, n, reach)


@kernel(inline=True)
def _add(manifold, points, k, X, m, height, n, reach):
    x = _vertex(points, k)
    gap = height + dot3(m, x)
    if gap <= reach:
        add_point(manifold, beside(pose_act(X, x), -gap, n), n, gap, k)


@kernel
def _add_once(manifold, points, k, X, m, height, n, reach) -> None:  # parameters: the vertices of a hull and a plane
    for q in range(manifold.count):
        if manifold.points[q].feature == k:
            return
    _add(manifold, points, k, X, m, height, n, reach)


@kernel
def _farthest(points, count, m, height, limit, start) -> int:
    """The vertex below the limit that is farthest from vertex `start`, along the plane."""
    best, chosen, origin = 0.0, start, _vertex(points, start)
    for k in range(count):
        x = _vertex(points, k)
        if height + dot3(m, x) <= limit:
            d = sub3(x, origin)
            up = dot3(m, d)
            square = dot3(d, d) - up * up
            if square > best:
                best, chosen = square, k
    return chosen


@kernel
def _farthest_beside(points, count, m, height, limit, first, second, side) -> int:
    """The vertex below the limit that is farthest from the line through two of them, to one side; `first` if there is none."""
    best, chosen, origin = 0.0, first, _vertex(points, first)
    across = cross3(m, sub3(_vertex(points, second), origin))
    for k in range(count):
        x = _vertex(points, k)
        if height + dot3(m, x) <= limit:
            beyond = side * dot3(across, sub3(x, origin))
            if beyond > best:
                best, chosen = beyond, k
    return chosen
