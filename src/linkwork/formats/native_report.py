"""What the reader of the native format has to say: faults, which stop it, all in one error, and notes, each with its key and line."""

import difflib
import json
import re

from ..errors import FormatError
from .toml_map import TomlMap
from .urdf_report import KEPT, SHOWN, Note
from .xml_safely import clipped

MOST_COMPARISONS = 20_000
LISTED = 30  # names in a list of what is allowed
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TYPES = {str: "text", bool: "a truth value", int: "a number", float: "a number", list: "a list", dict: "a table"}


class NativeReport:
    """Collects the faults and notes of one file. A place in the file is a path of keys, such as ("joint", "pivot", "axis")."""

    def __init__(self, path, text):
        self.path, self._text = path, text
        self._faults, self._notes, self._count = [], [], 0
        self._map = None
        self._comparisons = MOST_COMPARISONS

    def fault(self, keys, message):
        self._count += 1
        if len(self._faults) < KEPT:
            self._faults.append((tuple(keys), message))

    def note(self, keys, message):
        """Something that keeps the mechanism from being built as it is; strict reading refuses it."""
        self._notes.append((tuple(keys), message))

    @property
    def clean(self):
        return not self._faults

    def unknown(self, keys, name, known, what):
        """The fault for a name that means nothing here, with near matches."""
        self.fault(keys, self.no_such(name, known, what))

    def no_such(self, name, known, what):
        """Words for a name that means nothing here. Near matches take time among many names: they are sought for the first ones only."""
        self._comparisons -= len(known)
        return unknown(name, known, what) if self._comparisons >= 0 else f"no {what} is called {clipped(name)!r}"

    def line(self, keys):
        return self._where(keys)[0]

    def _where(self, keys):
        if self._map is None:  # only now: a file without faults needs no map
            self._map = TomlMap(self._text.replace("\r\n", "\n"))
        return self._map.place(keys)

    def notes(self):
        """The notes, with lines."""
        return sorted(
            (Note(self.line(keys), dotted(keys), message, True) for keys, message in self._notes), key=lambda note: note.line or 0
        )

    def raise_notes(self):
        """Strict reading: what cannot be built is refused."""
        self._faults, self._count = self._faults + self._notes, self._count + len(self._notes)
        self.raise_faults()

    def raise_faults(self):
        """One FormatError with all faults found so far, if there are any."""
        if self.clean:
            return
        found = sorted(((*self._where(keys), dotted(keys), message) for keys, message in self._faults), key=lambda fault: fault[0] or 0)
        line, column, key, message = found[0]
        where = f"{self.path}, line {line}, column {column}" if line else str(self.path)
        text = f"{where}: {key + ': ' if key else ''}{message}"
        if self._count > 1:
            shown = [f"  {f'line {line}: ' if line else ''}{key + ': ' if key else ''}{message}" for line, _, key, message in found[:SHOWN]]
            more = [f"  ... and {self._count - SHOWN} more"] if self._count > SHOWN else []
            text = "\n".join([f"{self.path}: {self._count} faults", *shown, *more])
        raise FormatError(text, path=self.path, line=line, column=column, faults=[(line, key, said) for line, _, key, said in found])


def unknown(name, known, what):
    """Words for a name that means nothing here, with near matches, or with all that is allowed."""
    near = difflib.get_close_matches(clipped(name), [other for other in known if len(other) < 100], n=3, cutoff=0.6)
    shown = ", ".join(map(clipped, known[:LISTED])) + (", ..." if len(known) > LISTED else "")
    hint = f"did you mean {' or '.join(near)}?" if near else f"allowed {'is' if len(known) == 1 else 'are'} {shown}"
    return f"no {what} is called {clipped(name)!r}; {hint if known else 'there is none'}"


def dotted(keys):
    """A path of keys as TOML writes it: joint."left arm".axis, body.rod.visuals[0]."""
    text = ""
    for key in keys:
        text += f"[{key}]" if isinstance(key, int) else f"{'.' if text else ''}{quoted_key(clipped(key))}"
    return text


def quoted_key(name):
    """A name as TOML writes it in a key."""
    return name if _BARE.fullmatch(name) else quoted(name)


def quoted(text):
    """A text as TOML writes it: in quotes, with what cannot be seen written as an escape."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def found(value):
    """A value from the file in words, short enough to print."""
    shown = quoted(value) if isinstance(value, str) else repr(value)
    return f"{clipped(shown)} ({_TYPES.get(type(value), 'a date or time')})"
