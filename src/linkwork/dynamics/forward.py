"""Forward dynamics of a tree: drivers over the articulated-body recursion. The public function is solvers/forward_dynamics.py, which knows constraints."""

import numpy as np

from ..data.tree import GRAVITY, VELOCITIES, WRENCHES, TreeData
from ..kernels import kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width
from ..model.constraint_tables import has_constraints
from ..model.tables import open_tables
from .aba import articulated_bodies
from .call import Driver, run
from .exchange import SINGULAR, give, take, take_q
from .external import link_forces, wrenches


@kernel
def _forward_dynamics(handle, data, start, stop, q, v, tau, out) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    nv = model.nv
    if q.shape[-1] != model.nq or v.shape[-1] != nv or tau.shape[-1] != nv or has_constraints(model):
        return -1
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k) + take(tree.v, v, k, nv) + take(tree.tau, tau, k, nv), 0.0):
            return k + 1
        articulated_bodies(model, tree, GRAVITY | VELOCITIES)
        if beyond(give(tree.vdot, out, k, nv), 0.0):
            return SINGULAR - k
    return 0


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _forward_dynamics_forced(handle, data, start, stop, q, v, tau, f_ext, out) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    nv = model.nv
    for k in range(start, stop, width(tree)):
        bad = take_q(model, tree.q, q, k) + take(tree.v, v, k, nv) + take(tree.tau, tau, k, nv)
        if beyond(bad + link_forces(model, tree, f_ext, k), 0.0):
            return k + 1
        articulated_bodies(model, tree, GRAVITY | VELOCITIES | WRENCHES)
        if beyond(give(tree.vdot, out, k, nv), 0.0):
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
