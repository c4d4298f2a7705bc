"""A mechanism at an instant, as its bodies know it: where each is and how it moves, whatever joints hold it."""

from typing import Any, NamedTuple

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..spatial.pose import Pose


class Moment(NamedTuple):
    """A model in a state."""

    model: Any
    t: float
    q: np.ndarray
    v: np.ndarray
    memory: dict = {}  # {force: what its law remembers}

    def bodies(self):
        """{name: (pose in the world, twist [w; v] in the body's frame)}."""
        if self.model is None or not self.model.nb:
            return {}
        k = forward_kinematics(self.model, self.q, self.v)
        return {
            body.name: (Pose._trusted(k.rotations[body.index].copy(), k.positions[body.index].copy()), k.velocities[body.index].copy())
            for body in self.model.bodies
        }

    def same_state(self, other):
        """Bit by bit the same time, positions and velocities?"""
        return (
            other is not None
            and self.t == other.t
            and self.q.shape == other.q.shape
            and self.v.shape == other.v.shape
            and bool((self.q == other.q).all() and (self.v == other.v).all())
            and self.memory.keys() == other.memory.keys()
            and all((self.memory[name] == other.memory[name]).all() for name in self.memory)
        )


NOTHING = Moment(None, 0.0, np.zeros(0), np.zeros(0))


def same_coordinates(old, new, q, v):
    """q (..., nq) and v (..., nv) of one model in another with the same joints; the order of joints may differ."""
    q_new, v_new = np.empty((*q.shape[:-1], new.nq)), np.empty((*v.shape[:-1], new.nv))
    for joint in new.joints:
        was = old.joint(joint.name)
        q_new[..., joint.q_index], v_new[..., joint.v_index] = q[..., was.q_index], v[..., was.v_index]
    return q_new, v_new
