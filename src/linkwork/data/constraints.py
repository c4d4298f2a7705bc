"""Constraints: their rows at a state, and what the solver by articulated bodies keeps (solvers/articulated.py).

A row is one scalar equation phi(q, t) = 0 with phi_dot = J v + phi_t and phi_ddot = J vdot + gamma (parts/constraints/kind.py). Sizes beyond those of the
tree: nc rows, laws (time functions), propagated (numbers of rows along their paths).
"""

from ..kernels.records import Record, part, reals, records, scalar, scalars, vector3


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

    given = reals(37, "two markers (18 each) and the time", by="relation_rows, evaluate_time_functions")
    result = reals("15 * nc + 3", "15 numbers of each row, as in Row; three of a time function", by="the user's function")
    markers = scalars(36, "both markers, all lanes", by="relation_rows")


class RowData(Record):
    """All rows of a model at a state."""

    time = scalar("time of the state", by="caller")
    times = records(TimeValue, "laws", "time functions", by="evaluate_time_functions")
    rows = records(Row, "nc", "rows", by="evaluate_rows")
    call = part(RelationCall, "exchange with users' functions")
