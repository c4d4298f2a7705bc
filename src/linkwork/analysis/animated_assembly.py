"""Parts fly together: assembly as a motion under critically damped constraint forces, for the eye (Barzel and Barr 1988; Schröder 1990, 5.2).

    phi_ddot + (2 / tau) phi_dot + phi / tau^2 = 0

No other force acts: weight and inertia forces are balanced, so that parts move only as the constraints pull them, light ones more than heavy ones.
"""

from typing import NamedTuple

import numpy as np

from ..constraints.tolerance import largest_gap, reachable
from ..dynamics.configuration import integrate
from ..dynamics.inverse import bias_force
from ..errors import AssemblyError, StateError
from ..solvers.delassus.correct import correction
from ..solvers.delassus.driver import solve_constrained

STEPS = 25  # in a time constant
LONGEST = 60.0  # time constants


class Pull(NamedTuple):
    """The motion of an assembly: times (N,), positions (N, nq), velocities (N, nv), the largest gap at each time; `q` is where it ends."""

    t: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray
    gaps: np.ndarray
    q: np.ndarray


def pull_together(model, q, held, t, tau, tolerance):
    """The motion from q at rest until all gaps are closed; the last bit by one exact correction."""
    if q.ndim != 1:
        raise StateError(f"q0: found shape {q.shape}; method 'pull' takes one state, ({model.nq},)", "q0")
    if held.any():
        raise StateError("hold: method 'pull' moves every joint; use method 'newton' to hold some, or add a Drive to the mechanism", "hold")
    if not (np.isscalar(tau) and tau > 0.0):
        raise StateError(f"tau: found {tau!r}; allowed is a time constant above 0 s", "tau")
    tolerance = reachable(tolerance)
    h, v = tau / STEPS, np.zeros(model.nv)
    motion = [(0.0, q, v, _gap(model, q, t))]
    feedback = (2.0 / tau, 1.0 / tau**2)

    def acceleration(q, v):
        return solve_constrained(model, q, v, bias_force(model, q, v), t=t, feedback=feedback).vdot

    while motion[-1][3] > max(1e-6, tolerance) and motion[-1][0] < LONGEST * tau:
        a1 = acceleration(q, v)  # the classical fourth-order rule; the middle positions to second order are enough for it
        v2 = v + h / 2 * a1
        a2 = acceleration(integrate(model, q, h / 2 * v), v2)
        v3 = v + h / 2 * a2
        a3 = acceleration(integrate(model, q, h / 2 * v2), v3)
        v4 = v + h * a3
        a4 = acceleration(integrate(model, q, h * v3), v4)
        q, v = integrate(model, q, h / 6 * (v + 2 * v2 + 2 * v3 + v4)), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        motion.append((motion[-1][0] + h, q, v, _gap(model, q, t)))
        if not np.isfinite(motion[-1][3]):
            break
    for _ in range(20):
        if _gap(model, q, t) <= tolerance:
            break
        q = integrate(model, q, correction(model, q, t=t, damping=1e-12)[0])
    times, positions, velocities, gaps = (np.array(column) for column in zip(*motion, strict=True))
    if not _gap(model, q, t) <= tolerance:
        raise AssemblyError(
            f"model {model.name!r}: the parts did not fly together within {times[-1]:.3g} s; a gap of {gaps[-1]:.3g} (m or rad) remains; "
            "start nearer to a closed pose, or use method 'newton', which says which constraints stay open",
            q=q,
        )
    return Pull(times, positions, velocities, gaps, q)


def _gap(model, q, t):
    return float(largest_gap(model, correction(model, q, t=t)[1]))
