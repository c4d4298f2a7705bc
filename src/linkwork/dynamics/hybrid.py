"""Hybrid dynamics: some joints are driven by acceleration, the rest by force; the unknowns of both are returned.

Featherstone 1987, section 7.5.2: the articulated-body recursion treats a driven joint as rigid, with its acceleration as one more bias; Newton-Euler
then gives the force in every joint, in O(n) altogether.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.tree import DRIVEN, GRAVITY, VELOCITIES, WRENCHES, TreeData
from ..errors import ModelError, StateError
from ..kernels import kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width
from ..model.model import need_tree
from ..model.tables import open_tables
from .aba import articulated_bodies
from .call import Driver, as_floats, run
from .exchange import SINGULAR, give, take, take_q
from .external import link_forces, wrenches
from .rnea import newton_euler

if TYPE_CHECKING:
    from ..model.model import Model


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _hybrid(handle: int, data: int, start: int, stop: int, driven: Any, q: Any, v: Any, known: Any, f_ext: Any, vdot: Any, tau: Any) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    nv = model.nv
    for i in range(nv):
        tree.driven[i] = driven[i]
    for k in range(start, stop, width(tree)):
        bad = take_q(model, tree.q, q, k) + take(tree.v, v, k, nv) + take(tree.tau, known, k, nv)
        if beyond(bad + link_forces(model, tree, f_ext, k), 0.0):
            return k + 1
        articulated_bodies(model, tree, GRAVITY | VELOCITIES | WRENCHES | DRIVEN)
        if beyond(give(tree.vdot, vdot, k, nv), 0.0):
            return SINGULAR - k
        newton_euler(model, tree, GRAVITY | VELOCITIES | WRENCHES)
        give(tree.tau, tau, k, nv)
    return 0


_driver = Driver(_hybrid, 1, 1, 1, 1, 1, 1, constants="J1")


def hybrid_dynamics(
    model: "Model",
    q: ArrayLike,
    v: ArrayLike,
    known: ArrayLike,
    driven: Iterable[Any] | NDArray[np.bool_],
    f_ext: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    *,
    out: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
    threads: int | None = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Accelerations and forces of all joints when `known` holds vdot for the driven velocities and tau for the others.

    Args:
        known: (..., nv): acceleration where driven, force elsewhere.
        driven: names of driven joints, or a boolean array (nv,).
    Returns:
        (vdot, tau), each (..., nv); the given entries are among them unchanged. `out` is a tuple of two such arrays; see
        `forward_dynamics` about singular states.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0, com=(1, 0, 0), inertia=(0.5, 0.5, 0.5))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> vdot, tau = lw.hybrid_dynamics(m.build(), [0.0], [0.0], [2.0], driven=["pivot"])
    >>> vdot.tolist(), [round(float(x), 6) for x in tau]  # 1.5 kg m^2 at 2 rad/s^2, less what gravity does
    ([2.0], [-6.81])
    """
    need_tree(model, "hybrid_dynamics", "use lw.Drive constraints for driven joints, lw.forward_dynamics and lw.reactions instead")
    if model.forces:
        raise ModelError(
            f"hybrid_dynamics: model {model.name!r} has forces ({model.forces[0].name!r} is one), which this function does not let act; "
            "use lw.Drive constraints for driven joints and lw.forward_dynamics instead"
        )
    nv = (model.nv,)
    flags = _flags(model, driven)
    forces = ("f_ext", np.zeros((model.nb, 6)), (model.nb, 6)) if f_ext is None else wrenches(model, f_ext)
    known = as_floats("known", known).copy()  # `out` may be the same array
    inputs = [("q", q, (model.nq,)), ("v", v, nv), ("known", known, nv), forces]
    vdot, tau = run(_driver, model, inputs, [nv, nv], out, threads, (flags,))
    # The driven accelerations and the given forces are exact; Newton-Euler would return the latter with rounding errors.
    given = np.broadcast_to(known, tau.shape)
    tau[..., flags == 0] = given[..., flags == 0]
    return vdot, tau


def _flags(model: "Model", driven: Any) -> Any:
    """(nv,) integers: is the velocity driven?"""
    flags = np.zeros(model.nv, dtype=np.int64)
    if isinstance(driven, np.ndarray) and driven.dtype == bool:
        if driven.shape != flags.shape:
            raise StateError(f"driven: found shape {driven.shape}; allowed is ({model.nv},), or names of joints", "driven")
        return driven.astype(np.int64)
    if isinstance(driven, str):
        driven = [driven]
    if not isinstance(driven, (list, tuple, set, frozenset)):
        raise StateError(f"driven: found {driven!r}; allowed are names of joints, or a boolean array ({model.nv},)", "driven")
    for name in driven:
        flags[model.joint(name).v_index] = 1
    return flags
