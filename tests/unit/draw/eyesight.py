"""What is seen at a point of the screen, by asking every polygon: the slow truth that depth order is compared with."""

from dataclasses import replace

import numpy as np

from linkwork.draw.polygons import Polygons, outward_planes, segment_planes


def polygons_of(corner_lists, solids=None):
    """Polygons in eye axes from lists of corners; two corners make a segment. Each is its own item."""
    made = Polygons.ragged([np.asarray(c, dtype=float) for c in corner_lists], [[True] * len(c) for c in corner_lists])
    flat = made.count == 2
    normal, offset = outward_planes(made.X)
    turn = np.where(offset > 0.0, -1.0, 1.0)
    if flat.any():
        lines = segment_planes(made.X[flat, :2])
        normal[flat], offset[flat], turn[flat] = *lines, 1.0
    solid = np.full(len(made), -1) if solids is None else np.asarray(solids)
    return replace(made, normal=normal * turn[:, None], offset=offset * turn, item=np.arange(len(made)), solid=solid)


def depths(polygons, points):
    """PT of every polygon at screen points (m, 2), (n, m): -inf where it is not; NaN where a border is too near to tell."""
    found = np.full((len(polygons), len(points)), -np.inf)
    for k in range(len(polygons)):
        if polygons.count[k] == 2:
            continue
        corners = polygons.corners(k)[:, :2] / polygons.corners(k)[:, 2:]
        edge = np.roll(corners, -1, axis=0) - corners
        length = np.linalg.norm(edge, axis=1)
        corners, edge, length = corners[length > 0], edge[length > 0], length[length > 0]
        to = points[:, None] - corners
        side = (edge[:, 0] * to[..., 1] - edge[:, 1] * to[..., 0]) / length
        side = side if _area(corners) > 0.0 else -side
        inside, near = (side > 1e-4).all(axis=1), (side > -1e-4).all(axis=1)
        found[k, inside] = polygons.inverse_depth(k, points[inside])
        found[k, near & ~inside] = np.nan
    return found


def _area(corners):
    x, y = corners.T
    return x @ np.roll(y, -1) - y @ np.roll(x, -1)


def wrong_share(original, painted, order, points):
    """The share of points at which the last painted polygon is not the nearest of the original ones; points near a border do not count."""
    truth, now = depths(original, points), depths(painted, points)[order]
    clear = ~np.isnan(truth).any(axis=0) & ~np.isnan(now).any(axis=0)
    truth, now = truth[:, clear], now[:, clear]
    nearest = truth.max(axis=0)
    some = np.isfinite(nearest)
    assert some.sum() > 0.05 * len(points), "the test looks where nothing is"
    last = np.array(
        [column[np.flatnonzero(np.isfinite(column))[-1]] if np.isfinite(column).any() else -np.inf for column in now[:, some].T]
    )
    return float(np.mean(np.abs(last - nearest[some]) > 1e-4 * nearest[some]))
