"""Inverse dynamics, bias and gravity forces: public functions over the Newton-Euler recursion."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import checked
from ..data.tree import GRAVITY, VELOCITIES, WRENCHES, TreeData
from ..kernels import kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width
from ..model.model import need_model, need_tree
from ..model.tables import open_tables
from .applied_forces import with_forces
from .bound import Bound, Route
from .call import Driver, at_times, deliver, finite_times, run
from .exchange import SINGULAR, fill, give, take, take_q
from .external import link_forces, wrenches
from .rnea import newton_euler

if TYPE_CHECKING:
    from ..model.model import Model


@kernel
def _inverse_dynamics(handle: int, data: int, start: int, stop: int, q: Any, v: Any, vdot: Any, out: Any) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    nv = model.nv
    if q.shape[-1] != model.nq or v.shape[-1] != nv or vdot.shape[-1] != nv:
        return -1
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k) + take(tree.v, v, k, nv) + take(tree.vdot, vdot, k, nv), 0.0):
            return k + 1
        newton_euler(model, tree, GRAVITY | VELOCITIES)
        if beyond(give(tree.tau, out, k, nv), 0.0):
            return SINGULAR - k
    return 0


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _inverse_dynamics_forced(handle: int, data: int, start: int, stop: int, q: Any, v: Any, vdot: Any, f_ext: Any, out: Any) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    nv = model.nv
    for k in range(start, stop, width(tree)):
        bad = take_q(model, tree.q, q, k) + take(tree.v, v, k, nv) + take(tree.vdot, vdot, k, nv)
        if beyond(bad + link_forces(model, tree, f_ext, k), 0.0):
            return k + 1
        newton_euler(model, tree, GRAVITY | VELOCITIES | WRENCHES)
        if beyond(give(tree.tau, out, k, nv), 0.0):
            return SINGULAR - k
    return 0


@kernel
def _gravity_force(handle: int, data: int, start: int, stop: int, q: NDArray[np.float64], out: NDArray[np.float64]) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k), 0.0):
            return k + 1
        fill(tree.vdot, model.nv, 0.0)
        newton_euler(model, tree, GRAVITY)
        if beyond(give(tree.tau, out, k, model.nv), 0.0):
            return SINGULAR - k
    return 0


@kernel
def _mass_matrix_times(handle: int, data: int, start: int, stop: int, q: NDArray[np.float64], x: Any, out: NDArray[np.float64]) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k) + take(tree.vdot, x, k, model.nv), 0.0):
            return k + 1
        newton_euler(model, tree, 0)
        if beyond(give(tree.tau, out, k, model.nv), 0.0):
            return SINGULAR - k
    return 0


_plain = Driver(_inverse_dynamics, 1, 1, 1, 1)
_forced = Driver(_inverse_dynamics_forced, 1, 1, 1, 1, 1)
_gravity = Driver(_gravity_force, 1, 1)
_times = Driver(_mass_matrix_times, 1, 1, 1)
_inverse_bound = Bound(Route(_plain, ("nq", "nv", "nv"), (("nv",),), admits=lambda model: not model.nc))
_bias_bound = Bound(Route(_plain, ("nq", "nv", "0 nv"), (("nv",),)))
_gravity_bound = Bound(Route(_gravity, ("nq",), (("nv",),)))
_times_bound = Bound(Route(_times, ("nq", "nv"), (("nv",),)))


# parameters: a public function; all but the state and its accelerations are options, given by name
@_inverse_bound.public
@checked(t="times", forces="flag", threads="threads")
def inverse_dynamics(
    model: "Model",
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    f_ext: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    *,
    t: ArrayLike = 0.0,
    forces: bool = True,
    out: NDArray[np.float64] | None = None,
    threads: int | None = 1,
) -> NDArray[np.float64]:
    """Generalised forces tau that produce the accelerations vdot: tau = M(q) vdot + bias(q, v) - sum J^T f_ext.

    By recursive Newton-Euler, O(n) (Featherstone 1987, section 4.5). Arguments as in `forward_dynamics`; returns tau (..., nv).
    For a model with loops or constraints this has no single answer, and a ModelError says what to ask instead.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.5, 0.5, 0.5))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> [round(float(x), 6) for x in lw.inverse_dynamics(m.build(), [0.0], [0.0], [2.0])]
    [3.0]
    """
    if out is None and f_ext is None and threads == 1 and type(t) is float and not (forces and getattr(model, "forces", True)):
        finite_times(t, ())
        result = _inverse_bound.short(model, q, v, vdot)
        if result is not None:
            return result
    need_tree(
        model,
        "inverse_dynamics",
        "joint forces that cause a motion are not unique there: any multiple of a constraint's own force may be added; prescribe the motion "
        "with lw.Drive constraints and ask lw.reactions for the driving forces",
    )
    if forces and model.forces:
        given, f_ext = with_forces(model, q, v, t, None, f_ext)
        return deliver(newton_euler_forces(model, q, v, vdot, f_ext, None, threads) - given, out)
    return newton_euler_forces(model, at_times(q, t), v, vdot, f_ext, out, threads)


def newton_euler_forces(
    model: "Model",
    q: Any,
    v: Any,
    vdot: Any,
    f_ext: Any,
    out: Any = None,
    threads: Any = 1,
) -> NDArray[np.float64]:
    """M(q) vdot + bias(q, v) - sum J^T f_ext in the coordinates of all joints, whatever else constraints add."""
    nv = (model.nv,)
    inputs = [("q", q, (model.nq,)), ("v", v, nv), ("vdot", vdot, nv)]
    if f_ext is None:
        return run(_plain, model, inputs, [nv], out, threads)
    return run(_forced, model, [*inputs, wrenches(model, f_ext)], [nv], out, threads)


@_bias_bound.public
def bias_force(
    model: "Model",
    q: ArrayLike,
    v: ArrayLike,
    f_ext: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    *,
    out: NDArray[np.float64] | None = None,
    threads: int | None = 1,
) -> NDArray[np.float64]:
    """The forces needed for zero acceleration: Coriolis, centrifugal and gravity terms, less external wrenches. (..., nv)

    In the coordinates of all joints; what constraints exert is not among it.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0, com=(1, 0, 0), inertia=(0.5, 0.5, 0.5))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> lw.bias_force(m.build(), [0.0], [3.0]).tolist()  # one axis: no velocity terms
    [-9.81]
    """
    need_model(model)
    return newton_euler_forces(model, q, v, np.zeros(model.nv), f_ext, out, threads)


@_gravity_bound.public
def gravity_force(model: "Model", q: ArrayLike, *, out: NDArray[np.float64] | None = None, threads: int | None = 1) -> NDArray[np.float64]:
    """The forces that hold the mechanism still against gravity. (..., nv)

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0, com=(1, 0, 0), inertia=(0.5, 0.5, 0.5))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> lw.gravity_force(m.build(), [0.0]).tolist()
    [-9.81]
    """
    need_model(model)
    return run(_gravity, model, [("q", q, (model.nq,))], [(model.nv,)], out, threads)


@_times_bound.public
def mass_matrix_times(
    model: "Model", q: ArrayLike, x: ArrayLike, *, out: NDArray[np.float64] | None = None, threads: int | None = 1
) -> NDArray[np.float64]:
    """M(q) x in O(n), without forming M. (..., nv)

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0, com=(1, 0, 0), inertia=(0.5, 0.5, 0.5))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> lw.mass_matrix_times(m.build(), [0.0], [2.0]).tolist()
    [3.0]
    """
    need_model(model)
    nv = (model.nv,)
    return run(_times, model, [("q", q, (model.nq,)), ("x", x, nv)], [nv], out, threads)
