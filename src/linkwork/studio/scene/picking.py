"""Where a ray meets what is drawn: in NumPy, on the very triangles that the page shows.

A ray o + t d meets the triangle a, b, c where o + t d = a + u (b - a) + v (c - a), u, v >= 0, u + v <= 1 (Moeller and Trumbore 1997).
"""

import numpy as np

from .turns import conjugate, turned


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
