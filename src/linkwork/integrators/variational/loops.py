"""All that a variational step does with rows of constraints."""

from ...constraints.rank import choose_rows
from ...constraints.row_matrix import fill_jacobian, lay_directions
from ...constraints.rows import along_row, evaluate_rows, wrench_a, wrench_b
from ...constraints.time_functions import evaluate_time_functions
from ...dynamics.exchange import copy, fill
from ...dynamics.sweep import VELOCITY_ORDER, sweep_links
from ...kernels import kernel
from ...model.constraint_tables import open_constraints
from ...spatial.vectors import scale6, sub6
from .rows import factor_rows, fill_K, gather_innovations, propagate_side, solve_rows, spread_impulses


@kernel
def _evaluate(model, run, q, time) -> None:
    """Rows at q, with links moving at the mean velocities."""
    run.rows.now.time = time
    sweep_links(model, run.motion, q, run.mean, run.mean, VELOCITY_ORDER)
    evaluate_time_functions(model, run.rows.now)
    evaluate_rows(model, run.motion, q, run.rows.now)


@kernel
def begin_rows(model, run) -> None:
    """Rows at the start of a run, no impulses yet."""
    keep_rows(model, run, run.time)
    fill(run.rows.impulses, open_constraints(model).nc, 0.0)


@kernel
def keep_rows(model, run, time) -> float:
    """Rows where the next step starts, at a time; gives the largest |phi|."""
    rows, largest = run.rows, 0.0
    _evaluate(model, run, run.start.q, time)
    for i in range(open_constraints(model).nc):
        row, first = rows.now.rows[i], rows.first[i]
        first.n_a, first.f_a, first.n_b, first.f_b = row.n_a, row.f_a, row.n_b, row.f_b
        largest = max(largest, abs(row.phi))
    _choose(model, run)
    return largest


@kernel
def _choose(model, run) -> None:
    """Which rows the next step takes, by the rule of rank. Steps end closed; a gap is one that a singular pose has left, and needs all rows."""
    c, rows, one = open_constraints(model), run.rows, run.rows.choice
    fill_jacobian(model, rows, run.motion, rows.now.rows)
    for i in range(c.nc):
        one.prefer[i] = 0
        one.gap[i] = 0.0
    for g in range(c.ngroups):
        group = c.groups[g]
        lay_directions(model, rows, one, group, 0, False)
        choose_rows(one, group.rows, group.columns)
        for i in range(group.rows):
            rows.taken[c.members[group.first + i]] = one.taken[i]


@kernel
def measure_rows(model, run) -> None:
    """Residuals of the rows at `run.displacement`, and the impulses' part of momenta. Leaves the rows evaluated at q_1."""
    _measure_gaps(model, run)
    _apply_impulses(model, run)


@kernel
def _measure_gaps(model, run) -> None:
    c, gaps, halves = open_constraints(model), run.rows.gaps, False
    for k in range(c.nblocks):
        halves = halves or not c.blocks[k].holonomic
    fill(gaps, c.nc, 0.0)
    if halves:
        _evaluate(model, run, run.start.q, run.time)
        _add_rates(model, run)
    _evaluate(model, run, run.end.q, run.time + run.h)
    _add_rates(model, run)
    for k in range(c.nblocks):
        block = c.blocks[k]
        if block.holonomic:
            for i in range(block.row, block.row + block.rows):
                gaps[i] = run.rows.now.rows[i].phi


@kernel
def _add_rates(model, run) -> None:
    """Gaps of rows on velocities += h/2 (A vm + a)."""
    c, half = open_constraints(model), 0.5 * run.h
    for k in range(c.nblocks):
        block = c.blocks[k]
        if not block.holonomic:
            for i in range(block.row, block.row + block.rows):
                row = run.rows.now.rows[i]
                rate = along_row(model, block, run.motion, VELOCITY_ORDER, run.mean, row) + row.rate
                run.rows.gaps[i] = run.rows.gaps[i] + half * rate


@kernel
def _apply_impulses(model, run) -> None:
    """Impulses of the rows at q_0: taken from the momenta of links, added to the right sides of joints."""
    c, rows, links = open_constraints(model), run.rows, run.links
    for k in range(c.nblocks):
        block = c.blocks[k]
        for i in range(block.row, block.row + block.rows):
            x, row = rows.impulses[i], rows.first[i]
            if block.a >= 0:
                links[block.a].p = sub6(links[block.a].p, scale6(x, wrench_a(row)))
            if block.b >= 0:
                links[block.b].p = sub6(links[block.b].p, scale6(x, wrench_b(row)))
            for j in range(block.terms):
                term = c.terms[block.term + j]
                run.right[term.v] = run.right[term.v] + x * term.coefficient


@kernel
def reduce_rows(model, run) -> None:
    """K and its factor, after the tree's; what gaps are worth in the norm of corrections, sum l^2 / K: rounding of gaps is judged by it."""
    c, rows = open_constraints(model), run.rows
    propagate_side(model, run, run.start, rows.first, rows.Y0)
    propagate_side(model, run, run.end, rows.now.rows, rows.Y1)
    fill_K(model, run)
    run.rank = factor_rows(rows, c.nc)
    total = 0.0
    for i in range(c.nc):
        unit = rows.scales[i] / c.inverse_units[i]
        total += unit * unit
    run.unit_gaps = 2.0 * total


@kernel
def close_gaps(model, run) -> float:
    """Impulses that close the gaps left by the tree's innovations u / D, to which they add; gives sum u^2 / D."""
    gather_innovations(model, run)
    solve_rows(run.rows, open_constraints(model).nc, run.rank)
    return spread_impulses(model, run)


@kernel
def answer_rows(model, run) -> float:
    """The same without gaps, for a right side that is no residual."""
    fill(run.rows.gaps, open_constraints(model).nc, 0.0)
    return close_gaps(model, run)


@kernel
def take_impulses(model, run) -> None:
    """Impulses += those found, which are remembered."""
    rows, m = run.rows, open_constraints(model).nc
    copy(rows.found, rows.last, m)
    for i in range(m):
        rows.impulses[i] = rows.impulses[i] + rows.last[i]


@kernel
def take_back_impulses(model, run, part) -> None:
    """Impulses -= part times those taken last."""
    rows = run.rows
    for i in range(open_constraints(model).nc):
        rows.impulses[i] = rows.impulses[i] - part * rows.last[i]
