"""All that was done, as lines of Python."""

import dataclasses

from ..errors import LinkworkError
from ..formats.document import Document
from ..formats.native_setup import Setup
from ..jets import is_function
from ..parts.applied_force import EVERY
from ..parts.constraints.time_function import TimeFunction
from ..parts.mechanism import Mechanism
from ..parts.written import Written
from .python_text import IMPORTS, Text, call_text, name_of

MOST_LINES = 20000
# Of these, when several follow each other on the same thing, the last one suffices.
LAST_COUNTS = ("live.change", "live.pull", "live.pose_to")


class Script:
    """Lines in the order in which things were done; time that passed between them is a line too."""

    def __init__(self):
        self.lines: list[str] = []
        self._running = 0.0, ""

    def say(self, line):
        """Note a line."""
        if not line:
            return
        verb = line.partition("(")[0]
        head = line.partition("=")[0] if verb == "live.change" else line.partition(",")[0]
        if verb in LAST_COUNTS and self.lines and self.lines[-1].startswith(head):
            self.lines[-1] = line
        else:
            self.lines.append(line)
        del self.lines[:-MOST_LINES]

    def passed(self, duration):
        """Time that has run: slices that follow each other are one line."""
        if self.lines and self.lines[-1] == self._running[1]:
            del self.lines[-1]
            duration += self._running[0]
        self._running = duration, f"live.advance({duration:.9g})"
        self.lines.append(self._running[1])

    def text(self, first):
        """The whole script; first: the lines with which the session began."""
        lines = [*first, *self.lines]
        imports = [line for begins, line in IMPORTS.items() if any(begins in text for text in lines)]
        return "\n".join(["import linkwork as lw", *imports, "", *lines, ""])


def first_lines(document, mechanism, setup, options):
    """How the session began: from a file, from an empty mechanism, or from one that is written out. options: those of Live that were given."""
    text = Text()
    more = [f"{name}={text.value(value)}" for name, value in options.items()]
    if document is not None and document.path is not None and setup is document.setup:
        if not document._functions:
            return [f"live = lw.Live.open({', '.join([repr(document.path), *more])}){text.comment}"]
        given = f"lw.Document.open({document.path!r}, functions={text.value(document._functions)})"
        return [f"live = lw.Live({', '.join([given, *more])}){text.comment}"]
    if setup == Setup() and mechanism == Mechanism(mechanism.name, gravity=mechanism.gravity):
        what = [] if mechanism == Mechanism() else [f"lw.Mechanism({mechanism.name!r}, gravity={text.value(mechanism.gravity)})"]
        return [f"live = lw.Live({', '.join([*what, *more])}){text.comment}"]
    try:
        return _written_out(mechanism, setup, more, text)
    except LinkworkError as error:
        reason = str(error).partition(";")[0].replace("\n", " ")
        return [
            f"live = lw.Live({', '.join(['mechanism', *more])})  # mechanism: the one that it began with, which cannot be written here: {reason}"
        ]


def _written_out(mechanism, setup, more, text):
    """A mechanism as the text of a file. Forces made of functions have none: from the first of them on, forces are added to what the file says."""
    forces = mechanism.forces
    first = next((k for k, force in enumerate(forces) if isinstance(force.kind, Written)), len(forces))
    rest = mechanism.clone()
    for force in forces[first:]:
        rest.remove(force.name)
    functions = {name_of(function): function for function in _functions_in(rest)}
    given = [repr(Document(rest, setup, functions).text)]
    if functions:
        given.append("functions={" + ", ".join(f"{name!r}: {text.value(function)}" for name, function in functions.items()) + "}")
    begun = f"lw.Document.from_text({', '.join(given)})"
    lines = [f"live = lw.Live({', '.join([begun, *more])}){text.comment}"]
    for force in forces[first:]:
        on = {} if force.on else {"on": False}
        where = [x if x[1] != EVERY else x[0] for x in force.joints] or [place for place in (force.a, force.b) if place is not None]
        lines.append(call_text("live", "add_force", [force.name, force.kind, *where], on))
    return lines


def _functions_in(mechanism):
    """All functions that persons wrote, in the kinds of a mechanism's parts, each once."""
    found = {}
    for part in (*mechanism.joints, *mechanism.constraints, *mechanism.forces):
        for field in dataclasses.fields(part.kind):
            value = getattr(part.kind, field.name)
            for entry in value if isinstance(value, (tuple, list)) else (value,):
                function = entry.function if isinstance(entry, TimeFunction) else entry
                if is_function(function):
                    found[id(function)] = function
    return list(found.values())
