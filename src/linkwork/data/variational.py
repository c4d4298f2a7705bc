"""The variational integrator (integrators/variational/run.py): what a run carries from step to step, and what the solution of one step keeps.

A step leads from its *start*, q_0, to its *end*, q_1. The displacement of a joint is q_1 - q_0 where v = dq/dt; of a ball 2 s of the relative quaternion
(c, s); of a free joint 2 s, then the way of M's origin in the axes that M has at the start.
Lengths are sizes of a model: n links, nq, nv, branches, nc rows, propagated (numbers of rows along their paths).
"""

from ..kernels.records import (
    Record,
    address,
    flag,
    force,
    integer,
    integers,
    motion,
    numbers,
    part,
    quaternion,
    real,
    records,
    scalar,
    scalars,
    vector3,
)
from .constraints import Row, RowChoice, RowData
from .tree import JointData, MotionData, Wrench

KRYLOV = 40  # directions of GMRES, at most


class VariationalJoint(Record):
    """An axial joint at one end of a step; of other joints, JointData holds the same."""

    c = scalar("cosine of turn q + offset, the last turn from parent to link (spatial/axial.py)", by="place_joint, displace_joint")
    s = scalar("sine of it", by="place_joint, displace_joint")
    K = force("at the start U / D, U = B S_1; at the end W / D, W = B^T S_0", by="eliminate")


class VariationalEnd(Record):
    """The joints at one end of a step."""

    q = scalars("nq", "coordinates", by="arrive, turn_page")
    links = records(VariationalJoint, "n", "axial joints")
    joints = part(JointData, "other joints; K of a column is as that of an axial joint")


class VariationalLink(Record):
    """A link in a step: its displacement, and what follows from it."""

    r = quaternion("its turn, in its axes at the start", by="displace_links")
    d = vector3("the way of its origin, in its axes at the start", by="displace_links")
    g = vector3("gravity in its axes at the start", by="displace_links")
    p = force("momentum at the start, or in the end at the end", by="displace_links, measure_rows, rounding_errors")
    a = motion("correction of its pose at the end", by="corrections")
    com = vector3("centre of mass", by="settle")
    T = numbers(6, "inertia about the centre of mass", by="settle")
    path = scalar("sum of squares of the ways of all links from the root to it", by="_measure_paths")
    turns = scalar("sum of squares of their turns, sines of half the angles", by="_measure_paths")


class VariationalBranch(Record):
    """The links that hang on one link, in its coordinates."""

    B = numbers((9, 9, 9, 9), "slope of their momentum: blocks A, H, G, M (spatial/blocks.py)", by="eliminate")
    p = force("momentum", by="innovations, end_momenta")


class VariationalRows(Record):
    """Rows of constraints in a step (integrators/variational/rows.py)."""

    now = part(RowData, "rows as evaluated last, mostly at the end of the step")
    first = records(Row, "nc", "rows at the start", by="keep_rows")
    impulses = scalars("nc", "impulses of the rows in the step: h lambda", by="take_impulses")
    gaps = scalars("nc", "residuals of the rows at the end of the step", by="measure_rows")
    Y0 = scalars("propagated", "rows at the start through the factor", by="propagate_side")
    Y1 = scalars("propagated", "rows at the end through the factor", by="propagate_side")
    link_wrenches = records(Wrench, "n", "wrenches of one row on its way inward", by="propagate_side")
    J = scalars("propagated", "rows at the start in joint velocities, along their paths", by="fill_jacobian")
    natural = scalars("nc", "their natural sizes", by="fill_jacobian")
    reach = scalars("nv", "what makes velocities comparable", by="fill_jacobian")
    choice = part(RowChoice, "a group of them, while rows are chosen", by="keep_rows")
    taken = integers("nc", "1 for a row that the step takes", by="keep_rows")
    K = scalars("nc * nc", "G(q_1) J^-1 G(q_0)^T, then its factor", by="fill_K, factor_rows")
    scales = scalars("nc", "1 / sqrt(K_ii)", by="factor_rows")
    order = integers("nc", "rows in the order of their pivots", by="factor_rows")
    found = scalars("nc", "gaps after the tree's own correction; then the impulses that close them", by="gather_innovations, solve_rows")
    solution = scalars("nc", "impulses in the order of pivots, while they are solved for", by="solve_rows")
    last = scalars("nc", "the impulses that were taken last", by="take_impulses")


class KrylovDirection(Record):
    """A direction of GMRES (integrators/variational/steep_forces.py)."""

    x = scalars("nv", "the direction, of unit length in the energy norm", by="foresee_forces")
    h = scalars(KRYLOV + 1, "column of the Hessenberg matrix, then of its triangular factor", by="foresee_forces")
    c = scalar("cosine of the rotation that makes the column triangular", by="foresee_forces")
    s = scalar("its sine", by="foresee_forces")


class KrylovData(Record):
    """GMRES."""

    directions = records(KrylovDirection, KRYLOV + 1, "basis")
    g = scalars(KRYLOV + 1, "right side, then the solution", by="foresee_forces")


class VariationalSettings(Record):
    """How exactly a step is solved."""

    iterations = integer("corrections of Newton's method in a step, at most")
    tolerance = real("of the motion of a step: corrections are made until the next would be smaller")
    real_time = flag("are steps accepted after so many corrections, come what may?")


class VariationalReport(Record):
    """What happened in the last call of `variational_steps`."""

    steps = integer("steps done")
    corrections = integer("corrections in all of them")
    most = integer("the most corrections in one step")
    ended = integer("how the last step ended: CONVERGED, EXHAUSTED (too many corrections) or STUCK (no shorter correction helps)")
    worst = integer("the velocity coordinate with the largest residual in a step that did not converge")
    gap = real("the largest |phi| after a step")
    total = integer("corrections in all calls of the run")


class VariationalData(Record):
    """A run: its forces, where it stands, and the step at hand."""

    forces = address("address of the function for forces (integrators/variational/force_calls.py)")
    data = address("what it is given first")
    forced = flag("is there such a function?")
    settings = part(VariationalSettings)
    report = part(VariationalReport)

    time = real("time at the start of the step at hand", by="variational_steps")
    h = real("its size", by="variational_steps")
    past = integer("how many displacements of steps before are known, at most 3", by="finish")
    past_step = real("the size of these steps", by="variational_steps")
    steep = integer("for how many more steps the slopes of forces are looked at", by="solve_step")
    unit = real("what displacements of 1 are worth in the norm of the last factor", by="factor")
    rank = integer("rank of the rows in the last factor", by="reduce_rows")
    unit_gaps = real("what gaps of 1 are worth in its norm", by="reduce_rows")

    momentum = scalars("nv", "momentum of each joint at the start", by="finish")
    displacement = scalars("nv", "displacement of each joint", by="correct")
    displacement_1 = scalars("nv", "that of the last step", by="finish")
    displacement_2 = scalars("nv", "of the step before", by="finish")
    displacement_3 = scalars("nv", "of the step before that", by="finish")
    mean = scalars("nv", "mean velocities of the step", by="arrive")
    shifted = scalars("nv", "velocities beside them, for a difference of forces", by="forces_shifted")
    right = scalars("nv", "right side of the equations", by="residual")
    innovation = scalars("nv", "D^-1 u", by="innovations")
    inverse = scalars("nv", "D^-1", by="eliminate")
    correction = scalars("nv", "correction of the displacements, in the axes at the end", by="corrections")
    base = scalars("nv", "displacements before it", by="correct")
    force = scalars("nv", "generalised forces", by="add_forces")
    shift = scalars("nv", "by how much forces change in the correction to come", by="foresee_forces")
    damping = scalars("nv", "linear damping of each velocity that Newton's matrix takes for granted", by="caller")
    multipliers = scalars("nc", "forces of the rows in the last step, at its start", by="variational_steps")

    start = part(VariationalEnd, "joints at the start")
    end = part(VariationalEnd, "joints at the end")
    links = records(VariationalLink, "n")
    branches = records(VariationalBranch, "branches")
    inward = part(VariationalBranch, "what a link passes to its parent")
    motion = part(MotionData, "motion of links, for rows")
    rows = part(VariationalRows)
    krylov = part(KrylovData)
