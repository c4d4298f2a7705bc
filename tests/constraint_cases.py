"""One case for every constraint kind, on a mechanism with joints of all sorts: what tests of kinds and of solvers run over.

`python -m tests.constraint_cases` prints the rows of all cases pickled, for the comparison with plain Python (LINKWORK_JIT=0).
"""

import functools
import math
import pickle
import sys
from typing import Any, NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

import linkwork as lw
from linkwork.constraints.jacobian import constraint_jacobian

TIMES = np.linspace(0.0, 2.0, 6)
SPLINE = CubicSpline(TIMES, [0.3, 0.5, 0.4, 0.2, 0.6, 0.7])
PATH = CubicSpline(TIMES, np.column_stack([np.sin(TIMES), np.cos(TIMES), 0.1 * TIMES**2]))
# Between two breaks of the splines, so that differences see one polynomial.
TIME = 0.6


def swing(t):
    return 0.8 + 0.3 * math.sin(2.0 * t)


def helix(t):
    return np.cos(t), np.sin(t), 0.2 * t


def egg(poses, t):
    """The first place on an egg around the second, which grows."""
    a, b = poses
    x, y, z = a.p[0] - b.p[0], a.p[1] - b.p[1], a.p[2] - b.p[2]
    return math.sqrt(x**2 + 2.0 * y**2 + 3.0 * z**2 + 0.1) - swing(t)


def two_numbers(poses, t):
    """A plane of a that contains the origin of b, and two axes at a moving angle."""
    a, b = poses
    height = dot = 0.0
    for i in range(3):
        height += a.R[i][2] * (b.p[i] - a.p[i])
        dot += a.R[i][0] * b.R[i][1]
    return height, dot - 0.5 * np.cos(t)


class Case(NamedTuple):
    """A kind, what it is put on, and how many rows it has."""

    kind: Any
    on: tuple
    rows: int


HAND, RING, BASE, GROUND = ("hand", (0.1, 0.2, -0.1)), ("ring", (0.0, 0.1, 0.3)), ("base", (0.2, 0.0, 0.1)), ("ground", (0.4, 0.1, 0.2))
CASES = {
    "lock": Case(lw.Lock(), (HAND, RING), 6),
    "lock of one shift and one turn": Case(lw.Lock(x=None, y=None, rx=None, ry=0.3, rz=None), (HAND, GROUND), 2),
    "lock with a turn that follows a law": Case(lw.Lock(x=SPLINE, y=None, rz=swing), (RING, HAND), 5),
    "nail": Case(lw.Nail(), (HAND,), 6),
    "nail that moves": Case(lw.Nail(z=swing, x=0.2, ry=SPLINE), (HAND, RING), 6),
    "coincident": Case(lw.Coincident(), (HAND, RING), 3),
    "point on line": Case(lw.PointOnLine((1.0, 2.0, -1.0)), (HAND, RING), 2),
    "point on plane": Case(lw.PointOnPlane((0.0, -3.0, 1.0)), (HAND, RING), 1),
    "point over plane": Case(lw.PointOnPlane((0.0, 0.0, -1.0), height=SPLINE), (RING, HAND), 1),
    "path of three laws": Case(lw.FollowPath((0.1, SPLINE, swing)), (HAND, RING), 3),
    "path of a spline": Case(lw.FollowPath(PATH), (HAND, GROUND), 3),
    "path of a function": Case(lw.FollowPath(helix), (HAND, RING), 3),
    "parallel axes": Case(lw.ParallelAxes((1.0, 0.0, 0.0), (1.0, 1.0, 0.0)), (HAND, RING), 2),
    "same orientation": Case(lw.SameOrientation(), (RING, HAND), 3),
    "distance": Case(lw.Distance(1.3), (HAND, RING), 1),
    "distance within a chain": Case(lw.Distance(0.9), (HAND, BASE), 1),
    "distance by spline": Case(lw.Distance(SPLINE), (HAND, GROUND), 1),
    "distance by function": Case(lw.Distance(swing), (RING, HAND), 1),
    "angle": Case(lw.Angle((1.0, 0.0, 1.0), (0.0, 1.0, 0.0), angle=0.7), (HAND, RING), 1),
    "angle by spline": Case(lw.Angle(angle=SPLINE), (HAND, RING), 1),
    "angle by function": Case(lw.Angle(angle=swing), (HAND, GROUND), 1),
    "rolling disc": Case(lw.RollingDisc(0.4, axis=(0.0, 1.0, 0.0)), (RING, GROUND), 3),
    "rolling disc on a moving plane": Case(lw.RollingDisc(0.4, normal=(1.0, 1.0, 0.0)), (RING, HAND), 3),
    "rolling ball": Case(lw.RollingBall(0.3), (RING, GROUND), 3),
    "rolling ball on a moving plane": Case(lw.RollingBall(0.3, normal=(1.0, 0.0, 0.2)), (RING, HAND), 3),
    "knife edge": Case(lw.KnifeEdge(), (HAND, GROUND), 1),
    "knife edge on a moving body": Case(lw.KnifeEdge((1.0, 1.0, 0.0)), (RING, HAND), 1),
    "coupling": Case(lw.Coupling((1.0, -2.0, 0.5), target=0.2), ("shoulder", ("sleeve", 0), ("sleeve", 1)), 1),
    "gear": Case(lw.Gear(-3.0, offset=0.1), ("shoulder", ("sleeve", 1)), 1),
    "rack": Case(lw.Rack(0.2), ("shoulder", ("sleeve", 0)), 1),
    "screw coupling": Case(lw.ScrewCoupling(0.05), (("sleeve", 0), ("sleeve", 1)), 1),
    "drive by spline": Case(lw.Drive(SPLINE), ("shoulder",), 1),
    "drive by function": Case(lw.Drive(swing), (("sleeve", 1),), 1),
    "speed drive": Case(lw.SpeedDrive(swing), ("shoulder",), 1),
    "relation": Case(lw.Relation(egg), (HAND, RING), 1),
    "relation of two numbers": Case(lw.Relation(two_numbers, 2), (HAND, RING), 2),
    "relation within a chain": Case(lw.Relation(egg), (BASE, HAND), 1),
    "relation to the world": Case(lw.Relation(two_numbers, rows=2), (HAND, GROUND), 2),
}


def mechanism():
    """An arm of a revolute, a cylindrical and a ball joint, and a ring that floats."""
    m = lw.Mechanism("cases", gravity=(1.0, -2.0, -9.0))
    masses = {"mass": 1.5, "com": (0.1, -0.2, 0.3), "inertia": (0.3, 0.4, 0.35)}
    base, arm, hand = (m.add_body(name, **masses) for name in ("base", "arm", "hand"))
    m.add_body("ring", **masses)
    m.add_joint("shoulder", lw.Revolute((1.0, 2.0, 0.5)), m.ground.at(0.1, 0.2, 0.0), base.at(-0.2, 0.1, 0.1))
    m.add_joint("sleeve", lw.Cylindrical((0.0, 1.0, 1.0)), base.at(0.3, 0.1, 0.2), arm.at(0.0, 0.2, -0.3))
    m.add_joint("wrist", lw.Spherical(), arm.at(0.3, 0.0, 0.1), hand.at(0.1, 0.1, -0.2))
    return m


def with_case(name):
    """The mechanism with one case on it, called by the name of the case."""
    m, case = mechanism(), CASES[name]
    on = case.on
    if case.kind.takes == "places":
        on = [lw.Place(part, lw.Pose(point)) for part, point in case.on]
    m.add_constraint(name, case.kind, *on)
    return m


@functools.cache
def model(name):
    return with_case(name).build()


def states(name, count=5):
    """Random q, v and times, all near TIME: (count, nq), (count, nv), (count,)."""
    rng = np.random.default_rng(7)
    return (
        lw.random_configuration(model(name), rng, count, span=1.0),
        rng.normal(size=(count, model(name).nv)),
        TIME + 0.05 * rng.uniform(-1, 1, count),
    )


def all_rows():
    """{case: phi, phi_dot, J, gamma of two states}."""
    found = {}
    for name in CASES:
        q, v, t = states(name)
        found[name] = [tuple(constraint_jacobian(model(name), q[k], v[k], t[k])) for k in range(2)]
    return found


if __name__ == "__main__":
    sys.stdout.buffer.write(pickle.dumps(all_rows()))
