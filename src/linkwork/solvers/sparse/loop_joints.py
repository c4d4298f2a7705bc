"""Joints that close a loop: the cut body and its weld are eliminated first, and the joint's own rows are left.

A joint that closes a loop carries a cut body t of its far body b, welded to it by six rows W_t a_t + W_b a_b + gamma = 0 (ARCHITECTURE.md). W_t is
regular, so the cut body's accelerations and the six multipliers can be the first pivots of all,

    a_t = Y a_b - g,    Y = -W_t^-1 W_b,  g = W_t^-1 gamma          I_b += Y^T I_t Y,    p_b -= Y^T (I_t g - p_t + f),    p_p += X^T f

(f: the joint's force). Y is the motion of a rigid body, from the body's link to the cut body's, whatever the gap may be: both have the same axes e and n
of the weld, which drop out. So the cut body's inertia goes to the body like that of any welded part. What remains of joint and weld are the
6 - nv directions k in which the joint does not move,

    (X^T e_k) . a_p - Y_k . a_b + g_k + c_k = 0

a constraint between the parent p and the body b: three rows for a ball instead of six, and one link less. Afterwards qddot = (a_t - X a_p - c)_k in
the other directions, and the weld's multipliers are W_t^-T (I_t a_t + p_t - f + sum e_k lambda_k). It is done where the joint moves along
axes of its link: turns, slides and balls without armature, that no other constraint refers to.
"""

from ...data.tree import VELOCITIES
from ...dynamics.joints.closing import set_rates, wrench_of_joint
from ...dynamics.joints.joint import add_bias, force_in, motion_out
from ...kernels import kernel
from ...kernels.scalar import width
from ...kernels.views import floats_of
from ...model.tables import rigid_of
from ...spatial.articulated import articulated_plus_rigid
from ...spatial.inertia import bias_force, inertia_times, inertia_transform
from ...spatial.matrices import apply9, apply9_transposed, inverse9, times9, transposed9
from ...spatial.motion import force_to_parent, motion_to_child
from ...spatial.vectors import add6, cross3, get6, set6, sub3, sub6
from .rows import add_wrench

NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def close_joints(model, data, options) -> int:
    """Eliminate cut bodies and welds: loads to the bodies and parents, the rows that are left into lanes. Gravity counts with VELOCITIES.

    Returns the number of rows eliminated.
    """
    program, tree = data.program, data.tree
    motion, eliminated = tree.motion, 0
    _clear_closing_inertias(data)
    for k in range(program.closing):
        closing, weld = program.joints[k], data.welds[k]
        i = closing.cut
        joint, link = model.links[i], motion.links[i]
        _map_body(data, k)
        _residual_motion(data, k)
        bias, c = NOTHING, NOTHING
        if options & VELOCITIES:
            if joint.massive:
                bias = own_bias(joint, link.R, link.v, model.gravity)
            c = add_bias(model, motion, i, link.v, tree.v, c)
        f = wrench_of_joint(model, i, tree.tau)
        weld.bias, weld.c, weld.f = bias, c, f
        _add_to_body(model, data, k)
        if closing.parent >= 0:
            closing_inertia = data.closing_inertias[closing.parent_inertia]
            closing_inertia.pA = add6(closing_inertia.pA, force_in(model, motion, i, tree.q, f))
        eliminated += joint.nv
        _lay_rows(model, data, k)
    return eliminated


@kernel(inline=True)
def own_bias(joint, R, v, gravity):
    """What a link's own inertia adds to its bias force: v x* I v - I g."""
    g = apply9_transposed(R, (gravity[0], gravity[1], gravity[2]))
    p = bias_force(rigid_of(joint), v)
    n = cross3((joint.h[0], joint.h[1], joint.h[2]), g)
    return p[0] - n[0], p[1] - n[1], p[2] - n[2], p[3] - joint.m * g[0], p[4] - joint.m * g[1], p[5] - joint.m * g[2]


@kernel(inline=True)
def _clear_closing_inertias(data):
    o = 0.0
    for k in range(data.program.closing_inertias):
        data.closing_inertias[k].IA, data.closing_inertias[k].pA = (NOTHING, (o, o, o, o, o, o, o, o, o), NOTHING), NOTHING


@kernel
def _map_body(data, k) -> None:
    """The pose of the cut body in the body, and W_t^-1 from the six rows of the weld: shifts (0, E) and turns (N, 0) on the cut body."""
    closing, weld, rows = data.program.joints[k], data.welds[k], data.rows.rows
    cut, body, first = data.tree.motion.links[closing.cut], data.tree.motion.links[closing.body], closing.row
    weld.R = times9(transposed9(body.R), cut.R)
    weld.p = apply9_transposed(body.R, sub3(cut.p, body.p))
    weld.N = inverse9(rows[first + 3].n_a + rows[first + 4].n_a + rows[first + 5].n_a)
    weld.E = rows[first].f_a + rows[first + 1].f_a + rows[first + 2].f_a


@kernel(inline=True)
def _residual_motion(data, k):
    """g = W_t^-1 gamma of the six rows of a weld."""
    weld, rows, first = data.welds[k], data.rows.rows, data.program.joints[k].row
    shift = rows[first].gamma, rows[first + 1].gamma, rows[first + 2].gamma
    turn = rows[first + 3].gamma, rows[first + 4].gamma, rows[first + 5].gamma
    weld.g = apply9(weld.N, turn) + apply9_transposed(weld.E, shift)


@kernel
def _add_to_body(model, data, k) -> None:
    """I_b += Y^T I_t Y, p_b -= Y^T (I_t g - p_t + f)."""
    closing, weld = data.program.joints[k], data.welds[k]
    closing_inertia, joint, Y = data.closing_inertias[closing.body_inertia], model.links[closing.cut], (weld.R, weld.p)
    force = sub6(weld.f, weld.bias)
    if joint.massive:
        rigid = rigid_of(joint)
        force = add6(force, inertia_times(rigid, weld.g))
        closing_inertia.IA = articulated_plus_rigid(closing_inertia.IA, inertia_transform(Y, rigid))
    closing_inertia.pA = sub6(closing_inertia.pA, force_to_parent(Y, force))


@kernel
def _lay_rows(model, data, k) -> None:
    """The rows that are left, for the directions d in which the joint does not move and its loop could (planar.py)."""
    closing, weld, tree = data.program.joints[k], data.welds[k], data.tree
    c, lanes, gamma = data.program.constraints[closing.constraint], width(data.gamma), floats_of(data.gamma)
    right, R, p, row = add6(weld.g, weld.c), weld.R, weld.p, 0
    for d in range(6):
        if closing.free >> d & 1 == 0:
            gamma[c.pack * lanes + row] = right[d]
            e = _minus_column(R, d % 3)  # minus the cut body's axis
            n, f = e, (0.0, 0.0, 0.0)
            if d >= 3:
                n, f = cross3(p, e), e
            add_wrench(data, c.b, row, n, f)
            if c.a >= 0:
                F = force_in(model, tree.motion, closing.cut, tree.q, _unit(d))
                add_wrench(data, c.a, row, (F[0], F[1], F[2]), (F[3], F[4], F[5]))
            row += 1


@kernel(inline=True)
def _minus_column(R, k):
    if k == 0:
        return -R[0], -R[3], -R[6]
    if k == 1:
        return -R[1], -R[4], -R[7]
    return -R[2], -R[5], -R[8]


@kernel(inline=True)
def _unit(k):
    return (
        1.0 if k == 0 else 0.0,
        1.0 if k == 1 else 0.0,
        1.0 if k == 2 else 0.0,
        1.0 if k == 3 else 0.0,
        1.0 if k == 4 else 0.0,
        1.0 if k == 5 else 0.0,
    )


@kernel
def close_with_factor(model, data) -> None:
    """The residuals of the welds alone, to their bodies and to the rows that are left, with poses and W_t^-1 of an earlier solve."""
    program, lanes, gamma = data.program, width(data.gamma), floats_of(data.gamma)
    for k in range(program.closing_inertias):
        data.closing_inertias[k].pA = NOTHING
    for k in range(program.closing):
        closing, weld = program.joints[k], data.welds[k]
        joint, closing_inertia = model.links[closing.cut], data.closing_inertias[closing.body_inertia]
        _residual_motion(data, k)
        weld.bias, weld.c, weld.f = NOTHING, NOTHING, NOTHING
        if joint.massive:
            closing_inertia.pA = sub6(closing_inertia.pA, force_to_parent((weld.R, weld.p), inertia_times(rigid_of(joint), weld.g)))
        at, g = program.constraints[closing.constraint].pack * lanes, weld.g
        for d in range(6):
            if closing.free >> d & 1 == 0:
                gamma[at] = g[d]
                at += 1


@kernel
def open_joint(model, data, k) -> None:
    """Accelerations of the closing joint k once all others are known, and the weld's six multipliers."""
    tree, program, closing, weld = data.tree, data.program, data.program.joints[k], data.welds[k]
    motion, i, lanes = tree.motion, closing.cut, width(data.reduced)
    joint, multipliers, row = model.links[i], data.multipliers, closing.row
    a = sub6(motion_to_child((weld.R, weld.p), motion.links[closing.body].a), weld.g)
    motion.links[i].a = a
    base = weld.c
    if closing.parent >= 0:
        base = add6(base, motion_out(model, motion, i, tree.q, motion.links[closing.parent].a))
    set_rates(model, i, sub6(a, base), tree.vdot)
    force = sub6(weld.bias, weld.f)
    if joint.massive:
        force = add6(force, inertia_times(rigid_of(joint), a))
    set6(multipliers, row, force)
    reduced, at = floats_of(data.reduced), program.constraints[closing.constraint].pack * lanes
    for d in range(6):
        if closing.free >> d & 1 == 0:
            multipliers[row + d] = multipliers[row + d] + reduced[at]
            at += 1
    force = get6(multipliers, row)
    shift, turn = apply9(weld.E, (force[3], force[4], force[5])), apply9_transposed(weld.N, (force[0], force[1], force[2]))
    set6(multipliers, row, shift + turn)
