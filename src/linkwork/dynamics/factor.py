"""The sparse factor of the mass matrix, M = L^T L, and solves with it.

A mass matrix has M_ij = 0 unless joint i supports j or the other way round. Eliminating from the tips to the root keeps every one of these
zeros: L has the pattern of the lower half of M (Featherstone 2008, section 6.5). `ancestor[i]` is the next velocity coordinate on the way from
i to the root; a loop over ancestors visits just the entries that are not zero. L is lower triangular in the order of links.

    factor    for k = n-1 .. 0:  L_kk = sqrt(L_kk);  L_ki /= L_kk for all ancestors i;  L_ij -= L_ki L_kj for ancestors i, j of k, j above i
    solve     L^T y = b  from the tips inward,  then  L x = y  from the root outward
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import checked
from ..errors import SolverError, StateError
from ..kernels import kernel
from ..model.model import need_model
from .call import deliver, diagnose, need_kind, shaped
from .mass_matrix import mass_matrix

if TYPE_CHECKING:
    from ..model.model import Model


@kernel
def factor_in_place(ancestor: Any, order: Any, L: Any) -> int:
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
def solve_in_place(ancestor: Any, order: Any, L: Any, x: Any) -> None:
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


@kernel(entry="J1 J1 A3 -> i")
def _factor_all(ancestor: Any, order: Any, L: Any) -> int:
    n = order.shape[0]
    for k in range(L.shape[0]):
        fault = factor_in_place(ancestor, order, L[k])
        if fault >= 0:
            return k * n + fault
        for i in range(n):  # what is left of the upper half belongs to M
            j = ancestor[i]
            while j >= 0:
                L[k, j, i] = 0.0
                j = ancestor[j]
    return -1


@kernel(entry="J1 J1 A3 A3 -> n")
def _solve_all(ancestor: Any, order: Any, L: Any, x: Any) -> None:
    for k in range(x.shape[0]):
        for column in range(x.shape[1]):
            solve_in_place(ancestor, order, L[k], x[k, column])


class MassFactor:
    """M(q) = L^T L with branch-induced sparsity. `L` has entries only where one joint supports the other.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=2.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> factor = lw.factor_mass_matrix(m.build(), [0.0])
    >>> factor.solve([4.2]).round(9).tolist()  # M^-1 b
    [2.0]
    """

    def __init__(self, model: "Model", L: NDArray[np.float64]) -> None:
        self.model, self.L = model, L

    def solve(self, b: ArrayLike, *, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """M^-1 b for right-hand sides (..., nv) with the leading axes of q."""
        nv = self.model.nv
        (rhs, *_), leading = shaped([("b", b, (nv,)), ("q", np.zeros((*self.L.shape[:-2], 1)), (1,))])
        if not np.isfinite(rhs).all():
            diagnose(self.model, [("b", b, (nv,))], [rhs])
        states = math.prod(leading)
        L = self.L if self.L.shape[:-2] == leading else np.broadcast_to(self.L, (*leading, nv, nv)).copy()
        x = rhs.reshape(states, 1, nv).copy()
        _solve_all(self.model.tables.ancestor, self.model.tables.order, L.reshape(states, nv, nv), x)
        return deliver(x.reshape((*leading, nv)), out)

    def inverse(self, *, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """M^-1, (..., nv, nv)."""
        nv = self.model.nv
        leading = self.L.shape[:-2]
        L = self.L.reshape(math.prod(leading), nv, nv)
        x = np.broadcast_to(np.eye(nv), L.shape).copy()
        _solve_all(self.model.tables.ancestor, self.model.tables.order, L, x)
        return deliver(x.reshape((*leading, nv, nv)), out)

    @property
    def log_determinant(self) -> NDArray[np.float64] | float:
        """log det M."""
        return 2.0 * np.log(np.diagonal(self.L, axis1=-2, axis2=-1)).sum(axis=-1)


@checked(threads="threads")
def factor_mass_matrix(
    model: "Model", q: ArrayLike, *, out: "MassFactor | None" = None, threads: int | None = 1, where: str = ""
) -> "MassFactor":
    """The sparse factor of M(q) for repeated solves; a SolverError names the joint where M is not positive definite.

    out: a MassFactor to fill, such as an earlier result of this model for as many states.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("flywheel")
    >>> wheel = m.add_body("wheel", mass=2.0, inertia=(0.2, 0.2, 0.25))
    >>> _ = m.add_joint("axle", lw.Revolute(axis=(0, 0, 1)), m.ground, wheel)
    >>> lw.factor_mass_matrix(m.build(), [0.0]).solve([1.0]).tolist()
    [4.0]
    """
    need_model(model)
    need_kind(out, MassFactor)
    if out is not None and out.model != model:
        raise StateError(f"out: found a MassFactor of model {out.model.name!r}; allowed is an earlier result of {model.name!r}", "out")
    M = mass_matrix(model, q, threads=threads)
    nv = model.nv
    L = M.reshape(math.prod(M.shape[:-2]), nv, nv)
    fault = _factor_all(model.tables.ancestor, model.tables.order, L)
    if fault >= 0:
        joint = next(j.name for j in model.joints if j.v_index.start <= fault % nv < j.v_index.stop)
        raise SolverError(
            f"joint {joint!r}: the mass matrix is not positive definite there{where}; give the bodies beyond it mass and inertia"
        )
    if out is None:
        return MassFactor(model, L.reshape(M.shape))
    deliver(L.reshape(M.shape), out.L)
    return out


def solve_mass_matrix(
    model: "Model", q: ArrayLike, b: ArrayLike, *, out: NDArray[np.float64] | None = None, threads: int | None = 1
) -> NDArray[np.float64]:
    """M(q)^-1 b by the sparse factor, (..., nv).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("flywheel")
    >>> wheel = m.add_body("wheel", mass=2.0, inertia=(0.2, 0.2, 0.25))
    >>> _ = m.add_joint("axle", lw.Revolute(axis=(0, 0, 1)), m.ground, wheel)
    >>> lw.solve_mass_matrix(m.build(), [0.0], [1.0]).tolist()
    [4.0]
    """
    need_model(model)
    return factor_mass_matrix(model, q, threads=threads).solve(b, out=out)
