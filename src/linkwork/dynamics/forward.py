"""Forward dynamics of a tree: drivers over the articulated-body recursion. The public function is solvers/forward.py, which knows constraints."""

import numpy as np

from ..kernels import kernel
from ..kernels.scalar import beyond, scalar_for, width
from ..model.rules import has_rules
from ..model.tables import at_end, at_x, at_y, count_v, floats_at, open_tables
from .aba import STRIDE, articulated_bodies
from .call import Driver, run
from .external import link_forces, wrenches
from .slots import HUGE, SINGULAR, give, take, take_qv


@kernel
def _forward_dynamics(handle, memory, start, stop, q, v, tau, out) -> int:
    t = open_tables(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    if q.shape[-1] != t.size[1] or v.shape[-1] != t.size[2] or tau.shape[-1] != t.size[2] or has_rules(handle):
        return -1
    for k in range(start, stop, width(like)):
        bad = take_qv(t, work, q, v, k, like) + take(work, at_x(t), tau, k, count_v(t), like)
        if beyond(bad, 0.0):
            return k + 1
        articulated_bodies(handle, work, 1.0, -1, -1, like)
        if beyond(give(work, at_y(t), out, k, count_v(t), like), 0.0):
            return SINGULAR - k
    return 0


@kernel
def _forward_dynamics_forced(handle, memory, start, stop, q, v, tau, f_ext, out) -> int:
    t = open_tables(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    at_force = at_end(t, STRIDE)
    for k in range(start, stop, width(like)):
        bad = take_qv(t, work, q, v, k, like) + take(work, at_x(t), tau, k, count_v(t), like)
        bad = bad + link_forces(handle, work, at_force, f_ext, k, like)
        if beyond(bad, 0.0):
            return k + 1
        articulated_bodies(handle, work, 1.0, at_force, -1, like)
        if beyond(give(work, at_y(t), out, k, count_v(t), like), 0.0):
            return SINGULAR - k
    return 0


unforced = Driver(_forward_dynamics, 1, 1, 1, 1)
_forced = Driver(_forward_dynamics_forced, 1, 1, 1, 1, 1)


def tree_forward_dynamics(model, q, v, tau, f_ext, out, threads):
    """Accelerations of a model without constraints."""
    nv = (model.nv,)
    inputs = [("q", q, (model.nq,)), ("v", v, nv), ("tau", np.zeros(nv) if tau is None else tau, nv)]
    if f_ext is None:
        return run(unforced, model, inputs, [nv], out, threads)
    return run(_forced, model, [*inputs, wrenches(model, f_ext)], [nv], out, threads)
