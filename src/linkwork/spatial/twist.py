"""`Motion` (twist) and `Force` (wrench): six numbers of two kinds that never mix by accident (Featherstone 1987, section 2.4.1).

Both have their angular part first and belong to a frame and a reference point, its origin. Only a motion and a force have a
scalar product: power (or work).
"""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError
from .checks import Array, frozen, listed, numbers
from .motion import cross_force, cross_motion, force_to_parent, motion_to_parent, screw_of, shift_force, shift_motion, vector_of_screw
from .plain import plain
from .pose import Pose


class ScrewAxis(NamedTuple):
    """A line with a pitch: unit `direction`, the `point` of the line nearest the origin (m), `pitch` (m/rad), `magnitude`.

    Infinite pitch means a free vector (pure translation, or a pure couple): then `point` is the origin.
    """

    direction: Array
    point: Array
    pitch: float
    magnitude: float


class _Six:
    """What motions and forces share: a frozen array of six floats and the arithmetic of a vector space."""

    __slots__ = ("_array",)
    _array: Array
    _parts: tuple[str, str]
    __array_ufunc__ = None  # so that `array + motion` asks us, and is refused, instead of becoming an array silently

    def __init__(self, first: ArrayLike, second: ArrayLike) -> None:
        names = self._parts
        kind = type(self).__name__
        first, second = numbers(f"{kind} {names[0]}", first, (3,)), numbers(f"{kind} {names[1]}", second, (3,))
        object.__setattr__(self, "_array", frozen(np.concatenate([first, second])))

    @classmethod
    def from_array(cls, six: ArrayLike) -> Self:
        """From six numbers, angular part first."""
        return cls._of(numbers(cls.__name__, six, (6,)))

    @classmethod
    def _of(cls, six: Any) -> Any:
        return cls(six[:3], six[3:])

    @property
    def array(self) -> Array:
        """The six numbers, read-only, angular part first."""
        return self._array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._array, dtype=dtype)

    def _tuple(self) -> Any:
        return tuple(self._array.tolist())

    def _same_kind(self, other: Any, doing: Any) -> Any:
        if type(other) is not type(self):
            mine, theirs = type(self).__name__, type(other).__name__
            raise TypeError(f"cannot {doing} a {mine} and a {theirs}: only a {mine} and a {mine}{self._remedy(other)}")
        return other

    @staticmethod
    def _remedy(other: Any) -> Any:
        if isinstance(other, _Six):
            return "; motions and forces are different kinds of vectors (their product, motion.dot(force), is power)"
        return "; make one from six numbers with from_array"

    def __add__(self, other: Any) -> Any:
        return self._of(self._array + self._same_kind(other, "add")._array)

    def __sub__(self, other: Any) -> Any:
        return self._of(self._array - self._same_kind(other, "subtract")._array)

    def __radd__(self, other: Any) -> Any:
        # sum() starts from 0.
        return self if type(other) is int and other == 0 else self + self._same_kind(other, "add")

    def __rsub__(self, other: Any) -> Any:
        return self._same_kind(other, "subtract")

    def _factor(self, k: Any, doing: Any) -> Any:
        if not isinstance(k, Real):
            hint = "; the product of a motion and a force is motion.dot(force)" if isinstance(k, _Six) else ""
            raise TypeError(f"cannot {doing} a {type(self).__name__} by a {type(k).__name__}: only by a number{hint}")
        return float(k)

    def __mul__(self, k: Any) -> Any:
        return self._of(self._array * self._factor(k, "multiply"))

    __rmul__ = __mul__

    def __truediv__(self, k: Any) -> Any:
        return self._of(self._array / self._factor(k, "divide"))

    def __neg__(self) -> Any:
        return self._of(-self._array)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return bool((self._array == other._array).all())

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._array.tobytes()))

    def isclose(self, other: Self, rtol: float = 1.0e-9, atol: float = 1.0e-12) -> bool:
        """Equal up to rounding, number by number?"""
        return bool(np.allclose(self._array, self._same_kind(other, "compare")._array, rtol=rtol, atol=atol))

    def __repr__(self) -> str:
        first, second = self._parts
        return f"{type(self).__name__}({first}={listed(self._array[:3])}, {second}={listed(self._array[3:])})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_array, (self._array,)

    def __setattr__(self, name: str, value: Any) -> Any:
        raise AttributeError(f"{type(self).__name__}.{name}: it does not change; make a new one")


class Motion(_Six):
    """A spatial velocity, acceleration or small displacement: angular part (rad/s) and velocity of the point at the origin (m/s).

    >>> import linkwork as lw
    >>> lw.Motion(angular=(0, 0, 2)).shifted((1, 0, 0))
    Motion(angular=(0, 0, 2), linear=(0, 2, 0))
    """

    __slots__ = ()
    _parts = ("angular", "linear")

    def __init__(self, angular: ArrayLike = (0.0, 0.0, 0.0), linear: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        super().__init__(angular, linear)

    @classmethod
    def screw(cls, direction: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0), pitch: float = 0.0, magnitude: float = 1.0) -> Motion:
        """A turn at `magnitude` about the line through `point`, sliding `pitch` per radian; an infinite pitch is a pure slide."""
        u, r = _unit(direction), numbers("screw point", point, (3,))
        return cls._of(_from_screw(u, r, pitch, magnitude))

    @property
    def angular(self) -> Array:
        """Angular part, shape (3,)."""
        return self._array[:3]

    @property
    def linear(self) -> Array:
        """Linear part, shape (3,): the velocity of the point at the origin."""
        return self._array[3:]

    @property
    def axis(self) -> ScrewAxis:
        """The screw axis of this motion, a `ScrewAxis`."""
        return _screw_axis(self._tuple())

    def dot(self, force: Force) -> float:
        """Power (W) of a force on this motion: angular . moment + linear . force."""
        if not isinstance(force, Force):
            raise TypeError(f"Motion.dot: found a {type(force).__name__}; power needs a motion and a Force")
        return float(self._array @ force._array)

    def cross(self, other: Motion | Force) -> Motion | Force:
        """V x W of two motions, or V x* F of a motion and a force: the rate of change of what is carried along with this motion."""
        if isinstance(other, Motion):
            return Motion._of(plain(cross_motion)(self._tuple(), other._tuple()))
        if isinstance(other, Force):
            return Force._of(plain(cross_force)(self._tuple(), other._tuple()))
        raise TypeError(f"Motion.cross: found a {type(other).__name__}; it must be a Motion or a Force")

    @property
    def cross_matrix(self) -> Array:
        """ad_V, 6x6: `V.cross_matrix @ W` is V x W of motions; minus its transpose is V x* of forces."""
        columns = [plain(cross_motion)(self._tuple(), tuple(e)) for e in np.eye(6).tolist()]
        return np.array(columns).T

    def transformed(self, pose: Pose) -> Motion:
        """From components in B to components in A, `pose` = X_AB."""
        return Motion._of(plain(motion_to_parent)(_pose(pose), self._tuple()))

    def shifted(self, point: ArrayLike) -> Motion:
        """The same motion with another reference point, given in this frame: linear + angular x point."""
        return Motion._of(plain(shift_motion)(self._tuple(), tuple(numbers("point", point, (3,)).tolist())))


class Force(_Six):
    """A spatial force or momentum: moment about the origin (N m) and force (N).

    >>> import linkwork as lw
    >>> lw.Force.at((1, 0, 0), (0, 0, 5))
    Force(moment=(0, -5, 0), force=(0, 0, 5))
    """

    __slots__ = ()
    _parts = ("moment", "force")

    def __init__(self, moment: ArrayLike = (0.0, 0.0, 0.0), force: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        super().__init__(moment, force)

    @classmethod
    def at(cls, point: ArrayLike, force: ArrayLike) -> Force:
        """A force that acts on the line through `point`."""
        r, f = numbers("point", point, (3,)), numbers("Force force", force, (3,))
        return cls(np.cross(r, f), f)

    @property
    def moment(self) -> Array:
        """Moment about the origin, shape (3,)."""
        return self._array[:3]

    @property
    def force(self) -> Array:
        """Force, shape (3,)."""
        return self._array[3:]

    @property
    def axis(self) -> ScrewAxis:
        """The line of the force with the couple along it, a `ScrewAxis` (Poinsot's central axis)."""
        n0, n1, n2, f0, f1, f2 = self._tuple()
        return _screw_axis((f0, f1, f2, n0, n1, n2))

    def dot(self, motion: Motion) -> float:
        """Power (W) on a motion."""
        if not isinstance(motion, Motion):
            raise TypeError(f"Force.dot: found a {type(motion).__name__}; power needs a Motion and a force")
        return motion.dot(self)

    def cross(self, other: Any) -> Any:
        raise TypeError("Force.cross: a force carries nothing along; write motion.cross(force)")

    def transformed(self, pose: Pose) -> Force:
        """From components in B to components in A, `pose` = X_AB."""
        return Force._of(plain(force_to_parent)(_pose(pose), self._tuple()))

    def shifted(self, point: ArrayLike) -> Force:
        """The same force with another reference point, given in this frame: moment - point x force."""
        return Force._of(plain(shift_force)(self._tuple(), tuple(numbers("point", point, (3,)).tolist())))


def _pose(pose: Any) -> Any:
    if not isinstance(pose, Pose):
        raise TypeError(f"transformed: found a {type(pose).__name__}; it must be a Pose")
    return pose.tuples


def _unit(direction: Any) -> Any:
    u = numbers("screw direction", direction, (3,))
    length = float(np.linalg.norm(u))
    if length == 0.0:
        raise ModelError("screw direction: found the zero vector; it must have a direction")
    return u / length


def _from_screw(u: Any, r: Any, pitch: Any, magnitude: Any) -> Any:
    pitch, magnitude = float(pitch), float(magnitude)
    if np.isnan(pitch) or not np.isfinite(magnitude):
        raise ModelError(f"screw: pitch is {pitch:g} and magnitude {magnitude:g}; the pitch may be infinite, the magnitude must be finite")
    return plain(vector_of_screw)(tuple(u.tolist()), tuple(r.tolist()), abs(pitch) if np.isinf(pitch) else pitch, magnitude)


def _screw_axis(V: Any) -> Any:
    u, r, pitch, magnitude = plain(screw_of)(V)
    return ScrewAxis(np.array(u), np.array(r), float(pitch), float(magnitude))
