"""What algorithms ask of a joint: the choice by kind stands here, and for questions of one algorithm in the other files of this folder; nowhere else.

`i` is the link whose joint is meant, `data` the record of the recursion that asks (its `links` keep cosine and sine of an axial joint, its `joints`
all that a general one keeps). An axial joint is answered in registers, a general one by a call: a branch that meets the axial one with many
values would cost every axial link a detour through memory.
"""

from ...data.tree import VELOCITIES
from ...kernels import Vector, kernel
from ...kernels.scalar import sincos, zero
from ...model.tables import AXIAL
from ...spatial.axial import force_in_axial, motion_out_axial, place_axial, rigid_in_axial, rotation_axial
from ...spatial.inertia import inertia_transform
from ...spatial.matrices import apply9
from ...spatial.motion import cross_motion, motion_to_child
from ...spatial.se3 import pose_compose
from ...spatial.vectors import add3, add6, dot6, scale6
from .axial import along_axis, hand_inward, on_axis, pivot_axial, plus_product, velocity_product
from .block import accelerate_block, eliminate_block, is_block
from .general import (
    accelerate_general,
    armature_bias,
    eliminate_general,
    force_in_general,
    give_force_general,
    is_driven,
    motion_general,
    motion_out_general,
    place_general,
    pose_general,
)

# Kinematics


@kernel(inline=True)
def place_joint(model, data, i, q, v, unit):
    """Evaluate the joint at q (and v, for Sdot qdot). `unit`: also write out an S that consists of unit vectors."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        link = data.links[i]
        s, c = sincos(joint.turn * q[joint.q] + joint.offset)
        link.c, link.s = c, s
    else:
        place_general(model, data.joints, i, q, v, unit)


@kernel(inline=True)
def pose_out(model, data, i, q, X):
    """The pose (R, p) of the link from its parent's."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        link, (R, p) = data.links[i], X
        p = add3(p, apply9(R, place_axial(joint, q[joint.q])))
        return rotation_axial(joint, link.c, link.s, R), p
    return pose_compose(X, pose_general(data.joints.generals[joint.general]))


@kernel(inline=True)
def motion_out(model, data, i, q, V):
    """X V: a motion vector from parent to child coordinates."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        link = data.links[i]
        return motion_out_axial(joint, place_axial(joint, q[joint.q]), link.c, link.s, V)
    return motion_out_general(data.joints.generals[joint.general], V)


@kernel(inline=True)
def force_in(model, data, i, q, F):
    """X^T F: a force vector from child to parent coordinates."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        link = data.links[i]
        return force_in_axial(joint, place_axial(joint, q[joint.q]), link.c, link.s, F)
    return force_in_general(data.joints.generals[joint.general], F)


@kernel(inline=True)
def inertia_in(model, data, i, q, I):
    """X^T I X: a rigid inertia from child to parent coordinates."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        link = data.links[i]
        return rigid_in_axial(joint, place_axial(joint, q[joint.q]), link.c, link.s, I)
    return inertia_transform(pose_general(data.joints.generals[joint.general]), I)


@kernel(inline=True)
def add_motion(model, data, i, rates, V):
    """V + S x for the rates x of all joints."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        return along_axis(joint, V, rates[joint.v])
    return add6(V, motion_general(model, data.joints, i, rates))


@kernel(inline=True)
def add_bias(model, data, i, v, rates, a):
    """a + v x S qdot + Sdot qdot, v the link's velocity."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        return plus_product(a, velocity_product(joint, v, rates[joint.v]))
    return add6(a, add6(data.joints.generals[joint.general].c, cross_motion(v, motion_general(model, data.joints, i, rates))))


@kernel(inline=True)
def drift_of(model, data, i):
    """Sdot qdot, after `place_joint`."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        o = zero(data)
        return o, o, o, o, o, o
    return data.joints.generals[joint.general].c


@kernel(inline=True)
def column_of(model, data, i, k):
    """Column k of S; an S of unit vectors must have been written out."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        o = zero(data)
        return o, o, o + joint.turn, o, o, o + joint.slide
    return data.joints.columns[joint.v + k].S


@kernel(inline=True)
def armature_bias_of(model, i, v):
    """What the armature of the joint takes at constant velocities v, six numbers of which the first nv count (general.py: armature_bias)."""
    if model.links[i].kind == AXIAL:
        o = zero(v)
        return o, o, o, o, o, o
    return armature_bias(model, i, v, VELOCITIES)


# Inverse dynamics


@kernel(inline=True)
def propagate_motion(model, tree, i, v, a, options):
    """Evaluate the joint, and give the link's velocity and acceleration from its parent's: X v + S qdot,  X a + S qddot + v x S qdot + Sdot qdot."""
    joint, data = model.links[i], tree.newton_euler
    if joint.kind == AXIAL:
        link, q = data.links[i], tree.q[joint.q]
        s, c = sincos(joint.turn * q + joint.offset)
        link.c, link.s = c, s
        r = place_axial(joint, q)
        a = along_axis(joint, motion_out_axial(joint, r, c, s, a), tree.vdot[joint.v])
        if options & VELOCITIES:
            qdot = tree.v[joint.v]
            v = motion_out_axial(joint, r, c, s, v)
            a = plus_product(a, velocity_product(joint, v, qdot))
            v = along_axis(joint, v, qdot)
        return v, a
    return _propagate_motion_general(model, tree, i, v, a, options)


@kernel(inline=True)
def _propagate_motion_general(model, tree, i, v, a, options):
    joints = tree.newton_euler.joints
    place_general(model, joints, i, tree.q, tree.v, 0)
    place = joints.generals[model.links[i].general]
    a = add6(motion_out_general(place, a), motion_general(model, joints, i, tree.vdot))
    if options & VELOCITIES:
        vJ = motion_general(model, joints, i, tree.v)
        v = add6(motion_out_general(place, v), vJ)
        a = add6(a, add6(place.c, cross_motion(v, vJ)))
    return v, a


@kernel(inline=True)
def force_across(model, tree, i, f, options):
    """tau = S^T f + armature qddot of the joint (of a ball or free joint also what turns with it); returns the force f in the coordinates of the parent."""
    joint, data = model.links[i], tree.newton_euler
    if joint.kind == AXIAL:
        tree.tau[joint.v] = on_axis(joint, f) + joint.armature * tree.vdot[joint.v]
        if joint.parent >= 0:
            link = data.links[i]
            f = force_in_axial(joint, place_axial(joint, tree.q[joint.q]), link.c, link.s, f)
        return f
    give_force_general(model, tree, i, f, options)
    if joint.parent >= 0:
        f = force_in_general(data.joints.generals[joint.general], f)
    return f


# Articulated bodies


@kernel(inline=True)
def move_joint(model, tree, i, v, options):
    """Evaluate the joint, and give the link's velocity from its parent's: v_i = X v + S qdot."""
    joint, data = model.links[i], tree.articulated
    if joint.kind == AXIAL:
        link = data.links[i]
        q = tree.q[joint.q]
        s, c = sincos(joint.turn * q + joint.offset)
        link.c, link.s = c, s
        return along_axis(joint, motion_out_axial(joint, place_axial(joint, q), c, s, v), rates_of(tree, options)[joint.v])
    return _move_general(model, tree, i, v, options)


@kernel
def _move_general(model, tree, i, v, options) -> Vector[6]:
    joint, joints, rates = model.links[i], tree.articulated.joints, rates_of(tree, options)
    place_general(model, joints, i, tree.q, rates, not is_block(joint, model.generals[joint.general], options))
    place, vJ = joints.generals[joint.general], motion_general(model, joints, i, rates)
    v = add6(motion_to_child(pose_general(place), v), vJ)
    place.c = add6(place.c, cross_motion(v, vJ))
    return v


@kernel(inline=True)
def remove_joint(model, tree, i, IA, pA, options):
    """Inward: remove the joint's freedoms from the link's articulated body (IA, pA); what the parent feels of it goes to `inward`.

    U = I^A S,   D = S^T U + armature,   u = tau - S^T p^A            (Featherstone 1987, eq. 6.22; a driven joint: 7.37)
    I^a = I^A - U D^-1 U^T,   p^a = p^A + I^a c + U D^-1 u            (eq. 6.23, 6.24)
    """
    joint, data = model.links[i], tree.articulated
    inward = data.inward
    if joint.kind == AXIAL:
        link, tau = data.links[i], tree.tau[joint.v]
        U, K, Dinv, u = pivot_axial(joint, IA, pA, tau)
        if is_driven(tree.driven, joint.v, options):
            Dinv, u = zero(tree), zero(tree)
            K, pA = scale6(Dinv, U), add6(pA, scale6(tau, U))
        link.K, link.e, link.Dinv = K, u * Dinv, Dinv
        if joint.parent >= 0:
            c = velocity_product(joint, link.v, rates_of(tree, options)[joint.v])
            hand_inward(joint, (tree.q[joint.q], link.c, link.s), (IA, pA), (U, K, Dinv, u), c, inward)
    else:
        inward.IA, inward.pA = IA, pA
        _remove_general(model, tree, i, options)


@kernel
def _remove_general(model, tree, i, options) -> None:
    joint, data = model.links[i], tree.articulated
    if is_block(joint, model.generals[joint.general], options):
        eliminate_block(joint, data.joints, data.inward, tree.tau)
    else:
        eliminate_general(model, tree, i, data.joints, data.inward, options)


@kernel(inline=True)
def respond_joint(model, tree, i, a, options):
    """Outward: the joint's accelerations, in vdot, and the link's from its parent's: a' = X a + c,  qddot = D^-1 (u - U^T a'),  a' + S qddot."""
    joint, data = model.links[i], tree.articulated
    if joint.kind == AXIAL:
        link = data.links[i]
        a = motion_out_axial(joint, place_axial(joint, tree.q[joint.q]), link.c, link.s, a)
        a = plus_product(a, velocity_product(joint, link.v, rates_of(tree, options)[joint.v]))
        qddot = link.e - dot6(link.K, a)
        if is_driven(tree.driven, joint.v, options):
            qddot = tree.tau[joint.v]
        tree.vdot[joint.v] = qddot
        return along_axis(joint, a, qddot)
    return _respond_general(model, tree, i, a, options)


@kernel
def _respond_general(model, tree, i, a, options) -> Vector[6]:
    joint, joints = model.links[i], tree.articulated.joints
    a = motion_to_child(pose_general(joints.generals[joint.general]), a)
    if is_block(joint, model.generals[joint.general], options):
        return accelerate_block(joint, joints, a, tree.vdot)
    return accelerate_general(model, joints, i, a, tree.tau, tree.driven, options, tree.vdot)


@kernel(inline=True)
def rates_of(tree, options):
    """qdot of all joints, zero where velocities do not count."""
    return tree.v if options & VELOCITIES else tree.rest


@kernel(inline=True)
def innovate(model, data, i, x, p):
    """u = x - S^T p of a joint whose freedoms were removed one by one, in place of x; returns p + K u."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        u = x[joint.v] - on_axis(joint, p)
        x[joint.v] = u
        return add6(p, scale6(u, data.links[i].K))
    for k in range(joint.v, joint.v + joint.nv):
        column = data.joints.columns[k]
        u = x[k] - dot6(column.S, p)
        x[k] = u
        p = add6(p, scale6(u, column.K))
    return p


@kernel(inline=True)
def inverse_pivot(model, data, i, k):
    """D^-1 of freedom k of a joint whose freedoms were removed one by one."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        return data.links[i].Dinv
    return data.joints.columns[joint.v + k].Dinv
