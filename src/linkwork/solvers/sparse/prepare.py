"""Poses, velocities and rows of constraints at a state, for the sparse solver."""

from ...constraints.modes import RATES
from ...constraints.rows import evaluate_rows
from ...constraints.time_functions import evaluate_time_functions
from ...dynamics.sweep import VELOCITY_ORDER, sweep_links, sweep_velocities
from ...kernels import kernel


@kernel
def prepare(model, data, level) -> None:
    """Poses and velocities of all links, and all rows, at q, v and the time (GAPS); or only bring in v, where q and the time are as before (RATES)."""
    tree = data.tree
    if level == RATES:
        sweep_velocities(model, tree.motion, tree.q, tree.v)
        return
    sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, VELOCITY_ORDER)
    if data.program.count > 0:
        evaluate_time_functions(model, data.rows)
        evaluate_rows(model, tree.motion, tree.q, data.rows)
