"""Moving about in configuration space: neutral, random, integrate, difference, clamp.

Each joint moves on its own manifold (dynamics/joints/coordinates.py).
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import checked
from ..data.tree import TreeData
from ..errors import StateError
from ..kernels import kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width
from ..model.model import need_model
from ..model.tables import open_tables
from ..validation import is_whole, shown
from .bound import Bound, Route
from .call import Driver, deliver, finite, on_all, run, workers_for
from .exchange import give, take, take_q
from .joints.coordinates import local_rate_of, move_coordinates, subtract_coordinates

if TYPE_CHECKING:
    from ..model.model import Model


@kernel
def move(model: Any, q: Any, dv: Any, new: Any) -> None:
    """new = q (+) dv, joint by joint."""
    for i in range(model.n):
        move_coordinates(model.links[i], q, dv, new)


@kernel
def subtract(model: Any, q0: Any, q1: Any, dv: Any) -> None:
    """dv with q1 = q0 (+) dv, joint by joint."""
    for i in range(model.n):
        subtract_coordinates(model.links[i], q0, q1, dv)


@kernel
def local_rate(model: Any, theta: Any, v: Any, rates: Any, at: Any) -> None:
    """theta', the rate of local coordinates theta when joints move with v, to rates[at..]."""
    for k in range(model.nv):
        rates[at + k] = v[k]
    if model.quats.shape[0] > 0:
        for i in range(model.n):
            local_rate_of(model.links[i], theta, v, rates, at)


@kernel
def _integrate(handle: int, data: int, start: int, stop: int, q: NDArray[np.float64], dv: Any, out: NDArray[np.float64]) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k) + take(tree.x, dv, k, model.nv), 0.0):
            return k + 1
        move(model, tree.q, tree.x, tree.q1)
        give(tree.q1, out, k, model.nq)
    return 0


@kernel
def _difference(handle: int, data: int, start: int, stop: int, q0: Any, q1: Any, out: NDArray[np.float64]) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q0))
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q1, q1, k) + take_q(model, tree.q, q0, k), 0.0):
            return k + 1
        subtract(model, tree.q, tree.q1, tree.x)
        give(tree.x, out, k, model.nv)
    return 0


_move = Driver(_integrate, 1, 1, 1)
_subtract = Driver(_difference, 1, 1, 1)
_move_bound = Bound(Route(_move, ("nq", "nv"), (("nq",),)))
_subtract_bound = Bound(Route(_subtract, ("nq", "nq"), (("nv",),)))


def neutral(model: "Model") -> NDArray[np.float64]:
    """The configuration with every joint at zero: quaternions 1, all else 0.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(1, 1, 1))
    >>> lw.neutral(m.build()).tolist()
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    """
    need_model(model)
    q = np.zeros(model.nq)
    q[model.tables.quats] = 1.0
    return q


@_move_bound.public
def integrate(
    model: "Model", q: ArrayLike, dv: ArrayLike, *, out: NDArray[np.float64] | None = None, threads: int | None = 1
) -> NDArray[np.float64]:
    """q moved by dv (a velocity times a time), on the joints' own manifolds. (..., nq)

    >>> import linkwork as lw, numpy as np
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(1, 1, 1))
    >>> model = m.build()
    >>> q = lw.integrate(model, lw.neutral(model), [0, 0, np.pi, 0, 0, 2.0])  # half a turn about z, and up
    >>> np.round(q, 9).tolist()
    [0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0]
    """
    need_model(model)
    return run(_move, model, [("q", q, (model.nq,)), ("dv", dv, (model.nv,))], [(model.nq,)], out, threads)


@_subtract_bound.public
def difference(
    model: "Model", q0: ArrayLike, q1: ArrayLike, *, out: NDArray[np.float64] | None = None, threads: int | None = 1
) -> NDArray[np.float64]:
    """The dv that moves q0 to q1: integrate(q0, difference(q0, q1)) = q1, up to the sign of quaternions. (..., nv)

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(1, 1, 1))
    >>> lw.difference(m.build(), [0, 0, 0, 1, 0, 0, 0], [0, 0, 2.0, 1, 0, 0, 0]).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 2.0]
    """
    need_model(model)
    return run(_subtract, model, [("q0", q0, (model.nq,)), ("q1", q1, (model.nq,))], [(model.nv,)], out, threads)


@checked(span="span", reach="span")
def random_configuration(
    model: "Model",
    rng: "np.random.Generator | int | None" = None,
    size: int | tuple[int, ...] | None = None,
    *,
    span: float = np.pi,
    reach: float = 1.0,
) -> NDArray[np.float64]:
    """Random positions: limited joints within their limits, other turns within +-span (rad), slides within +-reach (m), quaternions uniform.

    Args:
        rng: a NumPy Generator, or a number, which is its seed and not a number of states; None for a fresh one.
        size: None for one state (nq,), a number or a tuple for a batch (*size, nq).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(1, 1, 1))
    >>> lw.random_configuration(m.build(), rng=1, size=1000).shape
    (1000, 7)
    """
    need_model(model)
    try:
        rng = np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise StateError(f"rng: {error}; allowed is a whole number from 0 on, a numpy Generator, or None", "rng") from None
    size = _checked_size(size)
    q = np.zeros((*size, model.nq))
    for joint in model.joints:
        kind, at = joint.kind, joint.q_index
        if kind.ball or kind.free:
            first = at.start + (3 if kind.free else 0)
            if kind.free:
                q[..., at.start : first] = rng.uniform(-reach, reach, (*size, 3))
            w = rng.normal(size=(*size, 4))
            q[..., first : first + 4] = w / np.linalg.norm(w, axis=-1, keepdims=True)
            continue
        for k in range(joint.nv):
            turns = kind.custom or kind.elements[k].turn != 0.0
            wide = span if turns else reach
            # Some files write +-1e16 for "no limit".
            low, high = (x if abs(x) < 1e6 else np.copysign(np.inf, x) for x in (joint.lower[k], joint.upper[k]))
            if not np.isfinite(low):
                low = min(-wide, high - 2 * wide) if np.isfinite(high) else -wide
            if not np.isfinite(high):
                high = max(wide, low + 2 * wide)
            q[..., at.start + k] = rng.uniform(low, high, size)
    return q


def _checked_size(size: Any) -> tuple[int, ...]:
    """The shape of a batch, from a whole number, several, or None."""
    counts = () if size is None else tuple(size) if isinstance(size, (list, tuple)) else (size,)
    if not all(is_whole(n, 0, 2**40) for n in counts):
        raise StateError(f"size: found {shown(size)}; allowed is a whole number from 0 on, several of them, or None for one state", "size")
    return tuple(map(int, counts))


def clamp(model: "Model", q: ArrayLike, *, out: NDArray[np.float64] | None = None, threads: int | None = 1) -> NDArray[np.float64]:
    """q with every limited coordinate moved into its limits; a copy, or `out`. Quaternion joints have no limits. (..., nq)

    >>> import linkwork as lw
    >>> m = lw.Mechanism("door")
    >>> door = m.add_body("door", mass=20.0, inertia=(3, 3, 3))
    >>> _ = m.add_joint("hinge", lw.Revolute(axis=(0, 0, 1), lower=0.0, upper=1.5), m.ground, door)
    >>> lw.clamp(m.build(), [[-0.5], [0.5], [2.5]]).tolist()
    [[0.0], [0.5], [1.5]]
    """
    need_model(model)
    return deliver(_clamped(model, q, threads)[1], out)


@checked(tolerance="size", threads="threads")
def within_limits(
    model: "Model", q: ArrayLike, tolerance: float = 0.0, *, out: NDArray[np.bool_] | None = None, threads: int | None = 1
) -> bool | NDArray[np.bool_]:
    """Is every limited coordinate inside its limits (widened by the tolerance)? A bool, or an array for a batch; `out` is an array of bool.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("door")
    >>> door = m.add_body("door", mass=20.0, inertia=(3, 3, 3))
    >>> _ = m.add_joint("hinge", lw.Revolute(axis=(0, 0, 1), lower=0.0, upper=1.5), m.ground, door)
    >>> lw.within_limits(m.build(), [[-0.5], [0.5], [2.5]]).tolist()
    [False, True, False]
    """
    need_model(model)
    given, clamped = _clamped(model, q, threads)
    return deliver((np.abs(clamped - given) <= tolerance).all(axis=-1), out)


def _clamped(model: "Model", q: Any, threads: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """q as an array, and a copy of it within the limits."""
    inputs = [("q", q, (model.nq,))]
    (q,) = finite(model, inputs)
    workers = workers_for(threads)
    lower, upper = np.full(model.nq, -np.inf), np.full(model.nq, np.inf)
    for joint in model.joints:
        if not (joint.kind.ball or joint.kind.free):
            lower[joint.q_index], upper[joint.q_index] = joint.lower, joint.upper
    rows = q.reshape(-1, model.nq) if model.nq else q.reshape(1, -1)
    clamped = np.empty(rows.shape)
    step = max(1, -(-len(rows) // workers))

    def part(start: int) -> None:
        np.clip(rows[start : start + step], lower, upper, out=clamped[start : start + step])

    on_all(workers, part, range(0, max(1, len(rows)), step))
    return q, clamped.reshape(q.shape)
