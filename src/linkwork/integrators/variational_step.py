"""Steps of the variational integrator, many in one call.

One step from (q_0, p_0): find the displacement q_0 -> q_1 for which

    sum J_i(q_0)^T mu_0i = p_0 + h/2 F(q_0, vm, t_0) + h G(q_0)^T lambda,        phi(q_1, t_1) = 0                          (1)
    p_1 = sum J_i(q_1)^T mu_1i + h/2 F(q_1, vm, t_1)                                                                     (2)

with mu_0 = -D1 L_d and mu_1 = D2 L_d of each link, F the forces besides gravity at the mean velocity vm of the step, and rows phi of constraints
(variational_rows.py). These are the discrete Euler-Lagrange equations with forces (Wendlandt 1997, eq. 2.27 and 5.4): F = -dV/dq is exactly what
V in L_d would be. Positions and momenta are carried from step to step; velocities M(q) v = p are worked out where they are wanted.
"""

from ..kernels import kernel
from ..model.rules import has_rules, open_rules
from ..model.tables import count_q, count_v, open_tables
from .variational_calls import CONVERGED, VariationalRecord, workspaces
from .variational_loops import begin_rows
from .variational_memory import (
    F_PAST,
    F_STEP,
    FLAGS,
    P_E,
    P_INVERSE,
    P_NOW,
    P_PAST,
    at_flags,
    at_vector,
)
from .variational_parts import finish
from .variational_rows import (
    at_impulses,
)
from .variational_solve import solve_step
from .variational_tree import settle


@kernel(entry="i d A1 A1 -> n")
def begin_run(run: VariationalRecord, time, q, p) -> None:
    """A run from q and momenta p = M(q) v, without past."""
    t = open_tables(run.model)
    start, _ = workspaces(run)
    run.time, run.h = time, 0.0
    for k in range(count_q(t)):
        start[k] = q[k]
    for k in range(count_v(t)):
        start[at_vector(t, P_NOW) + k] = p[k]
    for k in range(FLAGS):
        start[at_flags(t) + k] = 0.0
    settle(run.model, start, 0.0)
    if has_rules(run.model):
        begin_rows(run)


@kernel
def _rescale(handle, start, h, like) -> None:
    """The step has changed: the last displacement and impulses are kept in proportion, displacements before are forgotten."""
    t = open_tables(handle)
    flags = at_flags(t)
    ratio = h / start[flags + F_STEP] if start[flags + F_STEP] != 0.0 else 1.0
    for k in range(count_v(t)):
        start[at_vector(t, P_PAST) + k] *= ratio
    if has_rules(handle):
        c = open_rules(handle)
        for k in range(c.size[1]):
            start[at_impulses(t, c) + k] *= ratio
    start[flags + F_PAST] = min(start[flags + F_PAST], 1.0)
    start[flags + F_STEP] = h


@kernel(entry="i A1 A1 -> n")
def read_state(run: VariationalRecord, q, p) -> None:
    """q and p of where a run stands. With rows, the p that is carried has not lost what they will take from it in the next step."""
    t = open_tables(run.model)
    start, _ = workspaces(run)
    for k in range(count_q(t)):
        q[k] = start[k]
    for k in range(count_v(t)):
        p[k] = start[at_vector(t, P_NOW) + k]


@kernel(entry="i d d i -> b")
def variational_steps(run: VariationalRecord, time, h, steps) -> bool:
    """Advance the run by `steps` steps of h from `time` on: `begin_run` comes before, `read_state` after. Fills the run's report.

    Multipliers are forces at the start of the last step (in the first step of a run, which has but half of an impulse, the whole).
    Returns False if a step failed: the run stands where it began.
    """
    t, report = open_tables(run.model), run.report
    start, _ = workspaces(run)
    if start[at_flags(t) + F_STEP] != h:
        _rescale(run.model, start, h, 0.0)
    run.h = h
    report.steps, report.corrections, report.most, report.ended, report.unconverged, report.worst, report.gap = 0, 0, 0, 0, 0, 0, 0.0
    for k in range(steps):
        run.time = time + k * h
        ended, count = solve_step(run)
        report.corrections += count
        report.total += count
        report.most = max(report.most, count)
        report.ended = ended
        if ended != CONVERGED:
            report.worst = _worst(run.model, start, 0.0)
            if not run.settings.real_time:
                return False
            report.unconverged += 1
        if has_rules(run.model):
            _read_multipliers(run)
        report.gap = max(report.gap, finish(run))
        report.steps += 1
    return True


@kernel
def _read_multipliers(run: VariationalRecord) -> None:
    """Forces of the rows, from their impulses in the step at hand."""
    t, c = open_tables(run.model), open_rules(run.model)
    start, _ = workspaces(run)
    whole = (2.0 if start[at_flags(t) + F_PAST] == 0.0 else 1.0) / run.h
    for i in range(c.size[1]):
        run.multipliers[i] = whole * start[at_impulses(t, c) + i]


@kernel
def _worst(handle, start, like) -> int:
    """The velocity coordinate whose equation is farthest from holding."""
    t = open_tables(handle)
    es, inverses = at_vector(t, P_E), at_vector(t, P_INVERSE)
    worst, largest = 0, -1.0
    for k in range(count_v(t)):
        size = start[es + k] * start[es + k] / abs(start[inverses + k])
        if not size <= largest:
            worst, largest = k, size
    return worst
