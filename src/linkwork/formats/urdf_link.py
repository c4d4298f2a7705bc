"""A <link> of a URDF as plain data: mass properties in the link frame, shapes to see and shapes to touch.

The tensor of <inertia> is taken about the centre of mass along the axes of the inertial <origin>. With R the rotation of that
origin, the tensor along the link axes is R I R^T; the centre of mass is the position of the origin.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..spatial import Inertia, Pose
from . import urdf_fields as fields
from .urdf_schema import note_strangers, only

MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
# tag of a shape: (attribute, how many numbers), in the order of the arguments of its class in linkwork.parts
DIMENSIONS = {
    "box": (("size", 3),),
    "sphere": (("radius", 1),),
    "cylinder": (("radius", 1), ("length", 1)),
    "capsule": (("radius", 1), ("length", 1)),
}


@dataclass(slots=True)
class UrdfShape:
    """A shape of a link. `kind`: a key of DIMENSIONS, or "mesh"; `dimensions` in m, of a mesh its three scale factors."""

    element: Any
    kind: str
    dimensions: tuple[float, ...]
    origin: Pose
    filename: str | None = None


@dataclass(slots=True)
class UrdfLink:
    """A link. `inertia` in the link frame, None if massless."""

    element: Any
    name: str | None
    inertia: Inertia | None = None
    visuals: list[UrdfShape] = field(default_factory=list)
    collisions: list[UrdfShape] = field(default_factory=list)


def read_link(report, element, version):
    """A UrdfLink; fields whose text is faulty hold None or a default, and the report knows."""
    note_strangers(report, element)
    return UrdfLink(
        element=element,
        name=fields.text(report, element, "name"),
        inertia=_inertia(report, element, version),
        visuals=_shapes(report, element, "visual", version),
        collisions=_shapes(report, element, "collision", version),
    )


def _inertia(report, link, version):
    inertial = only(report, link, "inertial")
    if inertial is None:
        report.note(link, "no <inertial>: massless")
        return None
    origin = fields.pose(report, only(report, inertial, "origin"), version)
    mass, tensor = only(report, inertial, "mass"), only(report, inertial, "inertia")
    for found, form in ((mass, '<mass value="..."/>'), (tensor, '<inertia ixx="..." ixy="..." .../>')):
        if found is None:
            report.fault(inertial, f"{form} is missing; leave out the whole <inertial> for a massless link")
    if mass is None or tensor is None:
        return None
    kilograms = fields.number(report, mass, "value")
    moments = [fields.number(report, tensor, name) for name in MOMENTS]
    if kilograms is None or None in moments:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        inertia = Inertia(kilograms, tensor=moments).transformed(origin)
    if not np.isfinite(inertia.tensor).all():
        report.fault(tensor, "the moments are too large to be turned to the link axes")
        return None
    return _noted(report, inertial, inertia)


def _noted(report, element, inertia):
    """Mass properties that no body can have are kept, with a note: many robots have such links, mostly where it does not matter."""
    if inertia.is_massless:
        report.note(element, "mass and moments are zero: massless")
        return None
    if not inertia.tensor.any():
        report.note(element, f"mass {inertia.mass:g} kg without moments of inertia: kept, a point mass")
    for fault in inertia.faults(strict=False):
        report.note(element, f"taken as it is (unphysical=True): {fault}")
    return inertia


def _shapes(report, link, tag, version):
    found = (_shape(report, element, version) for element in link.findall(tag))
    return [shape for shape in found if shape is not None]


def _shape(report, element, version):
    note_strangers(report, element)
    origin = fields.pose(report, only(report, element, "origin"), version)
    geometry = only(report, element, "geometry")
    if geometry is None:
        report.fault(element, "<geometry> is missing")
        return None
    solids = [child for child in geometry if child.tag in (*DIMENSIONS, "mesh")]
    if not solids:
        report.fault(geometry, f"no shape in it; allowed are {', '.join(DIMENSIONS)} and mesh")
        return None
    for extra in solids[1:]:
        report.note(extra, "ignored: a geometry has one shape, the first", matters=True)
    solid = solids[0]
    note_strangers(report, solid)
    filename = fields.text(report, solid, "filename") if solid.tag == "mesh" else None
    dimensions = _dimensions(report, solid)
    if dimensions is None:
        return None
    if 0.0 in dimensions or (solid.tag != "mesh" and min(dimensions) < 0.0):  # a negative factor mirrors a mesh
        listed = ", ".join(f"{value:g}" for value in dimensions)
        report.note(solid, f"ignored: dimensions or factors ({listed}) leave it no volume", matters=element.tag == "collision")
        return None
    return UrdfShape(solid, solid.tag, dimensions, origin, filename)


def _dimensions(report, solid):
    """The numbers of a shape, or None after a fault."""
    if solid.tag == "mesh":
        return fields.vector(report, solid, "scale", 3, (1.0, 1.0, 1.0))
    values = [fields.vector(report, solid, attribute, size) for attribute, size in DIMENSIONS[solid.tag]]
    return None if None in values else tuple(number for value in values for number in value)
