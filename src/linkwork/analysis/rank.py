"""Which rows of J depend on others, what may be added to the multipliers, and which motions are left.

    J^T Z = 0     self-stress: multipliers that change no acceleration           J N = 0     motions that break no constraint

The rank is decided by the rule of all solvers (solvers/rank_rule.py). Z and N then come from J itself, by Householder's QR.
"""

from typing import NamedTuple

import numpy as np

from ..solvers.chosen_rows import chosen_rows

NOTHING = 1e-14  # rows of J below this part of the largest number in it are rounding
ROUNDING = 1e-12  # rates below this part of the fastest are taken for zero


class Split(NamedTuple):
    """The rows taken apart: `independent`, `dependent` and (of these) `doubtful` are their numbers; `sine` says how nearly they depend;
    `directions` and `gaps`: J and phi as they are judged; `stress` is Z (nc, s), one column for each dependent row."""

    J: np.ndarray
    phi: np.ndarray
    independent: np.ndarray
    dependent: np.ndarray
    doubtful: np.ndarray
    sine: np.ndarray
    directions: np.ndarray
    gaps: np.ndarray
    stress: np.ndarray

    @property
    def rank(self):
        return len(self.independent)

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
    rows, directions, gaps, found = chosen_rows(model, q, None, t)
    stress = null_vectors(rows.J, found.independent, found.dependent)
    return Split(rows.J, rows.phi, found.independent, found.dependent, found.doubtful, found.sine, directions, gaps, stress)


def null_vectors(J, independent, dependent):
    """Z: each column has a 1 on one dependent row and what makes up for it on the independent ones."""
    Z, rank, turned = np.zeros((len(J), len(dependent))), len(independent), np.arange(len(dependent))
    Z[dependent, turned] = 1.0
    if len(dependent) and rank:
        size = np.abs(J[dependent]).max(axis=1, initial=0.0)
        turned = turned[size > NOTHING * np.abs(J).max()]  # others, as those out of a planar mechanism's plane, need nothing to make up for
    if len(turned) and rank:
        R = np.linalg.qr(np.concatenate([J[independent], J[dependent[turned]]]).T, mode="r")  # these are turned along with the others
        Z[np.ix_(independent, turned)] = -np.linalg.solve(R[:rank, :rank], R[:rank, rank:])
    return Z


def null_space(A, tolerance=1e-8):
    """The null space of a small matrix, orthonormal columns; singular values below tolerance times max(largest, 1) count as zero."""
    if not A.size:
        return np.eye(A.shape[1])
    _, sizes, Vt = np.linalg.svd(A)
    rank = int(np.sum(sizes > tolerance * max(sizes[0], 1.0)))
    return Vt[rank:].T
