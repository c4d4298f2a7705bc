"""The self-stress to take away from a solution so that its wrenches become least, compiled.

The tall matrix A of Transmission.weighted is filled row by row of constraints, wrenches that a part does not feel skipped; then

    A^T A s = A^T w,      and once more with the w that is left: the error is then that of a QR factor (Bjoerck: corrected seminormal equations)

as long as A^T A, its columns scaled to 1, is far from singular. Where it is not, there is no answer, and the caller takes another way.
"""

import math

import numpy as np

from ..kernels import kernel
from ..kernels.records import pointer_to
from ..spatial.motion import shift_force
from ..spatial.vectors import add6, scale6
from .transmission_sweep import add_rows, on_part, wrench
from .wiring import WiringTables

CLEAR = 1e-4  # least pivot (of lengths, not squares) of the scaled A^T A: above it, two rounds are as good as QR
HALF = math.sqrt(0.5)


# parameters: every array of Python reaches compiled code as an argument of its own
@kernel(entry="i A3 A3 A2 A3 A1 A2 A1 A2 -> b", holds_gil=True)
def _take_least(wiring, points, row_wrenches, Z, wrenches, multipliers, A, w, G) -> bool:
    """Take the self-stress away from wrenches (2, parts, 6) and multipliers (nc) that makes them least.

    False, and nothing done, if the self-stresses are not clearly independent, or one is not felt. Z: (nc, k). Memory: A (n, k), all self-stresses
    measured; w (at least n and nc), the solution measured; G (k + 3, k): A^T A above its diagonal, then scales of its columns, right side and s.
    """
    wiring = pointer_to(WiringTables, wiring, 0.0)
    _measure_wrenches(wiring, points, row_wrenches, Z, wrenches, A, w)
    _measure_drives(wiring, multipliers, Z, A, w)
    if not _solve(A, w, G):
        return False
    k, taken = Z.shape[1], w
    for row in range(wiring.nc):
        taken[row] = 0.0
        for j in range(k):
            taken[row] += Z[row, j] * G[k + 2, j]
        multipliers[row] -= taken[row]
    add_rows(wiring, row_wrenches, taken, -1.0, wrenches)
    return True


@kernel(inline=True)
def _measure_wrenches(wiring, points, row_wrenches, Z, wrenches, A, w):
    """Fill the rows of A and w that measure wrenches, twelve for each part. points: (parts, 2, 3)."""
    k, parts, nc, joints, length, through = Z.shape[1], wiring.parts, wiring.nc, wiring.joints, wiring.length, wiring.through
    mx, my, mz = 0.0, 0.0, 0.0  # the middle, as in transmission_sweep.py
    for part in range(parts):
        mx, my, mz = mx + points[part, 0, 0] / parts, my + points[part, 0, 1] / parts, mz + points[part, 0, 2] / parts
    for part in range(parts):
        for side in range(2):
            seen, at = 0 if part < joints or side == 0 else 1, 12 * part + 6 * side
            arm = points[part, side, 0] - mx, points[part, side, 1] - my, points[part, side, 2] - mz
            W = _measured(wrench(wrenches, seen, part), arm, length)
            for i in range(6):
                for j in range(k):
                    A[at + i, j] = 0.0
                w[at + i] = W[i]
            for row in range(nc):
                to_a, to_b, to_second = on_part(through, part * nc + row, parts * nc)
                if seen == 1:
                    to_a, to_b = 0.0, to_second
                if to_a != 0.0 or to_b != 0.0:
                    W = add6(scale6(to_a, wrench(row_wrenches, 0, row)), scale6(to_b, wrench(row_wrenches, 1, row)))
                    W = _measured(W, arm, length)
                    for j in range(k):
                        stress = Z[row, j]
                        if stress != 0.0:
                            for i in range(6):
                                A[at + i, j] += W[i] * stress


@kernel(inline=True)
def _measured(W, arm, length):
    """A wrench about the middle as it is measured: its moment about a point, over the length, and its force; each side of a part counts half."""
    n0, n1, n2, f0, f1, f2 = shift_force(W, arm)
    m = HALF / length
    return m * n0, m * n1, m * n2, HALF * f0, HALF * f1, HALF * f2


@kernel(inline=True)
def _measure_drives(wiring, multipliers, Z, A, w):
    """Fill the rows of A and w that measure the forces of couplings and drives."""
    k = Z.shape[1]
    for i in range(wiring.drives):
        at = 12 * wiring.parts + i
        w[at] = 0.0
        for j in range(k):
            A[at, j] = 0.0
        for row in range(wiring.nc):
            measured = wiring.measured[i * wiring.nc + row]
            if measured != 0.0:
                w[at] += measured * multipliers[row]
                for j in range(k):
                    A[at, j] += measured * Z[row, j]


@kernel(inline=True)
def _solve(A, w, G):
    """Fill the s (row k + 2 of G) of least |w - A s|, two rounds; False if the columns of A are not clearly independent, or one is zero."""
    n, k = A.shape
    scale, right, share = k, k + 1, k + 2
    for i in range(k):
        G[share, i] = 0.0
        for j in range(k):
            G[i, j] = 0.0
    for row in range(n):
        for i in range(k):
            value = A[row, i]
            if value != 0.0:
                for j in range(i, k):
                    G[i, j] += value * A[row, j]
    for i in range(k):
        if not G[i, i] > 1e-24:
            return False  # it puts no force on anything in this pose
        G[scale, i] = 1.0 / math.sqrt(G[i, i])
    for i in range(k):
        for j in range(i, k):
            G[i, j] *= G[scale, i] * G[scale, j]
    for i in range(k):  # Cholesky: L^T above the diagonal, row by row, the diagonal inverted
        for j in range(i):
            value = G[j, i]
            for c in range(i, k):
                G[i, c] -= value * G[j, c]
        if not G[i, i] > CLEAR * CLEAR:
            return False
        root = 1.0 / math.sqrt(G[i, i])
        for c in range(i, k):
            G[i, c] *= root
    for _ in range(2):
        for i in range(k):
            G[right, i] = 0.0
        for row in range(n):
            left, other, i = w[row], 0.0, 0
            while i + 1 < k:  # two sums that do not wait for each other
                left -= A[row, i] * G[share, i]
                other -= A[row, i + 1] * G[share, i + 1]
                i += 2
            if i < k:
                left -= A[row, i] * G[share, i]
            left += other
            if left != 0.0:
                for i in range(k):
                    G[right, i] += left * A[row, i]
        for i in range(k):
            G[right, i] *= G[scale, i]
        for i in range(k):
            G[right, i] /= G[i, i]
            value = G[right, i]
            for c in range(i + 1, k):
                G[right, c] -= value * G[i, c]
        for i in range(k - 1, -1, -1):
            value = G[right, i]
            for c in range(i + 1, k):
                value -= G[i, c] * G[right, c]
            G[right, i] = value / G[i, i]
            G[share, i] += G[scale, i] * G[right, i]
    return True


def take_least(transmission, Z, wrenches, multipliers):
    """Take the self-stress away from wrenches (2, parts, 6) and multipliers (nc,) that makes them least, in place.

    False, and nothing done, where self-stresses are not clearly independent.
    """
    wiring, k = transmission.wiring, Z.shape[1]
    n = 12 * len(wiring.parts) + len(wiring.measured)
    A, w, G = np.empty((n, k)), np.empty(max(n, len(Z))), np.empty((k + 3, k))
    return bool(_take_least(wiring.address, transmission.points, transmission.row_wrenches, Z, wrenches, multipliers, A, w, G))
