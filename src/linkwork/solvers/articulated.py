"""Constrained dynamics by articulated bodies and the inverse inertia K in the space of constraints.

    vdot_0 = M^-1 (tau - bias)                               articulated bodies, O(n)
    r = J vdot_0 + gamma                                     what the rows lack
    K lambda = -r,   K = J M^-1 J^T                          K by propagation of the rows, rank by pivoting
    vdot = vdot_0 + M^-1 J^T lambda

The same four lines correct velocities (r = phi_dot) and positions (r = phi) in the mass metric, and give the jump of velocity at an impulse
(r = J dv_0): see the modes.
"""

from ..dynamics.aba import articulated_bodies
from ..dynamics.slots import HUGE, fill
from ..dynamics.sweep import S_A, S_V, sweep_links
from ..kernels import kernel
from ..kernels.scalar import beyond, load, store, width
from ..model.rules import open_rules
from ..model.tables import at_v, at_x, at_y, count_q, count_v, floats_at, open_tables
from ..parts.constraints.rows import R_GAMMA, R_PHI, R_RATE, ROW
from .laws import evaluate_laws
from .memory import (
    at_laws,
    at_loads,
    at_matrix,
    at_motion,
    at_multipliers,
    at_raw,
    at_report,
    at_residuals,
    at_rows,
    at_sizes,
    at_time,
    from_slot,
)
from .modes import ACCELERATION, AGAIN, GAPS, HERE, IMPULSE, LEVEL, POSITION, VELOCITY
from .propagate import fill_matrix, innovations, propagate_rows, respond
from .rows import along_row, evaluate_rows
from .semidefinite import solve_clear, solve_semidefinite
from .velocities import sweep_velocities


@kernel
def solve_articulated(handle, memory, mode, forces, driven, settings, like) -> None:
    """Solve for the accelerations (or the correction, or the jump) in `work`, and for the multipliers; the report says rank and residual.

    q, v and tau (or an impulse) stand in the workspace, the time in its slot; `forces`, `driven`: where they start, or -1.
    `settings`: (speed, stiffness) of the feedback phi_ddot + speed phi_dot + stiffness phi = 0 on accelerations (Baumgarte 1972), damping of K.
    """
    t, c = open_tables(handle), open_rules(handle)
    work, motion = floats_at(memory, HUGE), floats_at(from_slot(memory, at_motion(t), like), HUGE)
    level, accelerates = mode & LEVEL, mode & LEVEL == ACCELERATION or mode & LEVEL == IMPULSE
    if mode & (HERE | AGAIN) == 0:
        _copy(work, 0, motion, 0, count_q(t), like)
        _copy(work, at_v(t), motion, at_v(t), count_v(t), like)
        if level == IMPULSE:
            fill(motion, at_v(t), count_v(t), 0.0, like)
        if not accelerates:
            _look(handle, motion, work, like)
    if mode & AGAIN:
        fill(work, at_y(t), count_v(t), 0.0, like)
    else:
        if level != ACCELERATION:
            fill(work, at_v(t), count_v(t), 0.0, like)
        articulated_bodies(handle, work, 1.0 if level == ACCELERATION else 0.0, forces, driven, like)
        _copy(motion, at_v(t), work, at_v(t), count_v(t), like)
        if accelerates:
            _copy(work, at_y(t), motion, at_x(t), count_v(t), like)
            sweep_links(handle, motion, 2, like)
            if mode & HERE == 0:
                _rows(handle, motion, work, like)
        propagate_rows(handle, work, driven, level == POSITION, like)
        fill_matrix(handle, work, driven, like)
    _residuals(handle, motion, work, level, settings[0], settings[1], like)
    _solve(handle, work, settings[2], like)
    innovations(handle, work, at_multipliers(t, c), at_loads(t, c), like)
    respond(handle, work, at_loads(t, c), driven, like)


@kernel
def look_at_rows(handle, memory, level, like) -> None:
    """Evaluate the rows at q, v and the time in the workspace (GAPS); or only bring in v, where q and the time are as before (RATES)."""
    t = open_tables(handle)
    work, motion = floats_at(memory, HUGE), floats_at(from_slot(memory, at_motion(t), like), HUGE)
    _copy(work, at_v(t), motion, at_v(t), count_v(t), like)
    if level == GAPS:
        _copy(work, 0, motion, 0, count_q(t), like)
        _look(handle, motion, work, like)
    else:
        sweep_velocities(handle, motion, like)


@kernel
def _look(handle, motion, work, like) -> None:
    sweep_links(handle, motion, 1, like)
    _rows(handle, motion, work, like)


@kernel
def _rows(handle, motion, work, like) -> None:
    t, c = open_tables(handle), open_rules(handle)
    evaluate_laws(handle, work, at_time(t, c), at_laws(t, c), at_raw(t, c) * width(like), like)
    evaluate_rows(handle, motion, work, at_rows(t), at_time(t, c), at_laws(t, c), at_raw(t, c), like)


@kernel
def _solve(handle, work, damping, like) -> None:
    """Multipliers from K and the residuals; rank and what dependent rows lack go to the slots of the report."""
    t, c = open_tables(handle), open_rules(handle)
    m, K, r, size, x, raw = c.size[1], at_matrix(t, c), at_residuals(t, c), at_sizes(t, c), at_multipliers(t, c), at_raw(t, c)
    unclear = solve_clear(work, K, r, size, x, m, raw, at_report(t, c), damping, like)
    if beyond(unclear, 0.5):
        for lane in range(width(like)):
            rank, residual = solve_semidefinite(work, K, r, size, x, m, raw * width(like), lane, damping, like)
            work[at_report(t, c) * width(like) + lane] = rank
            work[(at_report(t, c) + 1) * width(like) + lane] = residual


@kernel
def _copy(source, at, target, to, count, like) -> None:
    for k in range(count):
        store(target, to + k, load(source, at + k, like))


@kernel
def _residuals(handle, motion, work, mode, speed, stiffness, like) -> None:
    """What each row lacks, on the level of the mode. Of rows that hold velocities only, that is nothing on the level of positions."""
    t, c = open_tables(handle), open_rules(handle)
    residuals = at_residuals(t, c)
    for k in range(c.size[0]):
        block = c.blocks[k]
        for i in range(block.rows):
            at = at_rows(t) + ROW * (block.row + i)
            if mode == POSITION:
                value = load(work, at + R_PHI, like)
            elif mode == VELOCITY:
                value = along_row(t, c, block, motion, S_V, at_v(t), work, at, like) + load(work, at + R_RATE, like)
            else:
                value = along_row(t, c, block, motion, S_A, at_x(t), work, at, like)
                if mode == ACCELERATION:
                    value = value + load(work, at + R_GAMMA, like)
                    if speed != 0.0:
                        lag = along_row(t, c, block, motion, S_V, at_v(t), work, at, like) + load(work, at + R_RATE, like)
                        value = value + speed * lag + stiffness * load(work, at + R_PHI, like)
            store(work, residuals + block.row + i, value)
