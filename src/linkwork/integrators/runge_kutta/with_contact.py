"""Runge-Kutta methods of mechanisms whose bodies touch: steps from event to event (integrators/nonsmooth/event_driven.py)."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.stepper import numbers_of
from ...dynamics.configuration import difference, integrate
from ..fixed_step import NEAR, FixedMethod
from ..integrator import cubic
from ..nonsmooth.event_driven import ContactEvents
from ..nonsmooth.memory import CONTACT_LOSSES
from ..saved_values import saved_array
from .adaptive import AdaptiveMethod

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..event_screen import Screen
    from ..system import System

    State = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


class FixedContactMethod(FixedMethod):
    """Fixed steps on their grid, each cut at the events of contact in it; what is left of it comes next. The inside of a step is the cubic through its ends."""

    has_short_steps = False
    looks = 4  # into a step, at least

    def __init__(self, integrator: Any, system: System, t: float) -> None:
        super().__init__(integrator, system, t)
        self.events = ContactEvents(self)
        self._inside: Any = None  # the cubic of the last step, and
        self._works: Any = None  # the works at its end

    # ---- on the way

    def take(self, steps: int) -> None:
        goal = self.count + steps
        while self.count < goal:
            self._substep()

    def _substep(self) -> None:
        """To the next event, or the end of the step."""
        end = self.origin + (self.count + 1) * self.integrator.step
        self.events.step(end)
        self.steps += 1
        if self.time >= end - NEAR * self.integrator.step:
            self.count += 1

    def advance(self, until: float) -> None:
        while self.time < until - NEAR * self.integrator.step:
            self._substep()

    def step(self) -> None:
        self._substep()

    def advance_until_suspect(self, until: Any, screen: Screen) -> bool:
        while self.time < until - NEAR * self.integrator.step:
            self._substep()
            if screen.test() or (screen.record.contacts and self.events.changed):
                return True
        return False

    # ---- for the events

    def attempt(self, limit: float) -> None:
        with self._holding_controllers():
            self._short_step(limit - self.time)
        self.evaluations += self.integrator.stages
        self.before, self.time = self.time, float(limit)
        self._inside = None

    def keep(self) -> Any:
        return self.time, self.before, self.count, self.system.save(), self.events.keep()

    def take_back(self, kept: Any) -> None:
        self.time, self.before, self.count, motion, contact = kept
        self.system.load(motion)
        self.events.take_back(contact)
        self._inside = None

    def lay(self) -> None:
        """The cubic of the last step, before the state behind an event stands."""
        s = self.system
        if self._inside is not None or self.time <= self.before:
            return
        (q0, v0), q1, v1 = (x.copy() for x in s.start), s.q.copy(), s.v.copy()
        self._works = s.works.copy()
        ends = s.evaluate(self.before, q0, v0, within_step=True), s.evaluate(self.time, q1, v1, within_step=True)
        theta = difference(s.model, q0, q1)
        self._inside = (self.before, self.time), q0, v0, theta, v1, s.local_rate(theta, v1), [end.vdot for end in ends]

    def begin_again(self, anew: bool) -> None:
        pass

    def look_inside(self, times: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if len(times) == 1 and times[0] == self.time and self._inside is None:
            return self.system.q[None].copy(), self.system.v[None].copy()
        self.lay()
        return self.between(times)

    def between(self, times: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        (start, end), q0, v0, theta, v1, rate, (first, last) = self._inside
        h = end - start
        x = (np.asarray(times)[:, None] - start) / h
        way = cubic(x, 0.0 * v0, theta, h * v0, h * rate)
        return integrate(self.system.model, np.broadcast_to(q0, (len(times), len(q0))), way), cubic(x, v0, v1, h * first, h * last)

    # ---- looking back

    def state(self, t: float) -> State:
        s = self.system
        if t >= self.time - NEAR * self.integrator.step or self.time == self.before:
            return s.q.copy(), s.v.copy(), s.works.copy()
        t = max(t, self.before)
        times = np.array([t, 0.5 * (t + self.time), self.time])
        q, v = self.between(times)
        with self.events.in_last_mode():
            powers = [s.evaluate(*at, within_step=True).powers for at in zip(times, q, v, strict=True)]
        works = self._works.copy()
        works[: len(powers[0])] -= (self.time - t) / 6.0 * (powers[0] + 4.0 * powers[1] + powers[2])
        works[-CONTACT_LOSSES:] = self.events.losses_at(t)
        return q[0], v[0], works

    def states_inside_step(self, times: list[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        found = [self.state(t)[:2] if t >= self.time else tuple(x[0] for x in self.between([max(t, self.before)])) for t in times]
        return np.array([q for q, _ in found]), np.array([v for _, v in found])

    # ---- beginning again

    def restart(self, t: float, q: NDArray[np.float64], v: NDArray[np.float64], works: NDArray[np.float64] | None = None) -> None:
        super().restart(t, q, v, works)
        self.events.forget()

    def cut(self, t: float) -> None:
        back = t < self.time
        super().cut(t)
        if back:
            self.events.cut()

    def end_step_at(self, t: float) -> None:
        self.advance(t)
        self.cut(t)

    # ---- for checkpoints

    def arrays(self) -> dict[Any, Any]:
        found = self.events.arrays()
        if self._inside is not None:
            span, q0, *numbers, ends = self._inside
            found |= {"inside span": np.array(span), "inside q": q0, "inside": np.array([*numbers, *ends]), "inside works": self._works}
        return found

    def restore(self, arrays: dict[str, Any], scalars: dict[str, float]) -> None:
        super().restore(arrays, scalars)
        self.events.restore(arrays)
        self._inside = None
        if "inside" in arrays:
            model = self.system.model
            *numbers, first, last = saved_array(arrays, "inside", (6, model.nv))
            start, end = saved_array(arrays, "inside span", (2,))
            self._works = saved_array(arrays, "inside works", self.system.works.shape)
            self._inside = (float(start), float(end)), saved_array(arrays, "inside q", (model.nq,)), *numbers, [first, last]


class AdaptiveContactMethod(AdaptiveMethod):
    """Adaptive steps that end at the events of contact. The inside of a step is the dense output of the method."""

    looks = 8  # into a step, at least

    def __init__(self, integrator: Any, system: System, t: float) -> None:
        super().__init__(integrator, system, t)
        self.events = ContactEvents(self)

    # ---- on the way

    def advance(self, until: float) -> None:
        while self.time < until:
            self.events.step(np.inf)

    def step(self) -> None:
        self.events.step(np.inf)

    def advance_until_suspect(self, until: float, screen: Screen) -> bool:
        while self.time < until:
            self.events.step(np.inf)
            if screen.test() or (screen.record.contacts and self.events.changed):
                return True
        return False

    # ---- for the events

    def attempt(self, limit: float) -> None:
        self._settings.limit = float(limit)
        try:
            self.take(np.inf, 1)
        finally:
            self._settings.limit = np.inf

    def keep(self) -> Any:
        return self.time, self.before, numbers_of(self._clock), self.system.save(), self.events.keep()

    def take_back(self, kept: Any) -> None:
        self.time, self.before, clock, motion, contact = kept
        for name, value in zip(self._clock.fields, clock, strict=True):
            setattr(self._clock, name, type(getattr(self._clock, name))(value))
        self.system.load(motion)
        self.events.take_back(contact)
        self._dense_of = None
        self.switches.begin()

    def lay(self) -> None:
        """The dense output of the last step, before the state behind an event stands."""
        if self.time > self.before:
            super()._prepare_dense()

    def begin_again(self, anew: bool) -> None:
        """The state has been changed at the end of the step: by rounding, or (anew) by an event."""
        if anew:
            self._begin(self.time)
        else:
            self._clock.fresh = True

    def look_inside(self, times: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        found = [super(AdaptiveContactMethod, self).state(t)[:2] for t in times]
        return np.array([q for q, _ in found]), np.array([v for _, v in found])

    # ---- looking back

    def states_inside_step(self, times: list[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.look_inside(times)

    def state(self, t: float) -> State:
        q, v, works = super().state(t)
        if t < self.time and not self.events.under_way:
            works[-CONTACT_LOSSES:] = self.events.losses_at(t)
        return q, v, works

    def _prepare_dense(self) -> None:
        with contextlib.nullcontext() if self.events.under_way else self.events.in_last_mode():
            super()._prepare_dense()

    # ---- beginning again

    def restart(self, t: float, q: NDArray[np.float64], v: NDArray[np.float64], works: NDArray[np.float64] | None = None) -> None:
        super().restart(t, q, v, works)
        self.events.forget()

    def cut(self, t: float) -> None:
        back = t < self.time
        super().cut(t)
        if back:
            self.events.cut()
            self._clock.fresh = True

    # ---- for checkpoints

    def arrays(self) -> dict[str, Any]:
        return super().arrays() | self.events.arrays()

    def restore(self, arrays: Any, scalars: Any) -> None:
        super().restore(arrays, scalars)
        self.events.restore(arrays)
