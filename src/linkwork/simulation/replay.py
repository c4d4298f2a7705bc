"""States between two recorded samples, with the accuracy of the method: it goes on once more from the sample before.

A sample keeps q and v, not all that a method remembers: controllers held something, parameters may have been changed since. So the way is gone to the
next sample too, and counts only if it arrives there; else the cubic through both samples does (interpolate.py).
"""

import numpy as np

from ..constraints.tolerance import comparable, rest_pace
from ..dynamics.configuration import difference
from ..integrators.integrator import StepError
from ..integrators.system import System

ARRIVES = 1e-3  # of the way between two samples, and of the speeds at them: what is further off has not gone the same way
ROUNDING = 1e-9  # rad or lengths of the mechanism; of velocities, of the pace of rest


class Replay:
    """The motion of a simulation, repeated in a system of its own."""

    def __init__(self, sim):
        self.model, self.integrator, self.tolerance = sim.model, sim.integrator, sim.method.tolerance
        forces, solver = sim.system.active_forces.infos, _solver(sim.system)
        contact = {"takes_contact": sim.system.takes_contact, "by_events": sim.system.mode is not None}
        self.system = System(sim.model, forces, solver=solver, stages=sim.integrator.stages, **contact)
        ours, theirs = self.system.active_forces, sim.system.active_forces
        ours.words[:], ours.on[:], ours.feedback = theirs.words, theirs.on, theirs.feedback

    def between(self, first, second, t):
        """(q, v) at a time between two samples, each (t, q, v); None if the way from the first does not lead to the second."""
        system, (start, q0, v0), end = self.system, first, second[0]
        system.workspace.clear()
        system.q[:], system.v[:] = q0, v0
        try:
            method = self.integrator.start(system, start)
            method.tolerance = self.tolerance
            method.advance(t)
            q, v, _ = method.state(t)
            method.advance(end)
            q_end, v_end, _ = method.state(end)
        except StepError:
            return None
        return (q, v) if arrives(self.model, first, second, q_end, v_end) else None


def arrives(model, first, second, q, v):
    """Does a motion from one sample, each (t, q, v), that ended at q, v lead to a second one, within what the method can resolve?"""
    (_, q0, v0), (_, q1, v1), scale = first, second, comparable(model)
    way, speed = (float(np.abs(scale * x).max(initial=0.0)) for x in (difference(model, q0, q1), np.stack([v0, v1])))
    off, too_fast = (float(np.abs(scale * x).max(initial=0.0)) for x in (difference(model, q1, q), v - v1))
    return off <= ARRIVES * way + ROUNDING and too_fast <= ARRIVES * speed + ROUNDING * rest_pace(model)


def _solver(system):
    return "auto" if system.solver == "tree" else system.solver
