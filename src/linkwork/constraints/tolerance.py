"""Scales of rows and motions: residuals of constraints without units, tolerances that double precision can meet, and the pace of a motion.

gap = max |phi_i| / u_i        u_i: the mechanism's length for rows in m, 1 for rows in rad (model/lay_constraint_tables.py)        tolerance >= ROUNDINGS eps

A tolerance means the same for a mechanism of 1 mm and of 1 km: 1e-10 is 1e-10 rad, and 1e-10 m for each m of its length.

pace = max over k of  |v_k| / l_k,   sqrt(|vdot_k| / l_k)          1/s;   l: 1 for turns, a length of the mechanism for slides

How fast a mechanism moves or starts to move: the scale of small velocities and rates, in place of 1 rad/s.
"""

import numpy as np

from ..data.lending import cached

# A gap is the difference of two sums of products along the branches of a loop. Each link adds a product of matrices, 3 roundings of eps / 2 in each of
# a position's components, and these add up as a random walk: 32 eps for some hundred links. A correction that is exact leaves as much.
ROUNDINGS = 32.0


def reachable(tolerance):
    """A tolerance of gaps, no smaller than what rounding allows; arrays go through too."""
    return np.maximum(tolerance, ROUNDINGS * np.finfo(float).eps)


def row_units(model):
    """(nc,) The unit of each row of constraints: a length of the mechanism, m, or 1 rad."""
    return 1.0 / model.constraint_tables.inverse_units


def largest_gap(model, rows):
    """The largest of some rows (..., nc), phi or phi_dot, by their units."""
    return np.max(np.abs(rows) / row_units(model), axis=-1, initial=0.0)


def pace_of(reach, v, vdot) -> float:
    """The pace of a state, 1/s; reach: l, (nv,)."""
    return max(float(np.max(np.abs(v) / reach, initial=0.0)), float(np.sqrt(np.max(np.abs(vdot) / reach, initial=0.0))))


def gravity_pace(model) -> float:
    """sqrt(|g| / l), 1/s: how fast gravity makes a mechanism of the length l move; 0 without gravity."""
    return float(np.sqrt(np.linalg.norm(model.gravity) / length_of(model)))


def rest_pace(model) -> float:
    """The scale of velocities at rest, 1/s: the pace of gravity, or 1 without gravity."""
    return gravity_pace(model) or 1.0


def turns(kind, dof):
    """Is a joint's velocity `dof` one of turning (rad/s), not of sliding (m/s)?"""
    if kind.free:
        return dof < 3
    if kind.ball or kind.custom:
        return True
    return kind.elements[dof].turn != 0.0


def sides_of(joint):
    """The child's and the parent's (body, pose) of a joint, in its own sense."""
    parent, child = (joint.child, joint.parent) if joint.backwards else (joint.parent, joint.child)
    return (child, joint.child_pose), (parent, joint.parent_pose)


def length_of(model) -> float:
    """A length of the mechanism that depends on its bodies alone, not on the tree: how far joints are from the middle of their body, m.

    Cached with the model: every sample of a run is measured by it.
    """
    return cached(model, "length", _length)


def _length(model):
    points = {b.name: [] for b in model.bodies}
    for joint in model.joints:
        if not joint.kind.free:
            for body, pose in sides_of(joint):
                if body != "ground":
                    points[body].append(pose.translation)
    for b, row in zip(model.bodies, model.tables.bodies, strict=True):
        if row["m"] > 0.0:
            points[b.name].append(row["h"] / row["m"])
    spread = [np.max(np.linalg.norm(np.array(p) - np.mean(p, axis=0), axis=1)) for p in points.values() if p]
    longest = float(max(spread, default=0.0))
    return longest if longest > 0.0 else float(model.constraint_tables.length[0])


def comparable(model):
    """Per velocity: 1 for turns, 1 / length for slides."""
    return cached(model, "comparable", _comparable)


def _comparable(model):
    length = length_of(model)
    return np.array([1.0 if turns(j.kind, k) else 1.0 / length for j in model.joints for k in range(j.nv)])
