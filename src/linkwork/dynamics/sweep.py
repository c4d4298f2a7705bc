"""World poses, velocities and accelerations of all links in one outward sweep.

    R_Wi = R_Wl R_li(q_i),   p_i = p_l + R_Wl r_i
    v_i = X_i v_l + S_i qdot_i,    a_i = X_i a_l + S_i qddot_i + v_i x S_i qdot_i + Sdot_i qdot_i        (link coordinates, spatial)

`joint` is a row of the model's table of links, `link` the record of what the recursion keeps of it (data/tree.py).
"""

from ..kernels import Vector, kernel
from ..kernels.scalar import zero
from ..spatial.matrices import identity9
from ..spatial.motion import motion_to_child
from ..spatial.se3 import pose_compose
from .joints.joint import add_bias, add_motion, motion_out, place_joint, pose_out

POSE_ORDER, VELOCITY_ORDER, ACCELERATION_ORDER = range(3)  # orders of a sweep


@kernel
def sweep_links(model, motion, q, v, vdot, order) -> None:
    """Fill the links of `motion` (MotionData): poses (order 0), also velocities (1), also accelerations (2)."""
    o = zero(motion)
    zero6 = (o, o, o, o, o, o)
    for i in range(model.n):
        parent, link = model.links[i].parent, motion.links[i]
        X, V, A = (identity9(o), (o, o, o)), zero6, zero6
        if parent >= 0:
            above = motion.links[parent]
            X, V, A = (above.R, above.p), above.v, above.a
        place_joint(model, motion, i, q, v, 1)
        link.R, link.p = pose_out(model, motion, i, q, X)
        if order >= VELOCITY_ORDER:
            V = add_motion(model, motion, i, v, motion_out(model, motion, i, q, V))
            if order >= ACCELERATION_ORDER:
                A = add_motion(model, motion, i, vdot, motion_out(model, motion, i, q, A))
                A = add_bias(model, motion, i, V, v, A)
        link.v, link.a = V, A


@kernel
def sweep_velocities(model, motion, q, v) -> None:
    """Velocities of all links anew, where poses are as `sweep_links` left them."""
    o = zero(motion)
    for i in range(model.n):
        parent, V = model.links[i].parent, (o, o, o, o, o, o)
        if parent >= 0:
            V = motion.links[parent].v
        motion.links[i].v = add_motion(model, motion, i, v, motion_out(model, motion, i, q, V))


@kernel(inline=True)
def body_offset(body, like):
    """The body's constant pose in its link, as scalars."""
    o, R = zero(like), body.R
    Q = (o + R[0], o + R[1], o + R[2], o + R[3], o + R[4], o + R[5], o + R[6], o + R[7], o + R[8])
    return Q, (o + body.p[0], o + body.p[1], o + body.p[2])


@kernel
def body_pose(model, motion, b) -> tuple[Vector[9], Vector[3]]:
    """(R, p) of body b in the world, after `sweep_links`."""
    body = model.bodies[b]
    X = body_offset(body, motion)
    if body.link >= 0:
        link = motion.links[body.link]
        X = pose_compose((link.R, link.p), X)
    return X


@kernel
def body_motion(model, motion, b, order) -> Vector[6]:
    """The velocity (order 1) or acceleration (2) of body b in its own frame, after `sweep_links`."""
    body = model.bodies[b]
    o = zero(motion)
    V = (o, o, o, o, o, o)
    if body.link >= 0:
        V = motion.links[body.link].v
        if order == ACCELERATION_ORDER:
            V = motion.links[body.link].a
    return motion_to_child(body_offset(body, motion), V)
