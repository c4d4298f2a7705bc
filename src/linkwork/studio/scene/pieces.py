"""What is drawn: pieces that are fixed in a body, and ties that span two points of bodies."""

from typing import NamedTuple

import numpy as np

GROUND = -1  # the number of ground: its pose is the last row of all poses

BODIES, JOINTS, FORCES, CONSTRAINTS, STAND, CENTRES, FRAMES = "bodies", "joints", "forces", "constraints", "stand", "centres", "frames"
GROUPS = (BODIES, JOINTS, FORCES, CONSTRAINTS, STAND, CENTRES, FRAMES)


class Piece(NamedTuple):
    """A mesh on a body. R (3, 3) and p (3,): its pose in the body; scale: three factors; color: (r, g, b), 0 to 255; part: whose it is."""

    group: str
    mesh: str
    body: int
    R: np.ndarray
    p: np.ndarray
    scale: tuple
    color: tuple
    part: str


class Tie(NamedTuple):
    """A mesh along the line from a point of one body to a point of another: z of the mesh runs from `start` to `stop`.

    start, stop: (share, shift, most): share L + shift, in m from a, and not beyond most L, with L the distance of the points.
    slack: m, the length of a string, which hangs where L is less; None for all else.
    """

    group: str
    mesh: str
    a: int
    at: np.ndarray
    b: int
    to: np.ndarray
    radius: float
    color: tuple
    part: str
    start: tuple = (0.0, 0.0, 1.0)
    stop: tuple = (1.0, 0.0, 1.0)
    slack: float | None = None


def ints(color):
    """(r, g, b) from 0 to 1 as numbers from 0 to 255."""
    return tuple(round(255 * x) for x in color)


def mixed(color, other, share):
    """Between two colours."""
    return tuple(round((1.0 - share) * a + share * b) for a, b in zip(color, other, strict=True))
