"""A random mechanism in motion, determined by a seed.

The mechanism of a seed is drawn closed (tests/zoo_random.py, tests/laws/mechanisms.py, tests/zoo.py), then given constraints that hold in the drawn
pose, forces of any kind, and one *trait*, which says what is hard about it; half of them get more (further.py). Its state is a pose on the constraints
with velocities that they allow.
"""

import dataclasses
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

import linkwork as lw

from ..force_cases import CASES as FORCES
from ..force_cases import on_joints
from ..laws.mechanisms import random_mechanism, random_pose
from ..zoo import ZOO, configuration, random_loops
from .further import add_further

# What is hard about a mechanism. "plain" three times: most are to be well posed.
TRAITS = ("plain", "plain", "plain", "redundant", "tilted", "contradictory", "stiff", "mixed scale", "driven")
TIMES = np.linspace(0.0, 2.0, 6)
FAST = 1e3  # rad/s, m/s: what is prescribed and drawn is about 1


class Case(NamedTuple):
    """A mechanism and a state of it. `well_posed`: every solver, question and integrator should manage it."""

    seed: int
    trait: str
    mechanism: lw.Mechanism
    q: dict
    v: dict
    controllers: tuple = ()

    @property
    def well_posed(self):
        return self.trait in ("plain", "redundant", "driven")

    def state(self, model):
        """(q, v) of a model of the mechanism."""
        q, v = configuration(model, self.q), np.zeros(model.nv)
        for name, rates in self.v.items():
            v[model.joint(name).v_index] = rates
        return q, v

    def without(self, *names):
        """The same without some parts (and what hangs on them), and its state with velocities projected again; ModelError if nothing is left."""
        mechanism = self.mechanism.clone()
        for name in names:
            if any(part.name == name for part in (*mechanism.forces, *mechanism.constraints, *mechanism.joints, *mechanism.bodies)):
                mechanism.remove(name, dependents=True)
        return of_state(self, mechanism)


def of_state(case, mechanism):
    """A case of another mechanism whose state is the nearest on its constraints to that of a case, by joint."""
    model = mechanism.build()
    known = {joint.name for joint in model.joints}
    q, v = ({name: x for name, x in given.items() if name in known} for given in (case.q, case.v))
    controllers = tuple(c for c in case.controllers if {name for name, _ in c.joints} <= known)
    near = Case(case.seed, case.trait, mechanism, q, v, controllers)
    return _with_state(near, *near.state(model), model)


def _with_state(case, q, v, model):
    q = lw.assemble(model, q) if model.nc else q
    v = lw.project_velocity(model, q, v) if model.nc else v
    if np.abs(v).max(initial=0.0) > FAST:
        raise lw.AssemblyError(
            f"velocities of {np.abs(v).max():.2g}: prescribed motion leaves the drawn pose, which is singular, at no finite speed"
        )
    return case._replace(q={j.name: q[j.q_index].tolist() for j in model.joints}, v={j.name: v[j.v_index].tolist() for j in model.joints})


def draw(seed, further=True):
    """The case of a seed; raises what building it raises. `further`: may it have what further.py adds?"""
    rng = np.random.default_rng(seed)
    trait = TRAITS[rng.integers(len(TRAITS))]
    mechanism, q, poses = _base(seed, rng)
    if poses is not None:
        _constrain(mechanism, poses, rng)
    _TRAITS.get(trait, _nothing)(mechanism, rng)
    _force(mechanism, rng, stiff=trait == "stiff")
    more = np.random.default_rng([seed, 1])
    controllers = add_further(mechanism, poses, more) if further and more.uniform() < 0.5 else ()
    model = mechanism.build()
    start = configuration(model, q) if q is not None else lw.random_configuration(model, rng)
    case = Case(seed, trait, mechanism, {}, {}, controllers)
    if trait == "contradictory":
        return _at_rest(case, start, model)
    moved = lw.integrate(model, start, 0.1 * rng.normal(size=model.nv)) if rng.uniform() < 0.5 else start
    try:
        return _with_state(case, moved, rng.normal(size=model.nv), model)
    except lw.AssemblyError:  # the pose nearby cannot be reached: the drawn one is closed
        return _with_state(case, start, rng.normal(size=model.nv), model)


def _at_rest(case, q, model):
    """Constraints that contradict each other allow no state but that at rest in the drawn pose, at which positions hold."""
    return case._replace(q={j.name: q[j.q_index].tolist() for j in model.joints}, v={j.name: [0.0] * j.nv for j in model.joints})


def _base(seed, rng):
    """(mechanism, coordinates of the drawn pose by joint or None, poses of bodies there or None)."""
    kind = rng.uniform()
    if kind < 0.3:
        return random_mechanism(seed), None, None
    example = random_loops(seed) if kind < 0.8 else ZOO[sorted(ZOO)[rng.integers(len(ZOO))]]()
    return example.mechanism, example.guess, {"ground": lw.Pose(), **example.facts.poses}


# ----------------------------------------------------------------------------------------------------------- constraints


def _constrain(mechanism, poses, rng):
    """Up to two constraints between places that meet in the drawn pose, where joints stand at rest."""
    for k in range(rng.integers(0, 3)):
        names = list(CONSTRAINTS)
        name = names[rng.integers(len(names))]
        a, b = rng.choice(sorted(poses), 2, replace=False)
        at = lw.Pose(rng.uniform(-1.0, 1.0, 3), random_pose(rng).rotation)
        kind, shift = CONSTRAINTS[name](rng)
        places = lw.Place(a, poses[a].inverse() @ at), lw.Place(b, poses[b].inverse() @ at @ shift)
        mechanism.add_constraint(f"{name} {k}", kind, *places)


CONSTRAINTS = {
    "coincident": lambda rng: (lw.Coincident(), lw.Pose()),
    "point on line": lambda rng: (lw.PointOnLine(rng.normal(size=3)), lw.Pose()),
    "point on plane": lambda rng: (lw.PointOnPlane(rng.normal(size=3)), lw.Pose()),
    "parallel axes": lambda rng: (lw.ParallelAxes(), lw.Pose()),
    "same orientation": lambda rng: (lw.SameOrientation(), lw.Pose()),
    "distance": lambda rng: (lw.Distance(0.7), lw.Pose((0.0, 0.7, 0.0))),
    "moving distance": lambda rng: (lw.Distance(CubicSpline(TIMES, [0.7, 0.75, 0.7, 0.6, 0.7, 0.8])), lw.Pose((0.7, 0.0, 0.0))),
    "angle": lambda rng: (lw.Angle((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), lw.Pose()),
    "knife edge": lambda rng: (lw.KnifeEdge(rng.normal(size=3)), lw.Pose()),
    "rolling ball": lambda rng: (lw.RollingBall(0.3), lw.Pose((0.0, 0.0, -0.3))),
    "lock of a turn": lambda rng: (lw.Lock(x=None, y=None, z=None, rx=None, ry=None), lw.Pose()),
}


# ---------------------------------------------------------------------------------------------------------------- forces


def _force(mechanism, rng, stiff):
    """One to four forces of any kind."""
    bodies = ["ground", *(body.name for body in mechanism.bodies)]
    joints = [joint.name for joint in mechanism.joints if joint.kind.nv and not (joint.kind.ball or joint.kind.free)]
    names = list(FORCES)
    for k in range(rng.integers(1, 5)):
        name = names[rng.integers(len(names))]
        kind = FORCES[name].kind
        if stiff and hasattr(kind, "stiffness") and np.isscalar(kind.stiffness):
            kind = dataclasses.replace(kind, stiffness=1e3 * kind.stiffness)
        if on_joints(kind) and joints:
            mechanism.add_force(f"{name} {k}", kind, str(rng.choice(joints)))
        elif not on_joints(kind):
            a, b = rng.choice(bodies, 2, replace=False)
            a, b = (b, a) if a == "ground" else (a, b)
            places = lw.Place(str(a), random_pose(rng)), lw.Place(str(b), random_pose(rng))
            mechanism.add_force(f"{name} {k}", kind, *places[: kind.most])


# ---------------------------------------------------------------------------------------------------------------- traits


def _nothing(mechanism, rng):
    pass


def _hinged(mechanism, rng):
    """A joint with an axis, or None."""
    found = [joint for joint in mechanism.joints if isinstance(joint.kind, (lw.Revolute, lw.Prismatic, lw.Screw))]
    return found[rng.integers(len(found))] if found else None


def _redundant(mechanism, rng, tilt=0.0):
    """A second joint of the same kind on the axis of one that is there, its axis tilted a little if asked for."""
    joint = _hinged(mechanism, rng)
    if joint is None:
        return
    axis = np.array(joint.kind.elements[0].axis, dtype=float)
    shift = lw.Pose(rng.uniform(0.1, 0.5) * axis) @ lw.Pose.exp([*(tilt * np.cross(axis, rng.normal(size=3))), 0.0, 0.0, 0.0])
    places = lw.Place(joint.parent_body, joint.parent_pose @ shift), lw.Place(joint.child_body, joint.child_pose @ shift)
    mechanism.add_joint(f"double of {joint.name}", joint.kind, *places)


def _tilted(mechanism, rng):
    _redundant(mechanism, rng, tilt=10.0 ** rng.uniform(-16.0, -3.0))


def _contradictory(mechanism, rng):
    joint = _hinged(mechanism, rng)
    if joint is not None:
        for k in (0, 1):
            mechanism.add_constraint(f"drive {k}", lw.SpeedDrive(CubicSpline(TIMES, k * np.sin(TIMES))), joint.name)


def _driven(mechanism, rng):
    joint = _hinged(mechanism, rng)
    if joint is not None:
        mechanism.add_constraint("drive", lw.SpeedDrive(CubicSpline(TIMES, 0.5 * np.cos(TIMES))), joint.name)


def _mixed_scale(mechanism, rng):
    """Masses from grains to houses."""
    for body in mechanism.bodies:
        if body.mass:
            scale = 10.0 ** rng.uniform(-5.0, 5.0)
            mechanism.change(body, mass=scale * body.mass, inertia=scale * np.asarray(body.inertia))


_TRAITS = {
    "redundant": _redundant,
    "tilted": _tilted,
    "contradictory": _contradictory,
    "driven": _driven,
    "mixed scale": _mixed_scale,
}
