"""Coordinates of a joint whose two sides are where they are: the q whose motion comes nearest a relative pose.

    min over q  | log(X_J(q)^-1 X) |,  shifts by a length,         Gauss-Newton with S, the joint's own motion in the child's frame

from a few starts, since angles have several answers. Quaternion joints need no search.
"""

import itertools

import numpy as np

from ..spatial.pose import Pose

STARTS = (0.0, np.pi / 2, -np.pi / 2, np.pi)
ITERATIONS = 30


def coordinates_of(kind, X, length, near=None):
    """q of a joint kind, (nq,), for the pose X of its child side in its parent side; length: of the mechanism; near: coordinates to stay close to."""
    if kind.free:
        return np.concatenate([X.translation, X.quaternion])
    if kind.ball:
        return X.quaternion
    if not kind.nv:
        return np.zeros(0)
    starts = [np.zeros(kind.nv)] if near is None else [np.asarray(near, dtype=float)]
    turning = [True] * kind.nv if kind.custom else [element.turn != 0.0 for element in kind.elements]
    starts += [np.array(start) for start in itertools.product(*((STARTS if turns else (0.0,)) for turns in turning))][:64]
    best = None
    for start in starts:
        q, misfit = _descend(kind, X, start, length)
        if best is None or misfit < best[1] - 1e-9:
            best = q, misfit
        if best[1] < 1e-10:
            break
    return _unwound(kind, best[0], near)


def motion_of(kind, q):
    """(X_J, S): the pose of the child side in the parent side, and the columns of its motion in the child's frame, (6, nv)."""
    if kind.custom:
        seven = np.asarray(kind.pose(np.array(q)), dtype=float)
        return Pose(seven[:3], seven[3:]), np.asarray(kind.motion(np.array(q)), dtype=float).T
    X, columns = Pose(), []
    for element, x in zip(kind.elements, q, strict=True):
        axis = np.asarray(element.axis)
        E = Pose.exp(np.concatenate([element.turn * x * axis, element.slide * x * axis]))
        back = E.inverse().adjoint
        columns = [back @ column for column in columns] + [np.concatenate([element.turn * axis, element.slide * axis])]
        X = X @ E
    return X, np.array(columns).T


def speeds_of(kind, q, V):
    """v of a joint, (nv,), nearest a relative velocity V (6,) of its child side, in the child's frame."""
    if not kind.nv:
        return np.zeros(0)
    if kind.free:
        return np.array(V)
    if kind.ball:
        return np.array(V[:3])
    return np.linalg.lstsq(motion_of(kind, q)[1], V, rcond=None)[0]


def _descend(kind, X, q, length):
    misfit, weights = np.inf, np.repeat([1.0, 1.0 / length], 3)
    for _ in range(ITERATIONS):
        here, S = motion_of(kind, q)
        error = weights * (here.inverse() @ X).log()
        size = float(np.linalg.norm(error))
        if not size < misfit - 1e-13:
            break
        misfit, kept = size, q
        q = q + np.linalg.lstsq(weights[:, None] * S, error, rcond=None)[0]
    return kept, misfit


def _unwound(kind, q, near):
    """Whole turns added or taken away: as near as possible to `near`, or else within the limits."""
    if kind.custom:
        return q
    q = np.array(q)
    for k, element in enumerate(kind.elements):
        if element.turn == 0.0 or element.slide != 0.0:
            continue
        turn = 2.0 * np.pi / abs(element.turn)
        if near is not None:
            q[k] += turn * np.round((near[k] - q[k]) / turn)
            continue
        q[k] -= turn * np.round(q[k] / turn)
        for other in (q[k] - turn, q[k] + turn):
            if not kind.lower[k] <= q[k] <= kind.upper[k] and kind.lower[k] <= other <= kind.upper[k]:
                q[k] = other
    return q
