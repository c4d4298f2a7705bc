"""Six numbers as a joint of one degree of freedom, and back.

A spatial axis s = [w; v], in the frame of the joint, says how the child moves per unit of q: exp(s q). With |w| = 1 it is a screw

    direction w,   pitch h = w . v,   through the point r = w x v nearest the frame's origin

and exp(s q) = T(r) exp([w; h w] q) T(-r): a joint on the axis itself whose frames, on both sides, are shifted by r. With w = 0 it is a slide
along v. The length of w, or of v, does not count: q is an angle in rad, or a length in m.
"""

import numpy as np

import linkwork as lw

from .errors import RefusedError

SHORTEST = 1e-9  # axes of a smaller length have no direction
STRAIGHT = 1e-12  # m/rad: a pitch below this is that of a hinge


def joint_of(six):
    """(joint kind, r) of a spatial axis."""
    w, v = np.array(six[:3]), np.array(six[3:])
    turn, slide = float(np.linalg.norm(w)), float(np.linalg.norm(v))
    if turn > SHORTEST:
        w, v = w / turn, v / turn
        pitch, r = float(w @ v), np.cross(w, v)
        axis = tuple(w.tolist())
        return (lw.Screw(axis, pitch) if abs(pitch) > STRAIGHT else lw.Revolute(axis)), r
    if turn:
        raise RefusedError(f"the angular part of -s has length {turn:g}; allowed is 0, or more than {SHORTEST:g}; give 0 0 0 for a slide")
    if slide > SHORTEST:
        return lw.Prismatic(tuple((v / slide).tolist())), np.zeros(3)
    raise RefusedError("-s has no direction; allowed are six numbers, angular then linear, not all 0; 0 0 1 0 0 0 is a hinge about z")


def axis_of(kind, r):
    """The spatial axis of a joint kind of one degree of freedom whose frames are shifted by r; None for other kinds."""
    if kind.nv != 1 or kind.elements is None:
        return None
    (element,) = kind.elements
    w, v = np.array(element.axis) * element.turn, np.array(element.axis) * element.slide
    return (*w, *(v + np.cross(r, w)))
