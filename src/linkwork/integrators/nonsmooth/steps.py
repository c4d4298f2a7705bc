"""Semi-implicit steps with contact (Moreau 1988; Jean 1999): impulses of contacts and limits at the start of a step, positions with the velocities behind them.

    M (v_1 - v_0) = h f(q_0, v_0, t_0) + J_b^T l_b + J^T l             f: all forces, by the accelerations of the mechanism with its constraints
    w = J v_1:  signs, cones and restitution (solvers/contact/step_problem.py)
    q_1 = q_0 (+) h v_1  (free bodies: free_bodies.py)                 impulses of rebounds within the step from their own time on
                                                                       then apart, where shapes overlap by more than the tolerance

The least displacement in the mass metric, with constraints kept, moves bodies apart: 0 <= l _|_ G l + gap >= 0 along normals and limits, G with the
factor of the step. It never enters velocities. A step has up to four such rounds, each of which corrects no overlap by more than 10 % of the smaller
shape.
"""

from math import sqrt
from typing import Any

from ...constraints.drift_control import settle
from ...data.accelerations import AccelerationData, ArticulatedAccelerationData
from ...data.contact import POINT
from ...data.contact_problem import EXACT, FAILED, STICK, UNILATERAL, WARM
from ...data.stepper import Stepper
from ...dynamics.configuration import move
from ...dynamics.energy import first_moment, kinetic_energy
from ...dynamics.sweep import VELOCITY_ORDER, sweep_links
from ...kernels import kernel
from ...kernels.records import pointer_to
from ...model.constraint_tables import open_constraints
from ...model.contact_tables import open_contacts
from ...model.tables import open_tables
from ...solvers.contact.first_guess import HOLDS, OPEN_QUESTION, SOLVED, choose_likely, judge_guesses
from ...solvers.contact.points import adopt, find_points, mark_links, place_shapes, raise_speeds, recall, remember, set_reaches
from ...solvers.contact.rows import (
    change_velocities,
    eliminate_constraints,
    fill_contact_matrix,
    find_groups,
    lay_blocks,
    lay_matrix,
    propagate_blocks,
    relative_velocities,
    respond_to_impulses,
    respond_with_constraints,
    weigh_velocities,
)
from ...solvers.contact.solve import solve_contacts
from ...solvers.contact.step_problem import (
    give_island,
    hold_friction,
    keep_impulses,
    keep_sizes,
    lay_delays,
    lay_joint_friction,
    lay_limits,
    lay_problem,
    limit_gap,
    note_approach,
    solve_impulses,
    take_solution,
)
from ..compiled_loop import LOOP_CALL
from ..controllers import sample_controllers, sample_due
from ..force_memory import accept_memory
from ..step_ends import begin_step, is_finite, margin, move_from_start, restore_state
from .free_bodies import free_velocities, keep_momentum, move_free_bodies
from .pair_books import book_impacts, note_change

ROUNDS = 4  # of moving bodies apart: the factor is that of the step's start, and gaps are no linear functions
LOOKS = 3  # for points that could close within a step: what impulses make faster may meet more than it could have met without
MOST = 0.1  # of the smaller shape: no overlap is reduced by more in a round
IMPACT, FRICTION, SEPARATION = range(3)  # places of the losses behind the powers in `works`


@kernel
def contact_steps(stepper: Stepper, start: Any, step: Any, h: Any, steps: Any) -> int:
    """Up to `steps` steps of size h, the first of which begins at start + step h; returns how many were taken before one failed, or contacts found no room."""
    contact = stepper.contact
    sampled = contact.again
    contact.overflow, contact.failed, contact.again, contact.known = False, 0, False, False
    for i in range(steps):
        time = start + (step + i) * h
        if not (sampled and i == 0) and sample_due(stepper.controllers, step + i):
            settle(stepper, time)
            sample_controllers(stepper, step + i, time)
        _copy_books(contact.books, contact.books_before)
        _copy_limits(contact, contact.limits, contact.limits_before)
        begin_step(stepper, time, time + margin(time, h))
        free_velocities(open_tables(stepper.model), stepper.v0, stepper.vdot, h, contact.v_free)
        if not _jump(stepper, h):
            _take_back(stepper)
            return i
        remember(contact, h)
        for k in range(stepper.nv):
            stepper.theta[k] = h * contact.v_mean[k]
        move_from_start(stepper)
        move_free_bodies(stepper, contact, h)
        if not is_finite(stepper) or not separate(stepper, time + h, h):
            _take_back(stepper)
            return i
        for k in range(stepper.nw):
            stepper.works[k] = stepper.works[k] + h * stepper.powers[k]
        book_losses(stepper, contact)
        book_impacts(contact)
        note_change(contact)
        adopt(contact)
        accept_memory(stepper, time + h)
    return steps


@kernel
def _take_back(stepper: Stepper) -> None:
    """A step is not taken: all is as it was, so that it can be tried again where there was no room."""
    contact = stepper.contact
    contact.again = contact.overflow
    _copy_books(contact.books_before, contact.books)
    _copy_limits(contact, contact.limits_before, contact.limits)
    restore_state(stepper)


@kernel
def _copy_books(a, b) -> None:
    """Sums and extremes that a step adds to before it is taken."""
    b.steps, b.approximate, b.most_points, b.separations, b.guarded = a.steps, a.approximate, a.most_points, a.separations, a.guarded
    b.worst_gap, b.worst_gap_pair, b.worst_slip, b.worst_slip_pair = a.worst_gap, a.worst_gap_pair, a.worst_slip, a.worst_slip_pair
    b.worst_cone, b.worst_residual, b.worst_residual_pair = a.worst_cone, a.worst_residual, a.worst_residual_pair
    for k in range(8):
        b.rungs[k] = a.rungs[k]


@kernel
def _copy_limits(contact, limits, copies) -> None:
    """What limits and dry friction of joints remember."""
    for k in range(contact.nlimits):
        a, b = limits[k], copies[k]
        b.force, b.friction_force, b.lasting, b.friction_lasting = a.force, a.friction_force, a.lasting, a.friction_lasting
        b.response, b.size, b.kept, b.steady = a.response, a.size, a.kept, a.steady


@kernel
def _jump(stepper: Stepper, h: Any) -> bool:
    """From the free velocities to those behind the impulses of the step; False if there is no room for contacts, or no solution."""
    model, contact = open_tables(stepper.model), stepper.contact
    tree = pointer_to(AccelerationData, stepper.data, 0.0).tree
    if not _is_known(stepper):
        _look(stepper, h)
    contact.known = False
    sweep_links(model, tree.motion, stepper.q, contact.v_free, stepper.vdot, VELOCITY_ORDER)
    place_shapes(model, tree.motion, contact)
    contact.drive_work, found = 0.0, EXACT
    for k in range(stepper.nv):
        contact.v_mean[k] = contact.v_free[k]
    for look in range(LOOKS):
        if look > 0 or _is_faster(model, contact, h):
            set_reaches(model, contact, h, _margin(model, h))
            find_points(model, contact)
        if contact.overflow or not _lay_step(stepper, h):
            return False
        if contact.nblocks == 0:
            for k in range(stepper.nv):
                stepper.v[k] = contact.v_mean[k] = contact.v_free[k]
            contact.count = 0
            keep_impulses(contact, stepper.v, h)
            return True
        lay_problem(contact, stepper.q, stepper.v, h)
        found = solve_islands(stepper, h)
        if found == FAILED:
            pair = _pair_of(contact, contact.worst)
            contact.failed = 1 + pair if pair >= 0 else -1
            return False
        if look + 1 == LOOKS or not _strikes_more(stepper, h):
            break
    keep_impulses(contact, stepper.v, h)
    book_solution(contact, found)
    contact.drive_work = work_of_drives(stepper)
    for k in range(stepper.nv):
        stepper.v[k] = contact.v_free[k] + stepper.vdot[k]
        contact.v_mean[k] = stepper.v[k]
    if contact.later:
        for i in range(contact.nrows):
            contact.l[i] = contact.delayed[i]
        answer(stepper)
        for k in range(stepper.nv):
            contact.v_mean[k] = contact.v_mean[k] - stepper.vdot[k]
    return True


@kernel
def _lay_step(stepper: Stepper, h: Any) -> bool:
    """Blocks of points and limits that could close within the step, and velocities; False if there is no room. v_mean: bounds of the velocities."""
    model, contact = open_tables(stepper.model), stepper.contact
    motion = pointer_to(AccelerationData, stepper.data, 0.0).tree.motion
    lay_blocks(model, contact, 3, h)
    mark_links(model, contact)
    if contact.overflow or not lay_limits(model, contact, stepper.q, contact.v_mean, h) or not lay_joint_friction(model, contact):
        return False
    if contact.nblocks > 0:
        find_groups(contact)
        recall(model, contact, h)
        relative_velocities(model, motion, contact, stepper.q, contact.v_free, False)
        relative_velocities(model, motion, contact, stepper.q, stepper.v, True)
        note_approach(contact, h)
    return True


@kernel
def _strikes_more(stepper: Stepper, h: Any) -> bool:
    """Could what impulses have made faster meet something, or a limit, that was out of its reach? Then speeds are raised, for another look."""
    model, contact = open_tables(stepper.model), stepper.contact
    motion, v = pointer_to(AccelerationData, stepper.data, 0.0).tree.motion, contact.v_mean
    more, any_faster = False, False
    for k in range(contact.nlimits):
        limit = contact.limits[k]
        if limit.q >= 0:
            x, known = stepper.q[limit.q], h * abs(v[limit.v]) + 2.0 * limit.tolerance
            reach = h * abs(contact.v_free[limit.v] + stepper.vdot[limit.v])
            more = more or known < x - limit.lower <= reach or known < limit.upper - x <= reach
    for k in range(stepper.nv):
        faster = contact.v_free[k] + stepper.vdot[k]
        if abs(faster) > abs(v[k]):
            v[k], any_faster = faster, True
    if not any_faster:
        return more
    sweep_links(model, motion, stepper.q, v, stepper.vdot, VELOCITY_ORDER)
    return raise_speeds(model, motion, contact, h) or more


@kernel(inline=True)
def _margin(model, h):
    """How far gravity takes a body in the next step, twice."""
    g = model.gravity
    return h * h * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])


@kernel
def _is_known(stepper: Stepper) -> bool:
    """Have all points of this state been found at the end of the step before?"""
    contact = stepper.contact
    if not contact.known:
        return False
    for k in range(stepper.nq):
        if contact.known_q[k] != stepper.q[k]:
            return False
    for k in range(stepper.nv):
        if contact.known_v[k] != stepper.v[k]:
            return False
    return True


@kernel
def _look(stepper: Stepper, h: Any) -> None:
    """All points that the velocities could close within the next step, and a little more."""
    model, contact = open_tables(stepper.model), stepper.contact
    tree = pointer_to(AccelerationData, stepper.data, 0.0).tree
    sweep_links(model, tree.motion, stepper.q, stepper.v, stepper.vdot, VELOCITY_ORDER)
    place_shapes(model, tree.motion, contact)
    set_reaches(model, contact, h, _margin(model, h))
    find_points(model, contact)


@kernel
def _is_faster(model, contact, h) -> bool:
    """Do forces make a shape so fast that points within its reach have not been looked for?"""
    for k in range(open_contacts(model).nshapes):
        if h * contact.shapes[k].speed + contact.tolerance > contact.shapes[k].reach:
            return True
    return False


@kernel
def solve_islands(stepper: Stepper, h: Any) -> int:
    """Impulses of all islands, those whose first guess holds without a matrix; what they change velocities by, to vdot."""
    model, contact = open_tables(stepper.model), stepper.contact
    tree = pointer_to(AccelerationData, stepper.data, 0.0).tree
    weigh_velocities(model, tree, contact.weights)
    worst, answered = EXACT, False
    contact.rung, contact.residual, contact.worst, contact.later = WARM, 0.0, -1, False
    for i in range(contact.nrows):
        contact.delayed[i] = 0.0
    if choose_likely(contact, stepper.constrained):
        answer(stepper)
        change_velocities(model, tree.motion, contact, stepper.q, stepper.vdot)
        judge_guesses(contact)
        answered = True
    for k in range(contact.ngroups):
        group, problem = contact.groups[k], contact.problem
        if group.state == OPEN_QUESTION:
            fill_island(stepper, group)
            if stepper.constrained:
                hold_friction(contact, group)
            give_island(contact, group)
            found = solve_impulses(contact, group, h)
            worst = max(worst, found)
            contact.rung = max(contact.rung, problem.rung)
            if problem.residual > contact.residual or found == FAILED:
                contact.residual = problem.residual
                contact.worst = contact.fellows[group.first + problem.worst] if problem.worst >= 0 else -1
            if found == FAILED:
                return FAILED
            take_solution(contact, group)
            keep_sizes(contact, group)
            if group.rebounding > 0 and lay_delays(contact, group, h):
                contact.later = True
            group.state, answered = SOLVED, False
    if not answered:
        answer(stepper)
    return worst


@kernel
def book_solution(contact, found) -> None:
    """Extremes of a solution."""
    books = contact.books
    books.steps += 1
    if found != EXACT:
        books.approximate += 1
    books.rungs[contact.rung] = books.rungs[contact.rung] + 1
    if contact.residual > books.worst_residual:
        books.worst_residual, books.worst_residual_pair = contact.residual, 1 + _pair_of(contact, contact.worst)
    largest, excess, count = 0.0, 0.0, 0
    for k in range(contact.count):
        point = contact.points[k]
        if point.block < 0:
            continue
        count += 1
        l, u = point.l, point.after
        largest = max(largest, l[0])
        excess = max(excess, sqrt(l[1] * l[1] + l[2] * l[2]) - point.friction * l[0])
        if point.status == STICK and point.friction > 0.0:
            slip = sqrt(u[1] * u[1] + u[2] * u[2])
            if slip > books.worst_slip:
                books.worst_slip, books.worst_slip_pair = slip, 1 + point.pair
    books.most_points = max(books.most_points, count)
    if largest > 0.0:
        books.worst_cone = max(books.worst_cone, excess / largest)


@kernel
def fill_island(stepper: Stepper, group: Any) -> None:
    """Rows and G of an island, constraints eliminated."""
    model, contact = open_tables(stepper.model), stepper.contact
    tree = pointer_to(AccelerationData, stepper.data, 0.0).tree
    propagate_blocks(model, tree, contact, group)
    fill_contact_matrix(model, contact, group, contact.problem.G)
    if stepper.constrained:
        constraints = pointer_to(ArticulatedAccelerationData, stepper.data, 0.0).constraints
        eliminate_constraints(model, contact, group, constraints, contact.problem.G)


@kernel
def fill_matrix(stepper: Stepper) -> None:
    """Rows and G of all blocks together, constraints eliminated."""
    model, contact = open_tables(stepper.model), stepper.contact
    lay_matrix(model, pointer_to(AccelerationData, stepper.data, 0.0).tree, contact)
    if stepper.constrained:
        constraints = pointer_to(ArticulatedAccelerationData, stepper.data, 0.0).constraints
        eliminate_constraints(model, contact, contact.groups[0], constraints, contact.problem.G)


@kernel
def answer(stepper: Stepper) -> None:
    """What the impulses contact.l change velocities (or displacements) by, to vdot."""
    model, contact = open_tables(stepper.model), stepper.contact
    tree = pointer_to(AccelerationData, stepper.data, 0.0).tree
    if stepper.constrained:
        constraints = pointer_to(ArticulatedAccelerationData, stepper.data, 0.0).constraints
        respond_with_constraints(model, tree, contact, constraints)
    else:
        respond_to_impulses(model, tree, contact)


@kernel
def work_of_drives(stepper: Stepper) -> float:
    """The work of prescribed motion against the impulses: rows of constraints move at -phi_t, and x are their impulses."""
    work = 0.0
    if stepper.constrained:
        rows = pointer_to(ArticulatedAccelerationData, stepper.data, 0.0).constraints.rows
        for k in range(open_constraints(stepper.model).nc):
            work = work - stepper.contact.x[k] * rows.rows[k].rate
    return work


@kernel
def _pair_of(contact, b) -> int:
    """The pair of block b of rows; -1 of a limit."""
    if b >= 0 and contact.blocks[b].kind == POINT:
        return contact.points[contact.blocks[b].index].pair
    return -1


@kernel
def separate(stepper: Stepper, time: Any, h: Any) -> bool:
    """Move bodies apart that overlap after a step, constraints first brought back onto themselves; False if there is no room for contacts.

    The points that are found serve the next step too.
    """
    model, contact = open_tables(stepper.model), stepper.contact
    books = contact.books
    settle(stepper, time)
    energy, any_moved = 0.0, False
    for round in range(ROUNDS + 1):
        _look(stepper, h)
        lay_blocks(model, contact, 1, 0.0)
        if contact.overflow or not lay_limits(model, contact, stepper.q, stepper.v, 0.0):
            return False
        find_groups(contact)
        overlaps, deepest, pair = _lay_overlaps(model, contact, stepper.q)
        moved = False
        if overlaps and round < ROUNDS:
            if round == 0:
                books.separations += 1
            moved = _solve_overlaps(stepper)
        if not moved:
            if deepest < books.worst_gap:
                books.worst_gap, books.worst_gap_pair = deepest, 1 + pair
            break
        answer(stepper)
        for k in range(stepper.nv):
            stepper.theta[k] = stepper.vdot[k]
        if not any_moved:
            energy, any_moved = _energy(stepper), True
        move(model, stepper.q, stepper.theta, stepper.q)
        keep_momentum(model, stepper.theta, stepper.v)
    contact.separation = energy - _energy(stepper) if any_moved else 0.0
    contact.known = True
    for k in range(stepper.nq):
        contact.known_q[k] = stepper.q[k]
    for k in range(stepper.nv):
        contact.known_v[k] = stepper.v[k]
    return True


@kernel
def _solve_overlaps(stepper: Stepper) -> bool:
    """The impulses of the displacements, of islands with overlaps; False if they are not found."""
    model, contact = open_tables(stepper.model), stepper.contact
    weigh_velocities(model, pointer_to(AccelerationData, stepper.data, 0.0).tree, contact.weights)
    for k in range(contact.ngroups):
        group = contact.groups[k]
        if group.state == OPEN_QUESTION:
            fill_island(stepper, group)
            give_island(contact, group)
            if solve_contacts(contact.problem) == FAILED:
                return False
            take_solution(contact, group)
    return True


@kernel
def _energy(stepper: Stepper) -> float:
    """Kinetic energy, and potential energy of gravity, of the state as it stands."""
    model = open_tables(stepper.model)
    motion = pointer_to(AccelerationData, stepper.data, 0.0).tree.motion
    sweep_links(model, motion, stepper.q, stepper.v, stepper.vdot, VELOCITY_ORDER)
    _, moment = first_moment(model, motion)
    g = model.gravity
    return kinetic_energy(model, motion, stepper.v) - (g[0] * moment[0] + g[1] * moment[1] + g[2] * moment[2])


@kernel
def _lay_overlaps(model, contact, q) -> tuple[bool, float, int]:
    """Right sides of the displacements that end overlaps: (is there one?, the deepest gap, its pair)."""
    t = open_contacts(model)
    overlaps, deepest, pair = False, 0.0, -1
    for k in range(contact.ngroups):
        contact.groups[k].state = HOLDS
    for b in range(contact.nblocks):
        block = contact.blocks[b]
        row = block.row
        block.law, block.mu, block.lower, block.upper, contact.l[row] = UNILATERAL, 0.0, 0.0, 0.0, 0.0
        if block.kind == POINT:
            point = contact.points[block.index]
            shapes = t.pairs[point.pair]
            most = MOST * min(t.shapes[shapes.a].bound, t.shapes[shapes.b].bound)
            gap, tolerance = max(point.gap, -most), contact.tolerance
            if point.gap < deepest:
                deepest, pair = point.gap, point.pair
        else:
            limit = contact.limits[block.index]
            gap, tolerance = limit_gap(limit, block.kind, q), limit.tolerance
        if gap < -tolerance:
            overlaps, contact.groups[block.island].state = True, OPEN_QUESTION
        contact.g[row] = gap if abs(gap) > tolerance else 0.0
    return overlaps, deepest, pair


@kernel
def book_losses(stepper: Stepper, contact) -> None:
    """What impulses have lost in the step: l . (u before + u after) / 2 is all that they do to the kinetic energy."""
    books, points, impact, friction = contact.books, contact.coming.points, 0.0, 0.0
    for k in range(contact.coming.count[0]):
        point = points[k]
        impact, friction = impact + point.impact, friction + point.friction
        books.pair_friction[point.pair] = books.pair_friction[point.pair] + point.friction
    for k in range(contact.nlimits):
        limit = contact.limits[k]
        impact, friction = impact + limit.impact, friction + limit.rubbed
        limit.friction_loss = limit.friction_loss + limit.rubbed
    losses = stepper.nw
    stepper.works[losses - 1] = stepper.works[losses - 1] + contact.drive_work
    stepper.works[losses + IMPACT] = stepper.works[losses + IMPACT] + impact
    stepper.works[losses + FRICTION] = stepper.works[losses + FRICTION] + friction
    stepper.works[losses + SEPARATION] = stepper.works[losses + SEPARATION] + contact.separation


@kernel(address=LOOP_CALL)
def contact_loop(stepper: Stepper, start: Any, step: Any, h: Any, steps: Any) -> int:
    return contact_steps(stepper, start, step, h, steps)
