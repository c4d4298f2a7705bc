r"""Accelerations in a mode of contact: closed points stick, roll or slide, and stay closed.

    w = G l + J vdot_free + bias = 0        along n of every closed point, and along t1 and t2 where it sticks
    l_t = -mu l_n d                         where it slides along d

G by the factor of the accelerations (rows.py), vdot_free without forces at contacts. `bias` is d(J v)/dt along the motion with constant v: how normals turn
and points move over surfaces. It comes from the geometry of the shapes themselves, a little further along the motion and back (differences of order 4), so
that every pair of shapes that touches also rolls and slides.

Statuses are fixed: forces may pull, and leave their cones. So accelerations are smooth in the state as long as a mode lasts, and the end of a mode shows in
the sign of a smooth function (integrators/nonsmooth/event_driven.py). d is the direction of the slip, continued beyond the place where it vanishes. Rows of
hyperstatic bodies are dependent: of all solutions the one nearest to the forces at the start of the step is taken, by a share of the diagonal and refinement
(decision 0024).
"""

from math import sqrt

from ...constraints.modes import ACCELERATION, LEVEL
from ...constraints.solver_call import ACCELERATION_CALL
from ...data.contact_mode import ArticulatedContactAccelerationData, ContactAccelerationData
from ...data.contact_problem import SLIDE, STICK
from ...data.forces import ForceTable
from ...dynamics.configuration import move
from ...dynamics.sweep import VELOCITY_ORDER, sweep_links
from ...geometry.collide import collide
from ...kernels import kernel
from ...kernels.records import pointer_to
from ...kernels.scalar import zero
from ...model.constraint_tables import open_constraints
from ...model.contact_tables import open_contacts
from ...model.tables import open_tables
from ...spatial.vectors import dot3, sub3
from ..accelerations import AccelerationFunction, accelerate_tree
from ..delassus.motion import accelerate_articulated
from .factor import factor_general, solve_general
from .points import add_point, place_shapes
from .rows import (
    eliminate_constraints,
    lay_blocks,
    lay_matrix,
    relative_velocities,
    respond_to_impulses,
    respond_with_constraints,
    take_all,
    velocity_at,
)

AHEAD = 1e-3  # rad, or lengths of the scene: how far along the motion the geometry is looked at
REACH = 0.1  # of the smaller shape: a closed point of a stage or of a look is no further off
NEAR = 0.1  # of the smaller shape: a point whose features have changed is no further from where it was
SHARE = 1e-9  # of the diagonal
REFINEMENTS = 4


@kernel
def nearest_in(manifold, feature, p, taken, near) -> int:
    """The point of a manifold that has a feature, else the one nearest to p within `near`; -1: none. taken: bits of those that do not count."""
    best, least = -1, near * near
    for j in range(manifold.count):
        if taken & (1 << j):
            continue
        found = manifold.points[j]
        if found.feature == feature:
            return j
        d = sub3(found.p, p)
        square = dot3(d, d)
        if square <= least:
            best, least = j, square
    return best


@kernel
def find_mode_points(model, mode) -> None:
    """The closed points as they are at a state, after `place_shapes`; `lost` counts those that are not there."""
    t, contact = open_contacts(model), mode.contact
    contact.count, mode.lost = 0, 0
    first = 0
    while first < mode.count:
        number = mode.points[first].pair
        pair = t.pairs[number]
        a, b = t.shapes[pair.a], t.shapes[pair.b]
        A, B = contact.shapes[pair.a], contact.shapes[pair.b]
        size = min(a.bound, b.bound)
        collide(a, b, (A.R, A.p), (B.R, B.p), REACH * size, contact.manifold)
        taken, k = 0, first
        while k < mode.count and mode.points[k].pair == number:
            point = mode.points[k]
            j = nearest_in(contact.manifold, point.feature, point.p, taken, NEAR * size)
            if j >= 0 and contact.count < contact.room:
                taken = taken | (1 << j)
                mode.of[contact.count] = k
                add_point(contact, number, pair, a.link, b.link, contact.manifold.points[j])
            else:
                mode.lost += 1
            k += 1
        first = k


@kernel
def lay_bias(model, tree, mode) -> None:
    """d(J v)/dt of each point along the motion with constant v. Leaves links and shapes where they were looked at last."""
    contact, t = mode.contact, open_contacts(model)
    for i in range(3 * contact.count):
        mode.bias[i] = 0.0
    pace, length = 0.0, t.length[0]
    for i in range(model.n):
        V = tree.motion.links[i].v
        w, u = (V[0], V[1], V[2]), (V[3], V[4], V[5])
        pace = max(pace, sqrt(dot3(w, w)), sqrt(dot3(u, u)) / length)
    if not pace * AHEAD > 1e-300:
        return
    eps = AHEAD / pace
    for side in range(4):
        way = -2.0 if side == 0 else -1.0 if side == 1 else 1.0 if side == 2 else 2.0
        weight = (1.0 if side == 0 else -8.0 if side == 1 else 8.0 if side == 2 else -1.0) / (12.0 * eps)
        for k in range(model.nv):
            mode.theta[k] = way * eps * tree.v[k]
        move(model, tree.q, mode.theta, mode.q)
        sweep_links(model, tree.motion, mode.q, tree.v, tree.v, VELOCITY_ORDER)
        place_shapes(model, tree.motion, contact)
        _add_bias(model, tree, mode, weight)


@kernel
def _add_bias(model, tree, mode, weight) -> None:
    """The velocities of all points at one place on the way, weighed."""
    contact, t, first = mode.contact, open_contacts(model), 0
    while first < contact.count:
        number = contact.points[first].pair
        pair = t.pairs[number]
        a, b = t.shapes[pair.a], t.shapes[pair.b]
        A, B = contact.shapes[pair.a], contact.shapes[pair.b]
        size = min(a.bound, b.bound)
        collide(a, b, (A.R, A.p), (B.R, B.p), REACH * size, contact.manifold)
        taken, k = 0, first
        while k < contact.count and contact.points[k].pair == number:
            point = contact.points[k]
            p, n = point.p, point.n
            j = nearest_in(contact.manifold, point.feature, p, taken, NEAR * size)
            if j >= 0:
                taken = taken | (1 << j)
                p, n = contact.manifold.points[j].p, contact.manifold.points[j].n
            u = sub3(velocity_at(tree.motion, point.b, p), velocity_at(tree.motion, point.a, p))
            mode.bias[3 * k] += weight * dot3(u, n)
            mode.bias[3 * k + 1] += weight * dot3(u, point.t1)
            mode.bias[3 * k + 2] += weight * dot3(u, point.t2)
            k += 1
        first = k


@kernel
def lay_mode(model, tree, mode) -> None:
    """Points, bias, velocities and free accelerations (`before`, `free`) of a mode; vdot without forces at contacts has been found."""
    contact = mode.contact
    for k in range(model.nv):
        mode.free[k] = tree.vdot[k]
    sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, VELOCITY_ORDER)
    place_shapes(model, tree.motion, contact)
    find_mode_points(model, mode)
    lay_bias(model, tree, mode)
    sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, VELOCITY_ORDER)
    place_shapes(model, tree.motion, contact)
    relative_velocities(model, tree.motion, contact, tree.q, mode.free, False)
    relative_velocities(model, tree.motion, contact, tree.q, tree.v, True)
    lay_blocks(model, contact, 3, -1.0)


@kernel
def slip_direction(mode, point, known) -> tuple[float, float]:
    """The direction along t1 and t2 in which a point slides: that of its slip, forwards; where it hardly slips the one that is known."""
    slip, before = known.slip, point.before
    d1, d2 = dot3(slip, point.t1), dot3(slip, point.t2)
    u1, u2 = before[1], before[2]
    size = sqrt(u1 * u1 + u2 * u2)
    if size > mode.still:
        size = -size if u1 * d1 + u2 * d2 < 0.0 else size
        return u1 / size, u2 / size
    size = sqrt(d1 * d1 + d2 * d2)
    return (d1 / size, d2 / size) if size > 0.0 else (1.0, 0.0)


@kernel
def solve_mode(mode) -> None:
    """The forces of a mode, to problem.l and the points."""
    contact = mode.contact
    problem, island, n = contact.problem, contact.problem.island, contact.nrows
    G, l, g, r, A, x, column = problem.G, problem.l, problem.g, mode.residual, island.A, island.x, mode.column
    unknowns = 0
    for k in range(contact.count):
        point, known = contact.points[k], mode.points[mode.of[k]]
        row, F, bias, free = contact.blocks[point.block].row, known.force, 3 * k, point.free
        normal = dot3(F, point.n)
        l[row], g[row] = normal, free[0] + mode.bias[bias]
        unknowns += 1
        if contact.blocks[point.block].rows == 3:
            g[row + 1], g[row + 2] = free[1] + mode.bias[bias + 1], free[2] + mode.bias[bias + 2]
            if known.status == STICK:
                l[row + 1], l[row + 2] = dot3(F, point.t1), dot3(F, point.t2)
                unknowns += 2
            else:
                d1, d2 = slip_direction(mode, point, known)
                l[row + 1], l[row + 2] = -point.friction * normal * d1, -point.friction * normal * d2
    island.unknowns = unknowns
    at = 0
    for k in range(contact.count):
        point, known = contact.points[k], mode.points[mode.of[k]]
        row, rows = contact.blocks[point.block].row, contact.blocks[point.block].rows
        for i in range(rows if known.status == STICK else 1):
            for j in range(n):
                column[j] = G[n * j + row + i]
            if rows == 3 and known.status == SLIDE:
                d1, d2 = slip_direction(mode, point, known)
                for j in range(n):
                    column[j] -= point.friction * (d1 * G[n * j + row + 1] + d2 * G[n * j + row + 2])
            _lay_column(mode, unknowns, at)
            A[(unknowns + 1) * at] += SHARE * G[(n + 1) * (row + i)]
            at += 1
    if unknowns > 0 and factor_general(island):
        for _ in range(REFINEMENTS):
            for i in range(n):
                r[i] = g[i]
            for j in range(n):
                value = l[j]
                if value != 0.0:
                    for i in range(n):
                        r[i] += G[n * i + j] * value
            at = 0
            for k in range(contact.count):
                point, known = contact.points[k], mode.points[mode.of[k]]
                row, rows = contact.blocks[point.block].row, contact.blocks[point.block].rows
                for i in range(rows if known.status == STICK else 1):
                    x[at] = -r[row + i]
                    at += 1
            solve_general(island)
            at = 0
            for k in range(contact.count):
                point, known = contact.points[k], mode.points[mode.of[k]]
                row, rows = contact.blocks[point.block].row, contact.blocks[point.block].rows
                l[row] += x[at]
                if known.status == STICK:
                    for i in range(1, rows):
                        l[row + i] += x[at + i]
                    at += rows
                else:
                    at += 1
                    if rows == 3:
                        d1, d2 = slip_direction(mode, point, known)
                        l[row + 1], l[row + 2] = -point.friction * l[row] * d1, -point.friction * l[row] * d2
    for k in range(contact.count):
        point, o = contact.points[k], zero(contact)
        row = contact.blocks[point.block].row
        point.l = (l[row], l[row + 1], l[row + 2]) if contact.blocks[point.block].rows == 3 else (l[row], o, o)


@kernel
def solve_equalities(mode) -> None:
    """Impulses (or displacements) l with w = G l + g = 0 along all rows of the normals, and along tangents of points that stick; l of other rows is 0.

    Blocks have one row each, or three.
    """
    contact = mode.contact
    problem, island, n = contact.problem, contact.problem.island, contact.nrows
    G, l, g, A, x = problem.G, problem.l, problem.g, island.A, island.x
    count = 0
    for k in range(contact.count):
        block, sticks = contact.blocks[contact.points[k].block], mode.points[mode.of[k]].status == STICK
        for i in range(block.rows):
            l[block.row + i] = 0.0
            if i == 0 or sticks:
                mode.column[count] = 1.0 * (block.row + i)
                count += 1
    island.unknowns = count
    for i in range(count):
        row = n * int(mode.column[i])
        for j in range(count):
            A[count * i + j] = G[row + int(mode.column[j])]
        A[(count + 1) * i] += SHARE * A[(count + 1) * i]
    if count == 0 or not factor_general(island):
        return
    for _ in range(REFINEMENTS):
        for i in range(count):
            row = int(mode.column[i])
            value = g[row]
            for j in range(count):
                other = int(mode.column[j])
                value += G[n * row + other] * l[other]
            x[i] = -value
        solve_general(island)
        for i in range(count):
            row = int(mode.column[i])
            l[row] = l[row] + x[i]


@kernel
def _lay_column(mode, unknowns, at) -> None:
    """The rows of the unknowns from a column over all rows, to A."""
    contact, A, i = mode.contact, mode.contact.problem.island.A, 0
    for k in range(contact.count):
        block, known = contact.blocks[contact.points[k].block], mode.points[mode.of[k]]
        for j in range(block.rows if known.status == STICK else 1):
            A[unknowns * i + at] = mode.column[block.row + j]
            i += 1


@kernel(inline=True)
def _add_free(model, tree, mode):
    for k in range(model.nv):
        tree.vdot[k] = mode.free[k] + tree.vdot[k]


@kernel(inline=True)
def _is_wanted(mode, level):
    return level & LEVEL == ACCELERATION and mode.count > 0


@kernel(address=ACCELERATION_CALL)
def tree_accelerations_in_mode(handle, active, data: ContactAccelerationData, mode, time) -> int:
    accelerate_tree(handle, active, data, time)
    if _is_wanted(data.mode, mode):
        model, tree, contact = open_tables(handle), data.tree, data.mode.contact
        lay_mode(model, tree, data.mode)
        if not contact.overflow:
            lay_matrix(model, tree, contact)
            if not data.mode.only_lays:
                solve_mode(data.mode)
                take_all(contact)
                respond_to_impulses(model, tree, contact)
                _add_free(model, tree, data.mode)
    return 0


@kernel(address=ACCELERATION_CALL)
def articulated_accelerations_in_mode(handle, active, data: ArticulatedContactAccelerationData, mode, time) -> int:
    accelerate_articulated(handle, active, data, mode, time)
    if _is_wanted(data.mode, mode):
        model, tree, contact = open_tables(handle), data.tree, data.mode.contact
        lay_mode(model, tree, data.mode)
        if not contact.overflow:
            lay_matrix(model, tree, contact)
            eliminate_constraints(model, contact, contact.groups[0], data.constraints, contact.problem.G)
            if not data.mode.only_lays:
                solve_mode(data.mode)
                take_all(contact)
                respond_with_constraints(model, tree, contact, data.constraints)
                _add_free(model, tree, data.mode)
                _add_multipliers(model, pointer_to(ForceTable, active, 0.0), data, contact)
    return 0


@kernel(inline=True)
def _add_multipliers(model, table, data, contact):
    """What forces at contacts add to multipliers, and so to the power of prescribed motion."""
    for k in range(open_constraints(model).nc):
        data.multipliers[k] = data.multipliers[k] + contact.x[k]
        power = contact.x[k] * data.constraints.rows.rows[k].rate
        data.forces.powers[table.forces + 1] = data.forces.powers[table.forces + 1] - power


def _memory_of_tree(data, mode):
    return data.new(ContactAccelerationData, mode=mode)


def _memory_of_articulated(data, mode):
    return data.new(ArticulatedContactAccelerationData, mode=mode)


TREE_IN_MODE = AccelerationFunction(_memory_of_tree, tree_accelerations_in_mode, None)
ARTICULATED_IN_MODE = AccelerationFunction(_memory_of_articulated, articulated_accelerations_in_mode, None)
