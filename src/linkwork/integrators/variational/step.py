"""Steps of the variational integrator, many in one call.

One step from (q_0, p_0): find the displacement q_0 -> q_1 for which

    sum J_i(q_0)^T mu_0i = p_0 + h/2 F(q_0, vm, t_0) + h G(q_0)^T lambda,        phi(q_1, t_1) = 0                          (1)
    p_1 = sum J_i(q_1)^T mu_1i + h/2 F(q_1, vm, t_1)                                                                     (2)

with mu_0 = -D1 L_d and mu_1 = D2 L_d of each link, F the forces besides gravity at the mean velocity vm of the step, and rows phi of constraints
(rows.py). These are the discrete Euler-Lagrange equations with forces (Wendlandt 1997, eq. 2.27 and 5.4): F = -dV/dq is exactly what
V in L_d would be. Positions and momenta are carried from step to step; velocities M(q) v = p are worked out where they are wanted. With rows, the p
that is carried has not lost what they will take from it in the next step.
"""

from ...data.variational import VariationalData
from ...kernels import kernel
from ...model.constraint_tables import has_constraints, open_constraints
from ...model.tables import open_tables
from .loops import begin_rows
from .newton_iteration import CONVERGED, solve_step
from .step_parts import finish
from .sweeps import settle


@kernel(entry="i i d A1 A1 -> n")
def begin_run(handle, run: VariationalData, time, q, p) -> None:
    """A run from q and momenta p = M(q) v, without past."""
    model = open_tables(handle)
    run.time, run.h, run.past, run.past_step, run.steep, run.unit_gaps = time, 0.0, 0, 0.0, 0, 0.0
    for k in range(model.nq):
        run.start.q[k] = q[k]
    for k in range(model.nv):
        run.momentum[k] = p[k]
    settle(model, run)
    if has_constraints(model):
        begin_rows(model, run)


@kernel
def _rescale(model, run, h) -> None:
    """The step has changed: the last displacement and impulses are kept in proportion, displacements before are forgotten."""
    ratio = h / run.past_step if run.past_step != 0.0 else 1.0
    for k in range(model.nv):
        run.displacement_1[k] = run.displacement_1[k] * ratio
    if has_constraints(model):
        for k in range(open_constraints(model).nc):
            run.rows.impulses[k] = run.rows.impulses[k] * ratio
    run.past, run.past_step = min(run.past, 1), h


@kernel
def begin_steps(model, run, h) -> None:
    """Before steps of h: nothing to report yet."""
    report = run.report
    if run.past_step != h:
        _rescale(model, run, h)
    run.h = h
    report.steps, report.corrections, report.most, report.ended, report.worst, report.gap = 0, 0, 0, 0, 0, 0.0


@kernel(entry="i i d d i -> b")
def variational_steps(handle, run: VariationalData, time, h, steps) -> bool:
    """Advance the run by `steps` steps of h from `time` on: `begin_run` comes before. Fills the run's report.

    Multipliers are forces at the start of the last step (in the first step of a run, which has but half of an impulse, the whole).
    Returns False if a step failed: the run stands where it began.
    """
    model, report = open_tables(handle), run.report
    begin_steps(model, run, h)
    for k in range(steps):
        run.time = time + k * h
        ended, count = solve_step(model, run)
        report.corrections += count
        report.total += count
        report.most = max(report.most, count)
        report.ended = ended
        if ended != CONVERGED:
            report.worst = worst_equation(model, run)
            if not run.settings.real_time:
                return False
        if has_constraints(model):
            read_multipliers(model, run)
        report.gap = max(report.gap, finish(model, run))
        report.steps += 1
    return True


@kernel
def read_multipliers(model, run) -> None:
    """Forces of the rows, from their impulses in the step at hand."""
    whole = (2.0 if run.past == 0 else 1.0) / run.h
    for i in range(open_constraints(model).nc):
        run.multipliers[i] = whole * run.rows.impulses[i]


@kernel
def worst_equation(model, run) -> int:
    """The velocity coordinate whose equation is farthest from holding."""
    worst, largest = 0, -1.0
    for k in range(model.nv):
        e = run.innovation[k]
        size = e * e / abs(run.inverse[k])
        if not size <= largest:
            worst, largest = k, size
    return worst
