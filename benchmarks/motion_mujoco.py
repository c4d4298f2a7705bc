"""A Linkwork model as a MuJoCo model, to be stepped by MuJoCo's own loop in C (mujoco.rollout): hinges, slides and a free base."""

import mujoco
import numpy as np
from mujoco import rollout

import linkwork as lw

# Parts of its pipeline that a tree without contact does not use. EULERDAMP: Euler's method would treat damping implicitly.
NOT_NEEDED = (
    *("CONTACT", "CONSTRAINT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "SPRING", "DAMPER", "ACTUATION", "SENSOR"),
    *("WARMSTART", "ISLAND", "EULERDAMP", "CLAMPCTRL", "MIDPHASE"),
)
FOR_LOOPS = ("CONTACT", "FRICTIONLOSS", "LIMIT", "SPRING", "DAMPER", "ACTUATION", "SENSOR", "ISLAND", "EULERDAMP", "CLAMPCTRL", "MIDPHASE")
INTEGRATORS = {"semi-implicit Euler": "EULER", "Runge-Kutta 4": "RK4"}


class Peer:
    """The same mechanism in MuJoCo. Loops of hinges in a plane are closed by "connect"."""

    def __init__(self, model, step, integrator):
        self.ours = model
        spec = mujoco.MjSpec()
        spec.compiler.autolimits, spec.compiler.degree = False, False
        spec.option.gravity, spec.option.timestep = model.gravity, step
        spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{INTEGRATORS[integrator]}")
        off = FOR_LOOPS if model.nc else NOT_NEEDED
        names = [f"mjDSBL_{name}" for name in off]
        spec.option.disableflags = sum(int(getattr(mujoco.mjtDisableBit, name)) for name in names if hasattr(mujoco.mjtDisableBit, name))
        placed, self.order = {"ground": spec.worldbody}, []
        for info in model.joints:
            if not info.closes_loop:
                self._grow(placed, info)
        for info in model.joints:
            if info.closes_loop:
                self._close(spec, placed, info)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)

    def _grow(self, placed, info):
        near, far = (info.child_pose, info.parent_pose) if info.backwards else (info.parent_pose, info.child_pose)
        X = near @ far.inverse()
        body = placed[info.parent].add_body(name=info.child, pos=X.translation, quat=X.quaternion)
        inertia = self.ours.body(info.child).inertia
        I = np.asarray(inertia.tensor)
        if np.linalg.eigvalsh(I).min() <= 0.0:  # a point mass that is welded on
            I = I + 1e-9 * np.eye(3)
        if inertia.mass > 0.0:  # a frame that is welded on has none
            body.mass, body.ipos, body.explicitinertial = inertia.mass, inertia.com, True
            body.fullinertia = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        kind = info.kind
        if isinstance(kind, lw.Free):
            body.add_joint(type=mujoco.mjtJoint.mjJNT_FREE)
        elif isinstance(kind, (lw.Revolute, lw.Prismatic)):
            sign = -1.0 if info.backwards else 1.0
            slide = isinstance(kind, lw.Prismatic)
            body.add_joint(
                type=mujoco.mjtJoint.mjJNT_SLIDE if slide else mujoco.mjtJoint.mjJNT_HINGE,
                pos=far.translation,
                axis=sign * (far.rotation @ np.asarray(kind.axis)),
                armature=float(info.armature[0]),
            )
        else:
            assert isinstance(kind, lw.Weld), kind
        placed[info.child] = body
        self.order.append(info)

    def _close(self, spec, placed, info):
        """Three rows, two of which a planar loop needs; as hard as they get."""
        equality = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_SITE)
        sides = (info.child, info.parent) if info.backwards else (info.parent, info.child)
        for name, pose, side in zip(sides, (info.parent_pose, info.child_pose), ("parent", "child"), strict=True):
            placed[name].add_site(name=f"{info.name} {side}", pos=pose.translation)
        equality.name1, equality.name2 = f"{info.name} parent", f"{info.name} child"
        equality.solimp = (0.9999, 0.9999, 0.001, 0.5, 2)
        equality.solref = (0.004, 1)

    def states(self, q, v):
        """Our states (N, nq), (N, nv) as full states of MuJoCo: time, qpos, qvel."""
        qs, vs = [], []
        for info in self.order:
            qi, vi = q[:, info.q_index], v[:, info.v_index]
            if isinstance(info.kind, lw.Free):  # ours in the body's axes, angular first; theirs linear in the world's
                R = np.array([lw.Pose((0, 0, 0), quaternion).rotation for quaternion in qi[:, 3:]])
                vi = np.hstack([np.einsum("nij,nj->ni", R, vi[:, 3:]), vi[:, :3]])
            qs.append(qi)
            vs.append(vi)
        return np.ascontiguousarray(np.hstack([np.zeros((len(q), 1)), *qs, *vs]))

    def walker(self, q, v, steps):
        """A function that walks all states, one after the other on one thread, and returns them all."""
        states = self.states(q, v)
        runner = rollout.Rollout(nthread=0)
        out = np.empty((len(q), steps, states.shape[1]))

        def run():
            runner.rollout(self.model, self.data, states, nstep=steps, state=out, skip_checks=False)
            return out

        return run
