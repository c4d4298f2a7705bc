"""From a tree of joints to the table of links: the geometry of `build`.

Each joint becomes zero links (weld), one (revolute, prismatic, screw, ball, free, custom) or a chain of links, one for each
factor of its product of exponentials. First every link gets a provisional frame, its joint frame. Then it is turned about its
origin so that z is the joint's axis and x is normal to the axis of the link that follows: this makes the first of the three z-x-z
angles zero for most links; where nothing follows, the third one. Only turns are used, never shifts, so nearly parallel axes do no harm.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from .tables import AXIAL, BALL, CUSTOM, FREE, GENERAL, LINK


@dataclass
class Draft:
    """A link under construction. R, r: its joint frame at q = 0 in the parent's provisional frame."""

    parent: int
    kind: int
    R: np.ndarray
    r: np.ndarray
    axis: np.ndarray
    turn: float
    slide: float
    q: int
    v: int
    nv: int
    backwards: bool = False
    code: int = 0
    m: float = 0.0
    h: np.ndarray = field(default_factory=lambda: np.zeros(3))
    I: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))


Z = np.array([0.0, 0.0, 1.0])
ROUNDING = 4e-16


def drafts_of_joint(parent, place, joint, backwards, q, v, code):
    """The links of one tree joint; `place` = (R, r) of the near joint frame in the parent link's provisional frame.

    Returns the drafts (each one's parent given as `parent`, then as -2 for "the one before").
    """
    R, r = place
    elements = joint.kind.elements
    if elements is None:
        kind = CUSTOM if joint.kind.custom else FREE if joint.kind.free else BALL
        return [Draft(parent, kind, R, r, Z, 1.0, 0.0, q, v, joint.kind.nv, backwards, code)]
    drafts = []
    numbered = list(enumerate(elements))
    for k, element in reversed(numbered) if backwards else numbered:
        # Walking a joint backwards undoes its screws in reverse order: exp(s q)^-1 = exp(-s q).
        axis = np.asarray(element.axis, dtype=float)
        axis = (-axis if backwards else axis) / np.linalg.norm(axis)
        near = (R, r) if not drafts else (np.eye(3), np.zeros(3))
        drafts.append(Draft(-2 if drafts else parent, AXIAL, *near, axis, float(element.turn), float(element.slide), q + k, v + k, 1))
    return drafts


def add_inertia(draft, inertia_ten, R, p):
    """Add a body's ten numbers, given in a frame at (R, p) of the draft's provisional frame."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = (float(x) for x in inertia_ten)
    h = R @ np.array([hx, hy, hz])
    I = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    g = h + m * p
    cross = np.outer(p, h) + np.outer(h, p) + m * np.outer(p, p)
    draft.m += m
    draft.h = draft.h + g
    draft.I = draft.I + I + np.trace(cross) * np.eye(3) - cross


def finish(drafts, armature):
    """(links, generals, turns): the tables, and the rotation from each provisional frame to the final link frame."""
    n = len(drafts)
    links, generals = np.zeros(n, LINK), []
    turns = [np.eye(3)] * n
    for i, draft in enumerate(drafts):
        if draft.kind == AXIAL:
            after = drafts[i + 1] if i + 1 < n and drafts[i + 1].parent == i and drafts[i + 1].kind == AXIAL else None
            near = (turns[draft.parent].T if draft.parent >= 0 else np.eye(3)) @ draft.R
            # Made orthonormal again: rounding would double from link to link along parallel axes.
            turns[i] = _frame(draft.axis, (near.T @ _without_offset(near @ draft.axis))[:, 0])
            x = None if after is None else _normal(draft.axis, after.R @ after.axis)
            if x is not None:  # of the two normals the one that keeps the third angle small, and exactly zero where it can be
                turns[i] = _frame(draft.axis, x if np.dot(x, turns[i][:, 0]) > -0.5 else -x)
    gather, extra = 0, 0
    for i, draft in enumerate(drafts):
        link = links[i]
        link["parent"], link["kind"], link["q"], link["v"], link["nv"] = draft.parent, draft.kind, draft.q, draft.v, draft.nv
        link["follows"] = draft.parent == i - 1 and i > 0
        link["gather"] = -1
        link["general"] = -1
        A = turns[draft.parent] if draft.parent >= 0 else np.eye(3)
        link["r"] = A.T @ draft.r
        R = A.T @ draft.R @ turns[i]
        link["c0"] = link["ca"] = 1.0
        if draft.kind == AXIAL:
            _angles(link, R)
            link["turn"], link["slide"], link["armature"] = draft.turn, draft.slide, armature[draft.v]
        else:
            link["general"], link["extra"] = len(generals), extra
            reflected = np.zeros(6)
            reflected[: draft.nv] = armature[draft.v : draft.v + draft.nv]
            generals.append((R.ravel(), reflected, int(draft.backwards), draft.code))
            extra += extra_slots(draft.nv, draft.kind == CUSTOM)
        T = turns[i]
        I = T.T @ draft.I @ T
        link["shifted"] = bool(np.any(draft.r)) or draft.slide != 0.0
        link["massive"] = draft.m != 0.0 or bool(np.any(draft.h)) or bool(np.any(draft.I))
        link["m"], link["h"], link["I"] = draft.m, T.T @ draft.h, I[np.triu_indices(3)]
    for i in range(n):
        parent = int(links[i]["parent"])
        if parent >= 0 and not links[i]["follows"] and links[parent]["gather"] < 0:
            links[parent]["gather"] = gather
            gather += 1
    return links, np.array(generals, dtype=GENERAL), turns, gather, extra


def extra_slots(nv, custom):
    """Scratch slots of a general link; its layout is described in dynamics/general.py."""
    return 18 + 14 * nv + (13 + 8 * nv + 13 if custom else 0)


def _without_offset(z):
    """Rz(theta0) Rx(alpha) with the given z axis: where no other axis follows, x is free, and this choice makes the third angle zero at q = 0."""
    sa = math.hypot(z[0], z[1])
    c0, s0 = (-z[1] / sa, z[0] / sa) if sa > 1e-15 else (1.0, 0.0)
    if abs(z[0]) <= ROUNDING:  # as _angles will choose
        c0, s0, sa = 1.0, 0.0, -z[1]
    return np.array([[c0, -s0 * z[2], s0 * sa], [s0, c0 * z[2], -c0 * sa], [0.0, sa, z[2]]])


def _normal(z, z_next):
    """The common normal of two axes, or None where they are parallel."""
    x = _cross(z, z_next)
    return None if np.dot(x, x) < 1e-24 else x / np.linalg.norm(x)


def _frame(z, x):
    """A rotation with the given z and x axes."""
    x = x - z * np.dot(z, x)
    x = x / np.linalg.norm(x)
    return np.array([x, _cross(z, x), z]).T


def _cross(a, b):
    # NumPy's own takes twenty times as long for two vectors.
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _angles(link, R):
    """Write R = Rz(theta0) Rx(alpha) Rz(offset) into a link's row. R's third column is (s0 sa, -c0 sa, ca)."""
    zx, zy, zz = R[:, 2]
    sa = np.hypot(zx, zy)
    c0, s0 = 1.0, 0.0
    if abs(zx) > ROUNDING:  # what is below is rounding of a normal that was chosen to make it zero
        c0, s0 = -zy / sa, zx / sa
        zy = -sa
    norm = np.hypot(zy, zz)
    ca, sa = zz / norm, -zy / norm
    # Rx(alpha)^T Rz(theta0)^T R = Rz(offset)
    first = np.array([c0 * R[0, 0] + s0 * R[1, 0], c0 * R[1, 0] - s0 * R[0, 0], R[2, 0]])
    link["offset"] = np.arctan2(ca * first[1] + sa * first[2], first[0])
    link["turned"], link["c0"], link["s0"], link["ca"], link["sa"] = int(s0 != 0.0 or c0 != 1.0), c0, s0, ca, sa
