"""Forward kinematics: where bodies and frames are, how they move and accelerate."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import quick
from ..data.tree import TreeData
from ..errors import StateError
from ..kernels import Scalar, kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width
from ..model.model import need_model
from ..model.tables import open_tables
from ..spatial.pose import Pose
from ..spatial.vectors import set3, set6
from .bound import Bound, Route
from .call import Driver, need_kind, run
from .exchange import SINGULAR, give, take, take_q
from .sweep import ACCELERATION_ORDER, POSE_ORDER, VELOCITY_ORDER, body_motion, body_pose, sweep_links

if TYPE_CHECKING:
    from ..model.model import Model
    from ..parts.part import Named
    from ..parts.place import Place


@kernel
def _give_poses(model: Any, tree: Any, rotations: Any, positions: Any, k: Any) -> Scalar:
    """The poses of all bodies; returns 0, or NaN if a number is not finite."""
    nb = model.nb
    for b in range(nb):
        R, p = body_pose(model, tree.motion, b)
        set3(tree.rotations, 9 * b, (R[0], R[1], R[2]))
        set6(tree.rotations, 9 * b + 3, (R[3], R[4], R[5], R[6], R[7], R[8]))
        set3(tree.positions, 3 * b, p)
    return give(tree.rotations, rotations, k, 9 * nb) + give(tree.positions, positions, k, 3 * nb)


@kernel
def _give_motions(model: Any, tree: Any, order: Any, motions: Any, k: Any) -> Scalar:
    """The same for velocities or accelerations."""
    nb = model.nb
    for b in range(nb):
        set6(tree.motions, 6 * b, body_motion(model, tree.motion, b, order))
    return give(tree.motions, motions, k, 6 * nb)


@kernel
def _poses(handle: int, data: int, start: int, stop: int, q: NDArray[np.float64], rotations: Any, positions: Any) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k), 0.0):
            return k + 1
        sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, POSE_ORDER)
        if beyond(_give_poses(model, tree, rotations, positions, k), 0.0):
            return SINGULAR - k
    return 0


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _velocities(handle: int, data: int, start: int, stop: int, q: Any, v: Any, rotations: Any, positions: Any, velocities: Any) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k) + take(tree.v, v, k, model.nv), 0.0):
            return k + 1
        sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, VELOCITY_ORDER)
        bad = _give_poses(model, tree, rotations, positions, k) + _give_motions(model, tree, VELOCITY_ORDER, velocities, k)
        if beyond(bad, 0.0):
            return SINGULAR - k
    return 0


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _accelerations(
    handle: int,
    data: int,
    start: int,
    stop: int,
    q: Any,
    v: Any,
    vdot: Any,
    rotations: Any,
    positions: Any,
    velocities: Any,
    accelerations: Any,
) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    nv = model.nv
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k) + take(tree.v, v, k, nv) + take(tree.vdot, vdot, k, nv), 0.0):
            return k + 1
        sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, ACCELERATION_ORDER)
        bad = _give_poses(model, tree, rotations, positions, k) + _give_motions(model, tree, VELOCITY_ORDER, velocities, k)
        if beyond(bad + _give_motions(model, tree, ACCELERATION_ORDER, accelerations, k), 0.0):
            return SINGULAR - k
    return 0


_by_order = (Driver(_poses, 1, 1, 1), Driver(_velocities, 1, 1, 1, 1, 1), Driver(_accelerations, 1, 1, 1, 1, 1, 1, 1))


class Kinematics:
    """Poses, velocities and accelerations of all bodies, for one state or a batch.

    rotations (..., nb, 3, 3) and positions (..., nb, 3): bodies in the world. velocities, accelerations (..., nb, 6): spatial, angular first,
    each in its body's frame; None where v or vdot was not given. Methods take a body or a frame, by name or itself, or a place (body.at(...)).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> k = lw.forward_kinematics(m.build(), [0.0], [2.0])
    >>> k.position(bob.at(0, 0, -1)).tolist()  # in the world, m
    [0.0, 0.0, -1.0]
    >>> k.velocity(bob.at(0, 0, -1), axes="world").round(9).tolist()  # angular rad/s, then of the point, m/s
    [0.0, 2.0, 0.0, -2.0, 0.0, 0.0]
    """

    @quick  # functions make it
    def __init__(
        self,
        model: "Model",
        rotations: NDArray[np.float64],
        positions: NDArray[np.float64],
        velocities: NDArray[np.float64] | None = None,
        accelerations: NDArray[np.float64] | None = None,
    ) -> None:
        self.model = model
        self.rotations, self.positions = rotations, positions
        self.velocities, self.accelerations = velocities, accelerations

    def rotation(self, frame: "str | Named | Place") -> NDArray[np.float64]:
        """R_WF of a body or frame, (..., 3, 3)."""
        info = self.model.frame(frame)
        return self._body_rotation(info.body) @ info.pose.rotation

    def position(self, frame: "str | Named | Place") -> NDArray[np.float64]:
        """The origin of a body or frame in the world, (..., 3)."""
        info = self.model.frame(frame)
        if info.body < 0:
            return np.broadcast_to(info.pose.translation, (*self._leading, 3)).copy()
        return self.positions[..., info.body, :] + self._body_rotation(info.body) @ info.pose.translation

    def pose(self, frame: "str | Named | Place") -> Pose:
        """The pose X_WF of a body or frame, for one state."""
        if self._leading:
            raise StateError(f"pose({frame!r}): these are {self._leading} states; use rotation() and position() for batches", "frame")
        return Pose(self.position(frame), self.rotation(frame))

    def velocity(self, frame: "str | Named | Place", axes: str = "body") -> NDArray[np.float64]:
        """Spatial velocity of a body or frame, (..., 6): in its own axes ("body"), or its origin's in world axes ("world")."""
        V = self._at_frame(frame, self._needed(self.velocities, "velocity", "v"))
        return V if _check_axes(axes) == "body" else self._to_world(frame, V)

    def acceleration(self, frame: "str | Named | Place", axes: str = "body") -> NDArray[np.float64]:
        """Acceleration of a body or frame, (..., 6).

        "body": the spatial acceleration, i.e. the rate of the components of its spatial velocity. "world": the rate of the "world"
        velocity, i.e. angular acceleration and classical acceleration of the origin in world axes.
        """
        A = self._at_frame(frame, self._needed(self.accelerations, "acceleration", "vdot"))
        if _check_axes(axes) == "body":
            return A
        V = self.velocity(frame)
        A = A.copy()
        A[..., 3:] += np.cross(V[..., :3], V[..., 3:])
        return self._to_world(frame, A)

    def __repr__(self) -> str:
        return f"Kinematics({self._known} of {self.model.nb} bodies of {self.model.name!r}, states {self._leading or 1})"

    @property
    def _known(self) -> Any:
        return ", ".join(["poses", *(what for what in ("velocities", "accelerations") if getattr(self, what) is not None)])

    @property
    def _leading(self) -> tuple[int, ...]:
        return self.positions.shape[:-2]

    def _body_rotation(self, body: int) -> NDArray[np.float64]:
        return np.broadcast_to(np.eye(3), (*self._leading, 3, 3)) if body < 0 else self.rotations[..., body, :, :]

    def _at_frame(self, frame: Any, values: NDArray[np.float64]) -> NDArray[np.float64]:
        info = self.model.frame(frame)
        if info.body < 0:
            return np.zeros((*self._leading, 6))
        V = values[..., info.body, :]
        R, p = info.pose.rotation, info.pose.translation
        return np.concatenate([V[..., :3] @ R, (V[..., 3:] + np.cross(V[..., :3], p)) @ R], axis=-1)

    def _to_world(self, frame: Any, V: NDArray[np.float64]) -> NDArray[np.float64]:
        R = self.rotation(frame)
        return np.concatenate([np.einsum("...ij,...j", R, V[..., :3]), np.einsum("...ij,...j", R, V[..., 3:])], axis=-1)

    def _needed(self, values: Any, what: str, argument: str) -> NDArray[np.float64]:
        if values is None:
            raise StateError(f"{what}: forward_kinematics was called without {argument}; give it too", argument)
        return values


def _check_axes(axes: str) -> str:
    if axes not in ("body", "world"):
        raise StateError(f"axes: found {axes!r}; allowed are 'body' and 'world'", "axes")
    return axes


_shapes = (("nb", 3, 3), ("nb", 3), ("nb", 6), ("nb", 6))
_bound = Bound(*(Route(_by_order[k], ("nq", "nv", "nv")[: k + 1], _shapes[: k + 2], finish=Kinematics) for k in range(3)))


@_bound.public
def forward_kinematics(
    model: "Model",
    q: ArrayLike,
    v: ArrayLike | None = None,
    vdot: ArrayLike | None = None,
    *,
    out: "Kinematics | None" = None,
    threads: int | None = 1,
) -> "Kinematics":
    """Poses of all bodies and, with v, their velocities, and with vdot, their accelerations, as a `Kinematics`.

    out: a Kinematics to fill: an earlier result of this model for as many states, with v and vdot given then as now.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("crank")
    >>> arm = m.add_body("arm", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, arm)
    >>> _ = m.add_frame("tip", arm.at(2.0, 0, 0))
    >>> lw.forward_kinematics(m.build(), [0.0], [3.0]).velocity("tip", axes="world").tolist()
    [0.0, 0.0, 3.0, 0.0, 6.0, 0.0]
    """
    need_model(model)
    if v is None and vdot is not None:
        raise StateError("vdot: given without v; accelerations need velocities, so give both (zeros are fine)", "v")
    need_kind(out, Kinematics)
    nb, nv = model.nb, (model.nv,)
    inputs = [("q", q, (model.nq,))]
    inputs += [] if v is None else [("v", v, nv)]
    inputs += [] if vdot is None else [("vdot", vdot, nv)]
    order = len(inputs) - 1
    shapes = [(nb, 3, 3), (nb, 3), (nb, 6), (nb, 6)][: order + 2]
    if out is None:
        return Kinematics(model, *run(_by_order[order], model, inputs, shapes, None, threads))
    arrays = (out.rotations, out.positions, out.velocities, out.accelerations)
    if out.model != model or any((array is None) != (k >= order + 2) for k, array in enumerate(arrays)):
        known = ", ".join(("poses", "velocities", "accelerations")[: order + 1])
        raise StateError(
            f"out: found {out!r}; allowed is an earlier result with {known} of this model ({model.name!r}), "
            "all writeable float64 arrays; or None for a new one",
            "out",
        )
    run(_by_order[order], model, inputs, shapes, arrays[: order + 2], threads)
    return out
