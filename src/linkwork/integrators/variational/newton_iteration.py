"""Newton's method for one step of the variational integrator: equation (1) of step.py.

It starts from an extrapolation of past displacements. Its matrix is factored once a step, and again where two more corrections with the old factor
would not do. A correction that makes the next one grow, in the norm of one factor, is halved (the natural monotonicity test of Deuflhard 1974).
It ends when the next correction would be below rounding, so that momenta are as good as floats can be. Where corrections stop shrinking before that,
rounding itself is measured (rounding.py): in a long chain it is larger, and a step may end there.
"""

import math

from ...kernels import kernel
from ...kernels.scalar import zero
from ...model.constraint_tables import has_constraints
from .loops import take_back_impulses
from .rounding import MARGIN, rounding_errors
from .steep_forces import foresee_forces
from .step_parts import correct, factor, innovate, residual
from .sweeps import apply_correction

CONVERGED, EXHAUSTED, STUCK = range(3)  # how a step ends

# Corrections are measured by the square of their energy norm, sum u^2 / D, against the action of the motion times the tolerance squared:
CLOSE = 1e3  # a correction this small is the last
ROUNDING, ABSOLUTE = 1e6, 1e4  # corrections this small may stop shrinking: relative to the action, and to displacements of 1 rad and 1 m
STALLED = 0.25  # corrections that shrink by less may have come down to rounding
SLOW = 1e-3  # corrections that shrink by less with a fresh factor: forces depend strongly on velocities
POOR = 0.05  # of the action itself: beyond it a first correction shows that extrapolation does not help here
STEEP = 50  # steps for which slopes of forces are checked after they were found steep
SHORTEST = 1.0 / 64.0  # of a full Newton step


@kernel
def guess(model, run, past) -> None:
    """The displacement to start from: none (J is M / h there), then extrapolations of past displacements of growing order."""
    for k in range(model.nv):
        x, y, z = run.displacement_1[k], run.displacement_2[k], run.displacement_3[k]
        if past == 0:
            x = zero(run)
        elif past == 2:
            x = 2.0 * x - y
        elif past >= 3:
            x = 3.0 * (x - y) + z
        run.displacement[k] = x


@kernel
def _step_back(model, run, scale, part) -> None:
    """From the displacements before the last correction on, only `scale` of it; impulses lose `part` of theirs."""
    apply_correction(model, run, scale)
    if has_constraints(model):
        take_back_impulses(model, run, part)


@kernel
def _rounding(model, run) -> float:
    """The size of corrections that rounding of the residual causes, in the norm of the present factor. Innovations of the residual are found again."""
    residual(model, run)
    rounding_errors(model, run)
    size = innovate(model, run)
    residual(model, run)
    innovate(model, run)
    return MARGIN * size


@kernel
def solve_step(model, run) -> tuple[int, int]:
    """Newton's method for equation (1). Returns how it ended and how many corrections it took."""
    iterations, square = run.settings.iterations, run.settings.tolerance * run.settings.tolerance
    guess(model, run, run.past)
    scale, before, retry, floor = 1.0, -1.0, run.past > 0, -1.0
    for count in range(iterations):
        action = residual(model, run)
        if count == 0:
            factor(model, run)
        size = innovate(model, run)
        if retry and before < 0.0 and not size <= POOR * action:
            guess(model, run, 0)  # extrapolation went astray
            action = residual(model, run)
            factor(model, run)
            size = innovate(model, run)
            retry = False
        if before < 0.0 and not size < math.inf:
            return STUCK, count + 1  # nothing is less than this: any second correction would seem to shrink
        whole = action + run.unit_gaps
        fine, coarse = square * whole, max(square * (ROUNDING * whole + ABSOLUTE * run.unit), floor)
        if floor < 0.0 and before >= 0.0 and not (size <= STALLED * before or size <= coarse):
            floor = _rounding(model, run)
            coarse = max(coarse, floor)
        if before >= 0.0 and not (size <= before or size <= coarse):
            if run.forced and run.steep == 0:
                run.steep = STEEP
                _step_back(model, run, 0.0, scale)
                scale, before = 1.0, -1.0
                continue
            scale *= 0.5
            if scale < SHORTEST:
                return STUCK, count + 1
            _step_back(model, run, scale, scale)
            continue
        done = size <= CLOSE * fine
        if before >= 0.0 and not done:
            shrunk = size / before
            done = shrunk * size <= fine or (shrunk > STALLED and size <= coarse)
            if not done and not shrunk * shrunk * size <= fine:
                factor(model, run)
                size = innovate(model, run)
                if run.forced and shrunk > SLOW:
                    run.steep = STEEP
        if run.forced and run.steep > 0 and not size <= CLOSE * fine:
            foresee_forces(model, run)
            residual(model, run)
            for k in range(model.nv):
                run.right[k] = run.right[k] + run.shift[k]
            innovate(model, run)
        correct(model, run)
        if done:
            return CONVERGED, count + 1
        scale, before = 1.0, size
    return EXHAUSTED, iterations
