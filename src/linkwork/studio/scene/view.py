"""The first view of a mechanism: a direction that suits it, and an eye that sees all of it."""

import math

import numpy as np

from .turns import turned

FROM = np.array((1.0, -1.55, 0.85))  # the right front, above
# How far the eye leaves the normal of a planar mechanism, sideways and upwards (rad).
ASIDE, ABOVE = 0.42, 0.3


def suitable_direction(turning, sliding):
    """From the mechanism towards the eye. turning, sliding: axes of all joints in the world; a planar mechanism is seen across its plane."""
    normal = _common_axis(turning, sliding)
    if normal is None:
        return FROM
    if abs(normal[2]) > 0.9:
        return np.array((0.35, -0.75, 1.2))
    normal = normal if normal @ (0.6, -0.8, 0.0) > 0.0 else -normal
    side = np.cross((0.0, 0.0, 1.0), normal)
    side /= np.linalg.norm(side)
    return normal + math.tan(ASIDE) * side * (1.0 if side @ (1.0, -0.2, 0.0) > 0.0 else -1.0) + math.tan(ABOVE) * np.array((0.0, 0.0, 1.0))


def _common_axis(turning, sliding):
    """The direction of all hinges, where nothing moves along it; else None."""
    if not len(turning):
        return None
    axis = np.asarray(turning[0])
    same = all(np.linalg.norm(np.cross(axis, other)) < 1e-3 for other in turning)
    return axis if same and all(abs(axis @ other) < 1e-3 for other in sliding) else None


def eye_for(points, direction, field_of_view, aspect, margin=0.12, covered=(0.0, 0.0)):
    """(eye, target): the eye looks against a direction, and all points (n, 3) are within the picture less its margin on each side.

    covered: the shares of the picture's width, left and right, that something else hides.
    In axes turned like the eye's, at a distance D from the middle, x is seen if |x_1| <= t (D + x_3), t the tangent of half the angle; the
    middle is that of the points in these axes.
    """
    ahead = -np.asarray(direction, dtype=float) / np.linalg.norm(direction)
    up = (0.0, 0.0, 1.0) if math.hypot(ahead[0], ahead[1]) > 1e-3 else (0.0, 1.0, 0.0)
    right = np.cross(ahead, up)
    right /= np.linalg.norm(right)
    axes = np.array((right, np.cross(ahead, right), ahead))
    X = points @ axes.T
    middle = 0.5 * (X.min(axis=0) + X.max(axis=0))
    X = X - middle
    left, hidden = covered
    half = math.tan(0.5 * field_of_view)
    t = (1.0 - 2.0 * margin) * half
    wide = t * aspect * (1.0 - left - hidden)
    distance = max((np.abs(X[:, 0]) / wide - X[:, 2]).max(), (np.abs(X[:, 1]) / t - X[:, 2]).max(), 1e-3)
    target = middle @ axes + (hidden - left) * half * aspect * distance * right
    return target - distance * ahead, target


def ray_through(camera, x, y, aspect):
    """(origin, direction) of the ray from a viser camera through a point of the picture, in the world: x, y from 0 to 1, from the left and from above.

    The camera's axes are x to the right, y downwards, z ahead; its field of view is that from top to bottom. aspect: width over height.
    """
    t = math.tan(0.5 * camera.fov) if 0.0 < camera.fov < math.pi else math.nan  # a page may say anything: such a ray meets nothing
    seen = np.array(((2.0 * x - 1.0) * t * aspect, (2.0 * y - 1.0) * t, 1.0))
    return np.array(camera.position, dtype=float), turned(np.array(camera.wxyz, dtype=float)[None], seen[None])[0]


def grid_step(size):
    """A round number (1, 2 or 5 times a power of ten) of metres, about a tenth of the size."""
    raw = size / 10.0
    power = 10.0 ** math.floor(math.log10(raw))
    return next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= 0.999 * raw)
