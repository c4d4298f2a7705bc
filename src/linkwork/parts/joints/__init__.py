"""The joint kinds, one a file."""

from typing import TYPE_CHECKING

from ...lazy import lazily

if TYPE_CHECKING:
    from .custom import Custom
    from .cylindrical import Cylindrical
    from .free import Free
    from .kind import Element, JointKind
    from .planar import Planar
    from .prismatic import Prismatic
    from .revolute import Revolute
    from .screw import Screw
    from .spherical import Spherical
    from .translational import Translational
    from .universal import Universal
    from .weld import Weld

__getattr__, __dir__, __all__ = lazily(
    __name__,
    {
        "custom": "Custom",
        "cylindrical": "Cylindrical",
        "free": "Free",
        "kind": "Element JointKind",
        "planar": "Planar",
        "prismatic": "Prismatic",
        "revolute": "Revolute",
        "screw": "Screw",
        "spherical": "Spherical",
        "translational": "Translational",
        "universal": "Universal",
        "weld": "Weld",
    },
)
