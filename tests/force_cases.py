"""Forces of every kind, random states for them to act at, and their laws called as an engine calls them."""

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.kernels import JIT
from linkwork.parts.forces.kind import GIVEN, JOINTS, MARKER, TIME, WRENCHES
from linkwork.spatial.plain import plain

_RANDOM = np.random.default_rng(5)
_ROOT = _RANDOM.normal(size=(6, 6))
FULL = _ROOT @ _ROOT.T * np.outer([3, 3, 3, 40, 40, 40], [3, 3, 3, 40, 40, 40])
_SKEW = np.triu(_RANDOM.normal(size=(6, 6)))
TIMES = (-0.5, 0.2, 0.7, 1.1, 2.0)
ROWS = _RANDOM.normal(size=(5, 6)).tolist()


@dataclass(frozen=True)
class Case:
    """A kind. driven: it acts without storing. damped: it takes energy out of motions. closed: forces and moments add up to zero."""

    kind: Any
    driven: bool = False
    damped: bool = False
    closed: bool = True


CASES = {
    "spring": Case(lw.SpringDamper(120.0, length=0.4)),
    "spring and damper": Case(lw.SpringDamper(120.0, 3.0, 0.4), damped=True),
    "motor": Case(lw.Motor((0.3, -1.0, 0.2), (2.0, 0.5, -1.0)), driven=True),
    "motor in world axes": Case(lw.Motor((0.3, -1.0, 0.2), (2.0, 0.5, -1.0), axes="world"), driven=True),
    "motor in the second axes": Case(lw.Motor((0.3, -1.0, 0.2), (2.0, 0.5, -1.0), axes="b"), driven=True),
    "jet": Case(lw.Motor((0.3, -1.0, 0.2), (2.0, 0.5, -1.0), reaction=False), driven=True, closed=False),
    "load": Case(lw.Load((2.0, 0.5, -1.0)), closed=False),
    "load with a torque": Case(lw.Load((2.0, 0.5, -1.0), (0.3, -1.0, 0.2)), driven=True, closed=False),
    "load that turns with its body": Case(lw.Load((2.0, 0.5, -1.0), (0.3, -1.0, 0.2), "body"), driven=True, closed=False),
    "gravity": Case(lw.Gravity(2.5, (0.4, 0.0, -9.0))),
    "viscous damping": Case(lw.ViscousDamping(3.0, 0.4), damped=True),
    "viscous damping by axes": Case(lw.ViscousDamping((3.0, 0.0, 1.0), (0.1, 0.2, 0.3)), damped=True),
    "support": Case(lw.Support(900.0, 20.0, 0.05), damped=True),
    "support with friction": Case(lw.Support(900.0, 20.0, 0.05, friction=0.7, slip_speed=0.2), damped=True),
    "stick and slip": Case(lw.StickSlip(900.0, 20.0, 0.4, 0.5, slip_speed=0.2), damped=True),
    "brake": Case(lw.Brake(5.0, 2.0, 0.1, 0.2), damped=True),
    "brake along an axis": Case(lw.Brake(5.0, 2.0, 0.1, 0.2, axis=(1.0, 2.0, -0.5)), damped=True),
    "rubber string": Case(lw.RubberString(50.0, 0.3, restitution=0.1, smoothing=0.4), damped=True),
    "one-way spring": Case(lw.RubberString(50.0, 0.3)),
    "torsion spring": Case(lw.TorsionSpring(7.0)),
    "torsion spring and damper": Case(lw.TorsionSpring(7.0, 0.3), damped=True),
    "torsion spring about an axis": Case(lw.TorsionSpring(7.0, axis=(0.2, -1.0, 2.0), rest=0.3)),
    "torsion spring and damper about an axis": Case(lw.TorsionSpring(7.0, 0.3, axis=(0.2, -1.0, 2.0), rest=-0.4), damped=True),
    "bushing": Case(lw.Bushing(FULL)),
    "bushing with damping": Case(lw.Bushing((5.0, 6.0, 7.0, 80.0, 90.0, 100.0), 0.02 * FULL + 0.1 * (_SKEW - _SKEW.T)), damped=True),
    "attraction": Case(lw.Attraction(2.0)),
    "softened repulsion": Case(lw.Attraction(-2.0, softening=0.2)),
    "pull": Case(lw.Pull(80.0, 6.0), damped=True),
    "limited pull": Case(lw.Pull(80.0, 6.0, limit=30.0), damped=True),
    "wrench table": Case(lw.WrenchTable(TIMES, ROWS), driven=True),
    "cubic wrench table": Case(lw.WrenchTable(TIMES, ROWS, "world", interpolation="cubic", outside="zero"), driven=True),
    "joint spring": Case(lw.JointSpring(12.0, rest=0.3)),
    "joint spring and damper": Case(lw.JointSpring(12.0, 0.7, rest=0.3), damped=True),
    "joint damper": Case(lw.JointDamper(0.7), damped=True),
    "joint friction": Case(lw.JointFriction(2.0, 0.1), damped=True),
    "joint friction with stiction": Case(lw.JointFriction(2.0, 0.1, 3.5, 0.4), damped=True),
    "limit stop": Case(lw.LimitStop(400.0, -0.4, 0.5, dissipation=1.5), damped=True),
    "upper limit stop": Case(lw.LimitStop(400.0, upper=0.1)),
    "joint table": Case(lw.JointTable(TIMES, [row[0] for row in ROWS]), driven=True),
    "cubic joint table": Case(lw.JointTable(TIMES, [row[0] for row in ROWS], interpolation="cubic"), driven=True),
}


def on_joints(kind):
    return kind.takes == JOINTS


def state(kind, seed, moving=True):
    """What a law is given: two markers within reach of each other, half a turn at most; or a coordinate."""
    random = np.random.default_rng(seed)
    if on_joints(kind):
        return np.array([*random.uniform(-1.0, 1.0, 2) * (1.0, moving), random.uniform(-0.4, 1.9)])
    R_b = Rotation.random(rng=random).as_matrix()
    turn = random.normal(size=3)
    R_a = R_b @ Rotation.from_rotvec(turn / np.linalg.norm(turn) * random.uniform(0.01, 2.6)).as_matrix()
    motion = random.uniform(-1.0, 1.0, (4, 3)) * moving
    p = random.uniform(-0.5, 0.5, (2, 3))
    t = random.uniform(-0.4, 1.9)
    return np.concatenate([R_a.ravel(), p[0], motion[0], motion[1], R_b.ravel(), p[1], motion[2], motion[3], [t], np.zeros(kind.slots)])


def velocities(given):
    """[w_a, u_a, w_b, u_b], or [v]."""
    return given[1:2] if len(given) < GIVEN else np.concatenate([given[12:18], given[MARKER + 12 : MARKER + 18]])


def moved(given, motion):
    """The same state after a small motion: p + u, exp(w) R; or q + v."""
    new = given.copy()
    if len(given) < GIVEN:
        new[0] += motion[0]
        return new
    for at, (w, u) in ((0, (motion[:3], motion[3:6])), (MARKER, (motion[6:9], motion[9:]))):
        new[at : at + 9] = (Rotation.from_rotvec(w).as_matrix() @ given[at : at + 9].reshape(3, 3)).ravel()
        new[at + 9 : at + 12] += u
    return new


def at_time(given, t):
    new = given.copy()
    new[TIME if len(given) >= GIVEN else 2] = t
    return new


_DOUBLES = ctypes.POINTER(ctypes.c_double)
_NATIVE = ctypes.CFUNCTYPE(None, _DOUBLES, _DOUBLES, _DOUBLES)


def run(address, given, numbers, size):
    """Call a law by its address; returns what it filled in, and the numbers afterwards."""
    arrays = [np.array(given, dtype=float), np.array(numbers, dtype=float), np.full(size, 7.0)]
    if JIT:
        _NATIVE(address)(*(array.ctypes.data_as(_DOUBLES) for array in arrays))
    else:
        address(*arrays)
    return arrays[2], arrays[1]


def size(kind):
    return (2 if on_joints(kind) else WRENCHES) + kind.slots


def evaluated(kind, given):
    """(generalised forces in the order of the velocities, stored energy) by compiled code."""
    out = np.full(size(kind), 7.0)
    if JIT:
        out, _ = run(kind.code("here")[0], given, kind.law_words().view(float), size(kind))
    else:
        kind.code("here")[0](np.array(given, dtype=float), kind.law_given(kind.law_words()), out)
    return results(kind, out)


def results(kind, out):
    """What a law gave, without what it would remember."""
    out = out[: len(out) - kind.slots]
    return out[:-1], out[-1]


def evaluated_plain(kind, given):
    """The same by the plain function."""
    out = np.zeros(size(kind))
    plain(type(kind).law)(given.tolist(), kind.law_given(kind.law_words()), out)
    return results(kind, out)


# ---- kinds of users' functions, at the top of a module, where pickle finds them


@lw.force
def magnet(a, b, t, strength=2.0):
    """Pulls with strength / distance^2."""
    d = b.p[0] - a.p[0], b.p[1] - a.p[1], b.p[2] - a.p[2]
    cube = (d[0] ** 2 + d[1] ** 2 + d[2] ** 2) ** 1.5
    return strength * d[0] / cube, strength * d[1] / cube, strength * d[2] / cube


@lw.force(on="joint", stores=True)
def cubic(q, v, t, k=3.0, c=0.1):
    return -k * q**3 - c * v, k * q**4 / 4


def _lift(a, b, t, strength):
    return 0.0, 0.0, strength


lift = lw.force(_lift)


@lw.controller(rate=500.0, joints=["knee", "hip"], states=1)
def pid(t, q, v, memory, kp=10.0, ki=1.0):
    memory[0] += q[0]
    return -kp * q - v - ki * memory[0]
