"""`Implicit`: Radau IIA of order 5 on the joints' groups, for stiff springs, dampers and constraints together."""

from __future__ import annotations

import math
from dataclasses import InitVar, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...constraints.projection import onto_constraints
from ...data.stepper import for_kernels
from ...dynamics.configuration import integrate
from ...errors import ModelError
from ...parts.validation import number
from ...validation import is_whole
from ..controllers import sample_controllers
from ..integrator import Integrator, Method, StepError
from ..progress_check import ProgressCheck
from ..saved_values import refuse_saved, saved_array, saved_indices
from ..stops import Stops
from ..switches import LATE, MOST_CUTS, OVERSHOOT, Switches
from ..time_watch import FunctionsOfTime
from ..work_error import new_tolerance, works_over_tolerance
from .nonconvergence import why_not_converged
from .radau import ERROR, MU, POWERS, STAGES, A, beyond, integral_to, values_at
from .stage_equations import Slopes, StageEquations
from .step import Failure, ImplicitStep, Point, Step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..event_screen import EventScreen
    from ..system import System

NEAR = 1e-9  # of a step: times closer than this are the same
LEAST = 1e-12  # s, of steps that follow the error
CLOCK = 1e-8  # of a step: what the rounding of times may make of it; steps of one size share a matrix
TRIFLE = 1e-15  # of a time: what jumps at a stop is seen just before it
FINEST = 4096  # parts of a fixed step, where Newton's method needs them
TRIES = 200  # for one fixed step: parts, and parts that could not be taken. Singular poses and corners of forces need some tens.
AFTER_CUT = 0.1  # of the size that was cut: what is tried next behind a switch
WORKS = 1e-8  # of the energies: multipliers of stages are as exact as Newton's changes over h, so that works are not known better in short steps
EXACTER = 1e-3  # of the tolerance on the error: to which Newton's method solves a step that follows the error


@dataclass(frozen=True)
class Implicit(Integrator):
    """Radau IIA with three stages: order 5, L-stable, by Newton's method; for stiff springs, dampers, bushings and contacts, with loops and prescribed motion.

    step: s, fixed; None lets the step follow the error, kept within atol + rtol |x| for each coordinate and velocity, and works of forces and drives within
    some tens of rtol of the energy that they move and what velocities leave open of the kinetic energy. A fixed step in which Newton's
    method does not converge is taken in parts. accuracy: of the velocities that Newton's method finds, relative to those of
    the motion, and of the constraints (rad, lengths of the mechanism). rtol, atol: atol in rad, m, rad/s, m/s.
    max_iterations: of Newton's method, a try. What is too fast for the step is damped out, without overshoot; smooth motion loses energy with h^5.
    A new matrix costs 4 n evaluations of the forces and O((n + m)^3), dense; it serves for many steps.

    >>> import linkwork as lw
    >>> lw.Implicit(step=1e-3)
    Implicit(step=0.001, rtol=0.0001, atol=1e-06, max_step=inf, accuracy=1e-11, max_iterations=12)
    """

    step: float | None = None
    rtol: float = 1e-4
    atol: float = 1e-6
    rho: InitVar[object] = None
    max_step: float = math.inf
    accuracy: float = 1e-11
    max_iterations: int = 12
    stages: ClassVar[int] = 1
    order: ClassVar[int] = 5

    def __post_init__(self, rho: object) -> None:
        if rho is not None:
            raise ModelError(
                f"Implicit: rho is {rho!r}; allowed is no rho: the method is L-stable and damps all that is too fast for the step, as rho = 0 did, and smooth "
                "motion next to nothing; leave it out, or use Variational for motion without numerical damping"
            )
        for name in ("step", "rtol", "atol", "max_step", "accuracy"):
            value = getattr(self, name)
            if value is None and name == "step":
                continue
            value = number(value, "Implicit", name)
            object.__setattr__(self, name, value)
            if not value > 0.0 or (name != "max_step" and value == math.inf):
                raise ModelError(f"Implicit: {name} is {value:g}; allowed is a finite number above 0; give one")
        most = self.max_iterations
        if not is_whole(most, 2):
            raise ModelError(f"Implicit: max_iterations is {most!r}; allowed is a whole number from 2 on; give one, such as 12")

    def start(self, system: System, t: float) -> ImplicitMethod:
        if system.wide:
            raise ModelError("Implicit: lanes side by side were asked for; allowed is one state; use RungeKutta4")
        if self.step is not None:
            system.sample_every(self.step)
        return ImplicitMethod(self, system, t)


class ImplicitMethod(Method):
    """A system on its way by Radau IIA. `now`: the Point it stands at, `last` the Step before it."""

    step_cost = 100
    numbers: ClassVar[tuple[str, ...]] = (
        *Method.numbers,
        *("origin", "count", "h", "error_before", "fresh", "clock_origin", "tick", "worn", "patience", "tries", "cuts"),
    )

    def __init__(self, integrator: Any, system: System, t: float) -> None:
        super().__init__(integrator, system, t)
        self.equations = StageEquations(system)
        accuracy = integrator.accuracy
        if integrator.step is None:
            accuracy = max(accuracy, EXACTER * min(integrator.atol, integrator.rtol))
        self.solver = ImplicitStep(self.equations, accuracy, integrator.accuracy, int(integrator.max_iterations))
        self.origin, self.count = float(t), 0
        self.stops: Any = Stops(system, t) if integrator.step is None else None
        self.has_short_steps = self.takes_impacts = integrator.step is not None
        self.switches, self.cuts = Switches(self) if integrator.step is None else None, 0
        self._times = FunctionsOfTime(system, integrator.rtol, integrator.atol) if integrator.step is None else None
        # Fixed steps do not know of jumps, and those of prescribed velocities are impacts, whose end a step has to meet.
        self._sees_before = integrator.step is None or not system.prescribes_motion
        self.h, self.error_before, self.fresh = integrator.step or 0.0, 1.0, True  # h: of the next step
        self.now: Any = None
        self.last: Any = None
        self.tries = 0
        self._new_memory = False  # did a force law remember anything new at the end of the last step?
        self._of_works = new_tolerance(system.model, max(integrator.rtol, WORKS), integrator.atol)
        self._works_before = system.works.copy()
        self._counted = 0, 0

    # ---- beginning, and beginning again

    def _begin(self) -> None:
        """Accelerations and multipliers at the present state. The history before a jump of forces is not used."""
        s = self.system
        evaluation = s.evaluate(self.time, s.q, s.v)
        if not np.isfinite(evaluation.vdot).all():
            raise StepError(f"accelerations at t = {self.time:.9g} s are not finite")
        self.now, self.last = Point(self.time, s.q.copy(), s.v.copy(), evaluation.vdot, evaluation.multipliers), None
        if not self.h:
            scale = np.abs(evaluation.vdot) / (self.integrator.atol + self.integrator.rtol * self._sizes(s.q))
            self.h = min(1e-3, self.integrator.max_step, 0.1 / math.sqrt(max(float(scale.max(initial=0.0)), 1e-12)))
        self.fresh = False

    def restart(self, t: float, q: NDArray[np.float64], v: NDArray[np.float64], works: NDArray[np.float64] | None = None) -> None:
        """Begin anew at another state."""
        s = self.system
        s.q[:], s.v[:] = q, v
        if works is not None:
            s.works[:] = works
        self.time = self.before = self.origin = float(t)
        self.count, self.tries, self.fresh = 0, 0, True
        if self.stops is not None:
            self.stops.begin(t)

    def cut(self, t: float) -> None:
        """Go back to a time within the last step, and begin anew there. `state` is still valid before it. The grid of fixed steps stays."""
        s = self.system
        s.q[:], s.v[:], s.works[:] = self.state(t)
        s.forget_step()
        self.time, self.tries, self.fresh = float(t), 0, True
        if self.integrator.step is None:
            self.origin, self.count = self.time, 0
        elif self.time < self._grid(self.count) - NEAR * self.integrator.step:
            self.count -= 1

    # ---- on the way

    def advance(self, until: float) -> None:
        if self.integrator.step is not None:
            wanted = (until - self.origin) / self.integrator.step
            until = self._grid(int(np.ceil(wanted - NEAR * max(1.0, abs(wanted) * 1e-6))))
        progress = ProgressCheck(self, until)
        while self.time < until:
            self.step()
            progress.check()

    def _grid(self, count: int) -> float:
        return self.origin + count * self.integrator.step

    def step(self) -> None:
        """One step; of fixed steps one that Newton's method cannot take at once is taken in parts, each by a call."""
        s = self.system
        if self.integrator.step is None:
            jumped, stop = self.stops.passed(self.time), self.stops.next(self.time)
        else:
            jumped, stop = False, self._grid(self.count + 1)
            if s.has_controllers and self.time == self._grid(self.count):
                held = s.held.copy()
                sample_controllers(for_kernels(s.stepper), self.count, self.time)
                jumped = bool((held != s.held).any())
        if jumped or self.fresh:
            self._begin()
            if self.switches is not None:
                self.switches.refresh()
        if not s.model.nv:
            self._pass(stop)
            return
        h, corner = self.h, math.inf
        if self._times is not None:
            h, corner = self._times.limit(self.time, min(h, self.integrator.max_step, stop - self.time))
            stop = min(stop, corner)
        failures, found, error, cut = 0, None, 0.0, 0.0  # cut: the size of a step that was cut at a switch
        least = LEAST if self.integrator.step is None else 0.5 * self.integrator.step / FINEST
        while True:
            h, t = self._towards(stop, h)
            self.equations.stages.latest = t - TRIFLE * abs(t) if t == stop and self._sees_before else math.inf
            found = self._try(t, h)
            self.tries += 1
            if isinstance(found, Step):
                error = self._error(found) if self.integrator.step is None else 0.0
                if error <= 1.0:
                    shorter = self._until_switch(found)
                    if shorter == h:
                        break
                    self.rejections += 1
                    cut, h = max(cut, h), shorter
                    continue
            self.rejections += 1
            failures += 1
            cut = 0.0
            h *= 0.25 if isinstance(found, Failure) else max(0.2, 0.9 * error**-0.25)
            if h < least or failures > 60:
                self._fail(found, h)
            if self.integrator.step is not None and self.tries > TRIES:
                self._too_fast(h)
        self._take(found)
        if self._new_memory:  # forces are others from here on
            self.solver.matrix = None
        if self.integrator.step is None:
            self.h = max(self._next(h, error, failures), AFTER_CUT * cut)
            self.cuts = self.cuts + 1 if cut else 0
            self.fresh = t == corner or self._new_memory  # the history before a corner of a function of time is not used
        else:
            if t == stop:
                self.count, self.tries = self.count + 1, 0
            self.h = self.integrator.step if h >= 0.5 * self.integrator.step else 2.0 * h
            self.fresh = self._new_memory

    def _until_switch(self, found: Any) -> float:
        """The size of a step that ends where a force sets in or ends, or that of the step itself."""
        if self.switches is None or self.cuts >= MOST_CUTS:
            return found.h
        x = self.switches.part(self.now, found.end, lambda screen: self._lay(screen, self.now.q, found))
        shorter = found.h * (x + OVERSHOOT)
        return found.h if x > 1.0 - LATE or shorter < LEAST else shorter

    def lay_polynomial(self, screen: EventScreen) -> bool:
        if self.last is None:
            return False
        self._lay(screen, self.system.start[0], self.last)
        return True

    def _lay(self, screen: EventScreen, q: NDArray[np.float64], step: Any) -> None:
        screen.base[:] = q
        count = POWERS.shape[0] * self.system.model.nv
        screen.of_theta[:count], screen.of_v[:count] = (POWERS @ step.theta).ravel(), (POWERS @ step.v).ravel()
        screen.terms, screen.shift = POWERS.shape[0], 0.0

    def _towards(self, stop: float, h: float) -> tuple[float, float]:
        """(h, t): a step of about h that ends at the stop, or leaves enough before it; and where it ends."""
        left = stop - self.time
        if self.integrator.step is None:
            h = min(h, self.integrator.max_step)
        if h >= left * (1.0 - 1e-9) - 4.0 * np.spacing(abs(stop)):
            if self.integrator.step is not None and self.time == self._grid(self.count):
                return self.integrator.step, stop  # the same bits for all steps, and one matrix
            return left, stop
        h = min(h, 0.5 * left)
        t = self.time + h
        on = t - self.time  # what the clock goes on by: where it is large, steps would not add up to its times
        if not on > 0.0:
            raise StepError(f"a step from t = {self.time:.9g} s would have to be shorter than what the clock resolves")
        return (h if abs(on - h) <= CLOCK * h else on), t

    def _try(self, t: float, h: float) -> Any:
        """A step from the present Point; its polynomial goes on from that of the step before."""
        guess = multipliers = None
        if self.last is not None and h <= 2.0 * self.last.h:
            of_values, of_rates = beyond(h / self.last.h)
            guess, multipliers = of_values @ self.last.v, of_rates @ self.last.multipliers
        found = self.solver.step(self.now, h, guess, multipliers)
        if isinstance(found, Failure) and guess is not None:
            found = self.solver.step(self.now, h)
        now = self.solver.iterations, self.equations.evaluations
        self.iterations += now[0] - self._counted[0]
        self.evaluations += now[1] - self._counted[1]
        self._counted = now
        return found._replace(end=found.end._replace(t=t)) if isinstance(found, Step) else found

    def _next(self, h: float, error: float, failures: int) -> float:
        """The next step, from the errors of this one and the one before (Gustafsson 1991)."""
        small = max(error, 1e-6)
        growth = 0.9 * small**-0.25 * (self.error_before / small) ** 0.1
        self.error_before = small
        growth = min(growth, 1.0) if failures else min(growth, 5.0)
        return h if 0.95 < growth < 1.3 else h * growth  # a step that stays keeps its matrix

    def _error(self, found: Any) -> float:
        """The error of an embedded formula of order 3 over the tolerance, filtered by the iteration matrix."""
        i, before = self.integrator, self.now
        of_theta = found.h / MU[0] * before.v + ERROR @ found.theta[1:]
        of_v = found.h / MU[0] * before.vdot + ERROR @ (found.v[1:] - before.v)
        sizes, speeds = self._sizes(found.end.q), np.maximum(np.abs(found.end.v), np.abs(before.v))
        error = math.inf
        for _ in range(2):  # filtered twice where once leaves too much: what is far beyond the step decays (Hairer & Wanner 1996, IV.8.21)
            of_theta, of_v = self.solver.matrix.filtered(of_theta, of_v)
            ratios = np.concatenate([np.abs(of_theta) / (i.atol + i.rtol * sizes), np.abs(of_v) / (i.atol + i.rtol * speeds)])
            error = float(ratios.max(initial=0.0)) if np.isfinite(ratios).all() else 1e3
            if error <= 1.0 or self.last is not None:
                break
        return self._with_works(found, error)

    def _with_works(self, found: Any, error: float) -> float:
        """The error, or that of the works by the same formula if it is larger (integrators/work_error.py)."""
        here = self.system.evaluate(*self.now[:3]).powers if self.last is None else self.last.powers[-1]
        of_works = found.h * (here / MU[0] + ERROR @ A @ found.powers)
        moved = found.h * max(np.abs(here).sum(), np.abs(found.powers).sum(axis=1).max())
        speed = max(np.abs(self.now.v).max(initial=0.0), np.abs(found.end.v).max(initial=0.0))
        return works_over_tolerance(
            for_kernels(self._of_works), for_kernels(self.system.stepper), float(np.abs(of_works).max()), float(moved), float(speed), error
        )

    def _sizes(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """The size of each coordinate: its own, 1 rad for turns of a quaternion, the distance for a free body."""
        sizes = np.ones(self.system.model.nv)
        for joint in self.system.model.joints:
            if joint.kind.free:
                sizes[joint.v_index.start + 3 : joint.v_index.stop] = np.abs(q[joint.q_index.start : joint.q_index.start + 3]).max()
            elif not joint.kind.ball:
                sizes[joint.v_index] = np.abs(q[joint.q_index])
        return sizes

    def _take(self, found: Any) -> None:
        s, start = self.system, (self.time, self.system.q.copy(), self.system.v.copy())
        s.start[0][:], s.start[1][:] = s.q, s.v
        self._works_before = s.works.copy()
        s.works[:] += found.h * (A[-1] @ found.powers)
        self.last, self.now = found, found.end
        s.q[:], s.v[:] = found.end.q, found.end.v
        self.before, self.time = self.time, float(found.end.t)
        self.steps += 1
        self._new_memory = s.remember(self.time)
        if self.impacts:
            self.add_work_of_impact(start, self._works_before)

    def _pass(self, stop: Any) -> None:
        """Time goes by for a mechanism that cannot move."""
        h = min(self.h, self.integrator.max_step, stop - self.time)
        n = np.zeros((STAGES + 1, 0))
        end = self.now._replace(t=stop if h >= stop - self.time else self.time + h)
        self._take(Step(end, h, n, n, np.zeros((STAGES, self.system.model.nc)), np.zeros((STAGES, len(self.system.works)))))
        if self.integrator.step is not None:
            self.count += 1

    def _fail(self, found: Failure, h: float) -> None:
        if isinstance(found, Step):
            raise StepError(
                f"the error stays beyond the tolerance in a step of {h:.3g} s from t = {self.time:.9g} s; a force or a constraint jumps there"
            )
        said, step = why_not_converged(self.system, found, self.time), self.integrator.step
        parts = f", one of {step / h:.0f} parts of a step of {step:g} s" if step is not None and h < 0.9 * step else ""
        raise StepError(f"Newton's method did not converge in a step of {h:.3g} s from t = {self.time:.9g} s{parts}; {said}")

    def _too_fast(self, h: Any) -> None:
        """Raise StepError: a fixed step was not done after TRIES tries in ever smaller parts; the joint that moves fastest is named."""
        s, step = self.system, self.integrator.step
        k = int(np.argmax(np.abs(s.v)))
        joint = next(j.name for j in s.model.joints if j.v_index.start <= k < j.v_index.stop)
        raise StepError(
            f"a step of {step:g} s from t = {self._grid(self.count):.9g} s was not done after {TRIES} tries, in parts of {h:.2g} s; joint {joint!r} moves at "
            f"{abs(s.v[k]):.3g} rad/s or m/s; allowed are motions that steps can follow"
        )

    # ---- looking back

    def state(self, t: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """(q, v, works) at a time within the last step: by the polynomial of its stages, brought onto the constraints."""
        s = self.system
        if t >= self.time or self.time == self.before or self.last is None:
            return s.q.copy(), s.v.copy(), s.works.copy()
        x = max(t - self.before, 0.0) / self.last.h
        weights = values_at(x)[0]
        works = self._works_before + self.last.h * (integral_to(x) @ self.last.powers)
        q = integrate(s.model, s.start[0], weights @ self.last.theta)
        return *onto_constraints(s, t, q, weights @ self.last.v, 10.0 * self.integrator.accuracy), works

    # ---- for checkpoints

    @property
    def clock_origin(self) -> float:
        return self.stops.origin if self.stops is not None else 0.0

    @clock_origin.setter
    def clock_origin(self, value: float) -> None:
        if self.stops is not None:
            self.stops.origin = value

    @property
    def worn(self) -> bool:
        return self.solver.worn

    @worn.setter
    def worn(self, value: bool) -> None:
        self.solver.worn = value

    @property
    def patience(self) -> int:
        return self.solver.patience

    @patience.setter
    def patience(self, value: int) -> None:
        self.solver.patience = value

    @property
    def tick(self) -> int:
        return self.stops.tick if self.stops is not None else 0

    @tick.setter
    def tick(self, value: int) -> None:
        if self.stops is not None:
            self.stops.tick = value

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        found = {"works before": self._works_before}
        if self.now is not None:
            found |= {f"now {field}": np.atleast_1d(value) for field, value in self.now._asdict().items()}
        if self.last is not None:
            found |= {f"last {field}": np.atleast_1d(getattr(self.last, field)) for field in ("h", "v", "theta", "multipliers", "powers")}
        matrix = self.solver.matrix
        if matrix is not None:
            found |= {f"slope {field}": value for field, value in matrix.slopes._asdict().items()}
            found |= {"matrix h": np.array([matrix.h]), "matrix rows": matrix.rows, "matrix places": matrix.places}
        return found

    def restore(self, arrays: Any, scalars: dict[str, float]) -> None:
        super().restore(arrays, scalars)
        self._check_steps()
        nq, nv, nc, nw = self.system.model.nq, self.system.model.nv, self.system.model.nc, len(self.system.works)
        self._works_before = saved_array(arrays, "works before", (nw,))
        self.now = self.last = self.solver.matrix = None
        if "now t" in arrays:
            sizes = {"t": 1, "q": nq, "v": nv, "vdot": nv, "multipliers": nc}
            values = {field: saved_array(arrays, f"now {field}", (size,)) for field, size in sizes.items()}
            self.now = Point(**values | {"t": float(values["t"][0])})
        elif not self.fresh:
            raise refuse_saved("array 'now t'", None, "the time at which the method stands")
        if "last h" in arrays:
            shapes = {"v": (STAGES + 1, nv), "theta": (STAGES + 1, nv), "multipliers": (STAGES, nc), "powers": (STAGES, nw)}
            kept = [saved_array(arrays, f"last {field}", shape) for field, shape in shapes.items()]
            self.last = Step(self.now, _saved_step(arrays, "last h"), *kept)
        if "matrix h" in arrays:
            counts = {"M": nv, "K": nv, "D": nv, "W": nc, "J": nc}
            slopes = Slopes(**{field: saved_array(arrays, f"slope {field}", (count, nv)) for field, count in counts.items()})
            rows, places = (saved_indices(arrays, f"matrix {name}", nc) for name in ("rows", "places"))
            self.solver.factor(slopes, rows, places, _saved_step(arrays, "matrix h"))

    def _check_steps(self) -> None:
        """Refuse counts and sizes of steps that no run comes to."""
        step = self.integrator.step
        if not (self.h > 0.0 or (self.h == 0.0 and self.fresh)):
            raise refuse_saved("h", self.h, "a step beyond 0 s")
        if not self.error_before > 0.0:
            raise refuse_saved("error_before", self.error_before, "a number beyond 0")
        if self.patience < 0:
            raise refuse_saved("patience", self.patience, "a whole number from 0 on")
        if step is not None:
            here, near = self._grid(self.count), NEAR * step + 4.0 * np.spacing(abs(self.time))
            if self.count < 0 or not here - near <= self.time <= here + step + near:
                raise refuse_saved(
                    "time", self.time, f"one within the step from {here!r}, which is {self.count} steps from {self.origin!r}"
                )


def _saved_step(arrays: dict[str, NDArray[np.float64]], name: str) -> float:
    """The size of a step, s."""
    h = float(saved_array(arrays, name, (1,))[0])
    if not h > 0.0:
        raise refuse_saved(f"array {name!r}", h, "a step beyond 0 s")
    return h
