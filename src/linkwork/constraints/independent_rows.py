"""Independent rows of a state, chosen by the rule of rank (constraints/rank.py), for what is written in NumPy."""

from typing import NamedTuple

import numpy as np

from ..data.constraints import RowChoice
from ..data.need_memory import need_memory
from ..kernels import JIT
from .rank import DOUBTFUL, SPREAD, choose_rows
from .state_arrays import RowArrays, row_arrays


class Choice(NamedTuple):
    """Independent rows, and those that depend on them: their numbers, ascending. `doubtful`: of the dependent ones, those that depend nearly, not
    exactly; `sine` (m,) measures how nearly. `group` (m,): the first row of those that each shares velocities with."""

    independent: np.ndarray
    dependent: np.ndarray
    doubtful: np.ndarray
    sine: np.ndarray
    group: np.ndarray


class ChosenRows(NamedTuple):
    """The rows of a configuration at rest, as they are judged (`directions`, `gaps`: J and phi by natural size and reach), and the choice."""

    arrays: RowArrays
    directions: np.ndarray
    gaps: np.ndarray
    choice: Choice


def chosen_rows(model, q, t=0.0) -> ChosenRows:
    """The rows of one configuration, of which independent ones are chosen. The model must have constraints."""
    need_memory(model.name, model.sizes, 24 * model.nc * model.nv, "the choice among all rows")  # J, as it is judged, and on the way there
    rows = row_arrays(model, q, t)
    size = np.where(rows.natural > 0.0, rows.natural, np.inf)
    directions, gaps = rows.J * rows.reach / size[:, None], rows.phi / size
    return ChosenRows(rows, directions, gaps, _by_groups(model.constraint_tables, directions, gaps))


def _by_groups(constraint_tables, directions, gaps):
    """The choice among all rows of a model, group by group (model/constraint_tables.py): the time is that of the groups, not of their square."""
    if len(constraint_tables.groups) == 1:
        return independent_rows(directions, gaps)
    sine, group, taken = np.empty(len(gaps)), np.empty(len(gaps), dtype=int), np.zeros(len(gaps), dtype=bool)
    for first, count in constraint_tables.groups[["first", "rows"]].tolist():
        rows = constraint_tables.members[first : first + count]
        own = directions[rows]
        found = independent_rows(np.ascontiguousarray(own[:, own.any(axis=0)]), gaps[rows])
        sine[rows], group[rows], taken[rows[found.independent]] = found.sine, rows[found.group], True
    return _choice(taken, sine, group, gaps)


def independent_rows(directions, gaps) -> Choice:
    """Choose independent ones among rows (m, n) that are scaled already, with their gaps (m,)."""
    m, n = directions.shape
    one = RowChoice.allocate({"nc": m, "nv": n, "directions": m * n})
    one.directions[: m * n] = directions.ravel()
    one.gap[:m] = np.abs(gaps)
    choose_rows(one.address if JIT else one, m, n)
    taken, sine = np.array(one.taken[:m]) == 1, np.array(one.sine[:m], dtype=float)
    return _choice(taken, sine, np.array(one.group[:m], dtype=int), gaps)


def _choice(taken, sine, group, gaps):
    exact = max(DOUBTFUL, SPREAD * float(np.max(np.abs(gaps), initial=0.0)))
    return Choice(np.flatnonzero(taken), np.flatnonzero(~taken), np.flatnonzero(~taken & (sine > exact)), sine, group)
