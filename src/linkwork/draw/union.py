"""Solids that stick in each other, such as a rod in its hub: what is inside another solid is not painted.

A convex solid is where n . X <= d for all its faces. A face is cut by these planes one after the other: what is outside of one is kept,
the rest goes on to the next, and what is inside of all of them is hidden for good. After that no two convex solids pass through each other.
"""

import numpy as np

# Deeper than this share of the distance from the eye is inside; less is touching.
TOUCH = 1e-6


def outsides(corners, count, normal, offset, solid, solids, rows, outline):
    """(rows that stay whole, pieces): what is left of the faces `rows`; pieces are (row, corners (n, 3), outline).

    corners (f, k, 3), count, unit outward normals (f, 3) and offsets (f,) of all faces; solid (f,): their solids, contiguous;
    solids: those that are convex and closed, numbers.
    """
    low, high = corners.min(axis=1), corners.max(axis=1)
    starts = np.flatnonzero(np.r_[True, solid[1:] != solid[:-1]])
    stops = np.r_[starts[1:], len(solid)]
    span = {int(s): (a, b) for s, a, b in zip(solid[starts], starts, stops, strict=True)}
    box = {s: (low[a:b].min(axis=0), high[a:b].max(axis=0)) for s, (a, b) in span.items()}
    whole = np.zeros(len(solid), dtype=bool)
    whole[rows] = True
    loose = {}  # by solid: pieces of faces that were cut
    for s in solids:
        a, b = span[int(s)]
        least, most = box[int(s)]
        touch = TOUCH * float(np.abs(most).max())
        near = np.flatnonzero(whole & (low < most + touch).all(axis=1) & (high > least - touch).all(axis=1) & (solid != s))
        n = normal[a:b]
        # Where two solids share a plane, the face of the one with the lower number counts as inside, so that one of both is left.
        inner, outer = offset[a:b] - touch, offset[a:b] + touch
        for owner, pieces in loose.items():
            if owner != s and (box[owner][0] < most).all() and (box[owner][1] > least).all():
                d = outer if owner < s else inner
                loose[owner] = [new for piece in pieces for new in _outside(*piece, n, d, least - touch, most + touch)]
        if not len(near):
            continue
        side = corners[near] @ n.T - np.where((solid[near] < s)[:, None], outer, inner)[:, None]
        reaches = near[~(side >= 0.0).all(axis=1).any(axis=1)]
        for row in reaches.tolist():
            X, d = corners[row, : count[row]], outer if solid[row] < s else inner
            left = _outside(row, X, outline[row, : count[row]].tolist(), n, d, least - touch, most + touch)
            if len(left) != 1 or left[0][1] is not X:
                whole[row] = False
                loose.setdefault(int(solid[row]), []).extend(left)
    return np.flatnonzero(whole), [piece for pieces in loose.values() for piece in pieces]


def _outside(row, X, marks, n, d, least, most):
    """A polygon without what is inside of the planes, as convex pieces; the polygon itself where nothing is."""
    if (X.min(axis=0) > most).any() or (X.max(axis=0) < least).any():
        return [(row, X, marks)]
    rest, rest_marks, kept, left = X, marks, [], np.ones(len(d), dtype=bool)
    while len(rest) > 2:
        sides = rest @ n.T - d
        if (sides >= 0.0).all(axis=0)[left].any():
            return [(row, X, marks)]  # what is left is outside: nothing was inside
        # The plane that leaves most outside goes first: fewer and larger pieces.
        beyond = np.where(left, sides, 0.0).clip(min=0.0).sum(axis=0)
        k = int(np.argmax(beyond))
        if not beyond[k] > 0.0:
            break  # inside of all planes
        kept.append((row, *half(rest, sides[:, k], rest_marks)))
        rest, rest_marks = half(rest, -sides[:, k], rest_marks)
        left[k] = False
    return [piece for piece in kept if len(piece[1]) > 2]


def half(X, side, marks):
    """The part of a convex polygon with side >= 0, and its marks; the edge along the cut is marked False."""
    corners, kept = [], []
    sides = side.tolist()
    for k, a in enumerate(sides):
        b = sides[(k + 1) % len(sides)]
        if a >= 0.0:
            corners.append(X[k])
            kept.append(marks[k] and not (a == 0.0 and b < 0.0))
        if (a < 0.0 < b) or (b < 0.0 < a):
            corners.append(X[k] + a / (a - b) * (X[(k + 1) % len(sides)] - X[k]))
            kept.append(marks[k] and a < 0.0)
    return np.array(corners).reshape(-1, 3), kept
