"""The numeric factor of the multiplier system: links from the tips inward, then solutions outward.

    first      cut bodies of joints that close loops, with their welds (loop_joints.py)
    inward     a link with the rows of its joint, in the pivots of dynamics/aba.py; the rows of constraints on it follow (rows.py);
               before a link, the constraints that meet there (factor.py)
    outward    qddot = D^-1 (u + y lambda - U^T a'),   a = a' + S qddot;  after a link, the multipliers of the constraints that meet there

For a tree this is the articulated-body recursion, O(n); a loop adds its rows along its path only. Gravity acts as a force on the links, so
that accelerations are those that rows speak of. They are left in tree.motion.
"""

import math

from ...constraints.modes import ACCELERATION, GAPS, LEVEL, POSITION, REUSE_ROWS, SAME_ROWS
from ...constraints.rows import along_row
from ...data.tree import VELOCITIES, WRENCHES
from ...dynamics.aba import add_body
from ...dynamics.joints.sparse import eliminate_joint, push_joint, rows_through_joint, solve_joint
from ...dynamics.sweep import VELOCITY_ORDER
from ...kernels import kernel
from ...kernels.scalar import width
from ...kernels.views import floats_of
from ...model.constraint_tables import open_constraints
from ...model.tables import rigid_of
from ...spatial.articulated import articulated_plus_rigid, zero_articulated
from ...spatial.vectors import add6, sub6
from ..delassus.cancellation import rows_hold
from ..delassus.off_constraints import lanes_off_constraints
from .factor import eliminate_constraint, find_multipliers
from .loop_joints import close_joints, open_joint, own_bias
from .prepare import prepare
from .rows import couple_rows, push, take_rows


@kernel
def solve(model, data, mode, options, feedback) -> None:
    """Accelerations and multipliers of one state: q, v, tau (and wrenches, if `options` has WRENCHES) of data.tree, and data.rows.time, to tree.vdot,
    multipliers, rank, residual and least pivot.

    `mode`: ACCELERATION, with the feedback phi_ddot + speed phi_dot + stiffness phi = 0 (Baumgarte 1972; feedback = speed, stiffness, ...); or the
    correction of velocities (VELOCITY) or of positions (POSITION) in the mass metric, for which tau must be zero. REUSE_ROWS: `prepare` has been
    called. SAME_ROWS: within a step, rows that were left out at its start are left out again. Where the rank is in doubt the residual is infinite.
    """
    level = mode & LEVEL
    data.same, data.doubt, data.redundant, data.pivot = mode & SAME_ROWS != 0, False, 0, 1.0
    data.positions = level == POSITION
    if mode & REUSE_ROWS == 0:
        prepare(model, data, GAPS)
    if data.program.count > 0:
        set_level(model, data, level, feedback)
        take_rows(data)
    if level == ACCELERATION:
        options = options | VELOCITIES
    data.rank = close_joints(model, data, options) + _inward(model, data, options)
    go_outward(model, data)
    if level == ACCELERATION and (data.program.uneven or not rows_hold(model, data)):
        data.doubt = True
    if level == ACCELERATION and not data.same and data.redundant > 0 and lanes_off_constraints(model, data.rows) != 0:
        data.doubt = True
    if data.doubt and data.program.reveals_rank:
        data.residual = math.inf
    elif data.same:
        data.residual = 0.0  # of rows that were left out where the step started


@kernel
def set_level(model, data, level, feedback) -> None:
    """The residual of a row on the level of the mode, in place of its gamma."""
    speed, stiffness = feedback[0], feedback[1]
    if level == ACCELERATION and speed == 0.0 and stiffness == 0.0:
        return
    c, tree = open_constraints(model), data.tree
    for k in range(c.nblocks):
        block = c.blocks[k]
        for i in range(block.rows):
            row = data.rows.rows[block.row + i]
            if level == POSITION:
                row.gamma = row.phi
                continue
            rate = along_row(model, block, tree.motion, VELOCITY_ORDER, tree.v, row) + row.rate
            if level == ACCELERATION:
                row.gamma = row.gamma + (speed * rate + stiffness * row.phi)
            else:
                row.gamma = rate


@kernel
def _inward(model, data, options) -> int:
    """Eliminate links and constraints, from the tips. Returns the number of rows kept."""
    program, motion, branches, inward = data.program, data.tree.motion, data.branches, data.inward
    n, nothing, zero6, rank = model.n, zero_articulated(0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 0
    for i in range(n):
        if model.links[i].branch >= 0:
            branch = branches[model.links[i].branch]
            branch.IA, branch.pA = nothing, zero6
    inward.IA, inward.pA = nothing, zero6
    for j in range(n):
        i = n - 1 - j
        joint, link, at = model.links[i], motion.links[i], program.links[i]
        if at.gone:
            continue
        if at.closing_inertia >= 0:
            add_body(inward, data.closing_inertias[at.closing_inertia])
        if joint.branch >= 0:
            add_body(inward, branches[joint.branch])
        for e in range(at.meet, at.meet + at.meets):
            rank += eliminate_constraint(data, e)
        v, pA = zero6, inward.pA
        if options & VELOCITIES:
            v = link.v
            if joint.massive:
                pA = add6(pA, own_bias(joint, link.R, v, model.gravity))
        if options & WRENCHES:
            pA = sub6(pA, data.tree.wrenches[i].f)
        IA = articulated_plus_rigid(inward.IA, rigid_of(joint))
        eliminate_joint(model, data, i, IA, pA, v, options)
        if at.entries > 0:
            rows_through_joint(model, data, i)
            couple_rows(model, data, i)
        if not joint.follows:
            if joint.parent >= 0:
                add_body(branches[model.links[joint.parent].branch], inward)
            inward.IA, inward.pA = nothing, zero6
    for e in range(program.world, program.count):
        rank += eliminate_constraint(data, e)
    return rank


@kernel
def go_outward(model, data) -> None:
    """Multipliers and accelerations once all is eliminated, and the residual."""
    data.residual = _outward(model, data)
    _give_multipliers(data)
    for k in range(data.program.closing):
        open_joint(model, data, k)


@kernel
def _outward(model, data) -> float:
    """Multipliers and accelerations, from the root outward. Returns the largest residual of a dependent row."""
    program, links = data.program, data.tree.motion.links
    zero6, residual = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 0.0
    for back in range(program.count - program.world):
        residual = max(residual, find_multipliers(data, program.count - 1 - back, zero6))
    a = zero6
    for i in range(model.n):
        joint, at = model.links[i], program.links[i]
        if at.gone:
            continue
        if not joint.follows:
            a = zero6
            if joint.parent >= 0:
                a = links[joint.parent].a
        if at.entries > 0:
            for k in range(joint.nv):
                push_joint(model, data, i, k, push(model, data, i, k))
        a = solve_joint(model, data, i, a)
        links[i].a = a
        for back in range(at.meets):
            residual = max(residual, find_multipliers(data, at.meet + at.meets - 1 - back, a))
    return residual


@kernel
def _give_multipliers(data) -> None:
    """The multipliers of the rows of the model from those in lanes; closing joints give theirs (`open_joint`)."""
    program, lanes, reduced = data.program, width(data.reduced), floats_of(data.reduced)
    for e in range(program.count):
        c = program.constraints[e]
        if c.row >= 0:
            for i in range(c.rows):
                data.multipliers[c.row + i] = reduced[c.pack * lanes + i]
