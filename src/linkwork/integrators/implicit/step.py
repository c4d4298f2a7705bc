r"""One step of Radau IIA for a mechanism, by a simplified Newton method.

    M vdot + b - Q - J^T lambda = 0,      J v + phi_t = 0              at the three stages (the velocity level, index 2: order 5)
    phi(q_1) = 0,   J v_1 + phi_t = 0                                   at the end, by the least change in the metric of the step's own matrix

Rows are independent ones, chosen at a closed state and kept for all iterations (held_rows.py). Those that were left out follow from them; that they
do is checked when the step ends. If one has opened, the mechanism has left a singular pose, and the step is tried again with rows that are
independent where it ended.
"""

from typing import NamedTuple

import numpy as np

from ...analysis.assembly import sliding, step_units
from ...constraints.rank import TOLERANCE
from ...constraints.tolerance import pace_of, row_units
from ...data.stepper import for_kernels
from ...errors import LinkworkError
from ..lu_factor import new_factor
from .held_rows import independent_rows
from .iteration_matrix import IterationMatrix, fill_coupled
from .newton_steps import CONVERGED, NOT_FINITE, STUCK, Newton, close_step, step_newton
from .radau import FROM_COMPLEX, FROM_REAL, INVERSE, MU, TO_COMPLEX, TO_REAL, A, C

PATIENCE = 20  # steps for which the stages are solved together at once, after they had to be
REFRESHED = 3  # times that derivatives are taken anew within a step
REACH = 0.2  # rad, and twice as many lengths: a step that ends this far from where it was expected may have found another solution, across a spring
MANY = 8  # iterations after which a new matrix is cheaper
ROUNDED = 1e-13  # rad, lengths: rounding of positions, below which no constraint is enforced
LOOSE = 2e-8  # rad, lengths: dependent rows that are open by more may be independent where the step ended
OPEN = 2.0 * TOLERANCE  # rad, lengths: rows within this angle count as dependent (constraints/rank.py), so that this much they may differ
SLOWEST = 1e-5  # rad, lengths a step: slower motion does not set the size of differences
UNBALANCED = 0.1  # of the forces that act: a residual this large is no rounding
ROUNDINGS = 16.0 * float(np.finfo(float).eps)  # of positions and velocities: what stiffness and damping turn into forces


class Point(NamedTuple):
    """A state on the way, with accelerations and multipliers there."""

    t: float
    q: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    multipliers: np.ndarray


class Step(NamedTuple):
    """A step that was taken: its end; velocities and local coordinates at its beginning and its stages (4, nv); multipliers and powers at the
    stages (3, nc), (3, nw)."""

    end: Point
    h: float
    v: np.ndarray
    theta: np.ndarray
    multipliers: np.ndarray
    powers: np.ndarray


class Failure(NamedTuple):
    """Newton's method did not converge. what: "not finite", "singular", "open", "far" or "balance"; residual: of the equations of motion,
    or how far each joint went; gaps: of the rows."""

    what: str
    residual: np.ndarray | None = None
    gaps: np.ndarray | None = None


class ImplicitStep:
    """Takes steps. Keeps the matrix of Newton's method, and with it the choice of rows, as long as they serve.

    accuracy: of Newton's method; tolerance: of the constraints; most: iterations of a try.
    """

    def __init__(self, equations, accuracy, tolerance, most):
        self.equations, self.model = equations, equations.system.model
        self.newton = n = Newton.allocate({"nv": self.model.nv, "nc": self.model.nc}, 1)
        n.reach[:], n.units[:] = step_units(self.model), row_units(self.model)
        self._factors = tuple(new_factor(self.model.nv, self.model.nc, k == 1) for k in range(3))
        n.stages, (n.single, n.pair, n.positions) = equations.stages, self._factors
        n.mu[:] = MU[0], MU[1].real, MU[1].imag
        n.to[:] = np.concatenate([TO_REAL, TO_COMPLEX.real, TO_COMPLEX.imag])
        n.back[:] = np.concatenate([FROM_REAL, FROM_COMPLEX.real, FROM_COMPLEX.imag])
        n.accuracy, n.tolerance, n.most = accuracy, max(tolerance, ROUNDED), most
        self._reach = REACH * np.where(sliding(self.model), 2.0 * n.reach, 1.0)
        self._coupled, self.patience = None, 0  # patience: steps for which nothing but stages together is tried
        self.matrix, self.worn = None, False  # worn: did the last step take so many iterations that a new matrix is cheaper?
        self.iterations = 0

    def step(self, at, h, guess=None, multipliers=None):
        """The Step from a Point, or a Failure. guess (3, nv), multipliers (3, nc): at the stages; without them acceleration is constant."""
        self.equations.begin(at.q, at.v)
        self.newton.pace = pace_of(self.newton.reach, at.v, at.vdot)
        self.equations.stages.pace = max(self.newton.pace, SLOWEST / h)
        if self.worn:
            self.matrix, self.worn = None, False
        if self.matrix is not None and self.matrix.h != h:
            self.factor(self.matrix.slopes, self.matrix.rows, self.matrix.places, h)
        found = Failure("singular")
        if self.patience:
            self.patience -= 1
        elif self.matrix is not None:
            found = self._attempt(at, h, guess, multipliers, old=True)
            if isinstance(found, Step):
                return found
        if not self._renew(at, h):
            return Failure("singular")
        if not self.patience:
            found = self._attempt(at, h, guess, multipliers)
        if isinstance(found, Failure) and found.what != "open":
            found = self._attempt(at, h, guess, multipliers, together=True)
            if isinstance(found, Step):
                self.patience = self.patience or PATIENCE
        if isinstance(found, Failure) and found.what == "open" and self._renew_beyond(at, h):
            found = self._attempt(at, h, guess, None)
        if isinstance(found, Failure):
            self.matrix = None
        return found

    # ---- the matrix

    def factor(self, slopes, rows, places, h):
        """Make the matrix for a step size; False if it is singular."""
        matrix = IterationMatrix(slopes, rows, places, h, self._factors)
        self.matrix = matrix if matrix.regular else None
        return matrix.regular

    def _renew(self, at, h):
        """Slopes and rows where the step begins."""
        try:
            rows, places = independent_rows(self.model, at.q, at.t)
        except LinkworkError:
            return False
        slopes = self.equations.slopes(at.t, at.vdot, at.multipliers)
        return slopes is not None and self.factor(slopes, rows, places, h)

    def _renew_beyond(self, at, h):
        """Slopes and rows where the step ended in vain, if more rows are independent there."""
        q, v = self._end
        rank = len(self.matrix.rows)
        self.equations.begin(q, v)
        made = self._renew(Point(at.t + h, q, v, at.vdot, at.multipliers), h) and len(self.matrix.rows) > rank
        self.equations.begin(at.q, at.v)
        return made

    def _couple(self, at, h):
        """Derivatives at the stages as they stand, factored together; False if that cannot be."""
        e = self.equations
        if self._coupled is None:
            self._coupled = new_factor(3 * self.model.nv, 3 * self.model.nc, False)
            self.newton.coupled = self._coupled
        if not e.evaluate(at.t, h):
            return False
        slopes = e.slopes_of_stages(at.t, h)
        return slopes is not None and fill_coupled(self._coupled, slopes, self.matrix.rows, h)

    # ---- Newton's method

    def _attempt(self, at, h, guess, multipliers, old=False, together=False):
        e, rows = self.equations, self.matrix.rows
        if guess is None:
            reach = (
                h * C if (np.abs(h * h * at.vdot) < self._reach).all() else 0.0 * C
            )  # a stiff spring that pulls does not represent the whole step
            guess = at.v + np.multiply.outer(reach, at.vdot)
        e.v[:] = guess
        e.theta[:] = 0.0
        e.multipliers[:] = 0.0
        if len(rows):
            # Not from zero: where constraints prescribe the motion, velocities converge at once, and what an old matrix leaves of multipliers would stay
            e.multipliers[:, rows] = at.multipliers[rows] if multipliers is None else multipliers[:, rows]
        stepper, newton = for_kernels(e.stepper), for_kernels(self.newton)
        self.newton.old, self.newton.together = old, together
        for _ in range(REFRESHED if together else 1):
            if together and not self._couple(at, h):
                return Failure("not finite")
            ended = step_newton(stepper, newton, e.J, at.t, h)
            self.iterations += self.newton.iterations
            e.evaluations += 3 * self.newton.iterations
            if ended in (CONVERGED, NOT_FINITE):
                break
        if ended != CONVERGED:
            return Failure("not finite") if ended == NOT_FINITE else Failure("balance", e.r[2].copy())
        if self.newton.rate > STUCK and not self._balanced(at, h, old):
            return Failure("balance", e.r[2].copy())
        if (np.abs(e.theta[2] - h * (A[2] @ guess)) > self._reach).any():
            return Failure("far", e.theta[2] - h * (A[2] @ guess))
        self.worn = self.newton.iterations > MANY
        ended = close_step(stepper, newton, e.J, at.t + h)
        self._end = q, v = e.stepper.q.copy(), e.stepper.v.copy()
        if ended != CONVERGED:
            return Failure("not finite") if ended == NOT_FINITE else Failure("open", None, e.gaps.copy())
        if self.model.nc and (failure := self._left_out(at.t + h, q, v)):
            return failure
        if self.model.nc:
            e.powers[:, -1] = -(e.multipliers * e.phi_t).sum(axis=1)
        vdot = INVERSE[2] @ (e.v - at.v) / h
        end = Point(at.t + h, q, v, vdot, e.multipliers[2].copy())
        return Step(end, h, np.vstack([at.v, e.v]), np.vstack([np.zeros_like(at.v), e.theta]), e.multipliers.copy(), e.powers.copy())

    def _balanced(self, at, h, old):
        """Are the last stage's forces in balance? Asked where changes were small at once, or did not shrink.

        That is no convergence if the matrix is far too stiff: with the slopes of a contact of 1e12 N/m that was left, a body that should fall
        changes its velocity by 1e-10 m/s, however often it is evaluated, and flies straight on. Stiffness turns rounding into forces, too; but an `old`
        matrix does not prove stiffness: in doubt a new one is made.
        """
        e, slopes = self.equations, self.matrix.slopes
        if not e.evaluate(at.t, h):
            return False
        n, r, v = self.newton, np.abs(e.r[2]), np.abs(e.v[2])
        acting = np.abs(slopes.M) @ np.abs(e.vdot[2]) + np.abs(e.stages.applied) + np.abs(e.multipliers[2]) @ np.abs(e.J)
        rounding = 0.0 if old else ROUNDINGS * (np.abs(slopes.K) @ (n.reach + np.abs(e.theta[2])) + np.abs(slopes.D) @ v)
        push = (
            max(0.1, h * n.pace) * h * r / np.maximum(np.diagonal(slopes.M), 1e-300)
        )  # as `step_newton` measures changes, with the mass alone
        return not ((r > UNBALANCED * acting + rounding) & (push > n.accuracy * (n.pace * n.reach + v))).any()

    # ---- the end of the step

    def _left_out(self, t, q, v):
        """None if the rows that were left out are closed, too; else the Failure."""
        e = self.equations
        gap = float((np.abs(e.gaps) / self.newton.units).max(initial=0.0))
        if gap <= LOOSE:
            return None
        if gap > OPEN or len(independent_rows(self.model, q, t)[0]) > len(self.matrix.rows):
            return Failure("open", None, e.gaps.copy())
        return None
