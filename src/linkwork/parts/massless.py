r"""Joints that nothing resists: moving parts without inertia, for which no equation of motion exists.

The mass matrix is positive definite exactly if, walking from the tips to the root, every joint finds (Featherstone 1987, chapter 6)

    D = S^T I^A S + armature  > 0,      I^A_parent = I_parent + sum over children of  I^A - U D^+ U^T,   U = I^A S.

This is evaluated at one position without symmetry, so that only joints are named which nothing resists at (almost) all positions: a
massless tip, a point mass on the axis of its hinge, two hinges on one axis with nothing between. Two facts keep it short. If a
body's own inertia is positive definite, D > 0 whatever hangs on it, and the null space of what it passes on is the range of S: its own
inertia can stand for I^A. So bodies with ordinary inertia need no work, unless they hang on a body without.

symbol   meaning                                             S is in the joint's frame on the child body (of the tree),
I, IA    6x6, angular first, about the body's origin         then in the body's own frame
"""

import math

import numpy as np

from .body import NO_TENSOR, ORIGIN
from .joints.axis import cross

# D counts as zero below this part of what the outboard mass could give at the distances that occur. Rounding leaves 1e-16;
# a shaft of 1 mm in a machine of 100 m has 1e-10.
ZERO = 1e-12
# Rounding grows with the number of weak bodies in a row, at most by this for each.
ROUNDING = 1e-14
_NOTHING = (0.0, 0.0, 0.0, 0)
_LAZY = "give a body outboard of it {what}, give the joint an armature, or use a Weld"


def unresisted(edges, weak, unusable):
    """(edge, degree of freedom, mass outboard in kg) for every joint of the tree that nothing resists.

    weak: the bodies whose inertia is not positive definite, by name.
    unusable: names of bodies whose inertia is unknown, or that hang on a joint with faults or in a loop; of these nothing is
    claimed, nor of what they hang on.
    """
    unknown, needed = set(unusable), set()
    cut_edges = [edge for edge in edges if edge.closes_loop and edge.child_body_name in weak and edge.child_body_name not in unknown]
    edges = [edge for edge in edges if not edge.closes_loop]
    for edge in edges if weak else ():
        child = edge.child_body_name
        if child in weak and child not in unknown and (edge.parent_body_name in needed or not _resists_alone(edge, weak[child])):
            needed.add(child)
    found, carried, rng = [], {}, np.random.default_rng(1987) if needed or cut_edges else None  # np.random is loaded on first use
    for edge in reversed(edges) if needed else ():
        parent, child = edge.parent_body_name, edge.child_body_name
        if child in unknown:
            unknown.add(parent)
        elif child in needed or parent in needed:
            own = edge.joint._owner._registry.holder(child).mass_properties()
            I = own.matrix
            IA, sizes, outboard, levels = carried.pop(child, _NOTHING)
            IA, sizes, outboard = IA + I, sizes + _sizes(I), outboard + own.mass
            passed, passed_sizes, loose = _through(edge, IA, sizes, ZERO + ROUNDING * levels, rng)
            if child in needed and loose is not None:
                found.append((edge, loose, outboard))
            if parent in needed:
                before = carried.get(parent, _NOTHING)
                carried[parent] = before[0] + passed, before[1] + passed_sizes, before[2] + outboard, max(before[3], levels + 1)
    for edge in cut_edges:  # a cut body carries a share of the body's own inertia, and nothing hangs on it
        own = edge.joint._owner._registry.holder(edge.child_body_name).mass_properties()
        _, _, loose = _through(edge, own.matrix, _sizes(own.matrix), ZERO, rng)
        if loose is not None:
            found.insert(0, (edge, loose, own.mass))
    return found[::-1]


def message(edge, dof, mass):
    """What is wrong with a joint that nothing resists, in words."""
    joint, child = edge.joint, edge.child_body_name
    where = f"body {child!r} and what hangs on it"
    if edge.closes_loop:
        problem = "no mass" if mass == 0.0 else f"no inertia against this motion ({mass:g} kg)"
        return (
            f"it closes a loop, and body {child!r} behind it has {problem}; one of the two bodies at the joint that closes a loop needs "
            "inertia; give one of them, or choose another joint to cut (prefer_cut=True)"
        )
    if joint.automatic:
        problem = "have no mass" if mass == 0.0 else "have no inertia against one of the six motions"
        return f"it floats, but {where} {problem}; a floating body needs mass and inertia; give it both, or connect it to ground"
    if mass == 0.0:
        found, remedy = f"{where} have no mass", "mass or density"
    else:
        found, remedy = f"{where} ({mass:g} kg) have no inertia against this motion", "inertia, or mass off the axis"
    which = f"degree of freedom {dof + 1}" if joint.kind.nv > 1 else "it"
    return f"{which} can move, but {found}; a joint with freedom needs inertia outboard; {_LAZY.format(what=remedy)}"


def shape_message(edge, body):
    """What is missing where a body has a shape, and nothing was said about how heavy it is."""
    moves = "it floats" if edge.joint.automatic else f"joint {edge.joint.name!r} can move it"
    return (
        f"it has a {type(body.shape).__name__}, but neither mass nor density, so it is massless, and {moves} without resistance; "
        "a shape needs one of them to have inertia; give density (kg/m^3) or mass (kg)"
    )


def _resists_alone(edge, body):
    """True if the body itself resists its joint, of a single axis: a quick answer for point masses and rods off the axis.

    D = turn^2 (a.T a + m |a x r|^2) + slide^2 m + armature, with r from the axis to the centre of mass.
    """
    kind = edge.joint.kind
    if not kind.nv or (any(kind.effective_armature) and kind.nv == 1):
        return True
    if kind.nv > 1 or not kind.elements or not body.mass:
        return False
    axis, turn, slide = kind.elements[0]
    R, p = (edge.joint.parent_pose if edge.reversed else edge.joint.child_pose).tuples
    a = [R[3 * i] * axis[0] + R[3 * i + 1] * axis[1] + R[3 * i + 2] * axis[2] for i in range(3)]
    T, c = body.inertia or NO_TENSOR, body.com or ORIGIN
    arm = math.hypot(*cross(a, [c[i] - p[i] for i in range(3)]))
    D = sum(a[i] * T[i][k] * a[k] for i in range(3) for k in range(3)) + body.mass * arm * arm
    reach = T[0][0] + T[1][1] + T[2][2] + body.mass * (math.hypot(*c) + math.hypot(*p)) ** 2
    return turn * turn * D + slide * slide * body.mass > ZERO * (turn * turn * reach + slide * slide * body.mass)


def _through(edge, IA, sizes, zero, rng):
    """What a body passes on through its joint, in the parent's frame: inertia, its size, and the freedom that nothing resists."""
    kind = edge.joint.kind
    X_PF, X_CF = _pair(edge.joint.parent_pose), _pair(edge.joint.child_pose)
    X_J, S = _motion(kind, rng)
    if edge.reversed:
        X_PF, X_CF, X_J, S = X_CF, X_PF, _inverse(X_J), _adjoint(X_J) @ S
    A = _adjoint(_product(X_CF, _inverse(_product(X_PF, X_J))))
    whole = A.T @ IA @ A
    if not kind.nv:
        return whole, _sizes(whole), None
    armature = np.array(kind.effective_armature)
    S_B = _adjoint(X_CF) @ S
    U = IA @ S_B
    D = S_B.T @ U
    D.flat[:: kind.nv + 1] += armature
    reach = sizes[0] + sizes[1] * (X_CF[1] @ X_CF[1])
    scale = (reach, reach, reach, sizes[1], sizes[1], sizes[1]) @ (S * S) + armature
    unit = 1.0 / np.sqrt(np.where(scale > 0.0, scale, 1.0))
    D *= unit[:, None] * unit
    if not np.isfinite(D).all():
        return whole, _sizes(whole), None  # sizes beyond all measure; nothing can be claimed
    values, vectors = np.linalg.eigh(D)
    resisted = values > zero
    loose = None if resisted[0] else int(np.argmax(np.abs(vectors[:, 0])))
    half = A.T @ ((U * unit) @ vectors[:, resisted] / np.sqrt(values[resisted]))
    return whole - half @ half.T, _sizes(whole), loose


def _sizes(I):
    """The greatest turning and sliding inertia that occur in a sum: what rounding is measured by."""
    return np.array((I[0, 0] + I[1, 1] + I[2, 2], I[3, 3] + I[4, 4] + I[5, 5]))


def _motion(kind, rng):
    """X_J and S of a joint kind at a position without symmetry."""
    if kind.ball or kind.free:
        quaternion = rng.normal(size=4)
        R = _rotation(quaternion[1:], 2.0 * math.atan2(np.linalg.norm(quaternion[1:]), quaternion[0]))
        return (R, rng.uniform(-1, 1, 3) * kind.free), np.eye(6)[:, : kind.nv]
    if kind.custom:
        q = np.clip(rng.uniform(-1, 1, kind.nv), kind.lower, kind.upper)
        x, y, z, *quaternion = kind.pose(q)
        axis = np.array(quaternion[1:])
        R = _rotation(axis, 2.0 * math.atan2(np.linalg.norm(axis), quaternion[0]))
        return (R, np.array([x, y, z])), np.array(kind.motion(q), dtype=float).T
    X, columns = (np.eye(3), np.zeros(3)), []
    for axis, turn, slide in reversed(kind.elements):
        axis, q = np.array(axis), rng.uniform(0.5, 1.0)
        columns.append(_adjoint(_inverse(X)) @ np.concatenate([turn * axis, slide * axis]))
        X = _product((_rotation(axis, turn * q), slide * q * axis), X)
    return X, np.array(columns[::-1]).reshape(-1, 6).T


def _rotation(axis, angle):
    length = np.linalg.norm(axis)
    if length == 0.0:
        return np.eye(3)
    W = _hat(axis / length)
    return np.eye(3) + math.sin(angle) * W + (1.0 - math.cos(angle)) * (W @ W)


def _hat(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _pair(pose):
    return np.asarray(pose.rotation), np.asarray(pose.translation)


def _product(X, Y):
    return X[0] @ Y[0], X[0] @ Y[1] + X[1]


def _inverse(X):
    return X[0].T, -X[0].T @ X[1]


def _adjoint(X):
    """Motion vectors from frame B to frame A, X = X_AB."""
    A = np.zeros((6, 6))
    A[:3, :3] = A[3:, 3:] = X[0]
    A[3:, :3] = _hat(X[1]) @ X[0]
    return A
