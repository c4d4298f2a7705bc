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
from ...model.contact_tables import open_contacts
from ...spatial.matrices import apply9, apply9_transposed
from ...spatial.vectors import add3, add6, cross3, dot3, scale3, scale6, sub3
from ..delassus.row_propagation import respond


@kernel
def weigh_velocities(model, tree, weights) -> None:
    """D^-1/2 of the factor of the tree."""
    for i in range(model.n):
        give_inverse_pivots(model, tree, i, 0, weights)
    for v in range(model.nv):
        weights[v] = sqrt(weights[v])


@kernel
def lay_blocks(model, contact, directions, h) -> None:
    """The blocks of rows of all points that speeds of shapes could close within a time h, and their paths.

    directions: rows of a point, 1 (its normal) or 3. h: negative for all points, wherever they are. Flags an overflow if there is no room.
    """
    t = open_contacts(model)
    contact.nblocks, contact.nrows, contact.npaths = 0, 0, 0
    y, before = 0, -1
    for k in range(contact.count):
        point = contact.points[k]
        shapes = t.pairs[point.pair]
        point.block = -1
        if h >= 0.0 and point.gap > h * (contact.shapes[shapes.a].speed + contact.shapes[shapes.b].speed) + 2.0 * contact.tolerance:
            continue
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
def find_groups(contact) -> None:
    """The islands: blocks on linkages that points connect, directly or through others (union-find); in the order of their first blocks, which stay in order."""
    roots, numbers, trees = contact.roots, contact.numbers, contact.trees
    for k in range(contact.ntrees):
        roots[k], numbers[k] = k, -1
    for k in range(contact.count):
        point = contact.points[k]
        if point.block >= 0 and point.a >= 0 and point.b >= 0:
            a, b = _root(roots, trees[point.a]), _root(roots, trees[point.b])
            roots[max(a, b)] = min(a, b)
    contact.ngroups = 0
    for b in range(contact.nblocks):
        block = contact.blocks[b]
        if block.kind == POINT:
            link = max(contact.points[block.index].a, contact.points[block.index].b)
        else:
            link = contact.limits[block.index].link
        root = _root(roots, trees[link])
        if numbers[root] < 0:
            numbers[root] = contact.ngroups
            group = contact.groups[contact.ngroups]
            group.blocks, group.rows, group.rebounding, group.state = 0, 0, 0, 0
            contact.ngroups += 1
        block.island = numbers[root]
        group = contact.groups[block.island]
        block.local = group.rows
        group.blocks, group.rows = group.blocks + 1, group.rows + block.rows
    total = 0
    for k in range(contact.ngroups):
        group = contact.groups[k]
        group.first = total
        total += group.blocks
        group.blocks = 0
    for b in range(contact.nblocks):
        group = contact.groups[contact.blocks[b].island]
        contact.fellows[group.first + group.blocks] = b
        group.blocks = group.blocks + 1


@kernel(inline=True)
def _root(roots, k):
    while roots[k] != k:
        k = roots[k]
    return k


@kernel
def lay_matrix(model, tree, contact) -> None:
    """G of all blocks together, as one island, without constraints: rows of the problem are those of the blocks."""
    weigh_velocities(model, tree, contact.weights)
    group = contact.groups[0]
    group.first, group.blocks, group.rows = 0, contact.nblocks, contact.nrows
    for b in range(contact.nblocks):
        contact.fellows[b], contact.blocks[b].island, contact.blocks[b].local = b, 0, contact.blocks[b].row
    propagate_blocks(model, tree, contact, group)
    fill_contact_matrix(model, contact, group, contact.problem.G)


@kernel
def take_all(contact) -> None:
    """The impulses of the problem that `lay_matrix` has laid, for the answer to them."""
    for i in range(contact.nrows):
        contact.l[i] = contact.problem.l[i]


@kernel
def propagate_blocks(model, tree, contact, group) -> None:
    """Y of all blocks of an island; weights must be there."""
    for b in range(group.first, group.first + group.blocks):
        block = contact.blocks[contact.fellows[b]]
        if block.kind == POINT:
            point = contact.points[block.index]
            if block.rows == 3 and (point.a < 0 or point.b < 0):
                _propagate_on_ground(model, tree, contact, block, point)
                continue
            _propagate_force(model, tree, contact, block, block.y, point, point.n)
            if block.rows == 3:
                _propagate_force(model, tree, contact, block, block.y + block.width, point, point.t1)
                _propagate_force(model, tree, contact, block, block.y + 2 * block.width, point, point.t2)
        else:
            _propagate_limit(model, tree, contact, block)


@kernel
def _propagate_on_ground(model, tree, contact, block, point) -> None:
    """The three directions at a point between a link and the world: one way inward, three wrenches in registers."""
    Y, weights, width, o = contact.Y, contact.weights, block.width, zero(contact)
    link, sign = (point.b, 1.0) if point.b >= 0 else (point.a, -1.0)
    moving, y = tree.motion.links[link], block.y
    N = scale6(sign, _force_at(moving, point.p, point.n))
    S = scale6(sign, _force_at(moving, point.p, point.t1))
    T = scale6(sign, _force_at(moving, point.p, point.t2))
    for j in range(block.links):
        i = contact.paths[block.path + j]
        joint = model.links[i]
        for k in range(joint.nv):
            Y[y + k] = Y[y + width + k] = Y[y + 2 * width + k] = o
        N = load_joint(model, tree, i, N, Y, y, 0)
        S = load_joint(model, tree, i, S, Y, y + width, 0)
        T = load_joint(model, tree, i, T, Y, y + 2 * width, 0)
        for k in range(joint.nv):
            weight = weights[joint.v + k]
            Y[y + k], Y[y + width + k], Y[y + 2 * width + k] = weight * Y[y + k], weight * Y[y + width + k], weight * Y[y + 2 * width + k]
        y += joint.nv


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
def fill_contact_matrix(model, contact, group, G) -> None:
    """G = Y Y^T of all rows of an island, both triangles; blocks whose paths share no link have nothing in common."""
    n, Y = group.rows, contact.Y
    for a in range(group.first, group.first + group.blocks):
        first = contact.blocks[contact.fellows[a]]
        for b in range(group.first, a + 1):
            second = contact.blocks[contact.fellows[b]]
            if first.rows == 3 and second.rows == 3:
                _fill_points(model, contact, first, second, n, G)
            elif first.path == second.path:
                for i in range(first.rows):
                    for j in range(second.rows):
                        value = 0.0
                        y, z = first.y + i * first.width, second.y + j * second.width
                        for k in range(first.width):
                            value += Y[y + k] * Y[z + k]
                        G[(first.local + i) * n + second.local + j] = value
                        G[(second.local + j) * n + first.local + i] = value
            else:
                _fill_apart(model, contact, first, second, n, G)


@kernel
def _fill_points(model, contact, first, second, n, G) -> None:
    """G of two points with friction: as `_fill_apart`, its nine numbers in registers."""
    Y, paths = contact.Y, contact.paths
    y0, z0 = first.y, second.y
    y1, z1 = y0 + first.width, z0 + second.width
    y2, z2 = y1 + first.width, z1 + second.width
    g00, g01, g02, g10, g11, g12, g20, g21, g22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    p, q, y, z = 0, 0, 0, 0
    while p < first.links and q < second.links:
        link, other = paths[first.path + p], paths[second.path + q]
        if link == other:
            for k in range(model.links[link].nv):
                a0, a1, a2 = Y[y0 + y + k], Y[y1 + y + k], Y[y2 + y + k]
                b0, b1, b2 = Y[z0 + z + k], Y[z1 + z + k], Y[z2 + z + k]
                g00, g01, g02 = g00 + a0 * b0, g01 + a0 * b1, g02 + a0 * b2
                g10, g11, g12 = g10 + a1 * b0, g11 + a1 * b1, g12 + a1 * b2
                g20, g21, g22 = g20 + a2 * b0, g21 + a2 * b1, g22 + a2 * b2
        if link >= other:
            p, y = p + 1, y + model.links[link].nv
        if other >= link:
            q, z = q + 1, z + model.links[other].nv
    at, to = first.local * n + second.local, second.local * n + first.local
    G[at], G[at + 1], G[at + 2] = g00, g01, g02
    G[at + n], G[at + n + 1], G[at + n + 2] = g10, g11, g12
    G[at + 2 * n], G[at + 2 * n + 1], G[at + 2 * n + 2] = g20, g21, g22
    G[to], G[to + 1], G[to + 2] = g00, g10, g20
    G[to + n], G[to + n + 1], G[to + n + 2] = g01, g11, g21
    G[to + 2 * n], G[to + 2 * n + 1], G[to + 2 * n + 2] = g02, g12, g22


@kernel
def _fill_apart(model, contact, first, second, n, G) -> None:
    """G of two blocks with different paths, which are walked side by side, from the tips to where they run together."""
    Y, paths = contact.Y, contact.paths
    for i in range(first.rows):
        for j in range(second.rows):
            G[(first.local + i) * n + second.local + j] = 0.0
    p, q, y, z = 0, 0, 0, 0
    while p < first.links and q < second.links:
        link, other = paths[first.path + p], paths[second.path + q]
        if link == other:
            for i in range(first.rows):
                for j in range(second.rows):
                    value = 0.0
                    for k in range(model.links[link].nv):
                        value += Y[first.y + i * first.width + y + k] * Y[second.y + j * second.width + z + k]
                    at = (first.local + i) * n + second.local + j
                    G[at] = G[at] + value
        if link >= other:
            p, y = p + 1, y + model.links[link].nv
        if other >= link:
            q, z = q + 1, z + model.links[other].nv
    for i in range(first.rows):
        for j in range(second.rows):
            G[(second.local + j) * n + first.local + i] = G[(first.local + i) * n + second.local + j]


@kernel
def eliminate_constraints(model, contact, group, constraints, G) -> None:
    """What constraints take from G: v_i . v_j, with v = L^-1 Y_b y. `constraints`: ConstraintData with the factor of a solve."""
    c, V = open_constraints(model), contact.coupling
    n, nc = group.rows, c.nc
    for b in range(group.first, group.first + group.blocks):
        block = contact.blocks[contact.fellows[b]]
        for i in range(block.rows):
            at = (block.local + i) * nc
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
def respond_to_impulses(model, tree, contact) -> None:
    """dv of the impulses contact.l, without constraints, to tree.vdot; weights must be there, Y need not."""
    e = contact.e
    _load_impulses(model, tree, contact)
    for v in range(model.nv):
        e[v] = contact.weights[v] * e[v]
        tree.vdot[v] = zero(tree)
    respond(model, tree, e, 0)


@kernel
def respond_with_constraints(model, tree, contact, constraints) -> None:
    """dv of the impulses contact.l in a mechanism with constraints, to tree.vdot: K x = -Y_b Y^T l."""
    c, e, x, L = open_constraints(model), contact.e, contact.x, constraints.factor
    _load_impulses(model, tree, contact)
    for k in range(c.nc):
        x[k] = 0.0
    for b in range(c.nblocks):
        block = c.blocks[b]
        for i in range(block.rows):
            value, at = 0.0, block.y + i * block.width
            for y in range(at, at + block.width):
                value = value - constraints.propagated[y] * e[c.velocities[y]]
            x[block.row + i] = value
    _substitute_forward(c, constraints, x, 0)
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
def _load_impulses(model, tree, contact) -> None:
    """e = Y^T l, by one sweep inward over all links, with all impulses at once."""
    e, l, weights, link_wrenches, o = contact.e, contact.l, contact.weights, contact.link_wrenches, zero(contact)
    for v in range(model.nv):
        e[v] = o
    for i in range(model.n):
        link_wrenches[i].f = o, o, o, o, o, o
    for b in range(contact.nblocks):
        block = contact.blocks[b]
        row = block.row
        if block.kind == POINT:
            point = contact.points[block.index]
            force = scale3(l[row], point.n)
            if block.rows == 3:
                force = add3(force, add3(scale3(l[row + 1], point.t1), scale3(l[row + 2], point.t2)))
            if point.b >= 0:
                link_wrenches[point.b].f = add6(link_wrenches[point.b].f, _force_at(tree.motion.links[point.b], point.p, force))
            if point.a >= 0:
                F = scale6(-1.0, _force_at(tree.motion.links[point.a], point.p, force))
                link_wrenches[point.a].f = add6(link_wrenches[point.a].f, F)
        else:
            v = contact.limits[block.index].v
            e[v] = e[v] + (-l[row] if block.kind == UPPER_LIMIT else l[row])
    for back in range(model.n):
        i = model.n - 1 - back
        joint = model.links[i]
        F = load_joint(model, tree, i, link_wrenches[i].f, e, joint.v, 0)
        if joint.parent >= 0:
            link_wrenches[joint.parent].f = add6(link_wrenches[joint.parent].f, F)
    for v in range(model.nv):
        e[v] = weights[v] * e[v]


@kernel
def change_velocities(model, motion, contact, q, dv) -> None:
    """w = g + J dv of all rows."""
    sweep_velocities(model, motion, q, dv)
    for b in range(contact.nblocks):
        block = contact.blocks[b]
        row = block.row
        if block.kind == POINT:
            point = contact.points[block.index]
            u = sub3(velocity_at(motion, point.b, point.p), velocity_at(motion, point.a, point.p))
            contact.w[row] = contact.g[row] + dot3(u, point.n)
            if block.rows == 3:
                contact.w[row + 1], contact.w[row + 2] = contact.g[row + 1] + dot3(u, point.t1), contact.g[row + 2] + dot3(u, point.t2)
        else:
            change = dv[contact.limits[block.index].v]
            contact.w[row] = contact.g[row] + (-change if block.kind == UPPER_LIMIT else change)


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
