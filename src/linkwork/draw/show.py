"""`draw`: a picture of a mechanism in one pose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..parts.validation import refuse, sequence
from .camera import Camera
from .figure import model_of
from .fit import fitted
from .look import Look, floor_of
from .picture import SUFFIXES, Picture, suffix_of, writable
from .poses import configuration
from .scene import marks_of
from .stack import Stack

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from numpy.typing import ArrayLike

    from ..model.model import Model
    from ..parts.mechanism import Mechanism

LARGEST = 8192


# parameters: a public function; all but the pose and the path are options of the picture, given by name
def draw(
    model: Mechanism | Model,
    q: ArrayLike | None = None,
    path: str | PathLike[str] | None = None,
    camera: Camera | None = None,
    size: tuple[int, int] = (960, 720),
    *,
    colors: Mapping[Any, str] | None = None,
    joints: bool = True,
    frames: Iterable[Any] | bool = (),
    labels: bool = False,
    floor: float | bool = True,
    shadow: bool = True,
    trails: Iterable[ArrayLike] = (),
) -> Picture:
    """A picture of a mechanism: hidden surfaces by depth order, flat shading; no graphics card, no browser.

    Args:
        model: a Mechanism or a Model, drawn with its shapes; bodies without any as rods between joints, or boxes of equal inertia.
        q: (nq,); without it all joints at zero, loops closed from there.
        path: where to save it, .svg or .png; it is returned in any case, and a notebook shows it.
        camera: a Camera; by default Camera.around(model, q).
        size: width and height in pixels.
        colors: {body: "#rrggbb"}, bodies not named take one from the palette.
        joints: False leaves out the signs of joints.
        frames: frames, bodies, names of them, or places, whose axes are drawn, x red, y green, z blue; True: all frames.
        labels: True writes the names of bodies.
        floor: a height in m, False for none, True for the mechanism's own (a Floor of the ground) or else one below it (0 if nothing is below that).
        shadow: False leaves out the shadow on the floor.
        trails: lines in the world, each (n, 3), such as the path of a point.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", shape=lw.Sphere(0.1, at=(0, 0, -1.0)), mass=1.0)
    >>> _ = m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, bob)
    >>> lw.draw(m, [0.3]).svg()[:4]
    '<svg'
    """
    if path is not None:
        suffix_of(path, SUFFIXES, "draw")
        writable(path)
    size = checked_size(size)
    built = model_of(model)
    pose = configuration(built, q)
    look = Look(colors, joints, frames, labels, floor, shadow)
    figure = look.figure(built, pose)
    paths = checked_trails(trails)
    camera = fitted(figure, pose[None], size=size, also=paths) if camera is None else checked_camera(camera)
    view = look.view(camera, size, floor_of(figure, pose[None], floor))
    found = forward_kinematics(built, pose)
    marks, names = marks_of(figure, Stack(figure.pieces), found.rotations, found.positions, view, paths)
    picture = Picture(marks, names, size, built.name, camera)
    return picture if path is None else picture.save(path)


def checked_size(size: tuple[int, int]) -> tuple[int, int]:
    """(width, height) as two whole numbers."""
    try:
        width, height = (int(x) for x in size)
        good = all(float(x) == int(x) for x in size) and 16 <= min(width, height) and max(width, height) <= LARGEST
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise refuse("draw", "size", size, f"give width and height in pixels, whole numbers from 16 to {LARGEST}")
    return width, height


def checked_camera(camera: Any) -> Any:
    if not isinstance(camera, Camera):
        raise refuse("draw", "camera", camera, "give a Camera, such as Camera(eye=(2, -3, 1)) or Camera.around(model, q)")
    return camera


def checked_trails(trails: Any) -> list[Any]:
    made = []
    for trail in sequence(trails, "draw", "trails", "give a list of arrays of points (n, 3)"):
        try:
            points = np.asarray(trail, dtype=float)
        except (TypeError, ValueError):
            points = np.zeros(0)
        if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
            raise refuse("draw", "an entry of trails", trail, "give finite points of the world, (n, 3)")
        made.append(points)
    return made
