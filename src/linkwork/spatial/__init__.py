"""The spatial vocabulary: rotations, poses, motion and force vectors, inertias. It knows no models."""

from .pose import Pose
from .rigid_inertia import Inertia
from .solids import Solid
from .twist import Force, Motion, ScrewAxis

__all__ = ["Force", "Inertia", "Motion", "Pose", "ScrewAxis", "Solid"]
