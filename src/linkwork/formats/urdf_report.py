"""What a reader has to say about a file: notes on what it left out, faults that stop it, each with its line.

A *fault* means the file has no meaning as it stands; all faults found are raised together as one FormatError.
A *note* records everything ignored, assumed or changed on the way to a Mechanism. Its `matters` is the rule of strict reading:

    matters is True   the file states, or leaves open, something about motion, contact, limits or shape that the mechanism
                      does not carry as stated (a mimic joint without a leader, friction in a <gazebo> block,
                      an attribute nobody knows, a missing limit taken as "no limit", or limits
                      that are missing and hold a joint at 0 by the standard). strict=True refuses these.
    matters is False  the mechanism is the one the file describes; what was left out is appearance, sensing, control or
                      bookkeeping, or nothing was left out and only a name changed or a default of the standard applied.
"""

from dataclasses import dataclass

from ..errors import FormatError
from .xml_safely import clipped

SHOWN = 20  # faults or notes printed in one message
KEPT = 1000  # faults stored; the rest are counted


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that reading a file ignored, assumed or changed: where, and what. `matters`: strict reading refuses it."""

    line: int | None
    element: str
    message: str
    matters: bool = False

    def __str__(self):
        where = f"line {self.line}: " if self.line else ""
        return f"{where}{self.element}: {self.message}"


class Notes(tuple):
    """The notes of one file: those that matter first, then the others, each in the order of lines."""

    __slots__ = ()

    def __str__(self):
        groups = (
            ("what matters to the mechanism; strict reading refuses it", [note for note in self if note.matters]),
            ("what makes no difference to it", [note for note in self if not note.matters]),
        )
        lines = [line for title, notes in groups if notes for line in (f"{title} ({len(notes)}):", *(f"  {note}" for note in notes))]
        return "\n".join(lines) or "nothing was left out or assumed"


class Report:
    """Collects the notes and faults of one file and raises the faults together."""

    def __init__(self, path):
        self.path = path
        self.notes = []
        self.faults = []
        self.fault_count = 0

    def note(self, element, message, matters=False):
        self.notes.append(Note(element.sourceline, describe(element), message, matters))

    def fault(self, element, message):
        self.fault_count += 1
        if len(self.faults) < KEPT:
            self.faults.append(Note(element.sourceline, describe(element), message, True))

    def raise_faults(self):
        """Raise what was found so far, if anything, as one FormatError; its `line` is that of the first fault."""
        if self.faults:
            self._raise(self.faults, self.fault_count, "fault", "Correct the file.")

    def raise_notes_that_matter(self):
        """The rule of strict reading (see the top of this file)."""
        serious = [note for note in self.notes if note.matters]
        if serious:
            advice = "Take it out of the file, or read with strict=False and look at mechanism.notes."
            self._raise(
                serious, len(serious), "thing", advice, " that strict reading refuses, because the mechanism would not have it as stated"
            )

    def _raise(self, entries, count, what, advice, why=""):
        entries = sorted(entries, key=lambda entry: entry.line or 0)
        first = entries[0]
        if count == 1 and not why:
            where = f"{self.path}, line {first.line}" if first.line else str(self.path)
            raise FormatError(f"{where}: {first.element}: {first.message}", path=self.path, line=first.line)
        lines = [f"{self.path}: {count} {what}{'s' if count > 1 else ''}{why}"]
        lines += [f"  {entry}" for entry in entries[:SHOWN]]
        if count > SHOWN:
            lines.append(f"  ... and {count - SHOWN} more")
        raise FormatError("\n".join([*lines, advice]), path=self.path, line=first.line)


def describe(element):
    """The place of an element in words: `joint 'elbow' > limit`. The root element is left out except for itself."""
    words = []
    while element is not None and (element.getparent() is not None or not words):
        tag = clipped(tag_of(element))
        name = element.get("name")
        words.append(f"{tag} {shown(name)}" if name is not None else tag)
        element = element.getparent()
    return " > ".join(reversed(words))


def tag_of(element):
    """The tag as the file spells it: `xacro:include`, not `{namespace}include`."""
    local = element.tag.rpartition("}")[2]
    return f"{element.prefix}:{local}" if element.prefix and element.tag.startswith("{") else local


def shown(text):
    """A value from the file, quoted and short enough to print."""
    return repr(clipped(text))
