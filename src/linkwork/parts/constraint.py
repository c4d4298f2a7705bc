"""A constraint: a kind of relation between two places, or between joints, that holds at all times."""

from typing import ClassVar

from .constraints.kind import ConstraintKind
from .part import Part
from .place import Place


class Constraint(Part):
    """Holds two places (`a` and `b`), or some joint coordinates (`joints`, pairs of a joint's name and a degree of freedom), in a relation."""

    role = "constraint"
    fields: ClassVar = ("kind", "a", "b", "joints")

    kind: ConstraintKind
    a: Place | None
    b: Place | None
    joints: tuple[tuple[str, int], ...]

    def __init__(self, name, kind, a=None, b=None, joints=(), owner=None):
        super().__init__(name, {"kind": kind, "a": a, "b": b, "joints": joints}, owner)
