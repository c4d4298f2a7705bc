"""Actions as Python text: what a person did on the page, as lines that do the same in a script."""

import dataclasses
import math

import numpy as np

from ..integrators.method import Integrator
from ..parts.constraints.kind import ConstraintKind
from ..parts.constraints.law import CONSTANT, Law
from ..parts.forces.kind import ForceKind
from ..parts.joints.kind import OPTIONS, JointKind
from ..parts.part import Part
from ..parts.place import Place
from ..parts.shapes import Shape
from ..spatial.pose import Pose


def call_text(owner, method, args, kwargs):
    """live.add_joint('pivot', lw.Revolute(axis=(0, 1, 0)), 'ground', 'rod') and the like."""
    given = [value_text(value) for value in args] + [f"{name}={value_text(value)}" for name, value in kwargs.items()]
    return f"{owner}.{method}({', '.join(given)})"


def value_text(value):
    """A value as Python writes it, with `lw.` before the names of Linkwork."""
    if isinstance(value, Part):
        return repr(value.name)
    if isinstance(value, Place):
        return repr(value.name) if value.pose == Pose() else f"lw.Place({value.name!r}, {value_text(value.pose)})"
    if isinstance(value, Pose):
        return _pose_text(value)
    if isinstance(value, Law):
        return _number_text(value.value) if value.kind == CONSTANT else "..."
    if isinstance(value, np.ndarray):
        return value_text(value.tolist())
    if isinstance(value, np.generic):
        return value_text(value.item())
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return repr(value)
    if isinstance(value, (int, float)):
        return _number_text(value)
    if isinstance(value, (list, tuple)):
        inside = ", ".join(value_text(entry) for entry in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{value_text(key)}: {value_text(entry)}" for key, entry in value.items()) + "}"
    if dataclasses.is_dataclass(value) and isinstance(value, (JointKind, ConstraintKind, ForceKind, Shape, Integrator)):
        return _kind_text(value)
    return f"...  # a {type(value).__name__}"


def _number_text(value):
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        return f"{int(value)}.0"
    return repr(value)


def _pose_text(pose):
    p = value_text(tuple(pose.translation.tolist()))
    turned = not np.array_equal(pose.rotation, np.eye(3))
    return f"lw.Pose({p}, {value_text(tuple(pose.quaternion.tolist()))})" if turned else f"lw.Pose({p})"


def _kind_text(kind):
    """A kind with the fields that were given; those at their defaults are left out."""
    shown = []
    for field in sorted(dataclasses.fields(kind), key=lambda field: field.name in OPTIONS):
        if not field.init:
            continue
        value = getattr(kind, field.name)
        default = field.default
        if isinstance(value, Law) and value.kind == CONSTANT:
            value = value.value
        if isinstance(kind, JointKind) and field.name in OPTIONS:
            if value == (default,) * kind.nv:
                continue
            value = value[0] if len(set(value)) == 1 else value
        elif default is not dataclasses.MISSING and type(value) is type(default) and bool(np.all(value == default)):
            continue
        elif field.default_factory is not dataclasses.MISSING and value == field.default_factory():
            continue
        shown.append(f"{field.name}={value_text(value)}")
    return f"lw.{type(kind).__name__}({', '.join(shown)})"
