"""Constrained dynamics where the rank is in doubt: rows chosen on J by the rule of rank, and corrections until they hold.

    K lambda = -r for the rows taken;       vdot += M^-1 J^T lambda;       r = J vdot + gamma, from the rows themselves;       and again

K is a square, so with masses that differ by 1e10 in a loop a dozen of its digits are gone. The residual is not: each correction wins back as many digits
as K has left (iterative refinement, Wilkinson 1963). Where rows that were taken do not hold in the end, the masses differ by more than numbers
of 16 digits can tell, and the residual is infinite. Any solver hands over to this one.

What rows that were left out lack is a contradiction, judged within their group: by what its rows add up to, |J_ij vdot_j| and gamma.
"""

import math

from ..dynamics.exchange import copy
from ..dynamics.joints.general import is_driven
from ..dynamics.sweep import ACCELERATION_ORDER, sweep_links
from ..kernels import kernel
from ..kernels.lane_flags import is_flagged, where_flagged
from ..kernels.scalar import where, width, zero
from ..kernels.views import floats_of
from ..model.rules import open_rules
from .cancellation import HOLDS, residuals_beyond
from .modes import ACCELERATION, CONTRADICTION, IMPULSE, LEVEL, POSITION, SAME
from .propagate import innovations, respond
from .rank_rule import TOUCHES, choose_rows
from .residuals import fill_residuals
from .row_matrix import fill_jacobian
from .semidefinite import FLOOR, SHARE, factor_chosen, substitute

CORRECTIONS = 4  # each wins at least three digits where K has three left
REFINEMENTS = 2  # where K shows the rank clearly each wins at least nine
UNSOLVED = 1e-6  # of what the rows of a group add up to: a row that was taken and lacks more does not hold
DIGITS = 1e-14  # of accelerations without constraints: where less than this is left of them with constraints, it is rounding
# Of natural size times the fastest acceleration. A row that touches nothing is a group by itself, though it may have entries up to TOUCHES: what these
# see of accelerations and squares of velocities, some dozens of them, is no contradiction.
ROUNDING = 100.0 * TOUCHES / CONTRADICTION


@kernel
def solve_carefully(model, data, mode, options, feedback) -> None:
    """Multipliers and tree.vdot, where K and the residuals at vdot have been found; rank, and the residual of each group's left-out rows."""
    m, level, damping = open_rules(model).nc, mode & LEVEL, feedback[2]
    fill_jacobian(model, data, data.tree.motion, data.rows.rows)
    for v in range(model.nv):
        if is_driven(data.tree.driven, v, options):
            data.reach[v] = zero(data)
    _choose(model, data, mode)
    factor_chosen(data, m, damping)
    copy(data.residuals, data.first_residuals, m)
    for i in range(m):
        data.sums[i] = zero(data)
    _correct(model, data, level, options, feedback, CORRECTIONS if damping == 0.0 else 1)
    _judge(model, data, damping == 0.0)
    copy(data.first_residuals, data.residuals, m)


@kernel
def refine(model, data, mode, options, feedback) -> None:
    """Correct accelerations and multipliers that have been found, with the rows and the factor there are, where rows do not hold (cancellation.py)."""
    m, level = open_rules(model).nc, mode & LEVEL
    copy(data.residuals, data.first_residuals, m)
    copy(data.multipliers, data.sums, m)
    _residuals_now(model, data, level, feedback)
    if residuals_beyond(model, data, HOLDS, 0.0, 0.0) != 0:
        _correct(model, data, level, options, feedback, REFINEMENTS)
        fails = residuals_beyond(model, data, UNSOLVED, FLOOR, DIGITS)
        data.residual = where_flagged(fails, zero(data) + math.inf, data.residual)
    copy(data.first_residuals, data.residuals, m)


@kernel
def _correct(model, data, level, options, feedback, times) -> None:
    """Correct vdot by the residuals, again and again; the multipliers of all corrections are added to the sums, and given out."""
    m = open_rules(model).nc
    for _ in range(times):
        substitute(data, m)
        innovations(model, data)
        respond(model, data.tree, data.e, options)
        for i in range(m):
            data.sums[i] = data.sums[i] + data.multipliers[i]
        _residuals_now(model, data, level, feedback)
    copy(data.sums, data.multipliers, m)


@kernel
def _residuals_now(model, data, level, feedback) -> None:
    """What the rows lack at vdot: of accelerations from the rows themselves, of corrections r + J dv."""
    tree, m, nv = data.tree, open_rules(model).nc, model.nv
    if level == ACCELERATION or level == IMPULSE:
        sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, ACCELERATION_ORDER)
        fill_residuals(model, data, level, feedback[0], feedback[1])
    else:
        for i in range(m):
            value = data.first_residuals[i]
            for k in range(nv):
                value = value + data.J[nv * i + k] * tree.vdot[k]
            data.residuals[i] = value


@kernel
def _choose(model, data, mode) -> None:
    """Choose the rows of each lane, to `taken`, and their groups."""
    c, one, lanes, nv = open_rules(model), data.choice, width(data), model.nv
    J, natural, reach, gap = floats_of(data.J), floats_of(data.natural), floats_of(data.reach), floats_of(data.gap)
    for i in range(c.nc):
        phi = data.rows.rows[i].phi
        data.gap[i] = where(phi < 0.0, zero(data) - phi, phi)
        data.taken[i] = 0
    for lane in range(lanes):
        for b in range(c.nblocks):
            block = c.blocks[b]
            for i in range(block.row, block.row + block.rows):
                size, at = natural[i * lanes + lane], i * lanes + lane
                counts = size > 0.0 and (block.holonomic or mode & LEVEL != POSITION)
                one.gap[i] = gap[at] / size if counts and block.holonomic else 0.0
                one.prefer[i] = 1 if mode & SAME and is_flagged(data.decided[i], lane) else 0
                for k in range(nv):
                    value = J[(nv * i + k) * lanes + lane] * reach[k * lanes + lane]
                    one.directions[nv * i + k] = value / size if counts else 0.0
        choose_rows(one, c.nc, nv)
        for i in range(c.nc):
            if one.taken[i] == 1:
                data.taken[i] = data.taken[i] | (1 << lane)
            data.group[i * lanes + lane] = one.group[i]


@kernel
def _judge(model, data, solved) -> None:
    """The residual of each lane. `solved`: rows that were taken should hold (there was no damping)."""
    worst = floats_of(data.worst)
    for lane in range(width(data)):
        worst[lane] = _judge_lane(model, data, lane, solved)
    data.residual = data.worst[0]


@kernel
def _judge_lane(model, data, lane, solved) -> float:
    """What left-out rows lack, relative to what the rows of their group add up to; infinite if rows that were taken do not hold."""
    lanes, m, nv = width(data), open_rules(model).nc, model.nv
    J, vdot, r, first = floats_of(data.J), floats_of(data.tree.vdot), floats_of(data.residuals), floats_of(data.first_residuals)
    natural, reach, v, fastest = floats_of(data.natural), floats_of(data.reach), floats_of(data.tree.v), 0.0
    for k in range(nv):
        if reach[k * lanes + lane] > 0.0:
            speed = v[k * lanes + lane] / reach[k * lanes + lane]
            fastest = max(fastest, abs(vdot[k * lanes + lane]) / reach[k * lanes + lane] + speed * speed)
    for i in range(m):
        data.group_moves[i] = FLOOR
        data.group_scale[i] = FLOOR
    for i in range(m):
        parts, sum_of = 0.0, 0.0
        for k in range(nv):
            term = J[(nv * i + k) * lanes + lane] * vdot[k * lanes + lane]
            parts += abs(term)
            sum_of += term
        parts = max(parts + abs(r[i * lanes + lane] - sum_of), ROUNDING * natural[i * lanes + lane] * fastest)
        g = data.group[i * lanes + lane]
        data.group_moves[g] = max(data.group_moves[g], parts)
        data.group_scale[g] = max(data.group_scale[g], max(parts, SHARE * abs(first[i * lanes + lane])))
    worst = 0.0
    for i in range(m):
        g = data.group[i * lanes + lane]
        lack = abs(r[i * lanes + lane]) / data.group_scale[g]
        if is_flagged(data.taken[i], lane):
            moves = data.group_moves[g]
            if solved and not (
                abs(r[i * lanes + lane]) <= UNSOLVED * moves and (moves <= FLOOR or DIGITS * abs(first[i * lanes + lane]) <= moves)
            ):
                return math.inf
        elif not lack <= worst:
            worst = lack
    return worst
