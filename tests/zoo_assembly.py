"""How the mechanisms of the zoo are put together: drawn in one pose, in which every joint stands at rest and every loop is closed.

A drawing has its own axes, turned in the world by a rotation without symmetry, so that nothing is parallel to a coordinate axis by
accident. Body frames stand at the middle of the points a body is drawn through, turned at random; masses, centres of mass and
inertia tensors are random too, out of the plane in a planar mechanism. All of it is determined by the mechanism's name.
"""

import zlib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

import linkwork as lw

from .laws.mechanisms import random_pose
from .reference import joint_pose, rest

# A turn without symmetry, and a shift: where a drawing stands in the world.
TILT = lw.Pose.from_rpy(0.4, -0.7, 1.1, (0.13, -0.24, 0.31))


class Facts(NamedTuple):
    """What is known of a mechanism, of its bodies and joints alone, without couplings.

    dof, redundancy: degrees of freedom, and dependent rows among the constraints, in the pose that was drawn.
    generic_dof: degrees of freedom in the poses around it that it can reach.
    isolated: no other pose can be reached, though velocities say so (an infinitesimal mechanism).
    planar: all motion is parallel to one plane, and `normal` stands upright on it (in world axes). floating: nothing holds it.
    couplings: rows {joint: coefficient}, the sum of coefficient times coordinate being constant; coupled_dof: with them.
    poses: of every body, as drawn. velocity: by joint, one that is of interest.
    """

    dof: int
    redundancy: int
    generic_dof: int
    poses: Mapping[str, lw.Pose]
    normal: np.ndarray | None = None
    floating: bool = False
    isolated: bool = False
    couplings: tuple[Mapping[str, float], ...] = ()
    coupled_dof: int | None = None
    velocity: Mapping[str, np.ndarray] | None = None

    @property
    def planar(self):
        return self.normal is not None

    @property
    def generic_redundancy(self):
        """The rows do not change their number: what is gained in freedom is lost in rank."""
        return self.redundancy - (self.dof - self.generic_dof)


class Example(NamedTuple):
    """A mechanism, coordinates (by joint) in which its loops are closed, and what is known of it."""

    mechanism: lw.Mechanism
    guess: dict[str, np.ndarray]
    facts: Facts


class Drawing:
    """A mechanism while it is drawn. Points and axes are in the drawing's axes."""

    def __init__(self, name, tilt=TILT, gravity=(0.0, 0.0, -9.81)):
        self.mechanism = lw.Mechanism(name, gravity)
        self.rng = np.random.default_rng(zlib.crc32(name.encode()))
        self.tilt = tilt
        self.poses = {}

    @property
    def ground(self):
        return self.mechanism.ground

    def body(self, name, *points, **given):
        """A body through some points. given: mass, com (in the drawing), inertia (about com, drawing axes); what is not is random."""
        middle = np.mean(points, axis=0)
        X_DB = lw.Pose(middle, random_pose(self.rng).rotation)
        return self._body(name, X_DB, middle, **given)

    def root(self, name, *points, **given):
        """The root of a floating mechanism: its frame is the world's, so that its free joint is at rest in the drawing."""
        body = self._body(name, self.tilt.inverse(), np.mean(points, axis=0), **given)
        self.mechanism.reroot(body)
        return body

    def _body(self, name, X_DB, middle, mass=None, com=None, inertia=None):
        mass = self.rng.uniform(0.5, 3.0) if mass is None else mass
        com = middle + self.rng.uniform(-0.05, 0.05, 3) if com is None else com
        if inertia is None:
            # Moments are sums of second moments of mass, so that the triangle inequality holds.
            a, b, c = mass * self.rng.uniform(0.005, 0.05, 3)
            R = random_pose(self.rng).rotation
            inertia = R @ np.diag((b + c, c + a, a + b)) @ R.T
        R = X_DB.rotation
        self.poses[name] = self.tilt @ X_DB
        return self.mechanism.add_body(name, mass=mass, com=X_DB.inverse().act(com), inertia=R.T @ np.asarray(inertia) @ R)

    def join(self, name, kind, a, b, at):
        """A joint at a point of the drawing, or at a pose in it: there its frame F stands, and M where rest coordinates put it."""
        X_WF = self.tilt @ (at if isinstance(at, lw.Pose) else lw.Pose(at))
        X_WM = X_WF @ joint_pose(kind, rest(kind))
        return self.mechanism.add_joint(name, kind, a.at(self._of(a).inverse() @ X_WF), b.at(self._of(b).inverse() @ X_WM))

    def hinge(self, name, a, b, at, axis=(0.0, 0.0, 1.0)):
        return self.join(name, lw.Revolute(axis), a, b, at)

    def ball(self, name, a, b, at):
        return self.join(name, lw.Spherical(), a, b, at)

    def _of(self, body):
        return self.poses.get(body.name, lw.Pose())

    def done(self, dof, redundancy, generic_dof=None, planar=False, **more):
        """The example. A planar one is drawn in the x-y plane."""
        guess = {joint.name: rest(joint.kind) for joint in self.mechanism.joints}
        if more.get("floating"):
            guess[f"{next(iter(self.poses))}.free"] = rest(lw.Free())
        normal = self.tilt.rotation[:, 2] if planar else None
        facts = Facts(dof, redundancy, dof if generic_dof is None else generic_dof, self.poses, normal, **more)
        return Example(self.mechanism, guess, facts)


def configuration(model, guess):
    """The vector q of a model with the given coordinates by joint; other joints are at rest."""
    q = lw.neutral(model)
    for name, coordinates in guess.items():
        q[model.joint(name).q_index] = coordinates
    return q
