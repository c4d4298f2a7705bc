"""Any convex shape against any other: `collide_convex`.

    1. the direction of greatest separation of the cores (separation.py: GJK, expanding polytope, normals of faces)
    2. the contact points along it (convex_manifold.py: faces clipped against each other)

All numbers are in the frame of a until the points are written; the normal of a face goes to the world by the pose of its own shape alone.
"""

from ..kernels import kernel
from ..spatial.matrices import apply9
from ..spatial.vectors import add3
from .convex_manifold import MOST, find_points, thin_out
from .manifold import add_point
from .separation import find_separation
from .support import set_pair

ANY = -1e300


@kernel
def collide_convex(a, b, Xa, Xb, reach, manifold) -> None:
    """Contact points of two convex shapes with gaps up to `reach` (arguments as those of `collide`)."""
    data = manifold.convex
    set_pair(data, a, b, Xa, Xb)
    radius = data.a.radius + data.b.radius
    find_separation(data, reach + radius)
    data.ncandidates = 0
    if data.s > reach + radius:
        return
    find_points(data, reach, True, ANY)
    thin_out(data, MOST)
    R, p = Xa
    n = apply9(R, data.n)
    if data.face_of == 1:
        n = apply9(R, data.local)
    elif data.face_of == 2:
        m = apply9(Xb[0], data.local)
        n = (-m[0], -m[1], -m[2])
    for k in range(data.ncandidates):
        point = data.candidates[k]
        add_point(manifold, add3(p, apply9(R, point.p)), n, point.gap, point.feature)
