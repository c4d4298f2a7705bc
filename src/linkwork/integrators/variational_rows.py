"""Rows of constraints in a variational step: positions hold at its end, multipliers act at its start.

    h G(q_0)^T lambda on the side of momenta,       phi(q_1, t_1) = 0 for rows on positions, and for rows on velocities, A v + a = 0,
    h/2 (A(q_0) vm + a(q_0, t_0) + A(q_1) vm + a(q_1, t_1)) = 0,        vm the mean velocity of the step

(the discrete d'Alembert-Lagrange principle of Cortes and Martinez 2001 with the trapezoidal rule: it reads the same backwards, so it is of second
order). Newton's step is that of the tree and K x = -(gap + G_1 eps), K = G(q_1) J^-1 G(q_0)^T, with rows propagated through the factor of J
(solvers/propagate.py) from both sides: y_0 by U and S_0, y_1 by W and S_1, K = Y_1 D^-1 Y_0^T. x are impulses, h lambda.

Memory, behind `end`:  rows at q_0 | x [m] | gaps [m] | Y_0 | Y_1 | sizes [m] | K and its factor [m m] | scales, order, right side,
scratch, last impulses [m each] | loads 6 n
"""

from ..dynamics.general import force_in_general
from ..dynamics.slots import HUGE
from ..kernels import Scalar, kernel
from ..kernels.scalar import load, store, zero
from ..model.rules import open_rules
from ..model.tables import AXIAL, count_links, count_v, floats_at, open_tables
from ..parts.constraints.rows import ROW
from ..solvers.memory import at_rows
from ..spatial.axial import force_in_axial, place_axial
from ..spatial.vectors import add6, dot6, load6, scale6, store6, sub6
from .variational_memory import (
    L_SIN1,
    L_U,
    L_W,
    P_E,
    P_INVERSE,
    STRIDE,
    at_chain,
    at_general,
    at_general_end,
    at_vector,
    column_of,
    end_slots,
    start_slots,
)


@kernel(inline=True)
def at_first(t):
    """Rows at q_0: all places here are counted from the workspace `start`."""
    return start_slots(t) + end_slots(t)


@kernel(inline=True)
def at_impulses(t, c):
    return at_first(t) + ROW * c.size[1]


@kernel(inline=True)
def at_gaps(t, c):
    return at_impulses(t, c) + c.size[1]


@kernel(inline=True)
def at_sides(t, c, side):
    """Propagated rows: Y_0 (side 0) or Y_1."""
    return at_gaps(t, c) + c.size[1] + side * c.size[6]


@kernel(inline=True)
def at_sizes(t, c):
    return at_sides(t, c, 2)


@kernel(inline=True)
def at_K(t, c):  # noqa: N802 - the matrix has this letter everywhere
    return at_sizes(t, c) + c.size[1]


@kernel(inline=True)
def at_scales(t, c):
    return at_K(t, c) + c.size[1] * c.size[1]


@kernel(inline=True)
def at_burden(t, c):
    """Wrenches of one row on its way inward, six a link."""
    return at_scales(t, c) + 5 * c.size[1]


@kernel
def propagate_side(handle, memory, start, end, side, like) -> None:
    """Y of one side, and with side 1 the size of each row (solvers/semidefinite.py)."""
    t, c = open_tables(handle), open_rules(handle)
    work, F = floats_at(memory, HUGE), at_burden(t, c)
    o = zero(like)
    for k in range(c.size[0]):
        block = c.blocks[k]
        for i in range(block.rows):
            for j in range(block.paths):
                store6(start, F + 6 * c.paths[block.path + j], (o, o, o, o, o, o))
            if side == 0:
                row = at_first(t) + ROW * (block.row + i)
                first, second = load6(start, row, like), load6(start, row + 6, like)
            else:
                row = at_rows(t) + ROW * (block.row + i)
                first, second = load6(work, row, like), load6(work, row + 6, like)
            if block.a >= 0:
                store6(start, F + 6 * block.a, first)
            if block.b >= 0:
                store6(start, F + 6 * block.b, add6(load6(start, F + 6 * block.b, like), second))
            y, ease = at_sides(t, c, side) + block.y + i * block.width, o
            for j in range(block.paths):
                link = c.paths[block.path + j]
                ease = ease + _inward(t, c, block, start, end, link, F, y, side, like)
                y += t.links[link].nv
            if side == 1:
                store(start, at_sizes(t, c) + block.row + i, ease * _magnitude(c, block, first, second))


@kernel(inline=True)
def _magnitude(c, block, first, second):
    """How large the wrenches and coefficients of a row are, squared, as moments."""
    l = c.numbers[0] * c.numbers[0]
    total = first[0] * first[0] + first[1] * first[1] + first[2] * first[2]
    total = total + second[0] * second[0] + second[1] * second[1] + second[2] * second[2]
    total = total + l * (first[3] * first[3] + first[4] * first[4] + first[5] * first[5])
    total = total + l * (second[3] * second[3] + second[4] * second[4] + second[5] * second[5])
    for j in range(block.terms):
        total = total + c.terms[block.term + j].coefficient * c.terms[block.term + j].coefficient
    return total


# More than eight arguments: links are still slots of `start` and `end`; with records for links, F, y and t go.
@kernel
def _inward(t, c, block, start, end, i, F, y, side, like) -> Scalar:
    """One link: innovations to the slots `y`.., the rest of the wrench to the parent. Returns how easily the joint yields to a moment."""
    link = t.links[i]
    burden = load6(start, F + 6 * i, like)
    inverses = at_vector(t, P_INVERSE) + link.v
    ease = zero(like)
    if link.kind == AXIAL:
        w = at_chain(t) + STRIDE * i
        u = link.turn * burden[2] + link.slide * burden[5] + _coefficient(c, block, link.v)
        k = load(start, inverses, like)
        ease = k * (link.turn * link.turn + link.slide * link.slide / (c.numbers[0] * c.numbers[0]))
        store(start, y, u)
        if link.parent >= 0:
            if side == 0:
                burden = sub6(burden, scale6(u * k, load6(start, w + L_U, like)))
                r = place_axial(link, load(start, link.q, like))
                burden = force_in_axial(link, r, load(start, w, like), load(start, w + 1, like), burden)
            else:
                burden = sub6(burden, scale6(u, load6(start, w + L_W, like)))
                r = place_axial(link, load(end, link.q, like))
                burden = force_in_axial(link, r, load(start, w + L_SIN1, like), load(start, w + L_SIN1 + 1, like), burden)
    else:
        e, e1 = at_general(t) + link.extra, at_general_end(t) + link.extra
        for j in range(link.nv):
            k = load(start, inverses + j, like)
            at, at1 = column_of(e, j), column_of(e1, j)
            S = load6(start, at, like) if side == 0 else load6(end, at1, like)
            u = dot6(S, burden) + _coefficient(c, block, link.v + j)
            burden = sub6(burden, scale6(u * k, load6(start, at + 6, like)) if side == 0 else scale6(u, load6(end, at1 + 6, like)))
            ease = ease + k * (1.0 + 1.0 / (c.numbers[0] * c.numbers[0]))
            store(start, y + j, u)
        if link.parent >= 0:
            burden = force_in_general(start, e, burden, like) if side == 0 else force_in_general(end, e1, burden, like)
    if link.parent >= 0:
        up = F + 6 * link.parent
        store6(start, up, add6(load6(start, up, like), burden))
    return ease


@kernel(inline=True)
def _coefficient(c, block, v):
    """The row's coefficient on a joint velocity."""
    value = 0.0
    for j in range(block.terms):
        if c.terms[block.term + j].v == v:
            value += c.terms[block.term + j].coefficient
    return value


@kernel
def gather_innovations(handle, start, like) -> None:
    """Gaps after the tree's own correction: gap + Y_1 (u / D), to the slots of the right side."""
    t, c = open_tables(handle), open_rules(handle)
    es, b = at_vector(t, P_E), at_scales(t, c) + 2 * c.size[1]
    for k in range(c.size[0]):
        block = c.blocks[k]
        for i in range(block.rows):
            y = at_sides(t, c, 1) + block.y + i * block.width
            value = load(start, at_gaps(t, c) + block.row + i, like)
            for j in range(block.paths):
                link = t.links[c.paths[block.path + j]]
                for n in range(link.nv):
                    value = value + load(start, y, like) * load(start, es + link.v + n, like)
                    y += 1
            store(start, b + block.row + i, value)


@kernel
def spread_impulses(handle, start, like) -> Scalar:
    """What impulses found (in the slots of the right side) add to the innovations u / D; returns sum u^2 / D."""
    t, c = open_tables(handle), open_rules(handle)
    es, inverses, x = at_vector(t, P_E), at_vector(t, P_INVERSE), at_scales(t, c) + 2 * c.size[1]
    for k in range(c.size[0]):
        block = c.blocks[k]
        for i in range(block.rows):
            impulse = load(start, x + block.row + i, like)
            y = at_sides(t, c, 0) + block.y + i * block.width
            for j in range(block.paths):
                link = t.links[c.paths[block.path + j]]
                for n in range(link.nv):
                    v = link.v + n
                    more = impulse * load(start, y, like) * load(start, inverses + v, like)
                    store(start, es + v, load(start, es + v, like) + more)
                    y += 1
    total = zero(like)
    for v in range(count_v(t)):
        e = load(start, es + v, like)
        total = total + e * e / load(start, inverses + v, like)
    return total


@kernel
def fill_K(handle, start, like) -> None:  # noqa: N802 - the matrix has this letter everywhere
    """K = Y_1 D^-1 Y_0^T: two paths are walked side by side, from the tips inward; only joints on both count."""
    t, c = open_tables(handle), open_rules(handle)
    m, K, Y0, Y1, inverses = c.size[1], at_K(t, c), at_sides(t, c, 0), at_sides(t, c, 1), at_vector(t, P_INVERSE)
    for a in range(c.size[0]):
        for b in range(c.size[0]):
            first, second = c.blocks[a], c.blocks[b]
            for i in range(first.rows):
                for j in range(second.rows):
                    store(start, K + m * (first.row + i) + second.row + j, zero(like))
            p, q, y, z = 0, 0, Y1 + first.y, Y0 + second.y
            while p < first.paths and q < second.paths:
                link, other = c.paths[first.path + p], c.paths[second.path + q]
                if link == other:
                    for k in range(t.links[link].nv):
                        inverse = load(start, inverses + t.links[link].v + k, like)
                        for i in range(first.rows):
                            u = inverse * load(start, y + i * first.width + k, like)
                            for j in range(second.rows):
                                at = K + m * (first.row + i) + second.row + j
                                store(start, at, load(start, at, like) + u * load(start, z + j * second.width + k, like))
                if link >= other:
                    p, y = p + 1, y + t.links[link].nv
                if other >= link:
                    q, z = q + 1, z + t.links[other].nv


@kernel
def row_slots(handle) -> int:
    """How many slots rows need, behind the workspace `end`."""
    t, c = open_tables(handle), open_rules(handle)
    return at_burden(t, c) + 6 * count_links(t) - at_first(t)
