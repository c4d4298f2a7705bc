"""Inverse dynamics by recursive Newton-Euler (RNEA): the forces that given accelerations need, in O(n).

Featherstone 1987, section 4.5 (link coordinates), with branches (7.2) and joints of several freedoms (7.4):

outward   v_i = X_i v_l + S_i qdot_i
          a_i = X_i a_l + S_i qddot_i + v_i x S_i qdot_i + Sdot_i qdot_i          with a_world = -gravity
          f_i = I_i a_i + v_i x* I_i v_i - f^x_i
inward    tau_i = S_i^T f_i + armature qddot_i,    f_l += X_i^T f_i

`joint` is a row of the model's table of links, `link` the record of what the recursion keeps of it (data/tree.py).
"""

from ..data.tree import NewtonEulerBranch, NewtonEulerLink
from ..kernels import kernel
from ..kernels.scalar import load, sincos, store, zero
from ..kernels.views import records_in, slots_of
from ..model.tables import AXIAL, at_extras, at_gathers, at_links, at_v, at_x, at_y, count_links, open_tables
from ..spatial.axial import force_in_axial, motion_out_axial, place_axial
from ..spatial.inertia import bias_force, inertia_times
from ..spatial.motion import cross_motion
from ..spatial.vectors import add6, load6, sub6
from .axial_joint import along_axis, on_axis, plus_product, velocity_product
from .general import E_C, force_in_general, joint_motion, motion_out_general, place_general, store_joint_force
from .links import rigid_of

STRIDE = slots_of(NewtonEulerLink)


@kernel
def newton_euler(handle, work, gravity, moving, at_force, like) -> None:
    """Both sweeps: q, v, vdot in `work` to the joint forces in `work`.

    `gravity` scales the model's gravity. `moving` = 0 leaves out all velocity terms (v is then not read). `at_force`: where link forces
    start, or -1.
    """
    t = open_tables(handle)
    o = zero(like)
    zero6 = (o, o, o, o, o, o)
    n, extras, qdots, qddots, results = count_links(t), at_extras(t, STRIDE), at_v(t), at_x(t), at_y(t)
    links, branches = records_in(NewtonEulerLink, work, at_links(t), like), records_in(NewtonEulerBranch, work, at_gathers(t, STRIDE), like)
    g = (o - gravity * t.gravity[0], o - gravity * t.gravity[1], o - gravity * t.gravity[2])

    v, a = zero6, zero6
    for i in range(n):
        joint, link = t.links[i], links[i]
        if not joint.follows:
            v, a = zero6, (o, o, o, g[0], g[1], g[2])
            if joint.parent >= 0:
                branch = branches[t.links[joint.parent].gather]
                v, a = branch.v, branch.a
        if joint.kind == AXIAL:
            q, qddot = load(work, joint.q, like), load(work, qddots + joint.v, like)
            s, c = sincos(joint.turn * q + joint.offset)
            link.c, link.s = c, s
            r = place_axial(joint, q)
            a = along_axis(joint, motion_out_axial(joint, r, c, s, a), qddot)
            if moving:
                qdot = load(work, qdots + joint.v, like)
                v = motion_out_axial(joint, r, c, s, v)
                a = plus_product(a, velocity_product(joint, v, qdot))
                v = along_axis(joint, v, qdot)
        else:
            e = extras + joint.extra
            place_general(joint, t.generals[joint.general], work, e, qdots, 0, like)
            a = add6(motion_out_general(work, e, a, like), joint_motion(joint, t.generals[joint.general], work, e, qddots + joint.v, like))
            if moving:
                vJ = joint_motion(joint, t.generals[joint.general], work, e, qdots + joint.v, like)
                v = add6(motion_out_general(work, e, v, like), vJ)
                a = add6(a, add6(load6(work, e + E_C, like), cross_motion(v, vJ)))
        f = zero6
        if joint.massive:
            f = inertia_times(rigid_of(joint), a)
            if moving:
                f = add6(f, bias_force(rigid_of(joint), v))
        if at_force >= 0:
            f = sub6(f, load6(work, at_force + 6 * i, like))
        link.f = f
        if joint.gather >= 0:
            branch = branches[joint.gather]
            branch.v, branch.a, branch.f = v, a, zero6

    f = zero6
    for j in range(n):
        i = n - 1 - j
        joint, link = t.links[i], links[i]
        f = add6(f, link.f)
        if joint.gather >= 0:
            f = add6(f, branches[joint.gather].f)
        if joint.kind == AXIAL:
            qddot = load(work, qddots + joint.v, like)
            store(work, results + joint.v, on_axis(joint, f) + joint.armature * qddot)
            if joint.parent >= 0:
                f = force_in_axial(joint, place_axial(joint, load(work, joint.q, like)), link.c, link.s, f)
        else:
            e = extras + joint.extra
            store_joint_force(joint, t.generals[joint.general], work, e, f, qddots + joint.v, results + joint.v, like)
            if joint.parent >= 0:
                f = force_in_general(work, e, f, like)
        if not joint.follows:
            if joint.parent >= 0:
                branch = branches[t.links[joint.parent].gather]
                branch.f = add6(branch.f, f)
            f = zero6
