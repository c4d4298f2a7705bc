"""The scalar functions inside exp and log on SO(3) and SE(3), exact at small angles too.

All are even in the angle t and are therefore functions of s = t^2:

    A = sin t / t,   B = (1 - cos t) / t^2,   C = (t - sin t) / t^3,   G = (1 - (t/2) cot(t/2)) / t^2

Below t = 1/2 the closed forms cancel (C loses all its digits at t = 1e-5), so there the power series are used; at the switch
both agree to a few units in the last place. Both are always evaluated, as lanes need it; the unused one is fed a harmless 1.
"""

from ..kernels import kernel
from ..kernels.scalar import real, sincos, sqrt, where

SMALL = 0.25  # s below which the series are used: their first neglected term is under 1e-16 of the sum


@kernel(inline=True)
def half_angle(s):
    """(cos(t/2), sin(t/2) / t): a unit quaternion from its rotation vector."""
    small = real(s) < SMALL
    x = 0.25 * s
    t = sqrt(where(small, 1.0, s))
    sn, cs = sincos(0.5 * t)
    c = 1.0 - x / 2.0 * (1.0 - x / 12.0 * (1.0 - x / 30.0 * (1.0 - x / 56.0 * (1.0 - x / 90.0 * (1.0 - x / 132.0)))))
    k = 0.5 * (1.0 - x / 6.0 * (1.0 - x / 20.0 * (1.0 - x / 42.0 * (1.0 - x / 72.0 * (1.0 - x / 110.0)))))
    return where(small, c, cs), where(small, k, sn / t)


@kernel(inline=True)
def exp_coefficients(s):
    """(A, B, C) at s = t^2."""
    small = real(s) < SMALL
    r = where(small, 1.0, s)
    t = sqrt(r)
    sn, cs = sincos(0.5 * t)
    A = 1.0 - s / 6.0 * (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0 * (1.0 - s / 156.0)))))
    B = 0.5 * (1.0 - s / 12.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0 * (1.0 - s / 90.0 * (1.0 - s / 132.0 * (1.0 - s / 182.0))))))
    C = (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0 * (1.0 - s / 156.0 * (1.0 - s / 210.0)))))) / 6.0
    far = 2.0 * sn * cs / t
    return where(small, A, far), where(small, B, 2.0 * sn * sn / r), where(small, C, (1.0 - far) / r)


@kernel(inline=True)
def log_coefficient(s):
    """G at s = t^2; the series is that of the Bernoulli numbers, |B_2k| / (2k)! s^(k-1)."""
    small = real(s) < SMALL
    r = where(small, 1.0, s)
    x = 0.5 * sqrt(r)
    sn, cs = sincos(x)
    far = (1.0 - x * (cs / sn)) / r
    c1, c2, c3, c4, c5 = 1.0 / 12.0, 1.0 / 720.0, 1.0 / 30240.0, 1.0 / 1209600.0, 1.0 / 47900160.0
    c6, c7, c8 = 691.0 / 1307674368000.0, 1.0 / 74724249600.0, 3617.0 / 10670622842880000.0
    G = c1 + s * (c2 + s * (c3 + s * (c4 + s * (c5 + s * (c6 + s * (c7 + s * c8))))))
    return where(small, G, far)
