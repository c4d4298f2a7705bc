"""The complementarity problem of one step, from the points that were found to the velocities after it.

    w = G l + g,     g = J v_free + (e u_n^- or gap / h along normals)

A closed point has the right side 0, or e times the speed at which it closed if it has just done so; an open one that could close within the step may
close in it but no further, or rebounds in it with e times the speed at which it closes. What bodies fall back within two steps, 2 h |a_n|, is no rebound:
such speeds count as none.

Newton's law of restitution with friction can add energy (Kane). With l0 the solution without restitution, l1 the one with it, all l(s) = l0 + s (l1 - l0)
satisfy cones and signs, and  dT(l) = l . u_free + l . G l / 2  is convex with dT(l0) <= 0: if dT(l1) > 0, its root in s is taken. What a point has lost
while it was closing, in the step before, may be given back: it stands in place of 0.
"""

from math import sqrt

from ...data.contact import JOINT_FRICTION, LOWER_LIMIT, POINT, UPPER_LIMIT
from ...data.contact_problem import BOX, FAILED, FRICTION, OPEN, STICK, UNILATERAL
from ...kernels import Vector, kernel
from ...kernels.scalar import zero
from .islands import rows_of
from .rows import add_limit, fill_contact_matrix, propagate_blocks, weigh_velocities
from .solve import solve_contacts

IMMOBILE = 1e-12  # of what a row moves without constraints: it does not move with them
LASTS = 0.75  # share of what takes back a velocity at rest that stays in the next first guess; every one from 0 to 1 settles
REST = 2.0  # times what accelerations change a speed by within a step: slower points do not rebound


@kernel
def lay_limits(model, contact, q, v, h) -> bool:
    """Blocks for the limits that could be reached within a step; False if there is no room."""
    for k in range(contact.nlimits):
        limit = contact.limits[k]
        if limit.q < 0:
            continue
        x = q[limit.q]
        reach = h * abs(v[limit.v]) + 2.0 * limit.tolerance
        if x - limit.lower <= reach and not add_limit(model, contact, k, LOWER_LIMIT):
            return False
        if limit.upper - x <= reach and not add_limit(model, contact, k, UPPER_LIMIT):
            return False
    return True


@kernel
def lay_joint_friction(model, contact) -> bool:
    """Blocks for the dry friction of joints; False if there is no room."""
    for k in range(contact.nlimits):
        if contact.limits[k].friction > 0.0 and not add_limit(model, contact, k, JOINT_FRICTION):
            return False
    return True


@kernel(inline=True)
def limit_gap(limit, kind, q):
    """How far a coordinate is from its limit."""
    return q[limit.q] - limit.lower if kind == LOWER_LIMIT else limit.upper - q[limit.q]


@kernel
def lay_matrix(model, tree, contact) -> None:
    """Rows of all blocks and G, as if there were no constraints, with the factor that the tree has."""
    weigh_velocities(model, tree, contact.weights)
    propagate_blocks(model, tree, contact)
    fill_contact_matrix(model, contact, contact.problem.G)


@kernel
def lay_problem(contact, q, v, h) -> int:
    """Right sides, kinds and first guesses, after points know their velocities; returns how many points rebound. v: velocities before the step."""
    problem, rebounding = contact.problem, 0
    problem.n, problem.m = contact.nrows, contact.nblocks
    for b in range(contact.nblocks):
        block = contact.blocks[b]
        row = block.row
        problem.first[b] = row
        if block.kind == POINT:
            point = contact.points[block.index]
            problem.kind[b], problem.mu[b] = (FRICTION if block.rows == 3 else UNILATERAL), point.friction
            free, l = point.free, _first_guess(point)
            contact.free[row] = free[0]
            guess = point.lasting
            contact.guess[row] = guess[0]
            problem.g[row], problem.l[row] = free[0] + _target(point, h), l[0]
            if rebounds(point, h):
                rebounding += 1
            if block.rows == 3:
                contact.free[row + 1], contact.free[row + 2] = free[1], free[2]
                problem.g[row + 1], problem.g[row + 2] = free[1], free[2]
                problem.l[row + 1], problem.l[row + 2] = l[1], l[2]
                contact.guess[row + 1], contact.guess[row + 2] = guess[1], guess[2]
        elif block.kind == JOINT_FRICTION:
            limit = contact.limits[block.index]
            most, speed = h * limit.friction, contact.v_free[limit.v]
            contact.free[row] = problem.g[row] = speed
            lower, upper, first = -most, most, h * limit.friction_lasting
            contact.guess[row] = first
            if limit.response > 0.0 and -most < first < most:
                first -= v[limit.v] / limit.response
            first = min(max(first, -most), most)
            if _is_held(contact, block):  # constraints prescribe its velocity
                lower = upper = first = -most if speed > 0.0 else most if speed < 0.0 else 0.0
            problem.kind[b], problem.mu[b], problem.lower[b], problem.upper[b], problem.l[row] = BOX, 0.0, lower, upper, first
        else:
            limit = contact.limits[block.index]
            sign = 1.0 if block.kind == LOWER_LIMIT else -1.0
            gap = limit_gap(limit, block.kind, q)
            problem.kind[b], problem.mu[b] = UNILATERAL, 0.0
            contact.free[row] = sign * contact.v_free[limit.v]
            problem.g[row] = contact.free[row] + (gap / h if gap > limit.tolerance else 0.0)
            first = max(h * sign * limit.lasting, 0.0)
            contact.guess[row] = first
            if first > 0.0 and limit.response > 0.0:
                first -= sign * v[limit.v] / limit.response
            problem.l[row] = max(first, 0.0)
    return rebounding


@kernel
def _first_guess(point) -> Vector[3]:
    """The impulse of the step before, less what takes back the velocity that it has left.

    A guess g that is off by d leaves a velocity G d in every step, and they add up. With l = g - R^-1 u, R the sums |G_ij| of rows, they do not: u becomes
    (1 - G R^-1) u + G d, and the eigenvalues of G R^-1 are between 0 and 1. A share of R^-1 u stays in g, until u is rounding (`_keep_guess`).
    """
    l, u, size = point.l, point.before, point.response
    if size > 0.0 and point.status != OPEN and l[0] > 0.0:
        normal = max(l[0] - u[0] / size, 0.0)
        l = (normal, l[1] - u[1] / size, l[2] - u[2] / size) if point.status == STICK else (normal, l[1], l[2])
    return l


@kernel(inline=True)
def _is_held(contact, block):
    """Do constraints leave a row of one coordinate no motion?"""
    size = 0.0
    for k in range(block.y, block.y + block.width):
        size += contact.Y[k] * contact.Y[k]
    return contact.problem.G[(contact.nrows + 1) * block.row] <= IMMOBILE * size


@kernel
def note_approach(contact, h) -> None:
    """The speeds at which points close: kept while an impulse slows them before they touch, and used once."""
    for k in range(contact.count):
        point = contact.points[k]
        before, free = point.before, point.free
        speed = -before[0]
        if not point.touches:  # when it touches, accelerations have made it faster
            square = speed * abs(speed) + 2.0 * point.gap * (before[0] - free[0]) / h
            speed = sqrt(square) if square > 0.0 else 0.0
        if point.touches and point.bounced:
            point.approach, point.budget = 0.0, 0.0
        elif not (point.l[0] > 0.0 and point.approach > speed):
            point.approach, point.budget = (speed if speed > 0.0 else 0.0), 0.0


@kernel
def rebounds(point, h) -> bool:
    """Does its restitution count in this step? It touches and has just closed, or it closes within the step, unless others keep it from doing so."""
    before, free = point.before, point.free
    if point.restitution <= 0.0 or point.approach <= REST * abs(free[0] - before[0]):
        return False
    if point.touches:
        return not point.bounced
    return point.gap + h * free[0] < 0.0


@kernel
def closing_time(point) -> float:
    """When a point that rebounds within the step closes, from its start."""
    free = point.free
    return 0.0 if point.touches else -point.gap / free[0]


@kernel
def _target(point, h) -> float:
    """What its normal velocity must exceed, negative."""
    if rebounds(point, h):  # what accelerations change its speed by between the rebound and the end of the step
        before, free = point.before, point.free
        change = (free[0] - before[0]) * (1.0 - closing_time(point) / h)
        return -max(0.0, point.restitution * point.approach + change)
    return 0.0 if point.touches else point.gap / h


@kernel
def solve_impulses(contact, rebounding, h) -> int:
    """The impulses of the problem, with the energy guard where points rebound; EXACT, APPROXIMATE or FAILED."""
    problem = contact.problem
    found = solve_contacts(problem)
    if rebounding > 0 and found != FAILED:
        budget = 0.0
        for k in range(contact.count):
            if rebounds(contact.points[k], h):
                budget += max(0.0, contact.points[k].budget)
        if _energy(contact) > budget:
            worse = _reduce_restitution(contact, budget, h)
            found = worse if worse > found else found
    return found


@kernel
def _energy(contact) -> float:
    """dT = l . u_free + l . G l / 2 of the impulses in the problem."""
    problem, energy = contact.problem, 0.0
    for i in range(problem.n):
        energy += problem.l[i] * (contact.free[i] + 0.5 * (problem.w[i] - problem.g[i]))
    return energy


@kernel
def _reduce_restitution(contact, budget, h) -> int:
    """As much of the rebound as gains no more energy than it may give back."""
    problem, l1, Gl1 = contact.problem, contact.rebound, contact.rebound_change
    for i in range(problem.n):
        l1[i], Gl1[i] = problem.l[i], problem.w[i] - problem.g[i]
    for b in range(contact.nblocks):
        block = contact.blocks[b]
        if block.kind == POINT and rebounds(contact.points[block.index], h):
            problem.g[block.row] = contact.free[block.row]
    found = solve_contacts(problem)
    if found == FAILED:
        return found
    least = _energy(contact) - budget
    slope, curve = 0.0, 0.0
    for i in range(problem.n):
        d, change = l1[i] - problem.l[i], problem.w[i] - problem.g[i]
        slope += d * (contact.free[i] + change)
        curve += d * (Gl1[i] - change)
    # least + slope s + curve s^2 / 2 = 0 has one root between 0 and 1, since it is negative at 0 and positive at 1
    s = 0.0
    if least < 0.0:
        root = slope * slope - 2.0 * curve * least
        s = -2.0 * least / (slope + sqrt(root)) if root > 0.0 else 0.0
        s = min(1.0, max(0.0, s))
    for i in range(problem.n):
        change = problem.w[i] - problem.g[i]
        problem.l[i] = problem.l[i] + s * (l1[i] - problem.l[i])
        problem.w[i] = problem.g[i] + change + s * (Gl1[i] - change)
    contact.books.guarded += 1
    return found


@kernel
def lay_delays(contact, h) -> bool:
    """Impulses times the part of the step that had gone by when they acted, in place of the impulses; False if none acted later than its start.

    A rebound has its own time. What it makes other points and limits answer with, beyond what they would bear without it, acts when it does: at the mean
    time of the rebounds of the island, weighed by their impulses. G is not needed any more and is overwritten.
    """
    problem, share, l = contact.problem, contact.rebound_change, contact.rebound
    later, others = _lay_shares(contact, h)
    if not later:
        return False
    for i in range(problem.n):
        l[i] = problem.l[i]
    if others:
        for b in range(contact.nblocks):
            if _rebounds_now(contact, b, h):
                _exclude(problem, b)
        if solve_contacts(problem) == FAILED:
            contact.books.approximate += 1
    for b in range(contact.nblocks):
        block, bounces = contact.blocks[b], _rebounds_now(contact, b, h)
        for i in range(block.row, block.row + block.rows):
            problem.l[i] = share[block.row] * (l[i] if bounces else l[i] - problem.l[i])
    return True


@kernel(inline=True)
def _rebounds_now(contact, b, h):
    block = contact.blocks[b]
    return block.kind == POINT and rebounds(contact.points[block.index], h)


@kernel
def _lay_shares(contact, h) -> tuple[bool, bool]:
    """The part of the step that had gone by when each block took part in a rebound, at its first row: (is it more than 0 anywhere, of others than those
    that rebound?)"""
    problem, share = contact.problem, contact.rebound_change
    later, others = False, False
    for b in range(contact.nblocks):
        share[contact.blocks[b].row] = 0.0
        if _rebounds_now(contact, b, h):
            share[contact.blocks[b].row] = closing_time(contact.points[contact.blocks[b].index]) / h
            later = later or share[contact.blocks[b].row] * problem.l[contact.blocks[b].row] > 0.0
    if later:
        for b in range(contact.nblocks):
            if not _rebounds_now(contact, b, h):
                impulses, delayed = 0.0, 0.0
                for other in range(contact.nblocks):
                    if problem.island_of[other] == problem.island_of[b] and _rebounds_now(contact, other, h):
                        row = contact.blocks[other].row
                        impulses, delayed = impulses + problem.l[row], delayed + share[row] * problem.l[row]
                if delayed > 0.0:
                    share[contact.blocks[b].row] = delayed / impulses
                    others = True
    return later, others


@kernel
def _exclude(problem, b) -> None:
    """A block that takes no impulse and is coupled to nothing."""
    n, first = problem.n, problem.first[b]
    for i in range(first, first + rows_of(problem.kind[b])):
        for k in range(n):
            problem.G[n * i + k] = 0.0
            problem.G[n * k + i] = 0.0
        problem.G[n * i + i], problem.l[i], problem.g[i] = 1.0, 0.0, (1.0 if i == first else 0.0)


@kernel(inline=True)
def _next_guess(guess, l, guessed):
    """What the next step begins with."""
    return guess + LASTS * (l - guess) if guessed != 0 else l


@kernel
def _lasting(contact, block, guessed) -> Vector[3]:
    l, guess, i, o = contact.problem.l, contact.guess, block.row, zero(contact)
    normal = _next_guess(guess[i], l[i], guessed)
    if block.rows == 1:
        return normal, o, o
    return normal, _next_guess(guess[i + 1], l[i + 1], guessed), _next_guess(guess[i + 2], l[i + 2], guessed)


@kernel
def _response(problem, row, rows) -> float:
    """The largest sum |G_ij| of some rows."""
    n, most = problem.n, 0.0
    for i in range(row, row + rows):
        total = 0.0
        for j in range(n):
            total += abs(problem.G[n * i + j])
        most = max(most, total)
    return most


@kernel
def keep_impulses(contact, v, h) -> None:
    """Impulses and velocities after the step, to points and limits. v: velocities before it."""
    problem = contact.problem
    for k in range(contact.nlimits):
        limit = contact.limits[k]
        limit.force, limit.friction_force, limit.impact, limit.rubbed = 0.0, 0.0, 0.0, 0.0
        limit.lasting = limit.friction_lasting = 0.0
    for b in range(contact.nblocks):
        block = contact.blocks[b]
        row = block.row
        rate = contact.free[row] + problem.w[row] - problem.g[row]
        if block.kind == POINT:
            point, o = contact.points[block.index], zero(contact)
            free = point.free
            if block.rows == 3:
                point.l = problem.l[row], problem.l[row + 1], problem.l[row + 2]
                point.after = rate, problem.w[row + 1], problem.w[row + 2]
            else:
                point.l, point.after = (problem.l[row], o, o), (rate, free[1], free[2])
            point.lasting = _lasting(contact, block, problem.guessed[b])
            if point.response == 0.0 or problem.guessed[b] == 0:
                point.response = _response(problem, row, block.rows)
            point.status = problem.status[b]
            if point.touches:
                point.bounced = True
        elif block.kind == JOINT_FRICTION:
            limit = contact.limits[block.index]
            limit.friction_force = problem.l[row] / h
            limit.friction_lasting = _next_guess(contact.guess[row], problem.l[row], problem.guessed[b]) / h
            limit.response = _response(problem, row, 1)
            limit.rubbed = -0.5 * problem.l[row] * (v[limit.v] + rate)
        else:
            limit = contact.limits[block.index]
            sign = 1.0 if block.kind == LOWER_LIMIT else -1.0
            limit.force = limit.force + sign * problem.l[row] / h
            limit.lasting = limit.lasting + sign * _next_guess(contact.guess[row], problem.l[row], problem.guessed[b]) / h
            limit.response = _response(problem, row, 1)
            limit.impact = limit.impact - 0.5 * problem.l[row] * (sign * v[limit.v] + rate)
