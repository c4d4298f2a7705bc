"""Random pairs of convex shapes, and a certificate of their separation that shares nothing with the kernels.

The separation along n is s(n) = -h_a(n) - h_b(-n), with support functions h about the world's origin; its greatest value is the gap of the pair. A gap is
certified by two things: it is s(n) for the normal that comes with it, and s is not greater anywhere: not along many directions all around, not near n,
not along the normals and products of edges of polytopes.
"""

import itertools
import math

import numpy as np

KINDS = ("sphere", "capsule", "box", "cylinder", "cone", "ellipsoid", "hull")


def directions(count):
    """Unit vectors all around (Fibonacci's spiral)."""
    k = np.arange(count) + 0.5
    z, angle = 1 - 2 * k / count, math.pi * (1 + math.sqrt(5)) * k
    rho = np.sqrt(1 - z * z)
    return np.stack([rho * np.cos(angle), rho * np.sin(angle), z], axis=1)


ALL_AROUND = np.concatenate([directions(3000), np.eye(3), -np.eye(3)])


def reach_along(shape, X, n):
    """h(n) of directions (k, 3): shape as `manifold_of` takes it, a hull with its vertices."""
    kind, *size = shape
    R, p = X
    m = n @ R
    if kind == "hull":
        local = (m @ np.asarray(size[0]).T).max(axis=1)
    elif kind == "sphere":
        local = np.full(len(m), size[0])
    elif kind == "capsule":
        local = size[0] + size[1] * np.abs(m[:, 2])
    elif kind == "box":
        local = np.abs(m) @ size
    elif kind == "cylinder":
        local = size[0] * np.hypot(m[:, 0], m[:, 1]) + size[1] * np.abs(m[:, 2])
    elif kind == "cone":
        local = np.maximum(size[1] * m[:, 2], size[0] * np.hypot(m[:, 0], m[:, 1]) - size[1] * m[:, 2])
    else:
        local = np.linalg.norm(m * size, axis=1)
    return local + n @ p


def separation(case, n):
    """s(n) of directions (k, 3)."""
    n = np.atleast_2d(n)
    (a, Xa), (b, Xb) = case
    return -reach_along(a, Xa, n) - reach_along(b, Xb, -n)


def extent(shape):
    return float(np.linalg.norm(shape[1], axis=1).max()) if shape[0] == "hull" else float(sum(shape[1:]))


def length_of(case):
    (a, Xa), (b, Xb) = case
    return extent(a) + extent(b) + float(np.linalg.norm(Xb[1] - Xa[1]))


def edges_of(shape, X):
    """Directions of edges and axes in the world."""
    if shape[0] == "hull":
        v = np.asarray(shape[1])
        e = np.array([q - p for p, q in itertools.combinations(v[:12], 2)])
        return e @ X[0].T
    return X[0].T


def best_known(case, n, rng):
    """The greatest separation along directions that are tried: all around, the products of edges, and ever closer around the best of them and n."""
    (a, Xa), (b, Xb) = case
    found = [ALL_AROUND, np.atleast_2d(n)]
    e, f = edges_of(a, Xa), edges_of(b, Xb)
    c = np.cross(e[:, None, :], f[None, :, :]).reshape(-1, 3)
    c = np.concatenate(
        [c, e, f, np.cross(e[:, None, :], e[None, :, :]).reshape(-1, 3), np.cross(f[:, None, :], f[None, :, :]).reshape(-1, 3)]
    )
    size = np.linalg.norm(c, axis=1)
    c = c[size > 1e-9] / size[size > 1e-9, None]
    found = np.concatenate([*found, c, -c])
    s = separation(case, found)
    best = found[np.argmax(s)]
    most = float(s.max())
    for radius in np.geomspace(0.3, 1e-8, 20):
        near = best + radius * rng.normal(size=(60, 3))
        near /= np.linalg.norm(near, axis=1, keepdims=True)
        s = separation(case, near)
        if s.max() > most:
            best, most = near[np.argmax(s)], float(s.max())
    return best, most


def random_rotation(rng):
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0 else -Q


def turn(axis, angle):
    a = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    K = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def random_shape(rng, kind, scale=1.0):
    """Lengths between 0.1 and 1, now and then thin."""
    sizes = scale * np.exp(rng.uniform(math.log(0.1), 0.0, size=3))
    if rng.random() < 0.1:
        sizes[rng.integers(3)] *= 0.02
    if kind == "hull":
        which = rng.integers(3)
        if which == 0:
            return kind, np.ascontiguousarray([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)] * sizes)
        if which == 1:
            return kind, np.ascontiguousarray(rng.normal(size=(4, 3)) * sizes)
        points = rng.normal(size=(rng.integers(6, 120), 3))
        return kind, np.ascontiguousarray(points / np.linalg.norm(points, axis=1, keepdims=True) * sizes)
    return (kind, *sizes[: {"sphere": 1, "capsule": 2, "box": 3, "cylinder": 2, "cone": 2, "ellipsoid": 3}[kind]].tolist())


def random_pair(rng, kind_a, kind_b, ratio=1.0):
    """Two shapes with poses: apart, touching to rounding, overlapping a little or deeply; one in three with axes nearly parallel."""
    a, b = random_shape(rng, kind_a), random_shape(rng, kind_b, ratio)
    Ra = random_rotation(rng) if rng.random() < 0.8 else np.eye(3)
    if rng.random() < 0.35:
        quarter = turn(np.eye(3)[rng.integers(3)], math.pi / 2 * rng.integers(4))
        Rb = Ra @ quarter @ turn(rng.normal(size=3), rng.choice([0.0, 1e-14, 1e-10, 1e-7, 1e-5, 1e-3]))
    else:
        Rb = random_rotation(rng)
    n = Ra @ np.eye(3)[rng.integers(3)] if rng.random() < 0.4 else rng.normal(size=3)
    n /= np.linalg.norm(n)
    side = rng.normal(size=3) * 0.2 * extent(a) * rng.choice([0.0, 1.0])
    Xa = (Ra, rng.normal(size=3) * 0.5)
    touching = float(reach_along(a, (Ra, np.zeros(3)), n[None])[0] + reach_along(b, (Rb, np.zeros(3)), -n[None])[0])
    shift = rng.choice([0.0, 1e-12, 1e-9, 1e-6, 1e-3, 1e-2, 0.1, 0.5, 1.0]) * rng.choice([-1.0, 1.0])
    side -= n * (n @ side)
    if rng.random() < 0.05:
        return (a, Xa), (b, (Rb, Xa[1].copy()))  # coincident centres
    return (a, Xa), (b, (Rb, Xa[1] + n * (touching + shift * min(1.0, ratio)) + side))
