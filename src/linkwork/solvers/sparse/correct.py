"""Corrections with a factor of the sparse solver that was made before, at a pose nearby: only right sides go inward and outward.

    cut bodies       g = W_t^-1 r,      p_b -= Y^T I_t g                                               r: the residual of each row now
    a meeting   z = L^-1 gamma,    p_m += Z_F^T z,    gamma_j -= Z_j^T z
    a link      u = -S^T p,        gamma += y D^-1 u,    p_parent += X^T (p + U D^-1 u)
    outward     as ever

The pivots are those of the earlier pose, its rank included; the rows' right sides and the transforms between links are those of now. So the
answer is off by the size of the motion in between, times itself: repeated corrections, checked each time, converge at that rate.
"""

from ...dynamics.joints.joint import force_in
from ...dynamics.joints.sparse import response, right_side_through
from ...kernels import kernel
from ...kernels.scalar import width
from ...kernels.views import floats_of
from ...spatial.vectors import add6, get6, scale6
from .factor import is_left
from .loop_joints import close_with_factor
from .rows import pass_right_side, take_right_sides
from .solve import go_outward, set_level


@kernel
def correct(model, data, level) -> None:
    """The correction of velocities or positions, after `prepare` at a state near to that of the last factor; to tree.vdot."""
    set_level(model, data, level, (0.0, 0.0, 0.0))
    take_right_sides(data)
    close_with_factor(model, data)
    _inward(model, data)
    go_outward(model, data)


@kernel
def _inward(model, data) -> None:
    program, tree, branches, inward = data.program, data.tree, data.branches, data.inward
    n, nothing = model.n, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(n):
        if model.links[i].branch >= 0:
            branches[model.links[i].branch].pA = nothing
    inward.pA = nothing
    for back in range(n):
        i = n - 1 - back
        joint, at = model.links[i], program.links[i]
        if at.gone:
            continue
        if at.closing_inertia >= 0:
            inward.pA = add6(inward.pA, data.closing_inertias[at.closing_inertia].pA)
        if joint.branch >= 0:
            inward.pA = add6(inward.pA, branches[joint.branch].pA)
        for e in range(at.meet, at.meet + at.meets):
            _meet(data, e)
        p = right_side_through(model, data, i, inward.pA)
        if at.entries > 0:
            for k in range(joint.nv):
                pass_right_side(model, data, i, k, response(model, data, i, k))
        if joint.parent >= 0:
            inward.pA = force_in(model, tree.motion, i, tree.q, p)
        if not joint.follows:
            if joint.parent >= 0:
                branch = branches[model.links[joint.parent].branch]
                branch.pA = add6(branch.pA, inward.pA)
            inward.pA = nothing
    for e in range(program.world, program.count):
        _meet(data, e)


@kernel
def _meet(data, e) -> None:
    """Eliminate the right side of constraint e; what it adds to the bias force of its meeting link goes to `inward`."""
    program, lanes, order, kept = data.program, width(data.panels), data.order, data.kept[e]
    c, packs, panels = program.constraints[e], data.panels, floats_of(data.panels)
    first, tail = c.pack * lanes, (c.stride - program.tail) * lanes
    for p in range(kept):
        i = order[first + p]
        start = c.panel + i * c.stride
        row = start * lanes
        z = _reduced(data, e, p, i) / panels[row + i]
        panels[row + tail + 6] = z
        if c.wrench >= 0:
            data.inward.pA = add6(data.inward.pA, scale6(z, get6(panels, row + tail)))
        for a in range(c.later, c.later + c.laters):
            later = program.laters[a]
            other = program.constraints[later.constraint]
            for g in range(other.packs):
                data.gamma[other.pack + g] = data.gamma[other.pack + g] - z * packs[start + later.column + g]
    if kept < c.rows:
        for i in range(c.rows):
            if is_left(order, first, kept, i):
                panels[(c.panel + i * c.stride) * lanes + tail + 6] = _reduced(data, e, kept, i)


@kernel(inline=True)
def _reduced(data, e, kept, i):
    """The right side of row i of constraint e after `kept` pivots."""
    program, lanes = data.program, width(data.panels)
    c, panels = program.constraints[e], floats_of(data.panels)
    first, tail = c.pack * lanes, (c.stride - program.tail) * lanes
    value = floats_of(data.gamma)[first + i]
    for p in range(kept):
        row = (c.panel + data.order[first + p] * c.stride) * lanes
        value -= panels[row + i] * panels[row + tail + 6]
    return value
