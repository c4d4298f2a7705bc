r"""Newton's matrix of an implicit step, taken apart by the eigenvalues of the method, factored once and used while it serves.

With the eigenvalues mu / h of (h A)^-1 (radau.py) the changes w of the stages' velocities and of the multipliers follow from one real and one complex system,

    [ S             -J^T ] [ w           ]     [ -r h / mu  ]
    [ J + h W / mu    0  ] [ h dlam / mu ]  =  [ -phi_dot   ]        S = M + (h / mu) D + (h / mu)^2 K

of a condition that does not grow as h shrinks. The rows are independent ones, chosen where the mechanism is closed and kept for the step: off the
constraints, where stages and iterations go, redundant rows contradict each other, and no rank decided there means anything.

The real factor serves twice more. It brings the end of a step onto the constraints, along S^-1 J^T: that is what constraint forces would do, and does
not wind up stiff springs. And it filters the estimate of the error (Hairer & Wanner 1996, IV.8.20).
"""

import numpy as np

from ...data.stepper import for_kernels
from ..lu_factor import fill_factor, is_positive, solve_real
from .radau import INVERSE, MU, STAGES, A

HALF = 0.5  # of the inertia: what negative stiffness may take away from the real matrix


class IterationMatrix:
    """The matrices for one step size, factored into `factors` (real, complex, for positions). `regular`: are they regular?

    rows: numbers of independent rows, of velocities; places: of independent rows that hold positions.
    """

    def __init__(self, slopes, rows, places, h, factors):
        self.slopes, self.rows, self.places, self.h = slopes, rows, places, h
        self.n, self._real = len(slopes.M), factors[0]
        slopes = slopes._replace(K=_no_softer(slopes.M, slopes.K, HALF * (MU[0] / h) ** 2))
        chosen = (MU[0], rows), (MU[1], rows), (MU[0], places)
        self.regular = all([fill_factor(f, _saddle(slopes, of, mu / h), of) for f, (mu, of) in zip(factors, chosen, strict=True)])

    def filtered(self, of_theta, of_v):
        """(I - h J / mu)^-1 of errors of theta and v: an estimate without what stiff springs would make of it."""
        u, m, n, f = self.h / MU[0], self.slopes, self.n, self._real
        f.b[:n], f.b[n : f.n] = m.M @ of_v - u * (m.K @ of_theta), 0.0
        solve_real(for_kernels(f))
        e = f.b[:n].copy()
        return of_theta + u * e, e


def fill_coupled(factor, slopes, rows, h):
    """Factor the matrix of all stages together, each with its own derivatives; False if it is singular.

        sum_j ( (A^-1)_ij M_i + [i = j] h D_i + h^2 a_ij K_i ) w_j - J_i^T h dlam_i = -h r_i,      J_i w_i + h sum_j a_ij W_i w_j = -phi_dot_i

    Where a stiff spring or damper turns during a step, derivatives at its beginning push along where it was: only those of the stages themselves converge.
    """
    n, m = len(slopes[0].M), len(rows)
    size = STAGES * (n + m)
    matrix = np.zeros((size, size), order="F")
    for i, (M, K, D, W, J) in enumerate(slopes):
        of_v, of_rows = slice(n * i, n * (i + 1)), slice(STAGES * n + m * i, STAGES * n + m * (i + 1))
        for j in range(STAGES):
            to = slice(n * j, n * (j + 1))
            matrix[of_v, to] = INVERSE[i, j] * M + (h * h * A[i, j]) * K
            matrix[of_rows, to] = (h * A[i, j]) * W[rows]
        matrix[of_v, of_v] += h * D
        matrix[of_v, of_rows] = -J[rows].T
        matrix[of_rows, of_v] += J[rows]
    return fill_factor(factor, matrix, np.zeros(0, dtype=int))


def _saddle(slopes, rows, mu):
    M, K, D, W, J = slopes
    n, m = len(M), len(rows)
    A = np.zeros((n + m, n + m), dtype=type(mu), order="F")
    A[:n, :n] = M + D / mu + K / mu**2
    if m:
        A[:n, n:] = -J[rows].T
        A[n:, :n] = J[rows] + W[rows] / mu
    return A


def _no_softer(M, K, most):
    """K with its symmetric part raised where it is below -most M: a stiff spring under pressure must not outweigh all inertia."""
    if not len(M):
        return K
    if is_positive(np.ascontiguousarray(0.5 * (K + K.T) + most * M)):
        return K
    w, U = np.linalg.eigh(M)
    root = np.sqrt(np.maximum(w, 1e-12 * max(w[-1], 1e-300)))
    half, inverse = (U * root) @ U.T, (U / root) @ U.T
    w, U = np.linalg.eigh(inverse @ (0.5 * (K + K.T)) @ inverse)
    low = w < -most
    if not low.any():
        return K
    raised = half @ U[:, low]
    return K + (raised * (-most - w[low])) @ raised.T
