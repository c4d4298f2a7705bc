"""A rigid body: a frame of its own, mass properties in it, and shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..spatial.rigid_inertia import Inertia
from .part import Part
from .place import IDENTITY, Place, pose_from
from .shapes import Shape
from .surface import Surface, surface_or_none
from .validation import flag, number, refuse, sequence, vector

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from .mechanism import Mechanism

ORIGIN = (0.0, 0.0, 0.0)
NO_TENSOR = (ORIGIN, ORIGIN, ORIGIN)
_SHAPE_NEEDED = "give a shape such as Box(0.1, 0.1, 0.1)"


class Body(Part):
    """A rigid body. What is not given is None; `mass_properties()` draws the conclusion.

    given                           mass properties
    shape, density                  those of the solid
    shape, mass                     those of the solid with this mass
    mass, inertia (com)             as given; a shape is then only something to see
    mass (com), no shape            a point mass
    neither mass nor density        massless

    >>> import linkwork as lw
    >>> m = lw.Mechanism("rod")
    >>> rod = m.add_body("rod", shape=lw.Box(0.02, 0.02, 1.0), density=7850.0)
    >>> round(rod.mass_properties().mass, 6)
    3.14
    >>> rod.at(0, 0, 0.5)  # a place on it: its upper end, in the body's axes, m
    Place('rod', Pose((0, 0, 0.5)))
    """

    role = "body"
    fields: ClassVar[tuple[str, ...]] = ("mass", "com", "inertia", "shape", "density", "visuals", "collisions", "surface")

    mass: float | None  # kg
    com: tuple[float, float, float] | None  # centre of mass, in m, in the body's frame
    inertia: tuple[tuple[float, ...], ...] | None  # 3x3, about the centre of mass, body axes, in kg m^2
    shape: Shape | None
    density: float | None  # kg/m^3
    visuals: tuple[Shape, ...]  # further shapes to see
    collisions: tuple[Shape, ...]  # what touches others; if there are none, its shape does
    surface: Surface | None  # friction and restitution of its shapes that say nothing themselves; None: those of the mechanism
    unphysical: bool  # mass and inertia are meant as they are, though no real body has them

    def __init__(self, name: str, values: dict[str, Any], owner: Mechanism | None = None) -> None:
        super().__init__(name, {**_NOTHING, **values}, owner)

    def at(self, *where: Any, rotation: Any = None) -> Place:
        """A place on the body: at(x, y, z), at((x, y, z)), at(pose), or at() for its origin, in m, in the body's frame.

        rotation: axes of the place in the body, as a SciPy Rotation, a 3x3 matrix or a quaternion (w, x, y, z).
        """
        return Place(self, pose_from(self, where, rotation))

    @property
    def is_massless(self) -> bool:
        """True if no mass was given, or a mass of 0."""
        return not self.mass and self.density is None

    def mass_properties(self) -> Inertia:
        """Mass, centre of mass and inertia in the body's frame. Call it for a body without faults."""
        if self.inertia is not None:
            return Inertia(self.mass or 0.0, self.com or ORIGIN, self.inertia)
        if self.is_massless:
            return Inertia(0.0, ORIGIN, NO_TENSOR)
        if self.shape is None:
            return Inertia(self.mass or 0.0, self.com or ORIGIN, NO_TENSOR)
        inertia = Inertia.from_shape(self.shape, density=self.density, mass=self.mass)
        return inertia if self.shape.at is IDENTITY else inertia.transformed(self.shape.at)


class Ground(Body):
    """What does not move: the world. Its frame is the world frame. It may carry shapes.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> m.ground.name, m.ground.at(1, 0, 0)  # a place in the world, m
    ('ground', Place('ground', Pose((1, 0, 0))))
    """

    role = "part"
    fields: ClassVar[tuple[str, ...]] = ("visuals", "collisions", "surface")

    def __init__(self, owner: Mechanism | None = None) -> None:
        super().__init__("ground", {}, owner)


_NOTHING: dict[str, Any] = dict.fromkeys(Body.fields) | {"visuals": (), "collisions": (), "unphysical": False}


def body_values(owner: str, given: dict[str, Any]) -> dict[str, Any]:
    """What is given for a body, as it is stored; `owner` is the body in words. Refuses wrong types."""
    values = {field: _NOTHING[field] if value is None else _CONVERT[field](value, owner) for field, value in given.items()}
    if isinstance(values.get("inertia"), Inertia):
        inertia = values["inertia"]
        for other in ("mass", "com", "density"):
            if values.get(other) is not None:
                raise refuse(owner, other, values[other], "but inertia is an Inertia, which says it too; give one or the other")
        values.update(mass=float(inertia.mass), com=_floats(inertia.com), inertia=tuple(map(_floats, inertia.tensor)), density=None)
    return values


def replaced_values(owner: str, given: dict[str, Any]) -> dict[str, Any]:
    """What `given` changes in a body, and what it makes void: a density and a mass cannot both hold."""
    values = body_values(owner, given)
    if values.get("density") is not None:
        return {"mass": None, "com": None, "inertia": None} | values
    if values.get("mass") is not None:
        return {"density": None} | values
    return values


def _floats(numbers: NDArray[np.float64]) -> tuple[float, float, float]:
    return tuple([float(x) for x in numbers])


def _tensor(value: Any, owner: str) -> Inertia | tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]:
    """3x3, or (xx, yy, zz), or (xx, xy, xz, yy, yz, zz), as three rows."""
    if isinstance(value, Inertia):
        return value
    needed = "give 3x3 numbers, or (xx, yy, zz), or (xx, xy, xz, yy, yz, zz), about the centre of mass, or an Inertia"
    rows = sequence(value, owner, "inertia", needed)
    if len(rows) == 3 and not (hasattr(rows[0], "__len__") and getattr(rows[0], "ndim", True)):
        a, b, c = vector(rows, 3, owner, "inertia")
        return (a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c)
    if len(rows) == 6:
        xx, xy, xz, yy, yz, zz = vector(rows, 6, owner, "inertia")
        return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
    if len(rows) != 3:
        raise refuse(owner, "inertia", value, needed)
    a, b, c = (vector(row, 3, owner, "a row of inertia") for row in rows)
    return a, b, c


def _shape(value: Shape, owner: str, what: str = "shape") -> Shape:
    if not isinstance(value, Shape):
        raise refuse(owner, what, value, _SHAPE_NEEDED)
    return value


def _shapes(what: str) -> Callable[..., Any]:
    def convert(value: Any, owner: str) -> tuple[Any, ...]:
        if value == ():
            return ()
        items = (value,) if isinstance(value, Shape) else sequence(value, owner, what, f"give a sequence of shapes, or {_SHAPE_NEEDED}")
        return tuple([_shape(item, owner, f"an entry of {what}") for item in items])

    return convert


_CONVERT = {
    "unphysical": lambda value, owner: flag(value, owner, "unphysical"),
    "mass": lambda value, owner: number(value, owner, "mass"),
    "com": lambda value, owner: vector(value, 3, owner, "com"),
    "inertia": _tensor,
    "shape": _shape,
    "density": lambda value, owner: number(value, owner, "density"),
    "visuals": _shapes("visuals"),
    "collisions": _shapes("collisions"),
    "surface": surface_or_none,
}
