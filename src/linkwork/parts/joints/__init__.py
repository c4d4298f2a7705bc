"""The joint kinds, one a file."""

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

__all__ = [
    "Custom",
    "Cylindrical",
    "Element",
    "Free",
    "JointKind",
    "Planar",
    "Prismatic",
    "Revolute",
    "Screw",
    "Spherical",
    "Translational",
    "Universal",
    "Weld",
]
