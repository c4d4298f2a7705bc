"""The classical Runge-Kutta method on the joints' groups: its table of coefficients for steps.py."""

from typing import TYPE_CHECKING, Any, ClassVar

from ...data.butcher import butcher_table
from ...data.stepper import Stepper
from ...kernels import kernel
from ..compiled_loop import LOOP_CALL, LOOP_CALL_WIDE
from ..fixed_step import FixedMethod, FixedStep
from .steps import runge_kutta_steps

if TYPE_CHECKING:
    from ..system import System

CLASSICAL = butcher_table([0, 0.5, 0.5, 1], [1 / 6, 1 / 3, 1 / 3, 1 / 6], [[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1, 0]])


@kernel(address=LOOP_CALL)
def _loop(stepper: Stepper, start: Any, step: Any, h: Any, steps: Any) -> int:
    return runge_kutta_steps(stepper, start, step, h, steps)


@kernel(address=LOOP_CALL_WIDE)
def _loop_wide(stepper: Stepper, start: Any, step: Any, h: Any, steps: Any) -> int:
    return runge_kutta_steps(stepper, start, step, h, steps)


class RungeKutta4(FixedStep):
    """The classical Runge-Kutta method on the joints' groups (Munthe-Kaas 1998): order 4, fixed step.

    >>> import linkwork as lw
    >>> lw.RungeKutta4(step=1e-3)
    RungeKutta4(step=0.001)
    """

    order: ClassVar[int] = 4
    stages: ClassVar[int] = 4
    takes_contact: ClassVar[bool] = True
    by_events: ClassVar[bool] = True

    loop, loop_wide, table = _loop, _loop_wide, CLASSICAL

    def start(self, system: "System", t: float) -> FixedMethod:
        if system.mode is None:
            return super().start(system, t)
        from .with_contact import FixedContactMethod  # here, so that what does not touch need not wait for it

        system.sample_every(self.step)
        return FixedContactMethod(self, system, t)
