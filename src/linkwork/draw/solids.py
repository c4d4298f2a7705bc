"""Shapes as faces: corners and flat polygons, counter-clockwise seen from outside, in the axes of the body."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from ..parts.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, HeightField, Mesh, Sphere

SIDES = 24  # of a round shape
MOST_CELLS = 2500  # of a height field


@dataclass(frozen=True, eq=False)
class Solid:
    """Corners (n, 3) in m and faces, tuples of their numbers. convex: no face hides another. closed: its inside is never seen."""

    corners: np.ndarray
    faces: tuple
    convex: bool = True
    closed: bool = True

    def placed(self, R, p):
        """The same at another pose, or through any other affine map x -> R x + p; a mirror turns its faces round."""
        faces = self.faces if np.linalg.det(R) > 0.0 else tuple(face[::-1] for face in self.faces)
        return Solid(self.corners @ np.asarray(R).T + p, faces, self.convex, self.closed)


def solid_of(shape, sides=SIDES):
    """The faces of a shape in its body's axes; None for a shape that has none of its own (a MeshFile: see mesh_files.py)."""
    maker = _MAKERS.get(type(shape))
    return None if maker is None else maker(shape, sides).placed(shape.at.rotation, shape.at.translation)


def box(x, y, z):
    """Full edge lengths, about the origin."""
    corners = 0.5 * np.array([(i, j, k) for i in (-x, x) for j in (-y, y) for k in (-z, z)])
    return Solid(corners, ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)))


def lathe(profile, sides=SIDES):
    """A profile of (radius, z), from below to above, turned about z. A radius of 0 closes an end in a tip, any other in a flat cap."""
    angles = 2.0 * math.pi * np.arange(sides) / sides
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    corners, rings = [], []
    for radius, z in profile:
        count = sides if radius > 0.0 else 1
        rings.append(len(corners) + np.arange(count))
        corners += [(radius * c, radius * s, z) for c, s in circle[:count]] if count > 1 else [(0.0, 0.0, z)]
    faces = []
    for low, high in itertools.pairwise(rings):
        for k in range(sides):
            a, b, c, d = low[k % len(low)], low[(k + 1) % len(low)], high[(k + 1) % len(high)], high[k % len(high)]
            faces.append(tuple(int(i) for i in ((a, b, c) if c == d else (a, c, d) if a == b else (a, b, c, d))))
    if len(rings[0]) > 1:
        faces.append(tuple(int(i) for i in rings[0][::-1]))
    if len(rings[-1]) > 1:
        faces.append(tuple(int(i) for i in rings[-1]))
    return Solid(np.array(corners, dtype=float), tuple(faces))


def cylinder(radius, length, sides=SIDES):
    return lathe([(radius, -0.5 * length), (radius, 0.5 * length)], sides)


def ball(radius, sides=SIDES):
    return capsule(radius, 0.0, sides)


def capsule(radius, length, sides=SIDES):
    """A cylinder with half balls on its ends; with length 0, a ball."""
    quarter = [(radius * math.sin(t), radius * math.cos(t)) for t in np.linspace(0.0, 0.5 * math.pi, max(sides // 4, 2) + 1)]
    below = [(r if k else 0.0, -z - 0.5 * length) for k, (r, z) in enumerate(quarter)]
    above = [(r if k else 0.0, z + 0.5 * length) for k, (r, z) in enumerate(quarter)][::-1]
    return lathe(below + above[length == 0.0 :], sides)


def cone(radius, height, sides=SIDES):
    return lathe([(radius, -0.5 * height), (0.0, 0.5 * height)], sides)


def triangles(vertices, faces):
    """A surface of triangles; triangles without area are left out. It hides its inside only if it is closed."""
    vertices, faces = np.asarray(vertices, dtype=float), np.asarray(faces, dtype=np.int64)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    faces = faces[area > 1e-12 * max(float(area.max(initial=0.0)), 1e-300)]
    return Solid(vertices, tuple(map(tuple, faces.tolist())), convex=False, closed=is_closed(vertices, faces))


def ground_of(shape, most=MOST_CELLS):
    """(vertices, triangles) of a height field; of one with more cells than `most`, of some of its rows and columns."""
    ny, nx = shape.heights.shape
    share = min(1.0, math.sqrt(most / ((nx - 1) * (ny - 1))))
    i, j = (np.unique(np.linspace(0, n - 1, max(2, 1 + int(share * (n - 1)))).round().astype(int)) for n in (nx, ny))
    x, y = (i - 0.5 * (nx - 1)) * shape.dx, (j - 0.5 * (ny - 1)) * shape.dy
    vertices = np.column_stack([np.tile(x, len(y)), np.repeat(y, len(x)), shape.heights[np.ix_(j, i)].ravel()])
    k = (np.arange(len(y) - 1)[:, None] * len(x) + np.arange(len(x) - 1)).ravel()
    row = len(x)
    return vertices, np.concatenate([np.column_stack([k, k + 1, k + row + 1]), np.column_stack([k, k + row + 1, k + row])])


def is_closed(vertices, faces):
    """Every edge once each way, and the volume positive: then back faces need not be drawn."""
    edges = np.concatenate([faces[:, (0, 1)], faces[:, (1, 2)], faces[:, (2, 0)]])
    there, back = (set(map(tuple, pairs.tolist())) for pairs in (edges, edges[:, ::-1]))
    if not len(edges) or len(there) != len(edges) or there != back:
        return False
    a, b, c = (vertices[faces[:, k]] - vertices.mean(axis=0) for k in range(3))
    return bool(np.einsum("ij,ij->", a, np.cross(b, c)) > 0.0)


def along(direction):
    """A rotation that takes z to a direction, (3, 3)."""
    z = np.asarray(direction, dtype=float) / np.linalg.norm(direction)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def rod(a, b, radius, sides=12, flat=False):
    """A bar from a to b with round ends; flat: a plain cylinder."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    length = float(np.linalg.norm(b - a))
    made = cylinder(radius, length, sides) if flat else capsule(radius, length, sides)
    return made.placed(along(b - a) if length > 0.0 else np.eye(3), 0.5 * (a + b))


_MAKERS = {
    Box: lambda s, sides: box(s.x, s.y, s.z),
    Sphere: lambda s, sides: ball(s.radius, sides),
    Cylinder: lambda s, sides: cylinder(s.radius, s.length, sides),
    Capsule: lambda s, sides: capsule(s.radius, s.length, sides),
    Cone: lambda s, sides: cone(s.radius, s.height, sides),
    Ellipsoid: lambda s, sides: ball(1.0, sides).placed(np.diag((s.a, s.b, s.c)), np.zeros(3)),
    Mesh: lambda s, sides: triangles(s.vertices, s.faces),
    HeightField: lambda s, sides: triangles(*ground_of(s)),
}
