"""What the evaluation of accelerations under all forces works in (integrators/rates.py), one record for each way to solve."""

from ..kernels.records import Record, flag, pointer, scalars
from .constraints import ConstraintData
from .forces import ForceData
from .sparse import SparseData
from .tree import TreeData


class Rates(Record):
    """A tree under forces; what constraints give besides is zero."""

    tree = pointer(TreeData, "the state, what acts and what results")
    forces = pointer(ForceData, "the evaluation of forces")
    multipliers = scalars(
        "nc",
        "multiplier of each row, or its residual where a correction was asked for",
        by="_by_articulated, sparse_rates, _book_residuals",
    )
    gap = scalars(1, "largest |phi| (or |phi_dot|) of a row of constraints by its unit", by="_book_rows, _book_residuals")
    residual = scalars(1, "largest residual of dependent rows", by="_by_articulated, sparse_rates")
    rank = scalars(1, "number of independent rows", by="_by_articulated, sparse_rates")
    pivot = scalars(
        1,
        "least pivot of an independent row, of what it could be, were no motion forbidden: it goes to zero at a singular pose",
        by="_by_articulated, sparse_rates",
    )
    ahead = scalars(1, "s, by which the rows are looked at later than the forces", by="_place_on_branch")
    follows = scalars(1, "1 in lanes whose accelerations are those of a branch of motion, else 0", by="_follow_branch")
    branch_vdot = scalars("nv", "these accelerations", by="_follow_branch")
    redundant = scalars(1, "how many rows that could move were left out", by="_by_articulated, sparse_rates")


class ArticulatedRates(Rates):
    """The same with constraints, by articulated bodies."""

    constraints = pointer(ConstraintData, "the solver's data")


class SparseRates(Rates):
    """The same with constraints, by the sparse factor."""

    sparse = pointer(SparseData, "the solver's data")
    careful = pointer(
        ConstraintData, "data of the solver that is asked where the rank is in doubt, on the same tree; empty for models of many rows"
    )
    can_ask = flag("can it be asked?")
    asked = flag("was it asked at the last solve with a new choice of rows?", by="sparse_rates")
