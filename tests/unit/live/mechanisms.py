"""Small mechanisms to edit."""

import numpy as np

import linkwork as lw


def pucks(n=2, gravity=(0.0, 0.0, 0.0), seed=1):
    """Floating bodies of different masses that move and turn."""
    random = np.random.default_rng(seed)
    live = lw.Live(lw.Mechanism("pucks", gravity=gravity))
    for k in range(n):
        I = random.uniform(0.05, 0.2)
        live.add_body(
            f"puck {k}",
            mass=random.uniform(0.5, 2.0),
            com=random.normal(size=3) * 0.05,
            inertia=(I, 1.1 * I, 1.2 * I),
            pose=lw.Pose((k, 0.1 * k, 0.0), _quaternion(random)),
            twist=random.normal(size=6),
        )
    return live


def _quaternion(random):
    q = random.normal(size=4)
    return q / np.linalg.norm(q)


def rods(live=None, lengths=(0.2, 0.5, 0.4)):
    """Three rods that float, to be made a four-bar."""
    live = live or lw.Live()
    with live.edit("rods") as m:
        for k, length in enumerate(lengths):
            m.add_body(f"rod {k}", shape=lw.Box(length, 0.03, 0.03), density=2700.0, pose=lw.Pose((0.3 * k, 0, 0.2 + 0.1 * k)))
    return live


def end(live, rod, sign):
    """An end of a rod."""
    return lw.Place(rod, lw.Pose((sign * 0.5 * live.mechanism.body(rod).shape.x, 0, 0)))


def four_bar(live=None):
    """A four-bar put together from floating rods, joint by joint."""
    live = rods(live)
    hinge = lw.Revolute((0, 1, 0))
    live.add_joint("A", hinge, "ground", end(live, "rod 0", -1))
    live.add_joint("B", hinge, end(live, "rod 0", 1), end(live, "rod 1", -1))
    live.add_joint("C", hinge, end(live, "rod 1", 1), end(live, "rod 2", -1))
    live.add_joint("D", hinge, lw.Place("ground", lw.Pose((0.45, 0, 0))), end(live, "rod 2", 1))
    return live


def total_momentum(live):
    """[angular about the origin; linear] of all bodies, from their own velocities and inertias: no use is made of joints."""
    total = np.zeros(6)
    for name, (X, V) in live.moment.bodies().items():
        h = live.model.body(name).inertia.matrix @ V
        linear = X.rotation @ h[3:]
        total += np.concatenate([X.rotation @ h[:3] + np.cross(X.translation, linear), linear])
    return total


def kinetic(live):
    return sum(0.5 * V @ live.model.body(name).inertia.matrix @ V for name, (_, V) in live.moment.bodies().items())


def run(live, seconds, slices=60):
    for _ in range(slices):
        live.advance(seconds / slices)
        assert live.status.ok, str(live.status)
