"""The centre of mass of all moving bodies, how it moves and accelerates.

m p_C = sum_b (m_b p_b + R_b h_b),      m v_C = sum_b R_b (m_b u_b + w_b x h_b),      h_b = m_b c_b in body axes, V_b = (w_b, u_b)
m a_C = sum_b R_b (m_b (a_b + w_b x u_b) + alpha_b x h_b + w_b x (w_b x h_b))            A_b = (alpha_b, a_b), spatial
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.tree import TreeData
from ..errors import ModelError, StateError
from ..kernels import kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width, zero
from ..model.model import need_model
from ..model.tables import open_tables
from ..spatial.matrices import apply9
from ..spatial.vectors import add3, cross3, scale3
from .bound import Bound, Route
from .call import Driver, run
from .energy import first_moment
from .exchange import give_tuple, take, take_q
from .sweep import ACCELERATION_ORDER, POSE_ORDER, VELOCITY_ORDER, body_motion, body_pose, sweep_links

if TYPE_CHECKING:
    from ..model.model import Model


@kernel
def give_center(model: Any, tree: Any, order: Any, out: Any, k: Any) -> None:
    """The position (order 0), velocity (1) or acceleration (2) of the centre of mass, after `sweep_links`."""
    motion, o = tree.motion, zero(tree)
    mass, total = first_moment(model, motion)
    if order > POSE_ORDER:
        total = (o, o, o)
        for b in range(model.nb):
            body = model.bodies[b]
            if body.link >= 0:
                h = (o + body.h[0], o + body.h[1], o + body.h[2])
                V = body_motion(model, motion, b, VELOCITY_ORDER)
                w, u = (V[0], V[1], V[2]), (V[3], V[4], V[5])
                rate = add3(scale3(body.m, u), cross3(w, h))
                if order == ACCELERATION_ORDER:
                    A = body_motion(model, motion, b, ACCELERATION_ORDER)
                    spatial = add3(scale3(body.m, (A[3], A[4], A[5])), cross3((A[0], A[1], A[2]), h))
                    rate = add3(spatial, cross3(w, rate))
                R, _ = body_pose(model, motion, b)
                total = add3(total, apply9(R, rate))
    give_tuple(scale3(1.0 / mass, total), out, k)


@kernel
def _position(handle: int, data: int, start: int, stop: int, q: NDArray[np.float64], position: Any) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k), 0.0):
            return k + 1
        sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, POSE_ORDER)
        give_center(model, tree, POSE_ORDER, position, k)
    return 0


@kernel
def _velocity(handle: int, data: int, start: int, stop: int, q: Any, v: Any, position: Any, velocity: Any) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k) + take(tree.v, v, k, model.nv), 0.0):
            return k + 1
        sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, VELOCITY_ORDER)
        give_center(model, tree, POSE_ORDER, position, k)
        give_center(model, tree, VELOCITY_ORDER, velocity, k)
    return 0


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _acceleration(
    handle: int, data: int, start: int, stop: int, q: Any, v: Any, vdot: Any, position: Any, velocity: Any, acceleration: Any
) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    nv = model.nv
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k) + take(tree.v, v, k, nv) + take(tree.vdot, vdot, k, nv), 0.0):
            return k + 1
        sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, ACCELERATION_ORDER)
        give_center(model, tree, POSE_ORDER, position, k)
        give_center(model, tree, VELOCITY_ORDER, velocity, k)
        give_center(model, tree, ACCELERATION_ORDER, acceleration, k)
    return 0


def _several(model: "Model", *arrays: Any) -> tuple[Any, ...]:
    return arrays


def _has_mass(model: "Model") -> bool:
    return model.mass > 0.0


_by_order = (Driver(_position, 1, 1), Driver(_velocity, 1, 1, 1, 1), Driver(_acceleration, 1, 1, 1, 1, 1, 1))
_routes = [
    Route(_by_order[k], ("nq", "nv", "nv")[: k + 1], ((3,),) * (k + 1), finish=_several if k else None, admits=_has_mass) for k in range(3)
]
_bound = Bound(*_routes)


@_bound.public
def center_of_mass(
    model: "Model",
    q: ArrayLike,
    v: ArrayLike | None = None,
    vdot: ArrayLike | None = None,
    *,
    out: NDArray[np.float64] | tuple[NDArray[np.float64], ...] | None = None,
    threads: int | None = 1,
) -> Any:
    """The centre of mass of all moving bodies in the world (..., 3); with v its velocity too, with vdot its acceleration too (as a tuple).

    out: an array to fill; with v or vdot a tuple of two or three.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("crank")
    >>> arm = m.add_body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(1, 1, 1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, arm)
    >>> position, velocity = lw.center_of_mass(m.build(), [0.0], [2.0])
    >>> position.tolist(), velocity.tolist()
    ([0.5, 0.0, 0.0], [0.0, 1.0, 0.0])
    """
    need_model(model)
    if not _has_mass(model):
        raise ModelError(f"model {model.name!r}: nothing that moves has mass, so there is no centre of mass; give a body mass")
    if v is None and vdot is not None:
        raise StateError("vdot: given without v; accelerations need velocities, so give both (zeros are fine)", "v")
    nv = (model.nv,)
    inputs = [("q", q, (model.nq,))]
    inputs += [] if v is None else [("v", v, nv)]
    inputs += [] if vdot is None else [("vdot", vdot, nv)]
    return run(_by_order[len(inputs) - 1], model, inputs, [(3,)] * len(inputs), out, threads)
