"""`Inertia`: the mass properties of a rigid body as people give them, and the judgement whether such a body can exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError
from .checks import Array, frozen, listed, number, numbers, shape_of, shape_said
from .inertia import inertia_from_com, inertia_matrix, inertia_to_com
from .plain import plain
from .pose import Pose
from .solids import Solid

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Rounding allowed in symmetry and in the triangle inequality, relative to the largest moment.
TOLERANCE = 1.0e-9
# A principal moment below this part of the largest is the rounding of zero.
NOISE = 4.0 * np.finfo(float).eps
# A radius of gyration below this (in m) is the rounding of a point mass, whatever its moments look like.
POINT = 1e-8


class Inertia:
    """Mass (kg), centre of mass (m, in the body frame) and inertia tensor about the centre of mass (kg m^2, axes of the frame).

    tensor: 3x3, or the principal (ixx, iyy, izz), or (ixx, ixy, ixz, iyy, iyz, izz) with the products as matrix entries.
    Impossible values are stored as they are: `faults()` lists them, `check()` raises. `Inertia()` is massless.

    >>> import linkwork as lw
    >>> rod = lw.Inertia(1.0, tensor=(0.0834, 0.0834, 1e-4)).transformed(lw.Pose((0, 0, 0.5)))
    >>> float(rod.tensor_at_origin[0, 0].round(4))
    0.3334
    """

    __slots__ = ("_com", "_mass", "_tensor")
    _mass: float
    _com: Array
    _tensor: Array

    def __init__(self, mass: float = 0.0, com: ArrayLike = (0.0, 0.0, 0.0), tensor: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self._set(number("mass", mass), numbers("com", com, (3,), finite=False), _symmetric(tensor))

    def _set(self, mass: float, com: NDArray[np.float64], tensor: NDArray[np.float64]) -> None:
        object.__setattr__(self, "_mass", mass)
        object.__setattr__(self, "_com", com)
        object.__setattr__(self, "_tensor", tensor)

    @classmethod
    def from_ten(cls, ten: ArrayLike) -> Inertia:
        """From (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz): first moment h = m c and tensor about the frame's origin."""
        return cls(*plain(inertia_to_com)(tuple(numbers("inertia", ten, (10,)).tolist())))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Inertia:
        """From a 6x6 matrix [[I, hat h], [-hat h, m 1]] on motions (omega, v)."""
        M = numbers("inertia matrix", matrix, (6, 6))
        m, H = M[3, 3], M[:3, 3:]
        ten = (m, H[2, 1], H[0, 2], H[1, 0], M[0, 0], M[0, 1], M[0, 2], M[1, 1], M[1, 2], M[2, 2])
        inertia = cls.from_ten(ten)
        defect = np.abs(inertia.matrix - M).max()
        if defect > TOLERANCE * np.abs(M).max():
            raise ModelError(
                f"inertia matrix: it differs by {defect:.3g} from the form [[I, hat h], [-hat h, m 1]] with I symmetric; "
                "it is not the inertia of one rigid body (angular part first)"
            )
        return inertia

    @classmethod
    def from_shape(cls, shape: Any, *, density: float | None = None, mass: float | None = None) -> Inertia:
        """Of a uniform solid, from its density (kg/m^3) or its mass (kg).

        shape: a `Solid` of `solids.py`, or an object whose method `solid()` returns one.
        """
        if (density is None) == (mass is None):
            raise ModelError("inertia of a shape: give either density (kg/m^3) or mass (kg), not both and not none")
        solid = shape.solid() if hasattr(shape, "solid") else shape
        if not isinstance(solid, Solid):
            raise TypeError(f"inertia of a shape: found a {type(solid).__name__}; it must be a Solid or have a method solid()")
        if density is None:
            total = number("mass", mass)
            return cls(total, solid.com, total / solid.volume * solid.tensor)
        density = number("density", density)
        return cls(density * solid.volume, solid.com, density * solid.tensor)

    @property
    def mass(self) -> float:
        """Mass in kg."""
        return self._mass

    @property
    def com(self) -> Array:
        """Centre of mass, shape (3,), read-only."""
        return self._com

    @property
    def tensor(self) -> Array:
        """Tensor about the centre of mass, shape (3, 3), read-only."""
        return self._tensor

    @property
    def principal_moments(self) -> Array:
        """The three moments about the centre of mass, ascending."""
        return np.asarray(np.linalg.eigvalsh(self._tensor), dtype=np.float64)

    @property
    def tensor_at_origin(self) -> Array:
        """Tensor about the origin of the frame, shape (3, 3)."""
        return self.matrix[:3, :3]

    @property
    def ten(self) -> tuple[float, ...]:
        """(m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) as kernels take it: a tuple of floats, tensor about the origin."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self._tensor.tolist()
        ten: tuple[float, ...] = plain(inertia_from_com)(self._mass, tuple(self._com.tolist()), (xx, xy, xz, yy, yz, zz))
        return ten

    @property
    def matrix(self) -> Array:
        """The 6x6 matrix [[I, hat h], [-hat h, m 1]], about the origin."""
        return np.reshape(plain(inertia_matrix)(self.ten), (6, 6))

    @property
    def is_massless(self) -> bool:
        """Is this exactly no inertia at all?"""
        return self._mass == 0.0 and not self._tensor.any()

    def __add__(self, other: Inertia) -> Inertia:
        """Both bodies welded together, in the same frame."""
        if not isinstance(other, Inertia):
            return NotImplemented
        if self.is_massless or other.is_massless:
            return other if self.is_massless else self
        mass = self._mass + other._mass
        if mass == 0.0:
            raise ModelError(f"sum of inertias: the masses {self._mass:g} and {other._mass:g} cancel; there is no centre of mass")
        com = (self._mass * self._com + other._mass * other._com) / mass
        apart = self._com - other._com
        reduced = self._mass * other._mass / mass
        return Inertia(mass, com, self._tensor + other._tensor + reduced * (apart @ apart * np.eye(3) - np.outer(apart, apart)))

    def transformed(self, pose: Pose) -> Inertia:
        """From components in B to components in A, `pose` = X_AB."""
        if not isinstance(pose, Pose):
            raise TypeError(f"Inertia.transformed: found a {type(pose).__name__}; it must be a Pose")
        R = pose.rotation
        T = R @ self._tensor @ R.T
        return Inertia(self._mass, pose.act(self._com), 0.5 * (T + T.T))

    def faults(self, strict: bool = True) -> list[str]:
        """Why no rigid body can have this inertia: a list of sentences, empty if one can. Exactly zero inertia is allowed.

        With strict=False a principal moment may be zero: a point mass (or what rounding made of it) or an infinitely thin rod.
        """
        for name, value in (("mass", self._mass), ("centre of mass", self._com), ("inertia tensor", self._tensor)):
            if not np.isfinite(value).all():
                return [f"the {name} is {listed(value) if np.size(value) > 1 else f'{value:g}'}; it must be finite"]
        if self.is_massless:
            return []
        moments = self.principal_moments
        shown = f"principal moments {listed(moments)} kg m^2"
        found = []
        if self._mass == 0.0:
            found.append(f"the mass is 0 but the inertia tensor is not ({shown}); without mass there can be no inertia")
        elif self._mass < 0.0:
            found.append(f"the mass is {self._mass:g} kg; it must be positive")
        largest = np.abs(moments).max()
        if not strict and largest <= POINT**2 * self._mass:
            return found
        if moments[0] <= NOISE * largest if strict else moments[0] < -TOLERANCE * largest:
            found.append(f"{shown}: all must be positive")
        elif moments[0] + moments[1] < (1.0 - TOLERANCE) * moments[2]:
            found.append(f"{shown}: the largest must not exceed the sum of the other two (triangle inequality); is the tensor about com?")
        return found

    def check(self, strict: bool = True) -> Inertia:
        """Raise ModelError with all faults, if there are any; else return self."""
        faults = self.faults(strict)
        if faults:
            raise ModelError("impossible inertia: " + "; ".join(faults), faults=[("inertia", f) for f in faults])
        return self

    def isclose(self, other: Inertia, rtol: float = 1.0e-9) -> bool:
        """Equal up to rounding: mass and tensor about the origin each relative to its size, the first moment to the mean of both?"""
        if not isinstance(other, Inertia):
            raise TypeError(f"Inertia.isclose: found {type(other).__name__}; it compares with an Inertia")
        a, b = np.array(self.ten), np.array(other.ten)
        mass, tensor = np.maximum(np.abs(a), np.abs(b))[0], np.maximum(np.abs(a), np.abs(b))[4:].max()
        parts = ((slice(0, 1), mass), (slice(1, 4), np.sqrt(mass * tensor)), (slice(4, 10), tensor))
        return all(np.abs(a[k] - b[k]).max() <= rtol * size for k, size in parts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Inertia):
            return NotImplemented
        return bool(self._mass == other._mass and (self._com == other._com).all() and (self._tensor == other._tensor).all())

    def __hash__(self) -> int:
        return hash((self._mass, self._com.tobytes(), self._tensor.tobytes()))

    def __repr__(self) -> str:
        T = self._tensor
        off = (T[0, 1], T[0, 2], T[1, 2])
        six = T.diagonal() if not any(off) else (T[0, 0], T[0, 1], T[0, 2], T[1, 1], T[1, 2], T[2, 2])
        return f"Inertia({self._mass:.7g}, com={listed(self._com)}, tensor={listed(six)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Inertia, (self._mass, self._com, self._tensor)

    def __setattr__(self, name: str, value: Any) -> Any:
        raise AttributeError(f"Inertia.{name}: an inertia does not change; make a new one")


def _symmetric(tensor: Any) -> NDArray[np.float64]:
    """The accepted forms of an inertia tensor as a read-only symmetric 3x3 matrix."""
    shape = shape_of(tensor)
    if shape == (3, 3):
        T = numbers("inertia tensor", tensor, (3, 3), finite=False)
        if (T == T.T).all():
            return T
        defect = np.abs(T - T.T).max()
        if defect > TOLERANCE * np.abs(T).max():
            raise ModelError(f"inertia tensor: it is not symmetric, entries differ by {defect:.3g} kg m^2 across the diagonal")
        return frozen(0.5 * (T + T.T))
    if shape == (3,):
        return frozen(np.diag(numbers("inertia tensor", tensor, (3,), finite=False)))
    if shape == (6,):
        xx, xy, xz, yy, yz, zz = numbers("inertia tensor", tensor, (6,), finite=False)
        return frozen(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    raise ModelError(
        f"inertia tensor: found {shape_said(shape)}; "
        "it must be 3x3, or (ixx, iyy, izz), or (ixx, ixy, ixz, iyy, iyz, izz), about the centre of mass"
    )
