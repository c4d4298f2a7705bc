"""Random spatial mechanisms with loops, each determined by a seed: every joint kind, in the tree and in the loops, any axes and places.

A random tree on the ground, or one that floats, is given extra joints between bodies that are connected already. Most of those leave
much freedom, so that most mechanisms can move; some are doubles of a joint on its own axis, which add redundant rows and take
nothing; a few are welds and hinges that lock what they close.
"""

import numpy as np

import linkwork as lw

from .laws.mechanisms import KINDS, random_pose
from .zoo_assembly import Drawing

LOOSE = ("spherical", "spherical", "universal", "planar", "translational", "cylindrical", "crane", "free")
TIGHT = ("revolute", "prismatic", "screw", "cam", "weld")
# What may stand twice on one axis, and the directions along which it can be shifted without changing the motion.
DOUBLED = (lw.Revolute, lw.Prismatic, lw.Screw, lw.Cylindrical)


def random_loops(seed):
    """The mechanism of a seed. Facts of freedom are not known (None), except whether it floats; all loops are closed at rest."""
    drawing = Drawing(f"random loops {seed}", lw.Pose())
    rng = drawing.rng
    gravity = rng.normal(size=3)
    drawing.mechanism.gravity = tuple(10.0 * gravity / np.linalg.norm(gravity))
    floating = rng.uniform() < 0.25
    bodies = [drawing.root("body 0", rng.uniform(-1.0, 1.0, 3))] if floating else [drawing.ground]
    moving = [kind for kind in KINDS if kind != "weld"]
    kinds = [*rng.choice(moving, 2), *rng.choice(list(KINDS), rng.integers(2, 6))]
    for k, kind in enumerate(kinds):
        body = drawing.body(f"body {k + floating}", rng.uniform(-1.0, 1.0, 3))
        _join(drawing, f"{kind} {k}", KINDS[kind](rng), bodies[rng.integers(len(bodies))], body)
        bodies.append(body)
    for k in range(rng.integers(1, 4)):
        _close(drawing, k, bodies)
    return drawing.done(None, None, floating=floating)


def _join(drawing, name, kind, a, b):
    """A joint somewhere around, declared either way."""
    rng = drawing.rng
    if rng.uniform() < 0.4:
        a, b = b, a
    at = lw.Pose(rng.uniform(-1.0, 1.0, 3), random_pose(rng).rotation)
    drawing.join(name, kind, a, b, at)


def _close(drawing, k, bodies):
    rng = drawing.rng
    if rng.uniform() < 0.25 and _double(drawing, k):
        return
    for _ in range(6):  # most of the loops that have too little freedom to move are drawn anew
        name = rng.choice(LOOSE if rng.uniform() < 0.8 else TIGHT)
        a, b = (bodies[i] for i in rng.choice(len(bodies), 2, replace=False))
        kind = KINDS[name](rng)
        if kind.nv + _freedom_between(drawing.mechanism, a, b) > 6:
            break
    _join(drawing, f"loop {k} {name}", kind, a, b)


def _freedom_between(mechanism, a, b):
    """The sum of the joints' freedom on a way from a to b."""
    known = {a.name: 0}
    while b.name not in known:
        for joint in mechanism.joints:
            ends = joint.parent_body, joint.child_body
            for near, far in (ends, ends[::-1]):
                if near in known and far not in known:
                    known[far] = known[near] + joint.kind.nv
    return known[b.name]


def _double(drawing, k):
    """Another joint of the same kind on the axis of one that is there, some way along it; False if none has an axis."""
    candidates = [joint for joint in drawing.mechanism.joints if isinstance(joint.kind, DOUBLED)]
    if not candidates:
        return False
    joint = candidates[drawing.rng.integers(len(candidates))]
    shift = lw.Pose(drawing.rng.uniform(0.1, 0.5) * np.array(joint.kind.elements[0].axis))
    drawing.mechanism.add_joint(
        f"loop {k} double of {joint.name}",
        joint.kind,
        lw.Place(joint.parent_body, joint.parent_pose @ shift),
        lw.Place(joint.child_body, joint.child_pose @ shift),
    )
    return True
