"""Steps of the variational integrator, many in one call.

One step from (q_0, p_0): find the displacement q_0 -> q_1 for which

    sum J_i(q_0)^T mu_0i = p_0 + h/2 F(q_0, vm, t_0) + h G(q_0)^T lambda,        phi(q_1, t_1) = 0                          (1)
    p_1 = sum J_i(q_1)^T mu_1i + h/2 F(q_1, vm, t_1)                                                                     (2)

with mu_0 = -D1 L_d and mu_1 = D2 L_d of each link, F the forces besides gravity at the mean velocity vm of the step, and rows phi of constraints
(variational_rows.py). These are the discrete Euler-Lagrange equations with forces (Wendlandt 1997, eq. 2.27 and 5.4): F = -dV/dq is exactly what
V in L_d would be. Positions and momenta are carried from step to step; velocities M(q) v = p are worked out where they are wanted.
"""

from ..dynamics.slots import HUGE
from ..kernels import kernel
from ..model.rules import has_rules, open_rules
from ..model.tables import count_q, count_v, floats_at, open_tables
from ..solvers.memory import from_slot
from .variational_calls import BEGIN, FINISH, call_loops, call_part
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
from .variational_rows import (
    at_impulses,
)
from .variational_solve import CONVERGED, solve_step
from .variational_tree import settle

REPORT = 7  # numbers of a report, see `variational_steps`


@kernel(entry="i i i J1 d A1 A1 -> n")
def begin_run(handle, memory, tree_slots, calls, time, q, p) -> None:
    """A run from q and momenta p = M(q) v, without past."""
    like = 0.0
    t = open_tables(handle)
    start = floats_at(from_slot(memory, tree_slots, like), HUGE)
    for k in range(count_q(t)):
        start[k] = q[k]
    for k in range(count_v(t)):
        start[at_vector(t, P_NOW) + k] = p[k]
    for k in range(FLAGS):
        start[at_flags(t) + k] = 0.0
    settle(handle, start, like)
    if has_rules(handle):
        call_loops(calls, BEGIN, handle, memory, tree_slots, time, 0.0, 0.0)


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


@kernel(entry="i i i A1 A1 -> n")
def read_state(handle, memory, tree_slots, q, p) -> None:
    """q and p of where a run stands. With rows, the p that is carried has not lost what they will take from it in the next step."""
    like = 0.0
    t = open_tables(handle)
    start = floats_at(from_slot(memory, tree_slots, like), HUGE)
    for k in range(count_q(t)):
        q[k] = start[k]
    for k in range(count_v(t)):
        p[k] = start[at_vector(t, P_NOW) + k]


@kernel(entry="i i i J1 d d i i d i A1 A1 -> i")
def variational_steps(handle, memory, tree_slots, calls, time, h, steps, iterations, tolerance, real_time, multipliers, report) -> int:
    """Advance the run in `memory` by `steps` steps of h from `time` on: `begin_run` comes before, `read_state` after.

    multipliers: of the last step, forces at its beginning (in the first step of a run, which has but half of an impulse, the whole).
    report: 0 steps done in this call | 1 corrections in all of them | 2 the most in one | 3 how the last step ended: 0 converged, 1 too many
    corrections, 2 no shorter correction helps | 4 steps accepted unconverged | 5 the velocity coordinate with the largest residual in a step that
    failed | 6 the largest gap |phi| after a step
    Returns 0, or 1 if a step failed: the run stands where it began. `real_time`: steps are accepted after `iterations` corrections, come what may.
    """
    like = 0.0
    t = open_tables(handle)
    start = floats_at(from_slot(memory, tree_slots, like), HUGE)
    flags = at_flags(t)
    if start[flags + F_STEP] != h:
        _rescale(handle, start, h, like)
    for k in range(REPORT):
        report[k] = 0.0
    for k in range(steps):
        now = time + k * h
        ended, count = solve_step(handle, memory, tree_slots, calls, start, now, h, iterations, tolerance, like)
        report[1] += count
        report[2] = max(report[2], count)
        report[3] = ended
        if ended != CONVERGED:
            report[5] = _worst(handle, start, like)
            if not real_time:
                return 1
            report[4] += 1.0
        if has_rules(handle):
            whole = (2.0 if start[flags + F_PAST] == 0.0 else 1.0) / h
            for i in range(multipliers.shape[0]):
                multipliers[i] = whole * start[at_impulses(t, open_rules(handle)) + i]
        report[6] = max(report[6], call_part(calls, FINISH, handle, memory, tree_slots, now, h))
        report[0] += 1.0
    return 0


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
