"""Numbers and text of the native format, to TOML and from it; what is neither is refused in words."""

import math

from ..errors import FormatError
from ..validation import float_in, is_number
from .native_report import found

WHOLE = 10**6  # up to here whole numbers are written as such


class RefusalError(Exception):
    """A value of the file cannot be: `args` are the keys below the value's own, and the message."""


def encode_number(value, owner, what, infinite=False):
    """A float; whole ones as int, so that 2.0 is written 2. The sign of -0.0 is kept."""
    if not math.isfinite(value) and not (infinite and math.isinf(value)):
        raise FormatError(f"{owner}: {what} is {value}; a file holds finite numbers there; correct it")
    if -WHOLE < value < WHOLE and value == int(value) and (value or math.copysign(1.0, value) > 0.0):
        return int(value)
    return value


def encode_text(value, owner, what):
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise FormatError(f"{owner}: {what} is {value!r}, which holds half a surrogate pair; no file can hold it; correct it") from None
    return str(value)


def decode_number(value, infinite=False):
    if not is_number(value):
        hint = "; take the quotes away" if isinstance(value, str) and float_in(value) is not None else ""
        raise RefusalError((), f"found {found(value)}; allowed is a number{hint}")
    try:
        value = float(value)
    except OverflowError:
        raise RefusalError((), f"found a whole number of {len(str(value))} digits; allowed are numbers up to 1.8e308") from None
    if not math.isfinite(value) and not (infinite and math.isinf(value)):
        raise RefusalError((), f"found {value}; allowed {'are numbers, inf and -inf' if infinite else 'is a finite number'}")
    return value


def decode_numbers(value, size=None):
    """A list of finite numbers, `size` of them if that is given."""
    if not isinstance(value, list) or (size is not None and len(value) != size):
        count = f", {len(value)} of them" if isinstance(value, list) else ""
        raise RefusalError((), f"found {found(value)}{count}; allowed is a list of {'' if size is None else f'{size} '}numbers")
    return [inside(index, decode_number, item) for index, item in enumerate(value)]


def inside(key, function, *arguments):
    """function(*arguments); what it refuses is inside `key`."""
    try:
        return function(*arguments)
    except RefusalError as refusal:
        raise RefusalError((key, *refusal.args[0]), refusal.args[1]) from None
