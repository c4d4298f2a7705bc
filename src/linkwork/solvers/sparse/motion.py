"""Accelerations under all forces by the sparse factor, as integrators call them (solvers/accelerations.py)."""

from ...constraints.modes import (
    ACCELERATION,
    CONTRADICTION,
    GAPS,
    LEVEL,
    MULTIPLIERS,
    RANK_REVEALING,
    RATES,
    REUSE_FACTOR,
    REUSE_ROWS,
    SAME_ROWS,
)
from ...constraints.solver_call import ACCELERATION_CALL
from ...data.accelerations import SparseAccelerationData
from ...data.constraints import ConstraintData
from ...data.forces import ForceTable
from ...data.sparse import SparseData
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
from ..delassus.correct import correct as delassus_correct
from ..delassus.motion import store_solution
from ..delassus.prepare import prepare as delassus_prepare
from ..delassus.solve import solve as delassus_solve
from .correct import correct
from .prepare import prepare
from .program import analysis_of, new_sparse_data
from .solve import solve


@kernel(address=ACCELERATION_CALL)
def sparse_accelerations(handle, active, data: SparseAccelerationData, mode, time) -> int:
    """By the sparse factor."""
    model, table = open_tables(handle), pointer_to(ForceTable, active, 0.0)
    solver = data.sparse
    level = mode & LEVEL
    solver.rows.time = time + data.ahead[0]
    if level == GAPS or level == RATES:
        prepare(model, solver, level)
        store_gaps(model, data, solver.rows, level)
        return 0
    mode = with_all_rows(model, mode)
    if mode & REUSE_FACTOR:
        if data.revealed_rank:
            data.rank_revealing.rows.time = solver.rows.time
            delassus_prepare(model, data.rank_revealing, GAPS)
            delassus_correct(model, data.rank_revealing, level, 0)
        else:
            correct(model, solver, level)
        return 0
    options = apply_active_forces(model, table, data, mode, time)
    if mode & MULTIPLIERS:
        prepare(model, solver, GAPS)
        require_branch(model, table, data, solver.rows)
        mode = mode | REUSE_ROWS
    reveal = mode & SAME_ROWS != 0 and data.revealed_rank
    if not reveal:
        solve(model, solver, mode, options, table.feedback)
        reveal = data.can_reveal_rank and not solver.residual <= CONTRADICTION
        if mode & SAME_ROWS:
            mode -= SAME_ROWS  # what was decided was not decided on J
        else:
            data.revealed_rank = reveal
    if reveal:
        _solve_rank_revealing(model, table, data, mode, options)
        return 0
    data.residual[0], data.rank[0], data.pivot[0] = solver.residual, float(solver.rank), solver.pivot
    data.redundant[0] = 1 if solver.redundant > 0 else 0
    store_largest_gap(model, data, solver.rows)
    if level == ACCELERATION:
        store_multipliers(model, table, data, solver.multipliers, solver.rows)
    return 0


@kernel
def _solve_rank_revealing(model, table, data, mode, options) -> None:
    """The same solve with rows chosen on J, by articulated bodies."""
    rank_revealing = data.rank_revealing
    rank_revealing.rows.time = data.sparse.rows.time
    mode = (mode & ~REUSE_ROWS) | RANK_REVEALING
    if mode & MULTIPLIERS:
        delassus_prepare(model, rank_revealing, GAPS)
        require_branch(model, table, data, rank_revealing.rows)
        mode = mode | REUSE_ROWS
    delassus_solve(model, rank_revealing, mode, options, table.feedback)
    store_solution(model, table, data, rank_revealing, mode & LEVEL)


def _memory(data):
    can_reveal_rank = bool(analysis_of(data.model).program.reveals_rank)
    rank_revealing = (
        data.record(ConstraintData) if can_reveal_rank else data.new(ConstraintData, nc=0, propagated=0, matrix_of_rows=0, directions=0)
    )
    made = data.new(SparseAccelerationData, sparse=data.record(SparseData, new_sparse_data), rank_revealing=rank_revealing)
    made.can_reveal_rank = can_reveal_rank
    return made


ACCELERATIONS = AccelerationFunction(_memory, sparse_accelerations, None)
