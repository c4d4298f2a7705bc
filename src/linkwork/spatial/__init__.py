"""The spatial vocabulary: rotations, poses, motion and force vectors, inertias. It knows no models."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .pose import Pose
    from .rigid_inertia import Inertia
    from .solids import Solid
    from .twist import Force, Motion, ScrewAxis

__getattr__, __dir__, __all__ = lazily(
    __name__,
    {
        "pose": "Pose",
        "rigid_inertia": "Inertia",
        "solids": "Solid",
        "twist": "Force Motion ScrewAxis",
    },
)
