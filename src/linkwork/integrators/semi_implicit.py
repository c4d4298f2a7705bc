"""Semi-implicit Euler: velocities first, positions with the new velocities. Order 1, symplectic for a potential and constant mass matrix.

v_1 = v_0 + h vdot(q_0, v_0, t_0),     q_1 = q_0 (+) h v_1
"""

from ..dynamics.configuration import move
from ..dynamics.force_tables import L_POWERS, open_loads
from ..dynamics.slots import HUGE
from ..kernels import kernel
from ..kernels.scalar import beyond, load, store, widest
from ..model.tables import at_v, at_y, count_v, floats_at, open_tables
from .control import sample_controllers, sample_due
from .fixed_step import FixedStep
from .steps import at_q0, at_theta, at_v0, at_works, begin_step, count_works, not_finite, restore_state, settle
from .walk import LOOP_CALL


@kernel
def semi_implicit_steps(handle, loads, rates, memory, control, first, start, step, h, steps, tolerance, like) -> int:
    """Up to `steps` steps of size h, the first of which begins at start + step h; returns how many were taken before one failed."""
    t, f = open_tables(handle), open_loads(loads)
    work = floats_at(memory, HUGE)
    v, y, v0, theta, works = at_v(t), at_y(t), at_v0(t, f, first), at_theta(t, f, first), at_works(t, f, first)
    for i in range(steps):
        time = start + (step + i) * h
        if sample_due(control, step + i):
            settle(handle, loads, rates, memory, work, first, time, tolerance, like)
            sample_controllers(handle, loads, control, work, step + i, time, like)
        begin_step(handle, loads, rates, memory, work, first, time, tolerance, like)
        for k in range(count_v(t)):
            new = load(work, v0 + k, like) + h * load(work, y + k, like)
            store(work, v + k, new)
            store(work, theta + k, h * new)
        move(handle, work, at_q0(t, f, first), theta, 0, like)
        if beyond(not_finite(handle, work, like), 0.0):
            restore_state(handle, loads, work, first, like)
            return i
        for k in range(count_works(f)):
            store(work, works + k, load(work, works + k, like) + h * load(work, f.size[L_POWERS] + k, like))
    settle(handle, loads, rates, memory, work, first, start + (step + steps) * h, tolerance, like)
    return steps


@kernel(address=LOOP_CALL)
def _loop(handle, loads, rates, memory, control, first, table, start, step, h, steps, tolerance) -> int:
    return semi_implicit_steps(handle, loads, rates, memory, control, first, start, step, h, steps, tolerance, 0.0)


@kernel(address=LOOP_CALL)
def _loop_wide(handle, loads, rates, memory, control, first, table, start, step, h, steps, tolerance) -> int:
    return semi_implicit_steps(handle, loads, rates, memory, control, first, start, step, h, steps, tolerance, widest())


class SemiImplicitEuler(FixedStep):
    """Velocities first, then positions with the new velocities: order 1, fixed step, the cheapest; energy stays bounded at small steps."""

    loop, loop_wide = _loop, _loop_wide
