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
from ..geometry.mesh_files import load_triangles
from ..spatial import solids
from ..spatial.pose import Pose
from .place import IDENTITY, pose_faults, pose_from
from .surface import Surface, surface_or_none
from .validation import array, number, refuse, vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


TOUCHING = ("hull", "pieces", "triangles")


def _touching(value: Any, owner: str) -> str:
    if value not in TOUCHING:
        raise refuse(owner, "touching", value, 'allowed are "hull", "pieces" (convex ones) and "triangles" (the surface itself)')
    return str(value)


@dataclass(frozen=True, eq=False, repr=False)
class Mesh(Shape):
    """A closed surface of triangles: `vertices` (n, 3) in m, `faces` (k, 3) indices from 0, counter-clockwise seen from outside.

    Both are kept as read-only arrays. An open surface can be drawn but has no inertia. `touching` says what of it touches other shapes:

        "hull"        its convex hull
        "pieces"      convex pieces that make it up nearly, found by the package coacd
        "triangles"   the surface itself: for the ground, for bowls and the like; two such surfaces do not touch each other

    >>> import linkwork as lw
    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> tetrahedron = lw.Mesh(corners, faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    >>> round(tetrahedron.solid()[0], 6)  # volume, m^3
    0.166667
    >>> slope = lw.Mesh([(-1, -1, 0), (1, -1, 0), (1, 1, 0.5), (-1, 1, 0.5)], [(0, 1, 2), (0, 2, 3)], touching="triangles")
    """

    vertices: Any
    faces: Any
    touching: str = field(default="hull", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.__dict__["vertices"] = array(self.vertices, 3, float, "Mesh", "vertices")
        self.__dict__["faces"] = array(self.faces, 3, int, "Mesh", "faces")
        self.__dict__["touching"] = _touching(self.touching, "Mesh")

    def solid(self) -> Solid:
        return solids.mesh(self.vertices, self.faces)

    def triangles(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """(vertices (n, 3), faces (k, 3))."""
        return self.vertices, self.faces

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
        return same and (self.at, self.surface, self.touching) == (other.at, other.surface, other.touching)

    def __hash__(self) -> int:
        return hash((self.vertices.tobytes(), self.faces.tobytes()))

    def __setstate__(self, state: Any) -> None:
        # An array that is unpickled or copied can be written to; a shape must not change.
        self.__dict__.update(state)
        self.vertices.setflags(write=False)
        self.faces.setflags(write=False)

    def __repr__(self) -> str:
        said = "" if self.touching == "hull" else f", touching={self.touching!r}"
        return f"Mesh({len(self.vertices)} vertices, {len(self.faces)} faces, at={self.at!r}{said})"


@dataclass(frozen=True)
class MeshFile(Shape):
    """A reference to a file of triangles. `scale`: one factor or three; a negative one mirrors. It gives no inertia.

    Read are .stl, .obj and .dae, other formats with the package trimesh, when it is drawn and when it touches others. `touching`: what of it does, as in Mesh.

    >>> import linkwork as lw
    >>> lw.MeshFile("parts/arm.stl", scale=0.001).scale  # millimetres
    (0.001, 0.001, 0.001)
    """

    path: str
    scale: Any = field(default=(1.0, 1.0, 1.0))
    touching: str = field(default="hull", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.path, (str, os.PathLike)) or not os.fspath(self.path):
            raise refuse("MeshFile", "path", self.path, "give the name of a file")
        self.__dict__["path"] = os.fspath(self.path)
        factors = (self.scale,) * 3 if np.ndim(self.scale) == 0 else self.scale
        self.__dict__["scale"] = vector(factors, 3, "MeshFile", "scale")
        self.__dict__["touching"] = _touching(self.touching, "MeshFile")

    def triangles(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """(vertices (n, 3), faces (k, 3)) of the file, scaled, in the shape's own axes. Raises ModelError if it cannot be read."""
        try:
            vertices, faces = load_triangles(self.path)
        except (OSError, ValueError, MemoryError) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            said = reason if self.path in reason else f"{self.path}: {reason}"
            raise ModelError(f"MeshFile: {said}") from error
        # A mirror turns faces round.
        return vertices * self.scale, faces if np.prod(np.sign(self.scale)) > 0.0 else faces[:, ::-1]

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from super().faults()
        if not all(math.isfinite(factor) and factor != 0.0 for factor in self.scale):
            yield "dimension", f"scale of its MeshFile is {self.scale}; allowed are finite numbers other than 0; correct it"


@dataclass(frozen=True, eq=False, repr=False)
class HeightField(Shape):
    """Ground that is given by heights over a grid: `heights` (ny, nx) in m, of points `dx` and `dy` apart, the middle of the grid at the origin of `at`.

    Row j of the heights is at y = (j - (ny - 1)/2) dy, column i at x = (i - (nx - 1)/2) dx. Between them are two triangles a cell; all below is solid, and
    has no walls. It is a shape of the ground, and has no volume.

    >>> import numpy as np
    >>> import linkwork as lw
    >>> x = np.linspace(-1, 1, 21)
    >>> valley = lw.HeightField(np.tile(0.2 * x**2, (21, 1)), dx=0.1)
    >>> m = lw.Mechanism("valley")
    >>> _ = m.change("ground", collisions=[valley])
    """

    heights: Any
    dx: float
    dy: float | None = None

    sizes: ClassVar = ("dx", "dy")

    def __post_init__(self) -> None:
        if self.dy is None:
            self.__dict__["dy"] = self.dx
        super().__post_init__()
        try:
            if np.iscomplexobj(self.heights):
                raise TypeError
            found = np.array(self.heights, dtype=float, order="C")
        except (TypeError, ValueError):
            raise refuse("HeightField", "heights", self.heights, "give an array of numbers, (ny, nx)") from None
        if found.ndim != 2:
            raise ModelError(f"HeightField: heights has shape {found.shape}; give an array of numbers, (ny, nx)")
        found.setflags(write=False)
        self.__dict__["heights"] = found

    def solid(self) -> solids.Solid:
        raise ModelError(
            "HeightField: it has no volume to take mass from; it belongs on the ground: m.change('ground', collisions=[...]); "
            "give the body another shape"
        )

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from super().faults()
        ny, nx = self.heights.shape
        bad = np.argwhere(~np.isfinite(self.heights))
        if len(bad):
            j, i = bad[0]
            yield "dimension", f"heights[{j}, {i}] of its HeightField is {self.heights[j, i]:g} m; allowed are finite numbers; correct it"
        if min(ny, nx) < 2:
            yield (
                "dimension",
                f"heights of its HeightField has shape {(ny, nx)}; allowed are at least 2 rows and 2 columns; give more heights",
            )

    def __eq__(self, other: object) -> bool:
        if type(other) is not HeightField:
            return NotImplemented
        same = (self.dx, self.dy, self.at, self.surface) == (other.dx, other.dy, other.at, other.surface)
        return same and np.array_equal(self.heights, other.heights)

    def __hash__(self) -> int:
        return hash((self.heights.tobytes(), self.dx, self.dy))

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        self.heights.setflags(write=False)

    def __repr__(self) -> str:
        ny, nx = self.heights.shape
        return f"HeightField({ny} x {nx} heights, dx={self.dx:g}, dy={self.dy:g}, at={self.at!r})"


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


SHAPES = {shape.__name__: shape for shape in (Box, Sphere, Cylinder, Capsule, Ellipsoid, Cone, Mesh, MeshFile, Floor, HeightField)}
