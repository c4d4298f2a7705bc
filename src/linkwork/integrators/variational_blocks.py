"""Articulated blocks without symmetry: 36 numbers B = [[A, H], [G, M]] that take a displacement xi of a link at the end of a step (in its own
axes there) to a change of momentum at the start (in its axes then), and six numbers b, a momentum. 42 slots.

A joint between link and parent is at q_0 for momenta, at q_1 for displacements, so both sides of B change frame by turns of their own:

    B_parent = X_0^T B X_1,     E_0^T B E_1 for each block,    then with the child's origin at r_0 and r_1 in the parent
    G -= M hat(r_1),   A -= H hat(r_1),   A += hat(r_0) G,   H += hat(r_0) M
"""

from ..kernels import Scalar, Vector, kernel
from ..kernels.scalar import load, store
from ..spatial.axial import turn_matrix_x, turn_matrix_z
from ..spatial.matrices import add9, load9, store9, times9, times9_transposed
from .variational_body import hat_times, times_hat

BLOCK = 42  # slots


@kernel(inline=True)
def turn_sides_z(c, s, c1, s1, B):
    """Rz(theta_0) B Rz(theta_1)^T."""
    a, b, x, d, e, y, u, v, z = B
    a, d = c * a - s * d, s * a + c * d
    b, e = c * b - s * e, s * b + c * e
    x, y = c * x - s * y, s * x + c * y
    a, b = c1 * a - s1 * b, s1 * a + c1 * b
    d, e = c1 * d - s1 * e, s1 * d + c1 * e
    u, v = c1 * u - s1 * v, s1 * u + c1 * v
    return a, b, x, d, e, y, u, v, z


@kernel(inline=True)
def block_in_axial(link, c, s, c1, s1, B):
    """One of the four blocks in the parent's axes."""
    B = turn_sides_z(c, s, c1, s1, B)
    B = turn_matrix_x(link.ca, link.sa, link.ca * link.ca, link.ca * link.sa, B)
    if link.turned:
        B = turn_matrix_z(link.c0, link.s0, link.c0 * link.c0, link.c0 * link.s0, B)
    return B


@kernel(inline=True)
def downdate(B, u, w):
    """B - u w^T of a 3x3 block."""
    a, b, c = u
    x, y, z = w
    return (
        B[0] - a * x,
        B[1] - a * y,
        B[2] - a * z,
        B[3] - b * x,
        B[4] - b * y,
        B[5] - b * z,
        B[6] - c * x,
        B[7] - c * y,
        B[8] - c * z,
    )


@kernel(inline=True)
def shift_sides(work, at, r0, r1, A, H, G, M):
    """Store the four blocks about the parent's origin."""
    B = times_hat(M, r1)
    G = (G[0] - B[0], G[1] - B[1], G[2] - B[2], G[3] - B[3], G[4] - B[4], G[5] - B[5], G[6] - B[6], G[7] - B[7], G[8] - B[8])
    B = times_hat(H, (-r1[0], -r1[1], -r1[2]))
    store9(work, at, add9(add9(A, B), hat_times(r0, G)))
    store9(work, at + 9, add9(H, hat_times(r0, M)))
    store9(work, at + 18, G)
    store9(work, at + 27, M)


@kernel
def remove_column(work, at, S0, S1, armature, like) -> tuple[Vector[6], Vector[6], Scalar]:
    """Remove one freedom from the block in slots `at`..: U = B S_1, W = B^T S_0, D = S_0 . U + armature, B -= U W^T / D. Returns (U, W / D, 1 / D)."""
    A, H = load9(work, at, like), load9(work, at + 9, like)
    G, M = load9(work, at + 18, like), load9(work, at + 27, like)
    w, u = (S1[0], S1[1], S1[2]), (S1[3], S1[4], S1[5])
    U = (
        A[0] * w[0] + A[1] * w[1] + A[2] * w[2] + (H[0] * u[0] + H[1] * u[1] + H[2] * u[2]),
        A[3] * w[0] + A[4] * w[1] + A[5] * w[2] + (H[3] * u[0] + H[4] * u[1] + H[5] * u[2]),
        A[6] * w[0] + A[7] * w[1] + A[8] * w[2] + (H[6] * u[0] + H[7] * u[1] + H[8] * u[2]),
        G[0] * w[0] + G[1] * w[1] + G[2] * w[2] + (M[0] * u[0] + M[1] * u[1] + M[2] * u[2]),
        G[3] * w[0] + G[4] * w[1] + G[5] * w[2] + (M[3] * u[0] + M[4] * u[1] + M[5] * u[2]),
        G[6] * w[0] + G[7] * w[1] + G[8] * w[2] + (M[6] * u[0] + M[7] * u[1] + M[8] * u[2]),
    )
    w, u = (S0[0], S0[1], S0[2]), (S0[3], S0[4], S0[5])
    W = (
        A[0] * w[0] + A[3] * w[1] + A[6] * w[2] + (G[0] * u[0] + G[3] * u[1] + G[6] * u[2]),
        A[1] * w[0] + A[4] * w[1] + A[7] * w[2] + (G[1] * u[0] + G[4] * u[1] + G[7] * u[2]),
        A[2] * w[0] + A[5] * w[1] + A[8] * w[2] + (G[2] * u[0] + G[5] * u[1] + G[8] * u[2]),
        H[0] * w[0] + H[3] * w[1] + H[6] * w[2] + (M[0] * u[0] + M[3] * u[1] + M[6] * u[2]),
        H[1] * w[0] + H[4] * w[1] + H[7] * w[2] + (M[1] * u[0] + M[4] * u[1] + M[7] * u[2]),
        H[2] * w[0] + H[5] * w[1] + H[8] * w[2] + (M[2] * u[0] + M[5] * u[1] + M[8] * u[2]),
    )
    k = 1.0 / (S0[0] * U[0] + S0[1] * U[1] + S0[2] * U[2] + (S0[3] * U[3] + S0[4] * U[4] + S0[5] * U[5]) + armature)
    W = (k * W[0], k * W[1], k * W[2], k * W[3], k * W[4], k * W[5])
    n, f, x, y = (U[0], U[1], U[2]), (U[3], U[4], U[5]), (W[0], W[1], W[2]), (W[3], W[4], W[5])
    store9(work, at, downdate(A, n, x))
    store9(work, at + 9, downdate(H, n, y))
    store9(work, at + 18, downdate(G, f, x))
    store9(work, at + 27, downdate(M, f, y))
    return U, W, k


@kernel
def block_to_parent(work, at, X0, X1, like) -> None:
    """The block in slots `at`.. in the frame of the parent, in which the link stands at X_0 and X_1 = (R, p)."""
    R0, p0 = X0
    R1, p1 = X1
    A = times9_transposed(times9(R0, load9(work, at, like)), R1)
    H = times9_transposed(times9(R0, load9(work, at + 9, like)), R1)
    G = times9_transposed(times9(R0, load9(work, at + 18, like)), R1)
    M = times9_transposed(times9(R0, load9(work, at + 27, like)), R1)
    shift_sides(work, at, p0, p1, A, H, G, M)


@kernel
def clear_block(work, at, like) -> None:
    for i in range(BLOCK):
        store(work, at + i, like * 0.0)


@kernel
def add_block(work, source, target, like) -> None:
    for i in range(BLOCK):
        store(work, target + i, load(work, target + i, like) + load(work, source + i, like))
