"""Shapes: geometry to take inertia from, to draw and to touch. Every shape has its origin at the middle of its extent, meshes excepted.

Lengths in m. `at` is the pose of the shape in its body, X_BS; the shape's axes are the body's axes unless it says otherwise.
`surface`: friction and restitution where it touches; None: those of its body.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ..errors import ModelError
from ..spatial import solids
from ..spatial.pose import Pose
from .place import IDENTITY, pose_faults, pose_from
from .surface import Surface, surface_or_none
from .validation import array, number, refuse, vector

if TYPE_CHECKING:
    from ..spatial.solids import Solid


@dataclass(frozen=True)
class Shape:
    """Base of all shapes: an immutable value. A shape is worth a volume, a centre and a tensor at density 1 (`solid`).

    >>> import linkwork as lw
    >>> ball = lw.Sphere(0.1, at=lw.Pose((0, 0, 1)))
    >>> isinstance(ball, lw.Shape), ball.at
    (True, Pose((0, 0, 1)))
    """

    _: KW_ONLY
    at: Any = IDENTITY
    surface: Surface | None = None

    sizes: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        owner = type(self).__name__
        # The class is frozen; writing to its dictionary is how it fills itself, once.
        if not isinstance(self.at, Pose):
            self.__dict__["at"] = pose_from(owner, () if self.at is None else (self.at,), None)
        surface_or_none(self.surface, owner)
        for size in self.sizes:
            self.__dict__[size] = number(getattr(self, size), owner, size)

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def solid(self) -> solids.Solid:
        """Volume, centre of mass and tensor at density 1, in the shape's own frame."""
        raise ModelError(f"{type(self).__name__}: it has no volume to take mass from; give mass, com and inertia of the body")

    def faults(self) -> Iterator[tuple[str, str]]:
        """(kind of fault, what is wrong) for every value that cannot be."""
        for size in self.sizes:
            value = getattr(self, size)
            if not 0.0 < value < math.inf:
                yield "dimension", f"{size} of its {type(self).__name__} is {value:g} m; allowed is a finite number above 0; correct it"
        for text in pose_faults(self.at):
            yield "pose", f"the pose of its {type(self).__name__} {text}"
        if self.surface is not None:
            yield from self.surface.faults()


@dataclass(frozen=True)
class Box(Shape):
    """A box with full edge lengths x, y, z.

    >>> import linkwork as lw
    >>> lw.Box(2, 3, 4).solid().volume
    24.0
    """

    x: float
    y: float
    z: float

    sizes: ClassVar = ("x", "y", "z")

    def solid(self) -> Solid:
        return solids.box(self.x, self.y, self.z)


@dataclass(frozen=True)
class Sphere(Shape):
    """A ball.

    >>> import linkwork as lw
    >>> round(lw.Sphere(radius=0.1).solid()[0], 6)  # volume, m^3
    0.004189
    """

    radius: float

    sizes: ClassVar = ("radius",)

    def solid(self) -> Solid:
        return solids.sphere(self.radius)


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder with its axis along z of the shape, from -length/2 to length/2.

    >>> import math
    >>> import linkwork as lw
    >>> round(lw.Cylinder(0.5, 2.0).solid().volume, 6)
    1.570796
    >>> lying_along_x = lw.Cylinder(0.5, 2.0, at=lw.Pose.from_rpy(0, math.pi / 2, 0))
    """

    radius: float
    length: float

    sizes: ClassVar = ("radius", "length")

    def solid(self) -> Solid:
        return solids.cylinder(self.radius, self.length)


@dataclass(frozen=True)
class Capsule(Shape):
    """A cylinder along z of the given length, from -length/2 to length/2, with a half ball on each end: length + 2 radius over all.

    >>> import linkwork as lw
    >>> round(lw.Capsule(radius=0.1, length=0.5).solid()[0], 6)  # volume, m^3
    0.019897
    """

    radius: float
    length: float

    sizes: ClassVar = ("radius", "length")

    def solid(self) -> Solid:
        return solids.capsule(self.radius, self.length)


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """An ellipsoid with semi-axes a, b, c along x, y, z.

    >>> import linkwork as lw
    >>> round(lw.Ellipsoid(0.1, 0.2, 0.3).solid()[0], 6)  # volume, m^3
    0.025133
    """

    a: float
    b: float
    c: float

    sizes: ClassVar = ("a", "b", "c")

    def solid(self) -> Solid:
        return solids.ellipsoid(self.a, self.b, self.c)


@dataclass(frozen=True)
class Cone(Shape):
    """A circular cone along z with the origin at half its height: base at -height/2, tip at height/2; the mass centre is at -height/4.

    >>> import linkwork as lw
    >>> round(lw.Cone(radius=0.1, height=0.3).solid()[0], 6)  # volume, m^3
    0.003142
    """

    radius: float
    height: float

    sizes: ClassVar = ("radius", "height")

    def solid(self) -> Solid:
        return solids.cone(self.radius, self.height)


@dataclass(frozen=True, eq=False, repr=False)
class Mesh(Shape):
    """A closed surface of triangles: `vertices` (n, 3) in m, `faces` (k, 3) indices from 0, counter-clockwise seen from outside.

    Both are kept as read-only arrays. An open surface can be drawn but has no inertia.

    >>> import linkwork as lw
    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> tetrahedron = lw.Mesh(corners, faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    >>> round(tetrahedron.solid()[0], 6)  # volume, m^3
    0.166667
    """

    vertices: Any
    faces: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        self.__dict__["vertices"] = array(self.vertices, 3, float, "Mesh", "vertices")
        self.__dict__["faces"] = array(self.faces, 3, int, "Mesh", "faces")

    def solid(self) -> Solid:
        return solids.mesh(self.vertices, self.faces)

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from super().faults()
        bad = np.flatnonzero(~np.isfinite(self.vertices).all(axis=1))
        if len(bad):
            yield "dimension", f"vertex {bad[0]} of its Mesh is {self.vertices[bad[0]]}; allowed are finite numbers; correct it"
        if not len(self.vertices) or not len(self.faces):
            yield "dimension", f"its Mesh has {len(self.vertices)} vertices and {len(self.faces)} faces; give at least one triangle"
        elif self.faces.min() < 0 or self.faces.max() >= len(self.vertices):
            yield (
                "dimension",
                f"the faces of its Mesh name vertices {self.faces.min()} to {self.faces.max()}; "
                f"there are {len(self.vertices)}, counted from 0; correct the faces",
            )

    def __eq__(self, other: object) -> bool:
        if type(other) is not Mesh:
            return NotImplemented
        same = np.array_equal(self.vertices, other.vertices) and np.array_equal(self.faces, other.faces)
        return same and self.at == other.at and self.surface == other.surface

    def __hash__(self) -> int:
        return hash((self.vertices.tobytes(), self.faces.tobytes()))

    def __setstate__(self, state: Any) -> None:
        # An array that is unpickled or copied can be written to; a shape must not change.
        self.__dict__.update(state)
        self.vertices.setflags(write=False)
        self.faces.setflags(write=False)

    def __repr__(self) -> str:
        return f"Mesh({len(self.vertices)} vertices, {len(self.faces)} faces, at={self.at!r})"


@dataclass(frozen=True)
class MeshFile(Shape):
    """A reference to a file of triangles. `scale`: one factor or three; a negative one mirrors. The file is not read: no inertia.

    >>> import linkwork as lw
    >>> lw.MeshFile("parts/arm.stl", scale=0.001).scale  # millimetres
    (0.001, 0.001, 0.001)
    """

    path: str
    scale: Any = field(default=(1.0, 1.0, 1.0))

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.path, (str, os.PathLike)) or not os.fspath(self.path):
            raise refuse("MeshFile", "path", self.path, "give the name of a file")
        self.__dict__["path"] = os.fspath(self.path)
        factors = (self.scale,) * 3 if np.ndim(self.scale) == 0 else self.scale
        self.__dict__["scale"] = vector(factors, 3, "MeshFile", "scale")

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from super().faults()
        if not all(math.isfinite(factor) and factor != 0.0 for factor in self.scale):
            yield "dimension", f"scale of its MeshFile is {self.scale}; allowed are finite numbers other than 0; correct it"


@dataclass(frozen=True)
class Floor(Shape):
    """All that is below a plane: the half space z <= height in the frame `at`, which is the world's unless given. It is a shape of the ground.

    It has no volume, and is drawn as a grid as large as what stands on it. See `Mechanism.add_floor`.

    >>> import math
    >>> import linkwork as lw
    >>> lw.Floor(height=-0.2).height
    -0.2
    >>> slope = lw.Floor(at=lw.Pose.from_rpy(0, math.radians(10), 0), surface=lw.Surface(friction=0.3))
    """

    height: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.__dict__["height"] = number(self.height, "Floor", "height")

    @property
    def plane(self) -> Pose:
        """The frame whose origin is on the plane and whose z axis is its outward normal, in the frame of the body."""
        plane: Pose = self.at @ Pose((0.0, 0.0, self.height))
        return plane

    def solid(self) -> solids.Solid:
        raise ModelError(
            "Floor: it has no volume to take mass from; it belongs on the ground: use add_floor, and another shape for the body"
        )

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from super().faults()
        if not math.isfinite(self.height):
            yield "dimension", f"height of its Floor is {self.height:g} m; allowed is a finite number; correct it"


SHAPES = {shape.__name__: shape for shape in (Box, Sphere, Cylinder, Capsule, Ellipsoid, Cone, Mesh, MeshFile, Floor)}
