"""Joints that are no single screw axis: ball, free and custom joints, with S(q) of up to six columns.

They work through memory (the record JointData of a recursion, data/tree.py) and are called, not inlined: few links are of this
kind, and the axial recursion around them stays small. Multi-freedom joints need no matrix inverse: eliminating the columns of
S one after the other is the same as dividing by the block D = S^T I^A S. Most balls and free bases go a shorter way, see block.py.

`i` is the link, `joints` the JointData of the recursion that asks.
"""

from ...data.markers import JOINT_COLUMN, JOINT_POSE
from ...data.tree import DRIVEN, VELOCITIES
from ...kernels import Vector, kernel
from ...kernels.scalar import width, zero
from ...kernels.views import floats_of
from ...model.custom import call_custom
from ...model.tables import CUSTOM, FREE
from ...spatial.articulated import articulated_downdate, articulated_times, articulated_to_parent
from ...spatial.matrices import apply9, identity9, times9
from ...spatial.motion import cross_force, force_to_parent, motion_to_child, motion_to_parent
from ...spatial.se3 import pose_inverse
from ...spatial.so3 import quaternion_to_matrix
from ...spatial.vectors import add3, add6, dot6, get3, get4, get6, scale6, set3


@kernel
def place_general(model, joints, i, q, v, unit) -> None:
    """Evaluate a joint: its pose, S and Sdot qdot go to `joints`; an S of unit vectors only if `unit` asks for it."""
    joint = model.links[i]
    general, place, columns, nv = model.generals[joint.general], joints.generals[joint.general], joints.columns, joint.nv
    o = zero(joints)
    R, p, drift = identity9(o), (o, o, o), (o, o, o, o, o, o)
    if joint.kind == CUSTOM:
        _run_custom(general.code, joints.call, nv, q, joint.q, v, joint.v)
        result = joints.call.results
        p, R, drift = get3(result, 0), quaternion_to_matrix(get4(result, 3)), get6(result, JOINT_POSE + JOINT_COLUMN * nv)
        for k in range(nv):
            columns[joint.v + k].S = get6(result, JOINT_POSE + JOINT_COLUMN * k)
    else:
        at = joint.q
        if joint.kind == FREE:
            p = get3(q, at)
            at += 3
        R = quaternion_to_matrix(get4(q, at))
        if unit or general.backwards:
            _unit_columns(columns, joint.v, nv)
    if general.backwards:
        # The tree's child is the joint's parent side P: V_P/C = -Ad(X_PC) V_C/P, and Ad's own rate drops out (V x V = 0).
        for k in range(nv):
            columns[joint.v + k].S = scale6(-1.0, motion_to_parent((R, p), columns[joint.v + k].S))
        drift = scale6(-1.0, motion_to_parent((R, p), drift))
        R, p = pose_inverse((R, p))
    A = (general.R[0], general.R[1], general.R[2], general.R[3], general.R[4], general.R[5], general.R[6], general.R[7], general.R[8])
    place.R, place.p, place.c = times9(A, R), add3(apply9(A, p), (joint.r[0], joint.r[1], joint.r[2])), drift


@kernel
def _unit_columns(columns, first, nv) -> None:
    """The first nv unit vectors as columns of S."""
    o = zero(columns)
    e = o + 1.0
    columns[first].S = e, o, o, o, o, o
    columns[first + 1].S = o, e, o, o, o, o
    columns[first + 2].S = o, o, e, o, o, o
    if nv > 3:
        columns[first + 3].S = o, o, o, e, o, o
        columns[first + 4].S = o, o, o, o, e, o
        columns[first + 5].S = o, o, o, o, o, e


@kernel
def _run_custom(code, call, nv, q, at_q, v, at_v) -> None:
    """Lane by lane: copy q and v together, call the user's functions, spread their result."""
    lanes = width(call)
    positions, velocities, results = floats_of(q), floats_of(v), floats_of(call.results)
    one_q, one_v, result = floats_of(call.q), floats_of(call.v), floats_of(call.result)
    for lane in range(lanes):
        for k in range(nv):
            one_q[k] = positions[(at_q + k) * lanes + lane]
            one_v[k] = velocities[(at_v + k) * lanes + lane]
        call_custom(code, one_q, one_v, result, nv)
        for j in range(JOINT_POSE + JOINT_COLUMN * (nv + 1)):
            results[j * lanes + lane] = result[j]


@kernel(inline=True)
def has_unit_axes(joint, general):
    """Is S made of the first nv unit vectors? Then products with S are just picks."""
    return joint.kind != CUSTOM and general.backwards == 0


@kernel(inline=True)
def is_free_base(joint, general):
    """A free joint to the world, walked from the world."""
    return joint.kind == FREE and joint.parent < 0 and general.backwards == 0


@kernel
def motion_general(model, joints, i, rates) -> Vector[6]:
    """S x for the rates x of all joints."""
    joint = model.links[i]
    o = zero(rates)
    if has_unit_axes(joint, model.generals[joint.general]):
        w = get3(rates, joint.v)
        u = (o, o, o)
        if joint.kind == FREE:
            u = get3(rates, joint.v + 3)
        return w[0], w[1], w[2], u[0], u[1], u[2]
    V = (o, o, o, o, o, o)
    for k in range(joint.v, joint.v + joint.nv):
        V = add6(V, scale6(rates[k], joints.columns[k].S))
    return V


@kernel(inline=True)
def pose_general(place):
    """X_PC of a joint, as `place_general` left it."""
    return place.R, place.p


@kernel
def motion_out_general(place, V) -> Vector[6]:
    """A motion vector from parent to child coordinates."""
    return motion_to_child(pose_general(place), V)


@kernel
def force_in_general(place, F) -> Vector[6]:
    """A force vector from child to parent coordinates."""
    return force_to_parent(pose_general(place), F)


@kernel(inline=True)
def has_armature(general):
    """Is there inertia in the joint itself?"""
    J = general.armature
    return J[0] != 0.0 or J[1] != 0.0 or J[2] != 0.0 or J[3] != 0.0 or J[4] != 0.0 or J[5] != 0.0


@kernel
def armature_bias(model, i, v, options) -> Vector[6]:
    """V x* A V of the joint's velocity V = (omega, u) and armature A: what the armature takes while the joint's velocities v are constant.

    Its kinetic energy V . A V / 2 counts in axes that turn with M, hence the Euler-Poincare equation A Vdot + V x* A V = tau,

        angular  omega x A_n omega + u x A_f u,      linear  omega x A_f u

    (docs/decisions/0018-armature-on-groups.md). Nothing where velocities do not count, and for custom joints, whose v = dq/dt.
    """
    joint, o = model.links[i], zero(v)
    general = model.generals[joint.general]
    if options & VELOCITIES == 0 or joint.kind == CUSTOM or not has_armature(general):
        return o, o, o, o, o, o
    J, w, u = general.armature, get3(v, joint.v), (o, o, o)
    if joint.kind == FREE:
        u = get3(v, joint.v + 3)
    momentum = (J[0] * w[0], J[1] * w[1], J[2] * w[2], J[3] * u[0], J[4] * u[1], J[5] * u[2])
    return cross_force((w[0], w[1], w[2], u[0], u[1], u[2]), momentum)


@kernel
def give_force_general(model, tree, i, f, options) -> None:
    """tau = S^T f + A qddot + V x* A V, A the armature: the joint's share of the force f on its link."""
    joint, vdot, tau = model.links[i], tree.vdot, tree.tau
    general = model.generals[joint.general]
    J, b = general.armature, armature_bias(model, i, tree.v, options)
    if has_unit_axes(joint, general):
        f = add6(f, b)
        qddot = get3(vdot, joint.v)
        set3(tau, joint.v, (f[0] + J[0] * qddot[0], f[1] + J[1] * qddot[1], f[2] + J[2] * qddot[2]))
        if joint.kind == FREE:
            qddot = get3(vdot, joint.v + 3)
            set3(tau, joint.v + 3, (f[3] + J[3] * qddot[0], f[4] + J[4] * qddot[1], f[5] + J[5] * qddot[2]))
    else:
        columns = tree.newton_euler.joints.columns
        for k in range(joint.nv):
            tau[joint.v + k] = dot6(columns[joint.v + k].S, f) + (J[k] * vdot[joint.v + k] + b[k])


@kernel(inline=True)
def _remove(column, A, p, tau, armature):
    """Remove one freedom from (A, p): U = A S, D = S^T U + armature, u = tau - S^T p. What the way out needs goes to the column."""
    S = column.S
    U = articulated_times(A, S)
    Dinv = 1.0 / (dot6(S, U) + armature)
    e = Dinv * (tau - dot6(S, p))
    column.K, column.e, column.Dinv = scale6(Dinv, U), e, Dinv
    return articulated_downdate(A, U, Dinv), add6(p, scale6(e, U))


@kernel
def eliminate_general(model, tree, i, joints, inward, options) -> None:
    """Remove the joint's freedoms from the articulated body `inward`, then express it in parent coordinates.

    Driven velocities (options DRIVEN, flags in `tree.driven`) are not removed: there tau holds an acceleration, which acts like one more bias
    acceleration.
    """
    joint, columns, tau, driven = model.links[i], joints.columns, tree.tau, tree.driven
    general, b = model.generals[joint.general], armature_bias(model, i, tree.v, options)
    A, p, c = inward.IA, inward.pA, joints.generals[joint.general].c
    for k in range(joint.v, joint.v + joint.nv):
        if is_driven(driven, k, options):
            c = add6(c, scale6(tau[k], columns[k].S))
    p = add6(p, articulated_times(A, c))
    for k in range(joint.nv):
        if not is_driven(driven, joint.v + k, options):
            A, p = _remove(columns[joint.v + k], A, p, tau[joint.v + k] - b[k], general.armature[k])
    if joint.parent >= 0:
        X = pose_general(joints.generals[joint.general])
        inward.IA, inward.pA = articulated_to_parent(X, A), force_to_parent(X, p)


@kernel(inline=True)
def is_driven(driven, k, options):
    """Is velocity k given an acceleration?"""
    return options & DRIVEN != 0 and driven[k] != 0


@kernel
def accelerate_general(model, joints, i, a, tau, driven, options, vdot) -> Vector[6]:
    """From the acceleration of the frame (parent's, in child coordinates) to the joint's accelerations, in `vdot`, and the link's.

    Columns are solved in the reverse order of their elimination. The bias (c, and S qddot of driven velocities) is in e already, so it joins last.
    """
    joint, columns = model.links[i], joints.columns
    c = joints.generals[joint.general].c
    for back in range(joint.nv):
        k = joint.v + joint.nv - 1 - back
        column = columns[k]
        S = column.S
        if is_driven(driven, k, options):
            qddot = tau[k]
            c = add6(c, scale6(qddot, S))
        else:
            qddot = column.e - dot6(column.K, a)
            a = add6(a, scale6(qddot, S))
        vdot[k] = qddot
    return add6(a, c)
