"""Semi-implicit Euler: velocities first, positions with the new velocities. Order 1, symplectic for a potential and constant mass matrix.

v_1 = v_0 + h vdot(q_0, v_0, t_0),     q_1 = q_0 (+) h v_1
"""

from typing import Any

from ..constraints.drift_control import settle
from ..data.stepper import Stepper
from ..kernels import kernel
from .compiled_loop import LOOP_CALL, LOOP_CALL_WIDE
from .controllers import sample_controllers, sample_due
from .fixed_step import FixedStep
from .force_memory import accept_memory
from .step_ends import begin_step, is_finite, margin, move_from_start, restore_state


@kernel
def semi_implicit_steps(stepper: Stepper, start: Any, step: Any, h: Any, steps: Any) -> int:
    """Up to `steps` steps of size h, the first of which begins at start + step h; returns how many were taken before one failed."""
    for i in range(steps):
        time = start + (step + i) * h
        if sample_due(stepper.controllers, step + i):
            settle(stepper, time)
            sample_controllers(stepper, step + i, time)
        begin_step(stepper, time, time + margin(time, h))
        for k in range(stepper.nv):
            v = stepper.v0[k] + h * stepper.vdot[k]
            stepper.v[k] = v
            stepper.theta[k] = h * v
        move_from_start(stepper)
        if not is_finite(stepper):
            restore_state(stepper)
            return i
        for k in range(stepper.nw):
            stepper.works[k] = stepper.works[k] + h * stepper.powers[k]
        accept_memory(stepper, time + h)
    settle(stepper, start + (step + steps) * h)
    return steps


@kernel(address=LOOP_CALL)
def _loop(stepper: Stepper, start: Any, step: Any, h: Any, steps: Any) -> int:
    return semi_implicit_steps(stepper, start, step, h, steps)


@kernel(address=LOOP_CALL_WIDE)
def _loop_wide(stepper: Stepper, start: Any, step: Any, h: Any, steps: Any) -> int:
    return semi_implicit_steps(stepper, start, step, h, steps)


class SemiImplicitEuler(FixedStep):
    """Velocities first, then positions with the new velocities: order 1, fixed step, the cheapest; energy stays bounded at small steps.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("stone")
    >>> _ = m.add_body("stone", mass=2.0, inertia=(1, 1, 1))
    >>> rec = lw.simulate(m, 1.0, lw.SemiImplicitEuler(step=0.01))
    >>> round(float(rec.v[-1, 5]), 6)  # m/s
    -9.81
    """

    loop, loop_wide = _loop, _loop_wide
