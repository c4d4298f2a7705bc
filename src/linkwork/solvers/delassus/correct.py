"""Corrections in the mass metric: the least change of velocity, or of position, after which the rows hold; and jumps at impulses.

    dv = -M^-1 J^T K^+ r,      r = phi_dot (velocities) or phi (positions)          dv M-orthogonal to all motions that the rows allow

Some velocities may be kept as they are (`hold`): the articulated-body recursion takes their joints as rigid.
"""

import numpy as np

from ...constraints.jacobian import naming_rows
from ...constraints.modes import IMPULSE, POSITION, VELOCITY
from ...constraints.rows import fill_residuals
from ...constraints.time_functions import take_time
from ...data.constraints import ConstraintData
from ...data.tree import DRIVEN, WRENCHES
from ...dynamics.bound import Bound, Route
from ...dynamics.call import Driver, run
from ...dynamics.exchange import SINGULAR, fill, give, take, take_q
from ...dynamics.external import link_forces
from ...kernels import kernel
from ...kernels.records import pointer_to
from ...kernels.scalar import beyond, scalar_for, width, zero
from ...model.constraint_tables import open_constraints
from ...model.tables import open_tables
from .row_propagation import innovations, respond
from .semidefinite import substitute
from .solve import solve


@kernel
def correct(model, data, level, options) -> None:
    """A correction of VELOCITY or POSITION once more, with the factor that the last solve has left, after `prepare` at a state nearby; to tree.vdot."""
    fill(data.tree.vdot, model.nv, 0.0)
    fill_residuals(model, data, level, 0.0, 0.0)
    substitute(model, data)
    innovations(model, data)
    respond(model, data.tree, data.e, options)


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _correct(handle, data, start, stop, positions, held, damping, q, v, time, out, residuals) -> int:
    """`positions`: is this a correction of positions, not of velocities? `held`: for each velocity, must it not change? `damping`: of K."""
    model, data = open_tables(handle), pointer_to(ConstraintData, data, scalar_for(q))
    tree, nv, mode = data.tree, model.nv, VELOCITY
    if positions[0]:
        mode = POSITION
    for i in range(nv):
        tree.driven[i] = held[i]
    for k in range(start, stop, width(data)):
        if beyond(take_q(model, tree.q, q, k) + take(tree.v, v, k, nv) + take_time(model, data.rows, time, k), 0.0):
            return k + 1
        fill(tree.tau, nv, 0.0)
        solve(model, data, mode, DRIVEN, (0.0, 0.0, damping[0]))
        if beyond(give(tree.vdot, out, k, nv), 0.0):
            return SINGULAR - k
        give(data.residuals, residuals, k, open_constraints(model).nc)
    return 0


@kernel
def _jump(handle, data, start, stop, q, joint, body, out) -> int:
    model, data = open_tables(handle), pointer_to(ConstraintData, data, scalar_for(q))
    tree, nv = data.tree, model.nv
    for k in range(start, stop, width(data)):
        bad = take_q(model, tree.q, q, k) + take(tree.tau, joint, k, nv)
        if beyond(bad + link_forces(model, tree, body, k), 0.0):
            return k + 1
        fill(tree.v, nv, 0.0)
        data.rows.time = zero(data)
        solve(model, data, IMPULSE, WRENCHES, (0.0, 0.0, 0.0))
        if beyond(give(tree.vdot, out, k, nv), 0.0):
            return SINGULAR - k
    return 0


_corrections = Driver(_correct, 1, 1, 1, 1, 1, constants="J1 J1 A1", record=ConstraintData)
_jumps = Driver(_jump, 1, 1, 1, 1, record=ConstraintData)


_POSITIONS, _VELOCITIES = np.array([True], dtype=np.int64), np.array([False], dtype=np.int64)


def _several(model, *arrays):
    return arrays


_bound = Bound(
    Route(_corrections, ("int 1", "int nv", 1, "nq", "nv"), (("nv",), ("nc",)), timed=True, finish=_several, admits=lambda m: bool(m.nc))
)


def _flags(model, held):
    """Booleans as kernels take flags."""
    return np.zeros(model.nv, dtype=np.int64) if held is None else np.asarray(held, dtype=np.int64, order="C")


@_bound.within
def correction(model, q, v=None, t=0.0, *, held=None, damping=0.0, threads=1):
    """(dv, residuals): the correction of the velocities v, or of the positions if v is None, and what the rows lacked before.

    held: (nv,) booleans, True where a velocity must not change. A correction of positions is applied by lw.integrate(model, q, dv).
    """
    nv = (model.nv,)
    constants = _VELOCITIES if v is not None else _POSITIONS, _flags(model, held), np.array([damping])
    if threads == 1:
        found = _bound.short(model, *constants, q, np.zeros(nv) if v is None else v, t)
        if found is not None:
            return found
    inputs = [("q", q, (model.nq,)), ("v", np.zeros(nv) if v is None else v, nv), ("t", np.asarray(t, dtype=float)[..., None], (1,))]
    with naming_rows(model, q, v, t):
        return run(_corrections, model, inputs, [nv, (model.nc,)], None, threads, constants)


def constrained_jump(model, q, joint_impulse, body_impulses, out=None, threads=1):
    """The jump of v that impulses cause in a mechanism whose constraints hold before and after."""
    nv = (model.nv,)
    inputs = [("q", q, (model.nq,)), ("joint_impulse", joint_impulse, nv), body_impulses]
    return run(_jumps, model, inputs, [nv], out, threads)
