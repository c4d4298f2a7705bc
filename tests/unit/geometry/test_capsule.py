"""Capsules on capsules and on boxes: both ends where they lie along each other, one point where they cross."""

import math

import numpy as np
import pytest

from linkwork.geometry.pair import manifold_of

from ...geometry_cases import rotation

LYING = rotation((0, 1, 0), math.pi / 2)  # z of the capsule along x of the world


def test_crossing_capsules_touch_in_one_point():
    across = rotation((1, 0, 0), math.pi / 2)
    (point,) = manifold_of(("capsule", 0.5, 2), (LYING, [0, 0, 0]), ("capsule", 0.25, 2), (across, [0.3, 0.1, 0.7]), reach=0.01).points
    assert point.gap == pytest.approx(-0.05, abs=1e-15)
    assert point.n == pytest.approx([0, 0, 1], abs=1e-15) and point.p == pytest.approx([0.3, 0, 0.5], abs=1e-15)


@pytest.mark.parametrize("tilt", [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4])
def test_parallel_capsules_touch_at_both_ends_of_what_they_share(tilt):
    R = rotation((0, 0, 1), tilt) @ rotation((0, 1, 0), tilt) @ LYING
    found = manifold_of(("capsule", 0.5, 1), (LYING, [0, 0, 0]), ("capsule", 0.5, 1), (R, [0.6, 0, 1]), reach=0.01)
    ends = sorted(found.points, key=lambda point: point.p[0])
    assert ends[0].p == pytest.approx([-0.4, 0, 0.5], abs=2 * tilt + 1e-15)
    assert ends[-1].p == pytest.approx([1, 0, 0.5], abs=2 * tilt + 1e-15)
    assert ends[0].gap == pytest.approx(0, abs=2 * tilt + 1e-15) and ends[-1].gap == pytest.approx(0, abs=2 * tilt + 1e-15)
    assert len(ends) == 2


def test_capsules_behind_each_other_touch_with_their_ends():
    (point,) = manifold_of(("capsule", 0.5, 1), None, ("capsule", 0.5, 1), (0, 0, 2.75)).points
    assert point.gap == -0.25 and point.n.tolist() == [0, 0, 1] and point.p.tolist() == [0, 0, 1.5]


@pytest.mark.parametrize("R", [np.eye(3), LYING, rotation((1, 1, 0), 0.3)])
def test_capsules_whose_axes_meet_get_a_normal(R):
    found = manifold_of(("capsule", 0.5, 1), None, ("capsule", 0.5, 1), (R, [0, 0, 0]))
    deepest = min(found.points, key=lambda point: point.gap)
    assert deepest.gap == -1.0
    assert np.linalg.norm(deepest.n) == pytest.approx(1.0, abs=1e-15)
    assert deepest.n @ np.column_stack([[0, 0, 1], R[:, 2]]) == pytest.approx([0, 0], abs=1e-15)  # across both axes
