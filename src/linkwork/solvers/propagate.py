"""Rows through the articulated-body factor: K = J M^-1 J^T without M, and the answer of the tree to multipliers.

The recursion of dynamics/aba.py factors the mass matrix: with u the innovations that a load leaves at the joints on its way inward,
M^-1 = W^T D^-1 W (Featherstone 1987, chapter 6; Rodriguez, Jain and Kreutz-Delgado 1991). A row's wrenches are such a load, so

    inward     u = c + S^T F,      F_parent += X^T (F - U D^-1 u)         y = u: a row of  Y = W J^T
    K_ij = sum_k y_ik y_jk / D_k                                          only joints on both paths count
    outward    e = D^-1 Y^T lambda,   dvdot = e - D^-1 U^T a,   a = X a_parent + S dvdot          M^-1 J^T lambda

Cost: O(path) for a row, O(path) for an entry of K, O(n) for the answer.
"""

from ..data.tree import ArticulatedBranch, ArticulatedLink
from ..dynamics.aba import STRIDE
from ..dynamics.axial_joint import along_axis, on_axis
from ..dynamics.ball import answer_of_block, block_inverse, is_block, load_into_block
from ..dynamics.general import columns_in, force_in_general, is_driven, motion_out_general
from ..kernels import kernel
from ..kernels.scalar import load, sqrt, store, zero
from ..kernels.views import records_in
from ..model.rules import open_rules
from ..model.tables import AXIAL, at_extras, at_gathers, at_links, at_y, count_links, open_tables
from ..parts.constraints.rows import ROW
from ..spatial.axial import force_in_axial, motion_out_axial, place_axial
from ..spatial.vectors import add6, dot6, load6, scale6, store6, sub6
from .memory import at_e, at_loads, at_matrix, at_propagated, at_rows, at_sizes


@kernel
def propagate_rows(handle, work, driven, positions, like) -> None:
    """Fill Y, and the size of each row: the K_ii that its wrenches could have, were no motion forbidden to them.

    The mechanism's length weighs forces as moments. `positions`: rows that hold velocities only are left out.
    """
    t, c = open_tables(handle), open_rules(handle)
    F = at_loads(t, c)
    o = zero(like)
    for k in range(c.size[0]):
        block = c.blocks[k]
        if positions and not block.holonomic:
            for i in range(block.rows * block.width):
                store(work, at_propagated(t, c) + block.y + i, o)
            for i in range(block.rows):
                store(work, at_sizes(t, c) + block.row + i, o)
            continue
        for i in range(block.rows):
            row = at_rows(t) + ROW * (block.row + i)
            for j in range(block.paths):
                store6(work, F + 6 * c.paths[block.path + j], (o, o, o, o, o, o))
            if block.a >= 0:
                store6(work, F + 6 * block.a, load6(work, row, like))
            if block.b >= 0:
                store6(work, F + 6 * block.b, add6(load6(work, F + 6 * block.b, like), load6(work, row + 6, like)))
            y = at_propagated(t, c) + block.y + i * block.width
            ease = o
            for j in range(block.paths):
                link = c.paths[block.path + j]
                ease = ease + _inward(t, c, block, work, link, F, y, driven, like)
                y += t.links[link].nv
            store(work, at_sizes(t, c) + block.row + i, ease * _magnitude(c, block, work, row, like))


@kernel(inline=True)
def _magnitude(c, block, work, row, like):
    """How large the wrenches and coefficients of a row are, squared, as moments."""
    total = zero(like)
    for k in range(4):
        x, y, z = load(work, row + 3 * k, like), load(work, row + 3 * k + 1, like), load(work, row + 3 * k + 2, like)
        square = x * x + y * y + z * z
        total = total + (square if k % 2 == 0 else c.numbers[0] * c.numbers[0] * square)
    for j in range(block.terms):
        total = total + c.terms[block.term + j].coefficient * c.terms[block.term + j].coefficient
    return total


@kernel(inline=True)
def _inward(t, c, block, work, i, F, y, driven, like):
    """One link: innovations to the slots `y`.., the rest of the wrench to the parent. Returns how easily the joint yields to a moment."""
    link = t.links[i]
    load_ = load6(work, F + 6 * i, like)
    slides = 1.0 / (c.numbers[0] * c.numbers[0])
    ease = zero(like)
    if link.kind == AXIAL:
        kept = records_in(ArticulatedLink, work, at_links(t), like)[i]
        u = on_axis(link, load_) + _coefficient(c, block, link.v)
        if driven >= 0 and is_driven(work, driven + link.v, like):
            u = zero(like)
        else:
            ease = kept.D * (link.turn * link.turn + link.slide * link.slide * slides)
        store(work, y, u)
        if link.parent >= 0:
            load_ = sub6(load_, scale6(u, kept.K))
            load_ = force_in_axial(link, place_axial(link, load(work, link.q, like)), kept.c, kept.s, load_)
    elif is_block(link, t.generals[link.general], driven):
        e = at_extras(t, STRIDE) + link.extra
        load_ = load_into_block(link, work, e, load_, y, like)
        for k in range(link.nv):
            ease = ease + block_inverse(work, e, k, like) * (1.0 if k < 3 else slides)
    else:
        e = at_extras(t, STRIDE) + link.extra
        columns = columns_in(work, e, like)
        for k in range(link.nv):
            u = zero(like)
            if driven < 0 or not is_driven(work, driven + link.v + k, like):
                u = dot6(columns[k].S, load_) + _coefficient(c, block, link.v + k)
                load_ = sub6(load_, scale6(u, columns[k].K))
                ease = ease + columns[k].D * (1.0 + slides)
            store(work, y + k, u)
        if link.parent >= 0:
            load_ = force_in_general(work, e, load_, like)
    if link.parent >= 0:
        up = F + 6 * link.parent
        store6(work, up, add6(load6(work, up, like), load_))
    return ease


@kernel(inline=True)
def _coefficient(c, block, v):
    """The row's coefficient on a joint velocity."""
    value = 0.0
    for j in range(block.terms):
        if c.terms[block.term + j].v == v:
            value += c.terms[block.term + j].coefficient
    return value


@kernel(inline=True)
def _inverse_inertia(t, work, link, k, driven, like):
    """1 / D of velocity k of a link; 0 if it is driven."""
    row = t.links[link]
    if row.kind == AXIAL:
        return records_in(ArticulatedLink, work, at_links(t), like)[link].D
    e = at_extras(t, STRIDE) + row.extra
    if is_block(row, t.generals[row.general], driven):
        return block_inverse(work, e, k, like)
    if driven >= 0 and is_driven(work, driven + row.v + k, like):
        return zero(like)
    return columns_in(work, e, like)[k].D


@kernel
def weigh_rows(handle, work, driven, like) -> None:
    """Y D^-1/2 in place of Y: K is then a matter of dot products."""
    t, c = open_tables(handle), open_rules(handle)
    weights = at_e(t, c)
    for i in range(count_links(t)):
        for k in range(t.links[i].nv):
            store(work, weights + t.links[i].v + k, sqrt(_inverse_inertia(t, work, i, k, driven, like)))
    for b in range(c.size[0]):
        block = c.blocks[b]
        y = at_propagated(t, c) + block.y
        for j in range(block.paths):
            link = t.links[c.paths[block.path + j]]
            for k in range(link.nv):
                weight = load(work, weights + link.v + k, like)
                for i in range(block.rows):
                    at = y + i * block.width
                    store(work, at, weight * load(work, at, like))
                y += 1


@kernel
def fill_matrix(handle, work, driven, like) -> None:
    """K from Y, block by block; joints that only one of two paths has do not count. Leaves Y D^-1/2 in place of Y, and D^-1/2 in the slots of e."""
    t, c = open_tables(handle), open_rules(handle)
    m, K, Y = c.size[1], at_matrix(t, c), at_propagated(t, c)
    weigh_rows(handle, work, driven, like)
    for a in range(c.size[0]):
        first = c.blocks[a]
        for i in range(first.rows):
            for j in range(i + 1):
                value = zero(like)
                y, z = Y + first.y + i * first.width, Y + first.y + j * first.width
                for k in range(first.width):
                    value = value + load(work, y + k, like) * load(work, z + k, like)
                store(work, K + m * (first.row + i) + first.row + j, value)
                store(work, K + m * (first.row + j) + first.row + i, value)
        for b in range(a):
            _fill_block(handle, work, a, b, like)


@kernel
def _fill_block(handle, work, a, b, like) -> None:
    """K of two blocks: their paths are walked side by side, from the tips to where they run together."""
    t, c = open_tables(handle), open_rules(handle)
    m, K, Y = c.size[1], at_matrix(t, c), at_propagated(t, c)
    first, second = c.blocks[a], c.blocks[b]
    for i in range(first.rows):
        for j in range(second.rows):
            store(work, K + m * (first.row + i) + second.row + j, zero(like))
    p, q, y, z = 0, 0, 0, 0
    while p < first.paths and q < second.paths:
        link, other = c.paths[first.path + p], c.paths[second.path + q]
        if link == other:
            for k in range(t.links[link].nv):
                for i in range(first.rows):
                    u = load(work, Y + first.y + i * first.width + y + k, like)
                    for j in range(second.rows):
                        at = K + m * (first.row + i) + second.row + j
                        store(work, at, load(work, at, like) + u * load(work, Y + second.y + j * second.width + z + k, like))
        if link >= other:
            p, y = p + 1, y + t.links[link].nv
        if other >= link:
            q, z = q + 1, z + t.links[other].nv
    for i in range(first.rows):
        for j in range(second.rows):
            store(work, K + m * (second.row + j) + first.row + i, load(work, K + m * (first.row + i) + second.row + j, like))


@kernel
def innovations(handle, work, multipliers, sums, like) -> None:
    """D^-1 Y^T lambda, to the slots `sums`.. (one for each velocity); `fill_matrix` has left D^-1/2 in the slots of e, where it stays."""
    t, c = open_tables(handle), open_rules(handle)
    weights = at_e(t, c)
    for v in range(t.size[2]):
        store(work, sums + v, zero(like))
    for b in range(c.size[0]):
        block = c.blocks[b]
        y = at_propagated(t, c) + block.y
        for j in range(block.paths):
            link = t.links[c.paths[block.path + j]]
            for k in range(link.nv):
                total = load(work, sums + link.v + k, like)
                for i in range(block.rows):
                    total = total + load(work, multipliers + block.row + i, like) * load(work, y + i * block.width, like)
                store(work, sums + link.v + k, total)
                y += 1
    for v in range(t.size[2]):
        store(work, sums + v, load(work, weights + v, like) * load(work, sums + v, like))


@kernel
def respond(handle, work, e, driven, like) -> None:
    """Add the answer of the tree to innovations in the slots `e`.. to the accelerations in `work`."""
    t = open_tables(handle)
    extras, results = at_extras(t, STRIDE), at_y(t)
    links, branches = records_in(ArticulatedLink, work, at_links(t), like), records_in(ArticulatedBranch, work, at_gathers(t, STRIDE), like)
    o = zero(like)
    a = (o, o, o, o, o, o)
    for i in range(count_links(t)):
        link, kept = t.links[i], links[i]
        if not link.follows:
            a = (o, o, o, o, o, o)
            if link.parent >= 0:
                a = branches[t.links[link.parent].gather].a
        if link.kind == AXIAL:
            r = place_axial(link, load(work, link.q, like))
            a = motion_out_axial(link, r, kept.c, kept.s, a)
            qddot = load(work, e + link.v, like) - dot6(kept.K, a)
            if driven >= 0 and is_driven(work, driven + link.v, like):
                qddot = o
            store(work, results + link.v, load(work, results + link.v, like) + qddot)
            a = along_axis(link, a, qddot)
        elif is_block(link, t.generals[link.general], driven):
            x = extras + link.extra
            a = motion_out_general(work, x, a, like)
            a = answer_of_block(link, work, x, a, e + link.v, results + link.v, like)
        else:
            x = extras + link.extra
            a = motion_out_general(work, x, a, like)
            columns = columns_in(work, x, like)
            for back in range(link.nv):
                k = link.nv - 1 - back
                if driven < 0 or not is_driven(work, driven + link.v + k, like):
                    qddot = load(work, e + link.v + k, like) - dot6(columns[k].K, a)
                    at = results + link.v + k
                    store(work, at, load(work, at, like) + qddot)
                    a = add6(a, scale6(qddot, columns[k].S))
        if link.gather >= 0:
            branches[link.gather].a = a
