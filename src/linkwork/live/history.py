"""Undo and redo without limit: what the mechanism was before each edit, and after."""

import time as clock
from typing import Any, NamedTuple

from .editing import Edit
from .moments import Moment

FRESH = 16  # entries that keep their models, which are large; older ones are built again when they are needed
TOGETHER = 0.8  # s of wall time within which changes of the same thing are one edit: a slider that is drawn is one
GESTURE = "gesture"  # keys that begin with it are one edit for as long as nothing else is done: a drag lasts as long as it lasts


class Version(NamedTuple):
    """A mechanism as it stood: `called` maps names of parts to their names in the file they stem from."""

    mechanism: Any
    moment: Moment
    called: dict


class Entry(NamedTuple):
    """One edit: what was before and after, and the names that changed: {new: old}."""

    edit: Edit
    before: Version
    after: Version
    renamed: dict
    key: Any = None
    at: float = 0.0


class History:
    """Edits done, and edits undone."""

    def __init__(self):
        self.done: list[Entry] = []
        self.undone: list[Entry] = []

    def add(self, edit, before, after, renamed, key=None):
        now = clock.monotonic()
        last = self.done[-1] if self.done else None
        soon = last is not None and (now - last.at < TOGETHER or (isinstance(key, tuple) and key[:1] == (GESTURE,)))
        if key is not None and soon and last.key == key and not self.undone:
            self.done[-1] = Entry(edit, last.before, after, renamed, key, now)
        else:
            self.done.append(Entry(edit, before, after, renamed, key, now))
        self.undone.clear()
        for k in range(len(self.done) - FRESH - 4, len(self.done) - FRESH):
            if k >= 0:
                self.done[k] = _lightened(self.done[k])

    def undo(self, left, reached):
        """Move the last edit to those undone; `left` and `reached` are the versions before and after the step back, so that redo finds them."""
        self.undone.append(self.done.pop()._replace(before=reached, after=left))

    def redo(self, left, reached):
        self.done.append(self.undone.pop()._replace(before=left, after=reached))


def _lightened(entry):
    return entry._replace(before=_without_model(entry.before), after=_without_model(entry.after))


def _without_model(version):
    return version._replace(moment=version.moment._replace(model=None))
