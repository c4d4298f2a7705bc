"""What the recursions over the links of a tree keep: `TreeData`, with a record for each recursion, with a record for each link.

    tree.q, tree.v, tree.tau, tree.vdot                      the state, and what acts or results
    tree.articulated.links[i].v                              what the articulated-body recursion keeps of link i
    tree.articulated.joints.columns[joint.v + k].S           freedom k of a joint that is no single axis

A *branch* is where the links that hang on a link with several children meet: what a link hands to the link before it, if that is its parent,
needs no memory of its own in some recursions and the record `inward` in others.
All vectors are in the coordinates of the link, if nothing else is said.
Lengths are sizes of a model: n links, nq, nv, nb bodies, ngenerals (joints that are no single axis), branches.
"""

from ..kernels.records import Record, force, inertia, integers, motion, numbers, part, records, rotation, scalar, scalars, vector3


class ArticulatedLink(Record):
    """Articulated bodies (dynamics/aba.py): a link. v is kept of every link, the rest of axial ones; other joints keep it in JointData."""

    c = scalar("cosine of turn q + offset, the last turn from parent to link (spatial/axial.py)", by="move_joint")
    s = scalar("sine of it", by="move_joint")
    v = motion("spatial velocity", by="_outward_velocities")
    K = force("U D^-1, U = I^A S", by="remove_joint")
    e = scalar("D^-1 u, u = tau - S^T p^A", by="remove_joint")
    Dinv = scalar("D^-1, D = S^T U + armature; 0 where the joint is driven", by="remove_joint")


class ArticulatedBranch(Record):
    """Articulated bodies: the links that hang on one link, in its coordinates."""

    IA = inertia("articulated inertia, blocks I, H, M", by="add_body, remove_joint")
    pA = force("bias force", by="add_body, remove_joint")  # noqa: N815 - the letter of the book
    a = motion("acceleration of the link, less gravity", by="_outward_accelerations, respond")


class NewtonEulerLink(Record):
    """Recursive Newton-Euler (dynamics/rnea.py): a link. f is kept of every link, cosine and sine of axial ones."""

    c = scalar("cosine of turn q + offset, the last turn from parent to link (spatial/axial.py)", by="propagate_motion")
    s = scalar("sine of it", by="propagate_motion")
    f = force("what the link's own motion needs, less external forces", by="_outward_forces")


class NewtonEulerBranch(Record):
    """Recursive Newton-Euler: a link with several children."""

    v = motion("spatial velocity", by="_outward_forces")
    a = motion("acceleration, less gravity", by="_outward_forces")
    f = force("sum of the children's forces", by="_inward_forces")


class CompositeLink(Record):
    """Composite rigid bodies (dynamics/crba.py): a link, in the frame of the tree's root link."""

    c = scalar("cosine of turn q + offset, the last turn from parent to link (spatial/axial.py)", by="place_in_root")
    s = scalar("sine of it", by="place_in_root")
    R = rotation("orientation in the root link", by="place_in_root")
    p = vector3("origin in the root link", by="place_in_root")
    S = motion("axis of an axial link in root coordinates", by="place_in_root")


class CompositeColumn(Record):
    """Composite rigid bodies: one freedom of a joint that is no single axis."""

    S = motion("column of S in root coordinates", by="_columns_in_root")
    F = force("I^C S in link coordinates", by="_momenta")


class CompositeBranch(Record):
    """Composite rigid bodies: the links that hang on one link, in its coordinates."""

    I = numbers(10, "composite rigid inertia: m, h (3), I (6) about the link's origin", by="composite_bodies")


class MotionLink(Record):
    """Motion of links (dynamics/sweep.py): a link. Cosine and sine are kept of axial ones."""

    c = scalar("cosine of turn q + offset, the last turn from parent to link (spatial/axial.py)", by="place_joint")
    s = scalar("sine of it", by="place_joint")
    R = rotation("orientation in the world", by="sweep_links")
    p = vector3("origin in the world, m", by="sweep_links")
    v = motion("spatial velocity", by="sweep_links, sweep_velocities")
    a = motion(
        "spatial acceleration; after the sparse solver that of its solution (on the level of the solve)",
        by="sweep_links, _outward, open_joint",
    )


class GeneralLink(Record):
    """A link whose joint is no single axis, in all recursions; its columns follow."""

    R = rotation("orientation in the parent link, child to parent", by="place_general")
    p = vector3("origin in the parent link", by="place_general")
    c = motion(
        "Sdot qdot; in articulated bodies and the sparse solver v x S qdot + Sdot qdot",
        by="place_general, _move_general, _eliminate_general",
    )


class Column(Record):
    """One freedom of a general link."""

    S = motion("column of S(q)", by="place_general")
    K = force("U D^-1, U = I^A S", by="_remove, _keep_column, _remove_column")
    e = scalar("D^-1 u, u = tau - S^T p", by="_remove, _keep_column, _remove_column")
    Dinv = scalar("D^-1, D = S^T U + armature", by="_remove, _keep_column, _remove_column")


class Block(Record):
    """A ball or a free base whose freedoms are removed at once (dynamics/joints/block.py), in place of its columns."""

    K0 = vector3("D^-1 L^-1 H, first row", by="eliminate_block")
    K1 = vector3("second row", by="eliminate_block")
    K2 = vector3("third row", by="eliminate_block")
    L = vector3("L of I = L D L^T: 10, 20, 21", by="eliminate_block")
    e = vector3("D^-1 u, u = L^-1 (tau - p_n)", by="eliminate_block")
    a = vector3("linear acceleration of a free base", by="eliminate_block")
    Dinv = vector3("D^-1 of I = L D L^T", by="eliminate_block")
    DMinv = vector3("D^-1 of M' of a free base", by="eliminate_block")
    LM = vector3("L of M' of a free base", by="eliminate_block")


class CustomCall(Record):
    """What is exchanged with the functions of a custom joint, which see one lane at a time, as the first numbers of these arrays."""

    q = scalars(6, "coordinates of one lane", by="place_general")
    v = scalars(6, "velocities of one lane", by="place_general")
    result = scalars(49, "pose (7), columns of S (6 nv), Sdot qdot (6) of one lane", by="the user's function")
    results = scalars(49, "the same of all lanes", by="place_general")


class JointData(Record):
    """Joints that are no single axis, in any recursion (dynamics/joints)."""

    generals = records(GeneralLink, "ngenerals", "pose and bias")
    columns = records(Column, "nv", "one for each velocity; those of axial joints are not used")
    blocks = records(Block, "ngenerals", "freedoms that are removed at once")
    call = part(CustomCall, "exchange with a user's functions")


class ArticulatedData(Record):
    """Articulated bodies (dynamics/aba.py)."""

    links = records(ArticulatedLink, "n")
    branches = records(ArticulatedBranch, "branches")
    inward = part(ArticulatedBranch, "inertia and bias force that a link passes to its parent")
    joints = part(JointData)


class NewtonEulerData(Record):
    """Recursive Newton-Euler (dynamics/rnea.py)."""

    links = records(NewtonEulerLink, "n")
    branches = records(NewtonEulerBranch, "branches")
    joints = part(JointData)


class CompositeData(Record):
    """Composite rigid bodies (dynamics/crba.py)."""

    links = records(CompositeLink, "n")
    branches = records(CompositeBranch, "branches")
    columns = records(CompositeColumn, "nv", "one for each velocity; those of axial joints are not used")
    joints = part(JointData)
    block = scalars(36, "S^T I^C S of the joint at hand, six numbers a row", by="enter_joint")
    entries = scalars("matrix", "entries of the mass matrix, of two blocks of states in turn", by="composite_bodies")


class CompositeInertia(Record):
    """Momentum (dynamics/momentum.py): a link with all that hangs on it."""

    I = numbers(10, "composite rigid inertia: m, h (3), I (6) about the link's origin", by="composite_inertias")


class MotionData(Record):
    """Poses, velocities and accelerations of links (dynamics/sweep.py)."""

    links = records(MotionLink, "n")
    joints = part(JointData)
    composites = records(CompositeInertia, "n")


class Wrench(Record):
    """A moment and a force, N m and N."""

    f = force("in the coordinates of its link, about its origin")


# What acts, or counts, in a recursion: any of these together.
GRAVITY, VELOCITIES, WRENCHES, DRIVEN = 1, 2, 4, 8


class TreeData(Record):
    """All that the algorithms on a tree keep: one for each thread."""

    q = scalars("nq", "coordinates, rad and m", by="caller")
    v = scalars("nv", "velocities, rad/s and m/s", by="caller")
    tau = scalars("nv", "joint forces, N m and N", by="caller, newton_euler")
    vdot = scalars(
        "nv",
        "accelerations, rad/s^2 and m/s^2; or the jump that impulses or corrections cause",
        by="caller, articulated_bodies, solve",
    )
    wrenches = records(Wrench, "n", "forces on links, if WRENCHES act", by="link_forces, apply_forces")
    driven = integers("nv", "1 where tau is an acceleration that the joint is given, if DRIVEN", by="caller")
    articulated = part(ArticulatedData, "articulated bodies")
    newton_euler = part(NewtonEulerData, "recursive Newton-Euler")
    composite = part(CompositeData, "composite bodies")
    motion = part(MotionData, "motion of links")
    q1 = scalars("nq", "a second configuration", by="_integrate, _difference")
    x = scalars("nv", "a vector of velocities", by="_integrate, _difference, _inward")
    rotations = scalars("9 * nb", "orientations of bodies in the world", by="_give_poses")
    positions = scalars("3 * nb", "positions of bodies in the world, m", by="_give_poses")
    motions = scalars(
        "6 * nb", "velocities or accelerations of bodies, or wrenches on them, each in its body's frame", by="_give_motions, link_forces"
    )
    rest = scalars("nv", "zero: the velocities where VELOCITIES do not count", by="nobody")
