"""The manifold of two shapes given as plain values: for tests, and for questions that people ask.

>>> found = manifold_of(("floor",), None, ("sphere", 0.5), (0, 0, 0.4), reach=0.01)
>>> [(point.p.tolist(), point.n.tolist(), round(point.gap, 12)) for point in found.points]
[([0.0, 0.0, 0.0], [0.0, 0.0, 1.0], -0.1)]
"""

import math
from typing import NamedTuple

import numpy as np

from ..kernels import JIT, kernel
from . import kinds
from .bounds import bounds
from .broad_phase import BroadPhase, find_pairs, set_box
from .collide import collide
from .manifold import Manifold
from .shape_table import SHAPE, ShapeList, header_of, open_shapes

LENGTHS = {"floor": 0, "sphere": 1, "capsule": 2, "box": 3, "cylinder": 2, "cone": 2, "ellipsoid": 3}


class ContactPoint(NamedTuple):
    """A point of a manifold: p and n (world), gap (m, negative: depth), feature (a number that stays while the same features touch)."""

    p: np.ndarray
    n: np.ndarray
    gap: float
    feature: int


class FoundManifold(NamedTuple):
    """Contact points of two shapes; `supported`: is there a kernel for their kinds?"""

    points: tuple[ContactPoint, ...]
    supported: bool

    @property
    def gap(self):
        """The least gap, infinite if there is no point within reach."""
        return min((point.gap for point in self.points), default=math.inf)


def shape_row(kind, *lengths, link=-1, body=0, R=None, p=(0.0, 0.0, 0.0)):
    """A row of SHAPE: a kind by its name, and its lengths (geometry/kinds.py: radius and half length, half edges); of a hull its vertices (n, 3).

    A hull's row holds the address of the vertices, which the caller keeps: give a C-contiguous array of floats.
    """
    if kind not in (*LENGTHS, "hull"):
        raise ValueError(f"shape_row: found kind {kind!r}; allowed are {', '.join((*LENGTHS, 'hull'))}")
    row = np.zeros((), SHAPE)
    row["kind"], row["link"], row["body"] = kinds.NAMES.index(kind), link, body
    row["R"], row["p"] = np.ravel(np.eye(3) if R is None else R), p
    if kind == "hull":
        points = lengths[0]
        if not (isinstance(points, np.ndarray) and points.dtype == np.float64 and points.flags.c_contiguous and points.shape[1:] == (3,)):
            raise ValueError("shape_row: the vertices of a hull are a C-contiguous float64 array (n, 3); the row only holds their address")
        row["points"], row["count"] = points.ctypes.data, len(points)
        row["bound"] = math.sqrt((points**2).sum(axis=1).max())
        return row
    if len(lengths) != LENGTHS[kind] or not all(0.0 < length < math.inf for length in lengths):
        raise ValueError(f"shape_row: found lengths {lengths} of a {kind}; allowed are {LENGTHS[kind]} finite numbers above 0")
    row["size"][: len(lengths)] = lengths
    row["bound"] = bound_of(kind, lengths)
    return row


def bound_of(kind, lengths):
    """Radius of the sphere about the origin of a shape that contains it."""
    if kind == "floor":
        return math.inf
    if kind == "capsule":
        return lengths[0] + lengths[1]
    return max(lengths) if kind in ("sphere", "ellipsoid") else math.hypot(*lengths)


def pose_numbers(pose):
    """The twelve numbers R, p of a pose: None, a position, a pair (R, p), or a Pose."""
    if pose is None:
        return np.concatenate([np.eye(3).ravel(), np.zeros(3)])
    if hasattr(pose, "rotation"):
        pose = pose.rotation, pose.translation
    if len(pose) == 3:
        pose = np.eye(3), pose
    R, p = pose
    return np.concatenate([np.ravel(np.asarray(R, dtype=float)), np.asarray(p, dtype=float)])


def manifold_of(shape_a, pose_a, shape_b, pose_b, reach=0.0):
    """All contact points of two shapes with gaps up to `reach`.

    shape_a, shape_b: rows of SHAPE, or what `shape_row` takes, as ("box", 0.1, 0.2, 0.3). pose_a, pose_b: world poses of the shapes' frames, (R, p), a
    position, a Pose or None. The normals point from a to b.
    """
    rows = np.array([shape if isinstance(shape, (np.void, np.ndarray)) else shape_row(*shape) for shape in (shape_a, shape_b)], dtype=SHAPE)
    poses = np.concatenate([pose_numbers(pose_a), pose_numbers(pose_b)])
    manifold = Manifold.allocate()
    header = header_of(rows)
    if JIT:
        _collide_pair(header.ctypes.data, poses, float(reach), manifold.address)
    else:
        _collide_pair(ShapeList(rows.view(np.recarray), 2), poses, float(reach), manifold)
    points = [manifold.points[k] for k in range(manifold.count)]
    found = tuple(ContactPoint(np.array(point.p), np.array(point.n), point.gap, point.feature) for point in points)
    return FoundManifold(found, not manifold.unsupported)


def overlapping_pairs(shapes, poses, reach=0.0, phase=None):
    """The pairs (i, j), i < j, of a list of shapes whose boxes along the world's axes come within `reach` of each other, ascending; and the BroadPhase.

    A BroadPhase of an earlier call for as many shapes is faster: its order is nearly right.
    """
    rows = np.array([shape if isinstance(shape, (np.void, np.ndarray)) else shape_row(*shape) for shape in shapes], dtype=SHAPE)
    numbers = np.concatenate([pose_numbers(pose) for pose in poses])
    n = len(rows)
    if phase is None:
        capacity = n * (n - 1) // 2
        phase = BroadPhase.allocate({"shapes": n, "pairs": capacity})
        phase.count, phase.capacity = n, capacity
    if JIT:
        header = header_of(rows)
        _set_boxes(header.ctypes.data, numbers, float(reach), phase.address)
        find_pairs(phase.address)
    else:
        _set_boxes(ShapeList(rows.view(np.recarray), n), numbers, float(reach), phase)
        find_pairs(phase)
    return [divmod(int(pair), n) for pair in phase.pairs[: phase.found]], phase


@kernel(entry="i A1 d i -> n")
def _set_boxes(handle, poses, reach, phase: BroadPhase) -> None:
    shapes = open_shapes(handle).shapes
    for k in range(phase.count):
        set_box(phase, k, bounds(shapes[k], _pose(poses, 12 * k)), 0.5 * reach)


@kernel(entry="i A1 d i -> n")
def _collide_pair(handle, poses, reach, manifold: Manifold) -> None:
    shapes = open_shapes(handle).shapes
    collide(shapes[0], shapes[1], _pose(poses, 0), _pose(poses, 12), reach, manifold)


@kernel(inline=True)
def _pose(x, k):
    """A pose among numbers."""
    return (x[k], x[k + 1], x[k + 2], x[k + 3], x[k + 4], x[k + 5], x[k + 6], x[k + 7], x[k + 8]), (x[k + 9], x[k + 10], x[k + 11])
