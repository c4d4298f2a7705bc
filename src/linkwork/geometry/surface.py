"""Arrays of surfaces for kernels, prepared in Python: heights over a grid, and meshes of triangles with a tree of boxes (`triangles.py` has their layout)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ModelError
from .kinds import HEIGHT_FIELD, TRIANGLES

LEAF = 4  # triangles of a leaf of the tree
SAME = 1e-9  # of the size: vertices that near are one


class HeightArrays(NamedTuple):
    """A height field; keep it as long as a row leads to it."""

    heights: NDArray[np.float64]  # (ny, nx)
    steps: tuple[float, float]
    depth: float

    def fill(self, row: np.ndarray) -> None:
        """Write kind, numbers and addresses to a row of SHAPE; pose and owner are left alone."""
        ny, nx = self.heights.shape
        row["kind"], row["count"], row["nfaces"], row["points"] = HEIGHT_FIELD, nx, ny, self.heights.ctypes.data
        row["size"] = (*self.steps, self.depth)
        x, y = 0.5 * (nx - 1) * self.steps[0], 0.5 * (ny - 1) * self.steps[1]
        z = max(abs(float(self.heights.max())), abs(float(self.heights.min()) - self.depth))
        row["bound"] = np.sqrt(x * x + y * y + z * z)


def height_arrays(heights: ArrayLike, dx: float, dy: float, depth: float = 1.0) -> HeightArrays:
    """Heights (ny, nx), m, over a centred grid with lines dx and dy apart: row j is at one y, column i at one x."""
    found = np.ascontiguousarray(heights, dtype=float)
    if found.ndim != 2 or min(found.shape) < 2 or not np.isfinite(found).all():
        raise ModelError(f"heights of a height field: found an array of shape {found.shape}; allowed are finite numbers, at least (2, 2)")
    for name, value in (("dx", dx), ("dy", dy), ("depth", depth)):
        if not 0.0 < value < np.inf:
            raise ModelError(f"{name} of a height field: found {value:g}; allowed is a finite number above 0; correct it")
    return HeightArrays(found.copy(), (float(dx), float(dy)), float(depth))


class TriangleArrays(NamedTuple):
    """A surface of triangles; keep it as long as a row leads to it."""

    points: NDArray[np.float64]
    faces: NDArray[np.int64]
    neighbours: NDArray[np.int64]
    tree: NDArray[np.int64]
    npoints: int
    nfaces: int
    bound: float

    def fill(self, row: np.ndarray) -> None:
        """Write kind, numbers and addresses to a row of SHAPE; pose and owner are left alone."""
        row["kind"], row["count"], row["nfaces"], row["bound"], row["size"] = TRIANGLES, self.npoints, self.nfaces, self.bound, 0.0
        for name in ("points", "faces", "neighbours", "tree"):
            row[name] = getattr(self, name).ctypes.data


def triangle_arrays(vertices: ArrayLike, triangles: ArrayLike) -> TriangleArrays:
    """A surface of triangles (k, 3) over vertices (n, 3), m. Vertices at one place are merged, triangles without an area dropped."""
    given, faces = np.asarray(vertices, dtype=float), np.asarray(triangles, dtype=np.int64)
    if given.ndim != 2 or given.shape[1] != 3 or not np.isfinite(given).all():
        raise ModelError(f"vertices of a mesh: found an array of shape {given.shape}; allowed are finite points, (n, 3)")
    if faces.ndim != 2 or faces.shape[1] != 3 or not len(faces) or faces.min() < 0 or faces.max() >= len(given):
        raise ModelError(f"faces of a mesh: found an array of shape {faces.shape}; allowed are (k, 3) numbers of its {len(given)} vertices")
    points, faces = _merged(given, faces)
    a, b, c = (points[faces[:, k]] for k in range(3))
    longest = np.max([np.linalg.norm(e, axis=1) for e in (b - a, c - b, a - c)], axis=0)
    faces = faces[np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-12 * longest**2]
    if not len(faces):
        raise ModelError("faces of a mesh: all its triangles are without an area; check its vertices")
    order, nodes, boxes = _tree(points, faces)
    faces = faces[order]
    neighbours = np.concatenate([_opposite_corners(points, faces).ravel(), _vertex_neighbours(len(points), faces)])
    bound = float(np.linalg.norm(points, axis=1).max())
    return TriangleArrays(
        np.concatenate([points.ravel(), boxes.ravel()]), faces.ravel().copy(), neighbours, nodes, len(points), len(faces), bound
    )


def _merged(points, faces):
    size = float(np.ptp(points, axis=0).max()) or 1.0
    _, first, number = np.unique(np.round((points - points.min(axis=0)) / (SAME * size)), axis=0, return_index=True, return_inverse=True)
    faces = number.ravel()[faces]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    # A triangle that is there twice, turning the same way, counts once.
    least = np.argmin(faces, axis=1)[:, None]
    turned = np.take_along_axis(faces, (least + np.arange(3)) % 3, axis=1)
    _, once = np.unique(turned, axis=0, return_index=True)
    return points[first], faces[np.sort(once)]


def _opposite_corners(points, faces):
    """For the three edges of each triangle the corner of the triangle beyond that is not on the edge, -1: none.

    Where more than two triangles meet in an edge (no manifold), the one that rises most over the triangle counts: what is below it is inside of a solid. The
    back of the triangle itself is no neighbour.
    """
    around = {}
    for i, j, k in faces.tolist():
        for p, q, r in ((i, j, k), (j, k, i), (k, i, j)):
            around.setdefault((p, q) if p < q else (q, p), set()).add(r)
    made = np.full((len(faces), 3), -1, dtype=np.int64)
    for t, (i, j, k) in enumerate(faces.tolist()):
        for side, (p, q, r) in enumerate(((i, j, k), (j, k, i), (k, i, j))):
            beyond = around[(p, q) if p < q else (q, p)] - {r}
            if len(beyond) > 1:
                n = np.cross(points[j] - points[i], points[k] - points[i])
                made[t, side] = max(sorted(beyond), key=lambda corner, n=n, p=p, q=q: _rise(n, points[p], points[q], points[corner]))
            elif beyond:
                made[t, side] = min(beyond)
    return made


def _rise(n, p, q, corner):
    """How steeply a neighbour across the edge from p to q rises over a triangle with this normal: the tangent of its angle, or more behind it."""
    e = (q - p) / np.linalg.norm(q - p)
    d = corner - p
    d = d - (d @ e) * e
    n = n / np.linalg.norm(n)
    return float(np.arctan2(d @ n, d @ np.cross(e, n)))


def _vertex_neighbours(count, faces):
    beside = [set() for _ in range(count)]
    for i, j, k in faces.tolist():
        beside[i].update((j, k))
        beside[j].update((i, k))
        beside[k].update((i, j))
    first = 3 * len(faces) + count + 1 + np.cumsum([0] + [len(s) for s in beside])
    return np.array([*first, *(i for s in beside for i in sorted(s))], dtype=np.int64)


def _tree(points, faces):
    """(order of the triangles, nodes as integers, boxes of the nodes), depth first; split at the median along the widest axis."""
    corners = points[faces]
    low, high, middle = corners.min(axis=1), corners.max(axis=1), corners.mean(axis=1)
    order, nodes, boxes = [], [], []

    def add(which):
        node = len(nodes)
        nodes.append([0, 0, 0])
        boxes.append([*low[which].min(axis=0), *high[which].max(axis=0)])
        if len(which) <= LEAF:
            nodes[node] = [0, len(order), len(which)]
            order.extend(which.tolist())
        else:
            axis = np.argmax(np.ptp(middle[which], axis=0))
            ranked = which[np.argsort(middle[which, axis], kind="stable")]
            add(ranked[: len(ranked) // 2])
            add(ranked[len(ranked) // 2 :])
        nodes[node][0] = len(nodes)

    add(np.arange(len(faces)))
    return np.array(order), np.array([len(nodes), *(x for node in nodes for x in node)], dtype=np.int64), np.array(boxes)
