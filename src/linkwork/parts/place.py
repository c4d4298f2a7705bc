"""A place: a pose on a body or a frame. Joints hold places together."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..errors import ModelError
from ..spatial.checks import frozen
from ..spatial.pose import Pose
from .part import Named, Part
from .validation import number, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .body import Body
    from .frame import Frame

IDENTITY = Pose()
_UNTURNED = IDENTITY.rotation
_NEEDED = "give x, y, z, or (x, y, z), or a Pose, or nothing for the origin"


@dataclass(frozen=True, slots=True)
class Place:
    """A pose on a part. `part`: a body, ground or a frame, or its name; a mechanism keeps the name. `pose`: X of the place in that part.

    >>> import linkwork as lw
    >>> lw.Place("rod", lw.Pose((0, 0, 0.5)))
    Place('rod', Pose((0, 0, 0.5)))
    """

    part: str | Body | Frame
    pose: Pose = IDENTITY

    def __post_init__(self) -> None:
        if not isinstance(self.part, str) and not (isinstance(self.part, Part) and hasattr(self.part, "at")):
            raise refuse("Place", "part", self.part, "give a body, a frame or ground, or the name of one")
        if not isinstance(self.pose, Pose):
            object.__setattr__(self, "pose", pose_from("Place", (self.pose,), None))

    @property
    def name(self) -> str:
        """Name of the part that the place is on."""
        return self.part if isinstance(self.part, str) else self.part.name

    def __deepcopy__(self, memo: Any) -> Self:
        return self if isinstance(self.part, str) else Place(copy.deepcopy(self.part, memo), self.pose)

    def __repr__(self) -> str:
        return f"Place({self.name!r}, {self.pose!r})"


def part_name(given: Any, what: str) -> str:
    """The name of a part that is given as itself or by its name; `what`: how messages call it. A place is no part: its pose is never left out.

    What is neither is returned as it is, for the look-up of names to refuse.
    """
    if isinstance(given, Place):
        raise ModelError(
            f"{what}: found a place on {given.name!r}, whose pose would be ignored; allowed is a {what} or its name (places stand for frames); give that"
        )
    return given.name if isinstance(given, Named) else given


def pose_from(owner: Any, where: tuple[Any, ...], rotation: Any) -> Pose:
    """The pose that at(...) describes; `owner` is the part in words. Translations that are not finite are judged later, by faults()."""
    try:
        if rotation is None:
            return _unturned(owner, where)
        if isinstance(rotation, Pose):
            if np.any(rotation.translation):
                raise refuse(owner, "rotation", rotation, "a rotation has no translation; give the pose alone, or its rotation")
            rotation = rotation.rotation
        return _unturned(owner, where) @ Pose((0.0, 0.0, 0.0), rotation)
    except (ModelError, TypeError, ValueError) as error:
        if str(error).startswith(f"{owner}: "):
            raise
        raise ModelError(f"{owner}: {error}") from error


def _unturned(owner: Any, where: tuple[Any, ...]) -> Pose:
    if len(where) == 3:
        x, y, z = where
    elif len(where) == 1:
        if isinstance(where[0], Pose):
            return where[0]
        if np.ndim(where[0]) != 1 or len(where[0]) != 3:
            raise refuse(owner, "a place", where[0], _NEEDED)
        x, y, z = where[0]
    elif not where:
        return IDENTITY
    else:
        raise refuse(owner, "a place", where, f"it has {len(where)} entries, {_NEEDED}")
    point = np.array((number(x, owner, "x of a place"), number(y, owner, "y of a place"), number(z, owner, "z of a place")))
    pose = object.__new__(Pose)
    pose._set(_UNTURNED, frozen(point))
    return pose


def pose_faults(pose: Pose) -> Iterator[Any]:
    """What is wrong with a pose that was given, if anything."""
    x, y, z = pose.translation.tolist()
    # Sums of finite numbers can overflow, but such numbers are no lengths.
    if not abs(x) + abs(y) + abs(z) < np.inf:
        yield f"has the translation ({x:g}, {y:g}, {z:g}) m; allowed are finite numbers; correct it"
