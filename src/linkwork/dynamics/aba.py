"""Forward dynamics by articulated bodies (ABA): the accelerations that given forces cause, in O(n).

Featherstone 1987, section 6.4 (link coordinates), with branches (7.2), joints of several freedoms (7.4), free bases (7.5) and
joints driven by acceleration (7.5.2, eq. 7.35-7.38) in one recursion:

outward   v_i = X_i v_l + S_i qdot_i,   c_i = v_i x S_i qdot_i + Sdot_i qdot_i,   p_i = v_i x* I_i v_i - f^x_i
inward    U = I^A_i S_i,   D = S_i^T U + armature,   u = tau_i - S_i^T p_i
          I^A_l += X_i^T (I^A_i - U D^-1 U^T) X_i
          p_l   += X_i^T (p_i + (I^A_i - U D^-1 U^T) c_i + U D^-1 u)
outward   a' = X_i a_l + c_i,   qddot_i = D^-1 (u - U^T a'),   a_i = a' + S_i qddot_i        with a_world = -gravity

symbol    meaning (l is the parent of link i; all vectors in the coordinates of link i)
A         the articulated inertia I^A = [[I, H], [H^T, M]] as three blocks;   p its bias force
K         U / D;   scratch keeps c s | c_i (4 numbers) and u/D in place of v | K

A driven joint (hybrid dynamics) is a rigid one with the extra bias acceleration S qddot: D^-1 = 0.
"""

from ..kernels import kernel
from ..kernels.scalar import load, sincos, store, zero
from ..model.tables import AXIAL, at_carry, at_extras, at_gathers, at_links, at_v, at_x, at_y, count_links, open_tables
from ..spatial.articulated import articulated_downdate, articulated_plus_rigid, load_articulated, store_articulated, zero_articulated
from ..spatial.axial import articulated_shift, articulated_turn_axial, force_in_axial, motion_out_axial, place_axial
from ..spatial.inertia import bias_force
from ..spatial.vectors import add6, load6, scale6, store6, sub6
from .ball import move_general, remove_general, respond_general
from .general import is_driven, store_handle
from .links import rigid_of
from .slots import add_slots

STRIDE = 14


@kernel
def articulated_bodies(handle, work, gravity, at_force, at_driven, like) -> None:
    """All three sweeps: q, v, tau in `work` to the accelerations in `work`.

    `gravity` scales the model's gravity (0 or 1). `at_force`: where link forces start, or -1; `at_driven`: where the flags of
    driven velocities start, or -1 (their tau is then an acceleration).
    """
    t = open_tables(handle)
    o = zero(like)
    zero6, nothing = (o, o, o, o, o, o), zero_articulated(like)
    n, links, extras, gathers = count_links(t), at_links(t), at_extras(t, STRIDE), at_gathers(t, STRIDE)
    qdots, taus, results = at_v(t), at_x(t), at_y(t)

    v = zero6
    for i in range(n):
        link = t.links[i]
        w = links + STRIDE * i
        if not link.follows:
            v = zero6
            if link.parent >= 0:
                v = load6(work, links + STRIDE * link.parent + 2, like)
        if link.kind == AXIAL:
            q, qdot = load(work, link.q, like), load(work, qdots + link.v, like)
            s, c = sincos(link.turn * q + link.offset)
            store(work, w, c)
            store(work, w + 1, s)
            v = motion_out_axial(link, place_axial(link, q), c, s, v)
            v = (v[0], v[1], v[2] + link.turn * qdot, v[3], v[4], v[5] + link.slide * qdot)
        else:
            v = move_general(link, t.generals[link.general], work, extras + link.extra, v, qdots, at_driven, like)
        store6(work, w + 2, v)
        if link.gather >= 0:
            store_handle(work, gathers + 27 * link.gather, nothing, zero6)

    # What a link hands inward goes through memory (`carry`): 27 numbers do not fit into registers, and the compiler
    # would copy them about at every branch of the code.
    carry = at_carry(t, STRIDE)
    store_handle(work, carry, nothing, zero6)
    for j in range(n):
        i = n - 1 - j
        link = t.links[i]
        w = links + STRIDE * i
        if link.gather >= 0:
            add_slots(work, gathers + 27 * link.gather, carry, 27, like)
        v = load6(work, w + 2, like)
        p = load6(work, carry + 21, like)
        if link.massive:
            p = add6(p, bias_force(rigid_of(link), v))
        if at_force >= 0:
            p = sub6(p, load6(work, at_force + 6 * i, like))
        A = articulated_plus_rigid(load_articulated(work, carry, like), rigid_of(link))
        if link.kind == AXIAL:
            turn, slide = link.turn, link.slide
            c, s = load(work, w, like), load(work, w + 1, like)
            qdot = load(work, qdots + link.v, like)
            x, y = turn * qdot, slide * qdot
            cx, cy = v[1] * x, -(v[0] * x)
            dx, dy = v[4] * x + v[1] * y, -(v[3] * x) - v[0] * y
            store(work, w + 2, cx)
            store(work, w + 3, cy)
            store(work, w + 4, dx)
            store(work, w + 5, dy)
            I, H, M = A
            if slide == 0.0:
                U = (I[2], I[4], I[5], H[6], H[7], H[8])
            else:
                U = (
                    turn * I[2] + slide * H[2],
                    turn * I[4] + slide * H[5],
                    turn * I[5] + slide * H[8],
                    turn * H[6] + slide * M[2],
                    turn * H[7] + slide * M[4],
                    turn * H[8] + slide * M[5],
                )
            tau = load(work, taus + link.v, like)
            u = tau - (turn * p[2] + slide * p[5])
            D = 1.0 / (turn * U[2] + slide * U[5] + link.armature)
            if at_driven >= 0 and is_driven(work, at_driven + link.v, like):
                # A rigid joint with one more bias acceleration: p + U qddot.
                D = o
                u = o
                p = add6(p, scale6(tau, U))
            K = scale6(D, U)
            store6(work, w + 8, K)
            store(work, w + 6, u * D)
            store(work, w + 7, D)
            if link.parent >= 0:
                A = articulated_downdate(A, U, D)
                I, H, M = A
                p = (
                    p[0] + K[0] * u + (I[0] * cx + I[1] * cy + (H[0] * dx + H[1] * dy)),
                    p[1] + K[1] * u + (I[1] * cx + I[3] * cy + (H[3] * dx + H[4] * dy)),
                    p[2] + K[2] * u + (I[2] * cx + I[4] * cy + (H[6] * dx + H[7] * dy)),
                    p[3] + K[3] * u + (H[0] * cx + H[3] * cy + (M[0] * dx + M[1] * dy)),
                    p[4] + K[4] * u + (H[1] * cx + H[4] * cy + (M[1] * dx + M[3] * dy)),
                    p[5] + K[5] * u + (H[2] * cx + H[5] * cy + (M[2] * dx + M[4] * dy)),
                )
                r = place_axial(link, load(work, link.q, like))
                I, H, M = articulated_turn_axial(link, c, s, A)
                if link.shifted:
                    store_articulated(work, carry, articulated_shift(r, I, H, M))
                else:
                    store_articulated(work, carry, (I, H, M))
                store6(work, carry + 21, force_in_axial(link, r, c, s, p))
        else:
            store_handle(work, carry, A, p)
            remove_general(link, t.generals[link.general], work, extras + link.extra, carry, taus, at_driven, like)
        if not link.follows:
            if link.parent >= 0:
                add_slots(work, carry, gathers + 27 * t.links[link.parent].gather, 27, like)
            store_handle(work, carry, nothing, zero6)

    g = (o - gravity * t.gravity[0], o - gravity * t.gravity[1], o - gravity * t.gravity[2])
    a = zero6
    for i in range(n):
        link = t.links[i]
        w = links + STRIDE * i
        if not link.follows:
            a = (o, o, o, g[0], g[1], g[2])
            if link.parent >= 0:
                a = load6(work, gathers + 27 * t.links[link.parent].gather, like)
        if link.kind == AXIAL:
            r = place_axial(link, load(work, link.q, like))
            a = motion_out_axial(link, r, load(work, w, like), load(work, w + 1, like), a)
            a = (
                a[0] + load(work, w + 2, like),
                a[1] + load(work, w + 3, like),
                a[2],
                a[3] + load(work, w + 4, like),
                a[4] + load(work, w + 5, like),
                a[5],
            )
            K = load6(work, w + 8, like)
            qddot = load(work, w + 6, like) - (K[0] * a[0] + K[1] * a[1] + K[2] * a[2] + (K[3] * a[3] + K[4] * a[4] + K[5] * a[5]))
            if at_driven >= 0 and is_driven(work, at_driven + link.v, like):
                qddot = load(work, taus + link.v, like)
            store(work, results + link.v, qddot)
            a = (a[0], a[1], a[2] + link.turn * qddot, a[3], a[4], a[5] + link.slide * qddot)
        else:
            a = respond_general(link, t.generals[link.general], work, extras + link.extra, a, taus, at_driven, results, like)
        if link.gather >= 0:
            store6(work, gathers + 27 * link.gather, a)
