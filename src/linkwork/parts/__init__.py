"""What a person assembles: mechanisms of bodies, joints and frames; shapes and joint kinds."""

from typing import TYPE_CHECKING

from ..lazy import lazily
from . import constraints, forces, joints

if TYPE_CHECKING:
    from .applied_force import AppliedForce
    from .body import Body, Ground
    from .constraint import Constraint
    from .constraints import *  # noqa: F403
    from .controller import Controller, controller
    from .faults import Fault
    from .forces import *  # noqa: F403
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
    from .shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Floor, HeightField, Mesh, MeshFile, Shape, Sphere
    from .surface import Surface
    from .touching import TouchRule
    from .tree_text import tree_text

__getattr__, __dir__, __all__ = lazily(
    __name__,
    {
        "applied_force": "AppliedForce",
        "body": "Body Ground",
        "constraint": "Constraint",
        "controller": "Controller controller",
        "faults": "Fault",
        "frame": "Frame",
        "graph": "TreeEdge spanning_forest",
        "joint": "Joint",
        "mechanism": "Mechanism",
        "part": "Part",
        "place": "Place",
        "shapes": "Box Capsule Cone Cylinder Ellipsoid Floor HeightField Mesh MeshFile Shape Sphere",
        "surface": "Surface",
        "touching": "TouchRule",
        "tree_text": "tree_text",
        **{kinds.__name__.rpartition(".")[2]: " ".join(kinds.__all__) for kinds in (joints, constraints, forces)},
    },
)
