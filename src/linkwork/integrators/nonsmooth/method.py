"""`ContactStepping`: fixed steps for mechanisms whose bodies touch, and whose joints stop at their limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...data.stepper import for_kernels
from ...dynamics.configuration import difference, integrate
from ..compiled_loop import run_until_suspect
from ..fixed_step import CHUNK, NEAR, FixedMethod, FixedStep
from ..integrator import StepError
from .memory import forget_contact, grow, load_contact, refuse_wrong_points, save_contact
from .steps import contact_loop

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..event_screen import Screen
    from ..system import System


@dataclass(frozen=True)
class ContactStepping(FixedStep):
    """Time stepping with contact: bodies touch, stick, slide, roll and rebound, joints stop at their limits; fixed step, s.

    Velocities at the end of a step satisfy Signorini's law, Coulomb's with the exact cone, and Newton's law of impact, together with all
    constraints; positions follow semi-implicitly. Order 1. The default for models whose bodies touch.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("brick")
    >>> _ = m.add_body("brick", shape=lw.Box(0.2, 0.1, 0.1), density=1000)
    >>> _ = m.add_floor(surface=lw.Surface(friction=0.5))
    >>> rec = lw.simulate(m, 1.0, lw.ContactStepping(step=1e-3), q=[0, 0, 0.05, 1, 0, 0, 0])
    >>> float(abs(rec.v[-1]).max()) < 1e-12
    True
    """

    loop: ClassVar[Any] = contact_loop
    takes_contact: ClassVar[bool] = True
    hard_limits: ClassVar[bool] = True

    def start(self, system: System, t: float) -> ContactMethod:
        system.sample_every(self.step)
        forget_contact(system.contact)
        return ContactMethod(self, system, t)

    # parameters: those of the loop
    def run_steps(self, system: System, start: float, step: int, h: float, steps: int, tolerance: float) -> int:
        taken = super().run_steps(system, start, step, h, steps, tolerance)
        while taken < steps and system.contact.overflow:
            grow(system)
            taken += super().run_steps(system, start, step + taken, h, steps - taken, tolerance)
        return taken


class ContactMethod(FixedMethod):
    """The steps of a ContactStepping. Within a step positions move evenly, and velocities are those at its end."""

    def failure(self, h: float) -> StepError:
        failed = self.system.contact.failed
        if failed == 0:
            return super().failure(h)
        residual = max(self.system.contact.problem.residual, self._approach_left())
        pair = self.system.model.pairs[failed - 1] if failed > 0 else None
        where = "at the limits of the joints" if pair is None else f"between {pair.a!r} and {pair.b!r}"
        return StepError(
            f"the impulses of a step of {h:g} s from t = {self.time:.9g} s, hardest {where}, were not found (the best satisfy the laws of contact "
            f"to {residual:.2g} m/s)"
        )

    def _approach_left(self) -> float:
        """How fast, m/s, a contact or limit still closes: the residual is weighed by what an impulse changes, which is nothing where motion is prescribed."""
        problem = self.system.contact.problem
        normal = np.array(problem.first[: problem.m], dtype=int)
        return float(max(0.0, -np.array(problem.w[: problem.n])[normal].min(initial=0.0)))

    def advance_until_suspect(self, until: Any, screen: Screen) -> bool:
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
            if failed and self.system.contact.overflow:
                grow(self.system)
            elif failed:
                self.before = self.time
                raise self.failure(h)
            elif screen.record.suspect:
                return True
        return False

    def state(self, t: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        system, back = self.system, self.time - t
        if back <= NEAR * self.integrator.step:
            return super().state(t)
        q, v = self.between([t])
        works = system.works.copy()
        powers = system.stepper.powers
        works[: len(powers)] -= min(back, self.time - self.before) * powers
        return q[0], v[0], works

    def between(self, times: NDArray[np.float64] | list[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(q, v) at times within the last step, each (n, ...)."""
        s = self.system
        times = np.maximum(times, self.before)[:, None]
        v = np.where(times > self.before, s.v, s.start[1])
        q0, share = s.start[0], (times - self.before) / (self.time - self.before)
        return integrate(s.model, np.broadcast_to(q0, (len(times), s.model.nq)), share * difference(s.model, q0, s.q)), v

    def restart(self, t: float, q: NDArray[np.float64], v: NDArray[np.float64], works: NDArray[np.float64] | None = None) -> None:
        super().restart(t, q, v, works)
        forget_contact(self.system.contact)

    # ---- for checkpoints

    def arrays(self) -> dict[Any, Any]:
        return {"contact": save_contact(self.system.contact)}

    def restore(self, arrays: dict[str, Any], scalars: dict[str, float]) -> None:
        super().restore(arrays, scalars)
        saved = np.asarray(arrays["contact"], dtype=np.int64).reshape(-1)
        refuse_wrong_points(self.system.contact, saved)
        while saved[0] > self.system.contact.room:
            grow(self.system)
        load_contact(self.system.contact, saved)
