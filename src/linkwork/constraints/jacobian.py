"""The rows of all constraints in joint velocities: phi, phi_dot = J v + phi_t, J (nc x nv), gamma with phi_ddot = J vdot + gamma.

J is that of constraints/row_matrix.py. gamma of joint velocities is that of links plus F . a, with a the accelerations of the links at vdot = 0.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import checked
from ..data.constraints import ConstraintData
from ..dynamics.bound import Bound, Route
from ..dynamics.call import Driver, finite, run
from ..dynamics.exchange import SINGULAR, fill, give, put, take, take_q
from ..dynamics.sweep import ACCELERATION_ORDER, VELOCITY_ORDER, sweep_links
from ..errors import SolverError
from ..kernels import Scalar, kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width, zero
from ..model.constraint_tables import open_constraints
from ..model.model import need_model
from ..model.tables import open_tables
from .row_matrix import fill_jacobian
from .rows import along_row, evaluate_rows, wrench_a, wrench_b
from .time_functions import evaluate_time_functions, take_time

if TYPE_CHECKING:
    from ..model.model import Model


class ConstraintJacobian(NamedTuple):
    """Rows of all constraints: phi, phi_dot, gamma (..., nc) and J (..., nc, nv). phi of rows on velocities is 0."""

    phi: np.ndarray
    phi_dot: np.ndarray
    J: np.ndarray
    gamma: np.ndarray


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _constraint_rows(
    handle: int, data: Any, start: int, stop: int, q: Any, v: Any, time: Any, phi: Any, phi_dot: Any, J: Any, gamma: Any
) -> int:
    model, data = open_tables(handle), pointer_to(ConstraintData, data, scalar_for(q))
    tree, nv, m = data.tree, model.nv, open_constraints(model).nc
    for k in range(start, stop, width(data)):
        if beyond(take_q(model, tree.q, q, k) + take(tree.v, v, k, nv) + take_time(model, data.rows, time, k), 0.0):
            return k + 1
        bad = rows_in_joints(model, data, J, k)
        bad = bad + give(data.phi, phi, k, m) + give(data.phi_dot, phi_dot, k, m) + give(data.gamma, gamma, k, m)
        if beyond(bad, 0.0):
            return SINGULAR - k
    return 0


@kernel
def rows_in_joints(model: Any, data: Any, J: Any, k: Any) -> Scalar:
    """The rows at q, v and the time in `data`: J to the matrix of state(s) k; phi, phi_dot and gamma are left in `data`.

    Returns 0, or NaN if a wrench of a row is not finite.
    """
    c, tree, bad = open_constraints(model), data.tree, zero(data)
    fill(tree.vdot, model.nv, 0.0)
    sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, ACCELERATION_ORDER)
    evaluate_time_functions(model, data.rows)
    evaluate_rows(model, tree.motion, tree.q, data.rows)
    give_jacobian(model, data, J, k)
    for b in range(c.nblocks):
        block = c.blocks[b]
        for i in range(block.row, block.row + block.rows):
            row = data.rows.rows[i]
            data.phi[i] = row.phi
            data.phi_dot[i] = along_row(model, block, tree.motion, VELOCITY_ORDER, tree.v, row) + row.rate
            data.gamma[i] = along_row(model, block, tree.motion, ACCELERATION_ORDER, tree.vdot, row) + row.gamma
            bad = bad + 0.0 * (sum6(wrench_a(row)) + sum6(wrench_b(row)))
    return bad


@kernel
def give_jacobian(model: Any, data: Any, J: Any, k: Any) -> None:
    """J of the evaluated rows, to the matrix of state(s) k."""
    c, o = open_constraints(model), zero(data)
    fill_jacobian(model, data, data.tree.motion, data.rows.rows)
    for b in range(c.nblocks):
        block = c.blocks[b]
        for i in range(block.rows):
            y = block.y + i * block.width
            for v in range(model.nv):
                put(J, k, block.row + i, v, o)
            for at in range(y, y + block.width):
                put(J, k, block.row + i, c.velocities[at], data.J[at])


@kernel(inline=True)
def sum6(x: Any) -> Scalar:
    return x[0] + x[1] + x[2] + x[3] + x[4] + x[5]


_driver = Driver(_constraint_rows, 1, 1, 1, 1, 1, 2, 1, record=ConstraintData)


def _made(model: "Model", *arrays: Any) -> "ConstraintJacobian":
    return ConstraintJacobian(*arrays)


_shapes = (("nc",), ("nc",), ("nc", "nv"), ("nc",))
_bound = Bound(Route(_driver, ("nq", "nv?"), _shapes, timed=True, finish=_made, admits=lambda model: bool(model.nc)))


@_bound.public
@checked(t="times", threads="threads")
def constraint_jacobian(
    model: "Model", q: ArrayLike, v: ArrayLike | None = None, t: ArrayLike = 0.0, *, threads: int | None = 1
) -> ConstraintJacobian:
    """phi, phi_dot, J and gamma of all rows of a model's constraints, for one state or a batch; v is zero if not given, t the time.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("crank")
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, m.add_body("arm", mass=1.0, inertia=(1, 1, 1)))
    >>> _ = m.add_constraint("drive", lw.Drive(0.5), "pivot")
    >>> rows = lw.constraint_jacobian(m.build(), [0.2], [1.0])
    >>> rows.phi.round(9).tolist(), rows.J.tolist()
    ([-0.3], [[1.0]])
    """
    if threads == 1:
        rows = _bound.short(model, q, v, t)
        if rows is not None:
            return rows
    need_model(model)
    nv, nc = model.nv, model.nc
    time = np.asarray(t, dtype=float)[..., None]
    inputs = [("q", q, (model.nq,)), ("v", np.zeros(nv) if v is None else v, (nv,)), ("t", time, (1,))]
    if not nc:
        leading = finite(model, inputs)[0].shape[:-1]
        return ConstraintJacobian(*(np.zeros((*leading, *shape)) for shape in ((0,), (0,), (0, nv), (0,))))
    try:
        return ConstraintJacobian(*run(_driver, model, inputs, [(nc,), (nc,), (nc, nv), (nc,)], None, threads))
    except SolverError:
        _name_row(model, q, v, t)
        raise


def _name_row(model: "Model", q: Any, v: Any, t: Any) -> None:
    """Name a row that is not finite: functions of users may leave their domain."""
    from .state_arrays import state_arrays

    found = state_arrays(model, q, v, t)
    fine = np.isfinite(found.phi) & np.isfinite(found.phi_t) & np.isfinite(found.gamma) & np.isfinite(found.wrenches).all(axis=-1)
    if not fine.all():
        row = int(np.argwhere(~fine)[0][-1])
        info = next(info for info in model.constraints if info.rows.start <= row < info.rows.stop)
        raise SolverError(
            f"constraint {info.name!r}, row {info.words[row - info.rows.start]!r}: its value or a derivative is not finite in this state and at "
            "this time; allowed are finite numbers; is a function of time or a relation outside of its domain?"
        )


@contextmanager
def naming_rows(model: "Model", q: NDArray[np.float64], v: NDArray[np.float64] | None, t: NDArray[np.float64] | float) -> Iterator[Any]:
    """Where a solver finds nothing finite: if it is a row that is not, an error that names it comes instead."""
    try:
        yield
    except SolverError:
        constraint_jacobian(model, q, np.zeros(model.nv) if v is None else v, t)
        raise
