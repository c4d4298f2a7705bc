"""All rows of a model's constraints, evaluated after a sweep over the links.

Each kind writes its rows in world axes about its markers' points (parts/constraints). Here they are brought to the links: wrenches in link
coordinates about the link's origin, and gamma for spatial instead of classical accelerations,

    phi_ddot = F_a . a_a + F_b . a_b + sum of coefficients times joint accelerations + gamma,     gamma += f_a . (w_a x u_a) + f_b . (w_b x u_b).
"""

from ..dynamics.markers import marker
from ..dynamics.sweep import S_P, S_R
from ..dynamics.sweep import STRIDE as MOTION_STRIDE
from ..kernels import kernel
from ..kernels.scalar import load, store, zero
from ..model.rules import open_rules
from ..model.tables import at_links, open_tables
from ..parts.constraints.coupling import coupling_row, speed_row
from ..parts.constraints.kind import ANGLE, COUPLING, DISC, DISTANCE, KNIFE, LOCK, RELATION, SPEED
from ..parts.constraints.lock import lock_rows
from ..parts.constraints.measure import angle_row, distance_row
from ..parts.constraints.rolling import knife_row, rolling_rows
from ..parts.constraints.rows import R_GAMMA, ROW
from ..spatial.matrices import apply9_transposed, load9
from ..spatial.vectors import add3, cross3, dot3, dot6, load3, load6, store3, sub3
from .relations import relation_rows


@kernel
def evaluate_rows(handle, motion, work, rows, time, laws, scratch, like) -> None:
    """Write all rows to the slots of `work` from `rows` on; `motion` holds the swept links, slots `laws`.. of `work` the laws of time.

    Relations need the time (slot `time`) and scratch memory: from slot `scratch` on, 73 slots and 15 more for each of their rows.
    """
    t, c = open_tables(handle), open_rules(handle)
    links = at_links(t)
    for k in range(c.size[0]):
        block = c.blocks[k]
        at = rows + ROW * block.row
        law = laws + 3 * block.law
        if block.kind == COUPLING:
            coupling_row(_held(c, block, motion, like), block.moving, work, law, at, like)
        elif block.kind == SPEED:
            speed_row(block.moving, work, law, at, like)
        else:
            A = marker(motion, links, block.a, block.Ra, block.pa, like)
            B = marker(motion, links, block.b, block.Rb, block.pb, like)
            if block.kind == LOCK:
                lock_rows(block.mask, block.turning, block.moving, A, B, work, law, at, like)
            elif block.kind == DISTANCE:
                distance_row(block.numbers[0], A, B, work, law, at, like)
            elif block.kind == ANGLE:
                angle_row(A, B, work, law, at, like)
            elif block.kind == KNIFE:
                knife_row(A, B, work, at, like)
            elif block.kind == RELATION:
                relation_rows(block.code, block.rows, A, B, time, work, at, scratch, like)
            else:
                rolling_rows(block.kind == DISC, block.mask, block.numbers[0], A, B, work, at, like)
            _to_links(motion, links, block, A, B, work, at, like)


@kernel(inline=True)
def _held(c, block, motion, like):
    """sum_k c_k q_k of a coupling."""
    value = zero(like)
    for j in range(block.terms):
        term = c.terms[block.term + j]
        value = value + term.coefficient * load(motion, term.q, like)
    return value


@kernel
def _to_links(motion, links, block, A, B, work, at, like) -> None:
    """Bring the rows of a block from its markers to its links."""
    drift_a, drift_b = cross3(A[2], A[3]), cross3(B[2], B[3])
    for i in range(block.rows):
        row = at + ROW * i
        gamma = load(work, row + R_GAMMA, like)
        gamma = gamma + dot3(load3(work, row + 3, like), drift_a) + dot3(load3(work, row + 9, like), drift_b)
        store(work, row + R_GAMMA, gamma)
    _wrenches_to_link(motion, links, block.a, block.rows, A[1], work, at, like)
    _wrenches_to_link(motion, links, block.b, block.rows, B[1], work, at + 6, like)


@kernel
def _wrenches_to_link(motion, links, link, rows, p, work, at, like) -> None:
    if link >= 0:
        w = links + MOTION_STRIDE * link
        R = load9(motion, w + S_R, like)
        arm = sub3(p, load3(motion, w + S_P, like))
        for i in range(rows):
            row = at + ROW * i
            n, f = load3(work, row, like), load3(work, row + 3, like)
            store3(work, row, apply9_transposed(R, add3(n, cross3(arm, f))))
            store3(work, row + 3, apply9_transposed(R, f))


@kernel(inline=True)
def along_row(t, c, block, motion, slot, rates, work, at, like):
    """J x of one row: `slot` is where the sweep keeps x of the links (velocities or accelerations), `rates` that of the joints."""
    links = at_links(t)
    value = zero(like)
    if block.a >= 0:
        value = value + dot6(load6(work, at, like), load6(motion, links + MOTION_STRIDE * block.a + slot, like))
    if block.b >= 0:
        value = value + dot6(load6(work, at + 6, like), load6(motion, links + MOTION_STRIDE * block.b + slot, like))
    for j in range(block.terms):
        term = c.terms[block.term + j]
        value = value + term.coefficient * load(motion, rates + term.v, like)
    return value
