"""World poses, velocities and accelerations of all links in one outward sweep.

    R_Wi = R_Wl R_li(q_i),   p_i = p_l + R_Wl r_i
    v_i = X_i v_l + S_i qdot_i,    a_i = X_i a_l + S_i qddot_i + v_i x S_i qdot_i + Sdot_i qdot_i        (link coordinates, spatial)

`joint` is a row of the model's table of links, `link` the record of what the recursion keeps of it (data/tree.py).
"""

from ..data.tree import MotionLink
from ..kernels import Vector, kernel
from ..kernels.scalar import load, sincos, zero
from ..kernels.views import records_in, slot_of, slots_of
from ..model.tables import AXIAL, at_extras, at_links, at_v, at_x, count_links, open_tables
from ..spatial.axial import motion_out_axial, place_axial, rotation_axial
from ..spatial.matrices import apply9, identity9
from ..spatial.motion import cross_motion, motion_to_child
from ..spatial.se3 import pose_compose
from ..spatial.vectors import add3, add6, load6
from .axial_joint import along_axis
from .general import E_C, joint_motion, motion_out_general, place_general, pose_general

STRIDE = slots_of(MotionLink)
S_R, S_P, S_V, S_A = (slot_of(MotionLink, name) for name in "Rpva")


@kernel
def sweep_links(handle, work, order, like) -> None:
    """Fill the scratch of all links: poses (order 0), also velocities (1), also accelerations (2)."""
    t = open_tables(handle)
    o = zero(like)
    zero6 = (o, o, o, o, o, o)
    links, extras, qdots, qddots = records_in(MotionLink, work, at_links(t), like), at_extras(t, STRIDE), at_v(t), at_x(t)
    for i in range(count_links(t)):
        joint, link = t.links[i], links[i]
        R, p, v, a = identity9(like), (o, o, o), zero6, zero6
        if joint.parent >= 0:
            parent = links[joint.parent]
            R, p, v, a = parent.R, parent.p, parent.v, parent.a
        if joint.kind == AXIAL:
            q = load(work, joint.q, like)
            s, c = sincos(joint.turn * q + joint.offset)
            link.c, link.s = c, s
            r = place_axial(joint, q)
            p = add3(p, apply9(R, r))
            R = rotation_axial(joint, c, s, R)
            if order >= 1:
                qdot = load(work, qdots + joint.v, like)
                vJ = (o, o, joint.turn * qdot, o, o, joint.slide * qdot)
                v = add6(motion_out_axial(joint, r, c, s, v), vJ)
                if order >= 2:
                    qddot = load(work, qddots + joint.v, like)
                    a = add6(motion_out_axial(joint, r, c, s, a), cross_motion(v, vJ))
                    a = along_axis(joint, a, qddot)
        else:
            e = extras + joint.extra
            place_general(joint, t.generals[joint.general], work, e, qdots, 1, like)
            R, p = pose_compose((R, p), pose_general(work, e, like))
            if order >= 1:
                vJ = joint_motion(joint, t.generals[joint.general], work, e, qdots + joint.v, like)
                v = add6(motion_out_general(work, e, v, like), vJ)
                if order >= 2:
                    a = add6(
                        motion_out_general(work, e, a, like),
                        joint_motion(joint, t.generals[joint.general], work, e, qddots + joint.v, like),
                    )
                    a = add6(a, add6(load6(work, e + E_C, like), cross_motion(v, vJ)))
        link.R, link.p, link.v, link.a = R, p, v, a


@kernel(inline=True)
def body_offset(body, like):
    """The body's constant pose in its link, as scalars."""
    o = zero(like)
    R = (
        o + body.R[0],
        o + body.R[1],
        o + body.R[2],
        o + body.R[3],
        o + body.R[4],
        o + body.R[5],
        o + body.R[6],
        o + body.R[7],
        o + body.R[8],
    )
    return R, (o + body.p[0], o + body.p[1], o + body.p[2])


@kernel
def body_pose(handle, work, b, like) -> tuple[Vector[9], Vector[3]]:
    """(R, p) of body b in the world, after `sweep_links`."""
    t = open_tables(handle)
    body = t.bodies[b]
    X = body_offset(body, like)
    if body.link >= 0:
        link = records_in(MotionLink, work, at_links(t), like)[body.link]
        X = pose_compose((link.R, link.p), X)
    return X


@kernel
def body_motion(handle, work, b, slot, like) -> Vector[6]:
    """The velocity (slot S_V) or acceleration (S_A) of body b in its own frame, after `sweep_links`."""
    t = open_tables(handle)
    body = t.bodies[b]
    o = zero(like)
    V = (o, o, o, o, o, o)
    if body.link >= 0:
        V = load6(work, at_links(t) + STRIDE * body.link + slot, like)
    return motion_to_child(body_offset(body, like), V)
