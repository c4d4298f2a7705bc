"""Weld: child and parent are one rigid body.   X_J = 1,   S has no columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .kind import JointKind

if TYPE_CHECKING:
    from .kind import Element


@dataclass(frozen=True, repr=False)
class Weld(JointKind):
    """A rigid connection: both joint frames coincide at all times. No coordinates.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("lamp")
    >>> _ = m.add_joint("hook", lw.Weld(), m.ground, m.add_body("lamp", mass=2.0))
    >>> m.build().nv
    0
    """

    nq = nv = 0

    @property
    def elements(self) -> tuple[Element, ...]:
        return ()
