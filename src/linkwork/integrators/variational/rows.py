"""Rows of constraints in a variational step: positions hold at its end, multipliers act at its start.

    h G(q_0)^T lambda on the side of momenta,       phi(q_1, t_1) = 0 for rows on positions, and for rows on velocities, A v + a = 0,
    h/2 (A(q_0) vm + a(q_0, t_0) + A(q_1) vm + a(q_1, t_1)) = 0,        vm the mean velocity of the step

(the discrete d'Alembert-Lagrange principle of Cortes and Martinez 2001 with the trapezoidal rule: it reads the same backwards, so it is of second
order). Newton's step is that of the tree and K x = -(gap + G_1 eps), K = G(q_1) J^-1 G(q_0)^T, with rows propagated through the factor of J
(solvers/delassus/row_propagation.py) from both sides: y_0 by U and S_0, y_1 by W and S_1, K = Y_1 D^-1 Y_0^T. x are impulses, h lambda.
"""

import math

from ...constraints.rows import coefficient_of, set_link_wrenches
from ...dynamics.joints.joint import force_in
from ...dynamics.joints.variational import load_in_step
from ...kernels import Scalar, kernel
from ...kernels.scalar import zero
from ...model.constraint_tables import open_constraints
from ...spatial.vectors import add6


@kernel
def propagate_side(model, run, end, rows, Y) -> None:
    """Y of the rows at one end of the step."""
    c, link_wrenches = open_constraints(model), run.rows.link_wrenches
    for k in range(c.nblocks):
        block = c.blocks[k]
        for i in range(block.rows):
            set_link_wrenches(model, block, rows[block.row + i], link_wrenches)
            at = block.y + i * block.width
            for j in range(block.paths):
                link = c.paths[block.path + j]
                _inward(model, block, end, link_wrenches, link, Y, at)
                at += model.links[link].nv


@kernel(inline=True)
def _inward(model, block, end, link_wrenches, i, Y, at):
    """One link: innovations to Y[at..], the rest of the wrench to the parent."""
    joint = model.links[i]
    for k in range(joint.nv):
        Y[at + k] = coefficient_of(model, block, joint.v + k)
    F = load_in_step(model, end, i, link_wrenches[i].f, Y, at)
    if joint.parent >= 0:
        above = link_wrenches[joint.parent]
        above.f = add6(above.f, force_in(model, end, i, end.q, F))


@kernel
def gather_innovations(model, run) -> None:
    """Gaps after the tree's own correction: gap + Y_1 (u / D)."""
    c, Y = open_constraints(model), run.rows.Y1
    for k in range(c.nblocks):
        block = c.blocks[k]
        for i in range(block.rows):
            y, value = block.y + i * block.width, run.rows.gaps[block.row + i]
            for at in range(y, y + block.width):
                value = value + Y[at] * run.innovation[c.velocities[at]]
            run.rows.found[block.row + i] = value


@kernel
def spread_impulses(model, run) -> Scalar:
    """What the impulses found add to the innovations u / D; returns sum u^2 / D."""
    c, Y, e = open_constraints(model), run.rows.Y0, run.innovation
    for k in range(c.nblocks):
        block = c.blocks[k]
        for i in range(block.rows):
            y, impulse = block.y + i * block.width, run.rows.found[block.row + i]
            for at in range(y, y + block.width):
                v = c.velocities[at]
                e[v] = e[v] + impulse * Y[at] * run.inverse[v]
    total = zero(run)
    for v in range(model.nv):
        total = total + e[v] * e[v] / run.inverse[v]
    return total


@kernel
def fill_K(model, run) -> None:  # noqa: N802 - the matrix has this letter everywhere
    """K = Y_1 D^-1 Y_0^T: two paths are walked side by side, from the tips inward; only joints on both count."""
    c, K, Y0, Y1 = open_constraints(model), run.rows.K, run.rows.Y0, run.rows.Y1
    m = c.nc
    for a in range(c.nblocks):
        for b in range(c.nblocks):
            first, second = c.blocks[a], c.blocks[b]
            for i in range(first.rows):
                for j in range(second.rows):
                    K[m * (first.row + i) + second.row + j] = zero(run)
            p, q, y, z = 0, 0, first.y, second.y
            while p < first.paths and q < second.paths:
                link, other = c.paths[first.path + p], c.paths[second.path + q]
                if link == other:
                    joint = model.links[link]
                    for k in range(joint.nv):
                        inverse = run.inverse[joint.v + k]
                        for i in range(first.rows):
                            u = inverse * Y1[y + i * first.width + k]
                            for j in range(second.rows):
                                at = m * (first.row + i) + second.row + j
                                K[at] = K[at] + u * Y0[z + j * second.width + k]
                if link >= other:
                    p, y = p + 1, y + model.links[link].nv
                if other >= link:
                    q, z = q + 1, z + model.links[other].nv


# ---- the factor of K

# K x = -r for a K that is nearly symmetric, for the rows that the step takes (constraints/rank.py), by elimination with diagonal pivots.
#
# K = G_1 J^-1 G_0^T differs from a symmetric matrix by O(h), so diagonal pivots are as good as in solvers/delassus/semidefinite.py. It is scaled to a unit
# diagonal. Impulses of rows that are not taken are zero.

LOST = 1e-15  # of a unit diagonal: a pivot below it is rounding


@kernel
def factor_rows(rows, m) -> int:
    """K = L U of its scaled and reordered self, in place, L with a unit diagonal. `rows`: VariationalRows. Returns the rank."""
    K, scales, order = rows.K, rows.scales, rows.order
    for i in range(m):
        diagonal = K[m * i + i]
        order[i] = i
        scales[i] = 0.0
        if rows.taken[i] == 1 and diagonal > 0.0:
            scales[i] = 1.0 / math.sqrt(diagonal)
    for i in range(m):
        for j in range(m):
            K[m * i + j] = K[m * i + j] * (scales[i] * scales[j])
    for k in range(m):
        best, pivot = -1, 0.0
        for i in range(k, m):
            if scales[order[i]] > 0.0 and K[m * i + i] > max(pivot, LOST):
                best, pivot = i, K[m * i + i]
        if best < 0:
            return k
        if best != k:
            _swap(K, order, m, k, best)
        for i in range(k + 1, m):
            factor = K[m * i + k] / pivot
            K[m * i + k] = factor
            for j in range(k + 1, m):
                K[m * i + j] = K[m * i + j] - factor * K[m * k + j]
    return m


@kernel
def _swap(K, order, m, k, i) -> None:
    """Change the places of two rows, and of their columns."""
    order[k], order[i] = order[i], order[k]
    for j in range(m):
        K[m * k + j], K[m * i + j] = K[m * i + j], K[m * k + j]
    for j in range(m):
        K[m * j + k], K[m * j + i] = K[m * j + i], K[m * j + k]


@kernel
def solve_rows(rows, m, rank) -> None:
    """-K^+ r with the factor, in place of r, which stands in `rows.found`."""
    K, scales, order, r, x = rows.K, rows.scales, rows.order, rows.found, rows.solution
    for i in range(rank):
        row = order[i]
        value = -scales[row] * r[row]
        for j in range(i):
            value -= K[m * i + j] * x[j]
        x[i] = value
    for back in range(rank):
        i = rank - 1 - back
        value = x[i]
        for j in range(i + 1, rank):
            value -= K[m * i + j] * x[j]
        x[i] = value / K[m * i + i]
    for i in range(m):
        r[i] = 0.0
    for i in range(rank):
        row = order[i]
        r[row] = scales[row] * x[i]
