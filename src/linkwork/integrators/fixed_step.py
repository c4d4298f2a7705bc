"""Integrators with a fixed step: chunks of steps run compiled, on a grid of time that does not depend on how often one looks."""

from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from ..errors import ModelError
from ..parts.given import number
from .method import StepError, Integrator, Method

NEAR = 1e-9  # of a step: times closer than this are the same


@dataclass(frozen=True)
class FixedStep(Integrator):
    """Base of integrators with a fixed step, s. Times are start + k step, so that bits do not depend on how a run is cut into pieces."""

    step: float = 1e-3
    order: ClassVar[int] = 1

    def __post_init__(self):
        for field in fields(self):
            if field.type in (float, "float"):
                object.__setattr__(self, field.name, number(getattr(self, field.name), type(self).__name__, field.name))
        if not 0.0 < self.step < float("inf"):
            raise ModelError(f"{type(self).__name__}: step is {self.step:g} s; allowed is a finite number above 0; give one, such as 1e-3")

    def start(self, system, t):
        system.sample_every(self.step)
        return FixedMethod(self, system, t)

    def run(self, system, start, step, steps, tolerance):
        """Take up to `steps` steps, the first from start + step h; returns how many were taken."""
        raise NotImplementedError


class FixedMethod(Method):
    """Steps on a grid of time."""

    def __init__(self, integrator, system, t):
        super().__init__(system, t)
        self.integrator, self.origin, self.count = integrator, float(t), 0

    def advance(self, until):
        wanted = (until - self.origin) / self.integrator.step
        self._to(int(np.ceil(wanted - NEAR * max(1.0, abs(wanted) * 1e-6))))

    def step(self):
        self._to(self.count + 1)

    def _to(self, goal):
        h = self.integrator.step
        while self.count < goal:
            steps = goal - self.count
            taken = self.integrator.run(self.system, self.origin, self.count, steps, self.tolerance)
            self.count += taken
            self.steps += taken
            self.time = self.origin + self.count * h
            self.before = self.origin + (self.count - 1) * h
            if taken < steps:
                self.before = self.time
                raise StepError(f"a step of {h:g} s from t = {self.time:.9g} s led to a state that is not finite")

    def restart(self, t, q, v, works=None):
        super().restart(t, q, v, works)
        self.origin, self.count = self.time, 0

    def cut(self, t):
        super().cut(t)
        self.origin, self.count = self.time, 0

    def memory(self):
        return {**super().memory(), "grid": np.array([self.origin, self.count])}

    def recall(self, q, v, memory):
        super().recall(q, v, memory)
        self.origin, self.count = float(memory["grid"][0]), int(memory["grid"][1])
