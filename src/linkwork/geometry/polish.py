"""The last digits of a normal where curved shapes touch.

Searches compare separations, which near the best direction differ by the square of its error: half of the digits of n are rounding. At the best direction
w(n) = b - a, of the support points, is parallel to n. That equation determines n to all digits; it is solved by Newton's method with differences, on the
two components of w across n; or where a shape has an edge or the side of a cylinder across n, on one component, with n held perpendicular to it. What does
not make the rest smaller, or loses separation, is not taken: next to corners and edges it is no smooth function.
"""

import math

from ..kernels import Vector, kernel
from ..spatial.matrices import apply9
from ..spatial.vectors import add3, cross3, dot3, scale3, sub3
from .epa import across
from .faces import choose_face, face_polygon
from .gjk import unit
from .kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL
from .support import TRIANGLE, support

ROUNDS = 6
STEP = 1e-6  # rad, of differences
ACROSS = 1e-5  # cosine of n with an edge that counts as perpendicular to it
LOSS = 1e-13  # of the length: separation that may be lost to rounding


@kernel
def is_curved(core) -> bool:
    return core.kind == CYLINDER or core.kind == CONE or core.kind == ELLIPSOID


@kernel
def _edge_across(core, polygon, n) -> Vector[3]:
    """The direction of an edge or generator on which all points are equally far along n (outward of the shape), zero: there is none."""
    kind = core.kind
    nothing = (0.0, 0.0, 0.0)
    if kind == CYLINDER or kind == CAPSULE:
        axis = apply9(core.R, (0.0, 0.0, 1.0))
        return axis if abs(dot3(axis, n)) < ACROSS else nothing
    if kind != BOX and kind != HULL and kind != TRIANGLE:
        return nothing
    choose_face(core, polygon, n)
    face_polygon(core, polygon, n)
    far = dot3(n, support(core, n))
    best, least = nothing, ACROSS
    for k in range(polygon.count):
        p, q = polygon.corners[k].p, polygon.corners[k + 1 if k + 1 < polygon.count else 0].p
        e = unit(sub3(q, p), nothing)
        if abs(dot3(e, n)) < least and far - dot3(n, p) <= ACROSS * core.extent:
            best, least = e, abs(dot3(e, n))
    return best


@kernel
def _apart(data, n) -> Vector[3]:
    return sub3(support(data.b, (-n[0], -n[1], -n[2])), support(data.a, n))


@kernel
def _turned(data, n, t, u, x, y) -> Vector[6]:
    """n turned towards t and u by x and y, with what is left of w across it: (n, along t, along u, separation)."""
    m = unit(add3(n, add3(scale3(x, t), scale3(y, u))), n)
    w = _apart(data, m)
    s = dot3(m, w)
    rest = sub3(w, scale3(s, m))
    return m[0], m[1], m[2], dot3(rest, t), dot3(rest, u), s


@kernel
def polish(data) -> None:
    """Improve `n` and `s` of a pair of which a shape is curved."""
    n = data.n
    e = _edge_across(data.a, data.polygon_a, n)
    f = _edge_across(data.b, data.polygon_b, (-n[0], -n[1], -n[2]))
    has_e, has_f = dot3(e, e) > 0.0, dot3(f, f) > 0.0
    if has_e and has_f:
        m = cross3(e, f)
        if dot3(m, m) > 1e-6:
            m = unit(m, n)
            m = m if dot3(m, n) > 0.0 else (-m[0], -m[1], -m[2])
            _take(data, m)
            return
    if has_e or has_f:
        edge = e if has_e else f
        _turn_about(data, unit(sub3(n, scale3(dot3(n, edge), edge)), n), edge)
    else:
        _turn_freely(data, n)


@kernel
def _take(data, n) -> None:
    s = dot3(n, _apart(data, n))
    if s >= data.s - LOSS * data.length:
        data.n, data.s = n, s


@kernel
def _turn_about(data, n, edge) -> None:
    """n stays perpendicular to an edge."""
    zero = (0.0, 0.0, 0.0)
    t = cross3(edge, n)
    now = _turned(data, n, t, zero, 0.0, 0.0)
    best, rest = n, abs(now[3])
    for _ in range(ROUNDS):
        t = cross3(edge, best)
        now = _turned(data, best, t, zero, 0.0, 0.0)
        near = _turned(data, best, t, zero, STEP, 0.0)
        slope = (near[3] - now[3]) / STEP
        if slope == 0.0 or not abs(now[3]) < 0.1 * abs(slope):
            break
        found = _turned(data, best, t, zero, -now[3] / slope, 0.0)
        if not abs(found[3]) < 0.5 * rest:
            break
        best, rest = (found[0], found[1], found[2]), abs(found[3])
    _take(data, best)


@kernel
def _turn_freely(data, n) -> None:
    best, rest = n, 1e300
    for _ in range(ROUNDS):
        t = across(best)
        u = cross3(best, t)
        now = _turned(data, best, t, u, 0.0, 0.0)
        size = math.hypot(now[3], now[4])
        rest = min(rest, size)
        p, q = _turned(data, best, t, u, STEP, 0.0), _turned(data, best, t, u, 0.0, STEP)
        a, c = (p[3] - now[3]) / STEP, (p[4] - now[4]) / STEP
        b, d = (q[3] - now[3]) / STEP, (q[4] - now[4]) / STEP
        determinant = a * d - b * c
        if determinant == 0.0:
            break
        x, y = (b * now[4] - d * now[3]) / determinant, (c * now[3] - a * now[4]) / determinant
        if not math.hypot(x, y) < 0.1:
            break
        found = _turned(data, best, t, u, x, y)
        if not math.hypot(found[3], found[4]) < 0.5 * rest:
            break
        best, rest = (found[0], found[1], found[2]), math.hypot(found[3], found[4])
    _take(data, best)
