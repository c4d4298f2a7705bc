"""Which of two polygons hides the other: tests from cheap to exact."""

import numpy as np

# i before j in space (nearer to the eye), behind it, no common place on the screen, or neither can be said (they pass through each other)
BEFORE, BEHIND, APART, THROUGH = 1, -1, 0, 2
# Differences of depth below this share do not count: less than a pixel, seen from the side.
SAME_DEPTH = 2e-5
# Overlaps narrower than this on the screen (in units of the distance) are touching borders.
THIN = 1e-6
CHUNK = 50_000


def pairs_on_screen(polygons):
    """Pairs (i, j) whose boxes on the screen overlap; none of two faces of one convex solid, none of two segments."""
    screen = polygons.screen
    low, high = screen.min(axis=1) + THIN, screen.max(axis=1) - THIN
    by_left = np.argsort(low[:, 0], kind="stable")
    left = low[by_left, 0]
    stop = np.searchsorted(left, high[by_left, 0], side="right")
    count = np.maximum(stop - np.arange(len(left)) - 1, 0)
    # Row k of the sweep meets rows k + 1 ... stop - 1, which start before it ends.
    i = np.repeat(np.arange(len(left)), count)
    j = np.arange(len(i)) - np.repeat(np.cumsum(count) - count, count) + i + 1
    i, j = by_left[i], by_left[j]
    meets = (low[i, 1] <= high[j, 1]) & (low[j, 1] <= high[i, 1])
    meets &= (polygons.solid[i] != polygons.solid[j]) | (polygons.solid[i] < 0)
    meets &= (polygons.count[i] > 2) | (polygons.count[j] > 2)
    return i[meets], j[meets]


def meeting(polygons, i, j):
    """Do the polygons of each pair overlap on the screen? Convex ones do not if some edge of one has all of the other outside."""
    screen = polygons.screen
    after = np.roll(screen, -1, axis=1)
    after[:, -1] = screen[:, -1]
    after[np.arange(len(polygons)), polygons.count - 1] = screen[:, 0]
    x, y = screen[..., 0], screen[..., 1]
    area = (x * after[..., 1] - y * after[..., 0]).sum(axis=1)
    handed = np.where(area > 0.0, 1.0, -1.0)[:, None]
    edge = after - screen
    length = np.maximum(np.linalg.norm(edge, axis=2), 1e-300)
    # Unit normals of the edges, inward; a repeated corner has the normal 0, which separates nothing.
    inward = np.stack([-edge[..., 1], edge[..., 0]], axis=2) * (handed / length)[..., None]
    inward[length < 1e-12] = 0.0
    start = np.einsum("nkc,nkc->nk", inward, screen)
    met = np.ones(len(i), dtype=bool)
    # Most polygons have few corners; pairs are judged by classes, so that the long ones do not make all of them long.
    widths = sorted({w for w in (2, 4, 8, polygons.X.shape[1]) if w <= polygons.X.shape[1]})
    kind = np.searchsorted(widths, np.minimum(polygons.count, widths[-1]))
    for a, wide_a in enumerate(widths):
        for b, wide_b in enumerate(widths):
            of_kind = np.flatnonzero((kind[i] == a) & (kind[j] == b))
            for at in (of_kind[k : k + CHUNK] for k in range(0, len(of_kind), CHUNK)):
                for p, q, wide_p, wide_q in ((i[at], j[at], wide_a, wide_b), (j[at], i[at], wide_b, wide_a)):
                    met[at] &= ~_separated(inward[p, :wide_p], start[p, :wide_p], screen[q, :wide_q], segment=wide_p == 2)
    return met


def _separated(inward, start, corners, segment):
    """Is there an edge with all corners beyond it? (n, k, 2), (n, k), (n, m, 2). Both sides of a segment are beyond it."""
    side = np.einsum("pkc,pmc->pkm", inward, corners) - start[..., None]
    beyond = (side <= THIN).all(axis=2)
    if segment:
        beyond |= (side >= -THIN).all(axis=2)
    return (beyond & (inward != 0.0).any(axis=2)).any(axis=1)


def plane_tests(polygons, i, j):
    """A verdict for each pair by the sides of corners to planes; THROUGH where these do not tell."""
    verdict = np.empty(len(i), dtype=np.int64)
    for start in range(0, len(i), CHUNK):
        a, b = i[start : start + CHUNK], j[start : start + CHUNK]
        i_behind, i_before = _sides(polygons, a, b)
        j_behind, j_before = _sides(polygons, b, a)
        i_first = (i_behind & ~i_before) | (j_before & ~j_behind)
        j_first = (i_before & ~i_behind) | (j_behind & ~j_before)
        level = (i_behind & i_before) | (j_behind & j_before)
        found = np.where(i_first, np.where(j_first, APART, BEHIND), np.where(j_first, BEFORE, THROUGH))
        verdict[start : start + CHUNK] = np.where(level & (found == THROUGH), APART, found)
    return verdict


def _sides(polygons, a, b):
    """Is all of a behind the plane of b, is all of it before it? A segment has no plane to be on a side of."""
    X = polygons.X[a]
    side = np.einsum("pkc,pc->pk", X, polygons.normal[b]) - polygons.offset[b][:, None]
    near = SAME_DEPTH * 0.5 * X[..., 2]
    has_plane = polygons.count[b] > 2
    return (side <= near).all(axis=1) & has_plane, (side >= -near).all(axis=1) & has_plane


def overlap(polygons, i, j):
    """The verdict of the overlap itself: PT of both at its corners."""
    if polygons.count[j] == 2:
        return _turned(overlap(polygons, j, i))
    screen_i, screen_j = (polygons.corners(k)[:, :2] / polygons.corners(k)[:, 2:] for k in (i, j))
    common = clip_flat(screen_i, screen_j)
    if not len(common) or np.ptp(common, axis=0).max() < THIN or (polygons.count[i] > 2 and _width(common) < THIN):
        return APART
    here, there = polygons.inverse_depth(i, common), polygons.inverse_depth(j, common)
    difference = (here - there) / np.maximum(np.abs(here), np.abs(there))
    if difference.max() <= SAME_DEPTH:
        return APART if difference.min() >= -SAME_DEPTH else BEHIND
    return BEFORE if difference.min() >= -SAME_DEPTH else THROUGH


def _turned(verdict):
    return -verdict if verdict in (BEFORE, BEHIND) else verdict


def _width(points):
    """How wide a convex polygon is: twice its area over its length."""
    x, y = (points - points[0]).T
    area = abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
    return area / max(float(np.ptp(points, axis=0).max()), 1e-300)


def clip_flat(subject, window):
    """The part of a convex polygon (or segment) within a convex polygon, corners (n, 2)."""
    x, y = window.T
    handed = 1.0 if float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) > 0.0 else -1.0
    corners, segment = subject.tolist(), len(subject) == 2
    edges = window.tolist()
    for k in range(len(edges)):
        (ax, ay), (bx, by) = edges[k - 1], edges[k]
        ux, uy = handed * (bx - ax), handed * (by - ay)
        sides = [ux * (cy - ay) - uy * (cx - ax) for cx, cy in corners]
        if min(sides) >= 0.0:
            continue
        if max(sides) <= 0.0:
            return np.zeros((0, 2))
        new = []
        for m, ((cx, cy), a) in enumerate(zip(corners, sides, strict=True)):
            if a >= 0.0:
                new.append((cx, cy))
            if segment and m == len(corners) - 1:
                break
            (dx, dy), b = corners[(m + 1) % len(corners)], sides[(m + 1) % len(corners)]
            if (a < 0.0) != (b < 0.0):
                t = a / (a - b)
                new.append((cx + t * (dx - cx), cy + t * (dy - cy)))
        corners = new
    return np.array(corners)
