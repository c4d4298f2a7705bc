"""What people hand in as vectors and matrices, turned into frozen float arrays or refused with the reason; ../validation.py has the rules."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..validation import is_real, shortened

Array = NDArray[np.float64]


def numbers(what: str, value: Any, shape: tuple[int, ...], finite: bool = True) -> NDArray[np.float64]:
    """`value` as a read-only float array of the given shape; a ModelError that begins with `what` if it is anything else."""
    if type(value) is np.ndarray and value.dtype == np.float64 and value.shape == shape and (not finite or np.isfinite(value).all()):
        return frozen(value)
    wanted = "it must be one number" if shape == (1,) else f"it must be {'x'.join(str(n) for n in shape)} numbers"
    try:
        raw = np.asarray(value)
        # Complex numbers, truth values, text and None (to NaN) would convert silently; refuse them.
        if not is_real(raw) and not (raw.dtype.kind == "O" and all(isinstance(x, Real) for x in raw.flat)):
            raise TypeError
        array = np.array(raw, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{what}: found {shortened(repr(value[0] if shape == (1,) else value))}; {wanted}") from None
    if array.shape != shape:
        raise ModelError(f"{what}: found an array of shape {array.shape}; {wanted}")
    if finite and not np.isfinite(array).all():
        raise ModelError(f"{what}: found {shortened(repr(array.tolist()))}; every number must be finite")
    return frozen(array)


def number(what: str, value: Any) -> float:
    """`value` as a float (infinite or NaN if it is); a ModelError that begins with `what` if it is no single real number."""
    return value + 0.0 if type(value) is float else float(numbers(what, (value,), (1,), finite=False)[0])


def shape_of(value):
    """The shape of what was handed in; None if it is no regular array."""
    try:
        return np.shape(value)
    except ValueError:
        return None


def shape_said(shape):
    """A shape that was found, in words."""
    return "an uneven list" if shape is None else f"an array of shape {shape}"


def frozen(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """The array, read-only and without negative zeros, so that equal arrays have equal bytes."""
    array = array + 0.0
    array.flags.writeable = False
    return array


def listed(array: Any, digits: int = 7) -> str:
    """A vector as people write it: (0.1, 0, -2)."""
    return "(" + ", ".join(f"{x:.{digits}g}" for x in np.ravel(array).tolist()) + ")"
