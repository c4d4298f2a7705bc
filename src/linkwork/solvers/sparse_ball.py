"""The pivots of a ball joint, written out: three turns about the axes of the link.

Eliminating them takes all of I and H out of the articulated inertia [[I, H], [H^T, M]], and the moments out of every wrench: across a ball only
forces go, and only a mass M' = M - H^T I^-1 H is felt. So a third of the work of the general case is left. Columns are kept as in
dynamics/general.py (K = U / D, u / D, 1 / D), of which K_0 = (1, ., ., ...), K_1 = (0, 1, ., ...), K_2 = (0, 0, 1, ...).
"""

from ..dynamics.general import COLUMN, E_C, E_COLUMN, pose_general
from ..kernels import kernel
from ..kernels.scalar import store
from ..model.tables import BALL
from ..spatial.articulated import articulated_times
from ..spatial.axial import articulated_shift
from ..spatial.matrices import apply9, rotate_symmetric
from ..spatial.motion import force_to_parent
from ..spatial.vectors import add6, cross3, load6, store6


@kernel(inline=True)
def is_plain_ball(link, general):
    """A ball joint walked from its parent's side, without armature."""
    J = general.armature
    return link.kind == BALL and general.backwards == 0 and J[0] == 0.0 and J[1] == 0.0 and J[2] == 0.0


@kernel(inline=True)
def pivot_ball(work, x, A, p, tau):
    """Eliminate a link on a ball: columns to its extra memory at `x`. Returns inertia and bias force for the parent."""
    column = x + E_COLUMN
    p = add6(p, articulated_times(A, load6(work, x + E_C, 0.0)))
    I, H, M = A
    D0 = 1.0 / I[0]
    K1, K2, K3, K4, K5 = D0 * I[1], D0 * I[2], D0 * H[0], D0 * H[1], D0 * H[2]
    u0 = D0 * (tau[0] - p[0])
    _keep_column(work, column, (1.0, K1, K2, K3, K4, K5), u0, D0)
    yy, yz, zz = I[3] - K1 * I[1], I[4] - K1 * I[2], I[5] - K2 * I[2]
    a3, a4, a5 = H[3] - K1 * H[0], H[4] - K1 * H[1], H[5] - K1 * H[2]
    b3, b4, b5 = H[6] - K2 * H[0], H[7] - K2 * H[1], H[8] - K2 * H[2]
    M = _without(M, (K3, K4, K5), (H[0], H[1], H[2]))
    t = tau[0] - p[0]
    p1, p2, f = p[1] + K1 * t, p[2] + K2 * t, (p[3] + K3 * t, p[4] + K4 * t, p[5] + K5 * t)

    D1 = 1.0 / yy
    K2, K3, K4, K5 = D1 * yz, D1 * a3, D1 * a4, D1 * a5
    t = tau[1] - p1
    _keep_column(work, column + COLUMN, (0.0, 1.0, K2, K3, K4, K5), D1 * t, D1)
    zz = zz - K2 * yz
    b3, b4, b5 = b3 - K2 * a3, b4 - K2 * a4, b5 - K2 * a5
    M = _without(M, (K3, K4, K5), (a3, a4, a5))
    p2, f = p2 + K2 * t, (f[0] + K3 * t, f[1] + K4 * t, f[2] + K5 * t)

    D2 = 1.0 / zz
    K3, K4, K5 = D2 * b3, D2 * b4, D2 * b5
    t = tau[2] - p2
    _keep_column(work, column + 2 * COLUMN, (0.0, 0.0, 1.0, K3, K4, K5), D2 * t, D2)
    M = _without(M, (K3, K4, K5), (b3, b4, b5))
    f = (f[0] + K3 * t, f[1] + K4 * t, f[2] + K5 * t)

    R, r = pose_general(work, x, 0.0)
    nothing = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    A = articulated_shift(r, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), nothing, rotate_symmetric(R, M))
    return A, force_to_parent((R, r), (tau[0], tau[1], tau[2], f[0], f[1], f[2]))


@kernel(inline=True)
def _keep_column(work, column, K, u, D):
    store6(work, column + 6, K)
    work[column + 12] = u
    work[column + 13] = D


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
def wrench_through_ball(work, x, y, step, F):
    """The innovations of a wrench go to the packs y, y + step, y + 2 step. Returns (force left, gamma, sum y^2 / D)."""
    column = x + E_COLUMN
    second, third = column + COLUMN, column + 2 * COLUMN
    z0 = F[0]
    z1, z2 = F[1] - z0 * work[column + 7], F[2] - z0 * work[column + 8]
    f0, f1, f2 = F[3] - z0 * work[column + 9], F[4] - z0 * work[column + 10], F[5] - z0 * work[column + 11]
    z2 = z2 - z1 * work[second + 8]
    f0, f1, f2 = f0 - z1 * work[second + 9], f1 - z1 * work[second + 10], f2 - z1 * work[second + 11]
    f0, f1, f2 = f0 - z2 * work[third + 9], f1 - z2 * work[third + 10], f2 - z2 * work[third + 11]
    store(work, y, z0)
    store(work, y + step, z1)
    store(work, y + 2 * step, z2)
    gamma = z0 * work[column + 12] + (z1 * work[second + 12] + z2 * work[third + 12])
    return (f0, f1, f2), gamma, z0 * z0 * work[column + 13] + (z1 * z1 * work[second + 13] + z2 * z2 * work[third + 13])


@kernel(inline=True)
def force_alone_to_parent(X, f):
    """A force through the link's origin, in parent coordinates."""
    R, p = X
    f = apply9(R, f)
    n = cross3(p, f)
    return n[0], n[1], n[2], f[0], f[1], f[2]
