"""Motion vectors V = (omega, v) and force vectors F = (n, f): cross products, power, change of frame and of reference point.

Angular part first. v is the velocity of the body-fixed point that passes the reference point (the frame's origin), n the moment
about that point. A pose X = (R, p) is X_AB: the place of frame B (child) in frame A (parent).

Featherstone 1987, eq. 2.1 (shift), 2.18 (transform), 2.24 (cross), 3.17 (power), written in the order of his 2008 book.
"""

import math

from ..kernels import kernel
from ..kernels.scalar import real, sqrt, where
from .matrices import apply9, apply9_transposed
from .vectors import add3, cross3, dot3, dot6, scale3, sub3


@kernel(inline=True)
def cross_motion(V, W):
    """V x W = (omega x w, omega x v_W + v x w): how W changes when carried along with V (also ad_V W, the Lie bracket)."""
    a, b, c, x, y, z = V
    p, q, r, u, v, w = W
    return (
        b * r - c * q,
        c * p - a * r,
        a * q - b * p,
        (b * w - c * v) + (y * r - z * q),
        (c * u - a * w) + (z * p - x * r),
        (a * v - b * u) + (x * q - y * p),
    )


@kernel(inline=True)
def cross_force(V, F):
    """V x* F = (omega x n + v x f, omega x f): how F changes when carried along with V; crf(V) = -crm(V)^T."""
    a, b, c, x, y, z = V
    n0, n1, n2, f0, f1, f2 = F
    return (
        (b * n2 - c * n1) + (y * f2 - z * f1),
        (c * n0 - a * n2) + (z * f0 - x * f2),
        (a * n1 - b * n0) + (x * f1 - y * f0),
        b * f2 - c * f1,
        c * f0 - a * f2,
        a * f1 - b * f0,
    )


@kernel(inline=True)
def power(V, F):
    """V . F = omega . n + v . f, the same number in every frame."""
    return dot6(V, F)


@kernel(inline=True)
def motion_to_parent(X, V):
    """A motion from components in B to components in A: (R w, R v + p x R w)."""
    R, p = X
    w, v = apply9(R, (V[0], V[1], V[2])), apply9(R, (V[3], V[4], V[5]))
    v = add3(v, cross3(p, w))
    return w[0], w[1], w[2], v[0], v[1], v[2]


@kernel(inline=True)
def motion_to_child(X, V):
    """A motion from components in A to components in B: (R^T w, R^T (v - p x w))."""
    R, p = X
    w = (V[0], V[1], V[2])
    v = apply9_transposed(R, sub3((V[3], V[4], V[5]), cross3(p, w)))
    w = apply9_transposed(R, w)
    return w[0], w[1], w[2], v[0], v[1], v[2]


@kernel(inline=True)
def force_to_parent(X, F):
    """A force from components in B to components in A: (R n + p x R f, R f)."""
    R, p = X
    n, f = apply9(R, (F[0], F[1], F[2])), apply9(R, (F[3], F[4], F[5]))
    n = add3(n, cross3(p, f))
    return n[0], n[1], n[2], f[0], f[1], f[2]


@kernel(inline=True)
def force_to_child(X, F):
    """A force from components in A to components in B: (R^T (n - p x f), R^T f)."""
    R, p = X
    f = (F[3], F[4], F[5])
    n = apply9_transposed(R, sub3((F[0], F[1], F[2]), cross3(p, f)))
    f = apply9_transposed(R, f)
    return n[0], n[1], n[2], f[0], f[1], f[2]


@kernel(inline=True)
def shift_motion(V, r):
    """The same motion with reference point r (seen from the present one): v_P = v_O + omega x r."""
    w = (V[0], V[1], V[2])
    v = add3((V[3], V[4], V[5]), cross3(w, r))
    return w[0], w[1], w[2], v[0], v[1], v[2]


@kernel(inline=True)
def shift_force(F, r):
    """The same force with reference point r (seen from the present one): n_P = n_O - r x f."""
    f = (F[3], F[4], F[5])
    n = sub3((F[0], F[1], F[2]), cross3(r, f))
    return n[0], n[1], n[2], f[0], f[1], f[2]


# ---- screws

# Screws: a motion or force vector as axis, pitch and magnitude, and back (Featherstone 1987, sections 2.3.1 and 2.8.1).
#
# Any (a, b) with a not zero is magnitude * (u, r x u + pitch u): a turn about the line through r along the unit vector u together
# with a slide of `pitch` metres per radian. With a = 0 it is a free vector: pitch infinite, magnitude |b|, and no line.
# The same holds for a force (n, f) written as (f, n): the line of the force and the couple along it.

INFINITE = math.inf


@kernel
def screw_of(V):
    """(u, r, pitch, magnitude) of V = (a, b): r is the point of the axis nearest the origin; infinite pitch gives r = 0.

    A zero vector has u = r = 0, infinite pitch and magnitude 0.
    """
    a, b = (V[0], V[1], V[2]), (V[3], V[4], V[5])
    a2, b2 = dot3(a, a), dot3(b, b)
    turning, sliding = real(a2) > 0.0, real(b2) > 0.0
    n, m = sqrt(where(turning, a2, 1.0)), sqrt(where(sliding, b2, 1.0))
    along = scale3(1.0 / n, a)
    slide = scale3(1.0 / m, b)
    u = (where(turning, along[0], slide[0]), where(turning, along[1], slide[1]), where(turning, along[2], slide[2]))
    r = scale3(1.0 / n, cross3(along, b))  # a = 0 makes it zero
    pitch = where(turning, dot3(along, b) / n, INFINITE)
    return u, r, pitch, where(turning, n, where(sliding, m, 0.0))


@kernel
def vector_of_screw(u, r, pitch, magnitude):
    """magnitude * (u, r x u + pitch u), or magnitude * (0, u) if the pitch is infinite; u of unit length."""
    finite = real(pitch) < INFINITE
    h = where(finite, pitch, 1.0)
    k = where(finite, magnitude, 0.0)
    a = scale3(k, u)
    b = add3(cross3(r, a), scale3(h * magnitude, u))
    return a[0], a[1], a[2], b[0], b[1], b[2]
