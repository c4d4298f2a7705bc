"""The linear-time Newton step on a tree: J eps = residual, with J = sum J_i(q_0)^T B_i J_i(q_1) never built.

Momenta live at the start of the step, corrections of poses at its end, so the articulated-body elimination (dynamics/aba.py) is done with the joints'
axes S_0 at q_0 on the left and S_1 at q_1 on the right. B_i is the slope of link i's momentum (body.py), p its momentum:

inward    U = B S_1,   W = B^T S_0,   D = S_0 . U + armature / h + damping / 2,   u = right side - S_0 . p
          B_l += X_0^T (B - U W^T / D) X_1,       p_l += X_0^T (p + U u / D)
outward   a' = X_1 a_l,   eps = u / D - (W / D) . a',   a = a' + S_1 eps

sum u^2 / D is the square of the correction in the energy norm: its growth shows that a step was too long (Deuflhard's natural test).
Wendlandt 1997, section 5.4.3, solves the same equations with seven coordinates a body and multipliers for all joints.
"""

from ...dynamics.exchange import copy
from ...dynamics.joints.joint import force_in, innovate
from ...dynamics.joints.variational import correct_joint, eliminate_joint
from ...kernels import Scalar, kernel
from ...kernels.scalar import zero
from ...spatial.blocks import block_sum, zero_block
from ...spatial.vectors import add6
from .body import momentum_slope
from .sweeps import clear_momenta


@kernel
def eliminate(model, run) -> None:
    """The factor of J at `run.displacement`, from tips to root: U / D, W / D and 1 / D of all joints."""
    n, branches, inward, nothing = model.n, run.branches, run.inward, zero_block(zero(run))
    for i in range(n):
        if model.links[i].branch >= 0:
            branches[model.links[i].branch].B = nothing
    inward.B = nothing
    for j in range(n):
        i = n - 1 - j
        joint = model.links[i]
        if joint.branch >= 0:
            _add_slope(inward, branches[joint.branch])
        if joint.massive:
            _add_own_slope(joint, run.links[i], inward, run.h)
        eliminate_joint(model, run, i)
        if not joint.follows:
            if joint.parent >= 0:
                _add_slope(branches[model.links[joint.parent].branch], inward)
            inward.B = nothing


@kernel
def _add_slope(into, other) -> None:
    """Slopes of momenta on the same link."""
    into.B = block_sum(into.B, other.B)


@kernel
def _add_own_slope(joint, link, inward, h) -> None:
    """Add the slope of the link's own momentum."""
    inward.B = block_sum(inward.B, momentum_slope(joint.m, link.com, link.T, link.r, h))


@kernel
def innovations(model, run) -> Scalar:
    """u / D of all joints for the momenta of links and the right sides `run.right`; returns sum u^2 / D."""
    o = zero(run)
    zero6, n, branches, x = (o, o, o, o, o, o), model.n, run.branches, run.innovation
    clear_momenta(model, run)
    copy(run.right, x, model.nv)
    p = zero6
    for j in range(n):
        i = n - 1 - j
        joint = model.links[i]
        p = add6(p, run.links[i].p)
        if joint.branch >= 0:
            p = add6(p, branches[joint.branch].p)
        p = innovate(model, run.start, i, x, p)
        if joint.parent >= 0:
            p = force_in(model, run.start, i, run.start.q, p)
        if not joint.follows:
            if joint.parent >= 0:
                branch = branches[model.links[joint.parent].branch]
                branch.p = add6(branch.p, p)
            p = zero6
    total = o
    for k in range(model.nv):
        e = x[k] * run.inverse[k]
        total = total + x[k] * e
        x[k] = e
    return total


@kernel
def corrections(model, run) -> None:
    """From u / D to the corrections of displacements and of the links' poses."""
    o = zero(run)
    zero6 = (o, o, o, o, o, o)
    a = zero6
    for i in range(model.n):
        joint = model.links[i]
        if not joint.follows:
            a = zero6
            if joint.parent >= 0:
                a = run.links[joint.parent].a
        a = correct_joint(model, run, i, a)
        run.links[i].a = a
