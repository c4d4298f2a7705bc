"""Factors of the matrices of the status Newton: L D L^T where all unknowns stick, L U with partial pivoting where something slides.

Matrices are regularised (status_newton.py), so no rank is decided here. Rows are contiguous, and the inner loops run along them, from the first to the
last entry that is not 0: contacts of a wall are coupled with those of its next bricks alone, and what is eliminated fills no more than the profile.
"""

from ...data.contact_problem import ContactIsland
from ...kernels import kernel


@kernel
def factor_symmetric(island: ContactIsland) -> bool:
    """A = U^T D^-1 U of the upper triangle, in place; D is the diagonal of U. False if a pivot is not positive."""
    n, A, back = island.unknowns, island.A, island.back
    find_ends(island)
    for k in range(n):
        row, pivot, end = n * k, A[n * k + k], back[k]
        if not pivot > 0.0:
            return False
        inverse = 1.0 / pivot
        for i in range(k + 1, end):
            share, other = A[row + i] * inverse, n * i
            if share != 0.0:
                back[i] = max(back[i], end)
                for j in range(i, end):
                    A[other + j] -= share * A[row + j]
    return True


@kernel
def find_ends(island: ContactIsland) -> None:
    """Where the entries of each row of A begin and end."""
    n, A = island.unknowns, island.A
    for k in range(n):
        island.depth[k] = 0
        row, front, back = n * k, 0, n
        while front < k and A[row + front] == 0.0:
            front += 1
        while back > k + 1 and A[row + back - 1] == 0.0:
            back -= 1
        island.front[k], island.back[k] = front, back


@kernel(inline=True)
def _product(A, row, x, start, end):
    """The sum of A[row + j] x[j]; in four sums, which do not wait for each other."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    j = start
    while j + 4 <= end:
        a += A[row + j] * x[j]
        b += A[row + j + 1] * x[j + 1]
        c += A[row + j + 2] * x[j + 2]
        d += A[row + j + 3] * x[j + 3]
        j += 4
    while j < end:
        a += A[row + j] * x[j]
        j += 1
    return (a + b) + (c + d)


@kernel
def solve_symmetric(island: ContactIsland) -> None:
    """The solution in the place of the right side x."""
    n, A, x = island.unknowns, island.A, island.x
    for k in range(n):
        row = n * k
        value = x[k] / A[row + k]
        for j in range(k + 1, island.back[k]):
            x[j] -= A[row + j] * value
        x[k] = value
    for steps in range(n):
        k = n - 1 - steps
        x[k] -= _product(A, n * k, x, k + 1, island.back[k]) / A[n * k + k]


@kernel
def factor_general(island: ContactIsland) -> bool:
    """A = P L U, in place. False if it is singular."""
    n, A, front, back, depth = island.unknowns, island.A, island.front, island.back, 0
    find_ends(island)
    for k in range(n):
        island.depth[front[k]] = max(island.depth[front[k]], k + 1)
    for k in range(n):
        best, most = k, abs(A[n * k + k])
        depth = max(depth, island.depth[k])
        for i in range(k + 1, depth):
            if abs(A[n * i + k]) > most:
                best, most = i, abs(A[n * i + k])
        if not most > 0.0:
            return False
        island.order[k] = best
        row, other = n * k, n * best
        if best != k:
            for j in range(n):
                A[row + j], A[other + j] = A[other + j], A[row + j]
            front[k], front[best] = front[best], front[k]
            back[k], back[best] = back[best], back[k]
        inverse, end = 1.0 / A[row + k], back[k]
        for i in range(k + 1, depth):
            other = n * i
            share = A[other + k] * inverse
            A[other + k] = share
            if share != 0.0:
                back[i] = max(back[i], end)
                for j in range(k + 1, end):
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
        x[k] -= _product(A, n * k, x, island.front[k], k)
    for steps in range(n):
        k = n - 1 - steps
        x[k] = (x[k] - _product(A, n * k, x, k + 1, island.back[k])) / A[n * k + k]
