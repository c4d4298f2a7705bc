"""Many rotations at once, in NumPy: quaternions (w, x, y, z), arrays (n, 4), and what moves with them."""

import functools

import numpy as np

IDENTITY = np.array((1.0, 0.0, 0.0, 0.0))
FAR = 1e18  # m: nothing is drawn further away, or larger; pages compute with float32, and with squares of it


def within_reach(lengths):
    """Lengths and coordinates as a page can hold them: clipped to FAR on both sides."""
    return np.clip(lengths, -FAR, FAR)


def product(a, b):
    """Quaternions of R(a) R(b), (n, 4)."""
    w, x, y, z = np.asarray(a).T
    s, u, v, t = np.asarray(b).T
    return np.stack(
        [w * s - x * u - y * v - z * t, w * u + x * s + y * t - z * v, w * v - x * t + y * s + z * u, w * t + x * v - y * u + z * s],
        axis=-1,
    )


def turned(q, points):
    """R(q) x, row by row, (n, 3): x + 2 w (u x x) + 2 u x (u x x), with q = (w, u)."""
    w, x, y, z = np.asarray(q).T
    a, b, c = np.asarray(points).T
    d, e, f = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return np.stack([a + w * d + y * f - z * e, b + w * e + z * d - x * f, c + w * f + x * e - y * d], axis=-1)


def conjugate(q):
    return np.asarray(q) * (1.0, -1.0, -1.0, -1.0)


def matrices(q):
    """Rotation matrices (n, 3, 3) of quaternions."""
    w, x, y, z = np.asarray(q, dtype=float).T
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=-1),
            np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=-1),
            np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1),
        ],
        axis=-2,
    )


def quaternions(R):
    """Quaternions (n, 4) of rotation matrices (n, 3, 3).

    The products of the components, 4 q q^T, are sums of entries of R (Shepperd 1978); the row with the largest diagonal is divided by its root.
    """
    R = np.asarray(R, dtype=float).reshape(-1, 3, 3)
    xx, yy, zz = R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]
    wx, wy, wz = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    xy, xz, yz = R[:, 1, 0] + R[:, 0, 1], R[:, 2, 0] + R[:, 0, 2], R[:, 2, 1] + R[:, 1, 2]
    rows = np.array(
        [
            [1 + xx + yy + zz, wx, wy, wz],
            [wx, 1 + xx - yy - zz, xy, xz],
            [wy, xy, 1 - xx + yy - zz, yz],
            [wz, xz, yz, 1 - xx - yy + zz],
        ]
    ).transpose(2, 0, 1)
    best = np.argmax(np.einsum("nkk->nk", rows), axis=1)
    q = rows[np.arange(len(R)), best]
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def carried(q, direction):
    """Quaternions whose z axes are the unit vectors given, each the nearest to what it was: the least turn that takes R(q) z there.

    A spring that swings does not spin about itself. Where z was opposite there is no least turn; then it turns about its own x.
    """
    w, x, y, z = q.T
    old = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=-1)
    (a, b, c), (d, e, f) = old.T, direction.T
    cosine = a * d + b * e + c * f
    half = np.stack([1.0 + cosine, b * f - c * e, c * d - a * f, a * e - b * d], axis=-1)
    back = cosine < -1.0 + 1e-9
    if back.any():
        half[back] = np.concatenate(
            [np.zeros((int(back.sum()), 1)), turned(q[back], np.tile((1.0, 0.0, 0.0), (int(back.sum()), 1)))], axis=1
        )
    made = product(half, q)
    return made / np.sqrt(np.einsum("ij,ij->i", made, made))[:, None]


@functools.lru_cache(maxsize=4096)
def along(axis):
    """A rotation that takes z to a direction, given as a tuple of any length; (3, 3), read-only. The same direction always has the same x and y;
    what has no direction (zeros, or no numbers) stays as it is.
    """
    z = np.array(axis, dtype=float)
    largest = np.abs(z).max()
    z = z / largest if 0.0 < largest < np.inf else np.array((0.0, 0.0, 1.0))  # squares of the longest and the shortest are numbers too
    z /= np.linalg.norm(z)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    R = np.column_stack([x, np.cross(z, x), z])
    R.setflags(write=False)
    return R
