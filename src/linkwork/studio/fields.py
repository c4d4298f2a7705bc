"""Values of parts as text that a person edits, and back: numbers, vectors, switches, choices. Text is read as numbers, never evaluated.

0.25        -1e-3        inf        90 deg        0 1 0        0, 1, 0        (nothing, where a value may be left out)
"""

import dataclasses
import math
import re
from typing import Any, NamedTuple

import numpy as np

import linkwork as lw

from ..validation import is_number

MOST_DIGITS = 9
CHOICES = {"axes": ("a", "b", "world"), "interpolation": ("linear", "hold", "cubic"), "outside": ("hold", "zero", "repeat")}
# Fields of joint kinds that most joints leave as they are: they stand in a folder of their own.
OPTIONS = tuple(field.name for field in dataclasses.fields(lw.JointKind))
_NUMBER = re.compile(r"([-+]?(?:inf(?:inity)?|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?))(?:\s*(deg|°|rad))?", re.IGNORECASE)


class Field(NamedTuple):
    """A value with a name. form: "number", "numbers" (of `count`, 0 for any), "text", "switch", "choice" (of `choices`) or "fixed", which is
    only seen.

    optional: it may be left out.
    """

    name: str
    value: Any
    form: str
    count: int = 0  # type: ignore[assignment]
    choices: tuple = ()
    optional: bool = False


def fields_of(kind) -> list[Field]:
    """The fields of a kind of joint, constraint or force, of a shape or an integrator."""
    found = []
    for field in dataclasses.fields(kind):
        if field.init and not field.name.startswith("_"):
            value = _plain(getattr(kind, field.name))
            if field.name in OPTIONS and isinstance(kind, lw.JointKind):
                value = value[0] if len(value) and len(set(value)) == 1 else value
            found.append(field_of(field.name, value, optional=field.default is None))
    return found


def field_of(name, value, optional=False) -> Field:
    """A field for a value; what it is tells how it is edited."""
    if isinstance(value, bool):
        return Field(name, value, "switch")
    if isinstance(value, str):
        choices = CHOICES.get(name, ())
        return Field(name, value, "choice", choices=choices) if value in choices else Field(name, value, "fixed")
    if isinstance(value, (int, float)):
        return Field(name, value, "number", optional=optional)
    if value is None and optional:
        vector = name in ("axis", "x_axis", "com")
        return Field(name, None, "numbers" if vector else "number", 3 if vector else 0, optional=True)
    if isinstance(value, tuple) and all(isinstance(x, (int, float)) for x in value):
        return Field(name, value, "numbers", len(value), optional=optional)
    return Field(name, value, "fixed")


def text_of(value) -> str:
    """A value as the text of a form."""
    if value is None:
        return ""
    if isinstance(value, (tuple, list, np.ndarray)):
        return "  ".join(text_of(x) for x in value)
    if isinstance(value, bool) or isinstance(value, str):
        return str(value)
    if isinstance(value, (int, float, np.number)):
        return f"{float(value):.{MOST_DIGITS}g}"
    return f"({type(value).__name__})"


def read(field: Field, text, owner=""):
    """The value that a text says. Raises StudioError in words."""
    if field.form == "switch":
        return bool(text)
    if field.form in ("choice", "fixed", "text"):
        return text
    text = str(text).strip()
    if not text and field.optional:
        return None
    numbers = _numbers(text)
    if numbers is None or (field.form == "number" and len(numbers) != 1):
        raise _refused(owner, field, text, "a number such as 0.25, 1e-3, 90 deg or inf")
    shown = field.value if isinstance(field.value, tuple) else (field.value,)
    if len(shown) == len(numbers):  # numbers that were left as they are shown keep the digits that are not
        numbers = [was if is_number(was) and float(text_of(was)) == n else n for was, n in zip(shown, numbers, strict=True)]
    if field.form == "number":
        return int(numbers[0]) if isinstance(field.value, int) and numbers[0] == int(numbers[0]) else numbers[0]
    if field.count and len(numbers) != field.count:
        raise _refused(owner, field, text, f"{field.count} numbers such as {'  '.join(['0'] * (field.count - 1) + ['1'])}")
    return tuple(numbers)


def number(text, what, least=-math.inf):
    """One number from a text. Raises StudioError."""
    value = read(Field(what, 0.0, "number"), text)
    if not least <= value < math.inf:
        raise _refused("", Field(what, 0.0, "number"), text, f"a finite number{f' from {least:g} on' if least > -math.inf else ''}")
    return float(value)


def numbers(text, what, count):
    """Finite numbers from a text. Raises StudioError."""
    values = read(Field(what, (), "numbers", count), text)
    if not all(map(math.isfinite, values)):
        raise _refused("", Field(what, (), "numbers", count), text, "finite numbers")
    return tuple(float(x) for x in values)


def _numbers(text):
    """All numbers of a text, None if it holds anything else."""
    found, at = [], 0
    text = text.strip().strip("()[]")
    if len(text) > 2000:
        return None
    while at < len(text):
        if text[at] in " \t,;":
            at += 1
            continue
        match = _NUMBER.match(text, at)
        if match is None:
            return None
        unit = (match.group(2) or "").lower()
        found.append(float(match.group(1)) * (math.pi / 180.0 if unit in ("deg", "°") else 1.0))
        at = match.end()
        if at < len(text) and text[at] not in " \t,;":
            return None
    return found or None


def _refused(owner, field, text, allowed):
    where = f"{owner}: " if owner else ""
    shown = text if len(text) <= 40 else text[:39] + "…"
    return lw.StudioError(f"{where}{field.name}: found {shown!r}; allowed is {allowed}; correct it")


def _plain(value):
    """Functions of time that are constant are numbers; arrays are tuples."""
    if hasattr(value, "moves") and hasattr(value, "value"):
        return value if value.moves else value.value
    if isinstance(value, np.ndarray):
        return tuple(value.tolist())
    return value
