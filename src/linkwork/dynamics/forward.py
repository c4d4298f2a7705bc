"""Forward dynamics: the public function over the articulated-body recursion."""

import numpy as np
from numpy import empty

from ..kernel import JIT, kernel
from ..model.model import need_model
from ..model.tables import at_end, at_x, at_y, count_v, floats_at, open_tables
from ..scalar import beyond, scalar_for, width
from .aba import STRIDE, articulated_bodies
from .call import Driver, run
from .external import link_forces, wrenches
from .slots import HUGE, SINGULAR, give, take, take_qv


@kernel
def _forward_dynamics(handle, memory, start, stop, q, v, tau, out):
    t = open_tables(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    if q.shape[-1] != t.size[1] or v.shape[-1] != t.size[2] or tau.shape[-1] != t.size[2]:
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
def _forward_dynamics_forced(handle, memory, start, stop, q, v, tau, f_ext, out):
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


_plain = Driver(_forward_dynamics, 1, 1, 1, 1)
_forced = Driver(_forward_dynamics_forced, 1, 1, 1, 1, 1)


def forward_dynamics(model, q, v, tau=None, f_ext=None, *, out=None, threads=1):
    """Accelerations vdot that joint forces and external forces cause: M(q) vdot = tau - bias(q, v) + sum J^T f_ext.

    By articulated bodies, O(n) (Featherstone 1987, section 6.4).

    Args:
        model: a built Model.
        q, v: positions (..., nq) and velocities (..., nv).
        tau: generalised forces (..., nv); None means zero.
        f_ext: external wrenches [n; f] on the bodies (..., nb, 6), each in its body's frame and about its origin, or a dict {body name: wrench}.
        out: array to fill. It is left alone when an argument is refused; when a state turns out singular (SolverError), states
            before it, or in another thread's share, may have been written. threads: cores to use for a batch (None: all).
    Returns:
        vdot (..., nv).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-9, 1e-9, 1e-9))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> round(float(lw.forward_dynamics(m.build(), [0.1], [0.0])[0]), 5)
    -0.97937
    """
    if JIT and out is None and f_ext is None and threads == 1:
        # The short way, for one state: unboxing checks the types, the kernel sizes and values.
        try:
            result = empty(model.nv)
            if _plain.one(model.handle, model.scratch, 0, 1, q, v, tau, result) == 0:
                return result
        except (TypeError, AttributeError):
            pass  # a batch, other types, a first call, or an error: the long way finds out
    need_model(model)
    nv = (model.nv,)
    inputs = [("q", q, (model.nq,)), ("v", v, nv), ("tau", np.zeros(nv) if tau is None else tau, nv)]
    if f_ext is None:
        return run(_plain, model, inputs, [nv], out, threads)
    return run(_forced, model, [*inputs, wrenches(model, f_ext)], [nv], out, threads)
