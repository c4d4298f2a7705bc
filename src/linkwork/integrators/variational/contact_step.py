"""Steps of the variational integrator with contact: equation (1) of step.py, with impulses of contacts besides those of constraints.

Each correction of Newton's method solves the complementarity problem for what the step will end in (contact_rows.py), and takes the displacement along. It
ends where corrections are rounding. Friction and signs hold for the end of the step, so that a body at rest is not moved at all.

Points that would rebound end the loop before the step: it is cut where they touch (contact_run.py).
"""

from typing import Any

from ...data.contact_problem import APPROXIMATE, EXACT, FAILED, STICK
from ...data.variational import VariationalData
from ...data.variational_contact import VariationalContact
from ...dynamics.configuration import move
from ...dynamics.exchange import copy, fill
from ...kernels import kernel
from ...kernels.scalar import sqrt
from ...model.constraint_tables import has_constraints, open_constraints
from ...model.contact_tables import open_contacts
from ...model.tables import open_tables
from ...solvers.contact.points import adopt, remember
from ...solvers.contact.solve import solve_contacts
from ..nonsmooth.pair_books import book_impacts, note_change
from .contact_rows import (
    add_missed,
    fill_anew,
    fill_node,
    lay_points,
    lay_right_sides,
    leave_damping,
    measure_ends,
    push_all,
    respond_to_problem,
    stand_still,
    start_velocities,
    take_damping,
)
from .loops import keep_rows
from .newton import corrections
from .newton_iteration import ABSOLUTE, CLOSE, CONVERGED, EXHAUSTED, ROUNDING, STALLED, STEEP, guess, solve_step
from .steep_forces import foresee_forces
from .step import begin_steps, read_multipliers, worst_equation
from .step_parts import correct, factor, finish, innovate, residual
from .sweeps import settle

IMPULSES, REBOUND, NO_ROOM = (
    3,
    4,
    5,
)  # how a step ends, beside those of newton_iteration.py: no impulses found, a rebound within it, no room for points
SLOWEST = 1e-6  # of the largest velocity without impulses: points that close more slowly are not struck
REST = 1.0  # times what accelerations change a speed by within a step: slower points do not rebound
FROZEN = 12  # corrections after which gaps are those of points that move with their bodies: features that change places keep Newton's method from ending
PATIENT, SLACK = (
    4,
    1e6,
)  # corrections after which impulses stay that satisfy the laws but for rounding, and then ten times that, and so on up to SLACK times it:
# where four corners slide, impulses are not unique, and each solution is another one
HALVINGS = 6  # of a step that cannot be taken
LOOKS = 4  # times that points are added which the start of a step did not have
AHEAD = 2.0  # times the way of the step before: within it points are looked for
ROUNDS = 4  # of moving bodies apart: gaps are no linear functions
MOST = 0.1  # of the smaller shape: no point is moved by more in a step
AGAIN = 0.1  # corrections that shrink by less have Newton's matrix factored again


@kernel
def solve_contact_step(model, run, touch) -> tuple[int, int]:
    """Newton's method for a step with points. Returns how it ended and how many corrections it took."""
    contact, count = touch.contact, 0
    touch.frozen = False
    if contact.count == 0:
        ended, count = solve_step(model, run)
        if ended == CONVERGED:
            measure_ends(model, run, touch)
            contact.found = EXACT
        if ended != CONVERGED or touch.missed == 0:
            return ended, count
    for look in range(LOOKS):
        if contact.count == 0 or look > 0:
            add_missed(model, run, touch)
        leave_damping(model, run, touch)
        stand_still(model, run)
        start_velocities(model, run, touch)
        fill_node(model, run, touch)
        take_damping(model, run, touch)
        for k in range(contact.count):
            point, own = contact.points[k], touch.points[k]
            l = point.l
            contact.problem.l[own.row] = 0.0 if own.exempt else l[0]
            if own.rows == 3:
                contact.problem.l[own.row + 1] = 0.0 if own.exempt else l[1]
                contact.problem.l[own.row + 2] = 0.0 if own.exempt else l[2]
        ended, corrected = _iterate(model, run, touch)
        count += corrected
        _keep(touch)
        if ended != CONVERGED or touch.missed == 0:
            return ended, count
        if contact.overflow:
            return NO_ROOM, count
    return CONVERGED, count


@kernel
def _foresee(model, run, touch) -> None:
    """Where forces depend strongly on velocities, by how much they change in the correction to come joins the right sides; innovations are found again."""
    if run.forced and run.steep > 0:
        foresee_forces(model, run)
        residual(model, run)
        push_all(run, touch)
        for k in range(model.nv):
            run.right[k] = run.right[k] + run.shift[k]
        innovate(model, run)


@kernel
def _iterate(model, run, touch) -> tuple[int, int]:
    contact, square = touch.contact, run.settings.tolerance * run.settings.tolerance
    guess(model, run, run.past)
    before, poor, found, slack = -1.0, True, EXACT, 1.0
    for count in range(run.settings.iterations):
        if count >= PATIENT:
            slack = min(10.0 * slack, SLACK)
        touch.frozen = count >= FROZEN
        action = residual(model, run)
        push_all(run, touch)
        fresh, poor = poor, False
        if fresh:
            factor(model, run)
            if count > 0 or (run.forced and run.steep > 0):
                measure_ends(model, run, touch)
                fill_anew(model, run, touch)
                action = residual(model, run)
                push_all(run, touch)
        innovate(model, run)
        _foresee(model, run, touch)
        corrections(model, run)
        measure_ends(model, run, touch)
        if contact.overflow:
            return NO_ROOM, count + 1
        exact = lay_right_sides(model, run, touch, slack)
        found = solve_contacts(contact.problem)
        if found == EXACT and contact.problem.residual > exact:
            found = APPROXIMATE
        residual(model, run)
        push_all(run, touch)
        size = innovate(model, run)
        if not size < 1e300:
            return EXHAUSTED, count + 1
        _foresee(model, run, touch)
        correct(model, run)
        whole = action + run.unit_gaps
        fine, coarse = square * whole, square * (ROUNDING * whole + ABSOLUTE * run.unit)
        done = size <= CLOSE * fine
        if before >= 0.0 and not done:
            shrunk = size / before
            done = shrunk * size <= fine or (shrunk > STALLED and size <= coarse)
            if fresh and shrunk > AGAIN * AGAIN and run.forced:
                run.steep = STEEP  # a fresh factor did not help: slopes of forces are missing in it
            poor = shrunk > AGAIN * AGAIN
        if done:
            contact.found = found
            if touch.frozen:  # the gaps that there are
                touch.frozen = False
                residual(model, run)
                measure_ends(model, run, touch)
            return (IMPULSES if found == FAILED else CONVERGED), count + 1
        before = size
    return (IMPULSES if found == FAILED else EXHAUSTED), run.settings.iterations


@kernel
def _keep(touch) -> None:
    """Impulses to points, with the velocities that the books want."""
    contact = touch.contact
    problem = contact.problem
    for k in range(contact.count):
        point, own = contact.points[k], touch.points[k]
        l = problem.l
        if own.rows == 3:
            point.l = l[own.row], l[own.row + 1], l[own.row + 2]
        else:
            point.l = l[own.row], 0.0 * l[own.row], 0.0 * l[own.row]
        point.lasting, point.status = point.l, problem.status[k]


@kernel
def _steady_change(touch, k) -> float:
    """What the impulses of points that pressed in the step before change the normal velocity of point k by, as far as they go on: no impulse of an impact."""
    contact, K, l = touch.contact, touch.K, touch.contact.problem.l
    n, row, change = touch.contact.problem.n, touch.points[k].row, 0.0
    for j in range(contact.count):
        other = touch.points[j]
        now = l[other.row]
        if now > 0.0 and other.last > 0.0:
            share = min(1.0, other.last / now)
            for i in range(other.row, other.row + other.rows):
                if i != row:
                    change += share * K[row * n + i] * l[i]
    return change


@kernel
def note_rebounds(run, touch) -> None:
    """Which points take an impulse in this step that should rebound in it: they close faster than what accelerations give back within two steps."""
    contact, h = touch.contact, run.h
    problem = contact.problem
    touch.rebounding, touch.slowest, touch.nearest = 0, 1e300, 1e300
    least = 0.0
    for i in range(problem.n):
        least = max(least, abs(problem.g[i]))
    least = SLOWEST * least
    for k in range(contact.count):
        point, own = contact.points[k], touch.points[k]
        if problem.l[own.row] > 0.0:
            closing = -touch.u[own.row]
            change = abs(2.0 * (problem.g[own.row] - (point.gap - own.floor) / h + closing)) + abs(_steady_change(touch, k))
            if closing > REST * change + least:
                touch.rebounding += 1
                touch.slowest, touch.nearest = min(touch.slowest, closing), min(touch.nearest, point.gap)
    touch.slowest *= 1.0 - 1e-9


@kernel
def _least_exempt(touch) -> float:
    """The least gap of the exempt points at the end of the step."""
    least = 1e300
    for k in range(touch.contact.count):
        if touch.points[k].exempt:
            least = min(least, touch.points[k].gap)
    return least


@kernel
def _book(run, touch) -> None:
    """How the laws of contact hold in the step: extremes."""
    contact, h = touch.contact, run.h
    books, problem = contact.books, contact.problem
    books.steps += 1
    if contact.found != EXACT:
        books.approximate += 1
    books.rungs[problem.rung] = books.rungs[problem.rung] + 1
    books.most_points = max(books.most_points, contact.count)
    if problem.residual > books.worst_residual:
        books.worst_residual = problem.residual
        books.worst_residual_pair = 1 + contact.points[problem.worst].pair if problem.worst >= 0 else 0
    largest, excess = 0.0, 0.0
    for k in range(contact.count):
        point, own = contact.points[k], touch.points[k]
        free = (problem.g[own.row] - (point.gap - own.floor) / h) if not own.exempt else 0.0
        point.free = free, 0.0 * free, 0.0 * free
        point.after = (own.gap - point.gap) / h, own.slip_s / h, own.slip_t / h
        l, v = point.l, point.after
        largest = max(largest, l[0])
        excess = max(excess, sqrt(l[1] * l[1] + l[2] * l[2]) - point.friction * l[0])
        if point.status == STICK and point.friction > 0.0:
            slip = sqrt(v[1] * v[1] + v[2] * v[2])
            if slip > books.worst_slip:
                books.worst_slip, books.worst_slip_pair = slip, 1 + point.pair
    if -contact.tolerance <= touch.deepest < books.worst_gap:  # deeper: bodies are moved apart first
        books.worst_gap, books.worst_gap_pair = touch.deepest, 1 + touch.deepest_pair
    if largest > 0.0:
        books.worst_cone = max(books.worst_cone, excess / largest)


@kernel
def book_works(touch) -> None:
    """What the impulses of the problem take from the kinetic energy where they act, point by point: -l . (u + K l / 2)."""
    contact, K, u = touch.contact, touch.K, touch.u
    n, l, books = contact.problem.n, contact.problem.l, touch.contact.books
    for k in range(contact.count):
        own, impact, friction = touch.points[k], 0.0, 0.0
        for i in range(own.row, own.row + own.rows):
            mean = u[i]
            for j in range(n):
                mean += 0.5 * K[i * n + j] * l[j]
            if i == own.row:
                impact = -l[i] * mean
            else:
                friction -= l[i] * mean
        own.impact, own.friction = impact, friction
        touch.impact += impact
        touch.friction += friction
        pair = contact.points[k].pair
        books.pair_friction[pair] = books.pair_friction[pair] + friction


@kernel
def drive_work(model, run) -> float:
    """The work of prescribed motion against impulses that have just been answered: rows of constraints move at -phi_t."""
    work, rows = 0.0, run.rows
    for i in range(open_constraints(model).nc):
        work = work - rows.found[i] * rows.now.rows[i].rate
    return work


@kernel
def _book_drives(model, run, touch) -> None:
    """The same for the impulses of the step, where they act."""
    n = model.nv
    copy(run.displacement, touch.before, n)
    copy(run.mean, touch.mean, n)
    leave_damping(model, run, touch)
    stand_still(model, run)
    respond_to_problem(model, run, touch)
    touch.drive += drive_work(model, run)
    take_damping(model, run, touch)
    copy(touch.mean, run.mean, n)
    copy(touch.before, run.displacement, n)


@kernel
def _keep_for_next(touch, h) -> None:
    """What the next step wants to know of the points of this one, with the works of `book_works`; impacts, and changes of status."""
    contact = touch.contact
    remember(contact, h)
    for k in range(contact.count):
        kept, own = contact.coming.points[k], touch.points[k]
        kept.impact, kept.friction = own.impact, own.friction
        if not touch.plastic:
            kept.jump = 0.0 * kept.jump  # what is struck cuts the step
    book_impacts(contact)
    note_change(contact)
    adopt(contact)


@kernel
def separate(model, run, touch) -> bool:
    """Move bodies apart that overlap where the step has ended, by the least displacement in the mass metric that constraints allow; momenta stay. Returns
    False if there is no room for points."""
    contact, t, books = touch.contact, open_contacts(model), touch.contact.books
    problem = contact.problem
    copy(run.mean, touch.mean, model.nv)
    for round in range(ROUNDS + 1):
        touch.reach = 0.0
        lay_points(model, run, touch, touch.mean)
        if contact.overflow:
            break
        deepest, pair_of_it = 0.0, 0
        for k in range(contact.count):
            if contact.points[k].gap < deepest:
                deepest, pair_of_it = contact.points[k].gap, 1 + contact.points[k].pair
        if deepest >= -contact.tolerance or round == ROUNDS:
            if deepest < books.worst_gap:
                books.worst_gap, books.worst_gap_pair = deepest, pair_of_it
            break
        if round == 0:
            books.separations += 1
        for k in range(contact.count):
            contact.points[k].friction = 0.0
        fill(touch.before, model.nv, 0.0)
        leave_damping(model, run, touch)
        stand_still(model, run)
        fill_node(model, run, touch)
        for k in range(contact.count):
            point, own, pair = contact.points[k], touch.points[k], t.pairs[contact.points[k].pair]
            most = MOST * min(t.shapes[pair.a].bound, t.shapes[pair.b].bound)
            problem.g[own.row] = max(point.gap, -most) if abs(point.gap) > contact.tolerance else 0.0 * point.gap
            problem.l[own.row] = 0.0
        problem.noise = 0.0
        solved = solve_contacts(problem) != FAILED
        if solved:
            respond_to_problem(model, run, touch)
            move(model, run.start.q, run.correction, run.start.q)
        take_damping(model, run, touch)
        settle(model, run)
        if has_constraints(model):
            keep_rows(model, run, run.time + run.h)
        if not solved:
            break
    copy(touch.mean, run.mean, model.nv)
    return not contact.overflow


@kernel(entry="i i i d d i -> b")
def contact_steps(handle: int, run: VariationalData, touch: VariationalContact, time: Any, h: Any, steps: Any) -> bool:
    """`variational_steps` (step.py) of a model whose bodies touch; returns False before a step that cannot be taken, or in which a point rebounds."""
    model, report, contact = open_tables(handle), run.report, touch.contact
    begin_steps(model, run, h)
    contact.overflow, contact.failed, touch.rebounding, touch.least = False, 0, 0, 1e300
    for k in range(steps):
        run.time = time + k * h
        copy(run.mean, touch.mean, model.nv)
        if run.past == 0:
            stand_still(model, run)
            start_velocities(model, run, touch)
            copy(touch.before, touch.mean, model.nv)
        if not touch.exempting:
            touch.reach = AHEAD * h
        lay_points(model, run, touch, touch.mean)
        if contact.overflow:
            report.ended = NO_ROOM
            return False
        ended, count = solve_contact_step(model, run, touch)
        report.corrections += count
        report.total += count
        report.most = max(report.most, count)
        report.ended = ended
        if ended != CONVERGED:
            copy(touch.mean, run.mean, model.nv)
            if ended == IMPULSES:
                contact.failed = 1 + contact.points[contact.problem.worst].pair if contact.problem.worst >= 0 else -1
            report.worst = worst_equation(model, run)
            return False
        if contact.count > 0:
            if not (touch.exempting or touch.plastic):
                note_rebounds(run, touch)
                if touch.rebounding > 0:
                    report.ended = REBOUND
                    copy(touch.mean, run.mean, model.nv)
                    return False
            touch.least = _least_exempt(touch)
            _book(run, touch)
            book_works(touch)
            if touch.driven:
                _book_drives(model, run, touch)
        _keep_for_next(touch, h)
        if has_constraints(model):
            read_multipliers(model, run)
        report.gap = max(report.gap, finish(model, run))
        report.steps += 1
        if contact.count > 0 and touch.deepest < -contact.tolerance and not separate(model, run, touch):
            contact.overflow = False  # the next step makes room
    return True


@kernel(entry="i i i d i -> b")
def contact_node(handle: int, run: VariationalData, touch: VariationalContact, h: Any, velocities: Any) -> bool:
    """The problem of an impact where the run stands, at the velocities in `touch.before` (or, without `velocities`, at what momenta say): points that touch,
    K, u; of points what the mean velocities of the last step were. Returns False if there is no room."""
    model, contact = open_tables(handle), touch.contact
    copy(run.mean, touch.mean, model.nv)
    run.h, contact.overflow, touch.reach, touch.exempting, contact.problem.noise = h, False, 0.0, False, 0.0
    leave_damping(model, run, touch)
    stand_still(model, run)
    if not velocities:
        start_velocities(model, run, touch)
    lay_points(model, run, touch, touch.mean)
    if not contact.overflow:
        fill_node(model, run, touch)
    take_damping(model, run, touch)
    copy(touch.mean, run.mean, model.nv)
    return not contact.overflow


@kernel(entry="i i i -> d")
def answer_node(handle: int, run: VariationalData, touch: VariationalContact) -> float:
    """What the impulses of the problem change velocities by, to `run.correction`; after `contact_node`. Returns the work of prescribed motion against them."""
    model = open_tables(handle)
    respond_to_problem(model, run, touch)
    return drive_work(model, run) if touch.driven else 0.0


@kernel(entry="i -> n")
def book_node(touch: VariationalContact) -> None:
    """What the impulses of an impact have taken; after `contact_node`."""
    book_works(touch)


@kernel(entry="i -> n")
def adopt_coming(touch: VariationalContact) -> None:
    """The points in `coming` are those of the step that has been taken."""
    note_change(touch.contact)
    adopt(touch.contact)
