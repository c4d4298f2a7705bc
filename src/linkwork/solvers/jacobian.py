"""The rows of all constraints in joint velocities: phi, phi_dot = J v + phi_t, J (nc x nv), gamma with phi_ddot = J vdot + gamma.

    J_k = c_k + S_k . F,      F the row's wrench on all that hangs on joint k

A wrench in world axes about the world's origin is the same on its whole way inward, so it is only added up, link by link; S_k sees it in the
coordinates of its link. gamma of joint velocities is that of links plus F . a, with a the accelerations of the links at vdot = 0.
"""

from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from ..dynamics.call import Driver, run
from ..dynamics.general import COLUMN, E_COLUMN
from ..dynamics.slots import HUGE, clear, give, put, take, take_qv
from ..dynamics.sweep import S_A, S_P, S_R, S_V, STRIDE, sweep_links
from ..errors import SolverError
from ..kernels import kernel
from ..kernels.scalar import beyond, load, scalar_for, store, width, zero
from ..model.model import need_model
from ..model.rules import open_rules
from ..model.tables import AXIAL, at_extras, at_links, at_v, at_x, count_v, floats_at, open_tables
from ..parts.constraints.rows import R_GAMMA, R_PHI, R_RATE, ROW
from ..spatial.matrices import apply9, apply9_transposed, load9
from ..spatial.vectors import add3, add6, cross3, dot6, load3, load6, store6, sub3
from .laws import evaluate_laws
from .memory import at_laws, at_loads, at_motion, at_multipliers, at_raw, at_residuals, at_rows, at_sizes, at_time, from_slot
from .rows import along_row, evaluate_rows


class ConstraintJacobian(NamedTuple):
    """Rows of all constraints: phi, phi_dot, gamma (..., nc) and J (..., nc, nv). phi of rows on velocities is 0."""

    phi: np.ndarray
    phi_dot: np.ndarray
    J: np.ndarray
    gamma: np.ndarray


@kernel
def _constraint_rows(handle, memory, start, stop, q, v, time, phi, phi_dot, J, gamma) -> int:
    t, c = open_tables(handle), open_rules(handle)
    work, like = floats_at(memory, HUGE), scalar_for(q)
    motion = floats_at(from_slot(memory, at_motion(t), like), HUGE)
    m = c.size[1]
    for k in range(start, stop, width(like)):
        bad = take_qv(t, motion, q, v, k, like) + take(work, at_time(t, c), time, k, 1, like)
        if beyond(bad, 0.0):
            return k + 1
        for i in range(count_v(t)):
            store(motion, at_x(t) + i, zero(like))
        sweep_links(handle, motion, 2, like)
        evaluate_laws(handle, work, at_time(t, c), at_laws(t, c), at_raw(t, c) * width(like), like)
        evaluate_rows(handle, motion, work, at_rows(t), at_time(t, c), at_laws(t, c), at_raw(t, c), like)
        clear(J, k, like)
        for b in range(c.size[0]):
            block = c.blocks[b]
            for i in range(block.rows):
                row = block.row + i
                at = at_rows(t) + ROW * row
                rate = along_row(t, c, block, motion, S_V, at_v(t), work, at, like) + load(work, at + R_RATE, like)
                drift = along_row(t, c, block, motion, S_A, at_x(t), work, at, like) + load(work, at + R_GAMMA, like)
                store(work, at_multipliers(t, c) + row, load(work, at + R_PHI, like))
                store(work, at_residuals(t, c) + row, rate)
                store(work, at_sizes(t, c) + row, drift)
                _fill_row(handle, motion, work, b, at, J, k, row, like)
        give(work, at_multipliers(t, c), phi, k, m, like)
        give(work, at_residuals(t, c), phi_dot, k, m, like)
        give(work, at_sizes(t, c), gamma, k, m, like)
    return 0


@kernel
def _fill_row(handle, motion, work, b, at, J, k, row, like) -> None:
    """One row of J: add up the wrenches on the way inward, and let each joint see them."""
    t, c = open_tables(handle), open_rules(handle)
    block = c.blocks[b]
    F, links = at_loads(t, c), at_links(t)
    o = zero(like)
    for j in range(block.paths):
        store6(work, F + 6 * c.paths[block.path + j], (o, o, o, o, o, o))
    if block.a >= 0:
        store6(work, F + 6 * block.a, _to_world(motion, links + STRIDE * block.a, load6(work, at, like), like))
    if block.b >= 0:
        place = F + 6 * block.b
        store6(work, place, add6(load6(work, place, like), _to_world(motion, links + STRIDE * block.b, load6(work, at + 6, like), like)))
    for j in range(block.paths):
        i = c.paths[block.path + j]
        if i <= block.meet:
            break  # from here inward the two wrenches of a row cancel
        link = t.links[i]
        wrench = load6(work, F + 6 * i, like)
        local = _to_link(motion, links + STRIDE * i, wrench, like)
        for column in range(link.nv):
            S = (o, o, o + link.turn, o, o, o + link.slide)
            if link.kind != AXIAL:
                S = load6(motion, at_extras(t, STRIDE) + link.extra + E_COLUMN + COLUMN * column, like)
            value = dot6(S, local)
            for term in range(block.terms):
                if c.terms[block.term + term].v == link.v + column:
                    value = value + c.terms[block.term + term].coefficient
            put(J, k, row, link.v + column, value, like)
        if link.parent > block.meet:
            up = F + 6 * link.parent
            store6(work, up, add6(load6(work, up, like), wrench))


@kernel(inline=True)
def _to_world(motion, at, wrench, like):
    """From the coordinates of the link whose sweep stands at `at` to world axes about the world's origin."""
    R, p = load9(motion, at + S_R, like), load3(motion, at + S_P, like)
    f = apply9(R, (wrench[3], wrench[4], wrench[5]))
    n = add3(apply9(R, (wrench[0], wrench[1], wrench[2])), cross3(p, f))
    return n[0], n[1], n[2], f[0], f[1], f[2]


@kernel(inline=True)
def _to_link(motion, at, wrench, like):
    """The reverse of `_to_world`."""
    R, p = load9(motion, at + S_R, like), load3(motion, at + S_P, like)
    f = (wrench[3], wrench[4], wrench[5])
    n = apply9_transposed(R, sub3((wrench[0], wrench[1], wrench[2]), cross3(p, f)))
    f = apply9_transposed(R, f)
    return n[0], n[1], n[2], f[0], f[1], f[2]


_driver = Driver(_constraint_rows, 1, 1, 1, 1, 1, 2, 1)


def constraint_jacobian(model, q, v=None, t=0.0, *, threads=1) -> ConstraintJacobian:
    """phi, phi_dot, J and gamma of all rows of a model's constraints, for one state or a batch; v is zero if not given, t the time."""
    need_model(model)
    nv, nc = model.nv, model.nc
    time = np.asarray(t, dtype=float)[..., None]
    inputs = [("q", q, (model.nq,)), ("v", np.zeros(nv) if v is None else v, (nv,)), ("t", time, (1,))]
    if not nc:
        leading = np.broadcast_shapes(np.shape(q)[:-1], np.shape(t))
        return ConstraintJacobian(*(np.zeros((*leading, *shape)) for shape in ((0,), (0,), (0, nv), (0,))))
    rows = ConstraintJacobian(*run(_driver, model, inputs, [(nc,), (nc,), (nc, nv), (nc,)], None, threads))
    _check_finite(model, rows)
    return rows


def _check_finite(model, rows):
    """Name a row that is not finite: functions of users may leave their domain."""
    fine = np.isfinite(rows.phi) & np.isfinite(rows.phi_dot) & np.isfinite(rows.gamma) & np.isfinite(rows.J).all(axis=-1)
    if not fine.all():
        row = int(np.argwhere(~fine)[0][-1])
        info = next(info for info in model.constraints if info.rows.start <= row < info.rows.stop)
        raise SolverError(
            f"constraint {info.name!r}, row {info.words[row - info.rows.start]!r}: its value or a derivative is not finite in this state and at "
            "this time; allowed are finite numbers; is a law of time or a relation outside of its domain?"
        )


@contextmanager
def naming_rows(model, q, v, t):
    """Where a solver finds nothing finite: if it is a row that is not, an error that names it comes instead."""
    try:
        yield
    except SolverError:
        constraint_jacobian(model, q, np.zeros(model.nv) if v is None else v, t)
        raise
