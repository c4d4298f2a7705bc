"""Embedded Runge-Kutta methods on the joints' groups, with steps that follow the error: the everyday integrator of motion that is not stiff."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...data.stepper import for_kernels, numbers_of
from ...errors import ModelError
from ...parts.validation import number
from ...validation import is_whole
from ..error_norm import ErrorEstimate
from ..integrator import Integrator, Method, StepError
from ..islands import islands
from ..progress_check import ProgressCheck
from ..saved_values import LARGEST, refuse_saved, saved_array, take_saved
from ..stops import break_times, common_clock, jump_times
from ..switches import Switches
from ..time_watch import FunctionsOfTime
from ..work_error import new_tolerance
from .adaptive_steps import (
    NOT_FINITE,
    REACHED,
    TOO_SMALL,
    AdaptiveClock,
    AdaptiveRun,
    AdaptiveSettings,
    AdaptiveStep,
    adaptive_steps,
    adaptive_steps_until_suspect,
)
from .dense_output import DenseOutput
from .embedded import pair

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..event_screen import Screen
    from ..system import System

CHUNK = 4096  # steps between two looks at Python's signals
ORDERS = (5, 8)


@dataclass(frozen=True)
class Adaptive(Integrator):
    """Runge-Kutta of order 5 (Dormand and Prince) or 8 (DOP853) on the joints' groups; the error of every island is kept within

        atol + rtol |x|       for each x of its q and v (rad, m, rad/s, m/s; an angle counts as 1 rad at most), per step, by root mean square.

    first_step: s, None to choose one. max_step, min_step: s; a step that would have to be shorter than min_step is an error, with 0 one shorter
    than the clock resolves. Samples lie between steps and do not change them. Works of forces and drives are integrated along, to tens of rtol of the energy
    that they move, and what velocities leave open of the kinetic energy.

    >>> import linkwork as lw
    >>> lw.Adaptive(order=8, rtol=1e-10, atol=1e-12)
    Adaptive(order=8, rtol=1e-10, atol=1e-12, first_step=None, max_step=inf, min_step=0.0)
    """

    order: int = 5
    rtol: float = 1e-8
    atol: float = 1e-10
    first_step: float | None = None
    max_step: float = math.inf
    min_step: float = 0.0

    takes_contact: ClassVar[bool] = True
    by_events: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not is_whole(self.order) or self.order not in ORDERS:
            raise ModelError(f"Adaptive: order is {self.order!r}; allowed are 5 and 8; choose one")
        for name in ("rtol", "atol", "max_step", "min_step"):
            object.__setattr__(self, name, number(getattr(self, name), "Adaptive", name))
        for name, low in (("rtol", 1e-14), ("atol", 0.0)):
            value = getattr(self, name)
            if not low <= value < math.inf:
                raise ModelError(f"Adaptive: {name} is {value:g}; allowed is a finite number of at least {low:g}; give one, such as 1e-8")
        if self.atol == 0.0:
            raise ModelError(
                "Adaptive: atol is 0; allowed is a number above 0, since coordinates pass through zero; give one, such as 1e-12"
            )
        if not 0.0 <= self.min_step < self.max_step:
            raise ModelError(
                f"Adaptive: min_step is {self.min_step:g} s and max_step {self.max_step:g} s; allowed is 0 <= min_step < max_step; correct one"
            )
        if self.first_step is not None:
            object.__setattr__(self, "first_step", number(self.first_step, "Adaptive", "first_step"))
            if not 0.0 < self.first_step < math.inf:
                raise ModelError(
                    f"Adaptive: first_step is {self.first_step:g} s; allowed is a finite number above 0, or None to choose one"
                )

    @property
    def stages(self) -> int:  # type: ignore[override]
        return pair(self.order).stages

    def start(self, system: System, t: float) -> AdaptiveMethod:
        if system.mode is not None:
            from .with_contact import AdaptiveContactMethod  # here, so that what does not touch need not wait for it

            return AdaptiveContactMethod(self, system, t)
        return AdaptiveMethod(self, system, t)


class AdaptiveMethod(Method):
    """A system on its way by adaptive steps. `critical_times`: where a step must end and the method start afresh."""

    has_short_steps = False

    def __init__(self, integrator: Any, system: System, t: float) -> None:
        super().__init__(integrator, system, t)
        if system.wide:
            raise ModelError(
                "Adaptive: found states side by side; allowed is one, as each needs its own steps; use an integrator of fixed step"
            )
        self.pair = pair(integrator.order)
        self.island = islands(system.model, system.active_forces.infos)
        self._dense: Any = None  # the dense output, and
        self._dense_of: float | None = None  # of which step
        system.stepper.tableau = self.pair.table
        screening = self.pair.screening
        self._records = AdaptiveRun.allocate({"critical": 0, "terms": len(screening), "stages": self.pair.stages})
        self._records.terms, self._records.screening[:] = len(screening), screening.ravel()
        self._records.stepper, self._records.step = system.stepper, AdaptiveStep.allocate()
        self._records.settings = self._settings = self._new_settings(float(t))
        self._records.clock = self._clock = AdaptiveClock.allocate()
        self._records.estimate = self._new_estimate()
        self._records.of_works = self._of_works = new_tolerance(system.model, integrator.rtol, integrator.atol)
        self._records.critical = np.array([math.inf])
        self._clock.sample = float(t) if system.controllers else math.inf
        self.switches = Switches(self)
        self._begin(float(t))
        self.critical_times = np.unique(np.concatenate([jump_times(system), *break_times(system.model)]))
        self._seen = self._parameters()
        self._watch_switches()
        self._times = FunctionsOfTime(system, integrator.rtol, integrator.atol)
        self._records.timed = self._times.record is not None
        if self._records.timed:
            self._records.times = self._times.record

    def _watch_switches(self) -> None:
        """Let steps end at the switches of forces, if there are any."""
        screen = self.switches.screen
        self._records.switched = screen is not None
        if screen is not None:
            self._records.switches = screen.record
            self._make_dense()

    def _make_dense(self) -> None:
        """Memory for looks inside a step."""
        if self._dense is None:
            self._dense = DenseOutput(self.system, self.pair)
            self._records.dense_stepper = self._dense.stepper
            self._records.extra = bool(self.pair.screening[:, self.pair.table.end + 1 :].any())

    def _new_settings(self, t: float) -> AdaptiveSettings:
        made, i, ticks = AdaptiveSettings.allocate(), self.integrator, common_clock(self.system)
        if self.system.controllers:
            self.system.sample_every(1.0 / ticks)
        made.order, made.max_step, made.min_step, made.origin, made.ticks, made.limit = i.order, i.max_step, i.min_step, t, ticks, math.inf
        return made

    def _new_estimate(self) -> ErrorEstimate:
        system = self.system
        counts = 2.0 * np.bincount(self.island, weights=system.model.tables.links["nv"])
        made = ErrorEstimate.allocate({"n": len(self.island), "islands": len(counts), "nv": system.model.nv})
        made.rtol, made.atol, made.islands = self.integrator.rtol, self.integrator.atol, len(counts)
        made.island[:], made.counts[:] = self.island, counts
        return made

    # ---- critical times

    @property
    def critical_times(self) -> Any:
        return self._records.critical[:-1].tolist()

    @critical_times.setter
    def critical_times(self, times: NDArray[np.float64]) -> None:
        found = np.unique(np.array([float(x) for x in times]))
        if not np.isfinite(found).all():
            raise ModelError("critical_times: found a time that is not finite; allowed are finite times in s; leave it out")
        self._records.critical = np.append(found, math.inf)
        self._clock.critical = int(np.searchsorted(found, self.time, side="right"))

    # ---- on the way

    def advance(self, until: float) -> None:
        progress = ProgressCheck(self, until)
        while self.time < until:
            self.take(float(until), CHUNK)
            progress.check()

    def step(self) -> None:
        self.take(math.inf, 1)

    def advance_until_suspect(self, until: float, screen: Screen) -> bool:
        progress = ProgressCheck(self, until)
        while self.time < until:
            self.take(float(until), CHUNK, screen)
            if screen.record.suspect:
                return True
            progress.check()
        return False

    def take(self, until: float, most: int, screen: Screen | None = None) -> bool:
        """Steps until a time has been reached, at most so many, or until one is suspect. Raises StepError; returns whether the time has been reached."""
        now = self._parameters()
        if now != self._seen:
            self._seen, self._clock.fresh = now, True
            self.switches.refresh()
            self._watch_switches()
        self.system.stepper.tolerance, self.system.stepper.holds_rates = self.tolerance, self.system.prescribes_rates
        if screen is None:
            status = adaptive_steps(for_kernels(self._records), until, most)
        else:
            self._make_dense()
            status = adaptive_steps_until_suspect(for_kernels(self._records), for_kernels(screen.record), until, most)
        self._read_clock()
        if status in (TOO_SMALL, NOT_FINITE):
            self._fail(status)
        return status == REACHED

    def _fail(self, status: int) -> None:
        i, shown = self.integrator, f"from t = {self.time:.9g} s"
        if status == NOT_FINITE:
            raise StepError(f"every step {shown}, however short, led to a state that is not finite")
        least = f"min_step = {i.min_step:g} s" if i.min_step > 0.0 else "what the clock resolves"
        raise StepError(f"a step {shown} would have to be shorter than {least} to keep rtol = {i.rtol:g}, atol = {i.atol:g}")

    def _read_clock(self) -> None:
        c = self._clock
        self.time, self.before = c.time, c.before
        self.steps += c.steps
        self.rejections += c.rejections
        self.evaluations += c.evaluations
        if c.steps:
            self._dense_of = None
        c.steps = c.rejections = c.evaluations = 0

    def _parameters(self) -> bytes:
        """What acts, as bytes: if it has changed between two calls, nothing evaluated before counts."""
        active_forces = self.system.active_forces
        return active_forces.parameters

    # ---- looking back

    def state(self, t: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        s = self.system
        if t >= self.time or self.time == self.before:
            return s.q.copy(), s.v.copy(), s.works.copy()
        self._prepare_dense()
        return self._dense.at(max(t, self.before))

    def _prepare_dense(self) -> None:
        if self._dense_of != self.before:
            self._make_dense()
            self._dense.take(self.before, self._clock.after, self.time)
            self._dense_of = self.before

    # ---- beginning again

    def _begin(self, t: float) -> None:
        c = self._clock
        c.time, c.fresh, c.step = t, True, self.integrator.first_step or 0.0
        c.critical = int(np.searchsorted(self._records.critical[:-1], t, side="right"))
        c.cuts, c.seen = 0, t
        self.switches.begin()

    def restart(self, t: float, q: NDArray[np.float64], v: NDArray[np.float64], works: NDArray[np.float64] | None = None) -> None:
        super().restart(t, q, v, works)
        c = self._clock
        if self.system.controllers and not c.before <= self.time <= c.sample:  # elsewhere: controllers begin anew, too
            self._settings.origin = c.sample = self.time
            c.tick = 0
        self._begin(self.time)
        c.before = self.time

    def cut(self, t: float) -> None:
        super().cut(t)
        self._begin(self.time)

    # ---- for checkpoints

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        clock, origin = np.array(numbers_of(self._clock)), np.array([self._settings.origin])
        return {"clock": clock, "origin": origin, "critical": self._records.critical.copy()}

    def restore(self, arrays: Any, scalars: Any) -> None:
        super().restore(arrays, scalars)
        critical = arrays.get("critical", np.zeros(0))
        if (
            critical.ndim != 1
            or critical.dtype != np.float64
            or not len(critical)
            or critical[-1] != math.inf
            or (np.diff(critical) <= 0).any()
        ):
            raise refuse_saved("array 'critical'", critical.tolist(), "increasing times, the last of them infinite")
        clock, origin = self._clock, float(saved_array(arrays, "origin", (1,))[0])
        take_saved(clock, arrays, "clock", {"critical": (0, len(critical) - 1), "tick": (0, LARGEST), "cuts": (0, LARGEST)})
        due = origin + clock.tick / self._settings.ticks if self.system.controllers else math.inf
        if not (clock.time == self.time and math.isfinite(origin) and clock.sample in (due, self.time) and self.time <= clock.sample):
            raise refuse_saved("clock", numbers_of(clock), f"one at {self.time!r} s whose next sample is due later")
        self._settings.origin, self._records.critical = origin, critical
        self._dense_of, self._seen = None, self._parameters()
        self.switches.refresh()
        self._watch_switches()
