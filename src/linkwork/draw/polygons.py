"""Flat convex polygons and straight segments in eye axes: what depth order works on.

All have one row in padded arrays; corners after the last one repeat it, which changes no area, no normal and no box.
A polygon lies in its plane n . X = d, with |n| = 1 and d < 0: the eye (X = 0) is on the positive side.
"""

from dataclasses import dataclass, replace

import numpy as np

# Corners nearer than this, as a share of their distance from the eye, count as one place.
TOUCH = 1e-6


@dataclass(frozen=True, eq=False)
class Polygons:
    """X (n, k, 3); count (n,), 2 for segments; normal (n, 3), offset (n,); solid (n,): which convex solid, -1: none;
    item (n,): what it was cut from; outline (n, k): is the edge from this corner to the next one drawn."""

    X: np.ndarray
    count: np.ndarray
    normal: np.ndarray
    offset: np.ndarray
    solid: np.ndarray
    item: np.ndarray
    outline: np.ndarray

    def __len__(self):
        return len(self.count)

    @property
    def screen(self):
        """PX, PY of all corners, (n, k, 2)."""
        return self.X[..., :2] / self.X[..., 2:]

    def corners(self, i):
        """The corners of one, (count, 3)."""
        return self.X[i, : self.count[i]]

    def take(self, rows):
        return Polygons(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def inverse_depth(self, i, points):
        """PT = 1/z over the plane of polygon i at screen points (m, 2): n . (PX, PY, 1) / d."""
        return (points @ self.normal[i, :2] + self.normal[i, 2]) / self.offset[i]


def padded(corner_lists, width=None):
    """Corners (n, k, 3) and counts (n,) of polygons of different length."""
    count = np.array([len(corners) for corners in corner_lists], dtype=np.int64)
    width = max(int(count.max(initial=2)), width or 2)
    X = np.empty((len(count), width, 3))
    for row, corners in zip(X, corner_lists, strict=True):
        row[: len(corners)] = corners
        row[len(corners) :] = corners[-1]
    return X, count


def planes(X, count):
    """Unit normals (n, 3) and offsets (n,), turned so that the eye is on the positive side (offset < 0); offset 0 where there is no plane.

    Polygons: Newell's sum of cross products, which is twice the area. Segments: the plane through it that faces the eye.
    """
    middle = X.mean(axis=1)
    spread = X - middle[:, None]
    normal = np.cross(spread, np.roll(spread, -1, axis=1)).sum(axis=1)
    along = X[:, 1] - X[:, 0]
    segment = count == 2
    with np.errstate(divide="ignore", invalid="ignore"):
        facing = middle - along * (np.einsum("ij,ij->i", middle, along) / np.einsum("ij,ij->i", along, along))[:, None]
        normal = np.where(segment[:, None], -facing, normal)
        normal = normal / np.linalg.norm(normal, axis=1)[:, None]
    start = np.where(segment[:, None], X[:, 0], middle)
    offset = np.einsum("ij,ij->i", normal, start)
    flat = ~np.isfinite(offset) | (np.abs(offset) < TOUCH * np.linalg.norm(start, axis=1))
    turn = np.where(offset > 0.0, -1.0, 1.0)
    return np.where(flat[:, None], 0.0, normal * turn[:, None]), np.where(flat, 0.0, offset * turn)


def cut(polygons, i, j):
    """Polygon or segment i cut by the plane of j: a Polygons of two rows, or None if it does not reach both sides."""
    X, edges = polygons.corners(i), polygons.outline[i]
    sides = X @ polygons.normal[j] - polygons.offset[j]
    touch = TOUCH * np.linalg.norm(X, axis=1)
    sides = np.where(np.abs(sides) < touch, 0.0, sides)
    if not (sides.max() > 0.0 > sides.min()):
        return None
    parts = []
    for sign in (1.0, -1.0):
        corners, marks = _half(X, sign * sides, edges, closed=len(X) > 2)
        if len(corners) < min(len(X), 3):
            return None
        parts.append((corners, marks))
    rows = polygons.take([i, i])
    new, count = padded([corners for corners, _ in parts], polygons.X.shape[1] + 1)
    outline = np.zeros(new.shape[:2], dtype=bool)
    for row, (_, marks) in zip(outline, parts, strict=True):
        row[: len(marks)] = marks
    return replace(rows, X=new, count=count, outline=outline)


def _half(X, sides, edges, closed):
    """Corners with sides >= 0 and where the border crosses 0; edges along the cut are not outlines."""
    corners, marks = [], []
    for k in range(len(X)):
        a = sides[k]
        if a >= 0.0:
            corners.append(X[k])
            marks.append(bool(edges[k]))
        if k == len(X) - 1 and not closed:
            break
        b = sides[(k + 1) % len(X)]
        if a * b < 0.0:
            corners.append(X[k] + a / (a - b) * (X[(k + 1) % len(X)] - X[k]))
            marks.append(bool(edges[k]) and b > 0.0)
        elif a == 0.0 and b < 0.0 and marks:
            marks[-1] = False
    return corners, marks


def joined(parts):
    """Polygons of several groups in one, padded to the widest."""
    width = max(part.X.shape[1] for part in parts)
    grown = []
    for part in parts:
        more = width - part.X.shape[1]
        X = np.concatenate([part.X, np.repeat(part.X[:, -1:], more, axis=1)], axis=1)
        outline = np.concatenate([part.outline, np.zeros((len(part), more), dtype=bool)], axis=1)
        grown.append(replace(part, X=X, outline=outline))
    return Polygons(*(np.concatenate([getattr(part, name) for part in grown]) for name in Polygons.__dataclass_fields__))
