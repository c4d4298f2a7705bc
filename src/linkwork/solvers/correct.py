"""Corrections in the mass metric: the least change of velocity, or of position, after which the rows hold; and jumps at impulses.

    dv = -M^-1 J^T K^+ r,      r = phi_dot (velocities) or phi (positions)          dv M-orthogonal to all motions that the rows allow

Some velocities may be kept as they are (`hold`): the articulated-body recursion takes their joints as rigid.
"""

import numpy as np

from ..dynamics.call import Driver, run
from ..dynamics.external import link_forces
from ..dynamics.slots import HUGE, SINGULAR, fill, give, take, take_q, take_qv
from ..kernels import kernel
from ..kernels.scalar import beyond, scalar_for, store, width, zero
from ..model.rules import open_rules
from ..model.tables import at_v, at_x, at_y, count_v, floats_at, open_tables
from .articulated import solve_articulated
from .jacobian import naming_rows
from .memory import at_driven, at_forces, at_residuals, at_time
from .modes import IMPULSE, POSITION, VELOCITY


@kernel
def _correct(handle, memory, start, stop, settings, held, q, v, time, out, residuals) -> int:
    t, c = open_tables(handle), open_rules(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    mode = POSITION if settings[3] > 0.0 else VELOCITY
    for k in range(start, stop, width(like)):
        bad = take_qv(t, work, q, v, k, like) + take(work, at_time(t, c), time, k, 1, like)
        if beyond(bad, 0.0):
            return k + 1
        fill(work, at_x(t), count_v(t), 0.0, like)
        for i in range(count_v(t)):
            store(work, at_driven(t) + i, zero(like) + held[i])
        solve_articulated(handle, memory, mode, -1, at_driven(t), settings, like)
        if beyond(give(work, at_y(t), out, k, count_v(t), like), 0.0):
            return SINGULAR - k
        give(work, at_residuals(t, c), residuals, k, c.size[1], like)
    return 0


@kernel
def _jump(handle, memory, start, stop, settings, q, joint, body, out) -> int:
    t, c = open_tables(handle), open_rules(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    for k in range(start, stop, width(like)):
        bad = take_q(t, work, q, k, like) + take(work, at_x(t), joint, k, count_v(t), like)
        bad = bad + link_forces(handle, work, at_forces(t), body, k, like)
        if beyond(bad, 0.0):
            return k + 1
        fill(work, at_v(t), count_v(t), 0.0, like)
        store(work, at_time(t, c), zero(like))
        solve_articulated(handle, memory, IMPULSE, at_forces(t), -1, settings, like)
        if beyond(give(work, at_y(t), out, k, count_v(t), like), 0.0):
            return SINGULAR - k
    return 0


_corrections = Driver(_correct, 1, 1, 1, 1, 1, constants=2)
_jumps = Driver(_jump, 1, 1, 1, 1, constants=1)


def correction(model, q, v=None, t=0.0, *, held=None, damping=0.0, threads=1):
    """(dv, residuals): the correction of the velocities v, or of the positions if v is None, and what the rows lacked before.

    held: (nv,) numbers, 1 where a velocity must not change. A correction of positions is applied by lw.integrate(model, q, dv).
    """
    nv = (model.nv,)
    settings = np.array([0.0, 0.0, damping, float(v is None)])
    held = np.zeros(model.nv) if held is None else np.ascontiguousarray(held, dtype=float)
    inputs = [("q", q, (model.nq,)), ("v", np.zeros(nv) if v is None else v, nv), ("t", np.asarray(t, dtype=float)[..., None], (1,))]
    with naming_rows(model, q, v, t):
        return run(_corrections, model, inputs, [nv, (model.nc,)], None, threads, (settings, held))


def constrained_jump(model, q, joint_impulse, body_impulses, out=None, threads=1):
    """The jump of v that impulses cause in a mechanism whose constraints hold before and after."""
    nv = (model.nv,)
    inputs = [("q", q, (model.nq,)), ("joint_impulse", joint_impulse, nv), body_impulses]
    return run(_jumps, model, inputs, [nv], out, threads, (np.zeros(3),))
