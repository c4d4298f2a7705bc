"""Weld: child and parent are one rigid body.   X_J = 1,   S has no columns."""

from dataclasses import dataclass

from .kind import JointKind


@dataclass(frozen=True, repr=False)
class Weld(JointKind):
    """A rigid connection: both joint frames coincide at all times. No coordinates."""

    nq = nv = 0

    @property
    def elements(self):
        return ()
