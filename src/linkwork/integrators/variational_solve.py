"""Newton's method for one step of the variational integrator: equation (1) of variational_step.py.

It starts from an extrapolation of past displacements. Its matrix is factored once a step, and again where two more corrections with the old factor
would not do. A correction that makes the next one grow, in the norm of one factor, is halved (the natural monotonicity test of Deuflhard 1974).
It ends when the next correction would be below rounding, so that momenta are as good as floats can be.
"""

from ..kernels import kernel
from ..kernels.scalar import load, store, zero
from ..model.rules import has_rules
from ..model.tables import count_v, open_tables
from .variational_calls import CORRECT, FACTOR, FORESEE, INNOVATE, RESIDUAL, TAKE_BACK, call_loops, call_part, has_forces
from .variational_memory import F_GAPS, F_PAST, F_STEEP, F_UNIT, P_DELTA, P_PAST, P_RIGHT, P_SHIFT, at_flags, at_vector
from .variational_tree import apply_correction

# Corrections are measured by the square of their energy norm, sum u^2 / D, against the action of the motion times the tolerance squared:
CLOSE = 1e3  # a correction this small is the last
ROUNDING, ABSOLUTE = 1e6, 1e4  # corrections this small may stop shrinking: relative to the action, and to displacements of 1 rad and 1 m
SLOW = 1e-3  # corrections that shrink by less with a fresh factor: forces depend strongly on velocities
POOR = 0.05  # of the action itself: a first correction beyond it says that extrapolation has no sense here
STEEP = 50.0  # steps for which slopes of forces are looked at, once they were found steep
SHORTEST = 1.0 / 64.0  # of a full Newton step
CONVERGED, EXHAUSTED, STUCK = range(3)


@kernel
def _guess(handle, start, past, like) -> None:
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
def _step_back(handle, memory, tree_slots, calls, start, scale, part, like) -> None:
    """From the displacements before the last correction on, only `scale` of it; impulses lose `part` of theirs."""
    apply_correction(handle, start, scale, like)
    if has_rules(handle):
        call_loops(calls, TAKE_BACK, handle, memory, tree_slots, 0.0, 0.0, part)


@kernel
def solve_step(handle, memory, tree_slots, calls, start, time, h, iterations, tolerance, like) -> (int, int):
    """Newton's method for equation (1). Returns how it ended and how many corrections it took."""
    t = open_tables(handle)
    flags, square = at_flags(t), tolerance * tolerance
    _guess(handle, start, start[flags + F_PAST], like)
    scale, before, retry = 1.0, -1.0, start[flags + F_PAST] > 0.0
    place = (handle, memory, tree_slots, time, h)
    for count in range(iterations):
        action = call_part(calls, RESIDUAL, *place)
        if count == 0:
            call_part(calls, FACTOR, *place)
        size = call_part(calls, INNOVATE, *place)
        if retry and before < 0.0 and not size <= POOR * action:
            _guess(handle, start, 0.0, like)  # extrapolation went astray
            action = call_part(calls, RESIDUAL, *place)
            call_part(calls, FACTOR, *place)
            size = call_part(calls, INNOVATE, *place)
            retry = False
        whole = action + start[flags + F_GAPS]
        fine, coarse = square * whole, square * (ROUNDING * whole + ABSOLUTE * start[flags + F_UNIT])
        if before >= 0.0 and not (size <= before or size <= coarse):
            if has_forces(calls) and start[flags + F_STEEP] == 0.0:
                start[flags + F_STEEP] = STEEP
                _step_back(handle, memory, tree_slots, calls, start, 0.0, scale, like)
                scale, before = 1.0, -1.0
                continue
            scale *= 0.5
            if scale < SHORTEST:
                return STUCK, count + 1
            _step_back(handle, memory, tree_slots, calls, start, scale, scale, like)
            continue
        done = size <= CLOSE * fine
        if before >= 0.0 and not done:
            shrunk = size / before
            done = shrunk * size <= fine or (shrunk > 0.25 and size <= coarse)
            if not done and not shrunk * shrunk * size <= fine:
                call_part(calls, FACTOR, *place)
                size = call_part(calls, INNOVATE, *place)
                if has_forces(calls) and shrunk > SLOW:
                    start[flags + F_STEEP] = STEEP
        if has_forces(calls) and start[flags + F_STEEP] > 0.0 and not size <= CLOSE * fine:
            call_part(calls, FORESEE, *place)
            call_part(calls, RESIDUAL, *place)
            for k in range(count_v(t)):
                start[at_vector(t, P_RIGHT) + k] += start[at_vector(t, P_SHIFT) + k]
            call_part(calls, INNOVATE, *place)
        call_part(calls, CORRECT, *place)
        if done:
            return CONVERGED, count + 1
        scale, before = 1.0, size
    return EXHAUSTED, iterations
