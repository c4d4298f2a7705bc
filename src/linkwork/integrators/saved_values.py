"""What a method finds in a checkpoint, checked before kernels believe it: a file may have been written by anybody.

A number that is used as a count or an index is within what there is; arrays have the lengths of what they are copied into. All else is a FormatError.
"""

import math

import numpy as np

from ..errors import FormatError
from ..validation import EXACT as LARGEST  # far from the end of 64 bits
from ..validation import is_finite, is_number, is_whole, shortened


def refuse_saved(what, found, allowed):
    """The error for something in a checkpoint that this version did not write."""
    return FormatError(
        f"the checkpoint's {what} is {shortened(repr(found))}; allowed is {allowed}; use an older checkpoint, or begin again"
    )


def saved_number(given, name, like=0.0, least=-LARGEST, most=LARGEST):
    """A number by its name; `like` has its type. FormatError if it is missing, of another type, not finite, or not within the bounds."""
    if not isinstance(given, dict) or name not in given:
        raise refuse_saved(name, None, "a number")
    value = given[name]
    if isinstance(like, bool):
        if not isinstance(value, bool):
            raise refuse_saved(name, value, "true or false")
        return value
    if isinstance(like, int):
        if not is_whole(value, -math.inf, math.inf):
            raise refuse_saved(name, value, "a whole number")
        if not least <= value <= most:
            raise refuse_saved(name, value, f"a whole number from {least} to {most}")
        return value
    if not is_number(value):
        raise refuse_saved(name, value, "a number")
    if not is_finite(value):
        raise refuse_saved(name, value, "a finite number")
    return float(value)


def saved_array(arrays, name, shape, dtype=np.float64, finite=True):
    """An array by its name, a copy; FormatError if it is missing, of another shape or type, or holds what is not finite (unless that is allowed)."""
    found = arrays.get(name)
    if found is None or found.shape != tuple(shape) or found.dtype != dtype:
        said = None if found is None else f"{found.dtype} {found.shape}"
        raise refuse_saved(f"array {name!r}", said, f"{np.dtype(dtype)} {tuple(shape)}")
    if finite and not np.isfinite(found).all():
        raise refuse_saved(f"array {name!r}", "a number that is not finite", "finite numbers")
    return found.copy()


def saved_numbers(given, what, size, finite=True):
    """A list of so many numbers as an array."""
    if not isinstance(given, list) or len(given) != size or not all(map(is_number, given)):
        raise refuse_saved(what, given, f"a list of {size} numbers")
    found = np.array(given, dtype=float)
    if finite and not np.isfinite(found).all():
        raise refuse_saved(what, "a number that is not finite", "finite numbers")
    return found


def saved_indices(arrays, name, count):
    """An array of whole numbers, each once, that are indices among `count`."""
    found = arrays.get(name)
    if found is None or found.ndim != 1 or found.dtype != np.int64:
        raise refuse_saved(f"array {name!r}", None if found is None else f"{found.dtype} {found.shape}", "a list of whole numbers")
    if len(found) and (found.min() < 0 or found.max() >= count or len(np.unique(found)) < len(found)):
        raise refuse_saved(f"array {name!r}", found.tolist(), f"each number from 0 to {count - 1} at most once")
    return found.copy()


def take_saved(record, arrays, name, bounds):
    """Set the fields of a record without arrays from the numbers that `numbers_of` gave. `bounds`: (least, most) of those that are counts or indices."""
    values = saved_array(arrays, name, (len(record.fields),), finite=False)
    for field, value in zip(record.fields, values.tolist(), strict=True):
        kept = getattr(record, field)
        if isinstance(kept, float):
            if math.isnan(value):
                raise refuse_saved(f"{name} {field}", value, "a number")
        else:
            least, most = (0, 1) if isinstance(kept, bool) else bounds.get(field, (-LARGEST, LARGEST))
            if not (value == value // 1 and least <= value <= most):
                raise refuse_saved(f"{name} {field}", value, f"a whole number from {least} to {most}")
        setattr(record, field, type(kept)(value))
