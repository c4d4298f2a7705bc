"""The hand that pulls at a body: a critically damped spring, or a point that is held and carried along.

soft    a Pull with k = m w^2 and c = 2 m w, where m is the inertia that the point offers. Explicit steps of h stay stable while
        k h^2 and c h are small beside the lightest inertia in any direction: m is no larger than that allows. The force has a limit.
hard    the point follows a path exactly: a constraint whose target runs after the pointer, x'' = w^2 (x* - x) - 2 w x', so that no jump of the
        pointer is a blow. It is held in those directions only in which the mechanism lets it move; they are found anew as it turns. The path
        is a parabola from slice to slice, written into the constraint's law as time goes on.
"""

import dataclasses
from typing import NamedTuple

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..model.model import ForceInfo
from ..parts.constraints import Lock
from ..parts.forces import Pull
from ..parts.place import Place
from ..solvers.impulse import inverse_inertia
from ..spatial.pose import Pose

NAME = "hand"
FREQUENCY = 20.0  # rad/s
CHASE = 25.0  # rad/s, of the target of a hard pull
LEAST_WAY = 1e-3  # of the easiest: directions in which a point yields less cannot be ways
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
    """The hand as a force that does not act yet; it is laid out with the others so that grabbing costs nothing."""
    return ForceInfo(name, Pull(1.0, 0.0, 1.0), (("ground", Pose()), ("ground", Pose())), (), False)


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


def lay_soft(loads, index, model, body, point, target):
    """Put the hand's markers on a body and on its target, in tables that kernels read."""
    row = model.tables.bodies[model.body(body).index]
    entry = loads.entries[np.flatnonzero(loads.entries["force"] == index)[0]]
    entry["a"] = row["link"]
    entry["Ra"], entry["pa"] = row["R"], row["p"] + row["R"].reshape(3, 3) @ point
    entry["pb"] = target
    info = loads.infos[index]
    loads.infos[index] = dataclasses.replace(info, places=((body, Pose(point)), ("ground", Pose(target))))


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


def ways(K):
    """(n, 3): unit vectors along which a point can move, of those that K says, the easiest first; the others are no ways at all."""
    yields, axes = np.linalg.eigh(K)
    free = yields > LEAST_WAY * max(yields[-1], 1e-300)
    return axes.T[::-1][: int(free.sum())]


def holding(mechanism, body, point, axes, t, x, u):
    """A copy of a mechanism with a constraint that carries a point of a body along a path, beginning at x with velocity u at time t.

    axes: (n, 3), the directions in which it is held; in the others it could not move anyway.
    """
    from scipy.interpolate import PPoly  # here, so that `import linkwork` need not wait for it

    held = mechanism.clone()
    E = np.vstack([axes, np.linalg.svd(axes)[2][len(axes) :]])
    E[2] = E[2] if np.linalg.det(E) > 0.0 else -E[2]
    if len(axes) == 3:
        axes = E
    laws = [PPoly([[0.0], [float(e @ u)], [float(e @ x)]], [t, t + 1.0]) for e in axes]
    lock = Lock(**dict(zip("xyz", laws, strict=False)), **dict.fromkeys([*"xyz"[len(axes) :], "rx", "ry", "rz"]))
    held.add_constraint(name_of(held), lock, Place(body, Pose(point)), Place("ground", Pose(rotation=E.T)))
    return held, axes


def name_of(mechanism):
    """A name for the hand that no part has."""
    name = NAME
    while mechanism._registry.has(name):
        name += "'"
    return name


class Path:
    """The law of a hard pull in the tables of a model that nobody else has. axes: (n, 3), the directions in which the point is held."""

    def __init__(self, model, name, axes, x, u):
        constraint = model.constraint(name)
        block = next(b for b in model.rules.blocks if b["row"] == constraint.rows.start)
        laws = [model.rules.laws[int(block["law"]) + k] for k in range(len(axes))]
        self._first = [int(law["first"]) for law in laws]
        self._numbers = model.rules.numbers
        self._numbers.flags.writeable = True
        self.axes, self.x, self.u = axes, axes @ x, axes @ u

    def go(self, t, target, duration, fastest):
        """Lay the parabola for the next slice of time, and go to its end."""
        w = min(CHASE, 0.5 / duration)
        a = w * w * (self.axes @ target - self.x) - 2.0 * w * self.u
        speed = np.linalg.norm(self.u + a * duration)
        if speed > fastest:
            a = ((self.u + a * duration) * (fastest / speed) - self.u) / duration
        for k, first in enumerate(self._first):
            self._numbers[first : first + 5] = t, t + 10.0 * duration, 0.5 * a[k], self.u[k], self.x[k]
        self.x, self.u = self.x + self.u * duration + 0.5 * a * duration**2, self.u + a * duration

    def fits(self, K):
        """Are these still the directions in which the point can move best?"""
        best = np.linalg.eigvalsh(K)[::-1][len(self.axes) - 1]
        return np.linalg.eigvalsh(self.axes @ K @ self.axes.T)[0] > 0.9 * best


def _cross(r):
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
