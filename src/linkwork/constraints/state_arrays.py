"""A state as arrays, for analyses that look at everything at once: where the links stand, what the rows say.

poses      R (row-major) and p of every link in the world, (n, 12)
wrenches   n_a f_a n_b f_b of every row in link coordinates about the links' origins, (nc, 12); on the world about the marker's point
phi, phi_t, gamma        of every row, with phi_ddot = J vdot + gamma, (nc,)
J          rows in joint velocities, (nc, nv)
natural, reach           by which rows (nc,) and velocities (nv,) are judged; see constraints/rank.py
"""

from typing import NamedTuple

import numpy as np

from ..data.constraints import ConstraintData
from ..dynamics.bound import Bound, Route
from ..dynamics.call import Driver, run
from ..dynamics.exchange import SINGULAR, fill, give, put, take, take_q
from ..dynamics.sweep import ACCELERATION_ORDER, VELOCITY_ORDER, sweep_links
from ..kernels import kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width, zero
from ..model.constraint_tables import open_constraints
from ..model.tables import open_tables
from .jacobian import give_jacobian, naming_rows, sum6
from .rows import along_row, evaluate_rows, wrench_a, wrench_b
from .time_functions import evaluate_time_functions, take_time


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _state_arrays(handle, data, start, stop, q, v, time, poses, wrenches, levels) -> int:
    model, data = open_tables(handle), pointer_to(ConstraintData, data, scalar_for(q))
    tree, nv = data.tree, model.nv
    for k in range(start, stop, width(data)):
        if beyond(take_q(model, tree.q, q, k) + take(tree.v, v, k, nv) + take_time(model, data.rows, time, k), 0.0):
            return k + 1
        fill(tree.vdot, nv, 0.0)
        sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, ACCELERATION_ORDER)
        evaluate_time_functions(model, data.rows)
        evaluate_rows(model, tree.motion, tree.q, data.rows)
        _give_poses(model, tree, k, poses)
        _give_rows(model, data, k, wrenches, levels)
    return 0


@kernel
def _give_poses(model, tree, k, poses) -> None:
    for i in range(model.n):
        R, p = tree.motion.links[i].R, tree.motion.links[i].p
        put6(poses, k, i, 0, (R[0], R[1], R[2], R[3], R[4], R[5]))
        put6(poses, k, i, 6, (R[6], R[7], R[8], p[0], p[1], p[2]))


@kernel
def _give_rows(model, data, k, wrenches, levels) -> None:
    """Rows, their gamma completed by the accelerations that links have while vdot = 0."""
    c, tree = open_constraints(model), data.tree
    for b in range(c.nblocks):
        block = c.blocks[b]
        for i in range(block.row, block.row + block.rows):
            row = data.rows.rows[i]
            put6(wrenches, k, i, 0, wrench_a(row))
            put6(wrenches, k, i, 6, wrench_b(row))
            put(levels, k, i, 0, row.phi)
            put(levels, k, i, 1, row.rate)
            put(levels, k, i, 2, along_row(model, block, tree.motion, ACCELERATION_ORDER, tree.vdot, row) + row.gamma)


@kernel
def put6(array, k, i, j, x) -> None:
    """Six numbers to row i, from column j on, of the matrix of state(s) k."""
    put(array, k, i, j, x[0])
    put(array, k, i, j + 1, x[1])
    put(array, k, i, j + 2, x[2])
    put(array, k, i, j + 3, x[3])
    put(array, k, i, j + 4, x[4])
    put(array, k, i, j + 5, x[5])


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _arrays(handle, data, start, stop, q, time, poses, wrenches, phi, J, natural, reach) -> int:
    """All rows at rest, as they are and as the rule of rank judges them."""
    model, data = open_tables(handle), pointer_to(ConstraintData, data, scalar_for(q))
    c, tree, nv = open_constraints(model), data.tree, model.nv
    for k in range(start, stop, width(data)):
        if beyond(take_q(model, tree.q, q, k) + take_time(model, data.rows, time, k), 0.0):
            return k + 1
        fill(tree.v, nv, 0.0)
        sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, VELOCITY_ORDER)
        evaluate_time_functions(model, data.rows)
        evaluate_rows(model, tree.motion, tree.q, data.rows)
        _give_poses(model, tree, k, poses)
        give_jacobian(model, data, J, k)
        bad = zero(data)
        for b in range(c.nblocks):
            block = c.blocks[b]
            for i in range(block.row, block.row + block.rows):
                row = data.rows.rows[i]
                data.multipliers[i] = row.phi
                bad = bad + 0.0 * (row.rate + row.gamma + sum6(wrench_a(row)) + sum6(wrench_b(row)))
                put6(wrenches, k, i, 0, wrench_a(row))
                put6(wrenches, k, i, 6, wrench_b(row))
        if beyond(bad + give(data.multipliers, phi, k, c.nc), 0.0):
            return SINGULAR - k
        give(data.natural, natural, k, c.nc)
        give(data.reach, reach, k, nv)
    return 0


_rows = Driver(_state_arrays, 1, 1, 1, 2, 2, 2, record=ConstraintData)
_all = Driver(_arrays, 1, 1, 2, 2, 1, 2, 1, 1, record=ConstraintData)


class StateArrays(NamedTuple):
    """See the head of this file; for one state, or with leading axes for a batch."""

    poses: np.ndarray
    wrenches: np.ndarray
    phi: np.ndarray
    phi_t: np.ndarray
    gamma: np.ndarray


def state_arrays(model, q, v=None, t=0.0, *, threads=1):
    """The links and rows of a state or a batch. The model must have constraints."""
    inputs = [("q", q, (model.nq,)), ("v", np.zeros(model.nv) if v is None else v, (model.nv,)), _time(t)]
    shapes = [(len(model.tables.links), 12), (model.nc, 12), (model.nc, 3)]
    poses, wrenches, levels = run(_rows, model, inputs, shapes, None, threads)
    return StateArrays(poses, wrenches, *np.moveaxis(levels, -1, 0))


class RowArrays(NamedTuple):
    """The rows of one configuration at rest; see the head of this file."""

    poses: np.ndarray
    wrenches: np.ndarray
    phi: np.ndarray
    J: np.ndarray
    natural: np.ndarray
    reach: np.ndarray


def _made(model, *arrays):
    return RowArrays(*arrays)


_shapes = (("n", 12), ("nc", 12), ("nc",), ("nc", "nv"), ("nc",), ("nv",))
_bound = Bound(Route(_all, ("nq",), _shapes, timed=True, finish=_made, admits=lambda model: bool(model.nc)))


@_bound.within
def row_arrays(model, q, t=0.0) -> RowArrays:
    """All that the rows of one configuration are, at rest. The model must have constraints; rows that are not finite are named in an error."""
    found = _bound.short(model, q, t)
    if found is not None:
        return found
    inputs = [("q", q, (model.nq,)), _time(t)]
    n, nc, nv = len(model.tables.links), model.nc, model.nv
    with naming_rows(model, q, None, t):
        return RowArrays(*run(_all, model, inputs, [(n, 12), (nc, 12), (nc,), (nc, nv), (nc,), (nv,)]))


def _time(t):
    return "t", np.asarray(t, dtype=float)[..., None], (1,)
