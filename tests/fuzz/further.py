"""What half of the seeds get beyond places and forces: couplings and drives of joints, users' functions, options of joints, a controller.

It is drawn by a generator of its own, so that the other half of the seeds stay what they were.
"""

import dataclasses
import math

import numpy as np
from scipy.interpolate import CubicSpline

import linkwork as lw

from ..force_cases import cubic, magnet
from ..laws.mechanisms import random_pose

TIMES = np.linspace(0.0, 2.0, 6)
RISE = CubicSpline(TIMES, 0.3 * np.sin(TIMES))  # from 0 on, as joints stand in the drawn pose
RATE = 100.0  # Hz: a sample lies on the grid of every fixed step, so that all ways hold the same


def swing(t):
    """A drive by a plain function, from 0 on."""
    return 0.2 * math.sin(3.0 * t)


def on_egg(poses, t):
    """The first place on an egg around the second that grows: at a distance of 0.5 m along x at t = 0."""
    a, b = poses
    x, y, z = a.p[0] - b.p[0], a.p[1] - b.p[1], a.p[2] - b.p[2]
    u = [b.R[0][i] * x + b.R[1][i] * y + b.R[2][i] * z for i in range(3)]
    return math.sqrt(u[0] ** 2 + 2.0 * u[1] ** 2 + 3.0 * u[2] ** 2 + 1e-4) - math.sqrt(0.25 + 1e-4) - 0.05 * math.sin(t)


def hold(t, q, v):
    """A controller: a spring and a damper, sampled."""
    return -3.0 * q - 0.5 * v


# name: kind of a generator, and how many joint coordinates it is put on. All hold at q = 0.
ON_JOINTS = {
    "gear": (lambda rng: lw.Gear(rng.uniform(-2.0, 2.0)), 2),
    "rack": (lambda rng: lw.Rack(rng.uniform(0.1, 0.5)), 2),
    "screw coupling": (lambda rng: lw.ScrewCoupling(rng.uniform(0.05, 0.3)), 2),
    "coupling": (lambda rng: lw.Coupling(tuple(rng.uniform(0.5, 2.0, 3) * rng.choice((-1.0, 1.0), 3))), 3),
    "drive": (lambda rng: lw.Drive(RISE), 1),
    "drive by a function": (lambda rng: lw.Drive(swing), 1),
    "speed drive by a function": (lambda rng: lw.SpeedDrive(swing), 1),
}
# name: kind, and where the second place stands seen from the first; as CONSTRAINTS of draw.py.
ON_PLACES = {
    "lock": lambda rng: (lw.Lock(), lw.Pose()),
    "moving lock": lambda rng: (lw.Lock(x=RISE, y=None, z=None, rx=None, ry=None, rz=swing), lw.Pose()),
    "nail": lambda rng: (lw.Nail(), lw.Pose()),
    "path": lambda rng: (lw.FollowPath((RISE, 0.0, swing)), lw.Pose()),
    "height": lambda rng: (lw.PointOnPlane(rng.normal(size=3), height=RISE), lw.Pose()),
    "moving angle": lambda rng: (
        lw.Angle((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), angle=CubicSpline(TIMES, 0.5 * np.pi + 0.2 * np.sin(TIMES))),
        lw.Pose(),
    ),
    "rolling disc": lambda rng: (lw.RollingDisc(0.3, axis=(0.0, 1.0, 0.0)), lw.Pose((0.0, 0.0, -0.3))),
    "relation": lambda rng: (lw.Relation(on_egg), lw.Pose((0.5, 0.0, 0.0))),
}


def coordinates(mechanism):
    """Coordinates of joints that a law can be put on: a joint, or (joint, degree of freedom)."""
    found = []
    for joint in mechanism.joints:
        if not (joint.kind.ball or joint.kind.free):
            found += [joint.name] if joint.kind.nv == 1 else [(joint.name, k) for k in range(joint.kind.nv)]
    return found


def add_further(mechanism, poses, rng):
    """One or two of the things of this file; returns controllers. `poses`: of bodies in the drawn pose, None for trees."""
    controllers = ()
    for k in range(rng.integers(1, 3)):
        kind = rng.integers(8)
        if kind < 3:
            _couple(mechanism, k, rng)
        elif kind < 5 and poses is not None:
            _hold(mechanism, k, poses, rng)
        elif kind < 6:
            _user_force(mechanism, k, rng)
        elif kind < 7:
            controllers = _control(mechanism, rng)
        else:
            _limit(mechanism, rng)
    return controllers


def _couple(mechanism, k, rng):
    name = list(ON_JOINTS)[rng.integers(len(ON_JOINTS))]
    kind, count = ON_JOINTS[name]
    there = coordinates(mechanism)
    if len(there) >= count:
        mechanism.add_constraint(f"{name} of joints {k}", kind(rng), *(there[i] for i in rng.choice(len(there), count, replace=False)))


def _hold(mechanism, k, poses, rng):
    name = list(ON_PLACES)[rng.integers(len(ON_PLACES))]
    a, b = (str(body) for body in rng.choice(sorted(poses), 2, replace=False))
    a, b = (b, a) if a == "ground" else (a, b)
    at = lw.Pose(rng.uniform(-1.0, 1.0, 3), random_pose(rng).rotation)
    kind, shift = ON_PLACES[name](rng)
    mechanism.add_constraint(
        f"{name} of places {k}", kind, lw.Place(a, poses[a].inverse() @ at), lw.Place(b, poses[b].inverse() @ at @ shift)
    )


def _user_force(mechanism, k, rng):
    there = coordinates(mechanism)
    if rng.uniform() < 0.5 and there:
        mechanism.add_force(f"cubic {k}", cubic(k=rng.uniform(1.0, 10.0)), there[rng.integers(len(there))])
        return
    a, b = rng.choice(["ground", *(body.name for body in mechanism.bodies)], 2, replace=False)
    mechanism.add_force(f"magnet {k}", magnet(strength=0.1), *(lw.Place(str(body), random_pose(rng)) for body in (a, b)))


def _control(mechanism, rng):
    there = [joint.name for joint in mechanism.joints if joint.kind.nv and not (joint.kind.ball or joint.kind.free)]
    return (lw.controller(hold, rate=RATE, joints=[there[rng.integers(len(there))]])(),) if there else ()


def _limit(mechanism, rng):
    """Damping, dry friction and stops of a joint's own."""
    there = [joint for joint in mechanism.joints if joint.kind.nv and not (joint.kind.ball or joint.kind.free)]
    if not there:
        return
    joint = there[rng.integers(len(there))]
    options = ({"damping": 0.5}, {"friction": 0.3}, {"lower": -rng.uniform(0.05, 0.5), "upper": rng.uniform(0.05, 0.5)})[rng.integers(3)]
    mechanism.change(joint, kind=dataclasses.replace(joint.kind, **options))
