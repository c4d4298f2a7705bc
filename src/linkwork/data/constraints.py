"""Constraints: their rows at a state, and what the solver by articulated bodies keeps (solvers/articulated.py).

A row is one scalar equation phi(q, t) = 0 with phi_dot = J v + phi_t and phi_ddot = J vdot + gamma (parts/constraints/kind.py). Sizes beyond those of the
tree: nc rows, nlaws (time functions), propagated (numbers of rows along their paths).
"""

from ..kernels.records import Record, integers, part, pointer, reals, records, scalar, scalars, vector3
from .markers import GIVEN, ROW_RESULT
from .tree import TreeData, Wrench


class Row(Record):
    """One row: wrenches that a multiplier of 1 puts on its two links.

    Constraint kinds write them about the markers' points in world axes; `evaluate_rows` brings them to the links: link coordinates, about the
    link's origin, gamma for spatial accelerations.
    """

    n_a = vector3("moment on the first link", by="evaluate_rows")
    f_a = vector3("force on the first link", by="evaluate_rows")
    n_b = vector3("moment on the second link", by="evaluate_rows")
    f_b = vector3("force on the second link", by="evaluate_rows")
    phi = scalar("gap", by="evaluate_rows")
    rate = scalar("phi_t: rate of the gap at rest", by="evaluate_rows")
    gamma = scalar("phi_ddot at vdot = 0", by="evaluate_rows")


class TimeValue(Record):
    """A time function at the time of the state."""

    value = scalar("value", by="evaluate_time_functions")
    rate = scalar("first derivative", by="evaluate_time_functions")
    second = scalar("second derivative", by="evaluate_time_functions")


class RelationCall(Record):
    """What is exchanged with users' time functions and relations, which see one lane at a time."""

    given = reals(GIVEN, "two markers and the time", by="relation_rows, evaluate_time_functions")
    result = reals(f"{ROW_RESULT} * nc + 3", "the numbers of each row, as in Row; three of a time function", by="the user's function")
    markers = scalars(GIVEN, "both markers and the time, all lanes", by="relation_rows, evaluate_time_functions")
    results = scalars(f"{ROW_RESULT} * nc + 3", "results of all lanes", by="relation_rows, evaluate_time_functions")


class RowData(Record):
    """All rows of a model at a state."""

    time = scalar("time of the state", by="caller")
    times = records(TimeValue, "nlaws", "time functions", by="evaluate_time_functions")
    rows = records(Row, "nc", "rows", by="evaluate_rows")
    call = part(RelationCall, "exchange with users' functions")


class PivotedLane(Record):
    """Multipliers of one lane where the rank is in doubt (solvers/semidefinite.py)."""

    A = reals("nc * nc", "K scaled to a unit diagonal, in its place the factor; the lower triangle", by="_solve_lane")
    scale = reals("nc", "K_ii^-1/2; 0 for a row that nothing can move", by="_solve_lane")
    tolerance = reals("nc", "least pivot", by="_solve_lane")
    order = integers("nc", "which row is where", by="_solve_lane")
    b = reals("nc", "right side, in its place the solution", by="_solve_lane")


class ConstraintData(Record):
    """The solver by articulated bodies (solvers/articulated.py): what it keeps beyond the recursions over the tree."""

    tree = pointer(TreeData, "recursions over the tree")
    rows = part(RowData, "rows at the state")
    multipliers = scalars("nc", "a solution, zero on dependent rows", by="solve_articulated")
    residuals = scalars("nc", "r, what rows lack on the level of the solve", by="solve_articulated")
    sizes = scalars("nc", "K_ii that the row could have, were no motion forbidden to it", by="propagate_rows")
    propagated = scalars(
        "propagated", "Y = W J^T, later Y D^-1/2: rows x velocities on their path, block by block", by="propagate_rows, fill_matrix"
    )
    loads = records(Wrench, "n", "wrench of one row on its way inward", by="propagate_rows")
    K = scalars("nc * nc", "J M^-1 J^T", by="fill_matrix")
    factor = scalars("nc * nc", "of K, its diagonal inverted", by="solve_clear")
    weights = scalars("nv", "D^-1/2", by="fill_matrix")
    e = scalars("nv", "D^-1 Y^T lambda, what the multipliers leave at the joints", by="innovations")
    rank = scalar("rank of K", by="solve_articulated")
    residual = scalar("what dependent rows lack, relative to the largest right side", by="solve_articulated")
    pivot = scalar("least pivot of an independent row, of what it could be, were no motion forbidden", by="solve_articulated")
    report = scalars(3, "rank, residual and pivot, to be given out or written lane by lane", by="solve_pivoted, _give")
    lane = part(PivotedLane, "a lane whose rank is in doubt")
