"""The face of the Minkowski difference that is closest to the origin: expanding polytope algorithm (van den Bergen 2001), with signs.

The distance of a face's plane is signed, positive where the origin is inside. The face with the least distance d is expanded by the support point along
its normal, at distance h:

    d <= depth <= h    (depth = -separation; inside: of the whole difference, since all other faces of the polytope are farther away)

so the origin need not be inside the first polytope, and shapes that only touch, or just do not, are no special case. First polytope: a tetrahedron of
support points, as large as they make it. If the difference is flat, its normal is that of no separation at all.
"""

import math

from ..kernels import Vector, kernel
from ..spatial.vectors import add3, cross3, dot3, scale3, sub3
from .convex_data import MAX_EDGES, MAX_FACES, MAX_VERTICES
from .gjk import put_support, unit
from .simplex import on_triangle

MEETS = 1e-12  # relative to the length of the pair: difference of h and d that ends the expansion
FLAT = 1e-13  # relative thickness of a difference that counts as flat
VISIBLE = 1e-15  # relative height above a face from which a point sees it


@kernel
def across(e) -> Vector[3]:
    """A unit vector perpendicular to e."""
    x, y, z = abs(e[0]), abs(e[1]), abs(e[2])
    axis = (1.0, 0.0, 0.0) if x <= y and x <= z else ((0.0, 1.0, 0.0) if y <= z else (0.0, 0.0, 1.0))
    return unit(cross3(e, axis), (0.0, 0.0, 1.0))


@kernel
def _extreme(data, k, n, base) -> float:
    """As vertex k the support point along n or -n, that which is farther from the plane through `base`. Returns its distance, signed along n."""
    put_support(data, k + 1, n)
    low = dot3(n, sub3(data.vertices[k + 1].w, base))  # along -n
    put_support(data, k, (-n[0], -n[1], -n[2]))
    high = dot3(n, sub3(data.vertices[k].w, base))
    if -low > high:
        put_support(data, k, n)
        return low
    return high


@kernel
def _face(data, f, i, j, k) -> None:
    """Face f through three vertices, in this order as seen from outside."""
    face = data.faces[f]
    face.i, face.j, face.k = i, j, k
    p, q, r = data.vertices[i].w, data.vertices[j].w, data.vertices[k].w
    e, g = sub3(q, p), sub3(r, p)
    m = cross3(e, g)
    mm, ee, gg = dot3(m, m), dot3(e, e), dot3(g, g)
    face.flat = not mm > 1e-26 * ee * gg
    if face.flat:
        face.n, face.d = (0.0, 0.0, 0.0), 1e300
    else:
        n = scale3(1.0 / math.sqrt(mm), m)
        face.n, face.d = n, (dot3(n, p) + dot3(n, q) + dot3(n, r)) / 3.0


@kernel
def _first_tetrahedron(data, first) -> int:
    """Four vertices and four faces. Returns 0; or 1 if the difference is flat, with `n` set to its normal."""
    n = unit(first, (0.0, 0.0, 1.0))
    thin = FLAT * data.length
    put_support(data, 0, n)
    u = data.vertices[0].w
    _extreme(data, 1, n, u)
    e = sub3(data.vertices[1].w, u)
    if not dot3(e, e) > thin * thin:  # no thickness along n: perhaps across
        n = across(n)
        _extreme(data, 1, n, u)
        e = sub3(data.vertices[1].w, u)
        if not dot3(e, e) > thin * thin:
            data.n = unit(first, n)
            _extreme(data, 1, cross3(n, data.n), u)
            e = sub3(data.vertices[1].w, u)
            if not dot3(e, e) > thin * thin:
                return 1
    n = across(e)
    if abs(_extreme(data, 2, n, u)) <= thin:
        n = unit(cross3(e, n), n)
        if abs(_extreme(data, 2, n, u)) <= thin:
            data.n = _flat_normal(first, n, e)
            return 1
    n = unit(cross3(e, sub3(data.vertices[2].w, u)), n)
    height = _extreme(data, 3, n, u)
    if abs(height) <= thin:
        data.n = n if dot3(n, first) >= 0.0 else (-n[0], -n[1], -n[2])
        return 1
    if height > 0.0:
        _face(data, 0, 0, 2, 1)
        _face(data, 1, 0, 1, 3)
        _face(data, 2, 1, 2, 3)
        _face(data, 3, 2, 0, 3)
    else:
        _face(data, 0, 0, 1, 2)
        _face(data, 1, 0, 3, 1)
        _face(data, 2, 1, 3, 2)
        _face(data, 3, 2, 3, 0)
    data.nvertices, data.nfaces = 4, 4
    return 0


@kernel
def _flat_normal(first, n, e) -> Vector[3]:
    """Of a difference that is a segment along e: the part of `first` across it, else n."""
    part = sub3(first, scale3(dot3(first, e) / dot3(e, e), e))
    return unit(part, n) if dot3(part, part) > 1e-12 * dot3(first, first) else n


@kernel
def _expand(data, new) -> bool:
    """Take the faces that vertex `new` sees away and cover the hole from it. False: there is no memory left, or it sees nothing."""
    w = data.vertices[new].w
    edges, nedges, at, seen = data.edges, 0, 0, False
    margin = VISIBLE * data.length
    for f in range(data.nfaces):
        face = data.faces[f]
        i, j, k = face.i, face.j, face.k
        if not face.flat and dot3(face.n, w) > face.d + margin:
            seen = True
            for side in range(3):
                p, q = (i, j) if side == 0 else ((j, k) if side == 1 else (k, i))
                found = -1
                for m in range(nedges):
                    if edges[2 * m] == q and edges[2 * m + 1] == p:
                        found = m
                if found >= 0:  # both its faces go
                    nedges -= 1
                    edges[2 * found], edges[2 * found + 1] = edges[2 * nedges], edges[2 * nedges + 1]
                else:
                    if nedges == MAX_EDGES:
                        return False
                    edges[2 * nedges], edges[2 * nedges + 1] = p, q
                    nedges += 1
        else:
            if at != f:
                kept = data.faces[at]
                kept.i, kept.j, kept.k, kept.n, kept.d, kept.flat = i, j, k, face.n, face.d, face.flat
            at += 1
    data.nfaces = at
    if not seen or at + nedges > MAX_FACES:
        return False
    for m in range(nedges):
        _face(data, at + m, edges[2 * m], edges[2 * m + 1], new)
    data.nfaces = at + nedges
    return True


@kernel
def _closest_face(data) -> int:
    """The face with the least distance, -1: there is none."""
    best, least = -1, 1e299
    for f in range(data.nfaces):
        if data.faces[f].d < least:
            best, least = f, data.faces[f].d
    return best


@kernel
def epa(data, first) -> None:
    """The direction of least depth `n` and its separation `s`, if it is greater than `s` already; witness points of the face.

    first: where to begin, and which side to take if the difference is flat. `converged`: is it the least depth to rounding?
    """
    if _first_tetrahedron(data, first) == 1:
        n = data.n
        s = put_support(data, 0, n)
        data.s, data.bound, data.converged = s, -s, True
        data.witness_a, data.witness_b = data.vertices[0].a, data.vertices[0].b
        return
    data.converged, data.bound = False, -1e300
    while True:
        f = _closest_face(data)
        if f < 0:
            return
        n, d = data.faces[f].n, data.faces[f].d
        i, j, k = data.faces[f].i, data.faces[f].j, data.faces[f].k
        inward = (-n[0], -n[1], -n[2])
        data.bound = d
        full = data.nvertices + 1 >= MAX_VERTICES
        s = put_support(data, MAX_VERTICES - 1 if full else data.nvertices, inward)
        if s > data.s:
            data.s, data.n = s, inward
            _face_witness(data, i, j, k, scale3(d, n))
        if -s - d <= MEETS * data.length:
            data.converged = True
            return
        if full:
            return
        data.nvertices += 1
        if not _expand(data, data.nvertices - 1):
            return


@kernel
def _face_witness(data, i, j, k, foot) -> None:
    """Witness points of a face, closest to the foot of the perpendicular from the origin."""
    p, q, r = data.vertices[i], data.vertices[j], data.vertices[k]
    shares = on_triangle(sub3(p.w, foot), sub3(q.w, foot), sub3(r.w, foot))
    u, v, w = shares[1], shares[2], shares[3]
    data.witness_a = add3(add3(scale3(u, p.a), scale3(v, q.a)), scale3(w, r.a))
    data.witness_b = add3(add3(scale3(u, p.b), scale3(v, q.b)), scale3(w, r.b))
