"""Checkpoints: arrays and JSON in one file that is either whole or refused.

    magic (8 bytes) | SHA-256 of the rest (32) | length of the JSON (8, little endian) | JSON | the bytes of all arrays

The JSON is {"data": ..., "arrays": [[name, type, shape], ...]}. Files are written beside and put in place by one rename, after their bytes
have reached the disk (writing.py), so that a run killed at any moment leaves the old checkpoint or the new one. A reader judges
the hash before it looks at anything else. Numbers come back bit by bit: arrays as bytes, floats in JSON as their shortest exact text.

The samples of a long run are too many to be written again every time. `Checkpoints` writes those that are new as a recording file beside the
checkpoint, which lists its segments with their digests. A segment's name is its digest: it never overwrites one that an older checkpoint
lists. Segments are merged like the digits of a binary counter, so that n samples make about log2(n) files, each sample written about log2(n) times.
"""

import hashlib
import itertools
import json
import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import FormatError, StateError
from .arrow_file import load_recording, save_recording
from .writing import SUFFIX, as_path, replacing

MAGIC = b"LWCHECK1"
_HEAD = len(MAGIC) + 32 + 8
_TYPES = ("<f8", "<i8", "|u1", "|b1")  # of arrays; others are refused


def write_checkpoint(path, arrays, data=None):
    """Write arrays by name and values for JSON, durably; see `read_checkpoint`."""
    listed, blobs = [], []
    for name, array in arrays.items():
        array = np.asarray(array)
        kind = array.dtype.newbyteorder("<").str
        if kind not in _TYPES:
            raise StateError(f"checkpoint: array {name!r} is of type {array.dtype}; allowed are float64, int64, uint8 and bool", name)
        listed.append([str(name), kind, list(array.shape)])
        blobs.append(np.ascontiguousarray(array, dtype=kind).tobytes())
    try:
        text = json.dumps({"data": data, "arrays": listed}).encode("utf-8")
    except (TypeError, ValueError) as error:
        raise StateError(
            f"checkpoint: data cannot be written as JSON ({error}); use text, numbers, lists, dicts, and arrays for arrays", "data"
        ) from None
    body = b"".join([len(text).to_bytes(8, "little"), text, *blobs])
    with replacing(path, durable=True) as file:
        file.write(MAGIC + hashlib.sha256(body).digest() + body)


def read_checkpoint(path):
    """(arrays by name, data) as they were written; FormatError for anything but a whole checkpoint."""
    path = as_path(path)
    try:
        raw = path.read_bytes()
    except (OSError, ValueError) as error:
        raise FormatError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error}); check the path", str(path)) from error
    body = memoryview(raw)[len(MAGIC) + 32 :]
    if not raw.startswith(MAGIC):
        raise FormatError(f"{path}: this is no checkpoint of Linkwork", str(path))
    if len(raw) < _HEAD or hashlib.sha256(body).digest() != raw[len(MAGIC) : len(MAGIC) + 32]:
        raise FormatError(
            f"{path}: the checkpoint is incomplete or damaged: its hash is wrong; use an older one, or begin again", str(path)
        )
    try:
        return _content(body)
    except (KeyError, TypeError, ValueError, RecursionError, OverflowError) as error:
        raise FormatError(f"{path}: the checkpoint is not understood ({type(error).__name__}: {str(error)[:200]})", str(path)) from error


def _content(body):
    at = 8 + int.from_bytes(body[:8], "little")
    head = json.loads(bytes(body[8:at]).decode("utf-8"))
    arrays = {}
    for name, kind, shape in head["arrays"]:
        if kind not in _TYPES or any(not isinstance(n, int) or n < 0 for n in shape):
            raise ValueError(f"array {name!r} of type {kind!r} and shape {shape!r}")
        end = at + math.prod(shape) * np.dtype(kind).itemsize
        if end > len(body):
            raise ValueError(f"array {name!r} is longer than the file")
        arrays[name] = np.frombuffer(body[at:end], dtype=kind).reshape(shape).astype(np.dtype(kind).newbyteorder("="))
        at = end
    return arrays, head["data"]


class Resumed(NamedTuple):
    """What a checkpoint held: arrays and data of the maker, and the samples so far as a Recording (None if there were none)."""

    arrays: dict[str, np.ndarray]
    data: Any
    recording: Any


class Checkpoints:
    """The checkpoints of one run, with one recorder, at one path. `write` at any sample boundary; `Checkpoints(path).resume()` in a later process.

    arrays: time, state, works, memory of the integrator, by name; data: counters, switches and parameters, as values for JSON. What they are is
    the engine's business; they come back bit by bit.
    """

    def __init__(self, path):
        self.path = as_path(path)
        self._segments = []  # [file name, first sample, samples, digest of the recording]

    def write(self, arrays, data=None, recorder=None):
        """One checkpoint: samples that are new first, then the file that lists them, then what nobody needs any more is deleted."""
        segments = self._with_new_frames(recorder) if recorder is not None else []
        write_checkpoint(self.path, arrays, {"data": data, "segments": segments})
        self._segments = segments
        self._clean()

    def resume(self, model=None) -> Resumed:
        """The last checkpoint. FormatError if there is none, or if it or one of its segments is damaged."""
        arrays, held = read_checkpoint(self.path)
        try:
            segments: list[Any] = [[str(name), int(first), int(count), str(digest)] for name, first, count, digest in held["segments"]]
            data = held["data"]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise FormatError(
                f"{self.path}: a checkpoint without a list of samples ({type(error).__name__}: {str(error)[:200]}); read it with read_checkpoint",
                str(self.path),
            ) from error
        recording = None
        for name, first, count, digest in segments:
            part = load_recording(self.path.parent / Path(name).name, model)
            if part.digest != digest or len(part) != count or (len(recording) if recording else 0) != first:
                raise FormatError(f"{self.path}: its samples in {name!r} are not those it was written with; begin again", str(self.path))
            recording = part if recording is None else _appended(recording, part)
        self._segments = segments
        return Resumed(arrays, data, recording)

    def _with_new_frames(self, recorder):
        """The list of segments that hold all samples of the recorder; samples after the last full segment are written now."""
        there = (s for s in self._segments if s[1] + s[2] <= len(recorder))
        segments = list(
            itertools.takewhile(lambda s: (self.path.parent / s[0]).is_file(), there)
        )  # another run may have saved at this path
        start = segments[-1][1] + segments[-1][2] if segments else 0
        if start == len(recorder):
            return segments
        while segments and segments[-1][2] <= len(recorder) - start:
            start = segments.pop()[1]
        part = recorder.recording(start=start)
        digest = part.digest
        name = f"{self.path.name}.{digest[:16]}.arrow"
        save_recording(part, self.path.parent / name, durable=True)
        return [*segments, [name, start, len(part), digest]]

    def _clean(self):
        """Delete segments that are not listed, and temporary files of a run that was killed."""
        kept = {segment[0] for segment in self._segments}
        name = re.escape(self.path.name)
        ours = re.compile(rf"{name}\.[0-9a-f]{{16}}\.arrow|\.{name}(\.[0-9a-f]{{16}}\.arrow)?\.\w{{8}}{re.escape(SUFFIX)}")
        for file in self.path.parent.iterdir():
            if ours.fullmatch(file.name) and file.name not in kept:
                file.unlink(missing_ok=True)

    def remove(self):
        """Delete the checkpoint and its segments: the run is over."""
        self.path.unlink(missing_ok=True)
        self._segments = []
        self._clean()


def _appended(first, second):
    """Segments of one recording, one behind the other, as they are: no sample is left out and no sum is shifted."""
    columns = {name: np.concatenate([first.column(name), second.column(name)]) for name in first.channels}
    return type(first)(first.layout, columns, status=second.status, model=first.model, notes=first.notes)
