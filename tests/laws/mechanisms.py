"""Families of random mechanisms and states, each determined by a seed: every joint kind, any axes, offsets on both sides.

family        what it holds
tree          one tree on the ground: branches anywhere, some joints declared from child to parent
chain         an unbranched chain on the ground
floating      a tree that nothing holds
forest        several linkages, some on the ground and some floating; a body welded to the ground carries one of them
every kind    a tree on the ground with every joint kind once, half of them declared backwards
light         a tree on the ground of which some inner bodies have no mass
"""

from typing import NamedTuple

import numpy as np

import linkwork as lw

FAMILIES = ("tree", "chain", "floating", "forest", "every kind", "light")

# --------------------------------------------------------------------------------------------------------- custom joints
# NumPy's functions, so that they take complex numbers in plain Python; at the top of the module, so that they can be pickled.


def cam_pose(q):
    """A cam: x = 0.3 sin q, y = 0.1 q, z = 0.2 cos q, turned about z by a = q + 0.3 sin q."""
    half = 0.5 * (q[0] + 0.3 * np.sin(q[0]))
    return 0.3 * np.sin(q[0]), 0.1 * q[0], 0.2 * np.cos(q[0]), np.cos(half), 0.0 * half, 0.0 * half, np.sin(half)


def cam_motion(q):
    a, da = q[0] + 0.3 * np.sin(q[0]), 1.0 + 0.3 * np.cos(q[0])
    c, s = np.cos(a), np.sin(a)
    x, y, z = 0.3 * np.cos(q[0]), 0.1, -0.2 * np.sin(q[0])
    return ((0.0 * a, 0.0 * a, da, c * x + s * y, c * y - s * x, z),)


def cam_rate(q, v):
    a, da, dda = q[0] + 0.3 * np.sin(q[0]), 1.0 + 0.3 * np.cos(q[0]), -0.3 * np.sin(q[0])
    c, s = np.cos(a), np.sin(a)
    x, y = 0.3 * np.cos(q[0]), 0.1
    dx, dz = -0.3 * np.sin(q[0]), -0.2 * np.cos(q[0])
    w = v[0] * v[0]
    return 0.0 * w, 0.0 * w, w * dda, w * (c * dx + da * (c * y - s * x)), w * (-s * dx - da * (c * x + s * y)), w * dz


def crane_pose(q):
    """A crane: turn about z by q0, reach r = 0.2 + 0.1 sin q1 along the new x, turn about it by q1."""
    r = 0.2 + 0.1 * np.sin(q[1])
    c0, s0, c1, s1 = np.cos(0.5 * q[0]), np.sin(0.5 * q[0]), np.cos(0.5 * q[1]), np.sin(0.5 * q[1])
    return r * np.cos(q[0]), r * np.sin(q[0]), 0.0 * r, c0 * c1, c0 * s1, s0 * s1, s0 * c1


def crane_motion(q):
    r, dr = 0.2 + 0.1 * np.sin(q[1]), 0.1 * np.cos(q[1])
    c, s = np.cos(q[1]), np.sin(q[1])
    o = 0.0 * c
    return (o, s, c, o, r * c, -r * s), (1.0 + o, o, o, dr, o, o)


def crane_rate(q, v):
    r, dr, ddr = 0.2 + 0.1 * np.sin(q[1]), 0.1 * np.cos(q[1]), -0.1 * np.sin(q[1])
    c, s = np.cos(q[1]), np.sin(q[1])
    w = v[0] * v[1]
    return 0.0 * w, c * w, -s * w, ddr * v[1] * v[1], (dr * c - r * s) * w, -(dr * s + r * c) * w


# ----------------------------------------------------------------------------------------------------------- joint kinds


def direction(rng):
    """A random direction; its length is no unit, which must not matter."""
    return rng.normal(size=3) + 1e-3


def _drive(rng, nv):
    """Armature for a third of the joints, a geared rotor for another third."""
    third = rng.integers(3)
    if third == 0:
        return {"armature": tuple(rng.uniform(0.01, 0.3, nv))}
    return {"rotor_inertia": 1e-4, "gear_ratio": tuple(rng.uniform(-60.0, 60.0, nv))} if third == 1 else {}


KINDS = {
    "revolute": lambda rng: lw.Revolute(direction(rng), **_drive(rng, 1)),
    "prismatic": lambda rng: lw.Prismatic(direction(rng), **_drive(rng, 1)),
    "screw": lambda rng: lw.Screw(direction(rng), rng.uniform(-0.3, 0.3), **_drive(rng, 1)),
    "cylindrical": lambda rng: lw.Cylindrical(direction(rng), **_drive(rng, 2)),
    "universal": lambda rng: lw.Universal(direction(rng), direction(rng), **_drive(rng, 2)),
    "planar": lambda rng: lw.Planar(direction(rng), direction(rng), **_drive(rng, 3)),
    "translational": lambda rng: lw.Translational(**_drive(rng, 3)),
    "spherical": lambda rng: lw.Spherical(**_drive(rng, 3)),
    "free": lambda rng: lw.Free(**_drive(rng, 6)),
    "weld": lambda rng: lw.Weld(),
    "cam": lambda rng: lw.Custom(1, cam_pose, cam_motion, cam_rate, **_drive(rng, 1)),
    "crane": lambda rng: lw.Custom(2, crane_pose, crane_motion, crane_rate, **_drive(rng, 2)),
}
SINGLE = ("revolute", "prismatic", "screw")


# ------------------------------------------------------------------------------------------------------------ mechanisms


def random_pose(rng, reach=0.4):
    quaternion = rng.normal(size=4)
    return lw.Pose(rng.uniform(-reach, reach, 3), quaternion / np.linalg.norm(quaternion))


def add_random_body(mechanism, name, rng):
    """A body of 0.5 to 3 kg. The moments are sums of second moments of mass, so the triangle inequality holds."""
    mass = rng.uniform(0.5, 3.0)
    a, b, c = mass * rng.uniform(0.005, 0.05, 3)
    R = random_pose(rng).rotation
    return mechanism.add_body(name, mass=mass, com=rng.uniform(-0.3, 0.3, 3), inertia=R @ np.diag((b + c, c + a, a + b)) @ R.T)


def connect(mechanism, name, kind, near, far, rng, backwards):
    """A joint between two bodies at random places on both; backwards: the body nearer to the root is declared the child."""
    places = near.at(random_pose(rng)), far.at(random_pose(rng))
    return mechanism.add_joint(name, kind, *(reversed(places) if backwards else places))


def random_mechanism(seed, family=None, gravity=None):
    """The mechanism of a seed; `family` and `gravity` (a vector of about 10 m/s^2 in any direction) are drawn unless given."""
    rng = np.random.default_rng(seed)
    family = FAMILIES[rng.integers(len(FAMILIES))] if family is None else family
    if gravity is None:
        gravity = direction(rng)
        gravity = tuple(10.0 * gravity / np.linalg.norm(gravity))
    mechanism = lw.Mechanism(f"{family} {seed}", gravity)
    if family == "every kind":
        names = list(rng.permutation(list(KINDS)))
        _grow(mechanism, mechanism.ground, "", names, rng, branching=True, backwards=0.5)
    elif family == "forest":
        _forest(mechanism, rng)
    else:
        kinds = SINGLE if family == "light" else list(KINDS)
        names = [*rng.choice([kind for kind in kinds if kind != "weld"], 1), *rng.choice(kinds, rng.integers(2, 8))]
        root = add_random_body(mechanism, "base", rng) if family == "floating" else mechanism.ground
        _grow(mechanism, root, "", names, rng, branching=family != "chain", backwards=0.3)
    if family == "light":
        _lighten(mechanism, rng)
    for k, body in enumerate([mechanism.ground, *rng.choice(mechanism.bodies, 2)]):
        mechanism.add_frame(f"mark {k}", body.at(random_pose(rng)))
    return mechanism


def _grow(mechanism, root, prefix, kinds, rng, branching, backwards):
    """Hang one body after the other on the tree, each by a joint of the next kind."""
    tree = [root]
    for k, kind in enumerate(kinds):
        near = tree[rng.integers(len(tree))] if branching else tree[-1]
        far = add_random_body(mechanism, f"{prefix}body {k}", rng)
        connect(mechanism, f"{prefix}{kind} {k}", KINDS[kind](rng), near, far, rng, rng.uniform() < backwards)
        tree.append(far)


def _forest(mechanism, rng):
    foundation = add_random_body(mechanism, "foundation", rng)
    connect(mechanism, "bolts", lw.Weld(), mechanism.ground, foundation, rng, rng.uniform() < 0.5)
    moving = [kind for kind in KINDS if kind != "weld"]
    for k in range(rng.integers(2, 5)):
        root = (foundation, mechanism.ground, None)[k % 3]
        if root is None:
            root = add_random_body(mechanism, f"{k} base", rng)
        kinds = [*rng.choice(moving, 1), *rng.choice(list(KINDS), rng.integers(0, 4))]
        _grow(mechanism, root, f"{k} ", kinds, rng, branching=True, backwards=0.3)


def _lighten(mechanism, rng):
    """Take the mass of some bodies but the last, as far as what hangs on them, or a drive, still resists every joint."""
    for body in mechanism.bodies[:-1]:
        if rng.uniform() < 0.5:
            given = {"mass": body.mass, "com": body.com, "inertia": body.inertia}
            mechanism.change(body, mass=None, com=None, inertia=None)
            if mechanism.faults():
                mechanism.change(body, **given)


def reordered(mechanism, seed):
    """The same parts, added in another order. The roots of floating assemblies stay."""
    rng = np.random.default_rng(seed)
    new = lw.Mechanism(mechanism.name, mechanism.gravity)
    for body in rng.permutation(np.array(mechanism.bodies, dtype=object)):
        new.add_body(body.name, mass=body.mass, com=body.com, inertia=body.inertia)
    for joint in rng.permutation(np.array(mechanism.joints, dtype=object)):
        new.add_joint(joint.name, joint.kind, joint.parent, joint.child)
    for frame in rng.permutation(np.array(mechanism.frames, dtype=object)):
        new.add_frame(frame.name, frame.place)
    for edge in lw.spanning_forest(mechanism):
        if edge.joint.automatic:
            new.reroot(edge.child_body_name)
    return new


def with_gravity(mechanism, gravity):
    """The same mechanism in another field."""
    new = mechanism.clone()
    new.gravity = gravity
    return new


# ----------------------------------------------------------------------------------------------------------------- states


class Case(NamedTuple):
    """A model in motion: random positions, velocities (about 1 rad/s, 1 m/s), forces (N m, N) and wrenches on its bodies."""

    mechanism: lw.Mechanism
    model: lw.Model
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    f_ext: np.ndarray


def random_case(seed, family=None, gravity=None, size=None):
    """The mechanism of a seed in a random state, or in a batch of `size` states."""
    mechanism = random_mechanism(seed, family, gravity)
    model = mechanism.build()
    rng = np.random.default_rng(seed + 1)
    lead = () if size is None else (size,)
    q = lw.random_configuration(model, rng, size)
    v, tau = rng.normal(size=(*lead, model.nv)), 3.0 * rng.normal(size=(*lead, model.nv))
    return Case(mechanism, model, q, v, tau, 3.0 * rng.normal(size=(*lead, model.nb, 6)))
