"""Where things stand in a TOML text: the position of every key, and the text as a sequence of tables.

Parsers of TOML keep no positions. This one looks at nothing else: it walks through a text that tomllib has found correct, so it need not
judge anything, only find where keys, values and headers begin and end.

A *block* is a table header with what follows up to the next header. Comment lines directly above a header belong to it:

    # the crank                  lead
    [body.crank]
    mass = 1.0                   up to here: content
                                 tail: blank lines, and comments that stand apart
    # ---- joints ----

    [joint.pivot]                the next block
"""

import bisect
import re
import tomllib
from dataclasses import dataclass

_SPACE = re.compile(r"[ \t]*+")
_GAP = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_BARE = re.compile(r"[A-Za-z0-9_-]++")
_STRING = re.compile(r'"""(?:\\.|[^\\])*?"""(?!")|\'\'\'.*?\'\'\'(?!\')|"(?:\\.|[^"\\])*+"|\'[^\']*+\'', re.DOTALL)
_PLAIN = re.compile(r"[^,\]}\n#]++")
_REST = re.compile(r"[^\n]*+\n?")


@dataclass(frozen=True)
class Block:
    """A table as it stands in the text, by offsets; `names` are those of its header, () for the keys before the first header."""

    names: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]  # where each of the names stands in the text
    lead: int  # start of the comments above the header
    start: int  # start of the header's line
    content: int  # end of the last line that is not blank or comment
    end: int  # start of the next block's lead, or the end of the text


class TomlMap:
    """keys: offset of every key, by path (names, and places in lists from 0). blocks: the tables in order."""

    def __init__(self, text):
        self.text = text
        self.keys = {}
        self._lines = [0, *(found.end() for found in re.finditer("\n", text))]
        self._counts = {}  # how many tables each [[list]] has so far
        found = [((), (), 0, 0)]
        contents = []
        at, prefix, content = 0, (), 0
        while (at := _GAP.match(text, at).end()) < len(text):
            if text[at] == "[":
                contents.append(content)
                start = text.rfind("\n", 0, at) + 1
                names, spans, at, prefix = self._header(at)
                found.append((names, spans, self._lead(start, content), start))
            else:
                at = self._pair(at, prefix)
            content = at = _REST.match(text, at).end()
        contents.append(content)
        ends = [lead for *_, lead, _ in found[1:]] + [len(text)]
        self.blocks = [Block(*head, content, end) for head, content, end in zip(found, contents, ends, strict=True)]

    def place(self, path):
        """(line, column), counted from 1, of a key or of the nearest key around it; (None, None) if there is none."""
        path = tuple(path)
        while path and path not in self.keys:
            path = path[:-1]
        if not path:
            return None, None
        at = self.keys[path]
        line = bisect.bisect_right(self._lines, at)
        return line, at - self._lines[line - 1] + 1

    def span(self, path):
        """(start, end) of a key's own name."""
        at = self.keys[tuple(path)]
        return at, (_STRING if self.text[at] in "\"'" else _BARE).match(self.text, at).end()

    def _lead(self, start, content):
        """Start of the comment lines directly above a line."""
        while start > content:
            above = self.text.rfind("\n", 0, start - 1) + 1
            if above < content or not self.text[above:start].lstrip(" \t").startswith("#"):
                break
            start = above
        return start

    def _header(self, at):
        many = self.text.startswith("[[", at)
        names, spans, at = self._names(at + 1 + many)
        prefix = ()
        for name, (start, _) in zip(names[:-1], spans[:-1], strict=True):
            self._note((*prefix, name), start)
            prefix = self._inside((*prefix, name))  # a name on the way may be that of a [[list]]: its last table is meant
        self._note((*prefix, names[-1]), spans[-1][0])
        if many:
            whole = (*prefix, names[-1])
            self._counts[whole] = self._counts.get(whole, 0) + 1
            self._note(self._inside(whole), spans[-1][0])
        return names, spans, self.text.index("]", at) + 1 + many, self._inside((*prefix, names[-1]))

    def _inside(self, path):
        return (*path, self._counts[path] - 1) if path in self._counts else path

    def _note(self, path, at):
        self.keys.setdefault(path, at)

    def _names(self, at):
        """A key of one or more names with dots between: (names, their spans, offset after it)."""
        names, spans = [], []
        while True:
            at = _SPACE.match(self.text, at).end()
            quoted = self.text[at] in "\"'"
            end = (_STRING if quoted else _BARE).match(self.text, at).end()
            raw = self.text[at:end]
            names.append(raw if not quoted else raw[1:-1] if "\\" not in raw else tomllib.loads(f"k={raw}")["k"])
            spans.append((at, end))
            at = _SPACE.match(self.text, end).end()
            if not self.text.startswith(".", at):
                return tuple(names), tuple(spans), at
            at += 1

    def _pair(self, at, prefix):
        names, spans, at = self._names(at)
        for name, (start, _) in zip(names, spans, strict=True):
            prefix = (*prefix, name)
            self._note(prefix, start)
        return self._value(_SPACE.match(self.text, at + 1).end(), prefix)

    def _value(self, at, path):
        """Offset after the value that begins at `at`."""
        text = self.text
        if text[at] in "\"'":
            return _STRING.match(text, at).end()
        if text[at] not in "[{":
            return _PLAIN.match(text, at).end()
        closing, index = ("]", 0) if text[at] == "[" else ("}", None)
        at = _GAP.match(text, at + 1).end()
        while text[at] != closing:
            if index is None:
                at = self._pair(at, path)
            else:
                self._note((*path, index), at)
                at, index = self._value(at, (*path, index)), index + 1
            at = _GAP.match(text, at).end()
            if text[at] == ",":
                at = _GAP.match(text, at + 1).end()
        return at + 1
