"""What forces and joints transmit while a system moves: read from the accelerations and multipliers that the motion has anyway."""

import numpy as np

from ..analysis.contact_forces import SLOW, ContactForce, rest_speed_of, rolling
from ..analysis.contact_rows import SAME, contact_rows, length_of_scene, same_point
from ..analysis.contacts import FoundPoint
from ..analysis.loaded_state import LoadedState
from ..analysis.reactions import Solution, from_solution, reactions
from ..constraints.modes import CONTRADICTION
from ..data.contact_problem import OPEN, SLIDE, STICK
from ..dynamics.force_by_force import ForceByForce
from ..dynamics.kinematics import forward_kinematics
from .contact_changes import pair_statuses, point_statuses

ROLL = 3  # the status of a pair that sticks and rolls
STILL = 1e-6  # rad/s, m/s: nothing rolls where all velocities are smaller
NEAR = 1e-3  # of the length of the scene: points with smaller gaps are those of the last step
NO_POINTS = np.dtype([("pair", "i8"), ("force", "f8", 3), ("p", "f8", 3), ("feature", "i8"), ("status", "i8"), ("flags", "i8")])


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

    def contacts(self, t, q, v):
        """(forces, status) of all pairs of shapes that may touch, (pairs, 3) and (pairs,), over the last step: see channels.py."""
        points = self._remembered(t, q, v)
        forces, status = np.zeros((len(self.system.model.contact_tables.pairs), 3)), pair_statuses(self.system, points)
        np.add.at(forces, points["pair"], points["force"])
        if (status == STICK).any() and np.abs(v).max(initial=0.0) > STILL:
            rows = contact_rows(self.system.model, q, v, NEAR * length_of_scene(self.system.model))
            rolls, all_sticks = rolling(rows, SLOW * rest_speed_of(self.system.model)), status == STICK
            status[[point.pair for point, moves in zip(rows.points, rolls, strict=True) if moves and all_sticks[point.pair]]] = ROLL
        return forces, status

    def contact_points(self, t, q, v):
        """The points of the last step that still are within reach, as ContactForces with means over that step."""
        model, points = self.system.model, self._remembered(t, q, v)
        rows = contact_rows(model, q, v, NEAR * length_of_scene(model))
        codes = point_statuses(points)
        rolls, found = rolling(rows, SLOW * rest_speed_of(model)), []
        known = [FoundPoint(int(x["pair"]), np.array(x["p"]), None, 0.0, int(x["feature"])) for x in points]
        for k, point in enumerate(rows.points):
            same = same_point(point, known, SAME * length_of_scene(model))
            at = next((i for i, x in enumerate(known) if x is same), None)
            (a, b), friction = rows.sides(k), float(rows.friction[k])
            code = OPEN if at is None else int(codes[at])
            word = "open" if code == OPEN else "sliding" if code == SLIDE or not friction else "rolling" if rolls[k] else "sticking"
            force = np.zeros(3) if at is None else np.array(points["force"][at])
            found.append(ContactForce(a.name, b.name, point.p, point.n, force, friction, word))
        return tuple(found)

    def pressed_points(self, t, q, v):
        """(pairs (n,), positions (n, 3), forces (n, 3) on the second of a pair as means over the last step, which of them slide (n,)) of the points that
        pressed in the last step, as they were found in it: what is quick enough for every picture."""
        points = self._remembered(t, q, v)
        codes = point_statuses(points)
        kept, points = codes[codes != OPEN], points[codes != OPEN]
        smooth = np.asarray(self.system.model.contact_tables.pairs["friction"])[points["pair"]] == 0.0 if len(points) else np.zeros(0, bool)
        return points["pair"].copy(), points["p"].copy(), points["force"].copy(), (kept == SLIDE) | smooth

    def _remembered(self, t, q, v):
        """The points of the last step, or of a time within it, as rows of an array."""
        return np.zeros(0, NO_POINTS) if self.system.contact is None else self.system.points_at(t, q, v)

    def _of_contacts(self, tau, wrenches, t, q, v):
        """(tau, wrenches) with what contacts and limits of joints have exerted, as means over the last step."""
        model, contact, points = self.system.model, self.system.contact, self._remembered(t, q, v)
        if contact is None:
            return tau, wrenches
        tau, wrenches = np.array(tau), np.zeros((model.nb, 6)) if wrenches is None else np.array(wrenches)
        for row in contact.limits:
            tau[row.v] += row.force
        found = forward_kinematics(model, q)
        for point in points:
            pair = model.contact_tables.pairs[point["pair"]]
            for side, sign in (("a", -1.0), ("b", 1.0)):
                body = model.shapes[pair[side]].body
                if body != "ground":
                    R, f = found.rotation(body), sign * point["force"]
                    wrenches[model.body(body).index] += np.concatenate([np.cross(point["p"] - found.position(body), f) @ R, f @ R])
        return tau, wrenches

    def forces(self, t, q, v):
        """What every force exerts, by itself and on the bodies; see ForceByForce."""
        return self.each.at(t, q, v, self.system.stepper.memory)

    def reactions(self, t, q, v, evaluation=None, forces=None):
        """The wrenches in all joints and constraints, as lw.reactions gives them. evaluation, forces: what `evaluate` and `forces` say of it, if known."""
        system = self.system
        evaluation = system.evaluate(t, q, v) if evaluation is None else evaluation
        forces = self.forces(t, q, v) if forces is None else forces
        if evaluation.residual > CONTRADICTION or any(
            system.active_forces.feedback
        ):  # a compromise, or drawn to where the gaps close: no state of balance
            tau, wrenches = self._of_contacts(evaluation.tau, forces.wrenches, t, q, v)
            return reactions(system.model, q, v, tau, wrenches, t=t, forces=False, contacts=False)
        if system.contact is not None:
            tau, wrenches = self._of_contacts(evaluation.tau, forces.wrenches, t, q, v)
            return reactions(system.model, q, v, tau, wrenches, t=t, forces=False, contacts=False)
        state = LoadedState(q, v, evaluation.tau, forces.wrenches, t)
        return from_solution(system.model, state, Solution(evaluation.vdot, evaluation.multipliers, evaluation.residual))
