"""Joints as signs that one recognises from any side, and what they stand on where they are held by the ground.

    hinge          a hub with its pin                 ball        a ball in a ring
    slide          a square sleeve on its rail        universal   a cross of two pins
    cylindrical    a tube with two collars            screw       a tube with a thread
    plane          a plate and a puck                 slides in space: a cube with three stubs
    weld           a bolted plate                     free: three crossed needles         custom: an octahedron

Sizes are in units of r, the radius of rods. Each piece stands in frame F of its joint (on the parent) or in M (on the child).
"""

import math

import numpy as np

from .colours import BRASS, GRAPHITE, PIN, STAND_COLOR, STEEL
from .pieces import JOINTS, STAND, Piece, Tie
from .turns import along

Z = (0.0, 0.0, 1.0)
AXIS_COLORS = ((200, 74, 62), (84, 152, 80), (66, 110, 182))
_EYE = np.eye(3)


def joint_pieces(joint, ends, r, half):
    """Pieces and ties of a joint. ends: {"F": (number of body, pose), "M": ...}; half: half the length of its hub, in m, at least."""
    made = sign(joint.kind, r, half)
    pieces = []
    for side, mesh, R, shift, scale, color in made:
        number, pose = ends[side]
        turn = pose.rotation
        pieces.append(Piece(JOINTS, mesh, number, turn @ R, turn @ shift + pose.translation, scale, color, joint.name))
    ties = []
    elements = joint.kind.elements
    if elements and any(e.slide for e in elements):
        (a, F), (b, M) = ends["F"], ends["M"]
        rail = {"start": (0.0, -2.0 * r, 1.0), "stop": (1.0, 5.0 * r, 1e9)}
        ties.append(Tie(JOINTS, "rod", a, F.translation, b, M.translation, 0.6 * r, STEEL, joint.name, **rail))
    return pieces, ties


def sign(kind, r, half=0.0):
    """[(side, mesh, R, shift, scale, colour)] of a kind of joint."""
    maker = _MAKERS.get(type(kind).__name__)
    if maker is not None:
        return maker(kind, r, half)
    if kind.free:
        return _needles(r)
    if kind.custom:
        return [("M", "gem", _EYE, np.zeros(3), (2.6 * r,) * 3, BRASS)]
    return [("M", "ball", _EYE, np.zeros(3), (1.8 * r,) * 3, GRAPHITE)] if kind.nv else []


def _put(side, mesh, axis, shift, scale, color):
    R = along(tuple(axis))
    return side, mesh, R, shift * R[:, 2], scale, color


def _hinge(kind, r, half):
    axis, h = kind.elements[0].axis, max(2.3 * r, half)
    pins = [_put("F", "disc", axis, side * (h + 0.3 * r), (1.0 * r, 1.0 * r, 0.9 * r), PIN) for side in (-1, 1)]
    return [_put("F", "rod", axis, 0.0, (1.8 * r, 1.8 * r, 2.0 * h), GRAPHITE), *pins]


def _slide(kind, r, half):
    axis = kind.elements[0].axis
    rims = [_put("M", "box", axis, side * 3.2 * r, (4.2 * r, 4.2 * r, 0.9 * r), PIN) for side in (-1, 1)]
    return [
        _put("M", "box", axis, 0.0, (3.4 * r, 3.4 * r, 6.4 * r), GRAPHITE),
        *rims,
        _put("F", "rod", axis, 0.0, (0.6 * r, 0.6 * r, 12.0 * r), STEEL),
    ]


def _tube(kind, r, half):
    axis = kind.elements[0].axis
    rims = [_put("F", "disc", axis, side * 3.0 * r, (2.5 * r, 2.5 * r, 1.1 * r), PIN) for side in (-1, 1)]
    return [_put("F", "rod", axis, 0.0, (1.8 * r, 1.8 * r, 6.0 * r), GRAPHITE), *rims]


def _screw(kind, r, half):
    axis = kind.elements[0].axis
    mesh = "left thread" if kind.elements[0].slide * kind.elements[0].turn < 0.0 else "thread"
    return [
        _put("F", "rod", axis, 0.0, (1.5 * r, 1.5 * r, 7.0 * r), GRAPHITE),
        _put("F", mesh, axis, 0.0, (1.6 * r, 1.6 * r, 6.4 * r), PIN),
    ]


def _ball(kind, r, half):
    return [
        ("M", "ball", _EYE, np.zeros(3), (2.0 * r,) * 3, PIN),
        ("F", "ring", _EYE, np.zeros(3), (2.05 * r, 2.05 * r, 2.6 * r), GRAPHITE),
    ]


def _cross(kind, r, half):
    first, second = (element.axis for element in kind.elements)
    return [
        _put("F", "rod", first, 0.0, (0.85 * r, 0.85 * r, 5.6 * r), GRAPHITE),
        _put("M", "rod", second, 0.0, (0.85 * r, 0.85 * r, 5.6 * r), PIN),
        ("M", "ball", _EYE, np.zeros(3), (1.4 * r,) * 3, GRAPHITE),
    ]


def _plane(kind, r, half):
    axis = kind.elements[2].axis
    return [
        _put("F", "box", axis, -1.4 * r, (11.0 * r, 11.0 * r, 0.6 * r), STEEL),
        _put("M", "disc", axis, -0.1 * r, (1.9 * r, 1.9 * r, 2.0 * r), GRAPHITE),
    ]


def _space(kind, r, half):
    stubs = [_put("F", "rod", tuple(axis), 0.0, (0.55 * r, 0.55 * r, 6.4 * r), PIN) for axis in np.eye(3).tolist()]
    return [("M", "box", _EYE, np.zeros(3), (3.2 * r,) * 3, GRAPHITE), *stubs]


def _bolt(kind, r, half):
    heads = [_put("F", "disc", Z, side * 0.8 * r, (1.1 * r, 1.1 * r, 0.9 * r), PIN) for side in (-1, 1)]
    return [("F", "box", _EYE, np.zeros(3), (3.4 * r, 3.4 * r, 1.0 * r), GRAPHITE), *heads]


def _needles(r):
    return [
        _put("M", "rod", tuple(axis), 0.0, (0.3 * r, 0.3 * r, 7.0 * r), color)
        for axis, color in zip(np.eye(3).tolist(), AXIS_COLORS, strict=True)
    ]


_MAKERS = {
    "Revolute": _hinge,
    "Prismatic": _slide,
    "Cylindrical": _tube,
    "Screw": _screw,
    "Spherical": _ball,
    "Universal": _cross,
    "Planar": _plane,
    "Translational": _space,
    "Weld": _bolt,
}


def foot_pieces(joint, pose, r, down):
    """What a joint on the ground stands on. down: a unit vector in the world."""
    kind, R, p = joint.kind, pose.rotation, pose.translation
    if kind.free:
        return []
    if type(kind).__name__ == "Revolute":
        axis = R @ kind.elements[0].axis
        if abs(axis @ down) < 0.5:
            up = (axis @ down) * axis - down
            up /= math.sqrt(up @ up)
            bracket = np.column_stack([axis, np.cross(up, axis), up])
            return [Piece(STAND, "foot", -1, bracket, p, (r, r, r), STAND_COLOR, joint.name)]
    drop = {0: 0.5, 1: 2.9}.get(kind.nv, 2.6) * r
    turn = along(tuple((-down).tolist()))
    return [Piece(STAND, "disc", -1, turn, p + drop * down, (3.6 * r, 3.6 * r, 1.0 * r), STAND_COLOR, joint.name)]


def reach(axis, at, R, p, low, high):
    """How far a box (from low to high in its own axes, at R, p) reaches along a line, up and down from `at`: the larger of the two, or 0.

    All in the axes of one body; the line misses the box if the span between its planes is empty.
    """
    o, d = R.T @ (at - p), R.T @ axis
    first, last = -math.inf, math.inf
    for k in range(3):
        if abs(d[k]) < 1e-9:
            if not low[k] <= o[k] <= high[k]:
                return 0.0
            continue
        s, t = (low[k] - o[k]) / d[k], (high[k] - o[k]) / d[k]
        first, last = max(first, min(s, t)), min(last, max(s, t))
    return max(abs(first), abs(last)) if first <= last else 0.0
