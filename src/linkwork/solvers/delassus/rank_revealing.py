"""Constrained dynamics where the rank is uncertain: rows chosen on J by the rule of rank, and iterative refinement until they hold.

    K lambda = -r for the rows taken;       vdot += M^-1 J^T lambda;       r = J vdot + gamma, from the rows themselves;       and again

K squares the condition of J, so with masses that differ by 1e10 in a loop it has lost a dozen digits. The residual has not: each correction recovers
as many digits as K has left (iterative refinement, Wilkinson 1963). Accelerations are corrected by the residuals of the whole system, of forces as
well as of rows (solvers/delassus/imbalance.py). Where rows that were taken do not hold in the end, the masses differ by more than double precision
can resolve, and the residual is infinite. Any solver may hand over to this one.

The residual of rows that were left out is a contradiction, relative to the sums |J_ij vdot_j| and gamma of the rows of their group.
"""

import math

from ...constraints.modes import ACCELERATION, CONTRADICTION, IMPULSE, LEVEL, POSITION, SAME_ROWS
from ...constraints.rank import TOUCHES, choose_rows
from ...constraints.row_matrix import fill_jacobian, lay_directions
from ...constraints.rows import fill_residuals
from ...dynamics.exchange import copy
from ...dynamics.joints.general import is_driven
from ...dynamics.sweep import ACCELERATION_ORDER, sweep_links
from ...kernels import kernel
from ...kernels.lane_flags import is_flagged, where_flagged
from ...kernels.scalar import where, width, zero
from ...kernels.views import floats_of
from ...model.constraint_tables import open_constraints
from .cancellation import HOLDS, residuals_beyond
from .imbalance import add_imbalance, find_imbalance
from .row_propagation import innovations, respond
from .semidefinite import FLOOR, SHARE, factor_chosen, substitute

CORRECTIONS = 5  # each recovers at least three digits where K has three left; the last is of the rows alone
REFINEMENTS = 2  # where K shows the rank clearly each recovers at least nine; one more for rows that did not hold before the first
UNSOLVED = 1e-6  # of the sums of the rows of a group: a row that was taken and has a larger residual does not hold
DIGITS = 1e-14  # of accelerations without constraints: where less than this is left of them with constraints, it is rounding
# Of natural size times the fastest acceleration. A row that touches nothing is a group by itself, though it may have entries up to TOUCHES: what these
# see of accelerations and squares of velocities, some dozens of them, is no contradiction.
ROUNDING = 100.0 * TOUCHES / CONTRADICTION


@kernel
def solve_rank_revealing(model, data, mode, options, feedback) -> None:
    """Multipliers and tree.vdot, where K and the residuals at vdot have been found; rank, and the residual of each group's left-out rows."""
    m, level, damping = open_constraints(model).nc, mode & LEVEL, feedback[2]
    fill_jacobian(model, data, data.tree.motion, data.rows.rows)
    for v in range(model.nv):
        if is_driven(data.tree.driven, v, options):
            data.reach[v] = zero(data)
    _choose(model, data, mode)
    factor_chosen(model, data, damping)
    copy(data.residuals, data.first_residuals, m)
    for i in range(m):
        data.sums[i] = zero(data)
    _correct(model, data, level, options, feedback, CORRECTIONS if damping == 0.0 else 1)
    _judge(model, data, damping == 0.0)
    copy(data.first_residuals, data.residuals, m)


@kernel
def refine(model, data, mode, options, feedback) -> None:
    """Correct accelerations and multipliers that have been found, with the present rows and factor (criteria in cancellation.py)."""
    m, level = open_constraints(model).nc, mode & LEVEL
    copy(data.residuals, data.first_residuals, m)
    copy(data.multipliers, data.sums, m)
    _residuals_now(model, data, level, feedback)
    times = REFINEMENTS + 1 if residuals_beyond(model, data, HOLDS, 0.0, 0.0) != 0 else REFINEMENTS
    _correct(model, data, level, options, feedback, times)
    fails = residuals_beyond(model, data, UNSOLVED, FLOOR, DIGITS)
    data.residual = where_flagged(fails, zero(data) + math.inf, data.residual)
    copy(data.first_residuals, data.residuals, m)


@kernel
def _correct(model, data, level, options, feedback, times) -> None:
    """Correct vdot by the residuals, again and again; the multipliers of all corrections are added to the sums, and given out.

    The last correction is of the rows alone. The residual of forces contains rounding of the forces, which may exceed the tolerance of the rows where
    constraint forces cancel nearly all others, as on the light side of a gear.
    """
    m = open_constraints(model).nc
    for k in range(times):
        whole = k + 1 < times and (level == ACCELERATION or level == IMPULSE)
        copy(data.tree.vdot, data.before, model.nv if k + 2 == times else 0)
        if whole:
            find_imbalance(model, data, level, options)
        substitute(model, data)
        innovations(model, data)
        if whole:
            add_imbalance(model, data)
        respond(model, data.tree, data.e, options)
        for i in range(m):
            data.sums[i] = data.sums[i] + data.multipliers[i]
        _residuals_now(model, data, level, feedback)
    copy(data.sums, data.multipliers, m)


@kernel
def _residuals_now(model, data, level, feedback) -> None:
    """Residuals of the rows at vdot: of accelerations from the rows themselves, of corrections r + J dv."""
    c, tree = open_constraints(model), data.tree
    if level == ACCELERATION or level == IMPULSE:
        sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, ACCELERATION_ORDER)
        fill_residuals(model, data, level, feedback[0], feedback[1])
    else:
        for b in range(c.nblocks):
            block = c.blocks[b]
            for i in range(block.rows):
                value, y = data.first_residuals[block.row + i], block.y + i * block.width
                for k in range(y, y + block.width):
                    value = value + data.J[k] * tree.vdot[c.velocities[k]]
                data.residuals[block.row + i] = value


@kernel
def _choose(model, data, mode) -> None:
    """Choose the rows of each lane, group by group, to `taken`, and the groups of those that share velocities, which may be smaller."""
    c, one, lanes = open_constraints(model), data.choice, width(data)
    natural, gap = floats_of(data.natural), floats_of(data.gap)
    for i in range(c.nc):
        phi = data.rows.rows[i].phi
        data.gap[i] = where(phi < 0.0, zero(data) - phi, phi)
        data.taken[i] = 0
    for lane in range(lanes):
        for g in range(c.ngroups):
            group = c.groups[g]
            lay_directions(model, data, one, group, lane, mode & LEVEL == POSITION)
            for f in range(group.block, group.block + group.blocks):
                block = c.blocks[c.fellows[f]]
                for row in range(block.row, block.row + block.rows):
                    size = natural[row * lanes + lane]
                    one.gap[c.places[row]] = gap[row * lanes + lane] / size if size > 0.0 and block.holonomic else 0.0
                    one.prefer[c.places[row]] = 1 if mode & SAME_ROWS and is_flagged(data.decided[row], lane) else 0
            choose_rows(one, group.rows, group.columns)
            for i in range(group.rows):
                row = c.members[group.first + i]
                if one.taken[i] == 1:
                    data.taken[row] = data.taken[row] | (1 << lane)
                data.group[row * lanes + lane] = c.members[group.first + one.group[i]]


@kernel
def _judge(model, data, solved) -> None:
    """The residual of each lane. `solved`: rows that were taken should hold (there was no damping)."""
    worst = floats_of(data.worst)
    for lane in range(width(data)):
        worst[lane] = _judge_lane(model, data, lane, solved)
    data.residual = data.worst[0]


@kernel
def _judge_lane(model, data, lane, solved) -> float:
    """The residual of left-out rows, relative to the sums of the rows of their group; infinite if rows that were taken do not hold, or if corrections do not
    come to an end."""
    if solved and _changes(model, data, lane):
        return math.inf
    c, lanes, m, nv = open_constraints(model), width(data), open_constraints(model).nc, model.nv
    J, vdot, r, first = floats_of(data.J), floats_of(data.tree.vdot), floats_of(data.residuals), floats_of(data.first_residuals)
    natural, reach, v, fastest = floats_of(data.natural), floats_of(data.reach), floats_of(data.tree.v), 0.0
    for k in range(nv):
        if reach[k * lanes + lane] > 0.0:
            speed = v[k * lanes + lane] / reach[k * lanes + lane]
            fastest = max(fastest, abs(vdot[k * lanes + lane]) / reach[k * lanes + lane] + speed * speed)
    for i in range(m):
        data.group_moves[i] = FLOOR
        data.group_scale[i] = FLOOR
    for b in range(c.nblocks):
        block = c.blocks[b]
        for i in range(block.row, block.row + block.rows):
            parts, sum_of, y = 0.0, 0.0, block.y + (i - block.row) * block.width
            for k in range(y, y + block.width):
                term = J[k * lanes + lane] * vdot[c.velocities[k] * lanes + lane]
                parts += abs(term)
                sum_of += term
            parts += abs(r[i * lanes + lane] - sum_of)
            least = max(ROUNDING * natural[i * lanes + lane] * fastest, SHARE * abs(first[i * lanes + lane]))
            g = data.group[i * lanes + lane]
            data.group_moves[g] = max(data.group_moves[g], parts)
            data.group_scale[g] = max(data.group_scale[g], max(parts, least))
    worst = 0.0
    for i in range(m):
        g = data.group[i * lanes + lane]
        row_residual = abs(r[i * lanes + lane]) / data.group_scale[g]
        if is_flagged(data.taken[i], lane):
            moves = data.group_moves[g]
            if solved and not abs(r[i * lanes + lane]) <= UNSOLVED * moves:
                return math.inf
        elif not row_residual <= worst:
            worst = row_residual
    return worst


@kernel
def _changes(model, data, lane) -> bool:
    """Has the last correction of the whole system changed the accelerations of a group by more than UNSOLVED?"""
    c, lanes = open_constraints(model), width(data)
    vdot, before, reach = floats_of(data.tree.vdot), floats_of(data.before), floats_of(data.reach)
    for g in range(c.ngroups):
        most, change = FLOOR, 0.0
        for f in range(c.groups[g].block, c.groups[g].block + c.groups[g].blocks):
            block = c.blocks[c.fellows[f]]
            for y in range(block.y, block.y + block.width):
                k = c.velocities[y] * lanes + lane
                if reach[k] > 0.0:
                    most, change = max(most, abs(vdot[k]) / reach[k]), max(change, abs(vdot[k] - before[k]) / reach[k])
        if not change <= UNSOLVED * most:
            return True
    return False
