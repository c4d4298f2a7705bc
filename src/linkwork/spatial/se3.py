"""Rigid displacements: poses X = (R, p), R a rotation in nine scalars row-major and p a translation; exp and log.

X_AB is the place of frame B in frame A, x_A = R x_B + p; X_AC = X_AB X_BC. A displacement vector V = (a, l) is a motion vector
carried on for one unit of time, X = exp(V). Reuss 2002, eq. 3-4, 6-11 and 17-22.
"""

from ..kernels import Vector, kernel
from .exponential import exp_coefficients
from .matrices import apply9, apply9_transposed, times9, transposed9
from .so3 import left_jacobian_inverse, rotation_exp, rotation_log
from .vectors import add3, cross3, dot3, scale3, sub3


@kernel(inline=True)
def pose_compose(A, B):
    """X_AC = X_AB X_BC."""
    R, p = A
    S, q = B
    return times9(R, S), add3(apply9(R, q), p)


@kernel(inline=True)
def pose_inverse(X):
    """X_BA = (R^T, -R^T p)."""
    R, p = X
    b = apply9_transposed(R, p)
    return transposed9(R), (-b[0], -b[1], -b[2])


@kernel(inline=True)
def pose_act(X, x):
    """x_A = R x_B + p."""
    R, p = X
    return add3(apply9(R, x), p)


@kernel(inline=True)
def pose_act_inverse(X, x):
    """x_B = R^T (x_A - p)."""
    R, p = X
    return apply9_transposed(R, sub3(x, p))


@kernel
def pose_exp(V) -> tuple[Vector[9], Vector[3]]:
    """exp of V = (a, l): R = exp(hat a), p = (1 + B hat a + C hat a^2) l."""
    a, l = (V[0], V[1], V[2]), (V[3], V[4], V[5])
    _, B, C = exp_coefficients(dot3(a, a))
    b = cross3(a, l)
    return rotation_exp(a), add3(l, add3(scale3(B, b), scale3(C, cross3(a, b))))


@kernel
def pose_log(X):
    """The displacement vector (a, l) with the shortest turn, |a| <= pi: l = (1 - hat a / 2 + G hat a^2) p."""
    R, p = X
    a = rotation_log(R)
    l = apply9(left_jacobian_inverse(a), p)
    return a[0], a[1], a[2], l[0], l[1], l[2]
