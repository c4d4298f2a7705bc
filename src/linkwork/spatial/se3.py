"""Rigid displacements: poses X = (R, p), R a rotation in nine scalars row-major and p a translation; exp, log, Ad, ad and rates.

X_AB is the place of frame B in frame A, x_A = R x_B + p; X_AC = X_AB X_BC. A displacement vector V = (a, l) is a motion vector
carried on for one unit of time, X = exp(V). Reuss 2002, eq. 3-4, 6-11 and 17-22.
"""

from ..kernels import Vector, kernel
from .exponential import exp_coefficients, exp_slopes, log_coefficients
from .matrices import apply9, apply9_transposed, times9, transposed9
from .motion import cross_force, cross_motion, force_to_child, force_to_parent, motion_to_child, motion_to_parent
from .so3 import left_jacobian_inverse, rotation_exp, rotation_log
from .vectors import add3, add6, cross3, dot3, scale3, scale6, sub3


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


# The adjoint family on six-tuples. Ad_X V = X V X^-1 carries motions from B to A, and ad_V W = d/dt Ad_exp(tV) W at t = 0.
# The duals are transposes, so they act on forces: Ad_X^T F takes F from A to B, and ad_V^T F = -V x* F.
Ad = motion_to_parent
Ad_inverse = motion_to_child
Ad_dual = force_to_child
Ad_inverse_dual = force_to_parent
ad = cross_motion


@kernel(inline=True)
def ad_dual(V, F):
    """ad_V^T F = -V x* F."""
    return scale6(-1.0, cross_force(V, F))


@kernel
def body_velocity_of_exp(V, dV):
    """The motion of exp(V(t)) in the moving frame, (X^-1 dX/dt): [1 - b1 ad - b3 ad^3 + c2 ad^2 + c4 ad^4] dV/dt.

    ad = ad_V obeys x (x^2 + t^2)^2 = 0, so the series (1 - e^-x) / x ends at x^4; matching value and slope of its even and odd
    part at the double root x^2 = -t^2 gives b1 = B - s B', b3 = -B', c2 = C - s C', c4 = -C' with s = t^2 = |a|^2.
    """
    s = V[0] * V[0] + V[1] * V[1] + V[2] * V[2]
    _, B, C, dB, dC = exp_slopes(s)
    x1 = cross_motion(V, dV)
    x2 = cross_motion(V, x1)
    x3 = cross_motion(V, x2)
    x4 = cross_motion(V, x3)
    odd = add6(scale6(s * dB - B, x1), scale6(dB, x3))
    even = add6(scale6(C - s * dC, x2), scale6(-dC, x4))
    return add6(dV, add6(odd, even))


@kernel
def log_rate_of_body_velocity(V, velocity):
    """dV/dt of V = log X from the motion of X in the moving frame: [1 + ad/2 + c2 ad^2 + c4 ad^4] velocity, for |a| < 2 pi.

    The inverse of `body_velocity_of_exp`: x / (1 - e^-x) reduced in the same way, c2 = G - s G', c4 = -G'.
    """
    s = V[0] * V[0] + V[1] * V[1] + V[2] * V[2]
    G, dG = log_coefficients(s)
    x1 = cross_motion(V, velocity)
    x2 = cross_motion(V, x1)
    x4 = cross_motion(V, cross_motion(V, x2))
    return add6(add6(velocity, scale6(0.5, x1)), add6(scale6(G - s * dG, x2), scale6(-dG, x4)))
