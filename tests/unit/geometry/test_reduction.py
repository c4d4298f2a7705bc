"""Hulls on a floor: all vertices if they are few, those that carry if they are many."""

import math

import numpy as np
import pytest

from linkwork.geometry.pair import manifold_of

from ...geometry_cases import random_rotation


def hull(points):
    return "hull", np.ascontiguousarray(points, dtype=float)


def prism(corners, bevel):
    """A flat regular prism with 2 corners vertices in its lower face, and as many a little higher and wider."""
    angles = np.linspace(0, 2 * math.pi, corners, endpoint=False)
    ring = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(corners)])
    return hull(np.vstack([ring, 1.2 * ring + [0, 0, bevel], 1.2 * ring + [0, 0, 1.0]]))


def test_few_vertices_are_all_reported():
    cube = hull([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)])
    found = manifold_of(("floor",), None, cube, (0.5, 0.0, 1.0), reach=1e-6)
    assert [point.feature for point in found.points] == [0, 1, 2, 3] and found.gap == 0.0


@pytest.mark.parametrize("corners", [9, 30, 101])
def test_a_face_of_many_vertices_keeps_the_deepest_and_most_of_its_area(corners):
    """The quadrilateral within a disc has at least the area of the triangle of its farthest points: half of the largest square would be too little."""
    shape = prism(corners, 1e-3)
    found = manifold_of(("floor",), None, shape, (0, 0, 0.0), reach=0.01)
    level = [point for point in found.points if point.feature < corners]
    assert len(found.points) <= 8 and len(level) == 4
    x, y = np.array([point.p[:2] for point in sorted(level, key=lambda point: math.atan2(point.p[1], point.p[0]))]).T
    area = 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))
    assert area > 0.85 * 2.0  # a square in the unit circle has 2
    assert any(point.feature >= corners for point in found.points), "vertices within reach above the face are reported too"


def test_the_deepest_vertex_is_always_there():
    rng = np.random.default_rng(7)
    points = rng.normal(size=(300, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    for _ in range(50):
        R = random_rotation(rng)
        found = manifold_of(("floor",), None, hull(points), (R, [0, 0, 0.9]), reach=0.2)
        assert found.gap == pytest.approx((points @ R.T)[:, 2].min() + 0.9, abs=1e-15)
        assert len({point.feature for point in found.points}) == len(found.points) <= 8


def test_nothing_within_reach():
    assert manifold_of(("floor",), None, prism(12, 0.1), (0, 0, 1.0), reach=0.5).points == ()
