"""A line as words, and words as text again: what is read can be written so that it is read the same.

    sb "left arm" -t 0 .5 -1.25   ; the rest is a comment

A word is text without blanks, or text in double quotes with the escapes of JSON. Only a bare word can be an option: a minus and a letter.
Numbers are written as in C, finite: `.5`, `-.5`, `1e-3`.
"""

import json
import math
import re

from .errors import RefusedError

_WORD = re.compile(r'\s*(?:;.*$|"(?:[^"\\]|\\.)*"(?=[\s;]|$)|[^\s;"]+(?=[\s;]|$))')
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_OPTION = re.compile(r"-[A-Za-z]")
_BARE = re.compile(r'[^\s;"-][^\s;"]*')
MOST = 1e150  # greater numbers have no finite square


class Word(str):
    """A word of a line; `quoted`: it stood in quotes and is no option."""

    quoted = False

    @property
    def is_option(self):
        return not self.quoted and _OPTION.match(self) is not None


def split(line):
    """The words of a line, without its comment."""
    words, at = [], 0
    while at < len(line):
        found = _WORD.match(line, at)
        if found is None:
            if not line[at:].strip():
                break
            raise RefusedError(f'the quotes in {shortened(line[at:].strip())} do not pair up; write a name with blanks as "left arm"')
        text, at = found.group().strip(), found.end()
        if text and not text.startswith(";"):
            words.append(_word(text))
    return words


def _word(text):
    if not text.startswith('"'):
        return Word(text)
    try:
        word = Word(json.loads(text, strict=False))
    except ValueError:
        raise RefusedError(f'{shortened(text)} holds an escape that is none; allowed are those of JSON, such as \\" and \\n') from None
    word.quoted = True
    return word


def quoted(name):
    """A name as one word."""
    plain = _BARE.fullmatch(name) and name.isprintable()
    return name if plain else json.dumps(name, ensure_ascii=not name.isprintable())


def shortened(text, most=40):
    """Text as it is shown in a message."""
    shown = quoted(text)
    return shown if len(shown) <= most else shown[: most - 3] + "..."


def number(text, what):
    """A word as a finite float."""
    if not _NUMBER.fullmatch(text):
        raise RefusedError(f"{what} is {shortened(text)}; allowed is a number such as 2, -.5 or 1e-3")
    value = float(text)
    if not abs(value) <= MOST:
        raise RefusedError(f"{what} is {shortened(text)}; allowed are numbers up to {MOST:g}")
    return value


def shown(value):
    """A number as the shortest text that gives it back; several separated by blanks."""
    try:
        return " ".join(map(shown, value))
    except TypeError:
        pass
    value = float(value)
    if value == 0.0:
        return "0"
    whole = math.isfinite(value) and value == round(value) and abs(value) < 1e15
    return str(int(value)) if whole else repr(value)
