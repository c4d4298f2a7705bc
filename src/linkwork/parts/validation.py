"""What a person gives, turned into floats at once. A wrong type is refused here (../validation.py has the rules); whether a value makes sense is judged
by faults()."""

from typing import Any

import numpy as np

from ..errors import ModelError
from ..validation import described, float_of, is_flag, is_whole, shown


def refuse(owner: str, what: str, value: Any, needed: str) -> ModelError:
    """The error for a value of a wrong type or size. `owner` is the part, `what` the quantity, `needed` what is allowed."""
    if isinstance(value, type):
        return ModelError(f"{owner}: {what} is {described(value)}; {needed}")
    return ModelError(f"{owner}: {what} is {shown(value)}; {needed}")


def number(value: Any, owner: str, what: str) -> float:
    """`value` as a float; any real number, NaN and infinities included."""
    if type(value) is float:
        return value
    found = float_of(value)
    if found is None:
        raise refuse(owner, what, value, "give a real number")
    return found


# parameters: the value, what it is called, and what is allowed
def whole(value: Any, owner: str, what: str, needed: str, least: float = -(2**63), most: float = 2**63 - 1) -> int:
    """`value` as an int between the bounds; whole numbers of NumPy too, but no truth value."""
    if not is_whole(value, least, most):
        raise refuse(owner, what, value, needed)
    return int(value)


def flag(value: Any, owner: str, what: str) -> bool:
    """`value` as a bool; truth values of NumPy too, but no number."""
    if not is_flag(value):
        raise refuse(owner, what, value, "give True or False")
    return bool(value)


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
