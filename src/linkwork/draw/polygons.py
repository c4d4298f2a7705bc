"""Flat convex polygons and straight segments in eye axes: what depth order works on.

All have one row in padded arrays; corners after the last one repeat it, which changes no area, no normal and no box.
A polygon lies in its plane n . X = d, with |n| = 1 and d < 0: the eye (X = 0) is on the positive side.
"""

from dataclasses import dataclass, replace

import numpy as np

from .union import half

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

    @classmethod
    def whole(cls, X, count, outline):
        """From padded arrays; planes, solids and items are still to be told."""
        n = len(count)
        return cls(X, count, np.zeros((n, 3)), np.zeros(n), np.full(n, -1), np.zeros(n, dtype=np.int64), outline)

    @classmethod
    def ragged(cls, corner_lists, marks):
        """From lists of corners of different length and their outlines."""
        count = np.array([len(corners) for corners in corner_lists], dtype=np.int64)
        X = np.empty((len(count), int(count.max()), 3))
        outline = np.zeros(X.shape[:2], dtype=bool)
        for row, edges, corners, mark in zip(X, outline, corner_lists, marks, strict=True):
            row[: len(corners)], row[len(corners) :] = corners, corners[-1]
            edges[: len(mark)] = mark
        return cls.whole(X, count, outline)

    def corners(self, i):
        """The corners of one, (count, 3)."""
        return self.X[i, : self.count[i]]

    def take(self, rows):
        return Polygons(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def inverse_depth(self, i, points):
        """PT = 1/z over the plane of polygon i at screen points (m, 2): n . (PX, PY, 1) / d."""
        return (points @ self.normal[i, :2] + self.normal[i, 2]) / self.offset[i]


def outward_planes(X):
    """Unit normals (n, 3) and offsets (n,) of polygons by Newell's sum of cross products; counter-clockwise corners look along the normal."""
    middle = X.mean(axis=1)
    spread = X - middle[:, None]
    normal = np.cross(spread, np.roll(spread, -1, axis=1)).sum(axis=1)
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    return normal, np.einsum("ij,ij->i", normal, middle)


def segment_planes(X):
    """For each segment (n, 2, 3) the plane through it that faces the eye; offset 0 for one that points at the eye: it is no line."""
    along = X[:, 1] - X[:, 0]
    facing = X[:, 0] - along * (np.einsum("ij,ij->i", X[:, 0], along) / np.einsum("ij,ij->i", along, along))[:, None]
    distance = np.linalg.norm(facing, axis=1)
    flat = distance < TOUCH * np.linalg.norm(X[:, 0], axis=1)
    return np.where(flat[:, None], 0.0, -facing / np.maximum(distance, 1e-300)[:, None]), np.where(flat, 0.0, -distance)


def cut(X, marks, normal, offset):
    """A polygon (n, 3), or a segment (2, 3), cut by a plane: two (corners, marks), or None if it does not reach both sides."""
    side = X @ normal - offset
    side = np.where(np.abs(side) < TOUCH * np.linalg.norm(X, axis=1), 0.0, side)
    if not (side.max() > 0.0 > side.min()):
        return None
    if len(X) == 2:
        between = X[0] + side[0] / (side[0] - side[1]) * (X[1] - X[0])
        return (np.array((X[0], between)), marks), (np.array((between, X[1])), marks)
    halves = half(X, side, marks), half(X, -side, marks)
    return halves if min(len(corners) for corners, _ in halves) > 2 else None


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
