"""Independent rows of a state, chosen by the rule of rank (solvers/rank_rule.py), for what is written in NumPy."""

from typing import NamedTuple

import numpy as np

from ..data.constraints import RowChoice
from ..kernels import JIT
from .rank_rule import DOUBTFUL, GAP, choose_rows
from .survey import RowArrays, row_arrays


class Choice(NamedTuple):
    """Independent rows, and those that depend on them: their numbers, ascending. `doubtful`: of the dependent ones, those that depend nearly, not
    exactly; `sine` (m,) says how nearly. `group` (m,): the first row of those that each shares velocities with."""

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
    rows = row_arrays(model, q, t)
    size = np.where(rows.natural > 0.0, rows.natural, np.inf)
    directions, gaps = rows.J * rows.reach / size[:, None], rows.phi / size
    return ChosenRows(rows, directions, gaps, independent_rows(directions, gaps))


def independent_rows(directions, gaps) -> Choice:
    """Choose independent ones among rows (m, n) that are scaled already, with their gaps (m,)."""
    m, n = directions.shape
    one = RowChoice.allocate({"nc": m, "nv": n})
    one.directions[: m * n] = directions.ravel()
    one.gap[:m] = np.abs(gaps)
    choose_rows(one.address if JIT else one, m, n)
    taken, sine = np.array(one.taken[:m]) == 1, np.array(one.sine[:m], dtype=float)
    exact = max(DOUBTFUL, GAP * float(np.max(np.abs(gaps), initial=0.0)))
    doubtful = np.flatnonzero(~taken & (sine > exact))
    return Choice(np.flatnonzero(taken), np.flatnonzero(~taken), doubtful, sine, np.array(one.group[:m], dtype=int))
