"""A force in a mechanism: a law that acts between two places, or along joint coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from .forces.kind import ForceKind
from .part import Part
from .place import Place

if TYPE_CHECKING:
    from .mechanism import Mechanism

EVERY = -1  # in place of a degree of freedom: all that the joint has


class AppliedForce(Part):
    """A law (`kind`) that acts on two places (`a` and `b`), or on joint coordinates (`joints`: pairs of a joint's name and a degree of freedom).

    `on`: does it act? A degree of freedom of -1 means every one that the joint has.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("cart")
    >>> cart = m.add_body("cart", mass=2.0)
    >>> push = m.add_force("push", lw.ConstantForce((3.0, 0.0, 0.0)), cart)
    >>> push.name, push.kind.force, push.on
    ('push', (3.0, 0.0, 0.0), True)
    """

    role = "force"
    fields: ClassVar = ("kind", "a", "b", "joints", "on")

    kind: ForceKind
    a: Place | None
    b: Place | None
    joints: tuple[tuple[str, int], ...]
    on: bool

    def __init__(
        self,
        name: str,
        kind: ForceKind,
        a: Place | None = None,
        b: Place | None = None,
        joints: tuple[tuple[str, int], ...] = (),
        on: bool = True,
        owner: Mechanism | None = None,
    ) -> None:
        super().__init__(name, {"kind": kind, "a": a, "b": b, "joints": joints, "on": on}, owner)
