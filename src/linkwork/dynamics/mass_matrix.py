"""The mass matrix: public function over composite rigid bodies."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import checked
from ..data.tree import TreeData
from ..kernels import kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width, zero
from ..model.model import MATRIX_LIMIT, need_model
from ..model.tables import open_tables
from .bound import Bound, Route
from .call import Driver, as_floats, run
from .crba import composite_bodies
from .exchange import clear, take_q
from .matrix_entries import block_at, give_matrices, leave, nothing_leaves, streams_end

if TYPE_CHECKING:
    from ..model.model import Model


@kernel
def _mass_matrix(handle: int, data: int, start: int, stop: int, q: NDArray[np.float64], out: NDArray[np.float64]) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    entries = tree.composite.entries
    if q.shape[-1] != model.nq:
        return -1
    at, other = 0, model.nv * (model.nv + 1) // 2 + 1
    leaving = nothing_leaves(at)
    if q.ndim > 1:
        entries[at], entries[other] = zero(tree), zero(tree)
    for number in range(start, stop, width(tree)):
        k, apart = block_at(number, stop, out, tree)
        if beyond(take_q(model, tree.q, q, k, apart), 0.0):
            return k + 1
        if q.ndim == 1:
            clear(out, 0)
        composite_bodies(model, tree, out, at + 1, leaving)
        if q.ndim > 1:
            leaving = give_matrices(model, entries, at, out, k, apart)
            at, other = other, at
    if q.ndim > 1:
        while leaving.i < leaving.stop:
            leaving = leave(model, entries, out, leaving)
        streams_end()
    return 0


@kernel
def _large_mass_matrices(handle: int, data: int, start: int, stop: int, q: NDArray[np.float64], out: NDArray[np.float64]) -> int:
    """A batch of large matrices: the time goes into memory, not into arithmetic, so lanes and their blocks would gain nothing."""
    for k in range(start, stop):
        if _mass_matrix(handle, data, 0, 1, q[k], out[k]) != 0:
            return k + 1
    return 0


_driver = Driver(_mass_matrix, 1, 2)
_one_by_one = Driver(_large_mass_matrices, 1, 2, block=1, batches_only=True, lanes=1)
_bound = Bound(Route(_driver, ("nq",), (("nv", "nv"),)))


@_bound.public
@checked(threads="threads")
def mass_matrix(model: "Model", q: ArrayLike, *, out: NDArray[np.float64] | None = None, threads: int | None = 1) -> NDArray[np.float64]:
    """The joint-space mass matrix M(q), symmetric positive definite, (..., nv, nv); kinetic energy is v^T M v / 2.

    By composite rigid bodies (Featherstone 1987, section 5.4). Reflected rotor inertias (armature) are on its diagonal.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("flywheel")
    >>> wheel = m.add_body("wheel", mass=2.0, inertia=(0.1, 0.1, 0.2))
    >>> _ = m.add_joint("axle", lw.Revolute(axis=(0, 0, 1), armature=0.05), m.ground, wheel)
    >>> lw.mass_matrix(m.build(), [0.0]).tolist()
    [[0.25]]
    """
    if out is None and threads == 1:
        result = _bound.short(model, q)
        if result is not None:
            return result
    need_model(model)
    q = as_floats("q", q)
    driver = _one_by_one if model.nv > MATRIX_LIMIT and q.ndim > 1 else _driver
    return run(driver, model, [("q", q, (model.nq,))], [(model.nv, model.nv)], out, threads)
