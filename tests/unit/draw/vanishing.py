r"""The painter's perspective, an independent opinion on cameras: pictures built on the canvas itself, from vanishing points, horizons, and lines that meet.

A canvas point is (u, v, 1) in pixels, or (u, v, 0) for a point at infinity of the canvas; a canvas line l holds the points with l . p = 0:

    line through p and q:  p x q          meeting point of l and m:  l x m          l.p = 0 for all p of the horizon of a plane.

In eye axes the image of (x, y, z, s) is (x, y, z) itself, s carrying depth only. So the image of a direction d, its vanishing point, is
d in eye axes; and the horizon of a plane with normal n is the line n . (PX, PY, 1) = 0 (Reuss 2002, section 3.3, names these; the
constructions are those of every book on drawing since Alberti).

A line of the world, marked off in steps, is known on the canvas by three points: 0, 1 and its vanishing point V. With weights such that
the image of 1 is O + V, the image of x is O + x V: that is the one division that distance points and diagonals do by ruler.
"""

import numpy as np

from linkwork.draw.perspective import homogeneous


def canvas_matrix(camera, size):
    """K, 3x3: eye axes to canvas points in pixels, homogeneous."""
    left, right, top, bottom = camera.edges(size)
    wide, high = size[0] / (right - left), size[1] / (bottom - top)
    return np.array([(wide, 0.0, -left * wide), (0.0, high, -top * high), (0.0, 0.0, 1.0)])


def vanishing_point(camera, direction, size):
    """Where all lines along a direction of the world meet on the canvas, (3,) homogeneous.

    Finite: (col, row, 1). Across the line of sight they stay parallel: (du, dv, 0), their direction on the canvas, of length 1.
    """
    d = camera.axes @ np.asarray(direction, dtype=float)
    d = d / np.linalg.norm(d)
    return finite(canvas_matrix(camera, size) @ d)


def horizon(camera, normal, size):
    """The line on the canvas where planes with this normal end, (3,): l . (col, row, 1) = 0, with the normal's side positive.

    Seen straight ahead, along its normal, a plane has no horizon on the canvas: the line is then (0, 0, 1), the one at infinity.
    """
    line = np.linalg.inv(canvas_matrix(camera, size)).T @ (camera.axes @ np.asarray(normal, dtype=float))
    length = np.hypot(line[0], line[1])
    return line / length if length > 1e-12 * abs(line[2]) else np.array((0.0, 0.0, 1.0))


def join(p, q):
    """The canvas line through two canvas points."""
    return np.cross(p, q)


def meet(l, m):
    """The canvas point on two canvas lines; at infinity if they are parallel."""
    return finite(np.cross(l, m))


def finite(point):
    """A canvas point with its last number 1; one at infinity with 0, and its direction of length 1."""
    point = np.asarray(point, dtype=float)
    plane = np.hypot(point[0], point[1])
    if abs(point[2]) > 1e-12 * plane:
        return point / point[2]
    return np.array((point[0] / plane, point[1] / plane, 0.0))


class Scale:
    """A line of the world on the canvas, marked off in steps: from the images of 0 and 1 and the vanishing point alone.

    Three points of one line: 1 ~ a 0 + b V. With the weights a and b in them, the image of any mark x is 0 + x V.
    """

    def __init__(self, zero, one, vanishing):
        (a, b), *_ = np.linalg.lstsq(np.column_stack([zero, vanishing]), one, rcond=None)
        self.zero, self.step = a * np.asarray(zero), b * np.asarray(vanishing)

    def mark(self, x):
        """The image of the mark x, homogeneous."""
        return finite(self.zero + x * self.step)


class Canvas:
    """A world frame as a painter knows it: seven points of the canvas, namely those of the origin, of one metre along x, y and z, and of
    the three vanishing points. Any other point is constructed: marks on the axes, lines from these to vanishing points, where they meet.
    """

    def __init__(self, origin, units, vanishing):
        self.origin, self.vanishing = origin, tuple(vanishing)
        self.scales = tuple(Scale(origin, unit, V) for unit, V in zip(units, vanishing, strict=True))

    @classmethod
    def seen_by(cls, camera, size):
        """The seven points of the world frame, for a camera with the origin and the three unit points before it."""
        K, view = canvas_matrix(camera, size), camera.view
        images = [finite(K @ (view @ homogeneous(point))[:3]) for point in (np.zeros(3), *np.eye(3))]
        return cls(images[0], images[1:], [vanishing_point(camera, axis, size) for axis in np.eye(3)])

    def floor_point(self, x, y):
        """The image of (x, y, 0): from the mark on each axis a line to the other's vanishing point; they meet there."""
        X, Y = self.scales[0].mark(x), self.scales[1].mark(y)
        if x == 0.0 or y == 0.0:
            return Y if x == 0.0 else X
        return meet(join(X, self.vanishing[1]), join(Y, self.vanishing[0]))

    def point(self, x, y, z):
        """The image of (x, y, z), homogeneous: the upright from the floor point, cut by the line that carries the height over from the z axis."""
        foot = self.floor_point(x, y)
        if z == 0.0:
            return foot
        if x == 0.0 and y == 0.0:
            return self.scales[2].mark(z)
        # The horizontal line from the origin to the foot ends at a vanishing point on the floor's horizon; so does its copy at height z.
        end = meet(join(self.origin, foot), join(self.vanishing[0], self.vanishing[1]))
        return meet(join(foot, self.vanishing[2]), join(self.scales[2].mark(z), end))
