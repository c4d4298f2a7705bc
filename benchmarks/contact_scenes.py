"""Scenes of bodies that touch, built for Linkwork; contact_mujoco.py gives the same to MuJoCo.

Each function returns a mechanism and the configurations from which it is timed: `moving`, while contacts come and go, and `resting`, after it has settled.
Lengths in m, masses in kg.
"""

import sys
from pathlib import Path

import numpy as np

import linkwork as lw

FRICTION = 0.8
DENSITY = 1000.0


def _on_floor(name):
    m = lw.Mechanism(name)
    m.surface = lw.Surface(friction=FRICTION)
    m.add_floor()
    return m


def box():
    """A cube of 0.2 m that falls on an edge, rocks and comes to rest on its face."""
    m = _on_floor("box on plane")
    m.add_body("box", shape=lw.Box(0.2, 0.2, 0.2), density=DENSITY)
    return m, {"box": lw.Pose.from_rpy(0.3, 0.2, 0.0, (0, 0, 0.25))}


def stack(count):
    """Boxes of 0.2 m one upon the other, dropped from 1 mm above each other."""
    m, poses = _on_floor(f"stack of {count}"), {}
    for k in range(count):
        m.add_body(f"box {k}", shape=lw.Box(0.2, 0.2, 0.2), density=DENSITY)
        poses[f"box {k}"] = lw.Pose((0, 0, 0.1 + k * 0.201 + 0.001))
    return m, poses


def wall(columns=8, rows=8):
    """A wall of bricks in running bond, with half bricks at its ends, that stands from the start: its bricks touch those below them."""
    m, poses = _on_floor(f"wall {columns}x{rows}"), {}
    for row in range(rows):
        bricks = [(0.202 * column, 0.2) for column in range(columns)]
        if row % 2 == 1:
            end = 0.202 * (columns - 1)
            bricks = [(-0.0505, 0.099), *((x + 0.101, 0.2) for x, _ in bricks[:-1]), (end + 0.0505, 0.099)]
        for k, (x, length) in enumerate(bricks):
            name = f"brick {row} {k}"
            m.add_body(name, shape=lw.Box(length, 0.1, 0.1), density=DENSITY)
            poses[name] = lw.Pose((x, 0, 0.05 + 0.1 * row))
    return m, poses


def _capsule(m, name, radius, start, end):
    """A body that is a capsule from one point to another, its frame in the start of it, parallel to the world."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    along = end - start
    length = float(np.linalg.norm(along))
    z = along / length
    x = np.cross((0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0), z)
    x /= np.linalg.norm(x)
    pose = lw.Pose(0.5 * along, np.column_stack((x, np.cross(z, x), z)))
    return m.add_body(name, shape=lw.Capsule(radius, length, at=pose), density=DENSITY)


def ant():
    """A ball on four legs of two capsules each (8 hinges, a free base), dropped on its feet; the hinges are damped."""
    m, poses = _on_floor("ant"), {}
    m.add_body("torso", shape=lw.Sphere(0.25), density=DENSITY * 0.1)
    poses["torso"] = lw.Pose((0, 0, 0.75))
    for k in range(4):
        outward = np.array([np.cos(np.pi * (0.25 + 0.5 * k)), np.sin(np.pi * (0.25 + 0.5 * k)), 0.0])
        across = np.cross((0, 0, 1), outward)
        hip = _capsule(m, f"leg {k}", 0.08, (0, 0, 0), 0.4 * outward)
        foot = _capsule(m, f"foot {k}", 0.08, (0, 0, 0), 0.55 * outward - np.array([0, 0, 0.55]))
        m.add_joint(f"hip {k}", lw.Revolute((0, 0, 1), damping=1.0, armature=0.05), m.body("torso").at(0.28 * outward), hip)
        m.add_joint(f"ankle {k}", lw.Revolute(tuple(across), damping=1.0, armature=0.05), hip.at(0.4 * outward), foot)
    return m, poses


# Of the humanoid: body, parent, where on the parent, to where its capsule goes, radius, axes of its hinges.
LIMBS = (
    ("lower waist", "torso", (0, 0, -0.26), (0, 0.06, 0), 0.06, ((0, 0, 1), (0, 1, 0))),
    ("pelvis", "lower waist", (0, 0, -0.165), (0, 0.07, 0), 0.09, ((1, 0, 0),)),
    *(
        row
        for side, s in (("right", -1.0), ("left", 1.0))
        for row in (
            (f"{side} thigh", "pelvis", (0, 0.1 * s, -0.04), (0, 0.01 * s, -0.34), 0.06, ((1, 0, 0), (0, 0, 1), (0, 1, 0))),
            (f"{side} shin", f"{side} thigh", (0, 0.01 * s, -0.403), (0, 0, -0.3), 0.049, ((0, 1, 0),)),
            (f"{side} foot", f"{side} shin", (0, 0, -0.39), (0.18, 0, 0), 0.027, ((0, 1, 0), (1, 0, 0.5))),
            (f"{side} upper arm", "torso", (0, 0.17 * s, 0.06), (0.16, 0.16 * s, -0.16), 0.04, ((2, s, 1), (0, -1, s))),
            (f"{side} lower arm", f"{side} upper arm", (0.18, 0.18 * s, -0.18), (0.17, -0.17 * s, 0.17), 0.031, ((0, -1, s),)),
        )
    ),
)


def humanoid(m=None, prefix="", at=(0.0, 0.0, 1.0)):
    """A torso, a head and limbs of capsules with 21 hinges and a free base, dropped flat: it ends up lying."""
    m, poses = m or _on_floor("humanoid"), {}
    torso = m.add_body(
        f"{prefix}torso",
        shape=lw.Capsule(0.07, 0.14, at=lw.Pose.from_rpy(np.pi / 2, 0, 0)),
        density=DENSITY,
        collisions=(lw.Capsule(0.07, 0.14, at=lw.Pose.from_rpy(np.pi / 2, 0, 0)), lw.Sphere(0.09, at=lw.Pose((0, 0, 0.19)))),
    )
    poses[torso.name] = lw.Pose.from_rpy(0.0, np.pi / 2 - 0.2, 0.1, at)
    for name, parent, where, to, radius, axes in LIMBS:
        previous = m.body(f"{prefix}{parent}").at(*where)
        limb = _capsule(m, f"{prefix}{name}", radius, (0, 0, 0), to)
        for k, axis in enumerate(axes[:-1]):
            between = m.add_body(f"{prefix}{name} {k}", mass=0.05, inertia=(1e-4, 1e-4, 1e-4))
            m.add_joint(f"{prefix}{name} hinge {k}", _hinge(axis), previous, between)
            previous = between.at()
        m.add_joint(f"{prefix}{name} hinge", _hinge(axes[-1]), previous, limb)
    return m, poses


def _hinge(axis):
    return lw.Revolute(tuple(np.asarray(axis, float) / np.linalg.norm(axis)), damping=1.0, armature=0.01)


def humanoids(count=22):
    """Humanoids that fall beside each other."""
    m, poses = _on_floor(f"{count} humanoids"), {}
    for k in range(count):
        poses |= humanoid(m, f"{k} ", (2.0 * (k % 5), 2.0 * (k // 5), 1.0))[1]
    return m, poses


SCENES = {
    "box on plane": box,
    "stack of 5": lambda: stack(5),
    "stack of 10": lambda: stack(10),
    "ant": ant,
    "humanoid": humanoid,
    "22 humanoids": humanoids,
    "wall 8x8": wall,
}
STANDS = ("wall 8x8",)  # these are at rest from the start: there is nothing to fall

FOLDED = {"HAA": 0.0, "HFE": 0.6, "KFE": -1.2}  # rad, of the front legs; the hind legs bend the other way


def anymal():
    """(model, q): ANYmal a hand's breadth above the floor, its joints held by springs."""
    folder = next(Path(p) / "cmeel.prefix/share/example-robot-data/robots" for p in sys.path if (Path(p) / "cmeel.prefix").is_dir())
    m = lw.read(str(folder / "anymal_b_simple_description/robots/anymal.urdf"), root="floating", mimics=False)
    m.add_floor(surface=lw.Surface(friction=FRICTION))
    angles = {}
    for joint in m.joints:
        for name, angle in FOLDED.items():
            if joint.name.endswith(name):
                angles[joint.name] = angle if joint.name[1] == "F" else -angle
                m.add_force(f"{joint.name} spring", lw.JointSpring(stiffness=400.0, damping=10.0, rest=angles[joint.name]), joint.name)
    model = m.build()
    q = lw.neutral(model)
    for info in model.joints:
        if info.name in angles:
            q[info.q_index] = angles[info.name]
        elif isinstance(info.kind, lw.Free):
            q[info.q_index] = [0, 0, 0.5, 1, 0, 0, 0]
    return model, q
