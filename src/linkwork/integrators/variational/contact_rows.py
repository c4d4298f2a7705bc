"""Contact in a variational step: impulses at its start, signs and cones at its end.

    h G(q_0)^T lambda on the side of momenta, as for rows of constraints (rows.py), with l = h lambda and, at the end of the step,
    0 <= l_n  _|_  gap(q_1) >= 0,        |l_t| <= mu l_n,  l_t against the slip s_t,  no slip where |l_t| < mu l_n

s is by how much the point of b has moved away from that of a which it met at the start: a body that sticks is moved by nothing at all, however it turns
about the point. gap(q_1) is found by geometry/, where the same features still touch at the end; else the point moves with its bodies.

The step's complementarity problem is that of decision 0024, in velocities (gap / h, s / h), with K = G_0 M^-1 G_0^T, loops kept: Newton's matrix at no
displacement, symmetric and semidefinite. K(q_0, q_1) differs from it by O(h), which costs the iteration a correction or two and changes no solution.
Each column is the answer of the tree, and of its loops, to the impulse of one row.
"""

from ...data.contact_problem import FRICTION, UNILATERAL
from ...dynamics.exchange import copy, fill
from ...dynamics.sweep import POSE_ORDER, VELOCITY_ORDER, sweep_links
from ...geometry.collide import collide
from ...kernels import Vector, kernel
from ...kernels.scalar import sqrt, zero
from ...model.constraint_tables import has_constraints, open_constraints
from ...model.contact_tables import open_contacts
from ...solvers.contact.points import MANY, NEAR, apart, find_contacts, place_shapes, recall, tangent_of
from ...solvers.contact.rows import relative_velocities
from ...solvers.contact.solve import SOLVED
from ...spatial.matrices import apply9, apply9_transposed
from ...spatial.vectors import add3, cross3, dot3, scale3, sub3
from .loops import close_gaps, measure_rows
from .newton import corrections, innovations
from .steep_forces import foresee_forces
from .step_parts import factor
from .sweeps import arrive, displace_links

EPS = 4e-16  # of places: what gaps and slips are rounded by
SHARE = 0.5  # of the slowest rebound: points that close as fast are exempt with it. The step is cut where the first of them touches, so that more do no harm

# ---- Newton's matrix at no displacement


@kernel
def leave_damping(model, run, touch) -> None:
    """Newton's matrix without the damping that it takes for granted, of which velocities at the start of a step, and what impulses change them by, know
    nothing."""
    copy(run.damping, touch.damping, model.nv)
    fill(run.damping, model.nv, 0.0)


@kernel
def take_damping(model, run, touch) -> None:
    """The damping is back."""
    copy(touch.damping, run.damping, model.nv)


@kernel
def stand_still(model, run) -> None:
    """The factor of J = M / h, that of no displacement."""
    fill(run.displacement, model.nv, 0.0)
    arrive(model, run)
    displace_links(model, run, False)
    if has_constraints(model):
        measure_rows(model, run)
    factor(model, run)


@kernel
def _respond(model, run) -> None:
    """Corrections for the right sides and wrenches in memory, gaps of constraints as they stand there."""
    innovations(model, run)
    if has_constraints(model):
        close_gaps(model, run)
    corrections(model, run)


@kernel
def _clear(model, run) -> None:
    o = zero(run)
    for i in range(model.n):
        run.links[i].p = o, o, o, o, o, o
    fill(run.right, model.nv, 0.0)
    if has_constraints(model):
        fill(run.rows.gaps, open_constraints(model).nc, 0.0)


@kernel
def start_velocities(model, run, touch) -> None:
    """M^-1 p, and constraints kept, to `before`; after `stand_still`."""
    _clear(model, run)
    copy(run.momentum, run.right, model.nv)
    if has_constraints(model):
        for i in range(open_constraints(model).nc):
            run.rows.gaps[i] = run.h * run.rows.now.rows[i].rate
    _respond(model, run)
    for k in range(model.nv):
        touch.before[k] = run.correction[k] / run.h


# ---- points at the start


@kernel
def lay_points(model, run, touch, v) -> None:
    """Points that may close within `touch.reach` at about the velocities v, which are noted as those before."""
    contact = touch.contact
    sweep_links(model, run.motion, run.start.q, v, v, VELOCITY_ORDER)
    place_shapes(model, run.motion, contact)
    find_contacts(model, contact, touch.reach)
    if contact.overflow:
        return
    recall(model, contact, run.h)
    relative_velocities(model, run.motion, contact, run.start.q, v, True)
    for k in range(contact.count):
        lay_point(run, contact.points[k], touch.points[k])


@kernel
def lay_point(run, point, own) -> None:
    """Where a point is on its bodies, and its frame in their axes; links stand at the start of the step."""
    own.last = point.l[0]
    own.at_a, own.n_a, own.s_a, own.t_a = point.p, point.n, point.t1, point.t2
    own.at_b, own.n_b, own.s_b, own.t_b = point.p, point.n, point.t1, point.t2
    if point.a >= 0:
        link = run.motion.links[point.a]
        own.at_a, own.n_a = apply9_transposed(link.R, sub3(point.p, link.p)), apply9_transposed(link.R, point.n)
        own.s_a, own.t_a = apply9_transposed(link.R, point.t1), apply9_transposed(link.R, point.t2)
    if point.b >= 0:
        link = run.motion.links[point.b]
        own.at_b, own.n_b = apply9_transposed(link.R, sub3(point.p, link.p)), apply9_transposed(link.R, point.n)
        own.s_b, own.t_b = apply9_transposed(link.R, point.t1), apply9_transposed(link.R, point.t2)


@kernel
def fill_node(model, run, touch) -> None:
    """Rows of the points, their K, and the velocities `before` along them, after `stand_still`."""
    contact = touch.contact
    problem, rows = contact.problem, 0
    for k in range(contact.count):
        point, own = contact.points[k], touch.points[k]
        own.row, own.rows = rows, 3 if point.friction > 0.0 else 1
        problem.first[k], problem.mu[k] = rows, point.friction
        problem.kind[k] = FRICTION if own.rows == 3 else UNILATERAL
        rows += own.rows
    problem.n, problem.m = rows, contact.count
    for k in range(contact.count):
        point, own = contact.points[k], touch.points[k]
        for i in range(own.rows):
            _clear(model, run)
            _push(run, point, own, 1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
            _respond(model, run)
            _fill_column(run, touch, own.row + i)
    sweep_links(model, run.motion, run.start.q, touch.before, touch.before, VELOCITY_ORDER)
    for k in range(contact.count):
        point, own = contact.points[k], touch.points[k]
        u, o = (0.0, 0.0, 0.0), zero(run)
        if point.b >= 0:
            u = _along(run.motion.links[point.b].v, own.at_b, own.n_b, own.s_b, own.t_b)
        if point.a >= 0:
            u = sub3(u, _along(run.motion.links[point.a].v, own.at_a, own.n_a, own.s_a, own.t_a))
        touch.u[own.row] = u[0] + o
        if own.rows == 3:
            touch.u[own.row + 1], touch.u[own.row + 2] = u[1], u[2]
    for k in range(contact.count):
        own = touch.points[k]
        own.floor = min(contact.points[k].gap, 0.0)
        own.exempt = touch.exempting and touch.u[own.row] <= -SHARE * touch.slowest
    _settle_matrix(touch)
    copy(problem.G, touch.K, rows * rows)


@kernel
def _settle_matrix(touch) -> None:
    """K as its symmetric part; exempt points take no impulse and are coupled to nothing."""
    contact = touch.contact
    problem = contact.problem
    n, G = problem.n, problem.G
    for i in range(n):
        for j in range(i):
            value = 0.5 * (G[i * n + j] + G[j * n + i])
            G[i * n + j] = value
            G[j * n + i] = value
    for k in range(contact.count):
        own = touch.points[k]
        if own.exempt:
            problem.mu[k] = 0.0
            for i in range(own.row, own.row + own.rows):
                for j in range(n):
                    G[i * n + j] = 0.0
                    G[j * n + i] = 0.0
                G[i * n + i] = 1.0


@kernel
def fill_anew(model, run, touch) -> None:
    """The symmetric part of K(q_0, q_1) in place of K(q_0, q_0), after `factor` and `measure_ends`: for steps in which poses change much."""
    contact, h = touch.contact, run.h
    problem = contact.problem
    n, G = problem.n, problem.G
    for k in range(contact.count):
        point, own = contact.points[k], touch.points[k]
        for i in range(own.rows):
            x, y, z = 1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0
            _clear(model, run)
            _push(run, point, own, x, y, z)
            _respond(model, run)
            if run.forced and run.steep > 0:  # and by how much forces change
                foresee_forces(model, run)
                _clear(model, run)
                _push(run, point, own, x, y, z)
                copy(run.shift, run.right, model.nv)
                _respond(model, run)
            for j in range(contact.count):
                other = touch.points[j]
                u = _end_velocity(run, contact.points[j], other)
                G[other.row * n + own.row + i] = u[0] / h
                if other.rows == 3:
                    G[(other.row + 1) * n + own.row + i] = u[1] / h
                    G[(other.row + 2) * n + own.row + i] = u[2] / h
    _settle_matrix(touch)


@kernel
def _fill_column(run, touch, j) -> None:
    """Column j of K from the answer to row j: the corrections of all links."""
    contact, h = touch.contact, run.h
    problem = contact.problem
    n = problem.n
    for k in range(contact.count):
        point, own = contact.points[k], touch.points[k]
        u = (0.0, 0.0, 0.0)
        if point.b >= 0:
            u = _along(run.links[point.b].a, own.at_b, own.n_b, own.s_b, own.t_b)
        if point.a >= 0:
            u = sub3(u, _along(run.links[point.a].a, own.at_a, own.n_a, own.s_a, own.t_a))
        problem.G[own.row * n + j] = u[0] / h
        if own.rows == 3:
            problem.G[(own.row + 1) * n + j] = u[1] / h
            problem.G[(own.row + 2) * n + j] = u[2] / h


@kernel
def _along(V, r, n, s, t) -> Vector[3]:
    """The velocity of the point r of a link along three directions, all in its axes."""
    u = add3((V[3], V[4], V[5]), cross3((V[0], V[1], V[2]), r))
    return dot3(u, n), dot3(u, s), dot3(u, t)


@kernel
def _push(run, point, own, x, y, z) -> None:
    """An impulse (x, y, z) along normal and tangents at a point, on both bodies: taken from the momenta of links."""
    if point.b >= 0:
        f = add3(scale3(x, own.n_b), add3(scale3(y, own.s_b), scale3(z, own.t_b)))
        m, p = cross3(own.at_b, f), run.links[point.b].p
        run.links[point.b].p = p[0] - m[0], p[1] - m[1], p[2] - m[2], p[3] - f[0], p[4] - f[1], p[5] - f[2]
    if point.a >= 0:
        f = add3(scale3(x, own.n_a), add3(scale3(y, own.s_a), scale3(z, own.t_a)))
        m, p = cross3(own.at_a, f), run.links[point.a].p
        run.links[point.a].p = p[0] + m[0], p[1] + m[1], p[2] + m[2], p[3] + f[0], p[4] + f[1], p[5] + f[2]


@kernel
def push_all(run, touch) -> None:
    """The impulses of the problem, taken from the momenta of links."""
    contact = touch.contact
    l = contact.problem.l
    for k in range(contact.count):
        own = touch.points[k]
        if own.rows == 3:
            _push(run, contact.points[k], own, l[own.row], l[own.row + 1], l[own.row + 2])
        else:
            _push(run, contact.points[k], own, l[own.row], 0.0, 0.0)


@kernel
def respond_to_problem(model, run, touch) -> None:
    """Changes of velocities that the impulses of the problem cause, to `run.correction`, after `stand_still`."""
    _clear(model, run)
    push_all(run, touch)
    _respond(model, run)
    for k in range(model.nv):
        run.correction[k] = run.correction[k] / run.h


# ---- the same points at the end


@kernel
def measure_ends(model, run, touch) -> None:
    """Gaps and slips of all points at q_1, and how many points overlap there that the start did not have: these follow behind the others, as they are there."""
    contact = touch.contact
    sweep_links(model, run.motion, run.end.q, run.mean, run.mean, POSE_ORDER)
    touch.missed, touch.deepest, touch.deepest_pair = 0, 0.0, -1
    for k in range(contact.count):
        _move_along(run, contact.points[k], touch.points[k])
    if not touch.frozen:
        _find_again(model, run, touch)
    for k in range(contact.count + touch.missed):
        gap, pair = contact.points[k].gap, contact.points[k].pair
        if k < contact.count:
            gap = 0.0 if touch.points[k].exempt else touch.points[k].gap
        if gap < touch.deepest:
            touch.deepest, touch.deepest_pair = gap, pair


@kernel
def _find_again(model, run, touch) -> None:
    """The points where shapes touch, or are nearest, at the end of the step, in place of those that moved with their bodies; and those that are new."""
    contact, t = touch.contact, open_contacts(model)
    place_shapes(model, run.motion, contact)
    listed = t.npairs > MANY
    for j in range(contact.nnear if listed else t.npairs):
        k = contact.near_pairs[j] if listed else j
        pair = t.pairs[k]
        a, b = t.shapes[pair.a], t.shapes[pair.b]
        A, B = contact.shapes[pair.a], contact.shapes[pair.b]
        reach = 2.0 * contact.tolerance
        for i in range(contact.count):
            if contact.points[i].pair == k:
                own = touch.points[i]
                far = 2.0 * (abs(contact.points[i].gap) + abs(own.gap) + sqrt(own.slip_s * own.slip_s + own.slip_t * own.slip_t))
                reach = max(reach, far + contact.tolerance)
        if apart(a, b, A, B) <= reach:
            collide(a, b, (A.R, A.p), (B.R, B.p), reach, contact.manifold)
            _match(touch, k, NEAR * min(a.bound, b.bound), a.link, b.link)


@kernel
def _move_along(run, point, own) -> None:
    """Gap and slip of a point of the start, as it moves with its bodies."""
    xa, xb = own.at_a, own.at_b
    if point.a >= 0:
        link = run.motion.links[point.a]
        xa = add3(link.p, apply9(link.R, own.at_a))
    if point.b >= 0:
        link = run.motion.links[point.b]
        xb = add3(link.p, apply9(link.R, own.at_b))
    s = sub3(xb, xa)
    own.found, own.p, own.n = False, xb, point.n
    own.gap, own.slip_s, own.slip_t = point.gap + dot3(s, point.n), dot3(s, point.t1), dot3(s, point.t2)


@kernel
def _match(touch, k, near, a, b) -> None:
    """Points of a manifold at the end of the step to those of its start: by feature, else by place; what is left and overlaps has been missed."""
    contact = touch.contact
    for j in range(contact.manifold.count):
        found = contact.manifold.points[j]
        best, least, same = -1, near * near, False
        for i in range(contact.count):
            point, own = contact.points[i], touch.points[i]
            if point.pair == k and not same:
                if point.feature == found.feature:
                    best, same = i, True
                elif not own.found:
                    d = sub3(own.p, found.p)
                    square = dot3(d, d)
                    if square < least:
                        best, least = i, square
        if best >= 0 and (same or not touch.points[best].found):
            own = touch.points[best]
            own.found, own.p, own.n, own.gap = True, found.p, found.n, found.gap
        elif found.gap < -contact.tolerance:
            at = contact.count + touch.missed
            if at >= contact.room:
                contact.overflow = True
                return
            new = contact.points[at]
            new.pair, new.feature, new.a, new.b, new.p, new.n, new.gap = k, found.feature, a, b, found.p, found.n, found.gap
            touch.missed += 1


@kernel
def add_missed(model, run, touch) -> None:
    """Points that were found at the end of the step only, taken back to its start on their bodies, join the others."""
    contact, t = touch.contact, open_contacts(model)
    first, last = contact.count, contact.count + touch.missed
    for k in range(first, last):  # links stand at the end of the step
        point, own = contact.points[k], touch.points[k]
        own.at_a, own.at_b, own.n_a = point.p, point.p, point.n
        if point.a >= 0:
            link = run.motion.links[point.a]
            own.at_a, own.n_a = apply9_transposed(link.R, sub3(point.p, link.p)), apply9_transposed(link.R, point.n)
        if point.b >= 0:
            link = run.motion.links[point.b]
            own.at_b = apply9_transposed(link.R, sub3(point.p, link.p))
    sweep_links(model, run.motion, run.start.q, touch.mean, touch.mean, VELOCITY_ORDER)
    for k in range(first, last):
        point, own, pair = contact.points[k], touch.points[k], t.pairs[contact.points[k].pair]
        depth, xa, xb = point.gap, own.at_a, own.at_b
        if point.a >= 0:
            link = run.motion.links[point.a]
            xa, point.n = add3(link.p, apply9(link.R, own.at_a)), apply9(link.R, own.n_a)
        if point.b >= 0:
            link = run.motion.links[point.b]
            xb = add3(link.p, apply9(link.R, own.at_b))
        point.gap = depth + dot3(sub3(xb, xa), point.n)
        point.p = scale3(0.5, add3(xa, xb)) if point.a >= 0 else xb
        point.friction, point.restitution = pair.friction, pair.restitution
        point.touches, point.bounced, point.status = point.gap <= contact.tolerance, False, 0
        point.t1 = tangent_of(point.n)
        point.t2 = cross3(point.n, point.t1)
        point.approach, point.budget, point.l = 0.0, 0.0, (zero(contact), zero(contact), zero(contact))
        point.lasting, point.response, point.normal_size, point.tangent_size, point.kept, point.steady = point.l, 0.0, 0.0, 0.0, 0, False
        point.block = 0
        lay_point(run, point, own)
    contact.count = last
    relative_velocities(model, run.motion, contact, run.start.q, touch.mean, True)


@kernel
def lay_right_sides(model, run, touch, slack) -> float:
    """g of the problem: what gaps and slips over h will be after the corrections in memory, without the impulses that brought them about. slack: times what
    they are rounded by, residuals are not worked on. Returns the residual that counts as none."""
    contact, h = touch.contact, run.h
    problem, size = contact.problem, open_contacts(model).length[0]
    n, g, G, l = problem.n, problem.g, problem.G, problem.l
    for k in range(contact.count):
        point, own = contact.points[k], touch.points[k]
        p = own.p
        size = max(size, max(abs(p[0]), max(abs(p[1]), abs(p[2]))))
        u = _end_velocity(run, point, own)
        g[own.row] = (own.gap - own.floor + u[0]) / h
        if own.rows == 3:
            g[own.row + 1] = (own.slip_s + u[1]) / h
            g[own.row + 2] = (own.slip_t + u[2]) / h
    noise = EPS * size / h
    problem.noise = slack * noise
    for j in range(n):
        if l[j] != 0.0:
            for i in range(n):
                g[i] -= G[j * n + i] * l[j]
    for k in range(contact.count):
        own = touch.points[k]
        if own.exempt:
            for i in range(own.rows):
                g[own.row + i] = 1.0 if i == 0 else 0.0
    fastest = 0.0
    for i in range(n):
        fastest = max(fastest, abs(g[i]))
    return noise + SOLVED * fastest


@kernel
def _end_velocity(run, point, own) -> Vector[3]:
    """By how much the correction in memory changes a gap and slips."""
    o = zero(run)
    u, s, t = o, o, o
    if point.b >= 0:
        at_end, slip = _end_rates(run, point.b, own.p, own.at_b)
        u, s, t = dot3(at_end, own.n), dot3(slip, point.t1), dot3(slip, point.t2)
    if point.a >= 0:
        at_end, slip = _end_rates(run, point.a, own.p, own.at_a)
        u, s, t = u - dot3(at_end, own.n), s - dot3(slip, point.t1), t - dot3(slip, point.t2)
    return u, s, t


@kernel
def _end_rates(run, i, p, at) -> tuple[Vector[3], Vector[3]]:
    """By how much the correction in memory moves the point p of link i, and the point `at` in its axes; world axes."""
    link, a = run.motion.links[i], run.links[i].a
    w, u = (a[0], a[1], a[2]), (a[3], a[4], a[5])
    r = apply9_transposed(link.R, sub3(p, link.p))
    return apply9(link.R, add3(u, cross3(w, r))), apply9(link.R, add3(u, cross3(w, at)))
