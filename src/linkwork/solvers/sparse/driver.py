"""Constrained forward dynamics by a sparse factor of the multiplier system in maximal coordinates: drivers and the function around them.

Order and fill are found once for a model (order.py), laid out as a program (program.py), and walked by compiled kernels for each
state (solve.py, rows.py, factor.py) without allocating anything. What they keep is declared in data/sparse.py.
"""

import numpy as np
from numpy import array, empty

from ...constraints.jacobian import naming_rows
from ...constraints.modes import ACCELERATION, CONTRADICTION
from ...constraints.time_functions import take_time
from ...data.lending import lent
from ...data.sparse import SparseData
from ...data.tree import WRENCHES
from ...dynamics.bound import Route
from ...dynamics.call import Driver, run
from ...dynamics.exchange import SINGULAR, give, give_tuple, take, take_q
from ...dynamics.external import link_forces, wrenches
from ...kernels import JIT, kernel
from ...kernels.records import pointer_to
from ...kernels.scalar import beyond
from ...model.constraint_tables import open_constraints
from ...model.model import need_model
from ...model.tables import open_tables
from ..delassus.driver import found_by, solve_doubtful
from ..forward_dynamics import bound
from .program import new_sparse_data
from .solve import solve


@kernel(inline=True)
def _take_state(model, data, q, v, tau, time, k):
    """q, v, tau and the time of state k; NaN if a value is not fit."""
    tree, nv = data.tree, model.nv
    return take_q(model, tree.q, q, k) + take(tree.v, v, k, nv) + take(tree.tau, tau, k, nv) + take_time(model, data.rows, time, k)


@kernel(inline=True)
def _finish(model, data, options, k, out, multipliers, report):
    """Solve state k and give its results; NaN if the accelerations are not finite."""
    solve(model, data, ACCELERATION, options, (0.0, 0.0, 0.0))
    give(data.multipliers, multipliers, k, open_constraints(model).nc)
    give_tuple((float(data.rank), data.residual), report, k)
    return give(data.tree.vdot, out, k, model.nv)


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _sparse(handle, data, start, stop, q, v, tau, time, out, multipliers, report) -> int:
    model, data = open_tables(handle), pointer_to(SparseData, data, 0.0)  # states one after the other: lanes are for rows
    nv = model.nv
    if q.shape[-1] != model.nq or v.shape[-1] != nv or tau.shape[-1] != nv or multipliers.shape[-1] != open_constraints(model).nc:
        return -1
    for k in range(start, stop):
        if beyond(_take_state(model, data, q, v, tau, time, k), 0.0):
            return k + 1
        if beyond(_finish(model, data, 0, k, out, multipliers, report), 0.0):
            return SINGULAR - k
    return 0


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _sparse_forced(handle, data, start, stop, q, v, tau, time, f_ext, out, multipliers, report) -> int:
    model, data = open_tables(handle), pointer_to(SparseData, data, 0.0)
    for k in range(start, stop):
        if beyond(_take_state(model, data, q, v, tau, time, k) + link_forces(model, data.tree, f_ext, k), 0.0):
            return k + 1
        if beyond(_finish(model, data, WRENCHES, k, out, multipliers, report), 0.0):
            return SINGULAR - k
    return 0


DRIVER = Driver(_sparse, 1, 1, 1, 1, 1, 1, 1, record=SparseData, make=new_sparse_data, lanes=1)
_forced = Driver(_sparse_forced, 1, 1, 1, 1, 1, 1, 1, 1, record=SparseData, make=new_sparse_data, lanes=1)
_START = np.zeros(1)  # the time of calls that say nothing about it

# The sparse solver is imported when the first model with constraints comes: before that, no such model can have been bound.
_BOUND = bound.add(
    Route(DRIVER, ("nq", "nv", "nv?"), (("nv",),), timed=True, limit=CONTRADICTION, admits=lambda model: bool(model.nc)),
)


def short_way(model, q, v, tau, t):
    """(vdot, multipliers, report) of one state: unboxing checks the types, the kernel sizes and values. Any error means: go the long way."""
    vdot, multipliers, report = empty(model.nv), empty(model.nc), empty(2)
    time = _START if t == 0.0 else array([t], float)  # an array made from a number takes as long as three empty ones
    with lent(model) as data:
        if DRIVER.one(model.handle, DRIVER.data_in(data), 0, 1, q, v, tau, time, vdot, multipliers, report) != 0:
            raise ValueError
    bound.bind(model, _BOUND)
    return vdot, multipliers, report


def solve_sparse(model, q, v, tau=None, f_ext=None, t=0.0, *, threads=1):
    """The accelerations of a constrained model by a sparse LDL^T of the multiplier system: linear time on trees and on loops beside each other.

    Multipliers are a solution, one of many where rows are redundant. Rank counts the rows that were kept; residual is the most that one of the
    others lacks. Where the rank is in doubt, or rows contradict each other, rows are chosen on J (solvers/delassus/rank_revealing.py).
    """
    if JIT and f_ext is None and threads == 1:
        try:
            vdot, multipliers, report = short_way(model, q, v, tau, t)
            found = found_by(vdot, multipliers, report)
            return found if found.residual <= CONTRADICTION else solve_doubtful(found, model, q, v, tau, f_ext, t)
        except (TypeError, AttributeError, ValueError):
            pass  # a batch, other types, a first call, or an error: the long way finds out
    need_model(model)
    nv = (model.nv,)
    time = np.asarray(t, dtype=float)[..., None]
    inputs = [("q", q, (model.nq,)), ("v", v, nv), ("tau", np.zeros(nv) if tau is None else tau, nv), ("t", time, (1,))]
    shapes = [nv, (model.nc,), (2,)]
    forces = [] if f_ext is None else [wrenches(model, f_ext)]
    with naming_rows(model, q, v, t):
        vdot, multipliers, report = run(_forced if forces else DRIVER, model, [*inputs, *forces], shapes, None, threads)
    found = found_by(vdot, multipliers, report)
    return solve_doubtful(found, model, q, v, tau, f_ext, t)
