"""K lambda = -r for a symmetric K that may be singular: a Cholesky factor with pivoting that finds the rank.

K is scaled to a unit diagonal, so that rows in metres and in radians, on light and on heavy bodies, are judged alike. The greatest
remaining pivot is taken, until none is above the tolerance: rows that are left depend on those that were taken. Their multipliers are
zero, which changes nothing in the accelerations; what they lack is the residual, by which a contradiction is known.

    tolerance of row i     TOLERANCE + NOISE size_i / K_ii           a row that can hardly move at all is mostly rounding

Mostly the rank is clear: then the same factor without pivoting, for all lanes at once, leaves out the same rows (`solve_clear`). Only where a
pivot is within CLEAR of its tolerance is each lane pivoted (`solve_pivoted`).
"""

import math

from ..kernels import Scalar, kernel
from ..kernels.scalar import sqrt, where, width, zero
from ..kernels.views import floats_of

TOLERANCE = 1e-10  # of a pivot, a square: rows that agree within 1e-5 rad count as dependent
FLOOR = 1e-6  # right sides below it are rounding of accelerations around zero
CLEAR = 1e3  # a pivot this many times above or below its tolerance is beyond doubt
NOISE = 1e-25  # rounding of y, squared, relative to the size of the row


@kernel
def solve_clear(data, m, damping) -> Scalar:
    """Solve all lanes without pivoting: K and the residuals of `data` (ConstraintData) to the multipliers, rank, residual and least pivot.

    Returns how many pivots, in any lane, are too near their tolerance for this to be trusted (0: all is clear).
    """
    K, L, x, o = data.K, data.factor, data.multipliers, zero(data)
    rank, residual, largest, unclear, smallest = o, o, o + FLOOR, o, o + 1.0
    for k in range(m):
        row = m * k
        for j in range(k):  # row k of the factor
            value = K[row + j]
            for i in range(j):
                value = value - L[row + i] * L[m * j + i]
            L[row + j] = value * L[m * j + j]
        diagonal = K[row + k]
        noise = NOISE * data.sizes[k]
        least = TOLERANCE * diagonal + 10.0 * noise
        pivot = diagonal * (1.0 + damping)
        right = o - data.residuals[k]
        largest = where(right > largest, right, where(o - right > largest, o - right, largest))
        for j in range(k):
            l = L[row + j]
            pivot = pivot - l * l
            right = right - l * x[j]
        kept = pivot > least
        inverse = where(kept, 1.0 / sqrt(where(kept, pivot, o + 1.0)), o)
        L[row + k] = inverse  # the inverse of the diagonal entry; 0 leaves the row out
        x[k] = right * inverse
        rank = rank + where(kept, o + 1.0, o)
        share = pivot / where(kept, data.sizes[k], o + 1.0)
        smallest = where(kept, where(share < smallest, share, smallest), smallest)
        left = where(kept, o, right)
        residual = where(left > residual, left, where(o - left > residual, o - left, residual))
        unclear = unclear + where(pivot > least / CLEAR, where(pivot < least * CLEAR, o + 1.0, o), o)
    for back in range(m):
        k = m - 1 - back
        value = x[k]
        for i in range(k + 1, m):
            value = value - L[m * i + k] * x[i]
        x[k] = value * L[m * k + k]
    data.rank, data.residual, data.pivot = rank, residual / largest, smallest
    return unclear


@kernel
def solve_pivoted(data, m, damping) -> None:
    """Solve lane by lane with pivoting: the same as `solve_clear`, slower, for any K."""
    lanes, report = width(data), floats_of(data.report)
    for lane in range(lanes):
        report[lane], report[lanes + lane], report[2 * lanes + lane] = _solve_lane(data, m, lane, damping)
    data.rank, data.residual, data.pivot = data.report[0], data.report[1], data.report[2]


@kernel
def _solve_lane(data, m, lane, damping) -> tuple[int, float, float]:
    """Solve one lane. Returns (rank, residual, least pivot), the residual being the largest of a left-out row relative to the largest right side.

    `damping` is added to the unit diagonal (Levenberg 1944): the solution then yields to contradictions instead of following them.
    """
    lanes, one = width(data), data.lane
    K, r, sizes, x = floats_of(data.K), floats_of(data.residuals), floats_of(data.sizes), floats_of(data.multipliers)
    for i in range(m):
        diagonal = K[(m * i + i) * lanes + lane]
        bound = sizes[i * lanes + lane]
        one.order[i] = i
        one.scale[i] = 0.0
        one.tolerance[i] = 2.0
        if diagonal > 10.0 * NOISE * bound:
            one.scale[i] = 1.0 / math.sqrt(diagonal)
            one.tolerance[i] = TOLERANCE + NOISE * bound / diagonal
        one.b[i] = -one.scale[i] * r[i * lanes + lane]
    for i in range(m):
        for j in range(i + 1):
            one.A[m * i + j] = K[(m * i + j) * lanes + lane] * one.scale[i] * one.scale[j]
        if one.scale[i] > 0.0:
            one.A[m * i + i] = one.A[m * i + i] + damping
    rank = _factor(one, m)
    _substitute(one, m, rank)
    for i in range(m):
        x[i * lanes + lane] = 0.0
    for i in range(rank):
        x[one.order[i] * lanes + lane] = one.scale[i] * one.b[i]
    residual, largest = 0.0, FLOOR
    for i in range(m):
        largest = max(largest, abs(r[i * lanes + lane]))
    for i in range(rank, m):
        k = one.order[i]
        left = r[k * lanes + lane]
        for j in range(rank):
            other = one.order[j]
            left += K[(m * k + other) * lanes + lane] * x[other * lanes + lane]
        residual = max(residual, abs(left)) if left == left else math.inf
    pivot = 1.0
    for i in range(rank):
        root = one.A[m * i + i] / one.scale[i]
        pivot = min(pivot, root * root / sizes[one.order[i] * lanes + lane])
    return rank, residual / largest, pivot


@kernel
def _factor(one, m) -> int:
    """Cholesky with pivoting, in place (lower triangle); rows and all that belongs to them are swapped. Returns the rank."""
    A = one.A
    for k in range(m):
        best, pivot = -1, 0.0
        for i in range(k, m):
            if A[m * i + i] > max(pivot, one.tolerance[i]):
                best, pivot = i, A[m * i + i]
        if best < 0:
            return k
        if best != k:
            _swap(one, m, k, best)
        root = math.sqrt(pivot)
        A[m * k + k] = root
        for i in range(k + 1, m):
            A[m * i + k] = A[m * i + k] / root
        for i in range(k + 1, m):
            l = A[m * i + k]
            for j in range(k + 1, i + 1):
                A[m * i + j] = A[m * i + j] - l * A[m * j + k]
    return m


@kernel
def _swap(one, m, k, i) -> None:
    """Swap rows and columns k < i of the lower triangle, and the entries of the vectors."""
    A, order = one.A, one.order
    for vector in (one.scale, one.tolerance, one.b):
        vector[k], vector[i] = vector[i], vector[k]
    order[k], order[i] = order[i], order[k]
    for j in range(k):
        A[m * k + j], A[m * i + j] = A[m * i + j], A[m * k + j]
    for j in range(k + 1, i):
        A[m * j + k], A[m * i + j] = A[m * i + j], A[m * j + k]
    for j in range(i + 1, m):
        A[m * j + k], A[m * j + i] = A[m * j + i], A[m * j + k]
    A[m * k + k], A[m * i + i] = A[m * i + i], A[m * k + k]


@kernel
def _substitute(one, m, rank) -> None:
    """Forward and backward substitution with the leading part of the factor."""
    A, b = one.A, one.b
    for i in range(rank):
        value = b[i]
        for j in range(i):
            value -= A[m * i + j] * b[j]
        b[i] = value / A[m * i + i]
    for back in range(rank):
        i = rank - 1 - back
        value = b[i]
        for j in range(i + 1, rank):
            value -= A[m * j + i] * b[j]
        b[i] = value / A[m * i + i]
