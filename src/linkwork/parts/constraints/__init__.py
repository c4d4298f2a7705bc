"""Constraint kinds, a family a file; each file opens with its equations."""

from typing import TYPE_CHECKING

from ...lazy import lazily

if TYPE_CHECKING:
    from .coupling import Coupling, Drive, Gear, Rack, ScrewCoupling, SpeedDrive
    from .kind import ConstraintKind
    from .lock import Lock
    from .measure import Angle, Distance
    from .places import Coincident, FollowPath, Nail, ParallelAxes, PointOnLine, PointOnPlane, SameOrientation
    from .relation import Relation
    from .rolling import KnifeEdge, RollingBall, RollingDisc

__getattr__, __dir__, __all__ = lazily(
    __name__,
    {
        "coupling": "Coupling Drive Gear Rack ScrewCoupling SpeedDrive",
        "kind": "ConstraintKind",
        "lock": "Lock",
        "measure": "Angle Distance",
        "places": "Coincident FollowPath Nail ParallelAxes PointOnLine PointOnPlane SameOrientation",
        "relation": "Relation",
        "rolling": "KnifeEdge RollingBall RollingDisc",
    },
)
