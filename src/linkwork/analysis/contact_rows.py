"""The rows of contacts at one state: their Jacobian, what their accelerations lack of J vdot, and the wrenches that forces at them are on bodies.

For a point p with normal n (from a to b) and tangents t1, t2, and the velocity u of b against a there:

    u = J v,        d(n.u)/dt = J_n vdot + gamma_n,        t . du/dt = J_t vdot + gamma_t

The normal row follows the point where it goes, so that n.u is the rate of the gap at all times: a wheel that rolls has gamma_n = 0, a corner that a box turns
about has the centripetal acceleration. gamma is the change of u with v held along the motion (central differences; 0 at rest): points are found again at two
poses nearby, by their features. A point that is not found there stays where it is in the world.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..dynamics.configuration import integrate
from ..dynamics.jacobian import jacobian
from ..dynamics.kinematics import forward_kinematics
from ..solvers.contact.points import tangent_of
from .contacts import found_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..model.model import Model
    from .contacts import FoundPoint

TOUCHING = 1e-6  # of the length of the scene: a gap that counts as closed in a question about one state
STEP = 1e-5  # lengths of the scene, rad: how far away the nearby poses are
SAME = 0.02  # of the length of the scene: a point of other features that is so near is the same


class ContactRows(NamedTuple):
    """Points of contact of one state, with three rows each: along n, t1 and t2.

    frames (m, 3, 3): n, t1, t2 as rows. J (3 m, nv). gamma (3 m,). moving (m, 3): how fast the point goes in the world; bodies_at (m, 2, 3): how fast a and b
    move there.
    """

    model: Any
    points: tuple[FoundPoint, ...]
    frames: np.ndarray
    J: np.ndarray
    gamma: np.ndarray
    moving: np.ndarray
    bodies_at: np.ndarray
    kinematics: Any

    @property
    def friction(self) -> NDArray[np.float64]:
        pairs = self.model.contact_tables.pairs
        return np.array([float(pairs[point.pair]["friction"]) for point in self.points])

    def sides(self, k: int) -> tuple[Any, Any]:
        """The ShapeInfos of point k."""
        row = self.model.contact_tables.pairs[self.points[k].pair]
        return self.model.shapes[row["a"]], self.model.shapes[row["b"]]

    def some(self, chosen: NDArray[np.bool_]) -> ContactRows:
        """Those of some points."""
        rows, points = np.repeat(chosen, 3), tuple(point for point, taken in zip(self.points, chosen, strict=True) if taken)
        return self._replace(
            points=points,
            frames=self.frames[chosen],
            J=self.J[rows],
            gamma=self.gamma[rows],
            moving=self.moving[chosen],
            bodies_at=self.bodies_at[chosen],
        )

    def wrenches(self, forces: NDArray[np.float64]) -> NDArray[np.float64]:
        """What forces (..., m, 3) in world axes, on b and against a, are on the bodies: (..., nb, 6), in bodies' frames, as f_ext."""
        model, found = self.model, self.kinematics
        made = np.zeros((*forces.shape[:-2], model.nb, 6))
        for k, point in enumerate(self.points):
            for side, sign in zip(self.sides(k), (-1.0, 1.0), strict=True):
                if side.body != "ground":
                    R, f = found.rotation(side.body), sign * forces[..., k, :]
                    at = model.body(side.body).index
                    made[..., at, :3] += np.cross(point.p - found.position(side.body), f) @ R
                    made[..., at, 3:] += f @ R
        return made

    def world(self, components: NDArray[np.float64]) -> NDArray[np.float64]:
        """Components (..., 3 m) along n, t1, t2 as vectors in world axes, (..., m, 3)."""
        return np.einsum("...ki,kij->...kj", components.reshape(*components.shape[:-1], len(self.points), 3), self.frames)


def contact_rows(model: Model, q: NDArray[np.float64], v: NDArray[np.float64] | None = None, reach: float | None = None) -> ContactRows:
    """The rows of all points with gaps up to a reach, by default those that touch."""
    found = forward_kinematics(model, q)
    points = tuple(found_points(model, found, TOUCHING * length_of_scene(model) if reach is None else reach))
    n = len(points)
    frames = np.array([frame_of(point.n) for point in points]).reshape(n, 3, 3)
    J, still = _jacobian_of(model, q, found, points, frames), np.zeros((n, 3))
    rows = ContactRows(model, points, frames, J, np.zeros(3 * n), still, np.zeros((n, 2, 3)), found)
    return rows if v is None or not n or not v.any() else _moving(rows, q, v)


# parameters: the state, and the points there
def _jacobian_of(model: Model, q: NDArray[np.float64], found: Any, points: Any, frames: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3 m, nv): how velocities of joints move b against a along the rows of frames."""
    J, jacobians = np.zeros((3 * len(points), model.nv)), {}
    for k, point in enumerate(points):
        row = model.contact_tables.pairs[point.pair]
        for side, sign in (("a", -1.0), ("b", 1.0)):
            body = model.shapes[row[side]].body
            if body != "ground":
                if body not in jacobians:
                    jacobians[body] = jacobian(model, q, body), found.position(body)
                whole, origin = jacobians[body]
                J[3 * k : 3 * k + 3] += sign * (frames[k] @ whole[3:] + np.cross(point.p - origin, frames[k]) @ whole[:3])
    return J


def jacobian_nearby(rows: ContactRows, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """J of the same points at a pose nearby, along normals there and the tangents that have turned with them least."""
    model = rows.model
    found = forward_kinematics(model, q)
    near = SAME * length_of_scene(model)
    there = tuple(found_points(model, found, near))
    points = [same_point(point, there, near) or point for point in rows.points]
    frames = np.array([_turned(frame, point.n) for frame, point in zip(rows.frames, points, strict=True)]).reshape(-1, 3, 3)
    return _jacobian_of(model, q, found, points, frames)


def _turned(frame: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    t = frame[1] - (frame[1] @ n) * n
    t /= np.linalg.norm(t)
    return np.array([n, t, np.cross(n, t)])


def frame_of(n: NDArray[np.float64]) -> NDArray[np.float64]:
    """n, t1, t2 as rows, the tangents as the steps of motions have them."""
    t = np.array(tangent_of(tuple(n.tolist())))
    return np.array([n, t, np.cross(n, t)])


def length_of_scene(model: Model) -> float:
    """What gaps are measured by, m."""
    return float(model.contact_tables.length[0])


def _moving(rows: ContactRows, q: NDArray[np.float64], v: NDArray[np.float64]) -> ContactRows:
    """The rows with what changes along a motion."""
    model, length = rows.model, length_of_scene(rows.model)
    here = _Speeds(model, q, v)
    bodies_at = np.array([[here.at(side.body, point.p) for side in rows.sides(k)] for k, point in enumerate(rows.points)])
    pace = here.pace(length)
    if not pace > 0.0:
        return rows
    eps = STEP / pace
    ends = []
    for sign in (-1.0, 1.0):
        there = _Speeds(model, integrate(model, q, sign * eps * v), v)
        near = tuple(found_points(model, there.found, SAME * length))
        ends.append((there, [same_point(point, near, SAME * length) for point in rows.points]))
    gamma, moving = np.zeros_like(rows.gamma), np.zeros_like(rows.moving)
    (back, before), (ahead, after) = ends
    for k, point in enumerate(rows.points):
        a, b = (side.body for side in rows.sides(k))
        first, last = before[k], after[k]
        if first is None or last is None:
            first = last = point
        u = [speeds.at(b, at.p) - speeds.at(a, at.p) for speeds, at in ((back, first), (ahead, last))]
        gamma[3 * k] = (last.n @ u[1] - first.n @ u[0]) / (2.0 * eps)
        gamma[3 * k + 1 : 3 * k + 3] = rows.frames[k, 1:] @ (u[1] - u[0]) / (2.0 * eps)
        moving[k] = (last.p - first.p) / (2.0 * eps)
    return rows._replace(gamma=gamma, moving=moving, bodies_at=bodies_at)


def same_point(point: FoundPoint, others: Any, near: float) -> FoundPoint | None:
    """Which of other points of the same scene a point is: by pair and features, else the nearest of the pair; None if that is not near."""
    of_pair = [other for other in others if other.pair == point.pair]
    for other in of_pair:
        if other.feature == point.feature and np.linalg.norm(other.p - point.p) <= near:
            return other
    nearest = min(of_pair, key=lambda other: float(np.linalg.norm(other.p - point.p)), default=None)
    return nearest if nearest is not None and np.linalg.norm(nearest.p - point.p) <= near else None


class _Speeds:
    """How fast points of bodies move at a state."""

    def __init__(self, model: Model, q: NDArray[np.float64], v: NDArray[np.float64]) -> None:
        self.found = forward_kinematics(model, q, v)
        self._motions: dict[str, Any] = {"ground": (np.zeros(3), np.zeros(3), np.zeros(3))}
        for body in model.bodies:
            V = self.found.velocity(body.name, axes="world")
            self._motions[body.name] = self.found.position(body.name), V[:3], V[3:]

    def at(self, body: str, p: NDArray[np.float64]) -> NDArray[np.float64]:
        origin, omega, u = self._motions[body]
        moved: NDArray[np.float64] = u + np.cross(omega, p - origin)
        return moved

    def pace(self, length: float) -> float:
        """1/s: the fastest turning, and moving by a length."""
        return max(max(float(np.linalg.norm(w)), float(np.linalg.norm(u)) / length) for _, w, u in self._motions.values())
