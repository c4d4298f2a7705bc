"""The parts of a variational step: the residual of its equations, the factor of Newton's matrix, a correction, the end of the step."""

from ..kernels import kernel
from ..kernels.scalar import load, store
from ..model.rules import has_rules
from ..model.tables import count_v, open_tables
from .variational_calls import VariationalRecord, add_forces, workspaces
from .variational_loops import close_gaps, keep_rows, measure_rows, reduce_rows, take_impulses
from .variational_memory import (
    F_PAST,
    F_STEEP,
    F_UNIT,
    P_BASE,
    P_DELTA,
    P_INVERSE,
    P_NOW,
    P_PAST,
    P_RIGHT,
    at_flags,
    at_vector,
)
from .variational_newton import corrections, eliminate, innovations
from .variational_tree import apply_correction, arrive, displace_links, end_momenta, take_armatures, turn_page


@kernel
def residual(run: VariationalRecord) -> float:
    """Both sides of equation (1) at the displacements in memory. Gives twice the action of the motion, by which corrections are measured."""
    t, like, h = open_tables(run.model), 0.0, run.h
    start, end = workspaces(run)
    right = at_vector(t, P_RIGHT)
    arrive(run.model, start, end, h, like)
    for k in range(count_v(t)):
        start[right + k] = start[at_vector(t, P_NOW) + k]
    take_armatures(run.model, start, h, right, like)
    if run.forced:
        add_forces(run, start, end, run.time, right, 0.5 * h)
    action = displace_links(run.model, start, end, h, False, like)
    if has_rules(run.model):
        measure_rows(run)
    return action


@kernel
def factor(run: VariationalRecord) -> None:
    """The factor of Newton's matrix at the displacements in memory; what is to be known of it goes to the flags."""
    t = open_tables(run.model)
    start, end = workspaces(run)
    eliminate(run.model, start, end, run.h, 0.0)
    unit = 0.0
    for k in range(count_v(t)):
        unit += abs(1.0 / start[at_vector(t, P_INVERSE) + k])
    start[at_flags(t) + F_UNIT] = unit
    if has_rules(run.model):
        reduce_rows(run)


@kernel
def innovate(run: VariationalRecord) -> float:
    """The inner half of Newton's step; gives its size, sum u^2 / D."""
    start, _ = workspaces(run)
    size = innovations(run.model, start, 0.0)
    if has_rules(run.model):
        size = close_gaps(run)
    return abs(size)


@kernel
def correct(run: VariationalRecord) -> None:
    """The outer half: displacements and impulses are corrected."""
    t = open_tables(run.model)
    start, end = workspaces(run)
    corrections(run.model, start, end, 0.0)
    for k in range(count_v(t)):
        start[at_vector(t, P_BASE) + k] = start[at_vector(t, P_DELTA) + k]
    apply_correction(run.model, start, 1.0, 0.0)
    if has_rules(run.model):
        take_impulses(run)


@kernel
def finish(run: VariationalRecord) -> float:
    """Equation (2), and the page is turned. Gives the largest gap of a row on positions."""
    t, like, h = open_tables(run.model), 0.0, run.h
    start, end = workspaces(run)
    arrive(run.model, start, end, h, like)
    displace_links(run.model, start, end, h, True, like)
    end_momenta(run.model, start, end, h, like)
    _remember(run.model, start, like)
    turn_page(run.model, start, end, like)
    if run.forced:
        add_forces(run, start, end, run.time + h, at_vector(t, P_NOW), 0.5 * h)
    return keep_rows(run) if has_rules(run.model) else 0.0


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
