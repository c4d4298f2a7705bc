"""`collide_convex` for Python, also for pairs of kinds that have a kernel of their own: for tests, and to compare one with the other.

>>> found = general_manifold(("sphere", 0.5), None, ("box", 0.1, 0.2, 0.3), (0, 0, 1.0), reach=1.0)
>>> [(point.n.tolist(), round(point.gap, 12)) for point in found.points]
[([0.0, 0.0, 1.0], 0.2)]
"""

import numpy as np

from ..kernels import JIT, kernel
from .convex import collide_convex
from .manifold import Manifold, clear
from .pair import ContactPoint, FoundManifold, pose_numbers, shape_row
from .shape_table import SHAPE, ShapeList, header_of, open_shapes


class GeneralManifold(FoundManifold):
    """Contact points, and `converged`: is their normal known to be that of greatest separation?"""

    converged = True


def general_manifold(shape_a, pose_a, shape_b, pose_b, reach=0.0):
    """Contact points of two convex shapes by the general kernel; arguments as those of `manifold_of`."""
    rows = np.array([shape if isinstance(shape, (np.void, np.ndarray)) else shape_row(*shape) for shape in (shape_a, shape_b)], dtype=SHAPE)
    poses = np.concatenate([pose_numbers(pose_a), pose_numbers(pose_b)])
    manifold = Manifold.allocate()
    header = header_of(rows)
    if JIT:
        collide_convex_pair(header.ctypes.data, poses, float(reach), manifold.address)
    else:
        collide_convex_pair(ShapeList(rows.view(np.recarray), 2), poses, float(reach), manifold)
    points = [manifold.points[k] for k in range(manifold.count)]
    found = GeneralManifold(tuple(ContactPoint(np.array(point.p), np.array(point.n), point.gap, point.feature) for point in points), True)
    found.converged = manifold.convex.converged
    return found


@kernel(entry="i A1 d i -> n")
def collide_convex_pair(handle, poses, reach, manifold: Manifold) -> None:
    """The first two shapes behind a handle, their poses given as 24 numbers (R, p, R, p)."""
    shapes, x = open_shapes(handle).shapes, poses
    clear(manifold)
    Xa = (x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]), (x[9], x[10], x[11])
    Xb = (x[12], x[13], x[14], x[15], x[16], x[17], x[18], x[19], x[20]), (x[21], x[22], x[23])
    collide_convex(shapes[0], shapes[1], Xa, Xb, reach, manifold)
