"""Samples of a running simulation: what is recorded and what enters the energy ledger at each of them."""

import contextlib
import math
import time as clock
import weakref
from typing import NamedTuple

import numpy as np

from ..constraints.modes import CONTRADICTION
from ..dynamics.energy import energy_or_infinity
from ..dynamics.momentum import momentum
from ..errors import StateError
from ..integrators.integrator import STEP_COUNTS, StepError
from ..integrators.saved_values import refuse_saved, saved_number, saved_numbers
from ..kernels.progress import compiling
from .ambiguous_branch import BranchWatch, unbounded_text
from .constraint_faults import open_constraint
from .contact_audit import contact_audit
from .energy_bound import EnergyBound, Verdict
from .events import occurrence_from_list, occurrence_to_list
from .half_turns import HalfTurnWatch
from .interpolate import poses_of
from .ledger import EnergySample, Ledger
from .recorder import Recorder

CONTROLLERS = "controllers"
UNEXPLAINED = 1e-5  # of the largest acceleration: what multipliers leave of it in a singular pose; beside one they leave 1e-8
UNBALANCED = 0.01  # of the energy in play: more that nothing explains is worth a warning


class UnsoundError(StepError):
    """The state reached is not valid, and it was not recorded. `verdict`: on its energy, None if it is not finite."""

    def __init__(self, reason, verdict: Verdict | None = None, force=None):
        super().__init__(reason)
        self.verdict, self.force = verdict, force


class ContradictionError(UnsoundError):
    """Constraints contradict each other from the time `since` (s) on."""

    def __init__(self, since):
        super().__init__(
            f"constraints contradict each other from t = {since:.6g} s on, and what moved since is only a compromise between them"
        )
        self.since = since


class OpenConstraintError(UnsoundError):
    """A constraint that the motion no longer satisfies. `found`: which, and its residual."""

    def __init__(self, found, t):
        super().__init__(found.text(t))
        self.found = found


class ValidSample(NamedTuple):
    """A sample that a run can return to: its state, the recorder and its number of samples, the ledger and the counters."""

    t: float
    q: np.ndarray
    v: np.ndarray
    works: np.ndarray
    recorder: Recorder
    frames: int
    ledger: Ledger | None


class Samples:
    """Takes samples of a Simulation: columns go to the recorder, sums to the ledger. An invalid state raises an UnsoundError."""

    def __init__(self, sim, record):
        self._sim = weakref.ref(sim)  # whose part this is: a circle would keep its memory until a collection
        active_forces = sim.system.active_forces
        self.names = [*active_forces.names, *([CONTROLLERS] if sim.system.has_controllers else [])]
        self._record = record
        self.recorder = self._new_recorder()
        rows = [f"{c.name} {word}" for c in sim.model.constraints for word in c.words]
        self.ledger = Ledger(sim.model.name, self.names, rows)
        self.bound = EnergyBound(sim.system)
        self._last: ValidSample | None = None  # the last sample
        self._last_valid: ValidSample | None = None  # the last sample before energy was in doubt, as long as it is
        self._contradictory_since = None  # s
        self._told_open: set[str] = set()  # constraints that a warning has named as open
        self._told_unbounded = False
        self._counted = dict.fromkeys(STEP_COUNTS, 0)
        self._lost = 0.0
        self.start_clock()
        self.events = []
        self.jumps: list[float] = []  # times at which the state was set and no sample was taken
        self._branches = BranchWatch(sim.system) if sim.model.nc else None
        self._half_turns = HalfTurnWatch(sim.system)

    @property
    def sim(self):
        return self._sim()

    def _new_recorder(self, layout=None):
        return Recorder(self.sim.model, self._record, forces=self.names, notes={"integrator": repr(self.sim.integrator)}, layout=layout)

    def turn_page(self):
        """Begin a new recorder and return the old one's Recording: a run without end must not fill the memory. The ledger goes on."""
        done, self.recorder = self.recorder, self._new_recorder(self.recorder.layout)
        return done.finish()

    def jump(self, before, after):
        """The state was set from outside: the change of energy is not an error of the method."""
        model = self.sim.model
        a, b = (energy_or_infinity(model, s.q, s.v) for s in (before, after))
        change = float(b.kinetic + b.potential - a.kinetic - a.potential)
        if self.ledger.frames:
            self._lost -= change
            stored = (self.sim.system.evaluate(s.t, s.q, s.v).stored for s in (before, after))
            self.bound.parameters_changed(*stored)
        if self._branches is not None:
            self._branches.forget()
        self._half_turns.forget()

    def occurred(self, found):
        """An event happened."""
        self.events.append(found)

    def sample_after_jump(self):
        """One sample of a state that was set, after that of the state before at the same time."""
        if not self.sim._schedule.is_sample(self.sim.time):
            self.jumps.append(self.sim.time)  # samples are at the requested times only
        self.take_sample(repeat=True)

    def take_sample(self, repeat=False):
        """One sample of the state now; nothing if there is one at this time already, unless `repeat`, after a jump."""
        sim, last = self.sim, self.recorder.last_time
        if last is not None and (sim.time < last if repeat else sim.time <= last):
            return
        system, model = sim.system, sim.model
        q, v, works = self._finite_state()
        evaluation = system.evaluate(sim.time, q, v)
        nf = len(system.active_forces.infos)
        stored, work = evaluation.stored, works[:nf]
        if CONTROLLERS in self.names:
            stored, work = np.append(stored, 0.0), np.append(work, works[nf])
        if self.ledger.frames and not _finite(evaluation.vdot, evaluation.tau, evaluation.multipliers, stored):
            raise UnsoundError(f"what acts at t = {sim.time:.9g} s is not finite")
        e = energy_or_infinity(model, q, v)
        wanted = self.recorder.has("momentum") or not self.ledger.frames
        h = self._momentum(q, v) if wanted and e.kinetic < math.inf else None
        lost = self._lost + float(works[nf + 2 :].sum())  # with contact: to impacts and friction
        sample = EnergySample(sim.time, e.kinetic, e.potential, stored, work, works[nf + 1], lost, h)
        self._judge(sample, q, v, evaluation)
        values = {}
        phi, rate = system.gaps(sim.time, q, v)
        gaps, rows = (0.0, 0.0), (-1, -1)
        if model.nc:
            rows = (int(np.argmax(np.abs(phi))), int(np.argmax(np.abs(rate))))
            gaps = (abs(phi[rows[0]]), abs(rate[rows[1]]))
            self._contradiction(evaluation.residual)
            self._refuse_open(q, v, (phi, rate))
            if (text := self._branches.check(sim.time, q, v, evaluation, sim.method.leaves_singular_start)) is not None:
                self.ledger.warn(text)
            self._unbounded(q, evaluation)
        for text in self._half_turns.check(sim.time, q):
            self.ledger.warn(text)
        values["gaps"], values["gap_rows"] = np.array(gaps), np.array(rows)
        numerical = self.ledger.frame(sample, *(zip(gaps, rows, strict=True) if model.nc else ()))
        counts = self._count_since()
        values |= {"kinetic": float(e.kinetic), "potential": float(e.potential), "stored": stored, "work": work}
        values |= {
            "drives": float(works[nf + 1]),
            "losses": lost,
            "numerical": numerical,
            "vdot": evaluation.vdot,
            "tau": evaluation.tau,
        }
        values |= {"multipliers": evaluation.multipliers, "solver_time": self._time_since(), **counts}
        if not sim._schedule.is_sample(sim.time):
            return  # booked, not recorded
        values |= self._asked(q, v, evaluation, h)
        self.recorder.append(sim.time, q, v, **{name: values[name] for name in self.recorder.channels if name not in ("time", "q", "v")})
        self._last = ValidSample(sim.time, q, v, works, self.recorder, len(self.recorder), None)

    def _finite_state(self):
        sim = self.sim
        q, v, works = sim.method.state(sim.time)
        if not _finite(q, v):
            raise UnsoundError(f"the state at t = {sim.time:.9g} s is not finite")
        if not _finite(works):
            wrong = int(np.argmin(np.isfinite(works)))
            self._keep_last_valid()
            raise self._grown(sim.time, self.bound.beyond_numbers, self.names[wrong] if wrong < len(self.names) else None)
        return q, v, works

    def _judge(self, sample, q, v, evaluation):
        """Refuse a sample whose energy nothing explains; remember the one before if it is in doubt."""
        with np.errstate(over="ignore", invalid="ignore"):
            verdict = self.bound.judge(sample, self.ledger.unexplained(sample), q, v, evaluation.vdot)
        if self._last is None:
            if not np.isfinite(sample.kinetic):
                raise StateError(
                    f"v: the kinetic energy at the start is {sample.kinetic:g} J; allowed are velocities whose energy is a number; give smaller ones",
                    "v",
                )
            return
        if verdict.suspect:
            self._keep_last_valid()
        else:
            self._last_valid = None
        if verdict.grown:
            raise self._grown(sample.t, verdict, self._busiest(sample, evaluation))

    def _keep_last_valid(self):
        """Energy is in doubt: remember the last sample at which it was not."""
        if self._last_valid is None and self._last is not None:
            self._last_valid = self._last._replace(ledger=self.ledger.snapshot())

    def _grown(self, t, verdict, force):
        since = self._last_valid.t if self._last_valid else t
        return UnsoundError(
            f"energy has grown from nowhere since t = {since:.6g} s: {verdict.energy:.3g} J at t = {t:.6g} s, where start, forces and gravity "
            f"explain {verdict.bound:.3g} J at most",
            verdict,
            force,
        )

    def _contradiction(self, residual):
        """Constraints that contradict each other at two samples one after the other end the run: what moves on is a compromise, no mechanism."""
        if residual == math.inf:
            self.ledger.warn(
                f"constraints do not hold from t = {self.sim.time:.6g} s on: inertias in a loop differ too much; lw.forward_dynamics names them"
            )
        if not residual > CONTRADICTION:
            self._contradictory_since = None
        elif self._contradictory_since is None:
            self._contradictory_since = self.sim.time
        elif self.sim.drift != "feedback":
            raise ContradictionError(self._contradictory_since)

    def _refuse_open(self, q, v, residuals):
        """Raise if the state is off its constraints, unless drift is not controlled; warn once of less. The start has been checked before."""
        sim = self.sim
        if self._last is None or (found := open_constraint(sim.model, q, v, sim.time, residuals)) is None:
            return
        if found.refused and sim.drift == "project":
            raise OpenConstraintError(found, sim.time)
        self.tell_open(found.name, found.text(sim.time))

    def tell_open(self, name, text):
        """Tell once of a constraint that it is open."""
        if name not in self._told_open:
            self._told_open.add(name)
            self.ledger.warn(text)

    def _unbounded(self, q, evaluation):
        """Warn of the first sample in a singular pose whose multipliers do not balance the motion."""
        recorded = self.recorder.has("multipliers") or self.recorder.has("reactions")
        if (
            recorded
            and not self._told_unbounded
            and evaluation.unbalanced > UNEXPLAINED * float(np.max(np.abs(evaluation.vdot), initial=0.0))
        ):
            self._told_unbounded = True
            self.ledger.warn(unbounded_text(self.sim.model, self.sim.time, q))

    def _busiest(self, sample, evaluation):
        """The force with the most energy and work in the books; where these are empty, with the most power."""
        for amounts in (np.abs(sample.stored) + np.abs(sample.work), np.abs(evaluation.powers[: len(self.names)])):
            amounts = np.nan_to_num(amounts)
            if len(amounts) and amounts.max() > 0.0:
                return self.names[int(np.argmax(amounts))]
        return None

    def state_set(self, state):
        """The state was set from outside: that is what a run goes back to."""
        system = self.sim.system
        self._last = ValidSample(
            state.t, np.array(state.q), np.array(state.v), system.works.copy(), self.recorder, len(self.recorder), None
        )
        self._last_valid = None

    @contextlib.contextmanager
    def changing_forces(self):
        """Forces get other parameters, or are switched, in here: the energy that this stores or frees is explained."""
        sim = self.sim
        q, v, _ = sim.method.state(sim.time)
        before = sim.system.evaluate(sim.time, q, v).stored
        yield
        self.bound.parameters_changed(before, sim.system.evaluate(sim.time, q, v).stored)

    def go_back(self):
        """After a step that failed: drop the samples whose energy was in doubt; (t, q, v, works) of the last good one, None if none was in doubt."""
        valid, self._last_valid = self._last_valid, None
        if valid is None:
            return None
        self.ledger = valid.ledger
        if valid.recorder is self.recorder:
            self.recorder.truncate(valid.frames)
        self._last = valid
        return valid.t, valid.q, valid.v, valid.works

    @property
    def last_state(self):
        """(t, q, v, works) of the last sample; None before the first."""
        return None if self._last is None else self._last[:4]

    def _momentum(self, q, v):
        h = momentum(self.sim.model, q, v)
        return np.concatenate([h.about_origin[:3], h.linear])

    def start_clock(self):
        """Wall time counts from here on to the next sample: what went by between two runs belongs to none, and compiling neither."""
        self._sampled_at = clock.perf_counter() - compiling.seconds

    def _time_since(self):
        before, self._sampled_at = self._sampled_at, clock.perf_counter() - compiling.seconds
        return self._sampled_at - before

    def _count_since(self):
        method, since = self.sim.method, {}
        for name, before in self._counted.items():
            now = getattr(method, name)
            since[name], self._counted[name] = now - before, now
        self.ledger.count(**since, solves=since["steps"] if since["iterations"] else 0)
        return since

    def _asked(self, q, v, evaluation, h):
        """Channels that are expensive are computed only if they are recorded."""
        sim, found = self.sim, {}
        model = sim.model
        if self.recorder.has("momentum"):
            found["momentum"] = h
        if self.recorder.has("poses"):
            found["poses"] = poses_of(model, q)
        if self.recorder.has("contact_forces") or self.recorder.has("contact_status"):
            found["contact_forces"], found["contact_status"] = sim.gauges.contacts(sim.time, q, v)
        if self.recorder.has("reactions"):
            found["reactions"] = self._reactions(q, v, evaluation)
        return found

    def _reactions(self, q, v, evaluation):
        layout, found = self.recorder.layout, self.sim.gauges.reactions(self.sim.time, q, v, evaluation)
        rows = []
        for name in layout.parts:
            rows.append(found.wrench(name))
        return np.array(rows).reshape(len(layout.parts), 6)

    def to_dict(self):
        """For checkpoints."""
        events = [occurrence_to_list(found) for found in self.events]
        sums = {"origin": self.sim._schedule.origin, "lost": self._lost, "counted": dict(self._counted), "bound": self.bound.to_dict()}
        sums["fastest prescribed"] = list(self.sim._schedule.prescribed.fastest)
        valid = self._last_valid if self._last_valid is not None and self._last_valid.recorder is self.recorder else None
        back = {"last": _sample_to_list(self._last), "good": _sample_to_list(valid), "contradictory since": self._contradictory_since}
        return sums | back | {"events": events, "jumps": self.jumps}

    def from_dict(self, given, events=()):
        """Take up what `to_dict` gave; FormatError for anything else. `events`: those that are watched for now."""
        schedule, self._lost = self.sim._schedule, saved_number(given, "lost")
        schedule.origin = saved_number(given, "origin")
        self._counted = {name: saved_number(given["counted"], name, 0) for name in self._counted}
        model, prescribed = self.sim.model, schedule.prescribed
        prescribed.fastest = saved_numbers(given["fastest prescribed"], "rates of time functions", len(prescribed.fastest)).tolist()
        self.events = [occurrence_from_list(found, events, model) for found in given["events"]]
        self.jumps = saved_numbers(given["jumps"], "times at which the state was set", len(given["jumps"])).tolist()
        if self.ledger.frames:
            self.bound.from_dict(given["bound"], self.ledger.first)
        if given["contradictory since"] is not None:
            self._contradictory_since = saved_number(given, "contradictory since")
        self._last, self._last_valid = (self._sample_from_list(given[name]) for name in ("last", "good"))
        if self._last_valid is not None and self._last_valid.ledger is None:
            raise refuse_saved("last good sample", "none of its ledger", "one with its ledger")

    def _sample_from_list(self, given):
        """A sample to go back to, as `_sample_to_list` gave it."""
        if given is None:
            return None
        model, system, count = self.sim.model, self.sim.system, len(self.recorder)
        t, *arrays, frames, ledger = given
        frames = saved_number({"frames": frames}, "frames", 0, 0, count)
        wanted = ("coordinates", model.nq), ("velocities", model.nv), ("works", len(system.works))
        q, v, works = (saved_numbers(x, what, size) for x, (what, size) in zip(arrays, wanted, strict=True))
        ledger = None if ledger is None else Ledger.from_dict(ledger)
        if ledger is not None and (ledger.forces, ledger.rows) != (self.ledger.forces, self.ledger.rows):
            raise refuse_saved("last good sample", ledger.forces, "one of the same forces and rows")
        return ValidSample(saved_number({"t": t}, "t"), q, v, works, self.recorder, frames, ledger)

    def recording(self, status, wall):
        """The Recording so far, with its audit."""
        q, v, _ = self.sim.method.state(self.sim.time)
        self.ledger.end_momentum(self._momentum(q, v))
        audit = self.ledger.audit(wall)
        if audit.scale > audit.negligible and not audit.relative <= UNBALANCED:
            self.ledger.warn(
                f"the energy does not balance: {audit.relative:.1%} of it is unexplained; take a smaller step or a better method"
            )
        for name, supplied in self._supplied_by_passive_forces(audit):
            self.ledger.warn(
                f"{name!r} has done {supplied:.3g} J of work more than it had stored, which it cannot: its steps are too long for it; take a smaller step "
                "or a better method"
            )
        return self.recorder.recording(status, self.ledger.audit(wall, contact_audit(self.sim.system)))

    def _supplied_by_passive_forces(self, audit):
        """(name, J) of forces that can only store and dissipate, and have supplied energy all the same: to the balance that is a work like any other."""
        allowed = max(UNBALANCED * audit.scale, audit.negligible) + self.bound.changed
        passive = {info.name for info in self.sim.system.active_forces.infos if not info.kind.feeds}
        return [(force.name, -force.dissipated) for force in audit.forces if force.name in passive and -force.dissipated > allowed]


def _sample_to_list(valid):
    if valid is None:
        return None
    arrays = [array.tolist() for array in (valid.q, valid.v, valid.works)]
    return [valid.t, *arrays, valid.frames, None if valid.ledger is None else valid.ledger.to_dict()]


def _finite(*arrays):
    return all(np.isfinite(array).all() for array in arrays)
