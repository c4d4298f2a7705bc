"""Residuals of rows of constraints on the level of a solve."""

from ..dynamics.sweep import ACCELERATION_ORDER, VELOCITY_ORDER
from ..kernels import kernel
from ..model.constraint_tables import open_constraints
from .modes import ACCELERATION, POSITION, VELOCITY
from .rows import along_row


@kernel
def fill_residuals(model, data, level, speed, stiffness) -> None:
    """The residual of each row on a level; zero on the level of positions for rows on velocities alone."""
    c, tree = open_constraints(model), data.tree
    for k in range(c.nblocks):
        block = c.blocks[k]
        for i in range(block.row, block.row + block.rows):
            row = data.rows.rows[i]
            if level == POSITION:
                value = row.phi
            elif level == VELOCITY:
                value = along_row(model, block, tree.motion, VELOCITY_ORDER, tree.v, row) + row.rate
            else:
                value = along_row(model, block, tree.motion, ACCELERATION_ORDER, tree.vdot, row)
                if level == ACCELERATION:
                    value = value + row.gamma
                    if speed != 0.0:
                        lag = along_row(model, block, tree.motion, VELOCITY_ORDER, tree.v, row) + row.rate
                        value = value + speed * lag + stiffness * row.phi
            data.residuals[i] = value
