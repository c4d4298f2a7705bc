"""Scenes of contact that several files of laws begin with."""

import numpy as np

import linkwork as lw

G = 9.81


def unit(values):
    return np.array(values, dtype=float) / np.linalg.norm(values)


def floor_world(friction=0.5, restitution=0.0, gravity=(0.0, 0.0, -G)):
    m = lw.Mechanism("world", gravity=gravity)
    m.surface = lw.Surface(friction=friction, restitution=restitution)
    m.add_floor()
    return m


def cube(**world):
    """A cube of 0.1 m on a floor."""
    m = floor_world(**world)
    m.add_body("cube", shape=lw.Box(0.1, 0.1, 0.1), density=1000)
    return m.build()


def four_bar():
    """A linkage of four bars of 0.4 and 0.3 m that is free to fall on a floor, and a pose in which it is a rectangle."""
    m = floor_world(friction=0.4)
    points = np.array([[0, 0, 0], [0.4, 0, 0], [0.4, 0, 0.3], [0, 0, 0.3]], dtype=float)
    lengths = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
    bars = [m.add_body(f"bar {k}", shape=lw.Box(length, 0.03, 0.03), density=2000) for k, length in enumerate(lengths)]
    for k in range(4):
        ends = bars[k].at(lengths[k] / 2, 0, 0), bars[(k + 1) % 4].at(-lengths[(k + 1) % 4] / 2, 0, 0)
        m.add_joint(f"pin {k}", lw.Revolute(axis=(0, 1, 0)), *ends)
    model = m.build()
    q = lw.neutral(model)
    for joint in model.joints:
        if joint.name.startswith("pin"):
            q[joint.q_index] = -np.pi / 2
    return model, q
