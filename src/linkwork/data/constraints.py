"""Constraints: their rows at a state, and what the solver by articulated bodies keeps (solvers/delassus/solve.py).

A row is one scalar equation phi(q, t) = 0 with phi_dot = J v + phi_t and phi_ddot = J vdot + gamma (parts/constraints/kind.py). Sizes beyond those of the
tree: nc rows, ntime_functions (time functions), propagated (numbers of rows along their paths), matrix_of_rows and directions (groups of rows,
model/constraint_tables.py).
"""

from ..kernels.records import Record, flag, integer, integers, part, pointer, reals, records, scalar, scalars, vector3
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
    times = records(TimeValue, "ntime_functions", "time functions", by="evaluate_time_functions")
    rows = records(Row, "nc", "rows", by="evaluate_rows")
    call = part(RelationCall, "exchange with users' functions")


class RowChoice(Record):
    """Rows of one state, of which independent ones are chosen (constraints/rank.py)."""

    directions = reals(
        "directions",
        "rows of J by their natural size, columns by their reach; what is left of them beside those taken",
        by="caller, choose_rows",
    )
    gap = reals("nc", "|phi| by the natural size of the row, m/m or rad", by="caller")
    prefer = integers("nc", "1 for a row that was taken before and is taken first", by="caller")
    group = integers("nc", "the first row of those that it shares velocities with", by="choose_rows")
    tolerance = reals("nc", "least sine of a row that is taken", by="choose_rows")
    sine = reals(
        "nc", "of the angle between a row and those taken before it, times the part of its natural size that it has", by="choose_rows"
    )
    taken = integers("nc", "1 for a row that is taken, 0 for one that depends on others", by="choose_rows")
    first = integers("nv", "the first row of a velocity's group", by="choose_rows")


class ConstraintData(Record):
    """The solver by articulated bodies (solvers/delassus/solve.py): what it keeps beyond the recursions over the tree."""

    tree = pointer(TreeData, "recursions over the tree")
    rows = part(RowData, "rows at the state")
    multipliers = scalars("nc", "a solution, zero on dependent rows", by="solve")
    residuals = scalars("nc", "r, what rows lack on the level of the solve", by="solve")
    sizes = scalars("nc", "K_ii that the row could have, were no motion forbidden to it", by="propagate_rows")
    magnitudes = scalars("nc", "how large the wrenches and coefficients of a row are, squared, as moments", by="propagate_rows")
    propagated = scalars(
        "propagated", "Y = W J^T, later Y D^-1/2: rows x velocities on their path, block by block", by="propagate_rows, fill_matrix"
    )
    link_wrenches = records(
        Wrench, "n", "wrench of one row, or imbalance of a link, on its way inward", by="propagate_rows, find_imbalance"
    )
    K = scalars("matrix_of_rows", "J M^-1 J^T on and below the diagonal, group by group", by="fill_matrix")
    factor = scalars(
        "matrix_of_rows", "of K, its diagonal inverted; 0 there for rows that are left out", by="solve_certain_rank, factor_chosen"
    )
    taken = integers("nc", "is the row taken? a flag for each lane (kernels/lane_flags.py)", by="solve_certain_rank, solve_rank_revealing")
    decided = integers("nc", "the same of the last solve that was free to choose (not SAME_ROWS)", by="solve")
    chosen = flag("were the rows chosen by their geometry at that solve?", by="solve")
    redundant = integer("were rows that could move left out? a flag for each lane", by="solve_certain_rank, factor_chosen")
    J = scalars("propagated", "the rows in joint velocities: rows x velocities on their path, block by block", by="fill_jacobian")
    natural = scalars("nc", "natural size of a row: what its wrenches could move, were no motion forbidden to them", by="fill_jacobian")
    reach = scalars("nv", "what makes velocities comparable: 1 for turns, a length for slides", by="fill_jacobian")
    phi = scalars("nc", "phi of all rows", by="rows_in_joints")
    phi_dot = scalars("nc", "phi_dot of all rows", by="rows_in_joints")
    gamma = scalars("nc", "phi_ddot of all rows without J vdot", by="rows_in_joints")
    gap = scalars("nc", "|phi|", by="solve_rank_revealing")
    group = integers("lanes * nc", "the first row of a row's group: of row i in lane l at i * lanes + l", by="solve_rank_revealing")
    group_moves = reals("nc", "of a group in one lane, at its first row: the most that one of its rows adds up to", by="_judge_lane")
    group_scale = reals("nc", "the same, at least a share of the right sides: what left-out rows are judged by", by="_judge_lane")
    first_residuals = scalars("nc", "r before the first correction", by="solve_rank_revealing")
    sums = scalars("nc", "multipliers of all corrections so far", by="solve_rank_revealing")
    weights = scalars("nv", "D^-1/2", by="fill_matrix")
    e = scalars(
        "nv", "D^-1 Y^T lambda, what the multipliers leave at the joints; with D^-1 u of the imbalance", by="innovations, add_imbalance"
    )
    imbalance = scalars("nv", "u = W r, what the equations of motion lack", by="find_imbalance")
    before = scalars("nv", "vdot before the last correction of the whole system", by="_correct")
    rank = scalar("rank of K", by="solve")
    residual = scalar("what dependent rows lack, relative to the rows of their group; infinite where kept rows do not hold", by="solve")
    pivot = scalar("least pivot of an independent row, of what it could be, were no motion forbidden", by="solve")
    share = scalar("least pivot of a row that was taken, of its own K_ii", by="solve_certain_rank")
    worst = scalars(1, "the residual, written lane by lane", by="solve_rank_revealing")
    choice = part(RowChoice, "a lane whose rank is in doubt")
