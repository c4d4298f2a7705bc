"""The sparse solver (solvers/sparse/driver.py): its program, found once for a model, and what a solve keeps.

The program is the symbolic analysis of the multiplier system: who meets whom, in which order, and where the blocks of the factor stand. It is kept
beside the model and only read. Constraints are numbered by their turn in the elimination.

Rows of a constraint fill the lanes of packs: a block of up to LANES rows costs one vector operation where a row would cost a scalar one. So all that
belongs to rows is in arrays of packs, and the places in the program count packs:

    gamma, diagonal, size, reduced     row i of a constraint is lane i of its packs, from its `pack` on
    wrenches                           six packs for each pack of rows, for every way on which a constraint comes inward
    panels                             for each row of a constraint [ K with itself | K with later constraints | wrench on the meeting link, gamma ]
    innovations                        y: for each link, each constraint through it, each velocity
"""

from ..kernels.records import (
    Record,
    flag,
    flag32,
    force,
    inertia,
    integer,
    integer32,
    integers,
    motion,
    numbers,
    packs,
    part,
    pointer,
    real,
    records,
    rotation,
    scalar,
    scalars,
    vector3,
)
from .constraints import RowData
from .tree import JointData, TreeData

# The program


class SparseConstraint(Record, constant=True):
    """A constraint: rows that are eliminated together, where the ways from its places to the root meet."""

    rows = integer32("number of its rows")
    packs = integer32("number of its packs of rows")
    row = integer32("its first row in the model; -1: rows that a closing joint leaves")
    pack = integer32("its first pack of rows")
    panel = integer32("where its panel begins")
    stride = integer32("packs of a row of its panel")
    wrench = integer32("its wrenches on the meeting link, -1: it meets at the world")
    a = integer32("its wrenches on the link of its first place, -1: none")
    b = integer32("its wrenches on the link of its second place, -1: none")
    later = integer32("its first entry among `laters`")
    laters = integer32("number of constraints coupled with it that are eliminated later")
    target = integer32("its first entry among `targets`")
    holonomic = flag32("do its rows hold positions, not velocities only?")


class LaterConstraint(Record, constant=True):
    """A constraint that is eliminated later than one it is coupled with."""

    constraint = integer32("its number")
    column = integer32("where the coupling stands in a row of the earlier one's panel")
    wrench = integer32("its wrenches on the link where the earlier one meets, -1: none")


class LinkEntry(Record, constant=True):
    """A constraint that passes through a link on its way inward."""

    rows = integer32("number of its rows")
    packs = integer32("number of its packs of rows")
    pack = integer32("its first pack of rows")
    here = integer32("its wrenches on the link")
    parent = integer32("its wrenches on the parent, -1: the world")
    block = integer32("the block of the model's rules whose coefficients on the joint's velocities count, -1: none")


class Coupling(Record, constant=True):
    """Where the coupling of two constraints that pass through a link stands."""

    panel = integer32("its first pack in the panels")
    stride = integer32("packs from row to row")


class LinkProgram(Record, constant=True):
    """What elimination meets at a link."""

    entry = integer32("its first entry among `entries`")
    entries = integer32("number of constraints that pass through it")
    coupling = integer32("its first entry among `couplings`: each pair of its constraints, first <= second")
    y = integer32("where its innovations begin")
    meet = integer32("first constraint that meets here")
    meets = integer32("number of constraints that meet here")
    closing_inertia = integer32("index of the inertia that closing joints add to it, -1: none")
    gone = flag32("is it a cut body that has been eliminated before?")
    inverse_mass = real("1 / its own mass, 1/kg, infinite without mass: how far forces could move it, were it free")


class ClosingJoint(Record, constant=True):
    """A joint that closes a loop and goes first, with its cut body (solvers/sparse/loop_joints.py)."""

    constraint = integer32("the constraint that it leaves")
    cut = integer32("link of the cut body")
    parent = integer32("link of the parent, -1: world")
    body = integer32("link of the body that the cut body is welded to")
    row = integer32("first of the weld's six rows in the model")
    body_inertia = integer32("index of the inertia added to the body")
    parent_inertia = integer32("index of the inertia added to the parent")
    free = integer32("mask of the directions that need no row")


class SparseProgram(Record, constant=True):
    """The symbolic analysis of a model's multiplier system."""

    count = integer("number of constraints")
    world = integer("first constraint that meets at the world")
    closing = integer("number of closing joints")
    closing_inertias = integer("number of links with inertias of closing joints")
    uneven = flag("do masses on the ways of constraints differ so much that elimination loses digits?")
    reveals_rank = flag("is another solver asked where the rank is in doubt?")
    tail = integer("packs at the end of a row of a panel, for wrench and gamma")
    row_packs = integer("packs of rows of all constraints")
    wrench_packs = integer("packs of all wrenches")
    panel_packs = integer("packs of all panels")
    constraints = records(SparseConstraint, "count", "constraints by turn")
    laters = records(LaterConstraint, "laters", "of all constraints")
    targets = integers("targets", "where the products of later constraints go, by pairs")
    links = records(LinkProgram, "n", "links of the model")
    entries = records(LinkEntry, "entries", "of all links; equal lists are shared")
    couplings = records(Coupling, "couplings", "of all links")
    joints = records(ClosingJoint, "closing", "joints that close loops and go first")


# What a solve keeps


class SparseLink(Record):
    """An axial link (dynamics/joints/sparse.py); what general ones keep is in JointData."""

    K = force("U D^-1, U = I^A S", by="eliminate_joint")
    e = scalar("D^-1 u, u = tau - S^T p^A + y lambda", by="eliminate_joint, push_joint, right_side_through")
    Dinv = scalar("D^-1, D = S^T U + armature", by="eliminate_joint")
    c = numbers(4, "v x S qdot without its components 2 and 5", by="eliminate_joint, right_side_through")


class ArticulatedBody(Record):
    """What acts on a link from further out, in its coordinates."""

    IA = inertia("articulated inertia, blocks I, H, M", by="close_joints, add_body, eliminate_joint")
    pA = force("bias force", by="close_joints, add_body, eliminate_joint")  # noqa: N815 - the letter of the book


class Weld(Record):
    """A cut body and its weld, eliminated: a_t = Y a_b - g."""

    R = rotation("orientation of the cut body in the body's link: Y", by="close_joints")
    p = vector3("its origin in the body's link: Y", by="close_joints")
    N = rotation("inverse of the rows of turns on the cut body", by="close_joints")
    E = rotation("rows of shifts on the cut body", by="close_joints")
    g = motion("W_t^-1 gamma", by="close_joints, close_with_factor")
    c = motion("bias acceleration of the joint", by="close_joints, close_with_factor")
    bias = force("bias force of the cut body", by="close_joints, close_with_factor")
    f = force("force of the joint on the cut body", by="close_joints, close_with_factor")


class SparseData(Record):
    """What the sparse solver keeps of one state, rows in lanes. q, v, tau and wrenches are read from `tree`, vdot is written there."""

    tree = pointer(TreeData, "state, forces, motion of links; accelerations of links")
    joints = pointer(JointData, "joints that are no single axis: those of tree.motion")
    program = pointer(SparseProgram, "the symbolic analysis")
    rows = part(RowData, "rows of the model; `gamma` is the residual on the level of the solve")
    multipliers = scalars("nc", "of all rows of the model; zero on dependent ones", by="_give_multipliers, open_joint")
    rank = integer("number of rows that were kept", by="solve")
    residual = real(
        "largest residual of a dependent row, relative to its right side; infinite where the rank is in doubt", by="go_outward, solve"
    )
    pivot = real("least pivot of an independent row, of what it could be, were no motion forbidden", by="_factor")
    same = flag("are pivots taken in the order of the last solve?", by="solve")
    positions = flag("is it a correction of positions, in which rows that hold velocities only are left out?", by="solve")
    doubt = flag("is a pivot too near to the tolerance to decide by it?", by="eliminate_constraint")
    links = records(SparseLink, "n")
    branches = records(ArticulatedBody, "branches")
    inward = part(ArticulatedBody, "inertia and bias force that a link passes to its parent")
    closing_inertias = records(ArticulatedBody, "closing_inertias", "inertias and bias forces that closing joints add to links")
    welds = records(Weld, "closing", "of closing joints")
    gamma = packs("row_packs", "right sides", by="take_rows, close_joints, rows_through_joint")
    diagonal = packs("row_packs", "K with itself before other constraints took from it", by="rows_through_joint")
    size = packs("row_packs", "what the diagonal could be, were no motion forbidden", by="rows_through_joint")
    least = packs("row_packs", "least pivot of a row, infinite where it is out or taken", by="_factor")
    reduced = packs("row_packs", "multipliers of the reduced rows", by="find_multipliers")
    order = integers("lanes * row_packs", "rows of a constraint in the order of pivots, from lane 0 of its first pack on", by="_factor")
    decided = integers("lanes * row_packs", "`order` of the last solve that was free to choose (not SAME_ROWS)", by="_factor")
    decided_kept = integers("count", "`kept` of that solve", by="_factor")
    redundant = integer("how many rows that could move were left out", by="_factor")
    kept = integers("count", "number of pivots of each constraint", by="_factor")
    wrenches = packs("wrench_packs", "wrenches of rows on their way inward", by="take_rows, close_joints, rows_through_joint")
    panels = packs("panel_packs", "panels of constraints", by="couple_rows, eliminate_constraint")
    innovations = packs("innovations", "y = S^T F + coefficients", by="rows_through_joint")
