"""Undo and redo without limit: what the mechanism was before each edit, and after."""

import time as clock
from typing import Any, NamedTuple

from .design import Design
from .edit import Edit
from .moments import Moment

FRESH = 8  # steps back, and steps forth, whose models are kept, which are large; others are built again when they are needed
TOGETHER = 0.8  # s of wall time within which changes of the same thing are one edit: a slider that is drawn is one
GESTURE = "gesture"  # keys that begin with it are one edit for as long as nothing else is done: a drag lasts as long as it lasts


class Version(NamedTuple):
    """A mechanism as it stood, with its state: `called` maps names of parts to their names in the file they stem from."""

    design: Design
    moment: Moment  # without a model, if it is long ago
    called: dict


class Entry(NamedTuple):
    """One edit: what was before and after, and the names that changed: {new: old}. turned_back: it went to an earlier time."""

    edit: Edit
    before: Version
    after: Version
    renamed: dict
    key: Any = None
    at: float = 0.0
    turned_back: bool = False

    @classmethod
    def of(cls, edit, before, after, renamed, key, at):
        return cls(edit, before, after, renamed, key, at, after.moment.t < before.moment.t)


class History:
    """Edits done, and edits undone. What is the same in two versions is kept once."""

    def __init__(self):
        self.done: list[Entry] = []
        self.undone: list[Entry] = []

    def add(self, edit, before, after, renamed, key=None):
        now = clock.monotonic()
        last = self.done[-1] if self.done else None
        soon = last is not None and (now - last.at < TOGETHER or (isinstance(key, tuple) and key[:1] == (GESTURE,)))
        if key is not None and soon and last.key == key and not self.undone:
            both = {new: old for new, old in last.renamed.items() if new not in renamed.values()}
            both |= {new: last.renamed.get(old, old) for new, old in renamed.items()}
            self.done[-1] = Entry.of(edit, last.before, _sharing(after, last.before), both, key, now)
        else:
            before = before if last is None else _sharing(before, last.after)
            self.done.append(Entry.of(edit, before, _sharing(after, before), renamed, key, now))
        self.undone.clear()
        _lighten(self.done)

    def undo(self, left, reached):
        """Move the last edit to those undone; `left` and `reached` are the versions before and after the step back, so that redo finds them."""
        entry = self.done.pop()
        left = _sharing(left, entry.after)
        self.undone.append(entry._replace(before=_sharing(reached, entry.before), after=left))
        _lighten(self.undone)

    def redo(self, left, reached):
        entry = self.undone.pop()
        left = _sharing(left, entry.before)
        self.done.append(entry._replace(before=left, after=_sharing(reached, entry.after)))
        _lighten(self.done)


def _lighten(entries):
    """Models of the entry that is too old by now; those before it have none any more."""
    if len(entries) > FRESH:
        entry = entries[-FRESH - 1]
        entries[-FRESH - 1] = entry._replace(before=_without_model(entry.before), after=_without_model(entry.after))


def _without_model(version):
    return version._replace(moment=version.moment._replace(model=None))


def _sharing(version, other):
    """The same version, with arrays and names of another where they are equal."""
    moment, there = version.moment, other.moment
    if moment.q.tobytes() == there.q.tobytes() and moment.v.tobytes() == there.v.tobytes():
        moment = moment._replace(q=there.q, v=there.v)
    return version._replace(moment=moment, called=other.called if other.called == version.called else version.called)
