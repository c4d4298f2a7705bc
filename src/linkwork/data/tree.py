"""What the recursions over the links of a tree keep of each link.

A *branch* is where the links that hang on a link with several children meet: what a link hands to the link before it, if that is its parent,
needs no memory of its own in some recursions and the record `carry` in others.
All vectors are in the coordinates of the link, if nothing else is said.
"""

from ..kernels.records import Record, force, inertia, motion, numbers, rotation, scalar, vector3


class ArticulatedLink(Record):
    """Articulated bodies (dynamics/aba.py): an axial link."""

    c = scalar("cosine of the joint's angle", by="outward")
    s = scalar("sine of the joint's angle", by="outward")
    v = motion("spatial velocity", by="outward")
    K = force("U / D, U = I^A S", by="inward")
    u = scalar("(tau - S^T p^A) / D", by="inward")
    D = scalar("1 / (S^T I^A S + armature); 0 where the joint is driven", by="inward")


class ArticulatedBranch(Record):
    """Articulated bodies: the links that hang on one link, in its coordinates."""

    IA = inertia("articulated inertia, blocks I, H, M", by="inward")
    pA = force("bias force", by="inward")  # noqa: N815 - the letter of the book
    a = motion("acceleration of the link, less gravity", by="outward again")


class NewtonEulerLink(Record):
    """Recursive Newton-Euler (dynamics/rnea.py): an axial link."""

    c = scalar("cosine of the joint's angle", by="outward")
    s = scalar("sine of the joint's angle", by="outward")
    f = force("what the link's own motion needs, less external forces", by="outward")


class NewtonEulerBranch(Record):
    """Recursive Newton-Euler: a link with several children."""

    v = motion("spatial velocity", by="outward")
    a = motion("acceleration, less gravity", by="outward")
    f = force("sum of the children's forces", by="inward")


class CompositeLink(Record):
    """Composite rigid bodies (dynamics/crba.py): a link, in the frame of the tree's root link."""

    c = scalar("cosine of the joint's angle", by="outward")
    s = scalar("sine of the joint's angle", by="outward")
    R = rotation("orientation in the root link", by="outward")
    p = vector3("origin in the root link", by="outward")
    S = motion("axis of an axial link in root coordinates", by="outward")


class CompositeBranch(Record):
    """Composite rigid bodies: the links that hang on one link, in its coordinates."""

    I = numbers(10, "composite rigid inertia", by="inward")


class MotionLink(Record):
    """Motion of links (dynamics/sweep.py)."""

    c = scalar("cosine of the joint's angle", by="outward")
    s = scalar("sine of the joint's angle", by="outward")
    R = rotation("orientation in the world", by="outward")
    p = vector3("origin in the world", by="outward")
    v = motion("spatial velocity", by="outward, order 1")
    a = motion("spatial acceleration", by="outward, order 2")


class GeneralLink(Record):
    """A link whose joint is no single axis, in all recursions; its columns follow."""

    R = rotation("orientation in the parent link, child to parent", by="place_general")
    p = vector3("origin in the parent link", by="place_general")
    c = motion("Sdot qdot; in articulated bodies v x S qdot + Sdot qdot", by="place_general, move_general")


class Column(Record):
    """One freedom of a general link."""

    S = motion("column of S(q); in composite bodies later I^C S", by="place_general")
    K = force("U / D; in composite bodies S in root coordinates, later S^T I^C S", by="eliminate_general")
    u = scalar("(tau - S^T p) / D", by="eliminate_general")
    D = scalar("1 / D", by="eliminate_general")


class Block(Record):
    """A ball or a free base whose freedoms are removed at once (dynamics/ball.py), in place of its columns."""

    K0 = vector3("D^-1 L^-1 H, first row", by="eliminate_block")
    K1 = vector3("second row", by="eliminate_block")
    K2 = vector3("third row", by="eliminate_block")
    L = vector3("L of I = L D L^T: 10, 20, 21", by="eliminate_block")
    u = vector3("D^-1 L^-1 (tau - p_n)", by="eliminate_block")
    a = vector3("linear acceleration of a free base", by="eliminate_block")
    D = vector3("D^-1", by="eliminate_block")
    DM = vector3("D^-1 of M' of a free base", by="eliminate_block")
    LM = vector3("L of M' of a free base", by="eliminate_block")
