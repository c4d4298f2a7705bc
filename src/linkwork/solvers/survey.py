"""A state as arrays, for analyses that look at everything at once: where the links stand, how joints move them, what the rows say.

columns    S of every velocity in the coordinates of its link, (nv, 6)
poses      R (row-major) and p of every link in the world, (n, 12)
rows       of every row: n_a f_a n_b f_b in link coordinates about the links' origins, phi, phi_t, gamma with
           phi_ddot = J vdot + gamma, one unused; (nc, 16)
"""

from typing import NamedTuple

import numpy as np

from ..dynamics.aba import articulated_bodies
from ..dynamics.call import Driver, run
from ..dynamics.general import COLUMN, E_COLUMN
from ..dynamics.slots import HUGE, fill, give, put, take, take_q, take_qv
from ..dynamics.sweep import S_A, S_P, S_R, STRIDE, sweep_links
from ..kernels import kernel
from ..kernels.scalar import beyond, load, scalar_for, store, width, zero
from ..model.rules import open_rules
from ..model.tables import AXIAL, at_extras, at_links, at_v, at_x, count_links, count_q, count_v, floats_at, open_tables
from ..parts.constraints.rows import R_GAMMA, ROW
from .laws import evaluate_laws
from .memory import at_laws, at_matrix, at_motion, at_raw, at_rows, at_sizes, at_time, from_slot
from .propagate import fill_matrix, propagate_rows
from .rows import along_row, evaluate_rows


@kernel
def _survey(handle, memory, start, stop, q, v, time, poses, columns, rows) -> int:
    t, c = open_tables(handle), open_rules(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    for k in range(start, stop, width(like)):
        bad = take_qv(t, work, q, v, k, like) + take(work, at_time(t, c), time, k, 1, like)
        if beyond(bad, 0.0):
            return k + 1
        fill(work, at_x(t), count_v(t), 0.0, like)
        sweep_links(handle, work, 2, like)
        evaluate_laws(handle, work, at_time(t, c), at_laws(t, c), at_raw(t, c) * width(like), like)
        evaluate_rows(handle, work, work, at_rows(t), at_time(t, c), at_laws(t, c), at_raw(t, c), like)
        _give_links(handle, work, poses, columns, k, like)
        _give_rows(handle, work, rows, k, like)
    return 0


@kernel
def _give_rows(handle, work, rows, k, like) -> None:
    """Rows, their gamma completed by the accelerations that links have while vdot = 0."""
    t, c = open_tables(handle), open_rules(handle)
    for b in range(c.size[0]):
        block = c.blocks[b]
        for i in range(block.row, block.row + block.rows):
            at = at_rows(t) + ROW * i
            for j in range(14):
                put(rows, k, i, j, load(work, at + j, like), like)
            gamma = along_row(t, c, block, work, S_A, at_x(t), work, at, like) + load(work, at + R_GAMMA, like)
            put(rows, k, i, 14, gamma, like)
            put(rows, k, i, 15, zero(like), like)


@kernel
def _give_links(handle, work, poses, columns, k, like) -> None:
    t = open_tables(handle)
    o = zero(like)
    for i in range(count_links(t)):
        link = t.links[i]
        w = at_links(t) + STRIDE * i
        for j in range(9):
            put(poses, k, i, j, load(work, w + S_R + j, like), like)
        for j in range(3):
            put(poses, k, i, 9 + j, load(work, w + S_P + j, like), like)
        for column in range(link.nv):
            for j in range(6):
                value = o
                if link.kind != AXIAL:
                    value = load(work, at_extras(t, STRIDE) + link.extra + E_COLUMN + COLUMN * column + j, like)
                elif j == 2:
                    value = o + link.turn
                elif j == 5:
                    value = o + link.slide
                put(columns, k, link.v + column, j, value, like)


@kernel
def _space(handle, memory, start, stop, q, time, K, sizes) -> int:
    """K = J M^-1 J^T and the sizes of its rows, by the recursions of the articulated solver."""
    t, c = open_tables(handle), open_rules(handle)
    work, like = floats_at(memory, HUGE), scalar_for(q)
    motion = floats_at(from_slot(memory, at_motion(t), like), HUGE)
    for k in range(start, stop, width(like)):
        bad = take_q(t, work, q, k, like) + take(work, at_time(t, c), time, k, 1, like)
        if beyond(bad, 0.0):
            return k + 1
        fill(work, at_v(t), count_v(t), 0.0, like)
        fill(work, at_x(t), count_v(t), 0.0, like)
        for i in range(count_q(t) + count_v(t)):
            store(motion, i, load(work, i, like))
        articulated_bodies(handle, work, 0.0, -1, -1, like)
        sweep_links(handle, motion, 1, like)
        evaluate_laws(handle, work, at_time(t, c), at_laws(t, c), at_raw(t, c) * width(like), like)
        evaluate_rows(handle, motion, work, at_rows(t), at_time(t, c), at_laws(t, c), at_raw(t, c), like)
        propagate_rows(handle, work, -1, False, like)
        fill_matrix(handle, work, -1, like)
        give(work, at_matrix(t, c), K, k, c.size[1] * c.size[1], like)
        give(work, at_sizes(t, c), sizes, k, c.size[1], like)
    return 0


_rows = Driver(_survey, 1, 1, 1, 2, 2, 2)
_spaces = Driver(_space, 1, 1, 1, 1)


class Survey(NamedTuple):
    """See the head of this file; for one state, or with leading axes for a batch."""

    poses: np.ndarray
    columns: np.ndarray
    rows: np.ndarray


def survey(model, q, v=None, t=0.0, *, threads=1):
    """The links, columns and rows of a state or a batch. The model must have constraints."""
    inputs = [("q", q, (model.nq,)), ("v", np.zeros(model.nv) if v is None else v, (model.nv,)), _time(t)]
    shapes = [(len(model.tables.links), 12), (model.nv, 6), (model.nc, ROW)]
    return Survey(*run(_rows, model, inputs, shapes, None, threads))


def constraint_space(model, q, t=0.0):
    """(K, sizes) of one state: K = J M^-1 J^T (nc, nc), and for each row the K_ii that it could have; see solvers/semidefinite.py."""
    K, sizes = run(_spaces, model, [("q", q, (model.nq,)), _time(t)], [(model.nc * model.nc,), (model.nc,)])
    return K.reshape(*K.shape[:-1], model.nc, model.nc), sizes


def _time(t):
    return "t", np.asarray(t, dtype=float)[..., None], (1,)
