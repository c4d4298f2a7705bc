"""Dense output of a Runge-Kutta step: the state at any time within it, to the order of the method.

    theta(x) = h sum_l p_l(x) theta'_l,    q = q_0 (+) theta,    v = v_0 + h sum_l p_l(x) v'_l,    works alike,         x from 0 to 1

All is done in a copy of the memory made after the step, so looking can never change the motion.
"""

from ...constraints.modes import ACCELERATION
from ...constraints.solver_call import evaluate
from ...data.forces import ForceTable
from ...data.stepper import Stepper, for_kernels
from ...kernels import kernel
from ...kernels.records import pointer_to
from ..step_ends import restore_state
from ..system import Workspace
from .steps import runge_kutta_end, runge_kutta_stages


@kernel(entry="i d d -> n")
def dense_stages(stepper: Stepper, time, h) -> None:
    """The extra stages of the dense output, without the rows that the step left out: it was decided where it started which these are."""
    if stepper.constrained:
        restore_state(stepper)
        evaluate(stepper, ACCELERATION, time)
    runge_kutta_stages(stepper, stepper.tableau.end + 1, stepper.tableau.stages, time, h, h)


@kernel
def copy_step(stepper: Stepper, target: Stepper, accepted) -> None:
    """The step that a stepper has made to another stepper of the same system, for its dense output. accepted: what laws remember is that of its end."""
    for k in range(stepper.nq):
        target.q0[k] = stepper.q0[k]
    for k in range(stepper.nv):
        target.v0[k] = stepper.v0[k]
        target.held[k] = stepper.held[k]
    for k in range(stepper.stride * (stepper.tableau.end + 1)):
        target.stages[k] = stepper.stages[k]
    slots = pointer_to(ForceTable, stepper.active, 0.0).slots
    for k in range(slots):
        target.memory[k] = stepper.memory0[k] if accepted else stepper.memory[k]
    target.known_rank[0], target.known_pivot[0] = stepper.known_rank[0], stepper.known_pivot[0]


@kernel(entry="i A1 d -> n")
def dense_state(stepper: Stepper, weights, h) -> None:
    """q and v from the weights of the stages; works are added to."""
    runge_kutta_end(stepper, weights, h)


class DenseOutput:
    """The last step of a system under a pair of order 5 or 8. `take` makes the copy, `at` looks into it."""

    def __init__(self, system, pair):
        self.system, self.pair = system, pair
        self.workspace = Workspace(system)
        self.stepper = self.workspace.stepper
        self.stepper.tableau = pair.table

    def take(self, before, after, now):
        """Copy the step from `before` to `after` that the system has just taken, and evaluate its extra stages. Works are those at the time `now`."""
        self.workspace.load(self.system.save())
        self.stepper.memory[:] = self.system.stepper.memory0
        self.before, self.h = before, after - before
        dense_stages(for_kernels(self.stepper), before, self.h)
        powers = self.stepper.stages.reshape(self.pair.stages, self.stepper.stride)[:, 2 * self.stepper.nv :]
        self.works = self.system.works.copy()
        self.works[: powers.shape[1]] -= self.h * (self.weights(now) @ powers)

    def weights(self, t):
        """p_l of the stages at a time."""
        return self.pair.weights((t - self.before) / self.h)

    def at(self, t):
        """(q, v, works)."""
        s = self.stepper
        s.works[:] = self.works
        dense_state(for_kernels(s), self.weights(t), self.h)
        return s.q.copy(), s.v.copy(), s.works.copy()
