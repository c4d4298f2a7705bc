"""`Recording`: what a run leaves behind. Immutable; read by name and by time, interpolated, joined, compared, saved."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import explained, need_array, renamed_attribute
from ..errors import FormatError, StateError
from ..model import State
from .audit import Audit
from .channels import CUMULATIVE, UNREPRODUCIBLE, channels_of
from .columns import Layout
from .interpolate import coordinates_at, poses_between, poses_of
from .lookup import Named, equal
from .status import Status
from .writing import as_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

    from ..model.model import Model

# Suffixes of other formats, and how what they promise is had.
OTHERS = {
    ".csv": "rec.to_csv(path) writes a table",
    ".html": "lw.animate(rec, path) writes a page",
    ".gif": "lw.animate(rec, path) draws it",
    **dict.fromkeys((".png", ".svg", ".pdf"), "rec.plot(path=path) draws curves"),
    **dict.fromkeys((".pkl", ".pickle"), "pickle.dump(rec, file) pickles it, with its model"),
    **dict.fromkeys((".json", ".npz", ".npy", ".mat", ".h5", ".hdf5", ".parquet", ".txt", ".toml"), "rename it"),
}


class Sample(Named):
    """One instant of a recording: `frame["pivot"]`, `frame.q`, `frame.state`, by the same names as the recording, without the axis of time."""

    def __init__(self, layout: Any, columns: dict[str, Any], model: Model | None = None) -> None:
        self.layout, self.model, self._columns = layout, model, dict(columns)

    def __getitem__(self, key: Any) -> Any:
        return self.named(key)

    @property
    def time(self) -> float:
        return float(self._columns["time"])

    @property
    def state(self) -> Any:
        """t, q, v as a State."""
        return State(self.time, self.q, self.v)

    def __repr__(self) -> str:
        return f"Sample(t={self.time:.9g} s of {self.layout.model!r}: {', '.join(self.channels)})"


@explained
class Recording(Named):
    """Samples of a run, by channel. Arrays are read-only, the first axis is that of the samples.

    rec["q"], rec["kinetic"]    a channel               rec["pivot"]              coordinates of a joint
    rec["pivot", "v"]           velocities of a joint   rec["pivot", "reaction"]  [n; f] of a joint or constraint
    rec["crank", "pose"]        pose of a body          rec["spring", "work"]     of a force: work, stored, dissipated
    rec["ground - box", "force"]    of a pair of shapes that may touch: force on the second one; status
    rec[1.0:2.5]                samples in a span of time, both ends included
    rec.at(t)                   in between: a Sample for a number, a Recording for an array of times

    status: how the run ended. audit: the receipt of the whole run, None for parts of one. model: the Model, if it is at hand (a file has
    none); `layout` has the names and is always there. notes: what else the maker wrote down, JSON values by name.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> rec = lw.simulate(m, 1.0, q=[0.5], record_interval=0.25)
    >>> rec.time.tolist(), rec["pivot"].shape, rec[0.25:0.75].q.shape
    ([0.0, 0.25, 0.5, 0.75, 1.0], (5,), (3, 1))
    >>> round(float(rec.at(0.0).q[0]), 9)
    0.5
    """

    def __init__(
        self,
        layout: Layout,
        columns: Mapping[str, Any],
        *,
        status: Status | None = None,
        audit: Audit | None = None,
        model: Any = None,
        notes: Mapping[str, Any] | None = None,
    ) -> None:
        known = channels_of(layout)
        if "time" not in columns:
            raise StateError("recording: there is no time among its columns; time is always recorded", "time")
        arrays = {}
        for name in known:
            if name in columns:
                arrays[name] = np.array(columns[name], dtype=known[name].dtype, order="C")
        if unknown := [name for name in columns if name not in known]:
            raise StateError(f"recording: {unknown[0]!r} is no channel; channels are {', '.join(known)}", unknown[0])
        count = arrays["time"].shape[:1] or (0,)
        for name, array in arrays.items():
            if array.shape != (*count, *known[name].shape):
                raise StateError(f"recording: {name} has shape {array.shape}; its channel needs {(*count, *known[name].shape)}", name)
        if not (arrays["time"][1:] >= arrays["time"][:-1]).all() or not np.isfinite(arrays["time"]).all():
            raise StateError("recording: time does not increase from sample to sample; samples are in the order of time", "time")
        self._fill(layout, arrays, status, audit, model, notes)

    def _fill(
        self,
        layout: Any,
        arrays: dict[str, NDArray[np.float64]],
        status: Status | None = None,
        audit: Audit | None = None,
        model: Model | None = None,
        notes: Any = None,
    ) -> None:
        for array in arrays.values():
            array.setflags(write=False)
        self.layout, self._columns, self.model = layout, arrays, model
        self.status = Status() if status is None else status
        self.audit, self.notes = audit, MappingProxyType(dict(notes or {}))
        self._frozen = True

    def __setattr__(self, name: str, value: Any) -> None:
        if "_frozen" in self.__dict__:
            raise AttributeError(f"a recording is what happened; its {name} cannot be set")
        super().__setattr__(name, value)

    @classmethod
    def _trusted(cls, layout: Any, arrays: dict[str, NDArray[np.float64]], **more: Any) -> Recording:
        """Without checks and copies: for arrays of our own."""
        recording = object.__new__(cls)
        recording._fill(layout, arrays, **more)
        return recording

    # ------------------------------------------------------------------ parts of it

    def __len__(self) -> int:
        return len(self.time)

    def __iter__(self) -> Iterator[Any]:
        return (self.sample(k) for k in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            if key.step is not None:
                raise StateError(f"recording[...]: found a step of {key.step!r}; for other times use rec.at(np.arange(t0, t1, dt))", "step")
            return self.between(key.start, key.stop)
        if isinstance(key, (int, float, np.number)):
            raise StateError(
                f"recording[{key!r}]: is it the number of a sample or a time? Samples are rec.sample(k), times are rec.at(t) or rec[t0:t1]",
                "key",
            )
        return self.named(key)

    def sample(self, k: int) -> Sample:
        """Sample k; negative k count from the end."""
        if not -len(self) <= k < len(self):
            raise StateError(f"sample: found {k}; this recording has {len(self)} samples, numbered from 0", "k")
        return Sample(self.layout, {name: array[k] for name, array in self._columns.items()}, self.model)

    def frame(self, k: int) -> Sample:
        """The old name of `sample`."""
        sample: Sample = renamed_attribute(self, "frame", "sample")(k)
        return sample

    def between(self, start: float | None = None, stop: float | None = None) -> Recording:
        """The samples from time `start` to time `stop`, both included; None: from the first, to the last."""
        first = 0 if start is None else int(np.searchsorted(self.time, _a_time(start), "left"))
        last = len(self) if stop is None else int(np.searchsorted(self.time, _a_time(stop), "right"))
        return self._part(slice(first, max(first, last)))

    def _part(self, rows: slice) -> Recording:
        if rows.start == 0 and rows.stop >= len(self):
            return self
        arrays = {name: array[rows] for name, array in self._columns.items()}
        return self._trusted(self.layout, arrays, status=self.status, model=self.model, notes=self.notes)

    # ------------------------------------------------------------------ between samples

    def at(self, t: ArrayLike) -> Any:
        """The instant t as a Sample, or the instants of an array t as a Recording, interpolated; at the time of a sample, that sample itself.

        q: cubic on the joints' manifolds with the recorded velocities as slopes, v: the velocity of that motion, poses: by the model from
        q, without a model straight and evenly turning, counts: those of the sample before, all else: linear.
        Where two samples have one time (an impact), the later counts.
        """
        times = need_array("t", t, "numbers in a row, or one, s")
        if times.ndim > 1:
            raise StateError(f"at: found times of shape {times.shape}; allowed is a number or a row of numbers", "t")
        flat = times.reshape(-1)
        if not len(self):
            raise StateError("at: this recording has no samples", "t")
        outside = ~((flat >= self.time[0]) & (flat <= self.time[-1]))
        if outside.any():
            raise StateError(
                f"at: t is {flat[outside][0]:.9g} s; this recording goes from {self.time[0]:.9g} s to {self.time[-1]:.9g} s; run on, or ask within",
                "t",
            )
        columns = self._interpolated(flat)
        if times.ndim == 0:
            return Sample(self.layout, {name: array[0] for name, array in columns.items()}, self.model)
        if not (flat[1:] >= flat[:-1]).all():
            raise StateError("at: the times do not increase; a recording stands in the order of time; sort them", "t")
        return self._trusted(self.layout, columns, status=self.status, model=self.model, notes=self.notes)

    def state_at(self, t: float) -> State:
        """t, q, v at a time, as a State."""
        state: State = self.at(float(t)).state
        return state

    def _interpolated(self, t: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        before = np.clip(np.searchsorted(self.time, t, "right") - 1, 0, len(self) - 1)
        found = {name: array[before] for name, array in self._columns.items()}
        between = np.flatnonzero(self.time[before] != t)
        found["time"] = t.copy()
        if not len(between):
            return found
        k = before[between]
        h = self.time[k + 1] - self.time[k]
        s = (t[between] - self.time[k]) / h
        if "q" in found:
            q, v = coordinates_at(self.layout, self.q, self._columns.get("v"), k, s, h)
            found["q"][between] = q
            if v is not None:
                found["v"][between] = v
        for name, array in self._columns.items():
            if name == "poses":
                known = self.model is not None and "q" in found
                found[name][between] = poses_of(self.model, q) if known else poses_between(array[k], array[k + 1], s)
            elif name not in ("time", "q") and (name != "v" or "q" not in found) and array.dtype.kind == "f":
                share = s.reshape(-1, *(1,) * (array.ndim - 1))
                found[name][between] = (1.0 - share) * array[k] + share * array[k + 1]
        return found

    # ------------------------------------------------------------------ as a value

    def __add__(self, other: Recording) -> Recording:
        """This recording, then one that goes on from its end. A first sample that repeats the last one is left out.

        Sums such as work go on where the first ended, if the second begins at that instant.
        """
        if not isinstance(other, Recording):
            return NotImplemented
        self._check_joins(other)
        if not len(self) or not len(other):
            return other if not len(self) else self
        meets = other.time[0] == self.time[-1]
        repeats = all(
            equal(array[-1], other._columns[name][0]) for name, array in self._columns.items() if name in ("time", "q", "v", "poses")
        )
        arrays = {}
        for name, first in self._columns.items():
            second = other._columns[name]
            if name in CUMULATIVE and meets and not np.array_equal(second[0], first[-1]):
                second = second + (first[-1] - second[0])
            arrays[name] = np.concatenate([first, second[1:] if repeats else second])
        audit = self.audit.then(other.audit) if self.audit and other.audit else None
        notes = {**self.notes, **other.notes}
        return self._trusted(self.layout, arrays, status=other.status, audit=audit, model=self.model or other.model, notes=notes)

    def _check_joins(self, other: Recording) -> None:
        if self.layout != other.layout:
            raise StateError(
                f"recording + recording: they are of different models or forces ({self.layout.model!r}, {other.layout.model!r}); "
                "only runs of one model join",
                "recording",
            )
        if self.channels != other.channels:
            different = sorted(set(self.channels) ^ set(other.channels))
            raise StateError(f"recording + recording: only one has {', '.join(different)}; record the same in both", "recording")
        if len(self) and len(other) and other.time[0] < self.time[-1]:
            raise StateError(
                f"recording + recording: the second begins at {other.time[0]:.9g} s, before the first ends at {self.time[-1]:.9g} s; "
                "give the later one last",
                "recording",
            )

    @property
    def dissipated(self) -> NDArray[np.float64]:
        """What every force took out of the mechanism since the first sample and did not store, (n, forces), J. Negative: it put energy in."""
        left = self.column("stored") + self.column("work")
        taken: NDArray[np.float64] = left[:1] - left
        return taken

    @property
    def digest(self) -> str:
        """SHA-256 of layout and numbers, bit by bit; wall time is left out. Equal runs have equal digests."""
        digest = hashlib.sha256(repr(self.layout).encode())
        for name, array in self._columns.items():
            if name not in UNREPRODUCIBLE:
                digest.update(name.encode() + np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        """The same names, numbers (bit by bit; any NaN equals any other) and status. Wall time, the audit and notes are no part of it."""
        if not isinstance(other, Recording):
            return NotImplemented
        return (
            self.layout == other.layout
            and self.channels == other.channels
            and self.status == other.status
            and all(equal(a, other._columns[name]) for name, a in self._columns.items() if name not in UNREPRODUCIBLE)
        )

    def __hash__(self) -> int:
        return hash((self.layout, self.channels, len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        more = {"status": self.status, "audit": self.audit, "model": self.model, "notes": dict(self.notes)}
        return _restored, (self.layout, self._columns, more)

    def __repr__(self) -> str:
        span = f"{self.time[0]:.6g} s to {self.time[-1]:.6g} s" if len(self) else "empty"
        return f"Recording({self.layout.model!r}: {len(self)} samples, {span}, {self.status.word}; {', '.join(self.channels[1:])})"

    # ------------------------------------------------------------------ out of it

    def save(self, path: str | PathLike[str]) -> None:
        """Write one Arrow file, without loss; see arrow_file.py. An old file at the path is replaced only by a whole new one."""
        from .arrow_file import save_recording

        suffix = as_path(path).suffix.lower()
        if suffix in OTHERS:
            raise FormatError(
                f"{path}: found the suffix {suffix!r}, but a recording is saved as an Arrow file; allowed is .arrow; {OTHERS[suffix]}",
                str(path),
            )

        save_recording(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str], model: Model | None = None) -> Recording:
        """Read what `save` wrote. model: the Model it was made with, to be kept beside it; refused if it is another."""
        from .arrow_file import load_recording

        recording: Recording = load_recording(path, model)
        return recording

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write a table of text: one row a sample, one column a number, 17 digits, the header with labels and units."""
        from .csv_file import write_csv

        write_csv(self, path)

    def plot(self, *names: Any, path: str | PathLike[str] | None = None, title: str | None = None, show: bool = False) -> Any:
        """Curves over time: of what is named ("q", "pivot", "energy", ("crank", "pose"), ...), or an overview. See plots.py. Returns the Figure."""
        from .plots import plot

        return plot(self, names, path, title, show)


def _restored(layout: Any, columns: Any, more: Any) -> Any:
    return Recording(layout, columns, **more)


def _a_time(value: float) -> float:
    try:
        t = float(value)
    except (TypeError, ValueError):
        t = np.nan
    if np.isnan(t):
        raise StateError(f"recording[t0:t1]: found {value!r}; allowed are times in s; for a part use its name in quotes", "t")
    return t
