"""Constrained dynamics by articulated bodies and the inverse inertia K in the space of constraints.

    vdot_0 = M^-1 (tau - bias)                               articulated bodies, O(n)
    r = J vdot_0 + gamma                                     residuals of the rows
    K lambda = -r,   K = J M^-1 J^T                          K by propagation of the rows, without those that depend on others
    vdot = vdot_0 + M^-1 J^T lambda

The same four lines correct velocities (r = phi_dot) and positions (r = phi) in the mass metric, and give the jump of velocity at an impulse
(r = J dv_0): see the modes.
"""

from ...constraints.modes import ACCELERATION, GAPS, IMPULSE, LEVEL, POSITION, RANK_REVEALING, REUSE_ROWS, SAME_ROWS
from ...constraints.rows import fill_residuals
from ...data.tree import GRAVITY, VELOCITIES
from ...dynamics.aba import articulated_bodies
from ...dynamics.sweep import ACCELERATION_ORDER, sweep_links
from ...kernels import kernel
from ...model.constraint_tables import open_constraints
from .cancellation import may_cancel
from .off_constraints import lanes_off_constraints
from .prepare import evaluate_with_times, prepare
from .rank_revealing import refine, solve_rank_revealing
from .row_propagation import fill_matrix, innovations, propagate_rows, respond
from .semidefinite import solve_certain_rank


@kernel
def solve(model, data, mode, options, feedback) -> None:
    """q, v and tau of the tree, and the time, to its vdot (the accelerations, the correction, or the jump), multipliers, rank and residual.

    For a correction tau is zero, for a jump v, and tau an impulse. `options`: do WRENCHES act, are some velocities DRIVEN? `feedback`: (speed, stiffness,
    damping) of phi_ddot + speed phi_dot + stiffness phi = 0 on accelerations (Baumgarte 1972), and of K.
    """
    tree, level = data.tree, mode & LEVEL
    speed, stiffness, damping = feedback
    accelerates = level == ACCELERATION or level == IMPULSE
    if mode & REUSE_ROWS == 0 and not accelerates:
        prepare(model, data, GAPS)
    articulated_bodies(model, tree, options | (GRAVITY | VELOCITIES if level == ACCELERATION else 0))
    if accelerates:
        sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, ACCELERATION_ORDER)
        if mode & REUSE_ROWS == 0:
            evaluate_with_times(model, data)
    propagate_rows(model, data, level == POSITION, options)
    fill_matrix(model, data, options)
    fill_residuals(model, data, level, speed, stiffness)
    if _solve_if_certain(model, data, mode, damping):
        innovations(model, data)
        respond(model, tree, data.e, options)
        if accelerates and may_cancel(model, data):
            refine(model, data, mode, options, feedback)
    else:
        solve_rank_revealing(model, data, mode, options, feedback)
    if mode & SAME_ROWS == 0:
        for i in range(open_constraints(model).nc):
            data.decided[i] = data.taken[i]


@kernel
def _solve_if_certain(model, data, mode, damping) -> bool:
    """Find the multipliers, unless the rank is in doubt."""
    certain = False
    if mode & RANK_REVEALING == 0 and not (mode & SAME_ROWS and data.chosen):
        certain = solve_certain_rank(model, data, damping, mode & SAME_ROWS != 0) == 0
        if certain and mode & (SAME_ROWS | LEVEL) == ACCELERATION and data.redundant != 0:
            certain = lanes_off_constraints(model, data.rows) == 0
    if mode & SAME_ROWS == 0:
        data.chosen = not certain
    return certain
