"""What keeps loops closed over time: projection after steps, feedback (Baumgarte 1972), or nothing.

feedback:  phi_ddot + 2/tau phi_dot + phi/tau^2 = 0,   a gap decays with the time constant tau; ten steps of a fixed step, else 0.01 s.
"""

from ..errors import StateError
from ..solvers.rounding import reachable

WAYS = ("project", "feedback", "none")
KEPT = 0.1  # of the gap, beyond which a state is projected: one more step must not lead beyond the gap


def set_drift(way, method, system, gap):
    """Set up a method and its system for a way of drift control."""
    if way not in WAYS:
        raise StateError(f"drift: found {way!r}; allowed are {', '.join(map(repr, WAYS))}", "drift")
    method.tolerance = float(reachable(KEPT * gap)) if way == "project" else 0.0
    system.loads.feedback = 0.0, 0.0, 0.0
    if way == "feedback":
        tau = 10.0 * (getattr(method.integrator, "step", None) or 1e-3)
        system.loads.feedback = 2.0 / tau, 1.0 / tau**2, 0.0
