"""What the evaluation of accelerations under all forces works in (solvers/accelerations.py), one record for each way to solve."""

from ..kernels.records import Record, flag, integers, pointer, scalars
from .constraints import ConstraintData
from .forces import ForceData
from .sparse import SparseData
from .tree import TreeData


class AccelerationData(Record):
    """A tree under forces; what constraints give besides is zero."""

    tree = pointer(TreeData, "the state, what acts and what results")
    forces = pointer(ForceData, "the evaluation of forces")
    multipliers = scalars("nc", "multiplier of each row", by="store_multipliers")
    gaps = scalars("nc", "phi of each row, where gaps alone were asked for (GAPS)", by="store_gaps")
    gap_rates = scalars("nc", "phi_dot of each row, where rates alone were asked for (RATES)", by="_store_gap_rates")
    gap = scalars(1, "largest |phi| of a row by its unit (constraints/tolerance.py)", by="store_largest_gap")
    gap_rate = scalars(1, "largest |phi_dot| of a row by its unit, 1/s", by="_store_gap_rates")
    residual = scalars(1, "largest residual of dependent rows", by="store_solution, sparse_accelerations")
    rank = scalars(1, "number of independent rows, a whole number in each lane", by="store_solution, sparse_accelerations")
    pivot = scalars(
        1,
        "least pivot of an independent row, of what it could be, were no motion forbidden: it goes to zero at a singular pose",
        by="store_solution, sparse_accelerations",
    )
    ahead = scalars(1, "s, by which the rows are looked at later than the forces", by="_place_on_branch")
    follows = integers(
        1, "are the accelerations those of a branch of motion? a flag for each lane (kernels/lane_flags.py)", by="_follow_branch"
    )
    branch_vdot = scalars("nv", "these accelerations", by="_follow_branch")
    redundant = integers(1, "were rows that could move left out? a flag for each lane", by="store_solution, sparse_accelerations")


class ArticulatedAccelerationData(AccelerationData):
    """The same with constraints, by articulated bodies."""

    constraints = pointer(ConstraintData, "the solver's data")


class SparseAccelerationData(AccelerationData):
    """The same with constraints, by the sparse factor."""

    sparse = pointer(SparseData, "the solver's data")
    rank_revealing = pointer(
        ConstraintData, "data of the solver that is asked where the rank is in doubt, on the same tree; empty for models of many rows"
    )
    can_reveal_rank = flag("can it be asked?")
    revealed_rank = flag("was it asked at the last solve with a new choice of rows?", by="sparse_accelerations")
