r"""What the equations of motion lack at a state and accelerations, and how that changes with positions and velocities.

    r(q, v, vdot, lambda, t) = M vdot + b - Q(q, v, t) - J^T lambda,        phi(q, t),        phi_dot = J v + phi_t

By recursive Newton-Euler with the forces of all laws, compiled, in O(n). Derivatives are differences of r in local coordinates about a base,
q = q_0 (+) theta, and in v: two evaluations a velocity, O(n^2) in all, laws of users included. Masses, gyroscopic terms and the constraints'
own curvature are in them as well as springs, so that Newton's method converges as it should.
"""

from typing import NamedTuple

import numpy as np

from ..dynamics.applied import apply_forces
from ..dynamics.configuration import integrate, move
from ..dynamics.force_tables import L_BETWEEN, L_HELD, L_POWERS, L_WRENCHES, open_loads
from ..dynamics.mass_matrix import mass_matrix
from ..dynamics.rnea import newton_euler
from ..dynamics.slots import HUGE
from ..errors import LinkworkError
from ..kernels import JIT, kernel
from ..model.tables import at_v, at_x, at_y, count_v, floats_at, open_tables
from ..solvers.jacobian import constraint_jacobian
from .steps import at_q0, at_stages, at_theta

NUDGE = 1e-7  # rad, m: steps of differences, for coordinates of size one and below
PUSH = 1e-6  # rad/s, m/s


@kernel
def _lack(handle, loads, work, stage, time) -> None:
    """M vdot + b - Q at q, v in their slots and vdot at `stage`, to y's slots."""
    t, f = open_tables(handle), open_loads(loads)
    nv, x, y = count_v(t), at_x(t), at_y(t)
    apply_forces(handle, loads, work, time, 0.0)
    for k in range(nv):
        work[stage + nv + k], work[x + k] = work[x + k], work[stage + k]
    newton_euler(handle, work, 1.0, 1, f.size[L_WRENCHES] if f.size[L_BETWEEN] > 0 else -1, 0.0)
    for k in range(nv):
        work[y + k] -= work[stage + nv + k]


@kernel(entry="i i i i d A1 A1 A1 A1 -> n")
def lack_of_forces(handle, loads, memory, first, time, q, v, vdot, out) -> None:
    """r without multipliers, to `out`; powers stand in their slots after it."""
    t, f = open_tables(handle), open_loads(loads)
    work, nv = floats_at(memory, HUGE), count_v(t)
    stage = at_stages(t, f, first)
    for k in range(q.shape[0]):
        work[k] = q[k]
    for k in range(nv):
        work[at_v(t) + k], work[stage + k] = v[k], vdot[k]
    _lack(handle, loads, work, stage, time)
    for k in range(nv):
        out[k] = work[at_y(t) + k]


@kernel(entry="i i i i d A1 A1 A1 A1 A2 A2 -> n")
def slopes_of_forces(handle, loads, memory, first, time, q0, theta, v, vdot, K, D) -> None:
    """Columns dr/dtheta and dr/dv at q0 (+) theta, by differences to both sides, which laws with a corner need."""
    t, f = open_tables(handle), open_loads(loads)
    work, nv = floats_at(memory, HUGE), count_v(t)
    base, at, stage, y = at_q0(t, f, first), at_theta(t, f, first), at_stages(t, f, first), at_y(t)
    for k in range(q0.shape[0]):
        work[base + k] = q0[k]
    for k in range(nv):
        work[at + k], work[at_v(t) + k], work[stage + k] = theta[k], v[k], vdot[k]
    for j in range(nv):
        for side in range(2):
            step = NUDGE * (1.0 - 2.0 * side)
            work[at + j] = theta[j] + step
            move(handle, work, base, at, 0, 0.0)
            _lack(handle, loads, work, stage, time)
            for k in range(nv):
                K[k, j] = work[y + k] if side == 0 else (K[k, j] - work[y + k]) / (2.0 * NUDGE)
        work[at + j] = theta[j]
    move(handle, work, base, at, 0, 0.0)
    for j in range(nv):
        step = PUSH * max(1.0, abs(v[j]))
        for side in range(2):
            work[at_v(t) + j] = v[j] + step * (1.0 - 2.0 * side)
            _lack(handle, loads, work, stage, time)
            for k in range(nv):
                D[k, j] = work[y + k] if side == 0 else (D[k, j] - work[y + k]) / (2.0 * step)
        work[at_v(t) + j] = v[j]


class Lack(NamedTuple):
    """What the equations lack: forces r, positions phi, velocities phi_dot; with the rows J, the powers, and their rate phi_t."""

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
    """The equations of motion of a system, in a scratch memory of their own. `evaluations` counts evaluations of r."""

    def __init__(self, system):
        self.system, self.evaluations = system, 0
        self._array = np.zeros(system.slots)
        self._memory = int(self._array.ctypes.data) if JIT else self._array
        header, nv = system.loads.header, system.model.nv
        self._held = slice(int(header[L_HELD]), int(header[L_HELD]) + nv)
        self._powers = slice(int(header[L_POWERS]), int(header[L_POWERS]) + len(system.loads.infos) + 2)

    def lack(self, t, q, v, vdot, multipliers):
        """The Lack at a state, or None where something is not finite."""
        s, model = self.system, self.system.model
        if not (np.isfinite(q).all() and np.isfinite(v).all() and np.isfinite(vdot).all()):
            return None
        r = np.empty(model.nv)
        self._array[self._held] = s.held
        lack_of_forces(model.handle, s.loads.handle, self._memory, s.first, float(t), q, v, vdot, r)
        self.evaluations += 1
        powers = self._array[self._powers].copy()
        if not model.nc:
            return Lack(r, _none, _none, np.zeros((0, model.nv)), powers) if np.isfinite(r).all() else None
        try:
            rows = constraint_jacobian(model, q, v, t)
        except LinkworkError:
            return None
        r -= multipliers @ rows.J
        powers[-1] = -multipliers @ (rows.phi_dot - rows.J @ v)
        return Lack(r, rows.phi, rows.phi_dot, rows.J, powers) if np.isfinite(r).all() else None

    def slopes(self, t, q0, theta, v, vdot, multipliers):
        """The Slopes at q0 (+) theta, or None."""
        s, model, nv = self.system, self.system.model, self.system.model.nv
        K, D = np.empty((nv, nv)), np.empty((nv, nv))
        self._array[self._held] = s.held
        slopes_of_forces(model.handle, s.loads.handle, self._memory, s.first, float(t), q0, theta, v, vdot, K, D)
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
