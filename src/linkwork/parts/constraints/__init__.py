"""Constraint kinds, a family a file; each file opens with its equations."""

from .coupling import Coupling, Drive, Gear, Rack, ScrewCoupling, SpeedDrive
from .kind import ConstraintKind
from .lock import Lock

__all__ = ["ConstraintKind", "Coupling", "Drive", "Gear", "Lock", "Rack", "ScrewCoupling", "SpeedDrive"]
