"""A mechanism as plain data: what the native format says about it, part by part, before it becomes text.

The data are canonical: equal mechanisms give equal data, whatever the file looked like that they came from. So the difference of two of
them is what has changed (native_edit).
"""

import math

from ..errors import FormatError
from ..parts.applied_force import EVERY
from ..parts.registry import GROUND
from .native_kinds import CONSTRAINTS, FORCES, JOINTS, SHAPES, kind_to_table
from .native_numbers import encode_number, encode_text
from .native_poses import place_to_value
from .native_values import Writing, surface_to_table

VERSION = 1
GRAVITY = [0, 0, -9.81]


def mechanism_to_data(mechanism, writing=None):
    """{"name", "gravity", "roots", "contact", "touch", "ignore", "surface", "ground", "body": {name: {...}}, "frame", ...}; empty ones are left out."""
    writing = writing or Writing()
    _refuse_shared_names(mechanism)
    owner = f"mechanism {mechanism.name!r}"
    data = {
        "linkwork": VERSION,
        "name": encode_text(mechanism.name, owner, "its name"),
        "gravity": _numbers(mechanism.gravity, owner, "gravity"),
    }
    if mechanism._roots:
        data["roots"] = list(mechanism._roots)
    if mechanism.contact is not None:
        data["contact"] = mechanism.contact
    data |= _rules(mechanism.touch_rules, owner)
    if mechanism.surface is not None:
        data["surface"] = surface_to_table(mechanism.surface, owner)
    data["ground"] = _shapes(mechanism.ground, "ground", writing)
    for section, (attribute, write) in SECTIONS.items():
        parts = getattr(mechanism, attribute)
        data[section] = {encode_text(part.name, str(part), "its name"): write(part, writing) for part in parts}
    return {key: value for key, value in data.items() if value != {}}


def _rules(rules, owner):
    """{"touch": [["a", "b"], { a = "c", b = "d", surface = ... }], "ignore": [["e", "f"]]}"""
    data = {}
    for rule in rules:
        a, b = (encode_text(name, owner, f"a body of {rule}") for name in (rule.a, rule.b))
        entry = [a, b] if rule.surface is None else {"a": a, "b": b, "surface": surface_to_table(rule.surface, str(rule))}
        data.setdefault("touch" if rule.touches else "ignore", []).append(entry)
    return {key: data[key] for key in ("touch", "ignore") if key in data}


def body_to_table(body, writing):
    owner, table = str(body), {}
    if body.shape is not None:
        table["shape"] = kind_to_table(body.shape, SHAPES, owner, writing)
    for field in ("density", "mass"):
        if getattr(body, field) is not None:
            table[field] = encode_number(getattr(body, field), owner, field)
    if body.com is not None:
        table["com"] = _numbers(body.com, owner, "com")
    if body.inertia is not None:
        table["inertia"] = _tensor(body.inertia, owner)
    if body.unphysical:
        table["unphysical"] = True
    return table | _shapes(body, owner, writing)


def frame_to_table(frame, writing):
    place = place_to_value(frame.place, str(frame), "its place")
    return {"on": place} if isinstance(place, str) else place


def joint_to_table(joint, writing):
    owner = str(joint)
    kind = kind_to_table(joint.kind, JOINTS, owner, writing)
    places = {side: place_to_value(getattr(joint, side), owner, side) for side in ("parent", "child")}
    cut = {"prefer_cut": True} if joint.prefer_cut else {}
    return {"kind": kind.pop("kind"), **places, **kind, **cut}


def constraint_to_table(constraint, writing):
    owner = str(constraint)
    kind = kind_to_table(constraint.kind, CONSTRAINTS, owner, writing)
    return {"kind": kind.pop("kind"), **_held(constraint, owner, 0), **kind}


def force_to_table(force, writing):
    owner = str(force)
    kind = kind_to_table(force.kind, FORCES, owner, writing)
    return {"kind": kind.pop("kind"), **_held(force, owner, EVERY), **kind, **({} if force.on else {"on": False})}


def _held(part, owner, meant):
    """Joints or places. `meant`: the degree of freedom that a name alone stands for."""
    if part.joints:
        return {"joints": [_joint(joint, dof, owner, meant) for joint, dof in part.joints]}
    places = {side: getattr(part, side) for side in ("a", "b")}
    return {side: place_to_value(place, owner, side) for side, place in places.items() if place is not None}


def _joint(name, dof, owner, meant):
    name = encode_text(name, owner, "the name of a joint")
    return name if dof == meant else [name, dof]


def _shapes(body, owner, writing):
    lists = {what: [kind_to_table(shape, SHAPES, owner, writing) for shape in getattr(body, what)] for what in ("visuals", "collisions")}
    surface = {} if body.surface is None else {"surface": surface_to_table(body.surface, owner)}
    return surface | {what: shapes for what, shapes in lists.items() if shapes}


def _numbers(values, owner, what):
    return [encode_number(x, owner, what) for x in values]


def _tensor(rows, owner):
    """Three numbers if the tensor is diagonal, six if it is symmetric, else three rows."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rows = [_numbers(row, owner, "inertia") for row in rows]
    if [xy, xz, yz] != [yx, zx, zy] or repr([xy, xz, yz]) != repr([yx, zx, zy]):
        return rows
    zero = all(x == 0 and math.copysign(1.0, x) > 0.0 for x in (xy, xz, yz))
    return [xx, yy, zz] if zero else [xx, xy, xz, yy, yz, zz]


def _refuse_shared_names(mechanism):
    """A file has one part of a name."""
    for name, parts in mechanism._registry.shared_names():
        roles = " and ".join(part.role for part in parts) if name != GROUND else "ground and a part of yours"
        raise FormatError(
            f"mechanism {mechanism.name!r}: {len(parts)} parts are called {name!r} ({roles}); a file holds one part of a name; rename the others"
        )


# Sections of named parts: where the mechanism has them, and what writes one of them.
SECTIONS = {
    "body": ("bodies", body_to_table),
    "frame": ("frames", frame_to_table),
    "joint": ("joints", joint_to_table),
    "constraint": ("constraints", constraint_to_table),
    "force": ("forces", force_to_table),
}
