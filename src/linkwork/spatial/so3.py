"""Rotations: unit quaternions (w x y z) and rotation matrices (nine scalars, row-major), exp, log and the Jacobian of exp.

A rotation R_AB maps components in frame B to components in frame A; its quaternion q has R(q) = R_AB, and q and -q are the same
rotation. A rotation vector a turns by the angle |a| about a; R = exp(hat a). Angular velocity is either in the body (B) frame,
hat(w^b) = R^T dR/dt, or in the space (A) frame, hat(w^s) = dR/dt R^T.

Wendlandt 1997, appendix A.1-A.3 (quaternion maps); Reuss 2002, eq. 5-9 (exp and log, here without his arccos).
"""

from ..kernels import Vector, kernel
from ..kernels.scalar import atan2, real, sqrt, where
from .exponential import exp_coefficients, half_angle, log_coefficient
from .vectors import dot3


@kernel(inline=True)
def quaternion_product(p, q):
    """p * q: first the turn q, then p; R(p * q) = R(p) R(q)."""
    a, b, c, d = p
    w, x, y, z = q
    return (
        a * w - (b * x + c * y + d * z),
        a * x + b * w + (c * z - d * y),
        a * y + c * w + (d * x - b * z),
        a * z + d * w + (b * y - c * x),
    )


@kernel(inline=True)
def quaternion_conjugate(q):
    """The inverse of a unit quaternion."""
    return q[0], -q[1], -q[2], -q[3]


@kernel(inline=True)
def quaternion_normalised(q):
    """q / |q|."""
    w, x, y, z = q
    k = 1.0 / sqrt(w * w + x * x + y * y + z * z)
    return k * w, k * x, k * y, k * z


@kernel(inline=True)
def quaternion_act(q, v):
    """R(q) v of a unit quaternion: v + w t + u x t with t = 2 u x v."""
    w, x, y, z = q
    a, b, c = v
    ta, tb, tc = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return a + w * ta + (y * tc - z * tb), b + w * tb + (z * ta - x * tc), c + w * tc + (x * tb - y * ta)


@kernel(inline=True)
def quaternion_to_matrix(q):
    """R(q); the length of q does not matter, only that it is not zero."""
    w, x, y, z = q
    k = 2.0 / (w * w + x * x + y * y + z * z)
    kx, ky, kz = k * x, k * y, k * z
    xx, yy, zz, xy, xz, yz, wx, wy, wz = kx * x, ky * y, kz * z, kx * y, kx * z, ky * z, kx * w, ky * w, kz * w
    return 1.0 - (yy + zz), xy - wz, xz + wy, xy + wz, 1.0 - (xx + zz), yz - wx, xz - wy, yz + wx, 1.0 - (xx + yy)


@kernel(inline=True)
def _either4(condition, a, b):
    return where(condition, a[0], b[0]), where(condition, a[1], b[1]), where(condition, a[2], b[2]), where(condition, a[3], b[3])


@kernel
def quaternion_from_matrix(R) -> Vector[4]:
    """The unit quaternion of a rotation matrix, with w >= 0.

    4 q q^T is linear in R; each of its columns is a multiple of q. Two comparisons of the diagonal pick a column whose own
    component has 4 q_i^2 >= 1, so that nothing cancels at any angle.
    """
    xx, xy, xz, yx, yy, yz, zx, zy, zz = R
    by_w = (1.0 + xx + yy + zz, zy - yz, xz - zx, yx - xy)
    by_x = (zy - yz, 1.0 + xx - yy - zz, xy + yx, xz + zx)
    by_y = (xz - zx, xy + yx, 1.0 - xx + yy - zz, yz + zy)
    by_z = (yx - xy, xz + zx, yz + zy, 1.0 - xx - yy + zz)
    down = _either4(real(xx) > real(yy), by_x, by_y)
    up = _either4(real(xx + yy) < 0.0, by_z, by_w)
    w, x, y, z = _either4(real(zz) < 0.0, down, up)
    k = where(real(w) < 0.0, -1.0, 1.0) / sqrt(w * w + x * x + y * y + z * z)
    return k * w, k * x, k * y, k * z


@kernel(inline=True)
def quaternion_exp(a):
    """The unit quaternion of the rotation vector a."""
    c, k = half_angle(dot3(a, a))
    return c, k * a[0], k * a[1], k * a[2]


@kernel(inline=True)
def _sign(x, otherwise):
    """The sign of x, or `otherwise` if x is zero."""
    return where(real(x) > 0.0, 1.0, where(real(x) < 0.0, -1.0, otherwise))


@kernel
def quaternion_log(q) -> Vector[3]:
    """The shortest rotation vector (|a| <= pi) of q: a = 2 atan2(|u|, |w|) u / |u| with u the vector part, signed like w.

    q and -q give the same result. At exactly half a turn (w = 0) both directions are shortest; the one whose first component
    that is not zero is positive is taken. The length of q does not matter.
    """
    w, x, y, z = q
    sign = _sign(w, _sign(x, _sign(y, _sign(z, 1.0))))
    w = sign * w
    n2 = x * x + y * y + z * z
    small = real(n2) < 1.0e-4 * real(w) * real(w)
    n, d = sqrt(where(small, 1.0, n2)), where(small, w, 1.0)
    r = n2 / (d * d)
    near = 2.0 / d * (1.0 - r * (1.0 / 3.0 - r * (1.0 / 5.0 - r * (1.0 / 7.0 - r / 9.0))))
    k = sign * where(small, near, 2.0 * atan2(n, w) / n)
    return k * x, k * y, k * z


@kernel(inline=True)
def _polynomial_of_hat(a, b, c):
    """1 + b hat(a) + c hat(a)^2."""
    x, y, z = a
    bx, by, bz = b * x, b * y, b * z
    cx, cy, cz = c * x, c * y, c * z
    xx, yy, zz, xy, xz, yz = cx * x, cy * y, cz * z, cx * y, cx * z, cy * z
    return 1.0 - (yy + zz), xy - bz, xz + by, xy + bz, 1.0 - (xx + zz), yz - bx, xz - by, yz + bx, 1.0 - (xx + yy)


@kernel
def rotation_exp(a) -> Vector[9]:
    """The rotation matrix of the rotation vector a: 1 + A hat + B hat^2 (Rodrigues)."""
    A, B, _ = exp_coefficients(dot3(a, a))
    return _polynomial_of_hat(a, A, B)


@kernel(inline=True)
def rotation_log(R):
    """The shortest rotation vector of a rotation matrix, to full accuracy at every angle from 0 to pi."""
    return quaternion_log(quaternion_from_matrix(R))


@kernel
def left_jacobian(a):
    """J_l(a) = 1 + B hat + C hat^2: exp(a + da) = exp(J_l da) exp(a), so w^s = J_l(a) da/dt."""
    _, B, C = exp_coefficients(dot3(a, a))
    return _polynomial_of_hat(a, B, C)


@kernel
def left_jacobian_inverse(a) -> Vector[9]:
    """J_l(a)^-1 = 1 - hat/2 + G hat^2, for |a| < 2 pi: da/dt from w^s."""
    G = log_coefficient(dot3(a, a))
    return _polynomial_of_hat(a, -0.5, G)
