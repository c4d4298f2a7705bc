"""The points of contact at a state: found by the kernels of geometry/, given their tangents, and recognised from the step before.

A pair is looked at if the spheres about its shapes are nearer than their points can come within the step; the points of its manifold are kept in the
order of the table of pairs. A point is recognised by its feature; if features have changed, it is the nearest within 1 % of the size of the pair.
"""

from math import inf, sqrt

from ...data.contact_problem import SLIDE
from ...geometry.bounds import bounds
from ...geometry.collide import collide
from ...geometry.kinds import CYLINDER, FLOOR, SPHERE
from ...kernels import Vector, kernel
from ...kernels.scalar import zero
from ...model.contact_tables import open_contacts
from ...spatial.matrices import apply9, times9
from ...spatial.vectors import add3, cross3, dot3, scale3, sub3

TOUCHES, BOUNCED, SLIPS, STEADY = 1, 2, 4, 8  # flags of a RememberedPoint
MANY = 48  # pairs: so many are listed by where they are
SKIN = 1.0  # of the largest shape: what is nearer is listed
STILL = 1e-3  # of the tolerance of gaps: what moves less along the surface in a step does not slip, though friction may be all there is
FASTER = 1.5  # times the speed that points were looked for with: what is faster is looked at again
STRIKES = 2.0  # times what accelerations change a speed by within a step: slower points are not struck
NEAR = 0.01  # of the size of a pair: points so near to each other are the same


@kernel
def place_shapes(model, motion, contact) -> None:
    """Poses of all shapes in the world, boxes about them, and bounds of their speeds, after a sweep over the links with velocities."""
    t = open_contacts(model)
    for k in range(t.nshapes):
        shape, state = t.shapes[k], contact.shapes[k]
        R, p = shape.R, shape.p
        Q = (R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8])
        r = (p[0], p[1], p[2])
        if shape.link >= 0:
            link = motion.links[shape.link]
            state.speed = _speed(shape, link)
            state.R, state.p = times9(link.R, Q), add3(link.p, apply9(link.R, r))
        else:
            state.R, state.p, state.speed = Q, r, 0.0
        if t.npairs > 1:
            x, e = state.p, (shape.bound, shape.bound, shape.bound)
            state.low, state.high = sub3(x, e), add3(x, e)
            if SPHERE <= shape.kind <= CYLINDER:
                x0, y0, z0, x1, y1, z1 = bounds(shape, (state.R, state.p))
                state.low, state.high = (x0, y0, z0), (x1, y1, z1)


@kernel(inline=True)
def _speed(shape, link):
    """A bound of the speeds of the points of a shape on a link."""
    V, p = link.v, shape.p
    u = add3((V[3], V[4], V[5]), cross3((V[0], V[1], V[2]), (p[0], p[1], p[2])))
    return sqrt(dot3(u, u)) + sqrt(V[0] * V[0] + V[1] * V[1] + V[2] * V[2]) * shape.bound


@kernel
def raise_speeds(model, motion, contact, h) -> bool:
    """Bounds of the speeds of shapes that have become much faster, after a sweep over the links; can one of them meet another shape within h?"""
    t, any_faster = open_contacts(model), False
    for k in range(t.nshapes):
        shape, state = t.shapes[k], contact.shapes[k]
        state.faster = False
        if shape.link >= 0:
            speed = _speed(shape, motion.links[shape.link])
            if speed > FASTER * state.speed and h * speed > contact.tolerance:
                state.speed, state.faster, any_faster = speed, True, True
    if any_faster:
        set_reaches(model, contact, h, 0.0)
        listed = t.npairs > MANY
        if listed and _is_stale(t, contact):
            return True
        for j in range(contact.nnear if listed else t.npairs):
            pair = t.pairs[contact.near_pairs[j] if listed else j]
            A, B = contact.shapes[pair.a], contact.shapes[pair.b]
            if (A.faster or B.faster) and apart(t.shapes[pair.a], t.shapes[pair.b], A, B) <= h * (A.speed + B.speed):
                return True
    return False


@kernel
def find_contacts(model, contact, h) -> None:
    """All points with gaps up to what can close within a time h, after `place_shapes`. Flags an overflow if there is no room."""
    set_reaches(model, contact, h, 0.0)
    find_points(model, contact)


@kernel
def set_reaches(model, contact, h, more) -> None:
    """How near shapes must be for their points to be looked for: as far as their speeds take them within h, and a little more."""
    for k in range(open_contacts(model).nshapes):
        state = contact.shapes[k]
        state.reach = h * state.speed + (more + contact.tolerance)


@kernel
def find_points(model, contact) -> None:
    """All points with gaps up to the reaches of both shapes. Flags an overflow if there is no room."""
    t = open_contacts(model)
    contact.count = 0
    listed = t.npairs > MANY
    if listed and _is_stale(t, contact):
        list_pairs(t, contact)
    for j in range(contact.nnear if listed else t.npairs):
        k = contact.near_pairs[j] if listed else j
        pair = t.pairs[k]
        a, b = t.shapes[pair.a], t.shapes[pair.b]
        A, B = contact.shapes[pair.a], contact.shapes[pair.b]
        reach = A.reach + B.reach
        if apart(a, b, A, B) <= reach and not _boxes_apart(t, a, b, A, B, reach):
            collide(a, b, (A.R, A.p), (B.R, B.p), reach, contact.manifold)
            if contact.count + contact.manifold.count > contact.room:
                contact.overflow = True
                return
            for i in range(contact.manifold.count):
                add_point(contact, k, pair, a.link, b.link, contact.manifold.points[i])


@kernel(inline=True)
def _boxes_apart(t, a, b, A, B, reach):
    """Are the boxes about two shapes farther apart than the reach?"""
    if t.npairs <= 1 or a.kind == FLOOR or b.kind == FLOOR:
        return False
    x, X, y, Y = A.low, A.high, B.low, B.high
    one = x[0] - Y[0] > reach or x[1] - Y[1] > reach or x[2] - Y[2] > reach
    return one or y[0] - X[0] > reach or y[1] - X[1] > reach or y[2] - X[2] > reach


@kernel
def _is_stale(t, contact) -> bool:
    """Could a pair that is not listed be within reach?"""
    half = 0.5 * contact.skin
    for k in range(t.nshapes):
        state = contact.shapes[k]
        d = sub3(state.p, state.listed)
        room = half - state.reach
        if room < 0.0 or dot3(d, d) > room * room:
            return True
    return False


@kernel
def list_pairs(t, contact) -> None:
    """The pairs whose spheres are nearer than the skin, in the order of the table: a list by which nothing is missed while no shape has moved by half of it."""
    farthest = 0.0
    for k in range(t.nshapes):
        state = contact.shapes[k]
        state.listed, farthest = state.p, max(farthest, state.reach)
    contact.skin, contact.nnear = max(SKIN * t.length[0], 4.0 * farthest), 0
    for k in range(t.npairs):
        pair = t.pairs[k]
        a, b = t.shapes[pair.a], t.shapes[pair.b]
        near = a.kind == FLOOR or b.kind == FLOOR
        if not near:
            d, far = sub3(contact.shapes[pair.b].p, contact.shapes[pair.a].p), a.bound + b.bound + contact.skin
            near = dot3(d, d) <= far * far
        if near:
            contact.near_pairs[contact.nnear] = k
            contact.nnear += 1


@kernel
def apart(a, b, A, B) -> float:
    """No less than this is between the shapes, m: by the spheres about them."""
    d = sub3(B.p, A.p)
    if a.kind == FLOOR:
        R = A.R
        return d[0] * R[2] + d[1] * R[5] + d[2] * R[8] - b.bound
    if b.kind == FLOOR:
        R = B.R
        return -(d[0] * R[2] + d[1] * R[5] + d[2] * R[8]) - a.bound
    return sqrt(dot3(d, d)) - a.bound - b.bound


@kernel
def add_point(contact, k, pair, a, b, found) -> None:
    point = contact.points[contact.count]
    point.pair, point.feature, point.a, point.b = k, found.feature, a, b
    point.p, point.n, point.gap = found.p, found.n, found.gap
    point.friction, point.restitution = pair.friction, pair.restitution
    point.touches, point.bounced = found.gap <= contact.tolerance, False
    point.t1 = tangent_of(found.n)
    point.t2 = cross3(found.n, point.t1)
    point.status, point.approach, point.budget, point.l = 0, 0.0, 0.0, (zero(contact), zero(contact), zero(contact))
    point.lasting, point.response, point.normal_size, point.tangent_size, point.kept, point.steady = point.l, 0.0, 0.0, 0.0, 0, False
    point.block = 0
    contact.count += 1


@kernel
def tangent_of(n) -> Vector[3]:
    """The tangent nearest to the axis of the world that is most nearly tangential, the first of several."""
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    o = n[0] * 0.0
    axis = (o, o, o + 1.0)
    along = n[2]
    if x <= y and x <= z:
        axis, along = (o + 1.0, o, o), n[0]
    elif y <= z:
        axis, along = (o, o + 1.0, o), n[1]
    t = sub3(axis, scale3(along, n))
    return scale3(1.0 / sqrt(dot3(t, t)), t)


@kernel
def mark_links(model, contact) -> None:
    """Which links have points with rows."""
    for i in range(model.n):
        contact.near[i] = 0
    for k in range(contact.count):
        point = contact.points[k]
        if point.block >= 0 and point.a >= 0:
            contact.near[point.a] = 1
        if point.block >= 0 and point.b >= 0:
            contact.near[point.b] = 1


@kernel
def recall(model, contact, h) -> None:
    """Impulses, approach speeds and what has bounced from the step before, for a step of size h."""
    old, count = contact.memory.points, contact.memory.count[0]
    first = 0
    for k in range(contact.count):
        point = contact.points[k]
        point.timed_impact, point.timed_friction = 0.0, 0.0
        while first < count and old[first].pair < point.pair:
            first += 1
        at = _same_point(model, contact, point, first, count)
        if at >= 0:
            known = old[at]
            F = known.lasting
            normal = h * dot3(F, point.n)
            point.l = (normal if normal > 0.0 else 0.0), h * dot3(F, point.t1), h * dot3(F, point.t2)
            point.approach, point.budget, point.status = known.approach, known.budget, known.status
            point.lasting, point.response, point.kept, point.steady = point.l, known.response, known.kept, known.flags & STEADY != 0
            point.normal_size, point.tangent_size = known.normal_size, known.tangent_size
            point.bounced = known.flags & BOUNCED != 0 and point.touches


@kernel
def _same_point(model, contact, point, first, count) -> int:
    """The point of the step before that a point is, -1: none. `first`: where its pair would begin there."""
    old, nearest, least = contact.memory.points, -1, inf
    k = first
    while k < count and old[k].pair == point.pair:
        if old[k].feature == point.feature:
            return k
        d = sub3(old[k].p, point.p)
        square = dot3(d, d)
        if square < least:
            nearest, least = k, square
        k += 1
    if nearest >= 0:
        t = open_contacts(model)
        size = min(t.shapes[t.pairs[point.pair].a].bound, t.shapes[t.pairs[point.pair].b].bound)
        if least > (NEAR * size) * (NEAR * size):
            nearest = -1
    return nearest


@kernel
def remember(contact, h) -> None:
    """What the next step wants to know of the points of a step of size h, and what they have lost, to `coming`."""
    kept_points, count = contact.coming.points, 0
    for k in range(contact.count):
        point, kept = contact.points[k], kept_points[count]
        if point.block < 0:
            continue
        count += 1
        l, n, t1, t2, before, after, lasting = point.l, point.n, point.t1, point.t2, point.before, point.after, point.lasting
        kept.pair, kept.feature, kept.status, kept.approach, kept.p = point.pair, point.feature, point.status, point.approach, point.p
        slips = point.status == SLIDE and h * sqrt(after[1] * after[1] + after[2] * after[2]) > STILL * contact.tolerance
        kept.flags = (
            (TOUCHES if point.touches else 0)
            | (BOUNCED if point.bounced else 0)
            | (SLIPS if slips else 0)
            | (STEADY if point.steady else 0)
        )
        kept.force = scale3(1.0 / h, add3(scale3(l[0], n), add3(scale3(l[1], t1), scale3(l[2], t2))))
        kept.lasting = scale3(1.0 / h, add3(scale3(lasting[0], n), add3(scale3(lasting[1], t1), scale3(lasting[2], t2))))
        kept.impact = point.timed_impact - 0.5 * l[0] * (before[0] + after[0])
        kept.budget = 0.0
        if not point.touches and l[0] > 0.0:
            kept.budget = point.budget + kept.impact
        free = point.free
        struck = l[0] > 0.0 and -before[0] > STRIKES * abs(free[0] - before[0])
        kept.impulse, kept.jump, kept.response = l[0], (after[0] - before[0] if struck else 0.0), point.response
        kept.normal_size, kept.tangent_size, kept.kept = point.normal_size, point.tangent_size, point.kept
        kept.friction = point.timed_friction - 0.5 * (l[1] * (before[1] + after[1]) + l[2] * (before[2] + after[2]))
    contact.coming.count[0] = count


@kernel
def adopt(contact) -> None:
    """The step has been taken: its points are those to remember."""
    old, new = contact.memory.points, contact.coming.points
    contact.memory.count[0] = contact.coming.count[0]
    for k in range(contact.coming.count[0]):
        a, b = old[k], new[k]
        a.pair, a.feature, a.flags, a.status, a.approach = b.pair, b.feature, b.flags, b.status, b.approach
        a.p, a.force, a.lasting, a.impact, a.friction, a.budget = b.p, b.force, b.lasting, b.impact, b.friction, b.budget
        a.impulse, a.jump, a.response, a.kept = b.impulse, b.jump, b.response, b.kept
        a.normal_size, a.tangent_size = b.normal_size, b.tangent_size
