"""What makes up for a row that depends on others, compiled: multipliers Z with J^T Z = 0, a column for each dependent row.

    J_i^T = Q R      Householder's reflections H_1 .. H_r of the independent rows, each of which is a row here (Golub and Van Loan, section 5.2)
    z = -R^-1 (Q^T j)_1..r                                                  for a dependent row j

so that its accuracy is that of J and not of its square.
"""

import math

import numpy as np

from ..kernels import kernel

NOTHING = 1e-14  # rows of J below this part of the largest number in it are rounding


@kernel(entry="A2 J1 J1 J1 A2 A2 -> n", holds_gil=True)
def _fill_null_vectors(J, independent, dependent, ends, A, Z) -> None:
    """Fill Z (nc, s). Memory: A (rank + 3, nv): H_k on and right of the diagonal of row k, left of it R; then a dependent row, the diagonal of R, 2 / |h|^2.

    ends: (rank + 1), for each row of A where its zeros begin; rows of a loop know few joints.
    """
    nv, rank = J.shape[1], len(independent)
    y, diagonal, beta = rank, rank + 1, rank + 2
    largest = 0.0
    for i in range(J.shape[0]):
        for c in range(nv):
            largest = max(largest, abs(J[i, c]))
        for c in range(len(dependent)):
            Z[i, c] = 0.0
    for k in range(rank):
        _take(J, independent[k], A, k, ends)
        _reflect(A, k, k, beta, ends)
        square = 0.0
        for c in range(k, ends[k]):
            square += A[k, c] * A[k, c]
        norm = math.sqrt(square) if A[k, k] < 0.0 else -math.sqrt(square)
        A[diagonal, k] = norm
        A[beta, k] = 1.0 / (square - norm * A[k, k])
        A[k, k] -= norm
    for column in range(len(dependent)):
        size = _take(J, dependent[column], A, y, ends)
        Z[dependent[column], column] = 1.0
        if size > NOTHING * largest:  # others, as those out of a planar mechanism's plane, need nothing to make up for
            _reflect(A, y, rank, beta, ends)
            for k in range(rank - 1, -1, -1):
                z = A[y, k] / A[diagonal, k]
                Z[independent[k], column] = -z
                if z != 0.0:
                    for c in range(k):
                        A[y, c] -= z * A[k, c]


@kernel(inline=True)
def _take(J, row, A, i, ends):
    """Copy a row of J to row i of A; returns the largest number in it."""
    size, end = 0.0, 0
    for c in range(J.shape[1]):
        A[i, c] = J[row, c]
        if A[i, c] != 0.0:
            size, end = max(size, abs(A[i, c])), c + 1
    ends[i] = max(end, i + 1) if i < len(ends) - 1 else end
    return size


@kernel(inline=True)
def _reflect(A, i, count, beta, ends):
    """Row i of A after the first reflections."""
    for k in range(count):
        along = 0.0
        for c in range(k, min(ends[k], ends[i])):
            along += A[k, c] * A[i, c]
        if along != 0.0:
            along *= A[beta, k]
            for c in range(k, ends[k]):
                A[i, c] -= along * A[k, c]
            ends[i] = max(ends[i], ends[k])


def null_vectors(J, independent, dependent):
    """Z: each column has a 1 on one dependent row and what makes up for it on the independent ones."""
    Z, rank = np.empty((len(J), len(dependent))), len(independent)
    _fill_null_vectors(J, independent, dependent, np.empty(rank + 1, dtype=np.int64), np.empty((rank + 3, J.shape[1])), Z)
    return Z
