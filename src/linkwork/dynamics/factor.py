"""The sparse factor of the mass matrix, M = L^T L, and solves with it.

A mass matrix has M_ij = 0 unless joint i supports j or the other way round. Eliminating from the tips to the root keeps every one of these
zeros: L has the pattern of the lower half of M (Featherstone 2008, section 6.5). `ancestor[i]` is the next velocity coordinate on the way from
i to the root; a loop over ancestors visits just the entries that are not zero. L is lower triangular in the order of links.

    factor    for k = n-1 .. 0:  L_kk = sqrt(L_kk);  L_ki /= L_kk for all ancestors i;  L_ij -= L_ki L_kj for ancestors i, j of k, j above i
    solve     L^T y = b  from the tips inward,  then  L x = y  from the root outward
"""

import math

import numpy as np

from ..errors import SolverError
from ..kernel import kernel
from ..model.model import need_model
from .call import diagnose, shaped
from .mass_matrix import mass_matrix


@kernel
def factor_in_place(ancestor, order, L):
    """Overwrite the lower half of a mass matrix by its factor; returns -1, or the velocity whose pivot is not positive."""
    n = order.shape[0]
    for back in range(n):
        k = order[n - 1 - back]
        if not L[k, k] > 0.0:
            return k
        L[k, k] = math.sqrt(L[k, k])
        i = ancestor[k]
        while i >= 0:
            L[k, i] = L[k, i] / L[k, k]
            i = ancestor[i]
        i = ancestor[k]
        while i >= 0:
            j = i
            while j >= 0:
                L[i, j] = L[i, j] - L[k, i] * L[k, j]
                j = ancestor[j]
            i = ancestor[i]
    return -1


@kernel
def solve_in_place(ancestor, order, L, x):
    """x := M^-1 x."""
    n = order.shape[0]
    for back in range(n):
        i = order[n - 1 - back]
        x[i] = x[i] / L[i, i]
        j = ancestor[i]
        while j >= 0:
            x[j] = x[j] - L[i, j] * x[i]
            j = ancestor[j]
    for forth in range(n):
        i = order[forth]
        j = ancestor[i]
        while j >= 0:
            x[i] = x[i] - L[i, j] * x[j]
            j = ancestor[j]
        x[i] = x[i] / L[i, i]


@kernel
def _factor_all(ancestor, order, L):
    for k in range(L.shape[0]):
        fault = factor_in_place(ancestor, order, L[k])
        if fault >= 0:
            return k * order.shape[0] + fault
    return -1


@kernel
def _solve_all(ancestor, order, L, x):
    for k in range(x.shape[0]):
        for column in range(x.shape[1]):
            solve_in_place(ancestor, order, L[k], x[k, column])


class MassFactor:
    """M(q) = L^T L with branch-induced sparsity. `L` has entries only where one joint supports the other."""

    def __init__(self, model, L):
        self.model, self.L = model, L

    def solve(self, b):
        """M^-1 b for right-hand sides (..., nv) with the leading axes of q."""
        nv = self.model.nv
        (rhs, *_), leading = shaped([("b", b, (nv,)), ("q", np.zeros((*self.L.shape[:-2], 1)), (1,))])
        if not np.isfinite(rhs).all():
            diagnose(self.model, [("b", b, (nv,))], [rhs])
        states = math.prod(leading)
        L = np.broadcast_to(self.L, (*leading, nv, nv)).copy().reshape(states, nv, nv)
        x = rhs.reshape(states, 1, nv).copy()
        _solve_all(self.model.tables.ancestor, self.model.tables.order, L, x)
        return x.reshape((*leading, nv))

    def inverse(self):
        """M^-1, (..., nv, nv)."""
        nv = self.model.nv
        leading = self.L.shape[:-2]
        L = self.L.reshape(math.prod(leading), nv, nv)
        x = np.broadcast_to(np.eye(nv), L.shape).copy()
        _solve_all(self.model.tables.ancestor, self.model.tables.order, L, x)
        return x.reshape((*leading, nv, nv))

    @property
    def log_determinant(self):
        """log det M."""
        return 2.0 * np.log(np.diagonal(self.L, axis1=-2, axis2=-1)).sum(axis=-1)


def factor_mass_matrix(model, q, *, threads=1, where=""):
    """The sparse factor of M(q) for repeated solves; a SolverError names the velocity where M is not positive definite."""
    need_model(model)
    M = mass_matrix(model, q, threads=threads)
    nv = model.nv
    L = M.reshape(math.prod(M.shape[:-2]), nv, nv)
    fault = _factor_all(model.tables.ancestor, model.tables.order, L)
    if fault >= 0:
        joint = next(j.name for j in model.joints if j.v_index.start <= fault % nv < j.v_index.stop)
        raise SolverError(
            f"joint {joint!r}: the mass matrix is not positive definite there{where}; give the bodies beyond it mass and inertia"
        )
    # What is left of the upper half belongs to M.
    keep = np.zeros((nv, nv), dtype=bool)
    for i in range(nv):
        j = i
        while j >= 0:
            keep[i, j] = True
            j = model.tables.ancestor[j]
    return MassFactor(model, np.where(keep, L, 0.0).reshape(M.shape))


def solve_mass_matrix(model, q, b):
    """M(q)^-1 b by the sparse factor, (..., nv)."""
    need_model(model)
    return factor_mass_matrix(model, q).solve(b)
