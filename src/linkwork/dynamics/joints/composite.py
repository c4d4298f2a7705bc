"""What composite rigid bodies (dynamics/crba.py) ask of a joint: its axes in the root link's frame, and its entries of the mass matrix."""

from ...kernels import kernel
from ...kernels.scalar import sincos, zero
from ...model.tables import AXIAL, BALL, FREE
from ...spatial.axial import place_axial, rigid_in_axial, rotation_axial
from ...spatial.inertia import inertia_times, inertia_transform
from ...spatial.matrices import apply9
from ...spatial.motion import force_to_parent, motion_to_parent
from ...spatial.se3 import pose_compose
from ...spatial.vectors import add3, cross3, dot6, set6
from ..matrix_entries import enter
from .general import has_unit_axes, is_free_base, place_general, pose_general


@kernel(inline=True)
def place_in_root(model, tree, i, X):
    """Evaluate the joint: the pose of its link in the root link's frame, from the parent's X, and its axes there. Returns the pose; a root's own is X."""
    joint, data = model.links[i], tree.composite
    link = data.links[i]
    if joint.kind == AXIAL:
        R, p = X
        if joint.parent >= 0:
            q = tree.q[joint.q]
            s, c = sincos(joint.turn * q + joint.offset)
            link.c, link.s = c, s
            p = add3(p, apply9(R, place_axial(joint, q)))
            R = rotation_axial(joint, c, s, R)
        link.R, link.p = R, p
        z = (R[2], R[5], R[8])
        u = cross3(p, z)
        turn, slide = joint.turn, joint.slide
        link.S = (
            turn * z[0],
            turn * z[1],
            turn * z[2],
            turn * u[0] + slide * z[0],
            turn * u[1] + slide * z[1],
            turn * u[2] + slide * z[2],
        )
        return R, p
    # Of an S of unit vectors nothing is written where the columns in root coordinates are known without it; nor is the pose of a root asked for.
    if joint.parent >= 0 or not has_unit_axes(joint, model.generals[joint.general]):
        place_general(model, data.joints, i, tree.q, tree.v, joint.kind == FREE and joint.parent >= 0)
    if joint.parent >= 0:
        X = pose_compose(X, pose_general(data.joints.generals[joint.general]))
    link.R, link.p = X
    if not is_free_base(joint, model.generals[joint.general]):  # which is its own root frame: nobody asks for its unit axes
        _columns_in_root(model, data, i)
    return X


@kernel(inline=True)
def enter_joint(model, tree, i, composite, out, at):
    """M_ii = S^T I^C S + armature and M_ij for all joints that support joint i. Returns where the next entry goes, and I^C in the parent's frame."""
    joint, data = model.links[i], tree.composite
    if joint.kind == AXIAL:
        m, hx, hy, hz, xx, xy, xz, yy, yz, zz = composite
        turn, slide = joint.turn, joint.slide
        at = enter(model, out, data.entries, at, joint.v, joint.v, turn * turn * zz + slide * slide * m + joint.armature)
        if joint.parent >= 0:
            F = (turn * xz + slide * hy, turn * yz - slide * hx, turn * zz, -(turn * hy), turn * hx, slide * m)
            at = _fill_row(model, data, i, joint.v, F, out, at)
            link = data.links[i]
            composite = rigid_in_axial(joint, place_axial(joint, tree.q[joint.q]), link.c, link.s, composite)
        return at, composite
    at = _fill_general(model, data, i, composite, out, at)
    if joint.parent >= 0:
        composite = inertia_transform(pose_general(data.joints.generals[joint.general]), composite)
    return at, composite


@kernel(inline=True)
def _turn_about(z, p):
    """The motion that turns about an axis z through p."""
    u = cross3(p, z)
    return z[0], z[1], z[2], u[0], u[1], u[2]


@kernel
def _columns_in_root(model, data, i) -> None:
    """S in root coordinates of a joint that is no single axis."""
    joint, columns = model.links[i], data.columns
    R, p = data.links[i].R, data.links[i].p
    general = model.generals[joint.general]
    if has_unit_axes(joint, general) and joint.kind == BALL:
        columns[joint.v].S = _turn_about((R[0], R[3], R[6]), p)
        columns[joint.v + 1].S = _turn_about((R[1], R[4], R[7]), p)
        columns[joint.v + 2].S = _turn_about((R[2], R[5], R[8]), p)
    else:
        for k in range(joint.v, joint.v + joint.nv):
            columns[k].S = motion_to_parent((R, p), data.joints.columns[k].S)


@kernel(inline=True)
def _momenta(model, data, joint, composite):
    """F = I^C S of a joint that is no single axis, for all its columns, and S^T F."""
    columns, v, block = data.columns, joint.v, data.block
    if has_unit_axes(joint, model.generals[joint.general]):
        m, x, y, z, xx, xy, xz, yy, yz, zz = composite
        o = zero(data)
        _keep(columns[v], block, 0, (xx, xy, xz, o, -z, y))
        _keep(columns[v + 1], block, 6, (xy, yy, yz, z, o, -x))
        _keep(columns[v + 2], block, 12, (xz, yz, zz, -y, x, o))
        if joint.kind == FREE:
            _keep(columns[v + 3], block, 18, (o, z, -y, m, o, o))
            _keep(columns[v + 4], block, 24, (-z, o, x, o, m, o))
            _keep(columns[v + 5], block, 30, (y, -x, o, o, o, m))
    else:
        for k in range(joint.nv):
            F = inertia_times(composite, data.joints.columns[v + k].S)
            columns[v + k].F = F
            for other in range(k + 1):
                block[6 * k + other] = dot6(data.joints.columns[v + other].S, F)


@kernel(inline=True)
def _keep(column, block, at, F):
    """F of a unit axis, which is also its row of S^T F."""
    column.F = F
    set6(block, at, F)


@kernel
def _fill_general(model, data, i, composite, out, at) -> int:
    """All entries of a joint that is no single axis, among its own velocities and with those of the links that support it."""
    joint = model.links[i]
    v = joint.v
    _momenta(model, data, joint, composite)
    for k in range(joint.nv - 1, -1, -1):
        at = enter(model, out, data.entries, at, v + k, v + k, data.block[7 * k] + model.armature[v + k])
        for other in range(k - 1, -1, -1):
            at = enter(model, out, data.entries, at, v + other, v + k, data.block[6 * k + other])
        if joint.parent >= 0:
            at = _fill_row(model, data, i, v + k, data.columns[v + k].F, out, at)
    return at


@kernel(inline=True)
def _fill_row(model, data, i, index, F, out, at):
    """Entries of velocity `index` with those of all links that support link i; F in its coordinates."""
    links, entries = data.links, data.entries
    F = force_to_parent((links[i].R, links[i].p), F)
    j = model.links[i].parent
    while j >= 0:
        joint = model.links[j]
        if joint.kind == AXIAL:
            at = enter(model, out, entries, at, joint.v, index, dot6(links[j].S, F))
        elif is_free_base(joint, model.generals[joint.general]):
            for k in range(5, -1, -1):  # its own root frame
                at = enter(model, out, entries, at, joint.v + k, index, F[k])
        else:
            for k in range(joint.nv - 1, -1, -1):
                at = enter(model, out, entries, at, joint.v + k, index, dot6(data.columns[joint.v + k].S, F))
        j = joint.parent
    return at
