"""All that a variational step does with rows of constraints, in one function that is called by address: trees never compile it.

tasks   BEGIN       rows at the start of a run, no impulses yet
        MEASURE     gaps at the displacements in memory, and the impulses' part of momenta
        REDUCE      K and its factor, after the tree's
        CLOSE_GAPS  impulses that close the gaps left by the tree's innovations, which they change; gives sum u^2 / D
        ANSWER      the same without gaps, for a right side that is no residual
        TAKE        impulses += those found;      TAKE_BACK   impulses -= number times those taken last
        KEEP        rows at the end of the step become those of the next one's start; gives the largest |phi|
"""

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
from .variational_calls import ANSWER, BEGIN, CLOSE_GAPS, KEEP, MEASURE, REDUCE, TAKE, TAKE_BACK, call_rows
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


@kernel(address="i i i i d")
def evaluate_native(handle, memory, at_q, at_velocities, time) -> None:
    """Rows of one state, q and v of which stand in `memory`, with links moving, to the workspace of the tree."""
    like = 0.0
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


@kernel(address="i i i i i d d d")
def loops(handle, memory, tree_slots, rows, task, time, h, number) -> float:
    """Do one of the tasks; `time` is that of the start of the step. Gives a number, 0 where there is nothing to say."""
    t, c, like = open_tables(handle), open_rules(handle), 0.0
    start = floats_at(from_slot(memory, tree_slots, like), HUGE)
    ending = tree_slots + start_slots(t)
    flags, m, result = at_flags(t), c.size[1], 0.0
    if task == BEGIN:
        call_rows(rows, handle, memory, tree_slots, tree_slots + at_vector(t, P_NOW), time)
        _keep_rows(handle, memory, start, like)
        for k in range(m):
            start[at_impulses(t, c) + k] = 0.0
    elif task == MEASURE:
        _measure_gaps(handle, memory, tree_slots, rows, h, time + h, like)
        _apply_impulses(handle, start, like)
    elif task == REDUCE:
        end = floats_at(from_slot(memory, ending, like), HUGE)
        start[flags + F_RANK] = _reduce(handle, memory, start, end, like)
        start[flags + F_GAPS] = _worth_of_gaps(handle, start, like)
    elif task == CLOSE_GAPS or task == ANSWER:
        if task == ANSWER:
            for k in range(m):
                start[at_gaps(t, c) + k] = 0.0
        result = _close_gaps(handle, start, int(start[flags + F_RANK]), like)
    elif task == TAKE or task == TAKE_BACK:
        _take_impulses(handle, start, task == TAKE, 1.0 if task == TAKE else -number, like)
    elif task == KEEP:
        call_rows(rows, handle, memory, ending, ending + at_mean(t), time + h)
        result = _keep_rows(handle, memory, start, like)
    return result


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
def _measure_gaps(handle, memory, tree_slots, rows, h, time, like) -> None:
    """Residuals of the rows at the end of the step, `time` being there. Leaves the rows at q_1 in the workspace of the tree."""
    t, c = open_tables(handle), open_rules(handle)
    work, motion = floats_at(memory, HUGE), floats_at(from_slot(memory, at_motion(t), like), HUGE)
    start = floats_at(from_slot(memory, tree_slots, like), HUGE)
    ending = tree_slots + start_slots(t)
    gaps, halves = at_gaps(t, c), False
    for k in range(c.size[0]):
        halves = halves or not c.blocks[k].holonomic
    if halves:
        call_rows(rows, handle, memory, tree_slots, ending + at_mean(t), time - h)
        for k in range(c.size[0]):
            block = c.blocks[k]
            for i in range(block.row, block.row + block.rows):
                row = at_rows(t) + ROW * i
                rate = along_row(t, c, block, motion, S_V, at_v(t), work, row, like) + load(work, row + R_RATE, like)
                store(start, gaps + i, 0.5 * h * rate)
    call_rows(rows, handle, memory, ending, ending + at_mean(t), time)
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
