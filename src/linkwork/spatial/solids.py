"""Volume, centre of mass and inertia tensor of solids of density 1.

Multiply volume and tensor by the density for mass properties. Every solid has its axis along z and its origin at the middle of
its extent, meshes excepted. The tensor is about the centre of mass, in the axes of the solid:
T = integral of (x.x 1 - x x^T) dV.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError
from .checks import Array


class Solid(NamedTuple):
    """Mass properties at density 1: `volume` in m^3, `com` in m, `tensor` (3x3, about com) in m^5."""

    volume: float
    com: Array
    tensor: Array


def _sizes(what, **sizes):
    """The dimensions as floats, or a ModelError that names the first impossible one."""
    found = []
    for name, value in sizes.items():
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ModelError(f"{what}: {name} is {value!r}; it must be a number (m)") from None
        if not 0.0 < number < np.inf:
            raise ModelError(f"{what}: {name} is {number:g}; it must be positive and finite (m)")
        found.append(number)
    return found


def _centred(volume, xx, yy, zz):
    """A solid about its centre, from the mean squares of x, y, z over its volume."""
    return Solid(volume, np.zeros(3), volume * np.array([[yy + zz, 0.0, 0.0], [0.0, xx + zz, 0.0], [0.0, 0.0, xx + yy]]))


def box(x: float, y: float, z: float) -> Solid:
    """A box with full edge lengths x, y, z."""
    x, y, z = _sizes("box", x=x, y=y, z=z)
    return _centred(x * y * z, x * x / 12.0, y * y / 12.0, z * z / 12.0)


def sphere(radius: float) -> Solid:
    """A ball."""
    (r,) = _sizes("sphere", radius=radius)
    return ellipsoid(r, r, r)


def ellipsoid(a: float, b: float, c: float) -> Solid:
    """An ellipsoid with semi-axes a, b, c along x, y, z."""
    a, b, c = _sizes("ellipsoid", a=a, b=b, c=c)
    return _centred(4.0 / 3.0 * np.pi * a * b * c, a * a / 5.0, b * b / 5.0, c * c / 5.0)


def cylinder(radius: float, length: float) -> Solid:
    """A cylinder along z from -length/2 to length/2."""
    r, l = _sizes("cylinder", radius=radius, length=length)
    return _centred(np.pi * r * r * l, r * r / 4.0, r * r / 4.0, l * l / 12.0)


def capsule(radius: float, length: float) -> Solid:
    """A cylinder along z of the given length with a half ball on each end: length + 2 radius over all."""
    r, l = _sizes("capsule", radius=radius, length=length)
    tube, ball = np.pi * r * r * l, 4.0 / 3.0 * np.pi * r**3
    # A half ball on a plane at z = l/2 has mean z = 3 r / 8 above it and mean square r^2 / 5.
    end = r * r / 5.0 + 3.0 * r * l / 8.0 + l * l / 4.0
    xx = (tube * r * r / 4.0 + ball * r * r / 5.0) / (tube + ball)
    return _centred(tube + ball, xx, xx, (tube * l * l / 12.0 + ball * end) / (tube + ball))


def cone(radius: float, length: float) -> Solid:
    """A circular cone along z: base at -length/2, tip at length/2, centre of mass a quarter of the length above the base."""
    r, l = _sizes("cone", radius=radius, length=length)
    centred = _centred(np.pi * r * r * l / 3.0, 3.0 * r * r / 20.0, 3.0 * r * r / 20.0, 3.0 * l * l / 80.0)
    return centred._replace(com=np.array([0.0, 0.0, -l / 4.0]))


def mesh(vertices: ArrayLike, triangles: ArrayLike) -> Solid:
    """The solid inside a closed surface of triangles that turn counter-clockwise seen from outside.

    By the divergence theorem: the sum over the tetrahedra between a fixed point and each triangle, signed by its orientation.
    Vertices that agree to the last bit are one (files of loose triangles repeat them). Cavities are surfaces turned inward.

    vertices: (N, 3) in m; triangles: (K, 3) indices. Raises ModelError if the surface is open, turned inconsistently or
    inside out, or has triangles without area, or twice, or no volume. Self-intersection is not looked for.
    """
    points, faces = _checked_mesh(vertices, triangles)
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    a, b, c = (points - middle)[faces].transpose(1, 0, 2)
    six = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = six.sum() / 6.0
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    # A volume this small against the extent is rounding: the surface is folded flat.
    if abs(volume) < 1.0e-13 * size**3:
        raise ModelError(f"mesh: it encloses no volume (found {volume:.3g} m^3 at an extent of {size:.3g} m); give a solid body")
    if volume < 0.0:
        raise ModelError(f"mesh: it is inside out (volume {volume:.3g} m^3); reverse the order of the vertices of every triangle")
    _refuse_repeated_triangles(faces)
    total = a + b + c
    com = six @ total / (24.0 * volume)
    # Mean of x x^T over a tetrahedron with one corner in the origin: (aa + bb + cc + (a+b+c)(a+b+c)) / 20.
    second = sum(np.einsum("i,ij,ik->jk", six, v, v) for v in (a, b, c, total)) / 120.0
    second -= volume * np.outer(com, com)
    return Solid(float(volume), com + middle, np.trace(second) * np.eye(3) - second)


def _checked_mesh(vertices, triangles):
    """Merged vertices and the triangles on them, or a ModelError that says what is wrong with the surface and where."""
    points, faces = np.asarray(vertices, dtype=float), np.asarray(triangles)
    if points.ndim != 2 or points.shape[1] != 3 or faces.ndim != 2 or faces.shape[1] != 3:
        raise ModelError(f"mesh: shapes {points.shape} and {faces.shape}; vertices must be (N, 3) and triangles (K, 3) indices")
    if len(faces) < 4:
        raise ModelError(f"mesh: it has {len(faces)} triangles; a closed surface needs four at least")
    if not np.issubdtype(faces.dtype, np.integer):
        raise ModelError(f"mesh: triangles hold {faces.dtype} values; they must be whole numbers, indices of vertices")
    if faces.min() < 0 or faces.max() >= len(points):
        raise ModelError(f"mesh: triangles name vertices {faces.min()} to {faces.max()}; there are {len(points)}, counted from 0")
    if not np.isfinite(points).all():
        raise ModelError(f"mesh: vertex {np.flatnonzero(~np.isfinite(points).all(axis=1))[0]} is not finite")
    points, merged = np.unique(points + 0.0, axis=0, return_inverse=True)
    faces = merged.reshape(-1)[faces]
    _refuse_thin_triangles(points, faces)
    _refuse_open_surface(faces)
    return points, faces


def _refuse_repeated_triangles(faces):
    """A part of the surface that is there twice, turned the same way, encloses its volume twice. Bodies may touch: triangles turned opposite ways cancel."""
    turned = np.argmin(faces, axis=1)[:, None] + np.arange(3)
    faces = np.take_along_axis(faces, turned % 3, axis=1)  # the least vertex first
    order = np.lexsort(faces.T)
    again = order[1:][(faces[order[1:]] == faces[order[:-1]]).all(axis=1)]
    if len(again):
        raise ModelError(
            f"mesh: {len(again)} of {len(faces)} triangles stand in it twice (such as triangle {again.min()}), so that it is no closed surface and would count "
            "their volume twice; give each triangle once"
        )


def _refuse_thin_triangles(points, faces):
    a, b, c = points[faces].transpose(1, 0, 2)
    twice_area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    longest = np.max([np.sum((p - q) ** 2, axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0)
    # Corners on a line up to rounding. A real sliver, even one a million times longer than wide, is far above this.
    bad = np.flatnonzero(twice_area <= 1.0e-13 * longest)
    if len(bad):
        where = ", ".join(str(k) for k in bad[:5]) + (", ..." if len(bad) > 5 else "")
        raise ModelError(f"mesh: {len(bad)} of {len(faces)} triangles have no area (triangles {where}); remove or repair them")


def _refuse_open_surface(faces):
    """Every edge must be walked as often in one direction as in the other."""
    start, end = faces.reshape(-1), np.roll(faces, -1, axis=1).reshape(-1)
    edges, index = np.unique(np.stack([np.minimum(start, end), np.maximum(start, end)], axis=1), axis=0, return_inverse=True)
    index = index.reshape(-1)
    balance, count = np.bincount(index, np.where(start < end, 1, -1)), np.bincount(index)
    bad = np.flatnonzero(balance)
    if not len(bad):
        return
    open_edges = np.flatnonzero(count % 2)
    if len(open_edges):
        raise ModelError(f"mesh: the surface is open: {len(open_edges)} of {len(edges)} edges lack a second triangle; close the holes")
    raise ModelError(
        f"mesh: neighbouring triangles are turned opposite ways at {len(bad)} of {len(edges)} edges; "
        "order the vertices of every triangle counter-clockwise seen from outside"
    )
