"""K lambda = -r for a symmetric K that may be singular: a Cholesky factor with pivoting that finds the rank.

K is scaled to a unit diagonal, so that rows in metres and in radians, on light and on heavy bodies, are judged alike. The greatest
remaining pivot is taken, until none is above the tolerance: rows that are left depend on those that were taken. Their multipliers are
zero, which changes nothing in the accelerations; what they lack is the residual, by which a contradiction is known.

    tolerance of row i     TOLERANCE + NOISE size_i / K_ii           a row that can hardly move at all is mostly rounding
"""

import math

from ..kernel import kernel
from ..scalar import width

TOLERANCE = 1e-10  # of a pivot, a square: rows that agree within 1e-5 rad count as dependent
FLOOR = 1e-6  # right sides below it are rounding of accelerations around zero
NOISE = 1e-25  # rounding of y, squared, relative to the size of the row


@kernel
def solve_semidefinite(work, K, r, size, x, m, raw, lane, damping, like):
    """Solve one lane. K, r, size, x are slots; `raw` is the index of m*m + 4 m plain floats.

    Returns (rank, residual), the residual being the largest of a left-out row relative to the largest right side. `damping` is added to the
    unit diagonal (Levenberg 1944): the solution then yields to contradictions instead of following them.

    The floats hold the scaled matrix, the scale, the tolerance, the order of pivots, and the right side.
    """
    lanes = width(like)
    A, d, tol, order, b = raw, raw + m * m, raw + m * m + m, raw + m * m + 2 * m, raw + m * m + 3 * m
    for i in range(m):
        diagonal = work[(K + m * i + i) * lanes + lane]
        bound = work[(size + i) * lanes + lane]
        work[order + i] = float(i)
        work[d + i] = 0.0
        work[tol + i] = 2.0
        if diagonal > 10.0 * NOISE * bound:
            work[d + i] = 1.0 / math.sqrt(diagonal)
            work[tol + i] = TOLERANCE + NOISE * bound / diagonal
        work[b + i] = -work[d + i] * work[(r + i) * lanes + lane]
    for i in range(m):
        for j in range(i + 1):
            work[A + m * i + j] = work[(K + m * i + j) * lanes + lane] * work[d + i] * work[d + j]
        work[A + m * i + i] += damping * (1.0 if work[d + i] > 0.0 else 0.0)
    rank = _factor(work, A, d, tol, order, b, m)
    _substitute(work, A, b, m, rank)
    for i in range(m):
        work[(x + i) * lanes + lane] = 0.0
    for i in range(rank):
        k = int(work[order + i])
        work[(x + k) * lanes + lane] = work[d + i] * work[b + i]
    residual, largest = 0.0, FLOOR
    for i in range(m):
        largest = max(largest, abs(work[(r + i) * lanes + lane]))
    for i in range(rank, m):
        k = int(work[order + i])
        left = work[(r + k) * lanes + lane]
        for j in range(rank):
            other = int(work[order + j])
            left += work[(K + m * k + other) * lanes + lane] * work[(x + other) * lanes + lane]
        residual = max(residual, abs(left))
    return rank, residual / largest


@kernel
def _factor(work, A, d, tol, order, b, m):
    """Cholesky with pivoting, in place (lower triangle); rows and all that belongs to them are swapped. Returns the rank."""
    for k in range(m):
        best, pivot = -1, 0.0
        for i in range(k, m):
            if work[A + m * i + i] > max(pivot, work[tol + i]):
                best, pivot = i, work[A + m * i + i]
        if best < 0:
            return k
        if best != k:
            _swap(work, A, d, tol, order, b, m, k, best)
        root = math.sqrt(pivot)
        work[A + m * k + k] = root
        for i in range(k + 1, m):
            work[A + m * i + k] /= root
        for i in range(k + 1, m):
            l = work[A + m * i + k]
            for j in range(k + 1, i + 1):
                work[A + m * i + j] -= l * work[A + m * j + k]
    return m


@kernel
def _swap(work, A, d, tol, order, b, m, k, i):
    """Swap rows and columns k < i of the lower triangle, and the entries of the vectors."""
    for vector in (d, tol, order, b):
        work[vector + k], work[vector + i] = work[vector + i], work[vector + k]
    for j in range(k):
        work[A + m * k + j], work[A + m * i + j] = work[A + m * i + j], work[A + m * k + j]
    for j in range(k + 1, i):
        work[A + m * j + k], work[A + m * i + j] = work[A + m * i + j], work[A + m * j + k]
    for j in range(i + 1, m):
        work[A + m * j + k], work[A + m * j + i] = work[A + m * j + i], work[A + m * j + k]
    work[A + m * k + k], work[A + m * i + i] = work[A + m * i + i], work[A + m * k + k]


@kernel
def _substitute(work, A, b, m, rank):
    """Forward and backward substitution with the leading part of the factor."""
    for i in range(rank):
        value = work[b + i]
        for j in range(i):
            value -= work[A + m * i + j] * work[b + j]
        work[b + i] = value / work[A + m * i + i]
    for back in range(rank):
        i = rank - 1 - back
        value = work[b + i]
        for j in range(i + 1, rank):
            value -= work[A + m * j + i] * work[b + j]
        work[b + i] = value / work[A + m * i + i]
