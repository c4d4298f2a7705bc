"""Pinocchio on the loops benchmark. Release 4.1 closes loops by points (three rows) and welds (six), and has two solvers in Python:

    constraintDynamics  sparse Cholesky factor of the multiplier system of tree and rows, proximal iterations
    lcaba               articulated bodies with the loops' couplings eliminated in a minimal order, proximal iterations

mu > 0 softens the rows and each iteration hardens them again, so redundant rows are no trouble; mu = 0 is exact where they are independent.
"""

import numpy as np
import pinocchio as pin
from loops_mechanisms import GRAVITY, GROUND, spanning_tree


class Pinocchio:
    """One design at its assembled pose and the velocity of a reference. A loop is cut at a ball, or, in a plane, at a point of a hinge."""

    def __init__(self, design, reference, method="constraintDynamics", mu=0.0, accuracy=1e-12, iterations=100):
        self.design, self.reference = design, reference
        self.model = pin.Model()
        self.model.gravity.linear = GRAVITY
        tree, cuts = spanning_tree(design)
        self.tree, self.frames, self.placed = tree, {GROUND: pin.SE3.Identity()}, {GROUND: 0}
        for joint, near, far in tree:
            self._grow(joint, near, far)
        self.constraints = pin.StdVec_RigidConstraintModel()
        for joint in cuts:
            self.constraints.append(self._closing(joint))
        self.constraint_data = pin.StdVec_RigidConstraintData()
        for constraint in self.constraints:
            self.constraint_data.append(constraint.createData())
        self.data = self.model.createData()
        self.settings = pin.ProximalSettings(accuracy, mu, iterations)
        self.q, self.tau = pin.neutral(self.model), np.zeros(self.model.nv)
        self.v = np.concatenate([self._rate(*entry) for entry in tree])
        self.method = getattr(pin, method)
        if method == "lcaba":
            pin.computeJointMinimalOrdering(self.model, self.data, self.constraints)
        else:
            pin.initConstraintDynamics(self.model, self.data, self.constraints, self.constraint_data)

    def solve(self):
        """Joint accelerations."""
        return self.method(self.model, self.data, self.q, self.v, self.tau, self.constraints, self.constraint_data, self.settings)

    def solver(self):
        """solve() without the looking up of names."""
        method, arguments = (
            self.method,
            (self.model, self.data, self.q, self.v, self.tau, self.constraints, self.constraint_data, self.settings),
        )
        return lambda: method(*arguments)

    def accelerations(self):
        """Of all bodies, as the reference has them."""
        return self.body_accelerations(self.q, self.v, self.solve())

    def body_accelerations(self, q, v, a):
        data = self.model.createData()
        pin.forwardKinematics(self.model, data, q, v, a)
        rows = []
        for body in self.design.bodies:
            frame = self.placed[body.name]
            to_centre = pin.SE3(np.eye(3), self._local(body).act(body.com))
            rotation = data.oMi[frame].rotation
            motion = pin.Motion(to_centre.actInv(data.a[frame]))
            velocity = to_centre.actInv(data.v[frame])
            classical = motion.linear + np.cross(velocity.angular, velocity.linear)
            rows.append(np.r_[rotation @ motion.angular, rotation @ classical])
        return np.array(rows)

    def states(self, turns, rates):
        """Contiguous q and v for each state of a design of hinges; the closing joint has no coordinates here."""
        names = [joint.name for joint in self.design.joints]
        order = [names.index(joint.name) for joint, _, _ in self.tree]
        signs = np.array([1.0 if near == joint.parent else -1.0 for joint, near, _ in self.tree])
        return list(np.ascontiguousarray(turns[:, order] * signs)), list(np.ascontiguousarray(rates[:, order] * signs))

    def batch_solver(self, turns, rates):
        """A loop over states in Python: the wheel has no constrained dynamics for batches. Results are fresh arrays in a list."""
        qs, vs = self.states(turns, rates)

        def run(method=self.method, model=self.model, data=self.data, tau=self.tau, settings=self.settings):
            constraints, constraint_data = self.constraints, self.constraint_data
            return [method(model, data, q, v, tau, constraints, constraint_data, settings) for q, v in zip(qs, vs, strict=True)]

        return run

    def first(self, result, rates):
        """Acceleration of the first joint for each state of a batch."""
        return np.array(result)[:, 0]

    # ---- inside

    def _grow(self, joint, near, far):
        """Joint frames of the design are the link frames; at q = 0 parent's and child's coincide."""
        body = self.design.body(far)
        if joint is None:
            frame, kind = pin.SE3(body.rotation, body.origin), pin.JointModelFreeFlyer()
        else:
            frame, kind = pin.SE3(joint.rotation, joint.origin), _kind(joint, near)
        name = "root" if joint is None else joint.name
        self.placed[far] = self.model.addJoint(self.placed[near], kind, self.frames[near].actInv(frame), name)
        self.frames[far] = frame
        self.model.appendBodyToJoint(self.placed[far], pin.Inertia(body.mass, body.com, body.inertia), self._local(body))

    def _local(self, body):
        return self.frames[body.name].actInv(pin.SE3(body.rotation, body.origin))

    def _closing(self, joint):
        assert joint.kind == "ball" or self.design.planar
        place = pin.SE3(joint.rotation, joint.origin)
        ends = [(self.placed[name], self.frames[name].actInv(place)) for name in (joint.parent, joint.child)]
        return pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.model, *ends[0], *ends[1], pin.ReferenceFrame.LOCAL)

    def _rate(self, joint, near, far):
        if joint is None:  # local velocity of the root's frame, linear first
            body = self.design.body(far)
            v, omega = self.reference.velocity(far, body.origin), self.reference.twist(far)[:3]
            return np.r_[body.rotation.T @ v, body.rotation.T @ omega]
        return self.reference.rate(joint, near, far)


def _kind(joint, near):
    if joint.kind == "ball":
        return pin.JointModelSpherical()
    if joint.kind == "hinge":
        return pin.JointModelRZ()
    if joint.kind == "slide":
        return pin.JointModelPZ()
    assert near == joint.parent, "a universal joint walked from its child would have its axes in the other order"
    return pin.JointModelUniversal(np.array((1.0, 0.0, 0.0)), np.array((0.0, 1.0, 0.0)))
