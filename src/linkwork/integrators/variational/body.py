"""The discrete Lagrangian of a rigid body between two poses: momenta at both ends, and how the first changes with the second pose.

Wendlandt 1997, section 2.4.1, on SE(3). From pose X_0 to X_1 a body is displaced by X_0^-1 X_1 = (r, d): a unit quaternion r = (c, s) and the
way d of its origin, in axes of X_0. With e the way of its centre of mass a, and w = 2 s / h for its rate of turning,

    e = d + (R(r) - 1) a,        L_d = h (m |e / h|^2 / 2 + w . T w / 2 + m g . (x_0 + x_1) / 2)

depends on the displacement only, gravity apart. Its derivatives are momenta, in body axes, angular about the centre of mass; with L = T w

    -D1 L_d    angular  c L + s x L      linear  m e / h - m g h / 2             in axes of X_0, as are e and g
     D2 L_d    angular  c L - s x L      linear  R(r)^T (m e / h + m g h / 2)    in axes of X_1

Angles are never differences of angles, nor ways differences of places: nothing cancels however small h is.
"""

from ...kernels import kernel
from ...spatial.displacement import turned_away, turned_back
from ...spatial.matrices import add9, apply_symmetric, hat9, hat_times, times9, times_hat
from ...spatial.vectors import add3, cross3, scale3, sub3


@kernel(inline=True)
def start_momentum(m, a, T, r, d, g, h):
    """-D1 L_d as a wrench about the body's origin, in axes of the first pose; m e / h . e + L . s, twice the action of the motion."""
    s = (r[1], r[2], r[3])
    k = 2.0 / h
    L = scale3(k, apply_symmetric(T, s))
    e = add3(d, turned_away(r, a))
    f = scale3(m / h, e)
    size = f[0] * e[0] + f[1] * e[1] + f[2] * e[2] + 2.0 * (L[0] * s[0] + L[1] * s[1] + L[2] * s[2])
    f = sub3(f, scale3(0.5 * h * m, g))
    n = add3(add3(scale3(r[0], L), cross3(s, L)), cross3(a, f))
    return (n[0], n[1], n[2], f[0], f[1], f[2]), size


@kernel(inline=True)
def end_momentum(m, a, T, r, d, g, h):
    """D2 L_d as a wrench about the body's origin, in axes of the second pose."""
    s = (r[1], r[2], r[3])
    L = scale3(2.0 / h, apply_symmetric(T, s))
    f = add3(scale3(m / h, add3(d, turned_away(r, a))), scale3(0.5 * h * m, g))
    f = turned_back(r, f)
    n = add3(sub3(scale3(r[0], L), cross3(s, L)), cross3(a, f))
    return n[0], n[1], n[2], f[0], f[1], f[2]


@kernel(inline=True)
def momentum_slope(m, a, T, r, h):
    """d(start momentum) = [[A, H], [G, M]] xi for a displacement xi of the second pose, in its own axes: four 3x3 blocks (spatial/blocks.py).

    With P = c + hat(s):   2 ds = P w,   R = P P + s s^T;   about the centre of mass  A = P T P / h - L s^T / 2 - hat(L) P / 2,  M = m R / h.
    """
    c, x, y, z = r
    L = scale3(2.0 / h, apply_symmetric(T, (x, y, z)))
    P = (c, -z, y, z, c, -x, -y, x, c)
    Q = times9(P, P)
    k = m / h
    M = (
        k * (Q[0] + x * x),
        k * (Q[1] + x * y),
        k * (Q[2] + x * z),
        k * (Q[3] + x * y),
        k * (Q[4] + y * y),
        k * (Q[5] + y * z),
        k * (Q[6] + x * z),
        k * (Q[7] + y * z),
        k * (Q[8] + z * z),
    )
    t = 1.0 / h
    TP = _symmetric_times(T, P)
    B = times9(P, (t * TP[0], t * TP[1], t * TP[2], t * TP[3], t * TP[4], t * TP[5], t * TP[6], t * TP[7], t * TP[8]))
    u, v, w = -0.5 * L[0], -0.5 * L[1], -0.5 * L[2]
    C = times9(hat9((u, v, w)), P)
    A = add9(add9(B, C), (u * x, u * y, u * z, v * x, v * y, v * z, w * x, w * y, w * z))
    # About the origin: H = hat(a) M, G = -M hat(a), A + hat(a) G.
    H = hat_times(a, M)
    G = times_hat(M, (-a[0], -a[1], -a[2]))
    return add9(A, hat_times(a, G)), H, G, M


@kernel(inline=True)
def _symmetric_times(S, B):
    a = apply_symmetric(S, (B[0], B[3], B[6]))
    b = apply_symmetric(S, (B[1], B[4], B[7]))
    c = apply_symmetric(S, (B[2], B[5], B[8]))
    return a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]
