"""Is a state off its constraints? Where rows are redundant, it then matters which of them are left out.

On the constraints redundant rows say the same, whichever are taken. Off them by a gap g they do not: accelerations differ by some times g. So that all
solvers say the same, rows are then chosen by the rule of rank (constraints/rank.py) and not by the pivots that a solver meets first.
"""

from ...kernels import kernel
from ...kernels.lane_flags import flags_of
from ...model.constraint_tables import open_constraints
from .row_propagation import magnitude_of_row

NEAR = 1e-9  # of a row's size, as moments: runs stay nearer to their constraints, and accelerations of two solvers within some times this


@kernel
def lanes_off_constraints(model, rows) -> int:
    """Flags of the lanes in which a row of places is open by more than NEAR. `rows`: RowData, evaluated."""
    c, found = open_constraints(model), 0
    for b in range(c.nblocks):
        block = c.blocks[b]
        if block.holonomic:
            for i in range(block.row, block.row + block.rows):
                phi = rows.rows[i].phi
                size = magnitude_of_row(c, block, rows.rows[i])
                found = found | flags_of(phi * phi > (NEAR * NEAR) * size)
    return found
