"""The joint-space mass matrix by composite rigid bodies (CRBA).

Featherstone 1987, sections 5.3-5.4, with branches (7.2) and joints of several freedoms (7.4). Composite inertias are summed in link coordinates;
motion axes S and momenta F are then expressed in the frame of the tree's root link, where one product of six gives an entry of M:

outward   X_i, the pose of link i in its root link's frame;   S_i' = Ad(X_i) S_i
inward    I^C_l += X_li I^C_i X_li^T                     composite inertia of everything outboard
          F = Ad*(X_i) I^C_i S_i                         momentum of it when joint i moves at unit rate
          M_ii = S_i^T I^C_i S_i + armature,    M_ji = M_ij = S_j'^T F    for all j that support i

The root link's frame (instead of the world's) keeps numbers small wherever the mechanism stands. Joints of which none supports the other leave
zeros in M.

`joint` is a row of the model's table of links, `link` the record of what the recursion keeps of it (data/tree.py).
"""

from ..data.tree import CompositeBranch, CompositeLink
from ..kernels import kernel
from ..kernels.scalar import load, sincos, store, zero
from ..kernels.views import records_in, slots_of
from ..model.tables import AXIAL, BALL, FREE, at_extras, at_gathers, at_links, at_v, count_links, open_tables
from ..spatial.axial import place_axial, rigid_in_axial, rotation_axial
from ..spatial.inertia import inertia_sum, inertia_times, inertia_transform, zero_inertia
from ..spatial.matrices import apply9, identity9
from ..spatial.motion import force_to_parent, motion_to_parent
from ..spatial.se3 import pose_compose
from ..spatial.vectors import add3, cross3, dot6, load6, store3, store6
from .general import COLUMN, E_COLUMN, has_unit_axes, is_free_base, place_general, pose_general
from .links import rigid_of
from .matrix_slots import Leaving, enter, leave

STRIDE = slots_of(CompositeLink)


@kernel
def axes_in_root(handle, work, out, leaving, like) -> Leaving:
    """Outward: poses and motion axes in the root link's frame."""
    t = open_tables(handle)
    extras = at_extras(t, STRIDE)
    links, branches = records_in(CompositeLink, work, at_links(t), like), records_in(CompositeBranch, work, at_gathers(t, STRIDE), like)
    o = zero(like)
    R, p = identity9(like), (o, o, o)
    for i in range(count_links(t)):
        joint, link = t.links[i], links[i]
        if not joint.follows and joint.parent >= 0:
            R, p = links[joint.parent].R, links[joint.parent].p
        if joint.kind == AXIAL:
            q = load(work, joint.q, like)
            s, c = sincos(joint.turn * q + joint.offset)
            link.c, link.s = c, s
            p = add3(p, apply9(R, place_axial(joint, q)))
            R = rotation_axial(joint, c, s, R)
        else:
            place_general(
                joint, t.generals[joint.general], work, extras + joint.extra, at_v(t), joint.kind == FREE and joint.parent >= 0, like
            )
            R, p = pose_compose((R, p), pose_general(work, extras + joint.extra, like))
        if joint.parent < 0:
            R, p = identity9(like), (o, o, o)
        if joint.gather >= 0:
            branches[joint.gather].I = zero_inertia(like)
        link.R, link.p = R, p
        if joint.kind == AXIAL:
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
            _columns_in_root(joint, t.generals[joint.general], work, extras + joint.extra + E_COLUMN, R, p, like)
        leaving = leave(t, work, out, leaving)
    return leaving


@kernel(inline=True)
def _store_turn(work, at, z, p):
    """The motion that turns about an axis z through p."""
    store3(work, at, z)
    store3(work, at + 3, cross3(p, z))


@kernel(inline=True)
def _store_twice(work, at, F):
    store6(work, at, F)
    store6(work, at + 6, F)


@kernel
def _columns_in_root(link, general, work, columns, R, p, like) -> None:
    """S' of a general link. A free base is its own root frame: nobody asks for its unit axes."""
    if has_unit_axes(link, general) and link.kind == BALL:
        _store_turn(work, columns + 6, (R[0], R[3], R[6]), p)
        _store_turn(work, columns + COLUMN + 6, (R[1], R[4], R[7]), p)
        _store_turn(work, columns + 2 * COLUMN + 6, (R[2], R[5], R[8]), p)
    elif not is_free_base(link, general):
        for k in range(link.nv):
            store6(work, columns + COLUMN * k + 6, motion_to_parent((R, p), load6(work, columns + COLUMN * k, like)))


@kernel
def _momenta(link, general, work, columns, composite, like) -> None:
    """F = I^C S of a general link in place of its S, and S^T F in place of S' (which was for the links outboard)."""
    if has_unit_axes(link, general):
        m, x, y, z, xx, xy, xz, yy, yz, zz = composite
        o = zero(like)
        _store_twice(work, columns, (xx, xy, xz, o, -z, y))
        _store_twice(work, columns + COLUMN, (xy, yy, yz, z, o, -x))
        _store_twice(work, columns + 2 * COLUMN, (xz, yz, zz, -y, x, o))
        if link.kind == FREE:
            _store_twice(work, columns + 3 * COLUMN, (o, z, -y, m, o, o))
            _store_twice(work, columns + 4 * COLUMN, (-z, o, x, o, m, o))
            _store_twice(work, columns + 5 * COLUMN, (y, -x, o, o, o, m))
    else:
        for k in range(link.nv - 1, -1, -1):
            F = inertia_times(composite, load6(work, columns + COLUMN * k, like))
            for other in range(k + 1):
                store(work, columns + COLUMN * k + 6 + other, dot6(load6(work, columns + COLUMN * other, like), F))
            store6(work, columns + COLUMN * k, F)


@kernel
def _fill_general(t, i, work, out, at, columns, composite, like) -> int:
    """All entries of the velocities of the general link i, among themselves and with those of the links that support it."""
    link = t.links[i]
    _momenta(link, t.generals[link.general], work, columns, composite, like)
    for k in range(link.nv - 1, -1, -1):
        column = columns + COLUMN * k
        at = enter(t, out, work, at, link.v + k, link.v + k, load(work, column + 6 + k, like) + t.armature[link.v + k])
        for other in range(k - 1, -1, -1):
            at = enter(t, out, work, at, link.v + other, link.v + k, load(work, column + 6 + other, like))
        if link.parent >= 0:
            at = _fill_row(t, i, work, out, at, link.v + k, load6(work, column, like), like)
    return at


@kernel
def composite_bodies(handle, work, out, at, leaving, like) -> None:
    """Fill the mass matrix: of one state in `out`, of a block of states in the slots from `at` on (see matrix_slots.py).

    Entries of unrelated joints are not touched. Meanwhile the matrices `leaving`, of the block before, go to `out`.
    """
    t = open_tables(handle)
    n, extras = count_links(t), at_extras(t, STRIDE)
    links, branches = records_in(CompositeLink, work, at_links(t), like), records_in(CompositeBranch, work, at_gathers(t, STRIDE), like)
    leaving = axes_in_root(handle, work, out, leaving, like)
    nothing = zero_inertia(like)
    composite = nothing
    for i in range(n - 1, -1, -1):
        joint, link = t.links[i], links[i]
        composite = inertia_sum(composite, rigid_of(joint))
        if joint.gather >= 0:
            composite = inertia_sum(composite, branches[joint.gather].I)
        if joint.kind == AXIAL:
            m, hx, hy, hz, xx, xy, xz, yy, yz, zz = composite
            turn, slide = joint.turn, joint.slide
            at = enter(t, out, work, at, joint.v, joint.v, turn * turn * zz + slide * slide * m + joint.armature)
            if joint.parent >= 0:
                F = (turn * xz + slide * hy, turn * yz - slide * hx, turn * zz, -(turn * hy), turn * hx, slide * m)
                at = _fill_row(t, i, work, out, at, joint.v, F, like)
        else:
            at = _fill_general(t, i, work, out, at, extras + joint.extra + E_COLUMN, composite, like)
        if joint.parent >= 0:
            if joint.kind == AXIAL:
                r = place_axial(joint, load(work, joint.q, like))
                composite = rigid_in_axial(joint, r, link.c, link.s, composite)
            else:
                composite = inertia_transform(pose_general(work, extras + joint.extra, like), composite)
        if not joint.follows:
            if joint.parent >= 0:
                branch = branches[t.links[joint.parent].gather]
                branch.I = inertia_sum(branch.I, composite)
            composite = nothing
        leaving = leave(t, work, out, leaving)


@kernel(inline=True)
def _fill_row(t, i, work, out, at, index, F, like):
    """M entries of velocity `index` with those of all links that support link i; F in its coordinates."""
    links, extras = records_in(CompositeLink, work, at_links(t), like), at_extras(t, STRIDE)
    F = force_to_parent((links[i].R, links[i].p), F)
    j = t.links[i].parent
    while j >= 0:
        link = t.links[j]
        if link.kind == AXIAL:
            at = enter(t, out, work, at, link.v, index, dot6(links[j].S, F))
        elif is_free_base(link, t.generals[link.general]):
            for k in range(5, -1, -1):  # its own root frame
                at = enter(t, out, work, at, link.v + k, index, F[k])
        else:
            for k in range(link.nv - 1, -1, -1):
                S = load6(work, extras + link.extra + E_COLUMN + COLUMN * k + 6, like)
                at = enter(t, out, work, at, link.v + k, index, dot6(S, F))
        j = link.parent
    return at
