"""Dense output of a Runge-Kutta step: the state at any time within it, to the order of the method.

    theta(x) = h sum_l p_l(x) theta'_l,    q = q_0 (+) theta,    v = v_0 + h sum_l p_l(x) v'_l,    works alike,         x from 0 to 1

All is done in a copy of the memory made after the step, so looking can never change the motion.
"""

from ..dynamics.slots import HUGE
from ..kernels import kernel
from ..model.tables import floats_at
from .runge_kutta import runge_kutta_end, runge_kutta_stages


@kernel(entry="i i i i i A1 i i d d -> n")
def dense_stages(handle, loads, rates, memory, first, table, count, end, time, h) -> None:
    """The extra stages of the dense output."""
    work = floats_at(memory, HUGE)
    runge_kutta_stages(handle, loads, rates, memory, work, first, table, count, end + 1, count, time, h, h, 0.0)


@kernel(entry="i i i i A1 i d -> n")
def dense_state(handle, loads, memory, first, weights, count, h) -> None:
    """q and v from the weights of the stages; works are added to."""
    work = floats_at(memory, HUGE)
    runge_kutta_end(handle, loads, work, first, weights, 0, count, h, 0.0)


class DenseOutput:
    """The last step of a system under a pair of order 5 or 8. `take` makes the copy, `at` looks into it."""

    def __init__(self, system, pair):
        self.system, self.pair = system, pair
        self.memory, self.array = system.new_memory()

    def take(self, before, after, front):
        """Copy the step from `before` to `after` that the system has just taken, and work out its extra stages. Works are those at `front`."""
        s, p = self.system, self.pair
        self.array[:] = s.array
        self.before, self.h = before, after - before
        nv, nw = s.model.nv, len(s.works)
        dense_stages(s.model.handle, s.loads.handle, s.rates, self.memory, s.first, p.table, p.stages, p.end, before, self.h)
        stages = self.array[s.at_stages : s.at_more].reshape(p.stages, 2 * nv + nw)
        self.works = s.works - self.h * (self.weights(front) @ stages[:, 2 * nv :])

    def weights(self, t):
        """p_l of the stages at a time."""
        return self.pair.weights((t - self.before) / self.h)

    def at(self, t):
        """(q, v, works)."""
        s, p = self.system, self.pair
        nq, nv = s.model.nq, s.model.nv
        works = self.array[s.at_works : s.at_works + len(self.works)]
        works[:] = self.works
        dense_state(s.model.handle, s.loads.handle, self.memory, s.first, self.weights(t), p.stages, self.h)
        return self.array[:nq].copy(), self.array[nq : nq + nv].copy(), works.copy()
