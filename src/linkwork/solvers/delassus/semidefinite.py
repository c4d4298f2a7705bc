"""K lambda = -r for a symmetric K that may be singular, by Cholesky's factor without the rows that depend on others.

The rule of rank (constraints/rank.py), which works on J, defines these rows. Mostly K shows them clearly enough, and for all lanes at once
(`solve_certain_rank`): with K scaled to a unit diagonal a pivot is the square of a sine, in the metric of M^-1.

    a row that nothing can move      K_ii below 10 NOISE size_i: rounding
    a dependent row                  pivot below SQUARE / CLEAR
    an independent row               pivot above SQUARE CLEAR, and K_ii above SQUARE CLEAR size_i
    all else                         is uncertain, and decided on J (solvers/delassus/rank_revealing.py)

size_i is the K_ii of the row if no motion were locked. Masses may make an independent row look dependent. Then it does not hold: residuals of
left-out rows are compared with their own right sides, and where they are too large the choice is made on J too.

K and its factor are kept group by group (model/constraint_tables.py): between groups there is nothing.
"""

from ...constraints.modes import CONTRADICTION
from ...constraints.rank import TOLERANCE
from ...kernels import kernel
from ...kernels.lane_flags import flags_of, in_lanes
from ...kernels.scalar import sqrt, where, zero
from ...model.constraint_tables import open_constraints

SQUARE = TOLERANCE * TOLERANCE
CLEAR = 1e3  # a pivot this many times above or below the square of the tolerance is beyond doubt, unless masses differ by more
NOISE = 1e-25  # rounding of y, squared, relative to the size of the row
FLOOR = 1e-6  # right sides below it are rounding of accelerations around zero
SHARE = 1e-3  # of a row's right side, the acceleration that it has to forbid: residuals are judged by what moves, but not by less than this
LEAST, SURE = (
    CONTRADICTION * FLOOR,
    CONTRADICTION * SHARE,
)  # a row left out with a larger residual, relative to its right side, must be checked
MOST = 1e3  # but not beyond: greater right sides are those of light parts, or of forces that no acceleration answers


@kernel
def solve_certain_rank(model, data, damping, same) -> int:
    """Solve all lanes where K shows the rank: K and the residuals of `data` (ConstraintData) to the multipliers, taken, rank, residual and
    least pivot.

    `same`: the rows left out are those of the last solve. Returns flags of the lanes in which a row is in doubt.
    """
    c, K, L, x, o = open_constraints(model), data.K, data.factor, data.multipliers, zero(data)
    rank, residual, smallest, least, redundant, uncertain = o, o, o + 1.0, o + 1.0, 0, 0
    for g in range(c.ngroups):
        first, m, matrix = c.groups[g].first, c.groups[g].rows, c.groups[g].matrix
        for at in range(m):
            row, k = matrix + m * at, c.members[first + at]
            _factor_row(K, L, matrix, m, at)
            diagonal = K[row + at]
            pivot = diagonal * (1.0 + damping)
            own = o - data.residuals[k]
            right = own
            for j in range(at):
                l = L[row + j]
                pivot = pivot - l * l
                right = right - l * x[c.members[first + j]]
            pivot = where(diagonal > 10.0 * NOISE * data.sizes[k], pivot, o)
            if same:
                was_kept = in_lanes(data.decided[k], data)
                kept = pivot > where(was_kept, SQUARE * diagonal, (SQUARE * CLEAR) * data.sizes[k])
                uncertain = uncertain | (flags_of(kept) ^ data.decided[k])
            else:
                kept = pivot > SQUARE * diagonal
                redundant = redundant | (flags_of(diagonal > 10.0 * NOISE * data.sizes[k]) & ~flags_of(kept))
                between = flags_of(pivot > (SQUARE / CLEAR) * diagonal) & flags_of(pivot < (SQUARE * CLEAR) * diagonal)
                hardly_moves = flags_of(diagonal < (SQUARE * CLEAR) * data.sizes[k])
                uncertain = uncertain | (flags_of(pivot > 0.0) & (between | hardly_moves))
            inverse = where(kept, 1.0 / sqrt(where(kept, pivot, o + 1.0)), o)
            L[row + at] = inverse  # the inverse of the diagonal entry; 0 leaves the row out
            x[k] = right * inverse
            rank = rank + where(kept, o + 1.0, o)
            share = where(kept, pivot, o + 1.0) / where(kept, data.sizes[k], o + 1.0)
            smallest = where(share < smallest, share, smallest)
            share = where(kept, pivot, o + 1.0) / where(kept, diagonal, o + 1.0)
            least = where(share < least, share, least)
            data.taken[k] = flags_of(kept)
            own = where(own < 0.0, o - own, own)
            row_residual = where(kept, o, where(right < 0.0, o - right, right))
            if not same:  # off the constraints, within a step, rows that were left out have residuals that the gap causes
                uncertain = uncertain | flags_of(row_residual > LEAST + SURE * where(own < MOST, own, o + MOST))
            row_residual = row_residual / where(own > FLOOR, own, o + FLOOR)
            residual = where(row_residual > residual, row_residual, residual)
    _substitute_back(model, data)
    data.rank, data.residual, data.pivot, data.share = rank, residual, smallest, least
    if not same:
        data.redundant = redundant
    return uncertain


@kernel(inline=True)
def _factor_row(K, L, matrix, m, at):
    """Row `at` of the factor of a group's matrix, left of its diagonal."""
    row = matrix + m * at
    for j in range(at):
        value, other = K[row + j], matrix + m * j
        for i in range(j):
            value = value - L[row + i] * L[other + i]
        L[row + j] = value * L[other + j]


@kernel
def factor_chosen(model, data, damping) -> None:
    """The factor of K of the rows that are `taken`. Rows whose pivot is lost in rounding are left out of it too."""
    c, K, L, o = open_constraints(model), data.K, data.factor, zero(data)
    rank, smallest = o, o + 1.0
    for g in range(c.ngroups):
        first, m, matrix = c.groups[g].first, c.groups[g].rows, c.groups[g].matrix
        for at in range(m):
            row, k = matrix + m * at, c.members[first + at]
            _factor_row(K, L, matrix, m, at)
            pivot = K[row + at] * (1.0 + damping)
            for j in range(at):
                pivot = pivot - L[row + j] * L[row + j]
            taken = in_lanes(data.taken[k], data)
            kept = where(taken, pivot, o) > 0.0
            L[row + at] = where(kept, 1.0 / sqrt(where(kept, pivot, o + 1.0)), o)
            rank = rank + where(taken, o + 1.0, o)
            share = where(kept, pivot, o + 1.0) / where(kept, data.sizes[k], o + 1.0)
            smallest = where(share < smallest, share, smallest)
    data.rank, data.redundant, data.pivot = rank, flags_of(rank < float(c.nc)), smallest


@kernel
def substitute(model, data) -> None:
    """The multipliers of the residuals, by the factor there is."""
    c, L, x, o = open_constraints(model), data.factor, data.multipliers, zero(data)
    for g in range(c.ngroups):
        first, m, matrix = c.groups[g].first, c.groups[g].rows, c.groups[g].matrix
        for at in range(m):
            row, k = matrix + m * at, c.members[first + at]
            value = o - data.residuals[k]
            for j in range(at):
                value = value - L[row + j] * x[c.members[first + j]]
            x[k] = value * L[row + at]
    _substitute_back(model, data)


@kernel
def _substitute_back(model, data) -> None:
    c, L, x = open_constraints(model), data.factor, data.multipliers
    for g in range(c.ngroups):
        first, m, matrix = c.groups[g].first, c.groups[g].rows, c.groups[g].matrix
        for back in range(m):
            at = m - 1 - back
            k = c.members[first + at]
            value = x[k]
            for i in range(at + 1, m):
                value = value - L[matrix + m * i + at] * x[c.members[first + i]]
            x[k] = value * L[matrix + m * at + at]
