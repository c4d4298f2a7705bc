"""Articulated blocks without symmetry: 36 numbers B = [[A, H], [G, M]], a tuple (A, H, G, M) of 3x3 matrices, that take a displacement xi of a link at the
end of a step (in its own axes there) to a change of momentum at the start (in its axes then).

A joint between link and parent is at q_0 for momenta, at q_1 for displacements, so both sides of B change frame by turns of their own:

    B_parent = X_0^T B X_1,     E_0^T B E_1 for each block,    then with the child's origin at r_0 and r_1 in the parent
    G -= M hat(r_1),   A -= H hat(r_1),   A += hat(r_0) G,   H += hat(r_0) M
"""

from ..kernels import kernel
from .axial import turn_matrix_x, turn_matrix_z
from .matrices import add9, apply9, apply9_transposed, hat_times, times9, times9_transposed, times_hat
from .vectors import add3


@kernel(inline=True)
def zero_block(o):
    """The block 0; `o` is the number 0."""
    z = (o, o, o, o, o, o, o, o, o)
    return z, z, z, z


@kernel(inline=True)
def block_sum(B, C):
    return add9(B[0], C[0]), add9(B[1], C[1]), add9(B[2], C[2]), add9(B[3], C[3])


@kernel(inline=True)
def block_times(B, V):
    """B V: a displacement to a momentum."""
    A, H, G, M = B
    w, u = (V[0], V[1], V[2]), (V[3], V[4], V[5])
    n, f = add3(apply9(A, w), apply9(H, u)), add3(apply9(G, w), apply9(M, u))
    return n[0], n[1], n[2], f[0], f[1], f[2]


@kernel(inline=True)
def block_transposed_times(B, V):
    """B^T V."""
    A, H, G, M = B
    w, u = (V[0], V[1], V[2]), (V[3], V[4], V[5])
    n, f = add3(apply9_transposed(A, w), apply9_transposed(G, u)), add3(apply9_transposed(H, w), apply9_transposed(M, u))
    return n[0], n[1], n[2], f[0], f[1], f[2]


@kernel(inline=True)
def block_times_axis(joint, B):
    """U = B S of an axial joint."""
    A, H, G, M = B
    turn, slide = joint.turn, joint.slide
    if slide == 0.0:
        return A[2], A[5], A[8], G[2], G[5], G[8]
    return (
        turn * A[2] + slide * H[2],
        turn * A[5] + slide * H[5],
        turn * A[8] + slide * H[8],
        turn * G[2] + slide * M[2],
        turn * G[5] + slide * M[5],
        turn * G[8] + slide * M[8],
    )


@kernel(inline=True)
def axis_times_block(joint, B):
    """W = B^T S of an axial joint."""
    A, H, G, M = B
    turn, slide = joint.turn, joint.slide
    if slide == 0.0:
        return A[6], A[7], A[8], H[6], H[7], H[8]
    return (
        turn * A[6] + slide * G[6],
        turn * A[7] + slide * G[7],
        turn * A[8] + slide * G[8],
        turn * H[6] + slide * M[6],
        turn * H[7] + slide * M[7],
        turn * H[8] + slide * M[8],
    )


@kernel(inline=True)
def block_downdate(B, U, W):
    """B - U W^T."""
    A, H, G, M = B
    n, f, x, y = (U[0], U[1], U[2]), (U[3], U[4], U[5]), (W[0], W[1], W[2]), (W[3], W[4], W[5])
    return _downdate(A, n, x), _downdate(H, n, y), _downdate(G, f, x), _downdate(M, f, y)


@kernel(inline=True)
def _downdate(B, u, w):
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
def block_turn(R0, R1, B):
    """R_0 B R_1^T of all four blocks."""
    A, H, G, M = B
    return (
        times9_transposed(times9(R0, A), R1),
        times9_transposed(times9(R0, H), R1),
        times9_transposed(times9(R0, G), R1),
        times9_transposed(times9(R0, M), R1),
    )


@kernel(inline=True)
def block_turn_axial(joint, c, s, c1, s1, B):
    """The same for the turns of an axial joint from its link's axes to its parent's: c, s at the start, c1, s1 at the end."""
    A, H, G, M = B
    return (
        _turn_axial(joint, c, s, c1, s1, A),
        _turn_axial(joint, c, s, c1, s1, H),
        _turn_axial(joint, c, s, c1, s1, G),
        _turn_axial(joint, c, s, c1, s1, M),
    )


@kernel(inline=True)
def _turn_axial(joint, c, s, c1, s1, B):
    B = _turn_sides_z(c, s, c1, s1, B)
    B = turn_matrix_x(joint.ca, joint.sa, joint.ca * joint.ca, joint.ca * joint.sa, B)
    if joint.turned:
        B = turn_matrix_z(joint.c0, joint.s0, joint.c0 * joint.c0, joint.c0 * joint.s0, B)
    return B


@kernel(inline=True)
def _turn_sides_z(c, s, c1, s1, B):
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
def block_shift(r0, r1, B):
    """B about the parent's origin, from which the child's stands at r_0 at the start and r_1 at the end, in the parent's axes."""
    A, H, G, M = B
    B = times_hat(M, r1)
    G = (G[0] - B[0], G[1] - B[1], G[2] - B[2], G[3] - B[3], G[4] - B[4], G[5] - B[5], G[6] - B[6], G[7] - B[7], G[8] - B[8])
    B = times_hat(H, (-r1[0], -r1[1], -r1[2]))
    return add9(add9(A, B), hat_times(r0, G)), add9(H, hat_times(r0, M)), G, M
