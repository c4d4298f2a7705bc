"""Translational joint: the child moves in all three directions without turning.   X_J = Trans(q),   S = [0; 1],   Sdot v = 0."""

from __future__ import annotations

from dataclasses import dataclass

from .kind import Element, JointKind


@dataclass(frozen=True, repr=False)
class Translational(JointKind):
    """A gantry of three sliders. q: (x, y, z) in m along the axes of the joint frame.

    >>> import linkwork as lw
    >>> gantry = lw.Translational()
    >>> gantry.nv, [element.axis for element in gantry.elements]
    (3, [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
    """

    nq = nv = 3

    @property
    def elements(self) -> tuple[Element, ...]:
        return Element((1.0, 0.0, 0.0), 0.0, 1.0), Element((0.0, 1.0, 0.0), 0.0, 1.0), Element((0.0, 0.0, 1.0), 0.0, 1.0)
