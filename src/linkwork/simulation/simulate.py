"""`Simulation`: a mechanism in motion, with the requested channels recorded sample by sample."""

from __future__ import annotations

import contextlib
import math
import threading
import time as clock
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.nearly_redundant import warn_of_nearly_redundant
from ..arguments import current_names, explained, misspelt, need, renamed_attribute, with_options_of
from ..data.need_memory import need_result_memory
from ..errors import FailedRunWarning, ModelError, SolverError, StateError, outside_level
from ..integrators.defaults import default_integrator, refuse_contact
from ..integrators.integrator import STEP_COUNTS, StepError, need_integrator
from ..integrators.system import System
from ..kernels.progress import compiling
from ..model.model import ForceInfo, built_model
from ..model.state import State
from ..native_function import raise_interrupts
from ..parts.controller import as_controller
from ..solvers.registry import check_solver
from ..validation import is_flag, shown
from .beginning import acting_forces, initial_state, output_times, started_method, with_setup
from .checkpoint import Checkpoints
from .diagnosis import diagnose_step
from .gauges import Gauges
from .interrupts import interrupts_wait
from .limits import warn_beyond_limits
from .overlaps import warn_of_overlaps
from .progress_line import showing
from .replay import Replay
from .samples import Samples, UnsoundError
from .schedule import Schedule
from .status import Status
from .user_errors import EventFunctionError, forget_raised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

    from ..analysis.contact_forces import ContactForce
    from ..integrators.integrator import Integrator
    from ..parts.part import Named
    from .audit import Audit
    from .events import Event, Occurrence
    from .recording import Recording
    from .samples import OpenConstraintError

NEAR = 1e-9  # of a sample: times closer than this are the same
AHEAD = 1e-3  # of a sample: a jump of prescribed motion that a step failed at is so near


@explained
class Simulation:
    """A mechanism in motion.

    Args:
        mechanism: a Mechanism, a built Model, or a Document as lw.shipped and lw.Document.open give it: its setup then says what is not given
            here (initial state, integrator, record_interval, record, solver, drift).
        integrator: how to advance, such as RungeKutta4(step=1e-3), which is the default; where bodies touch, it is ContactStepping(step=1e-3).
        q, v, t: where to begin. Without q all joints start at zero, moved by the least that closes the loops; without v at rest, but for
            prescribed motion. What is given must satisfy the constraints: lw.assemble and lw.project_velocity make it so. By names,
            q={"pivot": 0.3, "crate": lw.Pose((0, 0, 1))}, joints and bodies that float are where they are told, all others at zero or as loops need.
        controllers: functions made controllers by @lw.controller(rate=...); {name: function} for those that a Document names.
        record: names of channels to keep, by default q, v and energies; see docs/simulation.md.
        record_interval: s between two samples of the recording, 0.02 by default. It does not change the motion.
        times: s, the times to record at, increasing, met exactly; then there are samples at these and no others, and run() without a
            duration goes to the last of them.
        events: things to watch for, such as lw.Event(function).
        drift: what keeps loops closed: "project" (the default: back onto the constraints when a residual exceeds
            `constraint_tolerance`), "feedback" (Baumgarte) or "none".
        constraint_tolerance: rad, or lengths of the mechanism; a residual of the constraints beyond it is projected away.
        joint_forces: let damping, friction and limits of the joints act, which the joints were given.
        solver: of constrained dynamics: "auto" (the default), "articulated", "sparse".
        raises: raise a SolverError when a step fails, instead of returning what was recorded until then with a FailedRunWarning.
        checkpoint: a path, to which the run is saved every `checkpoint_every` seconds; see `Simulation.resume`.
        forces: further forces that act in this simulation alone, as ForceInfo, such as the hand that pulls.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> rec = lw.Simulation(m, q=[0.5]).run(2.0)
    >>> rec.status == "finished", len(rec), round(float(rec.q.min()), 3)
    (True, 101, -0.5)
    """

    # parameters: the settings of a run, given by name; a settings object beside it would only repeat them
    def __init__(
        self,
        mechanism: Any,
        integrator: Integrator | None = None,
        *,
        q: ArrayLike | Mapping[Any, Any] | None = None,
        v: ArrayLike | Mapping[Any, Any] | None = None,
        t: float | None = None,
        controllers: Any = (),
        record: Iterable[str] | None = None,
        record_interval: float | None = None,
        times: ArrayLike | None = None,
        events: Iterable[Event] = (),
        drift: str | None = None,
        constraint_tolerance: float = 1e-10,
        joint_forces: bool = True,
        solver: str | None = None,
        raises: bool = False,
        progress: Any = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: float = 30.0,
        forces: Iterable[Any] = (),
    ) -> None:
        self.model = built_model(mechanism)
        given = {
            "integrator": integrator,
            "q": q,
            "v": v,
            "t": t,
            "controllers": controllers,
            "record": record,
            "record_interval": record_interval,
        }
        said = with_setup(mechanism, self.model, given | {"drift": drift, "solver": solver})
        integrator, q, v, t, controllers, record, record_interval, drift, solver = said.values()
        self.integrator = default_integrator(self.model) if integrator is None else integrator
        need_integrator(self.integrator)
        refuse_contact(self.model, self.integrator)
        self.record_interval = float(need("positive", "record_interval", record_interval))
        t = float(need("number", "t", t))
        self.times = None if times is None else output_times(times, t)
        self.constraint_tolerance = float(need("positive", "constraint_tolerance", constraint_tolerance))
        _check_settings(drift, solver, forces, joint_forces=joint_forces, raises=raises)
        self.raises, self.progress = bool(raises), progress
        self._more_forces = tuple(forces)
        forces, own = acting_forces(self.model, self.integrator, joint_forces, forces)
        controllers = [as_controller(c) for c in (controllers if isinstance(controllers, (list, tuple)) else [controllers])]
        self.system = System(
            self.model,
            forces,
            controllers,
            solver=solver,
            stages=self.integrator.stages,
            takes_contact=self.integrator.hard_limits or (self.integrator.takes_contact and self.model.touches),
            joint_forces=joint_forces and self.integrator.hard_limits,
            by_events=self.integrator.by_events and self.model.touches,
        )
        self.system.q[:], self.system.v[:] = initial_state(self.model, self.system, q, v, float(t), self.constraint_tolerance)
        warn_of_nearly_redundant(self.model, self.system.q, float(t))
        self._limit_and_loss_forces = own
        for c in controllers:
            c.tried(f"controller {c.name!r}", self.model, self.system.q, self.system.v, float(t))
        self.method = started_method(self.integrator, self.system, float(t), drift, self.constraint_tolerance)
        self.drift = drift
        self.gauges = Gauges(self.system)
        self.time = float(t)
        self.began = State(self.time, self.system.q, self.system.v)
        self.status = Status("stopped", time=self.time)
        self._events = _events_of(events)
        self._record, self._schedule, self._samples = record, Schedule(self), Samples(self, record)
        self._wall = 0.0
        self._goal = self.time
        self._pausing = False
        self._checkpoints = None if checkpoint is None else Checkpoints(checkpoint)
        self._every, self._saved = float(need("positive", "checkpoint_every", checkpoint_every)), clock.monotonic()
        self._begun = False
        self._working: int | None = None  # the thread that takes steps just now

    # ------------------------------------------------------------------ state

    @property
    def state(self) -> State:
        """t, q, v now. Assigning a State goes on from there: at the present time in the same recording, in which the jump is two samples at one time; at any
        other time in a new one, with an audit of its own."""
        self._refuse_inside("state")
        q, v, _ = self.method.state(self.time)
        return State(self.time, q, v)

    @state.setter
    def state(self, state: State) -> None:
        if not isinstance(state, State):
            raise StateError(f"state: found a {type(state).__name__}; allowed is a State(t, q, v); give one", "state")
        self._refuse_inside("state")
        need("time", "state.t", state.t)
        q, v = initial_state(self.model, self.system, state.q, state.v, state.t, self.constraint_tolerance)
        if not self._begun or float(state.t) == self.time:
            self._settle()
            self._samples.jump(self.state, State(state.t, q, v))
            self._restart(state.t, q, v)
            if self._begun:
                self._samples.sample_after_jump()
        else:
            self.system.works[:] = 0.0
            self._restart(state.t, q, v)
            for name in STEP_COUNTS:
                setattr(self.method, name, 0)
            self.began, self._begun = self.state, False
            self._schedule, self._samples = Schedule(self), Samples(self, self._record)
            self._checkpoints = self._checkpoints and Checkpoints(self._checkpoints.path)
        self._warn_beyond_limits()

    def _warn_beyond_limits(self) -> None:
        """Tell, and keep for the audit, which joint is far beyond its limits, and which bodies overlap, where the motion begins."""
        contact = self.system.contact
        hard = contact is not None and contact.nlimits > 0
        texts = (
            warn_beyond_limits(self.model, self._limit_and_loss_forces, self.system.q[None], hard),
            warn_of_overlaps(self.model, self.system.q),
        )
        for text in texts:
            if text is not None:
                self._samples.ledger.warn(text)

    def _restart(self, t: float, q: NDArray[np.float64], v: NDArray[np.float64]) -> None:
        """Begin the method anew at another state: the works done so far stay booked."""
        self.system.q[:], self.system.v[:] = q, v
        tolerance = self.method.tolerance
        counts = self.method
        self.method = self.integrator.start(self.system, float(t))
        self.method.tolerance = tolerance
        for name in STEP_COUNTS:
            setattr(self.method, name, getattr(counts, name))
        self.time = float(t)
        self._samples.state_set(State(t, q, v))

    def _settle(self) -> None:
        """End the last step at the time that is shown, before something changes there."""
        if self.method.time != self.time:
            self.method.end_step_at(self.time)
            self._samples.state_set(self.state)

    # ------------------------------------------------------------------ parameters

    @property
    def forces(self) -> list[str]:
        """Names of all forces that can act, those of the joints included."""
        return list(self.system.active_forces.names)

    def change(self, force: str | Named, /, **values: float) -> None:
        """Change parameters of a force from now on: sim.change("spring", stiffness=200.0). Refused values change nothing."""
        self._refuse_inside("change")
        self._settle()
        with self._samples.changing_forces():
            self.system.active_forces.change(force, **values)

    def switch(self, force: str | Named, on: bool = True) -> None:
        """Let a force act from now on, or not."""
        self._refuse_inside("switch")
        self._settle()
        with self._samples.changing_forces():
            self.system.active_forces.switch(force, on)

    # ------------------------------------------------------------------ running

    def run(self, duration: float | None = None, *, each_sample: Callable[[Simulation], Any] | None = None) -> Recording:
        """Run for some time (s), or to the last of the `times` to record at, and return the Recording of all that happened so far.

        each_sample: called with the simulation after every sample; it may change parameters, or call pause(). Ctrl-C ends the run after the sample that
        is under way, pressed twice at once: what was recorded until then is returned with the status "interrupted".
        """
        if duration is None and self.times is not None:
            self._need_memory(math.inf)
            self._goal = max(self.time, float(self.times[-1]))
            return self._go(each_sample)
        duration = float(need("number", "duration", duration))
        if duration < 0.0:
            raise StateError(f"duration: found {duration:g} s; allowed is a number from 0 on; time runs forward", "duration")
        self._refuse_inside("run")
        self._need_memory(duration)
        goal = self._schedule.meant(self.time + duration)
        if duration and not self.time < goal < np.inf:
            raise StateError(
                f"duration: found {duration:g} s from t = {self.time:.17g} s, which ends at {goal:.17g} s; allowed is one that ends later, at a "
                "finite time; begin at a smaller t, or run longer",
                "duration",
            )
        self._goal = goal
        return self._go(each_sample)

    def _need_memory(self, duration: float) -> None:
        """Refuse a run whose samples would not fit into memory."""
        size = self._samples.recorder.frame_size
        if self.times is None:
            found = f"{self.record_interval:g} s in a run of {duration:g} s"
            need_result_memory(
                "record_interval",
                found,
                size * duration / self.record_interval,
                "give a longer record_interval, run shorter, or record fewer channels",
            )
        else:
            coming = np.count_nonzero((self.times > self.time) & (self.times <= self.time + duration))
            need_result_memory("times", f"{coming} times to record at", size * coming, "record at fewer times, or fewer channels")

    def resume(self, *, each_sample: Callable[[Simulation], Any] | None = None) -> Recording:
        """Go on to where the last run was to end, after pause() or Ctrl-C."""
        self._refuse_inside("resume")
        return self._go(each_sample)

    def pause(self) -> None:
        """Stop at the next sample; from `each_sample`, or from another thread."""
        self._pausing = True

    def step(self, n: int = 1) -> State:
        """Take n steps of the integrator and return the state."""
        self.take_steps(n)
        self._warn_of_failure()
        return self.state

    def take_steps(self, n: int = 1) -> Status:
        """Take n steps of the integrator and return the status; `sim.step` without its warning."""
        need("whole", "n", n)
        self._refuse_inside("step")
        self._begin()
        try:
            forget_raised(self.system)
            with interrupts_wait() as interrupts, self._timed():
                stopped = None
                for _ in range(int(n)):
                    with self.whole(), self._inside():
                        stopped = self._step()
                        raise_interrupts()
                    interrupts.let_in()
                    if stopped is not None:
                        break
                self.status = Status("stopped", "" if stopped is None else f"by event {stopped!r}", time=self.time)
                self._take_sample()
        except StepError as error:
            self._failed(error)
        return self.status

    def _step(self) -> Any:
        """One step; the name of the event that stopped it before its end, or None."""
        happened = self._schedule.step()
        self.time = self.method.time
        return self._occurred(happened)

    def advance(self, duration: float) -> Status:
        """Go on for some time (s) with one sample at its end, and return the status: for callers that come back many times a second."""
        self._refuse_inside("advance")
        self._begin()
        try:
            with interrupts_wait(), self.whole(), self._timed():
                name = self._advance(self.method.snapped(self.time + duration))
                self.status = Status("stopped", "" if name is None else f"by event {name!r}", time=self.time)
                self._take_sample()
        except StepError as error:
            self._failed(error)
        return self.status

    def at(self, t: float) -> State:
        """The state at a time, with the accuracy of the method: run to if it is yet to come.

        Within the last step it is the method's own state there; between two recorded samples the method goes on once more from the one before, unless
        that does not lead to the next, since controllers held something or parameters were changed since: then it is the cubic through
        both. A time before the first sample, or after a run that ended early, is refused.

        >>> import linkwork as lw
        >>> m = lw.Mechanism("stone")
        >>> _ = m.add_body("stone", mass=2.0, inertia=(1, 1, 1))
        >>> sim = lw.Simulation(m, record_interval=0.5)
        >>> _ = sim.run(2.0)
        >>> round(float(sim.at(1.2345).q[2] + 9.81 / 2 * 1.2345**2), 12) + 0.0
        0.0
        """
        t = float(need("number", "t", t))
        if t > self.time:
            self.run(t - self.time)
            if self.status == "interrupted":
                raise KeyboardInterrupt
        if t == self.time:
            return self.state
        self._begin()
        if self.method.before <= t <= self.method.time:
            q, v, _ = self.method.state(t)
            return State(t, q, v)
        recorded = self._samples.recorder.recording()
        found, times = recorded.at(t), recorded.time  # refuses what is not within
        k = int(np.searchsorted(times, t, side="right")) - 1
        if any(times[k] <= jump <= times[min(k + 1, len(times) - 1)] for jump in self._samples.jumps) and times[k] < t:
            raise StateError(
                f"t: found {t:g} s, between samples at {times[k]:g} s and {times[k + 1]:g} s, between which the state was set; allowed are times of "
                "samples there; record at more times, or with record_interval= instead of times=",
                "t",
            )
        if times[k] < t and {"q", "v"} <= set(recorded.channels):
            replayed = Replay(self).between(*((times[i], recorded.q[i], recorded.v[i]) for i in (k, k + 1)), t)  # type: ignore[call-arg]
            if replayed is not None:
                return State(t, *replayed)
        return State(t, found.q, found.v)

    @property
    def frame(self) -> float:
        """The old name of `record_interval`."""
        return float(renamed_attribute(self, "frame", "record_interval"))

    @property
    def gap(self) -> float:
        """The old name of `constraint_tolerance`."""
        return float(renamed_attribute(self, "gap", "constraint_tolerance"))

    @property
    def goal(self) -> float:
        """s, where the last run is to end."""
        return self._goal

    @property
    def recording(self) -> Recording:
        """What has been recorded so far."""
        self._refuse_inside("recording")
        self._begin()
        recording: Recording = self._samples.recording(self.status, self._wall)
        return recording

    @property
    def contacts(self) -> tuple[ContactForce, ...]:
        """Where bodies touch now: points, statuses, and the forces as means over the last step (N, on the second of a pair).

        >>> import linkwork as lw
        >>> m = lw.Mechanism("ball")
        >>> _ = m.add_body("ball", shape=lw.Sphere(0.1), density=500), m.add_floor()
        >>> sim = lw.Simulation(m, q=[0, 0, 0.1, 1, 0, 0, 0])
        >>> _ = sim.run(0.1)
        >>> [(touch.a, touch.b, touch.status, round(touch.normal, 6)) for touch in sim.contacts]  # m g
        [('ground', 'ball', 'sticking', 20.546016)]
        """
        self._refuse_inside("contacts")
        state = self.state
        found: tuple[ContactForce, ...] = self.gauges.contact_points(state.t, state.q, state.v) if self.system.contact is not None else ()
        return found

    @property
    def events(self) -> list[Occurrence]:
        """What has happened so far of the events that were watched for, in the order of time."""
        return list(self._samples.events)

    @property
    def audit(self) -> Audit:
        """The audit so far."""
        return self.recording.audit  # type: ignore[return-value]  # a run has one

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self._warn_beyond_limits()
            self._samples.take_sample()

    def _go(self, each_sample: Callable[..., Any] | None) -> Recording:
        self._begin()
        self._pausing = False
        with interrupts_wait() as self._interrupts:
            try:
                with self._timed(), showing(self.progress, self.model.name, self.time, self._goal) as show:
                    self.status = self._run_to_goal(self._goal, each_sample, show)
            except StepError as error:
                self._failed(error)
                self._warn_of_failure()
            except KeyboardInterrupt:
                self.status = Status("interrupted", "by the keyboard; resume() goes on", time=self.time)
            if self._checkpoints is not None:
                self.save_checkpoint()
        return self.recording

    # ------------------------------------------------------------------ inside a run

    @contextlib.contextmanager
    def _timed(self) -> Iterator[Any]:
        """Wall time of a run: compiling kernels does not count."""
        started, compiled = clock.perf_counter(), compiling.seconds
        self._samples.start_clock()
        try:
            yield
        finally:
            self._wall += clock.perf_counter() - started - (compiling.seconds - compiled)

    @contextlib.contextmanager
    def _inside(self) -> Iterator[Any]:
        """The motion is under way: the functions of users that it calls may not turn to it.

        A StateError or SolverError in here is an iteration that met numbers which are no state: the step has failed. So has it where the function of
        an event raised, or gave no number.
        """
        self._working = threading.get_ident()
        try:
            yield
        except (StateError, SolverError, EventFunctionError) as error:
            raise StepError(str(error)) from error
        finally:
            self._working = None

    @contextlib.contextmanager
    def whole(self) -> Iterator[None]:
        """What is done in here is done as a whole: an interrupt half way, a second Ctrl-C or an exit, takes the motion back to its last sample."""
        try:
            yield
        except (KeyboardInterrupt, SystemExit):
            if (back := self._samples.last_state) is not None:
                self.method.restart(*back)
                self.time = back[0]
            raise

    def _refuse_inside(self, what: str) -> None:
        if self._working is not None and self._working == threading.get_ident():
            raise StateError(
                f"sim.{what}: the motion is under way, and what is half way through a step is no state; a force, controller or event is given "
                "t and what it depends on; use that, or sim.run(..., each_sample=f) to look and act between steps",
                what,
            )

    def _take_sample(self) -> None:
        """One sample of the state now."""
        with self._inside():
            self._samples.take_sample()

    def _run_to_goal(self, goal: float, each_sample: Callable[..., Any] | None, show: Callable[..., Any]) -> Status:
        while self.time < goal - (NEAR * self.record_interval if self.times is None else 0.0):
            due = min(self._schedule.next_sample(), goal)
            with self.whole():
                stopped = self._advance(due)
                self._take_sample()
            show(self.time)
            if stopped is None and each_sample is not None:
                each_sample(self)
            if self._checkpoints is not None and clock.monotonic() - self._saved > self._every:
                self.save_checkpoint()
            self._interrupts.let_in()
            if stopped is not None:
                return Status("stopped", f"by event {stopped!r}", time=self.time)
            if self._pausing:
                return Status("stopped", "by pause(); resume() goes on", time=self.time)
        return Status("finished", time=self.time)

    def _advance(self, due: float) -> Any:
        """Carry the motion to a time; the name of the event that stopped it before, or None."""
        self._schedule.foresee(due)
        forget_raised(self.system)
        try:
            with self._inside():
                happened = self._schedule.advance(due)
        except StepError:
            raise_interrupts()
            raise
        raise_interrupts()
        self.time = due
        return self._occurred(happened)

    def _occurred(self, happened: Any) -> Any:
        """Write down what happened; where an event stops the motion, that is the time, and its name is returned."""
        for found in happened:
            self._samples.occurred(found)
        first = next((found for found in happened if found.event.stop), None)
        if first is None:
            return None
        self.time = first.t
        return first.name

    def _failed(self, error: OpenConstraintError | StepError | UnsoundError) -> None:
        """Go back to the last good state, and say what happened."""
        unsound = error if isinstance(error, UnsoundError) else None
        if unsound is None:
            self.time = self.method.time
            try:
                self._schedule.foresee(self.time + AHEAD * self.record_interval)
                self._take_sample()
            except UnsoundError as found:
                unsound = found
            except (StepError, StateError):
                pass
        back = self._samples.go_back() or (None if unsound is None else self._samples.last_state)
        if back is not None:
            self.method.restart(*back)
            self.time = back[0]
        with self._inside():
            self.status = diagnose_step(self, error, unsound)
        if self.raises:
            raise SolverError(str(self.status)) from error

    def _warn_of_failure(self) -> None:
        if not self.status.ok:
            warnings.warn(FailedRunWarning(f"simulation of {self.model.name!r} {self.status}", self.status), stacklevel=outside_level())

    # ------------------------------------------------------------------ checkpoints

    def save_checkpoint(self, path: str | PathLike[str] | None = None) -> None:
        """Save all that is needed to go on, bit by bit, after the process has ended: at a path, or at that of `checkpoint=`, the only one at which
        runs save themselves later."""
        from .resuming import contents

        checkpoints = self._checkpoints if path is None else Checkpoints(path)
        if checkpoints is None:
            raise StateError("save_checkpoint: this simulation has no path for checkpoints; give one", "path")
        self._begin()
        arrays, data = contents(self)
        checkpoints.write(arrays, data, self._samples.recorder)
        if path is None:
            self._saved = clock.monotonic()

    @classmethod
    def resumed(cls, path: str | PathLike[str], mechanism: Any, integrator: Integrator | None = None, **options: Any) -> Simulation:
        """A simulation as its last checkpoint at `path` left it. Give the same mechanism and settings; sim.resume() goes on, and saves itself at
        `path` too: with another `checkpoint=`, or None, what is saved at `path` stays.

        t, q, v need not be given: they are where the run began, and others than those are refused. So are other controllers, forces, drift,
        constraint_tolerance, record_interval or times, and other events than those that the run watched for; without events it goes on
        unwatched. What happened before the checkpoint stays in `events`.
        """
        from .resuming import restore

        options = current_names("Simulation.resumed", options)
        sim = cls(mechanism, integrator, **{"checkpoint": path, **options})
        restore(sim, path, [name for name in ("t", "q", "v") if options.get(name) is not None])
        return sim

    def __repr__(self) -> str:
        return f"<simulation of {self.model.name!r} by {self.integrator} at t = {self.time:g} s: {self.status.word}>"


@with_options_of(Simulation)
def simulate(mechanism: Any, duration: float | None = None, integrator: Integrator | None = None, **options: Any) -> Recording:
    """Simulate a mechanism (a Mechanism, Model or Document) for some time (s) and return the Recording; options as for Simulation.

    With times=[...] the recording has samples at these times, exactly, and no duration is needed.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("stone")
    >>> _ = m.add_body("stone", mass=2.0, inertia=(1, 1, 1))
    >>> rec = lw.simulate(m, 1.0)
    >>> round(float(rec.q[-1, 2]), 6)
    -4.905
    >>> lw.simulate(lw.shipped("pendulum"), 1.0).q[0]  # begins where the document says
    array([0.5])
    >>> lw.simulate(m, times=[0.1, 0.25, 1.0]).time
    array([0.1 , 0.25, 1.  ])
    """
    if duration is None and options.get("times") is None:
        options = current_names("simulate", options)
        raise misspelt(simulate, "simulate", options) or StateError(
            "duration: found None; allowed is a time in s, or times=[...] to record at; give one of them", "duration"
        )
    return Simulation(mechanism, integrator, **current_names("simulate", options)).run(duration)


def _check_settings(drift: str, solver: str, forces: Any, **flags: Any) -> None:
    """Refuse settings of a wrong type; the functions that use them check the words."""
    for name, value in (("drift", drift), ("solver", solver)):
        if value is not None and not isinstance(value, str):
            raise ModelError(f"{name}: found {shown(value)}; allowed is a word in quotes; give one, or leave it out")
    if solver is not None:
        check_solver(solver)
    for name, value in flags.items():
        if not is_flag(value):
            raise ModelError(f"{name}: found {shown(value)}; allowed is True or False; give one of them")
    if not isinstance(forces, (list, tuple)) or not all(isinstance(force, ForceInfo) for force in forces):
        raise ModelError(f"forces: found {shown(forces)}; allowed is a list of ForceInfo; add forces to the mechanism with add_force")


def _events_of(events: Any) -> list[Event]:
    """A list of Events; one alone will do."""
    from .events import Event

    found = [events] if isinstance(events, Event) else list(events) if isinstance(events, (list, tuple)) else None
    if found is None or not all(isinstance(event, Event) for event in found):
        raise ModelError(f"events: found {events!r:.80}; allowed are Events; write [lw.Event(function)]")
    return found
