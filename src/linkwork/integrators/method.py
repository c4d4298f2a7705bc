"""What every integrator is: settings that make a method, and a method that advances a system.

An *integrator* (RungeKutta4(step=1e-3)) is an immutable value. `start(system, t)` gives a *method*, which carries a system forward: after
`advance(until)` its front has reached `until` or passed it, and `state(t)` tells the state at any time between its last two fronts. So what
is looked at, and how often, never changes the motion.
"""

from dataclasses import dataclass
from typing import ClassVar

from ..dynamics.configuration import difference, integrate
from .system import System


@dataclass(frozen=True)
class Integrator:
    """Base of all integrators."""

    stages: ClassVar[int] = 0  # that the stepper keeps

    def start(self, system: System, t: float) -> "Method":
        raise NotImplementedError

    def slots(self, model) -> int:
        """Slots of scratch memory beyond the stages."""
        return 0


class StepError(Exception):
    """A step that could not be taken. The method stands at its last good state; `reason` says what happened, in words."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


class Method:
    """A system on its way. `time` is the front, `before` the time one step earlier."""

    tolerance = 0.0  # gap beyond which a state is projected back onto its constraints; 0: never

    def __init__(self, integrator, system, t):
        self.integrator = integrator
        self.system, self.time, self.before = system, float(t), float(t)
        self.steps = self.rejections = self.iterations = self.evaluations = 0

    def advance(self, until):
        """Carry the front to `until`, or past it by less than a step. Raises StepError."""
        raise NotImplementedError

    def step(self):
        """Take exactly one step. Raises StepError."""
        raise NotImplementedError

    def state(self, t):
        """(q, v, works) at a time between the last two fronts, by a cubic through both ends on the joints' manifolds."""
        s = self.system
        if t >= self.time or self.time == self.before:
            return s.q.copy(), s.v.copy(), s.works.copy()
        (q0, v0), q1, v1 = s.start, s.q, s.v
        h = self.time - self.before
        x = (t - self.before) / h
        theta1 = difference(s.model, q0, q1)
        # The slope at the end is v1 in the tangent space there; to the order of the cubic it is theta' itself.
        theta = (3 * x**2 - 2 * x**3) * theta1 + h * ((x - 2 * x**2 + x**3) * v0 + (x**3 - x**2) * v1)
        rate = (6 * x - 6 * x**2) * theta1 / h + (1 - 4 * x + 3 * x**2) * v0 + (3 * x**2 - 2 * x) * v1
        return integrate(s.model, q0, theta), rate, self._works_at(x)

    def _works_at(self, x):
        return self.system.works.copy()

    # ---- for checkpoints: the scratch memory of the system is saved as a whole, and besides

    numbers: ClassVar[tuple[str, ...]] = ("time", "before", "steps", "rejections", "iterations", "evaluations")

    def scalars(self):
        """Numbers that a restart needs, by name, as values for JSON."""
        return {name: getattr(self, name) for name in self.numbers}

    def arrays(self):
        """Arrays that a restart needs, by name."""
        return {}

    def restore(self, arrays, scalars):
        """Take up what `arrays` and `scalars` gave."""
        for name in self.numbers:
            setattr(self, name, scalars[name])
