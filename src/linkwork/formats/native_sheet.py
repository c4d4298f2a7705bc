"""A TOML text as a sheet of pieces that can be taken out, put in and reordered; what is not touched stays as it is, to the letter.

A *unit* is what changes as a whole: a part (`("body", "crank")`), or a section without names (`("initial",)`). A unit mostly has a piece of
its own, its headers and all below them. A unit may also stand inside another piece (`body.crank.mass = 1` above the first header, or
`crank = { mass = 1 }` below [body]); it is then called loose, and edited there.
"""

from dataclasses import dataclass, replace

import tomlkit

from .native_report import quoted_key
from .native_setup import renamed_coordinates
from .native_text import NAMED, unit_text
from .toml_map import TomlMap

ORDER = ("surface", "ground", "body", "frame", "joint", "constraint", "force", "initial", "simulation", "controller")


@dataclass(frozen=True)
class Piece:
    """A stretch of text: comments above a header, header and content, and blank lines and comments that stand apart after it."""

    unit: tuple[str, ...]
    lead: str
    content: str
    tail: str

    @property
    def text(self):
        return self.lead + self.content + self.tail


def unit_of(names):
    """The unit that a header belongs to; () or ("body",) for headers above units."""
    return tuple(names[: 2 if names[:1] and names[0] in NAMED else 1])


def with_renamed(text, renamed):
    """The text with the names of renamed units changed, in headers and in the initial state: {(section, old name): new name}."""
    found = TomlMap(text)
    places = [(block.spans[1], renamed[unit]) for block in found.blocks if (unit := unit_of(block.names)) in renamed]
    for what, old, new in renamed_coordinates(renamed):
        if ("initial", what, old) in found.keys:
            places.append((found.span(("initial", what, old)), new))
    for (start, end), name in sorted(places, reverse=True):
        text = text[:start] + quoted_key(name) + text[end:]
    return text


class Sheet:
    """The pieces of a text, in order; the first holds the keys before any header."""

    def __init__(self, text):
        self.pieces = []
        for block in TomlMap(text).blocks:
            piece = Piece(
                unit_of(block.names), text[block.lead : block.start], text[block.start : block.content], text[block.content : block.end]
            )
            before = self.pieces[-1] if self.pieces else None
            if before is not None and before.unit == piece.unit and piece.unit:
                self.pieces[-1] = _joined(before, piece)
            else:
                self.pieces.append(piece)

    @property
    def text(self):
        return "".join(piece.text for piece in self.pieces)

    def owned(self, unit):
        """Where the pieces of a unit are."""
        return [k for k, piece in enumerate(self.pieces) if piece.unit == unit]

    def first_places(self):
        """{unit: where its first piece is}."""
        return {piece.unit: k for k, piece in reversed(list(enumerate(self.pieces)))}

    def gather(self, unit):
        """Bring the pieces of a unit together at the first of them; its place, None for a unit that is loose or not there."""
        at = self.owned(unit)
        for k in reversed(at[1:]):
            self.pieces[at[0]] = _joined(self.pieces[at[0]], self.pieces.pop(k))
        return at[0] if at else None

    def edit(self, unit, change):
        """change(table) on the unit, wherever it is, as a table of a tomlkit document; False if it is nowhere."""
        at = self.gather(unit)
        places = self._hosts(unit) if at is None else [at]
        return any([self._edit_at(k, unit, lambda holder: change(holder[unit[-1]] if unit else holder)) for k in places])

    def _hosts(self, unit):
        """Pieces in which a loose unit may stand."""
        return [k for k, piece in enumerate(self.pieces) if len(piece.unit) < len(unit) and piece.unit == unit[: len(piece.unit)]]

    def _edit_at(self, k, unit, change):
        """change(holder) on the table that holds the unit in a piece, if it does."""
        document = holder = tomlkit.parse(self.pieces[k].content)
        for name in unit[:-1]:
            holder = holder.get(name) if isinstance(holder, dict) else None
        if not isinstance(holder, dict) or (unit and unit[-1] not in holder):
            return False
        change(holder)
        self.pieces[k] = replace(self.pieces[k], content=tomlkit.dumps(document))
        return True

    def remove(self, unit):
        """Take a unit out, with the comments directly above it; comments that stand apart below it stay."""
        for k in reversed(self.owned(unit)):
            tail = self.pieces.pop(k).tail
            if "#" in tail:
                self.pieces[k - 1] = replace(self.pieces[k - 1], tail=self.pieces[k - 1].tail + tail)
        self._remove_loose(unit)

    def _remove_loose(self, unit):
        for k in self._hosts(unit):
            self._edit_at(k, unit, lambda holder: holder.pop(unit[-1]))

    def rewrite(self, unit, table):
        """Say a unit anew, at its place if it has a piece of its own, else at the end of its section."""
        self._remove_loose(unit)
        at = self.gather(unit)
        if at is not None:
            self.pieces[at] = replace(self.pieces[at], content=unit_text(unit, table))
        else:
            self.add(unit, table)

    def add(self, unit, table):
        """A new unit, after the last of its section, or after the sections that come before."""
        rank = ORDER.index(unit[0])
        ranks = [ORDER.index(piece.unit[0]) if piece.unit and piece.unit[0] in ORDER else -1 for piece in self.pieces]
        same = [k for k, r in enumerate(ranks) if r == rank]
        at = 1 + (same[-1] if same else max(k for k, r in enumerate(ranks) if r < rank))
        before = self.pieces[at - 1]
        missing = "" if before.text.endswith("\n\n") else "\n" if before.text.endswith("\n") or not before.text else "\n\n"
        self.pieces[at - 1] = replace(before, tail=before.tail + missing)
        self.pieces.insert(at, Piece(unit, "", unit_text(unit, table), "\n" if at < len(self.pieces) else ""))

    def arrange(self, units):
        """Bring the pieces of these units, all of one section, into this order; they use the places they have."""
        for unit in units:
            self.gather(unit)
        first = self.first_places()
        wanted = [first[unit] for unit in units if unit in first]
        places, pieces = sorted(wanted), [self.pieces[k] for k in wanted]
        gaps = [self.pieces[k].tail for k in places]  # blank lines stay where they are
        for place, piece, gap in zip(places, pieces, gaps, strict=True):
            self.pieces[place] = piece if "#" in piece.tail + gap else replace(piece, tail=gap)


def _joined(first, second):
    return replace(first, content=first.content + first.tail + second.lead + second.content, tail=second.tail)
