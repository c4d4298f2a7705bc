"""Newton's method for one step of the variational integrator: equation (1) of variational_step.py.

It starts from an extrapolation of past displacements. Its matrix is factored once a step, and again where two more corrections with the old factor
would not do. A correction that makes the next one grow, in the norm of one factor, is halved (the natural monotonicity test of Deuflhard 1974).
It ends when the next correction would be below rounding, so that momenta are as good as floats can be.
"""

from ..dynamics.slots import HUGE
from ..kernel import kernel
from ..model.rules import has_rules
from ..model.tables import count_v, floats_at, open_tables
from ..scalar import load, store, zero
from ..solvers.memory import from_slot
from .variational_calls import add_forces, has_forces
from .variational_memory import (
    F_PAST,
    F_STEEP,
    P_BASE,
    P_DELTA,
    P_FORCE,
    P_INVERSE,
    P_NOW,
    P_PAST,
    P_RIGHT,
    P_SHIFT,
    at_flags,
    at_mean,
    at_vector,
    start_slots,
)
from .variational_newton import corrections, eliminate, innovations
from .variational_rows import apply_impulses, close_loops, factor_loops, measure_gaps, row_action, take_impulses
from .variational_steep import foresee_forces
from .variational_tree import apply_correction, arrive, displace_links, take_armatures

# Corrections are measured by the square of their energy norm, sum u^2 / D, against the action of the motion times the tolerance squared:
CLOSE = 1e3  # a correction this small is the last
ROUNDING, ABSOLUTE = 1e6, 1e4  # corrections this small may stop shrinking: relative to the action, and to displacements of 1 rad and 1 m
SLOW = 1e-2  # corrections that shrink by less with a fresh factor: forces depend strongly on velocities
POOR = 0.05  # of the action itself: a first correction beyond it says that extrapolation has no sense here
STEEP = 50.0  # steps for which slopes of forces are looked at, once they were found steep
SHORTEST = 1.0 / 64.0  # of a full Newton step
CONVERGED, EXHAUSTED, STUCK = range(3)


@kernel
def _guess(handle, start, past, like):
    """The displacement to start from: none (J is M / h there), then extrapolations of past displacements of growing order."""
    t = open_tables(handle)
    n, a, to = count_v(t), at_vector(t, P_PAST), at_vector(t, P_DELTA)
    for k in range(n):
        x, y, z = load(start, a + k, like), load(start, a + n + k, like), load(start, a + 2 * n + k, like)
        if past == 0:
            x = zero(like)
        elif past == 2:
            x = 2.0 * x - y
        elif past >= 3:
            x = 3.0 * (x - y) + z
        store(start, to + k, x)


@kernel
def _copy(start, source, target, count, like):
    for k in range(count):
        store(start, target + k, load(start, source + k, like))


@kernel
def _residual(handle, memory, tree_slots, calls, time, h, like):
    """Both sides of equation (1) at the displacements in memory. Returns twice the action of the motion, by which corrections are measured."""
    t = open_tables(handle)
    start = floats_at(from_slot(memory, tree_slots, like), HUGE)
    end = floats_at(from_slot(memory, tree_slots + start_slots(t), like), HUGE)
    right = at_vector(t, P_RIGHT)
    arrive(handle, start, end, h, like)
    _copy(start, at_vector(t, P_NOW), right, count_v(t), like)
    take_armatures(handle, start, h, right, like)
    if has_forces(calls):
        add_forces(calls, start, end, at_mean(t), time, at_vector(t, P_FORCE), right, 0.5 * h, count_v(t), like)
    action = displace_links(handle, start, end, h, False, like)
    if has_rules(handle):
        measure_gaps(handle, memory, tree_slots, calls, h, time + h, like)
        apply_impulses(handle, start, like)
    return action


@kernel
def _factor(handle, memory, start, end, h, like):
    """The factor of Newton's matrix at the displacements in memory. Returns the rank of the rows and what displacements of 1, or gaps, are worth."""
    t = open_tables(handle)
    eliminate(handle, start, end, h, like)
    unit = 0.0
    for k in range(count_v(t)):
        unit += abs(1.0 / start[at_vector(t, P_INVERSE) + k])
    if has_rules(handle):
        rank = factor_loops(handle, memory, start, end, like)
        return rank, unit, row_action(handle, start, like)
    return 0, unit, 0.0


@kernel
def _innovate(handle, start, rank, like):
    """The inner half of Newton's step; returns its size."""
    size = innovations(handle, start, like)
    if has_rules(handle):
        size = close_loops(handle, start, rank, like)
    return abs(size)


@kernel
def _correct(handle, start, end, like):
    """The outer half: displacements and impulses are corrected."""
    t = open_tables(handle)
    corrections(handle, start, end, like)
    _copy(start, at_vector(t, P_DELTA), at_vector(t, P_BASE), count_v(t), like)
    apply_correction(handle, start, 1.0, like)
    if has_rules(handle):
        take_impulses(handle, start, True, 1.0, like)


@kernel
def _step_back(handle, start, scale, part, like):
    """From the displacements before the last correction on, only `scale` of it; impulses lose `part` of theirs."""
    apply_correction(handle, start, scale, like)
    if has_rules(handle):
        take_impulses(handle, start, False, -part, like)


@kernel
def solve_step(handle, memory, tree_slots, calls, time, h, iterations, tolerance, like):
    """Newton's method for equation (1). Returns how it ended and how many corrections it took."""
    t = open_tables(handle)
    start = floats_at(from_slot(memory, tree_slots, like), HUGE)
    end = floats_at(from_slot(memory, tree_slots + start_slots(t), like), HUGE)
    flags, square = at_flags(t), tolerance * tolerance
    _guess(handle, start, start[flags + F_PAST], like)
    scale, before, retry = 1.0, -1.0, start[flags + F_PAST] > 0.0
    rank, unit, gaps = 0, 0.0, 0.0
    for count in range(iterations):
        action = _residual(handle, memory, tree_slots, calls, time, h, like)
        if count == 0:
            rank, unit, gaps = _factor(handle, memory, start, end, h, like)
        size = _innovate(handle, start, rank, like)
        if retry and before < 0.0 and not size <= POOR * action:
            _guess(handle, start, 0.0, like)  # extrapolation went astray
            action = _residual(handle, memory, tree_slots, calls, time, h, like)
            rank, unit, gaps = _factor(handle, memory, start, end, h, like)
            size = _innovate(handle, start, rank, like)
            retry = False
        fine, coarse = square * (action + gaps), square * (ROUNDING * (action + gaps) + ABSOLUTE * unit)
        if before >= 0.0 and not (size <= before or size <= coarse):
            if has_forces(calls) and start[flags + F_STEEP] == 0.0:
                start[flags + F_STEEP] = STEEP
                _step_back(handle, start, 0.0, scale, like)
                scale, before = 1.0, -1.0
                continue
            scale *= 0.5
            if scale < SHORTEST:
                return STUCK, count + 1
            _step_back(handle, start, scale, scale, like)
            continue
        done = size <= CLOSE * fine
        if before >= 0.0 and not done:
            shrunk = size / before
            done = shrunk * size <= fine or (shrunk > 0.25 and size <= coarse)
            if not done and not shrunk * shrunk * size <= fine:
                rank, unit, gaps = _factor(handle, memory, start, end, h, like)
                size = _innovate(handle, start, rank, like)
                if has_forces(calls) and shrunk > SLOW:
                    start[flags + F_STEEP] = STEEP
        if has_forces(calls) and start[flags + F_STEEP] > 0.0 and not done:
            foresee_forces(handle, start, end, calls, time, h, rank, action, like)
            _residual(handle, memory, tree_slots, calls, time, h, like)
            for k in range(count_v(t)):
                start[at_vector(t, P_RIGHT) + k] += start[at_vector(t, P_SHIFT) + k]
            _innovate(handle, start, rank, like)
        _correct(handle, start, end, like)
        if done:
            return CONVERGED, count + 1
        scale, before = 1.0, size
    return EXHAUSTED, iterations
