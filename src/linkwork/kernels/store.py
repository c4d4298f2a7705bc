"""Where compiled units are kept: a file each in a folder for each target, and all of a built library in one file.

A unit's file is a hash, a line of JSON and the object. The line says what the object is, for which target, from which sources (by their hashes), what
other units it calls, and the hash of the object itself; the hash before it is that of the line. A library is a hash, a line with those of all its
units, and their objects. What is stale, damaged, cut short or for another target is not used: it is as if it were not there.
Files are written under another name and renamed, so that processes that build at the same time do not harm each other.
"""

import contextlib
import functools
import hashlib
import json
import os
import tempfile
from pathlib import Path

from .level import target
from .sources import PACKAGE, digest_of, foundation_digest

FORMAT = 2
SHIPPED = PACKAGE / "kernels" / "library"


class Found:
    """A unit that is ready: its header (a dictionary) and its object (bytes)."""

    __slots__ = ("header", "object")

    def __init__(self, header, object):
        self.header, self.object = header, object


def find(symbol, where=None):
    """The fresh unit with this symbol, or None."""
    where = where or target().name
    for read in (_from_library, _from_folders):
        found = read(symbol, where)
        if found is not None:
            return found
    return None


def best(targets):
    """The target to work for, of those that a machine can run, the highest first: the first whose library is fresh.

    If none is, the first that has a library, of which some units are fresh; if there is none at all, the first.
    """
    there = []
    for each in targets:
        index, data = _library(each.name)
        if _is_fresh(index, data):
            return each
        if index:
            there.append(each)
    return [*there, *targets][0]


def _is_fresh(index, data):
    """Is a library there, whole, and of the sources as they are? The bits of an object are looked at when it is loaded."""
    whole = sum(header["size"] for header in index.values()) == len(data)
    return bool(index) and whole and all(digest_of(file) == digest for header in index.values() for file, digest in header["files"].items())


def write(header, data, where=None, on_disk=True):
    """Keep a unit; returns its header, completed. Where no folder can be written to, it is kept for this process alone."""
    where = where or target().name
    header = {
        **header,
        "format": FORMAT,
        "target": where,
        "foundation": foundation_digest(),
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    blob = _sealed(header) + data
    for folder in _folders(where) if on_disk else ():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _write_whole(folder / _file_name(header["symbol"]), blob)
            return header
        except OSError:
            continue
    _kept[where, header["symbol"]] = blob
    return header


_kept: dict = {}


def kept(symbol, where=None):
    """The bytes of a unit that no folder took, None if one did."""
    return _kept.get((where or target().name, symbol))


def keep(symbol, blob, where=None):
    """Keep the bytes of a unit, which another process has compiled, for this process alone."""
    _kept[where or target().name, symbol] = blob


def pack(symbols, where, folder=None):
    """Write the library of a target: an index and all units one behind the other."""
    index, blobs, at = {}, [], 0
    for symbol in sorted(symbols):
        found = find(symbol, where)
        if found is None:
            raise LookupError(f"unit {symbol} is missing: the library of {where} cannot be written")
        index[symbol] = {**found.header, "at": at}
        blobs.append(found.object)
        at += len(found.object)
    folder = Path(folder or SHIPPED)
    folder.mkdir(parents=True, exist_ok=True)
    line = {"format": FORMAT, "target": where, "foundation": foundation_digest(), "units": index}
    _write_whole(folder / f"{where}.kernels", _sealed(line) + b"".join(blobs))
    _library.cache_clear()
    return folder / f"{where}.kernels"


def _from_library(symbol, where):
    index, data = _library(where)
    header = index.get(symbol)
    if header is None:
        return None
    return _checked(header, bytes(data[header["at"] : header["at"] + header["size"]]), symbol, where)


@functools.cache
def _library(where):
    """(index, objects) of the built library; empty if there is none."""
    if os.environ.get("LINKWORK_JIT") == "1":
        return {}, b""
    try:
        index, objects = _opened((SHIPPED / f"{where}.kernels").read_bytes())
    except OSError:
        return {}, b""
    if index.get("format") != FORMAT or index.get("target") != where or index.get("foundation") != foundation_digest():
        return {}, b""
    return index.get("units", {}), objects


def _from_folders(symbol, where):
    blobs = (_kept.get((where, symbol)), *(_read(folder / _file_name(symbol)) for folder in _folders(where)))
    for blob in blobs:
        if blob is not None:
            header, data = _opened(blob)
            found = _checked(header, bytes(data), symbol, where)
            if found is not None:
                return found
    return None


def _sealed(header):
    """A header as it is written: its hash, and a line of JSON."""
    line = json.dumps(header, sort_keys=True).encode()
    return hashlib.sha256(line).hexdigest().encode() + b"\n" + line + b"\n"


def _opened(blob):
    """(header, what follows it); the header is empty if it is not as it was written."""
    seal, _, rest = blob.partition(b"\n")
    line, _, data = rest.partition(b"\n")
    try:
        header = json.loads(line) if hashlib.sha256(line).hexdigest().encode() == seal else {}
    except ValueError:  # sealed, but not by us
        header = {}
    return (header if isinstance(header, dict) else {}), memoryview(data)


def _checked(header, data, symbol, where):
    """The unit if all that its header says is so."""
    fits = (
        header.get("format") == FORMAT  # says that all else is there
        and header["symbol"] == symbol
        and header["target"] == where
        and header["foundation"] == foundation_digest()
        and header["size"] == len(data)
        and all(digest_of(file) == digest for file, digest in header["files"].items())
        and hashlib.sha256(data).hexdigest() == header["sha256"]
    )
    return Found(header, data) if fits else None


def _read(path):
    try:
        return path.read_bytes()
    except OSError:
        return None


def _write_whole(path, blob):
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(blob)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _file_name(symbol):
    return hashlib.sha256(symbol.encode()).hexdigest()[:24] + ".unit"


def _folders(where):
    """Where loose units are looked for and written, the first that can be written to."""
    asked = os.environ.get("LINKWORK_CACHE")
    if asked:
        return (Path(asked) / where,)
    return PACKAGE / "kernels" / "__compiled__" / where, _user_cache() / where


def _user_cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "linkwork"
