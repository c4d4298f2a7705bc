"""Constrained forward dynamics by the articulated solver, for one state and for batches: drivers and what they return."""

from typing import NamedTuple

import numpy as np

from ..dynamics.call import Driver, run
from ..dynamics.external import link_forces, wrenches
from ..dynamics.slots import HUGE, SINGULAR, give, take, take_qv
from ..kernels import kernel
from ..kernels.scalar import beyond, scalar_for, width
from ..model.model import need_model
from ..model.rules import open_rules
from ..model.tables import at_x, at_y, count_v, floats_at, open_tables
from .articulated import solve_articulated
from .jacobian import naming_rows
from .memory import at_forces, at_multipliers, at_report, at_time
from .modes import ACCELERATION


@kernel
def _constrained(handle, memory, start, stop, settings, q, v, tau, time, out, multipliers, report) -> int:
    t, c = open_tables(handle), open_rules(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    for k in range(start, stop, width(like)):
        bad = take_qv(t, work, q, v, k, like) + take(work, at_x(t), tau, k, count_v(t), like)
        bad = bad + take(work, at_time(t, c), time, k, 1, like)
        if beyond(bad, 0.0):
            return k + 1
        solve_articulated(handle, memory, ACCELERATION, -1, -1, settings, like)
        if beyond(give(work, at_y(t), out, k, count_v(t), like), 0.0):
            return SINGULAR - k
        give(work, at_multipliers(t, c), multipliers, k, c.size[1], like)
        give(work, at_report(t, c), report, k, 2, like)
    return 0


@kernel
def _constrained_forced(handle, memory, start, stop, settings, q, v, tau, time, f_ext, out, multipliers, report) -> int:
    t, c = open_tables(handle), open_rules(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    for k in range(start, stop, width(like)):
        bad = take_qv(t, work, q, v, k, like) + take(work, at_x(t), tau, k, count_v(t), like)
        bad = bad + take(work, at_time(t, c), time, k, 1, like) + link_forces(handle, work, at_forces(t), f_ext, k, like)
        if beyond(bad, 0.0):
            return k + 1
        solve_articulated(handle, memory, ACCELERATION, at_forces(t), -1, settings, like)
        if beyond(give(work, at_y(t), out, k, count_v(t), like), 0.0):
            return SINGULAR - k
        give(work, at_multipliers(t, c), multipliers, k, c.size[1], like)
        give(work, at_report(t, c), report, k, 2, like)
    return 0


_plain = Driver(_constrained, 1, 1, 1, 1, 1, 1, 1, constants=1)
_forced = Driver(_constrained_forced, 1, 1, 1, 1, 1, 1, 1, 1, constants=1)


class Constrained(NamedTuple):
    """What the articulated solver found: accelerations, multipliers (a solution, zero on dependent rows), rank, residual of the rows left out."""

    vdot: np.ndarray
    multipliers: np.ndarray
    rank: np.ndarray
    residual: np.ndarray


def solve_constrained(model, q, v, tau=None, f_ext=None, t=0.0, *, feedback=(0.0, 0.0), threads=1):
    """The accelerations of a constrained model by articulated bodies.

    `feedback`: (speed, stiffness) with which gaps are drawn in, phi_ddot + speed phi_dot + stiffness phi = 0.
    """
    need_model(model)
    nv = (model.nv,)
    time = np.asarray(t, dtype=float)[..., None]
    inputs = [("q", q, (model.nq,)), ("v", v, nv), ("tau", np.zeros(nv) if tau is None else tau, nv), ("t", time, (1,))]
    shapes, settings = [nv, (model.nc,), (2,)], (np.array([*feedback, 0.0], dtype=float),)
    forces = [] if f_ext is None else [wrenches(model, f_ext)]
    with naming_rows(model, q, v, t):
        vdot, multipliers, report = run(_forced if forces else _plain, model, [*inputs, *forces], shapes, None, threads, settings)
    return Constrained(vdot, multipliers, report[..., 0].astype(int), report[..., 1])
