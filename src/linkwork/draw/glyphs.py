"""Joints as small signs that one recognises, and the feet of those that stand on the ground.

    hinge         a hub with its pin               ball         a ball
    slide         a square sleeve                  universal    a cross
    cylinder      a tube with two collars          screw        a tube with a thread
    plane         a plate                          slides in space: a cube          custom: an octahedron

Sizes are in units of r, the radius of the rods around. Each sign stands in frame F of its joint, or in M where its part moves with the child.
"""

import math

import numpy as np

from .shade import GRAPHITE, GROUND, PAPER
from .solids import Solid, along, ball, box, cylinder

_PIN = tuple(0.55 * a + 0.45 * b for a, b in zip(GRAPHITE, PAPER, strict=True))


class Sign:
    """What a joint shows: solids as (side, Solid, colour) and lines as (side, points, colour); side "F" or "M"."""

    def __init__(self):
        self.solids, self.lines = [], []

    def put(self, side, solid, axis=(0.0, 0.0, 1.0), shift=0.0, color=GRAPHITE):
        R = along(axis)
        self.solids.append((side, solid.placed(R, shift * R[:, 2]), color))


def joint_sign(kind, r):
    """The sign of a joint kind; an empty one for welds and free bodies."""
    sign = Sign()
    maker = _MAKERS.get(type(kind).__name__)
    if maker is not None:
        maker(sign, kind, r)
    elif kind.custom:
        sign.put("M", octahedron(2.6 * r))
    elif kind.nv and not kind.free:
        sign.put("M", ball(1.8 * r, 12))
    return sign


def _hinge(sign, kind, r):
    axis = kind.elements[0].axis
    sign.put("F", cylinder(1.9 * r, 4.4 * r, 20), axis)
    for side in (-1, 1):
        sign.put("F", cylinder(0.8 * r, 0.6 * r, 12), axis, side * 2.5 * r, _PIN)


def _slide(sign, kind, r):
    sign.put("F", box(3.2 * r, 3.2 * r, 7.0 * r), kind.elements[0].axis)


def _tube(sign, kind, r):
    axis = kind.elements[0].axis
    sign.put("F", cylinder(1.7 * r, 5.0 * r, 16), axis)
    for side in (-1, 1):
        sign.put("F", cylinder(2.3 * r, 1.0 * r, 16), axis, side * 3.0 * r, _PIN)


def _thread(sign, kind, r):
    axis = kind.elements[0].axis
    sign.put("F", cylinder(1.7 * r, 7.0 * r, 16), axis)
    turns = np.linspace(-8.0 * math.pi, 8.0 * math.pi, 97) / 2.0
    handed = -1.0 if kind.elements[0].slide < 0.0 else 1.0
    thread = np.column_stack([np.cos(turns), handed * np.sin(turns), turns * 3.2 / (4.0 * math.pi * 1.75)]) * 1.75 * r
    sign.lines.append(("F", thread @ along(axis).T, PAPER))


def _ball(sign, kind, r):
    sign.put("M", ball(2.0 * r, 16))


def _cross(sign, kind, r):
    first, second = (element.axis for element in kind.elements)
    sign.put("F", cylinder(0.9 * r, 5.2 * r, 12), first)
    sign.put("M", cylinder(0.9 * r, 5.2 * r, 12), second, color=_PIN)
    sign.put("M", ball(1.35 * r, 12))


def _plate(sign, kind, r):
    sign.put("F", box(10.0 * r, 10.0 * r, 0.5 * r), kind.elements[2].axis, -1.2 * r)
    sign.put("M", cylinder(1.6 * r, 1.9 * r, 16), kind.elements[2].axis)


def _cube(sign, kind, r):
    sign.put("M", box(3.4 * r, 3.4 * r, 3.4 * r))


_MAKERS = {
    "Revolute": _hinge,
    "Prismatic": _slide,
    "Cylindrical": _tube,
    "Screw": _thread,
    "Spherical": _ball,
    "Universal": _cross,
    "Planar": _plate,
    "Translational": _cube,
}


def foot(kind, r, down):
    """What a joint on the ground stands on, in frame F: (Solid, colour). down: a unit vector in F."""
    axis = np.array(kind.elements[0].axis) if type(kind).__name__ == "Revolute" else None
    down = np.asarray(down, dtype=float)
    if not kind.nv:
        return cylinder(3.4 * r, 0.9 * r, 24).placed(along(-down), 0.45 * r * down), GROUND
    if axis is None or abs(axis @ down) > 0.5:
        # A round foot, below the sign.
        return cylinder(3.4 * r, 0.9 * r, 24).placed(along(-down), 2.75 * r * down), GROUND
    down = down - (down @ axis) * axis
    down /= np.linalg.norm(down)
    across = np.cross(axis, down)
    flat = r * np.array([(0.9, -0.4), (-0.9, -0.4), (-3.0, 4.6), (3.0, 4.6)])
    corners = [x * across + y * down + z * axis for z in (-1.3 * r, 1.3 * r) for x, y in flat]
    faces = ((0, 1, 2, 3), (7, 6, 5, 4), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0))
    return outward(Solid(np.array(corners), faces)), GROUND


def octahedron(radius):
    corners = radius * np.concatenate([np.eye(3), -np.eye(3)])
    return outward(Solid(corners, tuple((i, j + 1, k + 2) for i in (0, 3) for j in (0, 3) for k in (0, 3))))


def outward(solid):
    """A convex solid with its faces counter-clockwise from outside, whichever way they were."""
    middle, faces = solid.corners.mean(axis=0), []
    for face in solid.faces:
        a, b, c = solid.corners[list(face[:3])]
        faces.append(face if np.cross(b - a, c - a) @ (a - middle) > 0.0 else face[::-1])
    return Solid(solid.corners, tuple(faces), solid.convex, solid.closed)
