"""World poses, velocities and accelerations of all links in one outward sweep.

    R_Wi = R_Wl R_li(q_i),   p_i = p_l + R_Wl r_i
    v_i = X_i v_l + S_i qdot_i,    a_i = X_i a_l + S_i qddot_i + v_i x S_i qdot_i + Sdot_i qdot_i        (link coordinates, spatial)

Scratch of a link: cosine, sine | R (9), p (3) | v (6) | a (6).
"""

from ..kernels import Vector, kernel
from ..kernels.scalar import load, sincos, store, zero
from ..model.tables import AXIAL, at_extras, at_links, at_v, at_x, count_links, open_tables
from ..spatial.axial import motion_out_axial, place_axial, rotation_axial
from ..spatial.matrices import apply9, identity9, load9, store9
from ..spatial.motion import cross_motion, motion_to_child
from ..spatial.se3 import pose_compose
from ..spatial.vectors import add3, add6, load3, load6, store3, store6
from .general import E_C, joint_motion, motion_out_general, place_general, pose_general

STRIDE, S_R, S_P, S_V, S_A = 26, 2, 11, 14, 20


@kernel
def sweep_links(handle, work, order, like) -> None:
    """Fill the scratch of all links: poses (order 0), also velocities (1), also accelerations (2)."""
    t = open_tables(handle)
    o = zero(like)
    zero6 = (o, o, o, o, o, o)
    links, extras, qdots, qddots = at_links(t), at_extras(t, STRIDE), at_v(t), at_x(t)
    for i in range(count_links(t)):
        link = t.links[i]
        w = links + STRIDE * i
        R, p, v, a = identity9(like), (o, o, o), zero6, zero6
        if link.parent >= 0:
            up = links + STRIDE * link.parent
            R, p, v, a = load9(work, up + S_R, like), load3(work, up + S_P, like), load6(work, up + S_V, like), load6(work, up + S_A, like)
        if link.kind == AXIAL:
            q = load(work, link.q, like)
            s, c = sincos(link.turn * q + link.offset)
            store(work, w, c)
            store(work, w + 1, s)
            r = place_axial(link, q)
            p = add3(p, apply9(R, r))
            R = rotation_axial(link, c, s, R)
            if order >= 1:
                qdot = load(work, qdots + link.v, like)
                vJ = (o, o, link.turn * qdot, o, o, link.slide * qdot)
                v = add6(motion_out_axial(link, r, c, s, v), vJ)
                if order >= 2:
                    qddot = load(work, qddots + link.v, like)
                    a = add6(motion_out_axial(link, r, c, s, a), cross_motion(v, vJ))
                    a = (a[0], a[1], a[2] + link.turn * qddot, a[3], a[4], a[5] + link.slide * qddot)
        else:
            e = extras + link.extra
            place_general(link, t.generals[link.general], work, e, qdots, 1, like)
            R, p = pose_compose((R, p), pose_general(work, e, like))
            if order >= 1:
                vJ = joint_motion(link, t.generals[link.general], work, e, qdots + link.v, like)
                v = add6(motion_out_general(work, e, v, like), vJ)
                if order >= 2:
                    a = add6(
                        motion_out_general(work, e, a, like), joint_motion(link, t.generals[link.general], work, e, qddots + link.v, like)
                    )
                    a = add6(a, add6(load6(work, e + E_C, like), cross_motion(v, vJ)))
        store9(work, w + S_R, R)
        store3(work, w + S_P, p)
        store6(work, w + S_V, v)
        store6(work, w + S_A, a)


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
def body_pose(handle, work, b, like) -> (Vector[9], Vector[3]):
    """(R, p) of body b in the world, after `sweep_links`."""
    t = open_tables(handle)
    body = t.bodies[b]
    X = body_offset(body, like)
    if body.link >= 0:
        w = at_links(t) + STRIDE * body.link
        X = pose_compose((load9(work, w + S_R, like), load3(work, w + S_P, like)), X)
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
