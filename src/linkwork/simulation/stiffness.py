"""How fast a mechanism could move about a state, and so which steps of an explicit method would hold.

The fastest rate lambda of the linear rates (dq, dv) -> (dv, d vdot), by power iteration. Explicit methods are stable for

    h |lambda| <= 2 ... 2.8          (Hairer and Wanner 1996, section IV.2).
"""

import numpy as np

from ..constraints.tolerance import comparable
from ..dynamics.configuration import integrate

STABLE = 2.0
ITERATIONS, AVERAGED = 48, 16  # of the power iteration; an even number is averaged, since an oscillation takes turns


def fastest_rate(system, t, q, v) -> float:
    """The size of the largest eigenvalue of the linear rates about a state, 1/s."""
    model = system.model
    if not model.nv:
        return 0.0
    at_rest = np.array(system.evaluate(t, q, v).vdot)
    reach = 1.0 / comparable(model)
    near = 1e-6 * (1.0 + float(np.abs(v / reach).max())) * reach
    x, u = np.random.default_rng(0).normal(size=(2, model.nv))
    logs = []
    for _ in range(ITERATIONS):
        size = float(np.hypot(np.linalg.norm(x), np.linalg.norm(u)))
        if not np.isfinite(size) or size == 0.0:
            return size
        logs.append(np.log(size))
        x, u = x / size, u / size
        vdot = np.array(system.evaluate(t, integrate(model, q, near * x), v + near * u).vdot)
        x, u = u, (vdot - at_rest) / near
    return float(np.exp(np.mean(logs[-AVERAGED:])))
