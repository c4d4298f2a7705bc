"""MuJoCo on the loops benchmark: joint coordinates, loops closed by soft "connect" equalities (three rows), Newton's method.

A row is never quite hard: its impedance is at most 0.9999 (taken here), so about 1e-4 of the acceleration that it should cancel is left over.
The softness is in proportion to `body_invweight0`, a field of the model: scaling it down (softness < 1) makes the rows as hard as one likes.
"""

import mujoco
import numpy as np
from loops_mechanisms import GRAVITY, GROUND, spanning_tree

# Parts of its pipeline that these designs do not use. No warm start: a repeated state would start from its own solution.
NOT_NEEDED = "CONTACT", "WARMSTART", "ISLAND", "SPRING", "DAMPER", "FRICTIONLOSS", "LIMIT", "ACTUATION", "SENSOR"


class MuJoCo:
    """One design at its assembled pose and the velocity of a reference. jacobian: "dense" or "sparse"; solver: "NEWTON", "CG" or "PGS".

    The notes of release 4.0.1 say that the sparse factor of 4.0.0 can be wrong; on these designs both releases give the same numbers.
    """

    def __init__(self, design, reference, jacobian="dense", solver="NEWTON", tolerance=1e-12, softness=1.0):
        self.design, self.reference = design, reference
        self.tree, cuts = spanning_tree(design)
        spec = mujoco.MjSpec()
        spec.compiler.autolimits, spec.compiler.degree = False, False
        spec.option.gravity = GRAVITY
        spec.option.solver = getattr(mujoco.mjtSolver, f"mjSOL_{solver}")
        spec.option.jacobian = getattr(mujoco.mjtJacobian, f"mjJAC_{jacobian.upper()}")
        spec.option.tolerance, spec.option.iterations = tolerance, 100
        spec.option.disableflags = sum(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}") for name in NOT_NEEDED)
        self.frames, self.placed = {GROUND: (np.eye(3), np.zeros(3))}, {GROUND: spec.worldbody}
        for entry in self.tree:
            self._grow(*entry)
        for joint in cuts:
            self._close(spec, joint)
        self.model = spec.compile()
        self.model.body_invweight0[:] *= softness
        self.data = mujoco.MjData(self.model)
        self.data.qvel[:] = np.concatenate([self._rate(*entry) for entry in self.tree])

    def solve(self):
        """Joint accelerations."""
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc

    def solver(self):
        """solve() without the looking up of names."""
        forward, model, data = mujoco.mj_forward, self.model, self.data
        return lambda: forward(model, data)

    def accelerations(self):
        """Of all bodies, as the reference has them."""
        self.solve()
        mujoco.mj_rnePostConstraint(self.model, self.data)
        rows = []
        for body in self.design.bodies:
            row = np.empty(6)
            mujoco.mj_objectAcceleration(self.model, self.data, mujoco.mjtObj.mjOBJ_BODY, self.model.body(body.name).id, row, 0)
            rows.append(row + np.r_[0, 0, 0, GRAVITY])
        return np.array(rows)

    def states(self, turns, rates):
        """Full states (time, q, v) for each state of a design of hinges, as rollout wants them."""
        names = [joint.name for joint in self.design.joints]
        order = [names.index(joint.name) for joint, _, _ in self.tree]
        signs = np.array([1.0 if near == joint.parent else -1.0 for joint, near, _ in self.tree])
        return np.ascontiguousarray(turns[:, order] * signs), np.ascontiguousarray(rates[:, order] * signs)

    def batch_solver(self, turns, rates):
        """A loop over states in Python. (mujoco.rollout also steps batches in C++, but gives states, not accelerations: see rollout_solver.)"""
        qs, vs = (list(x) for x in self.states(turns, rates))
        out = np.empty((len(qs), self.model.nv))

        def run(forward=mujoco.mj_forward, model=self.model, data=self.data):
            qpos, qvel, qacc = data.qpos, data.qvel, data.qacc
            for k, (q, v) in enumerate(zip(qs, vs, strict=True)):
                qpos[:] = q
                qvel[:] = v
                forward(model, data)
                out[k] = qacc
            return out

        return run

    def rollout_solver(self, turns, rates):
        """One step of every state, in C++ on one thread."""
        from mujoco import rollout

        qs, vs = self.states(turns, rates)
        states = np.ascontiguousarray(np.column_stack((np.zeros(len(qs)), qs, vs)))
        out = np.empty((len(qs), 1, states.shape[1]))
        runner = rollout.Rollout(nthread=0)

        def run():
            runner.rollout(self.model, self.data, states, nstep=1, state=out, skip_checks=False)
            return out

        return run

    def first(self, result, rates):
        """Acceleration of the first joint for each state of a batch: as it comes, or from the states after a step of Euler's method."""
        return result[:, 0] if result.ndim == 2 else (result[:, 0, 1 + self.model.nq] - rates[:, 0]) / self.model.opt.timestep

    # ---- inside

    def _grow(self, joint, near, far):
        """Joint frames of the design are the bodies' frames; at q = 0 parent's and child's coincide."""
        body = self.design.body(far)
        frame = (body.rotation, body.origin) if joint is None else (joint.rotation, joint.origin)
        R, p = _within(self.frames[near], frame)
        new = self.placed[near].add_body(name=far, pos=p, quat=_quaternion(R))
        R, p = _within(frame, (body.rotation, body.origin))
        I = R @ body.inertia @ R.T
        new.mass, new.ipos, new.explicitinertial = body.mass, p + R @ body.com, True
        new.fullinertia = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        for kind, axis in _joints(joint, near):
            new.add_joint(type=getattr(mujoco.mjtJoint, f"mjJNT_{kind}"), axis=axis)
        self.frames[far], self.placed[far] = frame, new

    def _close(self, spec, joint):
        assert joint.kind == "ball" or self.design.planar
        R, p = self.frames[joint.parent]
        equality = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY)
        equality.name1, equality.name2 = (_world(name) for name in (joint.parent, joint.child))
        equality.data[:3] = R.T @ (joint.origin - p)
        equality.solimp = (0.9999, 0.9999, 0.001, 0.5, 2)
        equality.solref = (0.004, 1)

    def _rate(self, joint, near, far):
        if joint is None:  # linear velocity in the world's axes, angular in the body's
            body = self.design.body(far)
            return np.r_[self.reference.velocity(far, body.origin), body.rotation.T @ self.reference.twist(far)[:3]]
        return self.reference.rate(joint, near, far)


def _world(name):
    return "world" if name == GROUND else name


def _within(outer, inner):
    """Pose of `inner` in `outer`, both (R, p) in the world."""
    return outer[0].T @ inner[0], outer[0].T @ (inner[1] - outer[1])


def _quaternion(R):
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(R).ravel())
    return quaternion


def _joints(joint, near):
    x, y, z = np.eye(3)
    if joint is None:
        return (("FREE", z),)
    if joint.kind == "universal":
        assert near == joint.parent, "a universal joint walked from its child would have its axes in the other order"
        return ("HINGE", x), ("HINGE", y)
    return (({"ball": "BALL", "hinge": "HINGE", "slide": "SLIDE"}[joint.kind], z),)
