"""Impulses: the jump of velocity they cause, in O(n), and the inverse inertia that a push on a frame meets.

    M(q) dv = tau_hat + sum J_i^T f_hat_i            (Featherstone 1987, eq. 9.62: finite forces drop out of the limit)
is forward dynamics without velocity and gravity terms, so the articulated-body recursion solves it as it stands.
"""

from ..data.tree import WRENCHES, TreeData
from ..kernels import kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width
from ..model.tables import open_tables
from .aba import articulated_bodies
from .call import Driver, run
from .exchange import SINGULAR, give, take, take_q
from .external import link_forces


@kernel
def _impulse(handle, data, start, stop, q, joint, body, out) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    for k in range(start, stop, width(tree)):
        bad = take_q(model, tree.q, q, k) + take(tree.tau, joint, k, model.nv) + link_forces(model, tree, body, k)
        if beyond(bad, 0.0):
            return k + 1
        articulated_bodies(model, tree, WRENCHES)
        if beyond(give(tree.vdot, out, k, model.nv), 0.0):
            return SINGULAR - k
    return 0


_driver = Driver(_impulse, 1, 1, 1, 1)


def tree_impulse_response(model, q, joint, bodies, out=None, threads=1):
    """The jump of v of a model without constraints. The public function is solvers/impulse_response.py, which knows them."""
    nv = (model.nv,)
    return run(_driver, model, [("q", q, (model.nq,)), ("joint_impulse", joint, nv), bodies], [nv], out, threads)
