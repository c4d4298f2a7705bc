"""What forces and joints transmit while a system moves: read from the accelerations and multipliers that the motion has anyway."""

import numpy as np

from ..analysis.loaded_state import LoadedState
from ..analysis.reactions import Solution, from_solution, reactions
from ..constraints.modes import CONTRADICTION
from ..dynamics.force_by_force import ForceByForce


class Gauges:
    """Readings of a system at any state. What they need of the model is prepared once, at the first reading."""

    def __init__(self, system):
        self.system = system
        self._each = None

    @property
    def each(self) -> ForceByForce:
        if self._each is None:
            self._each = ForceByForce(self.system.active_forces)
        return self._each

    def contacts(self):
        """(forces, status) of all pairs of shapes that may touch, (pairs, 3) and (pairs,), over the last step: see channels.py."""
        pairs = len(self.system.model.contact_tables.pairs)
        forces, status = np.zeros((pairs, 3)), np.zeros(pairs, dtype=np.int64)
        if self.system.contact is not None:
            memory = self.system.contact.memory
            points = memory.points.rows[: int(memory.count[0])]
            np.add.at(forces, points["pair"], points["force"])
            np.maximum.at(status, points["pair"], points["status"])
        return forces, status

    def forces(self, t, q, v):
        """What every force exerts, by itself and on the bodies; see ForceByForce."""
        return self.each.at(t, q, v)

    def reactions(self, t, q, v, evaluation=None, forces=None):
        """The wrenches in all joints and constraints, as lw.reactions gives them. evaluation, forces: what `evaluate` and `forces` say of it, if known."""
        system = self.system
        evaluation = system.evaluate(t, q, v) if evaluation is None else evaluation
        forces = self.forces(t, q, v) if forces is None else forces
        if evaluation.residual > CONTRADICTION or any(
            system.active_forces.feedback
        ):  # a compromise, or drawn to where the gaps close: no state of balance
            return reactions(system.model, q, v, evaluation.tau, forces.wrenches, t=t, forces=False)
        state = LoadedState(q, v, evaluation.tau, forces.wrenches, t)
        return from_solution(system.model, state, Solution(evaluation.vdot, evaluation.multipliers, evaluation.residual))
