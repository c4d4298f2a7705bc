"""Residuals of the equations of motion at given accelerations and multipliers, and the correction by the tree's factor.

    r = tau - M vdot - h + J^T lambda                            forces that nothing balances: rounding of the solve
    M d = r + J^T mu,    J d = -(J vdot + gamma)                 the correction d of vdot, and mu of lambda

Residuals of rows alone (J vdot + gamma) do not show an error along the motion that the rows leave: in the null space of J. r does. With the factor of
the tree, M^-1 = W^T D^-1 W (solvers/delassus/row_propagation.py), and u = W r,

    K mu = -(J vdot + gamma + Y D^-1 u),    e = D^-1 (u + Y^T mu),    d = W^T e

so that a correction takes one way inward more than one for the rows alone. r itself is not formed: on the way inward each link brings the forces that it
lacks, I (a - g) + v x* I v less external wrenches and those of the rows, and joints take out theirs. Light links next to heavy ones keep their digits so:
the residual of a link is found from its own accelerations, not from a sum over all that hangs on it.
"""

from ...constraints.modes import ACCELERATION
from ...constraints.rows import wrench_a, wrench_b
from ...data.tree import WRENCHES
from ...dynamics.joints.joint import armature_bias_of
from ...dynamics.joints.row_propagation import load_joint
from ...kernels import kernel
from ...kernels.scalar import zero
from ...model.constraint_tables import open_constraints
from ...model.tables import rigid_of
from ...spatial.inertia import inertia_times
from ...spatial.vectors import add6, scale6, sub6
from ..sparse.loop_joints import own_bias


@kernel
def find_imbalance(model, data, level, options) -> None:
    """u = W r, to `imbalance`, at tree.vdot, for which the links have been swept, and the multipliers `sums`; what it is worth to the rows, Y D^-1 u, is added
    to their residuals. `options`: those of the recursion by which the tree has been factored; `level`: ACCELERATION or IMPULSE."""
    _load_joints(model, data, level)
    _load_links(model, data, level, options)
    _load_rows(model, data)
    tree, link_wrenches, u = data.tree, data.link_wrenches, data.imbalance
    for back in range(model.n):
        i = model.n - 1 - back
        F = load_joint(model, tree, i, link_wrenches[i].f, u, model.links[i].v, options)
        parent = model.links[i].parent
        if parent >= 0:
            link_wrenches[parent].f = add6(link_wrenches[parent].f, F)
    _tell_rows(model, data)


@kernel
def add_imbalance(model, data) -> None:
    """e += D^-1 u, after the innovations of the multipliers."""
    for v in range(model.nv):
        data.e[v] = data.e[v] + data.weights[v] * (data.weights[v] * data.imbalance[v])


@kernel(inline=True)
def _load_joints(model, data, level):
    """What joint forces leave of themselves at armatures."""
    tree, u = data.tree, data.imbalance
    for v in range(model.nv):
        u[v] = tree.tau[v] - model.armature[v] * tree.vdot[v]
    if level == ACCELERATION:
        for i in range(model.n):
            joint = model.links[i]
            bias = armature_bias_of(model, i, tree.v)
            for k in range(joint.nv):
                u[joint.v + k] = u[joint.v + k] - bias[k]


@kernel(inline=True)
def _load_links(model, data, level, options):
    """What external wrenches leave of themselves at the inertias of links. An impulse knows no gravity, nor velocities."""
    tree, o = data.tree, zero(data)
    for i in range(model.n):
        joint, link, F = model.links[i], tree.motion.links[i], (o, o, o, o, o, o)
        if options & WRENCHES:
            F = add6(F, tree.wrenches[i].f)
        if joint.massive:
            F = sub6(F, inertia_times(rigid_of(joint), link.a))
            if level == ACCELERATION:
                F = sub6(F, own_bias(joint, link.R, link.v, model.gravity))
        data.link_wrenches[i].f = F


@kernel(inline=True)
def _load_rows(model, data):
    """The wrenches of the rows on links, and their coefficients on joints."""
    c, link_wrenches, u = open_constraints(model), data.link_wrenches, data.imbalance
    for b in range(c.nblocks):
        block = c.blocks[b]
        for i in range(block.row, block.row + block.rows):
            x, row = data.sums[i], data.rows.rows[i]
            if block.a >= 0:
                link_wrenches[block.a].f = add6(link_wrenches[block.a].f, scale6(x, wrench_a(row)))
            if block.b >= 0:
                link_wrenches[block.b].f = add6(link_wrenches[block.b].f, scale6(x, wrench_b(row)))
            for j in range(block.terms):
                term = c.terms[block.term + j]
                u[term.v] = u[term.v] + x * term.coefficient


@kernel(inline=True)
def _tell_rows(model, data):
    """residuals += Y D^-1 u; Y D^-1/2 and D^-1/2 are those that `fill_matrix` has left."""
    c, Y, weights, u = open_constraints(model), data.propagated, data.weights, data.imbalance
    for b in range(c.nblocks):
        block = c.blocks[b]
        for y in range(block.y, block.y + block.width):
            v = c.velocities[y]
            value = weights[v] * u[v]
            for i in range(block.row, block.row + block.rows):
                data.residuals[i] = data.residuals[i] + value * Y[y + (i - block.row) * block.width]
