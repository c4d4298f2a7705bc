"""Numbers that a person gives."""

import numpy as np

from ..errors import StateError


def finite(name, value):
    """The value as a finite float."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise StateError(f"{name}: found {value!r}; allowed is a finite number", name)
    return number
