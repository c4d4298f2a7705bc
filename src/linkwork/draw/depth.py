r"""Hidden surfaces by depth order: what is further away is painted first (the painter's algorithm, made exact).

Polygon i must come before j if they overlap on the screen and i is behind j there. For pairs whose boxes on the screen overlap
(M. Newell, R. Newell and T. Sancha, A solution to the hidden surface problem, 1972):

1. all of i behind the plane of j, or all of j before the plane of i: i first; the other way round: j first. Where two of these say
   opposite things the polygons cannot overlap;
2. else the overlap itself: PT = 1/z is affine over the screen for both, so comparing it at the corners of the overlap decides;
   where it changes sign they pass through each other, and one is cut by the plane of the other.

What is left is a directed graph. It is walked in order, the furthest first where there is a choice. Cycles: first their edges are
judged by the overlap, since step 1 does not ask whether there is one; polygons of a cycle that remains are cut by each other's planes.

Faces of one convex solid, turned to the eye, never hide each other: they make no pairs. That keeps the graph small.
"""

import heapq

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .overlap import APART, BEFORE, BEHIND, THROUGH, overlap, pairs_on_screen, plane_tests
from .polygons import cut, joined

ROUNDS = 12
MOST = 60_000  # polygons, after cutting


def order(polygons):
    """(Polygons, order): the same surfaces, cut where needed, and their rows from far to near.

    Where nothing helps within ROUNDS (needles that touch each other all around), the rest of a cycle goes by its middle depth.
    """
    for _ in range(ROUNDS):
        first, second, through = _relations(polygons)
        if not len(through):
            cycles = _cycles(len(polygons), first, second)
            if cycles is None:
                break
            first, second, through = _judged(polygons, first, second, cycles)
            if _cycles(len(polygons), first, second) is None and not len(through):
                break
        cutters = _cutters(polygons, through if len(through) else _within(first, second, _cycles(len(polygons), first, second)))
        if not cutters or len(polygons) > MOST:
            break
        polygons = _cut_all(polygons, cutters)
    else:
        first, second, _ = _relations(polygons)
    return polygons, _walk(polygons, first, second)


def centroid_order(polygons):
    """The plain painter's order, by the depth of middles: fast, and wrong where long faces meet short ones."""
    return np.argsort(-_middle_depth(polygons), kind="stable")


def _middle_depth(polygons):
    weight = np.arange(polygons.X.shape[1]) < polygons.count[:, None]
    return (polygons.X[..., 2] * weight).sum(axis=1) / polygons.count


def _relations(polygons):
    """Edges (first, second) by both steps, and pairs that pass through each other."""
    i, j = pairs_on_screen(polygons)
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
    graph = coo_array((np.ones(len(first), dtype=np.int8), (first, second)), shape=(n, n)).tocsr()
    count, label = connected_components(graph, directed=True, connection="strong")
    if count == n:
        return None
    many = np.bincount(label, minlength=count) > 1
    return np.where(many[label], label, -1)


def _within(first, second, cycles):
    inside = (cycles[first] >= 0) & (cycles[first] == cycles[second])
    return np.column_stack([first, second])[inside]


def _judged(polygons, first, second, cycles):
    """The edges within cycles decided by the overlap itself."""
    inside = (cycles[first] >= 0) & (cycles[first] == cycles[second])
    a, b, through = [first[~inside]], [second[~inside]], []
    for i, j in zip(first[inside].tolist(), second[inside].tolist(), strict=True):
        verdict = overlap(polygons, i, j)
        if verdict == THROUGH:
            through.append((i, j))
        elif verdict != APART:
            a.append([i if verdict == BEHIND else j])
            b.append([j if verdict == BEHIND else i])
    return np.concatenate(a).astype(np.int64), np.concatenate(b).astype(np.int64), np.array(through).reshape(-1, 2)


def _cutters(polygons, pairs):
    """{polygon: planes to cut it by}. Of a pair one is cut, by the other's plane: a segment, or whichever has that plane through it."""
    chosen = {}
    for i, j in np.asarray(pairs).tolist():
        if polygons.count[j] == 2:
            i, j = j, i
        if polygons.count[i] > 2 and (j in chosen or cut(polygons, i, j) is None):
            i, j = j, i
        if polygons.count[j] > 2:
            chosen.setdefault(i, set()).add(j)
    return chosen


def _cut_all(polygons, cutters):
    kept = np.ones(len(polygons), dtype=bool)
    made = []
    for i, planes in cutters.items():
        pieces = [polygons.take([i])]
        for j in sorted(planes):
            pieces = [new for piece in pieces for new in _cut_by(polygons, piece, j)]
        if len(pieces) > 1:
            kept[i] = False
            made += pieces
    return joined([polygons.take(kept), *made])


def _cut_by(polygons, piece, j):
    both = joined([piece, polygons.take([j])])
    halves = cut(both, 0, 1)
    return [piece] if halves is None else [halves.take([0]), halves.take([1])]


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
