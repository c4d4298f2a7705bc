"""Capsules against boxes: a segment x(t) = c + t d, |t| <= half length, with a radius.

Outside: the square of the distance to the box, sum_i excess_i(x(t))^2, is convex in t; the zero of its slope is found by Newton steps on a piecewise
linear function, in a bracket. A capsule that lies over a face touches with both ends of the part above it: each point of the segment is the centre of a ball,
whose contact is exact by itself.

Inside: of the six axes that can separate a segment from a box (three faces, three cross products) the one with the least depth, faces first (geometry/box.py).
"""

from ..kernels import kernel
from ..kernels.scalar import sqrt
from ..spatial.matrices import apply9, apply9_transposed
from ..spatial.se3 import pose_act, pose_act_inverse
from ..spatial.vectors import cross3, dot3, scale3
from .box import DEEP, ON_SIDE, PARALLEL, SLACK, largest
from .features import PAIR, edge_of, face_of
from .frames import axis_of, axis_z, beside, clamp, component, length3, opposite, sign_of, size_of
from .manifold import add_point
from .sphere import add_ball_on_box, box_excess

ROUNDS = 40
BETWEEN, PLUS, MINUS = 0, 1, 2  # features of a capsule: between its ends, its end at +z, at -z
LEVEL = 1e-9  # of the shortest half edge: if the nearest point is nearer by less, the ends speak for it
LOW, HIGH = 3, 4  # where a side of the face of a box cuts it, at lower and at higher z


@kernel
def capsule_box(a, b, Xa, Xb, reach, manifold) -> None:
    """p on the box."""
    r, half, h = a["size"][0], a["size"][1], size_of(b)
    c, d = pose_act_inverse(Xb, Xa[1]), apply9_transposed(Xb[0], axis_z(Xa[0]))
    small = min(min(h[0], h[1]), h[2])
    t = nearest_parameter(c, d, half, h)
    e = box_excess(beside(c, t, d), h)
    square = dot3(e, e)
    if square > (SLACK * small) ** 2:
        if sqrt(square) - r <= reach:
            _outside(c, d, t, half, e, r, h, Xb, reach, small, manifold)
    else:
        _inside(c, d, half, r, h, Xb, reach, small, manifold)


@kernel
def nearest_parameter(c, d, half, h) -> float:
    """The t in [-half, half] where c + t d is nearest to a box about the origin."""
    low, high, t = -half, half, 0.0
    seen_low, seen_high = False, False
    for _ in range(ROUNDS):
        e = box_excess(beside(c, t, d), h)
        slope = dot3(d, e)
        curvature = (d[0] * d[0] if e[0] != 0.0 else 0.0) + (d[1] * d[1] if e[1] != 0.0 else 0.0) + (d[2] * d[2] if e[2] != 0.0 else 0.0)
        if slope == 0.0 or curvature == 0.0:
            return t
        if slope > 0.0:
            high, seen_high = t, True
        else:
            low, seen_low = t, True
        step = t - slope / curvature
        if step <= low:
            step = 0.5 * (low + high) if seen_low else low
        elif step >= high:
            step = 0.5 * (low + high) if seen_high else high
        if step == t:
            return t
        t = step
    return t


@kernel(inline=True)
def _slab(c, d, half, low, high):
    """The part of the interval in which |c + t d| <= half."""
    if d == 0.0:
        return (low, high) if abs(c) <= half else (1.0, -1.0)
    first, last = (-half - c) / d, (half - c) / d
    return max(low, min(first, last)), min(high, max(first, last))


@kernel(inline=True)
def _over_face(c, d, half, h, k, tolerance):
    """The part of the segment, as t from .. to, that is above or below the face across axis k; from > to if there is none."""
    low, high = -half, half
    if k != 0:
        low, high = _slab(c[0], d[0], h[0] + tolerance, low, high)
    if k != 1:
        low, high = _slab(c[1], d[1], h[1] + tolerance, low, high)
    if k != 2:
        low, high = _slab(c[2], d[2], h[2] + tolerance, low, high)
    return low, high


@kernel(inline=True)
def _end(t, half, otherwise):
    """What a point of the segment is."""
    return PLUS if t >= half else MINUS if t <= -half else otherwise


# parameters: a segment and a box, and where they are nearest
@kernel
def _outside(c, d, t, half, e, r, h, X, reach, small, manifold) -> None:
    k = 0
    if abs(e[1]) > abs(component(e, k)):
        k = 1
    if abs(e[2]) > abs(component(e, k)):
        k = 2
    low, high = _over_face(c, d, half, h, k, 0.0)
    over = low <= high
    if not over:
        # Along an edge: what lies between its ends.
        k = 0 if d[0] * d[0] > 0.8 else 1 if d[1] * d[1] > 0.8 else 2 if d[2] * d[2] > 0.8 else -1
        if k >= 0:
            low, high = _slab(component(c, k), component(d, k), component(h, k), -half, half)
    if low > high or k < 0:
        add_ball_on_box(manifold, beside(c, t, d), r, h, X, reach, _end(t, half, BETWEEN))
        return
    x, y = _held(beside(c, low, d), h, k, over), _held(beside(c, high, d), h, k, over)
    ends = min(length3(box_excess(x, h)), length3(box_excess(y, h)))
    if length3(e) < ends - LEVEL * small:
        add_ball_on_box(manifold, beside(c, t, d), r, h, X, reach, _end(t, half, BETWEEN))
    add_ball_on_box(manifold, x, r, h, X, reach, _end(low, half, LOW))
    if high - low > SLACK * small:
        add_ball_on_box(manifold, y, r, h, X, reach, _end(high, half, HIGH))


@kernel(inline=True)
def _held(x, h, k, over):
    """A point of the segment where it is cut by a side of a face lies on that side, without rounding: it belongs to the face."""
    if not over:
        return (
            clamp(x[0], -h[0], h[0]) if k == 0 else x[0],
            clamp(x[1], -h[1], h[1]) if k == 1 else x[1],
            clamp(x[2], -h[2], h[2]) if k == 2 else x[2],
        )
    return (
        x[0] if k == 0 else clamp(x[0], -h[0], h[0]),
        x[1] if k == 1 else clamp(x[1], -h[1], h[1]),
        x[2] if k == 2 else clamp(x[2], -h[2], h[2]),
    )


# parameters: a segment and a box
@kernel
def _inside(c, d, half, r, h, X, reach, small, manifold) -> None:
    slack = SLACK * small
    faces = abs(c[0]) - h[0] - half * abs(d[0]), abs(c[1]) - h[1] - half * abs(d[1]), abs(c[2]) - h[2] - half * abs(d[2])
    k, gap = largest(faces, slack)
    best, axis = -1e300, 0
    for i in range(3):
        u, v = (d[1], d[2]) if i == 0 else (d[2], d[0]) if i == 1 else (d[0], d[1])
        cu, cv = (c[1], c[2]) if i == 0 else (c[2], c[0]) if i == 1 else (c[0], c[1])
        hu, hv = (h[1], h[2]) if i == 0 else (h[2], h[0]) if i == 1 else (h[0], h[1])
        square = u * u + v * v
        if square > PARALLEL:
            depth = (abs(cv * u - cu * v) - hu * abs(v) - hv * abs(u)) / sqrt(square)
            if depth > best:
                best, axis = depth, i
    if best > gap + slack - DEEP * min(0.0, gap):
        _across_edge(c, d, axis, best, r, h, X, half, reach, manifold)
        return
    side = sign_of(component(c, k))
    low, high = _over_face(c, d, half, h, k, ON_SIDE * small)
    if low > high:
        low = high = nearest_parameter(c, d, half, h)
    n = scale3(-side, axis_of(X[0], k))
    face = face_of(k, side)
    for q in range(2):
        t = low if q == 0 else high
        if q == 0 or high - low > slack:
            x = beside(c, t, d)
            w = side * component(x, k) - component(h, k)
            if w - r <= reach:
                feature = PAIR * _end(t, half, LOW if q == 0 else HIGH) + face
                add_point(manifold, beside(pose_act(X, x), w, n), n, w - r, feature)


# parameters: a segment and a box, and the edge that the search has found
@kernel
def _across_edge(c, d, k, gap, r, h, X, half, reach, manifold) -> None:
    """The point of an edge of the box along axis k that is nearest to the segment, where the way out is across both."""
    e = (1.0, 0.0, 0.0) if k == 0 else (0.0, 1.0, 0.0) if k == 1 else (0.0, 0.0, 1.0)
    across = cross3(e, d)
    square = dot3(across, across)
    n = scale3(sign_of(dot3(across, c)) / sqrt(square), across)  # out of the box
    middle = (
        0.0 if k == 0 else sign_of(n[0]) * h[0],
        0.0 if k == 1 else sign_of(n[1]) * h[1],
        0.0 if k == 2 else sign_of(n[2]) * h[2],
    )
    # c + t d = middle + s e + gap n: s from the two conditions that the way is normal to both.
    y = (c[0] - middle[0], c[1] - middle[1], c[2] - middle[2])
    dk, yk, yd = component(d, k), component(y, k), dot3(y, d)
    s = clamp((yk - dk * yd) / square, -component(h, k), component(h, k))
    t = dk * s - yd
    if gap - r <= reach:
        p = pose_act(X, beside(middle, s, e))
        feature = PAIR * _end(t, half, BETWEEN) + edge_of(k, n[0], n[1], n[2])
        add_point(manifold, p, opposite(apply9(X[0], n)), gap - r, feature)
