"""All that a variational step does with rows of constraints."""

from ..dynamics.slots import HUGE
from ..dynamics.sweep import S_V, sweep_links
from ..kernels import Scalar, kernel
from ..kernels.scalar import load, store, width, zero
from ..model.rules import open_rules
from ..model.tables import at_v, count_q, count_v, floats_at, open_tables
from ..parts.constraints.rows import R_PHI, R_RATE, ROW
from ..solvers.laws import evaluate_laws
from ..solvers.memory import at_laws, at_motion, at_raw, at_rows, at_time, from_slot
from ..solvers.rows import along_row, evaluate_rows
from ..spatial.vectors import load6, scale6, store6, sub6
from .variational_calls import VariationalRecord, workspaces
from .variational_memory import F_GAPS, F_RANK, L_P, P_NOW, P_RIGHT, STRIDE, at_chain, at_flags, at_mean, at_vector, start_slots
from .variational_rank import factor_rows, solve_rows
from .variational_rows import (
    at_first,
    at_gaps,
    at_impulses,
    at_K,
    at_scales,
    at_sizes,
    fill_K,
    gather_innovations,
    propagate_side,
    spread_impulses,
)


@kernel
def _evaluate_rows(run: VariationalRecord, at_q, at_velocities, time) -> None:
    """Rows at q and v, which stand in the slots at_q and at_velocities of the memory, with links moving, to the workspace of the tree."""
    like, handle, memory = 0.0, run.model, run.memory
    t, c = open_tables(handle), open_rules(handle)
    work, motion = floats_at(memory, HUGE), floats_at(from_slot(memory, at_motion(t), like), HUGE)
    for k in range(count_q(t)):
        store(motion, k, load(work, at_q + k, like))
    for k in range(count_v(t)):
        store(motion, at_v(t) + k, load(work, at_velocities + k, like))
    store(work, at_time(t, c), zero(like) + time)
    sweep_links(handle, motion, 1, like)
    evaluate_laws(handle, work, at_time(t, c), at_laws(t, c), at_raw(t, c) * width(like), like)
    evaluate_rows(handle, motion, work, at_rows(t), at_time(t, c), at_laws(t, c), at_raw(t, c), like)


@kernel(inline=True)
def _ending(run: VariationalRecord):
    """The first slot of the workspace `end`."""
    return run.tree_slots + start_slots(open_tables(run.model))


@kernel
def begin_rows(run: VariationalRecord) -> None:
    """Rows at the start of a run, no impulses yet."""
    t, c = open_tables(run.model), open_rules(run.model)
    start, _ = workspaces(run)
    _evaluate_rows(run, run.tree_slots, run.tree_slots + at_vector(t, P_NOW), run.time)
    _keep_rows(run.model, run.memory, start, 0.0)
    for k in range(c.size[1]):
        start[at_impulses(t, c) + k] = 0.0


@kernel
def measure_rows(run: VariationalRecord) -> None:
    """Gaps at the displacements in memory, and the impulses' part of momenta."""
    start, _ = workspaces(run)
    _measure_gaps(run, run.time + run.h)
    _apply_impulses(run.model, start, 0.0)


@kernel
def reduce_rows(run: VariationalRecord) -> None:
    """K and its factor, after the tree's."""
    flags = at_flags(open_tables(run.model))
    start, end = workspaces(run)
    start[flags + F_RANK] = _reduce(run.model, run.memory, start, end, 0.0)
    start[flags + F_GAPS] = _worth_of_gaps(run.model, start, 0.0)


@kernel
def close_gaps(run: VariationalRecord) -> float:
    """Impulses that close the gaps left by the tree's innovations, which they change; gives sum u^2 / D."""
    start, _ = workspaces(run)
    return _close_gaps(run.model, start, int(start[at_flags(open_tables(run.model)) + F_RANK]), 0.0)


@kernel
def answer_rows(run: VariationalRecord) -> float:
    """The same without gaps, for a right side that is no residual."""
    t, c = open_tables(run.model), open_rules(run.model)
    start, _ = workspaces(run)
    for k in range(c.size[1]):
        start[at_gaps(t, c) + k] = 0.0
    return close_gaps(run)


@kernel
def take_impulses(run: VariationalRecord) -> None:
    """Impulses += those found."""
    start, _ = workspaces(run)
    _take_impulses(run.model, start, True, 1.0, 0.0)


@kernel
def take_back_impulses(run: VariationalRecord, part) -> None:
    """Impulses -= part times those taken last."""
    start, _ = workspaces(run)
    _take_impulses(run.model, start, False, -part, 0.0)


@kernel
def keep_rows(run: VariationalRecord) -> float:
    """Rows at the end of the step become those of the next one's start; gives the largest |phi|."""
    start, _ = workspaces(run)
    ending = _ending(run)
    _evaluate_rows(run, ending, ending + at_mean(open_tables(run.model)), run.time + run.h)
    return _keep_rows(run.model, run.memory, start, 0.0)


@kernel
def _keep_rows(handle, memory, start, like) -> Scalar:
    """The rows just evaluated are those of the start of the next step. Returns the largest |phi|."""
    t, c = open_tables(handle), open_rules(handle)
    work = floats_at(memory, HUGE)
    largest = 0.0
    for k in range(ROW * c.size[1]):
        store(start, at_first(t) + k, load(work, at_rows(t) + k, like))
    for i in range(c.size[1]):
        largest = max(largest, abs(work[at_rows(t) + ROW * i + R_PHI]))
    return largest


@kernel
def _measure_gaps(run: VariationalRecord, time) -> None:
    """Residuals of the rows at the end of the step, `time` being there. Leaves the rows at q_1 in the workspace of the tree."""
    t, c, h, like = open_tables(run.model), open_rules(run.model), run.h, 0.0
    work, motion = floats_at(run.memory, HUGE), floats_at(from_slot(run.memory, at_motion(t), like), HUGE)
    start, _ = workspaces(run)
    ending = _ending(run)
    gaps, halves = at_gaps(t, c), False
    for k in range(c.size[0]):
        halves = halves or not c.blocks[k].holonomic
    if halves:
        _evaluate_rows(run, run.tree_slots, ending + at_mean(t), time - h)
        for k in range(c.size[0]):
            block = c.blocks[k]
            for i in range(block.row, block.row + block.rows):
                row = at_rows(t) + ROW * i
                rate = along_row(t, c, block, motion, S_V, at_v(t), work, row, like) + load(work, row + R_RATE, like)
                store(start, gaps + i, 0.5 * h * rate)
    _evaluate_rows(run, ending, ending + at_mean(t), time)
    for k in range(c.size[0]):
        block = c.blocks[k]
        for i in range(block.row, block.row + block.rows):
            row = at_rows(t) + ROW * i
            if block.holonomic:
                store(start, gaps + i, load(work, row + R_PHI, like))
            else:
                rate = along_row(t, c, block, motion, S_V, at_v(t), work, row, like) + load(work, row + R_RATE, like)
                store(start, gaps + i, load(start, gaps + i, like) + 0.5 * h * rate)


@kernel
def _apply_impulses(handle, start, like) -> None:
    """Impulses of the rows at q_0: taken from the momenta of links, added to the right sides of joints."""
    t, c = open_tables(handle), open_rules(handle)
    chain, right = at_chain(t), at_vector(t, P_RIGHT)
    for k in range(c.size[0]):
        block = c.blocks[k]
        for i in range(block.row, block.row + block.rows):
            x, row = load(start, at_impulses(t, c) + i, like), at_first(t) + ROW * i
            if block.a >= 0:
                at = chain + STRIDE * block.a + L_P
                store6(start, at, sub6(load6(start, at, like), scale6(x, load6(start, row, like))))
            if block.b >= 0:
                at = chain + STRIDE * block.b + L_P
                store6(start, at, sub6(load6(start, at, like), scale6(x, load6(start, row + 6, like))))
            for j in range(block.terms):
                term = c.terms[block.term + j]
                store(start, right + term.v, load(start, right + term.v, like) + x * term.coefficient)


@kernel
def _take_impulses(handle, start, new, part, like) -> None:
    """Impulses += part times the `new` ones just found, which are kept, or else times those kept."""
    t, c = open_tables(handle), open_rules(handle)
    m, found = c.size[1], at_scales(t, c) + 2 * c.size[1]
    for i in range(m):
        if new:
            store(start, found + 2 * m + i, load(start, found + i, like))
        at = at_impulses(t, c) + i
        store(start, at, load(start, at, like) + part * load(start, found + 2 * m + i, like))


@kernel
def _reduce(handle, memory, start, end, like) -> int:
    """Everything of K, after the tree's own factor. Returns the rank."""
    t, c = open_tables(handle), open_rules(handle)
    for side in range(2):  # a constant would have it compiled twice
        propagate_side(handle, memory, start, end, side, like)
    fill_K(handle, start, like)
    return factor_rows(start, at_K(t, c), at_sizes(t, c), at_scales(t, c), at_scales(t, c) + c.size[1], c.size[1])


@kernel
def _worth_of_gaps(handle, start, like) -> Scalar:
    """What a gap of 1 m (or 1 rad, or the mechanism's length) in each row is worth in the norm of corrections, sum l^2 / K: rounding of gaps by it."""
    t, c = open_tables(handle), open_rules(handle)
    total = 0.0
    for i in range(c.size[1]):
        total += start[at_scales(t, c) + i] * start[at_scales(t, c) + i]
    return total * (1.0 + c.numbers[0] * c.numbers[0])


@kernel
def _close_gaps(handle, start, rank, like) -> Scalar:
    """Impulses that close the gaps, after the tree's own innovations u / D, to which they add. Returns sum u^2 / D."""
    t, c = open_tables(handle), open_rules(handle)
    m, scales = c.size[1], at_scales(t, c)
    gather_innovations(handle, start, like)
    solve_rows(start, at_K(t, c), scales, scales + m, scales + 2 * m, scales + 3 * m, m, rank)
    return spread_impulses(handle, start, like)
