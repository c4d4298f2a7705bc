"""Forces and constraints as signs: what acts along a joint sits on its hub, what acts between two places spans them.

spring and damper      a coil, a dashpot           string      a line that hangs while it is slack
distance               a thin rod with ball ends   nail        a nail                gear, rack    toothed wheels
motor, drive           a housing                   brake       a disc                jet           a nozzle
spring on a joint      a coil around its hub       friction, damping, stops          rings and blocks
rolling                a ring on the ground        plane, line, path                 a plate, a bar, beads
"""

import numpy as np

from .colours import BRAKE, BRASS, DRIVE, GRAPHITE, PIN, RUBBER, RULE, SPRING, STEEL
from .joints import Z
from .pieces import CONSTRAINTS, FORCES, Piece, Tie
from .turns import along

_EYE = np.eye(3)
STRING_SPANS = 10


def law_pieces(part, group, places, hubs, r):
    """Pieces and ties of a force or a constraint. places: [(body, pose)] of its two places, or none; hubs: [(joint, body, pose, axis, half)]."""
    name = type(part.kind).__name__
    if hubs:
        return _on_joints(part, group, name, hubs, r), []
    if len(places) < 2:
        return [], []
    maker = _BETWEEN.get(name)
    return maker(part, group, places, r) if maker is not None else _tag(part, group, places, r)


def _on_joints(part, group, name, hubs, r):
    made = []
    for rank, (body, pose, axis, half) in enumerate(hubs):
        items = _JOINT_SIGNS.get(name, _collar)(r, max(half, 2.3 * r), rank)
        turn = pose.rotation @ along(tuple(axis))
        made += [
            Piece(group, mesh, body, turn, turn @ (0.0, 0.0, z) + pose.translation, scale, color, part.name)
            for mesh, z, scale, color in items
        ]
    return made


def _housing(r, half, rank):
    return [
        ("rod", -half - 3.2 * r, (3.0 * r, 3.0 * r, 5.0 * r), DRIVE),
        ("disc", -half - 6.0 * r, (2.4 * r, 2.4 * r, 1.2 * r), GRAPHITE),
        ("disc", -half - 0.4 * r, (2.2 * r, 2.2 * r, 0.8 * r), GRAPHITE),
    ]


def _wheel(r, half, rank):
    size = (4.4 if rank == 0 else 3.4) * r
    return [("gear", half + 1.4 * r, (size, size, 1.3 * r), RULE)]


def _hub_coil(r, half, rank):
    return [("coil", 0.0, (2.7 * r, 2.7 * r, 2.6 * half), SPRING)]


def _collar(r, half, rank):
    return [("ring", half, (2.3 * r, 2.3 * r, 2.3 * r), BRASS)]


def _stops(r, half, rank):
    return [("ring", side * half, (2.2 * r, 2.2 * r, 2.2 * r), BRAKE) for side in (-1, 1)]


def _damper_ring(r, half, rank):
    return [("disc", 0.0, (2.5 * r, 2.5 * r, 1.6 * r), STEEL)]


def _friction_ring(r, half, rank):
    return [("disc", 0.0, (2.6 * r, 2.6 * r, 1.0 * r), BRAKE)]


_JOINT_SIGNS = {
    "Drive": _housing,
    "SpeedDrive": _housing,
    "JointTable": _housing,
    "Gear": _wheel,
    "Rack": _wheel,
    "ScrewCoupling": _wheel,
    "Coupling": _wheel,
    "JointSpring": _hub_coil,
    "JointDamper": _damper_ring,
    "JointFriction": _friction_ring,
    "LimitStop": _stops,
}

# ---- between two places


def _tie(part, group, mesh, places, radius, color, **more):
    (a, A), (b, B) = places
    return Tie(group, mesh, a, A.translation, b, B.translation, radius, color, part.name, **more)


def _spring(part, group, places, r):
    kind = part.kind
    length = kind.length or 0.0
    radius = min(max(0.1 * length, 1.7 * r), 4.0 * r)
    ties = [_tie(part, group, "coil", places, radius, SPRING)] if kind.stiffness > 0.0 else []
    if kind.damping > 0.0:
        body = 0.5 * length if length > 0.0 else 8.0 * r
        ties.append(_tie(part, group, "rod", places, 0.5 * radius, STEEL, start=(0.12, 0.0, 1.0), stop=(0.0, body, 0.62)))
        ties.append(_tie(part, group, "rod", places, 0.22 * radius, PIN, start=(0.0, 0.5 * body, 0.4), stop=(0.88, 0.0, 1.0)))
        if kind.stiffness <= 0.0:
            ties.append(_tie(part, group, "rod", places, 0.2 * radius, SPRING))
    return _eyes(part, group, places, 0.9 * r, GRAPHITE), ties


def _eyes(part, group, places, radius, color):
    return [Piece(group, "ball", body, _EYE, pose.translation, (radius,) * 3, color, part.name) for body, pose in places]


def _string(part, group, places, r):
    ties = []
    for k in range(STRING_SPANS):
        start, stop = ((share, 0.0, 1.0) for share in (k / STRING_SPANS, (k + 1) / STRING_SPANS))
        ties.append(_tie(part, group, "rod", places, 0.38 * r, RUBBER, start=start, stop=stop, slack=part.kind.length))
    return _eyes(part, group, places, 0.9 * r, GRAPHITE), ties


def _stay(part, group, places, r):
    return _eyes(part, group, places, 1.3 * r, RULE), [_tie(part, group, "rod", places, 0.45 * r, RULE)]


def _beads(part, group, places, r):
    shares = [(k + 0.35) / 8 for k in range(8)], [(k + 0.65) / 8 for k in range(8)]
    ties = [
        _tie(part, group, "rod", places, 0.3 * r, RULE if group == CONSTRAINTS else SPRING, start=(a, 0.0, 1.0), stop=(b, 0.0, 1.0))
        for a, b in zip(*shares, strict=True)
    ]
    return _eyes(part, group, places, 0.8 * r, GRAPHITE), ties


def _at(part, group, place, mesh, axis, shift, scale, color):
    body, pose = place
    turn = pose.rotation @ along(tuple(axis))
    return Piece(group, mesh, body, turn, turn @ (0.0, 0.0, shift) + pose.translation, scale, color, part.name)


def _nail(part, group, places, r):
    shaft = _at(part, group, places[0], "cone", (0.0, 0.0, -1.0), -1.4 * r, (0.7 * r, 0.7 * r, 6.0 * r), STEEL)
    return [shaft, _at(part, group, places[0], "disc", Z, 4.4 * r, (1.7 * r, 1.7 * r, 0.7 * r), RULE)], []


def _point_on_plane(part, group, places, r):
    normal = getattr(part.kind, "normal", Z)
    plate = _at(part, group, places[1], "box", normal, 0.0, (12.0 * r, 12.0 * r, 0.3 * r), RULE)
    return [plate, *_eyes(part, group, places[:1], 1.4 * r, RULE)], []


def _point_on_line(part, group, places, r):
    axis = getattr(part.kind, "axis", Z)
    bar = _at(part, group, places[1], "rod", axis, 0.0, (0.45 * r, 0.45 * r, 26.0 * r), RULE)
    return [bar, *_eyes(part, group, places[:1], 1.5 * r, RULE)], []


def _parallel(part, group, places, r):
    axes = [getattr(part.kind, f"axis_{letter}", Z) for letter in "ab"]
    return [
        _at(part, group, place, "rod", axis, 0.0, (0.35 * r, 0.35 * r, 9.0 * r), RULE) for place, axis in zip(places, axes, strict=True)
    ], []


def _rolling(part, group, places, r):
    kind = part.kind
    axis = getattr(kind, "axis", None)
    if axis is None:
        return [_at(part, group, places[0], "ring", Z, 0.0, (kind.radius, kind.radius, 4.0 * r), RULE)], []
    return [_at(part, group, places[0], "ring", axis, 0.0, (kind.radius, kind.radius, 3.0 * r), RULE)], []


def _knife(part, group, places, r):
    return [_at(part, group, places[0], "disc", part.kind.direction, 0.0, (3.0 * r, 3.0 * r, 0.3 * r), RULE)], []


def _motor(part, group, places, r):
    made, kind = [], part.kind
    place = places[0]
    if any(kind.torque):
        for mesh, z, scale, color in _housing(r, 2.3 * r, 0):
            made.append(_at(part, group, place, mesh, kind.torque, z, scale, color))
    if any(kind.force):
        made.append(_at(part, group, place, "cone", kind.force, -2.0 * r, (2.0 * r, 2.0 * r, 4.0 * r), DRIVE))
        made.append(_at(part, group, place, "disc", kind.force, -4.2 * r, (2.3 * r, 2.3 * r, 0.8 * r), GRAPHITE))
    return made or _eyes(part, group, places[:1], 1.6 * r, DRIVE), []


def _brake(part, group, places, r):
    return [_at(part, group, places[0], "disc", part.kind.axis or Z, 0.0, (3.0 * r, 3.0 * r, 1.0 * r), BRAKE)], []


def _torsion(part, group, places, r):
    return [_at(part, group, places[0], "coil", part.kind.axis or Z, 0.0, (2.4 * r, 2.4 * r, 6.0 * r), SPRING)], []


def _bushing(part, group, places, r):
    return [_at(part, group, places[0], "ring", Z, 0.0, (2.2 * r, 2.2 * r, 6.0 * r), SPRING)], []


def _support(part, group, places, r):
    return _eyes(part, group, places[:1], 1.2 * r, BRASS), []


def _tag(part, group, places, r):
    """A law without a sign of its own."""
    color = RULE if group == CONSTRAINTS else BRASS
    return [Piece(group, "gem", body, _EYE, pose.translation, (1.7 * r,) * 3, color, part.name) for body, pose in places[:1]], []


_BETWEEN = {
    "SpringDamper": _spring,
    "RubberString": _string,
    "Distance": _stay,
    "Attraction": _beads,
    "Angle": _parallel,
    "Nail": _nail,
    "Coincident": _nail,
    "Lock": _nail,
    "PointOnPlane": _point_on_plane,
    "PointOnLine": _point_on_line,
    "ParallelAxes": _parallel,
    "RollingDisc": _rolling,
    "RollingBall": _rolling,
    "KnifeEdge": _knife,
    "Load": _motor,
    "Motor": _motor,
    "Brake": _brake,
    "TorsionSpring": _torsion,
    "Bushing": _bushing,
    "StickSlip": _support,
    "Support": _support,
}
GROUP_OF = {"force": FORCES, "constraint": CONSTRAINTS}
