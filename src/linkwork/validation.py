"""What counts as a flag, a whole number, a number or an array of numbers, and how a value is shown in a message: one rule of each, for every border.

A rule answers and raises nothing. The borders of the package raise, each with its own error and in its own words:

    arguments.py, dynamics/call.py                   arguments of public functions                StateError
    parts/validation.py, spatial/checks.py           numbers of parts, integrators and poses      ModelError
    integrators/saved_values.py, formats/            checkpoints and files                        FormatError
    cli/arguments.py, cli/settings.py, studio/fields.py    words of a command, forms of the page  UsageError, StudioError

NumPy is imported where it is used: `linkwork --help` does not wait for it.
"""

import math
import numbers
import types
from typing import Any

EXACT = 2**53  # whole numbers up to here are floats too
_REAL = "fiu"  # kinds of arrays of real numbers
LONGEST = 80  # letters of a value in a message


def _kind(value: Any) -> str | None:
    """The kind of a single number or truth value of NumPy, by its letter."""
    return value.dtype.kind if hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0 else None


def is_flag(value: Any) -> bool:
    """True or False, of Python or NumPy."""
    return isinstance(value, bool) or _kind(value) == "b"


def is_whole(value: Any, least: Any = -EXACT, most: Any = EXACT) -> bool:
    """A whole number between the bounds, of Python or NumPy; no truth value."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and least <= value <= most


def is_number(value: Any) -> bool:
    """One real number of Python or NumPy, infinite or NaN as well; no truth value."""
    return isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool)) or _kind(value) in ("f", "i", "u")


def is_finite(value: Any) -> bool:
    """One finite number, as `is_number` says, that float64 has."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) < 10**300
    return is_number(value) and math.isfinite(value)


def float_of(value: Any) -> float | None:
    """Any one real number as a float, infinite or NaN if it is; a Fraction, a Decimal or an array of no axes too. None for all else."""
    kind = type(value)
    if kind is float:
        return value
    if kind is int and -EXACT < value < EXACT:
        return float(value)
    wrong = is_flag(value) or isinstance(value, (str, bytes, bytearray)) or getattr(value, "ndim", 0) != 0
    if wrong or (isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real)):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def float_in(text: str) -> float | None:
    """The number that a text says, as Python reads it; None if it says none."""
    try:
        return float(text)
    except ValueError:
        return None


def is_real(array: Any) -> bool:
    """An array of real numbers?"""
    return array.dtype.kind in _REAL


def array_of(value: Any) -> Any:
    """One number, or numbers of one shape, as an array of real numbers that is not copied; None for text, truth values, sets and uneven lists."""
    if isinstance(value, (bool, str, bytes, dict, set)) or value is None:
        return None
    import numpy as np

    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return None
    return array if is_real(array) else None


# ---- messages


def shortened(text: str) -> str:
    """A text for a message, not longer than a line."""
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def shown(value: Any) -> str:
    """A value and its type for a message."""
    return f"{shortened(repr(value))} ({type(value).__name__})"


def described(value: Any) -> str:
    """What was found in place of a thing of ours, for a message: "a str"; a class or a method whose parentheses were forgotten by its name."""
    if isinstance(value, type):
        return f"the class {value.__name__} (are its parentheses missing? {value.__name__}(...))"
    if isinstance(value, (types.FunctionType, types.MethodType, types.BuiltinMethodType)):
        return f"the function {value.__name__} (are its parentheses missing? {value.__name__}(...))"
    return f"a {type(value).__name__}"
