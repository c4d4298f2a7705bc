"""Axes of joints: any vector of a sensible length will do; its direction counts."""

import math
from collections.abc import Iterator
from typing import Any

# A shorter axis is the difference of two points that should not have been the same, and its direction is noise.
SHORTEST = 1e-9
# Two axes at a smaller angle (in rad) count as parallel.
PARALLEL = 1e-6


def unit(axis):
    """The axis scaled to length 1; one that has no direction (a fault of its joint) as it is."""
    length = math.hypot(*axis)
    if not 0.0 < length < math.inf:
        return tuple(axis)
    return axis[0] / length, axis[1] / length, axis[2] / length


def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def shown(axis):
    return f"({axis[0]:g}, {axis[1]:g}, {axis[2]:g})"


def axis_faults(axis: Any, what: str = "axis", where: str = "the joint frame") -> Iterator[tuple[str, str]]:
    """Why an axis has no direction, if so."""
    if not all(map(math.isfinite, axis)):
        yield "axis", f"{what} is {shown(axis)}; allowed are three finite numbers, not all 0; give a direction in {where}"
    elif math.hypot(*axis) < SHORTEST:
        yield (
            "axis",
            f"{what} is {shown(axis)}, of length {math.hypot(*axis):g}; allowed is a length of at least {SHORTEST:g}; "
            f"give a direction in {where}, such as (0, 0, 1)",
        )


def has_direction(axis):
    return next(axis_faults(axis), None) is None


def are_parallel(a, b):
    return math.hypot(*cross(unit(a), unit(b))) < PARALLEL


def parallel_faults(a, b, what_a, what_b, remedy):
    """Why two axes do not span a plane, if both have a direction."""
    if has_direction(a) and has_direction(b) and are_parallel(a, b):
        yield (
            "axis",
            f"{what_a} {shown(a)} and {what_b} {shown(b)} are parallel; "
            f"allowed is an angle of at least {PARALLEL:g} rad between them; {remedy}",
        )
