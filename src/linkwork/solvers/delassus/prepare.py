"""Rows of constraints at a state, for the solver by K: evaluated, or brought to other velocities."""

from ...constraints.modes import GAPS
from ...constraints.rows import evaluate_rows
from ...constraints.time_functions import evaluate_time_functions
from ...dynamics.sweep import VELOCITY_ORDER, sweep_links, sweep_velocities
from ...kernels import kernel


@kernel
def prepare(model, data, level) -> None:
    """Evaluate the rows at q, v and the time (GAPS); or only bring in v, where q and the time are as before (RATES)."""
    tree = data.tree
    if level == GAPS:
        sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, VELOCITY_ORDER)
        evaluate_with_times(model, data)
    else:
        sweep_velocities(model, tree.motion, tree.q, tree.v)


@kernel
def evaluate_with_times(model, data) -> None:
    """All rows, after a sweep over the links, with the functions of time that they follow."""
    evaluate_time_functions(model, data.rows)
    evaluate_rows(model, data.tree.motion, data.tree.q, data.rows)
