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
from ...spatial.vectors import add3, scale3, sub3
from .first_guess import HOLDS
from .islands import rows_of
from .rows import add_limit
from .solve import solve_contacts

IMMOBILE = 1e-12  # of what a row moves without constraints: it does not move with them
SAME = 1e-6  # of the largest impulse: guesses that differ by less from the solution are of bodies at rest
LONG = 9  # steps in which a guess held: more make no difference
LASTS = 0.75  # share of what takes back a velocity at rest that stays in the next first guess; every one from 0 to 1 settles
SMALL = 1e-12  # of the terms of an energy: rounding
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
def lay_problem(contact, q, v, h) -> None:
    """Right sides, laws and first guesses of all blocks, after points know their velocities, and how many points rebound. v: velocities before the step."""
    for b in range(contact.nblocks):
        block = contact.blocks[b]
        row = block.row
        block.mu, block.lower, block.upper = 0.0, 0.0, 0.0
        if block.kind == POINT:
            point = contact.points[block.index]
            block.law, block.mu = (FRICTION if block.rows == 3 else UNILATERAL), point.friction
            free, guess, l = point.free, point.lasting, _first_guess(point)
            contact.free[row], contact.guess[row] = free[0], guess[0]
            contact.g[row], contact.l[row] = free[0] + _target(point, h), l[0]
            if rebounds(point, h):
                contact.groups[block.island].rebounding = contact.groups[block.island].rebounding + 1
            if block.rows == 3:
                contact.free[row + 1], contact.free[row + 2] = free[1], free[2]
                contact.guess[row + 1], contact.guess[row + 2] = guess[1], guess[2]
                contact.g[row + 1], contact.g[row + 2] = free[1], free[2]
                contact.l[row + 1], contact.l[row + 2] = l[1], l[2]
        elif block.kind == JOINT_FRICTION:
            limit = contact.limits[block.index]
            most, speed = h * limit.friction, contact.v_free[limit.v]
            block.law, block.lower, block.upper = BOX, -most, most
            contact.free[row] = contact.g[row] = speed
            first = h * limit.friction_lasting
            contact.guess[row] = first
            if limit.response > 0.0 and -most < first < most:
                first -= v[limit.v] / limit.response
            contact.l[row] = min(max(first, -most), most)
        else:
            limit = contact.limits[block.index]
            sign = 1.0 if block.kind == LOWER_LIMIT else -1.0
            gap = limit_gap(limit, block.kind, q)
            block.law = UNILATERAL
            contact.free[row] = sign * contact.v_free[limit.v]
            contact.g[row] = contact.free[row] + (gap / h if gap > limit.tolerance else 0.0)
            first = max(h * sign * limit.lasting, 0.0)
            contact.guess[row] = first
            if first > 0.0 and limit.response > 0.0:
                first -= sign * v[limit.v] / limit.response
            contact.l[row] = max(first, 0.0)


@kernel
def hold_friction(contact, group) -> None:
    """Bounds of dry friction in joints whose velocity constraints prescribe: all of it acts. After the matrix of the island."""
    for b in range(group.first, group.first + group.blocks):
        block = contact.blocks[contact.fellows[b]]
        if block.kind == JOINT_FRICTION and _is_held(contact, group, block):
            most, speed = block.upper, contact.free[block.row]
            block.lower = block.upper = contact.l[block.row] = -most if speed > 0.0 else most if speed < 0.0 else 0.0


@kernel(inline=True)
def _is_held(contact, group, block):
    """Do constraints leave a row of one coordinate no motion?"""
    size = 0.0
    for k in range(block.y, block.y + block.width):
        size += contact.Y[k] * contact.Y[k]
    return contact.problem.G[(group.rows + 1) * block.local] <= IMMOBILE * size


@kernel
def give_island(contact, group) -> None:
    """An island to the problem, whose matrix is there."""
    problem, l, g = contact.problem, contact.l, contact.g
    problem.n, problem.m = group.rows, group.blocks
    for c in range(group.blocks):
        block = contact.blocks[contact.fellows[group.first + c]]
        problem.first[c], problem.kind[c], problem.mu[c] = block.local, block.law, block.mu
        problem.lower[c], problem.upper[c] = block.lower, block.upper
        for i in range(block.rows):
            problem.g[block.local + i], problem.l[block.local + i] = g[block.row + i], l[block.row + i]


@kernel
def take_solution(contact, group) -> None:
    """The solution of the problem to the island."""
    problem, g, l, w = contact.problem, contact.g, contact.l, contact.w
    for c in range(group.blocks):
        block = contact.blocks[contact.fellows[group.first + c]]
        block.status = problem.status[c]
        for i in range(block.rows):
            at, row = block.local + i, block.row + i
            g[row], l[row], w[row] = problem.g[at], problem.l[at], problem.w[at]


@kernel
def keep_sizes(contact, group) -> None:
    """What later steps want to know of an island that has been solved: sizes of rows, and whether impulses are steady."""
    problem, largest, change = contact.problem, 0.0, 0.0
    for b in range(group.first, group.first + group.blocks):
        block = contact.blocks[contact.fellows[b]]
        for i in range(block.row, block.row + block.rows):
            largest, change = max(largest, abs(contact.l[i])), max(change, abs(contact.l[i] - contact.guess[i]))
    steady, n = change <= SAME * largest, problem.n
    for b in range(group.first, group.first + group.blocks):
        block = contact.blocks[contact.fellows[b]]
        at = block.local
        normal, tangent = problem.G[(n + 1) * at], 0.0
        if block.rows == 3:
            tangent = max(problem.G[(n + 1) * (at + 1)], problem.G[(n + 1) * (at + 2)])
        if block.kind == POINT:
            point = contact.points[block.index]
            point.steady, point.normal_size, point.tangent_size, point.response = (
                steady,
                normal,
                tangent,
                _response(problem, at, block.rows),
            )
        else:
            limit = contact.limits[block.index]
            limit.steady, limit.size, limit.response = (1.0 if steady else 0.0), normal, _response(problem, at, 1)


@kernel
def _first_guess(point) -> Vector[3]:
    """The impulse of the step before, less what takes back the velocity that it has left.

    A guess g that is off by d leaves a velocity G d in every step, and they add up. With l = g - R^-1 u, R the sums |G_ij| of rows, they do not: u becomes
    (1 - G R^-1) u + G d, and the eigenvalues of G R^-1 are between 0 and 1. A share of R^-1 u stays in g, until u is rounding (`_keep_guess`).
    """
    l, u, size = point.l, point.before, point.response
    if size > 0.0 and point.status != OPEN and l[0] > 0.0:
        normal = max(l[0] - u[0] / size, 0.0)
        share = normal / l[0]
        l = (normal, l[1] - u[1] / size, l[2] - u[2] / size) if point.status == STICK else (normal, share * l[1], share * l[2])
    return l


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
def solve_impulses(contact, group, h) -> int:
    """The impulses of the problem of an island, with the energy guard where points rebound; EXACT, APPROXIMATE or FAILED."""
    problem = contact.problem
    found = solve_contacts(problem)
    if group.rebounding > 0 and found != FAILED:
        budget = 0.0
        for b in range(group.first, group.first + group.blocks):
            block = contact.blocks[contact.fellows[b]]
            if block.kind == POINT and rebounds(contact.points[block.index], h):
                budget += max(0.0, contact.points[block.index].budget)
        energy, size = _energy(contact, group, h)
        if energy > budget + SMALL * size:
            worse = _reduce_restitution(contact, group, budget, h)
            found = worse if worse > found else found
    return found


@kernel
def _energy(contact, group, h) -> tuple[float, float]:
    """(dT = l . u_free + l . G l / 2 of the impulses in the problem, the sum of the sizes of its terms). What rebounds before the end of the step meets
    velocities that have not changed by all that accelerations change them by."""
    problem, energy, size = contact.problem, 0.0, 0.0
    for b in range(group.first, group.first + group.blocks):
        block = contact.blocks[contact.fellows[b]]
        for k in range(block.rows):
            i = block.local + k
            a, c = problem.l[i] * contact.free[block.row + k], 0.5 * problem.l[i] * (problem.w[i] - problem.g[i])
            energy, size = energy + a + c, size + abs(a) + abs(c)
    return energy + _early(contact, group, problem.l, h), size


@kernel
def _early(contact, group, l, h) -> float:
    """What impulses l of points that rebound take from what accelerations do in the rest of the step, J."""
    energy = 0.0
    for c in range(group.blocks):
        if _rebounds_now(contact, group, c, h):
            block = contact.blocks[contact.fellows[group.first + c]]
            point, i = contact.points[block.index], block.local
            before, free = point.before, point.free
            work = l[i] * (free[0] - before[0])
            if block.rows == 3:
                work += l[i + 1] * (free[1] - before[1]) + l[i + 2] * (free[2] - before[2])
            energy -= (1.0 - closing_time(point) / h) * work
    return energy


@kernel
def _reduce_restitution(contact, group, budget, h) -> int:
    """As much of the rebound as gains no more energy than it may give back."""
    problem, l1, Gl1 = contact.problem, contact.rebound, contact.rebound_change
    for i in range(problem.n):
        l1[i], Gl1[i] = problem.l[i], problem.w[i] - problem.g[i]
    for b in range(group.first, group.first + group.blocks):
        block = contact.blocks[contact.fellows[b]]
        if block.kind == POINT and rebounds(contact.points[block.index], h):
            problem.g[block.local] = contact.free[block.row]
    found = solve_contacts(problem)
    if found == FAILED:
        return found
    least, _ = _energy(contact, group, h)
    least -= budget
    slope, curve = _early(contact, group, l1, h) - _early(contact, group, problem.l, h), 0.0
    for b in range(group.first, group.first + group.blocks):
        block = contact.blocks[contact.fellows[b]]
        for k in range(block.rows):
            i = block.local + k
            d, change = l1[i] - problem.l[i], problem.w[i] - problem.g[i]
            slope += d * (contact.free[block.row + k] + change)
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
def lay_delays(contact, group, h) -> bool:
    """Impulses of an island times the part of the step that had gone by when they acted, to `delayed`; False if none acted later than its start.

    A rebound has its own time. What it makes other points and limits answer with, beyond what they would bear without it, acts when it does: at the mean
    time of the rebounds that they are coupled to, weighed by their impulses. G of the problem, as it has been solved, is not needed any more and is
    overwritten.
    """
    problem, share, l = contact.problem, contact.rebound_change, contact.rebound
    later, others = _lay_shares(contact, group, h)
    for i in range(problem.n):
        l[i] = problem.l[i]
    if later and others:
        for c in range(group.blocks):
            if _rebounds_now(contact, group, c, h):
                _exclude(problem, c)
        if solve_contacts(problem) == FAILED:
            contact.books.approximate += 1
    for c in range(group.blocks):
        block, bounces = contact.blocks[contact.fellows[group.first + c]], _rebounds_now(contact, group, c, h)
        for i in range(block.rows):
            at = block.local + i
            l[at] = l[at] if bounces else l[at] - problem.l[at]
            contact.delayed[block.row + i] = share[block.local] * l[at]
        if block.kind == POINT:
            _time_losses(contact.points[block.index], l, block.local, block.rows, share[block.local])
    return later


@kernel
def _time_losses(point, l, row, rows, share) -> None:
    """What the impulses l of a point take because they act at `share` of the step: velocities have changed by so much of what accelerations change them by,
    and not by half of it, which is what the mean of both ends of the step says."""
    before, free = point.before, point.free
    late = 0.5 - share
    point.timed_impact = late * l[row] * (free[0] - before[0])
    if rows == 3:
        point.timed_friction = late * (l[row + 1] * (free[1] - before[1]) + l[row + 2] * (free[2] - before[2]))


@kernel(inline=True)
def _rebounds_now(contact, group, c, h):
    block = contact.blocks[contact.fellows[group.first + c]]
    return block.kind == POINT and rebounds(contact.points[block.index], h)


@kernel
def _lay_shares(contact, group, h) -> tuple[bool, bool]:
    """The part of the step that had gone by when each block took part in a rebound, at its first row: (is it more than 0 anywhere, of others than those
    that rebound?)"""
    problem, share = contact.problem, contact.rebound_change
    later, others = False, False
    for c in range(group.blocks):
        first = problem.first[c]
        share[first] = 0.0
        if _rebounds_now(contact, group, c, h):
            share[first] = closing_time(contact.points[contact.blocks[contact.fellows[group.first + c]].index]) / h
            later = later or share[first] * problem.l[first] > 0.0
    if later:
        for c in range(group.blocks):
            if not _rebounds_now(contact, group, c, h):
                impulses, delayed = 0.0, 0.0
                for other in range(group.blocks):
                    if problem.island_of[other] == problem.island_of[c] and _rebounds_now(contact, group, other, h):
                        row = problem.first[other]
                        impulses, delayed = impulses + problem.l[row], delayed + share[row] * problem.l[row]
                if delayed > 0.0:
                    share[problem.first[c]] = delayed / impulses
                    others = True
    return later, others


@kernel
def _exclude(problem, c) -> None:
    """A block that takes no impulse and is coupled to nothing."""
    n, first = problem.n, problem.first[c]
    for i in range(first, first + rows_of(problem.kind[c])):
        for k in range(n):
            problem.G[n * i + k] = 0.0
            problem.G[n * k + i] = 0.0
        problem.G[n * i + i], problem.l[i], problem.g[i] = 1.0, 0.0, (1.0 if i == first else 0.0)


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


@kernel(inline=True)
def _lasting_share(holds, steady, kept):
    """The share of the change from the first guess to the solution that the next step begins with. Where the guess had held for n steps, velocities of n + 1
    of them have been taken back at once."""
    return LASTS if holds else 1.0 / (1.0 + kept) if steady else 1.0


@kernel
def keep_impulses(contact, v, h) -> None:
    """Impulses and velocities after the step, to points and limits. v: velocities before it."""
    for k in range(contact.nlimits):
        limit = contact.limits[k]
        limit.force, limit.friction_force, limit.impact, limit.rubbed = 0.0, 0.0, 0.0, 0.0
        limit.lasting = limit.friction_lasting = 0.0
    for k in range(contact.count):
        point, o = contact.points[k], zero(contact)
        if point.block < 0:
            point.l, point.after, point.lasting, point.status = (o, o, o), point.free, (o, o, o), OPEN
    for b in range(contact.nblocks):
        block, l, w = contact.blocks[b], contact.l, contact.w
        row, holds = block.row, contact.groups[block.island].state == HOLDS
        rate = contact.free[row] + w[row] - contact.g[row]
        if block.kind == POINT:
            point, o = contact.points[block.index], zero(contact)
            free, guess, share = point.free, point.lasting, _lasting_share(holds, point.steady, point.kept)
            if block.rows == 3:
                point.l = l[row], l[row + 1], l[row + 2]
                point.after = rate, w[row + 1], w[row + 2]
            else:
                point.l, point.after = (l[row], o, o), (rate, free[1], free[2])
            point.lasting = add3(guess, scale3(share, sub3(point.l, guess)))
            point.kept = min(point.kept + 1, LONG) if holds else 0
            point.status = block.status
            if rebounds(point, h) and l[row] > 0.0:
                point.bounced, point.approach = True, 0.0
            if point.touches:
                point.bounced = True
        else:
            limit = contact.limits[block.index]
            guess, share = contact.guess[row], _lasting_share(holds, limit.steady != 0.0, limit.kept)
            next_guess = (guess + share * (l[row] - guess)) / h
            limit.kept = min(limit.kept + 1.0, 1.0 * LONG) if holds else 0.0
            if block.kind == JOINT_FRICTION:
                limit.friction_force, limit.friction_lasting = l[row] / h, next_guess
                limit.rubbed = -0.5 * l[row] * (v[limit.v] + rate)
            else:
                sign = 1.0 if block.kind == LOWER_LIMIT else -1.0
                limit.force, limit.lasting = limit.force + sign * l[row] / h, limit.lasting + sign * next_guess
                limit.impact = limit.impact - 0.5 * l[row] * (sign * v[limit.v] + rate)
