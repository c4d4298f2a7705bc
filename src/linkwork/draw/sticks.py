"""Bodies without a shape, drawn by what is known of them: where their joints are, and how their mass is spread.

    two places       a rod between them
    three and more   a plate through them, or spokes if they do not lie in a plane
    one or none      a rod to the centre of mass, and there the box that has the body's inertia, or a ball

The box with edges a, b, c has I_x = m (b^2 + c^2) / 12, ..., hence a^2 = 6 (I_y + I_z - I_x) / m for the principal moments.
"""

import numpy as np

from .solids import Solid, along, ball, box, rod

# Places that deviate from their mean plane by more than this share of their spread get spokes, not a plate.
FLAT = 0.2


def stick_figure(places, inertia, radius, size, flat=False):
    """Solids in the body's axes. places (n, 3): its joints; inertia: an Inertia; radius: of a rod; size: of the whole mechanism; all in m.

    flat: the ends of rods are hidden in signs of joints and need not be round.
    """
    places = _distinct(places, 1e-6 * size)
    if len(places) < 2:
        return _lump(places, inertia, radius, size)
    middle = places.mean(axis=0)
    spread, axes = np.linalg.svd(places - middle, full_matrices=False)[1:] if len(places) > 2 else (np.zeros(1), np.eye(3))
    if len(places) == 2 or spread[1] < 1e-3 * spread[0]:
        ends = places[[0, 1]] if len(places) == 2 else places[[np.argmin(places @ axes[0]), np.argmax(places @ axes[0])]]
        made = [rod(*ends, radius, flat=flat)]
        return made if np.ptp(places, axis=0).max() > 4.0 * radius else made + _lump(ends[:1], inertia, radius, size)
    if len(spread) < 3 or spread[2] < FLAT * spread[0]:
        return [hull(np.concatenate([places + axis for axis in (-0.7 * radius * _normal(axes), 0.7 * radius * _normal(axes))]))]
    return [rod(middle, place, radius, flat=flat) for place in places] + [ball(1.6 * radius, 12).placed(np.eye(3), middle)]


def equivalent_box(inertia):
    """(edges, axes as columns) of the box of even density with this inertia; None where no box has it."""
    if not inertia.mass > 0.0:
        return None
    moments, axes = np.linalg.eigh(inertia.tensor)
    squares = 6.0 * (moments.sum() - 2.0 * moments) / inertia.mass
    if not np.isfinite(squares).all() or squares.max() <= 0.0 or squares.min() < -1e-6 * squares.max():
        return None
    return np.sqrt(np.maximum(squares, 0.0)), axes * np.sign(np.linalg.det(axes))


def _lump(places, inertia, radius, size):
    """What a body with at most one joint looks like."""
    com = np.asarray(inertia.com) if inertia.mass > 0.0 else places[0] if len(places) else np.zeros(3)
    made = [rod(places[0], com, radius)] if len(places) and np.linalg.norm(com - places[0]) > radius else []
    found = equivalent_box(inertia)
    reach = 2.0 * float(np.linalg.norm(com - places[0])) if len(places) else size
    if found is None or not radius < found[0].max() < max(1.3 * reach, 0.18 * size):
        return [*made, ball(2.4 * radius, 16).placed(np.eye(3), com)]
    edges, axes = found
    return [*made, box(*np.maximum(edges, 0.8 * radius)).placed(axes, com)]


def hull(points):
    """The convex solid around points that do not lie in a plane; triangles of one plane are joined to one face."""
    from scipy.spatial import ConvexHull, QhullError  # here, so that `import linkwork` need not wait for it

    points = np.asarray(points, dtype=float)
    try:
        found = ConvexHull(points)
    except QhullError:
        return rod(points[0], points[-1], 1e-3 * float(np.ptp(points)))
    _, group = np.unique(np.round(found.equations, 7), axis=0, return_inverse=True)
    faces = []
    for k in range(int(group.max()) + 1):
        members = np.flatnonzero(group.reshape(-1) == k)
        corners = np.unique(found.simplices[members])
        flat = (points[corners] - points[corners].mean(axis=0)) @ along(found.equations[members[0], :3])[:, :2]
        faces.append(tuple(int(c) for c in corners[np.argsort(np.arctan2(flat[:, 1], flat[:, 0]), kind="stable")]))
    return Solid(points, tuple(faces))


def _normal(axes):
    return np.cross(axes[0], axes[1])


def _distinct(places, near):
    kept = []
    for place in np.asarray(places, dtype=float).reshape(-1, 3):
        if all(np.linalg.norm(place - other) > near for other in kept):
            kept.append(place)
    return np.array(kept).reshape(-1, 3)
