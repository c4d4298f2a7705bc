"""The parts of a variational step, each compiled once and called by its address (variational_calls.py).

All take (handle, memory, tree_slots, forces, data, loops, rows, time, h), `time` being that of the start of the step, and give one number.
"""

import numpy as np

from ..dynamics.slots import HUGE
from ..kernels import JIT, address_of, kernel
from ..kernels.scalar import load, store
from ..model.rules import has_rules
from ..model.tables import count_v, floats_at, open_tables
from ..solvers.memory import from_slot
from .variational_calls import (
    CLOSE_GAPS,
    KEEP,
    MEASURE,
    REDUCE,
    TAKE,
    add_forces,
    call_loops,
    has_forces,
)
from .variational_loops import evaluate_native
from .variational_loops import loops as loops_native
from .variational_memory import (
    F_PAST,
    F_STEEP,
    F_UNIT,
    P_BASE,
    P_DELTA,
    P_FORCE,
    P_INVERSE,
    P_NOW,
    P_PAST,
    P_RIGHT,
    at_flags,
    at_mean,
    at_vector,
    start_slots,
)
from .variational_newton import corrections, eliminate, innovations
from .variational_steep import foresee_forces
from .variational_tree import apply_correction, arrive, displace_links, end_momenta, take_armatures, turn_page


@kernel(inline=True)
def workspaces(handle, memory, tree_slots):
    """(start, end) of a run."""
    t = open_tables(handle)
    start = floats_at(from_slot(memory, tree_slots, 0.0), HUGE)
    return start, floats_at(from_slot(memory, tree_slots + start_slots(t), 0.0), HUGE)


@kernel(address="i i i i i i i d d")
def residual(handle, memory, tree_slots, forces, data, loops, rows, time, h) -> float:
    """Both sides of equation (1) at the displacements in memory. Gives twice the action of the motion, by which corrections are measured."""
    t, like, calls = open_tables(handle), 0.0, (forces, data, loops, rows)
    start, end = workspaces(handle, memory, tree_slots)
    right = at_vector(t, P_RIGHT)
    arrive(handle, start, end, h, like)
    for k in range(count_v(t)):
        start[right + k] = start[at_vector(t, P_NOW) + k]
    take_armatures(handle, start, h, right, like)
    if has_forces(calls):
        add_forces(calls, start, end, at_mean(t), time, at_vector(t, P_FORCE), right, 0.5 * h, count_v(t), like)
    action = displace_links(handle, start, end, h, False, like)
    if has_rules(handle):
        call_loops(calls, MEASURE, handle, memory, tree_slots, time, h, 0.0)
    return action


@kernel(address="i i i i i i i d d")
def factor(handle, memory, tree_slots, forces, data, loops, rows, time, h) -> float:
    """The factor of Newton's matrix at the displacements in memory; what is to be known of it goes to the flags."""
    t, like = open_tables(handle), 0.0
    start, end = workspaces(handle, memory, tree_slots)
    flags = at_flags(t)
    eliminate(handle, start, end, h, like)
    unit = 0.0
    for k in range(count_v(t)):
        unit += abs(1.0 / start[at_vector(t, P_INVERSE) + k])
    start[flags + F_UNIT] = unit
    if has_rules(handle):
        call_loops((forces, data, loops, rows), REDUCE, handle, memory, tree_slots, time, h, 0.0)
    return 0.0


@kernel(address="i i i i i i i d d")
def innovate(handle, memory, tree_slots, forces, data, loops, rows, time, h) -> float:
    """The inner half of Newton's step; gives its size, sum u^2 / D."""
    like = 0.0
    start, _ = workspaces(handle, memory, tree_slots)
    size = innovations(handle, start, like)
    if has_rules(handle):
        size = call_loops((forces, data, loops, rows), CLOSE_GAPS, handle, memory, tree_slots, time, h, 0.0)
    return abs(size)


@kernel(address="i i i i i i i d d")
def correct(handle, memory, tree_slots, forces, data, loops, rows, time, h) -> float:
    """The outer half: displacements and impulses are corrected."""
    t, like = open_tables(handle), 0.0
    start, end = workspaces(handle, memory, tree_slots)
    corrections(handle, start, end, like)
    for k in range(count_v(t)):
        start[at_vector(t, P_BASE) + k] = start[at_vector(t, P_DELTA) + k]
    apply_correction(handle, start, 1.0, like)
    if has_rules(handle):
        call_loops((forces, data, loops, rows), TAKE, handle, memory, tree_slots, time, h, 0.0)
    return 0.0


@kernel(address="i i i i i i i d d")
def foresee(handle, memory, tree_slots, forces, data, loops, rows, time, h) -> float:
    """By how much forces will change in the correction to come, see variational_steep.py."""
    start, end = workspaces(handle, memory, tree_slots)
    foresee_forces(handle, memory, tree_slots, start, end, (forces, data, loops, rows), time, h, 0.0)
    return 0.0


@kernel(address="i i i i i i i d d")
def finish(handle, memory, tree_slots, forces, data, loops, rows, time, h) -> float:
    """Equation (2), and the page is turned. Gives the largest gap of a row on positions."""
    t, like, calls = open_tables(handle), 0.0, (forces, data, loops, rows)
    start, end = workspaces(handle, memory, tree_slots)
    arrive(handle, start, end, h, like)
    displace_links(handle, start, end, h, True, like)
    end_momenta(handle, start, end, h, like)
    _remember(handle, start, like)
    turn_page(handle, start, end, like)
    if has_forces(calls):
        add_forces(calls, start, end, at_mean(t), time + h, at_vector(t, P_FORCE), at_vector(t, P_NOW), 0.5 * h, count_v(t), like)
    if has_rules(handle):
        return call_loops(calls, KEEP, handle, memory, tree_slots, time, h, 0.0)
    return 0.0


@kernel
def _remember(handle, start, like) -> None:
    """The displacement joins the past ones."""
    t = open_tables(handle)
    n, a, past = count_v(t), at_vector(t, P_PAST), at_flags(t) + F_PAST
    start[past] = min(start[past] + 1.0, 3.0)
    start[past + F_STEEP - F_PAST] = max(start[past + F_STEEP - F_PAST] - 1.0, 0.0)
    for k in range(n):
        store(start, a + 2 * n + k, load(start, a + n + k, like))
        store(start, a + n + k, load(start, a + k, like))
        store(start, a + k, load(start, at_vector(t, P_DELTA) + k, like))


def calls_for(model, forces, data=0):
    """The tuple `calls` of a model: `forces` is an address, in plain Python a function; None for no forces."""
    none = 0 if JIT else None
    made = {part: address_of(part) for part in (residual, factor, innovate, correct, finish)}
    made[foresee] = none if forces is None else address_of(foresee)
    rows = address_of(evaluate_native) if model.nc else none
    loops = address_of(loops_native) if model.nc else none
    parts = (made[part] for part in (residual, factor, innovate, correct, foresee, finish))
    calls = (none if forces is None else forces, data, loops, rows, *parts)
    return np.array(calls, dtype=np.int64) if JIT else calls
