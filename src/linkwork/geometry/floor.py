"""A floor against everything: the half space below a plane. n is the plane's normal, p on the plane, gap the height of a point of the other shape.

A round edge is reported by points of its circle that turn with the tilt: the lowest one, those a quarter of a turn beside it and the one opposite. At
a tilt that only rounding makes (FLAT) there is no lowest point, and eight points that are fixed in the shape take their places (a disc that stands on them
tips at 92 % of its radius at the least).

Points far above others of the same shape cannot be the next to touch and are left out: the upper face of a box that lies flat, the upper end of a
cylinder that stands, the sides of a circle that stands upright.
"""

from ..kernels import kernel
from ..kernels.scalar import sqrt
from ..spatial.matrices import apply9_transposed
from ..spatial.vectors import add3, dot3, scale3, sub3
from .frames import axis_x, axis_y, axis_z, beside, size_of
from .manifold import add_point
from .reduction import reduced_vertices
from .shape_table import floats_at

FLAT = 1e-8  # sine of the tilt
SQRT_HALF = 0.5**0.5
STEEP = 0.8  # cosine of the angle to the normal from which an axis counts as upright


@kernel(inline=True)
def _add(manifold, X, x, reach, feature):
    """A point x, if it is low enough, on the floor X."""
    n = axis_z(X[0])
    gap = dot3(n, sub3(x, X[1]))
    if gap <= reach:
        add_point(manifold, beside(x, -gap, n), n, gap, feature)


@kernel
def floor_sphere(a, b, Xa, Xb, reach, manifold) -> None:
    _add(manifold, Xa, beside(Xb[1], -b["size"][0], axis_z(Xa[0])), reach, 0)


@kernel
def floor_capsule(a, b, Xa, Xb, reach, manifold) -> None:
    """Both ends; only the lower one of a capsule that is upright. Features: 1 the end at +z, 2 that at -z."""
    d, n, half = axis_z(Xb[0]), axis_z(Xa[0]), b["size"][1]
    up = dot3(d, n)
    low = beside(Xb[1], -b["size"][0], n)
    if up < STEEP:
        _add(manifold, Xa, beside(low, half, d), reach, 1)
    if up > -STEEP:
        _add(manifold, Xa, beside(low, -half, d), reach, 2)


@kernel
def floor_box(a, b, Xa, Xb, reach, manifold) -> None:
    """The vertices, numbered as in geometry/features.py. gap = height of the centre +- half edges times heights of the axes."""
    n, R, h = axis_z(Xa[0]), Xb[0], size_of(b)
    nx, ny, nz = dot3(n, axis_x(R)), dot3(n, axis_y(R)), dot3(n, axis_z(R))
    x, y, z = scale3(h[0], axis_x(R)), scale3(h[1], axis_y(R)), scale3(h[2], axis_z(R))
    height = dot3(n, sub3(Xb[1], Xa[1]))
    for k in range(8):
        sx, sy, sz = 1.0 if k & 1 else -1.0, 1.0 if k & 2 else -1.0, 1.0 if k & 4 else -1.0
        gap = height + (sx * h[0] * nx + sy * h[1] * ny + sz * h[2] * nz)
        if gap <= reach and sx * nx < STEEP and sy * ny < STEEP and sz * nz < STEEP:
            corner = add3(Xb[1], add3(add3(scale3(sx, x), scale3(sy, y)), scale3(sz, z)))
            add_point(manifold, beside(corner, -gap, n), n, gap, k)


@kernel
def add_circle(manifold, X, center, R, radius, reach, first) -> None:
    """The points of a circle about `center`, in the plane of the x and y axes of R, that are low over the floor X. Features from `first` on."""
    n, x, y = axis_z(X[0]), axis_x(R), axis_y(R)
    nx, ny = dot3(n, x), dot3(n, y)
    sine = sqrt(nx * nx + ny * ny)
    if sine <= FLAT:
        c = radius * SQRT_HALF
        _add(manifold, X, beside(center, radius, x), reach, first + 4)
        _add(manifold, X, beside(center, radius, y), reach, first + 5)
        _add(manifold, X, beside(center, -radius, x), reach, first + 6)
        _add(manifold, X, beside(center, -radius, y), reach, first + 7)
        _add(manifold, X, beside(beside(center, c, x), c, y), reach, first + 20)
        _add(manifold, X, beside(beside(center, -c, x), c, y), reach, first + 21)
        _add(manifold, X, beside(beside(center, -c, x), -c, y), reach, first + 22)
        _add(manifold, X, beside(beside(center, c, x), -c, y), reach, first + 23)
        return
    k = radius / sine
    up, aside = add3(scale3(k * nx, x), scale3(k * ny, y)), add3(scale3(-k * ny, x), scale3(k * nx, y))
    _add(manifold, X, sub3(center, up), reach, first)
    if sine < STEEP:
        _add(manifold, X, sub3(center, aside), reach, first + 1)
        _add(manifold, X, add3(center, aside), reach, first + 2)
        _add(manifold, X, add3(center, up), reach, first + 3)


@kernel
def floor_cylinder(a, b, Xa, Xb, reach, manifold) -> None:
    """Features: from 0 on those of the circle at +z, from 8 on those of the one at -z."""
    R, p = Xb
    d, radius, half = axis_z(R), b["size"][0], b["size"][1]
    up = dot3(d, axis_z(Xa[0]))
    if up < STEEP:
        add_circle(manifold, Xa, beside(p, half, d), R, radius, reach, 0)
    if up > -STEEP:
        add_circle(manifold, Xa, beside(p, -half, d), R, radius, reach, 8)


@kernel
def floor_cone(a, b, Xa, Xb, reach, manifold) -> None:
    """Features: 16 the tip, from 8 on those of the circle of the base."""
    R, p = Xb
    d, half = axis_z(R), b["size"][1]
    up = dot3(d, axis_z(Xa[0]))
    if up < STEEP:
        _add(manifold, Xa, beside(p, half, d), reach, 16)
    add_circle(manifold, Xa, beside(p, -half, d), R, b["size"][0], reach, 8)  # of a flat cone lower than its tip


@kernel
def floor_ellipsoid(a, b, Xa, Xb, reach, manifold) -> None:
    """The lowest point: x = -S^2 m / |S m|, m the floor's normal in the axes of the ellipsoid, S its semi-axes."""
    s, m = size_of(b), apply9_transposed(Xb[0], axis_z(Xa[0]))
    w = s[0] * m[0], s[1] * m[1], s[2] * m[2]
    size = sqrt(dot3(w, w))
    n = axis_z(Xa[0])
    gap = dot3(n, sub3(Xb[1], Xa[1])) - size
    if gap <= reach:
        k = -1.0 / size
        x = k * s[0] * w[0], k * s[1] * w[1], k * s[2] * w[2]
        R = Xb[0]
        low = add3(Xb[1], add3(add3(scale3(x[0], axis_x(R)), scale3(x[1], axis_y(R))), scale3(x[2], axis_z(R))))
        add_point(manifold, beside(low, -gap, n), n, gap, 0)


@kernel
def floor_hull(a, b, Xa, Xb, reach, manifold) -> None:
    """Vertices by their number; of more than eight within reach those that matter (geometry/reduction.py)."""
    n = axis_z(Xa[0])
    m = apply9_transposed(Xb[0], n)
    height = dot3(n, sub3(Xb[1], Xa[1]))
    reduced_vertices(manifold, floats_at(b.points), b.count, b.bound, Xb, m, height, n, reach)
