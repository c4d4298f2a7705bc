"""K x = -r for a K that is nearly symmetric, for the rows that the step takes (constraints/rank.py), by elimination with diagonal pivots.

K = G_1 J^-1 G_0^T differs from a symmetric matrix by O(h), so diagonal pivots are as good as in solvers/delassus/semidefinite.py. It is scaled to a unit
diagonal. Impulses of rows that are not taken are zero.
"""

import math

from ...kernels import kernel

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
