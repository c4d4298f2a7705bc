"""Random pairs of shapes, among them those that are nearly degenerate, and their signed distance by routes that share nothing with the kernels.

Spheres, capsules and boxes are a core (a point, a segment, a box) with a radius. Apart, the distance of two cores is a least-squares problem with bounds
(SciPy). Where cores overlap, the depth is the distance from the origin to the nearest facet of the convex hull of all differences of vertices (Qhull).
"""

import itertools
import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import lsq_linear
from scipy.spatial import ConvexHull, QhullError

ROUND = ("sphere", "capsule", "box")


class Case(NamedTuple):
    """Two shapes (as `manifold_of` takes them) and their poses (R, p)."""

    a: tuple
    Xa: tuple
    b: tuple
    Xb: tuple

    def exchanged(self):
        return Case(self.b, self.Xb, self.a, self.Xa)

    def moved(self, X):
        """The same after a common motion."""
        R, p = X
        return Case(self.a, (R @ self.Xa[0], R @ self.Xa[1] + p), self.b, (R @ self.Xb[0], R @ self.Xb[1] + p))

    def scaled(self, k):
        """All lengths times k."""
        a, b = ((shape[0], *(k * length for length in shape[1:])) for shape in (self.a, self.b))
        return Case(a, (self.Xa[0], k * self.Xa[1]), b, (self.Xb[0], k * self.Xb[1]))


def rotation(axis, angle):
    a = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    K = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def random_rotation(rng):
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0 else -Q


def random_shape(rng, kind):
    """Lengths between 0.05 and 1, now and then thin or long."""
    sizes = np.exp(rng.uniform(math.log(0.05), 0.0, size=3))
    count = {"floor": 0, "sphere": 1, "capsule": 2, "box": 3, "cylinder": 2, "cone": 2, "ellipsoid": 3}[kind]
    if rng.random() < 0.15 and count > 1:
        sizes[rng.integers(count)] *= 0.02
    if rng.random() < 0.2 and kind == "box":
        sizes[:] = sizes[0]
    return (kind, *sizes[:count].tolist())


def random_pair(rng, kind_a, kind_b):
    """Two shapes, near each other: apart, touching to rounding, overlapping a little or deeply; every third pair with axes that are nearly parallel."""
    a, b = random_shape(rng, kind_a), random_shape(rng, kind_b)
    Ra = random_rotation(rng)
    if rng.random() < 0.35:
        quarter = rotation(np.eye(3)[rng.integers(3)], math.pi / 2 * rng.integers(4))
        tilt = rotation(rng.normal(size=3), rng.choice([0.0, 1e-14, 1e-10, 1e-7, 1e-5, 1e-3]))
        Rb = Ra @ quarter @ tilt
    else:
        Rb = random_rotation(rng)
    along = Ra @ np.eye(3)[rng.integers(3)] if rng.random() < 0.3 else rng.normal(size=3)
    along /= np.linalg.norm(along)
    p = rng.normal(size=3) * 0.5
    near = p if kind_a == "floor" else p + Ra @ (rng.uniform(-1, 1, size=3) * extents(a) * rng.choice([0.0, 1.0]))
    # Where b just touches along this direction, and a bit to either side of it.
    if kind_a == "floor":
        along = Ra[:, 2]
        near = p + Ra @ (rng.normal() * np.array([1.0, 0, 0]))
        touching = support(b, Rb, along)
    else:
        touching = support(a, Ra, along) + support(b, Rb, along) - along @ (near - p)
    shift = rng.choice([0.0, 1e-12, 1e-9, 1e-6, 1e-3, 1e-2, 0.1, 0.5]) * rng.choice([-1.0, 1.0])
    return Case(a, (Ra, p), b, (Rb, near + along * (touching + shift)))


def extents(shape):
    """The half edges of a box about a shape."""
    kind, *size = shape
    if kind == "sphere":
        return np.full(3, size[0])
    if kind == "capsule":
        return np.array([size[0], size[0], size[0] + size[1]])
    if kind in ("cylinder", "cone"):
        return np.array([size[0], size[0], size[1]])
    return np.array(size)


def support(shape, R, n):
    """The farthest that a shape reaches from its origin along n."""
    kind, *size = shape
    m = R.T @ n
    if kind == "sphere":
        return size[0]
    if kind == "capsule":
        return size[0] + size[1] * abs(m[2])
    if kind == "box":
        return np.abs(m) @ size
    if kind == "cylinder":
        return size[0] * math.hypot(m[0], m[1]) + size[1] * abs(m[2])
    if kind == "cone":
        return max(size[1] * m[2], size[0] * math.hypot(m[0], m[1]) - size[1] * m[2])
    return np.linalg.norm(m * size)


def core(shape, X):
    """(centre, columns of half edges, radius) of a sphere, capsule or box."""
    kind, *size = shape
    R, p = X
    if kind == "box":
        return p, R * size, 0.0
    return p, R[:, 2:] * size[1] if kind == "capsule" else np.zeros((3, 0)), size[0]


def core_distance(case):
    """Distance of the cores, 0 where they overlap."""
    (p, A, _), (q, B, _) = core(case.a, case.Xa), core(case.b, case.Xb)
    J = np.hstack([A, -B])
    if not J.shape[1]:
        return float(np.linalg.norm(p - q))
    # Bounded least squares; the accuracy of the residual is the square root of that of its square only where it is zero.
    found = lsq_linear(J, q - p, bounds=(-1.0, 1.0), method="bvls", tol=1e-15, max_iter=500)
    return float(np.linalg.norm(J @ found.x + p - q))


def _vertices(p, A):
    return np.array([p + A @ s for s in itertools.product((-1.0, 1.0), repeat=A.shape[1])])


def core_depth(case):
    """How deep cores overlap: the least distance to a facet of the hull of their differences, negative outside; None where the hull is flat."""
    (p, A, _), (q, B, _) = core(case.a, case.Xa), core(case.b, case.Xb)
    if A.shape[1] + B.shape[1] < 3:
        return None
    differences = (_vertices(p, A)[:, None] - _vertices(q, B)[None]).reshape(-1, 3)
    try:
        equations = ConvexHull(differences, qhull_options="Qt").equations
    except QhullError:  # flat to its precision
        return None
    return float(-equations[:, 3].max())


def signed_distance(case):
    """The signed distance of spheres, capsules and boxes."""
    radii = core(case.a, case.Xa)[2] + core(case.b, case.Xb)[2]
    distance = core_distance(case)
    if distance > 1e-7:
        return distance - radii
    depth = core_depth(case)
    return (distance if depth is None else -depth) - radii


def height_over(shape, X, x):
    """The signed distance of a point from a shape: closed forms, and for ellipsoids its sign and a value to first order."""
    kind, *s = shape
    y = X[0].T @ (x - X[1])
    if kind == "floor":
        return y[2]
    if kind == "sphere":
        return np.linalg.norm(y) - s[0]
    if kind == "capsule":
        return np.linalg.norm(y - [0, 0, np.clip(y[2], -s[1], s[1])]) - s[0]
    if kind == "ellipsoid":
        f = np.linalg.norm(y / s)
        return f * (f - 1.0) / np.linalg.norm(y / np.square(s))
    if kind == "box":
        e = np.abs(y) - s
    elif kind == "cylinder":
        e = np.array([math.hypot(y[0], y[1]) - s[0], abs(y[2]) - s[1]])
    else:  # a cone: its base, and its side by the normal of the slant
        r, h = s
        slant = np.array([2 * h, r]) / math.hypot(2 * h, r)
        e = np.array([-h - y[2], slant @ [math.hypot(y[0], y[1]), y[2] - h]])
        if (e > 0).all():
            return math.hypot(math.hypot(y[0], y[1]) - r, y[2] + h) if math.hypot(y[0], y[1]) > r else e.max()
        return e.max()
    return np.linalg.norm(np.maximum(e, 0.0)) + min(e.max(), 0.0)
