"""The linear-time Newton step on a tree: J eps = residual, with J = sum J_i(q_0)^T B_i J_i(q_1) never built.

Momenta live at the start of the step, corrections of poses at its end, so the articulated-body elimination (dynamics/aba.py) is done with the joints'
axes S_0 at q_0 on the left and S_1 at q_1 on the right. B_i is the slope of link i's momentum (variational_body.py), b its momentum:

inward    U = B S_1,   W = B^T S_0,   D = S_0 . U + armature / h + damping / 2,   u = right side - S_0 . b
          B_l += X_0^T (B - U W^T / D) X_1,       b_l += X_0^T (b + U u / D)
outward   a' = X_1 a_l,   eps = u / D - (W / D) . a',   a = a' + S_1 eps

sum u^2 / D is the square of the correction in the energy norm: its growth tells that a step was too long (Deuflhard's natural test).
Wendlandt 1997, section 5.4.3, solves the same equations with seven coordinates a body and multipliers for all joints.
"""

from ..dynamics.general import force_in_general, motion_out_general, pose_general
from ..kernels import Scalar, kernel
from ..kernels.scalar import load, store, zero
from ..model.tables import AXIAL, count_links, open_tables
from ..spatial.axial import force_in_axial, motion_out_axial, place_axial
from ..spatial.matrices import add9, apply_symmetric, load9, store9
from ..spatial.vectors import add6, dot6, load3, load4, load6, scale3, scale6, store6
from .variational_blocks import BLOCK, add_block, block_in_axial, block_to_parent, clear_block, downdate, remove_column, shift_sides
from .variational_body import momentum_slope
from .variational_memory import (
    L_A,
    L_COM,
    L_P,
    L_R,
    L_SIN1,
    L_T,
    L_U,
    L_W,
    P_DAMPING,
    P_E,
    P_EPS,
    P_INVERSE,
    P_RIGHT,
    STRIDE,
    at_branch,
    at_chain,
    at_general,
    at_general_end,
    at_hand,
    at_vector,
    column_of,
)


@kernel
def eliminate(handle, start, end, h, like) -> None:
    """The factor of J at the displacements in memory, from tips to root: U, W / D and 1 / D of all joints."""
    t = open_tables(handle)
    n, chain, branches, hand = count_links(t), at_chain(t), at_branch(t), at_hand(t)
    inverses, dampings = at_vector(t, P_INVERSE), at_vector(t, P_DAMPING)
    for i in range(n):
        if t.links[i].gather >= 0:
            clear_block(start, branches + BLOCK * t.links[i].gather, like)
    clear_block(start, hand, like)
    for j in range(n):
        i = n - 1 - j
        link = t.links[i]
        w = chain + STRIDE * i
        if link.gather >= 0:
            add_block(start, branches + BLOCK * link.gather, hand, like)
        if link.massive:
            _add_slope(link, start, w, hand, h, like)
        if link.kind == AXIAL:
            extra = link.armature / h + 0.5 * load(start, dampings + link.v, like)
            store(start, inverses + link.v, _remove_axial(link, start, end, w, hand, extra, like))
        else:
            general = t.generals[link.general]
            e, e1 = at_general(t) + link.extra, at_general_end(t) + link.extra
            for k in range(link.nv):
                extra = general.armature[k] / h + 0.5 * load(start, dampings + link.v + k, like)
                S0, S1 = load6(start, column_of(e, k), like), load6(end, column_of(e1, k), like)
                U, W, inverse = remove_column(start, hand, S0, S1, extra, like)
                store6(start, column_of(e, k) + 6, U)
                store6(end, column_of(e1, k) + 6, W)
                store(start, inverses + link.v + k, inverse)
            if link.parent >= 0:
                block_to_parent(start, hand, pose_general(start, e, like), pose_general(end, e1, like), like)
        if not link.follows:
            if link.parent >= 0:
                add_block(start, hand, branches + BLOCK * t.links[link.parent].gather, like)
            clear_block(start, hand, like)


@kernel
def _add_slope(link, start, w, hand, h, like) -> None:
    """Add the slope of the link's own momentum to the block in hand."""
    r, a, T = load4(start, w + L_R, like), load3(start, w + L_COM, like), load6(start, w + L_T, like)
    L = scale3(2.0 / h, apply_symmetric(T, (r[1], r[2], r[3])))
    A, H, G, M = momentum_slope(link.m, a, T, r, L, h)
    store9(start, hand, add9(load9(start, hand, like), A))
    store9(start, hand + 9, add9(load9(start, hand + 9, like), H))
    store9(start, hand + 18, add9(load9(start, hand + 18, like), G))
    store9(start, hand + 27, add9(load9(start, hand + 27, like), M))


@kernel
def _remove_axial(link, start, end, w, hand, extra, like) -> Scalar:
    """Remove the freedom of a screw from the block in hand and bring it to the parent; U and W / D stay in the link's slots. Returns 1 / D."""
    turn, slide = link.turn, link.slide
    A, H = load9(start, hand, like), load9(start, hand + 9, like)
    G, M = load9(start, hand + 18, like), load9(start, hand + 27, like)
    if slide == 0.0:
        n, f = (A[2], A[5], A[8]), (G[2], G[5], G[8])
        x, y = (A[6], A[7], A[8]), (H[6], H[7], H[8])
    else:
        n = (turn * A[2] + slide * H[2], turn * A[5] + slide * H[5], turn * A[8] + slide * H[8])
        f = (turn * G[2] + slide * M[2], turn * G[5] + slide * M[5], turn * G[8] + slide * M[8])
        x = (turn * A[6] + slide * G[6], turn * A[7] + slide * G[7], turn * A[8] + slide * G[8])
        y = (turn * H[6] + slide * M[6], turn * H[7] + slide * M[7], turn * H[8] + slide * M[8])
    k = 1.0 / (turn * n[2] + slide * f[2] + extra)
    x, y = scale3(k, x), scale3(k, y)
    store6(start, w + L_U, (n[0], n[1], n[2], f[0], f[1], f[2]))
    store6(start, w + L_W, (x[0], x[1], x[2], y[0], y[1], y[2]))
    if link.parent >= 0:
        c, s = load(start, w, like), load(start, w + 1, like)
        c1, s1 = load(start, w + L_SIN1, like), load(start, w + L_SIN1 + 1, like)
        A = block_in_axial(link, c, s, c1, s1, downdate(A, n, x))
        H = block_in_axial(link, c, s, c1, s1, downdate(H, n, y))
        G = block_in_axial(link, c, s, c1, s1, downdate(G, f, x))
        M = block_in_axial(link, c, s, c1, s1, downdate(M, f, y))
        if link.shifted:
            shift_sides(start, hand, place_axial(link, load(start, link.q, like)), place_axial(link, load(end, link.q, like)), A, H, G, M)
        else:
            store9(start, hand, A)
            store9(start, hand + 9, H)
            store9(start, hand + 18, G)
            store9(start, hand + 27, M)
    return k


@kernel
def innovations(handle, start, like) -> Scalar:
    """u / D of all joints for the momenta of links in their slots and the right sides in P_RIGHT; returns sum u^2 / D."""
    t = open_tables(handle)
    n, chain, branches = count_links(t), at_chain(t), at_branch(t)
    rights, es, inverses = at_vector(t, P_RIGHT), at_vector(t, P_E), at_vector(t, P_INVERSE)
    o = zero(like)
    zero6 = (o, o, o, o, o, o)
    total = o
    for i in range(n):
        if t.links[i].gather >= 0:
            store6(start, branches + BLOCK * t.links[i].gather, zero6)
    b = zero6
    for j in range(n):
        i = n - 1 - j
        link = t.links[i]
        w = chain + STRIDE * i
        b = add6(b, load6(start, w + L_P, like))
        if link.gather >= 0:
            b = add6(b, load6(start, branches + BLOCK * link.gather, like))
        if link.kind == AXIAL:
            u = load(start, rights + link.v, like) - (link.turn * b[2] + link.slide * b[5])
            e = u * load(start, inverses + link.v, like)
            store(start, es + link.v, e)
            total = total + u * e
            if link.parent >= 0:
                b = add6(b, scale6(e, load6(start, w + L_U, like)))
                r = place_axial(link, load(start, link.q, like))
                b = force_in_axial(link, r, load(start, w, like), load(start, w + 1, like), b)
        else:
            x = at_general(t) + link.extra
            for k in range(link.nv):
                u = load(start, rights + link.v + k, like) - dot6(load6(start, column_of(x, k), like), b)
                e = u * load(start, inverses + link.v + k, like)
                store(start, es + link.v + k, e)
                total = total + u * e
                b = add6(b, scale6(e, load6(start, column_of(x, k) + 6, like)))
            if link.parent >= 0:
                b = force_in_general(start, x, b, like)
        if not link.follows:
            if link.parent >= 0:
                at = branches + BLOCK * t.links[link.parent].gather
                store6(start, at, add6(load6(start, at, like), b))
            b = zero6
    return total


@kernel
def corrections(handle, start, end, like) -> None:
    """From u / D to the corrections of displacements (P_EPS) and of the links' poses (their slots)."""
    t = open_tables(handle)
    chain, es, eps = at_chain(t), at_vector(t, P_E), at_vector(t, P_EPS)
    o = zero(like)
    a = (o, o, o, o, o, o)
    for i in range(count_links(t)):
        link = t.links[i]
        w = chain + STRIDE * i
        if not link.follows:
            a = (o, o, o, o, o, o)
            if link.parent >= 0:
                a = load6(start, chain + STRIDE * link.parent + L_A, like)
        if link.kind == AXIAL:
            r = place_axial(link, load(end, link.q, like))
            a = motion_out_axial(link, r, load(start, w + L_SIN1, like), load(start, w + L_SIN1 + 1, like), a)
            x = load(start, es + link.v, like) - dot6(load6(start, w + L_W, like), a)
            store(start, eps + link.v, x)
            a = (a[0], a[1], a[2] + link.turn * x, a[3], a[4], a[5] + link.slide * x)
        else:
            e1 = at_general_end(t) + link.extra
            a = motion_out_general(end, e1, a, like)
            for back in range(link.nv):
                k = link.nv - 1 - back
                x = load(start, es + link.v + k, like) - dot6(load6(end, column_of(e1, k) + 6, like), a)
                store(start, eps + link.v + k, x)
                a = add6(a, scale6(x, load6(end, column_of(e1, k), like)))
        store6(start, w + L_A, a)
