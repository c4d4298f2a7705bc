"""Accelerations under all forces by articulated bodies and K, as integrators call them (solvers/accelerations.py)."""

from ...constraints.modes import ACCELERATION, GAPS, LEVEL, MULTIPLIERS, RATES, REUSE_FACTOR, REUSE_ROWS
from ...constraints.solver_call import ACCELERATION_CALL, ACCELERATION_CALL_WIDE
from ...data.accelerations import ArticulatedAccelerationData
from ...data.forces import ForceTable
from ...kernels import kernel
from ...kernels.records import pointer_to
from ...model.tables import open_tables
from ..accelerations import (
    AccelerationFunction,
    apply_active_forces,
    require_branch,
    store_gaps,
    store_largest_gap,
    store_multipliers,
    with_all_rows,
)
from .correct import correct
from .prepare import prepare
from .solve import solve


@kernel
def store_solution(model, table, data, solver, level) -> None:
    """What the solver by articulated bodies (ConstraintData) has found."""
    data.residual[0], data.rank[0], data.pivot[0] = solver.residual, solver.rank, solver.pivot
    data.redundant[0] = solver.redundant
    store_largest_gap(model, data, solver.rows)
    if level == ACCELERATION:
        store_multipliers(model, table, data, solver.multipliers, solver.rows)


@kernel
def accelerate_articulated(handle, active, data, mode, time) -> int:
    model, table = open_tables(handle), pointer_to(ForceTable, active, 0.0)
    solver = data.constraints
    level = mode & LEVEL
    solver.rows.time = time + data.ahead[0]
    if level == GAPS or level == RATES:
        prepare(model, solver, level)
        store_gaps(model, data, solver.rows, level)
        return 0
    options, mode = apply_active_forces(model, table, data, mode, time), with_all_rows(model, mode)
    if mode & REUSE_FACTOR:
        correct(model, solver, level, options)
        return 0
    if mode & MULTIPLIERS:
        prepare(model, solver, GAPS)
        require_branch(model, table, data, solver.rows)
        mode = mode | REUSE_ROWS
    solve(model, solver, mode, options, table.feedback)
    store_solution(model, table, data, solver, level)
    return 0


@kernel(address=ACCELERATION_CALL)
def articulated_accelerations(handle, active, data: ArticulatedAccelerationData, mode, time) -> int:
    return accelerate_articulated(handle, active, data, mode, time)


@kernel(address=ACCELERATION_CALL_WIDE)
def articulated_accelerations_wide(handle, active, data: ArticulatedAccelerationData, mode, time) -> int:
    return accelerate_articulated(handle, active, data, mode, time)


def _memory(data):
    return data.new(ArticulatedAccelerationData)


ACCELERATIONS = AccelerationFunction(_memory, articulated_accelerations, articulated_accelerations_wide)
