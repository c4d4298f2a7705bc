"""The few meshes of which everything is made: each once, at unit size, drawn many times with a pose, three scales and a colour.

    box        edges 1                     cylinder   radius 1, length 1 along z      sphere   radius 1
    cone       radius 1, height 1          coil       radius 1, length 1: a spring    ring     radius 1, a torus about z
    foot       what a hinge stands on      gear       radius 1, thickness 1           gem      an octahedron, radius 1
    rod, ball: cylinder and sphere with fewer faces, for what is small and drawn often
    dark, light: the two halves of the mark of a centre of mass, eight sectors of a ball

Edges are broken by a small bevel: they catch light, and normals can be shared, so that an outline has no gaps.
"""

import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np

SIDES = 40
BEVEL = 0.03
TURNS, WIRE = 9, 0.11  # of a coil: turns, and radius of the wire
COIL_ASPECT = 7.0  # length over radius at which its wire is round


@dataclass(frozen=True, eq=False)
class Trimesh:
    """vertices (n, 3) float32, faces (k, 3) uint32, counter-clockwise from outside; low, high: corners of the box around it."""

    vertices: np.ndarray
    faces: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, vertices, faces):
        vertices, faces = np.asarray(vertices, dtype=np.float32).reshape(-1, 3), np.asarray(faces, dtype=np.uint32).reshape(-1, 3)
        return cls(vertices, faces, vertices.min(axis=0).astype(float), vertices.max(axis=0).astype(float))


@functools.cache
def unit(name):
    """A mesh of the list above, made on first use."""
    return _MAKERS[name]()


def _box():
    inner, half = 0.5 - BEVEL, 0.5
    corners = []
    for signs in itertools.product((-1, 1), repeat=3):
        corners += [np.array(signs) * [half if k == axis else inner for k in range(3)] for axis in range(3)]
    return convex(corners)


def lathe(profile, sides=SIDES):
    """A profile of (radius, z) from below to above, turned about z; a radius of 0 is a point. Ends are closed by their own points."""
    angles = 2.0 * math.pi * np.arange(sides) / sides
    vertices, rings = [], []
    for radius, z in profile:
        if radius > 0.0:
            rings.append(np.arange(sides) + len(vertices))
            vertices += [(radius * math.cos(a), radius * math.sin(a), z) for a in angles]
        else:
            rings.append(np.full(sides, len(vertices)))
            vertices.append((0.0, 0.0, z))
    return Trimesh.of(vertices, solid_faces(np.concatenate(_between(rings))))


def solid_faces(faces):
    """Faces without those that name a vertex twice."""
    a, b, c = faces.T
    return faces[(a != b) & (b != c) & (c != a)]


def _cylinder(sides=SIDES):
    side, cap = 1.0 - 0.025, 0.5 - 0.012
    return lathe([(0.0, -0.5), (side, -0.5), (1.0, -cap), (1.0, cap), (side, 0.5), (0.0, 0.5)], sides)


def _sphere(sides=SIDES):
    t = np.linspace(-0.5 * math.pi, 0.5 * math.pi, sides // 2 + 1)
    inner = [(math.cos(x), math.sin(x)) for x in t[1:-1]]
    return lathe([(0.0, -1.0), *inner, (0.0, 1.0)], sides)


def _cone():
    return lathe([(0.0, -0.5), (0.975, -0.5), (0.983, -0.484), (0.02, 0.48), (0.0, 0.5)])


def _disc():
    """A cylinder with strongly rounded rim, for what should not look like a rod."""
    return lathe([(0.0, -0.5), (0.88, -0.5), (1.0, -0.32), (1.0, 0.32), (0.88, 0.5), (0.0, 0.5)], 24)


def _between(rings):
    """Triangles between each ring and the next, all of the same number of vertices."""
    faces = []
    for low, high in itertools.pairwise(rings):
        a, b, c, d = low, np.roll(low, -1), np.roll(high, -1), high
        faces += [np.column_stack(three) for three in ((a, b, c), (a, c, d))]
    return faces


def tube(path, radius, sides=8, closed=False, flatten=1.0):
    """A tube along a path (n, 3); `flatten` scales its section along z. Frames are carried along by the least turn."""
    path = np.asarray(path, dtype=float)
    tangents = np.roll(path, -1, axis=0) - np.roll(path, 1, axis=0) if closed else np.gradient(path, axis=0)
    stretched = tangents / (1.0, 1.0, flatten)
    stretched /= np.linalg.norm(stretched, axis=1, keepdims=True)
    normal = np.cross(stretched[0], (0.31, 0.59, 0.74))
    vertices = []
    angles = 2.0 * math.pi * np.arange(sides) / sides
    for point, tangent in zip(path, stretched, strict=True):
        normal = normal - (normal @ tangent) * tangent
        normal /= np.linalg.norm(normal)
        other = np.cross(tangent, normal)
        ring = np.outer(np.cos(angles), normal) + np.outer(np.sin(angles), other)
        vertices.append(point + radius * ring * (1.0, 1.0, flatten))
    rings = np.arange(len(path) * sides).reshape(len(path), sides)
    if closed:
        # The frame may come back turned: join the last ring to the first where they meet best.
        gap = [np.linalg.norm(np.roll(vertices[0], -k, axis=0) - vertices[-1]) for k in range(sides)]
        rings = np.concatenate([rings, [np.roll(rings[0], -int(np.argmin(gap)))]])
    faces = _between(rings)
    vertices = np.concatenate(vertices)
    if not closed:
        first, last = len(vertices), len(vertices) + 1
        vertices = np.concatenate([vertices, path[[0, -1]]])
        faces += [np.column_stack([np.full(sides, first), np.roll(rings[0], -1), rings[0]])]
        faces += [np.column_stack([np.full(sides, last), rings[-1], np.roll(rings[-1], -1)])]
    return Trimesh.of(vertices, np.concatenate(faces))


def coil_line(turns=TURNS, per_turn=12, handed=1.0):
    """The wire of a coil of radius 1 and length 1 about z: straight ends on the axis, and turns that swell at both ends, (n, 3)."""
    s = np.linspace(0.0, 1.0, turns * per_turn + 1)
    angle = handed * 2.0 * math.pi * turns * s
    swell = np.minimum(1.0, np.minimum(s, 1.0 - s) * turns)
    wire = np.column_stack([swell * np.cos(angle), swell * np.sin(angle), -0.38 + 0.76 * s])
    return np.concatenate([[(0.0, 0.0, -0.5)], wire, [(0.0, 0.0, 0.5)]])


def _coil(handed=1.0):
    return tube(coil_line(handed=handed), WIRE, 6, flatten=1.0 / COIL_ASPECT)


def thread(handed=1.0):
    """The thread of a screw, radius 1, length 1: a helix without straight ends."""
    s = np.linspace(0.0, 1.0, 5 * 14 + 1)
    angle = handed * 10.0 * math.pi * s
    return tube(np.column_stack([np.cos(angle), np.sin(angle), s - 0.5]), 0.13, 6, flatten=0.25)


def _ring():
    t = 2.0 * math.pi * np.arange(28) / 28
    return tube(np.column_stack([np.cos(t), np.sin(t), 0.0 * t]), 0.18, 8, closed=True)


def _gear(teeth=14):
    """Flanks meet the rim at sharp edges, so the vertices of both are their own."""
    steps = np.array((0.0, 0.3, 0.42, 0.88)) / teeth
    radii = np.array((1.0, 1.0, 0.8, 0.8))
    angle = 2.0 * math.pi * (np.arange(teeth)[:, None] / teeth + steps).reshape(-1)
    rim = np.tile(radii, teeth)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    n, vertices, faces = len(rim), [], []
    for z in (-0.5, 0.5):
        middle = len(vertices)
        vertices += [(0.0, 0.0, z), *((x, y, z) for x, y in rim)]
        pairs = [(middle + 1 + k, middle + 1 + (k + 1) % n) for k in range(n)]
        faces += [(middle, a, b) if z > 0.0 else (middle, b, a) for a, b in pairs]
    for k in range(n):
        (x, y), (u, v) = rim[k], rim[(k + 1) % n]
        at = len(vertices)
        vertices += [(x, y, -0.5), (u, v, -0.5), (u, v, 0.5), (x, y, 0.5)]
        faces += [(at, at + 1, at + 2), (at, at + 2, at + 3)]
    return Trimesh.of(vertices, faces)


def _gem():
    return flat(convex(np.concatenate([np.eye(3), -np.eye(3)])))


def _foot():
    """A bracket: below the origin along -z, its width along y, as thick as 2.6 along x; sizes in radii of a rod."""
    profile = [(0.9, 0.5), (-0.9, 0.5), (-2.9, -4.2), (-3.2, -4.9), (3.2, -4.9), (2.9, -4.2)]
    return flat(convex([(x, y, z) for x in (-1.3, 1.3) for y, z in profile]))


def _sectors(parity):
    """Four of the eight sectors of a ball, those in which x y z has the sign of `parity`."""
    t = np.linspace(0.0, 0.5 * math.pi, 9)
    vertices, faces = [], []
    for signs in itertools.product((-1.0, 1.0), repeat=3):
        if np.prod(signs) * parity < 0.0:
            continue
        base, grid = len(vertices), np.arange(81).reshape(9, 9)
        vertices += [np.array(signs) * (math.cos(b) * math.cos(a), math.cos(b) * math.sin(a), math.sin(b)) for b in t for a in t]
        quads = np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]], axis=-1).reshape(-1, 4) + base
        quads = quads if np.prod(signs) > 0.0 else quads[:, ::-1]
        faces += [quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]
    return Trimesh.of(vertices, np.concatenate(faces))


def convex(points):
    """The hull of a few points as triangles that look outward, its vertices shared.

    A plane through three points with none beyond it holds a face. A page waits for this: importing a library for it takes a hundred times as long.
    """
    points = np.asarray(points, dtype=float)
    a, b, c = (points[list(three)] for three in zip(*itertools.combinations(range(len(points)), 3), strict=True))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.divide(normals, lengths, where=lengths > 1e-9, out=np.zeros_like(normals))
    normals *= np.where(np.einsum("ij,ij->i", normals, a - points.mean(axis=0)) < 0.0, -1.0, 1.0)[:, None]
    heights = normals @ points.T - np.einsum("ij,ij->i", normals, a)[:, None]
    outside = (heights < 1e-9).all(axis=1) & normals.any(axis=1)
    faces = {}
    for normal, on_it in zip(normals[outside], np.abs(heights[outside]) < 1e-9, strict=True):
        corners = np.flatnonzero(on_it)
        if tuple(corners) not in faces:
            turn = _polygon(points, corners, normal)
            faces[tuple(corners)] = [(turn[0], turn[k], turn[k + 1]) for k in range(1, len(turn) - 1)]
    return Trimesh.of(points, list(itertools.chain.from_iterable(faces.values())))


def _polygon(points, corners, normal):
    """Points of a plane in turn about their middle, without those that are no corners of their hull."""
    spokes = points[corners] - points[corners].mean(axis=0)
    turn = corners[np.argsort(np.arctan2(spokes @ np.cross(normal, spokes[0]), spokes @ spokes[0]))]
    while True:
        before, after = points[turn] - points[np.roll(turn, 1)], points[np.roll(turn, -1)] - points[turn]
        bends = np.cross(before, after) @ normal > 1e-9
        if bends.all():
            return turn
        turn = turn[bends]


def flat(mesh):
    """The same mesh with sharp edges: every face has its own vertices."""
    return Trimesh.of(mesh.vertices[mesh.faces.reshape(-1)], np.arange(3 * len(mesh.faces)))


_MAKERS = {
    "box": _box,
    "cylinder": _cylinder,
    "rod": lambda: _cylinder(20),
    "ball": lambda: _sphere(16),
    "disc": _disc,
    "sphere": _sphere,
    "cone": _cone,
    "coil": _coil,
    "thread": thread,
    "left thread": lambda: thread(-1.0),
    "ring": _ring,
    "gear": _gear,
    "gem": _gem,
    "foot": _foot,
    "dark": lambda: _sectors(1.0),
    "light": lambda: _sectors(-1.0),
}
