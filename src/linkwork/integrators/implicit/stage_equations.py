r"""The equations of motion at the stages of an implicit step, and their derivatives: what Newton's method works on.

    r = M vdot + b - Q(q, v, t) - J^T lambda,        phi_dot = J v + phi_t                    at each stage, q = q_0 (+) theta
    vdot_i = sum_j (A^-1)_ij (v_j - v_0) / h,        theta_i = h sum_j a_ij dexp^-1(theta_j, v_j)

Unknown are the stages' velocities and multipliers. theta is known but for dexp^-1, which only joints with quaternions have: a few sweeps settle it,
since each of them contracts by h |omega| / 2. r comes from recursive Newton-Euler with the forces of all laws, in O(n). Derivatives are differences
of r to both sides, laws of users included, so that masses, gyroscopic terms and the curvature of the constraints are in them as well as springs.
"""

import math
from typing import NamedTuple

import numpy as np

from ...analysis.assembly import step_units
from ...constraints.jacobian import rows_in_joints
from ...data.accelerations import AccelerationData, ArticulatedAccelerationData
from ...data.forces import ForceTable
from ...data.stepper import Stepper, for_kernels
from ...data.tree import GRAVITY, VELOCITIES
from ...dynamics.applied import acting, apply_forces
from ...dynamics.configuration import local_rate, move
from ...dynamics.mass_matrix import mass_matrix
from ...dynamics.rnea import newton_euler
from ...kernels import kernel
from ...kernels.records import Record, integer, pointer_to, real, scalars
from ...model.tables import open_tables
from ..system import Workspace
from .radau import INVERSE, STAGES, A, C

NUDGE = 1e-7  # rad, lengths of the mechanism: steps of differences
PUSH = 1e-6  # of the motion: the same of velocities
SWEEPS = 3  # for theta of joints with quaternions; Newton's iterations come on top


class Stages(Record):
    """The stages of one step, three of everything, one stage after the other."""

    nv = integer("velocities")
    nc = integer("rows of constraints")
    nw = integer("powers")
    sweeps = integer("rounds for theta, 1 where theta' = v")
    pace = real("1/s: how fast the motion is, for differences", by="caller")
    reach = scalars("nv", "what makes velocities comparable: 1 for turns, the mechanism's length for slides")
    A = scalars(9, "coefficients of the method, row-major")
    inverse = scalars(9, "those of A^-1")
    c = scalars(3, "where the stages stand in the step")
    latest = real("s: stages are evaluated no later, just before what jumps where the step ends", by="caller")
    v = scalars("3 * nv", "velocities", by="caller")
    multipliers = scalars("3 * nc", "multipliers", by="caller")
    theta = scalars("3 * nv", "local coordinates about q0", by="caller, stage_residuals")
    rates = scalars("3 * nv", "theta'", by="stage_residuals")
    vdot = scalars("3 * nv", "accelerations", by="stage_residuals")
    r = scalars("3 * nv", "residuals of the equations of motion", by="stage_residuals")
    phi_dot = scalars("3 * nc", "residuals of the rows on velocities", by="stage_residuals")
    phi_t = scalars("3 * nc", "rates of the rows at rest", by="stage_residuals")
    powers = scalars(
        "3 * nw",
        "power of each force, of controllers; that of prescribed motion is worked out when multipliers are final",
        by="stage_residuals",
    )
    applied = scalars("nv", "joint forces of all laws at the state that is evaluated", by="_forces_residual")
    point_theta = scalars("nv", "where derivatives are taken: local coordinates", by="slopes_of_residual")
    point_v = scalars("nv", "and velocities", by="slopes_of_residual")
    point_vdot = scalars("nv", "accelerations at which residuals are evaluated", by="stage_residuals, slopes_of_residual")
    sides = scalars("2 * nc", "phi_dot to both sides of that point", by="slopes_of_residual")
    gaps = scalars("nc", "phi of the rows at one state", by="state_rows")
    speeds = scalars("nc", "phi_dot of the rows at one state", by="state_rows")


@kernel
def _forces_residual(stepper: Stepper, stages: Stages, time) -> None:
    """M vdot + b - Q at q, v and `point_vdot`, in the place of tau."""
    model, table, data = (
        open_tables(stepper.model),
        pointer_to(ForceTable, stepper.active, 0.0),
        pointer_to(AccelerationData, stepper.data, 0.0),
    )
    apply_forces(model, table, data.tree, data.forces, time)
    for k in range(stages.nv):
        stages.applied[k] = stepper.tau[k]
        stepper.vdot[k] = stages.point_vdot[k]
    newton_euler(model, data.tree, GRAVITY | VELOCITIES | acting(table))
    for k in range(stages.nv):
        stepper.tau[k] = stepper.tau[k] - stages.applied[k]


@kernel
def _residual(stepper: Stepper, stages: Stages, J, at, time) -> None:
    """r at q, v and vdot with the multipliers from number `at` on, in the place of tau. phi and phi_dot are left in the solver's data."""
    _forces_residual(stepper, stages, time)
    if stages.nc == 0:
        return
    data = pointer_to(ArticulatedAccelerationData, stepper.data, 0.0).constraints
    data.rows.time = time
    rows_in_joints(open_tables(stepper.model), data, J, 0)
    for i in range(stages.nc):
        multiplier = stages.multipliers[at + i]
        if multiplier != 0.0:
            for k in range(stages.nv):
                stepper.tau[k] = stepper.tau[k] - multiplier * J[i, k]


@kernel(entry="i i A2 d d -> d")
def stage_residuals(stepper: Stepper, stages: Stages, J, time, h) -> float:
    """theta, vdot, r, phi_dot and powers of all stages, from their velocities and multipliers. Returns 0, or NaN if something is not finite."""
    model, nv, nc, nw, bad = open_tables(stepper.model), stages.nv, stages.nc, stages.nw, 0.0
    for _ in range(stages.sweeps):
        for j in range(3):
            for k in range(nv):
                stepper.theta[k] = stages.theta[nv * j + k]
                stepper.v[k] = stages.v[nv * j + k]
            local_rate(model, stepper.theta, stepper.v, stages.rates, nv * j)
        for i in range(3):
            for k in range(nv):
                rate = 0.0
                for j in range(3):
                    rate += stages.A[3 * i + j] * stages.rates[nv * j + k]
                stages.theta[nv * i + k] = h * rate
    for i in range(3):
        for k in range(nv):
            change = 0.0
            for j in range(3):
                change += stages.inverse[3 * i + j] * (stages.v[nv * j + k] - stepper.v0[k])
            stages.vdot[nv * i + k] = change / h
    for i in range(3):
        for k in range(nv):
            stepper.theta[k] = stages.theta[nv * i + k]
            stepper.v[k] = stages.v[nv * i + k]
            stages.point_vdot[k] = stages.vdot[nv * i + k]
        move(model, stepper.q0, stepper.theta, stepper.q)
        _residual(stepper, stages, J, nc * i, min(time + stages.c[i] * h, stages.latest))
        for k in range(nv):
            stages.r[nv * i + k] = stepper.tau[k]
            bad += stepper.tau[k] * 0.0
        for k in range(nw):
            stages.powers[nw * i + k] = stepper.powers[k]
        bad += _keep_rows(stepper, stages.phi_dot, nc, nc * i)
        for k in range(nc):
            stages.phi_t[nc * i + k] = pointer_to(ArticulatedAccelerationData, stepper.data, 0.0).constraints.rows.rows[k].rate
    return bad


@kernel
def _keep_rows(stepper: Stepper, phi_dot, nc, at) -> float:
    """phi_dot as `_residual` left it, to number `at` on; returns 0 or NaN."""
    bad = 0.0
    if nc > 0:
        data = pointer_to(ArticulatedAccelerationData, stepper.data, 0.0).constraints
        for i in range(nc):
            phi_dot[at + i] = data.phi_dot[i]
            bad += data.phi_dot[i] * 0.0
    return bad


@kernel(entry="i i A2 d -> d")
def state_rows(stepper: Stepper, stages: Stages, J, time) -> float:
    """phi, phi_dot and J of all rows at q and v of the stepper. Returns 0, or NaN if something is not finite."""
    data = pointer_to(ArticulatedAccelerationData, stepper.data, 0.0).constraints
    data.rows.time = time
    rows_in_joints(open_tables(stepper.model), data, J, 0)
    bad = 0.0
    for i in range(stages.nc):
        stages.gaps[i] = data.phi[i]
        stages.speeds[i] = data.phi_dot[i]
        bad += (stages.gaps[i] + stages.speeds[i]) * 0.0
    return bad


@kernel(entry="i i A2 i d A2 A2 A2 -> d")
def slopes_of_residual(stepper: Stepper, stages: Stages, J, stage, time, K, D, W) -> float:
    """Columns dr/dtheta, dr/dv and d phi_dot/dtheta at a stage, or, stage = -1, at q0 and v0 with vdot and multipliers of stage 0. Returns 0 or NaN.

    q is left where the derivatives are taken, J is evaluated there.
    """
    model, nv, nc, bad = open_tables(stepper.model), stages.nv, stages.nc, 0.0
    at = max(stage, 0)
    theta, v = stages.point_theta, stages.point_v
    for k in range(nv):
        theta[k] = 0.0 if stage < 0 else stages.theta[nv * at + k]
        v[k] = stepper.v0[k] if stage < 0 else stages.v[nv * at + k]
        stepper.theta[k] = theta[k]
        stepper.v[k] = v[k]
        stages.point_vdot[k] = stages.vdot[nv * at + k]
    for j in range(nv):
        nudge = NUDGE * stages.reach[j]
        for side in range(2):
            stepper.theta[j] = theta[j] + (nudge if side == 0 else -nudge)
            move(model, stepper.q0, stepper.theta, stepper.q)
            _residual(stepper, stages, J, nc * at, time)
            for k in range(nv):
                K[k, j] = stepper.tau[k] if side == 0 else (K[k, j] - stepper.tau[k]) / (2.0 * nudge)
            bad += _keep_rows(stepper, stages.sides, nc, nc * side)
        stepper.theta[j] = theta[j]
        for i in range(nc):
            W[i, j] = (stages.sides[i] - stages.sides[nc + i]) / (2.0 * nudge)
    move(model, stepper.q0, stepper.theta, stepper.q)
    for j in range(nv):
        step = PUSH * max(stages.pace * stages.reach[j], abs(v[j]))
        for side in range(2):
            stepper.v[j] = v[j] + (step if side == 0 else -step)
            _forces_residual(stepper, stages, time)
            for k in range(nv):
                D[k, j] = stepper.tau[k] if side == 0 else (D[k, j] - stepper.tau[k]) / (2.0 * step)
        stepper.v[j] = v[j]
    for j in range(nv):
        for k in range(nv):
            bad += (K[k, j] + D[k, j]) * 0.0
    if nc > 0:
        state_rows(stepper, stages, J, time)
    return bad


class Slopes(NamedTuple):
    """M, J and derivatives at a state: of r by theta and v (K, D), of phi_dot by theta (W)."""

    M: np.ndarray
    K: np.ndarray
    D: np.ndarray
    W: np.ndarray
    J: np.ndarray


class StageEquations:
    """The equations of a system at the stages of a step, in data of their own. `evaluations` counts evaluations of forces.

    v, theta, vdot, r, powers (3, ...), multipliers, phi_dot (3, nc): the stages. gaps, speeds (nc): rows at one state; J (nc, nv): where it was evaluated last.
    """

    def __init__(self, system):
        model = system.model
        self.system, self.evaluations = system, 0
        self._workspace = Workspace(system, "articulated" if model.nc else "tree")
        self.stepper = self._workspace.stepper
        sizes = {"nv": model.nv, "nc": model.nc, "nw": self.stepper.nw}
        self.stages = s = Stages.allocate(sizes, 1)
        s.nv, s.nc, s.nw = model.nv, model.nc, self.stepper.nw
        s.reach[:] = step_units(model)
        s.sweeps = SWEEPS if len(model.tables.quats) else 1
        s.A[:], s.inverse[:], s.c[:], s.latest = A.ravel(), INVERSE.ravel(), C, math.inf
        self.v, self.theta, self.vdot, self.r = (x.reshape(STAGES, -1) for x in (s.v, s.theta, s.vdot, s.r))
        self.multipliers, self.phi_dot, self.phi_t = (x.reshape(STAGES, -1) for x in (s.multipliers, s.phi_dot, s.phi_t))
        self.powers = s.powers.reshape(STAGES, -1)
        self.gaps, self.speeds, self.J = s.gaps, s.speeds, np.zeros((model.nc, model.nv))

    def begin(self, q, v):
        """Steps begin at this state; controllers hold what they hold in the system."""
        self.stepper.q0[:], self.stepper.v0[:] = q, v
        self.stepper.held[:], self.stepper.memory[:] = self.system.held, self.system.stepper.memory

    def evaluate(self, t, h):
        """Residuals of all stages of a step. False where something is not finite."""
        self.evaluations += STAGES
        return not math.isnan(stage_residuals(for_kernels(self.stepper), for_kernels(self.stages), self.J, t, h))

    def slopes(self, t, vdot, multipliers):
        """The Slopes at the state where steps begin, or None."""
        self.vdot[0], self.multipliers[0] = vdot, multipliers
        return self._slopes(t, -1)

    def slopes_of_stages(self, t, h):
        """The Slopes at each of the stages as they stand, after `evaluate`; or None."""
        found = [self._slopes(t + c * h, i) for i, c in enumerate(C)]
        return None if any(one is None for one in found) else found

    def _slopes(self, t, stage):
        nv, nc = self.stages.nv, self.stages.nc
        K, D, W = np.empty((nv, nv)), np.empty((nv, nv)), np.empty((nc, nv))
        bad = slopes_of_residual(for_kernels(self.stepper), for_kernels(self.stages), self.J, stage, t, K, D, W)
        self.evaluations += 4 * nv
        if math.isnan(bad):
            return None
        return Slopes(np.atleast_2d(mass_matrix(self.system.model, self.stepper.q.copy())), K, D, W, self.J.copy())
