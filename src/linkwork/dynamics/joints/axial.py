"""An axial joint in the recursions: revolute, prismatic or screw about the z axis of its link.

Its motion subspace is S = (0 0 turn, 0 0 slide): one column with at most two numbers, so that every product with S picks a component or two.
What the articulated-body, sparse and variational recursions do with such a joint stands here, once.
"""

from ...kernels import kernel
from ...spatial.articulated import articulated_downdate
from ...spatial.axial import articulated_shift, articulated_turn_axial, force_in_axial, place_axial
from ...spatial.vectors import add6, scale6


@kernel(inline=True)
def along_axis(joint, V, rate):
    """V + S rate."""
    return V[0], V[1], V[2] + joint.turn * rate, V[3], V[4], V[5] + joint.slide * rate


@kernel(inline=True)
def on_axis(joint, F):
    """S^T F."""
    return joint.turn * F[2] + joint.slide * F[5]


@kernel(inline=True)
def velocity_product(joint, v, qdot):
    """c = v x S qdot, without its components 2 and 5, which are zero."""
    x, y = joint.turn * qdot, joint.slide * qdot
    return v[1] * x, -(v[0] * x), v[4] * x + v[1] * y, -(v[3] * x) - v[0] * y


@kernel(inline=True)
def plus_product(a, c):
    """a + c with the four numbers of `velocity_product`."""
    return a[0] + c[0], a[1] + c[1], a[2], a[3] + c[2], a[4] + c[3], a[5]


@kernel(inline=True)
def times_axis(joint, A):
    """U = A S of an articulated inertia: its columns 2 and 5."""
    I, H, M = A
    turn, slide = joint.turn, joint.slide
    if slide == 0.0:
        return I[2], I[4], I[5], H[6], H[7], H[8]
    return (
        turn * I[2] + slide * H[2],
        turn * I[4] + slide * H[5],
        turn * I[5] + slide * H[8],
        turn * H[6] + slide * M[2],
        turn * H[7] + slide * M[4],
        turn * H[8] + slide * M[5],
    )


@kernel(inline=True)
def times_product(A, c):
    """A c with the four numbers of `velocity_product`."""
    I, H, M = A
    cx, cy, dx, dy = c
    return (
        I[0] * cx + I[1] * cy + (H[0] * dx + H[1] * dy),
        I[1] * cx + I[3] * cy + (H[3] * dx + H[4] * dy),
        I[2] * cx + I[4] * cy + (H[6] * dx + H[7] * dy),
        H[0] * cx + H[3] * cy + (M[0] * dx + M[1] * dy),
        H[1] * cx + H[4] * cy + (M[1] * dx + M[3] * dy),
        H[2] * cx + H[5] * cy + (M[2] * dx + M[4] * dy),
    )


@kernel(inline=True)
def pivot_axial(joint, IA, pA, tau):
    """(U, K, D^-1, u): U = I^A S, K = U D^-1, D = S^T U + armature, u = tau - S^T p^A. Featherstone 1987, eq. 6.22."""
    U = times_axis(joint, IA)
    Dinv = 1.0 / (on_axis(joint, U) + joint.armature)
    return U, scale6(Dinv, U), Dinv, tau - on_axis(joint, pA)


@kernel(inline=True)
def hand_inward(joint, turned, body, pivot, c, inward):
    """What the parent feels of an articulated body across the joint: I^a and p^a, in the parent's coordinates, to the record `inward`.

    turned: (q, cosine, sine) of the joint; body: (IA, pA); pivot: (U, K, D^-1, u) of `pivot_axial`; c: the four numbers of
    `velocity_product`. Featherstone 1987, eq. 6.23 and 6.24.
    """
    (q, cosine, sine), (IA, pA), (U, K, Dinv, u) = turned, body, pivot
    Ia = articulated_downdate(IA, U, Dinv)
    pa = add6(add6(pA, scale6(u, K)), times_product(Ia, c))
    r = place_axial(joint, q)
    I, H, M = articulated_turn_axial(joint, cosine, sine, Ia)
    if joint.shifted:
        inward.IA = articulated_shift(r, I, H, M)
    else:
        inward.IA = I, H, M
    inward.pA = force_in_axial(joint, r, cosine, sine, pa)
