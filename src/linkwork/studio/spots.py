"""From a click to a place: the body that was clicked, and the useful point of it that was meant.

A useful point is an end or the middle of a shape, a place that something is fastened to already, a frame, the centre of mass; on the ground a
place in use, or a crossing of the grid. The one nearest to the line of sight is meant, if it is near enough.
"""

from typing import Any, NamedTuple

import numpy as np

import linkwork as lw

REACH = 0.12  # of a body's size: how near a click must come to a useful point
LONG = 0.3  # of the longest edge: an edge that is shorter has no ends of its own
DIGITS = 4  # of a point that is none of these: tenths of a millimetre


class Spot(NamedTuple):
    """A place that was picked. body: or "ground"; point: in its coordinates, m; what: in words."""

    body: str
    point: Any
    what: str


def spot_of(live, click, eye=None, snap=True) -> Spot:
    """The place that a click means. eye: where it was seen from. Raises StudioError where there is none."""
    if click.body is None and (click.part is not None or click.world is None):
        what = f"{click.part!r} lies between two bodies" if click.part is not None else "there is nothing"
        raise lw.StudioError(f"click: {what}; allowed are bodies and the ground; click one of these")
    body = click.body or "ground"
    point = np.array(click.point if click.body is not None else click.world, dtype=float)
    pose = _pose_of(live, body)
    if click.role == "joint":
        joint = live.mechanism.joint(click.part)
        at = joint.parent_pose if joint.parent_body == body else joint.child_pose if joint.child_body == body else None
        if at is not None and snap:
            return Spot(body, tuple(at.translation.tolist()), f"joint {click.part!r}")
    if snap:
        found = _nearest(live.mechanism, body, point, None if eye is None else pose.inverse().act(np.asarray(eye, dtype=float)))
        if found is not None:
            return found
        if body == "ground":
            step = grid_step(live)
            return Spot(body, tuple((step * np.round(point / step)).round(9).tolist()), "the grid")
    return Spot(body, tuple(point.round(DIGITS).tolist()), "a point")


def _pose_of(live, body):
    return lw.Pose() if body == "ground" else live.poses()[body]


def world_of(live, spot):
    """Where a spot is now, in the world."""
    return _pose_of(live, spot.body).act(np.asarray(spot.point, dtype=float))


def grid_step(live):
    """About a twentieth of the mechanism, as a number that rulers have; 5 cm for an empty one."""
    P = live.pose_arrays()[0]
    size = float(np.ptp(P, axis=0).max()) if len(P) > 1 else 0.0
    size = max([size, *(_size(body.shape) for body in live.mechanism.bodies)], default=1.0) or 1.0
    exponent = 10.0 ** np.floor(np.log10(size / 20.0))
    return float(exponent * max(step for step in (1.0, 2.0, 5.0) if step * exponent <= size / 20.0 * (1.0 + 1e-9)))


def useful_points(mechanism, body):
    """[(point, in words)] of a body in its coordinates."""
    found = list(_fastened(mechanism, body))
    if body == "ground":
        return found
    part = mechanism.body(body)
    if part.shape is not None:
        found += [(part.shape.at.act(np.array(p)), what) for p, what in _shape_points(part.shape)]
    found.append((np.zeros(3), "its origin"))
    if not part.is_massless:
        found.append((np.array(part.mass_properties().com), "its centre of mass"))
    return found


def _fastened(mechanism, body):
    """Places on a body that something stands on."""
    frames = {frame.name: frame for frame in mechanism.frames}
    for part in (*mechanism.joints, *mechanism.constraints, *mechanism.forces):
        for side in ("parent", "child", "a", "b"):
            place = getattr(part, side, None)
            if place is None:
                continue
            frame = frames.get(place.name)
            if (frame.body if frame is not None else place.name) == body:
                pose = frame.pose @ place.pose if frame is not None else place.pose
                yield np.array(pose.translation), f"{part.role} {part.name!r}"
    for frame in mechanism.frames:
        if frame.body == body:
            yield np.array(frame.pose.translation), f"frame {frame.name!r}"


def _shape_points(shape):
    """Ends and middles in the shape's own frame."""
    extent = _extent(shape)
    yield (0.0, 0.0, 0.0), "the middle"
    if not any(extent) or isinstance(shape, lw.Sphere):  # every point of a ball is an end: the middle is meant, or the point itself
        return
    longest = max(extent)
    ends = [k for k in range(3) if extent[k] >= LONG * longest]
    for k in ends:
        for sign in (-1.0, 1.0):
            yield tuple(0.5 * sign * extent[k] if j == k else 0.0 for j in range(3)), "an end"
    if isinstance(shape, lw.Box) and len(ends) > 1:
        corners = [(-1.0, 1.0) if k in ends else (0.0,) for k in range(3)]
        for x in corners[0]:
            for y in corners[1]:
                for z in corners[2]:
                    yield (0.5 * x * extent[0], 0.5 * y * extent[1], 0.5 * z * extent[2]), "a corner"


def _extent(shape):
    if isinstance(shape, lw.Box):
        return shape.x, shape.y, shape.z
    if isinstance(shape, lw.Sphere):
        return (2.0 * shape.radius,) * 3
    if isinstance(shape, lw.Ellipsoid):
        return 2.0 * shape.a, 2.0 * shape.b, 2.0 * shape.c
    if isinstance(shape, (lw.Cylinder, lw.Capsule)):
        round_end = 2.0 * shape.radius if isinstance(shape, lw.Capsule) else 0.0
        return 2.0 * shape.radius, 2.0 * shape.radius, shape.length + round_end
    if isinstance(shape, lw.Cone):
        return 2.0 * shape.radius, 2.0 * shape.radius, shape.height
    return 0.0, 0.0, 0.0


def _size(shape):
    return max(_extent(shape)) if shape is not None else 0.0


def long_axis(body):
    """The direction of a body's longest edge, in its coordinates; None if it has none."""
    extent = np.array(_extent(body.shape)) if body.shape is not None else np.zeros(3)
    order = np.argsort(extent)
    if extent[order[2]] <= 1.5 * extent[order[1]] or not extent.any():
        return None
    return body.shape.at.rotation @ np.eye(3)[order[2]]


def _nearest(mechanism, body, point, eye):
    """The useful point that is meant, or None. Coordinates of the body."""
    candidates = useful_points(mechanism, body)
    if not candidates:
        return None
    size = _size(mechanism.body(body).shape) if body != "ground" else 0.0
    if not size:
        size = 0.5 * max([_size(other.shape) for other in mechanism.bodies], default=0.0) or 0.5
    P = np.array([p for p, _ in candidates])
    near = np.linalg.norm(P - point, axis=1)
    away = near if eye is None else _from_line(P, eye, point)
    score = away + 0.1 * near
    k = int(np.argmin(score))
    if away[k] > REACH * size or (body == "ground" and near[k] > 2.0 * REACH * size):
        return None
    return Spot(body, tuple(P[k].tolist()), candidates[k][1])


def _from_line(P, eye, point):
    """Distances of points from the line through eye and point."""
    along = point - eye
    length = np.linalg.norm(along)
    if length < 1e-9:
        return np.linalg.norm(P - point, axis=1)
    along = along / length
    off = P - eye
    return np.linalg.norm(off - np.outer(off @ along, along), axis=1)
