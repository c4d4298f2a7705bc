"""Weld: child and parent are one rigid body.   X_J = 1,   S has no columns."""

from dataclasses import dataclass

from .kind import JointKind


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
    def elements(self):
        return ()
