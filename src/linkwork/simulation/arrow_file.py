"""Recordings as files: Apache Arrow IPC (`.arrow`, also called Feather), one column a number, all else as JSON in the schema.

Why Arrow IPC and not Parquet: the file is the memory, so float64 come back bit by bit (-0.0, infinities, NaN); nothing is compressed, so no
small file can unfold into a large one, and floats of a motion hardly shrink anyway; it opens at once and is read by pandas, Polars, DuckDB, R and
Julia under the labels of the columns. What Arrow lacks, a checksum, stands in the schema: SHA-256 of the JSON and of all numbers.

schema metadata   "linkwork"          JSON: format, version, layout, channels, frames, status, audit, notes
                  "linkwork.sha256"   over that text, then over every column in order
"""

import hashlib
import json
import struct

import numpy as np

from ..errors import FormatError, StateError
from .audit import Audit
from .channels import channels_of
from .columns import Layout
from .recording import Recording
from .status import Status
from .writing import as_path, replacing

FORMAT = 1  # of the JSON and the order of columns; a reader refuses a later one
MAGIC = b"ARROW1"
KEY, CHECK = b"linkwork", b"linkwork.sha256"


def save_recording(recording, path, durable=False):
    """Write `recording` to `path`; a file that is there already is replaced by the whole new one, or stays as it was."""
    import pyarrow as pa

    from .. import __version__

    meta = {
        "format": FORMAT,
        "linkwork": __version__,
        "layout": recording.layout.to_dict(),
        "channels": list(recording.channels),
        "frames": len(recording),
        "status": recording.status.to_dict(),
        "audit": None if recording.audit is None else recording.audit.to_dict(),
        "notes": dict(recording.notes),
    }
    try:
        text = json.dumps(meta, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (TypeError, ValueError) as error:
        raise StateError(
            f"recording: its notes cannot be written as JSON ({error}); use text, finite numbers, lists and dicts", "notes"
        ) from None
    columns = [np.ascontiguousarray(column) for _, column in _flat(recording)]
    names = unique([label for label, _ in _flat(recording)])
    fields = [pa.field(name, pa.from_numpy_dtype(column.dtype), nullable=False) for name, column in zip(names, columns, strict=True)]
    schema = pa.schema(fields, metadata={KEY: text, CHECK: _digest(text, columns)})
    batch = pa.record_batch([pa.array(column) for column in columns], schema=schema)
    with replacing(path, durable) as file, pa.ipc.new_file(file, schema) as writer:
        writer.write_batch(batch)


def load_recording(path, model=None):
    """The Recording in a file; FormatError for anything that `save_recording` did not write, or that has changed since."""
    import pyarrow as pa

    path = as_path(path)
    try:
        meta, columns = _read(path.read_bytes())
    except (OSError, ValueError, pa.ArrowException, MemoryError, OverflowError, struct.error) as error:
        reason = getattr(error, "strerror", None) or str(error).split("\n")[0]
        raise FormatError(
            f"{path}: this is no whole recording ({reason}); a recording is an .arrow file that Linkwork saved", str(path)
        ) from error
    if KEY not in meta or CHECK not in meta:
        raise FormatError(f"{path}: an Arrow file, but not a recording: it has no Linkwork data in its schema", str(path))
    if meta[CHECK] != _digest(meta[KEY], columns):
        raise FormatError(
            f"{path}: the file has been damaged or changed: its checksum is wrong; take it from a backup or run again", str(path)
        )
    try:
        return _recording(json.loads(meta[KEY].decode("utf-8")), columns, model)
    except (FormatError, StateError, KeyError, TypeError, ValueError, RecursionError, AttributeError) as error:
        raise FormatError(
            f"{path}: {error if isinstance(error, FormatError) else f'not understood ({type(error).__name__}: {str(error)[:200]})'}",
            str(path),
        ) from error


def _read(data):
    """(metadata, columns) of the bytes of a file. The messages are read one by one, so that each is checked before it is unpacked."""
    import pyarrow as pa

    if data[:8] != MAGIC + b"\0\0" or data[-6:] != MAGIC:
        raise ValueError("it does not begin and end as an Arrow file")
    messages = pa.ipc.MessageReader.open_stream(pa.py_buffer(data)[8:])
    first = next(messages, None)
    if first is None or first.type != "schema":
        raise ValueError("it has no schema")
    schema, batches = pa.ipc.read_schema(first), []
    for message in messages:
        if message.type != "record batch" or _is_compressed(message.metadata.to_pybytes()):
            raise ValueError("it is compressed, or holds more than plain numbers")
        batches.append(pa.ipc.read_record_batch(message, schema))
    table = pa.Table.from_batches(batches, schema)
    table.validate(full=True)
    return schema.metadata or {}, [_numbers(column) for column in table.columns]


def _is_compressed(metadata):
    """Does a record batch name a codec? Its message is a flatbuffer: table 2 of Message is the RecordBatch, whose table 3 is the codec."""

    def field(table, index):
        vtable = table - struct.unpack_from("<i", metadata, table)[0]
        slot = 4 + 2 * index
        return struct.unpack_from("<H", metadata, vtable + slot)[0] if slot < struct.unpack_from("<H", metadata, vtable)[0] else 0

    root = struct.unpack_from("<I", metadata, 0)[0]
    header = root + field(root, 2)
    return field(header + struct.unpack_from("<I", metadata, header)[0], 3) != 0


def _recording(meta, columns, model):
    if meta["format"] != FORMAT:
        raise FormatError(
            f"a recording of format {meta['format']!r}; this Linkwork reads {FORMAT}; read it with linkwork {meta['linkwork']!s}"
        )
    layout = Layout.from_dict(meta["layout"])
    if model is not None and model.fingerprint != layout.fingerprint:
        raise FormatError(
            f"recorded with another model than {model.name!r} (its own is {layout.model!r}); leave model out, or build the same one"
        )
    known, arrays, at = channels_of(layout), {}, 0
    if any(len(column) != meta["frames"] for column in columns):
        raise FormatError("the number of its samples is not what it says")
    for name in meta["channels"]:
        channel = known[name]
        flat = columns[at : at + channel.size]
        at += channel.size
        if len(flat) != channel.size or any(column.dtype != channel.dtype for column in flat):
            raise FormatError(f"the columns of {name!r} are not those of its channel")
        stacked = np.empty((meta["frames"], channel.size), dtype=channel.dtype)
        for k, column in enumerate(flat):
            stacked[:, k] = column
        arrays[name] = (
            stacked.reshape(-1, *channel.shape) if channel.size else np.empty((meta["frames"], *channel.shape), dtype=channel.dtype)
        )
    if at != len(columns) or "time" not in arrays:
        raise FormatError("the number of its columns is not what it says")
    audit = None if meta["audit"] is None else Audit.from_dict(meta["audit"])
    return Recording(layout, arrays, status=Status.from_dict(meta["status"]), audit=audit, model=model, notes=meta["notes"])


def labelled(recording):
    """(channel name, label, unit, column) for every column of numbers."""
    known = channels_of(recording.layout)
    for name in recording.channels:
        channel = known[name]
        flat = recording.column(name).reshape(len(recording), channel.size)
        for k in range(channel.size):
            yield name, channel.labels[k], channel.units[k], flat[:, k]


def _flat(recording):
    return [(name if label == name else f"{name} {label}", column) for name, label, _, column in labelled(recording)]


def unique(labels):
    """Labels with a number behind those that occur twice, as when a joint 'arm.x' stands beside a joint 'arm' with a coordinate x."""
    seen, found = set(), []
    for label in labels:
        name, k = label, 1
        while name in seen:
            k += 1
            name = f"{label} ({k})"
        seen.add(name)
        found.append(name)
    return found


def _numbers(column):
    """A column as NumPy: float64 or int64 without gaps, nothing else."""
    import pyarrow as pa

    if column.type not in (pa.float64(), pa.int64()) or column.null_count:
        raise ValueError(f"a column of {column.type} with {column.null_count} gaps")
    return column.to_numpy()


def _digest(text, columns):
    digest = hashlib.sha256(text)
    for column in columns:
        digest.update(np.ascontiguousarray(column))
    return digest.hexdigest().encode()
