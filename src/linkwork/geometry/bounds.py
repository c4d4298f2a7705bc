"""Boxes along the world's axes about shapes (AABBs): exact for all kinds but height fields and triangles, which take that of their bounding sphere."""

from ..kernels import kernel
from ..kernels.scalar import sqrt
from ..spatial.se3 import pose_act
from .frames import axis_z, size_of
from .kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, FLOOR, HULL, SPHERE
from .shape_table import floats_at

FAR = 1e300  # instead of infinity: differences of it are numbers


@kernel
def bounds(shape, X) -> tuple[float, float, float, float, float, float]:
    """(least x, y, z, greatest x, y, z) of a shape with the world pose X of its own frame."""
    R, p = X
    kind, s = shape.kind, size_of(shape)
    if kind == BOX:
        e = _of_rows(R, s)
    elif kind == SPHERE:
        e = s[0], s[0], s[0]
    elif kind == CAPSULE:
        d = axis_z(R)
        e = s[0] + s[1] * abs(d[0]), s[0] + s[1] * abs(d[1]), s[0] + s[1] * abs(d[2])
    elif kind == CYLINDER:
        d, c = axis_z(R), _circle(R, s[0])
        e = c[0] + s[1] * abs(d[0]), c[1] + s[1] * abs(d[1]), c[2] + s[1] * abs(d[2])
    elif kind == ELLIPSOID:
        e = _length(R[0] * s[0], R[1] * s[1], R[2] * s[2]), _length(R[3] * s[0], R[4] * s[1], R[5] * s[2]), 0.0
        e = e[0], e[1], _length(R[6] * s[0], R[7] * s[1], R[8] * s[2])
    elif kind == CONE:
        return _cone(R, p, s)
    elif kind == HULL:
        return _hull(shape, X)
    elif kind == FLOOR:
        return _floor(R, p)
    else:
        e = shape.bound, shape.bound, shape.bound
    return p[0] - e[0], p[1] - e[1], p[2] - e[2], p[0] + e[0], p[1] + e[1], p[2] + e[2]


@kernel(inline=True)
def _length(x, y, z):
    return sqrt(x * x + y * y + z * z)


@kernel(inline=True)
def _of_rows(R, s):
    return (
        abs(R[0]) * s[0] + abs(R[1]) * s[1] + abs(R[2]) * s[2],
        abs(R[3]) * s[0] + abs(R[4]) * s[1] + abs(R[5]) * s[2],
        abs(R[6]) * s[0] + abs(R[7]) * s[1] + abs(R[8]) * s[2],
    )


@kernel(inline=True)
def _circle(R, radius):
    """Half extents of a circle about the z axis: r sqrt(1 - d_i^2) without cancellation."""
    return radius * _length(R[0], R[1], 0.0), radius * _length(R[3], R[4], 0.0), radius * _length(R[6], R[7], 0.0)


@kernel(inline=True)
def _cone(R, p, s):
    d, c, h = axis_z(R), _circle(R, s[0]), s[1]
    tip = p[0] + h * d[0], p[1] + h * d[1], p[2] + h * d[2]
    base = p[0] - h * d[0], p[1] - h * d[1], p[2] - h * d[2]
    return (
        min(tip[0], base[0] - c[0]),
        min(tip[1], base[1] - c[1]),
        min(tip[2], base[2] - c[2]),
        max(tip[0], base[0] + c[0]),
        max(tip[1], base[1] + c[1]),
        max(tip[2], base[2] + c[2]),
    )


@kernel(inline=True)
def _hull(shape, X):
    points = floats_at(shape.points)
    x0, y0, z0, x1, y1, z1 = FAR, FAR, FAR, -FAR, -FAR, -FAR
    for k in range(shape.count):
        x = pose_act(X, (points.values[3 * k], points.values[3 * k + 1], points.values[3 * k + 2]))
        x0, y0, z0, x1, y1, z1 = min(x0, x[0]), min(y0, x[1]), min(z0, x[2]), max(x1, x[0]), max(y1, x[1]), max(z1, x[2])
    return x0, y0, z0, x1, y1, z1


@kernel(inline=True)
def _floor(R, p):
    """All of space, but what is beyond a floor whose normal is exactly an axis of the world."""
    n = axis_z(R)
    return (
        p[0] if n[0] == -1.0 else -FAR,
        p[1] if n[1] == -1.0 else -FAR,
        p[2] if n[2] == -1.0 else -FAR,
        p[0] if n[0] == 1.0 else FAR,
        p[1] if n[1] == 1.0 else FAR,
        p[2] if n[2] == 1.0 else FAR,
    )
