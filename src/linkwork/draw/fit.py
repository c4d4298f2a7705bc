r"""Where to put the camera: a direction that suits the mechanism, and the nearest eye that sees all of it.

In axes turned like the eye's, the eye e sees every point x within the window if x_1 - e_1 <= t (x_3 - e_3), t the tangent of half the
window's angle, and likewise on the three other sides. With a = max(x_1 - t x_3) and b = max(-x_1 - t x_3) the nearest such eye has
e_1 = (a - b) / 2 and e_3 = -(a + b) / (2 t); of both directions the one further back decides.
"""

import math

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..errors import ModelError
from ..parts.validation import vector
from .camera import FIELD_OF_VIEW, Camera
from .figure import Figure, joint_ends, model_of
from .stack import on_bodies

FROM = (1.0, -1.55, 0.85)  # the right front, above
# How far the eye leaves the normal of a planar mechanism, sideways and upwards (rad).
ASIDE, ABOVE = 0.42, 0.3
MOST_POSES = 60


def camera_around(thing, q=None, direction=None, size=(960, 720), field_of_view=FIELD_OF_VIEW, margin=0.08):
    """See Camera.around."""
    from .poses import configuration

    model = model_of(thing)
    q = configuration(model, q, many=True)
    figure = Figure(model, q[0])
    return fitted(figure, q, direction, size, field_of_view, margin)


def fitted(figure, q, direction=None, size=(960, 720), field_of_view=FIELD_OF_VIEW, margin=0.08, also=()):
    """A camera that sees a figure in all poses q, (n, nq), and lines in the world besides."""
    points = np.concatenate([extent(figure, q), *also])
    if direction is None:
        direction = suitable_direction(figure.model, q[0])
    else:
        direction = np.array(vector(direction, 3, "Camera.around", "direction"))
        if not np.isfinite(direction).all() or not np.linalg.norm(direction) > 0.0:
            raise ModelError(
                f"Camera.around: direction is {direction}; allowed are three finite numbers, not all 0; give one such as {FROM}"
            )
    if not 0.0 <= margin < 0.5:
        raise ModelError(f"Camera.around: margin is {margin:g}; allowed is a share from 0 to below 0.5; correct it")
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    first = Camera(middle + direction, middle, field_of_view=field_of_view)
    X = (points - middle) @ first.axes.T
    _, right, _, bottom = first.edges(size)
    eye = _nearest_eye(X, (1.0 - 2.0 * margin) * right, (1.0 - 2.0 * margin) * bottom)
    eye[2] = min(eye[2], X[:, 2].min() - 0.05 * figure.size)
    eye = _centred(X, eye)
    depth = -eye[2] if -eye[2] > 0.0 else figure.size
    eye = middle + eye @ first.axes
    return Camera(eye, eye + depth * first.axes[2], field_of_view=field_of_view, near=0.01 * depth)


def _nearest_eye(X, tx, ty):
    eye, back = np.zeros(3), []
    for k, t in ((0, tx), (1, ty)):
        a, b = (X[:, k] - t * X[:, 2]).max(), (-X[:, k] - t * X[:, 2]).max()
        eye[k] = 0.5 * (a - b)
        back.append(-(a + b) / (2.0 * t))
    eye[2] = min(back)
    return eye


def _centred(X, eye):
    """The eye shifted until what it sees is in the middle: the side that does not decide has room to spare."""
    for _ in range(8):
        seen = (X[:, :2] - eye[:2]) / (X[:, 2:] - eye[2])
        low, high = seen.argmin(axis=0), seen.argmax(axis=0)
        for k in range(2):
            # Moving by s shifts the picture of a point by s / depth.
            near = 1.0 / (X[low[k], 2] - eye[2]) + 1.0 / (X[high[k], 2] - eye[2])
            eye[k] += (seen[low[k], k] + seen[high[k], k]) / near
    return eye


def extent(figure, q):
    """Corners of the boxes around every piece, in all poses (a sample of them if there are many), (n, 3)."""
    q = q[np.unique(np.linspace(0, len(q) - 1, min(len(q), MOST_POSES)).astype(int))]
    points, owner = [np.zeros((0, 3))], [np.zeros(0, dtype=np.int64)]
    for piece in figure.pieces:
        if piece.backdrop:
            continue
        low, high = piece.solid.corners.min(axis=0), piece.solid.corners.max(axis=0)
        points.append(np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]))
        owner.append(np.full(8, piece.body))
    points, owner = np.concatenate(points), np.concatenate(owner)
    if not len(points):
        return figure.size * np.array([(-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)])
    found = forward_kinematics(figure.model, q)
    return np.concatenate([on_bodies(points, owner, R, p) for R, p in zip(found.rotations, found.positions, strict=True)])


def suitable_direction(model, q):
    """From the mechanism towards the eye. A planar mechanism is seen from a little beside the normal of its plane."""
    normal = _common_axis(model, q)
    if normal is None:
        return np.array(FROM)
    if abs(normal[2]) > 0.9:
        return np.array((0.35, -0.75, 1.2))
    normal = normal if normal @ (0.6, -0.8, 0.0) > 0.0 else -normal
    up = np.array((0.0, 0.0, 1.0))
    side = np.cross(up, normal)
    side /= np.linalg.norm(side)
    return normal + math.tan(ASIDE) * side * (1.0 if side @ (1.0, -0.2, 0.0) > 0.0 else -1.0) + math.tan(ABOVE) * up


def _common_axis(model, q):
    """The direction of all hinges, where there are at least two and nothing moves along it; else None."""
    found = forward_kinematics(model, q)
    turning, sliding = [], []
    for joint in model.joints:
        if joint.kind.nv and joint.kind.elements is None:
            return None
        name, pose = joint_ends(joint)[0]
        R = found.rotation(name) @ pose.rotation
        for element in joint.kind.elements or ():
            (turning if element.turn else sliding).append(R @ element.axis)
    if len(turning) < 2:
        return None
    axis = turning[0]
    flat = all(np.linalg.norm(np.cross(axis, other)) < 1e-3 for other in turning) and all(abs(axis @ other) < 1e-3 for other in sliding)
    return axis if flat else None
