"""A constraint: a kind of relation between two places, or between joints, that holds at all times."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from .constraints.kind import ConstraintKind
from .part import Part
from .place import Place

if TYPE_CHECKING:
    from .mechanism import Mechanism


class Constraint(Part):
    """Holds two places (`a` and `b`), or some joint coordinates (`joints`, pairs of a joint's name and a degree of freedom), in a relation.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("table")
    >>> puck = m.add_body("puck", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> table = m.add_constraint("table", lw.PointOnPlane(), puck, m.ground)
    >>> table.name, table.kind.takes, str(table.b.part)
    ('table', 'places', 'ground')
    """

    role = "constraint"
    fields: ClassVar = ("kind", "a", "b", "joints")

    kind: ConstraintKind
    a: Place | None
    b: Place | None
    joints: tuple[tuple[str, int], ...]

    def __init__(
        self,
        name: str,
        kind: ConstraintKind,
        a: Place | None = None,
        b: Place | None = None,
        joints: tuple[tuple[str, int], ...] = (),
        owner: Mechanism | None = None,
    ) -> None:
        super().__init__(name, {"kind": kind, "a": a, "b": b, "joints": joints}, owner)
