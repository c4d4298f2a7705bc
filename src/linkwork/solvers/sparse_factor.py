"""Elimination of a constraint where its ways meet, and its multipliers afterwards.

When everything beyond the meeting link m has been eliminated, a constraint's rows read

    K lambda + sum K_j lambda_j + F . a_m + gamma = 0            j: constraints eliminated later,   K = J M^-1 J^T of what is beyond

With K = L L^T and Z = L^-1 [K_j, F, gamma], what is left of the other blocks is

    I^A_m += Z_F^T Z_F,    p_m += Z_F^T z,    F_j -= Z_j^T Z_F,    gamma_j -= Z_j^T z,    K_jk -= Z_j^T Z_k.

K may be singular. Pivots are taken in order of their size relative to the row's own diagonal, until none is above the tolerance of
solvers/semidefinite.py. A row that is left depends on those before: its multiplier is zero, and what it lacks in the end is the residual.
Rows are not swapped, only the order of pivots is written down.
"""

import math

from ..kernels import kernel
from ..kernels.scalar import load, store, width
from .semidefinite import NOISE, TOLERANCE
from .sparse_program import (
    C_LATER,
    C_LATERS,
    C_PACKS,
    C_PANEL,
    C_ROWS,
    C_STRIDE,
    C_TARGETS,
    C_VECTOR,
    C_WRENCH,
    CONSTRAINT,
    DIAGONAL,
    GAMMA,
    HEADER,
    LAMBDA,
    LATER,
    P_LARGEST,
    P_TAIL,
    PIVOTS,
    SIZE,
)

DEPENDENT = -1.0  # in the list of pivots: no further row


@kernel
def eliminate_constraint(P, work, e, handle_at, wide) -> int:
    """Eliminate constraint e; `handle_at`: where inertia and bias force of the meeting link stand, or -1. Returns the number of rows kept."""
    c = HEADER + CONSTRAINT * e
    _bring_wrench(P, work, c, width(wide))
    kept = _factor(P, work, c, wide)
    panel, stride, vector = P[c + C_PANEL], P[c + C_STRIDE], P[c + C_VECTOR]
    pivots = (vector + PIVOTS * P[c + C_PACKS]) * width(wide)
    for p in range(kept):
        row = panel + stride * int(work[pivots + p])
        if handle_at >= 0:
            _add_inertia(work, (row + stride - P[P_TAIL]) * width(wide), handle_at)
        _update_later(P, work, c, row, wide)
    return kept


@kernel
def _bring_wrench(P, work, c, lanes) -> None:
    """F on the meeting link and gamma to the end of each row of the panel; the largest gamma is what residuals are compared with."""
    rows, panel, stride, wrench = P[c + C_ROWS], P[c + C_PANEL], P[c + C_STRIDE], P[c + C_WRENCH]
    gamma = (P[c + C_VECTOR] + GAMMA * P[c + C_PACKS]) * lanes
    for i in range(rows):
        at = (panel + (i + 1) * stride - P[P_TAIL]) * lanes
        if wrench >= 0:
            source = (wrench + 6 * (i // lanes)) * lanes + i % lanes
            for k in range(6):
                work[at + k] = work[source + k * lanes]
        work[at + 6] = work[gamma + i]
        work[P[P_LARGEST]] = max(work[P[P_LARGEST]], abs(work[gamma + i]))


@kernel
def _factor(P, work, c, wide) -> int:
    """L^-1 applied to the rows of the panel, in the order of pivots; returns the rank."""
    lanes = width(wide)
    rows, packs, panel, stride, vector = P[c + C_ROWS], P[c + C_PACKS], P[c + C_PANEL], P[c + C_STRIDE], P[c + C_VECTOR]
    diagonal, size, pivots = (vector + DIAGONAL * packs) * lanes, (vector + SIZE * packs) * lanes, (vector + PIVOTS * packs) * lanes
    # A row that can hardly move is mostly rounding. From here on `size` holds the least pivot, infinite for rows that are out.
    for i in range(rows):
        d, bound = work[diagonal + i], work[size + i]
        work[size + i] = math.inf
        if d > 10.0 * NOISE * bound:
            work[size + i] = TOLERANCE * d + NOISE * bound
    kept = 0
    while kept < rows:
        best, greatest = -1, 0.0
        for i in range(rows):
            pivot = work[(panel + i * stride) * lanes + i]
            if pivot > work[size + i] and pivot > greatest * work[diagonal + i]:
                best, greatest = i, pivot / work[diagonal + i]
        if best < 0:
            work[pivots + kept] = DEPENDENT
            break
        work[pivots + kept] = float(best)
        work[size + best] = math.inf
        kept += 1
        own = panel + best * stride
        inverse = 1.0 / math.sqrt(work[own * lanes + best])
        for k in range(stride):
            store(work, own + k, load(work, own + k, wide) * inverse)
        for i in range(rows):
            if is_left(work, pivots, kept, i):
                factor = work[own * lanes + i]
                for k in range(stride):
                    at = panel + i * stride + k
                    store(work, at, load(work, at, wide) - factor * load(work, own + k, wide))
    return kept


@kernel(inline=True)
def is_left(work, pivots, kept, i):
    """Has row i not been a pivot?"""
    left = True
    for p in range(kept):
        left = left and work[pivots + p] != i
    return left


@kernel
def _add_inertia(work, z, at) -> None:
    """I^A += z_F z_F^T, p += z_F z: the 21 numbers of an articulated inertia and six of a force."""
    n0, n1, n2, f0, f1, f2, gamma = work[z], work[z + 1], work[z + 2], work[z + 3], work[z + 4], work[z + 5], work[z + 6]
    k = at
    for value in (n0 * n0, n0 * n1, n0 * n2, n1 * n1, n1 * n2, n2 * n2):
        work[k] += value
        k += 1
    for n in (n0, n1, n2):
        work[k] += n * f0
        work[k + 1] += n * f1
        work[k + 2] += n * f2
        k += 3
    for value in (f0 * f0, f0 * f1, f0 * f2, f1 * f1, f1 * f2, f2 * f2):
        work[k] += value
        k += 1
    for value in (n0, n1, n2, f0, f1, f2):
        work[k] += value * gamma
        k += 1


@kernel
def _update_later(P, work, c, row, wide) -> None:
    """What one row Z of the panel takes from the constraints that are eliminated later."""
    lanes = width(wide)
    count, laters, target = P[c + C_LATER], P[c + C_LATERS], P[c + C_TARGETS]
    tail = (row + P[c + C_STRIDE] - P[P_TAIL]) * lanes
    for a in range(count):
        first = HEADER + CONSTRAINT * P[laters + LATER * a]
        column, wrench = row + P[laters + LATER * a + 1], P[laters + LATER * a + 2]
        rows, stride = P[first + C_ROWS], P[first + C_STRIDE]
        for g in range(P[first + C_PACKS]):
            z = load(work, column + g, wide)
            at = P[first + C_VECTOR] + g
            store(work, at, load(work, at, wide) - z * work[tail + 6])
            if wrench >= 0:
                for k in range(6):
                    at = wrench + 6 * g + k
                    store(work, at, load(work, at, wide) - z * work[tail + k])
        for b in range(a, count):
            second = HEADER + CONSTRAINT * P[laters + LATER * b]
            other, at = row + P[laters + LATER * b + 1], P[target]
            target += 1
            for g in range(P[second + C_PACKS]):
                z = load(work, other + g, wide)
                for j in range(rows):
                    store(work, at + g + j * stride, load(work, at + g + j * stride, wide) - work[column * lanes + j] * z)


@kernel
def find_multipliers(P, work, e, acceleration, lanes) -> float:
    """lambda of constraint e once those of later ones and the acceleration of its meeting link (index, or -1) are known.

    Returns the largest residual of a dependent row.
    """
    c = HEADER + CONSTRAINT * e
    rows, packs, panel, stride = P[c + C_ROWS], P[c + C_PACKS], P[c + C_PANEL], P[c + C_STRIDE]
    pivots, multipliers = (P[c + C_VECTOR] + PIVOTS * packs) * lanes, (P[c + C_VECTOR] + LAMBDA * packs) * lanes
    kept = 0
    while kept < rows and work[pivots + kept] != DEPENDENT:
        kept += 1
    for back in range(kept):
        p = kept - 1 - back
        i = int(work[pivots + p])
        row = (panel + i * stride) * lanes
        value = _lack(P, work, c, row, acceleration, lanes)
        for later in range(p + 1, kept):
            j = int(work[pivots + later])
            value += work[row + j] * work[multipliers + j]
        work[multipliers + i] = -value / work[row + i]
    residual = 0.0
    if kept < rows:
        for i in range(rows):
            if is_left(work, pivots, kept, i):
                residual = max(residual, abs(_lack(P, work, c, (panel + i * stride) * lanes, acceleration, lanes)))
    return residual


@kernel
def _lack(P, work, c, row, acceleration, lanes) -> float:
    """gamma + F . a + sum K_j lambda_j of a row of the panel, which starts at the float `row`."""
    tail = row + (P[c + C_STRIDE] - P[P_TAIL]) * lanes
    value = work[tail + 6]
    if acceleration >= 0:
        for k in range(6):
            value += work[tail + k] * work[acceleration + k]
    for a in range(P[c + C_LATER]):
        later = P[c + C_LATERS] + LATER * a
        other = HEADER + CONSTRAINT * P[later]
        multipliers = (P[other + C_VECTOR] + LAMBDA * P[other + C_PACKS]) * lanes
        column = row + P[later + 1] * lanes
        for j in range(P[other + C_ROWS]):
            value += work[column + j] * work[multipliers + j]
    return value
