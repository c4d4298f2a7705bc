"""Articulated inertia as 21 numbers in three tuples (I, H, M): the 6x6 matrix [[I, H], [H^T, M]] on V = (omega, v).

I and M are symmetric (xx xy xz yy yz zz), H is general (nine numbers, row-major; rows angular, columns linear). Unlike a rigid
inertia its mass M depends on the direction, and there need be no centre of mass (Featherstone 1987, section 3.6, Table 8-3).
"""

from ..kernels import kernel
from ..kernels.scalar import zero
from .axial import articulated_shift
from .matrices import add9, apply9, apply9_transposed, apply_symmetric, rotate_matrix, rotate_symmetric
from .vectors import add3, add6, scale3, sub6


@kernel(inline=True)
def zero_articulated(like):
    """The inertia of nothing."""
    o = zero(like)
    return (o, o, o, o, o, o), (o, o, o, o, o, o, o, o, o), (o, o, o, o, o, o)


@kernel(inline=True)
def articulated_from_rigid(rigid):
    """The three blocks of a rigid inertia in ten numbers: H = hat(h), M = m 1."""
    m, x, y, z, xx, xy, xz, yy, yz, zz = rigid
    o = zero(m)
    return (xx, xy, xz, yy, yz, zz), (o, -z, y, z, o, -x, -y, x, o), (m, o, o, m, o, m)


@kernel(inline=True)
def articulated_sum(A, B):
    """Two articulated bodies welded together at their handles."""
    return add6(A[0], B[0]), add9(A[1], B[1]), add6(A[2], B[2])


@kernel(inline=True)
def articulated_plus_rigid(A, rigid):
    """An articulated body with a rigid one (ten numbers) welded to its handle; cheaper than converting first."""
    I, H, M = A
    m, x, y, z, xx, xy, xz, yy, yz, zz = rigid
    return (
        add6(I, (xx, xy, xz, yy, yz, zz)),
        (H[0], H[1] - z, H[2] + y, H[3] + z, H[4], H[5] - x, H[6] - y, H[7] + x, H[8]),
        (M[0] + m, M[1], M[2], M[3] + m, M[4], M[5] + m),
    )


@kernel(inline=True)
def articulated_times(A, V):
    """The force (I w + H v, H^T w + M v)."""
    I, H, M = A
    w, v = (V[0], V[1], V[2]), (V[3], V[4], V[5])
    n = add3(apply_symmetric(I, w), apply9(H, v))
    f = add3(apply9_transposed(H, w), apply_symmetric(M, v))
    return n[0], n[1], n[2], f[0], f[1], f[2]


@kernel(inline=True)
def articulated_downdate(A, U, k):
    """A - U k U^T, k a scalar: what is left of A across a joint of one freedom, with U = A S and k = 1 / (S . U)."""
    I, H, M = A
    n, f = (U[0], U[1], U[2]), (U[3], U[4], U[5])
    a, b, c = scale3(k, n)
    x, y, z = scale3(k, f)
    H = (
        (H[0] - a * f[0], H[1] - a * f[1], H[2] - a * f[2])
        + (H[3] - b * f[0], H[4] - b * f[1], H[5] - b * f[2])
        + (H[6] - c * f[0], H[7] - c * f[1], H[8] - c * f[2])
    )
    I = sub6(I, (a * n[0], a * n[1], a * n[2], b * n[1], b * n[2], c * n[2]))
    return I, H, sub6(M, (x * f[0], x * f[1], x * f[2], y * f[1], y * f[2], z * f[2]))


@kernel(inline=True)
def articulated_to_parent(X, A):
    """From the child's frame to the parent's, X = X_PC = (R, p): all blocks turned by R, then the handle moved to the parent's origin.

    With p the child's origin in the parent: M' = R M R^T, H' = R H R^T + hat(p) M', I' = R I R^T + hat(p) (R H R^T)^T - H' hat(p).
    """
    R, p = X
    I, H, M = A
    return articulated_shift(p, rotate_symmetric(R, I), rotate_matrix(R, H), rotate_symmetric(R, M))


@kernel(inline=True)
def mass_to_parent(X, M):
    """`articulated_to_parent` of an inertia that is all mass (I = 0, H = 0), as a ball joint leaves it: H' = hat(p) M', I' = -H' hat(p)."""
    R, (x, y, z) = X
    M = rotate_symmetric(R, M)
    xx, xy, xz, yy, yz, zz = M
    a0, a1, a2 = y * xz - z * xy, y * yz - z * yy, y * zz - z * yz
    b0, b1, b2 = z * xx - x * xz, z * xy - x * yz, z * xz - x * zz
    c0, c1, c2 = x * xy - y * xx, x * yy - y * xy, x * yz - y * xz
    I = (y * a2 - z * a1, z * a0 - x * a2, x * a1 - y * a0, z * b0 - x * b2, x * b1 - y * b0, x * c1 - y * c0)
    return I, (a0, a1, a2, b0, b1, b2, c0, c1, c2), M


@kernel(inline=True)
def articulated_matrix(A):
    """The 6x6 matrix, 36 scalars row-major."""
    I, H, M = A
    return (
        (I[0], I[1], I[2], H[0], H[1], H[2])
        + (I[1], I[3], I[4], H[3], H[4], H[5])
        + (I[2], I[4], I[5], H[6], H[7], H[8])
        + (H[0], H[3], H[6], M[0], M[1], M[2])
        + (H[1], H[4], H[7], M[1], M[3], M[4])
        + (H[2], H[5], H[8], M[2], M[4], M[5])
    )
