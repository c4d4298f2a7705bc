"""`Variational`: the variational integrator for simulations, with all forces, controllers and loops of a system.

Positions and momenta of a run stand in the run's own memory (run.py). Forces enter as generalised forces at the mean velocity vm of a step, half
at its start and half at its end. Where two steps meet, at q_k, both halves act as one impulse, while the velocity goes from vm_- to vm_+: its work is
h/2 (F(q_k, vm_-) + F(q_k, vm_+)) . w, w = (vm_- + vm_+) / 2, of which a step books, with P(q, v, t) = F(q, v, t) . v,

    at its end  h/2 P(q_1, vm, t_1),        at its start  h P(q_0, w, t_0) - h/2 P(q_0, vm_-, t_0)

which is that work for forces that are linear in v, and differs from it by the square of vm_+ - vm_- for others. (P at vm alone is off by h/4 c (vm_+ - vm_-)^2
of a damper c: 5 % of the work of a stop that is met in some ten steps.) Where a run begins, and where it is looked at, half of an impulse has acted, while
the velocity went from v to vm, or from vm to v: its work is h/2 F(q, vm, t) . (vm + v) / 2 = h/8 (3 P(vm) + P(v) - P(vm - v)), for such forces.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...data.forces import ALONG, ForceData, ForceTable
from ...data.stepper import for_kernels
from ...data.tree import WRENCHES, TreeData
from ...data.variational import VariationalData
from ...data.variational_contact import VariationalContact
from ...dynamics.applied import advance_memory, apply_forces
from ...dynamics.configuration import difference, integrate
from ...dynamics.exchange import copy, fill
from ...dynamics.rnea import newton_euler
from ...errors import ModelError
from ...kernels import address_of, kernel
from ...kernels.records import Record, address, new_record, pointer, pointer_to, scalars
from ...model.tables import open_tables
from ...parts.forces import JointDamper, JointSpring
from ...validation import is_flag, is_whole
from ..controllers import sample_controllers
from ..event_screen import EventScreen, estimate_velocities, suspect_step
from ..fixed_step import CHUNK, NEAR, FixedMethod, FixedStep
from ..integrator import StepError
from ..nonsmooth.memory import forget_contact, load_contact, refuse_wrong_points, save_contact
from ..saved_values import saved_array
from ..step_ends import margin
from .contact_run import LAST, MOST_IMPACTS, TouchingRun
from .contact_step import HALVINGS, NO_ROOM, REBOUND, contact_steps
from .newton_iteration import CONVERGED
from .run import ITERATIONS, Run, failure
from .step import variational_steps

if TYPE_CHECKING:
    from ..event_screen import Screen
    from ..system import System


class SystemForces(Record):
    """The forces of a system, for a run: their table, the data that they are evaluated in, and the books."""

    model = address("tables of the model")
    active = pointer(ForceTable, "the forces")
    tree = pointer(TreeData, "the state that they are evaluated at")
    forces = pointer(ForceData, "joint forces that controllers hold, powers")
    q0 = scalars("nq", "coordinates at the start of the step", by="_steps_with_works")
    before = scalars("nv", "mean velocities of the step before, or velocities where a run begins", by="_steps_with_works")
    works = scalars("nw", "integral of each power", by="_add_works")
    memory0 = scalars("slots", "what force laws remembered at the start of the step", by="_steps_with_works")


@kernel(address="i p p d p")
def _system_forces(data: Any, q: Any, v: Any, time: Any, out: Any) -> None:
    """All forces of a system as generalised forces; `data`: the address of a SystemForces."""
    system = pointer_to(SystemForces, data, 0.0)
    model, tree = open_tables(system.model), system.tree
    n = model.nv
    for k in range(model.nq):
        tree.q[k] = q[k]
    for k in range(n):
        tree.v[k] = v[k]
    apply_forces(model, system.active, tree, system.forces, time)
    for k in range(n):
        out[k] = tree.tau[k]
    if system.active.between > 0:
        # Newton-Euler at rest and without gravity: what the joints must hold against the wrenches.
        fill(tree.vdot, n, 0.0)
        newton_euler(model, tree, WRENCHES)
        for k in range(n):
            out[k] -= tree.tau[k]


@kernel
def _add_works_at(model: Any, system: Any, q: Any, time: Any, weight: Any) -> None:
    """Add `weight` times the powers at q, a time, and the velocities in the tree."""
    copy(q, system.tree.q, model.nq)
    apply_forces(model, system.active, system.tree, system.forces, time)
    for k in range(system.active.forces + 1):
        system.works[k] = system.works[k] + weight * system.forces.powers[k]


@kernel
def _add_works_of_half_impulse(model: Any, system: Any, run: Any, q: Any, time: Any, v: Any) -> None:
    """Add h/2 F(vm) . (vm + v) / 2 - h/2 P(vm) at an end of the step: all but the first for half an impulse between the mean velocity and v."""
    u, part = system.tree.v, 0.125 * run.h
    copy(v, u, model.nv)
    _add_works_at(model, system, q, time, part)
    copy(run.mean, u, model.nv)
    _add_works_at(model, system, q, time, -part)
    for k in range(model.nv):
        u[k] = run.mean[k] - v[k]
    _add_works_at(model, system, q, time, -part)


@kernel
def _add_works(model: Any, system: Any, run: Any, joined: Any) -> None:
    """Add the works of a step from q0 to where the run is now; joined: there was a step before."""
    u, half, within = system.tree.v, 0.5 * run.h, margin(run.time, run.h)
    begin, end = run.time + within, run.time + run.h - within
    if joined:
        copy(system.before, u, model.nv)
        _add_works_at(model, system, system.q0, begin, -half)
        for k in range(model.nv):
            u[k] = 0.5 * (system.before[k] + run.mean[k])
        _add_works_at(model, system, system.q0, begin, run.h)
    else:
        _add_works_of_half_impulse(model, system, run, system.q0, begin, system.before)
        copy(run.mean, u, model.nv)
        _add_works_at(model, system, system.q0, begin, half)
    copy(run.mean, u, model.nv)
    _add_works_at(model, system, run.start.q, end, half)


@kernel(entry="i i i A1 -> n")
def _end_step(handle: int, system: SystemForces, run: VariationalData, v: NDArray[np.float64]) -> None:
    """Works as if the run ended here, at velocities v."""
    _add_works_of_half_impulse(open_tables(handle), system, run, run.start.q, run.time + run.h - margin(run.time, run.h), v)


@kernel
def _open_step(model: Any, system: Any, run: Any) -> bool:
    """What the works of the step to come want to know; was there a step before?"""
    copy(run.start.q, system.q0, model.nq)
    joined = run.past > 0
    copy(run.mean if joined else system.tree.v, system.before, model.nv)
    return joined


@kernel
def _close_step(model: Any, system: Any, run: Any, taken: Any, joined: Any) -> None:
    """Works of a step that was taken, or what a step has changed that was not."""
    if taken:
        if run.forced:
            _add_works(model, system, run, joined)
            if system.active.slots > 0:
                copy(system.forces.memory, system.memory0, system.active.slots)
                copy(run.start.q, system.tree.q, model.nq)
                copy(run.mean, system.tree.v, model.nv)
                advance_memory(model, system.active, system.tree, system.forces, run.time + run.h)
    else:
        run.time = run.time - run.h  # where the last step began that was taken
        copy(system.before, run.mean, model.nv)


@kernel(entry="i i i d d i -> i")
def _steps_with_works(handle: int, system: SystemForces, run: VariationalData, time: Any, h: Any, steps: Any) -> int:
    """Steps of a run, the works of forces booked after each; returns how many were taken."""
    model = open_tables(handle)
    for i in range(steps):
        joined = _open_step(model, system, run)
        taken = variational_steps(handle, run, time + i * h, h, 1)
        _close_step(model, system, run, taken, joined)
        if not taken:
            return i
    return steps


# parameters: those of the steps, and contact
@kernel(entry="i i i i d d i -> i")
def _contact_steps_with_works(
    handle: int, system: SystemForces, run: VariationalData, touch: VariationalContact, time: Any, h: Any, steps: Any
) -> int:
    """The same where bodies touch; also ends before a step in which a point rebounds."""
    model = open_tables(handle)
    for i in range(steps):
        joined = _open_step(model, system, run)
        taken = contact_steps(handle, run, touch, time + i * h, h, 1)
        _close_step(model, system, run, taken, joined)
        if not taken:
            return i
    return steps


# parameters: what a step needs, and the screen; kernels take no options
@kernel(entry="i i i i d i d i i -> i")
def _steps_until_suspect(
    handle: int, system: SystemForces, run: VariationalData, screen: EventScreen, origin: Any, step: Any, h: Any, steps: Any, screened: Any
) -> int:
    """Up to `steps` steps, the first from origin + step h, until one may hold an event (`screen.suspect`); looks of 0: all of them, without a
    look. Returns how many were taken, or -1 less than their number if the next could not be."""
    screen.suspect = False
    for i in range(steps):
        if _steps_with_works(handle, system, run, origin + (step + i) * h, h, 1) < 1:
            return -1 - i
        if screened != 0:
            time = origin + (step + i + 1) * h
            estimate_velocities(screen, time, run.start.q)
            if suspect_step(screen, time, run.start.q, screen.v1):
                screen.suspect = True
                return i + 1
    return steps


@dataclass(frozen=True)
class Variational(FixedStep):
    """The discrete variational principle (Wendlandt 1997): order 2, symplectic, momenta kept to rounding, energy without trend; trees in linear time,
    loops, redundant ones too, closed at every step. Bodies may touch: steps are cut where they strike (decision 0029).

    step: s. iterations: of Newton's method in a step, at most. real_time: accept what has been reached after these, instead of failing;
    not where bodies touch.

    >>> import linkwork as lw
    >>> lw.Variational(step=1e-3)
    Variational(step=0.001, iterations=40, real_time=False)
    """

    iterations: int = ITERATIONS
    real_time: bool = False

    order: ClassVar[int] = 2
    takes_contact: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_whole(self.iterations, 1):
            raise ModelError(
                f"Variational: iterations is {self.iterations!r}; allowed is a whole number from 1 on; give one, such as {ITERATIONS}"
            )
        if not is_flag(self.real_time):
            raise ModelError(f"Variational: real_time is {self.real_time!r}; allowed are True and False")

    def start(self, system: "System", t: float) -> "VariationalMethod":
        if system.wide:
            raise ModelError("Variational: lanes side by side were asked for; allowed is one state; use RungeKutta4")
        if self.real_time and system.contact is not None:
            raise ModelError(
                f"Variational: real_time is True, but bodies of {system.model.name!r} touch; allowed there is False: what has been reached after so many "
                "corrections may have bodies in each other; give real_time=False, or m.contact = False"
            )
        system.sample_every(self.step)
        return VariationalMethod(self, system, t)


class VariationalMethod(FixedMethod):
    """A system on its way by the variational integrator. `multipliers`: of the last step, forces."""

    takes_impacts = True

    def __init__(self, integrator: Any, system: "System", t: float) -> None:
        super().__init__(integrator, system, t)
        model = system.model
        self.run = Run(model, system.q.copy(), system.v.copy(), t, None, _damping(system))
        self.run.settings.iterations, self.run.settings.real_time = int(integrator.iterations), integrator.real_time
        self.forces = _forces_of(system)
        if system.active_forces.infos or system.has_controllers:
            self.run.set_forces(address_of(_system_forces), for_kernels(self.forces))
        self.moving = system.prescribes_velocities
        self.touching = TouchingRun(system, self.run) if system.contact is not None else None
        if self.touching is not None:
            forget_contact(system.contact)
        self._free: NDArray[np.float64] | None = None  # velocities before they do
        self._taken = np.zeros(
            3
        )  # if the run ends here: what contacts have taken, by impact, by friction, and what prescribed motion has given
        self._driven = system.stepper.nw - 1  # where the work of prescribed motion stands
        self._open = system.works.copy()  # works as steps go on from them: those of the system are as if the run ended there
        self._closed = False

    @property
    def multipliers(self) -> Any:
        return self.run.multipliers

    def _open_works(self) -> None:
        """Works as steps go on from them. Prescribed motion has no half impulses, and may have been booked since."""
        if self._closed:
            driven = self.system.works[self._driven] - self._taken[2]
            self.system.works[:], self._closed = self._open, False
            self.system.works[self._driven] = driven

    def _close_works(self) -> None:
        """Works of the system as if the run ended here."""
        self._open[:] = self.system.works
        if self.run.record.forced and self.run.record.past:
            v = self.system.v.copy()
            free = v if self._free is None else self._free
            _end_step(self.system.model.handle, for_kernels(self.forces), for_kernels(self.run.record), free)
            self.system.q[:], self.system.v[:] = self.run.record.start.q, v  # forces are evaluated where the state stands
        if self.touching is not None:
            self.system.works[-3:-1] += self._taken[:2]
            self.system.works[self._driven] += self._taken[2]
        self._closed = True

    def take(self, steps: int) -> None:
        h = self.integrator.step
        if self.is_within_step and steps > 0:
            self._finish_step()
            steps -= 1
        while steps:
            some = 1 if self.moving else min(steps, self._until_sample())
            start = (self.time, self.system.q.copy(), self.system.v.copy()) if self.impacts and self.moving else None
            works = self.system.works.copy()
            taken = self._take(h, some)
            self.count += taken
            self.steps += taken
            self.time = self.origin + self.count * h
            self.before = self.time - h if taken else self.time
            if start is not None and taken:
                self.add_work_of_impact(start, works)
            if taken < some:
                raise self.failure(h)
            steps -= some

    def advance_until_suspect(self, until: float, screen: "Screen") -> bool:
        """See Method. Steps run on their own until one is suspect; that one, and the last before `until`, are taken from Python, which keeps what
        looking into them needs."""
        if self.touching is not None:
            while self.time < until:
                self.step()
                if screen.test() or (screen.record.contacts and self.system.contact.changed):
                    return True
            return False
        if self.moving or self.system.has_controllers:
            return super().advance_until_suspect(until, screen)
        h = self.integrator.step
        if self.time < until and self.is_within_step:
            self._finish_step()
            if screen.test():
                return True
        while self.time < until:
            ahead = int(min(CHUNK, np.ceil((until - self.time) / h - NEAR) - 1))
            if ahead < 1:
                self.take(1)
                if screen.test():
                    return True
                continue
            self._open_works()
            kept, counts = self.run.save(), self.run.report.total
            remembered = self.system.stepper.memory, self.system.stepper.memory0
            state = [
                x.copy() for x in (self.system.q, self.system.v, self.system.works, *remembered)
            ]  # forces are evaluated where the state stands
            taken = self._run_on(screen, ahead, screened=1)
            suspect = screen.record.suspect
            if taken < 0 or suspect or not np.isfinite(self.run.configuration()).all():
                self.run.load(kept)
                self.system.q[:], self.system.v[:], self.system.works[:], remembered[0][:], remembered[1][:] = state
                if taken > 0 and not suspect:
                    self.take(taken)  # raises where a state is not finite
                before = abs(taken) - 1
                if before:
                    self._run_on(screen, before, screened=0)
                    screen.record.suspect = suspect
                    self._passed(before, counts)
                self.take(1)  # raises where it failed before
                return True
            self._passed(taken, counts)
        return False

    def _run_on(self, screen: Any, steps: Any, screened: Any) -> Any:
        records = for_kernels(self.forces), for_kernels(self.run.record), for_kernels(screen.record)
        return _steps_until_suspect(self.system.model.handle, *records, self.origin, self.count, self.integrator.step, steps, screened)

    def _passed(self, taken: Any, counts: Any) -> None:
        """Steps were taken in the run: the system and the books follow."""
        self.count += taken
        self.steps += taken
        self.before, self.time = self.origin + (self.count - 1) * self.integrator.step, self.origin + self.count * self.integrator.step
        self.iterations += self.run.report.total - counts
        self.evaluations += self.run.report.total - counts
        self.run.t = self.time
        self.system.q[:], self.system.v[:] = self.run.state()
        self._close_works()

    def _until_sample(self) -> int:
        """Steps that go by before a controller is called again."""
        every = [entry.every for entry in self.system.controller_table.entries]
        return min((int(e - self.count % e) for e in every), default=CHUNK)

    def _take(self, h: float, steps: int) -> int:
        """Some steps of h with works booked; returns how many were taken. The state is left in the system, that before the last step beside it."""
        system, run = self.system, self.run
        self._open_works()
        q0, v0 = system.q.copy(), system.v.copy()
        before = system.evaluate(self.time, q0, v0).powers[-1] if self.moving else 0.0
        if system.has_controllers:
            sample_controllers(for_kernels(system.stepper), self.count, self.time)
        run.t = self.time
        kept, works = run.save(), system.works.copy()
        corrections = run.report.total
        taken = self._advance(self.time, float(h), int(steps))
        run.t = self.time + taken * h
        finite = bool(np.isfinite(run.record.momentum).all())  # a force that is none leaves its mark there first
        q, v = self._shown_state() if taken and finite else (q0, v0)
        if not (finite and np.isfinite(q).all() and np.isfinite(v).all()):
            run.load(kept)
            system.q[:], system.v[:], system.works[:] = q0, v0, works
            raise StepError(f"a step of {h:g} s after t = {self.time:.9g} s led to a state that is not finite")
        self.iterations += run.report.total - corrections
        self.evaluations += run.report.total - corrections
        system.q[:], system.v[:] = q, v
        if steps == 1:
            system.start[1][:] = v0  # states within a step are needed after single steps only
        self._close_works()
        if self.moving and taken:
            system.works[self._driven] += 0.5 * h * (before + system.evaluate(self.time + h, q, v).powers[-1])
        return taken

    def _shown_state(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(q, v) as they are now, nothing closing at points that touch."""
        q, v = self.run.state()
        if self.touching is not None:
            self._free = v
            v, self._taken = self.touching.stopped(v)
        return q, v

    def _advance(self, time: float, h: float, steps: int) -> int:
        """Some steps with works booked; returns how many were taken."""
        handle, forces, record = self.system.model.handle, for_kernels(self.forces), for_kernels(self.run.record)
        if self.touching is None:
            return int(_steps_with_works(handle, forces, record, time, h, steps))
        taken, sums = 0, self.touching.touch
        sums.impact = sums.friction = sums.drive = 0.0
        while taken < steps:
            touch = for_kernels(self.touching.touch)
            taken += int(_contact_steps_with_works(handle, forces, record, touch, time + taken * h, h, steps - taken))
            if taken < steps:
                kept = self._kept()
                self.touching.begin_parts()
                if not self._part(time + taken * h, h, 0):
                    ended = self.run.report.ended
                    self._go_back(kept)
                    self.run.report.ended = ended
                    break
                self.touching.end_parts(h)
                taken += 1
        sums = self.touching.touch
        booked = sums.impact, sums.friction, sums.drive
        self.system.works[-3:-1] += booked[:2]
        self.system.works[self._driven] += booked[2]
        return taken

    def _kept(self) -> tuple[Any, ...]:
        """Where the run stands."""
        assert self.touching is not None
        system, stepper = self.system, self.system.stepper
        arrays = (system.q, system.v, system.works, stepper.memory, stepper.memory0, self.run.record.mean)
        return self.run.save(), self.touching.save(), [x.copy() for x in arrays]

    def _go_back(self, kept: tuple[Any, ...]) -> None:
        """To where it stood."""
        assert self.touching is not None
        system, stepper = self.system, self.system.stepper
        self.run.load(kept[0])
        self.touching.load(kept[1])
        arrays = (system.q, system.v, system.works, stepper.memory, stepper.memory0, self.run.record.mean)
        for array, values in zip(arrays, kept[2], strict=True):
            array[:] = values

    def _part(self, time: float, h: float, halvings: int, impacts: int = 0) -> bool:
        """A step of h or a part of one, in parts if points rebound in it or if it cannot be taken whole. False if a part could not be taken."""
        touching, run = self.touching, self.run
        assert touching is not None
        touching.touch.plastic = impacts >= MOST_IMPACTS
        ended = self._whole(time, h)
        if ended == REBOUND:
            part = touching.closing_time(time, h)
            if part is not None and (part == 0.0 or self._approach(time, part * h)):
                if part == 1.0 and touching.touch.least > touching.system.contact.tolerance:
                    return True
                run.t = time = time + part * h
                if self._rebound(time):
                    return (1.0 - part) <= LAST or self._part(time, (1.0 - part) * h, halvings, impacts + 1)
                h = (1.0 - part) * h
            if halvings >= HALVINGS:  # not found where they touch: stopped within the step, without rebound
                touching.system.contact.books.guarded += 1
                touching.touch.plastic = True
                ended = self._whole(time, h)
        if ended != CONVERGED and halvings < HALVINGS:
            half = 0.5 * h
            return self._part(time, half, halvings + 1, impacts) and self._part(time + half, half, halvings + 1, impacts)
        return ended == CONVERGED

    def _approach(self, time: float, h: float) -> bool:
        """A step up to where the first of the points touches that rebound; False, and nothing is changed, if it could not be taken or does not end there."""
        touching = self.touching
        assert touching is not None
        kept = self._kept()
        touching.touch.exempting = True
        ended = self._whole(time, h)
        touching.touch.exempting = False
        if ended == CONVERGED and touching.touch.least >= -touching.system.contact.tolerance:
            return True
        self._go_back(kept)
        return False

    def _whole(self, time: float, h: float) -> int:
        """One step of contact_step.py; returns how it ended."""
        touching, run = self.touching, self.run
        assert touching is not None
        records = for_kernels(self.forces), for_kernels(run.record)
        while not _contact_steps_with_works(self.system.model.handle, *records, for_kernels(touching.touch), time, h, 1):
            if run.report.ended != NO_ROOM:
                return int(run.report.ended)
            exempting, slowest, plastic = touching.touch.exempting, touching.touch.slowest, touching.touch.plastic
            touching.grow()
            touching.touch.exempting, touching.touch.slowest, touching.touch.plastic = exempting, slowest, plastic
        touching.add_part(h)
        return CONVERGED

    def _rebound(self, time: float) -> bool:
        """An impact where the run stands, which begins anew behind it; False if nothing closes there."""
        system, run = self.system, self.run
        assert self.touching is not None
        q, v = run.state()
        behind = self.touching.impact(v, time)
        if behind is None:
            return False
        if run.record.forced and run.record.past:
            _end_step(system.model.handle, for_kernels(self.forces), for_kernels(run.record), v)
        run.begin(q, behind, time)
        system.q[:], system.v[:] = q, behind
        return True

    def state(self, t: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        if self.touching is None or self.time - t <= NEAR * self.integrator.step:
            return super().state(t)
        system, (q, v) = self.system, self.between([t])
        works, powers = system.works.copy(), system.evaluate(self.time, system.q, system.v).powers
        works[: len(powers)] -= min(self.time - t, self.time - self.before) * powers
        return q[0], v[0], works

    def between(self, times: NDArray[np.float64] | list[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See Method. In a step in which bodies touch, positions and velocities change evenly: accelerations at its ends know nothing of contact."""
        if self.touching is None or not self.system.contact.memory.count[0]:
            return super().between(times)
        s = self.system
        q0, v0 = s.start
        share = ((np.maximum(times, self.before) - self.before) / (self.time - self.before))[:, None]
        q = integrate(s.model, np.broadcast_to(q0, (len(share), s.model.nq)), share * difference(s.model, q0, s.q))
        return q, v0 + share * (s.v - v0)

    def _short_step(self, h: Any) -> None:
        kept, counts = self.run.save(), (self.iterations, self.evaluations)
        contact = None if self.touching is None else self.touching.save()
        books = self._open.copy(), self._closed, self._taken.copy(), self._free
        try:
            self._keep_short_step(h)
        finally:
            self.run.load(kept)
            if self.touching is not None:
                self.touching.load(contact)
            self.iterations, self.evaluations = counts
            self._open, self._closed, self._taken, self._free = books

    def _keep_short_step(self, h: float) -> None:
        if self._take(h, 1) < 1:
            raise self.failure(h)

    def failure(self, h: float) -> StepError:
        if self.touching is not None:
            return StepError(self.touching.failure(self.time, h, self.integrator.iterations))
        return StepError(failure(self.system.model, self.run.report, self.time, h, self.integrator.iterations))

    def restart(self, t: Any, q: Any, v: Any, works: Any = None) -> None:
        super().restart(t, q, v, works)
        self._closed = False
        if self.touching is not None:
            forget_contact(self.system.contact)
        self.run.begin(q, v, t)

    def cut(self, t: float) -> None:
        super().cut(t)
        self._closed = False
        self.run.begin(self.system.q.copy(), self.system.v.copy(), t)

    def arrays(self) -> dict[str, Any]:
        arrays = {"run": self.run.save(), "open books": self._open.copy(), "closed": np.array([float(self._closed)])}
        if self.touching is not None:
            arrays |= {"contact": save_contact(self.system.contact), "taken": self._taken.copy()}
        return arrays

    def restore(self, arrays: dict[str, Any], scalars: dict[str, float]) -> None:
        super().restore(arrays, scalars)
        self.run.restore(arrays["run"])
        if self.touching is not None:
            saved = np.asarray(arrays["contact"], dtype=np.int64).reshape(-1)
            refuse_wrong_points(self.system.contact, saved)
            while saved[0] > self.system.contact.room:
                self.touching.grow()
            load_contact(self.system.contact, saved)
            self._taken = saved_array(arrays, "taken", (3,)).copy()
        self._open, self._closed = saved_array(arrays, "open books", self._open.shape), bool(saved_array(arrays, "closed", (1,))[0])


def _forces_of(system: "System") -> "SystemForces":
    """The record by which a run finds the forces of a system."""
    record = new_record(SystemForces)
    record.model, record.active, record.tree, record.forces = system.model.handle, system.active_forces.table, system.tree, system.forces
    record.q0, record.before, record.works = system.start[0], np.zeros(system.model.nv), system.works
    record.memory0 = system.stepper.memory0
    return record


def _damping(system: "System") -> NDArray[np.float64]:
    """Linear damping at each velocity, which Newton's matrix may take for granted."""
    found = np.zeros(system.model.nv)
    for entry in system.active_forces.entries:
        info = system.active_forces.infos[entry["force"]]
        if entry["kind"] == ALONG and info.on and isinstance(info.kind, (JointDamper, JointSpring)):
            found[entry["v"]] += info.kind.damping
    return found
