"""`Recorder`: samples as they come, in columns that grow by doubling, so that no sample pays for memory."""

import math

import numpy as np

from ..errors import StateError
from .channels import dtype_of, shapes_of, wanted
from .columns import Layout
from .recording import Recording

FIRST = 256  # samples that fit before memory grows for the first time, if their number is not known


class Recorder:
    """Takes the channels that `record` requests from every sample.

    model: the Model. record: names of channels and groups, see channels.py. forces: names of the forces that have columns.
    samples: how many are expected. layout: of this model with these forces, if it is known.
    `channels` are the names of what `append` must be given; `has("poses")` asks for one.
    """

    def __init__(self, model, record=None, *, forces=(), frames=FIRST, notes=None, layout=None):
        self.model, self.layout, self.notes = model, layout or Layout.of(model, forces), dict(notes or {})
        self._known = shapes_of(self.layout)
        self.channels = wanted(record, self._known)
        self._count = 0
        self._columns = {}
        self._allocate(max(1, int(frames)))

    def has(self, channel):
        """Is this channel recorded?"""
        return channel in self._columns

    def __len__(self):
        return self._count

    @property
    def frame_size(self):
        """Bytes of one sample."""
        return sum(dtype_of(name).itemsize * math.prod(self._known[name]) for name in self.channels)

    @property
    def last_time(self):
        """The time of the last sample; None before the first."""
        return float(self._columns["time"][self._count - 1]) if self._count else None

    def append(self, time, q, v, **values):
        """One sample. Every recorded channel must be given; channels that are not recorded are let pass."""
        n = self._count
        if n == self._capacity:
            self._allocate(max(FIRST, 2 * n))
        columns = self._columns
        if not math.isfinite(time) or (n and not time >= columns["time"][n - 1]):
            raise self._out_of_order(time)
        values["time"], values["q"], values["v"] = time, q, v
        if not self._known.keys() >= values.keys():
            raise self._unknown(values)
        for name, column in columns.items():
            if name not in values:
                raise self._missing(values)
            value = values[name]
            shape = value.shape if hasattr(value, "shape") else () if type(value) is float else np.shape(value)
            if shape != column.shape[1:]:
                raise self._misshaped(name, shape, column.shape[1:])
            column[n] = value
        self._count = n + 1  # only now: a refused sample leaves nothing behind

    def extend(self, time, q, v, **values):
        """Several samples at once, all arrays with the axis of samples first: what a compiled loop filled."""
        self._extend({**values, "time": np.asarray(time, dtype=np.float64), "q": q, "v": v})

    def _extend(self, values):
        n, more = self._count, len(values["time"])
        if not self._known.keys() >= values.keys():
            raise self._unknown(values)
        if not self._columns.keys() <= values.keys():
            raise self._missing(values)
        for name, column in self._columns.items():
            if np.shape(values[name]) != (more, *column.shape[1:]):
                raise self._misshaped(name, np.shape(values[name]), (more, *column.shape[1:]))
        times = values["time"]
        before = np.concatenate([self._columns["time"][n - 1 : n] if n else [-np.inf], times[:-1]])[:more]
        wrong = ~np.isfinite(times) | ~(times >= before)
        if wrong.any():
            raise self._out_of_order(float(times[wrong][0]))
        if n + more > self._capacity:
            self._allocate(max(n + more, 2 * self._capacity))
        for name, column in self._columns.items():
            column[n : n + more] = values[name]
        self._count = n + more

    def recording(self, status=None, audit=None, start=0):
        """What there is so far, from sample `start` on, as a Recording. Nothing is copied: rows once written are never written again."""
        arrays = {name: column[start : self._count] for name, column in self._columns.items()}
        return Recording._trusted(self.layout, arrays, status=status, audit=audit, model=self.model, notes=self.notes)

    def finish(self, status=None, audit=None):
        """The Recording of all samples, in memory that is no larger than it must be."""
        if self._count < self._capacity:
            self._allocate(self._count)
        return self.recording(status, audit)

    def truncate(self, count):
        """Keep the first `count` samples. Recordings that were handed out keep theirs."""
        self._count = count
        self._allocate(max(1, count))

    def restore(self, recording):
        """Begin with the samples of a recording, as when a run is taken up again."""
        if recording.layout != self.layout or recording.channels != self.channels:
            raise StateError(
                f"recorder: the samples to go on from are of {recording.layout.model!r} with {', '.join(recording.channels)}; "
                f"needed is {self.layout.model!r} with {', '.join(self.channels)}; build the same model and record the same",
                "record",
            )
        self._count = 0
        self._extend({name: recording.column(name) for name in recording.channels})

    # ------------------------------------------------------------------ inside

    def _allocate(self, capacity):
        n = min(self._count, capacity)
        for name in self.channels:
            column = np.empty((capacity, *self._known[name]), dtype=dtype_of(name))
            if n:
                column[:n] = self._columns[name][:n]
            self._columns[name] = column
        self._capacity = capacity

    def _out_of_order(self, time):
        return StateError(
            f"recorder: a sample at {time!r} s after one at {self.last_time!r} s; allowed are finite times that do not decrease; "
            "go on in time, or begin a new recording",
            "time",
        )

    def _missing(self, values):
        missing = [name for name in self.channels if name not in values]
        return StateError(f"recorder: {', '.join(missing)} not given; every recorded channel is needed in every sample", missing[0])

    def _unknown(self, values):
        name = next(name for name in values if name not in self._known)
        return StateError(f"recorder: {name!r} is no channel; channels are {', '.join(self._known)}", name)

    def _misshaped(self, name, found, needed):
        return StateError(f"recorder: {name} has shape {found}; {needed} is needed for {self.layout.model!r}", name)
