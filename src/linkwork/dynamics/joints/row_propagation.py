"""What the propagation of further loads through articulated bodies (solvers/delassus/row_propagation.py) asks of a joint whose freedoms have been removed.

The recursion of dynamics/aba.py factors the mass matrix, M^-1 = W^T D^-1 W. A load F on a link leaves innovations u = S^T F at the joint and goes on
inward as X^T (F - U D^-1 u); outward, innovations e = D^-1 u give qddot = e - D^-1 U^T a.
`options`: those of the recursion that has removed the freedoms; a DRIVEN velocity takes up any load and does not answer.
"""

from ...kernels import Scalar, Vector, kernel
from ...kernels.scalar import zero
from ...model.tables import AXIAL
from ...spatial.axial import force_in_axial, motion_out_axial, place_axial
from ...spatial.motion import force_to_parent, motion_to_child
from ...spatial.vectors import add6, dot6, scale6, sub6
from .axial import along_axis, on_axis
from .block import answer_of_block, block_inverse, is_block, load_into_block
from .general import is_driven, pose_general


@kernel(inline=True)
def load_joint(model, tree, i, F, y, at, options):
    """Inward: what the load F on link i leaves at the joint is added to y[at..], a number for each freedom; returns what the parent gets of it.

    What y holds before is a load along the joint itself.
    """
    joint = model.links[i]
    if joint.kind == AXIAL:
        link = tree.articulated.links[i]
        u = y[at] + on_axis(joint, F)
        if is_driven(tree.driven, joint.v, options):
            u = zero(tree)
        y[at] = u
        return force_in_axial(joint, place_axial(joint, tree.q[joint.q]), link.c, link.s, sub6(F, scale6(u, link.K)))
    return _load_general(model, tree, i, F, y, at, options)


@kernel
def _load_general(model, tree, i, F, y, at, options) -> Vector[6]:
    joint, joints = model.links[i], tree.articulated.joints
    if is_block(joint, model.generals[joint.general], options):
        return load_into_block(joint, joints, F, y, at)
    for k in range(joint.nv):
        column, u = joints.columns[joint.v + k], zero(tree)
        if not is_driven(tree.driven, joint.v + k, options):
            u = y[at + k] + dot6(column.S, F)
            F = sub6(F, scale6(u, column.K))
        y[at + k] = u
    return force_to_parent(pose_general(joints.generals[joint.general]), F)


@kernel(inline=True)
def give_inverse_pivots(model, tree, i, options, out):
    """D^-1 of each freedom of the joint, to `out` by its velocity; 0 where it is driven."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        out[joint.v] = tree.articulated.links[i].Dinv
    else:
        _give_inverse_pivots_general(model, tree, i, options, out)


@kernel
def _give_inverse_pivots_general(model, tree, i, options, out) -> None:
    joint, joints = model.links[i], tree.articulated.joints
    at_once = is_block(joint, model.generals[joint.general], options)
    for k in range(joint.nv):
        if at_once:
            out[joint.v + k] = block_inverse(joints.blocks[joint.general], k)
        elif is_driven(tree.driven, joint.v + k, options):
            out[joint.v + k] = zero(tree)
        else:
            out[joint.v + k] = joints.columns[joint.v + k].Dinv


@kernel(inline=True)
def ease_of(model, tree, i, slides, options):
    """How easily the joint yields to a moment: the sum of D^-1. `slides`: what a freedom to slide counts against one to turn."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        return tree.articulated.links[i].Dinv * (joint.turn * joint.turn + joint.slide * joint.slide * slides)
    return _ease_of_general(model, tree, i, slides, options)


@kernel
def _ease_of_general(model, tree, i, slides, options) -> Scalar:
    joint, joints = model.links[i], tree.articulated.joints
    ease = zero(tree)
    if is_block(joint, model.generals[joint.general], options):
        for k in range(joint.nv):
            ease = ease + block_inverse(joints.blocks[joint.general], k) * (1.0 if k < 3 else slides)
    else:
        for k in range(joint.v, joint.v + joint.nv):
            if not is_driven(tree.driven, k, options):
                ease = ease + joints.columns[k].Dinv * (1.0 + slides)
    return ease


@kernel(inline=True)
def answer_joint(model, tree, i, a, e, options):
    """Outward: what innovations e and the parent's acceleration a add to the joint's accelerations in vdot, and the link's acceleration."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        link = tree.articulated.links[i]
        a = motion_out_axial(joint, place_axial(joint, tree.q[joint.q]), link.c, link.s, a)
        qddot = e[joint.v] - dot6(link.K, a)
        if is_driven(tree.driven, joint.v, options):
            qddot = zero(tree)
        tree.vdot[joint.v] = tree.vdot[joint.v] + qddot
        return along_axis(joint, a, qddot)
    return _answer_general(model, tree, i, a, e, options)


@kernel
def _answer_general(model, tree, i, a, e, options) -> Vector[6]:
    joint, joints = model.links[i], tree.articulated.joints
    a = motion_to_child(pose_general(joints.generals[joint.general]), a)
    if is_block(joint, model.generals[joint.general], options):
        return answer_of_block(joint, joints, a, e, tree.vdot)
    for back in range(joint.nv):
        k = joint.v + joint.nv - 1 - back
        if not is_driven(tree.driven, k, options):
            column = joints.columns[k]
            qddot = e[k] - dot6(column.K, a)
            tree.vdot[k] = tree.vdot[k] + qddot
            a = add6(a, scale6(qddot, column.S))
    return a


@kernel(inline=True)
def rate_weight(model, i, slide):
    """What makes rates of joints comparable: 1 for turns, `slide` for slides, the lesser of them for joints that do both."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        return slide if joint.turn == 0.0 else 1.0
    return min(1.0, slide)
