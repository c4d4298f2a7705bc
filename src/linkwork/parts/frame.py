"""A frame: a named place on a body, to hold joints, to measure, to draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import ModelError
from ..spatial.pose import Pose
from .part import Part
from .place import Place, pose_from

if TYPE_CHECKING:
    from .mechanism import Mechanism


class Frame(Part):
    """A named coordinate system fixed in a body. `place` may stand on another frame.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("arm")
    >>> arm = m.add_body("arm", mass=1.0)
    >>> hand = m.add_frame("hand", arm.at(0.5, 0, 0))
    >>> hand.place
    Place('arm', Pose((0.5, 0, 0)))
    """

    role = "frame"
    fields: ClassVar = ("place",)

    place: Place

    def __init__(self, name: str, place: Place, owner: Mechanism | None = None) -> None:
        super().__init__(name, {"place": place}, owner)

    def at(self, *where: Any, rotation: Any = None) -> Place:
        """A place relative to this frame; arguments as for Body.at."""
        return Place(self, pose_from(str(self), where, rotation))

    @property
    def body(self) -> str:
        """Name of the body (or ground) that carries the frame."""
        return self._found()[0]

    @property
    def pose(self) -> Pose:
        """Pose of the frame in its body, X_BF."""
        return self._found()[1]

    def _found(self) -> tuple[str, Pose]:
        if self._owner is None:
            raise ModelError(
                f"{self} belongs to no mechanism (it was removed, or copied alone), so its body cannot be found; add it to one"
            )
        body, pose, problem = self._owner._registry.trace(self.place)
        if problem is not None:
            raise problem(f"{self}: its place")
        return body, pose
