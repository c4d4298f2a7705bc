"""The usage of a command is its grammar: what help shows is what is parsed.

    sb BODY [-t x y z] [-m mass] [-if TYPE NAME]...

NAME            upper case: text; lower case: a number; `n`: a whole number from 0 on
{on|off}        one of these words
[...]           may be left out; with `...` after it, may occur any number of times
-t              an option with as many values as words follow it; options may stand anywhere and in any order
"""

import re
from dataclasses import dataclass

import linkwork as lw

from .errors import MisusedError, RefusedError
from .words import number, shortened

_ITEM = re.compile(r"(\[)?([^\[\]]+?)(?(1)\])(\.\.\.)?(?:\s+|$)")
MOST_COUNT = 10**9


@dataclass(frozen=True)
class Item:
    """A thing that a command takes: one value (`flag` is None), or an option with values."""

    flag: str | None
    values: tuple[str, ...]
    needed: bool
    repeats: bool


@dataclass(frozen=True)
class Given:
    """What a line gave: values in the order of the usage (None or () for what was left out), and the values of each option."""

    values: tuple
    options: dict

    def __getitem__(self, flag):
        """The values of an option: one value, or a tuple of several; None if it was not given."""
        found = self.options.get(flag)
        return None if found is None else found[-1]

    def all(self, flag):
        """The values of an option that may be repeated, each time it was given."""
        return self.options.get(flag, [])


class Usage:
    """The grammar of one command."""

    def __init__(self, text):
        self.text = text
        self.name, _, rest = text.partition(" ")
        self.open = rest.endswith(" ...")
        items = [_item(found) for found in _ITEM.finditer(rest)]
        self.places = [item for item in items if item.flag is None]
        self.options = {item.flag: item for item in items if item.flag is not None}

    def parse(self, words) -> Given:
        """What the words after the command mean. Raises MisusedError."""
        options: dict = {}
        bare, at = [], 0
        while at < len(words):
            word = words[at]
            if not word.is_option:
                bare.append(word)
                at += 1
                continue
            item = self._option(word)
            values = words[at + 1 : at + 1 + len(item.values)]
            if len(values) < len(item.values) or any(value.is_option for value in values):
                raise self._misused(f"{word} takes {_counted(item.values)}")
            if word in options and not item.repeats:
                raise self._misused(f"{word} is given twice; allowed is once")
            read = tuple(self._value(value, what, str(word)) for value, what in zip(values, item.values, strict=True))
            options.setdefault(str(word), []).append(read[0] if len(read) == 1 else read)
            at += 1 + len(item.values)
        return Given(self._placed(bare), options)

    def _misused(self, message):
        return MisusedError(f"{self.name}: {message}", self.text)

    def _option(self, word):
        if word in self.options:
            return self.options[word]
        if not self.options:
            raise self._misused(f"{shortened(word)} looks like an option, and there are none; a name like that stands in quotes")
        raise self._misused(f"{lw.UnknownNameError('option', str(word), list(self.options))}")

    def _placed(self, bare):
        """The values that stand alone, in their places."""
        found, rest = [], list(bare)
        for item in self.places:
            if item.repeats:
                taken, rest = rest, []
                if item.needed and not taken:
                    raise self._misused(f"{item.values[0]} is missing")
                found.append(tuple(self._value(word, item.values[0]) for word in taken))
            elif len(rest) >= len(item.values):
                taken, rest = rest[: len(item.values)], rest[len(item.values) :]
                read = tuple(self._value(word, what) for word, what in zip(taken, item.values, strict=True))
                found.append(read if len(read) > 1 else read[0])
            elif item.needed or rest:
                raise self._misused(f"{' '.join(item.values[len(rest) :])} is missing")
            else:
                found.append(None)
        if rest:
            raise self._misused(f"{shortened(rest[0])} is one word too many")
        return tuple(found)

    def _value(self, word, what, option=""):
        where = f"{self.name}: {f'{option} ' if option else ''}{what}"
        if what.startswith("{"):
            choices = what[1:-1].split("|")
            if word not in choices:
                raise self._misused(f"found {shortened(word)}; allowed are {', '.join(choices)}")
            return str(word)
        if what.isupper():
            return str(word)
        try:
            value = number(word, where)
        except RefusedError as error:
            raise MisusedError(str(error), self.text) from None
        if what == "n":
            if value != int(value) or not 0 <= value <= MOST_COUNT:
                raise MisusedError(f"{where} is {shortened(word)}; allowed is a whole number from 0 to {MOST_COUNT}", self.text)
            return int(value)
        return value


def _item(found):
    inside, words = found.group(1) is not None, found.group(2).split()
    flag = words.pop(0) if words[0].startswith("-") else None
    return Item(flag, tuple(words), not inside, found.group(3) is not None)


def _counted(values):
    return f"{len(values)} value{'' if len(values) == 1 else 's'} ({' '.join(values)})" if values else "no value"
