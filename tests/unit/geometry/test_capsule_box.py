"""Capsules on boxes: lying on a face, across an edge, standing, over the side, and with the axis inside."""

import math

import numpy as np
import pytest

from linkwork.geometry.capsule_box import nearest_parameter
from linkwork.geometry.pair import manifold_of
from linkwork.spatial.plain import plain

from ...geometry_cases import rotation

BOX = ("box", 1.0, 2.0, 0.5)
LYING = rotation((0, 1, 0), math.pi / 2)  # z of the capsule along x of the world


def test_a_capsule_that_lies_on_a_face_touches_at_both_ends_with_the_normal_of_the_face():
    found = manifold_of(("capsule", 0.25, 0.75), (LYING, [0.0, 0.3, 0.75]), BOX, None, reach=1e-9)
    assert sorted(point.p.round(15).tolist() for point in found.points) == [[-0.75, 0.3, 0.5], [0.75, 0.3, 0.5]]
    assert all((point.n == [0, 0, -1]).all() and abs(point.gap) < 1e-15 for point in found.points)


def test_a_capsule_over_the_side_touches_up_to_the_side():
    found = manifold_of(("capsule", 0.25, 0.75), (LYING, [0.8, 0.3, 0.75]), BOX, None, reach=1e-9)
    assert sorted(round(point.p[0], 12) for point in found.points) == [0.05, 1.0]
    assert all(point.n == pytest.approx([0, 0, -1], abs=1e-12) for point in found.points)


def test_a_capsule_along_an_edge_touches_at_both_ends_of_what_they_share():
    along = rotation((1, 0, 0), math.pi / 2)
    found = manifold_of(("capsule", 0.25, 1.0), (along, [1.15, 1.5, 0.7]), BOX, None, reach=0.01)
    assert sorted(round(point.p[1], 12) for point in found.points) == [0.5, 2.0]
    for point in found.points:
        assert point.gap == pytest.approx(0.0, abs=1e-15) and point.n == pytest.approx([-0.6, 0, -0.8], abs=1e-14)


def test_a_capsule_across_an_edge_touches_there():
    tilted = rotation((0, 1, 0), math.pi / 4)
    (point,) = manifold_of(
        ("capsule", 0.1, 3.0), (tilted @ LYING, [1.1 / 2**0.5 + 1, 0.2, 1.1 / 2**0.5 + 0.5]), BOX, None, reach=2.0
    ).points[:1]
    assert point.gap == pytest.approx(1.0, abs=1e-14) and point.p == pytest.approx([1, 0.2, 0.5], abs=1e-14)


def test_a_capsule_standing_in_a_face_is_pushed_out_along_the_normal():
    found = manifold_of(("capsule", 0.25, 2.0), (np.eye(3), [0.1, 0.2, 2.3]), BOX, None)
    assert found.gap == pytest.approx(-0.45, abs=1e-15)
    assert found.points[0].n.tolist() == [0, 0, -1]


def test_a_capsule_through_the_middle_leaves_by_the_shortest_way():
    found = manifold_of(("capsule", 0.25, 9.0), (LYING, [0.0, 0.1, 0.2]), BOX, None)
    assert found.gap == pytest.approx(-0.55, abs=1e-15) and all(abs(point.n[2]) == 1.0 for point in found.points)


def test_the_nearest_point_of_a_segment_is_found_in_few_steps_from_anywhere():
    """Against a fine search: the distance is convex along the segment."""
    rng = np.random.default_rng(3)
    nearest = plain(nearest_parameter)
    for _ in range(300):
        h, half = rng.uniform(0.01, 1.0, size=3), rng.uniform(0.01, 3.0)
        d = rng.normal(size=3) * rng.choice([1.0, 1e-6], size=3)
        d /= np.linalg.norm(d)
        c = rng.normal(size=3)

        t = nearest(tuple(c), tuple(d), half, tuple(h))
        assert -half <= t <= half
        assert square(c + t * d, h) <= min(square(c + s * d, h) for s in np.linspace(-half, half, 400)) + 1e-15


def square(x, h):
    """The square of the distance of a point from a box."""
    return (np.maximum(np.abs(x) - h, 0.0) ** 2).sum()
