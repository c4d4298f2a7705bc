"""What can be edited of a part: its fields in groups, and how a group is put into effect."""

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import linkwork as lw

from .fields import OPTIONS, Field, field_of, fields_of
from .tools import TOOLS
from .touching import RANGES, change_surface, surface_of

KIND = "Kind"
FLY, STAY = "fly together", "stay where they are"
JOINT_KINDS = {tool.label: type(tool.kind) for tool in TOOLS if tool.role == "joint"}
TURN = "turn"  # w x y z


class Group(NamedTuple):
    """Fields that are sent together. apply(live, name, values) puts them into effect. title: None for those that matter most."""

    title: str | None
    fields: list[Field]
    apply: Callable
    open: bool = True


def groups_of(mechanism, part) -> list[Group]:
    """The groups of fields of a part, those that matter most first."""
    if part.role == "body":
        return [Group(None, _mass_fields(part), _change_mass), *_shape_groups(part)]
    if part.role == "frame":
        return [Group(None, _place_fields(mechanism, {"place": part.place}), _change_places)]
    if part.role not in ("joint", "constraint", "force"):
        return []
    fields = fields_of(part.kind)
    options = [field for field in fields if part.role == "joint" and field.name in OPTIONS]
    first = [field for field in fields if field not in options]
    if part.role == "force":
        first.append(field_of("on", part.on))
    sides = ("parent", "child") if part.role == "joint" else ("a", "b")
    places = {side: getattr(part, side) for side in sides if getattr(part, side) is not None}
    groups = [Group(None, first, _change_kind)] if first else []
    if part.role == "joint":
        groups.append(Group(KIND, _joint_kind_fields(part.kind), change_joint_kind))
    if places:
        groups.append(Group("Places", _place_fields(mechanism, places), _change_places, open=False))
    if options and part.kind.nv:
        groups.append(Group("Limits, damping, drive", [*options, field_of("prefer_cut", part.prefer_cut)], _change_kind, open=False))
    return groups


def sliders_of(part, mechanism=None) -> list[Field]:
    """Numbers of a force that may be changed while it acts; how rough and how elastic a body is, where bodies touch."""
    if part is not None and part.role == "force":
        return [field for field in fields_of(part.kind) if field.form == "number"]
    if (
        part is not None
        and part.role == "body"
        and mechanism is not None
        and mechanism.touches
        and (part.collisions or part.shape is not None)
    ):
        surface = surface_of(mechanism, part.name)
        return [Field(name, getattr(surface, name), "number") for name in RANGES]
    return []


def range_of(part, field) -> tuple[float, float]:
    """Of the slider of a number: what is rough or elastic has a range of its own."""
    if part.role != "body":
        return slider_range(field.value)
    low, high = RANGES[field.name]
    return low, max(high, field.value)


def slider_range(value) -> tuple[float, float]:
    """From nothing to a few times the value; around 0 if it is 0."""
    size = abs(value) if value and np.isfinite(value) else 1.0
    top = float(f"{3.0 * size:.1g}")
    return (-top, top) if value <= 0.0 else (0.0, top)


# ---- bodies


def _mass_fields(body):
    fields = [Field("mass", body.mass, "number", optional=True), Field("density", body.density, "number", optional=True)]
    if body.inertia is not None or body.shape is None:
        tensor = None if body.inertia is None else tuple(body.inertia[i][j] for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
        fields = [fields[0], Field("com", body.com, "numbers", 3, optional=True), Field("inertia", tensor, "numbers", 6, optional=True)]
    return fields


def _change_mass(live, name, values):
    return live.change(name, **values)


def _shape_groups(body):
    if body.shape is None:
        return []
    dimensions = [field for field in fields_of(body.shape) if field.name not in ("at", "surface") and field.form != "fixed"]
    at = Field("at", tuple(body.shape.at.translation.tolist()), "numbers", 3)
    return [Group(type(body.shape).__name__, [*dimensions, at], _change_shape)]


def _change_shape(live, name, values):
    shape = live.mechanism.body(name).shape
    if "at" in values:
        values = {**values, "at": lw.Pose(values["at"], shape.at.rotation)}
    return live.change(name, shape=dataclasses.replace(shape, **values))


# ---- kinds


def _change_kind(live, name, values):
    part = live.mechanism.part(name)
    if part.role == "constraint":
        return live.change(name, kind=_replaced(part, values))
    return live.change(name, **values)


def _replaced(part, values):
    try:
        return dataclasses.replace(part.kind, **values)
    except (TypeError, ValueError) as error:
        raise lw.StudioError(f"{part}: {error}") from error


def _joint_kind_fields(kind):
    label = next((label for label, known in JOINT_KINDS.items() if type(kind) is known), type(kind).__name__)
    choices = tuple(JOINT_KINDS) if label in JOINT_KINDS else (*JOINT_KINDS, label)
    return [Field("kind", label, "choice", choices=choices), Field("parts", FLY, "choice", choices=(FLY, STAY))]


def change_joint_kind(live, name, values, agreed=frozenset()):
    """Another kind of joint, with the axis, limits and damping of the old one as far as it can have them. agreed: names of what may be removed,
    if it cannot go on; a DependentError if something else could not.
    """
    label = values.get("kind")
    if label is None:  # whether parts fly or stay is nothing by itself
        return None
    if label not in JOINT_KINDS:
        raise lw.StudioError(f"joint {name!r}: kind: found {label!r}; allowed are {', '.join(JOINT_KINDS)}; choose one of these")
    given = {"kind": JOINT_KINDS[label], "stay": values.get("parts") == STAY}
    try:
        return live.change(name, **given)
    except lw.DependentError as error:
        if not set(error.dependents) <= agreed:
            raise
        return live.change(name, **given, dependents=True)


def change_slider(live, name, field, value):
    """A number of a force, or of the surface of a body, as a slider draws it: many changes, one to undo."""
    if live.mechanism.part(name).role == "body":
        return change_surface(live, name, field, value)
    return live.change(name, **{field: value}, together=("slider", name, field))


# ---- places


def _place_fields(mechanism, places):
    names = ("ground", *(body.name for body in mechanism.bodies), *(frame.name for frame in mechanism.frames))
    fields = []
    for side, place in places.items():
        choices = names if place.name in names else (*names, place.name)
        fields.append(Field(side, place.name, "choice", choices=choices))
        fields.append(Field(f"{side} at", tuple(place.pose.translation.tolist()), "numbers", 3))
        fields.append(Field(f"{side} {TURN}", tuple(place.pose.quaternion.tolist()), "numbers", 4))
    return fields


def _change_places(live, name, values):
    part, changed = live.mechanism.part(name), {}
    for side in dict.fromkeys(field.split()[0] for field in values):
        place = getattr(part, side)
        at = values.get(f"{side} at", place.pose.translation)
        turn = values.get(f"{side} {TURN}", place.pose.quaternion)
        length = float(np.linalg.norm(turn))
        if not (np.isfinite(length) and length > 1e-9):
            raise lw.StudioError(f"{part}: {side} {TURN}: found {turn}; allowed is a quaternion w x y z other than 0; correct it")
        changed[side] = lw.Place(values.get(side, place.name), lw.Pose(at, np.asarray(turn, dtype=float) / length))
    return live.change(name, **changed)
