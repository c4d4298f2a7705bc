"""Poses of bodies: taken in any order, kept over edits, never broken by a state that is not finite."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.studio.scene.poses import REMEMBERED, Poses

EYE = (1.0, 0.0, 0.0, 0.0)


def made(*names):
    poses = Poses()
    poses.rename(list(names))
    poses.take(np.arange(3.0 * len(names)).reshape(-1, 3), np.tile(EYE, (len(names), 1)))
    return poses


def test_rows_are_sorted_by_name_and_strangers_passed_over():
    poses = made("a", "b", "c")
    poses.take([(9, 9, 9), (1, 1, 1), (7, 7, 7)], [EYE] * 3, names=["c", "stranger", "a"])
    np.testing.assert_array_equal(poses.P, [(7, 7, 7), (3, 4, 5), (9, 9, 9), (0, 0, 0)])


def test_bodies_that_stay_keep_their_poses_when_others_come_and_go():
    poses = made("a", "b", "c")
    poses.rename(["new", "c", "b"])
    np.testing.assert_array_equal(poses.P, [(0, 0, 0), (6, 7, 8), (3, 4, 5), (0, 0, 0)])
    assert poses.known and len(poses.past) == 1, "frames of another list of bodies cannot be looked into"
    poses.rename(["x"])
    assert not poses.known


def test_poses_that_are_not_finite_are_not_taken():
    poses = made("a", "b", "c")
    poses.take([(np.nan, 0, 0), (5, 5, 5), (1, 1, 1)], [EYE, EYE, (0, 0, 0, 0)])
    np.testing.assert_array_equal(poses.P[:3], [(0, 1, 2), (5, 5, 5), (6, 7, 8)])


def test_quaternions_are_brought_to_unit_length():
    poses = made("a")
    poses.take([(0, 0, 0)], [(0.0, 2.0, 0.0, 0.0)])
    np.testing.assert_allclose(poses.Q[0], (0, 1, 0, 0))


@pytest.mark.parametrize(
    ("p", "q"), [(np.zeros((2, 3)), np.zeros((3, 4))), (np.zeros((3, 2)), np.zeros((3, 4))), (np.zeros(9), np.zeros(12))]
)
def test_wrong_shapes_are_refused_in_words(p, q):
    with pytest.raises(lw.StudioError, match=r"for 3 bodies; allowed are \(3, 3\) and \(3, 4\)"):
        made("a", "b", "c").take(p, q)


def test_points_go_out_and_come_back_and_the_past_stays_as_it_was():
    poses, rng = made("a", "b"), np.random.default_rng(1)
    Q = Rotation.random(2, rng=rng).as_quat(scalar_first=True)
    poses.take(rng.normal(size=(2, 3)), Q)
    world = poses.where(1, (0.1, 0.2, 0.3))
    np.testing.assert_allclose(world, poses.P[1] + Rotation.from_quat(Q[1], scalar_first=True).apply((0.1, 0.2, 0.3)), atol=1e-14)
    then = poses.past[-1]
    for _ in range(2 * REMEMBERED):
        poses.take(rng.normal(size=(2, 3)), Q)
    np.testing.assert_allclose(poses.within(1, world, then), (0.1, 0.2, 0.3), atol=1e-14)
    assert len(poses.past) == REMEMBERED
    np.testing.assert_allclose(poses.where(-1, (1, 2, 3)), (1, 2, 3))
