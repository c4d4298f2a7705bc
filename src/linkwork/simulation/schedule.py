"""The times at which a run stops: samples, events, and times at which prescribed motion cannot be followed.

samples     at the requested times, or on a grid: origin + k times the record interval
events      in every step, by the method's own states in it (events.py); one that stops ends the step
critical    prescribed motion is examined ahead (constraint_faults.py): methods that treat jumps as impacts are notified, others end the run

Methods find the times at which forces and functions of time need a step to end (integrators/stops.py, integrators/time_watch.py).
"""

import math
import weakref

import numpy as np

from ..errors import StateError
from .constraint_faults import MOST, PARTS, PrescribedMotion
from .samples import OpenConstraintError

ROUNDING = 1e-13  # of a time: what sums of times differ by


class Schedule:
    """The schedule of a Simulation."""

    def __init__(self, sim):
        self._sim = weakref.ref(sim)  # whose part this is: a circle would keep its memory until a collection
        self.events, self.origin = sim._events, sim.time
        self.prescribed = PrescribedMotion(sim.model, sim.method.takes_impacts)
        self._watch = None

    @property
    def sim(self):
        return self._sim()

    # ---- samples

    def next_sample(self):
        """When the next sample is due: at the next of the requested times, or on a grid of their own."""
        sim = self.sim
        if sim.times is not None:
            k = int(np.searchsorted(sim.times, sim.time, side="right"))
            return float(sim.times[k]) if k < len(sim.times) else math.inf
        near = 1e-9 + 4.0 * np.spacing(abs(sim.time)) / sim.record_interval  # of the interval, within which times are the same
        k = math.floor((sim.time - self.origin) / sim.record_interval + near) + 1
        due = self.origin + k * sim.record_interval
        if not (near < 0.1 and due > sim.time):
            raise StateError(
                f"record_interval: found {sim.record_interval:g} s at t = {sim.time:.17g} s, where numbers are "
                f"{np.spacing(abs(sim.time)):.2g} s "
                "apart; allowed are samples that differ in time; begin at a smaller t, or give a longer record_interval",
                "record_interval",
            )
        return due

    def meant(self, t):
        """A time, or the requested one that differs from it by rounding only."""
        times = self.sim.times
        if times is None:
            return t
        near = float(times[np.argmin(np.abs(times - t))])
        return near if abs(near - t) <= ROUNDING * abs(t) else t

    def is_sample(self, t):
        """Is a time one at which the state is recorded? Others are booked alone."""
        times = self.sim.times
        return times is None or times[min(int(np.searchsorted(times, t)), len(times) - 1)] == t

    # ---- the way there, with events

    def advance(self, due):
        """Carry the motion to a time that has been foreseen, or to an event that stops it before; returns what happened."""
        happened = self._watching().advance(due) if self.events else self.sim.method.advance(due)
        self._foresee_step()
        return happened or ()

    def step(self):
        """One step of the method, or up to an event that stops it; returns what happened."""
        sim = self.sim
        if sim.method.takes_impacts:  # of fixed steps
            self.foresee(sim.method.time + sim.integrator.step)
        happened = self._watching().step() if self.events else sim.method.step()
        self.foresee(sim.method.time)
        return happened or ()

    def _watching(self):
        if self._watch is None or self._watch.method is not self.sim.method:
            self._watch = self._new_watch()
        return self._watch

    def _new_watch(self):
        from .events import EventWatch

        return EventWatch(self.events, self.sim.method)

    # ---- critical times

    def foresee(self, end, jumps_only=False):
        """Refuse to go on to a time if prescribed motion before it cannot be followed; warn once of smaller jumps."""
        sim = self.sim
        parts = PARTS * math.ceil(min(max((end - sim.time) / sim.record_interval, 1.0), MOST / PARTS))
        found = self.prescribed.first_fault(min(sim.time, sim.method.time), end, parts, jumps_only)
        sim.method.impacts = tuple(self.prescribed.impacts)
        if found is None:
            return
        if found.refused and sim.drift == "project":
            raise OpenConstraintError(found, sim.time)
        sim._samples.tell_open(found.name, found.text())

    def _foresee_step(self):
        """The same for jumps within a step that ends later than requested, where a projection at its end would spoil all of it."""
        if self.sim.method.projects_ends:
            self.foresee(self.sim.method.time, jumps_only=True)

    # ---- for checkpoints

    def watch_to_dict(self):
        """What is known of the events so far; None where none were watched yet."""
        return None if self._watch is None else self._watch.to_dict()

    def watch_from_dict(self, given):
        """Take up what `watch_to_dict` gave."""
        self._watch = None
        if given is not None and self.events:
            self._watch = self._new_watch()
            self._watch.from_dict(given)
