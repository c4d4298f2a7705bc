"""Accelerations at a state under all forces: one native function for each way to solve, called by its address from every integrator.

    rates(handle, loads, memory, mode, time)      q and v stand in the first slots of the scratch memory, vdot is left behind them

and so are tau, the power of each force and of prescribed motion, the energy stored in each force, the multipliers and the largest gap |phi|, in
the slots that the header of the loads names (dynamics/force_tables.py). What is not finite is for the caller to notice.
With constraints, `mode` (solvers/modes.py) asks for the correction of velocities or positions instead, in the place of vdot, or only for the
residuals of the rows. The residual of each row (phi or phi_dot) then stands in place of the multipliers, the largest of them in place of the gap;
a correction with the factor of an earlier solve (AGAIN) leaves both as they are.
Compiled once for one state (floats) and once for packs of lanes.
"""

import functools

import numpy as np

from ..dynamics.aba import articulated_bodies
from ..dynamics.applied import apply_forces
from ..dynamics.force_tables import L_BETWEEN, L_FORCES, L_GAP, L_LAMBDA, L_POWERS, L_WRENCHES, open_loads
from ..dynamics.slots import HUGE, fill
from ..dynamics.sweep import S_V
from ..kernels import address_of, kernel, when_compiling
from ..kernels.scalar import load, store, where, widest, width, zero
from ..model.rules import open_rules
from ..model.tables import at_v, at_x, count_v, floats_at, open_tables
from ..parts.constraints.rows import R_GAMMA, R_PHI, R_RATE, ROW
from ..solvers.articulated import look_at_rows, solve_articulated
from ..solvers.memory import at_motion, at_multipliers, at_report, at_residuals, at_rows, at_time, from_slot
from ..solvers.modes import ACCELERATION, AGAIN, GAPS, HERE, LEVEL, RATES, VELOCITY
from ..solvers.rows import along_row
from ..solvers.sparse_again import solve_again
from ..solvers.sparse_closing import F_
from ..solvers.sparse_program import (
    C_PACKS,
    C_ROW,
    C_ROWS,
    C_VECTOR,
    CONSTRAINT,
    HEADER,
    J_ROW,
    J_STORE,
    JOINT,
    LAMBDA,
    P_COUNT,
    P_JOINTS,
    P_JOINTS_COUNT,
    P_ROWS,
    P_TIME,
    RESERVED,
    open_workspace,
)
from ..solvers.sparse_sweep import evaluate_state, solve_state
from ..solvers.velocities import sweep_velocities

RATES_CALL = "i i i i d"  # how rates are called: handle, loads, memory, mode, time


@kernel(inline=True)
def _wrenches(f):
    """Where link forces start, -1 if no law gives any."""
    return f.size[L_WRENCHES] if f.size[L_BETWEEN] > 0 else -1


@kernel
def _book_rows(handle, loads, work, rows, like) -> None:
    """The largest gap, and the power of prescribed motion: the rows move at -phi_t, so multipliers do the work -lambda phi_t."""
    c, f = open_rules(handle), open_loads(loads)
    gap, power = zero(like), zero(like)
    for i in range(c.size[1]):
        at = rows + ROW * i
        phi = load(work, at + R_PHI, like)
        phi = where(phi < 0.0, -phi, phi)
        gap = where(gap < phi, phi, gap)
        power = power - load(work, f.size[L_LAMBDA] + i, like) * load(work, at + R_RATE, like)
    store(work, f.size[L_GAP], gap)
    store(work, f.size[L_POWERS] + f.size[L_FORCES] + 1, power)


@kernel
def _book_residuals(handle, loads, work, motion, rows, level, like) -> None:
    """The residual of each row on the level of positions (GAPS) or velocities (RATES), and the largest of them."""
    t, c, f = open_tables(handle), open_rules(handle), open_loads(loads)
    most = zero(like)
    for k in range(c.size[0]):
        block = c.blocks[k]
        for i in range(block.rows):
            at = rows + ROW * (block.row + i)
            value = load(work, at + R_PHI, like)
            if level == RATES:
                value = along_row(t, c, block, motion, S_V, at_v(t), work, at, like) + load(work, at + R_RATE, like)
            store(work, f.size[L_LAMBDA] + block.row + i, value)
            value = where(value < 0.0, -value, value)
            most = where(most < value, value, most)
    store(work, f.size[L_GAP], most)


@kernel
def _slides_only(handle) -> bool:
    """Do some rows hold velocities only?"""
    c = open_rules(handle)
    for k in range(c.size[0]):
        if not c.blocks[k].holonomic:
            return True
    return False


@kernel
def _by_tree(handle, loads, memory, time, like) -> int:
    work = floats_at(memory, HUGE)
    apply_forces(handle, loads, work, time, like)
    articulated_bodies(handle, work, 1.0, _wrenches(open_loads(loads)), -1, like)
    return 0


@kernel
def _by_articulated(handle, loads, memory, mode, time, like) -> int:
    t, c, f = open_tables(handle), open_rules(handle), open_loads(loads)
    work, motion = floats_at(memory, HUGE), floats_at(from_slot(memory, at_motion(t), like), HUGE)
    level, forces = mode & LEVEL, -1
    store(work, at_time(t, c), zero(like) + time)
    if level == GAPS or level == RATES:
        look_at_rows(handle, memory, level, like)
        _book_residuals(handle, loads, work, motion, at_rows(t), level, like)
        return 0
    if level == ACCELERATION:
        apply_forces(handle, loads, work, time, like)
        forces = _wrenches(f)
    else:
        fill(work, at_x(t), count_v(t), 0.0, like)
        if mode == VELOCITY + AGAIN and _slides_only(handle):
            mode = VELOCITY + HERE  # the factor may be one for positions, in which such rows are left out
    solve_articulated(handle, memory, mode, forces, -1, f.feedback, like)
    if mode & AGAIN == 0:
        source = at_multipliers(t, c) if level == ACCELERATION else at_residuals(t, c)
        for i in range(c.size[1]):
            store(work, f.size[L_LAMBDA] + i, load(work, source + i, like))
        store(work, f.size[L_GAP] + 1, load(work, at_report(t, c) + 1, like))
        _book_rows(handle, loads, work, at_rows(t), like)
    return 0


@kernel(address=RATES_CALL)
def tree_rates(handle, loads, memory, mode, time) -> int:
    return _by_tree(handle, loads, memory, time, 0.0)


@kernel(address=RATES_CALL)
def tree_rates_wide(handle, loads, memory, mode, time) -> int:
    return _by_tree(handle, loads, memory, time, widest())


@kernel(address=RATES_CALL)
def articulated_rates(handle, loads, memory, mode, time) -> int:
    return _by_articulated(handle, loads, memory, mode, time, 0.0)


@kernel(address=RATES_CALL)
def articulated_rates_wide(handle, loads, memory, mode, time) -> int:
    return _by_articulated(handle, loads, memory, mode, time, widest())


@kernel(address=RATES_CALL)
def sparse_rates(handle, loads, memory, mode, time) -> int:
    """By the sparse factor. `memory` is its scratch memory, before which the address of its program stands."""
    t, f = open_tables(handle), open_loads(loads)
    whole = before(memory)
    P, work = open_workspace(whole)
    wide = widest()
    level, forces = mode & LEVEL, -1
    work[P[P_TIME]] = time
    if level == GAPS or level == RATES:
        if level == GAPS:
            evaluate_state(handle, P, work)
        else:
            sweep_velocities(handle, work, 0.0)
        _book_residuals(handle, loads, work, work, P[P_ROWS], level, 0.0)
        return 0
    if mode & AGAIN:
        solve_again(handle, whole, level, wide)
        return 0
    if level == ACCELERATION:
        apply_forces(handle, loads, work, time, 0.0)
        forces = _wrenches(f)
    else:
        fill(work, at_x(t), count_v(t), 0.0, 0.0)
    _, residual = solve_state(handle, whole, forces, mode, f.feedback[0], f.feedback[1], wide)
    multipliers = f.size[L_LAMBDA]
    for e in range(P[P_COUNT]):
        c = HEADER + CONSTRAINT * e
        values = (P[c + C_VECTOR] + LAMBDA * P[c + C_PACKS]) * width(wide)
        if P[c + C_ROW] >= 0:
            for i in range(P[c + C_ROWS]):
                work[multipliers + P[c + C_ROW] + i] = work[values + i]
    for j in range(P[P_JOINTS_COUNT]):
        c = P[P_JOINTS] + JOINT * j
        for i in range(6):
            work[multipliers + P[c + J_ROW] + i] = work[P[c + J_STORE] + F_ + i]
    if level != ACCELERATION:
        for i in range(open_rules(handle).size[1]):
            work[multipliers + i] = work[P[P_ROWS] + ROW * i + R_GAMMA]
    work[f.size[L_GAP] + 1] = residual
    _book_rows(handle, loads, work, P[P_ROWS], 0.0)
    return 0


class PlainSparseMemory(np.ndarray):
    """In plain Python: the scratch memory of the sparse solver, which knows its program."""

    program = None


def before(memory):
    """The memory of the sparse solver, program and all, from its scratch memory."""
    return memory.program, memory


def call_rates(code, handle, loads, memory, mode, time):
    """Call a function of this file by its address. In plain Python the code is the function itself."""
    return code(handle, loads, memory, mode, time)


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


@when_compiling
def _verbs():
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic, overload

    @overload(before)
    def _before(memory):
        return lambda memory: memory - 8 * RESERVED

    @intrinsic
    def _call(typingctx, code, handle, loads, memory, mode, time):
        def codegen(context, builder, sig, args):
            whole, real = ir.IntType(64), ir.DoubleType()
            function = builder.inttoptr(args[0], ir.FunctionType(whole, [whole, whole, whole, whole, real]).as_pointer())
            return builder.call(function, args[1:])

        return types.int64(types.int64, types.int64, types.int64, types.int64, types.int64, types.float64), codegen

    @overload(call_rates)
    def _call_rates(code, handle, loads, memory, mode, time):
        return lambda code, handle, loads, memory, mode, time: _call(code, handle, loads, memory, mode, time)
