"""From a tree of joints to the table of links: the geometry of `build`.

Each joint becomes zero links (weld), one (revolute, prismatic, screw, ball, free, custom) or a chain of links, one for each
factor of its product of exponentials. First every link gets a provisional frame, its joint frame. Then it is turned about its
origin so that z is the joint's axis and x is normal to the axis of the link that follows: this makes the first of the three z-x-z
angles zero for most links; where nothing follows, the third one. Only turns are used, never shifts, so nearly parallel axes do no harm.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..parts.joints.axis import cross
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


Z, UNTURNED, NOWHERE = np.array([0.0, 0.0, 1.0]), np.eye(3), np.zeros(3)
UPPER = (0, 1, 2, 4, 5, 8)  # of a symmetric matrix, row by row
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
        axis = _unit(-axis if backwards else axis)
        near = (R, r) if not drafts else (UNTURNED, NOWHERE)
        drafts.append(Draft(-2 if drafts else parent, AXIAL, *near, axis, float(element.turn), float(element.slide), q + k, v + k, 1))
    return drafts


def finish(drafts, inertias, armature):
    """(links, generals, turns): the tables, and the rotation from each provisional frame to the final link frame.

    inertias: m (n,), h (n, 3), I (n, 3, 3) of all links, in their provisional frames.
    """
    n = len(drafts)
    links, generals = np.zeros(n, LINK), []
    for name in ("parent", "kind", "q", "v", "nv"):
        links[name] = [getattr(draft, name) for draft in drafts]
    parents, axial = links["parent"].tolist(), links["kind"] == AXIAL
    links["follows"] = [parent == i - 1 and i > 0 for i, parent in enumerate(parents)]
    links["branch"] = links["general"] = -1
    turns = _turns(drafts)
    to_link = np.transpose(turns, (0, 2, 1))
    to_parent = np.array([to_link[p] if p >= 0 else UNTURNED for p in parents]).reshape(n, 3, 3)
    r = np.array([draft.r for draft in drafts]).reshape(n, 3)
    links["r"] = _times(to_parent, r)
    R = to_parent @ np.array([draft.R for draft in drafts]).reshape(n, 3, 3) @ turns
    links["c0"] = links["ca"] = 1.0
    for name, values in _angles(R[axial]).items():
        links[name][axial] = values
    links["turn"][axial] = [draft.turn for draft in drafts if draft.kind == AXIAL]
    links["slide"][axial] = [draft.slide for draft in drafts if draft.kind == AXIAL]
    links["armature"][axial] = armature[links["v"][axial]]
    for i in np.flatnonzero(~axial).tolist():
        draft = drafts[i]
        links["general"][i] = len(generals)
        reflected = np.zeros(6)
        reflected[: draft.nv] = armature[draft.v : draft.v + draft.nv]
        generals.append((R[i].ravel(), reflected, int(draft.backwards), draft.code))
    m, h, I = inertias
    links["shifted"] = r.any(axis=1) | (links["slide"] != 0.0)
    links["massive"] = (m != 0.0) | h.any(axis=1) | I.any(axis=(1, 2))
    links["m"], links["h"], links["I"] = m, _times(to_link, h), (to_link @ I @ turns).reshape(n, 9)[:, UPPER]
    branches = 0
    for parent, follows in zip(parents, links["follows"].tolist(), strict=True):
        if parent >= 0 and not follows and links["branch"][parent] < 0:
            links["branch"][parent] = branches
            branches += 1
    return links, np.array(generals, dtype=GENERAL), turns, branches


def _turns(drafts):
    """(n, 3, 3): the rotation of each final link frame in the provisional one."""
    n = len(drafts)
    turns = [UNTURNED] * n
    for i, draft in enumerate(drafts):
        if draft.kind == AXIAL:
            after = drafts[i + 1] if i + 1 < n and drafts[i + 1].parent == i and drafts[i + 1].kind == AXIAL else None
            near = (turns[draft.parent].T if draft.parent >= 0 else UNTURNED) @ draft.R
            # Made orthonormal again: rounding would double from link to link along parallel axes.
            turns[i] = _frame(draft.axis, (near.T @ _without_offset(near @ draft.axis))[:, 0])
            x = None if after is None else _normal(draft.axis, after.R @ after.axis)
            if x is not None:  # of the two normals the one that keeps the third angle small, and exactly zero where it can be
                turns[i] = _frame(draft.axis, x if np.dot(x, turns[i][:, 0]) > -0.5 else -x)
    return np.array([turn.T for turn in turns]).reshape(n, 3, 3).transpose(0, 2, 1)


def _without_offset(z):
    """Rz(theta0) Rx(alpha) with the given z axis: where no other axis follows, x is free, and this choice makes the third angle zero at q = 0."""
    zx, zy, zz = z.tolist()
    sa = math.hypot(zx, zy)
    c0, s0 = (-zy / sa, zx / sa) if sa > 1e-15 else (1.0, 0.0)
    if abs(zx) <= ROUNDING:  # as _angles will choose
        c0, s0, sa = 1.0, 0.0, -zy
    return np.array([[c0, -s0 * zz, s0 * sa], [s0, c0 * zz, -c0 * sa], [0.0, sa, zz]])


def _normal(z, z_next):
    """The common normal of two axes, or None where they are parallel."""
    x = np.array(cross(z.tolist(), z_next.tolist()))
    return None if np.dot(x, x) < 1e-24 else _unit(x)


def _frame(z, x):
    """A rotation with the given z and x axes."""
    x = _unit(x - z * np.dot(z, x))
    z, x = z.tolist(), x.tolist()
    return np.array([x, cross(z, x), z]).T


def _unit(x):
    return x / math.sqrt(np.dot(x, x))


def _times(matrices, vectors):
    """The product of each matrix with its vector."""
    return (matrices @ vectors[:, :, None])[:, :, 0]


def _angles(R):
    """R = Rz(theta0) Rx(alpha) Rz(offset) of many rotations, as fields of links. The third column of R is (s0 sa, -c0 sa, ca)."""
    zx, zy, zz = R[:, 0, 2], R[:, 1, 2], R[:, 2, 2]
    sa = np.hypot(zx, zy)
    turned = np.abs(zx) > ROUNDING  # what is below is rounding of a normal that was chosen to make it zero
    length = np.where(turned, sa, 1.0)
    c0, s0, zy = np.where(turned, -zy / length, 1.0), np.where(turned, zx / length, 0.0), np.where(turned, -sa, zy)
    norm = np.hypot(zy, zz)
    ca, sa = zz / norm, -zy / norm
    # Rx(alpha)^T Rz(theta0)^T R = Rz(offset)
    x, y, z = c0 * R[:, 0, 0] + s0 * R[:, 1, 0], c0 * R[:, 1, 0] - s0 * R[:, 0, 0], R[:, 2, 0]
    return {
        "offset": np.arctan2(ca * y + sa * z, x),
        "turned": (s0 != 0.0) | (c0 != 1.0),
        "c0": c0,
        "s0": s0,
        "ca": ca,
        "sa": sa,
    }
