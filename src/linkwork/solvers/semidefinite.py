"""K lambda = -r for a symmetric K that may be singular: a Cholesky factor with pivoting that finds the rank.

K is scaled to a unit diagonal, so that rows in metres and in radians, on light and on heavy bodies, are judged alike. The greatest
remaining pivot is taken, until none is above the tolerance: rows that are left depend on those that were taken. Their multipliers are
zero, which changes nothing in the accelerations; what they lack is the residual, by which a contradiction is known.

    tolerance of row i     TOLERANCE + NOISE size_i / K_ii           a row that can hardly move at all is mostly rounding

Mostly the rank is clear: then the same factor without pivoting, for all lanes at once, leaves out the same rows (`solve_clear`). Only where a
pivot is within CLEAR of its tolerance is each lane pivoted (`solve_semidefinite`).
"""

import math

from ..kernels import Scalar, kernel
from ..kernels.scalar import load, sqrt, store, where, width, zero

TOLERANCE = 1e-10  # of a pivot, a square: rows that agree within 1e-5 rad count as dependent
FLOOR = 1e-6  # right sides below it are rounding of accelerations around zero
CLEAR = 1e3  # a pivot this many times above or below its tolerance is beyond doubt
NOISE = 1e-25  # rounding of y, squared, relative to the size of the row


@kernel
def solve_clear(work, K, r, size, x, m, L, report, damping, like) -> Scalar:
    """Solve all lanes without pivoting; rank and residual of each go to the slots `report`, `report` + 1. L: m*m slots for the factor.

    Returns how many pivots, in any lane, are too near their tolerance for this to be trusted (0: all is clear).
    """
    o = zero(like)
    rank, residual, largest, unclear = o, o, o + FLOOR, o
    for k in range(m):
        row = L + m * k
        for j in range(k):  # row k of the factor
            value = load(work, K + m * k + j, like)
            for i in range(j):
                value = value - load(work, row + i, like) * load(work, L + m * j + i, like)
            store(work, row + j, value * load(work, L + m * j + j, like))
        diagonal = load(work, K + m * k + k, like)
        noise = NOISE * load(work, size + k, like)
        least = TOLERANCE * diagonal + 10.0 * noise
        pivot = diagonal * (1.0 + damping)
        right = o - load(work, r + k, like)
        largest = where(right > largest, right, where(o - right > largest, o - right, largest))
        for j in range(k):
            l = load(work, row + j, like)
            pivot = pivot - l * l
            right = right - l * load(work, x + j, like)
        kept = pivot > least
        inverse = where(kept, 1.0 / sqrt(where(kept, pivot, o + 1.0)), o)
        store(work, row + k, inverse)  # the inverse of the diagonal entry; 0 leaves the row out
        store(work, x + k, right * inverse)
        rank = rank + where(kept, o + 1.0, o)
        left = where(kept, o, right)
        residual = where(left > residual, left, where(o - left > residual, o - left, residual))
        unclear = unclear + where(pivot > least / CLEAR, where(pivot < least * CLEAR, o + 1.0, o), o)
    for back in range(m):
        k = m - 1 - back
        value = load(work, x + k, like)
        for i in range(k + 1, m):
            value = value - load(work, L + m * i + k, like) * load(work, x + i, like)
        store(work, x + k, value * load(work, L + m * k + k, like))
    store(work, report, rank)
    store(work, report + 1, residual / largest)
    return unclear


@kernel
def solve_semidefinite(work, K, r, size, x, m, raw, lane, damping, like) -> tuple[int, float]:
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
        residual = max(residual, abs(left)) if left == left else math.inf
    return rank, residual / largest


@kernel
def _factor(work, A, d, tol, order, b, m) -> int:
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
def _swap(work, A, d, tol, order, b, m, k, i) -> None:
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
def _substitute(work, A, b, m, rank) -> None:
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
