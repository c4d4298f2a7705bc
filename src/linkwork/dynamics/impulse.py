"""Impulses: the jump of velocity they cause, in O(n), and the inverse inertia that a push on a frame meets.

    M(q) dv = tau_hat + sum J_i^T f_hat_i            (Featherstone 1987, eq. 9.62: finite forces drop out of the limit)
is forward dynamics without velocity and gravity terms, so the articulated-body recursion solves it as it stands.
"""

from ..kernels import kernel
from ..kernels.scalar import beyond, scalar_for, width
from ..model.tables import at_end, at_v, at_x, at_y, count_v, floats_at, open_tables
from .aba import STRIDE, articulated_bodies
from .call import Driver, run
from .external import link_forces
from .slots import HUGE, SINGULAR, fill, give, take, take_q


@kernel
def _impulse(handle, memory, start, stop, q, joint, body, out) -> int:
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


def tree_impulse_response(model, q, joint, bodies, out=None, threads=1):
    """The jump of v of a model without constraints. The public function is solvers/impulse.py, which knows them."""
    nv = (model.nv,)
    return run(_driver, model, [("q", q, (model.nq,)), ("joint_impulse", joint, nv), bodies], [nv], out, threads)
