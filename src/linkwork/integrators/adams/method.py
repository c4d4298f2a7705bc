"""`Adams`: the variable-order, variable-step multistep method of Schröder's erector set (1990), in local coordinates of the joints' groups."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...constraints.projection import onto_constraints
from ...data.stepper import for_kernels, numbers_of
from ...dynamics.configuration import integrate
from ...errors import ModelError
from ...parts.validation import number
from ...validation import is_whole
from ..integrator import Integrator, Method, StepError
from ..progress_check import ProgressCheck
from ..saved_values import LARGEST, refuse_saved, saved_array, take_saved
from ..stops import Stops
from ..switches import Switches
from ..time_watch import FunctionsOfTime
from ..work_error import new_tolerance, what_works
from .history import COORDINATE, ROWS, SHIFT, SPEED, TURN, AdamsHead, AdamsMemory, AdamsSettings
from .steps import NOT_FINITE, REACHED, adams_steps, adams_steps_until_suspect

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...model.model import Model
    from ..system import System

CHUNK = 1024  # steps between two looks at the keyboard
CHART = 1.0  # rad about the base of local coordinates
MOST_ORDER = 12
SAVED = ("y", "base", "times", "D", "points", "predicted", "slope", "trial", "f", "weight", "I", "w", "E", "poly")  # in checkpoints


@dataclass(frozen=True)
class Adams(Integrator):
    """Adams predictor-corrector methods of order 1 to `max_order`, order and step chosen from the errors: the fewest evaluations for smooth motion.

    rtol, atol: the error of a step allowed in each coordinate and velocity, relative to it and at least (rad, m, rad/s, m/s). max_step: s. Works of
    forces and drives are integrated along, to some tens of rtol of the energy that they move, and what velocities leave open of the kinetic energy.
    Each coordinate is judged by itself, so what else is in the world does not change how exactly a island moves.

    >>> import linkwork as lw
    >>> lw.Adams(rtol=1e-6, atol=1e-7)
    Adams(rtol=1e-06, atol=1e-07, max_order=12, max_step=inf)
    """

    rtol: float = 1e-8
    atol: float = 1e-10
    max_order: int = 12
    max_step: float = float("inf")
    stages: ClassVar[int] = 1

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name != "max_order":
                value = number(getattr(self, field.name), "Adams", field.name)
                object.__setattr__(self, field.name, value)
                least = 1e-14 if field.name == "rtol" else 0.0
                if not value > least or (field.name != "max_step" and not np.isfinite(value)):
                    raise ModelError(f"Adams: {field.name} is {value:g}; allowed is a number above {least:g}; give one, such as 1e-8")
        order = self.max_order
        if not is_whole(order, 1, MOST_ORDER):
            raise ModelError(f"Adams: max_order is {order!r}; allowed is a whole number from 1 to {MOST_ORDER}; give one")

    def start(self, system: System, t: float) -> AdamsMethod:
        if system.wide:
            raise ModelError(
                "Adams: lanes side by side were asked for; allowed is one state, as each has steps of its own; use RungeKutta4"
            )
        return AdamsMethod(self, system, t)


class AdamsMethod(Method):
    """A system on its way by Adams' methods. `order` is the order of the last step, `bases` how often the local coordinates were laid anew."""

    has_short_steps = False
    projects_ends = True
    numbers: ClassVar[tuple[str, ...]] = (*Method.numbers, "origin", "tick", "fresh")

    def __init__(self, integrator: Any, system: System, t: float) -> None:
        super().__init__(integrator, system, t)
        self.kept, self.settings, self.head = self._new_memory(), AdamsSettings.allocate(), AdamsHead.allocate()
        self.kept.stepper, self.kept.settings, self.kept.head = system.stepper, self.settings, self.head
        i, given = integrator, self.settings
        self.kept.of_works = self._of_works = new_tolerance(system.model, i.rtol, i.atol)
        given.rtol, given.atol, given.max_order, given.max_step = i.rtol, i.atol, int(i.max_order), i.max_step
        given.reach, given.stop = CHART, np.inf
        self.stops, self.fresh = Stops(system, t), True
        self.switches = Switches(self)
        self._times = FunctionsOfTime(system, i.rtol, i.atol)
        self.kept.timed = self._times.record is not None
        if self.kept.timed:
            self.kept.functions = self._times.record

    def _new_memory(self) -> AdamsMemory:
        model = self.system.model
        sizes = {"N": 2 * model.nv + len(self.system.works), "nq": model.nq, "nv": model.nv, "rows": ROWS}
        made = AdamsMemory.allocate(sizes)
        made.kind[:], made.place[:], made.most[:] = _measures(model)
        return made

    def _begin(self) -> None:
        """Begin anew at the present state, with order 1."""
        system, kept, nv = self.system, self.kept, self.system.model.nv
        kept.base[:] = system.q
        kept.y[:] = 0.0
        kept.y[nv : 2 * nv] = system.v
        self.head.time = self.head.before = self.time
        self.head.started = self.fresh = False
        self.head.cuts, self.head.seen = 0, self.time
        self.switches.refresh()

    def restart(self, t: Any, q: Any, v: Any, works: Any = None) -> None:
        """Begin anew at another state."""
        s = self.system
        s.q[:], s.v[:] = q, v
        if works is not None:
            s.works[:] = works
        self.time = self.before = float(t)
        self.fresh = True
        self.stops.begin(t)

    def cut(self, t: Any) -> None:
        """Go back to a time within the last step, and begin anew there. `state` is still valid before it."""
        s = self.system
        s.q[:], s.v[:], s.works[:] = self.state(t)
        s.forget_step()
        self.time, self.fresh = float(t), True

    @property
    def order(self) -> int:
        return self.head.used

    @property
    def bases(self) -> int:
        return self.head.bases

    def advance(self, until: Any) -> None:
        progress = ProgressCheck(self, until)
        while self.time < until:
            self.take(until, CHUNK)
            progress.check()

    def step(self) -> None:
        self.take(np.inf, 1)

    def advance_until_suspect(self, until: Any, screen: Any) -> Any:
        progress = ProgressCheck(self, until)
        while self.time < until:
            self.take(until, CHUNK, screen)
            if screen.record.suspect:
                return True
            progress.check()
        return False

    def take(self, until: float, most: int, screen: Any = None) -> None:
        """Steps until a time has been reached or passed, at most so many, or until one is suspect. Raises StepError."""
        head = self.head
        self.system.stepper.tolerance, self.system.stepper.holds_rates = self.tolerance, self.system.prescribes_rates
        if self.stops.passed(self.time) or self.fresh:
            self._begin()
        self.settings.stop = self.stops.next(self.time)
        self.kept.switched = self.switches.screen is not None
        if self.kept.switched:
            self.kept.switches = self.switches.screen.record
        until = float(min(until, self.settings.stop))
        if screen is None:
            status = adams_steps(for_kernels(self.kept), until, most)
        else:
            status = adams_steps_until_suspect(for_kernels(self.kept), for_kernels(screen.record), until, most)
        self.time, self.before = head.time, head.before
        self.steps += head.steps
        self.rejections += head.rejections
        self.iterations += head.iterations
        self.evaluations += head.evaluations
        head.steps = head.rejections = head.iterations = head.evaluations = 0
        if status != REACHED:
            raise StepError(self._reason(status))

    def _reason(self, status: Any) -> Any:
        if status == NOT_FINITE:
            return f"accelerations at t = {self.time:.9g} s, or just after it, are not finite"
        i, nv = self.head.worst, self.system.model.nv
        if i < 2 * nv:
            joint = next(j.name for j in self.system.model.joints if j.v_index.start <= i % nv < j.v_index.stop)
            what = f"{'position' if i < nv else 'velocity'} of joint {joint!r}"
        else:
            what = f"work of {what_works(self.system, i - 2 * nv)}"
        return (
            f"a step of {self.head.step:.2g} s at t = {self.time:.9g} s was still not within rtol = {self.integrator.rtol:g}, "
            f"atol = {self.integrator.atol:g}; the largest error is in the {what}"
        )

    def state(self, t: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """(q, v, works) at a time within the last step, by the polynomial of the method itself: as exact as the step."""
        s, kept, head = self.system, self.kept, self.head
        if t >= self.time or self.time == self.before:
            return s.q.copy(), s.v.copy(), s.works.copy()
        nv, end, h = s.model.nv, head.time, head.time - head.before
        x = (max(t, self.before) - end) / h
        y, poly, D = kept.y.copy(), [1.0], kept.D.reshape(ROWS, -1)
        for j in range(min(head.used, head.nodes)):
            y += sum(c * x ** (l + 1) / (l + 1) for l, c in enumerate(poly)) * h ** (j + 1) * D[j]
            back = (end - kept.times[j]) / h
            poly = [back * low + high for low, high in zip([*poly, 0.0], [0.0, *poly], strict=True)]
        q, v = integrate(s.model, kept.base, y[:nv]), y[nv : 2 * nv].copy()
        return *onto_constraints(s, t, q, v, self.tolerance), y[2 * nv :].copy()

    @property
    def origin(self) -> Any:
        return self.stops.origin

    @origin.setter
    def origin(self, value: Any) -> None:
        self.stops.origin = value

    @property
    def tick(self) -> Any:
        return self.stops.tick

    @tick.setter
    def tick(self, value: Any) -> None:
        self.stops.tick = value

    def arrays(self) -> Any:
        return {"head": np.array(numbers_of(self.head))} | {name: getattr(self.kept, name).copy() for name in SAVED}

    def restore(self, arrays: Any, scalars: Any) -> None:
        super().restore(arrays, scalars)
        most, N = self.integrator.max_order, len(self.kept.y)
        order = (0, most)  # 0: before the first step
        take_saved(
            self.head,
            arrays,
            "head",
            {"order": order, "used": order, "nodes": (0, ROWS), "worst": (0, max(N - 1, 0)), "cuts": (0, LARGEST)},
        )
        if self.head.started and not (self.head.order and self.head.used and self.head.nodes):
            raise refuse_saved("head", numbers_of(self.head), "one with an order, of a run that was started")
        for name in SAVED:
            kept = getattr(self.kept, name)
            kept[:] = saved_array(arrays, name, kept.shape)
        self.switches.refresh()


def _measures(model: Model) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """What each number of (theta, v) is measured by, its place in q, and the largest size that counts: 1 rad for coordinates that turn (AdamsMemory)."""
    kind, place, most = np.full(2 * model.nv, SPEED), np.zeros(2 * model.nv, dtype=np.int64), np.full(2 * model.nv, np.inf)
    for joint in model.joints:
        v, q = joint.v_index, joint.q_index
        if joint.kind.ball or joint.kind.free:
            kind[v.start : v.start + 3] = TURN
            kind[v.start + 3 : v.stop], place[v.start + 3 : v.stop] = SHIFT, q.start
        else:
            kind[v], place[v] = COORDINATE, np.arange(q.start, q.stop)
        for k, element in enumerate(joint.kind.elements or ()):
            if element.turn != 0.0:
                most[v.start + k] = 1.0
    return kind, place, most
