"""Axes that constraints take: a direction in a place, turned into the z-axis of a marker."""

import numpy as np

from ..joints import axis as joint_axis
from ..validation import vector


def axis(value, owner, what):
    """An axis as it is stored: three numbers; only the direction counts."""
    return vector(value, 3, owner, what)


def axis_faults(value, what):
    """Why an axis has no direction, if so."""
    yield from joint_axis.axis_faults(value, what, "the axes of its place")


def turn_to(value):
    """The rotation (3x3) whose z-axis is the axis: the shortest turn from z. None if there is nothing to turn."""
    if not joint_axis.has_direction(value):
        return None  # a fault; it is reported before anything is built
    x, y, z = joint_axis.unit(value)
    if z > 0.0 and x == 0.0 and y == 0.0:
        return None
    if z < 0.0 and x * x + y * y < 1e-20:
        return np.diag((1.0, -1.0, -1.0))
    k = 1.0 / (1.0 + z)
    return np.array([[1.0 - k * x * x, -k * x * y, x], [-k * x * y, 1.0 - k * y * y, y], [-x, -y, z]])
