"""Constrained forward dynamics by the articulated solver, for one state and for batches: drivers and what they return."""

from typing import NamedTuple

import numpy as np

from ...constraints.jacobian import naming_rows
from ...constraints.modes import ACCELERATION, CONTRADICTION, RANK_REVEALING
from ...constraints.time_functions import take_time
from ...data.constraints import ConstraintData
from ...data.tree import WRENCHES
from ...dynamics.call import Driver, run
from ...dynamics.exchange import SINGULAR, give, give_tuple, take, take_q
from ...dynamics.external import link_forces, wrenches
from ...kernels import Scalar, kernel
from ...kernels.records import pointer_to
from ...kernels.scalar import beyond, scalar_for, width
from ...model.constraint_tables import open_constraints
from ...model.model import need_model
from ...model.tables import open_tables
from .solve import solve


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _constrained(handle, data, start, stop, mode, feedback, q, v, tau, time, out, multipliers, report) -> int:
    model, data = open_tables(handle), pointer_to(ConstraintData, data, scalar_for(q))
    tree, nv = data.tree, model.nv
    for k in range(start, stop, width(data)):
        bad = take_q(model, tree.q, q, k) + take(tree.v, v, k, nv) + take(tree.tau, tau, k, nv) + take_time(model, data.rows, time, k)
        if beyond(bad, 0.0):
            return k + 1
        solve(model, data, mode[0], 0, (feedback[0], feedback[1], 0.0))
        if beyond(_give(model, data, k, out, multipliers, report), 0.0):
            return SINGULAR - k
    return 0


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _constrained_forced(handle, data, start, stop, mode, feedback, q, v, tau, time, f_ext, out, multipliers, report) -> int:
    model, data = open_tables(handle), pointer_to(ConstraintData, data, scalar_for(q))
    tree, nv = data.tree, model.nv
    for k in range(start, stop, width(data)):
        bad = take_q(model, tree.q, q, k) + take(tree.v, v, k, nv) + take(tree.tau, tau, k, nv) + take_time(model, data.rows, time, k)
        if beyond(bad + link_forces(model, tree, f_ext, k), 0.0):
            return k + 1
        solve(model, data, mode[0], WRENCHES, (feedback[0], feedback[1], 0.0))
        if beyond(_give(model, data, k, out, multipliers, report), 0.0):
            return SINGULAR - k
    return 0


@kernel
def _give(model, data, k, out, multipliers, report) -> Scalar:
    """Results of state(s) k; returns 0, or NaN if an acceleration is not finite."""
    give(data.multipliers, multipliers, k, open_constraints(model).nc)
    give_tuple((data.rank, data.residual), report, k)
    return give(data.tree.vdot, out, k, model.nv)


_plain = Driver(_constrained, 1, 1, 1, 1, 1, 1, 1, constants="J1 A1", record=ConstraintData)
_forced = Driver(_constrained_forced, 1, 1, 1, 1, 1, 1, 1, 1, constants="J1 A1", record=ConstraintData)


class Constrained(NamedTuple):
    """What a solver found: accelerations, multipliers (a solution, zero on dependent rows), rank, and the residual of the rows left out, relative to the
    rows of their group; infinite where rows that were taken do not hold."""

    vdot: np.ndarray
    multipliers: np.ndarray
    rank: np.ndarray
    residual: np.ndarray


def found_by(vdot, multipliers, report):
    """The results of a driver as Constrained; its report holds rank and residual, as floats."""
    rank, residual = report[..., 0], report[..., 1]
    return Constrained(vdot, multipliers, rank.astype(int), residual)


# parameters: a state, and how it is solved
def solve_constrained(model, q, v, tau=None, f_ext=None, t=0.0, *, feedback=(0.0, 0.0), rank_revealing=False, threads=1):
    """The accelerations of a constrained model by articulated bodies.

    `feedback`: (speed, stiffness) with which gaps are drawn in, phi_ddot + speed phi_dot + stiffness phi = 0. `rank_revealing`: choose rows on J,
    whether or not K is in doubt about them.
    """
    need_model(model)
    nv = (model.nv,)
    time = np.asarray(t, dtype=float)[..., None]
    inputs = [("q", q, (model.nq,)), ("v", v, nv), ("tau", np.zeros(nv) if tau is None else tau, nv), ("t", time, (1,))]
    shapes = [nv, (model.nc,), (2,)]
    constants = np.array([ACCELERATION | (RANK_REVEALING if rank_revealing else 0)], dtype=np.int64), np.array(feedback, dtype=float)
    forces = [] if f_ext is None else [wrenches(model, f_ext)]
    with naming_rows(model, q, v, t):
        vdot, multipliers, report = run(_forced if forces else _plain, model, [*inputs, *forces], shapes, None, threads, constants)
    return found_by(vdot, multipliers, report)


def solve_doubtful(found, model, q, v, tau, f_ext, t):
    """What a solver found, with the states where its rank is in doubt, or its rows contradict each other, solved again with rows chosen on J."""
    doubtful = ~(found.residual <= CONTRADICTION)
    if not np.any(doubtful):
        return found
    again = solve_constrained(model, q, v, tau, f_ext, t, rank_revealing=True)
    if found.residual.ndim == 0:
        return again
    pairs = (
        (new, old, doubtful.reshape(doubtful.shape + (1,) * (new.ndim - doubtful.ndim))) for new, old in zip(again, found, strict=True)
    )
    return Constrained(*(np.where(where, new, old) for new, old, where in pairs))
