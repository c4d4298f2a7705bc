"""Inverse dynamics by recursive Newton-Euler (RNEA): the forces that given accelerations need, in O(n).

Featherstone 1987, section 4.5 (link coordinates), with branches (7.2) and joints of several freedoms (7.4):

outward   v_i = X_i v_l + S_i qdot_i
          a_i = X_i a_l + S_i qddot_i + v_i x S_i qdot_i + Sdot_i qdot_i          with a_world = -gravity
          f_i = I_i a_i + v_i x* I_i v_i - f^x_i
inward    tau_i = S_i^T f_i + armature qddot_i,    f_l += X_i^T f_i

The armature of a ball or free joint takes V x* A V more (joints/general.py: armature_bias).

What depends on the kind of a joint is asked of it (dynamics/joints/joint.py). `joint` is a row of the model's table of links, `link` the record of
what the recursion keeps of it (data/tree.py).
"""

from ..data.tree import GRAVITY, VELOCITIES, WRENCHES
from ..kernels import kernel
from ..kernels.scalar import zero
from ..model.tables import rigid_of
from ..spatial.inertia import bias_force, inertia_times
from ..spatial.vectors import add6, sub6
from .joints.joint import force_across, propagate_motion


@kernel
def newton_euler(model, tree, options) -> None:
    """q, v and vdot to tau. `options`: which of GRAVITY, VELOCITIES (without them v is not read) and WRENCHES count."""
    _outward_forces(model, tree, options)
    _inward_forces(model, tree, options)


@kernel(inline=True)
def _outward_forces(model, tree, options):
    """Velocities and accelerations of all links, from the root, and the forces that they need."""
    data, o = tree.newton_euler, zero(tree)
    links, branches, zero6, g = data.links, data.branches, (o, o, o, o, o, o), model.gravity
    world = zero6
    if options & GRAVITY:
        world = (o, o, o, o - g[0], o - g[1], o - g[2])
    v, a = zero6, world
    for i in range(model.n):
        joint = model.links[i]
        if not joint.follows:
            v, a = zero6, world
            if joint.parent >= 0:
                branch = branches[model.links[joint.parent].branch]
                v, a = branch.v, branch.a
        v, a = propagate_motion(model, tree, i, v, a, options)
        f = zero6
        if joint.massive:
            f = inertia_times(rigid_of(joint), a)
            if options & VELOCITIES:
                f = add6(f, bias_force(rigid_of(joint), v))
        if options & WRENCHES:
            f = sub6(f, tree.wrenches[i].f)
        links[i].f = f
        if joint.branch >= 0:
            branch = branches[joint.branch]
            branch.v, branch.a, branch.f = v, a, zero6


@kernel(inline=True)
def _inward_forces(model, tree, options):
    """Forces across all joints, from the tips."""
    data, o = tree.newton_euler, zero(tree)
    links, branches, zero6, n = data.links, data.branches, (o, o, o, o, o, o), model.n
    f = zero6
    for j in range(n):
        i = n - 1 - j
        joint = model.links[i]
        f = add6(f, links[i].f)
        if joint.branch >= 0:
            f = add6(f, branches[joint.branch].f)
        f = force_across(model, tree, i, f, options)
        if not joint.follows:
            if joint.parent >= 0:
                branch = branches[model.links[joint.parent].branch]
                branch.f = add6(branch.f, f)
            f = zero6
