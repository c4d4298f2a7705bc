"""Constrained forward dynamics by a sparse factor of the multiplier system in maximal coordinates: drivers and the function around them.

Order and fill are found once for a model (sparse_order.py), laid out as a program with its memory (sparse_program.py), and walked by
compiled kernels for each state (sparse_sweep.py, sparse_rows.py, sparse_factor.py) without allocating anything.
"""

import numpy as np
from numpy import array, empty

from ..dynamics.bound import Route, calls_back
from ..dynamics.call import Driver, run
from ..dynamics.external import wrenches
from ..dynamics.slots import SINGULAR, quaternions_off
from ..dynamics.sweep import body_offset
from ..kernels import JIT, kernel, when_compiling
from ..kernels.scalar import beyond, widest, width
from ..model.model import need_model
from ..model.rules import open_rules
from ..model.tables import at_v, at_x, at_y, count_bodies, count_links, count_q, count_v, open_tables
from ..spatial.motion import force_to_parent
from ..spatial.vectors import add6, load6, store6
from .constrained import Constrained
from .forward import bound
from .jacobian import naming_rows
from .modes import ACCELERATION, CONTRADICTION
from .sparse_closing import F_
from .sparse_program import (
    C_PACKS,
    C_ROW,
    C_ROWS,
    C_VECTOR,
    CONSTRAINT,
    HEADER,
    J_ROW,
    J_STORE,
    JOINT,
    LAMBDA,
    P_COUNT,
    P_FORCES,
    P_JOINTS,
    P_JOINTS_COUNT,
    P_TIME,
    open_workspace,
    workspace_of,
)
from .sparse_sweep import solve_state


def cell(array, k, i):
    """Number i of state k of a batch, or of the only state."""
    return array[i] if array.ndim == 1 else array[k, i]


def put_cell(array, k, i, value):
    """Set number i of state k."""
    if array.ndim == 1:
        array[i] = value
    else:
        array[k, i] = value


@kernel
def _copy_in(work, at, array, k, count) -> float:
    """Copy one state; returns 0, or NaN if a value is not finite."""
    bad = 0.0
    for i in range(count):
        work[at + i] = cell(array, k, i)
        bad += work[at + i] * 0.0
    return bad


@kernel
def _copy_out(work, at, array, k, count) -> float:
    bad = 0.0
    for i in range(count):
        put_cell(array, k, i, work[at + i])
        bad += work[at + i] * 0.0
    return bad


@kernel
def _take_forces(handle, work, at, f_ext, k) -> float:
    """Wrenches on bodies to wrenches on links, in link coordinates."""
    t = open_tables(handle)
    n, nb = count_links(t), count_bodies(t)
    given = at + 6 * n
    bad = _copy_in(work, given, f_ext, k, 6 * nb)
    for j in range(6 * n):
        work[at + j] = 0.0
    for b in range(nb):
        body = t.bodies[b]
        if body.link >= 0:
            F = force_to_parent(body_offset(body, 0.0), load6(work, given + 6 * b, 0.0))
            to = at + 6 * body.link
            store6(work, to, add6(load6(work, to, 0.0), F))
    return bad


@kernel
def _take_state(handle, memory, q, v, tau, time, k) -> float:
    """q, v, tau and the time of state k into the memory; NaN if a value is not fit."""
    t = open_tables(handle)
    P, work = open_workspace(memory)
    bad = _copy_in(work, 0, q, k, count_q(t)) + _copy_in(work, at_v(t), v, k, count_v(t))
    bad += _copy_in(work, at_x(t), tau, k, count_v(t)) + _copy_in(work, P[P_TIME], time, k, 1)
    if t.quats.shape[0] > 0:
        bad += quaternions_off(t.quats, work, 0.0)
    return bad


@kernel
def _finish(handle, memory, forces, k, out, multipliers, report) -> float:
    """Solve the state in the memory and give its results; NaN if the accelerations are not finite."""
    t = open_tables(handle)
    P, work = open_workspace(memory)
    wide = widest()
    rank, residual = solve_state(handle, memory, forces, ACCELERATION, 0.0, 0.0, wide)
    for e in range(P[P_COUNT]):
        c = HEADER + CONSTRAINT * e
        values = (P[c + C_VECTOR] + LAMBDA * P[c + C_PACKS]) * width(wide)
        if P[c + C_ROW] >= 0:
            for i in range(P[c + C_ROWS]):
                put_cell(multipliers, k, P[c + C_ROW] + i, work[values + i])
    for j in range(P[P_JOINTS_COUNT]):
        c = P[P_JOINTS] + JOINT * j
        for i in range(6):
            put_cell(multipliers, k, P[c + J_ROW] + i, work[P[c + J_STORE] + F_ + i])
    put_cell(report, k, 0, float(rank))
    put_cell(report, k, 1, residual)
    return _copy_out(work, at_y(t), out, k, count_v(t))


@kernel
def _sparse(handle, memory, start, stop, q, v, tau, time, out, multipliers, report) -> int:
    t = open_tables(handle)
    if (
        q.shape[-1] != t.size[1]
        or v.shape[-1] != t.size[2]
        or tau.shape[-1] != t.size[2]
        or multipliers.shape[-1] != open_rules(handle).size[1]
    ):
        return -1
    for k in range(start, stop):
        if beyond(_take_state(handle, memory, q, v, tau, time, k), 0.0):
            return k + 1
        if beyond(_finish(handle, memory, -1, k, out, multipliers, report), 0.0):
            return SINGULAR - k
    return 0


@kernel
def _sparse_forced(handle, memory, start, stop, q, v, tau, time, f_ext, out, multipliers, report) -> int:
    P, work = open_workspace(memory)
    for k in range(start, stop):
        if beyond(_take_state(handle, memory, q, v, tau, time, k) + _take_forces(handle, work, P[P_FORCES], f_ext, k), 0.0):
            return k + 1
        if beyond(_finish(handle, memory, P[P_FORCES], k, out, multipliers, report), 0.0):
            return SINGULAR - k
    return 0


_plain = Driver(_sparse, 1, 1, 1, 1, 1, 1, 1)
_forced = Driver(_sparse_forced, 1, 1, 1, 1, 1, 1, 1, 1)
_START = np.zeros(1)  # the time of calls that say nothing about it


@when_compiling
def _verbs():
    from numba.extending import overload

    @overload(cell)
    def _cell(array, k, i):
        if array.ndim == 1:
            return lambda array, k, i: array[i]
        return lambda array, k, i: array[k, i]

    @overload(put_cell)
    def _put_cell(array, k, i, value):
        if array.ndim == 1:

            def one(array, k, i, value):
                array[i] = value

            return one

        def many(array, k, i, value):
            array[k, i] = value

        return many


# The sparse solver is imported when the first model with constraints comes: before that, no such model can have been bound.
_BOUND = bound.add(
    Route(
        _plain,
        ("nq", "nv", "nv?"),
        (("nv",),),
        timed=True,
        limit=CONTRADICTION,
        admits=lambda model: bool(model.nc),
        workspace=workspace_of,
    )
)


def short_way(model, q, v, tau, t):
    """(vdot, multipliers, report) of one state: unboxing checks the types, the kernel sizes and values. Any error means: go the long way."""
    if calls_back(model):
        raise ValueError
    vdot, multipliers, report = empty(model.nv), empty(model.nc), empty(2)
    time = _START if t == 0.0 else array([t], float)  # an array made from a number takes as long as three empty ones
    if _plain.one(model.handle, model.kept["sparse"].scratch, 0, 1, q, v, tau, time, vdot, multipliers, report) != 0:
        raise ValueError
    bound.bind(model, _BOUND)
    return vdot, multipliers, report


def solve_sparse(model, q, v, tau=None, f_ext=None, t=0.0, *, threads=1):
    """The accelerations of a constrained model by a sparse LDL^T of the multiplier system: linear time on trees and on loops beside each other.

    Multipliers are a solution, one of many where rows are redundant. Rank counts the rows that were kept; residual is the most that one of the
    others lacks, relative to the largest right side.
    """
    if JIT and f_ext is None and threads == 1:
        try:
            vdot, multipliers, report = short_way(model, q, v, tau, t)
            return Constrained(vdot, multipliers, report[0].astype(int), report[1])
        except (TypeError, AttributeError, KeyError, ValueError):
            pass  # a batch, other types, a first call, or an error: the long way finds out
    need_model(model)
    workspace, nv = workspace_of(model), (model.nv,)
    time = np.asarray(t, dtype=float)[..., None]
    inputs = [("q", q, (model.nq,)), ("v", v, nv), ("tau", np.zeros(nv) if tau is None else tau, nv), ("t", time, (1,))]
    shapes = [nv, (model.nc,), (2,)]
    forces = [] if f_ext is None else [wrenches(model, f_ext)]
    with naming_rows(model, q, v, t):
        vdot, multipliers, report = run(
            _forced if forces else _plain, model, [*inputs, *forces], shapes, None, threads, workspace=workspace
        )
    return Constrained(vdot, multipliers, report[..., 0].astype(int), report[..., 1])
