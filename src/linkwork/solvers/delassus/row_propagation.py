"""Rows through the articulated-body factor: K = J M^-1 J^T without M, and the answer of the tree to multipliers.

The recursion of dynamics/aba.py factors the mass matrix: with u the innovations that a load leaves at the joints on its way inward,
M^-1 = W^T D^-1 W (Featherstone 1987, chapter 6; Rodriguez, Jain and Kreutz-Delgado 1991). A row's wrenches are such a load, so

    inward     u = c + S^T F,      F_parent += X^T (F - U D^-1 u)         y = u: a row of  Y = W J^T
    K_ij = sum_k y_ik y_jk / D_k                                          only joints on both paths count
    outward    e = D^-1 Y^T lambda,   dvdot = e - D^-1 U^T a,   a = X a_parent + S dvdot          M^-1 J^T lambda

Cost: O(path) for a row, O(path) for an entry of K, O(n) for the answer.
"""

from ...constraints.rows import coefficient_of, set_link_wrenches
from ...dynamics.joints.row_propagation import answer_joint, ease_of, give_inverse_pivots, load_joint
from ...kernels import kernel
from ...kernels.scalar import sqrt, zero
from ...model.constraint_tables import open_constraints
from ...spatial.vectors import add6, dot3


@kernel
def propagate_rows(model, data, positions, options) -> None:
    """Fill Y, and the size of each row: the K_ii that its wrenches could have, were no motion forbidden to them.

    The mechanism's length weighs forces as moments. `positions`: rows that hold velocities only are left out. `options`: those of the recursion
    by which the tree has been factored.
    """
    c, Y, o = open_constraints(model), data.propagated, zero(data)
    length = c.length[0]
    for b in range(c.nblocks):
        block = c.blocks[b]
        if positions and not block.holonomic:
            for k in range(block.y, block.y + block.rows * block.width):
                Y[k] = o
            for i in range(block.row, block.row + block.rows):
                data.sizes[i] = o
            continue
        ease = o
        for j in range(block.paths):
            ease = ease + ease_of(model, data.tree, c.paths[block.path + j], 1.0 / (length * length), options)
        for i in range(block.rows):
            _propagate_row(model, data, block, i, options)
            magnitude = magnitude_of_row(c, block, data.rows.rows[block.row + i])
            data.magnitudes[block.row + i], data.sizes[block.row + i] = magnitude, ease * magnitude


@kernel(inline=True)
def _propagate_row(model, data, block, i, options):
    """Innovations of row i of a block at all joints on its path."""
    c, link_wrenches, Y = open_constraints(model), data.link_wrenches, data.propagated
    set_link_wrenches(model, block, data.rows.rows[block.row + i], link_wrenches)
    y = block.y + i * block.width
    for j in range(block.paths):
        link = c.paths[block.path + j]
        joint = model.links[link]
        for k in range(joint.nv):
            Y[y + k] = zero(data) + coefficient_of(model, block, joint.v + k)
        F = load_joint(model, data.tree, link, link_wrenches[link].f, Y, y, options)
        if joint.parent >= 0:
            link_wrenches[joint.parent].f = add6(link_wrenches[joint.parent].f, F)
        y += joint.nv


@kernel(inline=True)
def magnitude_of_row(c, block, row):
    """How large the wrenches and coefficients of a row are, squared, as moments."""
    n_a, f_a, n_b, f_b = row.n_a, row.f_a, row.n_b, row.f_b
    square = c.length[0] * c.length[0]
    total = dot3(n_a, n_a) + square * dot3(f_a, f_a) + dot3(n_b, n_b) + square * dot3(f_b, f_b)
    for j in range(block.terms):
        total = total + c.terms[block.term + j].moment * c.terms[block.term + j].moment
    return total


@kernel
def weigh_rows(model, data, options) -> None:
    """Y D^-1/2 in place of Y: K is then a matter of dot products."""
    c, Y, weights = open_constraints(model), data.propagated, data.weights
    for i in range(model.n):
        give_inverse_pivots(model, data.tree, i, options, weights)
    for v in range(model.nv):
        weights[v] = sqrt(weights[v])
    for b in range(c.nblocks):
        block = c.blocks[b]
        for y in range(block.y, block.y + block.rows * block.width):
            Y[y] = weights[c.velocities[y]] * Y[y]


@kernel
def fill_matrix(model, data, options) -> None:
    """K from Y, group by group and there block by block; joints that only one of two paths has do not count. Leaves Y D^-1/2 in place of Y, and D^-1/2 in
    the weights."""
    c, K, Y = open_constraints(model), data.K, data.propagated
    weigh_rows(model, data, options)
    for g in range(c.ngroups):
        group = c.groups[g]
        for a in range(group.blocks):
            first = c.blocks[c.fellows[group.block + a]]
            for i in range(first.rows):
                at = group.matrix + group.rows * (c.places[first.row] + i) + c.places[first.row]
                for j in range(i + 1):
                    value = zero(data)
                    y, z = first.y + i * first.width, first.y + j * first.width
                    for k in range(first.width):
                        value = value + Y[y + k] * Y[z + k]
                    K[at + j] = value
            for b in range(a):
                _fill_block(model, data, group, first, c.blocks[c.fellows[group.block + b]])


@kernel
def _fill_block(model, data, group, first, second) -> None:
    """K of two blocks, the first of which has the later rows: their paths are walked side by side, from the tips to where they run together. Above the
    diagonal nothing is written, nor read."""
    c, K, Y = open_constraints(model), data.K, data.propagated
    m, at = group.rows, group.matrix + group.rows * c.places[first.row] + c.places[second.row]
    for i in range(first.rows):
        for j in range(second.rows):
            K[at + m * i + j] = zero(data)
    p, q, y, z = 0, 0, 0, 0
    while p < first.paths and q < second.paths:
        link, other = c.paths[first.path + p], c.paths[second.path + q]
        if link == other:
            for k in range(model.links[link].nv):
                for i in range(first.rows):
                    u = Y[first.y + i * first.width + y + k]
                    for j in range(second.rows):
                        K[at + m * i + j] = K[at + m * i + j] + u * Y[second.y + j * second.width + z + k]
        if link >= other:
            p, y = p + 1, y + model.links[link].nv
        if other >= link:
            q, z = q + 1, z + model.links[other].nv


@kernel
def innovations(model, data) -> None:
    """e = D^-1 Y^T lambda; `fill_matrix` has left Y D^-1/2 and D^-1/2, which stay."""
    c, Y, e = open_constraints(model), data.propagated, data.e
    for v in range(model.nv):
        e[v] = zero(data)
    for b in range(c.nblocks):
        block = c.blocks[b]
        for y in range(block.y, block.y + block.width):
            v = c.velocities[y]
            total = e[v]
            for i in range(block.rows):
                total = total + data.multipliers[block.row + i] * Y[y + i * block.width]
            e[v] = total
    for v in range(model.nv):
        e[v] = data.weights[v] * e[v]


@kernel
def respond(model, tree, e, options) -> None:
    """Add the answer of the tree to innovations e to the accelerations in vdot."""
    branches, o = tree.articulated.branches, zero(tree)
    a = (o, o, o, o, o, o)
    for i in range(model.n):
        joint = model.links[i]
        if not joint.follows:
            a = (o, o, o, o, o, o)
            if joint.parent >= 0:
                a = branches[model.links[joint.parent].branch].a
        a = answer_joint(model, tree, i, a, e, options)
        if joint.branch >= 0:
            branches[joint.branch].a = a
