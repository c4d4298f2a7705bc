"""The self-stress to take away from a solution so that its wrenches become least, in one compiled pass over rows, parts and self-stresses.

The tall matrix A of Transmission.weighted is filled row by row of constraints, wrenches that a part does not feel skipped; then

    A^T A s = A^T w,      and once more with the w that is left: the error is then that of a QR factor (Bjoerck: corrected seminormal equations)

as long as A^T A, its columns scaled to 1, is far from singular. Where it is not, nothing is said, and somebody else has to look.
"""

import math

import numpy as np

from ..kernels import kernel

CLEAR = 1e-4  # least pivot (of lengths, not squares) of the scaled A^T A: above it, two rounds are as good as QR
HALF = math.sqrt(0.5)


# parameters: arrays of Python reach compiled code as arguments of their own
@kernel(entry="A3 A3 A3 A1 A2 A2 A2 A2 A1 A1 A2 A1 A2 A2 -> i")
def _least(through, wrenches, arms, lengths, Z, measured, first, second, multipliers, share, A, w, G, x) -> int:
    """Fill `share` (k); returns 0, or 1 if the self-stresses are not clearly independent in the measure (or one is not felt at all).

    through: (3, parts, nc), rows of unit multipliers on parts: first links, second links, second links of constraints' second places.
    wrenches: (2, nc, 6). arms: (parts, 2, 3). lengths: of the mechanism; how many parts are joints. first, second: (parts, 6), the wrenches of
    some solution, with its multipliers. A, w, G, x: memory (n, k), (n), (k, k), (2, k).
    """
    parts, nc, k, n = through.shape[1], through.shape[2], Z.shape[1], A.shape[0]
    for i in range(n):
        for j in range(k):
            A[i, j] = 0.0
    for part in range(parts):
        for row in range(nc):
            a, b, c = through[0, part, row], through[1, part, row], through[2, part, row]
            for side in range(2):
                if part < lengths[1] or side == 0:
                    to_a, to_b = a, b
                else:
                    to_a, to_b = 0.0, c
                if to_a != 0.0 or to_b != 0.0:
                    arm = arms[part, side, 0], arms[part, side, 1], arms[part, side, 2]
                    _add(A, 12 * part + 6 * side, arm, wrenches, row, (to_a, to_b), lengths[0], Z)
        for side in range(2):
            _measure(w, 12 * part + 6 * side, arms, part, side, first if part < lengths[1] or side == 0 else second, lengths[0])
    for i in range(measured.shape[0]):
        w[12 * parts + i] = 0.0
        for row in range(nc):
            w[12 * parts + i] += measured[i, row] * multipliers[row]
            if measured[i, row] != 0.0:
                for j in range(k):
                    A[12 * parts + i, j] += measured[i, row] * Z[row, j]
    return _solve(A, w, share, G, x, n, k)


@kernel
def _add(A, at, arm, wrenches, row, shares, length, Z) -> None:
    """The wrench of a row of unit multiplier on a part, moments about one of its points, times the self-stresses.

    shares: what the part gets of the wrenches on the row's first and second links.
    """
    m, s, sparse, k = HALF / length, HALF, 0, Z.shape[1]
    (x, y, z), (to_a, to_b) = arm, shares
    for j in range(k):
        sparse += Z[row, j] != 0.0
    if sparse == 0:
        return
    fx = to_a * wrenches[0, row, 3] + to_b * wrenches[1, row, 3]
    fy = to_a * wrenches[0, row, 4] + to_b * wrenches[1, row, 4]
    fz = to_a * wrenches[0, row, 5] + to_b * wrenches[1, row, 5]
    nx = to_a * wrenches[0, row, 0] + to_b * wrenches[1, row, 0] - (y * fz - z * fy)
    ny = to_a * wrenches[0, row, 1] + to_b * wrenches[1, row, 1] - (z * fx - x * fz)
    nz = to_a * wrenches[0, row, 2] + to_b * wrenches[1, row, 2] - (x * fy - y * fx)
    W = m * nx, m * ny, m * nz, s * fx, s * fy, s * fz
    if 4 * sparse < k:
        for j in range(k):
            if Z[row, j] != 0.0:
                _add_column(A, at, j, Z[row, j], W)
    else:
        for j in range(k):
            _add_column(A, at, j, Z[row, j], W)


@kernel(inline=True)
def _measure(w, at, arms, part, side, W, length):
    """A part's wrench as it is measured: its moment about one of its points, over the length, and its force."""
    x, y, z = arms[part, side, 0], arms[part, side, 1], arms[part, side, 2]
    fx, fy, fz = W[part, 3], W[part, 4], W[part, 5]
    m = HALF / length
    w[at], w[at + 1], w[at + 2] = m * (W[part, 0] - y * fz + z * fy), m * (W[part, 1] - z * fx + x * fz), m * (W[part, 2] - x * fy + y * fx)
    w[at + 3], w[at + 4], w[at + 5] = HALF * fx, HALF * fy, HALF * fz


@kernel(inline=True)
def _add_column(A, at, j, stress, W):
    A[at, j] += W[0] * stress
    A[at + 1, j] += W[1] * stress
    A[at + 2, j] += W[2] * stress
    A[at + 3, j] += W[3] * stress
    A[at + 4, j] += W[4] * stress
    A[at + 5, j] += W[5] * stress


@kernel
def _solve(A, w, share, G, x, n, k) -> int:
    """s of least |w - A s|, two rounds. x: scales of the columns, right side, what is left."""
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
    wiring, k = transmission.wiring, Z.shape[1]
    n, share = 12 * len(wiring.parts) + len(wiring.measured), np.empty(k)
    failed = _least(
        wiring.through,
        transmission.row_wrenches,
        transmission.points - transmission.middle,
        np.array([transmission.length, wiring.joints]),
        Z,
        wiring.measured,
        *(np.ascontiguousarray(W[:, :, 0]) for W in wrenches),
        multipliers,
        share,
        np.empty((n, k)),
        np.empty(n),
        np.empty((k, k)),
        np.empty((2, k)),
    )
    return None if failed else share
