"""Torsion springs and bushings that are turned past half a turn: they know poses, not turns, and their torque jumps to the other side there.

Between two samples the turn from rest, in (-pi, pi], or the rotation vector, changes by nearly 2 pi where it passes half a turn.
"""

import math

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..parts.forces import Bushing, TorsionSpring
from ..parts.registry import GROUND
from ..spatial.pose import Pose

PASSED = 1.5 * math.pi  # rad: what turns by less than a quarter of a turn between samples changes by more only there


class HalfTurnWatch:
    """Tells each such force once."""

    def __init__(self, system):
        self._system = system
        self._watched = [k for k, info in enumerate(system.active_forces.infos) if isinstance(info.kind, (TorsionSpring, Bushing))]
        self._before, self._told = {}, set()

    def forget(self):
        """The state was set: forget the angles before."""
        self._before = {}

    def check(self, t, q):
        """The warnings of one sample."""
        if not self._watched:
            return
        found = forward_kinematics(self._system.model, q)
        for k in self._watched:
            info = self._system.active_forces.infos[k]
            turn, before = _turn(info, found), self._before.get(k)
            self._before[k] = turn
            if info.on and before is not None and k not in self._told and np.linalg.norm(turn - before) > PASSED:
                self._told.add(k)
                yield (
                    f"force {info.name!r} was turned past half a turn before t = {t:.6g} s: a {type(info.kind).__name__} knows poses, not turns, "
                    "and its torque jumped from pulling back to pushing on; a JointSpring on a hinge counts turns, and winds up"
                )


def _turn(info, poses):
    """The rotation vector from the second place to the first; about an axis, the turn from rest in (-pi, pi]."""
    R_a, R_b = (place.rotation if body == GROUND else poses.rotation(body) @ place.rotation for body, place in info.places)
    relative, kind = Pose(rotation=R_b.T @ R_a), info.kind
    if isinstance(kind, Bushing) or kind.axis is None:
        return relative.log()[:3]
    w, *v = relative.quaternion
    axis = np.asarray(kind.axis) / np.linalg.norm(kind.axis)
    return np.array([math.remainder(2.0 * math.atan2(float(axis @ v), w) - kind.rest, 2.0 * math.pi)])
