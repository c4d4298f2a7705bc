r"""The matrix of Newton's method for a step of generalised-alpha, factored once and used while it serves.

Unknown are the change d of the displacement that accelerations cause, the multipliers, and corrections eta of positions by P eta:

    [ S            h^2 beta K P    -J^T ] [ d             ]     [ -h^2 beta r      ]
    [ G            G P              0   ] [ eta           ]  =  [ -phi             ]        S = m M + gamma h D + beta h^2 K
    [ J + u V      u V P            0   ] [ h^2 beta dlam ]     [ -u phi_dot       ]        u = beta h / gamma

scaled so that its condition does not grow as h shrinks (Bottasso et al. 2007). P = S^-1 J^T moves along what constraint forces would do, so that
corrections do not wind up stiff springs. Rows that depend on others are left out, found by pivoted QR of M^-1/2 J^T: what they say is
said by the others. The cost is O((n + 2 m)^3) for n velocities and m independent rows, dense, by LAPACK.
"""

from functools import partial

import numpy as np

DEPENDENT = 1e-9  # of the largest: pivots below are zero
HOLLOW = 1e-4  # rows whose phi does not change with positions, relative to J, hold velocities only


class IterationMatrix:
    """The factored matrix for one step size."""

    def __init__(self, slopes, scheme, h):
        M, K, D, G, V, J = slopes
        self.slopes, self.h = slopes, h
        n = len(M)
        beta, u = scheme.beta * h * h, scheme.beta * h / scheme.gamma
        root = _roots(M)
        S = scheme.mass * M + _no_softer(scheme.gamma * h * D + beta * K, root, 0.5 * scheme.mass)
        self.weighted_mass = scheme.mass * M
        self.rows, self.places = _independent(root[1], J, G)
        k, m = len(self.places), len(self.rows)
        J, V, G = J[self.rows], V[self.rows], G[self.places]
        self.P = _solve(S, slopes.J[self.places].T) if k else np.zeros((n, 0))
        A = np.zeros((n + k + m, n + k + m))
        A[:n, :n] = S
        if m:
            A[:n, n : n + k], A[:n, n + k :] = beta * K @ self.P, -J.T
            A[n : n + k, :n], A[n : n + k, n : n + k] = G, G @ self.P
            A[n + k :, :n], A[n + k :, n : n + k] = J + u * V, u * V @ self.P
        self._size = 1.0 / np.maximum(np.abs(A).max(axis=1), 1e-300)
        self._solved, self.sound = _factored(A * self._size[:, None])
        self._counts, self._beta, self._u = (n, k, m), beta, u

    def solve(self, r, phi, phi_dot):
        """(d, P eta, change of all multipliers) for the residuals of the equations."""
        n, k, m = self._counts
        b = np.concatenate([-self._beta * r, -phi[self.places], -self._u * phi_dot[self.rows]])
        x = self._solved(b * self._size)
        multipliers = np.zeros(len(phi))
        multipliers[self.rows] = x[n + k :] / self._beta
        return x[:n], self.P @ x[n : n + k], multipliers

    def filtered(self, e):
        """S^-1 m M e on the constraints: an estimate of errors without what stiff springs would make of it (Hairer & Wanner 1996, IV.8)."""
        n, k, m = self._counts
        b = np.concatenate([self.weighted_mass @ e, np.zeros(k + m)])
        return self._solved(b * self._size)[:n]


def _factored(A):
    """x(b) that solves A x = b, and whether A has finite factors."""
    from scipy.linalg import lu_factor, lu_solve  # here, so that `import linkwork` need not wait for it

    factors = lu_factor(A, check_finite=False)
    return partial(lu_solve, factors, check_finite=False), bool(np.isfinite(factors[0]).all())


def _solve(S, B):
    return np.linalg.lstsq(S, B, rcond=None)[0] if np.linalg.cond(S) > 1e13 else np.linalg.solve(S, B)


def _roots(M):
    """M^1/2 and M^-1/2; directions without mass get next to none."""
    w, U = np.linalg.eigh(M)
    w = np.sqrt(np.maximum(w, 1e-12 * max(w[-1], 1e-300)))
    return (U * w) @ U.T, (U / w) @ U.T


def _no_softer(N, root, least):
    """N with its symmetric part raised where it is below -least M: away from the solution a stiff spring under pressure can outweigh all inertia."""
    half, inverse = root
    w, U = np.linalg.eigh(inverse @ (0.5 * (N + N.T)) @ inverse)
    low = w < -least
    if not low.any():
        return N
    raised = half @ U[:, low]
    return N + (raised * (-least - w[low])) @ raised.T


def _independent(root, J, G):
    """(independent rows of J, independent rows of G), each in order."""
    if not len(J):
        return np.zeros(0, dtype=int), np.zeros(0, dtype=int)
    rows = independent_rows(J @ root)
    hold = np.linalg.norm(G, axis=1) > HOLLOW * np.maximum(np.linalg.norm(J, axis=1), 1e-300)
    held = np.flatnonzero(hold)
    places = held[independent_rows(J[held] @ root)] if len(held) else held
    return rows, places


def independent_rows(rows):
    """Numbers of rows that span all of them, in order."""
    if not len(rows):
        return np.zeros(0, dtype=int)
    from scipy.linalg import qr

    sizes = np.linalg.norm(rows, axis=1)
    scaled = rows / np.maximum(sizes, 1e-300)[:, None]
    R, order = qr(scaled.T, mode="r", pivoting=True, check_finite=False)
    d = np.abs(np.diag(R))
    return np.sort(order[: int((d > DEPENDENT * d[0]).sum())]) if len(d) and d[0] > 0.0 else np.zeros(0, dtype=int)
