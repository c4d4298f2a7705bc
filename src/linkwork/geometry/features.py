"""Features of a box as integers, and pairs of features.

vertex     0 .. 7     one bit for each axis: 1 on the positive side
edge       8 .. 19    8 + 4 axis + bits of the two axes that follow it in the cycle x y z
face      20 .. 25    20 + 2 axis + 1 on the positive side

A pair of features is `PAIR` times that of the first shape plus that of the second. It does not say which of two boxes had the reference face: a corner
point of two faces that overlap is the same vertex on the same face, or the same two edges, from either side.
"""

from ..kernels import kernel

PAIR = 32
EDGE, FACE = 8, 20


@kernel(inline=True)
def positive(x):
    """1 for a positive number, else 0."""
    return 1 if x > 0 else 0


@kernel(inline=True)
def vertex_of(x, y, z):
    """The vertex on these sides."""
    return positive(x) + 2 * positive(y) + 4 * positive(z)


@kernel(inline=True)
def edge_of(axis, x, y, z):
    """The edge along an axis, on these sides."""
    if axis == 0:
        return EDGE + positive(y) + 2 * positive(z)
    if axis == 1:
        return EDGE + 4 + positive(z) + 2 * positive(x)
    return EDGE + 8 + positive(x) + 2 * positive(y)


@kernel(inline=True)
def face_of(axis, side):
    """The face across an axis."""
    return FACE + 2 * axis + positive(side)


@kernel(inline=True)
def region_of(x, y, z):
    """The feature of a box that is nearest to what lies outside on these sides; zero: between the two faces of that axis."""
    if x != 0.0 and y != 0.0 and z != 0.0:
        return vertex_of(x, y, z)
    if x == 0.0 and y != 0.0 and z != 0.0:
        return edge_of(0, x, y, z)
    if y == 0.0 and x != 0.0 and z != 0.0:
        return edge_of(1, x, y, z)
    if z == 0.0 and x != 0.0 and y != 0.0:
        return edge_of(2, x, y, z)
    if x != 0.0:
        return face_of(0, x)
    if y != 0.0:
        return face_of(1, y)
    return face_of(2, z)
