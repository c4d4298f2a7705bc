"""Linkwork on the loops benchmark: bodies and joints as they are, loops included; no tree, no cuts."""

import numpy as np
from loops_mechanisms import GRAVITY, GROUND

import linkwork as lw

KINDS = {
    "ball": lw.Spherical(),
    "hinge": lw.Revolute(axis=(0, 0, 1)),
    "slide": lw.Prismatic(axis=(0, 0, 1)),
    "universal": lw.Universal((1, 0, 0), (0, 1, 0)),
}


class Linkwork:
    """One design at its assembled pose, which is q = neutral, and the velocity of a reference. options: for forward_dynamics, as solver=..."""

    def __init__(self, design, reference, **options):
        self.design, self.reference, self.options = design, reference, options
        mechanism = lw.Mechanism(design.name, gravity=GRAVITY)
        frames = {GROUND: lw.Pose()}
        for body in design.bodies:
            mechanism.add_body(body.name, mass=body.mass, com=body.com, inertia=body.inertia)
            frames[body.name] = lw.Pose(body.origin, body.rotation)
        for joint in design.joints:
            place = lw.Pose(joint.origin, joint.rotation)
            ends = (mechanism.body(name).at(frames[name].inverse() @ place) for name in (joint.parent, joint.child))
            mechanism.add_joint(joint.name, KINDS[joint.kind], *ends)
        self.floating = all(GROUND not in (joint.parent, joint.child) for joint in design.joints)
        if self.floating:
            mechanism.reroot(design.bodies[0].name)
        self.model = mechanism.build()
        self.q, self.v, self.tau = lw.neutral(self.model), np.zeros(self.model.nv), np.zeros(self.model.nv)
        own = {joint.name: joint for joint in design.joints}
        for info in self.model.joints:
            if info.name in own:
                joint = own[info.name]
                self.v[info.v_index] = reference.rate(joint, joint.parent, joint.child)
            else:  # the free joint of a floating design
                root = design.bodies[0]
                assert np.array_equal(root.rotation, np.eye(3)) and not root.origin.any(), "the root of a floating design is at the origin"
                self.v[info.v_index] = np.r_[reference.twist(root.name)[:3], reference.velocity(root.name, root.origin)]

    def solve(self):
        """Joint accelerations."""
        return lw.forward_dynamics(self.model, self.q, self.v, self.tau, **self.options)

    def solver(self):
        """solve() without the looking up of names."""
        forward, model, q, v, tau, options = lw.forward_dynamics, self.model, self.q, self.v, self.tau, self.options
        if not options:
            return lambda: forward(model, q, v, tau)
        return lambda: forward(model, q, v, tau, **options)

    def accelerations(self):
        """Of all bodies, as the reference has them."""
        return self.body_accelerations(self.q, self.v, self.solve())

    def body_accelerations(self, q, v, a):
        motion = lw.forward_kinematics(self.model, q, v, a)
        rows = []
        for body in self.design.bodies:
            omega = motion.velocity(body.name, "world")[:3]
            alpha, linear = np.split(motion.acceleration(body.name, "world"), 2)
            arm = motion.rotation(body.name) @ body.com
            rows.append(np.r_[alpha, linear + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))])
        return np.array(rows)

    def states(self, turns, rates):
        """q and v of a batch of states of a design of hinges."""
        names = [joint.name for joint in self.design.joints]
        order = [names.index(info.name) for info in self.model.joints]
        return np.ascontiguousarray(turns[:, order]), np.ascontiguousarray(rates[:, order])

    def batch_solver(self, turns, rates):
        """All states in one call, on one thread."""
        q, v = self.states(turns, rates)
        tau, out = np.zeros_like(v), np.empty_like(v)
        return lambda: lw.forward_dynamics(self.model, q, v, tau, out=out, threads=1, **self.options)

    def first(self, result, rates):
        """Acceleration of the design's first joint for each state of a batch."""
        return result[:, self.model.joint(self.design.joints[0].name).v_index.start]
