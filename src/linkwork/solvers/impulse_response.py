"""Impulses: the jump of velocity they cause, in O(n), and the inverse inertia that a push on a frame meets; with loops and constraints too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import checked
from ..dynamics.call import deliver
from ..dynamics.external import wrenches
from ..dynamics.impulse import tree_impulse_response
from ..dynamics.jacobian import jacobian
from ..model.model import need_model
from .delassus.correct import constrained_jump

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from ..model.model import Model
    from ..parts.part import Named
    from ..parts.place import Place


def impulse_response(
    model: Model,
    q: ArrayLike,
    joint_impulse: ArrayLike | None = None,
    body_impulses: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    *,
    out: NDArray[np.float64] | None = None,
    threads: int | None = 1,
) -> NDArray[np.float64]:
    """The jump of v that impulses cause, (..., nv). About `out` and singular states see `forward_dynamics`.

    Loops and constraints take up what they must: the velocities they forbid do not arise.

    Args:
        joint_impulse: generalised impulse (..., nv), None for zero.
        body_impulses: impulsive wrenches [n; f] (N m s, N s) as `f_ext` in `forward_dynamics`, None for zero.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(1, 1, 1))
    >>> model = m.build()
    >>> (lw.impulse_response(model, lw.neutral(model), None, {"ball": [0, 0, 0, 6.0, 0, 0]})[3:].round(9) + 0.0).tolist()
    [3.0, 0.0, 0.0]
    """
    need_model(model)
    joint = np.zeros(model.nv) if joint_impulse is None else joint_impulse
    bodies = wrenches(model, {} if body_impulses is None else body_impulses, "body_impulses")
    jump = constrained_jump if model.nc else tree_impulse_response
    return jump(model, q, joint, bodies, out, threads)


@checked(frame="frame", other="frame or none", axes="word", threads="threads")
def inverse_inertia(
    model: Model,
    q: ArrayLike,
    frame: str | Named | Place,
    other: str | Named | Place | None = None,
    *,
    axes: str = "world",
    out: NDArray[np.float64] | None = None,
    threads: int | None = 1,
) -> NDArray[np.float64]:
    """The inverse (cross-)inertia J_frame M^-1 J_other^T, (..., 6, 6): acceleration of `frame` per wrench on `other` (default: on itself).

    Six O(n) impulse responses; with constraints, what they forbid yields nothing. `frame`, `other` and `axes` as in `jacobian`; its inverse, where it exists,
    is the operational-space inertia.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(4, 4, 4))
    >>> model = m.build()
    >>> lw.inverse_inertia(model, lw.neutral(model), "ball").diagonal().tolist()
    [0.25, 0.25, 0.25, 0.5, 0.5, 0.5]
    """
    need_model(model)
    J = jacobian(model, q, frame, axes=axes, threads=threads)
    K = J if other is None else jacobian(model, q, other, axes=axes, threads=threads)
    q = np.asarray(q, dtype=float)
    response = impulse_response(model, q[..., None, :], K, threads=threads)  # row i: the answer to a unit wrench i
    return deliver(J @ np.swapaxes(response, -1, -2), out)
