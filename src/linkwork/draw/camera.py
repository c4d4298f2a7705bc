"""The camera: where the eye is, where it looks, and the window it looks through."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..parts.validation import number, vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ..model.model import Model
    from ..parts.mechanism import Mechanism

FIELD_OF_VIEW = math.radians(30.0)
# Directions nearer than this (the sine of their angle) count as parallel.
PARALLEL = 1e-6
# The near plane, as a share of the distance from eye to target.
NEAR = 0.01


@dataclass(frozen=True)
class Camera:
    """An eye that looks at a target. Lengths in m, world axes; angles in rad.

    up: what is up in the picture; z, or y where the eye looks along z.
    field_of_view: the full angle from the lower to the upper edge of the picture.
    near: nothing nearer than this, along the line of sight, is seen; 1 % of the distance to the target.
    window: instead of field_of_view, the edges (left, right, top, bottom) of a window one metre ahead of the eye, x to the right and y down
        from the line of sight; it need not be in the middle. A picture of another aspect ratio shows more than the window.

    >>> import linkwork as lw
    >>> camera = lw.Camera(eye=(3.0, -4.0, 2.0))
    >>> [round(x, 1) for x in camera.pixel((1.0, 0.0, 0.0), size=(1280, 1024)).tolist()]
    [956.6, 600.2]
    """

    eye: Any
    target: Any = (0.0, 0.0, 0.0)
    up: Any = None
    field_of_view: float = FIELD_OF_VIEW
    near: float | None = None
    window: Any = None

    def __post_init__(self) -> None:
        for name in ("eye", "target"):
            object.__setattr__(self, name, self._finite(name, getattr(self, name), 3))
        ahead = np.subtract(self.target, self.eye)
        distance = float(np.linalg.norm(ahead))
        if not distance > 1e-9 * max(1.0, *map(abs, self.eye)):
            raise ModelError(
                f"Camera: eye and target are both at {_shown(self.eye)}, so it looks nowhere; allowed are two different points; move the eye away"
            )
        object.__setattr__(self, "up", self._upward(ahead / distance))
        angle = number(self.field_of_view, "Camera", "field_of_view")
        if not 0.0 < angle < math.pi:
            raise ModelError(
                f"Camera: field_of_view is {angle:g} rad; allowed is an angle between 0 and pi; give radians, such as math.radians(30)"
            )
        object.__setattr__(self, "field_of_view", angle)
        near = NEAR * distance if self.near is None else number(self.near, "Camera", "near")
        if not 0.0 < near < math.inf:
            raise ModelError(f"Camera: near is {near:g} m; allowed is a finite distance above 0; correct it or leave it out")
        object.__setattr__(self, "near", near)
        if self.window is not None:
            object.__setattr__(self, "window", self._checked_window())

    def _finite(self, name: str, value: NDArray[np.float64] | tuple[float, ...], size: int) -> Any:
        values = vector(value, size, "Camera", name)
        if not all(map(math.isfinite, values)):
            raise ModelError(f"Camera: {name} is {_shown(values)}; allowed are finite numbers; correct it")
        return values

    def _upward(self, ahead: NDArray[np.float64]) -> Any:
        if self.up is None:
            return (0.0, 0.0, 1.0) if math.hypot(ahead[0], ahead[1]) > 1e-3 else (0.0, 1.0, 0.0)
        up = self._finite("up", self.up, 3)
        length = math.hypot(*up)
        if not length > 0.0 or np.linalg.norm(np.cross(ahead, up)) < PARALLEL * length:
            raise ModelError(
                f"Camera: up is {_shown(up)}, which is no direction across the line of sight {_shown(ahead)}; "
                "allowed is any other direction; give one, or leave it out"
            )
        return up

    def _checked_window(self) -> Any:
        left, right, top, bottom = self._finite("window", self.window, 4)
        if not (left < right and top < bottom):
            raise ModelError(
                f"Camera: window is {_shown((left, right, top, bottom))}; allowed are edges (left, right, top, bottom) with left < right "
                "and top < bottom (y points down); put them in this order"
            )
        return left, right, top, bottom

    # ---- other ways to place it

    @classmethod
    def around(
        cls,
        model: Mechanism | Model,
        q: ArrayLike | None = None,
        *,
        direction: ArrayLike | None = None,
        size: tuple[int, int] = (960, 720),
        field_of_view: float = FIELD_OF_VIEW,
        margin: float = 0.08,
    ) -> Camera:
        """A camera that sees all of a mechanism, in one pose or in all poses of a batch q.

        direction: from the mechanism towards the eye; if none is given, one that suits: across the plane of a planar mechanism, else from
            the right front, above.
        margin: the share of the picture that stays empty on each side.
        """
        from .fit import camera_around  # it needs the figure, which a camera alone does not

        camera: Camera = camera_around(model, q, direction, size, field_of_view, margin)
        return camera

    @classmethod
    def through_window(
        cls, eye: ArrayLike, corner: ArrayLike, across: ArrayLike, downward: ArrayLike, *, near: float | None = None
    ) -> Camera:
        """The architect's camera: an eye, and a window that stands in the world.

        corner: its upper left corner as the eye sees it; across, downward: its upper and its left edge, as vectors at a right angle.
        """
        eye, corner, across, downward = (
            np.array(vector(value, 3, "Camera", name))
            for name, value in (("eye", eye), ("corner", corner), ("across", across), ("downward", downward))
        )
        wide, high = np.linalg.norm(across), np.linalg.norm(downward)
        with np.errstate(invalid="ignore", divide="ignore"):
            x, y = across / wide, downward / high
        if not abs(x @ y) < PARALLEL:
            raise ModelError("Camera: across and downward are not at a right angle; allowed is a rectangular window; correct them")
        z = np.cross(x, y)
        distance = float((corner - eye) @ z)
        if not distance > 0.0:
            raise ModelError(
                f"Camera: the window is {distance:g} m ahead of the eye; allowed is a window in front of it; "
                "exchange across and downward, or move the eye to the other side"
            )
        left, top = float((corner - eye) @ x) / distance, float((corner - eye) @ y) / distance
        window = left, left + float(wide) / distance, top, top + float(high) / distance
        return cls(eye, eye + distance * z, up=-y, near=near, window=window)

    # ---- what it sees

    @property
    def axes(self) -> np.ndarray:
        """The eye's axes in the world, as rows: to the right, down, ahead. R_EW, (3, 3)."""
        ahead = np.subtract(self.target, self.eye)
        ahead /= np.linalg.norm(ahead)
        right = np.cross(ahead, self.up)
        right /= np.linalg.norm(right)
        return np.array((right, np.cross(ahead, right), ahead))

    @property
    def view(self) -> np.ndarray:
        """World to eye, 4x4: the inverse of the displacement of the eye."""
        M, R = np.eye(4), self.axes
        M[:3, :3], M[:3, 3] = R, -R @ self.eye
        return M

    def edges(self, size: tuple[int, int]) -> tuple[float, float, float, float]:
        """Left, right, top and bottom of the picture, one metre ahead of the eye; pixels are square."""
        width, height = size
        if self.window is None:
            half = math.tan(0.5 * self.field_of_view)
            return -half * width / height, half * width / height, -half, half
        left, right, top, bottom = self.window
        pixel = max((right - left) / width, (bottom - top) / height)
        x, y = 0.5 * (left + right), 0.5 * (top + bottom)
        return x - 0.5 * pixel * width, x + 0.5 * pixel * width, y - 0.5 * pixel * height, y + 0.5 * pixel * height

    def pixel(self, point: ArrayLike, size: tuple[int, int] = (960, 720)) -> np.ndarray:
        """Column and row of a point of the world, (..., 2), in pixels from the upper left corner; NaN for what is not in front of the eye."""
        X = (np.asarray(point, dtype=float) - self.eye) @ self.axes.T
        left, right, top, bottom = self.edges(size)
        with np.errstate(divide="ignore", invalid="ignore"):
            screen = np.where(X[..., 2:] > 0.0, X[..., :2] / X[..., 2:], np.nan)
        return (screen - (left, top)) * (size[0] / (right - left), size[1] / (bottom - top))


def _shown(numbers: Any) -> Any:
    return f"({', '.join(f'{x:g}' for x in numbers)})"
