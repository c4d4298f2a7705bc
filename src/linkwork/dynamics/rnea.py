"""Inverse dynamics by recursive Newton-Euler (RNEA): the forces that given accelerations need, in O(n).

Featherstone 1987, section 4.5 (link coordinates), with branches (7.2) and joints of several freedoms (7.4):

outward   v_i = X_i v_l + S_i qdot_i
          a_i = X_i a_l + S_i qddot_i + v_i x S_i qdot_i + Sdot_i qdot_i          with a_world = -gravity
          f_i = I_i a_i + v_i x* I_i v_i - f^x_i
inward    tau_i = S_i^T f_i + armature qddot_i,    f_l += X_i^T f_i

Scratch of a link: cosine, sine | v, a (while going out, at links with branches), f | on the way in f of all branches.
"""

from ..kernels import kernel
from ..kernels.scalar import load, sincos, store, zero
from ..model.tables import AXIAL, at_extras, at_gathers, at_links, at_v, at_x, at_y, count_links, open_tables
from ..spatial.axial import force_in_axial, motion_out_axial, place_axial
from ..spatial.inertia import bias_force, inertia_times
from ..spatial.motion import cross_motion
from ..spatial.vectors import add6, load6, store6, sub6
from .general import E_C, force_in_general, joint_motion, motion_out_general, place_general, store_joint_force
from .links import rigid_of

STRIDE = 8


@kernel
def newton_euler(handle, work, gravity, moving, at_force, like) -> None:
    """Both sweeps: q, v, vdot in `work` to the joint forces in `work`.

    `gravity` scales the model's gravity. `moving` = 0 leaves out all velocity terms (v is then not read). `at_force`: where link forces
    start, or -1.
    """
    t = open_tables(handle)
    o = zero(like)
    zero6 = (o, o, o, o, o, o)
    n, links, extras, gathers = count_links(t), at_links(t), at_extras(t, STRIDE), at_gathers(t, STRIDE)
    qdots, qddots, results = at_v(t), at_x(t), at_y(t)
    g = (o - gravity * t.gravity[0], o - gravity * t.gravity[1], o - gravity * t.gravity[2])

    v, a = zero6, zero6
    for i in range(n):
        link = t.links[i]
        w = links + STRIDE * i
        if not link.follows:
            v, a = zero6, (o, o, o, g[0], g[1], g[2])
            if link.parent >= 0:
                up = gathers + 27 * t.links[link.parent].gather
                v, a = load6(work, up, like), load6(work, up + 6, like)
        if link.kind == AXIAL:
            q, qddot = load(work, link.q, like), load(work, qddots + link.v, like)
            s, c = sincos(link.turn * q + link.offset)
            store(work, w, c)
            store(work, w + 1, s)
            r = place_axial(link, q)
            a = motion_out_axial(link, r, c, s, a)
            a = (a[0], a[1], a[2] + link.turn * qddot, a[3], a[4], a[5] + link.slide * qddot)
            if moving:
                qdot = load(work, qdots + link.v, like)
                x, y = link.turn * qdot, link.slide * qdot
                v = motion_out_axial(link, r, c, s, v)
                a = (a[0] + v[1] * x, a[1] - v[0] * x, a[2], a[3] + (v[4] * x + v[1] * y), a[4] - (v[3] * x + v[0] * y), a[5])
                v = (v[0], v[1], v[2] + x, v[3], v[4], v[5] + y)
        else:
            e = extras + link.extra
            place_general(link, t.generals[link.general], work, e, qdots, 0, like)
            a = add6(motion_out_general(work, e, a, like), joint_motion(link, t.generals[link.general], work, e, qddots + link.v, like))
            if moving:
                vJ = joint_motion(link, t.generals[link.general], work, e, qdots + link.v, like)
                v = add6(motion_out_general(work, e, v, like), vJ)
                a = add6(a, add6(load6(work, e + E_C, like), cross_motion(v, vJ)))
        f = zero6
        if link.massive:
            f = inertia_times(rigid_of(link), a)
            if moving:
                f = add6(f, bias_force(rigid_of(link), v))
        if at_force >= 0:
            f = sub6(f, load6(work, at_force + 6 * i, like))
        store6(work, w + 2, f)
        if link.gather >= 0:
            at = gathers + 27 * link.gather
            store6(work, at, v)
            store6(work, at + 6, a)
            store6(work, at + 12, zero6)

    f = zero6
    for j in range(n):
        i = n - 1 - j
        link = t.links[i]
        w = links + STRIDE * i
        f = add6(f, load6(work, w + 2, like))
        if link.gather >= 0:
            f = add6(f, load6(work, gathers + 27 * link.gather + 12, like))
        if link.kind == AXIAL:
            qddot = load(work, qddots + link.v, like)
            store(work, results + link.v, link.turn * f[2] + link.slide * f[5] + link.armature * qddot)
            if link.parent >= 0:
                f = force_in_axial(link, place_axial(link, load(work, link.q, like)), load(work, w, like), load(work, w + 1, like), f)
        else:
            e = extras + link.extra
            store_joint_force(link, t.generals[link.general], work, e, f, qddots + link.v, results + link.v, like)
            if link.parent >= 0:
                f = force_in_general(work, e, f, like)
        if not link.follows:
            if link.parent >= 0:
                at = gathers + 27 * t.links[link.parent].gather + 12
                store6(work, at, add6(load6(work, at, like), f))
            f = zero6
