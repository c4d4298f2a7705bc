"""The nearest of many instances that a ray meets: boxes around them first, all at once, then the triangles of those whose boxes are met.

In the axes of an instance, where its mesh has unit size, the ray is o + t d and the box from low to high is met from t_in to t_out,

    t_in = max_k min(l_k, h_k),   t_out = min_k max(l_k, h_k),   l_k = (low_k - o_k) / d_k,   h_k = (high_k - o_k) / d_k

if t_in <= t_out and t_out >= 0. t is the same in all axes, so that instances are looked at from near to far until the next box begins behind
the nearest triangle so far.

Threads and coils are thin wire around nothing: a pointer means them wherever it is within their outline. They count as the cylinders that they fill.
"""

from typing import NamedTuple

import numpy as np

from .meshes import unit
from .turns import conjugate, turned

FILLED = {"coil": "rod", "thread": "rod", "left thread": "rod"}  # mesh of wire: what it counts as


class Instances(NamedTuple):
    """Instances of one mesh: its name, the mesh, poses (n, 3) and (n, 4), scales (n, 3)."""

    name: str
    mesh: object
    positions: np.ndarray
    wxyzs: np.ndarray
    scales: np.ndarray


@np.errstate(all="ignore")  # eyes and sizes beyond all measure meet nothing
def nearest_instance(batches, origin, direction):
    """(t, number of the batch, number of the instance in it) of the first that a ray meets, as it is drawn; None if it meets nothing.

    batches: [Instances]. t: in lengths of the direction. Only faces that look at the ray are drawn, so that an eye within a body sees through it.
    """
    origin, direction = np.asarray(origin, dtype=float), np.asarray(direction, dtype=float)
    waiting = []
    for b, batch in enumerate(batches):
        mesh = unit(FILLED[batch.name]) if batch.name in FILLED else batch.mesh
        O, D = _into(batch, origin, direction)
        starts = _into_boxes(mesh.low, mesh.high, O, D)
        waiting += [(starts[k], b, k, mesh, O[k], D[k]) for k in np.flatnonzero(np.isfinite(starts)).tolist()]
    best, found = np.inf, None
    for start, b, k, mesh, o, d in sorted(waiting, key=lambda item: item[:3]):
        if start > best:
            break
        t = ray_on_mesh(mesh, o, d, facing=True)
        if t < best:
            best, found = t, (t, b, k)
    return found


def _into(batch, origin, direction):
    """The ray in the axes of every instance, (n, 3) twice."""
    back, scales = conjugate(batch.wxyzs), np.asarray(batch.scales, dtype=float)
    along = np.broadcast_to(direction, batch.positions.shape)
    return turned(back, origin - batch.positions) / scales, turned(back, along) / scales


def _into_boxes(low, high, O, D):
    """t at which each ray enters a box, 0 if it begins within; inf where it misses, and where a pose is not finite."""
    L, H = (low - O) / D, (high - O) / D
    # 0 / 0: along a face, in its plane, which counts as within.
    L, H = np.where(np.isnan(L), -np.inf, L), np.where(np.isnan(H), np.inf, H)
    enters, leaves = np.minimum(L, H).max(axis=1, initial=0.0), np.maximum(L, H).min(axis=1, initial=np.inf)
    good = (enters <= leaves) & np.isfinite(O).all(axis=1) & np.isfinite(D).all(axis=1)
    return np.where(good, enters, np.inf)


# ---- rays and triangles

# Where a ray meets what is drawn: in NumPy, on the very triangles that the page shows.
#
# A ray o + t d meets the triangle a, b, c where o + t d = a + u (b - a) + v (c - a), u, v >= 0, u + v <= 1 (Moeller and Trumbore 1997).


def ray_on_mesh(mesh, origin, direction, facing=False):
    """The least t >= 0 at which a ray meets a mesh in the mesh's own axes; inf if it misses. facing: from outside only, as pages draw it."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]].astype(float) for k in range(3))
    e, f = b - a, c - a
    h = np.cross(direction, f)
    det = np.einsum("ij,ij->i", e, h)
    with np.errstate(divide="ignore", invalid="ignore"):
        s = origin - a
        u = np.einsum("ij,ij->i", s, h) / det
        g = np.cross(s, e)
        v = (g @ direction) / det
        t = np.einsum("ij,ij->i", f, g) / det
        hit = ((det if facing else np.abs(det)) > 1e-300) & (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1.0 + 1e-9) & (t >= 0.0)
    return float(t[hit].min()) if hit.any() else np.inf


def ray_on_instance(mesh, origin, direction, position, wxyz, scale):
    """The same for a mesh at a pose and three scales, in the world: t in units of the direction's length."""
    back = conjugate(wxyz)[None]
    o, d = turned(back, (np.asarray(origin, dtype=float) - position)[None])[0], turned(back, np.asarray(direction, dtype=float)[None])[0]
    return ray_on_mesh(mesh, o / scale, d / scale)


def ray_on_plane(origin, direction, height):
    """The point at which a ray meets the horizontal plane at a height, or None."""
    origin, direction = np.asarray(origin, dtype=float), np.asarray(direction, dtype=float)
    if abs(direction[2]) < 1e-12:
        return None
    t = (height - origin[2]) / direction[2]
    return origin + t * direction if t > 0.0 else None


def nearest_on_ray(origin, direction, point):
    """The point of a ray that is nearest to a point."""
    origin, direction = np.asarray(origin, dtype=float), np.asarray(direction, dtype=float)
    t = max(float((point - origin) @ direction) / float(direction @ direction), 0.0)
    return origin + t * direction
