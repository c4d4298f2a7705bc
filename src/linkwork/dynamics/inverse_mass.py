"""The inverse mass matrix, by two independent ways.

method="factor": columns solved with the sparse factor L^T L of `factor.py`.
method="square": the square factorisation of Reuss 2002 (eq. 55-58, after Ploen), D^-1 = W^T Om^-1 W, whose factors fall out of the articulated-body
sweep: Om_j = S_j^T I^A_j S_j, and W x is the inward sweep of Newton-Euler with K in place of the inertia forces:
    p = 0;  for j = n .. 1:   e_j = x_j - S_j^T p,    p := X_j^T (p + K_j e_j),     (W x)_j = e_j
The second needs no mass matrix at all and serves as a check on the first.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import checked
from ..data.tree import DRIVEN, TreeData
from ..errors import StateError
from ..kernels import kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width, zero
from ..model.model import need_model
from ..model.tables import open_tables
from ..spatial.vectors import add6
from .aba import articulated_bodies
from .call import Driver, deliver, run
from .exchange import SINGULAR, clear, fill, put, take_q
from .factor import factor_mass_matrix
from .joints.joint import force_in, innovate, inverse_pivot

if TYPE_CHECKING:
    from ..model.model import Model


@kernel
def _inward(model: Any, tree: Any) -> None:
    """Overwrite x by W x, using K that `articulated_bodies` left behind."""
    data, o = tree.articulated, zero(tree)
    zero6, n, branches = (o, o, o, o, o, o), model.n, data.branches
    for i in range(n):
        if model.links[i].branch >= 0:
            branches[model.links[i].branch].pA = zero6
    p = zero6
    for j in range(n):
        i = n - 1 - j
        joint = model.links[i]
        if joint.branch >= 0:
            p = add6(p, branches[joint.branch].pA)
        p = force_in(model, data, i, tree.q, innovate(model, data, i, tree.x, p))
        if not joint.follows:
            if joint.parent >= 0:
                branch = branches[model.links[joint.parent].branch]
                branch.pA = add6(branch.pA, p)
            p = zero6


@kernel
def _square_factors(handle: int, data: int, start: int, stop: int, q: NDArray[np.float64], W: Any, om: Any) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    nv = model.nv
    for i in range(nv):
        tree.driven[i] = 0
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k), 0.0):
            return k + 1
        fill(tree.tau, nv, 0.0)
        articulated_bodies(model, tree, DRIVEN)  # flags, though none is set: freedoms are then removed one by one
        clear(om, k)
        bad = zero(tree)
        for i in range(model.n):
            for j in range(model.links[i].nv):
                Dinv = inverse_pivot(model, tree.articulated, i, j)
                bad = bad + Dinv * 0.0
                put(om, k, 0, model.links[i].v + j, Dinv)
        if beyond(bad, 0.0):
            return SINGULAR - k
        for column in range(nv):
            fill(tree.x, nv, 0.0)
            tree.x[column] = zero(tree) + 1.0
            _inward(model, tree)
            for i in range(nv):
                put(W, k, i, column, tree.x[i])
    return 0


_driver = Driver(_square_factors, 1, 2, 2)


@checked(method="word", threads="threads")
def inverse_mass_matrix(
    model: "Model", q: ArrayLike, *, method: str = "factor", out: NDArray[np.float64] | None = None, threads: int | None = 1
) -> NDArray[np.float64]:
    """M(q)^-1, (..., nv, nv), by the sparse factor of M or by the square factorisation of the articulated inertias (see the module).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("flywheel")
    >>> wheel = m.add_body("wheel", mass=2.0, inertia=(0.2, 0.2, 0.25))
    >>> _ = m.add_joint("axle", lw.Revolute(axis=(0, 0, 1)), m.ground, wheel)
    >>> lw.inverse_mass_matrix(m.build(), [0.0]).tolist()
    [[4.0]]
    """
    need_model(model)
    if method not in ("factor", "square"):
        raise StateError(f"method: found {method!r}; allowed are 'factor' and 'square'", "method")
    if method == "factor":
        return factor_mass_matrix(model, q, threads=threads).inverse(out=out)
    W, om = run(_driver, model, [("q", q, (model.nq,))], [(model.nv, model.nv), (1, model.nv)], None, threads)
    return deliver(np.swapaxes(W, -1, -2) @ (np.swapaxes(om, -1, -2) * W), out)
