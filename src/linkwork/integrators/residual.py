r"""The residual of the equations of motion at a state and accelerations, and how that changes with positions and velocities.

    r(q, v, vdot, lambda, t) = M vdot + b - Q(q, v, t) - J^T lambda,        phi(q, t),        phi_dot = J v + phi_t

By recursive Newton-Euler with the forces of all laws, compiled, in O(n). Derivatives are differences of r in local coordinates about a base,
q = q_0 (+) theta, and in v: two evaluations a velocity, O(n^2) in all, laws of users included. Masses, gyroscopic terms and the constraints'
own curvature are in them as well as springs, so that Newton's method converges as it should.
"""

from typing import NamedTuple

import numpy as np

from ..data.forces import ForceTable
from ..data.rates import Rates
from ..data.tree import GRAVITY, VELOCITIES
from ..dynamics.applied import acting, apply_forces
from ..dynamics.configuration import integrate
from ..dynamics.mass_matrix import mass_matrix
from ..dynamics.rnea import newton_euler
from ..errors import LinkworkError
from ..kernels import kernel
from ..kernels.records import pointer_to
from ..model.tables import open_tables
from ..solvers.jacobian import constraint_jacobian
from .stepper import Stepper, for_kernels
from .steps import move_from_start
from .system import Place

NUDGE = 1e-7  # rad, m: steps of differences, for coordinates of size one and below
PUSH = 1e-6  # rad/s, m/s


@kernel
def _residual(stepper: Stepper, time) -> None:
    """M vdot + b - Q at q, v and the accelerations in the first numbers of the stages; it is left in the place of tau."""
    model, table, data = open_tables(stepper.model), pointer_to(ForceTable, stepper.active, 0.0), pointer_to(Rates, stepper.data, 0.0)
    nv, stages = stepper.nv, stepper.stages
    apply_forces(model, table, data.tree, data.forces, time)
    for k in range(nv):
        stages[nv + k] = stepper.tau[k]
        stepper.vdot[k] = stages[k]
    newton_euler(model, data.tree, GRAVITY | VELOCITIES | acting(table))
    for k in range(nv):
        stepper.tau[k] = stepper.tau[k] - stages[nv + k]


@kernel(entry="i d A1 A1 A1 A1 -> n")
def residual_of_forces(stepper: Stepper, time, q, v, vdot, out) -> None:
    """r without multipliers, to `out`; powers stand in their places after it."""
    for k in range(stepper.nq):
        stepper.q[k] = q[k]
    for k in range(stepper.nv):
        stepper.v[k] = v[k]
        stepper.stages[k] = vdot[k]
    _residual(stepper, time)
    for k in range(stepper.nv):
        out[k] = stepper.tau[k]


@kernel(entry="i d A1 A1 A1 A1 A2 A2 -> n")
def slopes_of_forces(stepper: Stepper, time, q0, theta, v, vdot, K, D) -> None:
    """Columns dr/dtheta and dr/dv at q0 (+) theta, by differences to both sides, which laws with a corner need."""
    nv = stepper.nv
    for k in range(stepper.nq):
        stepper.q0[k] = q0[k]
    for k in range(nv):
        stepper.theta[k] = theta[k]
        stepper.v[k] = v[k]
        stepper.stages[k] = vdot[k]
    for j in range(nv):
        for side in range(2):
            step = NUDGE * (1.0 - 2.0 * side)
            stepper.theta[j] = theta[j] + step
            move_from_start(stepper)
            _residual(stepper, time)
            for k in range(nv):
                K[k, j] = stepper.tau[k] if side == 0 else (K[k, j] - stepper.tau[k]) / (2.0 * NUDGE)
        stepper.theta[j] = theta[j]
    move_from_start(stepper)
    for j in range(nv):
        step = PUSH * max(1.0, abs(v[j]))
        for side in range(2):
            stepper.v[j] = v[j] + step * (1.0 - 2.0 * side)
            _residual(stepper, time)
            for k in range(nv):
                D[k, j] = stepper.tau[k] if side == 0 else (D[k, j] - stepper.tau[k]) / (2.0 * step)
        stepper.v[j] = v[j]


class Residual(NamedTuple):
    """Residuals of the equations: forces r, positions phi, velocities phi_dot; with the rows J, the powers, and their rate phi_t."""

    r: np.ndarray
    phi: np.ndarray
    phi_dot: np.ndarray
    J: np.ndarray
    powers: np.ndarray


class Slopes(NamedTuple):
    """M, and derivatives at a point: of r by theta and v (K, D), of phi and phi_dot by theta (G, V); J itself is that of phi_dot by v."""

    M: np.ndarray
    K: np.ndarray
    D: np.ndarray
    G: np.ndarray
    V: np.ndarray
    J: np.ndarray


class Equations:
    """The equations of motion of a system, in data of their own. `evaluations` counts evaluations of r."""

    def __init__(self, system):
        self.system, self.evaluations = system, 0
        self._stepper = Place(system).stepper

    def residual(self, t, q, v, vdot, multipliers):
        """The Residual at a state, or None where something is not finite."""
        s, model = self.system, self.system.model
        if not (np.isfinite(q).all() and np.isfinite(v).all() and np.isfinite(vdot).all()):
            return None
        r = np.empty(model.nv)
        self._stepper.held[:] = s.held
        residual_of_forces(for_kernels(self._stepper), float(t), q, v, vdot, r)
        self.evaluations += 1
        powers = self._stepper.powers.copy()
        if not model.nc:
            return Residual(r, _none, _none, np.zeros((0, model.nv)), powers) if np.isfinite(r).all() else None
        try:
            rows = constraint_jacobian(model, q, v, t)
        except LinkworkError:
            return None
        r -= multipliers @ rows.J
        powers[-1] = -multipliers @ (rows.phi_dot - rows.J @ v)
        return Residual(r, rows.phi, rows.phi_dot, rows.J, powers) if np.isfinite(r).all() else None

    def slopes(self, t, q0, theta, v, vdot, multipliers):
        """The Slopes at q0 (+) theta, or None."""
        s, model, nv = self.system, self.system.model, self.system.model.nv
        K, D = np.empty((nv, nv)), np.empty((nv, nv))
        self._stepper.held[:] = s.held
        slopes_of_forces(for_kernels(self._stepper), float(t), q0, theta, v, vdot, K, D)
        self.evaluations += 4 * nv
        q = integrate(model, q0, theta)
        M = np.atleast_2d(mass_matrix(model, q))
        if not (np.isfinite(K).all() and np.isfinite(D).all()):
            return None
        if not model.nc:
            none = np.zeros((0, nv))
            return Slopes(M, K, D, none, none, none)
        try:
            here = constraint_jacobian(model, q, v, t)
            near = integrate(model, np.tile(q0, (nv, 1)), theta + NUDGE * np.eye(nv))
            rows = constraint_jacobian(model, near, np.tile(v, (nv, 1)), np.full(nv, float(t)))
        except LinkworkError:
            return None
        K -= (np.einsum("jci,c->ij", rows.J, multipliers) - (multipliers @ here.J)[:, None]) / NUDGE
        G, V = ((there - now).T / NUDGE for there, now in ((rows.phi, here.phi), (rows.phi_dot, here.phi_dot)))
        return Slopes(M, K, D, G, V, here.J)


_none = np.zeros(0)
