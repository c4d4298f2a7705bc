"""Rotations in bulk agree with SciPy's, and a tie that is carried does not spin."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from linkwork.studio.scene.turns import along, carried, conjugate, matrices, product, quaternions, turned

# Sums of a few products of numbers below 1.
CLOSE = {"rtol": 0.0, "atol": 1e-14}


@pytest.fixture
def rotations():
    return Rotation.random(60, rng=np.random.default_rng(4))


def wxyz(rotation):
    return rotation.as_quat(scalar_first=True)


def test_products_turns_and_matrices_are_those_of_scipy(rotations):
    a, b = rotations[:30], rotations[30:]
    points = np.random.default_rng(5).normal(size=(30, 3))
    np.testing.assert_allclose(matrices(product(wxyz(a), wxyz(b))), (a * b).as_matrix(), **CLOSE)
    np.testing.assert_allclose(turned(wxyz(a), points), a.apply(points), rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(turned(conjugate(wxyz(a)), turned(wxyz(a), points)), points, rtol=0.0, atol=1e-13)


def test_quaternions_of_matrices_are_found_for_all_turns(rotations):
    """Half turns about all axes too, where the trace is -1 and a formula with its root fails."""
    half = Rotation.from_rotvec(np.pi * np.concatenate([np.eye(3), [(0.6, 0.8, 0.0), (0.0, 0.6, -0.8)]]))
    for some in (rotations, half, Rotation.identity(2)):
        q = quaternions(some.as_matrix())
        np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, **CLOSE)
        np.testing.assert_allclose(matrices(q), some.as_matrix(), rtol=0.0, atol=1e-7)


def test_along_takes_z_to_the_axis_and_is_a_rotation():
    for axis in ((0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (1.0, 2.0, -3.0), (1e-9, 0.0, 1.0)):
        R = along(axis)
        np.testing.assert_allclose(R[:, 2], np.array(axis) / np.linalg.norm(axis), **CLOSE)
        np.testing.assert_allclose(R.T @ R, np.eye(3), **CLOSE)
        assert np.linalg.det(R) == pytest.approx(1.0)


def test_carried_reaches_every_direction_by_the_least_turn():
    rng = np.random.default_rng(7)
    q = quaternions(Rotation.random(40, rng=rng).as_matrix())
    to = rng.normal(size=(40, 3))
    to /= np.linalg.norm(to, axis=1, keepdims=True)
    to[0] = -matrices(q[:1])[0, :, 2]  # straight back: any turn by half is the least
    to[1] = matrices(q[1:2])[0, :, 2]  # stays
    new = carried(q, to)
    before, after = matrices(q), matrices(new)
    np.testing.assert_allclose(after[:, :, 2], to, rtol=0.0, atol=1e-7)
    angle = Rotation.from_matrix(after @ before.transpose(0, 2, 1)).magnitude()
    # 2e-6: an arc cosine near 1 has half the digits.
    np.testing.assert_allclose(angle, np.arccos(np.clip(np.einsum("ij,ij->i", before[:, :, 2], to), -1.0, 1.0)), rtol=0.0, atol=2e-6)


def test_a_hanging_spring_that_swings_does_not_spin():
    """Straight down is where the shortest turn from z is not unique: carried along, the x axis of a coil hardly moves."""
    q = np.array([(0.0, 1.0, 0.0, 0.0)])
    x = matrices(q)[0, :, 0]
    for k in range(200):
        a = 0.01 * np.sin(0.3 * k)
        b = 0.01 * np.cos(0.3 * k)
        direction = np.array([(a, b, -1.0)]) / np.sqrt(1.0 + a * a + b * b)
        q = carried(q, direction)
        assert matrices(q)[0, :, 0] @ x > 0.999
