"""Boxes against boxes.

Which way: of the 15 axes that can separate two boxes (faces of a, faces of b, cross products of their edges) the one with the largest gap,

    gap(n) = |t . n| - sum_i ha_i |a_i . n| - sum_j hb_j |b_j . n|,     t = pb - pa,     n towards b;

it is the signed distance of the boxes, unless a vertex of one is nearest to an edge or a vertex of the other; then that pair gives normal and gap.

Which points: a face as reference gives the other box's face that looks at it, clipped by the sides of the reference face; its normal is the axis of
the box, without rounding. Two edges give the one point where they are nearest.

Ties go to a face before two edges, to the larger face before the smaller, to a before b: faces that lie on each other keep their points from step to
step, whatever the rounding says. A tie is a difference of gaps up to SLACK times the shortest half edge, for edges that are better by depth also DEEP.
Gottschalk, Lin and Manocha 1996 (the 15 axes).
"""

from ..kernels import kernel
from ..kernels.scalar import sqrt
from ..spatial.matrices import apply9, apply9_transposed, times9, transposed9
from ..spatial.se3 import pose_act, pose_act_inverse
from ..spatial.vectors import add3, dot3, scale3, sub3
from .clipping import CORNER, CROSSING, clip, put_vertex
from .features import PAIR, edge_of, face_of, region_of, vertex_of
from .frames import axis_of, beside, clamp, component, length3, opposite, sign_of, size_of
from .manifold import add_point, clear
from .sphere import box_excess

SLACK = 1e-6  # of the shortest half edge: what rounding and the tolerance of positions do to faces that lie on each other is far below
DEEP = 0.05  # of the depth
ON_SIDE = 1e-7  # of the shortest half edge: a vertex that far beyond a side of a face counts as on it
PARALLEL = 1e-12  # sin^2 of the angle of edges whose cross product is no axis


@kernel
def box_box(a, b, Xa, Xb, reach, manifold) -> None:
    ha, hb = size_of(a), size_of(b)
    C = times9(transposed9(Xa[0]), Xb[0])  # frame of b in that of a
    t = pose_act_inverse(Xa, Xb[1])
    D = (abs(C[0]), abs(C[1]), abs(C[2]), abs(C[3]), abs(C[4]), abs(C[5]), abs(C[6]), abs(C[7]), abs(C[8]))
    back = apply9_transposed(C, t)
    slack = SLACK * min(min(min(ha[0], ha[1]), ha[2]), min(min(hb[0], hb[1]), hb[2]))
    ia, gap_a = largest(_face_gaps(t, ha, apply9(D, hb)), slack)
    ib, gap_b = largest(_face_gaps(back, hb, apply9_transposed(D, ha)), slack)
    if gap_a > reach or gap_b > reach:
        return
    larger = _face_area(hb, ib) > (1.0 + SLACK) * _face_area(ha, ia)
    on_side = (ON_SIDE / SLACK) * slack
    on_b = gap_b >= gap_a - slack if larger else gap_b > gap_a + slack
    gap_face = gap_b if on_b else gap_a
    pair, gap_edges = _best_edges(C, D, t, ha, hb)
    if gap_edges > reach:
        return
    if gap_edges > gap_face + slack + DEEP * max(0.0, -gap_face):
        if not _edge_contact(C, t, ha, hb, pair, gap_edges, slack, Xa, reach, manifold):
            _vertex_contacts(C, t, ha, hb, Xa, reach, slack, manifold)
        return
    if on_b:
        side = -sign_of(component(back, ib))
        lowest = _face_contact(hb, ha, transposed9(C), opposite(back), ib, side, Xb, True, reach, on_side, manifold)
    else:
        side = sign_of(component(t, ia))
        lowest = _face_contact(ha, hb, C, t, ia, side, Xa, False, reach, on_side, manifold)
    if lowest > gap_face + slack:
        if gap_face > 0.0:
            # The nearest points are a vertex and what is not a face: the gap across the face is too small, or nothing is above the face.
            clear(manifold)
            _vertex_contacts(C, t, ha, hb, Xa, reach, slack, manifold)
        elif manifold.count == 0:
            _deepest_vertex(C, t, ha, hb, ib if on_b else ia, on_b, gap_face, Xa, Xb, manifold)


@kernel(inline=True)
def _face_gaps(t, h, other):
    return abs(t[0]) - h[0] - other[0], abs(t[1]) - h[1] - other[1], abs(t[2]) - h[2] - other[2]


@kernel(inline=True)
def largest(g, slack):
    """(which, value) of three gaps; of equal ones (to `slack`) the first."""
    k, value = 0, g[0]
    if g[1] > value + slack:
        k, value = 1, g[1]
    if g[2] > value + slack:
        k, value = 2, g[2]
    return k, value


@kernel(inline=True)
def _face_area(h, k):
    return h[1] * h[2] if k == 0 else h[2] * h[0] if k == 1 else h[0] * h[1]


NONE = -1e300


# parameters: two components each of what is multiplied
@kernel(inline=True)
def _edges_gap(Ck, Cl, Dk, Dl, tk, tl, hk, hl, others):
    """Gap along e_i x c_j = (-C_lj, C_kj) in the axes k, l that follow i; `others`: the extent of b along it before it is made a unit vector."""
    square = Ck * Ck + Cl * Cl
    if square < PARALLEL:
        return NONE
    return (abs(tl * Ck - tk * Cl) - hk * Dl - hl * Dk - others) / sqrt(square)


@kernel(inline=True)
def _best_edges(C, D, t, ha, hb):
    """(3 i + j, gap) of the edge i of a and j of b with the largest gap.

    The extent of b along e_i x c_j is that of its two other edges: |e_i x c_j . c_k| = |C_il| for j, k, l all different.
    """
    best, which = NONE, 0
    x, y, z = hb
    g = _edges_gap(C[3], C[6], D[3], D[6], t[1], t[2], ha[1], ha[2], y * D[2] + z * D[1])
    if g > best:
        best, which = g, 0
    g = _edges_gap(C[4], C[7], D[4], D[7], t[1], t[2], ha[1], ha[2], z * D[0] + x * D[2])
    if g > best:
        best, which = g, 1
    g = _edges_gap(C[5], C[8], D[5], D[8], t[1], t[2], ha[1], ha[2], x * D[1] + y * D[0])
    if g > best:
        best, which = g, 2
    g = _edges_gap(C[6], C[0], D[6], D[0], t[2], t[0], ha[2], ha[0], y * D[5] + z * D[4])
    if g > best:
        best, which = g, 3
    g = _edges_gap(C[7], C[1], D[7], D[1], t[2], t[0], ha[2], ha[0], z * D[3] + x * D[5])
    if g > best:
        best, which = g, 4
    g = _edges_gap(C[8], C[2], D[8], D[2], t[2], t[0], ha[2], ha[0], x * D[4] + y * D[3])
    if g > best:
        best, which = g, 5
    g = _edges_gap(C[0], C[3], D[0], D[3], t[0], t[1], ha[0], ha[1], y * D[8] + z * D[7])
    if g > best:
        best, which = g, 6
    g = _edges_gap(C[1], C[4], D[1], D[4], t[0], t[1], ha[0], ha[1], z * D[6] + x * D[8])
    if g > best:
        best, which = g, 7
    g = _edges_gap(C[2], C[5], D[2], D[5], t[0], t[1], ha[0], ha[1], x * D[7] + y * D[6])
    if g > best:
        best, which = g, 8
    return which, best


@kernel(inline=True)
def _column(C, j):
    return (C[0], C[3], C[6]) if j == 0 else (C[1], C[4], C[7]) if j == 1 else (C[2], C[5], C[8])


@kernel(inline=True)
def _corner(h, n, k):
    """The middle of the edge along axis k that is farthest along n."""
    x, y, z = sign_of(n[0]) * h[0], sign_of(n[1]) * h[1], sign_of(n[2]) * h[2]
    return (0.0, y, z) if k == 0 else (x, 0.0, z) if k == 1 else (x, y, 0.0)


# parameters: two boxes, one in the frame of the other, and what the search has found
@kernel
def _edge_contact(C, t, ha, hb, pair, gap, slack, Xa, reach, manifold) -> bool:
    """Add the point of two edges; p on that of a. False if they are separated and their nearest points are beyond their ends: nothing is added then."""
    i, j = pair // 3, pair % 3
    c = _column(C, j)
    if i == 0:
        along = (0.0, -c[2], c[1])
    elif i == 1:
        along = (c[2], 0.0, -c[0])
    else:
        along = (-c[1], c[0], 0.0)
    side = sign_of(dot3(along, t)) / length3(along)
    n = scale3(side, along)
    on_b = apply9_transposed(C, opposite(n))
    ca, cb = _corner(ha, n, i), add3(t, apply9(C, _corner(hb, on_b, j)))
    d = sub3(cb, ca)
    cosine, di, dj = component(c, i), component(d, i), dot3(d, c)
    sin2 = dot3(along, along)
    s, r = (di - cosine * dj) / sin2, (cosine * di - dj) / sin2
    half_a, half_b = component(ha, i), component(hb, j)
    if gap > 0.0 and (abs(s) > half_a + slack or abs(r) > half_b + slack):
        return False
    s = clamp(s, -half_a, half_a)
    p = ca[0] + (s if i == 0 else 0.0), ca[1] + (s if i == 1 else 0.0), ca[2] + (s if i == 2 else 0.0)
    feature = PAIR * edge_of(i, n[0], n[1], n[2]) + edge_of(j, on_b[0], on_b[1], on_b[2])
    if gap <= reach:
        add_point(manifold, pose_act(Xa, p), apply9(Xa[0], n), gap, feature)
    return True


# parameters: two boxes, one in the frame of the other, and the face that the search has found
@kernel
def _face_contact(h, g, C, t, k, side, X, turned, reach, on_side, manifold) -> float:
    """Add the points of the face of one box over the face (axis k, side) of the reference box, and return the least gap of its points.

    h, X: the reference box; g, C, t: the other one in its frame. turned: is the reference box the second of the pair?
    Returns 1e300 if nothing is above the face.
    """
    # The other axes of the reference face.
    u, v = (1, 2) if k == 0 else (2, 0) if k == 1 else (0, 1)
    Cu, Cv, Cw = _row(C, u), _row(C, v), scale3(side, _row(C, k))
    # The face that looks at it most.
    j = 0
    if abs(Cw[1]) > abs(Cw[j]):
        j = 1
    if abs(Cw[2]) > abs(component(Cw, j)):
        j = 2
    j, l, m = (0, 1, 2) if j == 0 else (1, 2, 0) if j == 1 else (2, 0, 1)
    sj = -sign_of(component(Cw, j))
    gj, gl, gm = sj * component(g, j), component(g, l), component(g, m)
    c = (
        component(t, u) + gj * component(Cu, j),
        component(t, v) + gj * component(Cv, j),
        side * component(t, k) - component(h, k) + gj * component(Cw, j),
    )
    dl = gl * component(Cu, l), gl * component(Cv, l), gl * component(Cw, l)
    dm = gm * component(Cu, m), gm * component(Cv, m), gm * component(Cw, m)
    hu, hv = component(h, u), component(h, v)
    polygon = manifold.polygon
    put_vertex(polygon, 0, add3(add3(c, dl), dm), _vertex(j, l, m, sj, 1.0, 1.0), _edge(l, j, m, sj, 1.0))
    put_vertex(polygon, 1, add3(sub3(c, dl), dm), _vertex(j, l, m, sj, -1.0, 1.0), _edge(m, j, l, sj, -1.0))
    put_vertex(polygon, 2, sub3(sub3(c, dl), dm), _vertex(j, l, m, sj, -1.0, -1.0), _edge(l, j, m, sj, -1.0))
    put_vertex(polygon, 3, sub3(add3(c, dl), dm), _vertex(j, l, m, sj, 1.0, -1.0), _edge(m, j, l, sj, 1.0))
    count = clip(polygon, 4, hu, hv, on_side)
    axis = axis_of(X[0], k)
    n = scale3(-side if turned else side, axis)
    middle = beside(X[1], side * component(h, k), axis)
    U, V = axis_of(X[0], u), axis_of(X[0], v)
    lowest = 1e300
    for q in range(count):
        vertex = polygon[q]
        w = vertex.w
        lowest = min(lowest, w)
        if w <= reach:
            mine, others = _pair_of(vertex.feature, k, u, v, side, face_of(j, sj))
            feature = PAIR * others + mine if turned else PAIR * mine + others
            add_point(manifold, beside(beside(middle, vertex.u, U), vertex.v, V), n, w, feature)
    return lowest


@kernel(inline=True)
def _row(C, i):
    return (C[0], C[1], C[2]) if i == 0 else (C[3], C[4], C[5]) if i == 1 else (C[6], C[7], C[8])


@kernel(inline=True)
def _on_axes(a, b, c, x, y, z):
    """x, y, z stand at axes a, b, c: the same by axis."""
    first = x if a == 0 else y if b == 0 else z
    second = x if a == 1 else y if b == 1 else z
    third = x if a == 2 else y if b == 2 else z
    return first, second, third


@kernel(inline=True)
def _vertex(a, b, c, x, y, z):
    p = _on_axes(a, b, c, x, y, z)
    return vertex_of(p[0], p[1], p[2])


@kernel(inline=True)
def _edge(along, b, c, y, z):
    """The edge along an axis, at sides y and z of the axes b and c."""
    p = _on_axes(along, b, c, 0.0, y, z)
    return edge_of(along, p[0], p[1], p[2])


@kernel(inline=True)
def _pair_of(feature, k, u, v, side, other_face):
    """(feature of the reference box, feature of the other one) of a vertex that was clipped by the face (axis k, side), whose other axes are u and v."""
    if feature < CORNER:
        return face_of(k, side), feature
    if feature < CROSSING:
        corner = feature - CORNER
        return _vertex(k, u, v, side, 1.0 if corner & 1 else -1.0, 1.0 if corner & 2 else -1.0), other_face
    across = (feature - CROSSING) % 4
    edge = (feature - CROSSING) // 4
    if across < 2:
        return _edge(v, k, u, side, 1.0 if across == 0 else -1.0), edge
    return _edge(u, k, v, side, 1.0 if across == 2 else -1.0), edge


@kernel(inline=True)
def _vertex_at(h, k):
    """The k-th vertex of a box, numbered as in features.py."""
    return h[0] if k & 1 else -h[0], h[1] if k & 2 else -h[1], h[2] if k & 4 else -h[2]


@kernel
def _vertex_contacts(C, t, ha, hb, Xa, reach, same, manifold) -> None:
    """Of boxes that are apart: the vertices of each that are nearest to the other, by their own normals; p on a.

    First the nearest of all 16; then those within reach whose way points nearly as its own, as two edges that lie along each other have. Of
    ways that begin or end at the same place (to `same`) the shortest counts.
    """
    best, nearest = 1e300, (0.0, 0.0, 1.0)
    for k in range(16):
        _, d, _ = _vertex_apart(C, t, ha, hb, k)
        square = dot3(d, d)
        if square < best:
            best, nearest = square, d
    distance = sqrt(best)
    if distance > reach or distance == 0.0:
        return
    limit = 0.95 * distance
    for k in range(16):
        p, d, feature = _vertex_apart(C, t, ha, hb, k)
        length = length3(d)
        if length <= reach and dot3(d, nearest) >= limit * length:
            p, n = pose_act(Xa, p), scale3(1.0 / length, apply9(Xa[0], d))
            there = _same_place(manifold, p, beside(p, length, n), same)
            if there < 0:
                add_point(manifold, p, n, length, feature)
            elif length < manifold.points[there].gap:
                point = manifold.points[there]
                point.p, point.n, point.gap, point.feature = p, n, length, feature


@kernel(inline=True)
def _vertex_apart(C, t, ha, hb, k):
    """(point of a, from it to the nearest point of b, features) for the vertex k of b, or k - 8 of a; in the frame of a."""
    if k < 8:
        x = add3(t, apply9(C, _vertex_at(hb, k)))
        e = box_excess(x, ha)
        return sub3(x, e), e, PAIR * region_of(e[0], e[1], e[2]) + k
    x = _vertex_at(ha, k - 8)
    e = box_excess(apply9_transposed(C, sub3(x, t)), hb)
    return x, opposite(apply9(C, e)), PAIR * (k - 8) + region_of(e[0], e[1], e[2])


@kernel(inline=True)
def _same_place(manifold, p, q, tolerance):
    """The contact that has the same point p of a or the same point q of b already, -1: none."""
    found = -1
    for k in range(manifold.count):
        point = manifold.points[k]
        d, e = sub3(point.p, p), sub3(beside(point.p, point.gap, point.n), q)
        if min(dot3(d, d), dot3(e, e)) <= tolerance * tolerance:
            found = k
    return found


# parameters: two boxes, one in the frame of the other, and the face that the search has found
@kernel
def _deepest_vertex(C, t, ha, hb, k, on_b, gap, Xa, Xb, manifold) -> None:
    """Where clipping leaves nothing of boxes that overlap: the vertex that is deepest below the face, brought onto it."""
    if on_b:
        side = -sign_of(dot3(_column(C, k), t))
        x = _farthest(ha, scale3(-side, _column(C, k)))
        n = scale3(-side, axis_of(Xb[0], k))
        feature = PAIR * vertex_of(x[0], x[1], x[2]) + face_of(k, side)
        add_point(manifold, beside(pose_act(Xa, x), gap, n), n, gap, feature)
        return
    side = sign_of(component(t, k))
    x = _farthest(hb, scale3(-side, _row(C, k)))
    n = scale3(side, axis_of(Xa[0], k))
    feature = PAIR * face_of(k, side) + vertex_of(x[0], x[1], x[2])
    add_point(manifold, beside(pose_act(Xb, x), -gap, n), n, gap, feature)


@kernel(inline=True)
def _farthest(h, n):
    """The vertex of a box that is farthest along n."""
    return sign_of(n[0]) * h[0], sign_of(n[1]) * h[1], sign_of(n[2]) * h[2]
