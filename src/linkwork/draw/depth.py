r"""Hidden surfaces by depth order: what is further away is painted first (the painter's algorithm, made exact).

Polygon i must come before j if they overlap on the screen and i is behind j there. For pairs that overlap on the screen (boxes by a
sweep, then separating lines; after M. Newell, R. Newell and T. Sancha, A solution to the hidden surface problem, 1972):

1. all of i behind the plane of j, or all of j before the plane of i: i first; the other way round: j first;
2. else the overlap itself: PT = 1/z is affine over the screen for both, so comparing it at the corners of the overlap decides;
   where it changes sign they pass through each other, and one is cut by the plane of the other.

What is left is a directed graph. It is walked in order, the furthest first where there is a choice. Polygons that hide each other in a
cycle are cut by each other's planes. Faces of one convex solid, turned to the eye, never hide each other: they make no pairs, and union.py
has taken away what is inside of other solids. That keeps the graph small.
"""

import heapq
from dataclasses import replace

import numpy as np

from .overlap import BEFORE, BEHIND, THROUGH, clip_flat, meeting, overlap, pairs_on_screen, plane_tests
from .polygons import Polygons, cut, joined

ROUNDS = 12
MOST = 60_000  # polygons, after cutting


def order(polygons):
    """(Polygons, order): the same surfaces, cut where needed, and their rows from far to near.

    Where nothing helps within ROUNDS (needles that touch each other all around), the rest of a cycle goes by its middle depth.
    """
    for _ in range(ROUNDS):
        first, second, pairs = _relations(polygons)
        if not len(pairs):
            cycles = _cycles(len(polygons), first, second)
            if cycles is None:
                break
            inside = (cycles[first] >= 0) & (cycles[first] == cycles[second])
            pairs = np.column_stack([first, second])[inside]
        cutters = _cutters(polygons, pairs)
        before = len(polygons)
        polygons = _cut_all(polygons, cutters) if before < MOST else polygons
        if len(polygons) == before:
            break
    else:
        first, second, _ = _relations(polygons)
    return polygons, _walk(polygons, first, second)


def _middle_depth(polygons):
    weight = np.arange(polygons.X.shape[1]) < polygons.count[:, None]
    return (polygons.X[..., 2] * weight).sum(axis=1) / polygons.count


def _relations(polygons):
    """Edges (first, second), and pairs that pass through each other."""
    i, j = pairs_on_screen(polygons)
    met = meeting(polygons, i, j)
    i, j = i[met], j[met]
    verdict = plane_tests(polygons, i, j)
    for k in np.flatnonzero(verdict == THROUGH):
        verdict[k] = overlap(polygons, i[k], j[k])
    first = np.concatenate([i[verdict == BEHIND], j[verdict == BEFORE]])
    second = np.concatenate([j[verdict == BEHIND], i[verdict == BEFORE]])
    return first, second, np.column_stack([i, j])[verdict == THROUGH]


def _cycles(n, first, second):
    """A number for each polygon, the same for those of one cycle, -1 for those of none; None if there is no cycle."""
    if not len(first):
        return None
    from scipy.sparse import coo_array  # here, so that `import linkwork` need not wait for it
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(first), dtype=np.int8), (first, second)), shape=(n, n)).tocsr()
    count, label = connected_components(graph, directed=True, connection="strong")
    if count == n:
        return None
    many = np.bincount(label, minlength=count) > 1
    return np.where(many[label], label, -1)


def _cutters(polygons, pairs):
    """{polygon: planes to cut it by}. Of a pair one is cut, by the other's plane: a segment, or whichever has that plane through it."""
    chosen = {}
    for i, j in np.asarray(pairs).tolist():
        if polygons.count[j] == 2:
            i, j = j, i
        if polygons.count[i] > 2 and (j in chosen or _halves(polygons, i, j) is None):
            i, j = j, i
        if polygons.count[j] > 2:
            chosen.setdefault(i, set()).add(j)
    return chosen


def _halves(polygons, i, j):
    return cut(polygons.corners(i), polygons.outline[i].tolist(), polygons.normal[j], polygons.offset[j])


def _cut_all(polygons, cutters):
    """Each polygon cut by the planes of those it passes through, as far as its pieces reach them on the screen."""
    kept = np.ones(len(polygons), dtype=bool)
    source, corners, marks = [], [], []
    for i, planes in cutters.items():
        pieces = [(polygons.corners(i), polygons.outline[i, : polygons.count[i]].tolist())]
        for j in sorted(planes):
            window = polygons.corners(j)
            window = window[:, :2] / window[:, 2:]
            pieces = [new for piece in pieces for new in _cut_within(*piece, polygons.normal[j], polygons.offset[j], window)]
        if len(pieces) > 1:
            kept[i] = False
            source += [i] * len(pieces)
            corners += [X for X, _ in pieces]
            marks += [mark for _, mark in pieces]
    if not source:
        return polygons
    new, rows = Polygons.ragged(corners, marks), polygons.take(source)
    new = replace(new, normal=rows.normal, offset=rows.offset, solid=rows.solid, item=rows.item)
    return joined([polygons.take(kept), new])


def _cut_within(X, marks, normal, offset, window):
    if not len(clip_flat(X[:, :2] / X[:, 2:], window)):
        return [(X, marks)]
    return cut(X, marks, normal, offset) or [(X, marks)]


def _walk(polygons, first, second):
    """Rows so that every `first` comes before its `second`, the furthest first; what a cycle holds back, by depth alone."""
    n = len(polygons)
    depth = -_middle_depth(polygons)
    waiting = np.bincount(second, minlength=n).tolist() if len(second) else [0] * n
    after = [[] for _ in range(n)]
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        after[a].append(b)
    ready = [(depth[k], k) for k in range(n) if not waiting[k]]
    heapq.heapify(ready)
    done, done_set = [], bytearray(n)
    held = iter(np.argsort(depth, kind="stable").tolist())
    while len(done) < n:
        k = heapq.heappop(ready)[1] if ready else next(k for k in held if not done_set[k])
        if done_set[k]:
            continue
        done_set[k] = 1
        done.append(k)
        for b in after[k]:
            waiting[b] -= 1
            if not waiting[b] and not done_set[b]:
                heapq.heappush(ready, (depth[b], b))
    return np.array(done, dtype=np.int64)
