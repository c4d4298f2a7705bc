"""Which rows of J depend on others, what may be added to the multipliers, and which motions are left.

    J^T Z = 0     self-stress: multipliers that change no acceleration           J N = 0     motions that break no constraint

The rank is decided by the rule of all solvers (constraints/rank.py). Z (dependence.py) and N then come from J itself, by Householder's QR.
"""

from typing import NamedTuple

import numpy as np

from ..constraints.independent_rows import chosen_rows, independent_rows
from ..constraints.rank import TOLERANCE
from ..constraints.state_arrays import RowArrays
from ..constraints.tolerance import rest_pace
from .dependence import null_vectors

ROUNDING = 1e-12  # rates below this part of the fastest are taken for zero
EXACT = 1e-14  # a sine: rows that depend on others exactly, but for rounding


class Split(NamedTuple):
    """The rows taken apart: `independent`, `dependent` and (of these) `doubtful` are their numbers; `stress` is Z (nc, s), one column for each dependent row.

    `sine` says how nearly rows depend on others; `directions` and `gaps`: J and phi as they are judged.
    `arrays`: the RowArrays that they come from, None where there are no rows.
    """

    J: np.ndarray
    phi: np.ndarray
    independent: np.ndarray
    dependent: np.ndarray
    stress: np.ndarray
    arrays: RowArrays | None
    doubtful: np.ndarray
    sine: np.ndarray
    directions: np.ndarray
    gaps: np.ndarray

    @property
    def rank(self):
        return len(self.independent)

    @property
    def nearly(self):
        """Are there rows that depend on others nearly, not exactly? Off the constraints their remainders may come from gaps alone."""
        return bool((self.sine[self.dependent] > EXACT).any())

    def without(self, held):
        """The numbers of the rows that are still independent where some velocities, (nv,) booleans, are held."""
        if not held.any():
            return self.independent
        own = self.independent
        return own[independent_rows(np.ascontiguousarray(self.directions[own][:, ~held]), self.gaps[own]).independent] if len(own) else own

    def counted(self, rows, v=None, pace=1.0):
        """What of gaps `rows` (nc,) counts: left-out rows may lack TOLERANCE of their natural size (phi), times |v| (phi_dot at
        velocities v), at least the pace (1/s).

        The remainder of a row is a vector over all velocities by their reach, so |v| is their Euclidean norm. Where all depend exactly, a gap is no tilt
        but a contradiction, and counts.
        """
        found = np.array(rows, dtype=float)
        if self.nearly:
            left, reach = found[self.dependent], self.arrays.reach
            size = 1.0 if v is None else max(pace, float(np.linalg.norm(v / np.where(reach > 0.0, reach, np.inf))))
            found[self.dependent] = np.where(np.abs(left) <= TOLERANCE * size * self.arrays.natural[self.dependent], 0.0, left)
        return found

    def motions(self, scale):
        """(N, drivers): N (nv, nv - rank) has a 1 for one driving velocity in each column and 0 for the other drivers.

        `scale`: per velocity, what makes them comparable; a smaller one makes a velocity more likely to follow than to drive. Pivots choose
        as followers those that follow most safely.
        """
        from scipy.linalg import qr, solve_triangular

        J, nv = self.J[self.independent], self.J.shape[1]
        if not self.rank:
            return np.eye(nv), np.arange(nv)
        Q, R, order = qr(J / scale, mode="economic", pivoting=True)
        followers, drivers = order[: self.rank], np.sort(order[self.rank :])
        N = np.zeros((nv, len(drivers)))
        N[drivers, np.arange(len(drivers))] = 1.0
        N[followers] = -solve_triangular(R[:, : self.rank], Q.T @ J[:, drivers]) / scale[followers, None]
        N[np.abs(N) < ROUNDING * np.max(np.abs(N), axis=0, initial=0.0)] = 0.0
        return N, drivers


def split_rows(model, q, t=0.0):
    """The rows of a model in one configuration, taken apart."""
    if not model.nc:
        none, nothing, still = np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros((0, model.nv))
        return Split(still, none, nothing, nothing, np.zeros((0, 0)), None, nothing, none, still, none)
    rows, directions, gaps, found = chosen_rows(model, q, t)
    stress = null_vectors(rows.J, found.independent, found.dependent)
    return Split(rows.J, rows.phi, found.independent, found.dependent, stress, rows, found.doubtful, found.sine, directions, gaps)


def gaps_that_count(model, q, t, rows, tolerance, v=None):
    """`rows` (nc,), gaps of phi, or of phi_dot at velocities v (nv,), without what rows that the rule leaves out may lack.

    The rule is applied only where gaps are beyond the tolerance, (nc,) or one number.
    """
    if (np.abs(rows) <= tolerance).all():
        return np.array(rows, dtype=float)
    return split_rows(model, q, t).counted(rows, v, rest_pace(model))


def null_space(A, tolerance=1e-8):
    """The null space of a small matrix, orthonormal columns; singular values below tolerance times max(largest, 1) count as zero."""
    if not A.size:
        return np.eye(A.shape[1])
    _, sizes, Vt = np.linalg.svd(A)
    rank = int(np.sum(sizes > tolerance * max(sizes[0], 1.0)))
    return Vt[rank:].T
