"""The rows of all constraints in joint velocities: phi, phi_dot = J v + phi_t, J (nc x nv), gamma with phi_ddot = J vdot + gamma.

J is that of solvers/row_matrix.py. gamma of joint velocities is that of links plus F . a, with a the accelerations of the links at vdot = 0.
"""

from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from ..data.constraints import ConstraintData
from ..dynamics.call import Driver, run
from ..dynamics.exchange import fill, give, put, take, take_q
from ..dynamics.sweep import ACCELERATION_ORDER, VELOCITY_ORDER, sweep_links
from ..errors import SolverError
from ..kernels import kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width
from ..model.model import need_model
from ..model.rules import open_rules
from ..model.tables import open_tables
from .row_matrix import fill_jacobian
from .rows import along_row, evaluate_rows
from .time_functions import evaluate_time_functions, take_time


class ConstraintJacobian(NamedTuple):
    """Rows of all constraints: phi, phi_dot, gamma (..., nc) and J (..., nc, nv). phi of rows on velocities is 0."""

    phi: np.ndarray
    phi_dot: np.ndarray
    J: np.ndarray
    gamma: np.ndarray


class MeasuredRows(NamedTuple):
    """Rows, with the natural size of each (..., nc) and the reach of each velocity (..., nv): by which they are judged (solvers/rank_rule.py)."""

    rows: ConstraintJacobian
    natural: np.ndarray
    reach: np.ndarray


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _constraint_rows(handle, data, start, stop, q, v, time, phi, phi_dot, J, gamma, natural, reach) -> int:
    model, data = open_tables(handle), pointer_to(ConstraintData, data, scalar_for(q))
    tree, nv, m = data.tree, model.nv, open_rules(model).nc
    for k in range(start, stop, width(data)):
        if beyond(take_q(model, tree.q, q, k) + take(tree.v, v, k, nv) + take_time(data.rows, time, k), 0.0):
            return k + 1
        rows_in_joints(model, data, J, k)
        give(data.multipliers, phi, k, m)
        give(data.residuals, phi_dot, k, m)
        give(data.sizes, gamma, k, m)
        give(data.natural, natural, k, m)
        give(data.reach, reach, k, nv)
    return 0


@kernel
def rows_in_joints(model, data, J, k) -> None:
    """The rows at q, v and the time in `data`: J to the matrix of state(s) k; phi, phi_dot and gamma are left in its multipliers, residuals and sizes."""
    c, tree, nv = open_rules(model), data.tree, model.nv
    fill(tree.vdot, nv, 0.0)
    sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, ACCELERATION_ORDER)
    evaluate_time_functions(model, data.rows)
    evaluate_rows(model, tree.motion, tree.q, data.rows)
    fill_jacobian(model, data, tree.motion, data.rows.rows)
    for b in range(c.nblocks):
        block = c.blocks[b]
        for i in range(block.row, block.row + block.rows):
            row = data.rows.rows[i]
            data.multipliers[i] = row.phi
            data.residuals[i] = along_row(model, block, tree.motion, VELOCITY_ORDER, tree.v, row) + row.rate
            data.sizes[i] = along_row(model, block, tree.motion, ACCELERATION_ORDER, tree.vdot, row) + row.gamma
            for v in range(nv):
                put(J, k, i, v, data.J[nv * i + v])


_driver = Driver(_constraint_rows, 1, 1, 1, 1, 1, 2, 1, 1, 1, record=ConstraintData)


def constraint_jacobian(model, q, v=None, t=0.0, *, threads=1) -> ConstraintJacobian:
    """phi, phi_dot, J and gamma of all rows of a model's constraints, for one state or a batch; v is zero if not given, t the time."""
    return measured_rows(model, q, v, t, threads=threads).rows


def measured_rows(model, q, v=None, t=0.0, *, threads=1) -> MeasuredRows:
    """The same rows, with what they are judged by."""
    need_model(model)
    nv, nc = model.nv, model.nc
    time = np.asarray(t, dtype=float)[..., None]
    inputs = [("q", q, (model.nq,)), ("v", np.zeros(nv) if v is None else v, (nv,)), ("t", time, (1,))]
    if not nc:
        leading = np.broadcast_shapes(np.shape(q)[:-1], np.shape(t))
        nothing = [np.zeros((*leading, *shape)) for shape in ((0,), (0,), (0, nv), (0,), (0,), (nv,))]
        return MeasuredRows(ConstraintJacobian(*nothing[:4]), *nothing[4:])
    shapes = [(nc,), (nc,), (nc, nv), (nc,), (nc,), (nv,)]
    phi, phi_dot, J, gamma, natural, reach = run(_driver, model, inputs, shapes, None, threads)
    rows = ConstraintJacobian(phi, phi_dot, J, gamma)
    _check_finite(model, rows)
    return MeasuredRows(rows, natural, reach)


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
