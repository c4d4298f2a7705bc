"""Convex hulls for kernels, prepared in Python.

`HullArrays`, all addresses of a row of SHAPE of kind HULL:

points       vertices (x y z each), then planes of faces (unit normal outward, distance from the origin): 3 count + 4 nfaces floats
faces        where the corners of each face begin (nfaces + 1), then the corners, counter-clockwise as seen from outside
neighbours   the extreme vertices of the eight octants (bit 1: +x, 2: +y, 4: +z); where the neighbours of each vertex begin (count + 1); where the
             faces around it begin (count + 1); then these neighbours and faces

Triangles in one plane are merged, so that a face is what it looks like. Vertices are neighbours if they belong to a common triangle: more than the
edges of the hull, so that climbing from neighbour to neighbour never ends on a face that rounding has bent inward.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ModelError
from .kinds import HULL
from .shape_table import SHAPE

COPLANAR = 1e-9  # of the hull's size: corners that far from a plane lie in it
TURN = 1e-5  # sine between triangles of one face: those of small ones are rounding


class HullArrays(NamedTuple):
    """A hull as arrays; keep them as long as a row leads to them."""

    points: NDArray[np.float64]
    faces: NDArray[np.int64]
    neighbours: NDArray[np.int64]
    npoints: int
    nfaces: int

    @property
    def vertices(self) -> NDArray[np.float64]:
        return self.points[: 3 * self.npoints].reshape(-1, 3)

    @property
    def planes(self) -> NDArray[np.float64]:
        """(nfaces, 4): outward unit normal, distance from the origin."""
        return self.points[3 * self.npoints :].reshape(-1, 4)

    def face(self, i: int) -> NDArray[np.int64]:
        """The corners of face i."""
        return self.faces[self.faces[i] : self.faces[i + 1]]

    @property
    def triangles(self) -> NDArray[np.int64]:
        """(k, 3): the faces, cut into fans."""
        starts, corners = self.faces[: self.nfaces + 1] - (self.nfaces + 1), self.faces[self.nfaces + 1 :]
        first = np.repeat(starts[:-1], np.diff(starts))
        at = np.arange(len(corners))
        inner = at[(at > first) & (at + 1 < np.repeat(starts[1:], np.diff(starts)))]
        return np.column_stack([corners[first[inner]], corners[inner], corners[inner + 1]])

    def fill(self, row: np.ndarray) -> None:
        """Write kind, numbers and addresses to a row of SHAPE (one element of an array of rows); pose and owner are left alone."""
        row["kind"], row["count"], row["nfaces"] = HULL, self.npoints, self.nfaces
        row["size"] = 0.0
        row["points"], row["faces"], row["neighbours"] = (array.ctypes.data for array in (self.points, self.faces, self.neighbours))
        row["bound"] = np.linalg.norm(self.vertices, axis=1).max()


def hull_arrays(vertices: ArrayLike) -> HullArrays:
    """The convex hull of points (n, 3), m. Raises ModelError if they lie in one plane."""
    from scipy.spatial import ConvexHull, QhullError

    given = np.asarray(vertices, dtype=float)
    if given.ndim != 2 or given.shape[1] != 3 or len(given) < 4 or not np.isfinite(given).all():
        raise ModelError(f"vertices of a hull: found an array of shape {given.shape}; allowed are at least 4 finite points, (n, 3)")
    given = np.unique(given, axis=0)
    size = float(np.ptp(given, axis=0).max())
    try:
        hull = ConvexHull((given - given.mean(axis=0)) / size if size > 0.0 else given)
    except (QhullError, ValueError):
        raise ModelError(
            f"vertices of a hull: {len(given)} different points that lie in one plane or nearly so; allowed are points that enclose a volume; "
            "give the shape a thickness"
        ) from None
    used = np.unique(hull.simplices)
    number = np.full(len(given), -1)
    number[used] = np.arange(len(used))
    points, triangles = given[used], number[hull.simplices]
    triangles = np.where(_volume_signs(points, triangles)[:, None] > 0, triangles, triangles[:, ::-1])
    groups, normals = _coplanar(points, triangles, hull.neighbors, size)
    polygons, planes = _faces(points, triangles, groups, normals)
    return _pack(points, triangles, polygons, planes)


def _volume_signs(points, triangles):
    middle = points.mean(axis=0)
    a, b, c = (points[triangles[:, k]] - middle for k in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c))


def _normals(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    m = np.cross(b - a, c - a)
    lengths = np.linalg.norm(m, axis=1, keepdims=True)
    return m / np.where(lengths > 0.0, lengths, 1.0), lengths[:, 0]


def _coplanar(points, triangles, neighbours, size):
    """(the face of each triangle, normals): the largest triangle that is left and all triangles around it whose corners lie in its plane."""
    normals, areas = _normals(points, triangles)
    small = areas <= COPLANAR * size * size
    # Triangles of one face are nearly parallel to their neighbours in it, but for very small ones: on round hulls few are.
    sines = np.linalg.norm(np.cross(normals[:, None], normals[neighbours]), axis=2)
    facing = np.einsum("ij,ikj->ik", normals, normals[neighbours]) > 0.0
    near = ((sines <= 2.1 * TURN) & facing) | small[:, None] | small[neighbours]
    group = np.where(near.any(axis=1), -1, np.arange(len(triangles)))
    for seed in np.argsort(-areas, kind="stable").tolist():
        if group[seed] >= 0:
            continue
        n, base = normals[seed], points[triangles[seed, 0]]
        group[seed], waiting = seed, [seed]
        while waiting:
            at = waiting.pop()
            for t in neighbours[at, near[at]].tolist():
                if group[t] < 0 and np.abs((points[triangles[t]] - base) @ n).max() <= COPLANAR * size:
                    if small[t] or np.linalg.norm(np.cross(n, normals[t])) <= TURN:
                        group[t] = seed
                        waiting.append(t)
    return group, normals


def _faces(points, triangles, groups, normals):
    """(polygons, planes) of the groups, in their order."""
    order = np.argsort(groups, kind="stable")
    names, first, count = np.unique(groups[order], return_index=True, return_counts=True)
    alone = triangles[order[first]]
    n = normals[order[first]]
    planes = np.column_stack([n, np.einsum("ij,ikj->ik", n, points[alone]).max(axis=1)])
    least = np.argmin(alone, axis=1)[:, None]
    polygons = np.take_along_axis(alone, (least + np.arange(3)) % 3, axis=1).tolist()
    for k in np.flatnonzero(count > 1).tolist():
        polygons[k] = _boundary(triangles[order[first[k] : first[k] + count[k]]])
        planes[k] = _plane(points, polygons[k])
    return polygons, planes


def _boundary(triangles):
    """The corners around a face made of triangles."""
    directed = {(int(t[k]), int(t[(k + 1) % 3])) for t in triangles for k in range(3)}
    after = {p: q for p, q in directed if (q, p) not in directed}
    start = min(after)
    corners = [start]
    while after[corners[-1]] != start and len(corners) < len(after):
        corners.append(after[corners[-1]])
    return corners


def _plane(points, corners):
    """Newell's normal of a polygon, and the distance of the plane through its outermost corner."""
    p = points[corners] - points[corners[0]]
    m = np.cross(p, np.roll(p, -1, axis=0)).sum(axis=0)
    n = m / np.linalg.norm(m)
    return np.array([*n, (points[corners] @ n).max()])


def _pack(points, triangles, polygons, planes):
    count, nfaces = len(points), len(polygons)
    ends = nfaces + 1 + np.cumsum([0] + [len(p) for p in polygons])
    faces = np.array([*ends, *(i for p in polygons for i in p)], dtype=np.int64)
    beside = [set() for _ in range(count)]
    for i, j, k in triangles.tolist():
        beside[i].update((j, k))
        beside[j].update((k, i))
        beside[k].update((i, j))
    around = [[] for _ in range(count)]
    for f, polygon in enumerate(polygons):
        for i in polygon:
            around[i].append(f)
    for i in range(count):  # a vertex inside a face, which merging has left there
        if not around[i]:
            around[i].append(int(np.argmax(planes[:, :3] @ points[i] - planes[:, 3])))
    signs = np.array([[1.0 if octant & bit else -1.0 for bit in (1, 2, 4)] for octant in range(8)])
    extreme = np.argmax(signs @ points.T, axis=1)
    at = 8 + 2 * (count + 1)
    first = at + np.cumsum([0] + [len(s) for s in beside])
    second = first[-1] + np.cumsum([0] + [len(s) for s in around])
    lists = [i for s in beside for i in sorted(s)] + [f for s in around for f in s]
    neighbours = np.array([*extreme, *first, *second, *lists], dtype=np.int64)
    return HullArrays(np.concatenate([points.ravel(), planes.ravel()]), faces, neighbours, count, nfaces)


def hull_row(vertices: ArrayLike) -> tuple[np.ndarray, HullArrays]:
    """An array of one row of SHAPE for the hull of points, at the origin of the world; and what it leads to."""
    arrays, rows = hull_arrays(vertices), np.zeros(1, dtype=SHAPE)
    arrays.fill(rows[0])
    rows["R"], rows["link"] = np.eye(3).ravel(), -1
    return rows, arrays
