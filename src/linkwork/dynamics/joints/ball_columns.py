"""A ball joint in the sparse solver, its three columns written out: turns about the axes of the link.

Eliminating them takes all of I and H out of the articulated inertia [[I, H], [H^T, M]], and the moments out of every wrench: across a ball only
forces go, and only a mass M' = M - H^T I^-1 H is felt. So a third of the work of the general case is left. Columns are kept as in
general.py (K = U D^-1, e = D^-1 u, D^-1), of which K_0 = (1, ., ., ...), K_1 = (0, 1, ., ...), K_2 = (0, 0, 1, ...).
"""

from ...kernels import kernel
from ...model.tables import BALL
from ...spatial.articulated import articulated_times, mass_to_parent
from ...spatial.matrices import apply9
from ...spatial.motion import force_to_parent
from ...spatial.vectors import add6, cross3
from .general import pose_general


@kernel(inline=True)
def is_plain_ball(joint, general):
    """A ball joint walked from its parent's side, without armature."""
    J = general.armature
    return joint.kind == BALL and general.backwards == 0 and J[0] == 0.0 and J[1] == 0.0 and J[2] == 0.0


@kernel(inline=True)
def pivot_ball(joint, joints, body, tau):
    """Eliminate a link on a ball from the articulated body `body`, which is then the parent's part; columns to `joints`. tau: of the joint."""
    columns, first, place = joints.columns, joint.v, joints.generals[joint.general]
    I, H, M = body.IA
    p = add6(body.pA, articulated_times(body.IA, place.c))
    Dinv0 = 1.0 / I[0]
    K1, K2, K3, K4, K5 = Dinv0 * I[1], Dinv0 * I[2], Dinv0 * H[0], Dinv0 * H[1], Dinv0 * H[2]
    t = tau[0] - p[0]
    _keep_column(columns[first], (1.0, K1, K2, K3, K4, K5), Dinv0 * t, Dinv0)
    yy, yz, zz = I[3] - K1 * I[1], I[4] - K1 * I[2], I[5] - K2 * I[2]
    a3, a4, a5 = H[3] - K1 * H[0], H[4] - K1 * H[1], H[5] - K1 * H[2]
    b3, b4, b5 = H[6] - K2 * H[0], H[7] - K2 * H[1], H[8] - K2 * H[2]
    M = _without(M, (K3, K4, K5), (H[0], H[1], H[2]))
    p1, p2, f = p[1] + K1 * t, p[2] + K2 * t, (p[3] + K3 * t, p[4] + K4 * t, p[5] + K5 * t)

    Dinv1 = 1.0 / yy
    K2, K3, K4, K5 = Dinv1 * yz, Dinv1 * a3, Dinv1 * a4, Dinv1 * a5
    t = tau[1] - p1
    _keep_column(columns[first + 1], (0.0, 1.0, K2, K3, K4, K5), Dinv1 * t, Dinv1)
    zz = zz - K2 * yz
    b3, b4, b5 = b3 - K2 * a3, b4 - K2 * a4, b5 - K2 * a5
    M = _without(M, (K3, K4, K5), (a3, a4, a5))
    p2, f = p2 + K2 * t, (f[0] + K3 * t, f[1] + K4 * t, f[2] + K5 * t)

    Dinv2 = 1.0 / zz
    K3, K4, K5 = Dinv2 * b3, Dinv2 * b4, Dinv2 * b5
    t = tau[2] - p2
    _keep_column(columns[first + 2], (0.0, 0.0, 1.0, K3, K4, K5), Dinv2 * t, Dinv2)
    M = _without(M, (K3, K4, K5), (b3, b4, b5))
    f = (f[0] + K3 * t, f[1] + K4 * t, f[2] + K5 * t)

    X = pose_general(place)
    body.IA, body.pA = mass_to_parent(X, M), force_to_parent(X, (tau[0], tau[1], tau[2], f[0], f[1], f[2]))


@kernel(inline=True)
def _keep_column(column, K, e, Dinv):
    column.K, column.e, column.Dinv = K, e, Dinv


@kernel(inline=True)
def _without(M, K, h):
    """M - K h^T, symmetric."""
    return (
        M[0] - K[0] * h[0],
        M[1] - K[0] * h[1],
        M[2] - K[0] * h[2],
        M[3] - K[1] * h[1],
        M[4] - K[1] * h[2],
        M[5] - K[2] * h[2],
    )


@kernel(inline=True)
def wrench_through_ball(joint, joints, F):
    """(innovations, force left, y D^-1 u, y D^-1 y) of a wrench."""
    first, second, third = joints.columns[joint.v], joints.columns[joint.v + 1], joints.columns[joint.v + 2]
    K, z0 = first.K, F[0]
    z1, z2 = F[1] - z0 * K[1], F[2] - z0 * K[2]
    f0, f1, f2 = F[3] - z0 * K[3], F[4] - z0 * K[4], F[5] - z0 * K[5]
    K = second.K
    z2 = z2 - z1 * K[2]
    f0, f1, f2 = f0 - z1 * K[3], f1 - z1 * K[4], f2 - z1 * K[5]
    K = third.K
    f0, f1, f2 = f0 - z2 * K[3], f1 - z2 * K[4], f2 - z2 * K[5]
    gamma = z0 * first.e + (z1 * second.e + z2 * third.e)
    return (z0, z1, z2), (f0, f1, f2), gamma, z0 * z0 * first.Dinv + (z1 * z1 * second.Dinv + z2 * z2 * third.Dinv)


@kernel(inline=True)
def force_alone_to_parent(X, f):
    """A force through the link's origin, in parent coordinates."""
    R, p = X
    f = apply9(R, f)
    n = cross3(p, f)
    return n[0], n[1], n[2], f[0], f[1], f[2]
