"""Kinds in the native format: a frozen dataclass as a table, by its fields.

    Revolute((0, 1, 0), damping=0.1)        kind = "revolute"
                                            axis = [0, 1, 0]
                                            damping = 0.1

A kind is named after its class: PointOnPlane is "point-on-plane". Its keys are the fields of the class; those at their default are left
out. Nothing here knows a particular kind: joints, shapes, constraints and whatever else is made of dataclasses differ in their registry.
"""

import math
import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields

import numpy as np

from ..errors import FormatError, LinkworkError
from ..parts import constraints, forces, joints, shapes
from .mesh_names import mesh_path
from .native_numbers import RefusalError
from .native_report import found, unknown
from .native_values import decode, encode, find_function, surface_from_table

_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Z])")
_FIELD = re.compile(r"\w+: (\w+)")


def kind_name(cls):
    """SpringDamper -> "spring-damper", RungeKutta4 -> "runge-kutta-4"."""
    return _written(cls.__name__)


def _written(name):
    return _WORDS.sub("-", name).lower()


class Kinds(Mapping):
    """The dataclasses of a package by their names in files. A class is loaded when it is asked for: a file names a few kinds of many."""

    def __init__(self, package, classes):
        self._package, self._classes = package, {_written(name): name for name in classes}

    def __getitem__(self, name):
        return getattr(self._package, self._classes[name])

    def __contains__(self, name):
        return name in self._classes

    def __iter__(self):
        return iter(self._classes)

    def __len__(self):
        return len(self._classes)


JOINTS = Kinds(joints, [name for name in joints.__all__ if name not in ("Element", "JointKind")])
CONSTRAINTS = Kinds(constraints, [name for name in constraints.__all__ if name != "ConstraintKind"])
FORCES = Kinds(forces, [name for name in forces.__all__ if name not in ("ConstantForce", "ForceKind", "Moving", "force")])
SHAPES = Kinds(shapes, list(shapes.SHAPES))
ARRAYS = {shapes.Mesh: ("vertices", "faces")}  # fields that become arrays


# ---- to TOML


def kind_to_table(kind, known, owner, writing):
    """A kind as a table. `known`: its registry; `owner`: the part in words."""
    name = kind_name(type(kind))
    if known.get(name) is not type(kind):
        raise FormatError(
            f"{owner}: its kind is {type(kind).__name__}, which is none of Linkwork's own, so no file can name it; "
            f"remove the part before writing, or use one of {', '.join(known)}"
        )
    table = {"kind": name}
    for field in sorted(fields(kind), key=lambda field: field.kw_only):  # what makes the kind first, options after
        infinite = _may_be_infinite(field)
        value = encode(_said(kind, field), owner, field.name, writing, infinite)
        if repr(value) != repr(_default(field, owner, writing, infinite)):
            table[field.name] = value
    if isinstance(kind, shapes.MeshFile):
        table["path"] = _path_to_text(kind.path, writing.folder)
    return table


def _said(kind, field):
    """The value of a field; an option of a joint that is the same for all degrees of freedom is one number, and has no sign if it is zero."""
    value = getattr(kind, field.name)
    if isinstance(kind, joints.JointKind) and field.name in joints.kind.OPTIONS:
        value = [x + 0.0 for x in value] or [field.default]
        return value[0] if len(set(value)) == 1 else value
    return value


def _default(field, owner, writing, infinite):
    if field.default is MISSING and field.default_factory is MISSING:
        return MISSING
    value = field.default if field.default is not MISSING else field.default_factory()
    return encode(value, owner, field.name, writing, infinite)


def _may_be_infinite(field):
    """A limit that is infinite unless given may be infinite when given."""
    return isinstance(field.default, float) and math.isinf(field.default)


def _path_to_text(path, folder):
    """A path as it stands in a file of this folder: relative if it is in the folder, else absolute. Addresses stay as they are."""
    if "://" in path or folder is None:
        return path
    path, folder = os.path.abspath(path), os.path.abspath(folder)
    inside = os.path.relpath(path, folder) if os.path.splitdrive(path)[0] == os.path.splitdrive(folder)[0] else os.pardir
    return path if inside.split(os.sep)[0] == os.pardir else inside.replace(os.sep, "/")


# ---- from TOML


def kind_from_table(table, known, keys, reading, what, others=()):
    """A kind from a table; None, with the faults reported, if it is none. `others`: keys of the table that are not the kind's."""
    report = reading.report
    cls = _class(table, known, keys, report, what)
    if cls is None:
        return None
    own = {field.name: field for field in fields(cls)}
    needed = [name for name, field in own.items() if field.default is MISSING and field.default_factory is MISSING]
    name, good, given = kind_name(cls), True, {}
    for key in table:
        if key in own:
            try:
                given[key] = _argument(table[key], own[key], reading)
            except RefusalError as refusal:
                report.fault((*keys, key, *refusal.args[0]), refusal.args[1])
                good = False
        elif key != "kind" and key not in others:
            report.unknown((*keys, key), key, ["kind", *others, *own], f"key of the {what} {name!r}")
            good = False
    missing = [key for key in needed if key not in table]
    if missing:
        report.fault(keys, f"the {what} {name!r} needs {' and '.join(missing)}; found {', '.join(table)}")
    return _made(cls, given, keys, reading) if good and not missing else None


def _class(table, known, keys, report, what):
    name = table.get("kind")
    if isinstance(name, str) and name in known:
        return known[name]
    if name is None:
        report.fault(keys, f"it has no kind; allowed are {', '.join(known)}; add a line such as: kind = {next(iter(known))!r}")
    elif isinstance(name, str):
        report.fault((*keys, "kind"), unknown(_WORDS.sub("-", name).lower().replace("_", "-"), list(known), f"kind of {what}"))
    else:
        report.fault((*keys, "kind"), f"found {found(name)}; allowed are {', '.join(known)}, in quotes")
    return None


def _argument(value, field, reading):
    if isinstance(value, str) and "Callable" in str(field.type):
        return find_function(value, reading)
    if field.type in (str, "str"):
        return value
    if field.name == "surface":
        return surface_from_table(value)
    return decode(value, reading, _may_be_infinite(field))


def _made(cls, given, keys, reading):
    try:
        if cls is shapes.MeshFile and isinstance(given.get("path"), str):
            given["path"] = mesh_path(given["path"], reading.folder)
        return cls(**{key: np.array(value) if key in ARRAYS.get(cls, ()) else value for key, value in given.items()})
    except (LinkworkError, TypeError, ValueError) as error:  # judged by the class itself; its message begins with "Class: field"
        said = _FIELD.match(str(error))
        key = (said.group(1),) if said and said.group(1) in given else ()
        reading.report.fault((*keys, *key), str(error))
        return None
