"""From a running simulation to frames: what is recorded and what is booked at each of them."""

import math
import time as clock
import weakref

import numpy as np

from ..dynamics.energy import energy
from ..dynamics.kinematics import forward_kinematics
from ..dynamics.momentum import momentum
from ..errors import StateError
from ..integrators.saved import saved_number
from ..spatial.pose import Pose
from .events import occurrence_from_list, occurrence_to_list
from .ledger import EnergySample, Ledger
from .recorder import Recorder

CONTRADICTION = 1e-4  # residual of dependent rows beyond which they say different things
CONTROLLERS = "controllers"
UNBALANCED = 0.01  # of the energy in play: more that nothing explains is worth a warning


class Frames:
    """Takes frames of a Simulation: columns go to the recorder, sums to the ledger."""

    def __init__(self, sim, record):
        self._sim = weakref.ref(sim)  # whose part this is: a circle would keep its memory until a collection
        loads = sim.system.loads
        self.names = [*loads.names, *([CONTROLLERS] if sim.system.has_controllers else [])]
        self._record = record
        self.recorder = self._new_recorder()
        rows = [f"{c.name} {word}" for c in sim.model.constraints for word in c.words]
        self.ledger = Ledger(sim.model.name, self.names, rows)
        self._counted = dict.fromkeys(("steps", "rejections", "iterations", "evaluations"), 0)
        self._origin = sim.time
        self._lost = 0.0
        self._looked = clock.perf_counter()
        self.events = []

    @property
    def sim(self):
        return self._sim()

    def _new_recorder(self, layout=None):
        return Recorder(self.sim.model, self._record, forces=self.names, notes={"integrator": repr(self.sim.integrator)}, layout=layout)

    def turn_page(self):
        """Begin a new recorder and return the old one's Recording: a run without end must not fill the memory. The ledger goes on."""
        done, self.recorder = self.recorder, self._new_recorder(self.recorder.layout)
        return done.finish()

    def next_time(self):
        """When the next frame is due: frames stand on a grid of their own."""
        sim = self.sim
        k = math.floor((sim.time - self._origin) / sim.frame + 1e-9) + 1
        due = self._origin + k * sim.frame
        if not due > sim.time:
            raise StateError(
                f"frame: found {sim.frame:g} s at t = {sim.time:.17g} s, where numbers are {np.spacing(abs(sim.time)):.2g} s apart; allowed are frames "
                "that differ in time; begin at a smaller t, or take longer frames",
                "frame",
            )
        return due

    def jump(self, before, after):
        """The state was set: what changes by that is no fault of the method."""
        model = self.sim.model
        a, b = (energy(model, s.q, s.v) for s in (before, after))
        change = float(b.kinetic + b.potential - a.kinetic - a.potential)
        if self.ledger.frames:
            self._lost -= change

    def occurred(self, found):
        """An event happened."""
        self.events.append(found)

    def look(self):
        """One frame of the state now; nothing if there is one at this time already."""
        sim = self.sim
        if self.recorder.last_time is not None and sim.time <= self.recorder.last_time:
            return
        system, model = sim.system, sim.model
        q, v, works = sim.method.state(sim.time)
        acts = system.evaluate(sim.time, q, v)
        nf = len(system.loads.infos)
        stored, work = acts.stored, works[:nf]
        if CONTROLLERS in self.names:
            stored, work = np.append(stored, 0.0), np.append(work, works[nf])
        e = energy(model, q, v)
        h = self._momentum(q, v) if self.recorder.has("momentum") or not self.ledger.frames else None
        values = {}
        phi, rate = system.gaps(sim.time, q, v)
        gaps, rows = (0.0, 0.0), (-1, -1)
        if model.nc:
            rows = (int(np.argmax(np.abs(phi))), int(np.argmax(np.abs(rate))))
            gaps = (abs(phi[rows[0]]), abs(rate[rows[1]]))
            if acts.residual > CONTRADICTION:
                self.ledger.warn(f"constraints contradict each other from t = {sim.time:.6g} s on; lw.mobility(model, q) names them")
        values["gaps"], values["gap_rows"] = np.array(gaps), np.array(rows)
        sample = EnergySample(sim.time, e.kinetic, e.potential, stored, work, works[nf + 1], self._lost, h)
        numerical = self.ledger.frame(sample, *(zip(gaps, rows, strict=True) if model.nc else ()))
        counts = self._count_since()
        values |= {"kinetic": float(e.kinetic), "potential": float(e.potential), "stored": stored, "work": work}
        values |= {"drives": float(works[nf + 1]), "losses": self._lost, "numerical": numerical, "vdot": acts.vdot, "tau": acts.tau}
        values |= {"multipliers": acts.multipliers, "solver_time": self._time_since(), **counts}
        values |= self._asked(q, v, acts, h)
        self.recorder.append(sim.time, q, v, **{name: values[name] for name in self.recorder.channels if name not in ("time", "q", "v")})

    def _momentum(self, q, v):
        h = momentum(self.sim.model, q, v)
        return np.concatenate([h.about_origin[:3], h.linear])

    def start_clock(self):
        """Wall time counts from here on to the next frame: what went by between two runs belongs to none."""
        self._looked = clock.perf_counter()

    def _time_since(self):
        before, self._looked = self._looked, clock.perf_counter()
        return self._looked - before

    def _count_since(self):
        method, since = self.sim.method, {}
        for name, before in self._counted.items():
            now = getattr(method, name)
            since[name], self._counted[name] = now - before, now
        self.ledger.count(**since, solves=since["steps"] if since["iterations"] else 0)
        return since

    def _asked(self, q, v, acts, h):
        """What costs time is worked out only where it is asked for."""
        sim, found = self.sim, {}
        model = sim.model
        if self.recorder.has("momentum"):
            found["momentum"] = h
        if self.recorder.has("poses"):
            k = forward_kinematics(model, q)
            quaternions = [Pose(rotation=R).quaternion for R in k.rotations]
            found["poses"] = np.hstack([k.positions, np.array(quaternions).reshape(-1, 4)])
        if self.recorder.has("reactions"):
            found["reactions"] = self._reactions(q, v, acts)
        return found

    def _reactions(self, q, v, acts):
        layout, found = self.recorder.layout, self.sim.gauges.reactions(self.sim.time, q, v, acts)
        rows = []
        for name in layout.parts:
            rows.append(found.wrench(name))
        return np.array(rows).reshape(len(layout.parts), 6)

    def to_dict(self):
        """For checkpoints."""
        events = [occurrence_to_list(found) for found in self.events]
        return {"origin": self._origin, "lost": self._lost, "counted": dict(self._counted), "events": events}

    def from_dict(self, given, events=()):
        """Take up what `to_dict` gave; FormatError for anything else. `events`: those that are watched for now."""
        self._origin, self._lost = saved_number(given, "origin"), saved_number(given, "lost")
        self._counted = {name: saved_number(given["counted"], name, 0) for name in self._counted}
        model = self.sim.model
        self.events = [occurrence_from_list(found, events, model) for found in given["events"]]

    def recording(self, status, wall):
        """The Recording so far, with its audit."""
        q, v, _ = self.sim.method.state(self.sim.time)
        self.ledger.end_momentum(self._momentum(q, v))
        audit = self.ledger.audit(wall)
        if audit.scale > 0.0 and not audit.largest_numerical <= UNBALANCED * audit.scale:
            share = audit.largest_numerical / audit.scale
            self.ledger.warn(f"the energy does not balance: {share:.1%} of it is unexplained; take a smaller step or a better method")
        return self.recorder.recording(status, self.ledger.audit(wall))
