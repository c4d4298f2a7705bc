"""All that was done, as lines of Python."""

from ..errors import LinkworkError
from ..formats.document import Document
from ..parts.mechanism import Mechanism
from .python_text import value_text

MOST_LINES = 20000
# Of these, when several follow each other on the same thing, the last says it all.
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
        return "\n".join(["import linkwork as lw", "", first, *self.lines, ""])


def first_line(document, mechanism, setup, integrator):
    """How the session began: from a file, from an empty mechanism, or from one that is written out."""
    method = [] if integrator is None else [f"integrator={value_text(integrator)}"]
    if document is not None and document.path is not None:
        return f"live = lw.Live.open({', '.join([repr(document.path), *method])})"
    if not mechanism._registry.everything():
        plain = mechanism == Mechanism()
        what = [] if plain else [f"lw.Mechanism({mechanism.name!r}, gravity={value_text(mechanism.gravity)})"]
        return f"live = lw.Live({', '.join([*what, *method])})"
    try:
        text = Document(mechanism, setup).text
    except LinkworkError:
        return "live = lw.Live(mechanism)  # the one that it began with; it holds functions, which cannot be written here"
    return f"live = lw.Live({', '.join([f'lw.Document.from_text({text!r})', *method])})"
