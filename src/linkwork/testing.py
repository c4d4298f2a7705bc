"""Checks that users can run on their own parts, in tests or at the prompt.

`check_constraint` compares what a constraint says about itself with differences of order 8 of it:

    J       with the slope of phi along each velocity coordinate          (rows with a phi)
    phi_dot with the slope of phi along the motion q (+) s v, t + s       (rows with a phi)
    gamma   with the slope of phi_dot along this motion, on which vdot = 0

A row on velocities has no phi: its J v + phi_t is phi_dot by definition, and gamma is its rate.
"""

from dataclasses import dataclass, field

import numpy as np

from .analysis.branches import holonomic_rows
from .constraints.jacobian import constraint_jacobian
from .dynamics.configuration import integrate, random_configuration
from .errors import StateError
from .model.model import need_model

# Differences of order 8 with this step err by about 1e-13 for functions of ordinary curvature (features of 1 m, 1 rad, 1 s).
STEP = 1e-2
OFFSETS = np.array([-4, -3, -2, -1, 1, 2, 3, 4])
WEIGHTS = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
# Agreement asked for, relative to the size of the row: functions of stronger curvature pass, a wrong sign or a missing term does not.
TOLERANCE = 1e-6


@dataclass(frozen=True)
class ConstraintCheck:
    """What `check_constraint` found: the rows of one constraint, and how far each is from its differences, relative to its size.

    `J`, `phi_dot` and `gamma` hold one number a row; NaN where a row has no phi to be differentiated.
    """

    name: str
    rows: tuple
    J: np.ndarray
    phi_dot: np.ndarray
    gamma: np.ndarray
    q: np.ndarray = field(repr=False)
    v: np.ndarray = field(repr=False)
    t: float = 0.0

    @property
    def largest(self) -> float:
        """The largest relative error of all."""
        return float(np.nanmax([self.J, self.phi_dot, self.gamma]))

    def __str__(self):
        lines = [f"constraint {self.name!r}: relative errors against differences", f"{'row':<14}{'J':>10}{'phi_dot':>10}{'gamma':>10}"]
        for k, word in enumerate(self.rows):
            numbers = [f"{x[k]:>10.1e}" if np.isfinite(x[k]) else f"{'-':>10}" for x in (self.J, self.phi_dot, self.gamma)]
            lines.append(f"{word:<14}{''.join(numbers)}")
        return "\n".join(lines)


def check_constraint(model, name, q=None, v=None, t=0.0, *, tolerance=TOLERANCE, step=STEP) -> ConstraintCheck:
    """Compare J, phi_dot and gamma of a constraint (or of a joint that closes a loop) with finite differences; raise AssertionError if wrong.

    The state need not satisfy the constraint; a general one, moving, tests most. A random one is taken where q or v is not given.
    Differences need smooth ground: keep t at least four steps away from the breaks of a spline, and q from kinks of a function.

    >>> import linkwork as lw
    >>> from linkwork.testing import check_constraint
    >>> m = lw.Mechanism("kite")
    >>> kite = m.add_body("kite", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> line = m.add_constraint("line", lw.Distance(20.0), kite.at(0, 0, 0.5), m.ground)
    >>> check_constraint(m.build(), "line").largest < 1e-9
    True
    """
    need_model(model)
    info = model.constraint(name)
    rng = np.random.default_rng(0)
    q = random_configuration(model, rng) if q is None else np.asarray(q, dtype=float)
    v = rng.normal(size=model.nv) if v is None else np.asarray(v, dtype=float)
    if q.shape != (model.nq,) or v.shape != (model.nv,):
        raise StateError(f"q: found shapes {q.shape} of q and {v.shape} of v; allowed are ({model.nq},) and ({model.nv},), one state", "q")
    here = constraint_jacobian(model, q, v, t)
    steps = step * OFFSETS

    def slope(values):
        return np.tensordot(WEIGHTS / step, values, axes=1)

    along = constraint_jacobian(model, integrate(model, q, steps[:, None] * v), v, t + steps)
    nearby = [constraint_jacobian(model, integrate(model, q, steps[:, None] * e), v, t).phi for e in np.eye(model.nv)]
    expected = {
        "J": np.array([slope(phi) for phi in nearby]).reshape(model.nv, model.nc).T,
        "phi_dot": slope(along.phi),
        "gamma": slope(along.phi_dot),
    }
    holds = holonomic_rows(model)
    found = {}
    for what, numeric in expected.items():
        given = getattr(here, what)
        error = np.abs(given - numeric).reshape(model.nc, -1).max(axis=1, initial=0.0)
        found[what] = np.where(np.isnan(error), np.inf, error / (1.0 + np.abs(given).reshape(model.nc, -1).max(axis=1, initial=0.0)))
        if what != "gamma":
            found[what][~holds] = np.nan
    J, phi_dot, gamma = (found[what][info.rows] for what in ("J", "phi_dot", "gamma"))
    report = ConstraintCheck(info.name, info.words, J, phi_dot, gamma, q, v, float(t))
    for what, numeric in expected.items():
        for k, error in enumerate(getattr(report, what)):
            if error > tolerance:
                row = info.rows.start + k
                raise AssertionError(
                    f"constraint {info.name!r}, row {info.words[k]!r}: {what} is {_shown(getattr(here, what)[row])}, but differences give "
                    f"{_shown(numeric[row])} (relative error {error:.2g}, allowed {tolerance:g})\n{report}"
                )
    return report


def _shown(value):
    return np.array2string(np.asarray(value), precision=8, max_line_width=10**6)
