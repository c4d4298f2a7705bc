"""From multipliers to the wrenches in all joints and constraints, by Newton and Euler body by body, from the tips inward.

symbol   meaning                                                   (wrenches in world axes, about the middle of the mechanism)
G_b      what body b needs: I a + v x* I v - I g - f_ext            (0 for a self-stress)
W_j      what joint j exerts on the tree's child, drive included

loop joint that carries a cut body of b with the share s of its inertia:      W = s (I a + v x* I v - I g) - what the weld exerts on the cut body
inward:                                                                   W_j = G_b - sum of constraints on b - sum of W into b + sum of W out of b

A body is whole here: the cut body and the weld that holds it to its body are internal, and never seen. The sweep itself is the same at all poses
(wiring.py); here are the wrenches that it adds up.
"""

import functools

import numpy as np

from ..constraints.tolerance import length_of, turns
from ..dynamics.kinematics import forward_kinematics
from .transmission_sweep import row_wrenches, stand, transmit
from .wiring import GROUND, wiring_of

__all__ = ["Transmission", "length_of", "turns"]


class Transmission:
    """The joints and constraints of a model in one state, as parts that carry wrenches. `arrays`: the RowArrays of its configuration, if it has rows.

    `parts`: the infos of all joints, then of all constraints but the joints that close loops. `points`: for each part its two points, that
    of its own child (or first place) first. `frames`: the rotations there. `length`: what makes moments and forces comparable, m.
    """

    def __init__(self, model, q, v, vdot, arrays):
        self._wire(model)
        self.kinematics = forward_kinematics(model, q, v, vdot)
        self.points, self.middle = stand(self.wiring, self.kinematics)
        self.row_wrenches = row_wrenches(self.wiring, arrays, self.middle) if model.nc else np.zeros((2, 0, 6))

    def _wire(self, model):
        self.model, self.wiring = model, wiring_of(model)
        self.parts, self.constraints, self.index = self.wiring.parts, self.wiring.constraints, self.wiring.index
        self.length = self.wiring.length

    def __getstate__(self):
        """What depends on the pose; the wiring, which has memory of compiled code, is found again by the model."""
        wired = ("wiring", "parts", "constraints", "index", "length")
        return {name: value for name, value in self.__dict__.items() if name not in wired}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._wire(state["model"])

    @functools.cached_property
    def frames(self):
        R = np.concatenate([self.kinematics.rotations, np.eye(3)[None]])  # the last is the ground's
        return R[self.wiring.at_body] @ self.wiring.turned

    def body_pose(self, body):
        """(R, p) of a body by name; ground is the world."""
        k = self.wiring.bodies.get(body, GROUND)
        return (np.eye(3), np.zeros(3)) if k == GROUND else (self.kinematics.rotations[k], self.kinematics.positions[k])

    def transmit(self, multipliers, f_ext=None):
        """Wrenches of all parts, (2, parts, 6), under the accelerations, loads f_ext (nb, 6) in bodies' frames, and multipliers (nc,).

        First: on a joint's tree child, or on a constraint's first place. Second: on a constraint's second place (zero for joints).
        """
        f_ext = np.zeros((self.model.nb, 6)) if f_ext is None else f_ext
        return transmit(self.wiring, self.kinematics, f_ext, self.middle, self.row_wrenches, multipliers)

    def spread(self, multipliers):
        """(first, second) as in `transmit`, of multipliers alone, for each column of them (nc, k): (parts, 6, k)."""
        # Component by component: products this small stay in one thread, which takes less time than waking up others.
        (a, b), (w_a, w_b) = self.wiring.rows, self.row_wrenches.transpose(0, 2, 1)[:, :, None, :]
        first, second = (a * w_a + b * w_b) @ multipliers, np.zeros((6, len(self.parts), multipliers.shape[1]))
        if self.constraints:
            joints = self.wiring.joints
            second[:, joints:] = (self.wiring.second[joints:] * w_b) @ multipliers
        return first.transpose(1, 0, 2), second.transpose(1, 0, 2)

    def at(self, wrench, point):
        """A wrench (6, k) with its moment about another point (world axes)."""
        (x, y, z), (fx, fy, fz) = point - self.middle, wrench[3:]
        return np.concatenate([wrench[:3] - np.array([y * fz - z * fy, z * fx - x * fz, x * fy - y * fx]), wrench[3:]])

    def joint_forces(self, multipliers):
        """Generalised forces (nv, k) that couplings and drives exert at the joints, for each column of multipliers."""
        return self.wiring.driving @ multipliers

    def weighted(self, first, second, multipliers):
        """All wrenches as one tall matrix whose squared columns are the measure that is made least: forces, and moments over the length.

        Moments are about a part's points; where it has two that differ, each counts half, so that either side may be called the child.
        """
        half, joints, k = np.sqrt(0.5), self.wiring.joints, first.shape[-1]
        tall = np.empty((len(self.parts), 4, 3, k))
        arms = (self.points - self.middle[None, None])[..., None]
        for side, W in enumerate((first, first if len(first) == joints else np.concatenate([first[:joints], second[joints:]]))):
            n, f = W[:, :3], W[:, 3:]
            x, y, z = arms[:, side, 0], arms[:, side, 1], arms[:, side, 2]
            fx, fy, fz = f[:, 0], f[:, 1], f[:, 2]
            moments = tall[:, 2 * side]
            moments[:, 0], moments[:, 1], moments[:, 2] = y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
            np.subtract(n, moments, out=moments)
            moments *= half / self.length
            np.multiply(f, half, out=tall[:, 2 * side + 1])
        tall = tall.reshape(12 * len(tall), k)
        return np.concatenate([tall, self.wiring.measured @ multipliers]) if len(self.wiring.measured) else tall
