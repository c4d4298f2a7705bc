"""Independent rows of a model's constraints at a state, chosen to be as far from dependent as they can: of all rows, and of those that hold positions."""

import numpy as np

from ...analysis.split_rows import split_rows

PART = 1e-8  # of the largest: what a dependent row needs of a row on velocities, below it is rounding


def independent_rows(model, q, t):
    """(rows, places): numbers of independent rows, and of independent rows among those that hold positions.

    How many there are is for `analysis.split_rows` to say. Which ones, pivots of J itself decide: of two parallel rows the longer one, since the shorter
    one may be on its way through zero, as a row about an axis that a joint turns away.
    """
    split = split_rows(model, q, t)
    if not split.rank:
        return split.independent, split.independent
    holds = np.zeros(model.nc, dtype=bool)
    for block in model.constraint_tables.blocks:
        holds[block["row"] : block["row"] + block["rows"]] = block["holonomic"] != 0
    rows = _longest(split.J, np.arange(model.nc), split.rank)
    if holds[split.independent].all():
        return rows, (rows if holds[rows].all() else _longest(split.J, np.flatnonzero(holds), split.rank))
    return rows, _longest(split.J, np.flatnonzero(holds), _rank_of_places(split, holds))


def _rank_of_places(split, holds):
    """How many rows on positions are independent of each other. Some may have been left out only because they depend on rows on velocities."""
    slides, left_out = split.independent[~holds[split.independent]], holds[split.dependent]
    needs = split.stress[np.ix_(slides, left_out)]
    sizes = np.linalg.svd(needs, compute_uv=False) if needs.size else np.zeros(0)
    return int(holds[split.independent].sum() + (sizes > PART * max(1.0, sizes.max(initial=0.0))).sum())


def _longest(J, among, count):
    """So many rows out of some, by pivots, the longest first; in order."""
    if count in (0, len(among)):
        return among[:count]
    from scipy.linalg import qr

    _, order = qr(J[among].T, mode="r", pivoting=True, check_finite=False)
    return np.sort(among[order[:count]])
