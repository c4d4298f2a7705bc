"""The point of a simplex that is closest to the origin.

Every face is judged by itself, and the closest of what they give is taken: slower than to decide by signs which face it is, but there is no region that
rounding could put between two others. Simplices that are too thin to have an inside have their boundary.
"""

import math

from ..kernels import Vector, kernel
from ..spatial.vectors import add3, cross3, dot3, scale3, sub3

ROUNDING = 1e-14  # of the cube of a length: volumes below it
THIN = 1e-28  # square of a relative area: nothing but rounding is left


@kernel(inline=True)
def _keep(data, i, j, k, shares):
    """Let vertices i, j, k with their shares be the simplex, those without a share left out. Returns the closest point."""
    at = 0
    v = (0.0, 0.0, 0.0)
    if shares[0] > 0.0:
        copy_vertex(data, at, i, shares[0])
        v = add3(v, scale3(shares[0], data.vertices[at].w))
        at += 1
    if shares[1] > 0.0:
        copy_vertex(data, at, j, shares[1])
        v = add3(v, scale3(shares[1], data.vertices[at].w))
        at += 1
    if shares[2] > 0.0:
        copy_vertex(data, at, k, shares[2])
        v = add3(v, scale3(shares[2], data.vertices[at].w))
        at += 1
    data.size = at
    return v


@kernel(inline=True)
def copy_vertex(data, to, source, share):
    """A vertex to another place of the list; the places only move towards the beginning."""
    target, given = data.vertices[to], data.vertices[source]
    if to != source:
        target.w, target.a, target.b = given.w, given.a, given.b
    target.share = share


@kernel(inline=True)
def _on_segment(p, q):
    """(square of the distance, share of p, share of q) of the closest point of a segment."""
    e = sub3(q, p)
    along, all_ = -dot3(p, e), dot3(e, e)
    t = 0.0 if along <= 0.0 else (1.0 if along >= all_ else along / all_)
    v = add3(p, scale3(t, e))
    return dot3(v, v), 1.0 - t, t


@kernel
def on_triangle(p, q, r) -> Vector[4]:
    """(square of the distance, shares of p, q and r) of the closest point of a triangle."""
    pq, pr = sub3(q, p), sub3(r, p)
    m = cross3(pq, pr)
    mm = dot3(m, m)
    if mm > THIN * dot3(pq, pq) * dot3(pr, pr):
        u = dot3(m, cross3(q, r))  # shares times mm: the volumes that m spans with the edges
        v = dot3(m, cross3(r, p))
        w = dot3(m, cross3(p, q))
        if u > 0.0 and v > 0.0 and w > 0.0:
            h = dot3(m, p)
            total = u + v + w
            return h * h / mm, u / total, v / total, w / total
    d, s, t = _on_segment(p, q)
    best = (d, s, t, 0.0)
    d, s, t = _on_segment(q, r)
    if d < best[0]:
        best = (d, 0.0, s, t)
    d, s, t = _on_segment(r, p)
    if d < best[0]:
        best = (d, t, 0.0, s)
    return best


@kernel(inline=True)
def _signed_volume(p, q, r):
    return dot3(p, cross3(q, r))


@kernel
def closest_point(data) -> Vector[3]:
    """The point of the simplex of `data` that is closest to the origin; what does not take part in it is dropped. Size 4 afterwards: the origin is inside."""
    vertices = data.vertices
    if data.size == 1:
        return _keep(data, 0, 0, 0, (1.0, 0.0, 0.0))
    if data.size == 2:
        d, s, t = _on_segment(vertices[0].w, vertices[1].w)
        return _keep(data, 0, 1, 1, (s, t, 0.0))
    if data.size == 3:
        best = on_triangle(vertices[0].w, vertices[1].w, vertices[2].w)
        return _keep(data, 0, 1, 2, (best[1], best[2], best[3]))
    p, q, r, s = vertices[0].w, vertices[1].w, vertices[2].w, vertices[3].w
    u, v, w, x = _signed_volume(q, r, s), _signed_volume(p, s, r), _signed_volume(p, q, s), _signed_volume(p, r, q)
    # Four volumes of one sign: the origin is inside. Those that may be rounding (all points in one plane with the origin) say nothing.
    largest = max(max(dot3(p, p), dot3(q, q)), max(dot3(r, r), dot3(s, s)))
    doubt = ROUNDING * largest * math.sqrt(largest)
    if (u > doubt and v > doubt and w > doubt and x > doubt) or (u < -doubt and v < -doubt and w < -doubt and x < -doubt):
        total = u + v + w + x
        vertices[0].share, vertices[1].share, vertices[2].share, vertices[3].share = u / total, v / total, w / total, x / total
        return 0.0, 0.0, 0.0
    best, which = on_triangle(p, q, r), 3
    found = on_triangle(p, q, s)
    if found[0] < best[0]:
        best, which = found, 2
    found = on_triangle(p, r, s)
    if found[0] < best[0]:
        best, which = found, 1
    found = on_triangle(q, r, s)
    if found[0] < best[0]:
        best, which = found, 0
    shares = (best[1], best[2], best[3])
    if which == 3:
        return _keep(data, 0, 1, 2, shares)
    if which == 2:
        return _keep(data, 0, 1, 3, shares)
    if which == 1:
        return _keep(data, 0, 2, 3, shares)
    return _keep(data, 1, 2, 3, shares)
