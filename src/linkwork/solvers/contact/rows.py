"""Rows of contacts and limits through the articulated-body factor: G = J M_b^-1 J^T, and the answer of the mechanism to impulses.

As in solvers/delassus/row_propagation.py a row's wrenches go inward from both its links,

    y = D^-1/2 W J^T                          M^-1 = W^T D^-1 W,  a row of Y: numbers for the velocities on its path alone
    G_ij = y_i . y_j - v_i . v_j              v = L^-1 Y_b y:  what constraints take from it,  Y_b Y_b^T = K = L L^T  without dependent rows
    dv = W^T D^-1/2 (Y^T l + Y_b^T x),        K x = -Y_b Y^T l

Y_b, L and the choice of rows are those that the accelerations have left (ConstraintData), so that M_b^-1 is the same for both.

A row at a point p along d is the force d on link b and -d on link a; a limit, or dry friction of a joint, is a force along its
coordinate. Blocks of rows on the same two links share their path.
"""

from ...data.contact import POINT, UPPER_LIMIT
from ...dynamics.joints.row_propagation import give_inverse_pivots, load_joint
from ...dynamics.sweep import sweep_velocities
from ...kernels import Vector, kernel
from ...kernels.scalar import sqrt, zero
from ...model.constraint_tables import open_constraints
from ...spatial.matrices import apply9, apply9_transposed
from ...spatial.vectors import add3, add6, cross3, dot3, scale6, sub3
from ..delassus.row_propagation import respond


@kernel
def weigh_velocities(model, tree, weights) -> None:
    """D^-1/2 of the factor of the tree."""
    for i in range(model.n):
        give_inverse_pivots(model, tree, i, 0, weights)
    for v in range(model.nv):
        weights[v] = sqrt(weights[v])


@kernel
def lay_blocks(model, contact, directions) -> None:
    """The blocks of rows of all points, and their paths.

    directions: rows of a point, 1 (its normal) or 3. Flags an overflow if there is no room.
    """
    contact.nblocks, contact.nrows, contact.npaths = 0, 0, 0
    y, before = 0, -1
    for k in range(contact.count):
        point = contact.points[k]
        block = contact.blocks[contact.nblocks]
        if before >= 0 and point.pair == contact.points[before].pair:
            same = contact.blocks[contact.points[before].block]
            block.path, block.links, block.width = same.path, same.links, same.width
        elif not _lay_path(model, contact, block, point.a, point.b):
            return
        rows = directions if point.friction > 0.0 else 1
        block.kind, block.index, block.row, block.rows, block.y = POINT, k, contact.nrows, rows, y
        y = y + rows * block.width
        if y > contact.number_room:
            contact.overflow = True
            return
        point.block = contact.nblocks
        contact.nblocks, contact.nrows = contact.nblocks + 1, contact.nrows + rows
        before = k


@kernel
def add_limit(model, contact, k, kind) -> bool:
    """A block for coordinate k: its limit from below, from above, or its friction; False if there is no room."""
    block, limit, y = contact.blocks[contact.nblocks], contact.limits[k], 0
    if contact.nblocks > 0:
        last = contact.blocks[contact.nblocks - 1]
        y = last.y + last.rows * last.width
    if not _lay_path(model, contact, block, -1, limit.link):
        return False
    block.kind, block.index, block.row, block.rows, block.y = kind, k, contact.nrows, 1, y
    if y + block.width > contact.number_room:
        contact.overflow = True
        return False
    contact.nblocks, contact.nrows = contact.nblocks + 1, contact.nrows + 1
    return True


@kernel
def _lay_path(model, contact, block, a, b) -> bool:
    """The links from a and b up to their roots, children before parents; False if there is no room."""
    block.path, links, width = contact.npaths, 0, 0
    while a >= 0 or b >= 0:
        link = max(a, b)
        if contact.npaths >= contact.path_room:
            contact.overflow = True
            return False
        contact.paths[contact.npaths] = link
        contact.npaths, links, width = contact.npaths + 1, links + 1, width + model.links[link].nv
        if a == link:
            a = model.links[link].parent
        if b == link:
            b = model.links[link].parent
    block.links, block.width = links, width
    return True


@kernel
def propagate_blocks(model, tree, contact) -> None:
    """Y of all blocks; weights must be there."""
    for b in range(contact.nblocks):
        block = contact.blocks[b]
        if block.kind == POINT:
            point = contact.points[block.index]
            _propagate_force(model, tree, contact, block, block.y, point, point.n)
            if block.rows == 3:
                _propagate_force(model, tree, contact, block, block.y + block.width, point, point.t1)
                _propagate_force(model, tree, contact, block, block.y + 2 * block.width, point, point.t2)
        else:
            _propagate_limit(model, tree, contact, block)


@kernel
def _propagate_force(model, tree, contact, block, y, point, direction) -> None:
    """Innovations of one direction at one point at all joints on the path, weighed, to Y[y..]."""
    link_wrenches = contact.link_wrenches
    _clear(contact, block)
    if point.b >= 0:
        link_wrenches[point.b].f = _force_at(tree.motion.links[point.b], point.p, direction)
    if point.a >= 0:
        F = _force_at(tree.motion.links[point.a], point.p, direction)
        link_wrenches[point.a].f = scale6(-1.0, F)
    _carry_inward(model, tree, contact, block, y, -1, 0.0)


@kernel
def _propagate_limit(model, tree, contact, block) -> None:
    _clear(contact, block)
    sign = -1.0 if block.kind == UPPER_LIMIT else 1.0
    _carry_inward(model, tree, contact, block, block.y, contact.limits[block.index].v, sign)


@kernel(inline=True)
def _clear(contact, block):
    o = zero(contact.link_wrenches)
    for j in range(block.links):
        contact.link_wrenches[contact.paths[block.path + j]].f = o, o, o, o, o, o


@kernel
def _force_at(link, p, d) -> Vector[6]:
    """The force d at the point p, world axes, as a wrench on a link in its coordinates."""
    n, f = apply9_transposed(link.R, cross3(sub3(p, link.p), d)), apply9_transposed(link.R, d)
    return n[0], n[1], n[2], f[0], f[1], f[2]


@kernel
def _carry_inward(model, tree, contact, block, y, velocity, force) -> None:
    """Carry the wrenches on the links of a path to their roots. `force`: acts along one velocity besides (-1: none)."""
    Y, weights, link_wrenches = contact.Y, contact.weights, contact.link_wrenches
    for j in range(block.links):
        i = contact.paths[block.path + j]
        joint = model.links[i]
        for k in range(joint.nv):
            Y[y + k] = zero(contact)
            if joint.v + k == velocity:
                Y[y + k] = force
        F = load_joint(model, tree, i, link_wrenches[i].f, Y, y, 0)
        if joint.parent >= 0:
            link_wrenches[joint.parent].f = add6(link_wrenches[joint.parent].f, F)
        for k in range(joint.nv):
            Y[y + k] = weights[joint.v + k] * Y[y + k]
        y += joint.nv


@kernel
def fill_contact_matrix(model, contact, G) -> None:
    """G = Y Y^T of all rows, both triangles; blocks whose paths share no link have nothing in common."""
    n, Y = contact.nrows, contact.Y
    for a in range(contact.nblocks):
        first = contact.blocks[a]
        for b in range(a + 1):
            second = contact.blocks[b]
            if first.path == second.path:
                for i in range(first.rows):
                    for j in range(second.rows):
                        value = 0.0
                        y, z = first.y + i * first.width, second.y + j * second.width
                        for k in range(first.width):
                            value += Y[y + k] * Y[z + k]
                        G[(first.row + i) * n + second.row + j] = value
                        G[(second.row + j) * n + first.row + i] = value
            else:
                _fill_apart(model, contact, first, second, G)


@kernel
def _fill_apart(model, contact, first, second, G) -> None:
    """G of two blocks with different paths, which are walked side by side, from the tips to where they run together."""
    n, Y, paths = contact.nrows, contact.Y, contact.paths
    for i in range(first.rows):
        for j in range(second.rows):
            G[(first.row + i) * n + second.row + j] = 0.0
    p, q, y, z = 0, 0, 0, 0
    while p < first.links and q < second.links:
        link, other = paths[first.path + p], paths[second.path + q]
        if link == other:
            for i in range(first.rows):
                for j in range(second.rows):
                    value = 0.0
                    for k in range(model.links[link].nv):
                        value += Y[first.y + i * first.width + y + k] * Y[second.y + j * second.width + z + k]
                    at = (first.row + i) * n + second.row + j
                    G[at] = G[at] + value
        if link >= other:
            p, y = p + 1, y + model.links[link].nv
        if other >= link:
            q, z = q + 1, z + model.links[other].nv
    for i in range(first.rows):
        for j in range(second.rows):
            G[(second.row + j) * n + first.row + i] = G[(first.row + i) * n + second.row + j]


@kernel
def eliminate_constraints(model, contact, constraints, G) -> None:
    """What constraints take from G: v_i . v_j, with v = L^-1 Y_b y. `constraints`: ConstraintData with the factor of a solve."""
    c, V = open_constraints(model), contact.coupling
    n, nc = contact.nrows, c.nc
    for b in range(contact.nblocks):
        block = contact.blocks[b]
        for i in range(block.rows):
            at = (block.row + i) * nc
            for k in range(nc):
                V[at + k] = 0.0
            for k in range(c.nblocks):
                _couple(model, contact, constraints, block, block.y + i * block.width, c.blocks[k], at)
            _substitute_forward(c, constraints, V, at)
    for i in range(n):
        for j in range(i + 1):
            value = 0.0
            for k in range(nc):
                value += V[i * nc + k] * V[j * nc + k]
            G[i * n + j] = G[i * n + j] - value
            if i != j:
                G[j * n + i] = G[i * n + j]


@kernel
def _couple(model, contact, constraints, block, y, other, at) -> None:
    """Y_b y of one row of contact with a block of constraints."""
    c, Y, Yb, V, paths = open_constraints(model), contact.Y, constraints.propagated, contact.coupling, contact.paths
    p, q, z = 0, 0, other.y
    while p < block.links and q < other.paths:
        link, its = paths[block.path + p], c.paths[other.path + q]
        if link == its:
            for j in range(other.rows):
                value = 0.0
                for k in range(model.links[link].nv):
                    value += Y[y + k] * Yb[z + j * other.width + k]
                V[at + other.row + j] = V[at + other.row + j] + value
        if link >= its:
            p, y = p + 1, y + model.links[link].nv
        if its >= link:
            q, z = q + 1, z + model.links[its].nv


@kernel
def _substitute_forward(c, constraints, x, at) -> None:
    """L^-1 x in place; the diagonal of L is kept inverted, 0 for rows that are left out."""
    L = constraints.factor
    for g in range(c.ngroups):
        first, m, matrix = c.groups[g].first, c.groups[g].rows, c.groups[g].matrix
        for i in range(m):
            row, k = matrix + m * i, at + c.members[first + i]
            value = x[k]
            for j in range(i):
                value = value - L[row + j] * x[at + c.members[first + j]]
            x[k] = value * L[row + i]


@kernel
def respond_to_impulses(model, tree, contact, l) -> None:
    """dv of impulses l, without constraints, to tree.vdot."""
    e = contact.e
    _gather(model, contact, l)
    for v in range(model.nv):
        e[v] = contact.weights[v] * e[v]
        tree.vdot[v] = zero(tree)
    respond(model, tree, e, 0)


@kernel
def respond_with_constraints(model, tree, contact, constraints, l) -> None:
    """dv of impulses l in a mechanism with constraints, to tree.vdot."""
    c, e, x, V, L = open_constraints(model), contact.e, contact.x, contact.coupling, constraints.factor
    nc = c.nc
    _gather(model, contact, l)
    for k in range(nc):
        x[k] = 0.0
    for i in range(contact.nrows):
        if l[i] != 0.0:
            for k in range(nc):
                x[k] = x[k] - l[i] * V[i * nc + k]
    for g in range(c.ngroups):
        first, m, matrix = c.groups[g].first, c.groups[g].rows, c.groups[g].matrix
        for back in range(m):
            at = m - 1 - back
            k = c.members[first + at]
            value = x[k]
            for i in range(at + 1, m):
                value = value - L[matrix + m * i + at] * x[c.members[first + i]]
            x[k] = value * L[matrix + m * at + at]
    for b in range(c.nblocks):
        block = c.blocks[b]
        for y in range(block.y, block.y + block.width):
            v = c.velocities[y]
            for i in range(block.rows):
                e[v] = e[v] + x[block.row + i] * constraints.propagated[y + i * block.width]
    for v in range(model.nv):
        e[v] = contact.weights[v] * e[v]
        tree.vdot[v] = zero(tree)
    respond(model, tree, e, 0)


@kernel
def _gather(model, contact, l) -> None:
    """e = Y^T l."""
    e, Y, paths = contact.e, contact.Y, contact.paths
    for v in range(model.nv):
        e[v] = 0.0
    for b in range(contact.nblocks):
        block = contact.blocks[b]
        for i in range(block.rows):
            impulse, y = l[block.row + i], block.y + i * block.width
            if impulse != 0.0:
                for j in range(block.links):
                    joint = model.links[paths[block.path + j]]
                    for k in range(joint.nv):
                        e[joint.v + k] = e[joint.v + k] + impulse * Y[y + k]
                    y += joint.nv


@kernel(inline=True)
def velocity_at(motion, link, p):
    """The velocity of the point p (world) of a link, world axes."""
    o = zero(motion)
    u = (o, o, o)
    if link >= 0:
        moving = motion.links[link]
        V, r = moving.v, apply9_transposed(moving.R, sub3(p, moving.p))
        u = apply9(moving.R, add3((V[3], V[4], V[5]), cross3((V[0], V[1], V[2]), r)))
    return u


@kernel
def relative_velocities(model, motion, contact, q, v, before) -> None:
    """The relative velocity of each point at velocities v, along n, t1, t2: to `before`, or to `free`."""
    sweep_velocities(model, motion, q, v)
    for k in range(contact.count):
        point = contact.points[k]
        u = sub3(velocity_at(motion, point.b, point.p), velocity_at(motion, point.a, point.p))
        along = (dot3(u, point.n), dot3(u, point.t1), dot3(u, point.t2))
        if before:
            point.before = along
        else:
            point.free = along
