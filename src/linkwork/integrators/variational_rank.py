"""K x = -r for a K that is nearly symmetric and may be singular: elimination with diagonal pivots that finds the rank.

K = G_1 J^-1 G_0^T differs from a symmetric matrix by O(h), so diagonal pivots are as good as in solvers/semidefinite.py, and rows that depend on
others are told by the same rule: K is scaled to a unit diagonal, a pivot below the tolerance ends the search, and multipliers left are zero.
"""

import math

from ..kernels import kernel
from ..solvers.semidefinite import NOISE, TOLERANCE


@kernel
def factor_rows(work, K, size, scales, order, m) -> int:
    """K = L U of its scaled and reordered self, in place, L with a unit diagonal. Returns the rank."""
    for i in range(m):
        diagonal = work[K + m * i + i]
        work[order + i] = float(i)
        work[scales + i] = 0.0
        if diagonal > 10.0 * NOISE * work[size + i]:
            work[scales + i] = 1.0 / math.sqrt(diagonal)
    for i in range(m):
        for j in range(m):
            work[K + m * i + j] *= work[scales + i] * work[scales + j]
    for k in range(m):
        best, pivot = -1, 0.0
        for i in range(k, m):
            row = int(work[order + i])
            square = work[scales + row] * work[scales + row]
            if square > 0.0 and work[K + m * i + i] > max(pivot, TOLERANCE + NOISE * work[size + row] * square):
                best, pivot = i, work[K + m * i + i]
        if best < 0:
            return k
        if best != k:
            _swap(work, K, order, m, k, best)
        for i in range(k + 1, m):
            factor = work[K + m * i + k] / pivot
            work[K + m * i + k] = factor
            for j in range(k + 1, m):
                work[K + m * i + j] -= factor * work[K + m * k + j]
    return m


@kernel
def _swap(work, K, order, m, k, i) -> None:
    """Change the places of two rows, and of their columns."""
    work[order + k], work[order + i] = work[order + i], work[order + k]
    for j in range(m):
        work[K + m * k + j], work[K + m * i + j] = work[K + m * i + j], work[K + m * k + j]
    for j in range(m):
        work[K + m * j + k], work[K + m * j + i] = work[K + m * j + i], work[K + m * j + k]


@kernel
def solve_rows(work, K, scales, order, r, x, m, rank) -> None:
    """x = -K^+ r with the factor; `r` is scratch afterwards, x may not be r."""
    for i in range(rank):
        row = int(work[order + i])
        value = -work[scales + row] * work[r + row]
        for j in range(i):
            value -= work[K + m * i + j] * work[x + j]
        work[x + i] = value
    for back in range(rank):
        i = rank - 1 - back
        value = work[x + i]
        for j in range(i + 1, rank):
            value -= work[K + m * i + j] * work[x + j]
        work[x + i] = value / work[K + m * i + i]
    for i in range(m):
        work[r + i] = 0.0
    for i in range(rank):
        row = int(work[order + i])
        work[r + row] = work[scales + row] * work[x + i]
