r"""The generalised-alpha method on Lie groups, stabilised index 2: one step by Newton's method.

    q' = q (+) [ h v + h^2 ((1/2 - beta) a + beta a') + P eta ],        v' = v + h ((1 - gamma) a + gamma a')
    (1 - alpha_m) a' + alpha_m a = (1 - alpha_f) vdot' + alpha_f vdot
    M vdot' + b - Q - J^T lambda = 0,     phi(q', t') = 0,     J v' + phi_t = 0                                         all at the end

(Chung & Hulbert 1993; Brüls, Cardona & Arnold 2012; the corrections eta keep positions and velocities on the constraints together, Arnold, Brüls &
Cardona 2015). rho is the spectral radius at infinity: 1 damps nothing, 0 everything that the step cannot follow. Second order, A-stable.

a is vdot at t + (alpha_m - alpha_f) h, up to h^2. When the step changes, a - vdot is scaled with it, which keeps the second order.
"""

import math
from typing import NamedTuple

import numpy as np

from ..dynamics.configuration import integrate
from .iteration_matrix import IterationMatrix

SLOW = 0.5  # rate of convergence that asks for a new matrix
MANY = 4  # iterations after which a new matrix is cheaper
PATIENCE = 10  # steps that take new matrices after an old one failed
ROUNDING = 100.0  # of the accuracy: changes this small that shrink no more are rounding, of very stiff springs


class Scheme:
    """The coefficients for a spectral radius; `mass` weighs M in the iteration matrix, c_q and c_v are the constants of the local error."""

    def __init__(self, rho):
        self.alpha_m, self.alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        ahead = self.alpha_m - self.alpha_f
        self.gamma = 0.5 - ahead
        self.beta = 0.25 * (self.gamma + 0.5) ** 2
        self.mass = (1.0 - self.alpha_m) / (1.0 - self.alpha_f)
        # Taylor series of the step with a = vdot + ahead h v'' + ahead (alpha_m - 1/2) h^2 v''' leave h^3 c_q v'' and h^3 c_v v'''.
        self.c_q = abs(1.0 / 6.0 - 0.5 * ahead - self.beta)
        self.c_v = abs(1.0 / 6.0 - ahead * (self.alpha_m - 0.5) - 0.5 * self.gamma - self.gamma * ahead)


class Stage(NamedTuple):
    """All that goes from step to step: the state, true and algorithmic accelerations, multipliers, and the powers."""

    t: float
    q: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    a: np.ndarray
    multipliers: np.ndarray
    powers: np.ndarray


class Failure(NamedTuple):
    """Newton's method did not converge: the last residual (None: not finite)."""

    residual: object


class GeneralisedAlpha:
    """Takes steps of one scheme. Keeps the matrix of Newton's method as long as it serves."""

    def __init__(self, equations, scheme, accuracy, most):
        self.equations, self.scheme, self.accuracy, self.most = equations, scheme, accuracy, most
        self.matrix, self.iterations, self.factorisations = None, 0, 0
        self.wait = 0  # steps for which no old matrix is tried
        self.worn = False  # did the last step take so many iterations that a new matrix is cheaper?

    def step(self, before, t, h):
        """The Stage at t = before.t + h, or a Failure. Tried with the matrix at hand first, then with a new one."""
        self.wait = max(0, self.wait - 1)
        if self.matrix is not None and (self.wait or self.worn):
            self.matrix = None
        if self.matrix is not None and self.matrix.h != h:
            self._factor(self.matrix.slopes, h)
        if self.matrix is not None:
            found = self._newton(before, t, h, old=True)
            if isinstance(found, Stage):
                return found
            self.wait = PATIENCE
        if not self._renew(before, t, h):
            return Failure(None)
        found = self._newton(before, t, h)
        if isinstance(found, Failure):
            self.matrix = None
        return found

    def _factor(self, slopes, h):
        self.matrix = IterationMatrix(slopes, self.scheme, h)
        self.factorisations += 1
        if not self.matrix.sound:
            self.matrix = None
        return self.matrix is not None

    def _renew(self, before, t, h, a=None, eta=0.0, multipliers=None):
        """Slopes where the iteration stands, or where the step is expected to end."""
        theta, v, vdot = self._end(before, h, before.a if a is None else a)
        slopes = self.equations.slopes(t, before.q, theta + eta, v, vdot, before.multipliers if multipliers is None else multipliers)
        return slopes is not None and self._factor(slopes, h)

    def _end(self, before, h, a):
        """(displacement without corrections, v, vdot) at the end, from the algorithmic acceleration there."""
        s, b = self.scheme, before
        theta = h * b.v + h * h * ((0.5 - s.beta) * b.a + s.beta * a)
        v = b.v + h * ((1.0 - s.gamma) * b.a + s.gamma * a)
        vdot = ((1.0 - s.alpha_m) * a + s.alpha_m * b.a - s.alpha_f * b.vdot) / (1.0 - s.alpha_f)
        return theta, v, vdot

    def _newton(self, before, t, h, old=False):
        s, model = self.scheme, self.equations.system.model
        a, eta, multipliers = before.a.copy(), np.zeros(model.nv), before.multipliers.copy()
        last, residual = None, None
        for k in range(self.most):
            theta, v, vdot = self._end(before, h, a)
            if not np.isfinite(theta + eta).all():
                return Failure(residual)
            q = integrate(model, before.q, theta + eta)
            residual = self.equations.residual(t, q, v, vdot, multipliers)
            self.iterations += 1
            if residual is None:
                return Failure(None)
            d, shift, more = self.matrix.solve(residual.r, residual.phi, residual.phi_dot)
            if not np.isfinite(d).all():
                return Failure(residual)
            a, eta, multipliers = a + d / (s.beta * h * h), eta + shift, multipliers + more
            moved = np.abs(d) / (1.0 + np.abs(theta)) + np.abs(shift)
            faster = np.abs(d) * (0.1 * s.gamma / (s.beta * h)) / (1.0 + np.abs(v))
            size = float(np.maximum(moved, faster).max(initial=0.0)) / self.accuracy
            rate = 1e-3 if last in (None, 0.0) else size / last
            if size <= 1.0 or (last is not None and rate < 0.5 and size * rate <= 0.1) or (k > 2 and rate > 0.5 and size < ROUNDING):
                self.worn = k >= MANY
                return self._finish(before, t, h, a, eta, multipliers)
            if old and last is not None and rate > SLOW:
                return Failure(residual)
            if last is not None and (rate > SLOW or math.log(size) > -2.0 * math.log(rate)):
                # Too slow: the next change comes from a matrix made here. Tensions of stiff springs are right only near the solution.
                if not self._renew(before, t, h, a, eta, multipliers):
                    return Failure(residual)
                last = None
            else:
                last = size
        return Failure(residual)

    def _finish(self, before, t, h, a, eta, multipliers):
        theta, v, vdot = self._end(before, h, a)
        q = integrate(self.equations.system.model, before.q, theta + eta)
        residual = self.equations.residual(t, q, v, vdot, multipliers)
        if residual is None:
            return Failure(None)
        return Stage(t, q, v, vdot, a, multipliers, residual.powers)
