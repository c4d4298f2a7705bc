"""Factors of the matrices of the status Newton: L D L^T where all unknowns stick, L U with partial pivoting where something slides.

Matrices are regularised (status_newton.py), so no rank is decided here. Rows are contiguous, and the inner loops run along them.
"""

from ...data.contact_problem import ContactIsland
from ...kernels import kernel


@kernel
def factor_symmetric(island: ContactIsland) -> bool:
    """A = U^T D^-1 U of the upper triangle, in place; D is the diagonal of U. False if a pivot is not positive."""
    n, A = island.unknowns, island.A
    for k in range(n):
        row, pivot = n * k, A[n * k + k]
        if not pivot > 0.0:
            return False
        inverse = 1.0 / pivot
        for i in range(k + 1, n):
            share, other = A[row + i] * inverse, n * i
            if share != 0.0:
                for j in range(i, n):
                    A[other + j] -= share * A[row + j]
    return True


@kernel
def solve_symmetric(island: ContactIsland) -> None:
    """The solution in the place of the right side x."""
    n, A, x = island.unknowns, island.A, island.x
    for k in range(n):
        row = n * k
        value = x[k] / A[row + k]
        for j in range(k + 1, n):
            x[j] -= A[row + j] * value
        x[k] = value
    for back in range(n):
        k = n - 1 - back
        row, total = n * k, 0.0
        for j in range(k + 1, n):
            total += A[row + j] * x[j]
        x[k] -= total / A[row + k]


@kernel
def factor_general(island: ContactIsland) -> bool:
    """A = P L U, in place. False if it is singular."""
    n, A = island.unknowns, island.A
    for k in range(n):
        best, most = k, abs(A[n * k + k])
        for i in range(k + 1, n):
            if abs(A[n * i + k]) > most:
                best, most = i, abs(A[n * i + k])
        if not most > 0.0:
            return False
        island.order[k] = best
        row, other = n * k, n * best
        if best != k:
            for j in range(n):
                A[row + j], A[other + j] = A[other + j], A[row + j]
        inverse = 1.0 / A[row + k]
        for i in range(k + 1, n):
            other = n * i
            share = A[other + k] * inverse
            A[other + k] = share
            if share != 0.0:
                for j in range(k + 1, n):
                    A[other + j] -= share * A[row + j]
    return True


@kernel
def solve_general(island: ContactIsland) -> None:
    """The solution in the place of the right side x."""
    n, A, x = island.unknowns, island.A, island.x
    for k in range(n):
        best = island.order[k]
        x[k], x[best] = x[best], x[k]
    for k in range(n):
        row, total = n * k, 0.0
        for j in range(k):
            total += A[row + j] * x[j]
        x[k] -= total
    for back in range(n):
        k = n - 1 - back
        row, total = n * k, 0.0
        for j in range(k + 1, n):
            total += A[row + j] * x[j]
        x[k] = (x[k] - total) / A[row + k]
