"""All rows of a model's constraints, evaluated after a sweep over the links.

Each kind writes its rows in world axes about its markers' points (parts/constraints). Here they are brought to the links: wrenches in link
coordinates about the link's origin, and gamma for spatial instead of classical accelerations,

    phi_ddot = F_a . a_a + F_b . a_b + sum of coefficients times joint accelerations + gamma,     gamma += f_a . (w_a x u_a) + f_b . (w_b x u_b).

What a row is, and what is kept with the rows, is declared in data/constraints.py.
"""

from ..data.markers import GIVEN, MARKER, ROW_RESULT, TIME
from ..dynamics.markers import marker, put_marker
from ..dynamics.sweep import ACCELERATION_ORDER, VELOCITY_ORDER
from ..kernels import kernel
from ..kernels.scalar import width, zero
from ..kernels.views import floats_of
from ..model.constraint_tables import open_constraints
from ..model.custom import call_custom
from ..parts.constraints.coupling import coupling_row, speed_row
from ..parts.constraints.kind import ANGLE, COUPLING, DISTANCE, KNIFE, LOCK, RELATION, SPEED
from ..parts.constraints.lock import lock_rows
from ..parts.constraints.measure import angle_row, distance_row
from ..parts.constraints.rolling import knife_row, rolling_rows
from ..spatial.matrices import apply9_transposed
from ..spatial.vectors import add3, add6, cross3, dot3, dot6, get3, sub3
from .modes import ACCELERATION, POSITION, VELOCITY


@kernel
def evaluate_rows(model, motion, q, rows) -> None:
    """All rows, to `rows` (RowData), where time functions have been evaluated. `motion`: MotionData, swept at q with velocities."""
    c = open_constraints(model)
    for k in range(c.nblocks):
        block = c.blocks[k]
        if block.kind == COUPLING:
            coupling_row(block, _held(c, block, q), rows)
        elif block.kind == SPEED:
            speed_row(block, rows)
        else:
            A, B = marker(motion, block.a, block.Ra, block.pa), marker(motion, block.b, block.Rb, block.pb)
            if block.kind == LOCK:
                lock_rows(block, A, B, rows)
            elif block.kind == DISTANCE:
                distance_row(block, A, B, rows)
            elif block.kind == ANGLE:
                angle_row(block, A, B, rows)
            elif block.kind == KNIFE:
                knife_row(block, A, B, rows)
            elif block.kind == RELATION:
                relation_rows(block, A, B, rows)
            else:
                rolling_rows(block, A, B, rows)
            _to_links(motion, block, A, B, rows)


@kernel(inline=True)
def _held(c, block, q):
    """sum_k c_k q_k of a coupling."""
    value = zero(q)
    for j in range(block.terms):
        term = c.terms[block.term + j]
        value = value + term.coefficient * q[term.q]
    return value


@kernel
def _to_links(motion, block, A, B, rows) -> None:
    """Bring the rows of a block from its markers to its links."""
    drift_a, drift_b = cross3(A[2], A[3]), cross3(B[2], B[3])
    for i in range(block.row, block.row + block.rows):
        row = rows.rows[i]
        row.gamma = row.gamma + dot3(row.f_a, drift_a) + dot3(row.f_b, drift_b)
        if block.a >= 0:
            row.n_a, row.f_a = _to_link(motion.links[block.a], A[1], row.n_a, row.f_a)
        if block.b >= 0:
            row.n_b, row.f_b = _to_link(motion.links[block.b], B[1], row.n_b, row.f_b)


@kernel(inline=True)
def _to_link(link, p, n, f):
    """A wrench (n, f) about the point p, world axes, in the coordinates of a link."""
    R = link.R
    return apply9_transposed(R, add3(n, cross3(sub3(p, link.p), f))), apply9_transposed(R, f)


@kernel(inline=True)
def wrench_a(row):
    """What a multiplier of 1 puts on the first link of a row."""
    n, f = row.n_a, row.f_a
    return n[0], n[1], n[2], f[0], f[1], f[2]


@kernel(inline=True)
def wrench_b(row):
    """What a multiplier of 1 puts on the second link of a row."""
    n, f = row.n_b, row.f_b
    return n[0], n[1], n[2], f[0], f[1], f[2]


@kernel
def set_link_wrenches(model, block, row, link_wrenches) -> None:
    """The wrenches of a row in `link_wrenches` (Wrench of each link), all other links on the block's path without load."""
    c, o = open_constraints(model), zero(link_wrenches)
    for j in range(block.paths):
        link_wrenches[c.paths[block.path + j]].f = o, o, o, o, o, o
    if block.a >= 0:
        link_wrenches[block.a].f = wrench_a(row)
    if block.b >= 0:
        link_wrenches[block.b].f = add6(link_wrenches[block.b].f, wrench_b(row))


@kernel(inline=True)
def coefficient_of(model, block, v):
    """The coefficient of a block's rows on a joint velocity."""
    c, value = open_constraints(model), 0.0
    for j in range(block.terms):
        if c.terms[block.term + j].v == v:
            value += c.terms[block.term + j].coefficient
    return value


@kernel(inline=True)
def along_row(model, block, motion, order, rates, row):
    """J x of one row, x being velocities (order VELOCITY_ORDER) or accelerations (ACCELERATION_ORDER): those of links in `motion`, of joints in `rates`."""
    c = open_constraints(model)
    value = zero(motion)
    if block.a >= 0:
        link = motion.links[block.a]
        value = value + dot6(wrench_a(row), link.v if order == VELOCITY_ORDER else link.a)
    if block.b >= 0:
        link = motion.links[block.b]
        value = value + dot6(wrench_b(row), link.v if order == VELOCITY_ORDER else link.a)
    for j in range(block.terms):
        term = c.terms[block.term + j]
        value = value + term.coefficient * rates[term.v]
    return value


# ---- relations: the native function of a user's relation (model/compiled.py), called lane by lane


@kernel
def relation_rows(block, A, B, rows) -> None:
    """The rows of a relation between the markers A and B, at `rows.time`."""
    call, lanes = rows.call, width(rows)
    put_marker(call.markers, 0, A)
    put_marker(call.markers, MARKER, B)
    call.markers[TIME] = rows.time
    markers, results = floats_of(call.markers), floats_of(call.results)
    for lane in range(lanes):
        for k in range(GIVEN):
            call.given[k] = markers[k * lanes + lane]
        call_custom(block.code, floats_of(call.given), floats_of(call.given), floats_of(call.result), GIVEN)
        for k in range(ROW_RESULT * block.rows):
            results[k * lanes + lane] = call.result[k]
    found = call.results
    for i in range(block.rows):
        row, k = rows.rows[block.row + i], ROW_RESULT * i
        row.n_a, row.f_a, row.n_b, row.f_b = get3(found, k), get3(found, k + 3), get3(found, k + 6), get3(found, k + 9)
        row.phi, row.rate, row.gamma = get3(found, k + 12)


# ---- residuals


@kernel
def fill_residuals(model, data, level, speed, stiffness) -> None:
    """The residual of each row on a level; zero on the level of positions for rows on velocities alone."""
    c, tree = open_constraints(model), data.tree
    for k in range(c.nblocks):
        block = c.blocks[k]
        for i in range(block.row, block.row + block.rows):
            row = data.rows.rows[i]
            if level == POSITION:
                value = row.phi
            elif level == VELOCITY:
                value = along_row(model, block, tree.motion, VELOCITY_ORDER, tree.v, row) + row.rate
            else:
                value = along_row(model, block, tree.motion, ACCELERATION_ORDER, tree.vdot, row)
                if level == ACCELERATION:
                    value = value + row.gamma
                    if speed != 0.0:
                        lag = along_row(model, block, tree.motion, VELOCITY_ORDER, tree.v, row) + row.rate
                        value = value + speed * lag + stiffness * row.phi
            data.residuals[i] = value
