"""Contact points of two convex shapes along a given direction.

The faces that look at each other are projected along n. The corners of what their projections share are points of both shapes, one above the other; their
distance along n is the gap there, never less than the separation along n. Of two segments it is their ends where they run side by side. If nothing is
shared but rounding (corner against corner), or what is shared does not reach down to the separation, the witness points are added.

Points lie on the face that looks along n most (the reference; a's, if both do), in the frame of a.
"""

import math

from ..kernels import kernel
from ..spatial.vectors import add3, cross3, dot3, scale3, sub3
from .convex_data import MAX_CLIPPED
from .epa import across
from .faces import choose_face, face_polygon
from .gjk import gjk

STEEP = 0.05  # cosine below which a face is not projected
INSIDE = 1e-9  # of the length: corners that far outside a side count as inside
SAME = 1e-9  # of the length: points closer than that are one
AGREES = 1e-6  # of the length: witness points that belong to a direction
EXACT = 1e-13  # of the length: rounding of a gap
PARALLEL = 1e-3  # sine of the angle of segments that run side by side
SAME_NORMAL = 1e-12  # square of the difference of normals that count as one
MOST = 8  # points of a pair of convex shapes
CROSSING = 1 << 20
ID = (1 << 20) - 1


@kernel
def find_points(data, reach, with_witness, least) -> None:
    """Candidates with gaps from `least` to `reach` along `data.n`.

    with_witness: is n the direction of greatest separation, so that the witness points count?
    """
    n = data.n
    inward = (-n[0], -n[1], -n[2])
    a, b = data.polygon_a, data.polygon_b
    facing_a, facing_b = choose_face(data.a, a, n), choose_face(data.b, b, inward)
    face_polygon(data.a, a, n)
    face_polygon(data.b, b, inward)
    a_leads = a.count > 2 and (b.count < 3 or data.face_of == 1 or (data.face_of == 0 and facing_a >= facing_b - 1e-9))
    first = data.ncandidates
    data.least_gap = 1e300
    features = ((a.face if data.patch < 0 else data.patch) & ID) | ((b.face & ID) << 20)
    if a_leads and facing_a > STEEP:
        _clip_polygons(data, a, b, n, (reach, least, 1.0), features)
    elif b.count > 2 and not a_leads and facing_b > STEEP:
        _clip_polygons(data, b, a, inward, (reach, least, -1.0), features)
    elif a.count == 2 and b.count == 2:
        _side_by_side(data, (reach, least), features)
    if with_witness:
        _add_witness(data, first, reach, features)


@kernel(inline=True)
def _put(corner, p, code):
    corner.p, corner.code = p, code


@kernel
def _clip_polygons(data, reference, incident, n, limits, features) -> None:
    """Clip the incident polygon by the sides of the reference, whose outward direction is n. limits: greatest and least gap, and the sign of a's n in n."""
    clipped, kept = data.clipped, data.kept
    count = incident.count
    for k in range(count):
        _put(clipped[k], incident.corners[k].p, incident.corners[k].code & ID)
    margin = INSIDE * data.length
    for side in range(reference.count):
        q = reference.corners[side].p
        e = sub3(reference.corners[side + 1 if side + 1 < reference.count else 0].p, q)
        m = cross3(e, n)
        size = math.sqrt(dot3(m, m))
        if not size > margin:
            continue
        m = scale3(1.0 / size, m)
        number = 0
        for k in range(count):
            here, there = clipped[k], clipped[k + 1 if k + 1 < count else 0]
            u, v = dot3(m, sub3(here.p, q)), dot3(m, sub3(there.p, q))
            if u <= margin and number < MAX_CLIPPED:
                _put(kept[number], here.p, here.code)
                number += 1
            if ((u <= margin) != (v <= margin)) and number < MAX_CLIPPED:
                t = u / (u - v)
                if 0.0 < t < 1.0:
                    outside_first = 1 if u > margin else 0
                    code = (
                        CROSSING | (((here.code if outside_first == 0 else there.code) & 1023) << 9) | ((side & 255) << 1) | outside_first
                    )
                    _put(kept[number], add3(here.p, scale3(t, sub3(there.p, here.p))), code)
                    number += 1
        count = number
        for k in range(count):
            _put(clipped[k], kept[k].p, kept[k].code)
        if count == 0:
            return
    facing, base = dot3(reference.n, n), reference.corners[0].p
    radius = data.a.radius + data.b.radius
    sign = limits[2]
    for k in range(count):
        p = clipped[k].p
        t = dot3(reference.n, sub3(p, base))
        t = t if data.face_of != 0 else t / facing
        gap = t - radius
        if limits[1] <= gap <= limits[0]:
            _add_candidate(data, sub3(p, scale3(t, n)), gap, features | ((clipped[k].code | (1 << 21 if sign < 0.0 else 0)) << 40))


@kernel
def _side_by_side(data, limits, features) -> None:
    """Two segments: the ends of what they share, if they are parallel as seen along n."""
    n = data.n
    p, q = data.polygon_a.corners[0].p, data.polygon_b.corners[0].p
    u, v = sub3(data.polygon_a.corners[1].p, p), sub3(data.polygon_b.corners[1].p, q)
    across_u, across_v = sub3(u, scale3(dot3(u, n), n)), sub3(v, scale3(dot3(v, n), n))
    uu, vv, uv = dot3(across_u, across_u), dot3(across_v, across_v), dot3(across_u, across_v)
    if not uv * uv >= (1.0 - PARALLEL * PARALLEL) * uu * vv or not uu > 0.0 or not vv > 0.0:
        return
    start = dot3(sub3(q, p), across_u) / uu
    end = start + uv / uu
    low, high = max(0.0, min(start, end)), min(1.0, max(start, end))
    if low > high:
        return
    radius = data.a.radius + data.b.radius
    for k in range(2):
        t = low if k == 0 else high
        on_a, on_b = add3(p, scale3(t, u)), add3(q, scale3((t - start) / (end - start), v))
        gap = dot3(n, sub3(on_b, on_a)) - radius
        if limits[1] <= gap <= limits[0]:
            _add_candidate(data, add3(on_a, scale3(data.a.radius, n)), gap, features | ((k + 1) << 40))


@kernel
def _add_witness(data, first, reach, features) -> None:
    """The witness points, unless a point that is as deep is known."""
    gap = data.s - (data.a.radius + data.b.radius)
    if gap > reach:
        return
    if data.least_gap <= gap + 1e3 * SAME * data.length:
        deepest, least = -1, data.least_gap + EXACT * data.length
        for k in range(first, data.ncandidates):
            if data.candidates[k].gap <= least:
                deepest, least = k, data.candidates[k].gap
        if deepest >= 0 and least > gap + EXACT * data.length:  # n of a curved shape is exact to a few digits less than s
            data.candidates[deepest].gap = gap
        return
    if _witness_error(data) > AGREES * data.length:  # n is a face's, and the witnesses are of another direction
        n, s, overlap, converged = data.n, data.s, data.overlap, data.converged
        gjk(data, n, scale3(1e-3 * data.length + abs(s), n), 1e300)
        data.n, data.s, data.overlap, data.converged = n, s, overlap, converged
        if data.patch >= 0 and _witness_error(data) > 1e3 * AGREES * data.length:  # nothing of b is straight above the triangle
            return
    p = data.witness_a
    _add_candidate(data, add3(p, scale3(data.a.radius, data.n)), gap, features | (CROSSING >> 1) << 40)


@kernel
def _witness_error(data) -> float:
    """How far the witness points are from lying one above the other along n."""
    off = sub3(sub3(data.witness_b, data.witness_a), scale3(data.s, data.n))
    return math.sqrt(dot3(off, off))


@kernel
def _add_candidate(data, p, gap, feature) -> None:
    """One more point, unless one is known at the same place with the same normal."""
    same = SAME * data.length
    data.least_gap = min(data.least_gap, gap)
    count = data.ncandidates
    for k in range(count):
        known = data.candidates[k]
        e = sub3(known.p, p)
        if dot3(e, e) <= same * same:
            m = sub3(known.n, data.n)
            if dot3(m, m) <= SAME_NORMAL:
                if gap < known.gap:
                    known.gap = gap
                return
    if count == MAX_CLIPPED:
        drop_interior(data)
        thin_out(data, MAX_CLIPPED // 2)
        count = data.ncandidates
    candidate = data.candidates[count]
    candidate.p, candidate.n, candidate.gap, candidate.feature = p, data.n, gap, feature
    data.ncandidates = count + 1


@kernel
def drop_interior(data) -> None:
    """Of the candidates with one normal keep the corners of their convex hull as seen along it, and the deepest.

    What a contact allows depends on a point's place across the normal only, and linearly: points between others change nothing.
    """
    candidates, count = data.candidates, data.ncandidates
    for k in range(count):
        candidates[k].taken, candidates[k].distance = False, 0.0
    for seed in range(count):
        if candidates[seed].distance == 0.0:
            _take_hull(data, seed)
    _compact(data)


@kernel
def _take_hull(data, seed) -> None:
    """Take the hull of the candidates with the normal of `seed` (gift wrapping); `distance` 1 marks those that have been looked at."""
    candidates, count = data.candidates, data.ncandidates
    n = candidates[seed].n
    u = across(n)
    v = cross3(n, u)
    start, deepest, thin = seed, seed, SAME * data.length
    for k in range(count):
        m = sub3(candidates[k].n, n)
        if candidates[k].distance == 0.0 and dot3(m, m) <= SAME_NORMAL:
            candidates[k].distance = 2.0
            e = sub3(candidates[k].p, candidates[start].p)
            x = dot3(u, e)
            if x < -thin or (x <= thin and dot3(v, e) < 0.0):  # a corner, not within a side
                start = k
            if candidates[k].gap < candidates[deepest].gap:
                deepest = k
    at = start
    for _ in range(count):
        candidates[at].taken = True
        chosen, p, e, size = -1, candidates[at].p, (0.0, 0.0, 0.0), 0.0
        for k in range(count):
            if candidates[k].distance == 2.0 and k != at:
                f = sub3(candidates[k].p, p)
                x, y = dot3(u, f), dot3(v, f)
                long = math.sqrt(x * x + y * y)
                turned = dot3(v, e) * x - dot3(u, e) * y  # positive: k is to the right of e
                if chosen < 0 or turned > thin * size or (turned >= -thin * size and long > size):
                    chosen, e, size = k, f, long
        if chosen < 0 or candidates[chosen].taken:
            break
        at = chosen
    least = 1e300
    for k in range(count):
        if candidates[k].distance == 2.0:
            candidates[k].distance = 1.0
            if candidates[k].taken:
                least = min(least, candidates[k].gap)
    if candidates[deepest].gap < least - SAME * data.length:
        candidates[deepest].taken = True


@kernel
def _compact(data) -> None:
    """Drop the candidates that are not taken."""
    candidates, at = data.candidates, 0
    for k in range(data.ncandidates):
        if candidates[k].taken:
            if at != k:
                kept, source = candidates[at], candidates[k]
                kept.p, kept.n, kept.gap, kept.feature = source.p, source.n, source.gap, source.feature
            at += 1
    data.ncandidates = at


@kernel
def thin_out(data, most) -> None:
    """Keep at most so many candidates: the deepest, then again and again that which is farthest from those that are kept (in place and normal)."""
    count = data.ncandidates
    if count <= most:
        return
    candidates, last = data.candidates, 0
    for k in range(count):
        candidates[k].taken, candidates[k].distance = False, 1e300
        if candidates[k].gap < candidates[last].gap:
            last = k
    scale = data.length * data.length
    for _ in range(most):
        candidates[last].taken = True
        chosen, best, most_distant = candidates[last], -1, -1.0
        for k in range(count):
            candidate = candidates[k]
            if not candidate.taken:
                e, m = sub3(candidate.p, chosen.p), sub3(candidate.n, chosen.n)
                candidate.distance = min(candidate.distance, dot3(e, e) + scale * dot3(m, m))
                if candidate.distance > most_distant:
                    best, most_distant = k, candidate.distance
        last = best
    _compact(data)
