"""Time budgets: methods that choose their steps can find them arbitrarily short, and the caller must not wait for ever."""

import time as clock

from ..integrators.adams.method import AdamsMethod
from ..integrators.integrator import StepError
from ..integrators.runge_kutta.adaptive import AdaptiveMethod

CHUNK = 64  # steps between two looks at the clock
FIXED = 256  # fixed steps at a time


def reached_in_budget(simulation, duration, seconds):
    """How much of a duration (s) can be reached in some seconds of real time; the method's last step ends there already.

    Of fixed steps, some hundred are allowed. A step that fails fails again, and is reported, when the motion is advanced.
    """
    method = simulation.method
    if not isinstance(method, (AdamsMethod, AdaptiveMethod)):
        step = getattr(method.integrator, "step", None)
        return duration if not step else min(duration, FIXED * step)
    due, ends = simulation.time + duration, clock.monotonic() + seconds
    try:
        while method.time < due:
            method.take(due, CHUNK)
            if clock.monotonic() > ends:
                return min(max(method.time - simulation.time, 0.0), duration)
    except StepError:
        pass
    return duration
