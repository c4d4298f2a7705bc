"""Elimination of a constraint where its ways meet, and its multipliers afterwards.

When everything beyond the meeting link m has been eliminated, a constraint's rows read

    K lambda + sum K_j lambda_j + F . a_m + gamma = 0            j: constraints eliminated later,   K = J M^-1 J^T of what is beyond

With K = L L^T and Z = L^-1 [K_j, F, gamma], what is left of the other blocks is

    I^A_m += Z_F^T Z_F,    p_m += Z_F^T z,    F_j -= Z_j^T Z_F,    gamma_j -= Z_j^T z,    K_jk -= Z_j^T Z_k.

K may be singular. Pivots are taken in order of their size relative to the row's own diagonal, until none is above the tolerance; where one is too near
to it (criteria in solvers/delassus/semidefinite.py), the rank is uncertain and the rank-revealing solver takes over
(solvers/delassus/rank_revealing.py). A row that is left depends on those before: its multiplier is zero, and its error relative to its own right
side is the residual. Rows are not swapped; only the order of pivots is stored. Within a step the pivots are those of its start (SAME_ROWS), as long as
they are regular.

A row of a panel (data/sparse.py) is found by its first pack, or in floats by its first number: K_ij is number j of row i. Its wrench on the meeting
link and gamma are the first seven numbers of its tail.
"""

import math

from ...dynamics.joints.sparse import lane_of_wrench, set_wrench, wrench_of
from ...kernels import kernel
from ...kernels.scalar import width
from ...kernels.views import floats_of
from ...spatial.articulated import articulated_downdate
from ...spatial.vectors import add6, dot6, get6, scale6, sub6
from ..delassus.semidefinite import CLEAR, FLOOR, LEAST, MOST, NOISE, SQUARE, SURE


@kernel
def eliminate_constraint(data, e) -> int:
    """Eliminate constraint e; what it adds to inertia and bias force of its meeting link goes to `inward`. Returns the number of rows kept."""
    c, lanes, panels = data.program.constraints[e], width(data.panels), floats_of(data.panels)
    if is_out(data, e):
        data.kept[e] = 0
        return 0
    _take_tails(data, e)
    kept = _factor(data, e)
    for p in range(kept):
        row = c.panel + c.stride * data.order[c.pack * lanes + p]
        if c.wrench >= 0:
            tail = (row + c.stride - data.program.tail) * lanes
            F, inward = get6(panels, tail), data.inward
            inward.IA, inward.pA = articulated_downdate(inward.IA, F, -1.0), add6(inward.pA, scale6(panels[tail + 6], F))
        _update_later(data, e, row)
    return kept


@kernel(inline=True)
def is_out(data, e):
    """Is constraint e left out? A correction of positions is no motion in time, so rows on velocities alone do not apply."""
    return data.positions and not data.program.constraints[e].holonomic


@kernel
def _take_tails(data, e) -> None:
    """F on the meeting link and gamma to the end of each row of the panel."""
    c, lanes = data.program.constraints[e], width(data.panels)
    panels, gamma, wrenches = floats_of(data.panels), floats_of(data.gamma), floats_of(data.wrenches)
    for i in range(c.rows):
        tail = (c.panel + (i + 1) * c.stride - data.program.tail) * lanes
        if c.wrench >= 0:
            source = lane_of_wrench(c.wrench, i, lanes)
            for k in range(6):
                panels[tail + k] = wrenches[source + k * lanes]
        panels[tail + 6] = gamma[c.pack * lanes + i]


@kernel
def _factor(data, e) -> int:
    """L^-1 applied to the rows of the panel, in the order of pivots; returns the rank."""
    c, order = data.program.constraints[e], data.order
    first, kept, known, decided = c.pack * width(data.panels), 0, data.decided_kept[e] if data.same else 0, data.decided
    _set_least(data, e)
    while kept < c.rows:
        if kept < known:
            best = decided[first + kept]
            if not _pivot(data, e, best) > floats_of(data.least)[first + best]:
                data.doubt = True
                break
        else:
            best = _greatest(data, e) if not data.same else -1
        if best < 0:
            break
        data.pivot = min(data.pivot, _pivot(data, e, best) / floats_of(data.size)[first + best])
        order[first + kept] = best
        floats_of(data.least)[first + best] = math.inf
        kept += 1
        _eliminate_row(data, e, best, kept)
    _doubt_rows(data, e, kept)
    data.kept[e] = kept
    if not data.same:
        data.decided_kept[e] = kept
        for i in range(first, first + kept):
            decided[i] = order[i]
    return kept


@kernel
def _set_least(data, e) -> None:
    """The least pivot of each row; infinite for one that nothing can move."""
    c, lanes = data.program.constraints[e], width(data.panels)
    diagonal, size, least = floats_of(data.diagonal), floats_of(data.size), floats_of(data.least)
    for i in range(c.pack * lanes, c.pack * lanes + c.rows):
        least[i] = math.inf
        if diagonal[i] > 10.0 * NOISE * size[i]:
            least[i] = SQUARE * diagonal[i]
            if diagonal[i] < SQUARE * CLEAR * size[i]:
                data.doubt = True


@kernel(inline=True)
def _pivot(data, e, i):
    """The pivot of row i of constraint e, before it is eliminated."""
    c, lanes = data.program.constraints[e], width(data.panels)
    return floats_of(data.panels)[(c.panel + i * c.stride) * lanes + i]


@kernel
def _greatest(data, e) -> int:
    """The row with the greatest pivot, relative to its diagonal; -1 if none is above the tolerance. One that is hardly above it is in doubt."""
    c, first = data.program.constraints[e], data.program.constraints[e].pack * width(data.panels)
    diagonal, least, best, greatest = floats_of(data.diagonal), floats_of(data.least), -1, 0.0
    for i in range(c.rows):
        pivot = _pivot(data, e, i)
        if pivot > least[first + i] and pivot > greatest * diagonal[first + i]:
            best, greatest = i, pivot / diagonal[first + i]
    if best >= 0 and greatest < SQUARE * CLEAR:
        data.doubt = True
    return best


@kernel
def _eliminate_row(data, e, best, kept) -> None:
    """Take row `best` from those that are left."""
    c, lanes, packs, panels = data.program.constraints[e], width(data.panels), data.panels, floats_of(data.panels)
    own, first, stride = c.panel + best * c.stride, c.pack * lanes, c.stride
    inverse = 1.0 / math.sqrt(panels[own * lanes + best])
    for k in range(own, own + stride):
        packs[k] = packs[k] * inverse
    for i in range(c.rows):
        if is_left(data.order, first, kept, i):
            row, factor = c.panel + i * stride, panels[own * lanes + i]
            for k in range(stride):
                packs[row + k] = packs[row + k] - factor * packs[own + k]


@kernel
def _doubt_rows(data, e, kept) -> None:
    """Is a row that is left hardly below the tolerance? Within a step: has it become independent?"""
    c, first = data.program.constraints[e], data.program.constraints[e].pack * width(data.panels)
    least, size = floats_of(data.least), floats_of(data.size)
    for i in range(c.rows):
        if is_left(data.order, first, kept, i):
            if least[first + i] < math.inf:
                data.redundant += 1
            bound = CLEAR * SQUARE * size[first + i] if data.same else least[first + i] / CLEAR
            if _pivot(data, e, i) > bound:
                data.doubt = True


@kernel(inline=True)
def is_left(order, first, kept, i):
    """Has row i not been a pivot? The rows in order of their pivots stand from `first` on."""
    left = True
    for p in range(first, first + kept):
        left = left and order[p] != i
    return left


@kernel
def _update_later(data, e, row) -> None:
    """What one row Z of the panel of constraint e takes from the constraints that are eliminated later."""
    program, lanes, packs = data.program, width(data.panels), data.panels
    c, panels, gamma = program.constraints[e], floats_of(packs), data.gamma
    tail, target = (row + c.stride - program.tail) * lanes, c.target
    for a in range(c.later, c.later + c.laters):
        later = program.laters[a]
        first, column = program.constraints[later.constraint], row + later.column
        for g in range(first.packs):
            z, at = packs[column + g], first.pack + g
            gamma[at] = gamma[at] - z * panels[tail + 6]
            if later.wrench >= 0:
                set_wrench(data, later.wrench, g, sub6(wrench_of(data, later.wrench, g), scale6(z, get6(panels, tail))))
        for b in range(a, c.later + c.laters):
            second = program.laters[b]
            other, at = row + second.column, program.targets[target]
            target += 1
            for g in range(program.constraints[second.constraint].packs):
                z = packs[other + g]
                for j in range(first.rows):
                    k = at + g + j * first.stride
                    packs[k] = packs[k] - panels[column * lanes + j] * z


@kernel
def find_multipliers(data, e, a) -> float:
    """lambda of constraint e once those of later ones and the acceleration a of its meeting link are known.

    Returns the largest residual of a dependent row, relative to its own right side.
    """
    c, kept, order, lanes = data.program.constraints[e], data.kept[e], data.order, width(data.panels)
    panels, reduced, first = floats_of(data.panels), floats_of(data.reduced), c.pack * lanes
    if is_out(data, e):
        return 0.0
    for back in range(kept):
        p = kept - 1 - back
        i = order[first + p]
        row = (c.panel + i * c.stride) * lanes
        value = _residual(data, e, row, a)
        for later in range(p + 1, kept):
            j = order[first + later]
            value += panels[row + j] * reduced[first + j]
        reduced[first + i] = -value / panels[row + i]
    residual = 0.0
    if kept < c.rows:
        for i in range(c.rows):
            if is_left(order, first, kept, i):
                row_residual = abs(_residual(data, e, (c.panel + i * c.stride) * lanes, a))
                own = abs(floats_of(data.gamma)[first + i])
                if not (data.same or row_residual <= LEAST + SURE * min(own, MOST)):
                    data.doubt = True
                residual = max(residual, row_residual / max(FLOOR, own))
    return residual


@kernel
def _residual(data, e, row, a) -> float:
    """gamma + F . a + sum K_j lambda_j of a row of the panel of constraint e, which starts at the float `row`."""
    program, lanes = data.program, width(data.panels)
    c, panels, reduced = program.constraints[e], floats_of(data.panels), floats_of(data.reduced)
    tail = row + (c.stride - program.tail) * lanes
    value = panels[tail + 6]
    if c.wrench >= 0:
        value += dot6(get6(panels, tail), a)
    for k in range(c.later, c.later + c.laters):
        later = program.laters[k]
        other, column = program.constraints[later.constraint], row + later.column * lanes
        for j in range(other.rows):
            value += panels[column + j] * reduced[other.pack * lanes + j]
    return value
