"""The parts of a variational step: the residual of its equations, the factor of Newton's matrix, a correction, the end of the step."""

from ...dynamics.exchange import copy
from ...kernels import kernel
from ...model.constraint_tables import has_constraints
from ..step_ends import margin
from .force_calls import add_forces
from .loops import close_gaps, keep_rows, measure_rows, reduce_rows, take_impulses
from .newton import corrections, eliminate, innovations
from .sweeps import apply_correction, arrive, displace_links, end_momenta, take_armatures, turn_page


@kernel
def residual(model, run) -> float:
    """Both sides of equation (1) at `run.displacement`. Gives twice the action of the motion, by which corrections are measured."""
    arrive(model, run)
    copy(run.momentum, run.right, model.nv)
    take_armatures(model, run)
    if run.forced:
        add_forces(model, run, run.time + margin(run.time, run.h), run.right)
    action = displace_links(model, run, False)
    if has_constraints(model):
        measure_rows(model, run)
    return action


@kernel
def factor(model, run) -> None:
    """The factor of Newton's matrix at `run.displacement`."""
    eliminate(model, run)
    unit = 0.0
    for k in range(model.nv):
        unit += abs(1.0 / run.inverse[k])
    run.unit = unit
    if has_constraints(model):
        reduce_rows(model, run)


@kernel
def innovate(model, run) -> float:
    """The inner half of Newton's step; gives its size, sum u^2 / D."""
    size = innovations(model, run)
    if has_constraints(model):
        size = close_gaps(model, run)
    return abs(size)


@kernel
def correct(model, run) -> None:
    """The outer half: displacements and impulses are corrected."""
    corrections(model, run)
    copy(run.displacement, run.base, model.nv)
    apply_correction(model, run, 1.0)
    if has_constraints(model):
        take_impulses(model, run)


@kernel
def finish(model, run) -> float:
    """Equation (2), and the page is turned. Gives the largest gap of a row on positions."""
    arrive(model, run)
    displace_links(model, run, True)
    end_momenta(model, run)
    _remember(model, run)
    turn_page(model, run)
    if run.forced:
        add_forces(model, run, run.time + run.h - margin(run.time, run.h), run.momentum)
    return keep_rows(model, run, run.time + run.h) if has_constraints(model) else 0.0


@kernel
def _remember(model, run) -> None:
    """The displacement joins the past ones."""
    n = model.nv
    run.past = min(run.past + 1, 3)
    run.steep = max(run.steep - 1, 0)
    copy(run.displacement_2, run.displacement_3, n)
    copy(run.displacement_1, run.displacement_2, n)
    copy(run.displacement, run.displacement_1, n)
