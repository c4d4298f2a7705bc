"""Impulses: the jump of velocity they cause, in O(n), and the inverse inertia that a push on a frame meets.

    M(q) dv = tau_hat + sum J_i^T f_hat_i            (Featherstone 1987, eq. 9.62: finite forces drop out of the limit)
is forward dynamics without velocity and gravity terms, so the articulated-body recursion solves it as it stands.
"""

import numpy as np

from ..kernel import kernel
from ..model.model import need_model
from ..model.tables import at_end, at_v, at_x, at_y, count_v, floats_at, open_tables
from ..scalar import beyond, scalar_for, width
from .aba import STRIDE, articulated_bodies
from .call import Driver, deliver, run
from .external import link_forces, wrenches
from .jacobian import jacobian
from .slots import HUGE, SINGULAR, fill, give, take, take_q


@kernel
def _impulse(handle, memory, start, stop, q, joint, body, out):
    t = open_tables(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    at_force = at_end(t, STRIDE)
    for k in range(start, stop, width(like)):
        bad = take_q(t, work, q, k, like) + take(work, at_x(t), joint, k, count_v(t), like)
        bad = bad + link_forces(handle, work, at_force, body, k, like)
        if beyond(bad, 0.0):
            return k + 1
        fill(work, at_v(t), count_v(t), 0.0, like)
        articulated_bodies(handle, work, 0.0, at_force, -1, like)
        if beyond(give(work, at_y(t), out, k, count_v(t), like), 0.0):
            return SINGULAR - k
    return 0


_driver = Driver(_impulse, 1, 1, 1, 1)


def impulse_response(model, q, joint_impulse=None, body_impulses=None, *, out=None, threads=1):
    """The jump of v that impulses cause, (..., nv). About `out` and singular states see `forward_dynamics`.

    Args:
        joint_impulse: generalised impulse (..., nv), None for zero.
        body_impulses: impulsive wrenches [n; f] (N m s, N s) as `f_ext` in `forward_dynamics`, None for zero.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(1, 1, 1))
    >>> model = m.build()
    >>> lw.impulse_response(model, lw.neutral(model), None, {"ball": [0, 0, 0, 6.0, 0, 0]}).tolist()
    [0.0, 0.0, 0.0, 3.0, 0.0, 0.0]
    """
    need_model(model)
    nv = (model.nv,)
    joint = np.zeros(nv) if joint_impulse is None else joint_impulse
    bodies = wrenches(model, {} if body_impulses is None else body_impulses, "body_impulses")
    inputs = [("q", q, (model.nq,)), ("joint_impulse", joint, nv), bodies]
    return run(_driver, model, inputs, [nv], out, threads)


def inverse_inertia(model, q, frame, other=None, *, axes="world", out=None, threads=1):
    """The inverse (cross-)inertia J_frame M^-1 J_other^T, (..., 6, 6): acceleration of `frame` per wrench on `other` (default: on itself).

    Six O(n) impulse responses. `axes` as in `jacobian`; its inverse, where it exists, is the operational-space inertia.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(4, 4, 4))
    >>> model = m.build()
    >>> lw.inverse_inertia(model, lw.neutral(model), "ball").diagonal().tolist()
    [0.25, 0.25, 0.25, 0.5, 0.5, 0.5]
    """
    need_model(model)
    J = jacobian(model, q, frame, axes=axes, threads=threads)
    K = J if other is None else jacobian(model, q, other, axes=axes, threads=threads)
    q = np.asarray(q, dtype=float)
    response = impulse_response(model, q[..., None, :], K, threads=threads)  # row i: the answer to a unit wrench i
    return deliver(J @ np.swapaxes(response, -1, -2), out)
