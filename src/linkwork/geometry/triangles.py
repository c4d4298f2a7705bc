"""A fixed surface of triangles against a convex shape.

SHAPE of kind TRIANGLES (arrays made by `surface.py`): count vertices, nfaces triangles, and behind the addresses

points       vertices (x y z each), then the boxes of the tree's nodes (low corner, high corner)
faces        three vertices a triangle, counter-clockwise as seen from outside
neighbours   three a triangle: the corner opposite to its edges 0-1, 1-2 and 2-0 in the triangle beyond, -1: none; then where the neighbours of each
             vertex begin (count + 1), then these neighbours
tree         number of nodes; then for each, depth first, (where to go on if its box is missed, first triangle, number of triangles: 0 in inner nodes);
             triangles are in the order of the leaves
"""

from ..kernels import Vector, kernel
from ..spatial.vectors import dot3
from .shape_table import floats_at, integers_at
from .support import set_pair
from .surface_touch import (
    add_points_above,
    add_points_along_n,
    box_around,
    farthest_corners,
    in_reach,
    is_behind,
    leans_over,
    outward,
    search,
    set_triangle,
    write_points,
)


@kernel
def collide_triangles(a, b, Xa, Xb, reach, manifold) -> None:
    """A convex shape a and a surface of triangles b (arguments as those of `collide`)."""
    data = manifold.convex
    set_pair(data, b, a, Xb, Xa)
    box = box_around(data, reach)
    data.ncandidates = 0
    points, tree = floats_at(b.points), integers_at(b.tree)
    node, nodes = 0, tree.values[0]
    while node < nodes:
        at = 3 * b.count + 6 * node
        if _boxes_meet(box, points, at):
            first, number = tree.values[3 * node + 2], tree.values[3 * node + 3]
            for t in range(first, first + number):
                _touch_triangle(data, b, t, reach)
            node += 1
        else:
            node = tree.values[3 * node + 1]
    write_points(data, Xb, manifold)


@kernel(inline=True)
def _boxes_meet(box, points, at):
    x = points.values
    below = box[0] <= x[at + 3] and box[1] <= x[at + 4] and box[2] <= x[at + 5]
    return below and box[3] >= x[at] and box[4] >= x[at + 1] and box[5] >= x[at + 2]


@kernel
def _vertex(points, i) -> Vector[3]:
    x = points.values
    return x[3 * i], x[3 * i + 1], x[3 * i + 2]


@kernel
def _touch_triangle(data, surface, t, reach) -> None:
    points, faces = floats_at(surface.points), integers_at(surface.faces)
    i, j, k = faces.values[3 * t], faces.values[3 * t + 1], faces.values[3 * t + 2]
    set_triangle(data, _vertex(points, i), _vertex(points, j), _vertex(points, k), t)
    if is_behind(data) or not in_reach(data, reach) or not search(data, reach):
        return
    if _belongs(data, surface, t, (i, j, k)):
        add_points_along_n(data, reach)
    else:
        add_points_above(data, reach, data.overlap)


@kernel
def _belongs(data, surface, t, corners) -> bool:
    """Is `n` normal to the surface at the feature of the triangle that is farthest along it?"""
    farthest = farthest_corners(data)
    if not dot3(data.n, outward(data)) > -1e-9:
        return False
    if farthest == 7:
        return True
    points, neighbours = floats_at(surface.points), integers_at(surface.neighbours)
    if farthest == 3 or farthest == 6 or farthest == 5:
        edge = 0 if farthest == 3 else (1 if farthest == 6 else 2)
        beyond = neighbours.values[3 * t + edge]
        start = corners[0] if edge != 1 else corners[1]
        return beyond < 0 or not leans_over(data.n, _vertex(points, start), _vertex(points, beyond))
    i = corners[0] if farthest == 1 else (corners[1] if farthest == 2 else corners[2])
    p, base = _vertex(points, i), 3 * surface.nfaces
    for k in range(neighbours.values[base + i], neighbours.values[base + i + 1]):
        if leans_over(data.n, p, _vertex(points, neighbours.values[k])):
            return False
    return True
