"""Height fields: heights over a grid in x and y, two triangles a cell, solid below.

SHAPE: count and nfaces are the numbers of heights along x and y, size the distances of grid lines (dx, dy) and the depth of the solid, points the heights:
that of grid point (i, j) is at index j count + i. The grid is centred:

    x_i = (i - (count - 1)/2) dx        y_j = (j - (nfaces - 1)/2) dy

A cell is cut from its corner (i, j) to (i + 1, j + 1). Side walls and bottom touch nothing. A shape whose middle has sunk below the surface is pushed up by
the triangle above its middle.
"""

from ..kernels import Vector, kernel
from ..spatial.vectors import sub3
from .frames import size_of
from .shape_table import floats_at
from .support import set_pair
from .surface_touch import (
    add_points_above,
    add_points_along_n,
    box_around,
    farthest_corners,
    in_reach,
    is_behind,
    leans_over,
    search,
    set_triangle,
    write_points,
)


@kernel
def collide_height_field(a, b, Xa, Xb, reach, manifold) -> None:
    """A convex shape a and a height field b (arguments as those of `collide`)."""
    data = manifold.convex
    set_pair(data, b, a, Xb, Xa)
    box = box_around(data, reach)
    nx, ny = b.count, b.nfaces
    dx, dy, _ = size_of(b)
    heights = floats_at(b.points)
    grid = (nx, ny, dx, dy)
    i0, i1 = _cell(box[0], nx, dx), _cell(box[3], nx, dx)
    j0, j1 = _cell(box[1], ny, dy), _cell(box[4], ny, dy)
    data.ncandidates = 0
    if box[3] < -0.5 * (nx - 1) * dx or box[0] > 0.5 * (nx - 1) * dx or box[4] < -0.5 * (ny - 1) * dy or box[1] > 0.5 * (ny - 1) * dy:
        return
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            k = j * nx + i
            highest = max(max(heights.values[k], heights.values[k + 1]), max(heights.values[k + nx], heights.values[k + nx + 1]))
            if box[2] <= highest:
                for half in range(2):
                    _touch_triangle(data, heights, grid, (i, j, half), reach)
    write_points(data, Xb, manifold)


@kernel(inline=True)
def _cell(x, n, d):
    """The cell of a coordinate along one axis, the nearest of those that there are."""
    k = (x / d) + 0.5 * (n - 1)
    return int(min(max(k, 0.0), n - 2.0))


@kernel
def _grid_point(heights, grid, i, j) -> Vector[3]:
    return (i - 0.5 * (grid[0] - 1)) * grid[2], (j - 0.5 * (grid[1] - 1)) * grid[3], heights.values[j * grid[0] + i]


@kernel
def _touch_triangle(data, heights, grid, cell, reach) -> None:
    i, j, half = cell
    p, r = _grid_point(heights, grid, i, j), _grid_point(heights, grid, i + 1, j + 1)
    other = _grid_point(heights, grid, i + 1, j) if half == 0 else _grid_point(heights, grid, i, j + 1)
    patch = 2 * (j * grid[0] + i) + half
    if half == 0:
        set_triangle(data, p, other, r, patch)
    else:
        set_triangle(data, p, r, other, patch)
    if is_behind(data):
        if _is_below(data.middle, p, grid, half):
            add_points_above(data, reach, True)
        return
    if not in_reach(data, reach) or not search(data, reach):
        return
    if _belongs(data, heights, grid, cell):
        add_points_along_n(data, reach)
    else:
        add_points_above(data, reach, data.overlap)


@kernel
def _is_below(x, p, grid, half) -> bool:
    """Is a point straight above or below this half of a cell, whose first corner is p?"""
    e = sub3(x, p)
    u, v = e[0] / grid[2], e[1] / grid[3]
    return 0.0 <= u <= 1.0 and 0.0 <= v <= 1.0 and (v <= u if half == 0 else v >= u)


@kernel
def _belongs(data, heights, grid, cell) -> bool:
    """Is `n` normal to the surface at the feature of the triangle that is farthest along it?"""
    i, j, half = cell
    n = data.n
    if n[2] <= 0.0:
        return False
    farthest = farthest_corners(data)
    if farthest == 7:
        return True
    if half == 0:  # corners (i, j), (i + 1, j), (i + 1, j + 1)
        if farthest == 1:
            return _is_peak(data, heights, grid, i, j)
        if farthest == 2:
            return _is_peak(data, heights, grid, i + 1, j)
        if farthest == 4:
            return _is_peak(data, heights, grid, i + 1, j + 1)
        if farthest == 3:
            return _is_ridge(data, heights, grid, (i, j, i, j - 1))
        if farthest == 6:
            return _is_ridge(data, heights, grid, (i + 1, j, i + 2, j + 1))
        return _is_ridge(data, heights, grid, (i, j, i, j + 1))
    # corners (i, j), (i + 1, j + 1), (i, j + 1)
    if farthest == 1:
        return _is_peak(data, heights, grid, i, j)
    if farthest == 2:
        return _is_peak(data, heights, grid, i + 1, j + 1)
    if farthest == 4:
        return _is_peak(data, heights, grid, i, j + 1)
    if farthest == 3:
        return _is_ridge(data, heights, grid, (i, j, i + 1, j))
    if farthest == 6:
        return _is_ridge(data, heights, grid, (i, j + 1, i + 1, j + 2))
    return _is_ridge(data, heights, grid, (i, j, i - 1, j))


@kernel
def _is_ridge(data, heights, grid, where) -> bool:
    """Does n not lean over the neighbour of an edge? where: a point of the edge, the neighbour's opposite corner."""
    i, j, k, m = where
    if not (0 <= k < grid[0] and 0 <= m < grid[1]):
        return True
    return not leans_over(data.n, _grid_point(heights, grid, i, j), _grid_point(heights, grid, k, m))


@kernel
def _is_peak(data, heights, grid, i, j) -> bool:
    """Does n not lean over any neighbour of a grid point?"""
    p = _grid_point(heights, grid, i, j)
    for k in range(max(i - 1, 0), min(i + 2, grid[0])):
        for m in range(max(j - 1, 0), min(j + 2, grid[1])):
            if (k - i) * (m - j) >= 0 and (k != i or m != j) and leans_over(data.n, p, _grid_point(heights, grid, k, m)):
                return False
    return True
