"""The self-stress to take away from a solution so that its wrenches become least, compiled.

The tall matrix A of Transmission.weighted is filled row by row of constraints, wrenches that a part does not feel skipped; then

    A^T A s = A^T w,      and once more with the w that is left: the error is then that of a QR factor (Bjoerck: corrected seminormal equations)

as long as A^T A, its columns scaled to 1, is far from singular. Where it is not, nothing is said, and somebody else has to look.
"""

import math

import numpy as np

from ..kernels import kernel
from ..spatial.motion import shift_force
from ..spatial.vectors import add6, scale6

CLEAR = 1e-4  # least pivot (of lengths, not squares) of the scaled A^T A: above it, two rounds are as good as QR
HALF = math.sqrt(0.5)


@kernel(entry="A3 A3 A3 A1 A2 A3 A2 A1 -> n")
def _measure_wrenches(through, row_wrenches, arms, lengths, Z, wrenches, A, w) -> None:
    """Fill the rows of A (n, k) and w (n) that measure wrenches, twelve for each part: of all self-stresses, and of some solution.

    through: (3, parts, nc), rows of unit multipliers on parts: first links, second links, second links of constraints' second places.
    row_wrenches: (2, nc, 6). arms: (parts, 2, 3). lengths: of the mechanism; how many parts are joints. wrenches: (2, parts, 6), of the solution.
    """
    length, k = lengths[0], Z.shape[1]
    for part in range(through.shape[1]):
        for i in range(12 * part, 12 * part + 12):
            for j in range(k):
                A[i, j] = 0.0
        for side in range(2):
            seen = 0 if part < lengths[1] or side == 0 else 1
            arm = arms[part, side, 0], arms[part, side, 1], arms[part, side, 2]
            at = 12 * part + 6 * side
            W = _measured(_wrench(wrenches, seen, part), arm, length)
            w[at], w[at + 1], w[at + 2], w[at + 3], w[at + 4], w[at + 5] = W
            for row in range(through.shape[2]):
                to_a, to_b = (through[0, part, row], through[1, part, row]) if seen == 0 else (0.0, through[2, part, row])
                if to_a != 0.0 or to_b != 0.0:
                    W = add6(scale6(to_a, _wrench(row_wrenches, 0, row)), scale6(to_b, _wrench(row_wrenches, 1, row)))
                    _add_stresses(A, at, _measured(W, arm, length), Z, row)


@kernel(inline=True)
def _wrench(W, a, b):
    return W[a, b, 0], W[a, b, 1], W[a, b, 2], W[a, b, 3], W[a, b, 4], W[a, b, 5]


@kernel(inline=True)
def _measured(W, arm, length):
    """A wrench about the middle as it is measured: its moment about a point, over the length, and its force; each side of a part counts half."""
    n0, n1, n2, f0, f1, f2 = shift_force(W, arm)
    m = HALF / length
    return m * n0, m * n1, m * n2, HALF * f0, HALF * f1, HALF * f2


@kernel(inline=True)
def _add_stresses(A, at, W, Z, row):
    """Add the wrench W of a row, times its multiplier in each self-stress, to six rows of A."""
    for j in range(Z.shape[1]):
        stress = Z[row, j]
        if stress != 0.0:
            for i in range(6):
                A[at + i, j] += W[i] * stress


@kernel(entry="A2 A1 A2 A2 A1 i -> n")
def _measure_drives(measured, multipliers, Z, A, w, at) -> None:
    """Fill the rows of A and w from `at` on, which measure the forces of couplings and drives: measured (m, nc) times multipliers."""
    for i in range(measured.shape[0]):
        w[at + i] = 0.0
        for j in range(Z.shape[1]):
            A[at + i, j] = 0.0
        for row in range(measured.shape[1]):
            w[at + i] += measured[i, row] * multipliers[row]
            if measured[i, row] != 0.0:
                for j in range(Z.shape[1]):
                    A[at + i, j] += measured[i, row] * Z[row, j]


@kernel(entry="A2 A1 A1 A2 A2 -> i")
def _solve(A, w, share, G, x) -> int:
    """Fill the s (k) of least |w - A s|, two rounds; returns 0, or 1 if the columns of A are not clearly independent, or one is zero.

    G, x: memory (k, k) and (2, k); x: scales of the columns, right side and what is left.
    """
    n, k = A.shape
    for i in range(k):
        share[i] = 0.0
        for j in range(k):
            G[i, j] = 0.0
    for row in range(n):
        for i in range(k):
            value = A[row, i]
            if value != 0.0:
                for j in range(k):
                    G[i, j] += value * A[row, j]
    for i in range(k):
        if not G[i, i] > 1e-24:
            return 1  # it puts no force on anything in this pose
        x[0, i] = 1.0 / math.sqrt(G[i, i])
    for i in range(k):
        for j in range(k):
            G[i, j] *= x[0, i] * x[0, j]
    for i in range(k):  # Cholesky: L^T above the diagonal, row by row, the diagonal inverted
        for j in range(i):
            value = G[j, i]
            for c in range(i, k):
                G[i, c] -= value * G[j, c]
        if not G[i, i] > CLEAR * CLEAR:
            return 1
        root = 1.0 / math.sqrt(G[i, i])
        for c in range(i, k):
            G[i, c] *= root
    for _ in range(2):
        for i in range(k):
            x[1, i] = 0.0
        for row in range(n):
            left, other, i = w[row], 0.0, 0
            while i + 1 < k:  # two sums that do not wait for each other
                left -= A[row, i] * share[i]
                other -= A[row, i + 1] * share[i + 1]
                i += 2
            if i < k:
                left -= A[row, i] * share[i]
            left += other
            if left != 0.0:
                for i in range(k):
                    x[1, i] += left * A[row, i]
        for i in range(k):
            x[1, i] *= x[0, i]
        for i in range(k):
            x[1, i] /= G[i, i]
            value = x[1, i]
            for c in range(i + 1, k):
                x[1, c] -= value * G[i, c]
        for i in range(k - 1, -1, -1):
            value = x[1, i]
            for c in range(i + 1, k):
                value -= G[i, c] * x[1, c]
            x[1, i] = value / G[i, i]
            share[i] += x[0, i] * x[1, i]
    return 0


def least_share(transmission, Z, wrenches, multipliers):
    """s (k,) such that multipliers - Z s, with wrenches to match, are the least, or None where self-stresses are not clearly independent."""
    wiring, k, at = transmission.wiring, Z.shape[1], 12 * len(transmission.parts)
    n = at + len(wiring.measured)
    A, w, share = np.empty((n, k)), np.empty(n), np.empty(k)
    arms, lengths = transmission.points - transmission.middle, np.array([transmission.length, wiring.joints])
    solution = np.empty((2, len(transmission.parts), 6))
    solution[0], solution[1] = wrenches[0][:, :, 0], wrenches[1][:, :, 0]
    _measure_wrenches(wiring.through, transmission.row_wrenches, arms, lengths, Z, solution, A, w)
    _measure_drives(wiring.measured, multipliers, Z, A, w, at)
    return None if _solve(A, w, share, np.empty((k, k)), np.empty((2, k))) else share
