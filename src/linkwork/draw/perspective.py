r"""The architect's perspective: homogeneous coordinates, a frustum, clipping before dividing.

Points are (x, y, z, s) with s = 1, directions (points at infinity) have s = 0; all go through one chain

    clip = T_1 T_2 X,     T_2 = world to eye (Camera.view),    T_1 = the frustum,    inside: -w <= x, y, z <= w,    picture: x / w, y / w.

With window edges l, r, t, b one metre ahead of the eye, near plane n and far plane f (eye axes: x right, y down, z ahead)

    T_1 = | 2/(r-l)    0      -(r+l)/(r-l)      0       |        f infinite: third row (0, 0, 1, -2n);
          |   0      2/(b-t)  -(b+t)/(b-t)      0       |        a direction then lies exactly on z = w, and is kept.
          |   0        0       (f+n)/(f-n)  -2fn/(f-n)  |
          |   0        0           1            0       |

PT = s / z (Reuss 2002, eq. 16) is affine over the image of a plane n . X = d, since n . (PX, PY, 1) = d PT: depth for free.
Sources: J. D. Reuss, Some practical uses of the Lie group SE(3) in computers visualization, 2002, section 3; I. Sutherland and
G. Hodgman, Reentrant polygon clipping, CACM 17 (1974).
"""

import math

import numpy as np

# left, right, top, bottom, near, far: the half spaces p . X >= 0 in clip coordinates
PLANES = np.array([(1, 0, 0, 1), (-1, 0, 0, 1), (0, 1, 0, 1), (0, -1, 0, 1), (0, 0, 1, 1), (0, 0, -1, 1)], dtype=float)


def frustum(edges, near, far=math.inf):
    """T_1, 4x4: eye axes to clip coordinates. edges: left, right, top, bottom of the window one metre ahead."""
    left, right, top, bottom = edges
    depth = (1.0, -2.0 * near) if math.isinf(far) else ((far + near) / (far - near), -2.0 * far * near / (far - near))
    return np.array(
        [
            (2.0 / (right - left), 0.0, -(right + left) / (right - left), 0.0),
            (0.0, 2.0 / (bottom - top), -(bottom + top) / (bottom - top), 0.0),
            (0.0, 0.0, *depth),
            (0.0, 0.0, 1.0, 0.0),
        ]
    )


def homogeneous(points, s=1.0):
    """Points (s = 1) or directions (s = 0), (..., 3), as (..., 4)."""
    points = np.asarray(points, dtype=float)
    return np.concatenate([points, np.full((*points.shape[:-1], 1), float(s))], axis=-1)


def clip_segment(P, Q, planes=PLANES):
    """The ends of what is inside of the segment from P to Q in clip coordinates, or None.

    With Q a direction the segment is the ray from P towards it.
    """
    t0, t1 = 0.0, 1.0
    for a, b in zip((planes @ P).tolist(), (planes @ Q).tolist(), strict=True):
        if a < 0.0 and b < 0.0:
            return None
        if a < 0.0:
            t0 = max(t0, a / (a - b))
        elif b < 0.0:
            t1 = min(t1, a / (a - b))
    if t0 > t1:
        return None
    return P + t0 * (Q - P), P + t1 * (Q - P)


def clip_polygon(corners, planes=PLANES, marks=None):
    """What is inside of a convex polygon: its corners in turn; none if nothing is. Corners have as many numbers as planes.

    marks: a value for each edge (from its corner to the next); then (corners, marks), edges along a plane being marked False.
    """
    corners = [np.asarray(corner, dtype=float) for corner in corners]
    kept = [False] * len(corners) if marks is None else list(marks)
    for plane in planes:
        sides = [float(plane @ corner) for corner in corners]
        if all(side >= 0.0 for side in sides):
            continue
        new, new_marks = [], []
        for k, (here, a) in enumerate(zip(corners, sides, strict=True)):
            after, b = corners[(k + 1) % len(corners)], sides[(k + 1) % len(corners)]
            if a >= 0.0:
                new.append(here)
                new_marks.append(kept[k])
            if (a >= 0.0) != (b >= 0.0):
                new.append(here + a / (a - b) * (after - here))
                new_marks.append(False if a >= 0.0 else kept[k])
        corners, kept = new, new_marks
        if len(corners) < 3:
            corners, kept = [], []
            break
    return corners if marks is None else (corners, kept)
