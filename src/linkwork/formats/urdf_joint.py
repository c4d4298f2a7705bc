"""A <joint> of a URDF as plain data. The joint frame is `origin` in the parent link; it coincides with the child link at q = 0.

    revolute, continuous   turns about `axis` (joint frame); continuous has no range
    prismatic              slides along `axis`
    planar                 slides in the plane normal to `axis` and turns about it
    floating, fixed        all six freedoms, none

Units: m or rad for lower and upper, m/s or rad/s for velocity, N or N m for effort, N s/m or N m s/rad for damping.
"""

import math
from dataclasses import dataclass
from typing import Any

from ..spatial import Pose
from . import urdf_fields as fields
from .urdf_report import shown
from .urdf_schema import note_strangers, only

AXIAL = ("revolute", "continuous", "prismatic")
TYPES = (*AXIAL, "fixed", "planar", "floating")


@dataclass(slots=True)
class Limits:
    """Range and greatest speed and effort of one coordinate; infinite where there is none."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf


@dataclass(slots=True)
class UrdfJoint:
    """A joint. `origin`: pose of the joint frame in the parent link; `axis`: unit vector; `mimic`: (joint, multiplier, offset)."""

    element: Any
    name: str | None
    type: str | None
    parent: str | None
    child: str | None
    origin: Pose
    axis: tuple[float, float, float] | None
    limits: Limits
    damping: float
    friction: float
    mimic: tuple[str, float, float] | None


def read_joint(report, element, version):
    """A UrdfJoint; fields whose text is faulty hold None or a default, and the report knows."""
    note_strangers(report, element)
    kind = fields.text(report, element, "type")
    if kind is not None and kind not in TYPES:
        report.fault(element, f"type is {shown(kind)}; allowed are {', '.join(TYPES)}")
    damping, friction = _dynamics(report, element, kind)
    return UrdfJoint(
        element=element,
        name=fields.text(report, element, "name"),
        type=kind,
        parent=_link_name(report, element, "parent"),
        child=_link_name(report, element, "child"),
        origin=fields.pose(report, only(report, element, "origin"), version),
        axis=_axis(report, element, kind),
        limits=_limits(report, element, kind, version),
        damping=damping,
        friction=friction,
        mimic=_mimic(report, element, kind),
    )


def _link_name(report, joint, tag):
    element = only(report, joint, tag)
    if element is None:
        report.fault(joint, f'<{tag} link="..."/> is missing')
        return None
    return fields.text(report, element, "link")


def _axis(report, joint, kind):
    element = only(report, joint, "axis")
    if element is None:
        return (1.0, 0.0, 0.0)
    if kind in ("fixed", "floating"):
        report.note(element, f"ignored: a {kind} joint has no axis")
        return (1.0, 0.0, 0.0)
    axis = fields.vector(report, element, "xyz", 3)
    if axis is None:
        return None
    largest = max(map(abs, axis))
    if largest == 0.0:
        report.fault(element, "the axis is zero; a direction is needed")
        return None
    scaled = [a / largest for a in axis]  # so that squares neither overflow nor vanish
    length = math.hypot(*scaled)
    if abs(length * largest - 1.0) > 1e-3:  # files round their axes to a few digits
        report.note(element, f"axis of length {length * largest:.6g} scaled to 1")
    return tuple(a / length for a in scaled)


def _limits(report, joint, kind, version):
    element = only(report, joint, "limit")
    if element is None:
        if kind in ("revolute", "prismatic"):
            report.note(joint, f"no <limit>, which the standard demands of a {kind} joint: taken as no limit", matters=True)
        return Limits()
    if kind not in AXIAL:
        why = "a fixed joint does not move" if kind == "fixed" else f"the standard does not say which freedom of a {kind} joint it limits"
        report.note(element, f"ignored: {why}", matters=kind != "fixed")
        return Limits()
    limits = Limits(
        velocity=_most(report, element, "velocity", version),
        effort=_most(report, element, "effort", version),
    )
    if kind == "continuous":
        if element.get("lower") is not None or element.get("upper") is not None:
            report.note(element, "lower and upper ignored: a continuous joint has no range", matters=True)
    else:
        limits.lower, limits.upper = _range(report, element, version)
    return limits


def _most(report, element, attribute, version):
    """Velocity and effort: version 1.0 demands them, 1.2 takes a missing one as no limit."""
    if element.get(attribute) is None and version < (1, 2):
        report.note(element, f"no {attribute}, which the standard demands: taken as no limit", matters=True)
    return fields.number(report, element, attribute, math.inf)


def _range(report, element, version):
    """lower and upper: a missing one is 0 by the standard; version 1.2 demands them, so there a missing one is no limit."""
    missing = [name for name in ("lower", "upper") if element.get(name) is None]
    if missing and version >= (1, 2):
        report.note(element, f"no {' and '.join(missing)}, which version 1.2 demands: taken as no limit", matters=True)
    elif missing:
        held = ", so the joint is held at 0" if len(missing) == 2 else ""
        report.note(element, f"no {' and '.join(missing)}: 0 by the standard{held}", matters=bool(held))
    default = 0.0 if version < (1, 2) else math.inf
    lower = fields.number(report, element, "lower", -default)
    upper = fields.number(report, element, "upper", default)
    if lower is not None and upper is not None and lower > upper:
        report.note(element, f"lower {lower:g} is above upper {upper:g}: kept, but build() refuses it")
    return lower, upper


def _dynamics(report, joint, kind):
    element = only(report, joint, "dynamics")
    if element is None:
        return 0.0, 0.0
    damping = fields.number(report, element, "damping", 0.0)
    friction = fields.number(report, element, "friction", 0.0)
    if kind in AXIAL or kind is None:
        return damping, friction
    acts = kind != "fixed" and (damping or friction)
    why = "a fixed joint does not move" if kind == "fixed" else f"the standard gives a {kind} joint no unit of damping or friction"
    report.note(element, f"ignored: {why}", matters=bool(acts))
    return 0.0, 0.0


def _mimic(report, joint, kind):
    """q = multiplier * q(joint) + offset."""
    element = only(report, joint, "mimic")
    if element is None:
        return None
    leader = fields.text(report, element, "joint")
    multiplier = fields.number(report, element, "multiplier", 1.0)
    offset = fields.number(report, element, "offset", 0.0)
    if leader is not None and leader == joint.get("name"):
        report.fault(element, "the joint mimics itself; name the joint that leads")
    if kind not in AXIAL:
        report.note(element, f"ignored: a {kind} joint has no single coordinate to follow another", matters=kind != "fixed")
        return None
    return leader, multiplier, offset
