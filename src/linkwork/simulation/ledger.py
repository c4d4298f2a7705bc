"""The bookkeeper of a run: fed at every sample, it keeps the start, the present and the extremes, and writes the Audit."""

import copy
import math
from typing import Any, NamedTuple

import numpy as np

from ..errors import FormatError, StateError
from ..integrators.integrator import STEP_COUNTS
from .audit import Audit, Extreme, ForceEntry

MOST_WARNINGS = 20


class EnergySample(NamedTuple):
    """What is booked of one moment, J. stored, work: of each force. work, drives and losses are sums since any fixed instant.

    momentum: (6,), or None where it was not worth working it out.
    """

    t: float
    kinetic: float
    potential: float
    stored: Any = ()
    work: Any = ()
    drives: float = 0.0
    losses: float = 0.0
    momentum: Any = None

    @classmethod
    def from_list(cls, given):
        """The sample with its numbers as floats and arrays of its own."""
        t, kinetic, potential, stored, work, drives, losses, momentum = given
        stored, work = np.array(stored, dtype=float), np.array(work, dtype=float)
        momentum = None if momentum is None else tuple(float(x) for x in momentum)
        return cls(float(t), float(kinetic), float(potential), stored, work, float(drives), float(losses), momentum)


class Ledger:
    """Energy, momentum, gaps and counts, added up sample by sample.

    model: its name. forces: names, in the order of the arrays `stored` and `work`. rows: labels of constraint rows, of which gaps come with
    numbers.

    >>> ledger = Ledger("drop", ["drag"])
    >>> ledger.frame(EnergySample(0.0, kinetic=0.0, potential=50.0, stored=[0.0], work=[0.0]))
    0.0
    >>> ledger.frame(EnergySample(1.0, kinetic=40.0, potential=0.0, stored=[0.0], work=[-9.0]))    # 50 J fell, 40 J are kinetic, drag took 9 J: 1 J is missing
    -1.0
    >>> ledger.audit().numerical
    -1.0
    """

    def __init__(self, model, forces=(), rows=()):
        self.model, self.forces, self.rows = model, tuple(forces), tuple(rows)
        self.frames = 0
        self._first = self._last = None  # an EnergySample each
        self._numerical = 0.0
        self._largest = Extreme(0.0, "", 0.0)
        self._scale = 0.0
        self._gap = self._velocity_gap = None
        self._counts = dict.fromkeys((*STEP_COUNTS, "most_iterations", "solves"), 0)
        self._warnings = []

    @property
    def numerical(self):
        """Energy at the last sample that nothing explains, J: what belongs into the channel of this name."""
        return self._numerical

    @property
    def first(self):
        """The first sample, None before it."""
        return self._first

    def unexplained(self, now):
        """The numerical energy of a sample, J, without booking it."""
        start = self._first or now
        gained = (now.kinetic - start.kinetic) + (now.potential - start.potential)
        return gained - float((now.work - start.work).sum()) - (now.drives - start.drives) + (now.losses - start.losses)

    def frame(self, sample, gap=None, velocity_gap=None):
        """One sample; returns the numerical energy so far. The sums of the first sample are the zero of those that follow.

        gap, velocity_gap: the largest of all constraint rows and the number of its row, or None where there are no rows.
        """
        now = EnergySample.from_list(sample)
        if now.stored.shape != (len(self.forces),) or now.work.shape != now.stored.shape:
            shapes = f"{now.stored.shape} and {now.work.shape}"
            raise StateError(
                f"ledger: stored and work have shapes {shapes}; there are {len(self.forces)} forces, give one number each", "work"
            )
        if self._first is None:
            self._first, self._largest = now, Extreme(0.0, "", now.t)
        start = self._first
        done, driven, raised = now.work - start.work, now.drives - start.drives, now.potential - start.potential
        self._numerical = self.unexplained(now)
        self._largest = _grown(self._largest, self._numerical, "", now.t)
        self._scale = max(self._scale, abs(now.kinetic), abs(raised), abs(driven), float(np.abs(done).max(initial=0.0)))
        if gap is not None:
            self._gap = _grown(self._gap, gap[0], self._row(gap[1]), now.t)
        if velocity_gap is not None:
            self._velocity_gap = _grown(self._velocity_gap, velocity_gap[0], self._row(velocity_gap[1]), now.t)
        self._last = now
        self.frames += 1
        return self._numerical

    def snapshot(self):
        """The ledger as it is now, for going back to it."""
        kept = copy.copy(self)
        kept._counts, kept._warnings = dict(self._counts), list(self._warnings)
        return kept

    def end_momentum(self, momentum):
        """Momentum at the last sample, where it was not worth working it out at every one."""
        self._last = self._last._replace(momentum=tuple(float(x) for x in momentum))

    def count(self, **more):
        """Add to steps, rejections, iterations, solves, evaluations; most_iterations is the largest of those given."""
        for name, number in more.items():
            if name not in self._counts:
                raise StateError(f"ledger: {name!r} is not counted; counted are {', '.join(self._counts)}", name)
            self._counts[name] = max(self._counts[name], int(number)) if name == "most_iterations" else self._counts[name] + int(number)

    def warn(self, text):
        """A warning for the receipt; the same text is kept once, and not more than a page of them."""
        text = str(text)
        if text not in self._warnings and len(self._warnings) < MOST_WARNINGS:
            self._warnings.append(text)

    def audit(self, wall_time=0.0, contact=None):
        """The Audit from the first sample to the last. contact: the ContactAudit of the run, if bodies touched."""
        if self._first is None:
            raise StateError("ledger: there is no audit of a run without samples; give at least the first", "frame")
        a, b = self._first, self._last
        works = zip(self.forces, a.stored, b.stored, b.work - a.work, strict=True)
        forces = tuple(ForceEntry(name, float(before), float(after), float(work)) for name, before, after, work in works)
        energies = (a.t, b.t, a.kinetic, b.kinetic, a.potential, b.potential, forces, b.drives - a.drives, b.losses - a.losses)
        numerical = (self._numerical, self._largest.value, self._largest.time, self._scale)
        more = {"frames": self.frames, "warnings": tuple(self._warnings), "wall_time": float(wall_time), "contact": contact, **self._counts}
        return Audit(self.model, *energies, *numerical, a.momentum, b.momentum, self._gap, self._velocity_gap, **more)

    def _row(self, index):
        return self.rows[index] if 0 <= index < len(self.rows) else ""

    # ------------------------------------------------------------------ for checkpoints

    def to_dict(self) -> dict[str, Any]:
        """All of it as values for JSON; a ledger restored from it goes on to the same audit, bit by bit."""
        instants = [
            None if x is None else [list(y) if isinstance(y, (tuple, np.ndarray)) else y for y in x] for x in (self._first, self._last)
        ]
        extremes = [None if x is None else list(x) for x in (self._largest, self._gap, self._velocity_gap)]
        return {
            "model": self.model,
            "forces": list(self.forces),
            "rows": list(self.rows),
            "frames": self.frames,
            "instants": instants,
            "extremes": extremes,
            "sums": [self._numerical, self._scale],
            "counts": dict(self._counts),
            "warnings": list(self._warnings),
        }

    @classmethod
    def from_dict(cls, given) -> "Ledger":
        try:
            ledger = cls(given["model"], given["forces"], given["rows"])
            ledger.frames = int(given["frames"])
            ledger._first, ledger._last = (None if x is None else EnergySample.from_list(x) for x in given["instants"])
            largest, ledger._gap, ledger._velocity_gap = (
                None if x is None else Extreme(float(x[0]), str(x[1]), float(x[2])) for x in given["extremes"]
            )
            ledger._largest = largest or Extreme(0.0, "", 0.0)
            ledger._numerical, ledger._scale = (float(x) for x in given["sums"])
            ledger.count(**given["counts"])
            ledger._warnings = [str(text) for text in given["warnings"]]
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(f"the ledger is not understood ({type(error).__name__}: {error})") from error
        return ledger


def _grown(extreme, value, name, time):
    """The larger of an extreme and a value; NaN is larger than all."""
    size = abs(float(value))
    if extreme is None or size > extreme.value or (math.isnan(size) and not math.isnan(extreme.value)):
        return Extreme(size, name, time)
    return extreme
