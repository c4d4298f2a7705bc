"""Who called: warnings point at the line of a program that is not of this package."""

import sys


def outside_level():
    """The `stacklevel` for a warning of the function that asks: that of the first caller outside this package."""
    level, frame = 2, sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("linkwork."):
        level, frame = level + 1, frame.f_back
    return level
