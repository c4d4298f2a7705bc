"""The force that pulls at a body: a critically damped spring, or a point that is held and carried along.

soft    a Pull with k = m w^2 and c = 2 m w, where m is the inertia that the point offers. Explicit steps of h stay stable while
        k h^2 and c h are small beside the lightest inertia in any direction: m is limited by that. The force has a limit.
hard    the point follows a path exactly: a constraint whose target runs after the pointer, x'' = w^2 (x* - x) - 2 w x', so that no jump of the
        pointer is an impact. It is held in those directions only in which the mechanism lets it move well, found anew for every slice of time: a
        pointer out of reach counts by its projection on them, and the point comes to rest at the nearest place it reaches. The path is a
        parabola in each slice, written into the constraint's time function; directions and path begin at the point as it is.
        The speed is bounded: the pointer counts as no farther than LEAD; no part goes faster than FASTEST in the least motion with this x',
        v = M^-1 J^T K^-1 x'; and at the end of the slice the same motion of the joints must still move the point along its directions, or
        the slice is half as long and it goes half as fast: no path leads beyond an arm outstretched, or round a cusp.
        In directions that are nearly lost, as along an arm all but outstretched, the spring of the soft pull acts.
"""

import dataclasses
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..dynamics.configuration import integrate
from ..dynamics.jacobian import jacobian
from ..dynamics.kinematics import forward_kinematics
from ..errors import StateError
from ..model.model import ForceInfo
from ..parts.constraints import Lock
from ..parts.forces import Pull
from ..parts.place import Place
from ..solvers.impulse_response import impulse_response, inverse_inertia
from ..spatial.pose import Pose

NAME = "hand"
FREQUENCY = 20.0  # rad/s
CHASE = 25.0  # rad/s, of the target of a hard pull
LEAST_WAY = 1e-2  # of the easiest: a direction in which a point yields less is no way
NEW_WAY = 4e-2  # of the easiest: it becomes one again from here on, so that none comes and goes
LEAD = (
    0.2  # lengths of the mechanism: on a curved way of radius r a pointer at a distance d pulls back 1 + d / r times as stiffly as w says
)
FASTEST = 12.0  # rad/s and lengths of the mechanism a second: no hard pull moves a part faster, 0.2 in a slice
TURN = 0.2  # rad and lengths of the mechanism in a slice of time: the directions are as good as constant, cos 0.2 = 0.98
STILL_MOVES = 0.5  # of the velocity along its directions that a motion of the joints gives the point, left of it at the end of a slice
HALVINGS = 6  # of the slice and the speed, until it is
SLICE = 1.0 / 60.0  # s
MOST_WEIGHTS = 20.0  # the limit of the force, in weights of all that moves


class Grip(NamedTuple):
    """A pull in progress: a point of a body (in its frame), where it shall go, the force on it (N, world axes)."""

    body: str
    point: np.ndarray
    target: np.ndarray
    force: np.ndarray
    hard: bool
    at: np.ndarray  # where the point is now


def idle(name=NAME):
    """The pull as a force that does not act yet; it is laid out with the others so that grabbing costs nothing."""
    return ForceInfo(name, Pull(1.0, 0.0, 1.0), (("ground", Pose()), ("ground", Pose())), (), False)


def point_of_body(model, given, point) -> tuple[str, NDArray[np.float64]]:
    """(name of a body, point in its frame) of a point in the axes of a body, a frame, or a place on one."""
    frame = model.frame(given)
    if frame.body < 0:
        raise StateError(
            f"body: found {frame.name!r}, which does not move; allowed is a body, or a frame or place on one; give another", "body"
        )
    return model.bodies[frame.body].name, frame.pose.translation + frame.pose.rotation @ point


def soft_law(model, q, body, point, step):
    """The Pull for a point of a body at a state."""
    yields = np.linalg.eigvalsh(yielding(model, q, body, point)[0])
    light = 1.0 / max(yields[-1], 1e-9 / max(model.mass, 1e-9))
    easy = yields[yields > 1e-6 * yields[-1]]
    heavy = 1.0 / easy[0] if len(easy) else light
    w = min(FREQUENCY, 0.2 / step)
    m = min(heavy, light * min(0.04 / (w * step) ** 2, 0.2 / (w * step)))
    limit = MOST_WEIGHTS * max(model.mass, light) * 9.81
    return Pull(m * w * w, 2.0 * m * w, limit)


def lay_soft(active_forces, index, model, body, point, target):
    """Put the pull's markers on a body and on its target, in tables that kernels read."""
    row = model.tables.bodies[model.body(body).index]
    entry = active_forces.entries[np.flatnonzero(active_forces.entries["force"] == index)[0]]
    entry["a"] = row["link"]
    entry["Ra"], entry["pa"] = row["R"], row["p"] + row["R"].reshape(3, 3) @ point
    entry["pb"] = target
    info = active_forces.infos[index]
    active_forces.infos[index] = dataclasses.replace(info, places=((body, Pose(point)), ("ground", Pose(target))))


def soft_force(law, x, u, target):
    """The force of a Pull on a point at x with velocity u."""
    F = law.stiffness * (target - x) - law.damping * u
    size = float(np.linalg.norm(F))
    return F * min(1.0, law.limit / size) if size > 0.0 else F


def yielding(model, q, body, point):
    """(K, x): the inverse inertia (3, 3) that a point of a body offers in world axes, and where it is."""
    k = forward_kinematics(model, q)
    b = model.body(body).index
    r = k.rotations[b] @ point
    A = np.hstack([_cross(r).T, np.eye(3)])
    K = A @ inverse_inertia(model, q, body) @ A.T
    return 0.5 * (K + K.T), k.positions[b] + r


def point_jacobian(model, q, body, point):
    """(3, nv): the velocity of a point of a body in world axes is J v."""
    r = forward_kinematics(model, q).rotations[model.body(body).index] @ point
    return np.hstack([_cross(r).T, np.eye(3)]) @ jacobian(model, q, body, axes="world")


def least_motion(model, q, body, point):
    """(K, R): the inverse inertia (3, 3) of a point, and the velocities (3, nv) that unit impulses on it cause, in world axes.

    The motion of least kinetic energy with velocity u of the point is v = R^T K^-1 u.
    """
    J = point_jacobian(model, q, body, point)
    R = impulse_response(model, q[None, :], J)
    K = J @ R.T
    return 0.5 * (K + K.T), R


def quickest(model, q, v):
    """The largest of the rates of all bodies, in rad/s and in lengths of the mechanism a second."""
    V = forward_kinematics(model, q, v).velocities
    return float(max(np.linalg.norm(V[:, :3], axis=1).max(), np.linalg.norm(V[:, 3:], axis=1).max() / model.constraint_tables.length[0]))


def ways(K, count=0):
    """(n, 3): unit vectors along which a point can move well, the easiest first; three are right-handed. count: how many there have been."""
    yields, axes = np.linalg.eigh(K)
    least = np.where(np.arange(3)[::-1] < count, LEAST_WAY, NEW_WAY)
    found = axes.T[::-1][: int((yields > least * max(yields[-1], 1e-300)).sum())]
    if len(found) == 3 and np.linalg.det(found) < 0.0:
        found = found * [[1.0], [1.0], [-1.0]]
    return found


def holding(mechanism, body, point, axes, t, x, u):
    """A copy of a mechanism with a constraint that carries a point of a body along a path, beginning at x with velocity u at time t.

    axes: (n, 3), the directions in which it is held; in the others it could not move anyway. It is no joint: what the body touches it goes on touching.
    """
    from scipy.interpolate import PPoly  # here, so that `import linkwork` need not wait for it

    held = mechanism.clone()
    paths_in_time = [PPoly([[0.0], [float(e @ u)], [float(e @ x)]], [t, t + 1.0]) for e in axes]
    lock = Lock(**dict(zip("xyz", paths_in_time, strict=False)), **dict.fromkeys([*"xyz"[len(axes) :], "rx", "ry", "rz"]))
    held.add_constraint(name_of(held), lock, Place(body, Pose(point)), Place("ground", Pose(rotation=_rotation(axes))))
    if mechanism.why_not_touching(body, "ground") is None and held.why_not_touching(body, "ground") is not None:
        held.touch(body, "ground")
    return held


def name_of(mechanism):
    """A name for the pull that no part has."""
    name = NAME
    while mechanism._registry.has(name):
        name += "'"
    return name


class Path:
    """The path of a hard pull in the tables of a model of its own. axes: (n, 3), the directions in which the point is held."""

    def __init__(self, model, name, axes):
        constraint = model.constraint(name)
        blocks, self._coefficients = model.constraint_tables.blocks, model.constraint_tables.coefficients
        blocks.flags.writeable = self._coefficients.flags.writeable = True
        self._block = next(b for b in blocks if b["row"] == constraint.rows.start)
        self._first = [
            int(model.constraint_tables.time_functions[int(self._block["time_function"]) + k]["first"]) for k in range(len(axes))
        ]
        self.axes = axes

    def go(self, moment, grip, duration, x, u):
        """Lay the path for the next slice of time, from the point at x with velocity u; how long it is, s, or 0 if the number of its directions has changed.

        grip: (body, point, target). moment: without the pull.
        """
        model, t, q, v, _ = moment
        body, point, target = grip
        K, R = least_motion(model, q, body, point)
        axes = ways(K, len(self.axes))
        if len(axes) != len(self.axes):
            return 0.0
        self.axes = axes
        k, was, ahead, w = np.diagonal(axes @ K @ axes.T), axes @ u, target - x, min(CHASE, 0.5 / duration)
        ahead = ahead * min(1.0, LEAD * model.constraint_tables.length[0] / max(float(np.linalg.norm(ahead)), 1e-300))
        goal = was + duration * (w * w * (axes @ ahead) - 2.0 * w * was)
        goal *= min(1.0, FASTEST / max(quickest(model, q, R.T @ (axes.T @ (goal / k))), 1e-300))
        for _ in range(HALVINGS):
            mean = v + 0.5 * R.T @ (axes.T @ ((goal - was) / k))
            there = axes @ point_jacobian(model, integrate(model, q, duration * mean), body, point) @ R.T @ axes.T / k
            if np.linalg.eigvalsh(0.5 * (there + there.T))[0] > STILL_MOVES:
                break
            goal, duration = 0.5 * goal, 0.5 * duration
        self._block["Rb"] = _rotation(axes).ravel()
        for first, here, before, after in zip(self._first, axes @ x, was, goal, strict=True):
            self._coefficients[first : first + 5] = t, t + 10.0 * duration, 0.5 * (after - before) / duration, before, here
        return duration


def _rotation(axes):
    """The rotation matrix whose first columns are these axes (n, 3)."""
    E = np.vstack([axes, np.linalg.svd(axes)[2][len(axes) :]])
    E[2] = E[2] if np.linalg.det(E) > 0.0 else -E[2]
    return E.T


def _cross(r):
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
