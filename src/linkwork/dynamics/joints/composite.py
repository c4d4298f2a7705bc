"""What composite rigid bodies (dynamics/crba.py) ask of a joint: its axes in the root link's frame, and its entries of the mass matrix."""

from ...kernels import kernel
from ...kernels.scalar import zero
from ...model.tables import AXIAL, BALL, FREE
from ...spatial.inertia import inertia_times
from ...spatial.motion import force_to_parent, motion_to_parent
from ...spatial.vectors import cross3, dot6
from ..matrix_entries import enter
from .general import has_unit_axes, is_free_base
from .joint import place_joint


@kernel(inline=True)
def place_composite(model, tree, i):
    """Evaluate the joint. Of an S of unit vectors nothing is written where the columns in root coordinates are known without it."""
    joint = model.links[i]
    place_joint(model, tree.composite, i, tree.q, tree.v, joint.kind == FREE and joint.parent >= 0)


@kernel(inline=True)
def axes_in_root(model, data, i):
    """S in root coordinates: of an axial joint in its link, of others in their columns."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        link = data.links[i]
        R, p = link.R, link.p
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
    else:
        _columns_in_root(model, data, i)


@kernel(inline=True)
def enter_joint(model, data, i, composite, out, at):
    """M_ii = S^T I^C S + armature and M_ij for all joints that support joint i; returns where the next entry goes."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        m, hx, hy, hz, xx, xy, xz, yy, yz, zz = composite
        turn, slide = joint.turn, joint.slide
        at = enter(model, out, data.entries, at, joint.v, joint.v, turn * turn * zz + slide * slide * m + joint.armature)
        if joint.parent >= 0:
            F = (turn * xz + slide * hy, turn * yz - slide * hx, turn * zz, -(turn * hy), turn * hx, slide * m)
            at = _fill_row(model, data, i, joint.v, F, out, at)
        return at
    return _fill_general(model, data, i, composite, out, at)


@kernel(inline=True)
def _turn_about(z, p):
    """The motion that turns about an axis z through p."""
    u = cross3(p, z)
    return z[0], z[1], z[2], u[0], u[1], u[2]


@kernel
def _columns_in_root(model, data, i) -> None:
    """S in root coordinates of a joint that is no single axis. A free base is its own root frame: nobody asks for its unit axes."""
    joint, columns = model.links[i], data.columns
    R, p = data.links[i].R, data.links[i].p
    general = model.generals[joint.general]
    if has_unit_axes(joint, general) and joint.kind == BALL:
        columns[joint.v].S = _turn_about((R[0], R[3], R[6]), p)
        columns[joint.v + 1].S = _turn_about((R[1], R[4], R[7]), p)
        columns[joint.v + 2].S = _turn_about((R[2], R[5], R[8]), p)
    elif not is_free_base(joint, general):
        for k in range(joint.v, joint.v + joint.nv):
            columns[k].S = motion_to_parent((R, p), data.joints.columns[k].S)


@kernel(inline=True)
def _momenta(model, data, joint, composite):
    """F = I^C S of a joint that is no single axis, for all its columns."""
    columns, v = data.columns, joint.v
    if has_unit_axes(joint, model.generals[joint.general]):
        m, x, y, z, xx, xy, xz, yy, yz, zz = composite
        o = zero(data)
        columns[v].F = xx, xy, xz, o, -z, y
        columns[v + 1].F = xy, yy, yz, z, o, -x
        columns[v + 2].F = xz, yz, zz, -y, x, o
        if joint.kind == FREE:
            columns[v + 3].F = o, z, -y, m, o, o
            columns[v + 4].F = -z, o, x, o, m, o
            columns[v + 5].F = y, -x, o, o, o, m
    else:
        for k in range(v, v + joint.nv):
            columns[k].F = inertia_times(composite, data.joints.columns[k].S)


@kernel
def _fill_general(model, data, i, composite, out, at) -> int:
    """All entries of a joint that is no single axis, among its own velocities and with those of the links that support it."""
    joint = model.links[i]
    v, unit = joint.v, has_unit_axes(joint, model.generals[joint.general])
    _momenta(model, data, joint, composite)
    for k in range(joint.nv - 1, -1, -1):
        F = data.columns[v + k].F
        for other in range(k, -1, -1):
            value = F[other] if unit else dot6(data.joints.columns[v + other].S, F)
            if other == k:
                value = value + model.armature[v + k]
            at = enter(model, out, data.entries, at, v + other, v + k, value)
        if joint.parent >= 0:
            at = _fill_row(model, data, i, v + k, F, out, at)
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
