"""What is shown, and how: the options that `draw` and `animate` share, and what follows from them for a figure."""

from typing import Any, NamedTuple

import numpy as np

from ..errors import ModelError
from ..parts.validation import refuse
from .camera import Camera
from .figure import Figure
from .fit import extent
from .floors import level_height
from .stack import Stack


class Look(NamedTuple):
    """The options that `draw` explains, as they were given."""

    colors: Any = None
    joints: bool = True
    frames: Any = ()
    labels: bool = False
    floor: Any = True
    shadow: bool = True

    def figure(self, model, q):
        """The Figure of a model; tells what could not be shown."""
        figure = Figure(model, q, colors=self.colors, joints=self.joints, frames=self.frames)
        figure.warn()
        return figure

    def view(self, camera, size, floor):
        """The View on a floor (x, y, height), or None."""
        return View(camera, size, floor, self.shadow, self.labels)


class View(NamedTuple):
    """Where a scene is seen from, and what is seen beside the figure.

    size: width and height in pixels. floor: (x, y, height) of its middle, or None.
    """

    camera: Camera
    size: tuple
    floor: tuple | None = None
    shadow: bool = True
    labels: bool = False


class MovingFigure(NamedTuple):
    """A figure on its way: its stack of faces, times (n,) in s, and the kinematics of all of these moments."""

    figure: Figure
    stack: Stack
    times: np.ndarray
    kinematics: Any


def floor_of(figure, q, floor):
    """(x, y, height) of the floor's middle, or None: that of the mechanism if it has one. Not above anything that moves, if the height is ours to choose."""
    if floor is False or floor is None:
        return None
    points = extent(figure, q)
    lowest = float(points[:, 2].min())
    own = level_height(figure.floors)
    if floor is True and figure.floors and own is None:
        return None  # all its floors slope, and are drawn as slabs
    if floor is True and own is not None:
        height = own
    elif floor is True:
        height = 0.0 if -0.02 * figure.size <= lowest <= 0.5 * figure.size else lowest - 0.02 * figure.size
    elif isinstance(floor, (int, float, np.number)) and np.isfinite(floor):
        height = float(floor)
        if lowest < height - 1e-9 * figure.size:
            raise ModelError(
                f"draw: the floor is at {height:g} m, but the mechanism reaches down to {lowest:g} m; "
                "allowed is a floor below all of it; give a lower one, or True"
            )
    else:
        raise refuse("draw", "floor", floor, "give a height in m, True or False")
    return (*(0.5 * (points.min(axis=0) + points.max(axis=0)))[:2].tolist(), height)
