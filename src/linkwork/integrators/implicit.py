"""`Implicit`: generalised-alpha on the joints' groups, for stiff springs and constraints together."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import ModelError
from ..parts.given import number
from .control import sample_controllers
from .generalised_alpha import Failure, GeneralisedAlpha, Scheme, Stage
from .looking_back import cubic, onto_constraints
from .method import Integrator, Method, StepError
from .nonconvergence import why_not_converged
from .residual import Equations, Slopes
from .saved import saved_array
from .stepper import for_kernels
from .stops import Stops

NEAR = 1e-9  # of a step: times closer than this are the same
LEAST = 1e-12  # s, of steps that follow the error


@dataclass(frozen=True)
class Implicit(Integrator):
    """Generalised-alpha of second order, A-stable, with Newton's method: for stiff springs, bushings and contacts, with loops and prescribed motion.

    step: s, fixed; None lets the step follow the error, kept within atol + rtol |x| for each coordinate and velocity. rho: 1 damps nothing, 0 all that
    is too fast for the step. accuracy: of Newton's method, m, rad and, times 10, their rates. max_iterations: of Newton's method, a try.
    Positions and velocities stay on the constraints to `accuracy`. A new matrix costs 4 n evaluations of the forces and O((n + 2 m)^3), dense.

    >>> import linkwork as lw
    >>> lw.Implicit(step=1e-3)
    Implicit(step=0.001, rtol=0.0001, atol=1e-06, rho=0.8, max_step=inf, accuracy=1e-11, max_iterations=12)
    """

    step: float | None = None
    rtol: float = 1e-4
    atol: float = 1e-6
    rho: float = 0.8
    max_step: float = math.inf
    accuracy: float = 1e-11
    max_iterations: int = 12
    stages: ClassVar[int] = 1
    order: ClassVar[int] = 2

    def __post_init__(self):
        for name in ("step", "rtol", "atol", "max_step", "accuracy"):
            value = getattr(self, name)
            if value is None and name == "step":
                continue
            value = number(value, "Implicit", name)
            object.__setattr__(self, name, value)
            if not value > 0.0 or (name != "max_step" and value == math.inf):
                raise ModelError(f"Implicit: {name} is {value:g}; allowed is a finite number above 0; give one")
        object.__setattr__(self, "rho", number(self.rho, "Implicit", "rho"))
        if not 0.0 <= self.rho <= 1.0:
            raise ModelError(f"Implicit: rho is {self.rho:g}; allowed is a number from 0 to 1; give one, such as 0.8")
        most = self.max_iterations
        if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 2:
            raise ModelError(f"Implicit: max_iterations is {most!r}; allowed is a whole number from 2 on; give one, such as 12")

    def start(self, system, t):
        if system.wide:
            raise ModelError("Implicit: lanes side by side were asked for; allowed is one state; use RungeKutta4")
        if self.step is not None:
            system.sample_every(self.step)
        return ImplicitMethod(self, system, t)


class ImplicitMethod(Method):
    """A system on its way by generalised-alpha. `now`: the stage it stands at, `last` the one before."""

    numbers: ClassVar[tuple[str, ...]] = (
        *Method.numbers,
        "origin",
        "count",
        "h",
        "grown",
        "fresh",
        "clock_origin",
        "tick",
        "patience",
        "worn",
    )

    def __init__(self, integrator, system, t):
        super().__init__(integrator, system, t)
        self.scheme = Scheme(integrator.rho)
        self.equations = Equations(system)
        self.alpha = GeneralisedAlpha(self.equations, self.scheme, integrator.accuracy, int(integrator.max_iterations))
        self.origin, self.count = float(t), 0
        self.stops = Stops(system, t) if integrator.step is None else None
        self.h, self.grown, self.fresh = integrator.step or 0.0, 1.0, True  # h: of the next step; grown: the last error, for the controller
        self.now = self.last = None
        self._works_before = system.works.copy()
        self._counted = 0, 0

    # ---- beginning, and beginning again

    def _begin(self):
        """Accelerations and multipliers at the present state. After a jump of forces the algorithmic acceleration jumps by as much."""
        s = self.system
        acts = s.evaluate(self.time, s.q, s.v)
        if not np.isfinite(acts.vdot).all():
            raise StepError(f"accelerations at t = {self.time:.9g} s are not finite")
        ahead = 0.0 if self.now is None or self.fresh else self.now.a - self.now.vdot
        self.now = Stage(self.time, s.q.copy(), s.v.copy(), acts.vdot, acts.vdot + ahead, acts.multipliers, acts.powers)
        if self.fresh:
            self.last = None
        if not self.h:
            scale = np.abs(acts.vdot) / (self.integrator.atol + self.integrator.rtol * self._sizes(s.q))
            self.h = min(1e-3, self.integrator.max_step, 0.1 / math.sqrt(max(float(scale.max(initial=0.0)), 1e-12)))
        self.fresh = False

    def restart(self, t, q, v, works=None):
        """Begin anew at another state."""
        s = self.system
        s.q[:], s.v[:] = q, v
        if works is not None:
            s.works[:] = works
        self.time = self.before = self.origin = float(t)
        self.count, self.fresh = 0, True
        if self.stops is not None:
            self.stops.begin(t)

    def cut(self, t):
        """Go back to a time within the last step, and begin anew there. `state` still tells the times before it."""
        s = self.system
        s.q[:], s.v[:], s.works[:] = self.state(t)
        self.time = self.origin = float(t)
        self.count, self.fresh = 0, True

    # ---- on the way

    def advance(self, until):
        if self.integrator.step is None:
            while self.time < until:
                self.step()
            return
        wanted = (until - self.origin) / self.integrator.step
        goal = int(np.ceil(wanted - NEAR * max(1.0, abs(wanted) * 1e-6)))
        while self.count < goal:
            self.step()

    def step(self):
        s = self.system
        if self.integrator.step is None:
            jumped = self.stops.passed(self.time)
        else:
            jumped = s.has_controllers
            sample_controllers(for_kernels(s.stepper), self.count, self.time)
        if jumped or self.fresh:
            self._begin()
        found, h = self._fixed() if self.integrator.step is not None else self._following()
        self._take(found, h)

    def _fixed(self):
        h = self.integrator.step
        t = self.origin + (self.count + 1) * h
        found = self.alpha.step(self.now, t, h)
        self._count()
        if isinstance(found, Failure):
            self._fail(found, h)
        self.count += 1
        return found, h

    def _following(self):
        """A step within the tolerance; the next one is proposed from its error by a controller with memory (Gustafsson 1991)."""
        i, failures, found = self.integrator, 0, None
        stop = self.stops.next(self.time)
        while True:
            h = min(self.h, i.max_step)
            left = stop - self.time
            h, t = (left, stop) if h >= left * (1.0 - 1e-9) else (min(h, 0.5 * left), None)
            t = self.time + h if t is None else t
            if h < LEAST and failures:
                self._fail(found, h)
            before = self._rescaled(h)
            found = self.alpha.step(before, t, h)
            self._count()
            if isinstance(found, Failure):
                self.rejections += 1
                self.h, self.grown, failures = 0.25 * h, 1.0, failures + 1
                if failures > 30:
                    self._fail(found, h)
                continue
            error = self._error(before, found, h)
            if error <= 1.0:
                break
            self.rejections += 1
            failures += 1
            self.h = h * max(0.2, 0.9 * error ** (-1.0 / 3.0))
            if failures > 60:
                self._fail(found, h)
        small = max(error, 1e-6)
        growth = 0.9 * small ** (-0.7 / 3.0) * self.grown ** (0.4 / 3.0)
        self.grown = small
        growth = min(growth, 1.0) if failures else min(growth, 5.0)
        if growth < 0.9 or growth > 1.3:  # a step that stays keeps its matrix
            self.h = h * growth
        return found, h

    def _rescaled(self, h):
        """The present stage, its algorithmic acceleration made for a step of another size."""
        if self.last is None or self.now.t == self.last.t:
            return self.now
        ratio = h / (self.now.t - self.last.t)
        return self.now._replace(a=self.now.vdot + ratio * (self.now.a - self.now.vdot)) if abs(ratio - 1.0) > 1e-12 else self.now

    def _error(self, before, found, h):
        """The local error over the tolerance: h^3 c_q v'' and h^3 c_v v''' with differences of vdot, filtered by the iteration matrix."""
        i, s = self.integrator, self.scheme
        bend = found.vdot - before.vdot
        of_q = h * h * s.c_q * bend
        twist = h * bend
        if self.last is not None:
            past = before.t - self.last.t
            twist = 2.0 * h * h * (bend / h - (before.vdot - self.last.vdot) / past) / (h + past) * h
        of_v = s.c_v * twist
        if self.alpha.matrix is not None:
            of_q, of_v = self.alpha.matrix.filtered(of_q), self.alpha.matrix.filtered(of_v)
        sizes, speeds = self._sizes(found.q), np.maximum(np.abs(found.v), np.abs(before.v))
        ratios = np.concatenate([np.abs(of_q) / (i.atol + i.rtol * sizes), np.abs(of_v) / (i.atol + i.rtol * speeds)])
        return float(ratios.max(initial=0.0)) if np.isfinite(ratios).all() else 1e3

    def _sizes(self, q):
        """The size of each coordinate: its own, 1 rad for turns of a quaternion, the distance for a free body."""
        sizes = np.ones(self.system.model.nv)
        for joint in self.system.model.joints:
            if joint.kind.free:
                sizes[joint.v_index.start + 3 : joint.v_index.stop] = np.abs(q[joint.q_index.start : joint.q_index.start + 3]).max()
            elif not joint.kind.ball:
                sizes[joint.v_index] = np.abs(q[joint.q_index])
        return sizes

    def _take(self, found, h):
        s = self.system
        s.start[0][:], s.start[1][:] = s.q, s.v
        self._works_before = s.works.copy()
        s.works[:] += 0.5 * h * (self.now.powers + found.powers)
        self.last, self.now = self.now, found
        s.q[:], s.v[:] = found.q, found.v
        self.before, self.time = self.time, float(found.t)
        self.steps += 1

    def _count(self):
        now = self.alpha.iterations, self.equations.evaluations
        self.iterations += now[0] - self._counted[0]
        self.evaluations += now[1] - self._counted[1]
        self._counted = now

    def _fail(self, found, h):
        said = why_not_converged(self.equations, getattr(found, "residual", None), self.time)
        raise StepError(f"Newton's method did not converge in a step of {h:.3g} s from t = {self.time:.9g} s; {said}")

    # ---- looking back

    def state(self, t):
        """(q, v, works) at a time within the last step: a cubic through both ends, brought onto the constraints."""
        s = self.system
        if t >= self.time or self.time == self.before:
            return s.q.copy(), s.v.copy(), s.works.copy()
        h = self.time - self.before
        x = max(t - self.before, 0.0) / h
        p0, p1 = self.last.powers, self.now.powers
        works = self._works_before + h * (x * p0 + 0.5 * x * x * (p1 - p0))
        return *onto_constraints(s, t, *cubic(s, h, x), 10.0 * self.integrator.accuracy), works

    # ---- for checkpoints

    @property
    def clock_origin(self):
        return self.stops.origin if self.stops is not None else 0.0

    @clock_origin.setter
    def clock_origin(self, value):
        if self.stops is not None:
            self.stops.origin = value

    @property
    def patience(self):
        return self.alpha.wait

    @patience.setter
    def patience(self, value):
        self.alpha.wait = value

    @property
    def worn(self):
        return self.alpha.worn

    @worn.setter
    def worn(self, value):
        self.alpha.worn = value

    @property
    def tick(self):
        return self.stops.tick if self.stops is not None else 0

    @tick.setter
    def tick(self, value):
        if self.stops is not None:
            self.stops.tick = value

    def arrays(self):
        found = {"works before": self._works_before}
        for name, stage in (("now", self.now), ("last", self.last)):
            if stage is not None:
                found |= {f"{name} {field}": np.atleast_1d(value) for field, value in stage._asdict().items()}
        matrix = self.alpha.matrix
        if matrix is not None:
            found |= {f"slope {field}": value for field, value in matrix.slopes._asdict().items()} | {"matrix h": np.array([matrix.h])}
        return found

    def restore(self, arrays, scalars):
        super().restore(arrays, scalars)
        nq, nv, nc, nw = self.system.model.nq, self.system.model.nv, self.system.model.nc, len(self.system.works)
        sizes = {"t": 1, "q": nq, "v": nv, "vdot": nv, "a": nv, "multipliers": nc, "powers": nw}
        self._works_before = saved_array(arrays, "works before", (nw,))
        for name in ("now", "last"):
            stage = None
            if f"{name} t" in arrays:
                values = {field: saved_array(arrays, f"{name} {field}", (size,)) for field, size in sizes.items()}
                stage = Stage(**values | {"t": float(values["t"][0])})
            setattr(self, name, stage)
        self.alpha.matrix = None
        if "matrix h" in arrays:
            rows = {"M": nv, "K": nv, "D": nv, "G": nc, "V": nc, "J": nc}
            slopes = Slopes(**{field: saved_array(arrays, f"slope {field}", (count, nv)) for field, count in rows.items()})
            self.alpha._factor(slopes, float(saved_array(arrays, "matrix h", (1,))[0]))
