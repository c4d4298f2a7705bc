"""Constraint kinds, a family a file; each file opens with its equations."""

from .coupling import Coupling, Drive, Gear, Rack, ScrewCoupling, SpeedDrive
from .kind import ConstraintKind
from .lock import Lock
from .measure import Angle, Distance
from .places import Coincident, FollowPath, Nail, ParallelAxes, PointOnLine, PointOnPlane, SameOrientation
from .relation import Relation
from .rolling import KnifeEdge, RollingBall, RollingDisc

__all__ = [
    "Angle",
    "Coincident",
    "ConstraintKind",
    "Coupling",
    "Distance",
    "Drive",
    "FollowPath",
    "Gear",
    "KnifeEdge",
    "Lock",
    "Nail",
    "ParallelAxes",
    "PointOnLine",
    "PointOnPlane",
    "Rack",
    "Relation",
    "RollingBall",
    "RollingDisc",
    "SameOrientation",
    "ScrewCoupling",
    "SpeedDrive",
]
