"""The numeric factor of the multiplier system: links from the tips inward, then solutions outward.

    first      twins of joints that close loops, with their welds (sparse_closing.py)
    inward     a link with the rows of its joint, in the pivots of dynamics/aba.py; the rows of constraints on it follow (sparse_rows.py);
               before a link, the constraints that meet there (sparse_factor.py)
    outward    qddot = D^-1 (u + y lambda - U^T a'),   a = a' + S qddot;  after a link, the multipliers of the constraints that meet there

For a tree this is the articulated-body recursion, O(n); a loop adds its rows along its path only. Gravity acts as a force on the links, so
that accelerations are those that rows speak of.
"""

from ..data.constraints import SparseLink
from ..data.tree import ArticulatedBranch
from ..dynamics.axial_joint import along_axis, hand_inward, on_axis, plus_product, times_axis, velocity_product
from ..dynamics.general import COLUMN, E_C, E_COLUMN, accelerate_general, eliminate_general, joint_motion, motion_out_general
from ..dynamics.links import rigid_of
from ..dynamics.slots import add_slots
from ..dynamics.sweep import S_A, S_R, S_V, STRIDE, sweep_links
from ..kernels import kernel
from ..kernels.scalar import width
from ..kernels.views import record_in, records_in
from ..model.rules import open_rules
from ..model.tables import AXIAL, GATHER_SLOTS, at_carry, at_extras, at_gathers, at_links, at_v, at_x, at_y, count_links, open_tables
from ..parts.constraints.rows import R_GAMMA, R_PHI, R_RATE, ROW
from ..spatial.articulated import articulated_plus_rigid, zero_articulated
from ..spatial.axial import motion_out_axial, place_axial
from ..spatial.matrices import load9
from ..spatial.motion import cross_motion
from ..spatial.vectors import add6, dot6, load3, load6, scale6, store6, sub6
from .laws import evaluate_laws
from .modes import ACCELERATION, HERE, LEVEL, POSITION
from .rows import along_row, evaluate_rows
from .semidefinite import FLOOR
from .sparse_ball import is_plain_ball, pivot_ball
from .sparse_closing import close_joints, load_on, open_joint
from .sparse_factor import eliminate_constraint, find_multipliers
from .sparse_program import (
    L_LIST,
    L_LOAD,
    L_MEET,
    L_MEETS,
    LINK,
    P_COUNT,
    P_JOINTS_COUNT,
    P_LARGEST,
    P_LAWS,
    P_LINKS,
    P_RAW,
    P_ROWS,
    P_STORE,
    P_TIME,
    P_WORLD,
    open_workspace,
)
from .sparse_rows import push, rows_through_axial, rows_through_general, take_rows


@kernel
def solve_state(handle, memory, forces, mode, speed, stiffness, wide) -> tuple[int, float]:
    """Accelerations and multipliers of one state, whose q, v, tau and time stand in the memory; `forces`: where link forces start, or -1.

    `mode`: ACCELERATION, with the feedback phi_ddot + speed phi_dot + stiffness phi = 0 (Baumgarte 1972); or the correction of velocities
    (VELOCITY) or of positions (POSITION) in the mass metric, for which tau must be zero. HERE: `evaluate_state` has been called.
    Returns (rank, largest residual of a dependent row relative to the largest right side of a row).
    """
    P, work = open_workspace(memory)
    work[P[P_LARGEST]] = FLOOR
    level = mode & LEVEL
    if mode & HERE == 0:
        evaluate_state(handle, P, work)
    if P[P_COUNT] > 0:
        set_level(handle, P, work, level, speed, stiffness)
        take_rows(P, work, wide)
    moving = level == ACCELERATION
    rank = close_joints(handle, P, work, moving, width(wide)) + _inward(handle, P, work, forces, moving, wide)
    return rank, go_outward(handle, P, work, wide)


@kernel
def evaluate_state(handle, P, work) -> None:
    """Poses and velocities of all links, and all rows, at q, v and the time in the memory."""
    sweep_links(handle, work, 1, 0.0)
    if P[P_COUNT] > 0:
        evaluate_laws(handle, work, P[P_TIME], P[P_LAWS], P[P_RAW], 0.0)
        evaluate_rows(handle, work, work, P[P_ROWS], P[P_TIME], P[P_LAWS], P[P_RAW], 0.0)


@kernel
def go_outward(handle, P, work, wide) -> float:
    """Multipliers and accelerations once all is eliminated. Returns the largest residual, relative to the largest right side."""
    residual = _outward(handle, P, work, wide)
    for k in range(P[P_JOINTS_COUNT]):
        open_joint(handle, P, work, k, width(wide))
    return residual / work[P[P_LARGEST]]


@kernel
def set_level(handle, P, work, level, speed, stiffness) -> None:
    """What a row lacks on the level of the mode, in place of its gamma."""
    if level == ACCELERATION and speed == 0.0 and stiffness == 0.0:
        return
    t, c = open_tables(handle), open_rules(handle)
    for k in range(c.size[0]):
        block = c.blocks[k]
        for i in range(block.rows):
            at = P[P_ROWS] + ROW * (block.row + i)
            if level == POSITION:
                work[at + R_GAMMA] = work[at + R_PHI]
                continue
            rate = along_row(t, c, block, work, S_V, at_v(t), work, at, 0.0) + work[at + R_RATE]
            if level == ACCELERATION:
                work[at + R_GAMMA] += speed * rate + stiffness * work[at + R_PHI]
            else:
                work[at + R_GAMMA] = rate


@kernel
def _inward(handle, P, work, forces, moving, wide) -> int:
    t = open_tables(handle)
    n, links, extras, gathers = count_links(t), at_links(t), at_extras(t, STRIDE), at_gathers(t, STRIDE)
    carry, taus = at_carry(t, STRIDE), at_x(t)
    branch = record_in(ArticulatedBranch, work, carry, 0.0)
    nothing, zero6 = zero_articulated(0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    gravity = (t.gravity[0], t.gravity[1], t.gravity[2])
    rank = 0
    for k in range(gathers, carry + GATHER_SLOTS):
        work[k] = 0.0
    for j in range(n):
        i = n - 1 - j
        link = t.links[i]
        w, at = links + STRIDE * i, P[P_LINKS] + LINK * i
        if P[at + L_LOAD] < 0:
            continue
        if P[at + L_LOAD] > 0:
            add_slots(work, P[at + L_LOAD], carry, GATHER_SLOTS, 0.0)
        if link.gather >= 0:
            add_slots(work, gathers + GATHER_SLOTS * link.gather, carry, GATHER_SLOTS, 0.0)
        for e in range(P[at + L_MEET], P[at + L_MEET] + P[at + L_MEETS]):
            rank += eliminate_constraint(P, work, e, carry, wide)
        v = load6(work, w + S_V, 0.0) if moving else zero6
        p = branch.pA
        if link.massive and moving:
            p = add6(p, load_on(link, load9(work, w + S_R, 0.0), v, gravity))
        if forces >= 0:
            p = sub6(p, load6(work, forces + 6 * i, 0.0))
        A = articulated_plus_rigid(branch.IA, rigid_of(link))
        if link.kind == AXIAL:
            kept = records_in(SparseLink, work, P[P_STORE], 0.0)[i]
            _pivot_axial(link, work, (w, at_v(t) + link.v, taus + link.v), kept, branch, A, p, v)
            if P[at + L_LIST] > 0:
                rows_through_axial(handle, P, work, i, wide)
        else:
            x, general = extras + link.extra, t.generals[link.general]
            c = zero6
            if moving:
                vJ = joint_motion(link, general, work, x, at_v(t) + link.v, 0.0)
                c = add6(load6(work, x + E_C, 0.0), cross_motion(v, vJ))
            store6(work, x + E_C, c)
            if is_plain_ball(link, general):
                A, p = pivot_ball(work, x, A, p, load3(work, taus + link.v, 0.0))
                branch.IA, branch.pA = A, p
            else:
                branch.IA, branch.pA = A, p
                eliminate_general(link, general, work, x, carry, taus, -1, 0.0)
            if P[at + L_LIST] > 0:
                rows_through_general(handle, P, work, i, wide)
        if not link.follows:
            if link.parent >= 0:
                add_slots(work, carry, gathers + GATHER_SLOTS * t.links[link.parent].gather, GATHER_SLOTS, 0.0)
            branch.IA, branch.pA = nothing, zero6
    for e in range(P[P_WORLD], P[P_COUNT]):
        rank += eliminate_constraint(P, work, e, -1, wide)
    return rank


@kernel(inline=True)
def _pivot_axial(link, work, place, kept, branch, A, p, v):
    """Eliminate an axial link with its joint: pivots to the record `kept`, the parent's part to `branch`. Featherstone 1987, section 6.4.

    place: the slots of cosine, velocity and force of the joint.
    """
    w, at_velocity, at_tau = place
    c = velocity_product(link, v, work[at_velocity])
    U = times_axis(link, A)
    D = 1.0 / (on_axis(link, U) + link.armature)
    K, u = scale6(D, U), work[at_tau] - on_axis(link, p)
    kept.K, kept.u, kept.D, kept.c = K, u * D, D, c
    if link.parent >= 0:
        hand_inward(link, work[link.q], work[w], work[w + 1], A, p, (U, K, D, u), c, branch)


@kernel
def _outward(handle, P, work, wide) -> float:
    """Multipliers and accelerations, from the root outward. Returns the largest residual of a dependent row."""
    t = open_tables(handle)
    links, extras, taus, results = at_links(t), at_extras(t, STRIDE), at_x(t), at_y(t)
    residual = 0.0
    for back in range(P[P_COUNT] - P[P_WORLD]):
        residual = max(residual, find_multipliers(P, work, P[P_COUNT] - 1 - back, -1, width(wide)))
    a = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(count_links(t)):
        link = t.links[i]
        w, at = links + STRIDE * i, P[P_LINKS] + LINK * i
        if P[at + L_LOAD] < 0:
            continue
        if not link.follows:
            a = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            if link.parent >= 0:
                a = load6(work, links + STRIDE * link.parent + S_A, 0.0)
        if link.kind == AXIAL:
            kept = records_in(SparseLink, work, P[P_STORE], 0.0)[i]
            a = motion_out_axial(link, place_axial(link, work[link.q]), work[w], work[w + 1], a)
            a = plus_product(a, kept.c)
            qddot = kept.u - dot6(kept.K, a)
            if P[at + L_LIST] > 0:
                qddot += kept.D * push(P, work, i, 0, 1, wide)
            work[results + link.v] = qddot
            a = along_axis(link, a, qddot)
        else:
            x = extras + link.extra
            if P[at + L_LIST] > 0:
                for k in range(link.nv):
                    column = x + E_COLUMN + COLUMN * k
                    work[column + 12] += work[column + 13] * push(P, work, i, k, link.nv, wide)
            a = accelerate_general(link, work, x, motion_out_general(work, x, a, 0.0), taus, -1, results, 0.0)
        store6(work, w + S_A, a)
        for back in range(P[at + L_MEETS]):
            e = P[at + L_MEET] + P[at + L_MEETS] - 1 - back
            residual = max(residual, find_multipliers(P, work, e, w + S_A, width(wide)))
    return residual
