r"""Embedded Runge-Kutta pairs with dense output, as tables that kernels read. The coefficients are SciPy's, taken from its classes at run time.

A pair of s stages is written with the end of the step as stage s, and with the extra stages of its dense output behind it, all alike:

    Y_j = y_0 + h sum_l a_jl f_l,       a_sl = b_l,  c_s = 1        so that f_s is the first stage of the next step
    error = h sum_l e_l f_l             one row, or two that are combined (order 8)
    y(t_0 + x h) = y_0 + h sum_l p_l(x) f_l,        p = x (F_0 + (1 - x) (F_1 + x (F_2 + (1 - x) (F_3 + ...))))      (Hairer's form)

order 5   Dormand & Prince (1980), its interpolant of order 4 (Shampine 1986) raised to order 5 by two more stages at places x of that
          interpolant (bootstrapping: Enright, Jackson, Norsett & Thomsen 1986): the quintic with y and y' at both ends and y' at the places.
order 8   DOP853 of Hairer, Norsett & Wanner (1993, II.5, II.6), dense output of order 7 with three more stages.
"""

import functools
from typing import NamedTuple

import numpy as np
from numpy.polynomial import Polynomial

from ...data.butcher import ButcherTable, butcher_table

PLACES = (0.2, 0.8)  # of the two stages that raise the interpolant to order 5


class Pair(NamedTuple):
    """`table`: coefficients and weights of errors. `dense`: F_0, F_1, ... of the dense output, each a row over the stages.

    `screening`: rows over the stages of 1, x, x^2, ...: what looks for events and switches within a step. Of order 5 the interpolant of order 4, which needs no
    more stages; of order 8 the dense output.
    """

    order: int
    table: ButcherTable
    dense: np.ndarray
    screening: np.ndarray

    def weights(self, x):
        """p_l(x), one for each stage; in this nested form rounding stays small."""
        total = np.zeros(self.stages)
        for k in reversed(range(len(self.dense))):
            total += self.dense[k]
            total *= 1.0 - x if k % 2 else x
        return total

    @property
    def stages(self):
        return self.table.stages


@functools.cache
def pair(order):
    """The pair of order 5 or 8."""
    return _dormand_prince() if order == 5 else _dop853()


def _pair(order, end, c, a, errors, dense, screening):
    return Pair(order, butcher_table(c, a[end], a, end, errors), dense, screening)


def _by_powers(dense):
    """Rows of 1, x, x^2, ... from those of Hairer's form."""
    made, term = np.zeros((len(dense) + 1, dense.shape[1])), Polynomial([1.0])
    for k, row in enumerate(dense):
        term = term * Polynomial([1.0, -1.0] if k % 2 else [0.0, 1.0])
        made[: len(term.coef)] += np.outer(term.coef, row)
    return made


def _square(count, rows):
    """Rows of different lengths as a square array."""
    a = np.zeros((count, count))
    for j, row in enumerate(rows):
        a[j, : len(row)] = row
    return a


def _dormand_prince():
    from scipy.integrate import RK45  # here, so that `import linkwork` need not wait for it

    end = RK45.n_stages
    count = end + 1 + len(PLACES)
    powers = np.arange(1, RK45.P.shape[1] + 1)
    a = _square(count, [*RK45.A, RK45.B, *(RK45.P @ x**powers for x in PLACES)])
    c = np.array([*RK45.C, 1.0, *PLACES])
    # Of the quintic, by its terms x, x (1 - x), x^2 (1 - x), ... and by the stages: y(1), and y' at the ends and at the places.
    terms, term = [], Polynomial([1.0])
    for k in range(5):
        term = term * Polynomial([1.0, -1.0] if k % 2 else [0.0, 1.0])
        terms.append(term)
    slopes = [[term.deriv()(x) for term in terms] for x in (0.0, 1.0, *PLACES)]
    conditions = np.array([[term(1.0) for term in terms], *slopes])
    given = np.vstack([a[end], np.eye(count)[[0, end, end + 1, end + 2]]])
    screening = np.zeros((1 + RK45.P.shape[1], count))
    screening[1:, : end + 1] = RK45.P.T
    return _pair(5, end, c, a, [RK45.E, np.zeros(1)], np.linalg.solve(conditions, given), screening)


def _dop853():
    from scipy.integrate import DOP853  # here, so that `import linkwork` need not wait for it

    end, count = DOP853.n_stages, DOP853.D.shape[1]
    a = _square(count, [*DOP853.A, DOP853.B, *DOP853.A_EXTRA])
    c = np.array([*DOP853.C, 1.0, *DOP853.C_EXTRA])
    first, last = np.eye(count)[0], np.eye(count)[end]
    dense = np.array([a[end], first - a[end], 2 * a[end] - first - last, *DOP853.D])
    return _pair(8, end, c, a, [DOP853.E5, DOP853.E3], dense, _by_powers(dense))
