"""What a person gives, turned into floats at once. A wrong type is refused here; whether a value makes sense is judged by faults()."""

import numbers
from typing import Any

import numpy as np

from ..arguments import described
from ..errors import ModelError

# Whole numbers up to here are floats too; they need no further look.
_EXACT = 2**53
_NOT_NUMBERS = (bool, np.bool_, str, bytes, bytearray)


def refuse(owner: str, what: str, value: Any, needed: str) -> ModelError:
    """The error for a value of a wrong type or size. `owner` is the part, `what` the quantity, `needed` what is allowed."""
    if isinstance(value, type):
        return ModelError(f"{owner}: {what} is {described(value)}; {needed}")
    shown = repr(value)
    shown = shown if len(shown) <= 80 else shown[:77] + "..."
    return ModelError(f"{owner}: {what} is {shown} ({type(value).__name__}); {needed}")


def number(value: Any, owner: str, what: str) -> float:
    """`value` as a float; any real number, NaN and infinities included."""
    kind = type(value)
    if kind is float:
        return value
    if kind is int and -_EXACT < value < _EXACT:
        return float(value)
    wrong = isinstance(value, _NOT_NUMBERS) or getattr(value, "ndim", 0) != 0
    wrong = wrong or (isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real))
    if not wrong:
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    raise refuse(owner, what, value, "give a real number")


def vector(value: Any, size: int, owner: str, what: str) -> Any:
    """`value` as a tuple of `size` floats; a list, tuple or array of real numbers."""
    items = sequence(value, owner, what, f"give {size} numbers")
    if len(items) != size:
        raise refuse(owner, what, value, f"it has {len(items)} entries, give {size} numbers")
    return tuple([number(item, owner, what) for item in items])


def sequence(value, owner, what, needed):
    """`value` as a tuple of whatever it holds; text, sets and mappings do not count as sequences."""
    if type(value) is tuple:
        return value
    if not isinstance(value, (str, bytes, dict, set, frozenset)):
        try:
            return tuple(value)
        except TypeError:
            pass
    raise refuse(owner, what, value, needed)


def array(value, columns, dtype, owner, what):
    """A read-only array of shape (n, columns), copied from `value`; for tables that are long."""
    needed = f"give an array of shape (n, {columns}) of {'whole numbers' if dtype is int else 'numbers'}"
    try:
        found = np.asarray(value)
    except (TypeError, ValueError):
        raise refuse(owner, what, value, needed) from None
    kinds = "iu" if dtype is int else "iuf"
    if found.ndim != 2 or found.shape[1] != columns or found.dtype.kind not in kinds:
        raise ModelError(f"{owner}: {what} has shape {found.shape} and type {found.dtype}; {needed}")
    copied = np.array(found, dtype=np.int64 if dtype is int else np.float64, order="C")
    copied.setflags(write=False)
    return copied


def name_of_part(value: Any, what: str) -> str:
    """`value` as the name of a part: text that is not empty or blank."""
    if not isinstance(value, str):
        raise refuse(f"a {what}", "its name", value, "a name is text; give it in quotes")
    if not value.strip():
        raise ModelError(f"a {what}: its name is {value!r}, which is empty; a name is text of at least one visible letter; give one")
    return str(value)
