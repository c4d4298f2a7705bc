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
from ...data.contact_problem import EXACT, FAILED, STICK, UNILATERAL
from ...data.stepper import Stepper
from ...dynamics.configuration import move
from ...dynamics.sweep import POSE_ORDER, VELOCITY_ORDER, sweep_links
from ...kernels import kernel
from ...kernels.records import pointer_to
from ...model.constraint_tables import open_constraints
from ...model.contact_tables import open_contacts
from ...model.tables import open_tables
from ...solvers.contact.points import adopt, find_contacts, mark_links, place_shapes, raise_speeds, recall, remember
from ...solvers.contact.rows import (
    eliminate_constraints,
    lay_blocks,
    relative_velocities,
    respond_to_impulses,
    respond_with_constraints,
)
from ...solvers.contact.solve import solve_contacts
from ...solvers.contact.step_problem import (
    keep_impulses,
    lay_delays,
    lay_joint_friction,
    lay_limits,
    lay_matrix,
    lay_problem,
    limit_gap,
    note_approach,
    solve_impulses,
)
from ..compiled_loop import LOOP_CALL
from ..controllers import sample_controllers, sample_due
from ..force_memory import accept_memory
from ..step_ends import begin_step, is_finite, margin, move_from_start, restore_state
from .free_bodies import free_velocities, move_free_bodies
from .pair_books import book_impacts, note_change

ROUNDS = 4  # of moving bodies apart: the factor is that of the step's start, and gaps are no linear functions
LOOKS = 3  # for points that could close within a step: what impulses make faster may meet more than it could have met without
MOST = 0.1  # of the smaller shape: no overlap is reduced by more in a round
IMPACT, FRICTION = range(2)  # places of the losses behind the powers in `works`


@kernel
def contact_steps(stepper: Stepper, start: Any, step: Any, h: Any, steps: Any) -> int:
    """Up to `steps` steps of size h, the first of which begins at start + step h; returns how many were taken before one failed, or contacts found no room."""
    contact = stepper.contact
    sampled = contact.again
    contact.overflow, contact.failed, contact.again = False, 0, False
    for i in range(steps):
        time = start + (step + i) * h
        if not (sampled and i == 0) and sample_due(stepper.controllers, step + i):
            settle(stepper, time)
            sample_controllers(stepper, step + i, time)
        begin_step(stepper, time, time + margin(time, h))
        free_velocities(open_tables(stepper.model), stepper.v0, stepper.vdot, h, contact.v_free)
        if not _jump(stepper, h):
            contact.again = contact.overflow
            restore_state(stepper)
            return i
        remember(contact, h)
        for k in range(stepper.nv):
            stepper.theta[k] = h * contact.v_mean[k]
        move_from_start(stepper)
        move_free_bodies(stepper, contact, h)
        if not is_finite(stepper) or not separate(stepper, time + h):
            contact.again = contact.overflow
            restore_state(stepper)
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
def _jump(stepper: Stepper, h: Any) -> bool:
    """From the free velocities to those behind the impulses of the step; False if there is no room for contacts, or no solution."""
    model, contact = open_tables(stepper.model), stepper.contact
    tree = pointer_to(AccelerationData, stepper.data, 0.0).tree
    sweep_links(model, tree.motion, stepper.q, contact.v_free, stepper.vdot, VELOCITY_ORDER)
    place_shapes(model, tree.motion, contact)
    contact.drive_work, found, rebounding = 0.0, EXACT, 0
    for k in range(stepper.nv):
        contact.v_mean[k] = contact.v_free[k]
    for look in range(LOOKS):
        if not _lay_step(stepper, h):
            return False
        if contact.nblocks == 0:
            for k in range(stepper.nv):
                stepper.v[k] = contact.v_mean[k] = contact.v_free[k]
            return True
        rebounding = lay_problem(contact, stepper.q, stepper.v, h)
        found = solve_impulses(contact, rebounding, h)
        if found == FAILED:
            pair = _pair_of(contact, contact.problem.worst)
            contact.failed = 1 + pair if pair >= 0 else -1
            return False
        answer(stepper)
        if look + 1 == LOOKS or not _strikes_more(stepper, h):
            break
    keep_impulses(contact, stepper.v, h)
    book_solution(contact, found)
    contact.drive_work = work_of_drives(stepper)
    for k in range(stepper.nv):
        stepper.v[k] = contact.v_free[k] + stepper.vdot[k]
        contact.v_mean[k] = stepper.v[k]
    if rebounding > 0 and lay_delays(contact, h):
        answer(stepper)
        for k in range(stepper.nv):
            contact.v_mean[k] = contact.v_mean[k] - stepper.vdot[k]
    return True


@kernel
def _lay_step(stepper: Stepper, h: Any) -> bool:
    """Points and limits that could close within the step, their velocities, rows and G; False if there is no room. v_mean: bounds of the velocities."""
    model, contact = open_tables(stepper.model), stepper.contact
    motion = pointer_to(AccelerationData, stepper.data, 0.0).tree.motion
    find_contacts(model, contact, h)
    if contact.overflow:
        return False
    mark_links(model, contact)
    lay_blocks(model, contact, 3)
    if contact.overflow or not lay_limits(model, contact, stepper.q, contact.v_mean, h) or not lay_joint_friction(model, contact):
        return False
    if contact.nblocks > 0:
        recall(model, contact, h)
        relative_velocities(model, motion, contact, stepper.q, contact.v_free, False)
        relative_velocities(model, motion, contact, stepper.q, stepper.v, True)
        note_approach(contact, h)
        fill_matrix(stepper)
    return True


@kernel
def _strikes_more(stepper: Stepper, h: Any) -> bool:
    """Could what impulses have made faster meet something, or a limit, that was out of its reach? Then speeds are raised, for another look."""
    model, contact = open_tables(stepper.model), stepper.contact
    motion, v = pointer_to(AccelerationData, stepper.data, 0.0).tree.motion, contact.v_mean
    more = False
    for k in range(contact.nlimits):
        limit = contact.limits[k]
        if limit.q >= 0:
            x, known = stepper.q[limit.q], h * abs(v[limit.v]) + 2.0 * limit.tolerance
            reach = h * abs(contact.v_free[limit.v] + stepper.vdot[limit.v])
            more = more or known < x - limit.lower <= reach or known < limit.upper - x <= reach
    for k in range(stepper.nv):
        faster = contact.v_free[k] + stepper.vdot[k]
        if abs(faster) > abs(v[k]):
            v[k] = faster
    sweep_links(model, motion, stepper.q, v, stepper.vdot, VELOCITY_ORDER)
    return raise_speeds(model, motion, contact, h) or more


@kernel
def book_solution(contact, found) -> None:
    """Extremes of a solution."""
    books, problem = contact.books, contact.problem
    books.steps += 1
    if found != EXACT:
        books.approximate += 1
    books.rungs[problem.rung] = books.rungs[problem.rung] + 1
    books.most_points = max(books.most_points, contact.count)
    if problem.residual > books.worst_residual:
        books.worst_residual, books.worst_residual_pair = problem.residual, 1 + _pair_of(contact, problem.worst)
    largest, excess = 0.0, 0.0
    for k in range(contact.count):
        point = contact.points[k]
        l, u = point.l, point.after
        largest = max(largest, l[0])
        excess = max(excess, sqrt(l[1] * l[1] + l[2] * l[2]) - point.friction * l[0])
        if point.status == STICK and point.friction > 0.0:
            slip = sqrt(u[1] * u[1] + u[2] * u[2])
            if slip > books.worst_slip:
                books.worst_slip, books.worst_slip_pair = slip, 1 + point.pair
    if largest > 0.0:
        books.worst_cone = max(books.worst_cone, excess / largest)


@kernel
def fill_matrix(stepper: Stepper) -> None:
    """Rows and G of the blocks that have been laid, constraints eliminated."""
    model, contact = open_tables(stepper.model), stepper.contact
    tree = pointer_to(AccelerationData, stepper.data, 0.0).tree
    lay_matrix(model, tree, contact)
    if stepper.constrained:
        constraints = pointer_to(ArticulatedAccelerationData, stepper.data, 0.0).constraints
        eliminate_constraints(model, contact, constraints, contact.problem.G)


@kernel
def answer(stepper: Stepper) -> None:
    """What the impulses of the problem change velocities (or displacements) by, to vdot."""
    model, contact = open_tables(stepper.model), stepper.contact
    tree = pointer_to(AccelerationData, stepper.data, 0.0).tree
    if stepper.constrained:
        constraints = pointer_to(ArticulatedAccelerationData, stepper.data, 0.0).constraints
        respond_with_constraints(model, tree, contact, constraints, contact.problem.l)
    else:
        respond_to_impulses(model, tree, contact, contact.problem.l)


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
def separate(stepper: Stepper, time: Any) -> bool:
    """Move bodies apart that overlap after a step, constraints first brought back onto themselves; False if there is no room for contacts."""
    model, contact = open_tables(stepper.model), stepper.contact
    tree, problem, books = pointer_to(AccelerationData, stepper.data, 0.0).tree, contact.problem, contact.books
    settle(stepper, time)
    for round in range(ROUNDS + 1):
        sweep_links(model, tree.motion, stepper.q, stepper.v, stepper.vdot, POSE_ORDER)
        place_shapes(model, tree.motion, contact)
        find_contacts(model, contact, 0.0)
        lay_blocks(model, contact, 1)
        if contact.overflow or not lay_limits(model, contact, stepper.q, stepper.v, 0.0):
            return False
        overlaps, deepest, pair = _lay_overlaps(model, contact, stepper.q)
        moved = False
        if overlaps and round < ROUNDS:
            if round == 0:
                books.separations += 1
            fill_matrix(stepper)
            moved = solve_contacts(problem) != FAILED
        if not moved:
            if deepest < books.worst_gap:
                books.worst_gap, books.worst_gap_pair = deepest, 1 + pair
            break
        answer(stepper)
        for k in range(stepper.nv):
            stepper.theta[k] = stepper.vdot[k]
        move(model, stepper.q, stepper.theta, stepper.q)
    return True


@kernel
def _lay_overlaps(model, contact, q) -> tuple[bool, float, int]:
    """Right sides of the displacements that end overlaps: (is there one?, the deepest gap, its pair)."""
    problem, t = contact.problem, open_contacts(model)
    problem.n, problem.m = contact.nrows, contact.nblocks
    overlaps, deepest, pair = False, 0.0, -1
    for b in range(contact.nblocks):
        block = contact.blocks[b]
        row = block.row
        problem.first[b], problem.kind[b], problem.mu[b], problem.l[row] = row, UNILATERAL, 0.0, 0.0
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
        overlaps = overlaps or gap < -tolerance
        problem.g[row] = gap if abs(gap) > tolerance else 0.0
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


@kernel(address=LOOP_CALL)
def contact_loop(stepper: Stepper, start: Any, step: Any, h: Any, steps: Any) -> int:
    return contact_steps(stepper, start, step, h, steps)
