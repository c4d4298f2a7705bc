"""Accelerations at a state under all forces: one native function for each way to solve, called by its address from every integrator.

    rates(handle, active, data, mode, time)      handle: the model; active: its ForceTable; data: a record of data/accelerations.py

q, v and the held joint forces are read, vdot, tau, the power of each force and of prescribed motion, the energy stored in each force, the
multipliers, the largest gap |phi|, the rank of the rows and their least pivot are left in the data. What is not finite is for the caller to notice.
With constraints, `mode` (constraints/modes.py) asks for the correction of velocities or positions instead, in the place of vdot, which leaves
multipliers and powers as they are; or only for phi (GAPS) or phi_dot (RATES) of each row and the largest of them. Near a singular pose
(constraints/singular_poses.py) forces are those of another place on the branch (REUSE_FORCES), and multipliers those of given accelerations (MULTIPLIERS).
Compiled once for one state (floats) and once for packs of lanes.
"""

import functools

from ..constraints.modes import (
    ACCELERATION,
    AGAIN,
    CAREFUL,
    CONTRADICTION,
    GAPS,
    HERE,
    LEVEL,
    MULTIPLIERS,
    RATES,
    REUSE_FORCES,
    SAME,
    VELOCITY,
)
from ..constraints.rows import along_row
from ..constraints.solver_call import RATES_CALL, RATES_CALL_WIDE
from ..data.accelerations import ArticulatedRates, Rates, SparseRates
from ..data.constraints import ConstraintData
from ..data.forces import ForceTable
from ..data.sparse import SparseData
from ..data.tree import GRAVITY, VELOCITIES
from ..dynamics.aba import articulated_bodies
from ..dynamics.applied import acting, apply_forces
from ..dynamics.exchange import fill
from ..dynamics.sweep import ACCELERATION_ORDER, VELOCITY_ORDER, sweep_links, sweep_velocities
from ..kernels import address_of, kernel
from ..kernels.lane_flags import where_flagged
from ..kernels.records import pointer_to
from ..kernels.scalar import where, zero
from ..model.constraint_tables import open_rules
from ..model.tables import open_tables
from .delassus.solve import look_at_rows, solve_articulated
from .sparse.correct import solve_again
from .sparse.program import analysis_of, new_sparse_data
from .sparse.solve import evaluate_state, solve_state


@kernel
def _book_gap(model, data, rows) -> None:
    """The largest |phi| of the rows, by their units (constraints/tolerance.py)."""
    c, most = open_rules(model), zero(data)
    for i in range(c.nc):
        phi = rows.rows[i].phi
        gap = where(phi < 0.0, -phi, phi) * c.inverse_units[i]
        most = where(most < gap, gap, most)
    data.gap[0] = most


@kernel
def _book_gaps(model, data, rows) -> None:
    """phi of each row, and the largest |phi| by its unit."""
    for i in range(open_rules(model).nc):
        data.gaps[i] = rows.rows[i].phi
    _book_gap(model, data, rows)


@kernel
def _book_gap_rates(model, data, rows) -> None:
    """phi_dot of each row, and the largest |phi_dot| by its unit."""
    c, tree = open_rules(model), data.tree
    most = zero(data)
    for k in range(c.nblocks):
        block = c.blocks[k]
        for i in range(block.row, block.row + block.rows):
            row = rows.rows[i]
            rate = along_row(model, block, tree.motion, VELOCITY_ORDER, tree.v, row) + row.rate
            data.gap_rates[i] = rate
            rate = where(rate < 0.0, -rate, rate) * c.inverse_units[i]
            most = where(most < rate, rate, most)
    data.gap_rate[0] = most


@kernel
def _book_multipliers(model, table, data, multipliers, rows) -> None:
    """The multipliers, and the power of prescribed motion: the rows move at -phi_t, so multipliers do the work -lambda phi_t."""
    power = zero(data)
    for i in range(open_rules(model).nc):
        data.multipliers[i] = multipliers[i]
        power = power - multipliers[i] * rows.rows[i].rate
    data.forces.powers[table.forces + 1] = power


@kernel
def _book_articulated(model, table, data, solver, level) -> None:
    """What the solver by articulated bodies (ConstraintData) has found."""
    data.residual[0], data.rank[0], data.pivot[0] = solver.residual, solver.rank, solver.pivot
    data.redundant[0] = solver.redundant
    _book_gap(model, data, solver.rows)
    if level == ACCELERATION:
        _book_multipliers(model, table, data, solver.multipliers, solver.rows)


@kernel
def _require_branch(model, table, data, rows) -> None:
    """Right sides of the rows with which they hold at the accelerations of the branch, in the lanes that follow one: gamma = -J vdot.

    The solver then finds lambda of M vdot + h = tau + J^T lambda, by least squares in the metric of M^-1.
    """
    c, tree, speed, stiffness = open_rules(model), data.tree, table.feedback[0], table.feedback[1]
    sweep_links(model, tree.motion, tree.q, tree.v, data.branch_vdot, ACCELERATION_ORDER)
    for k in range(c.nblocks):
        block = c.blocks[k]
        for i in range(block.row, block.row + block.rows):
            row = rows.rows[i]
            gamma = zero(data) - along_row(model, block, tree.motion, ACCELERATION_ORDER, data.branch_vdot, row)
            if speed != 0.0 or stiffness != 0.0:  # what the solver will add
                rate = along_row(model, block, tree.motion, VELOCITY_ORDER, tree.v, row) + row.rate
                gamma = gamma - (speed * rate + stiffness * row.phi)
            row.gamma = where_flagged(data.follows[0], gamma, row.gamma)


@kernel
def _with_all_rows(model, mode) -> int:
    """A correction of velocities again, but anew if some rows hold velocities only: the factor may be one for positions, in which these are left out."""
    c = open_rules(model)
    if mode == VELOCITY + AGAIN:
        for k in range(c.nblocks):
            if not c.blocks[k].holonomic:
                return VELOCITY + HERE
    return mode


@kernel
def _by_tree(handle, active, data, time) -> int:
    model, table = open_tables(handle), pointer_to(ForceTable, active, 0.0)
    apply_forces(model, table, data.tree, data.forces, time)
    articulated_bodies(model, data.tree, GRAVITY | VELOCITIES | acting(table))
    return 0


@kernel
def _by_articulated(handle, active, data, mode, time) -> int:
    model, table = open_tables(handle), pointer_to(ForceTable, active, 0.0)
    solver, tree = data.constraints, data.tree
    level, options = mode & LEVEL, 0
    solver.rows.time = time + data.ahead[0]
    if level == GAPS:
        look_at_rows(model, solver, level)
        _book_gaps(model, data, solver.rows)
        return 0
    if level == RATES:
        look_at_rows(model, solver, level)
        _book_gap_rates(model, data, solver.rows)
        return 0
    if level == ACCELERATION:
        if mode & REUSE_FORCES == 0:
            apply_forces(model, table, tree, data.forces, time)
        options = acting(table)
        if mode & MULTIPLIERS:
            look_at_rows(model, solver, GAPS)
            _require_branch(model, table, data, solver.rows)
            mode = mode | HERE
    else:
        fill(tree.tau, model.nv, 0.0)
        mode = _with_all_rows(model, mode)
    solve_articulated(model, solver, mode, options, table.feedback)
    if mode & AGAIN == 0:
        _book_articulated(model, table, data, solver, level)
    return 0


@kernel(address=RATES_CALL)
def tree_rates(handle, active, data: Rates, mode, time) -> int:
    return _by_tree(handle, active, data, time)


@kernel(address=RATES_CALL_WIDE)
def tree_rates_wide(handle, active, data: Rates, mode, time) -> int:
    return _by_tree(handle, active, data, time)


@kernel(address=RATES_CALL)
def articulated_rates(handle, active, data: ArticulatedRates, mode, time) -> int:
    return _by_articulated(handle, active, data, mode, time)


@kernel(address=RATES_CALL_WIDE)
def articulated_rates_wide(handle, active, data: ArticulatedRates, mode, time) -> int:
    return _by_articulated(handle, active, data, mode, time)


@kernel(address=RATES_CALL)
def sparse_rates(handle, active, data: SparseRates, mode, time) -> int:
    """By the sparse factor."""
    model, table = open_tables(handle), pointer_to(ForceTable, active, 0.0)
    solver, tree = data.sparse, data.tree
    level, options = mode & LEVEL, 0
    solver.rows.time = time + data.ahead[0]
    if level == GAPS:
        evaluate_state(model, solver)
        _book_gaps(model, data, solver.rows)
        return 0
    if level == RATES:
        sweep_velocities(model, tree.motion, tree.q, tree.v)
        _book_gap_rates(model, data, solver.rows)
        return 0
    mode = _with_all_rows(model, mode)
    if mode & AGAIN:
        if data.asked:
            data.careful.rows.time = solver.rows.time
            look_at_rows(model, data.careful, GAPS)
            solve_articulated(model, data.careful, mode, 0, table.feedback)
        else:
            solve_again(model, solver, level)
        return 0
    if level == ACCELERATION:
        if mode & REUSE_FORCES == 0:
            apply_forces(model, table, tree, data.forces, time)
        options = acting(table)
        if mode & MULTIPLIERS:
            evaluate_state(model, solver)
            _require_branch(model, table, data, solver.rows)
            mode = mode | HERE
    else:
        fill(tree.tau, model.nv, 0.0)
    ask = mode & SAME != 0 and data.asked
    if not ask:
        solve_state(model, solver, options, mode, table.feedback)
        ask = data.can_ask and not solver.residual <= CONTRADICTION
        if mode & SAME:
            mode -= SAME  # what was decided was not decided on J
        else:
            data.asked = ask
    if ask:
        _solve_carefully(model, table, data, mode, options)
        return 0
    data.residual[0], data.rank[0], data.pivot[0] = solver.residual, float(solver.rank), solver.pivot
    data.redundant[0] = 1 if solver.redundant > 0 else 0
    _book_gap(model, data, solver.rows)
    if level == ACCELERATION:
        _book_multipliers(model, table, data, solver.multipliers, solver.rows)
    return 0


@kernel
def _solve_carefully(model, table, data, mode, options) -> None:
    """The same solve with rows chosen on J, by articulated bodies."""
    careful = data.careful
    careful.rows.time = data.sparse.rows.time
    mode = (mode & ~HERE) | CAREFUL
    if mode & MULTIPLIERS:
        look_at_rows(model, careful, GAPS)
        _require_branch(model, table, data, careful.rows)
        mode = mode | HERE
    solve_articulated(model, careful, mode, options, table.feedback)
    _book_articulated(model, table, data, careful, mode & LEVEL)


def rates_data(solver, data):
    """The record of a Data that the rates by a solver work in."""
    if solver == "sparse":
        can_ask = bool(analysis_of(data.model).program.asks)
        careful = data.record(ConstraintData) if can_ask else data.new(ConstraintData, nc=0, propagated=0, matrix_of_rows=0, directions=0)
        made = data.new(SparseRates, sparse=data.record(SparseData, new_sparse_data), careful=careful)
        made.can_ask = can_ask
        return made
    return data.new(ArticulatedRates if solver == "articulated" else Rates)


@functools.cache
def rates_code(solver, wide=False):
    """The address of the rates by "tree", "articulated" or "sparse", compiled at the first call."""
    made = {
        ("tree", False): tree_rates,
        ("tree", True): tree_rates_wide,
        ("articulated", False): articulated_rates,
        ("articulated", True): articulated_rates_wide,
        ("sparse", False): sparse_rates,
    }[solver, wide]
    return address_of(made)
