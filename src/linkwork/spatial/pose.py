"""`Pose`: where a frame is, as people handle it. The mathematics is in `so3.py` and `se3.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import need_array
from ..errors import ModelError
from .checks import Array, frozen, listed, numbers, shape_of, shape_said
from .plain import plain
from .se3 import pose_exp, pose_log
from .so3 import quaternion_from_matrix, quaternion_to_matrix, rotation_log

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Defects of a rotation (the largest entry of |R^T R - 1|, or the length of a quaternion minus 1). Up to ROUNDING it is kept as it
# is, so that matrices travel unchanged; up to MENDED, as in files with six decimals, the nearest rotation is taken.
ROUNDING = 1.0e-14
MENDED = 1.0e-5


class Pose:
    """The place of a frame B in a frame A: x_A = R x_B + p. Immutable; `X_AC = X_AB @ X_BC`.

    translation: three numbers (m), the origin of B in A.
    rotation: the axes of B in A, as a 3x3 matrix, a unit quaternion (w, x, y, z), a SciPy `Rotation`, or nothing (parallel axes).
    A rotation that is not one raises ModelError with the defect; defects up to 1e-5 (rounded input) are mended.

    >>> import linkwork as lw
    >>> import numpy as np
    >>> X_WB = lw.Pose((1, 0, 0)) @ lw.Pose.from_rpy(0, 0, np.pi / 2)
    >>> X_WB.act((1, 0, 0)).round(12)
    array([1., 1., 0.])
    """

    __slots__ = ("_rotation", "_translation")
    _rotation: Array
    _translation: Array
    __array_ufunc__ = None  # so that `array @ pose` is refused, not taken for an array of objects

    def __init__(self, translation: ArrayLike = (0.0, 0.0, 0.0), rotation: Any = None) -> None:
        if isinstance(translation, Pose):
            raise TypeError("Pose: the first argument is a Pose already; use it as it is, or compose poses with @")
        self._set(_rotation_matrix(rotation), numbers("pose translation", translation, (3,)))

    def _set(self, rotation: NDArray[np.float64], translation: NDArray[np.float64]) -> None:
        object.__setattr__(self, "_rotation", rotation)
        object.__setattr__(self, "_translation", translation)

    @classmethod
    def _trusted(cls, rotation: NDArray[np.float64], translation: NDArray[np.float64]) -> Pose:
        """Without checks: for results of our own arithmetic."""
        pose = object.__new__(cls)
        pose._set(frozen(rotation), frozen(translation))
        return pose

    @classmethod
    def from_rpy(cls, roll: float, pitch: float, yaw: float, translation: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """Turns about the fixed axes x, y, z, in this order (radians): R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF."""
        angles = numbers("pose roll, pitch, yaw", (roll, pitch, yaw), (3,))
        (c1, c2, c3), (s1, s2, s3) = np.cos(angles).tolist(), np.sin(angles).tolist()
        R = [
            [c3 * c2, c3 * s2 * s1 - s3 * c1, c3 * s2 * c1 + s3 * s1],
            [s3 * c2, s3 * s2 * s1 + c3 * c1, s3 * s2 * c1 - c3 * s1],
            [-s2, c2 * s1, c2 * c1],
        ]
        return cls._trusted(np.array(R), numbers("pose translation", translation, (3,)))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Pose:
        """From a homogeneous 4x4 matrix [[R, p], [0, 1]]."""
        M = numbers("pose matrix", matrix, (4, 4))
        if np.abs(M[3] - (0.0, 0.0, 0.0, 1.0)).max() > ROUNDING:
            raise ModelError(f"pose matrix: the last row is {listed(M[3])}; it must be (0, 0, 0, 1): a pose has no perspective or scale")
        return cls(M[:3, 3], M[:3, :3])

    @classmethod
    def exp(cls, displacement: ArrayLike) -> Pose:
        """The pose reached by a motion (a, l) kept up for one unit of time: a screw motion. The angular part comes first."""
        V = numbers("displacement", displacement, (6,))
        R, p = plain(pose_exp)(tuple(V.tolist()))
        return cls._trusted(np.reshape(R, (3, 3)), np.array(p))

    def log(self) -> Array:
        """The displacement (a, l), shape (6,), with the shortest turn (|a| <= pi): the reverse of `Pose.exp`."""
        return np.array(plain(pose_log)(self.tuples))

    @property
    def translation(self) -> Array:
        """The origin of B in A, shape (3,), read-only."""
        return self._translation

    @property
    def rotation(self) -> Array:
        """R, shape (3, 3), read-only; its columns are the axes of B in A."""
        return self._rotation

    @property
    def quaternion(self) -> Array:
        """The unit quaternion (w, x, y, z) with w >= 0, shape (4,)."""
        return np.array(plain(quaternion_from_matrix)(self.tuples[0]))

    @property
    def matrix(self) -> Array:
        """The homogeneous 4x4 matrix."""
        M = np.eye(4)
        M[:3, :3], M[:3, 3] = self._rotation, self._translation
        return M

    @property
    def tuples(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """(R, p) as kernels take it: nine floats row-major and three."""
        return tuple(self._rotation.ravel().tolist()), tuple(self._translation.tolist())

    @property
    def adjoint(self) -> Array:
        """Ad, 6x6: motion vectors (omega, v) in B to those in A."""
        M = np.zeros((6, 6))
        M[:3, :3] = M[3:, 3:] = self._rotation
        M[3:, :3] = np.cross(self._translation, self._rotation, axisb=0, axisc=0)
        return M

    @property
    def force_adjoint(self) -> Array:
        """Ad^-T, 6x6: force vectors (n, f) in B to those in A. Power is the same in both."""
        M = self.adjoint
        M[:3, 3:], M[3:, :3] = M[3:, :3], 0.0
        return M

    def as_scipy(self) -> Any:
        """The rotation as a `scipy.spatial.transform.Rotation`."""
        from scipy.spatial.transform import Rotation

        return Rotation.from_matrix(self._rotation)

    def inverse(self) -> Pose:
        """X_BA, so that X @ X.inverse() is the identity up to rounding."""
        return Pose._trusted(self._rotation.T, -(self._translation @ self._rotation))

    def act(self, points: ArrayLike) -> Array:
        """Points in B, shape (3,) or (..., 3), to coordinates in A."""
        x = (
            points
            if type(points) is np.ndarray and points.dtype == np.float64
            else need_array("points", points, "numbers of shape (3,) or (..., 3)")
        )
        if x.shape[-1:] != (3,):
            raise ModelError(f"points: found an array of shape {x.shape}; it must be (3,) or (N, 3)")
        return x @ self._rotation.T + self._translation

    def __matmul__(self, other: Pose) -> Pose:
        if not isinstance(other, Pose):
            raise TypeError(f"Pose @ {type(other).__name__}: only poses are composed with @; for points use pose.act(points)")
        return Pose._trusted(self._rotation @ other._rotation, self._rotation @ other._translation + self._translation)

    def interpolate(self, other: Pose, s: float) -> Pose:
        """The pose a fraction s of the way to another one, along the screw motion that joins them: X exp(s log(X^-1 Y))."""
        return self @ Pose.exp(float(s) * (self.inverse() @ other).log())

    def isclose(self, other: Pose, tolerance: float = 1.0e-9) -> bool:
        """Is the turn between the two within `tolerance` (rad), and the distance of their origins (m)?"""
        if not isinstance(other, Pose):
            raise TypeError(f"Pose.isclose: found {type(other).__name__}; it compares with a Pose")
        turn = plain(rotation_log)(tuple((self._rotation.T @ other._rotation).ravel().tolist()))
        return bool(np.linalg.norm(turn) <= tolerance and np.linalg.norm(self._translation - other._translation) <= tolerance)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pose):
            return NotImplemented
        return bool((self._rotation == other._rotation).all() and (self._translation == other._translation).all())

    def __hash__(self) -> int:
        return hash((self._rotation.tobytes(), self._translation.tobytes()))

    def __repr__(self) -> str:
        turned = "" if (self._rotation == np.eye(3)).all() else f", rotation={listed(self.quaternion)}"
        return f"Pose({listed(self._translation)}{turned})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Pose._trusted, (self._rotation, self._translation)

    def __setattr__(self, name: str, value: Any) -> Any:
        raise AttributeError(f"Pose.{name}: a pose does not change; make a new one")

    def __delattr__(self, name: str) -> Any:
        raise AttributeError(f"Pose.{name}: a pose does not change; make a new one")


def _rotation_matrix(rotation: Any) -> NDArray[np.float64]:
    """Any of the accepted forms of a rotation as a read-only 3x3 matrix."""
    if rotation is None:
        return frozen(np.eye(3))
    if isinstance(rotation, Pose):
        raise TypeError("Pose: the rotation is a Pose; hand in its .rotation, or compose poses with @")
    if hasattr(rotation, "as_matrix"):
        rotation = rotation.as_matrix()
    shape = shape_of(rotation)
    if shape == (4,):
        return _from_quaternion(numbers("pose rotation (quaternion w x y z)", rotation, (4,)))
    if shape != (3, 3):
        hint = "; for roll, pitch, yaw use Pose.from_rpy, for a rotation vector Pose.exp" if shape == (3,) else ""
        raise ModelError(
            f"pose rotation: found {shape_said(shape)}; it must be a 3x3 matrix, a quaternion (w, x, y, z) or a SciPy Rotation{hint}"
        )
    return _nearest_rotation(numbers("pose rotation", rotation, (3, 3)))


def _from_quaternion(q: NDArray[np.float64]) -> NDArray[np.float64]:
    length = float(np.linalg.norm(q))
    if abs(length - 1.0) > MENDED:
        raise ModelError(
            f"pose rotation: the quaternion {listed(q)} has length {length:.7g}; it must be 1 (w first); divide it by its length"
        )
    return frozen(np.reshape(plain(quaternion_to_matrix)(tuple(q.tolist())), (3, 3)))


def _nearest_rotation(R: NDArray[np.float64]) -> NDArray[np.float64]:
    defect = float(np.abs(R.T @ R - np.eye(3)).max())
    if defect > MENDED:
        raise ModelError(
            f"pose rotation: the matrix is not orthonormal, |R^T R - 1| = {defect:.3g} (up to {MENDED:g} is mended); "
            "its columns must be three perpendicular unit vectors"
        )
    if np.linalg.det(R) < 0.0:
        raise ModelError("pose rotation: the matrix is a reflection (determinant -1); its columns must be right-handed; flip one of them")
    if defect <= ROUNDING:
        return R
    U, _, Vt = np.linalg.svd(R)
    return frozen(U @ Vt)
