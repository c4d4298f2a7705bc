"""Links whose joint is not a single screw axis: ball, free and custom joints, with S(q) of up to six columns.

They work through memory (a general link's own scratch, `extra` slots) and are called, not inlined: few links are of this
kind, and the axial recursion around them stays small. Multi-freedom joints need no matrix inverse: eliminating the columns of
S one after the other is the same as dividing by the block D = S^T I^A S. Most balls and free bases go a shorter way, see ball.py.

From slot `e` on stand the records GeneralLink and, for each freedom, Column (data/tree.py); behind them, for custom joints only, pose and rate (13), then
raw floats: q, v and the result of the user's functions (8 nv + 13).
"""

from ..data.tree import ArticulatedBranch, Column, GeneralLink
from ..kernels import Vector, kernel
from ..kernels.scalar import load, store, width, zero
from ..kernels.views import record_in, records_in, slot_of, slots_of
from ..model.custom import call_custom
from ..model.tables import CUSTOM, FREE
from ..spatial.articulated import articulated_downdate, articulated_times, articulated_to_parent
from ..spatial.matrices import apply9, identity9, times9
from ..spatial.motion import force_to_parent, motion_to_child, motion_to_parent
from ..spatial.se3 import pose_inverse
from ..spatial.so3 import quaternion_to_matrix
from ..spatial.vectors import add3, add6, dot6, load3, load4, load6, scale6, store3

E_C, E_COLUMN, COLUMN = slot_of(GeneralLink, "c"), slots_of(GeneralLink), slots_of(Column)


@kernel
def place_general(link, general, work, e, at_velocity, unit, like) -> None:
    """Evaluate a general joint: its pose, S and Sdot qdot go to the link's scratch at `e`; an S of unit vectors only if `unit` asks for it."""
    nv = link.nv
    o = zero(like)
    zero6 = (o, o, o, o, o, o)
    R, p, drift = identity9(like), (o, o, o), zero6
    place, columns, first = record_in(GeneralLink, work, e, like), columns_in(work, e, like), E_COLUMN + e
    if link.kind == CUSTOM:
        _run_custom(general.code, link.q, at_velocity + link.v, nv, work, first, first + COLUMN * nv, like)
        result = first + COLUMN * nv  # pose and rate were left here as slots
        p = load3(work, result, like)
        R = quaternion_to_matrix(load4(work, result + 3, like))
        drift = load6(work, result + 7, like)
    else:
        at = link.q
        if link.kind == FREE:
            p = load3(work, at, like)
            at += 3
        R = quaternion_to_matrix(load4(work, at, like))
        if unit or general.backwards:
            for k in range(nv):
                columns[k].S = zero6
                store(work, first + COLUMN * k + k, o + 1.0)
    if general.backwards:
        # The tree's child is the joint's parent side P: V_P/C = -Ad(X_PC) V_C/P, and Ad's own rate drops out (V x V = 0).
        for k in range(nv):
            columns[k].S = scale6(-1.0, motion_to_parent((R, p), columns[k].S))
        drift = scale6(-1.0, motion_to_parent((R, p), drift))
        R, p = pose_inverse((R, p))
    A = (general.R[0], general.R[1], general.R[2], general.R[3], general.R[4], general.R[5], general.R[6], general.R[7], general.R[8])
    place.R, place.p, place.c = times9(A, R), add3(apply9(A, p), (link.r[0], link.r[1], link.r[2])), drift


@kernel(inline=True)
def columns_in(work, e, like):
    """The freedoms of the general link whose scratch begins at slot e."""
    return records_in(Column, work, e + E_COLUMN, like)


@kernel(inline=True)
def has_unit_axes(link, general):
    """Is S made of the first nv unit vectors? Then products with S are just picks."""
    return link.kind != CUSTOM and general.backwards == 0


@kernel(inline=True)
def is_free_base(link, general):
    """A free joint to the world, walked from the world."""
    return link.kind == FREE and link.parent < 0 and general.backwards == 0


@kernel
def _run_custom(code, at_q, at_qdot, nv, work, first, scratch, like) -> None:
    """Lane by lane: copy q and v together, call the user's function, spread its result into slots."""
    lanes = width(like)
    # Raw floats behind the slots that will hold pose and rate (13 slots), so that lanes do not overwrite each other.
    raw = (scratch + 13) * lanes
    for lane in range(lanes):
        for k in range(nv):
            work[raw + k] = work[(at_q + k) * lanes + lane]
            work[raw + nv + k] = work[(at_qdot + k) * lanes + lane]
        out = raw + 2 * nv
        call_custom(code, work, raw, raw + nv, out)
        for j in range(7):
            work[(scratch + j) * lanes + lane] = work[out + j]
        for k in range(nv):
            for j in range(6):
                work[(first + COLUMN * k + j) * lanes + lane] = work[out + 7 + 6 * k + j]
        for j in range(6):
            work[(scratch + 7 + j) * lanes + lane] = work[out + 7 + 6 * nv + j]


@kernel
def joint_motion(link, general, work, e, at_rates, like) -> Vector[6]:
    """S x for the rates x of the joint, which stand in `work` from `at_rates` on."""
    o = zero(like)
    if has_unit_axes(link, general):
        w = load3(work, at_rates, like)
        u = (o, o, o)
        if link.kind == FREE:
            u = load3(work, at_rates + 3, like)
        return w[0], w[1], w[2], u[0], u[1], u[2]
    V, columns = (o, o, o, o, o, o), columns_in(work, e, like)
    for k in range(link.nv):
        V = add6(V, scale6(load(work, at_rates + k, like), columns[k].S))
    return V


@kernel(inline=True)
def pose_general(work, e, like):
    """X_PC of a general link, as `place_general` left it."""
    place = record_in(GeneralLink, work, e, like)
    return place.R, place.p


@kernel
def motion_out_general(work, e, V, like) -> Vector[6]:
    """A motion vector from parent to child coordinates."""
    return motion_to_child(pose_general(work, e, like), V)


@kernel
def force_in_general(work, e, F, like) -> Vector[6]:
    """A force vector from child to parent coordinates."""
    return force_to_parent(pose_general(work, e, like), F)


@kernel
def store_joint_force(link, general, work, e, f, at_rates, at_result, like) -> None:
    """S^T f + armature qddot: the joint's share of the force f on its link, for accelerations in `work` from `at_rates` on."""
    J = general.armature
    if has_unit_axes(link, general):
        qddot = load3(work, at_rates, like)
        store3(work, at_result, (f[0] + J[0] * qddot[0], f[1] + J[1] * qddot[1], f[2] + J[2] * qddot[2]))
        if link.kind == FREE:
            qddot = load3(work, at_rates + 3, like)
            store3(work, at_result + 3, (f[3] + J[3] * qddot[0], f[4] + J[4] * qddot[1], f[5] + J[5] * qddot[2]))
    else:
        columns = columns_in(work, e, like)
        for k in range(link.nv):
            store(work, at_result + k, dot6(columns[k].S, f) + J[k] * load(work, at_rates + k, like))


@kernel(inline=True)
def _remove(column, A, p, tau, armature):
    """Remove one freedom from (A, p): U = A S, D = S^T U + armature, u = tau - S^T p. What the way out needs goes to the column."""
    S = column.S
    U = articulated_times(A, S)
    D = 1.0 / (dot6(S, U) + armature)
    u = D * (tau - dot6(S, p))
    column.K, column.u, column.D = scale6(D, U), u, D
    return articulated_downdate(A, U, D), add6(p, scale6(u, U))


@kernel
def eliminate_general(link, general, work, e, at, at_tau, at_driven, like) -> None:
    """Remove the joint's freedoms from the articulated inertia and bias force in the branch at slot `at`, then express them in parent coordinates.

    Driven velocities (a number other than 0 in `work` from `at_driven` on, if at_driven >= 0) are not removed: there `at_tau`
    holds an acceleration, which acts like one more bias acceleration.
    """
    branch, columns = record_in(ArticulatedBranch, work, at, like), columns_in(work, e, like)
    A, p, c = branch.IA, branch.pA, record_in(GeneralLink, work, e, like).c
    for k in range(link.nv):
        if at_driven >= 0 and is_driven(work, at_driven + link.v + k, like):
            c = add6(c, scale6(load(work, at_tau + link.v + k, like), columns[k].S))
    p = add6(p, articulated_times(A, c))
    for k in range(link.nv):
        if at_driven >= 0 and is_driven(work, at_driven + link.v + k, like):
            continue
        A, p = _remove(columns[k], A, p, load(work, at_tau + link.v + k, like), general.armature[k])
    if link.parent >= 0:
        X = pose_general(work, e, like)
        branch.IA, branch.pA = articulated_to_parent(X, A), force_to_parent(X, p)


@kernel(inline=True)
def is_driven(work, at, like):
    """Flags are the same in every lane, so the first one tells."""
    return work[at * width(like)] != 0.0


@kernel
def accelerate_general(link, work, e, a, at_tau, at_driven, at_result, like) -> Vector[6]:
    """From the acceleration of the frame (parent's, in child coordinates) to the joint's accelerations and the link's.

    Columns are solved in the reverse order of their elimination. The bias (c, and S qddot of driven velocities) is in u already, so it joins last.
    """
    c, columns = record_in(GeneralLink, work, e, like).c, columns_in(work, e, like)
    for back in range(link.nv):
        k = link.nv - 1 - back
        column = columns[k]
        S = column.S
        if at_driven >= 0 and is_driven(work, at_driven + link.v + k, like):
            qdd = load(work, at_tau + link.v + k, like)
            c = add6(c, scale6(qdd, S))
        else:
            qdd = column.u - dot6(column.K, a)
            a = add6(a, scale6(qdd, S))
        store(work, at_result + link.v + k, qdd)
    return add6(a, c)
