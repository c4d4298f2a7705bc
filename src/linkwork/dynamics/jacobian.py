"""Jacobians of frames: V_F = J(q) v, by walking from the frame to the root.

"world": rows are angular velocity and velocity of the frame's origin, in world axes. "body": the frame's spatial velocity in its own axes.
A column of joint i is the motion that a unit rate of it gives the frame: with z the joint axis through p_i in the world,
    revolute (z, z x (p_F - p_i)),    prismatic (0, z),    in general (R_i w, R_i u + R_i w x (p_F - p_i)) for S = (w, u).
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import checked, quick
from ..data.lending import KNOWN, cache_of
from ..data.tree import TreeData
from ..errors import StateError
from ..kernels import Vector, kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width, zero
from ..model.model import Model, need_model
from ..model.tables import open_tables
from ..spatial.matrices import apply9, apply9_transposed, times9
from ..spatial.motion import motion_to_child
from ..spatial.vectors import add3, cross3, sub3
from .bound import Bound, Route
from .call import Driver, run
from .exchange import SINGULAR, clear, fill, give_tuple, put, take, take_q
from .joints.joint import column_of
from .sweep import ACCELERATION_ORDER, POSE_ORDER, VELOCITY_ORDER, body_motion, body_pose, sweep_links

if TYPE_CHECKING:
    from ..parts.part import Named
    from ..parts.place import Place


class FramePlace(NamedTuple):
    """A frame as kernels take it. `where`: the number of its body (-1 for the ground); are its own axes asked for? `pose`: R (9), p (3) in the body."""

    where: np.ndarray
    pose: np.ndarray


@kernel
def _jacobian(handle: int, data: int, start: int, stop: int, where: Any, pose: Any, q: Any, out: Any) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    motion, b = tree.motion, where[0]
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k), 0.0):
            return k + 1
        clear(out, k)
        if b < 0:
            continue
        sweep_links(model, motion, tree.q, tree.v, tree.vdot, POSE_ORDER)
        R, p = _frame_pose(model, motion, b, pose)
        i = model.bodies[b].link
        while i >= 0:
            joint, link = model.links[i], motion.links[i]
            Q, arm = link.R, sub3(p, link.p)
            for column in range(joint.nv):
                S = column_of(model, motion, i, column)
                angular = apply9(Q, (S[0], S[1], S[2]))
                linear = add3(apply9(Q, (S[3], S[4], S[5])), cross3(angular, arm))
                if where[1]:
                    angular, linear = apply9_transposed(R, angular), apply9_transposed(R, linear)
                for j in range(3):
                    put(out, k, j, joint.v + column, angular[j])
                    put(out, k, j + 3, joint.v + column, linear[j])
            i = joint.parent
    return 0


@kernel(inline=True)
def _in_body(motion: Any, pose: Any) -> tuple[Vector[9], Vector[3]]:
    """(R, p) of a frame in its body."""
    o = zero(motion)
    F = (o + pose[0], o + pose[1], o + pose[2], o + pose[3], o + pose[4], o + pose[5], o + pose[6], o + pose[7], o + pose[8])
    return F, (o + pose[9], o + pose[10], o + pose[11])


@kernel(inline=True)
def _frame_pose(model: Any, motion: Any, b: Any, pose: Any) -> tuple[Vector[9], Vector[3]]:
    """(R, p) of a frame in the world."""
    R, p = body_pose(model, motion, b)
    F, r = _in_body(motion, pose)
    return times9(R, F), add3(p, apply9(R, r))


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _rate_times_v(handle: int, data: int, start: int, stop: int, where: Any, pose: Any, q: Any, v: Any, out: Any) -> int:
    """The acceleration of the frame at vdot = 0: spatial in body axes, classical in world axes."""
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    motion, b, nv = tree.motion, where[0], model.nv
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k) + take(tree.v, v, k, nv), 0.0):
            return k + 1
        o = zero(tree)
        A = (o, o, o, o, o, o)
        if b >= 0:
            fill(tree.vdot, nv, 0.0)
            sweep_links(model, motion, tree.q, tree.v, tree.vdot, ACCELERATION_ORDER)
            X = _in_body(motion, pose)
            V = motion_to_child(X, body_motion(model, motion, b, VELOCITY_ORDER))
            A = motion_to_child(X, body_motion(model, motion, b, ACCELERATION_ORDER))
            if where[1] == 0:
                R, _ = _frame_pose(model, motion, b, pose)
                a = add3((A[3], A[4], A[5]), cross3((V[0], V[1], V[2]), (V[3], V[4], V[5])))
                angular, linear = apply9(R, (A[0], A[1], A[2])), apply9(R, a)
                A = angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]
        if beyond(give_tuple(A, out, k), 0.0):
            return SINGULAR - k
    return 0


_driver = Driver(_jacobian, 1, 2, constants="J1 A1")
_rates = Driver(_rate_times_v, 1, 1, 1, constants="J1 A1")
_bound = Bound(Route(_driver, ("int 2", 12, "nq"), ((6, "nv"),)))
_rate_bound = Bound(Route(_rates, ("int 2", 12, "nq", "nv"), ((6,),)))


@checked(axes="word")
def _place(model: Model, frame: Any, axes: str) -> "FramePlace":
    """The FramePlace of a frame by its name, kept for the next call."""
    info = model.frame(frame)
    if axes not in ("world", "body"):
        raise StateError(f"axes: found {axes!r}; allowed are 'world' and 'body'", "axes")
    pose = np.array([*info.pose.rotation.ravel(), *info.pose.translation], dtype=float)
    place = FramePlace(np.array([info.body, axes == "body"], dtype=np.int64), pose)
    if type(frame) is str:
        cache_of(model).kept["frame", axes, frame] = place
    return place


@_bound.within
@quick
def jacobian(
    model: Model,
    q: ArrayLike,
    frame: "str | Named | Place",
    *,
    axes: str = "world",
    out: NDArray[np.float64] | None = None,
    threads: int | None = 1,
) -> NDArray[np.float64]:
    """J(q) of a frame or body, (..., 6, nv): its velocity is J v, three angular rows first, then three linear ones.

    frame: by its name or as itself, or a place (body.at(x, y, z)).

    axes="world": angular velocity, and velocity of the frame's origin, both in world axes. axes="body": the spatial velocity of the frame in
    its own axes, i.e. the same two vectors turned into the frame's axes.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("crank")
    >>> arm = m.add_body("arm", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, arm)
    >>> _ = m.add_frame("tip", arm.at(2.0, 0, 0))
    >>> lw.jacobian(m.build(), [0.0], "tip")[:, 0].tolist()
    [0.0, 0.0, 1.0, 0.0, 2.0, 0.0]
    """
    if out is None and type(threads) is int and threads == 1 and type(frame) is str and type(axes) is str and type(model) is Model:
        cache = KNOWN.get(id(model))
        place = None if cache is None else cache.kept.get(("frame", axes, frame))
        result = None if place is None else _bound.short(model, place.where, place.pose, q)
        if result is not None:
            return result
    need_model(model)
    return run(_driver, model, [("q", q, (model.nq,))], [(6, model.nv)], out, threads, _place(model, frame, axes))


@_rate_bound.within
@quick
def jacobian_rate_times_v(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    frame: "str | Named | Place",
    *,
    axes: str = "world",
    out: NDArray[np.float64] | None = None,
    threads: int | None = 1,
) -> NDArray[np.float64]:
    """dJ/dt v: the acceleration of the frame when vdot = 0, (..., 6), in the sense of `Kinematics.acceleration`. `frame` as in `jacobian`.

    For many frames of one state call `forward_kinematics(model, q, v, np.zeros(model.nv))` once and ask it for their accelerations.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("crank")
    >>> arm = m.add_body("arm", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, arm)
    >>> _ = m.add_frame("tip", arm.at(2.0, 0, 0))
    >>> lw.jacobian_rate_times_v(m.build(), [0.0], [3.0], "tip")[3:].tolist()  # towards the pivot
    [-18.0, 0.0, 0.0]
    """
    if out is None and type(threads) is int and threads == 1 and type(frame) is str and type(axes) is str and type(model) is Model:
        cache = KNOWN.get(id(model))
        place = None if cache is None else cache.kept.get(("frame", axes, frame))
        result = None if place is None else _rate_bound.short(model, place.where, place.pose, q, v)
        if result is not None:
            return result
    need_model(model)
    inputs = [("q", q, (model.nq,)), ("v", v, (model.nv,))]
    return run(_rates, model, inputs, [(6,)], out, threads, _place(model, frame, axes))
