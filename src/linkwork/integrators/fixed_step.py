"""Integrators with a fixed step: chunks of steps run compiled, on a grid of time that does not depend on how often one looks."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..data.stepper import for_kernels
from ..errors import ModelError
from ..parts.validation import number
from .compiled_loop import loop_address, run_steps, run_steps_recording, run_until_suspect
from .integrator import Integrator, Method, StepError
from .saved_values import refuse_saved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from .event_screen import Screen
    from .system import System

NEAR = 1e-9  # of a step: times closer than this are the same
SAME = 1e-6  # of a step: what many roundings add up to
LEAST = 1e-15  # s: a step that a clock resolves, and of which a second has a number that can be counted
CHUNK = 4096  # steps between two looks at the keyboard


@dataclass(frozen=True)
class FixedStep(Integrator):
    """Base of integrators with a fixed step, s. Times are start + k step, so that bits do not depend on how a run is cut into pieces."""

    step: float = 1e-3

    order: ClassVar[int] = 1
    loop: ClassVar[Any] = None  # the compiled loop over steps (compiled_loop.py)
    loop_wide: ClassVar[Any] = None  # the same for packs of lanes, if there is one
    table: ClassVar[Any] = None  # its coefficients, a ButcherTable

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.type in (float, "float"):
                object.__setattr__(self, field.name, number(getattr(self, field.name), type(self).__name__, field.name))
        if not LEAST <= self.step < float("inf"):
            raise ModelError(
                f"{type(self).__name__}: step is {self.step:g} s; allowed is a finite number above 0, from {LEAST:g} on; give one, such as 1e-3"
            )

    def start(self, system: System, t: float) -> FixedMethod:
        system.sample_every(self.step)
        return FixedMethod(self, system, t)

    def code(self, wide: bool) -> int:
        """The address of the loop, for one state or for packs of lanes."""
        kind: Any = type(self)
        return _code(kind, wide)

    def loop_on(self, system: System, tolerance: float) -> tuple[int, int]:
        """(address of the loop, stepper), the stepper made ready for it."""
        stepper = system.stepper
        stepper.tolerance, stepper.holds_rates = tolerance, system.prescribes_rates
        if self.table is not None:
            stepper.tableau = self.table
        return self.code(system.wide), for_kernels(stepper)

    def run(self, system: System, start: float, step: int, steps: int, tolerance: float) -> int:
        """Take up to `steps` steps, the first from start + step h; returns how many were taken."""
        return self.run_steps(system, start, step, self.step, steps, tolerance)

    # parameters: those of the loop
    def run_steps(self, system: System, start: float, step: int, h: float, steps: int, tolerance: float) -> int:
        """The same with steps of another size."""
        return run_steps(*self.loop_on(system, tolerance), start, step, h, steps)

    def run_recording(self, system: System, start: float, step: int, every: int, tolerance: float, states: NDArray[np.float64]) -> int:
        """Fill the rows of `states` with q and v, `every` steps apart; returns how many rows were filled."""
        return run_steps_recording(*self.loop_on(system, tolerance), start, step, self.step, every, states)


@functools.cache
def _code(integrator: Any, wide: bool) -> int:
    return loop_address(integrator.loop_wide if wide else integrator.loop)


class FixedMethod(Method):
    """Steps on a grid of time: step k goes from origin + k h to origin + (k + 1) h, and controllers are sampled where steps begin.

    Where a step was cut short, by an event that stops a run or by a change of forces, `time` stands within step `count`. What is left of that step is
    taken first, while controllers hold what they held: so the grid, and the times at which controllers are sampled, stay as they were.
    """

    numbers: ClassVar[tuple[str, ...]] = (*Method.numbers, "origin", "count")

    def __init__(self, integrator: Any, system: System, t: float) -> None:
        super().__init__(integrator, system, t)
        self.origin, self.count = float(t), 0

    def advance(self, until: float) -> None:
        h = self.integrator.step
        wanted = (until - self.origin) / h
        goal = int(np.floor(wanted + NEAR * max(1.0, abs(wanted) * 1e-6)))
        while self.count < goal:
            self.take(min(goal - self.count, CHUNK))

    @property
    def is_within_step(self) -> bool:
        """Was the last step cut short?"""
        return self.time > self.origin + self.count * self.integrator.step + NEAR * self.integrator.step

    def _finish_step(self) -> None:
        """Take what is left of a step that was cut short."""
        end = self.origin + (self.count + 1) * self.integrator.step
        with self._holding_controllers():
            self._keep_short_step(end - self.time)
        self.count, self.steps = self.count + 1, self.steps + 1
        self.evaluations += max(1, self.integrator.stages)
        self.before, self.time = self.time, end

    @contextlib.contextmanager
    def _holding_controllers(self) -> Iterator[Any]:
        """No controller is sampled in here, if the last step was cut short: it has been, where that step began."""
        controllers = self.system.controller_table
        count = controllers.count
        if self.is_within_step:
            controllers.count = 0
        try:
            yield
        finally:
            controllers.count = count

    def advance_until_suspect(self, until: Any, screen: Screen) -> bool:
        """See Method: a method with a native loop screens within it."""
        if self.integrator.loop is None:
            return super().advance_until_suspect(until, screen)
        h, record = self.integrator.step, for_kernels(screen.record)
        if self.time < until and self.is_within_step:
            self._finish_step()
            if screen.test():
                return True
        while self.time < until:
            loop = self.integrator.loop_on(self.system, self.tolerance)
            taken = run_until_suspect(*loop, record, self.origin, self.count, h, CHUNK, until)
            failed, taken = taken < 0, (-1 - taken if taken < 0 else taken)
            self._count(taken)
            if failed:
                self.before = self.time
                raise self.failure(h)
            if screen.record.suspect:
                return True
        return False

    def snapped(self, t: float) -> float:
        """A time, or the one on the grid that differs from it by rounding only: sums of many short durations stay on the grid."""
        on_grid = self.origin + round((t - self.origin) / self.integrator.step) * self.integrator.step
        return on_grid if abs(t - on_grid) <= SAME * self.integrator.step else t

    def step(self) -> None:
        self.take(1)

    def state(self, t: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """(q, v, works) at a time on the grid, or up to a step beyond the end of the last step: by a shorter step, which is not kept."""
        ahead, system = t - self.time, self.system
        if abs(ahead) <= NEAR * self.integrator.step:
            return system.q.copy(), system.v.copy(), system.works.copy()
        if ahead < 0.0:
            return super().state(t)
        with system.kept(), self._holding_controllers():
            self._short_step(ahead)
            return system.q.copy(), system.v.copy(), system.works.copy()

    def states_inside_step(self, times: list[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.between(times) if self.before < self.time else super().states_inside_step(times)

    def _short_step(self, h: Any) -> None:
        # The loop works out the time as start + step h.
        integrator, start = self.integrator, self.time - self.count * h
        if integrator.run_steps(self.system, start, self.count, h, 1, self.tolerance) < 1:
            raise self.failure(h)

    def failure(self, h: float) -> StepError:
        """Why the step of size h that comes now cannot be taken, after it has failed."""
        return StepError(f"a step of {h:g} s from t = {self.time:.9g} s led to a state that is not finite")

    def _keep_short_step(self, h: float) -> None:
        """A step of another size that is kept."""
        self._short_step(h)

    def take(self, steps: int) -> None:
        """Take so many steps. Raises StepError."""
        if self.is_within_step and steps > 0:
            self._finish_step()
            steps -= 1
        h = self.integrator.step
        taken = self.integrator.run(self.system, self.origin, self.count, steps, self.tolerance)
        self._count(taken)
        if taken < steps:
            self.before = self.time
            raise self.failure(h)

    def _count(self, taken: int) -> None:
        """So many steps more have been taken."""
        h = self.integrator.step
        self.count += taken
        self.steps += taken
        self.evaluations += taken * max(1, self.integrator.stages)
        self.time = self.origin + self.count * h
        self.before = self.origin + (self.count - 1) * h if taken else self.time

    def restart(self, t: float, q: NDArray[np.float64], v: NDArray[np.float64], works: NDArray[np.float64] | None = None) -> None:
        super().restart(t, q, v, works)
        self.origin, self.count = self.time, 0

    def cut(self, t: float) -> None:
        within = self.is_within_step  # cut within a step that was cut before: it is still the same one
        super().cut(t)
        if not within and self.time < self.origin + (self.count - NEAR) * self.integrator.step:
            self.count -= 1

    def end_step_at(self, t: float) -> None:
        if t <= self.time:
            self.cut(t)
            return
        with self._holding_controllers():
            self._keep_short_step(t - self.time)
        self.before, self.time = self.time, float(t)

    def restore(self, arrays: dict[str, Any], scalars: dict[str, float]) -> None:
        super().restore(arrays, scalars)
        check_grid(self)


def check_grid(method: Any) -> None:
    """Refuse a time that is not where so many steps from the origin lead."""
    there, step = method.origin + method.count * method.integrator.step, method.integrator.step
    near = SAME * step + 4.0 * np.spacing(abs(there))
    if method.count < 0 or not there - near <= method.time <= there + step + near:
        raise refuse_saved("time", method.time, f"one within the step from {there!r}, which is {method.count} steps from {method.origin!r}")
