"""What every integrator is: settings that make a method, and a method that advances a system.

An *integrator* (RungeKutta4(step=1e-3)) is an immutable value. `start(system, t)` gives a *method*, which carries a system forward: after
`advance(until)` its time is within a step of `until`, and `state(until)` tells the state there. So what is looked at, and how often, never
changes the motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..dynamics.configuration import difference, integrate
from ..dynamics.energy import energy_or_infinity
from ..errors import ModelError
from ..validation import described
from .saved_values import refuse_saved, saved_number
from .system import System

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .event_screen import EventScreen, Screen

NEAR = 1e-6  # of a step: a jump so near to its end may be seen in it, or in the next


@dataclass(frozen=True)
class Integrator:
    """Base of all integrators.

    >>> import linkwork as lw
    >>> isinstance(lw.RungeKutta4(step=1e-3), lw.Integrator)
    True
    """

    stages: ClassVar[int] = 0  # that the stepper keeps
    takes_contact: ClassVar[bool] = False  # may bodies touch?
    by_events: ClassVar[bool] = False  # and does it go from event to event of contact?
    hard_limits: ClassVar[bool] = False  # are limits of joints rows of the steps? else they are stops, forces

    def start(self, system: System, t: float) -> Method:
        raise NotImplementedError


def need_integrator(value: Any) -> None:
    """Refuse anything but an Integrator."""
    if isinstance(value, Integrator):
        return
    found = f"{value!r}" if isinstance(value, str) else described(value)
    remedy = f"lw.integrator({value!r}) looks one up by its name" if isinstance(value, str) else "give one"
    raise ModelError(f"integrator: found {found}; allowed is an integrator such as RungeKutta4(step=1e-3); {remedy}")


class StepError(Exception):
    """A step that could not be taken. The method is at its last valid state; `reason` describes the failure."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


# What a method counts, summed over its steps; checkpoints, recordings, ledger and audit keep the same.
STEP_COUNTS = ("steps", "rejections", "iterations", "evaluations")


class Method:
    """A system on its way. `time` is the end of the last step, `before` its start."""

    leaves_singular_start = True  # along the branch of its velocity; False: its rows are chosen at the start, and stay too few
    has_short_steps = True  # in which a number of the state changes little; False: as long as an error allows
    step_cost = 1  # about how many explicit steps take as long as one of its own
    projects_ends = False  # of steps, so that states within a step are those of its projected end
    takes_impacts = False  # a jump of prescribed velocities as an impact; False: a projection takes it for drift
    impacts: tuple[float, ...] = ()  # s, the next times at which prescribed velocities jump; given to methods that treat them as impacts
    tolerance = 0.0  # gap beyond which a state is projected back onto its constraints; 0: never

    def __init__(self, integrator: Any, system: System, t: float) -> None:
        self.integrator = integrator
        self.system, self.time, self.before = system, float(t), float(t)
        self.steps = self.rejections = self.iterations = self.evaluations = 0
        self._ends: Any = ()
        self._ends_of: tuple[float, float] | None = None  # what is known of both ends of the last step, and of which step

    def advance(self, until: Any) -> Any:
        """Carry the system to `until`, or to within a step of it, before or behind. Raises StepError."""
        raise NotImplementedError

    def step(self) -> Any:
        """Take exactly one step. Raises StepError."""
        raise NotImplementedError

    def advance_until_suspect(self, until: float, screen: Screen) -> bool:
        """Take steps until a time has been reached, or one may hold an event: `screen` (event_screen.py) decides; returns its verdict.

        Methods with a compiled loop of steps screen within it; here every step is taken from Python. Raises StepError.
        """
        while self.time < until:
            self.step()
            if screen.test():
                return True
        return False

    def lay_polynomial(self, screen: EventScreen) -> bool:
        """Lay the polynomial of the last step into an EventScreen, and return True; False if the method has none of its own."""
        return False

    def snapped(self, t: float) -> float:
        """A time, or the one where a step ends that is meant by it."""
        return t

    def add_work_of_impact(self, start: Any, works: Any) -> None:
        """The work of prescribed motion in a step over which its velocity jumps: what energy the mechanism has gained beyond the works of all forces.

        Powers do not include impulses. start: (t, q, v) where the step began, works: those done until then.
        """
        s, (t, *before) = self.system, start
        near = NEAR * (self.time - t)
        if any(t - near <= at <= self.time + near for at in self.impacts):
            gained = [float(e.kinetic + e.potential) for e in (energy_or_infinity(s.model, s.q, s.v), energy_or_infinity(s.model, *before))]
            driven, done = s.stepper.nw - 1, s.works - works
            s.works[driven] = works[driven] + gained[0] - gained[1] - float(done.sum() - done[driven])

    # ---- looking back

    def state(self, t: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """(q, v, works) at a time within the last step.

        Here by cubics through both ends, of order 4: of theta on the joints' manifolds, with slopes theta', and of v with slopes vdot; works by
        Simpson's rule over the powers from t to the end of the step.
        """
        s = self.system
        if t >= self.time or self.time == self.before:
            return s.q.copy(), s.v.copy(), s.works.copy()
        times = np.array([max(t, self.before), 0.5 * (max(t, self.before) + self.time)])
        q, v = self.between(times)
        powers = [s.evaluate(*at, within_step=True).powers for at in zip(times, q, v, strict=True)]
        rest = (self.time - times[0]) / 6.0 * (powers[0] + 4.0 * powers[1] + self._ends[1].powers)
        return q[0], v[0], s.works - rest

    def between(self, times: NDArray[np.float64] | list[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(q, v) by the cubics, for times within the last step, each (n, ...)."""
        s = self.system
        (q0, v0), q1, v1 = s.start, s.q, s.v
        if self._ends_of != (self.before, self.time):
            self._ends = s.evaluate(self.before, q0, v0, within_step=True), s.evaluate(self.time, q1, v1, within_step=True)
            self._theta = difference(s.model, q0, q1)
            self._rate = s.local_rate(self._theta, v1)
            self._ends_of = self.before, self.time
        first, last = self._ends
        h = self.time - self.before
        x = (np.asarray(times)[:, None] - self.before) / h
        theta = cubic(x, 0.0 * v0, self._theta, h * v0, h * self._rate)
        return integrate(s.model, np.broadcast_to(q0, (len(times), s.model.nq)), theta), cubic(x, v0, v1, h * first.vdot, h * last.vdot)

    def states_inside_step(self, times: list[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(q, v) at several times within the last step, each (n, ...)."""
        found = [self.state(t)[:2] for t in times]
        return np.array([q for q, _ in found]), np.array([v for _, v in found])

    # ---- beginning again

    def restart(self, t: float, q: NDArray[np.float64], v: NDArray[np.float64], works: NDArray[np.float64] | None = None) -> None:
        """Begin afresh at another state: what has happened before does not count any more."""
        s = self.system
        s.q[:], s.v[:] = q, v
        if works is not None:
            s.works[:] = works
        self.time = self.before = float(t)
        self._ends_of = None

    def cut(self, t: float) -> None:
        """Go back to a time within the last step, and begin afresh there. `state` is still valid before it."""
        q, v, works = self.state(t)
        s = self.system
        s.q[:], s.v[:], s.works[:] = q, v, works
        s.forget_step()
        self.time = float(t)

    def end_step_at(self, t: float) -> None:
        """End the last step at the time that is shown, within it or, for methods whose step has still to be taken, behind it."""
        self.cut(t)

    # ---- for checkpoints: the state of the system is saved as a whole, and besides

    numbers: ClassVar[tuple[str, ...]] = ("time", "before", *STEP_COUNTS)

    def scalars(self) -> dict[str, float]:
        """Numbers that a restart needs, by name, as values for JSON."""
        return {name: getattr(self, name) for name in self.numbers}

    def arrays(self) -> dict[Any, Any]:
        """Arrays that a restart needs, by name."""
        return {}

    def restore(self, arrays: dict[str, Any], scalars: dict[str, float]) -> None:
        """Take up what `arrays` and `scalars` gave; FormatError for what they cannot have given (saved_values.py)."""
        for name in self.numbers:
            setattr(self, name, saved_number(scalars, name, getattr(self, name)))
        if not self.before <= self.time:
            raise refuse_saved("time before the last step", self.before, f"one up to {self.time!r}")
        self._ends_of = None


# ---- between two states

# Cubic Hermite interpolation between two states: of steps, and of samples (simulation/interpolate.py), in local coordinates.
#
#     y(x) = y0 + (3 x^2 - 2 x^3) (y1 - y0) + (x - 2 x^2 + x^3) d0 + (x^3 - x^2) d1        y and its slope dy/dx at x = 0 and at x = 1
#
# Compiled loops that look for events lay the same cubic as coefficients (event_screen.py).


def cubic(x: Any, y0: Any, y1: Any, d0: Any, d1: Any) -> Any:
    """The cubic with values y and slopes d (by x) at x = 0 and x = 1."""
    return y0 + (3 * x**2 - 2 * x**3) * (y1 - y0) + (x - 2 * x**2 + x**3) * d0 + (x**3 - x**2) * d1


def cubic_slope(x: Any, y0: Any, y1: Any, d0: Any, d1: Any) -> Any:
    """Its slope."""
    return 6 * (x - x**2) * (y1 - y0) + (1 - 4 * x + 3 * x**2) * d0 + (3 * x**2 - 2 * x) * d1
