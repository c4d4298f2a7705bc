"""Common events: joints, speeds, times, distances, planes and contacts. Each function gives an Event (events.py)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..errors import ModelError
from ..integrators.event_screen import CLOCK, COORDINATE, DISTANCE, HEIGHT, SPEED
from ..parts.part import Named
from ..parts.place import Place, part_name
from ..parts.validation import number, refuse, vector, whole
from .contact_changes import HOLD, SLIP, TOUCH, ContactChange
from .events import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from ..model.model import Model


class _Watched:
    """A function of the state that names parts of a mechanism; `said` describes it."""

    @property
    def said(self) -> str:
        raise NotImplementedError

    def on(self, model: Model) -> Any:
        """The function of (t, q, v)."""
        raise NotImplementedError

    def number(self, model: Model) -> Any:
        """The same as compiled loops watch it: fields of a WatchedNumber, by name."""
        raise NotImplementedError


@dataclass(frozen=True)
class _Coordinate(_Watched):
    """A coordinate (rate: a velocity) of a joint, less a value."""

    joint: str
    dof: int
    value: float
    rate: bool

    @property
    def said(self) -> str:
        what = f"{'speed of ' if self.rate else ''}{self.joint}{f'[{self.dof}]' if self.dof else ''}"
        return f"{what} reaches {self.value:g}"

    def on(self, model: Model) -> Callable[..., Any]:
        k, value = self._index(model)[self.rate], self.value
        return (lambda t, q, v: v[k] - value) if self.rate else (lambda t, q, v: q[k] - value)

    def number(self, model: Model) -> dict[str, float]:
        q, v = self._index(model)
        return {"kind": SPEED if self.rate else COORDINATE, "q": q, "v": v, "value": self.value}

    def _index(self, model: Model) -> tuple[int, int]:
        """The places of the coordinate, -1 if there is none, and of the velocity."""
        joint = model.joint(self.joint)
        if not 0 <= self.dof < joint.nv:
            raise ModelError(
                f"event {self.said!r}: joint {joint.name!r} has no velocity number {self.dof}; allowed are 0 to {joint.nv - 1}"
            )
        scalar = not (joint.kind.ball or joint.kind.free)
        if not self.rate and not scalar:
            raise ModelError(
                f"event {self.said!r}: joint {joint.name!r} has a quaternion instead of one coordinate a velocity; watch a place with "
                "distance_reaches or crosses_plane, or write the function"
            )
        return joint.q_index.start + self.dof if scalar else -1, joint.v_index.start + self.dof


@dataclass(frozen=True)
class _Clock(_Watched):
    """The time, less a time."""

    time: float

    @property
    def said(self) -> str:
        return f"t = {self.time:g} s"

    def on(self, model: Model) -> Callable[..., Any]:
        return lambda t, q, v: 0.0 if abs(t - self.time) <= 4.0 * math.ulp(self.time) else t - self.time  # sums of steps are rounded

    def number(self, model: Model) -> dict[str, float]:
        return {"kind": CLOCK, "value": self.time}


@dataclass(frozen=True)
class _Apart(_Watched):
    """The distance of two places, less a value."""

    a: Place
    b: Place
    value: float

    @property
    def said(self) -> str:
        return f"distance of {self.a.name} and {self.b.name} reaches {self.value:g}"

    def on(self, model: Model) -> Callable[..., Any]:
        a, b = _point(model, self.a), _point(model, self.b)

        def apart(t: float, q: NDArray[np.float64], v: NDArray[np.float64]) -> float:
            bodies = forward_kinematics(model, q)
            return float(np.linalg.norm(a(bodies) - b(bodies))) - self.value

        return apart

    def number(self, model: Model) -> dict[str, Any]:
        (a, pa), (b, pb) = _point_in_link(model, self.a), _point_in_link(model, self.b)
        return {"kind": DISTANCE, "a": a, "pa": pa, "b": b, "pb": pb, "value": self.value}


@dataclass(frozen=True)
class _Height(_Watched):
    """How far a place is beyond a plane fixed in the world."""

    place: Place
    normal: tuple[float, float, float]
    offset: float

    @property
    def said(self) -> str:
        return f"{self.place.name} crosses the plane"

    def on(self, model: Model) -> Callable[..., Any]:
        point, normal = _point(model, self.place), np.array(self.normal)
        return lambda t, q, v: float(normal @ point(forward_kinematics(model, q))) - self.offset

    def number(self, model: Model) -> dict[str, Any]:
        a, pa = _point_in_link(model, self.place)
        return {"kind": HEIGHT, "a": a, "pa": pa, "axis": self.normal, "value": self.offset}


def _point(model: Model, place: Place) -> Callable[..., Any]:
    """A function of a Kinematics: where the point of a place is in the world."""
    frame = model.frame(place)
    at = frame.pose.translation
    if frame.body < 0:
        return lambda bodies: at
    return lambda bodies: bodies.positions[frame.body] + bodies.rotations[frame.body] @ at


def _point_in_link(model: Model, place: Place) -> tuple[int, tuple[float, float, float]]:
    """(link, point) of a place: in the frame of the link that carries it, or (-1, point) in the world."""
    frame = model.frame(place)
    at = frame.pose.translation
    if frame.body < 0:
        return -1, tuple(at)
    row = model.tables.bodies[frame.body]
    return int(row["link"]), tuple(row["p"] + row["R"].reshape(3, 3) @ at)


def _place(given: Place | str, owner: str) -> Place:
    if isinstance(given, Place):
        return given
    if isinstance(given, (str, Named)):
        return Place(part_name(given, owner))
    raise refuse(owner, "a place", given, "give a place such as body.at(x, y, z), a body, a frame, or the name of one")


def _joint(given: str, owner: str) -> str:
    name = part_name(given, "joint")
    if not isinstance(name, str):
        raise refuse(owner, "joint", given, "give a joint or its name")
    return name


def _dof(given: int, owner: str) -> int:
    return whole(given, owner, "dof", "give a whole number, the place of the velocity in the joint")


def _finite(given: float, owner: str, what: str) -> float:
    value = number(given, owner, what)
    if not np.isfinite(value):
        raise refuse(owner, what, given, "give a finite number")
    return value


def joint_reaches(joint: Any, value: float, *, dof: int = 0, direction: int = 0, stop: bool = False, name: str | None = None) -> Event:
    """A joint's coordinate reaches a value, rad or m. Angles count turns: a hinge that has gone round stands at 2 pi, not at 0.

    >>> import linkwork as lw
    >>> lw.joint_reaches("elbow", 1.5, direction=1).name
    'elbow reaches 1.5'
    """
    what = "joint_reaches"
    return Event(_Coordinate(_joint(joint, what), _dof(dof, what), _finite(value, what, "value"), False), direction, stop, name)


def speed_reaches(joint: Any, value: float, *, dof: int = 0, direction: int = 0, stop: bool = False, name: str | None = None) -> Event:
    """A joint's velocity reaches a value, rad/s or m/s.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("lift")
    >>> _ = m.add_joint("rail", lw.Prismatic(axis=(0, 0, 1)), m.ground, m.add_body("cab", mass=2.0))
    >>> rec = lw.simulate(m, 1.0, events=[lw.speed_reaches("rail", -4.905, stop=True)])
    >>> round(float(rec.time[-1]), 6)  # s
    0.5
    """
    what = "speed_reaches"
    return Event(_Coordinate(_joint(joint, what), _dof(dof, what), _finite(value, what, "value"), True), direction, stop, name)


def speed_zero(joint: Any, *, dof: int = 0, direction: int = 0, stop: bool = False, name: str | None = None) -> Event:
    """A joint turns back: its velocity passes through zero (direction 1: its coordinate is least there, -1: greatest).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("lift")
    >>> _ = m.add_joint("rail", lw.Prismatic(axis=(0, 0, 1)), m.ground, m.add_body("cab", mass=2.0))
    >>> rec = lw.simulate(m, 1.0, v=[4.905], events=[lw.speed_zero("rail", stop=True)])
    >>> round(float(rec.time[-1]), 6), round(float(rec.q[-1, 0]), 6)  # s, m: the top of the flight
    (0.5, 1.22625)
    """
    return speed_reaches(joint, 0.0, dof=dof, direction=direction, stop=stop, name=name)


def at_time(t: float, *, stop: bool = False, name: str | None = None) -> Event:
    """The time reaches t, s.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("stone")
    >>> _ = m.add_body("stone", mass=2.0, inertia=(1, 1, 1))
    >>> rec = lw.simulate(m, 1.0, events=[lw.at_time(0.25, stop=True)])
    >>> round(float(rec.time[-1]), 9)
    0.25
    """
    return Event(_Clock(_finite(t, "at_time", "t")), 0, stop, name)


def distance_reaches(place_a: Any, place_b: Any, value: float, *, direction: int = 0, stop: bool = False, name: str | None = None) -> Event:
    """The distance of the points of two places reaches a value, m. Places: body.at(x, y, z), bodies, frames, or their names.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("stone")
    >>> _ = m.add_body("stone", mass=2.0, inertia=(1, 1, 1))
    >>> rec = lw.simulate(m, 1.0, events=[lw.distance_reaches("stone", "ground", 2.0, stop=True)])
    >>> round(float(rec.time[-1]), 6)  # sqrt(4 / 9.81) s
    0.638551
    """
    what = "distance_reaches"
    value = _finite(value, what, "value")
    if value <= 0.0:
        raise refuse(what, "value", value, "a distance passes through numbers above 0 only; give one")
    return Event(_Apart(_place(place_a, what), _place(place_b, what), value), direction, stop, name)


def crosses_plane(
    place: Any,
    normal: ArrayLike = (0.0, 0.0, 1.0),
    offset: float = 0.0,
    *,
    direction: int = 0,
    stop: bool = False,
    name: str | None = None,
) -> Event:
    """The point p of a place crosses the plane n . p = offset (m), n the unit vector along `normal` (world axes): by default the ground.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("stone")
    >>> _ = m.add_body("stone", mass=2.0, inertia=(1, 1, 1))
    >>> rec = lw.simulate(m, 1.0, events=[lw.crosses_plane("stone", offset=-1.0, stop=True)])
    >>> round(float(rec.time[-1]), 6)  # sqrt(2 / 9.81) s
    0.451524
    """
    what = "crosses_plane"
    n = np.array(vector(normal, 3, what, "normal"))
    length = float(np.linalg.norm(n))
    if not 0.0 < length < np.inf:
        raise refuse(what, "normal", normal, "give a vector that is not zero")
    return Event(_Height(_place(place, what), tuple((n / length).tolist()), _finite(offset, what, "offset")), direction, stop, name)


def _contact(a: Any, b: Any, owner: str, what: str, begins: bool = True) -> ContactChange:
    names = [part_name(x, "body or shape") for x in (a, b)]
    for x, name in zip((a, b), names, strict=True):
        if not isinstance(name, str):
            raise refuse(owner, "a body or shape", x, "give a body, or the name of a body or shape")
    return ContactChange(names[0], names[1], what, begins)


def touches(a: Any, b: Any, *, stop: bool = False, name: str | None = None) -> Event:
    """Two bodies or shapes begin to touch: to press on each other, at the end of the step in which they do. Where they rebound, they part in the next one.

    Events of contact need a method that takes contact: ContactStepping or Variational.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("stone")
    >>> _ = m.add_body("stone", shape=lw.Sphere(0.1), density=2000), m.add_floor()
    >>> rec = lw.simulate(m, 2.0, q=[0, 0, 1.1, 1, 0, 0, 0], events=[lw.touches("stone", "ground", stop=True)])
    >>> round(float(rec.time[-1]), 3)  # sqrt(2 / 9.81) = 0.4515 s, at the end of its step of 1 ms
    0.452
    """
    return Event(_contact(a, b, "touches", TOUCH), 1, stop, name)


def parts_from(a: Any, b: Any, *, stop: bool = False, name: str | None = None) -> Event:
    """Two bodies or shapes part: no point of theirs presses any more, from the step that ends then.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", shape=lw.Sphere(0.1), density=500, surface=lw.Surface(restitution=0.8)), m.add_floor()
    >>> rec = lw.simulate(m, 2.0, q=[0, 0, 1.1, 1, 0, 0, 0], events=[lw.parts_from("ball", "ground", stop=True)])
    >>> bool(rec.v[-1, 5] > 0.0), rec.status.word
    (True, 'stopped')
    """
    return Event(_contact(a, b, "parts_from", TOUCH, False), -1, stop, name)


def sticks(a: Any, b: Any, *, stop: bool = False, name: str | None = None) -> Event:
    """Two bodies or shapes begin to stick: they touch, and no point slides (any more). What rolls sticks.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("brick")
    >>> _ = m.add_body("brick", shape=lw.Box(0.2, 0.1, 0.1), density=1000), m.add_floor()
    >>> rec = lw.simulate(m, 2.0, q=[0, 0, 0.05, 1, 0, 0, 0], v=[0, 0, 0, 1, 0, 0], events=[lw.sticks("brick", "ground", stop=True)])
    >>> round(float(rec.time[-1]), 2)  # v / (mu g), s
    0.2
    """
    return Event(_contact(a, b, "sticks", HOLD), 1, stop, name)


def slips(a: Any, b: Any, *, stop: bool = False, name: str | None = None) -> Event:
    """Two bodies or shapes begin to slip: a point that stuck, or was apart, slides.

    >>> import linkwork as lw
    >>> lw.slips("cup", "table", stop=True).name
    'cup and table slip'
    """
    return Event(_contact(a, b, "slips", SLIP), 1, stop, name)
