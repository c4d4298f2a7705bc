"""Simbody on the loops benchmark, through OpenSim's Python bindings: joint coordinates, loops closed by point constraints (three rows each).

Redundant rows are found by a rank-revealing factor of the constraint matrix. A solve is `realizeAcceleration` after q and u are set anew.
"""

import numpy as np
import opensim
from loops_mechanisms import GRAVITY, GROUND, spanning_tree

TURN = np.array(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)))  # its slides run along x: columns are our axes in its joint frame


class Simbody:
    """One design at its assembled pose and the velocity of a reference."""

    def __init__(self, design, reference):
        self.design, self.reference = design, reference
        opensim.Logger.removeFileSink()  # else it leaves a log file where one stands
        opensim.Logger.setLevelString("Error")
        self.model = opensim.Model()
        self.model.setGravity(_vec3(GRAVITY))
        self.frames = {GROUND: (self.model.getGround(), np.eye(3), np.zeros(3))}
        tree, cuts = spanning_tree(design)
        self.joints = []
        for entry in tree:
            self._grow(*entry)
        for joint in cuts:
            assert joint.kind == "ball" or design.planar
            ends = [(self.frames[name][0], _vec3(_local(self.frames[name], joint.origin))) for name in (joint.parent, joint.child)]
            self.model.addConstraint(opensim.PointConstraint(*ends[0], *ends[1]))
        self.model.finalizeConnections()
        self.state = self.model.initSystem()
        for (joint, near, far), made in zip(tree, self.joints, strict=True):
            for k, rate in enumerate(self._rate(joint, near, far)):
                coordinate = made.get_coordinates(k)
                coordinate.setSpeedValue(self.state, float(rate))
        self.q, self.u = opensim.Vector(self.state.getQ()), opensim.Vector(self.state.getU())

    def solver(self):
        """Everything that depends on q and u is computed anew."""
        state, q, u, realize = self.state, self.q, self.u, self.model.realizeAcceleration

        def run():
            state.setQ(q)
            state.setU(u)
            realize(state)

        return run

    def accelerations(self):
        """Of all bodies, as the reference has them."""
        self.solver()()
        rows = []
        for body in self.design.bodies:
            frame = self.frames[body.name][0]
            alpha = frame.getAngularAccelerationInGround(self.state)
            a = frame.findStationAccelerationInGround(self.state, _vec3(body.com))
            rows.append([alpha[k] for k in range(3)] + [a[k] for k in range(3)])
        return np.array(rows)

    # ---- inside

    def _grow(self, joint, near, far):
        body = self.design.body(far)
        I = body.inertia
        inertia = opensim.Inertia(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        new = opensim.Body(far, body.mass, _vec3(body.com), inertia)
        self.model.addBody(new)
        self.frames[far] = new, body.rotation, body.origin
        kind, rotation, origin = _kind(joint, near, body)
        ends = []
        for name in (near, far):
            frame, R, _ = self.frames[name]
            ends += [frame, _vec3(_local(self.frames[name], origin)), _vec3(_angles(R.T @ rotation))]
        made = kind("root" if joint is None else joint.name, *ends)
        self.model.addJoint(made)
        self.joints.append(made)

    def _rate(self, joint, near, far):
        if joint is None:  # angular first, both in the parent's joint frame, which is the body's at the assembled pose
            body = self.design.body(far)
            return np.r_[body.rotation.T @ self.reference.twist(far)[:3], body.rotation.T @ self.reference.velocity(far, body.origin)]
        return self.reference.rate(joint, near, far)


def _kind(joint, near, body):
    if joint is None:
        return opensim.FreeJoint, body.rotation, body.origin
    if joint.kind == "slide":
        return opensim.SliderJoint, joint.rotation @ TURN.T, joint.origin
    assert joint.kind != "universal" or near == joint.parent
    return (
        {"ball": opensim.BallJoint, "hinge": opensim.PinJoint, "universal": opensim.UniversalJoint}[joint.kind],
        joint.rotation,
        joint.origin,
    )


def _vec3(v):
    return opensim.Vec3(*(float(x) for x in v))


def _local(frame, point):
    _, R, p = frame
    return R.T @ (point - p)


def _angles(R):
    """Turns about x, then the new y, then the new z: R = Rx Ry Rz."""
    if abs(R[0, 2]) > 1 - 1e-12:  # y by a right angle: x and z turn about one axis
        return np.arctan2(R[2, 1], R[1, 1]), np.copysign(np.pi / 2, R[0, 2]), 0.0
    return np.arctan2(-R[1, 2], R[2, 2]), np.arcsin(np.clip(R[0, 2], -1.0, 1.0)), np.arctan2(-R[0, 1], R[0, 0])
