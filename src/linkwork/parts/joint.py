"""A joint: a kind of motion between a place on its parent and a place on its child."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..errors import ModelError
from ..spatial.pose import Pose
from .joints.kind import JointKind
from .part import Part
from .place import Place

if TYPE_CHECKING:
    from .mechanism import Mechanism


class Joint(Part):
    """Holds two places together so that X_J(q) of its kind is the pose of the child's place in the parent's.

    With q: X_parent_child = parent_pose @ X_J(q) @ child_pose.inverse().

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> pivot = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, m.add_body("bob", mass=1.0))
    >>> pivot.name, pivot.kind.nv, str(pivot.child.part)
    ('pivot', 1, 'bob')
    """

    role = "joint"
    fields: ClassVar = ("kind", "parent", "child", "prefer_cut")

    kind: JointKind
    parent: Place
    child: Place
    prefer_cut: bool
    automatic: bool

    def __init__(
        self,
        name: str,
        kind: JointKind,
        parent: Place,
        child: Place,
        owner: Mechanism | None = None,
        prefer_cut: bool = False,
        automatic: bool = False,
    ) -> None:
        super().__init__(name, {"kind": kind, "parent": parent, "child": child, "prefer_cut": prefer_cut, "automatic": automatic}, owner)

    @property
    def parent_body(self) -> str:
        """Name of the body (or ground) that the parent's place is on, found through frames."""
        return self._end("parent")[0]

    @property
    def child_body(self) -> str:
        """Name of the body (or ground) that the child's place is on, found through frames."""
        return self._end("child")[0]

    @property
    def parent_pose(self) -> Pose:
        """Pose of the joint frame in the parent body, X_PF."""
        return self._end("parent")[1]

    @property
    def child_pose(self) -> Pose:
        """Pose of the joint frame in the child body, X_CF."""
        return self._end("child")[1]

    def _end(self, side: str) -> tuple[str, Pose]:
        if self._owner is None:
            raise ModelError(
                f"{self} belongs to no mechanism (it was removed, or copied alone), so its {side} cannot be found; add it to one"
            )
        body, pose, problem = self._owner._registry.trace(getattr(self, side))
        if problem is not None:
            raise problem(f"{self}: its {side}")
        return body, pose
