r"""`EnergyMomentum`: the conserving method of Gonzalez with discrete gradients, in maximal coordinates, for comparison.

    M (z_1 - z_0) = h ( M u_m + G_m^T mu )                                  u_m, G_m: at the middle, (u_0 + u_1)/2 and G((z_0 + z_1)/2)
    M (u_1 - u_0) = -h ( dV + G_m^T lambda + sum mu_k Q_k u_m )             dV: discrete gradient of all energies (discrete_gradient.py)
    g(z_1) = 0,     G(z_1) u_1 = 0

After Gonzalez (1999), whose mu keep velocities on the constraints as well; without them it is the energy-momentum method of Gonzalez (1996) that Wendlandt
(1997, section 2.4.2) compares with. Scalar products of the two equations with u_m, and of the rows with lambda and mu, leave T_1 + V_1 = T_0 + V_0
exactly; all rows being invariant under rotations, the angular momentum follows. M may be singular. Order 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...constraints.projection import onto_constraints
from ...constraints.rank import TOLERANCE
from ...data.stepper import for_kernels
from ...errors import ModelError
from ...validation import is_flag
from ..fixed_step import NEAR, FixedStep, check_grid
from ..integrator import Method, StepError
from ..lu_factor import fill_factor, new_factor, solve_real
from ..saved_values import saved_array, saved_indices
from .discrete_gradient import Step
from .discrete_joints import forces_of, judge
from .maximal import BODY, Maximal
from .maximal_residual import evaluate_rows_of, rows_of

if TYPE_CHECKING:
    from ..system import System

ITERATIONS = 40
MANY = 3  # iterations after which a new matrix is cheaper
SLOW = 0.2  # rate of convergence that requires a new matrix
SMALL = 1e-15  # of a change of z, relative to its size: converged, to rounding; what is left adds up as energy
STUCK = 1e-11  # changes below it that shrink no more are rounding
NUDGE = 1e-7  # of directions, or lengths of the mechanism: steps of differences
DEPENDENT = TOLERANCE  # of the largest row: rows that agree within this angle count as dependent, as everywhere (constraints/rank.py)

JUDGED = 10  # steps after which it is checked again whether forces follow from their energies


@dataclass(frozen=True)
class EnergyMomentum(FixedStep):
    """Conserves energy and momentum exactly, at any step (s), where forces follow from energies: for comparison, in NumPy.

    hold_rates: velocities stay on the constraints, too; without it they are only near them, as in the first form of the method.
    Joints that are not quadratic in poses, armatures, prescribed motion, rolling and controllers are refused.

    >>> import linkwork as lw
    >>> lw.EnergyMomentum(step=0.01)
    EnergyMomentum(step=0.01, hold_rates=True)
    """

    hold_rates: bool = True
    order: ClassVar[int] = 2
    stages: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_flag(self.hold_rates):
            raise ModelError(f"EnergyMomentum: hold_rates is {self.hold_rates!r}; allowed are True and False; give one")

    def start(self, system: System, t: float) -> Any:
        if system.wide:
            raise ModelError("EnergyMomentum: lanes side by side were asked for; allowed is one state; use RungeKutta4")
        if system.has_controllers:
            raise ModelError(
                "EnergyMomentum: a controller feeds energy that the method cannot account for; allowed are forces; use Implicit"
            )
        remembers = next((info.name for info in system.active_forces.infos if info.kind.slots), None)
        if remembers is not None:
            raise ModelError(
                f"EnergyMomentum: force {remembers!r} has a state that it remembers, and so no energy that the method could conserve; allowed are forces "
                "that follow from energies; use RungeKutta4, Adaptive or Implicit"
            )
        return EnergyMomentumMethod(self, system, t)


class EnergyMomentumMethod(Method):
    """A system on its way in maximal coordinates z, with rates u."""

    leaves_singular_start = False
    numbers: ClassVar[tuple[str, ...]] = (*Method.numbers, "origin", "count", "worn")

    def __init__(self, integrator: Any, system: System, t: float) -> None:
        super().__init__(integrator, system, t)
        self.maximal = Maximal(system.model)
        self._units = self.maximal.units(self.maximal.length)
        self.origin, self.count = float(t), 0
        self.z: Any = None
        self.u: Any = None
        self.forces: Any = None
        self._matrix: Any = None
        self._factor: Any = None
        self._slopes: Any = None  # slopes: derivatives of the forces by z_1
        self._regular, self.worn = False, False  # worn: did the last step take so many iterations that a new matrix is cheaper?
        self._works_before = system.works.copy()
        self._begin()  # what it cannot honour is refused now

    def restart(self, t: Any, q: Any, v: Any, works: Any = None) -> None:
        """Begin anew at another state."""
        s = self.system
        s.q[:], s.v[:] = q, v
        if works is not None:
            s.works[:] = works
        self.time = self.before = self.origin = float(t)
        self.count, self.z = 0, None

    def cut(self, t: Any) -> None:
        """Go back to a time within the last step, and begin anew there. `state` is still valid before it."""
        s = self.system
        s.q[:], s.v[:], s.works[:] = self.state(t)
        self.time = self.origin = float(t)
        self.count, self.z = 0, None

    def _begin(self) -> None:
        s = self.system
        self.z, self.u = self.maximal.from_joints(s.q, s.v)
        rows = self.maximal.gradient(self.z)
        self.rows = _independent(rows, self._units)
        self._take_rows()
        self.gained = 0.0 * self.u
        self.lam, self.mu, self._matrix = np.zeros(len(self.rows)), np.zeros(len(self.rows)), None
        self._slopes, self.worn = None, False
        if self.forces is None:
            self.forces = forces_of(s, self.maximal, self.time, self.z, self.u)

    def _take_rows(self) -> None:
        self._row_data = rows_of(self.maximal, self.rows, self.integrator.hold_rates)

    def advance(self, until: Any) -> None:
        wanted = (until - self.origin) / self.integrator.step
        goal = int(np.ceil(wanted - NEAR * max(1.0, abs(wanted) * 1e-6)))
        while self.count < goal:
            self.step()

    def step(self) -> None:
        s, h = self.system, self.integrator.step
        if self.z is None:
            self._begin()
        z, u, works = self._solve(h)
        q, v = s.q.copy(), s.v.copy()
        guess = q.copy()
        for joint in s.model.joints:
            if not (joint.kind.ball or joint.kind.free):
                guess[joint.q_index] += h * v[joint.v_index]
        new_q, new_v = self.maximal.to_joints(z, u, q, guess)
        if not (np.isfinite(new_q).all() and np.isfinite(new_v).all()):
            raise StepError(f"a step of {h:g} s from t = {self.time:.9g} s led to a state that is not finite")
        s.start[0][:], s.start[1][:] = q, v
        s.q[:], s.v[:] = new_q, new_v
        self._works_before = s.works.copy()
        s.works[:] += works
        self.z, self.u = z, u
        self.count += 1
        self.steps += 1
        self.before, self.time = self.time, self.origin + self.count * h
        if self.count % JUDGED == 0:
            self._judge_forces()

    def _judge_forces(self) -> None:
        """Energies that forces do not follow from may show only on the way."""
        try:
            judge(self.forces, self.maximal, self.time, self.z, self.u)
        except ModelError as error:
            raise StepError(f"{error} (found at t = {self.time:.6g} s)") from None

    # ---- Newton's method

    def _solve(self, h: Any) -> Any:
        """(z, u, works) at the end of a step. The matrix stays while it serves, over iterations and steps."""
        m, hold = self.maximal, self.integrator.hold_rates
        n, r = m.size, len(self.rows)
        u1, lam, mu = self.u + self.gained, self.lam, 0.0 * self.mu  # it goes on as it did
        z1 = self.z + 0.5 * h * (self.u + u1)
        last, since = None, -2
        for k in range(ITERATIONS):
            F, changes, loose = self._pull(h, z1, u1)
            if self._matrix is None or (k == 0 and self.worn):
                self._renew(h, z1, u1, lam, mu)
                since = k
            residual = self._residual(h, z1, u1, lam, mu, F)
            self.iterations += 1
            if not (np.isfinite(residual).all() and (self._regular or np.isfinite(self._matrix).all())):
                break
            x = self._change(residual)
            if not np.isfinite(x).all():
                break
            z1, u1, lam = z1 + x[:n], u1 + x[n : 2 * n], lam + x[2 * n : 2 * n + r]
            mu = mu + x[2 * n + r :] if hold else mu
            size = max(self._size(x[:n]), h * self._size(x[n : 2 * n])) / (1.0 + self._size(z1))
            rate = 0.0 if not last else size / last
            if size < SMALL or (k > 1 and size < STUCK and rate > 0.5):
                if size > SMALL:
                    _, changes, loose = self._pull(h, z1, u1)
                self.lam, self.mu, self.gained, self.worn = lam, mu, u1 - self.u, k > MANY
                return z1, u1, self._add_works(changes, loose)
            if rate > SLOW and k - since > 1:
                self._slopes = None
                self._renew(h, z1, u1, lam, mu)
                since = k
            last = size
        self._matrix = self._slopes = None
        g = m.g(z1) if np.isfinite(z1).all() else np.array([np.inf])
        worst = f"; {m.names[int(np.argmax(np.abs(g)))]} stayed open by {np.abs(g).max():.3g}" if len(g) == len(m.names) and len(g) else ""
        raise StepError(f"Newton's method did not converge in a step of {h:.3g} s from t = {self.time:.9g} s{worst}")

    def _size(self, z: Any) -> Any:
        """The largest of numbers like z, positions by the mechanism's length."""
        return np.abs(z / self._units).max(initial=0.0)

    def _residual(self, h: Any, z1: Any, u1: Any, lam: Any, mu: Any, F: Any) -> Any:
        m, hold = self.maximal, self.integrator.hold_rates
        of_z, of_u, g, g_dot = evaluate_rows_of(self._row_data, h, (self.z, self.u, z1, u1), lam, mu)
        parts = [m.M @ (z1 - self.z - 0.5 * h * (self.u + u1)) + of_z, m.M @ (u1 - self.u) - h * (m.gravity + F) + of_u, g]
        return np.concatenate([*parts, g_dot] if hold else parts)

    def _change(self, residual: Any) -> Any:
        """What takes the residual away, by the matrix at hand; by least squares where that is singular."""
        if self._regular:
            f = self._factor
            f.b[: f.n] = -residual
            solve_real(for_kernels(f))
            return f.b[: f.n].copy()
        return np.linalg.lstsq(self._matrix, -residual, rcond=1e-12)[0]

    def _renew(self, h: Any, z1: Any, u1: Any, lam: Any, mu: Any) -> None:
        """The matrix here; derivatives of the forces, which are dear, are taken anew only if they are not known or convergence was slow."""
        if self._slopes is None:
            self._slopes = self._force_slopes(h, z1, u1)
        self._take_matrix(self._derivatives(h, z1, u1, lam, mu, self._slopes))

    def _take_matrix(self, matrix: Any) -> None:
        self._matrix = matrix
        if self._factor is None or len(self._factor.b) < len(matrix):
            self._factor = new_factor(len(matrix), 0, False)
        self._regular = fill_factor(self._factor, matrix, np.zeros(0, dtype=int))

    def _derivatives(self, h: Any, z1: Any, u1: Any, lam: Any, mu: Any, K: Any) -> Any:
        """The matrix of Newton's method; K: derivatives of the forces by z_1."""
        m, rows, hold = self.maximal, self.rows, self.integrator.hold_rates
        n, r = m.size, len(rows)
        zm, um = 0.5 * (self.z + z1), 0.5 * (self.u + u1)
        full = np.zeros(len(m.c))
        full[rows] = lam
        L = m.weighted(full)
        Gm, G1 = m.gradient(zm)[rows], m.gradient(z1)[rows]
        A = np.zeros((2 * n + (2 if hold else 1) * r,) * 2)
        A[:n, :n], A[:n, n : 2 * n] = m.M, -0.5 * h * m.M
        A[n : 2 * n, :n], A[n : 2 * n, n : 2 * n] = 0.5 * h * L - h * K, m.M
        A[n : 2 * n, 2 * n : 2 * n + r] = h * Gm.T
        A[2 * n : 2 * n + r, :n] = G1
        if hold:
            full[rows] = mu
            B = m.weighted(full)
            A[:n, :n] -= 0.5 * h * B
            A[:n, 2 * n + r :] = -h * Gm.T
            A[n : 2 * n, n : 2 * n] += 0.5 * h * B
            A[n : 2 * n, 2 * n + r :] = h * m.turned(um)[rows].T
            A[2 * n + r :, :n], A[2 * n + r :, n : 2 * n] = m.turned(u1)[rows], G1
        return A

    def _pull(self, h: Any, z1: Any, u1: Any) -> Any:
        """(generalised forces, changes of energies, works of what has none) of all forces over the step."""
        acting = [f for f in self.forces if f.law.acts]
        F, changes, loose = np.zeros(self.maximal.size), np.zeros(len(self.system.works)), np.zeros(len(self.system.works))
        if acting:
            step = Step(self.maximal, self.time, h, self.system.q, self.system.v, self.z, self.u, z1, u1)
            for f in acting:
                pull, change, work = f.pull(self.maximal, step)
                F += pull
                changes[f.index] += change
                loose[f.index] += work
            self.evaluations += 1
        return F, changes, loose

    def _force_slopes(self, h: Any, z1: Any, u1: Any) -> Any:
        """Derivatives of the forces by z_1, by differences in the numbers of the bodies that they act on; velocities are differences of z."""
        K = np.zeros((self.maximal.size,) * 2)
        state = self.time, h, self.system.q, self.system.v, self.z, self.u
        here = Step(self.maximal, *state, z1, u1)
        acting = [f for f in self.forces if f.law.acts]
        base = [f.pull(self.maximal, here)[0] for f in acting]
        for i in sorted({int(i) for f in acting for i in f.places(self.maximal)}):
            z = z1.copy()
            nudge = NUDGE * self._units[i]
            z[i] += nudge
            near = Step(self.maximal, *state, z, u1)
            for f, pull in zip(acting, base, strict=True):
                if i // BODY in f.bodies:
                    K[:, i] += (f.pull(self.maximal, near)[0] - pull) / nudge
        return K

    @staticmethod
    def _add_works(changes: Any, loose: Any) -> Any:
        return loose - changes

    # ---- looking back, and checkpoints

    def state(self, t: Any) -> Any:
        """(q, v, works) at a time within the last step: the cubics through both ends, brought onto the constraints."""
        s = self.system
        if t >= self.time or self.time == self.before:
            return s.q.copy(), s.v.copy(), s.works.copy()
        at = max(t, self.before)
        x = (at - self.before) / (self.time - self.before)
        q, v = (found[0] for found in self.between(np.array([at])))
        if self.integrator.hold_rates:
            q, v = onto_constraints(s, t, q, v, 1e-10)
        return q, v, (1 - x) * self._works_before + x * s.works

    def arrays(self) -> Any:
        if self.z is None:
            return {}
        found = {"z": self.z, "u": self.u, "gained": self.gained, "lam": self.lam, "mu": self.mu, "rows": self.rows.astype(np.int64)}
        if self.count:
            found["works before"] = self._works_before
        if self._matrix is not None:
            found["matrix"], found["slopes"] = self._matrix, self._slopes
        return found

    def restore(self, arrays: Any, scalars: Any) -> None:
        super().restore(arrays, scalars)
        check_grid(self)
        if "z" not in arrays:
            self.z = None  # it begins anew
            return
        worn = self.worn
        self._begin()
        self.rows = saved_indices(arrays, "rows", len(self.maximal.gradient(self.z)))
        self.z, self.u, self.gained = (saved_array(arrays, name, self.z.shape) for name in ("z", "u", "gained"))
        self.lam, self.mu = (saved_array(arrays, name, self.rows.shape) for name in ("lam", "mu"))
        works = self.system.works
        self._works_before = saved_array(arrays, "works before", works.shape) if self.count else works.copy()
        self._take_rows()
        if "matrix" in arrays:
            size = 2 * self.maximal.size + (2 if self.integrator.hold_rates else 1) * len(self.rows)
            self._take_matrix(saved_array(arrays, "matrix", (size, size)))
            self._slopes = saved_array(arrays, "slopes", (self.maximal.size,) * 2)
        self.worn = worn


def _independent(rows: Any, units: Any) -> Any:
    """Numbers of rows that span all of them, in order. Coordinates are measured by `units` (size,), the mechanism's length and 1 for directions, and rows by
    their own size, which is never that of rounding: so the choice is that of the same mechanism of any length."""
    if not len(rows):
        return np.zeros(0, dtype=int)
    from scipy.linalg import qr

    rows = rows * units
    R, order = qr((rows / np.linalg.norm(rows, axis=1)[:, None]).T, mode="r", pivoting=True, check_finite=False)
    d = np.abs(np.diag(R))
    return np.sort(order[: int((d > DEPENDENT * d[0]).sum())])
