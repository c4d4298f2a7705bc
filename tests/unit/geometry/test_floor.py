"""What stands, lies and leans on a floor: how many points, where, and that they stay."""

import math

import numpy as np
import pytest

from linkwork.geometry.pair import manifold_of

from ...geometry_cases import random_rotation, rotation

FLOOR = ("floor",)


def lean(angle):
    return rotation((0, 1, 0), angle)


def points_of(found):
    return sorted(point.p.round(12).tolist() for point in found.points)


def test_a_box_that_stands_has_four_points_with_exact_gaps():
    found = manifold_of(FLOOR, None, ("box", 0.5, 0.25, 0.125), (1.0, 2.0, 0.125), reach=1.0)
    assert points_of(found) == [[x, y, 0.0] for x in (0.5, 1.5) for y in (1.75, 2.25)]
    assert all(point.gap == 0.0 and point.n.tolist() == [0, 0, 1] for point in found.points)
    assert sorted(point.feature for point in found.points) == [0, 1, 2, 3]


def test_a_box_on_an_edge_has_the_two_ends_of_it():
    found = manifold_of(FLOOR, None, ("box", 0.5, 0.5, 0.5), (lean(math.pi / 4), [0, 0, math.sqrt(0.5)]), reach=0.1)
    assert points_of(found) == [[0.0, -0.5, 0.0], [0.0, 0.5, 0.0]]


def test_a_floor_may_lean():
    R = random_rotation(np.random.default_rng(0))
    p = np.array([1.0, 2.0, 3.0])
    (point,) = manifold_of(FLOOR, (R, p), ("sphere", 0.5), p + R @ [3.0, 4.0, 0.25]).points
    assert point.gap == pytest.approx(-0.25, abs=1e-14) and point.p == pytest.approx(p + R @ [3, 4, 0], abs=1e-14)
    assert (point.n == R[:, 2]).all()


@pytest.mark.parametrize("tilt", [0.0, 1e-15, 1e-10])
def test_a_cylinder_that_stands_has_eight_points_fixed_in_it(tilt):
    rng = np.random.default_rng(6)
    for _ in range(20):
        R = rotation(rng.normal(size=3), tilt)
        found = manifold_of(FLOOR, None, ("cylinder", 0.5, 1.0), (R, [0, 0, 1.0]), reach=1e-6)
        assert [point.feature for point in found.points] == [12, 13, 14, 15, 28, 29, 30, 31]
        c = 0.5 * math.sqrt(0.5)
        rim = [[0.5, 0, 0], [0, 0.5, 0], [-0.5, 0, 0], [0, -0.5, 0], [c, c, 0], [-c, c, 0], [-c, -c, 0], [c, -c, 0]]
        np.testing.assert_allclose([point.p for point in found.points], rim, rtol=0, atol=1e-9)


@pytest.mark.parametrize("angle", [1e-7, 1e-3, 0.2])
@pytest.mark.parametrize("turn", [0.0, 1.0, 4.0])
def test_the_points_of_a_rim_turn_with_the_tilt(angle, turn):
    """A coin that leans towards `turn`, whatever its own turn about its axis is: the lowest point there, and its gap to rounding."""
    to = np.array([math.cos(turn), math.sin(turn), 0.0])
    for own in (0.0, 0.7):
        R = rotation(np.cross([0, 0, 1], to), angle) @ rotation((0, 0, 1), own)
        found = manifold_of(FLOOR, None, ("cylinder", 0.5, 0.05), (R, [0, 0, 0.05]), reach=0.3)
        lowest = min(found.points, key=lambda point: point.gap)
        assert lowest.gap == pytest.approx(0.05 - 0.05 * math.cos(angle) - 0.5 * math.sin(angle), abs=1e-15)
        assert lowest.feature == 8
        bottom = np.array([0, 0, 0.05]) + R @ [0, 0, -0.05] + 0.5 * (math.cos(angle) * to - [0, 0, math.sin(angle)])
        assert lowest.p[:2] == pytest.approx(bottom[:2], abs=1e-8)  # the direction of a tilt of 1e-7 is known to 1e-9
        assert 2 <= len(found.points) <= 4


def test_a_cylinder_that_lies_has_the_two_ends_of_its_line_wherever_it_has_rolled():
    for turn in (0.0, 1.0, 3.0):
        found = manifold_of(FLOOR, None, ("cylinder", 0.5, 1.0), (lean(math.pi / 2) @ rotation((0, 0, 1), turn), [0, 0, 0.5]), reach=1e-6)
        assert points_of(found) == [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
        assert [point.feature for point in found.points] == [0, 8]


def test_a_cone_stands_on_its_base_lies_on_its_side_and_on_its_tip():
    cone = ("cone", 0.6, 0.4)
    standing = manifold_of(FLOOR, None, cone, (0, 0, 0.4), reach=1e-6)
    assert len(standing.points) == 8 and standing.gap == 0.0
    lying = math.pi / 2 + math.atan(0.6 / 0.8)
    R = lean(lying)
    height = 0.4 * abs(math.cos(lying))  # of the middle over the tip
    found = manifold_of(FLOOR, None, cone, (R, [0, 0, height]), reach=1e-6)
    assert [point.feature for point in found.points] == [16, 8]
    assert all(abs(point.gap) < 1e-15 for point in found.points)
    tip = manifold_of(FLOOR, None, cone, (lean(math.pi), [0, 0, 0.4]), reach=1e-6)
    assert [point.feature for point in tip.points] == [16]


def test_an_ellipsoid_touches_with_its_lowest_point():
    R, s = random_rotation(np.random.default_rng(5)), np.array([0.2, 0.5, 0.9])
    (point,) = manifold_of(FLOOR, None, ("ellipsoid", *s), (R, [0, 0, 1.0]), reach=1.0).points
    surface = point.p + point.gap * point.n - [0, 0, 1.0]
    assert np.linalg.norm(R.T @ surface / s) == pytest.approx(1.0, abs=1e-15 * 4)
    # Nothing of it is lower: points all over the surface.
    u = np.random.default_rng(1).normal(size=(3000, 3))
    u /= np.linalg.norm(u, axis=1)[:, None]
    assert (u * s @ R.T)[:, 2].min() + 1.0 >= point.gap
    assert (u * s @ R.T)[:, 2].min() + 1.0 == pytest.approx(point.gap, abs=0.02)


def test_a_capsule_that_lies_has_two_points_and_one_that_stands_has_one():
    lying = manifold_of(FLOOR, None, ("capsule", 0.25, 1.0), (lean(math.pi / 2), [0, 0, 0.25]), reach=1e-6)
    assert points_of(lying) == [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    standing = manifold_of(FLOOR, None, ("capsule", 0.25, 1.0), (0, 0, 1.25), reach=5.0)
    assert points_of(standing) == [[0.0, 0.0, 0.0]]


def test_two_floors_are_no_pair():
    assert not manifold_of(FLOOR, None, FLOOR, None, reach=1.0).supported
