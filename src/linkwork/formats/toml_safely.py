"""TOML from strangers: text in, plain dictionaries out, in bounded time and memory, with the line of what is wrong.

TOML has no entities, no includes and no code, so little can go wrong; what can is size. Bounds, checked before the parser (tomllib) runs:

    file                   MAX_BYTES of xml_safely
    brackets in brackets   MAX_DEPTH (a parser calls itself once for each)
    names in one key       MAX_NAMES, as in a.b.c (tables in tables, without a bracket)
"""

import re
import tomllib

from ..errors import FormatError
from .xml_safely import clipped

MAX_DEPTH = 16  # a mechanism is five deep: a shape's pose in a list of shapes in a body
MAX_NAMES = 16

# Text that ends within a string is no TOML; it is taken to its end all the same, so that the search stays linear in the text.
_PIECES = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"""|\Z)' + r"|'''.*?(?:'''|\Z)" + r'|"(?:\\.|[^"\\\n])*+"?' + r"|'[^'\n]*+'?|\#[^\n]*+|[\[\]{}=,.\n]", re.DOTALL
)
_AT = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
_TWICE = re.compile(r"Cannot (?:declare \((.*)\) twice|overwrite a value|mutate immutable namespace \((.*)\))")


def parse(text, path):
    """A TOML text as dictionaries, lists, texts, numbers, truth values and dates. Raises FormatError with line and column."""
    if not text.strip():
        raise FormatError(f"{path}: the file is empty; a mechanism is needed, which begins with: linkwork = 1", path=path)
    _refuse_depth(text, path)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(str(error), text, path) from error
    except (ValueError, RecursionError) as error:  # a whole number of thousands of digits
        raise FormatError(f"{path}: a value cannot be read ({clipped(str(error), 200)}); correct it", path=path) from error


def _refuse_depth(text, path):
    depth = names = 0
    for piece in _PIECES.finditer(text):
        sign = piece.group()
        if sign == ".":
            names += 1
        elif sign in "[{":
            depth, names = depth + 1, 0
        elif sign in "]}":
            depth, names = depth - 1, 0
        elif sign in "=,\n":
            names = 0
        if depth > MAX_DEPTH or names >= MAX_NAMES:
            line = text.count("\n", 0, piece.start()) + 1
            most = f"brackets are nested deeper than {MAX_DEPTH}" if depth > MAX_DEPTH else f"a key of more than {MAX_NAMES} names"
            raise FormatError(f"{path}, line {line}: {most}, the most that is read", path=path, line=line)


def _syntax_error(message, text, path):
    at = _AT.search(message)
    reason = message[: at.start()] if at else message
    lines = text.replace("\r\n", "\n").split("\n")
    line, column = (int(at.group(1)), int(at.group(2))) if at and at.group(1) else (len(lines), len(lines[-1]) + 1)
    found = clipped(lines[line - 1].strip()) if line <= len(lines) else ""
    return FormatError(
        f"{path}, line {line}, column {column}: not TOML: {_in_words(reason)}; the line is: {found or '(the end of the file)'}",
        path=path,
        line=line,
        column=column,
    )


def _in_words(reason):
    """tomllib's reason; where a name is given twice, what that means for a mechanism."""
    twice = _TWICE.match(reason)
    if not twice:
        return clipped(reason[:1].lower() + reason[1:], 200)
    names = twice.group(1) or twice.group(2)
    what = f"[{'.'.join(re.findall(chr(39) + '(.*?)' + chr(39), names))}]" if names else "this key"
    return f"{clipped(what)} is given twice; a name stands once in a mechanism, and a key once in a table; rename or remove one"
