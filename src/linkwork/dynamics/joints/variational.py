"""What the variational integrator (integrators/variational/sweeps.py, integrators/variational/newton.py) asks of a joint.

`i` is the link whose joint is meant, `run` the record VariationalData (data/variational.py). Of each joint there are the displacement of the step and
what the joint is at both ends of it, `run.start` and `run.end`.

A joint that is walked backwards has its child's frame displaced by X_J Delta^-1 X_J^-1, Delta being its own displacement.
The armature of a ball or of the turns of a free joint is a rotor without mass that turns as the joint does, L_d = w . J w h / 2 with w = 2 s / h;
that of the slides of a free joint has L_d = e . J e / 2 h, e being the way of M's origin in axes halfway.
"""

from ...kernels import Vector, kernel
from ...kernels.scalar import sincos, sqrt, zero
from ...model.tables import AXIAL, BALL, CUSTOM, FREE
from ...spatial.axial import place_axial, vector_out_axial
from ...spatial.blocks import (
    axis_times_block,
    block_downdate,
    block_shift,
    block_times,
    block_times_axis,
    block_transposed_times,
    block_turn,
    block_turn_axial,
)
from ...spatial.displacement import carried_to, turned, turned_away, turned_back
from ...spatial.matrices import apply9, apply9_transposed, times9, transposed9
from ...spatial.se3 import pose_exp
from ...spatial.so3 import quaternion_exp, quaternion_from_matrix, quaternion_normalised, quaternion_product, quaternion_to_matrix
from ...spatial.vectors import add3, add6, cross3, dot6, get3, get4, scale3, scale6, set3, set4, sub3, sub6
from .axial import along_axis, on_axis
from .general import has_armature, place_general, pose_general
from .joint import motion_out

# Displacements


@kernel(inline=True)
def displace_joint(model, run, i, r, d, g, last):
    """The displacement (r, d) of the link and gravity in its axes, from those of its parent. Evaluates the joint at q_1.

    Cosine and sine at q_1 follow from those at q_0 and the displacement, and (`last`) at the end of a step from q_1 itself.
    """
    joint = model.links[i]
    if joint.kind == AXIAL:
        start, end, x, o = run.start.links[i], run.end.links[i], run.displacement[joint.v], zero(run)
        c, s = start.c, start.s
        d = add3(d, turned_away(r, place_axial(joint, run.start.q[joint.q])))
        d = vector_out_axial(joint, c, s, d)
        g = vector_out_axial(joint, c, s, g)
        k = vector_out_axial(joint, c, s, (r[1], r[2], r[3]))
        sine, cosine = sincos((0.5 * joint.turn) * x)
        if joint.slide != 0.0:
            d = add3(d, turned((r[0], k[0], k[1], k[2]), (o, o, joint.slide * x)))
        r = (
            r[0] * cosine - k[2] * sine,
            k[0] * cosine + k[1] * sine,
            k[1] * cosine - k[0] * sine,
            k[2] * cosine + r[0] * sine,
        )
        if last:
            s1, c1 = sincos(joint.turn * run.end.q[joint.q] + joint.offset)
        else:
            a, b = 1.0 - 2.0 * sine * sine, 2.0 * sine * cosine
            c1, s1 = c * a - s * b, s * a + c * b
        end.c, end.s = c1, s1
        return r, d, g
    return _displace_general(model, run, i, r, d, g)


@kernel
def _displace_general(model, run, i, r, d, g) -> tuple[Vector[4], Vector[3], Vector[3]]:
    joint = model.links[i]
    R, p = pose_general(run.start.joints.generals[joint.general])
    r, d = carried_to(R, p, r, d)
    place_general(model, run.end.joints, i, run.end.q, run.mean, 1)
    if joint.kind == CUSTOM:
        R1, p1 = pose_general(run.end.joints.generals[joint.general])
        turn = quaternion_from_matrix(times9(transposed9(R), R1))
        way = apply9_transposed(R, sub3(p1, p))
    else:
        q, o = run.start.q, zero(run)
        turn, way = _turn_of(run.displacement, joint.v), (o, o, o)
        if joint.kind == FREE:
            way = get3(run.displacement, joint.v + 3)
        if model.generals[joint.general].backwards:
            Q = quaternion_to_matrix(get4(q, joint.q + 3 if joint.kind == FREE else joint.q))
            s = apply9(Q, (turn[1], turn[2], turn[3]))
            if joint.kind == FREE:
                way = scale3(-1.0, apply9(Q, turned_back(turn, way)))
            turn = (turn[0], -s[0], -s[1], -s[2])
            if joint.kind == FREE:
                way = sub3(way, turned_away(turn, get3(q, joint.q)))
    return quaternion_product(r, turn), add3(d, turned(r, way)), apply9_transposed(R, g)


@kernel(inline=True)
def _turn_of(displacement, v):
    """The quaternion (c, s) of a displacement 2 s."""
    a = get3(displacement, v)
    x, y, z = 0.5 * a[0], 0.5 * a[1], 0.5 * a[2]
    return sqrt(1.0 - (x * x + y * y + z * z)), x, y, z


@kernel(inline=True)
def arrive_joint(model, run, i):
    """q_1 from q_0 and the displacement, and the mean velocity: of turns 2 s / h, of the slides of a free joint the way / h in axes halfway."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        x = run.displacement[joint.v]
        run.end.q[joint.q] = run.start.q[joint.q] + x
        run.mean[joint.v] = x / run.h
    else:
        _arrive_general(model, run, i)


@kernel
def _arrive_general(model, run, i) -> None:
    joint, q, q1, mean, h = model.links[i], run.start.q, run.end.q, run.mean, run.h
    at, v = joint.q, joint.v
    if joint.kind == CUSTOM:
        for k in range(joint.nv):
            x = run.displacement[v + k]
            q1[at + k] = q[at + k] + x
            mean[v + k] = x / h
        return
    r = _turn_of(run.displacement, v)
    k = 2.0 / h
    set3(mean, v, (k * r[1], k * r[2], k * r[3]))
    if joint.kind == FREE:
        way = get3(run.displacement, v + 3)
        set3(q1, at, add3(get3(q, at), apply9(quaternion_to_matrix(get4(q, at + 3)), way)))
        set3(mean, v + 3, scale3(1.0 / h, turned_back(_halfway(r), way)))
        at += 3
    set4(q1, at, quaternion_normalised(quaternion_product(get4(q, at), r)))


@kernel(inline=True)
def _halfway(r):
    """The quaternion of half a turn r."""
    return quaternion_normalised((1.0 + r[0], r[1], r[2], r[3]))


@kernel(inline=True)
def correct_displacement(model, run, i, scale):
    """The displacement = that before the correction, `run.base`, and then scale times the correction, in the axes at the end of the step."""
    joint = model.links[i]
    if joint.kind == BALL or joint.kind == FREE:
        _correct_turn(model, run, i, scale)
    else:
        for k in range(joint.v, joint.v + joint.nv):
            run.displacement[k] = run.base[k] + scale * run.correction[k]


@kernel
def _correct_turn(model, run, i, scale) -> None:
    joint, v = model.links[i], model.links[i].v
    r = _turn_of(run.base, v)
    a = scale3(scale, get3(run.correction, v))
    x = quaternion_product(r, quaternion_exp(a))
    set3(run.displacement, v, (2.0 * x[1], 2.0 * x[2], 2.0 * x[3]))
    if joint.kind == FREE:
        u = scale3(scale, get3(run.correction, v + 3))
        _, step = pose_exp((a[0], a[1], a[2], u[0], u[1], u[2]))
        set3(run.displacement, v + 3, add3(get3(run.base, v + 3), turned(r, step)))


@kernel(inline=True)
def turn_page_of_joint(model, run, i):
    """What the joint is at the end of the step is what it is at the start of the next."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        start, end = run.start.links[i], run.end.links[i]
        start.c, start.s = end.c, end.s
    else:
        place, new = run.start.joints.generals[joint.general], run.end.joints.generals[joint.general]
        place.R, place.p = new.R, new.p
        for k in range(joint.v, joint.v + joint.nv):
            run.start.joints.columns[k].S = run.end.joints.columns[k].S


# Momenta


@kernel(inline=True)
def give_momentum(model, run, i, f):
    """The joint's momentum at the end of the step: S_1^T f, f being that of the link with all that hangs on it, and the momentum of its armature."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        run.momentum[joint.v] = on_axis(joint, f) + (joint.armature / run.h) * run.displacement[joint.v]
    else:
        _give_momentum_general(model, run, i, f)


@kernel
def _give_momentum_general(model, run, i, f) -> None:
    joint, columns = model.links[i], run.end.joints.columns
    for k in range(joint.v, joint.v + joint.nv):
        run.momentum[k] = dot6(columns[k].S, f)
    if has_armature(model.generals[joint.general]):
        _add_armature(model, run, i, True, 1.0, run.momentum)


@kernel(inline=True)
def take_armature(model, run, i, right):
    """Take the momentum that the joint's armature has at the start of the step from `right`."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        if joint.armature != 0.0:
            right[joint.v] = right[joint.v] - (joint.armature / run.h) * run.displacement[joint.v]
    elif has_armature(model.generals[joint.general]):
        _add_armature(model, run, i, False, -1.0, right)


@kernel
def _add_armature(model, run, i, last, sign, target) -> None:
    """Add sign times the momentum of the joint's armature, at the start of the step or (`last`) at its end."""
    joint, x, h = model.links[i], run.displacement, run.h
    J, v = model.generals[joint.general].armature, joint.v
    if joint.kind == CUSTOM:
        for k in range(joint.nv):
            target[v + k] = target[v + k] + sign * (J[k] / h) * x[v + k]
        return
    r = _turn_of(x, v)
    k, s = 2.0 * sign / h, (r[1], r[2], r[3])
    L = (k * J[0] * s[0], k * J[1] * s[1], k * J[2] * s[2])
    turn = cross3(s, L)
    L = scale3(r[0], L)
    set3(target, v, add3(get3(target, v), sub3(L, turn) if last else add3(L, turn)))
    if joint.kind == FREE:
        # The way in axes halfway, e = R(half)^T d, has the Lagrangian e . J e / 2 h; t = tan of a quarter of the turn.
        half = _halfway(r)
        way = turned_back(half, get3(x, v + 3))
        k = sign / h
        p = (k * J[3] * way[0], k * J[4] * way[1], k * J[5] * way[2])
        n = scale3(0.5, cross3(p, way))
        y = scale3(1.0 / half[0], cross3((half[1], half[2], half[3]), n))
        set3(target, v, sub3(get3(target, v), add3(y, scale3(-1.0, n) if last else n)))
        set3(target, v + 3, add3(get3(target, v + 3), turned_back(half, p) if last else turned(half, p)))


# Newton's step


@kernel(inline=True)
def eliminate_joint(model, run, i):
    """Inward: remove the joint's freedoms from the block B in `inward` and bring it to the parent; U / D, W / D and 1 / D stay with the joint.

    U = B S_1,   W = B^T S_0,   D = S_0 . U + armature / h + damping / 2,      B -= U W^T / D,      B_parent = X_0^T B X_1
    """
    joint = model.links[i]
    if joint.kind == AXIAL:
        _eliminate_axial(model, run, i)
    else:
        _eliminate_general(model, run, i)


@kernel
def _eliminate_axial(model, run, i) -> None:
    joint, start, end = model.links[i], run.start.links[i], run.end.links[i]
    B = run.inward.B
    U, W = block_times_axis(joint, B), axis_times_block(joint, B)
    k = 1.0 / (on_axis(joint, U) + (joint.armature / run.h + 0.5 * run.damping[joint.v]))
    W = scale6(k, W)
    start.K, end.K, run.inverse[joint.v] = scale6(k, U), W, k
    if joint.parent >= 0:
        B = block_turn_axial(joint, start.c, start.s, end.c, end.s, block_downdate(B, U, W))
        if joint.shifted:
            B = block_shift(place_axial(joint, run.start.q[joint.q]), place_axial(joint, run.end.q[joint.q]), B)
        run.inward.B = B


@kernel
def _eliminate_general(model, run, i) -> None:
    joint, first, last = model.links[i], run.start.joints, run.end.joints
    J = model.generals[joint.general].armature
    for k in range(joint.nv):
        v = joint.v + k
        _remove_column(run.inward, first.columns[v], last.columns[v], J[k] / run.h + 0.5 * run.damping[v])
        run.inverse[v] = last.columns[v].Dinv
    if joint.parent >= 0:
        (R0, p0), (R1, p1) = pose_general(first.generals[joint.general]), pose_general(last.generals[joint.general])
        run.inward.B = block_shift(p0, p1, block_turn(R0, R1, run.inward.B))


@kernel
def _remove_column(inward, first, last, armature) -> None:
    """Remove one freedom from the block in `inward`. `first`, `last`: its columns at the start and at the end."""
    B, S = inward.B, first.S
    U, W = block_times(B, last.S), block_transposed_times(B, S)
    k = 1.0 / (dot6(S, U) + armature)
    W = scale6(k, W)
    first.K, last.K, last.Dinv = scale6(k, U), W, k
    inward.B = block_downdate(B, U, W)


@kernel(inline=True)
def correct_joint(model, run, i, a):
    """Outward: the correction of the joint's displacement, and that of the link's pose from its parent's.

    a' = X_1 a,    eps = u / D - (W / D) . a',    a' + S_1 eps
    """
    joint = model.links[i]
    a = motion_out(model, run.end, i, run.end.q, a)
    if joint.kind == AXIAL:
        x = run.innovation[joint.v] - dot6(run.end.links[i].K, a)
        run.correction[joint.v] = x
        return along_axis(joint, a, x)
    for back in range(joint.nv):
        k = joint.v + joint.nv - 1 - back
        column = run.end.joints.columns[k]
        x = run.innovation[k] - dot6(column.K, a)
        run.correction[k] = x
        a = add6(a, scale6(x, column.S))
    return a


@kernel(inline=True)
def load_in_step(model, end, i, F, y, at):
    """A load F on the link, at one end of the step, on its way inward: y[at..] += S^T F, freedom by freedom; returns F - K y."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        u = on_axis(joint, F) + y[at]
        y[at] = u
        return sub6(F, scale6(u, end.links[i].K))
    return _load_general(model, end, i, F, y, at)


@kernel
def _load_general(model, end, i, F, y, at) -> Vector[6]:
    joint = model.links[i]
    for k in range(joint.nv):
        column = end.joints.columns[joint.v + k]
        u = dot6(column.S, F) + y[at + k]
        y[at + k] = u
        F = sub6(F, scale6(u, column.K))
    return F
