"""Newton's method for one step of the variational integrator: equation (1) of variational_step.py.

It starts from an extrapolation of past displacements. Its matrix is factored once a step, and again where two more corrections with the old factor
would not do. A correction that makes the next one grow, in the norm of one factor, is halved (the natural monotonicity test of Deuflhard 1974).
It ends when the next correction would be below rounding, so that momenta are as good as floats can be.
"""

from ..kernels import kernel
from ..kernels.scalar import load, store, zero
from ..model.rules import has_rules
from ..model.tables import count_v, open_tables
from .variational_calls import CONVERGED, EXHAUSTED, STUCK, VariationalRecord, workspaces
from .variational_loops import take_back_impulses
from .variational_memory import F_GAPS, F_PAST, F_STEEP, F_UNIT, P_DELTA, P_PAST, P_RIGHT, P_SHIFT, at_flags, at_vector
from .variational_parts import correct, factor, innovate, residual
from .variational_steep import foresee_forces
from .variational_tree import apply_correction

# Corrections are measured by the square of their energy norm, sum u^2 / D, against the action of the motion times the tolerance squared:
CLOSE = 1e3  # a correction this small is the last
ROUNDING, ABSOLUTE = 1e6, 1e4  # corrections this small may stop shrinking: relative to the action, and to displacements of 1 rad and 1 m
SLOW = 1e-3  # corrections that shrink by less with a fresh factor: forces depend strongly on velocities
POOR = 0.05  # of the action itself: a first correction beyond it says that extrapolation has no sense here
STEEP = 50.0  # steps for which slopes of forces are looked at, once they were found steep
SHORTEST = 1.0 / 64.0  # of a full Newton step


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
def _step_back(run: VariationalRecord, scale, part) -> None:
    """From the displacements before the last correction on, only `scale` of it; impulses lose `part` of theirs."""
    start, _ = workspaces(run)
    apply_correction(run.model, start, scale, 0.0)
    if has_rules(run.model):
        take_back_impulses(run, part)


@kernel
def solve_step(run: VariationalRecord) -> tuple[int, int]:
    """Newton's method for equation (1). Returns how it ended and how many corrections it took."""
    t, iterations = open_tables(run.model), run.settings.iterations
    start, _ = workspaces(run)
    flags, square = at_flags(t), run.settings.tolerance * run.settings.tolerance
    _guess(run.model, start, start[flags + F_PAST], 0.0)
    scale, before, retry = 1.0, -1.0, start[flags + F_PAST] > 0.0
    for count in range(iterations):
        action = residual(run)
        if count == 0:
            factor(run)
        size = innovate(run)
        if retry and before < 0.0 and not size <= POOR * action:
            _guess(run.model, start, 0.0, 0.0)  # extrapolation went astray
            action = residual(run)
            factor(run)
            size = innovate(run)
            retry = False
        whole = action + start[flags + F_GAPS]
        fine, coarse = square * whole, square * (ROUNDING * whole + ABSOLUTE * start[flags + F_UNIT])
        if before >= 0.0 and not (size <= before or size <= coarse):
            if run.forced and start[flags + F_STEEP] == 0.0:
                start[flags + F_STEEP] = STEEP
                _step_back(run, 0.0, scale)
                scale, before = 1.0, -1.0
                continue
            scale *= 0.5
            if scale < SHORTEST:
                return STUCK, count + 1
            _step_back(run, scale, scale)
            continue
        done = size <= CLOSE * fine
        if before >= 0.0 and not done:
            shrunk = size / before
            done = shrunk * size <= fine or (shrunk > 0.25 and size <= coarse)
            if not done and not shrunk * shrunk * size <= fine:
                factor(run)
                size = innovate(run)
                if run.forced and shrunk > SLOW:
                    start[flags + F_STEEP] = STEEP
        if run.forced and start[flags + F_STEEP] > 0.0 and not size <= CLOSE * fine:
            foresee_forces(run)
            residual(run)
            for k in range(count_v(t)):
                start[at_vector(t, P_RIGHT) + k] += start[at_vector(t, P_SHIFT) + k]
            innovate(run)
        correct(run)
        if done:
            return CONVERGED, count + 1
        scale, before = 1.0, size
    return EXHAUSTED, iterations
