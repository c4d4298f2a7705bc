"""Autosave, and recovery after a crash.

A studio in which something was changed has two hidden files in its folder: `.linkwork-studio-ID.json`, which says which file is being edited and is
locked as long as the studio lives, and `.linkwork-studio-ID.toml`, the mechanism as it was some seconds after its last change. A studio that ends
with all saved removes both. So a pair that is there, and not locked, belongs to one that crashed, or that was ended before it was saved.
"""

import contextlib
import json
import logging
import os
import secrets
import threading
import time as clock
from pathlib import Path
from typing import NamedTuple

import linkwork as lw

from .folder import MOST_BYTES, place_at

try:
    import fcntl
except ImportError:  # a system without locks: what is there is then taken to be left over
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger("linkwork.studio")
EVERY = 3.0  # s from a change to its autosave
PREFIX = ".linkwork-studio-"
MOST_META = 10_000  # bytes


class Leftover(NamedTuple):
    """What a studio left that did not end cleanly. file: the name of the file that was edited, or None; saved: when, s since 1970; path: of the autosave."""

    file: str | None
    saved: float
    path: Path

    def __str__(self):
        minutes = max(0.0, clock.time() - self.saved) / 60.0
        ago = f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.0f} h" if minutes < 2880 else f"{minutes / 1440:.0f} days"
        return f"{self.file or 'a mechanism without a file'}, as it was {ago} ago"


class Autosave:
    """Writes what `take()` gives, a lw snapshot, some seconds after `changed()`; in a thread of its own.

    name(): the file that is being edited, or None. tell(words): what to say, once, if it cannot be written.
    """

    def __init__(self, folder, take, name, tell, every=EVERY):
        self.folder, self._take, self._name, self._tell, self.every = folder, take, name, tell, every
        key = secrets.token_hex(4)
        self.meta, self.path = folder.path / f"{PREFIX}{key}.json", folder.path / f"{PREFIX}{key}.toml"
        self.written = 0  # times
        self._lock_file = None
        self._wake, self._closing = threading.Event(), threading.Event()
        self._due: float | None = None  # when to write
        self._drop, self._adopted = False, None  # what there is, is in a file; what another studio left
        self._silenced = False
        self._thread = threading.Thread(target=self._loop, name="linkwork autosave", daemon=True)
        self._thread.start()

    def changed(self):
        """Something was changed: write it soon. Costs nothing, like the next two."""
        if self._due is None:
            self._due = clock.monotonic() + self.every
            self._wake.set()

    def saved(self):
        """What there is now is in a file of its own."""
        self._due, self._drop = None, True
        self._wake.set()

    def adopt(self, leftover):
        """What was left over is ours from now on: it stays safe until it is written anew."""
        self._adopted = leftover
        self.changed()
        self._wake.set()

    def close(self, keep=False):
        """End it. Nothing stays, unless what there is, is in no file: then it is kept for the next studio to offer."""
        self._closing.set()
        self._wake.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(10.0)
        try:
            if keep:
                self.write()
        finally:
            if not keep:
                _remove(self.path, self.meta)
            if self._lock_file is not None:
                self._lock_file.close()
                self._lock_file = None

    # ------------------------------------------------------------------ in the thread

    def _loop(self):
        while not self._closing.is_set():
            self._wake.wait(None if self._due is None else max(0.0, self._due - clock.monotonic()))
            self._wake.clear()
            try:
                self._turn()
            except Exception as error:
                if not isinstance(error, lw.LinkworkError):
                    log.exception("autosave failed")
                if not self._silenced and not self._closing.is_set():
                    self._silenced = True
                    self._tell(f"autosave: {error}")

    def _turn(self):
        if self._closing.is_set():
            return
        if self._drop:
            self._drop = False
            _remove(self.path)
        if self._adopted is not None:
            leftover, self._adopted = self._adopted, None
            self._register()
            os.replace(leftover.path, self.path)
            _remove(leftover.path.with_suffix(".json"))
        if self._due is not None and clock.monotonic() >= self._due:
            self._due = None
            self.write()

    def write(self):
        """Write it now. The physics thread gives a snapshot, which costs it little; the text is made here."""
        text = self._take().document.text_at(self.path)
        self._register()
        place_at(self.path, text.encode("utf-8"))
        self.written += 1
        self._silenced = False

    def _register(self):
        """Say whose autosave it is, and lock that: whoever finds it unlocked knows that we are gone."""
        data = json.dumps({"file": self._name(), "process": os.getpid()})
        if self._lock_file is None:
            self._lock_file = open(self.meta, "w", encoding="utf-8")  # kept open: the lock is its
            if fcntl is not None:
                with contextlib.suppress(OSError):
                    fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._lock_file.seek(0)
        self._lock_file.truncate()
        self._lock_file.write(data)
        self._lock_file.flush()


def leftovers(folder) -> list[Leftover]:
    """What studios left in this folder that did not end cleanly, the newest first. What is older than its file is of no use, and removed."""
    found = []
    for meta in sorted(folder.path.glob(f"{PREFIX}*.json")):
        path = meta.with_suffix(".toml")
        if meta.is_symlink() or path.is_symlink() or _is_locked(meta):
            continue
        name = _file_of(meta, folder)
        try:
            saved = path.stat().st_mtime
            needed = name is None or not (folder.path / name).exists() or (folder.path / name).stat().st_mtime <= saved
        except OSError:
            needed = False
        if needed:
            found.append(Leftover(name, saved, path))
        else:
            _remove(path, meta)
    return sorted(found, key=lambda leftover: -leftover.saved)


def text_of(leftover) -> str:
    """The text of an autosave."""
    try:
        with open(leftover.path, "rb") as file:
            return file.read(MOST_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise lw.StudioError(f"recovery: the autosave cannot be read ({error}); discard it") from error


def discard(leftover):
    """Remove what was left over."""
    _remove(leftover.path, leftover.path.with_suffix(".json"))


def _file_of(meta, folder):
    """The name in a meta file, if it is one that the folder allows."""
    try:
        with open(meta, encoding="utf-8") as file:
            name = json.loads(file.read(MOST_META)).get("file")
        return None if name is None else folder.name_of(folder.path_of(name))
    except (OSError, ValueError, AttributeError, RecursionError, lw.StudioError):
        return None


def _is_locked(path):
    if fcntl is None:
        return False
    try:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except OSError:
        return False


def _remove(*paths):
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink()
