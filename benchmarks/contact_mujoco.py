"""The scenes of contact_scenes.py in MuJoCo, stepped by its own loop in C: elliptic cones, Newton's method, the same shapes, step and pairs that touch."""

import mujoco
import numpy as np
from motion_mujoco import Peer
from mujoco import rollout

import linkwork as lw

NOT_NEEDED = ("EQUALITY", "FRICTIONLOSS", "LIMIT", "SPRING", "ACTUATION", "SENSOR", "CLAMPCTRL")
TYPES = {lw.Box: "BOX", lw.Sphere: "SPHERE", lw.Capsule: "CAPSULE", lw.Cylinder: "CYLINDER", lw.Floor: "PLANE"}


class ContactPeer(Peer):
    """A Linkwork mechanism that touches, as a MuJoCo model. Bodies of one linkage do not touch each other, as in Linkwork."""

    def __init__(self, mechanism, step, friction):
        self.mechanism, self.friction = mechanism, friction
        self.ours = model = mechanism.build()
        spec = mujoco.MjSpec()
        spec.compiler.autolimits, spec.compiler.degree = False, False
        spec.option.gravity, spec.option.timestep = model.gravity, step
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.solver = mujoco.mjtSolver.mjSOL_NEWTON
        spec.option.disableflags = sum(
            int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}")) for name in NOT_NEEDED if hasattr(mujoco.mjtDisableBit, f"mjDSBL_{name}")
        )
        placed, self.order = {"ground": spec.worldbody}, []
        bits = self._bits(model)
        for info in model.joints:
            self._grow(placed, info)
            for joint, damping in zip(placed[info.child].joints, info.damping, strict=False):
                joint.damping = (float(damping), 0.0, 0.0)
        for name in ("ground", *(body.name for body in model.bodies)):
            body = mechanism.ground if name == "ground" else mechanism.body(name)
            shapes = body.collisions or ((body.shape,) if getattr(body, "shape", None) is not None else ())
            for shape in shapes:
                self._touch(placed[name], shape, *bits[name])
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)

    def _bits(self, model):
        """(contype, conaffinity): a linkage of several bodies has a bit of its own, which it does not touch."""
        linkage = {}
        for info in model.joints:
            linkage[info.child] = linkage.get(info.parent, info.child) if info.parent != "ground" else info.child
        sizes = {}
        for name in linkage.values():
            sizes[name] = sizes.get(name, 0) + 1
        own = {name: k + 1 for k, name in enumerate(name for name, count in sizes.items() if count > 1)}
        every = (1 << 31) - 1
        bits = {"ground": (every, every)}
        for body, root in linkage.items():
            bits[body] = (1 << own[root], every & ~(1 << own[root])) if root in own else (1, every)
        return bits

    def _touch(self, body, shape, contype, conaffinity):
        kind = TYPES[type(shape)]
        sizes = {
            "BOX": lambda: (shape.x / 2, shape.y / 2, shape.z / 2),
            "SPHERE": lambda: (shape.radius, 0, 0),
            "CAPSULE": lambda: (shape.radius, shape.length / 2, 0),
            "CYLINDER": lambda: (shape.radius, shape.length / 2, 0),
            "PLANE": lambda: (50, 50, 1),
        }[kind]()
        body.add_geom(
            type=getattr(mujoco.mjtGeom, f"mjGEOM_{kind}"),
            size=sizes,
            pos=shape.at.translation,
            quat=shape.at.quaternion,
            friction=(self.friction, 0.0, 0.0),
            condim=3,
            contype=contype,
            conaffinity=conaffinity,
            mass=0.0,
        )

    def runner(self, state, steps):
        """A function that takes so many steps from a full state, without warm start from elsewhere, and returns the states."""
        run = rollout.Rollout(nthread=0)
        out = np.empty((1, steps, state.shape[1]))

        def walk():
            self.data.qacc_warmstart[:] = 0.0
            run.rollout(self.model, self.data, state, nstep=steps, state=out, skip_checks=False)
            return out

        return walk

    def contacts(self, state):
        """How many contacts there are at a full state."""
        mujoco.mj_setState(self.model, self.data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        mujoco.mj_forward(self.model, self.data)
        return int(self.data.ncon)
