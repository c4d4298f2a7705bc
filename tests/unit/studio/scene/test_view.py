"""The first view: everything in the picture, planar mechanisms across their plane."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from linkwork.studio.scene.turns import quaternions
from linkwork.studio.scene.view import eye_for, grid_step, ray_through, suitable_direction


def projected(points, eye, target, field_of_view, aspect):
    """Places in the picture, from -1 to 1, and depths."""
    ahead = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    X = (points - eye) @ np.array((right, np.cross(ahead, right), ahead)).T
    half = math.tan(0.5 * field_of_view)
    return X[:, 0] / (X[:, 2] * half * aspect), X[:, 1] / (X[:, 2] * half), X[:, 2]


@pytest.mark.parametrize("covered", [(0.0, 0.0), (0.0, 0.35), (0.2, 0.1)])
@pytest.mark.parametrize("stretch", [(1.0, 1.0, 1.0), (10.0, 0.1, 0.1), (0.1, 0.1, 8.0), (1e-3, 1e-3, 1e-3)])
def test_all_points_are_within_the_margin_and_the_picture_is_used(stretch, covered):
    points = np.random.default_rng(2).uniform(-1.0, 1.0, size=(80, 3)) * stretch + (5.0, -3.0, 1.0)
    eye, target = eye_for(points, (1.0, -1.5, 0.8), 0.6, 1.6, 0.1, covered)
    x, y, depth = projected(points, eye, target, 0.6, 1.6)
    assert (depth > 0.0).all()
    left, right = -1.0 + 2.0 * covered[0], 1.0 - 2.0 * covered[1]
    share = (x - left) / (right - left)
    # The margin is 0.1 of the width that is free; beside the line of sight, perspective moves near points a little further out.
    assert share.min() > 0.07 and share.max() < 0.93 and np.abs(y).max() < 0.82
    assert max(np.ptp(share), 0.5 * np.ptp(y)) > 0.45, "the mechanism is small in the picture"


def test_planar_mechanisms_are_seen_across_their_plane_and_others_from_the_right_front():
    y = np.array((0.0, 1.0, 0.0))
    direction = suitable_direction([y, -y, y], [np.array((1.0, 0.0, 0.0))])
    assert abs(direction @ y) / np.linalg.norm(direction) > 0.8 and direction[2] > 0.0
    spatial = suitable_direction([y, np.array((0.0, 0.0, 1.0))], [])
    assert (spatial[0], spatial[2]) == (1.0, 0.85)
    assert suitable_direction([y], [y])[0] == 1.0, "a slide along the hinge is no plane"
    from_above = suitable_direction([np.array((0.0, 0.0, 1.0))], [])
    assert from_above[2] > abs(from_above[:2]).max()


@pytest.mark.parametrize(("size", "step"), [(1.0, 0.1), (1.6, 0.2), (0.3, 0.05), (70.0, 10.0), (2e-3, 2e-4)])
def test_the_grid_is_ruled_in_round_lengths(size, step):
    assert grid_step(size) == pytest.approx(step)


def test_the_ray_through_a_point_of_the_picture_leads_to_what_is_seen_there():
    """viser's cameras look along their z, with y downwards: wxyz from the axes that `projected` uses."""
    points = np.random.default_rng(4).uniform(-1.0, 1.0, size=(20, 3))
    eye, target, aspect = np.array((3.0, -4.0, 2.0)), np.array((0.1, 0.2, 0.0)), 1.4
    ahead = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    R = np.column_stack((right, np.cross(ahead, right), ahead))
    camera = SimpleNamespace(position=eye, wxyz=quaternions([R])[0], fov=0.7)
    for point, x, y, depth in zip(points, *projected(points, eye, target, 0.7, aspect), strict=True):
        origin, direction = ray_through(camera, 0.5 + 0.5 * x, 0.5 + 0.5 * y, aspect)
        np.testing.assert_allclose(origin + depth * direction, point, atol=1e-12)
