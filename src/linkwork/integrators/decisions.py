"""What solvers have decided about rows, for checkpoints.

Within a step a solver keeps the order of pivots, and leaves out the rows, of the last solve that was free to choose (SAME_ROWS, constraints/modes.py). A method
whose last stage is the first of its next step (`Adaptive`) may not let it choose for many steps. So what was chosen is a part of the motion: a run that is
taken up without it solves with other roundings.
"""

import numpy as np

from .saved_values import refuse_saved, saved_array

REVEALED, CHOSEN, ORDER, KEPT, TAKEN = "decision asked", "decision chosen", "decision order", "decision kept", "decision taken"


def decisions(data):
    """{name: whole numbers} of the record that accelerations are evaluated in (data/accelerations.py)."""
    found = {}
    if (sparse := getattr(data, "sparse", None)) is not None:
        found |= {REVEALED: _flag(data.revealed_rank), ORDER: _whole(sparse.decided), KEPT: _whole(sparse.decided_kept)}
    if (rank_revealing := _articulated(data)) is not None:
        found |= {CHOSEN: _flag(rank_revealing.chosen), TAKEN: _whole(rank_revealing.decided)}
    return found


def restore_decisions(data, arrays):
    """Take up what `decisions` gave; FormatError for what no solver decides."""
    given = {name: saved_array(arrays, name, now.shape, np.int64) for name, now in decisions(data).items()}
    for name in (REVEALED, CHOSEN, TAKEN):
        if name in given and ((given[name] != 0) & (given[name] != 1)).any():
            raise refuse_saved(f"array {name!r}", given[name].tolist(), "0 or 1 for each")
    if (sparse := getattr(data, "sparse", None)) is not None:
        _check_order(sparse, given[ORDER], given[KEPT])
        data.revealed_rank, sparse.decided[:], sparse.decided_kept[:] = bool(given[REVEALED][0]), given[ORDER], given[KEPT]
    if (rank_revealing := _articulated(data)) is not None:
        rank_revealing.chosen, rank_revealing.decided[:] = bool(given[CHOSEN][0]), given[TAKEN]


def _check_order(sparse, order, kept):
    """Pivots are rows of their constraint, each once: kernels use them as indices."""
    program = sparse.program
    lanes = len(order) // max(1, program.row_packs)
    for e in range(program.count):
        c = program.constraints[e]
        first = c.pack * lanes
        pivots = order[first : first + int(kept[e])]
        if not 0 <= kept[e] <= c.rows or len(set(pivots.tolist()) & set(range(c.rows))) < len(pivots):
            raise refuse_saved(f"array {ORDER!r}", pivots.tolist(), f"at most {c.rows} rows of a constraint, each once")


def _articulated(data):
    """The data of the solver by articulated bodies; None where there is none, or no row."""
    found = getattr(data, "constraints", None) or getattr(data, "rank_revealing", None)
    return found if found is not None and len(found.decided) else None


def _flag(value):
    return np.array([int(value)], dtype=np.int64)


def _whole(values):
    return np.array(values, dtype=np.int64).reshape(-1)
