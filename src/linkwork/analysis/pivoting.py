"""The Cholesky factor with pivoting that decides which rows depend on others, for a matrix K scaled to a unit diagonal."""

import math

import numpy as np

from ..kernels import kernel
from ..solvers.semidefinite import NOISE, TOLERANCE

TAKEN = 3.0  # in place of its tolerance, of a row that was taken


@kernel(entry="A2 A1 A2 A2 A2 J1 -> i", holds_gil=True)
def _take_pivots(K, sizes, A, L, memory, order) -> int:
    """Take rows, the greatest pivot first, until none is above its tolerance; returns how many, or -1 if K is not finite.

    Those left stand behind them in `order`, in ascending order.

    A: K scaled. L: the columns of the factor, each a row here. memory: what is left of the diagonal, tolerances, scales; (3, m).
    """
    m = len(sizes)
    left, tolerance, unit = memory[0], memory[1], memory[2]
    for i in range(m):
        movable = K[i, i] > 10.0 * NOISE * sizes[i]
        left[i] = 1.0 if movable else 0.0
        unit[i] = 1.0 / math.sqrt(K[i, i]) if movable else 0.0
        tolerance[i] = TOLERANCE + NOISE * sizes[i] / K[i, i] if movable else 2.0
    bad = 0.0
    for i in range(m):
        for j in range(m):
            bad += 0.0 * K[i, j]
            A[i, j] = K[i, j] * unit[i] * unit[j]
    if bad != 0.0:
        return -1
    rank = m
    for k in range(m):
        best, most = -1, 0.0
        for i in range(m):
            if left[i] > tolerance[i] and left[i] > most:
                best, most = i, left[i]
        if best < 0:
            rank = k
            break
        for i in range(m):
            L[k, i] = A[best, i]
        for j in range(k):
            share = L[j, best]
            for i in range(m):
                L[k, i] -= share * L[j, i]
        root = math.sqrt(most)
        for i in range(m):
            L[k, i] /= root
            left[i] -= L[k, i] * L[k, i]
        left[best] = 0.0
        tolerance[best] = TAKEN
        order[k] = best
    at = rank
    for i in range(m):
        if tolerance[i] != TAKEN:
            order[at] = i
            at += 1
    return rank


def pivots(K, sizes):
    """(order, rank): rows in the order in which a Cholesky factor with pivoting takes them; those behind the rank depend on the others.

    The rank is -1 if K is not finite.
    """
    m = len(K)
    order = np.empty(m, dtype=np.int64)
    A, L = np.empty((2, m, m))
    rank = _take_pivots(np.ascontiguousarray(K), np.ascontiguousarray(sizes), A, L, np.empty((3, m)), order)
    return order, rank
