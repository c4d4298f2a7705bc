"""Bodies as pieces: their shapes, or where they have none, rods between the places at which other parts hold them.

two places       a rod between them
three and more   a plate through them, or spokes if they do not lie in a plane
one or none      a rod to the centre of mass, and there the box that has the body's inertia, or a ball
"""

import numpy as np

import linkwork as lw

from ...draw.sticks import equivalent_box
from .pieces import BODIES, STAND, Piece
from .turns import FAR, along, within_reach

# Places that deviate from their mean plane by more than this share of their spread get spokes, not a plate.
FLAT = 0.2
_EYE = np.eye(3)


def shape_pieces(shape, surfaces):
    """(mesh, R, p, scale) of every mesh that makes up a shape, in the axes of its body; none for a mesh that cannot be shown."""
    R, p = shape.at.rotation, within_reach(shape.at.translation)
    kind = type(shape)
    if kind is lw.Box:
        return [("box", R, p, (shape.x, shape.y, shape.z))]
    if kind is lw.Sphere:
        return [("sphere", R, p, (shape.radius,) * 3)]
    if kind is lw.Cylinder:
        return [("cylinder", R, p, (shape.radius, shape.radius, shape.length))]
    if kind is lw.Ellipsoid:
        return [("sphere", R, p, (shape.a, shape.b, shape.c))]
    if kind is lw.Cone:
        return [("cone", R, p, (shape.radius, shape.radius, shape.height))]
    if kind is lw.Capsule:
        length = min(shape.length, FAR)
        half = 0.5 * length * R[:, 2]
        return _rod_pieces(R, p - half, p + half, shape.radius, length, "cylinder", "sphere")
    if kind is lw.Floor:
        return []  # the stage has it
    name = surfaces.of_shape(shape)
    return [] if name is None else [(name, R, p, (1.0, 1.0, 1.0))]


def body_shapes(body, surfaces):
    """What is seen of a body: its shape and visuals, or its collision shapes if none of these can be shown."""
    first = (*([body.shape] if body.shape is not None else ()), *body.visuals)
    for shapes in (first, body.collisions):
        made = [item for shape in shapes for item in shape_pieces(shape, surfaces)]
        if made:
            return [(mesh, R, p, tuple(min(edge, FAR) for edge in scale)) for mesh, R, p, scale in made]
    return []


def body_pieces(body, number, color, shapes):
    """All pieces of a body. shapes: (mesh, R, p, scale) of each, in its axes."""
    group = STAND if number < 0 else BODIES
    return [Piece(group, mesh, number, R, p, scale, color, body.name) for mesh, R, p, scale in shapes]


def stick_pieces(places, inertia, r, size, surfaces):
    """A body without shape, as (mesh, R, p, scale). places: points at which it is held; r: radius of rods; size: of the mechanism; m."""
    places = _distinct(np.reshape(places, (-1, 3)), 1e-6 * size)
    if len(places) < 2:
        return _lump(places, inertia, r, size)
    if len(places) == 2:
        return rod(*places, r) + ([] if np.linalg.norm(places[1] - places[0]) > 4.0 * r else _lump(places[:1], inertia, r, size))
    middle = places.mean(axis=0)
    _, spread, axes = np.linalg.svd(places - middle, full_matrices=False)
    if spread[1] < 1e-3 * spread[0]:
        reach = places @ axes[0]
        return rod(places[np.argmin(reach)], places[np.argmax(reach)], r)
    if spread[2] < FLAT * spread[0]:
        return [(surfaces.plate(places, np.cross(axes[0], axes[1]), 1.4 * r), _EYE, np.zeros(3), (1.0, 1.0, 1.0))]
    spokes = [item for place in places for item in rod(middle, place, r)]
    return [*spokes, ("ball", _EYE, middle, (1.6 * r,) * 3)]


def rod(a, b, radius):
    """A bar with round ends."""
    line = b - a
    length = float(np.sqrt(line @ line))
    if not length > 1e-12:
        return [("ball", _EYE, a, (radius,) * 3)]
    return _rod_pieces(along(tuple((line / length).round(12).tolist())), a, b, radius, length)


def _rod_pieces(R, a, b, radius, length, bar="rod", end="ball"):
    round_ = (radius,) * 3
    return [(bar, R, 0.5 * (a + b), (radius, radius, length)), (end, R, a, round_), (end, R, b, round_)]


def _lump(places, inertia, r, size):
    """A body with at most one place that holds it."""
    massive = inertia.mass > 0.0
    com = within_reach(inertia.com) if massive else places[0] if len(places) else np.zeros(3)
    made = rod(places[0], com, r) if len(places) and np.linalg.norm(com - places[0]) > r else []
    found = equivalent_box(inertia)
    reach = 2.0 * float(np.linalg.norm(com - places[0])) if len(places) else size
    if found is None or not r < found[0].max() < max(1.3 * reach, 0.18 * size):
        return [*made, ("sphere", _EYE, com, (2.4 * r,) * 3)]
    edges, axes = found
    return [*made, ("box", axes, com, tuple(np.maximum(edges, 0.8 * r).tolist()))]


def _distinct(places, near):
    kept: list = []
    for place in places:
        if all(abs(place - other).max() > near for other in kept):
            kept.append(place)
    return np.array(kept).reshape(-1, 3)
