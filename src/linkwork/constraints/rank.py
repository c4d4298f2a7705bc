r"""The rule of rank: which rows of constraints depend on others (decision 0015). Solvers, integrators and questions all use it.

Rank is a matter of geometry, not of masses. A row has a natural size: its norm if all joints on its path could move freely in all directions.
Columns are made comparable by their reach, 1 for turns and the loop's length for slides,

    J^_ij = J_ij reach_j / natural_i,         natural_i^2 = sum_j reach_j^2 (|S_w| sqrt(n^2 + l^2 f^2) + |S_v| f)^2 + (c_ij reach_j)^2.

Rows are taken one by one, that with the greatest remainder first (modified Gram-Schmidt with pivoting; J itself, not its square). The remainder is
the sine of the row's angle with those taken, times the part of its natural size that it has at all. A row whose remainder is below the tolerance
is left out: it depends on the others, or nothing that it could move is free to move.

    tolerance        TOLERANCE, or SPREAD times the gap of the row's group: off its constraints by a gap, a state determines directions no better
    group            rows that share velocities, directly or through others; groups do not affect each other

Where accelerations are evaluated within a step, rows that were taken at its start are taken first, so that the choice, and with it the
accelerations, does not jump from stage to stage.
"""

import math

from ..data.constraints import RowChoice
from ..kernels import kernel

TOLERANCE = 1e-5  # a sine: axes drawn, measured or rounded to six digits are meant to be parallel
DOUBTFUL = 1e-10  # remainders between this and the tolerance are no rounding: the row may be intended, and a warning names it
SPREAD = 10.0  # a gap turns directions by about its share of the loop's length, some joints in a row by several times that
WIDEST = 1e-2  # the largest tolerance that a gap may lead to: a state further off has not drifted, it has not been assembled yet
STAYS = 0.1  # of the tolerance: enough for a row that was taken before
TOUCHES = 1e-12  # entries of J^ below this are rounding and couple nothing


@kernel(entry="i i i -> i")
def choose_rows(one: RowChoice, m, n) -> int:
    """Choose independent rows among m of n velocities: `taken`, `sine`, `group` and `tolerance` from directions, gap and prefer. Returns the rank."""
    _find_groups(one, m, n)
    _set_tolerances(one, m)
    for i in range(m):
        one.taken[i] = 0
        one.sine[i] = _length(one, n, i)
    rank = 0
    for i in range(m):
        if one.prefer[i] == 1 and one.sine[i] > STAYS * one.tolerance[i]:
            _take(one, m, n, i)
            rank += 1
    while True:
        best, most = -1, 0.0
        for i in range(m):
            if one.taken[i] == 0 and one.sine[i] > one.tolerance[i] and one.sine[i] > most:
                best, most = i, one.sine[i]
        if best < 0:
            return rank
        _take(one, m, n, best)
        rank += 1


@kernel
def _length(one, n, i) -> float:
    total, d = 0.0, one.directions
    for k in range(n * i, n * i + n):
        total += d[k] * d[k]
    return math.sqrt(total)


@kernel
def _take(one, m, n, best) -> None:
    """Take a row: what is left of the others is orthogonal to it."""
    d, at, own = one.directions, n * best, one.sine[best]
    one.taken[best] = 1
    for k in range(at, at + n):
        d[k] = d[k] / own
    for i in range(m):
        if one.taken[i] == 0 and one.group[i] == one.group[best]:
            share = 0.0
            for k in range(n):
                share += d[at + k] * d[n * i + k]
            if share != 0.0:
                for k in range(n):
                    d[n * i + k] = d[n * i + k] - share * d[at + k]
                one.sine[i] = _length(one, n, i)


@kernel
def _find_groups(one, m, n) -> None:
    """The group of each row, by its first row: each velocity takes the first row that touches it, until nothing changes."""
    for i in range(m):
        one.group[i] = i
    for k in range(n):
        one.first[k] = m
    changed = True
    while changed:
        changed = False
        for i in range(m):
            group = one.group[i]
            for k in range(n):
                if abs(one.directions[n * i + k]) > TOUCHES and one.first[k] < group:
                    group = one.first[k]
            for k in range(n):
                if abs(one.directions[n * i + k]) > TOUCHES and one.first[k] > group:
                    one.first[k] = group
                    changed = True
            if group < one.group[i]:
                one.group[i] = group
                changed = True


@kernel
def _set_tolerances(one, m) -> None:
    for i in range(m):
        one.tolerance[i] = 0.0
    for i in range(m):
        g = one.group[i]
        one.tolerance[g] = max(one.tolerance[g], one.gap[i])
    for back in range(m):  # the first row of a group comes last
        i = m - 1 - back
        gap_tolerance = SPREAD * one.tolerance[one.group[i]]
        one.tolerance[i] = gap_tolerance if TOLERANCE < gap_tolerance < WIDEST else TOLERANCE
