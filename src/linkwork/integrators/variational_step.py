"""Steps of the variational integrator, many in one call.

One step from (q_0, p_0): find the displacement q_0 -> q_1 for which

    sum J_i(q_0)^T mu_0i = p_0 + h/2 F(q_0, vm, t_0) + h G(q_0)^T lambda,        phi(q_1, t_1) = 0                          (1)
    p_1 = sum J_i(q_1)^T mu_1i + h/2 F(q_1, vm, t_1)                                                                     (2)

with mu_0 = -D1 L_d and mu_1 = D2 L_d of each link, F the forces besides gravity at the mean velocity vm of the step, and rows phi of constraints
(variational_rows.py). These are the discrete Euler-Lagrange equations with forces (Wendlandt 1997, eq. 2.27 and 5.4): F = -dV/dq is exactly what
V in L_d would be. Positions and momenta are carried from step to step; velocities M(q) v = p are worked out at the end of a call.
"""

from ..dynamics.rnea import newton_euler
from ..dynamics.slots import HUGE
from ..kernel import kernel
from ..model.rules import has_rules, open_rules
from ..model.tables import at_v, at_x, at_y, count_q, count_v, floats_at, open_tables
from ..scalar import load, store, zero
from ..solvers.articulated import VELOCITY, solve_articulated
from ..solvers.memory import at_time, from_slot
from .variational_forces import add_forces, is_given
from .variational_memory import (
    F_PAST,
    F_STEEP,
    F_STEP,
    P_DELTA,
    P_E,
    P_FORCE,
    P_INVERSE,
    P_NOW,
    P_PAST,
    at_flags,
    at_mean,
    at_vector,
    start_slots,
)
from .variational_rows import (
    at_impulses,
    evaluate_at,
    keep_rows,
)
from .variational_solve import CONVERGED, solve_mass, solve_step
from .variational_tree import arrive, displace_links, end_momenta, settle, turn_page

REPORT = 8  # numbers of a report, see `variational_steps`


@kernel
def begin(handle, memory, tree_slots, time, q, v, like):
    """A run from (q, v): p = M(q) v, no past."""
    t = open_tables(handle)
    work, start = floats_at(memory, HUGE), floats_at(from_slot(memory, tree_slots, like), HUGE)
    for k in range(count_q(t)):
        work[k] = q[k]
        start[k] = q[k]
    for k in range(count_v(t)):
        work[at_x(t) + k] = v[k]
    newton_euler(handle, work, 0.0, 0, -1, like)
    for k in range(count_v(t)):
        start[at_vector(t, P_NOW) + k] = work[at_y(t) + k]
        start[at_vector(t, P_PAST) + k] = v[k]
    start[at_flags(t) + F_PAST], start[at_flags(t) + F_STEEP] = 0.0, 0.0
    settle(handle, start, like)
    if has_rules(handle):
        c = open_rules(handle)
        evaluate_at(handle, memory, start, start, at_vector(t, P_NOW), time, like)
        keep_rows(handle, memory, start, like)
        for k in range(c.size[1]):
            store(start, at_impulses(t, c) + k, zero(like))


@kernel
def _remember(handle, start, like):
    """The displacement joins the past ones."""
    t = open_tables(handle)
    n, a, past = count_v(t), at_vector(t, P_PAST), at_flags(t) + F_PAST
    start[past] = min(start[past] + 1.0, 3.0)
    start[past + F_STEEP - F_PAST] = max(start[past + F_STEEP - F_PAST] - 1.0, 0.0)
    for k in range(n):
        store(start, a + 2 * n + k, load(start, a + n + k, like))
        store(start, a + n + k, load(start, a + k, like))
        store(start, a + k, load(start, at_vector(t, P_DELTA) + k, like))


@kernel
def _rescale(handle, start, ratio, like):
    """The step has changed: the last displacement is kept in proportion, those before are forgotten."""
    t = open_tables(handle)
    for k in range(count_v(t)):
        start[at_vector(t, P_PAST) + k] *= ratio
    start[at_flags(t) + F_PAST] = min(start[at_flags(t) + F_PAST], 1.0)


@kernel
def _finish(handle, memory, tree_slots, code, data, time, h, like):
    """Equation (2), and the page is turned. Returns the largest gap of a row on positions."""
    t = open_tables(handle)
    start = floats_at(from_slot(memory, tree_slots, like), HUGE)
    end = floats_at(from_slot(memory, tree_slots + start_slots(t), like), HUGE)
    arrive(handle, start, end, h, like)
    displace_links(handle, start, end, h, True, like)
    end_momenta(handle, start, end, h, like)
    _remember(handle, start, like)
    turn_page(handle, start, end, like)
    if is_given(code):
        add_forces(code, data, start, 0, end, at_mean(t), time + h, at_vector(t, P_FORCE), at_vector(t, P_NOW), 0.5 * h, count_v(t), like)
    if has_rules(handle):
        evaluate_at(handle, memory, end, end, at_mean(t), time + h, like)
        return keep_rows(handle, memory, start, like)
    return 0.0


@kernel
def _velocities(handle, memory, tree_slots, time, q, v, like):
    """q and v = M(q)^-1 p of where the run stands; with rows, the v nearest to it (in the mass metric) for which they hold."""
    t = open_tables(handle)
    work, start = floats_at(memory, HUGE), floats_at(from_slot(memory, tree_slots, like), HUGE)
    solve_mass(handle, work, start, like)
    for k in range(count_q(t)):
        q[k] = start[k]
    for k in range(count_v(t)):
        v[k] = work[at_y(t) + k]
    if has_rules(handle):
        for k in range(count_v(t)):
            work[at_v(t) + k] = v[k]
            work[at_x(t) + k] = 0.0
        work[at_time(t, open_rules(handle))] = time
        solve_articulated(handle, memory, VELOCITY, -1, -1, (0.0, 0.0, 0.0), like)
        for k in range(count_v(t)):
            v[k] += work[at_y(t) + k]


@kernel
def variational_steps(handle, memory, tree_slots, code, data, time, h, steps, iterations, tolerance, real_time, q, v, multipliers, report):
    """Advance (q, v) by `steps` steps of h from `time` on, in place. What it carries from call to call is in its memory.

    multipliers: of the last step, forces at its beginning (in the first step of a run, which has but half of an impulse, the whole).
    report: 0 steps since the run began (set it to 0 to begin a new one from q and v) | 1 steps done in this call | 2 corrections in all of them
    | 3 the most in one | 4 how the last step ended (0 converged, 1 too many corrections, 2 no shorter step helps) | 5 steps accepted unconverged
    | 6 the velocity coordinate with the largest residual in a step that failed | 7 the largest gap |phi| after a step
    Returns 0, or 1 if a step failed: (q, v) is then where it began. `real_time`: steps are accepted after `iterations` corrections, come what may.
    """
    like = 0.0
    t = open_tables(handle)
    status = 0
    start = floats_at(from_slot(memory, tree_slots, like), HUGE)
    if report[0] == 0.0:
        begin(handle, memory, tree_slots, time, q, v, like)
    elif start[at_flags(t) + F_STEP] != h:
        _rescale(handle, start, h / start[at_flags(t) + F_STEP], like)
    start[at_flags(t) + F_STEP] = h
    report[1], report[2], report[3], report[5], report[7] = 0.0, 0.0, 0.0, 0.0, 0.0
    done = 0
    for k in range(steps):
        now = time + k * h
        ended, count = solve_step(handle, memory, tree_slots, code, data, now, h, iterations, tolerance, like)
        report[2] += count
        report[3] = max(report[3], count)
        report[4] = ended
        if ended != CONVERGED:
            report[6] = _worst(handle, start, like)
            if not real_time:
                status = 1
                break
            report[5] += 1.0
        if has_rules(handle):
            whole = (2.0 if report[0] == 0.0 else 1.0) / h
            for i in range(multipliers.shape[0]):
                multipliers[i] = whole * start[at_impulses(t, open_rules(handle)) + i]
        report[7] = max(report[7], _finish(handle, memory, tree_slots, code, data, now, h, like))
        report[0] += 1.0
        done += 1
    report[1] = done
    _velocities(handle, memory, tree_slots, time + done * h, q, v, like)
    return status


@kernel
def _worst(handle, start, like):
    """The velocity coordinate whose equation is farthest from holding."""
    t = open_tables(handle)
    es, inverses = at_vector(t, P_E), at_vector(t, P_INVERSE)
    worst, largest = 0, -1.0
    for k in range(count_v(t)):
        size = start[es + k] * start[es + k] / abs(start[inverses + k])
        if not size <= largest:
            worst, largest = k, size
    return worst
