r"""Explicit Runge-Kutta methods on the joints' groups (Munthe-Kaas 1998), driven by their table of coefficients.

    theta_j = h sum_l a_jl theta'_l,   v_j = v_0 + h sum_l a_jl v'_l,   q_j = q_0 (+) theta_j                               (1)
    theta'_j = dexp^-1(theta_j, v_j),  v'_j = vdot(q_j, v_j, t + c_j h)                                                     (2)
    q_1 = q_0 (+) h sum_j b_j theta'_j,     v_1 = v_0 + h sum_j b_j v'_j,    works += h sum_j b_j powers_j                  (3)

The works of all forces are integrated along with the motion, to the same order.
"""

from ...constraints.drift_control import settle
from ...constraints.modes import SAME_ROWS
from ...constraints.singular_poses import accelerate
from ...data.stepper import Stepper
from ...dynamics.configuration import local_rate
from ...kernels import kernel
from ...kernels.scalar import zero
from ...model.tables import open_tables
from ..controllers import sample_controllers, sample_due
from ..force_memory import accept_memory
from ..step_ends import begin_step, is_finite, margin, move_from_start, restore_state


@kernel(inline=True)
def stage_sum(stepper: Stepper, weights, row, count, k):
    """sum_l weights[row + l] (number k of stage l), over the first `count` stages."""
    stages, stride, total = stepper.stages, stepper.stride, zero(stepper)
    for l in range(count):
        weight = weights[row + l]
        if weight != 0.0:
            total = total + weight * stages[stride * l + k]
    return total


@kernel
def move_by_stages(stepper: Stepper, weights, row, count, h) -> None:
    """theta, q and v by the weighted sum of the first `count` stages, as in (1)."""
    nv = stepper.nv
    for k in range(nv):
        stepper.theta[k] = h * stage_sum(stepper, weights, row, count, k)
    for k in range(nv):
        stepper.v[k] = h * stage_sum(stepper, weights, row, count, nv + k) + stepper.v0[k]
    move_from_start(stepper)


@kernel
def add_works(stepper: Stepper, weights, count, h) -> None:
    """works += h sum_j b_j powers_j."""
    powers = 2 * stepper.nv
    for k in range(stepper.nw):
        stepper.works[k] = h * stage_sum(stepper, weights, 0, count, powers + k) + stepper.works[k]


@kernel
def first_stage(stepper: Stepper) -> None:
    """Stage 0, from the accelerations at the start of the step: theta' = v there."""
    nv = stepper.nv
    for k in range(nv):
        stepper.stages[k] = stepper.v[k]
    keep_rates(stepper, nv)


@kernel
def keep_rates(stepper: Stepper, at) -> None:
    """v' and the powers to the stages, from number `at` on."""
    nv = stepper.nv
    for k in range(nv):
        stepper.stages[at + k] = stepper.vdot[k]
    for k in range(stepper.nw):
        stepper.stages[at + nv + k] = stepper.powers[k]


@kernel
def runge_kutta_stages(stepper: Stepper, begin, end, time, span, h) -> None:
    """Stages `begin` (at least 1) to `end` - 1 of a step of size h: equations (1) and (2).

    q and v of the last of them are left in the state, its theta in theta. Stages see the times time + c span: span is h, or a trifle less
    where forces may change abruptly at the end of the step.
    """
    table, nv = stepper.tableau, stepper.nv
    for j in range(begin, end):
        at = stepper.stride * j
        move_by_stages(stepper, table.a, table.stages * j, j, h)
        accelerate(stepper, SAME_ROWS, time + table.c[j] * span)
        local_rate(open_tables(stepper.model), stepper.theta, stepper.v, stepper.stages, at)
        keep_rates(stepper, at + nv)


@kernel
def runge_kutta_end(stepper: Stepper, weights, h) -> None:
    """The state at the end of a step, from its stages: equation (3). Works are left as they are where the state is not finite."""
    count = stepper.tableau.stages
    move_by_stages(stepper, weights, 0, count, h)
    if is_finite(stepper):
        add_works(stepper, weights, count, h)


@kernel
def runge_kutta_steps(stepper: Stepper, start, step, h, steps) -> int:
    """Up to `steps` steps of size h, the first of which begins at start + step h; returns how many were taken before one failed."""
    for i in range(steps):
        time = start + (step + i) * h
        if sample_due(stepper.controllers, step + i):
            settle(stepper, time)
            sample_controllers(stepper, step + i, time)
        within = margin(time, h)
        begin_step(stepper, time, time + within)
        first_stage(stepper)
        runge_kutta_stages(stepper, 1, stepper.tableau.stages, time + within, h - 2.0 * within, h)
        runge_kutta_end(stepper, stepper.tableau.b, h)
        if not is_finite(stepper):
            restore_state(stepper)
            return i
        accept_memory(stepper, time + h)
    settle(stepper, start + (step + steps) * h)
    return steps
