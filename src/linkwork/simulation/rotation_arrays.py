"""Rotations of many samples at once: the formulas of spatial/so3.py for NumPy arrays, with unit quaternions (..., 4) wxyz and vectors (..., 3).

Kernels work on one state or on lanes; a recording has thousands of samples at hand, and is read where nothing should be compiled.
"""

import numpy as np

# Below this angle (rad) the closed forms of C and G lose digits to cancellation, and series are used; both agree to 1e-15 there.
SMALL = 0.3


def product(p, q):
    """The quaternion of the turn q followed, in its parent, by p."""
    ps, pv, qs, qv = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    return np.concatenate([ps * qs - np.sum(pv * qv, axis=-1, keepdims=True), ps * qv + qs * pv + np.cross(pv, qv)], axis=-1)


def conjugate(q):
    return q * (1.0, -1.0, -1.0, -1.0)


def rotate(q, x):
    """R(q) x."""
    twice = 2.0 * np.cross(q[..., 1:], x)
    return x + q[..., :1] * twice + np.cross(q[..., 1:], twice)


def exp(a):
    """The quaternion of the rotation vector a: (cos |a|/2, a sin(|a|/2) / |a|)."""
    t = np.linalg.norm(a, axis=-1, keepdims=True)
    return np.concatenate([np.cos(0.5 * t), 0.5 * np.sinc(t / (2.0 * np.pi)) * a], axis=-1)


def from_matrix(R):
    """The quaternion of a rotation matrix (..., 3, 3), from its greatest component (Shepperd 1978)."""
    (a, b, c), (d, e, f), (g, h, i) = np.moveaxis(R, (-2, -1), (0, 1))
    found = np.array(
        [
            [1.0 + a + e + i, h - f, c - g, d - b],
            [h - f, 1.0 + a - e - i, b + d, c + g],
            [c - g, b + d, 1.0 - a + e - i, f + h],
            [d - b, c + g, f + h, 1.0 - a - e + i],
        ]
    )  # row k: the quaternion, times four times its component k
    found = np.moveaxis(found, (0, 1), (-2, -1))
    greatest = np.argmax(np.diagonal(found, axis1=-2, axis2=-1), axis=-1)
    row = np.take_along_axis(found, greatest[..., None, None], axis=-2)[..., 0, :]
    return row / np.linalg.norm(row, axis=-1, keepdims=True)


def log(q):
    """The shortest rotation vector of a unit quaternion; q and -q give the same."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    s = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    safe = np.where(s > 0.0, s, 1.0)
    return q[..., 1:] * np.where(s > 0.0, 2.0 * np.arctan2(s, q[..., :1]) / safe, 2.0)


def right_jacobian_times(a, x):
    """J_r(a) x = x - B a x x + C a x (a x x): body velocity of exp(a) from da/dt. B = (1 - cos t)/t^2, C = (t - sin t)/t^3, t = |a|."""
    s = np.sum(a * a, axis=-1, keepdims=True)
    t = np.sqrt(s)
    B = 0.5 * np.sinc(t / (2.0 * np.pi)) ** 2
    safe = np.where(t > SMALL, t, 1.0)
    series = (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0 * (1.0 - s / 156.0))))) / 6.0
    C = np.where(t > SMALL, (safe - np.sin(safe)) / safe**3, series)
    once = np.cross(a, x)
    return x - B * once + C * np.cross(a, once)


def right_jacobian_inverse_times(a, x):
    """J_r(a)^-1 x = x + a x x / 2 + G a x (a x x), |a| < 2 pi: da/dt from the body velocity of exp(a). G = (1 - (t/2) cot(t/2))/t^2."""
    s = np.sum(a * a, axis=-1, keepdims=True)
    t = np.sqrt(s)
    safe = np.where(t > SMALL, t, 1.0)
    series = 1.0 / 12.0 + s * (
        1.0 / 720.0 + s * (1.0 / 30240.0 + s * (1.0 / 1209600.0 + s * (1.0 / 47900160.0 + s * 691.0 / 1307674368000.0)))
    )
    G = np.where(t > SMALL, (1.0 - 0.5 * safe / np.tan(0.5 * safe)) / safe**2, series)
    once = np.cross(a, x)
    return x + 0.5 * once + G * np.cross(a, once)
