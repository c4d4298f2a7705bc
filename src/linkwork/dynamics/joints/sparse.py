"""What the sparse solver asks of a joint: its pivots, and what they do to the rows of constraints that act on its link.

With the pivots of the joint (U = I^A S, D = S^T U + armature, u = tau - S^T p, c) a row with wrench F on the link and coefficient k on the
joint's velocity keeps

    y = S^T F + k,      F <- F - U D^-1 y,      gamma += y D^-1 u + F . c,      K += y D^-1 y^T,      F_parent += X^T F.

These are the Schur complements of the node [[I^A, T], [T^T, 0]], T spanning the complement of S: its pivots are the pairs (acceleration along
T, multiplier of T), which are 2x2 and cost nothing, and then D. A link may thus be massless, as long as D is not zero.

For the rank decision each row also keeps its diagonal, sum y^2/D, before other constraints took from it, and its size, the diagonal
that its wrenches could have, were no motion forbidden to them (solvers/delassus/semidefinite.py).

`data` is the SparseData (data/sparse.py); poses of joints are those of its tree.motion.
"""

from ...data.tree import VELOCITIES
from ...kernels import Vector, kernel
from ...kernels.scalar import widest, width
from ...kernels.views import floats_of
from ...model.constraint_tables import open_constraints
from ...model.tables import AXIAL, CUSTOM, FREE
from ...spatial.axial import force_in_axial, motion_out_axial, place_axial
from ...spatial.motion import cross_motion, force_to_parent
from ...spatial.vectors import add6, dot6, get3, get6, scale6, set6, sub6
from .axial import along_axis, hand_inward, on_axis, pivot_axial, plus_product, velocity_product
from .ball_columns import force_alone_to_parent, is_plain_ball, pivot_ball, wrench_through_ball
from .general import accelerate_general, eliminate_general, motion_general, motion_out_general, pose_general

# Inward


@kernel(inline=True)
def eliminate_joint(model, data, i, IA, pA, v, options):
    """Remove the joint's freedoms from the link's articulated body (IA, pA): pivots are kept, what the parent feels goes to `inward`.

    v: velocity of the link, zero if velocities do not count. Featherstone 1987, section 6.4.
    """
    joint, tree = model.links[i], data.tree
    if joint.kind == AXIAL:
        link, kept = tree.motion.links[i], data.links[i]
        c = velocity_product(joint, v, tree.v[joint.v])
        U, K, Dinv, u = pivot_axial(joint, IA, pA, tree.tau[joint.v])
        kept.K, kept.e, kept.Dinv, kept.c = K, u * Dinv, Dinv, c
        if joint.parent >= 0:
            hand_inward(joint, (tree.q[joint.q], link.c, link.s), (IA, pA), (U, K, Dinv, u), c, data.inward)
    else:
        data.inward.IA, data.inward.pA = IA, pA
        _eliminate_general(model, data, i, v, options)


@kernel
def _eliminate_general(model, data, i, v, options) -> None:
    joint, joints, tree = model.links[i], data.joints, data.tree
    place = joints.generals[joint.general]
    c = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if options & VELOCITIES:
        c = add6(place.c, cross_motion(v, motion_general(model, joints, i, tree.v)))
    place.c = c
    if is_plain_ball(joint, model.generals[joint.general]):
        pivot_ball(joint, joints, data.inward, get3(tree.tau, joint.v))
    else:
        eliminate_general(model, tree, i, joints, data.inward, options)


@kernel(inline=True)
def rows_through_joint(model, data, i):
    """All rows on a link, after `eliminate_joint`: innovations y are kept, wrenches go to the parent, gamma, diagonal and size are added to."""
    if model.links[i].kind == AXIAL:
        _rows_through_axial(model, data, i)
    else:
        _rows_through_general(model, data, i)


@kernel
def _rows_through_axial(model, data, i) -> None:
    joint, link, tree, program = model.links[i], data.links[i], data.tree, data.program
    turned, at = tree.motion.links[i], program.links[i]
    K, e, Dinv, (cx, cy, dx, dy) = link.K, link.e, link.Dinv, link.c
    c, s, r = turned.c, turned.s, place_axial(joint, tree.q[joint.q])
    y, turning = at.y, Dinv * (joint.turn * joint.turn)
    pushing = _push(model, at, turning) + Dinv * (joint.slide * joint.slide)
    for j in range(at.entry, at.entry + at.entries):
        entry = program.entries[j]
        for g in range(entry.packs):
            F = wrench_of(data, entry.here, g)
            n2, f2 = _squares(F)
            z = on_axis(joint, F)
            if entry.block >= 0:
                _set_coefficients(model, data, entry, g, joint.v, y)
                z = z + data.innovations[y]
            data.innovations[y] = z
            y += 1
            F = sub6(F, scale6(z, K))
            gamma = z * e + (F[0] * cx + F[1] * cy + (F[3] * dx + F[4] * dy))
            size = turning * n2 + pushing * f2
            _keep(data, entry.pack + g, gamma, z * z * Dinv, size)
            if entry.parent >= 0:
                _hand_on(data, entry, g, force_in_axial(joint, r, c, s, F))


@kernel
def _rows_through_general(model, data, i) -> None:
    joint, joints, program = model.links[i], data.joints, data.program
    at, columns, nv = program.links[i], joints.columns, joint.nv
    ball = is_plain_ball(joint, model.generals[joint.general])
    y, weight = at.y, 0.0
    for k in range(nv):
        weight += columns[joint.v + k].Dinv
    # What joints forbid: balls no turn, free joints nothing, users' joints may anything.
    pushing = _push(model, at, weight) if joint.kind != FREE else 0.0
    turning = weight if joint.kind == CUSTOM else 0.0
    if joint.kind == CUSTOM:
        pushing += weight  # of freedoms to slide
    place = joints.generals[joint.general]
    c, X = place.c, pose_general(place)
    for j in range(at.entry, at.entry + at.entries):
        entry = program.entries[j]
        step = entry.packs
        for g in range(step):
            F = wrench_of(data, entry.here, g)
            n2, f2 = _squares(F)
            gamma = dot6(F, c)
            if ball and entry.block < 0:
                z, f, more, diagonal = wrench_through_ball(joint, joints, F)
                data.innovations[y + g], data.innovations[y + step + g], data.innovations[y + 2 * step + g] = z[0], z[1], z[2]
                _keep(data, entry.pack + g, gamma + more, diagonal, diagonal + pushing * f2)
                if entry.parent >= 0:
                    _hand_on(data, entry, g, force_alone_to_parent(X, f))
                continue
            diagonal = widest()
            for k in range(nv):
                column, here = columns[joint.v + k], y + k * step + g
                z = dot6(F, column.S)
                if entry.block >= 0:
                    _set_coefficients(model, data, entry, g, joint.v + k, here)
                    z = z + data.innovations[here]
                data.innovations[here] = z
                F = sub6(F, scale6(z, column.K))
                gamma = gamma + z * column.e
                diagonal = diagonal + z * z * column.Dinv
            _keep(data, entry.pack + g, gamma, diagonal, diagonal + turning * n2 + pushing * f2)
            if entry.parent >= 0:
                _hand_on(data, entry, g, force_to_parent(X, F))
        y += nv * step


@kernel(inline=True)
def _push(model, at, turning):
    """How far a force could move a link whose joint yields to moments by `turning`: at the arm of the mechanism's length, but no farther than the mass of
    the link lets it, were it free. So rods that spin easily, and long chains of them, do not look as if their rows were nearly redundant."""
    length = open_constraints(model).length[0]
    return min(turning * length * length, at.inverse_mass)


@kernel(inline=True)
def wrench_of(data, at, g):
    """The wrenches of pack g of a constraint's rows on a link, a row in each lane. `at`: the first pack of all its wrenches there."""
    return get6(data.wrenches, at + 6 * g)


@kernel(inline=True)
def set_wrench(data, at, g, F):
    """Write them."""
    set6(data.wrenches, at + 6 * g, F)


@kernel(inline=True)
def lane_of_wrench(at, i, lanes):
    """Where the wrench of row i of that constraint begins among the floats of data.wrenches; its six numbers stand `lanes` apart."""
    return (at + 6 * (i // lanes)) * lanes + i % lanes


@kernel(inline=True)
def _squares(F):
    """n.n and f.f."""
    return F[0] * F[0] + F[1] * F[1] + F[2] * F[2], F[3] * F[3] + F[4] * F[4] + F[5] * F[5]


@kernel
def _set_coefficients(model, data, entry, g, v, at) -> None:
    """The coefficients that the rows of an entry have on velocity v, in those lanes of its pack g that hold rows, to the innovations `at`."""
    c = open_constraints(model)
    block, lanes, y = c.blocks[entry.block], width(data.innovations), floats_of(data.innovations)
    data.innovations[at] = widest()
    for j in range(block.terms):
        if c.terms[block.term + j].v == v:
            for i in range(min(lanes, entry.rows - g * lanes)):
                y[at * lanes + i] += c.terms[block.term + j].coefficient


@kernel(inline=True)
def _keep(data, at, gamma, diagonal, size):
    """Add to what a pack of rows keeps."""
    data.gamma[at] = data.gamma[at] + gamma
    data.diagonal[at] = data.diagonal[at] + diagonal
    data.size[at] = data.size[at] + size


@kernel(inline=True)
def _hand_on(data, entry, g, F):
    """A wrench to where the parent expects it: in place, or to that of another branch."""
    if entry.here == entry.parent:
        set_wrench(data, entry.parent, g, F)
    else:
        set_wrench(data, entry.parent, g, add6(wrench_of(data, entry.parent, g), F))


@kernel(inline=True)
def right_side_through(model, data, i, p):
    """With pivots of an earlier solve, and nothing but the force p on the link: u = -S^T p is kept; returns p + U D^-1 u."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        link = data.links[i]
        u = -on_axis(joint, p)
        link.e, link.c = u * link.Dinv, (0.0, 0.0, 0.0, 0.0)
        return add6(p, scale6(u, link.K))
    return _right_side_general(model, data, i, p)


@kernel
def _right_side_general(model, data, i, p) -> Vector[6]:
    joint, joints = model.links[i], data.joints
    joints.generals[joint.general].c = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(joint.v, joint.v + joint.nv):
        column = joints.columns[k]
        u = -dot6(column.S, p)
        column.e = u * column.Dinv
        p = add6(p, scale6(u, column.K))
    return p


# Outward


@kernel(inline=True)
def response(model, data, i, k):
    """e = D^-1 u of freedom k."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        return data.links[i].e
    return data.joints.columns[joint.v + k].e


@kernel(inline=True)
def push_joint(model, data, i, k, force):
    """A further force on freedom k, that of multipliers: u += force."""
    joint = model.links[i]
    if joint.kind == AXIAL:
        link = data.links[i]
        link.e = link.e + link.Dinv * force
    else:
        column = data.joints.columns[joint.v + k]
        column.e = column.e + column.Dinv * force


@kernel(inline=True)
def solve_joint(model, data, i, a):
    """The joint's accelerations, in vdot, and the link's from its parent's: a' = X a + c,  qddot = D^-1 (u - U^T a'),  a' + S qddot."""
    joint, tree = model.links[i], data.tree
    if joint.kind == AXIAL:
        link, turned = data.links[i], tree.motion.links[i]
        a = motion_out_axial(joint, place_axial(joint, tree.q[joint.q]), turned.c, turned.s, a)
        a = plus_product(a, link.c)
        qddot = link.e - dot6(link.K, a)
        tree.vdot[joint.v] = qddot
        return along_axis(joint, a, qddot)
    return _solve_general(model, data, i, a)


@kernel
def _solve_general(model, data, i, a) -> Vector[6]:
    joints, tree = data.joints, data.tree
    a = motion_out_general(joints.generals[model.links[i].general], a)
    return accelerate_general(model, joints, i, a, tree.tau, tree.driven, 0, tree.vdot)
