"""What happens at the events of contact: which points are near, impacts, and the return of positions and velocities onto closed contacts.

An impact is the problem of velocities of a step without length (solvers/contact/step_problem.py): Newton's law of restitution, Coulomb's cone, the energy
guard. A rebound counts as one if it rises higher than what a gap that counts as closed is: speeds up to sqrt(2 a tolerance) do not rebound, a the
acceleration with which the point closes, at least that of gravity.
"""

from math import inf, sqrt

from ...constraints.singular_poses import accelerate
from ...data.accelerations import AccelerationData
from ...data.contact_mode import ContactMode
from ...data.contact_problem import FAILED
from ...data.stepper import Stepper
from ...dynamics.configuration import move
from ...dynamics.sweep import VELOCITY_ORDER, sweep_links
from ...geometry.collide import collide
from ...kernels import kernel
from ...kernels.records import pointer_to
from ...model.contact_tables import open_contacts
from ...model.tables import open_tables
from ...solvers.contact.mode import nearest_in, solve_equalities
from ...solvers.contact.points import adopt, apart, find_contacts, place_shapes, remember
from ...solvers.contact.rows import find_groups, lay_blocks, relative_velocities, take_all
from ...solvers.contact.step_problem import keep_impulses, lay_problem, note_approach
from .pair_books import book_impacts, note_change
from .steps import answer, book_losses, book_solution, fill_matrix, separate, solve_islands, work_of_drives

TRIFLE = 1e-6  # of the speed up to which nothing rebounds: a point that closes more slowly rests
SAME, SHUT = (
    0.01,
    1e-4,
)  # of the smaller shape: a point whose features have changed is one of the mode so near to where it was, with a gap up to that
ROUNDS = 4  # of closing gaps
ROUNDED = 2e-16  # of the length of the scene: a gap that is closed to rounding
STRUCK, NO_ROOM, NOT_FOUND = range(3)  # what `strike` returns


@kernel
def _place(stepper: Stepper) -> None:
    """Links and shapes as they are at the state."""
    tree = pointer_to(AccelerationData, stepper.data, 0.0).tree
    model = open_tables(stepper.model)
    sweep_links(model, tree.motion, stepper.q, stepper.v, stepper.v, VELOCITY_ORDER)
    place_shapes(model, tree.motion, stepper.contact)


@kernel(entry="i i d -> i")
def open_gaps(stepper: Stepper, mode: ContactMode, h) -> int:
    """The least gap of the points of each pair that are not closed, of those that could close within h; returns how many pairs have any."""
    model, contact = open_tables(stepper.model), stepper.contact
    t, near = open_contacts(model), 0
    _place(stepper)
    first = 0
    for number in range(t.npairs):
        mode.pair_gap[number] = inf
        pair = t.pairs[number]
        a, b = t.shapes[pair.a], t.shapes[pair.b]
        A, B = contact.shapes[pair.a], contact.shapes[pair.b]
        last = first
        while last < mode.count and mode.points[last].pair == number:
            last += 1
        reach = h * (A.speed + B.speed) + 2.0 * contact.tolerance
        if apart(a, b, A, B) <= reach:
            size = min(a.bound, b.bound)
            collide(a, b, (A.R, A.p), (B.R, B.p), reach, contact.manifold)
            taken = 0
            for k in range(first, last):
                point = mode.points[k]
                j = nearest_in(contact.manifold, point.feature, point.p, taken, SAME * size)
                if j >= 0 and contact.manifold.points[j].gap <= SHUT * size:
                    taken = taken | (1 << j)
            for j in range(contact.manifold.count):
                if taken & (1 << j) == 0:
                    mode.pair_gap[number] = min(mode.pair_gap[number], contact.manifold.points[j].gap)
            if mode.pair_gap[number] < inf:
                near += 1
        first = last
    return near


@kernel
def _keep_closed(contact) -> None:
    """Of the points that were found, those whose gap is closed."""
    count = 0
    for k in range(contact.count):
        if contact.points[k].gap <= contact.tolerance:
            if count < k:
                _copy_point(contact.points[k], contact.points[count])
            count += 1
    contact.count = count


@kernel
def _copy_point(a, b) -> None:
    """What `find_contacts` has found of a point, to another place."""
    b.pair, b.feature, b.a, b.b = a.pair, a.feature, a.a, a.b
    b.p, b.n, b.t1, b.t2, b.gap = a.p, a.n, a.t1, a.t2, a.gap
    b.friction, b.restitution, b.touches, b.bounced = a.friction, a.restitution, a.touches, a.bounced
    b.status, b.approach, b.budget, b.l, b.lasting, b.response = a.status, a.approach, a.budget, a.l, a.lasting, a.response


@kernel(entry="i i d d d -> i")
def touching_points(stepper: Stepper, mode: ContactMode, time, rise, gravity) -> int:
    """All closed points at the state, with their velocities (`before`) and accelerations under the present mode (`free`); `approach`: the speed up to which
    nothing rebounds. rise: twice the height up to which a rebound is none, m. Returns NO_ROOM, or STRUCK."""
    model, contact = open_tables(stepper.model), stepper.contact
    tree = pointer_to(AccelerationData, stepper.data, 0.0).tree
    accelerate(stepper, 0, time)
    for k in range(stepper.nv):
        contact.v_mean[k] = stepper.vdot[k]
    _place(stepper)
    find_contacts(model, contact, 0.0)
    if contact.overflow:
        return NO_ROOM
    _keep_closed(contact)
    relative_velocities(model, tree.motion, contact, stepper.q, contact.v_mean, False)
    relative_velocities(model, tree.motion, contact, stepper.q, stepper.v, True)
    for k in range(contact.count):
        point = contact.points[k]
        point.approach = sqrt(max(gravity, -point.free[0]) * rise)
    return STRUCK


@kernel(entry="i i d d d -> i")
def strike(stepper: Stepper, mode: ContactMode, time, rise, gravity) -> int:
    """The impact of all closed points at the state: impulses, velocities and books. Velocities behind it stand in `after` of the points."""
    model, contact = open_tables(stepper.model), stepper.contact
    if touching_points(stepper, mode, time, rise, gravity) == NO_ROOM:
        return NO_ROOM
    for k in range(contact.count):
        point, u = contact.points[k], contact.points[k].before
        point.bounced = point.restitution * -u[0] <= point.approach
        if abs(u[0]) <= TRIFLE * point.approach:
            point.before = (u[0] * 0.0, u[1], u[2])
        point.free, point.approach = point.before, 0.0
    lay_blocks(model, contact, 3, -1.0)
    if contact.overflow:
        return NO_ROOM
    for k in range(stepper.nv):
        contact.v_free[k] = stepper.v[k]
    note_approach(contact, 1.0)
    find_groups(contact)
    lay_problem(contact, stepper.q, stepper.v, 1.0)
    found = solve_islands(stepper, 1.0)
    if found == FAILED:
        return NOT_FOUND
    keep_impulses(contact, stepper.v, 1.0)
    book_solution(contact, found)
    contact.drive_work = work_of_drives(stepper)
    for k in range(stepper.nv):
        stepper.v[k] = stepper.v[k] + stepper.vdot[k]
    remember(contact, 1.0)
    book_losses(stepper, contact)
    book_impacts(contact)
    return STRUCK


@kernel(entry="i d -> i")
def move_apart(stepper: Stepper, time) -> int:
    """Bodies that overlap where a motion begins are moved apart; 0 if there is no room for contacts."""
    accelerate(stepper, 0, time)
    return 1 if separate(stepper, time, 0.0) else 0


@kernel(entry="i i d -> d")
def close_contacts(stepper: Stepper, mode: ContactMode, time) -> float:
    """Closed points back onto their surfaces, and velocities onto what closed points and those that stick allow; returns the largest gap that was found."""
    model, contact = open_tables(stepper.model), stepper.contact
    tree = pointer_to(AccelerationData, stepper.data, 0.0).tree
    least, largest, before = ROUNDED * open_contacts(model).length[0], 0.0, inf
    mode.only_lays = True
    for round in range(ROUNDS + 1):
        accelerate(stepper, 0, time)
        worst = 0.0
        for k in range(contact.count):
            worst = max(worst, abs(contact.points[k].gap))
        largest = max(largest, worst)
        if contact.overflow or round == ROUNDS or not least < worst < 0.5 * before:
            break
        before = worst
        lay_blocks(model, contact, 1, -1.0)
        fill_matrix(stepper)
        for k in range(contact.count):
            contact.problem.g[contact.blocks[contact.points[k].block].row] = contact.points[k].gap
        solve_equalities(mode)
        take_all(contact)
        answer(stepper)
        for k in range(stepper.nv):
            stepper.theta[k] = stepper.vdot[k]
        move(model, stepper.q, stepper.theta, stepper.q)
    if not contact.overflow:
        relative_velocities(model, tree.motion, contact, stepper.q, stepper.v, True)
        for k in range(contact.count):
            point = contact.points[k]
            block, u = contact.blocks[point.block], point.before
            contact.problem.g[block.row] = u[0]
            if block.rows == 3:
                contact.problem.g[block.row + 1], contact.problem.g[block.row + 2] = u[1], u[2]
        solve_equalities(mode)
        take_all(contact)
        answer(stepper)
        for k in range(stepper.nv):
            stepper.v[k] = stepper.v[k] + stepper.vdot[k]
    mode.only_lays = False
    return largest


@kernel(entry="i -> n")
def take_memory(stepper: Stepper) -> None:
    """The points of `coming` are those of the last step; notes whether a pair has changed its status."""
    note_change(stepper.contact)
    adopt(stepper.contact)
