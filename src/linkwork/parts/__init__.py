"""What a person assembles: mechanisms of bodies, joints and frames; shapes and joint kinds."""

from .applied_force import AppliedForce
from .body import Body, Ground
from .constraint import Constraint
from .constraints import *  # noqa: F403
from .constraints import __all__ as _constraints
from .controller import Controller, controller
from .faults import Fault
from .forces import *  # noqa: F403
from .forces import __all__ as _forces
from .frame import Frame
from .graph import TreeEdge, spanning_forest
from .joint import Joint
from .joints import (
    Custom,
    Cylindrical,
    Element,
    Free,
    JointKind,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Translational,
    Universal,
    Weld,
)
from .mechanism import Mechanism
from .part import Part
from .place import Place
from .shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, MeshFile, Shape, Sphere
from .tree_text import tree_text

__all__ = [
    "AppliedForce",
    "Body",
    "Box",
    "Capsule",
    "Cone",
    "Constraint",
    "Controller",
    "Custom",
    "Cylinder",
    "Cylindrical",
    "Element",
    "Ellipsoid",
    "Fault",
    "Frame",
    "Free",
    "Ground",
    "Joint",
    "JointKind",
    "Mechanism",
    "Mesh",
    "MeshFile",
    "Part",
    "Place",
    "Planar",
    "Prismatic",
    "Revolute",
    "Screw",
    "Shape",
    "Sphere",
    "Spherical",
    "Translational",
    "TreeEdge",
    "Universal",
    "Weld",
    "controller",
    "spanning_forest",
    "tree_text",
    *_constraints,
    *_forces,
]
