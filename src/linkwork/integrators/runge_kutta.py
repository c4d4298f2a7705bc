r"""Explicit Runge-Kutta methods on the group (Munthe-Kaas 1998), driven by their table of coefficients.

    theta_j = h sum_l a_jl theta'_l,   v_j = v_0 + h sum_l a_jl v'_l,   q_j = q_0 (+) theta_j
    theta'_j = dexp^-1(theta_j, v_j),  v'_j = vdot(q_j, v_j, t + c_j h)
    q_1 = q_0 (+) h sum_j b_j theta'_j,     v_1 = v_0 + h sum_j b_j v'_j,    works += h sum_j b_j powers_j

The works of all forces are integrated along with the motion, to the same order.
"""

from ..dynamics.configuration import move
from ..dynamics.force_tables import L_POWERS, open_loads
from ..dynamics.slots import HUGE
from ..kernels import kernel
from ..kernels.scalar import beyond, load, store, zero
from ..model.tables import at_v, at_y, count_v, floats_at, open_tables
from ..solvers.modes import ACCELERATION
from .control import sample_controllers, sample_due
from .group import local_rate
from .rates import call_rates
from .steps import at_q0, at_stages, at_theta, at_v0, at_works, begin_step, copy_slots, count_works, not_finite, restore_state, settle


@kernel
def combine(work, stages, stride, weights, row, count, part, size, at, base, h, like) -> None:
    """at = base + h sum_l weights[row, l] stage_l, or without a base (-1); `part`: where the numbers stand in a stage."""
    for k in range(size):
        total = zero(like)
        for l in range(count):
            weight = weights[row + l]
            if weight != 0.0:
                total = total + weight * load(work, stages + stride * l + part + k, like)
        total = h * total
        if base >= 0:
            total = total + load(work, base + k, like)
        store(work, at + k, total)


@kernel
def first_stage(handle, loads, work, first, like) -> None:
    """Stage 0, from the rates at the start of the step: theta' = v there."""
    t, f = open_tables(handle), open_loads(loads)
    nv, at = count_v(t), at_stages(t, f, first)
    copy_slots(work, at_v(t), at, nv, like)
    copy_slots(work, at_y(t), at + nv, nv, like)
    copy_slots(work, f.size[L_POWERS], at + 2 * nv, count_works(f), like)


@kernel
def runge_kutta_stages(handle, loads, rates, memory, work, first, table, count, begin, end, time, span, h, like) -> None:
    """Stages `begin` (at least 1) to `end` - 1 of a step of size h, of `count` that the table has: c, then b, then a row by row.

    q and v of the last of them are left in the state's slots, its theta in theta's. Stages see the times time + c span: h, or a trifle less
    where forces change abruptly at the end of the step.
    """
    t, f = open_tables(handle), open_loads(loads)
    nv, nw = count_v(t), count_works(f)
    stages, stride, theta = at_stages(t, f, first), 2 * nv + nw, at_theta(t, f, first)
    for j in range(begin, end):
        at, row = stages + stride * j, count * (2 + j)
        combine(work, stages, stride, table, row, j, 0, nv, theta, -1, h, like)
        combine(work, stages, stride, table, row, j, nv, nv, at_v(t), at_v0(t, f, first), h, like)
        move(handle, work, at_q0(t, f, first), theta, 0, like)
        call_rates(rates, handle, loads, memory, ACCELERATION, time + table[j] * span)
        local_rate(handle, work, theta, at_v(t), at, like)
        copy_slots(work, at_y(t), at + nv, nv, like)
        copy_slots(work, f.size[L_POWERS], at + 2 * nv, nw, like)


@kernel
def runge_kutta_end(handle, loads, work, first, weights, row, count, h, like) -> None:
    """The state at the end of a step, from its stages."""
    t, f = open_tables(handle), open_loads(loads)
    nv, nw = count_v(t), count_works(f)
    stages, stride, theta, works = at_stages(t, f, first), 2 * nv + nw, at_theta(t, f, first), at_works(t, f, first)
    combine(work, stages, stride, weights, row, count, 0, nv, theta, -1, h, like)
    combine(work, stages, stride, weights, row, count, nv, nv, at_v(t), at_v0(t, f, first), h, like)
    move(handle, work, at_q0(t, f, first), theta, 0, like)
    if not beyond(not_finite(handle, work, like), 0.0):
        combine(work, stages, stride, weights, row, count, 2 * nv, nw, works, works, h, like)


@kernel
def runge_kutta_steps(handle, loads, rates, memory, control, first, table, count, start, step, h, steps, tolerance, like) -> int:
    """Up to `steps` steps of size h, the first of which begins at start + step h; returns how many were taken before one failed."""
    work = floats_at(memory, HUGE)
    for i in range(steps):
        time = start + (step + i) * h
        if sample_due(control, step + i):
            settle(handle, loads, rates, memory, work, first, time, tolerance, like)
            sample_controllers(handle, loads, control, work, step + i, time, like)
        begin_step(handle, loads, rates, memory, work, first, time, tolerance, like)
        first_stage(handle, loads, work, first, like)
        runge_kutta_stages(handle, loads, rates, memory, work, first, table, count, 1, count, time, h, h, like)
        runge_kutta_end(handle, loads, work, first, table, count, count, h, like)
        if beyond(not_finite(handle, work, like), 0.0):
            restore_state(handle, loads, work, first, like)
            return i
    settle(handle, loads, rates, memory, work, first, start + (step + steps) * h, tolerance, like)
    return steps
