"""Accelerations at a state under all forces: one native function for each way to solve, called by its address from every integrator.

    accelerations(handle, active, data, mode, time)      handle: the model; active: its ForceTable; data: a record of data/accelerations.py

q, v and the held joint forces are read, vdot, tau, the power of each force and of prescribed motion, the energy stored in each force, the
multipliers, the largest gap |phi|, the rank of the rows and their least pivot are left in the data. What is not finite is for the caller to notice.
With constraints, `mode` (constraints/modes.py) selects the correction of velocities or positions instead, in the place of vdot, which leaves
multipliers and powers as they are; or only for phi (GAPS) or phi_dot (RATES) of each row and the largest of them. Near a singular pose
(constraints/singular_poses.py) forces are those of another place on the branch (REUSE_FORCES), and multipliers those of given accelerations (MULTIPLIERS).
Compiled once for one state (floats) and once for packs of lanes.
"""

from typing import Any, NamedTuple

from ..constraints.modes import ACCELERATION, LEVEL, RATES, REUSE_FACTOR, REUSE_FORCES, REUSE_ROWS, VELOCITY
from ..constraints.rows import along_row
from ..constraints.solver_call import ACCELERATION_CALL, ACCELERATION_CALL_WIDE
from ..data.accelerations import AccelerationData
from ..data.forces import ForceTable
from ..data.tree import GRAVITY, VELOCITIES
from ..dynamics.aba import articulated_bodies
from ..dynamics.applied import acting, apply_forces
from ..dynamics.exchange import fill
from ..dynamics.sweep import ACCELERATION_ORDER, VELOCITY_ORDER, sweep_links
from ..kernels import kernel
from ..kernels.lane_flags import where_flagged
from ..kernels.records import pointer_to
from ..kernels.scalar import where, zero
from ..model.constraint_tables import open_constraints
from ..model.tables import open_tables


class AccelerationFunction(NamedTuple):
    """A way to accelerations under all forces, as integrators take it: `memory(data)` gives the record that it works in (data/accelerations.py), `one` is the
    function for one state, `wide` that for packs of lanes, None if there is none.
    """

    memory: Any
    one: Any
    wide: Any


@kernel
def store_largest_gap(model, data, rows) -> None:
    """The largest |phi| of the rows, by their units (constraints/tolerance.py)."""
    c, most = open_constraints(model), zero(data)
    for i in range(c.nc):
        phi = rows.rows[i].phi
        gap = where(phi < 0.0, -phi, phi) * c.inverse_units[i]
        most = where(most < gap, gap, most)
    data.gap[0] = most


@kernel
def store_gaps(model, data, rows, level) -> None:
    """phi of each row (GAPS) or phi_dot (RATES), and the largest of them by its unit; the rows have been prepared."""
    if level == RATES:
        _store_gap_rates(model, data, rows)
    else:
        for i in range(open_constraints(model).nc):
            data.gaps[i] = rows.rows[i].phi
        store_largest_gap(model, data, rows)


@kernel
def _store_gap_rates(model, data, rows) -> None:
    c, tree = open_constraints(model), data.tree
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
def store_multipliers(model, table, data, multipliers, rows) -> None:
    """The multipliers, and the power of prescribed motion: the rows move at -phi_t, so multipliers do the work -lambda phi_t."""
    power = zero(data)
    for i in range(open_constraints(model).nc):
        data.multipliers[i] = multipliers[i]
        power = power - multipliers[i] * rows.rows[i].rate
    data.forces.powers[table.forces + 1] = power


@kernel
def require_branch(model, table, data, rows) -> None:
    """Right sides of the rows with which they hold at the accelerations of the branch, in the lanes that follow one: gamma = -J vdot.

    The solver then finds lambda of M vdot + h = tau + J^T lambda, by least squares in the metric of M^-1.
    """
    c, tree, speed, stiffness = open_constraints(model), data.tree, table.feedback[0], table.feedback[1]
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
def with_all_rows(model, mode) -> int:
    """A correction of velocities again, but anew if some rows hold velocities only: the factor may be one for positions, in which these are left out."""
    c = open_constraints(model)
    if mode == VELOCITY + REUSE_FACTOR:
        for k in range(c.nblocks):
            if not c.blocks[k].holonomic:
                return VELOCITY + REUSE_ROWS
    return mode


@kernel
def apply_active_forces(model, table, data, mode, time) -> int:
    """The joint forces and wrenches of a solve: all that act for accelerations, none for corrections. Returns the options of its recursions."""
    if mode & LEVEL != ACCELERATION:
        fill(data.tree.tau, model.nv, 0.0)
        return 0
    if mode & REUSE_FORCES == 0:
        apply_forces(model, table, data.tree, data.forces, time)
    return acting(table)


@kernel
def accelerate_tree(handle, active, data, time) -> int:
    model, table = open_tables(handle), pointer_to(ForceTable, active, 0.0)
    apply_forces(model, table, data.tree, data.forces, time)
    articulated_bodies(model, data.tree, GRAVITY | VELOCITIES | acting(table))
    return 0


@kernel(address=ACCELERATION_CALL)
def tree_accelerations(handle, active, data: AccelerationData, mode, time) -> int:
    return accelerate_tree(handle, active, data, time)


@kernel(address=ACCELERATION_CALL_WIDE)
def tree_accelerations_wide(handle, active, data: AccelerationData, mode, time) -> int:
    return accelerate_tree(handle, active, data, time)


def _memory(data):
    return data.new(AccelerationData)


ACCELERATIONS = AccelerationFunction(_memory, tree_accelerations, tree_accelerations_wide)
