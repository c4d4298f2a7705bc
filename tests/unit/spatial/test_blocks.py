"""Blocks without symmetry and displacements, against 6x6 matrices and poses."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.spatial.blocks import block_downdate, block_shift, block_times, block_transposed_times, block_turn
from linkwork.spatial.displacement import carried_to, turned, turned_away, turned_back
from linkwork.spatial.plain import plain

ROUNDING = 1e-14  # sums of a dozen products of numbers of size 1


def numbers(x):
    return tuple(float(value) for value in np.asarray(x).ravel())


def block_of(B):
    return tuple(numbers(B[i : i + 3, j : j + 3]) for i in (0, 3) for j in (0, 3))


def matrix_of(B):
    A, H, G, M = (np.reshape(part, (3, 3)) for part in B)
    return np.block([[A, H], [G, M]])


def pose(rng):
    quaternion = rng.normal(size=4)
    return lw.Pose(rng.normal(size=3), quaternion / np.linalg.norm(quaternion))


def motion_matrix(X):
    """From the coordinates of the parent to those of a frame at X in it."""
    R, (x, y, z) = X.rotation, X.translation
    hat = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.block([[R.T, np.zeros((3, 3))], [-R.T @ hat, R.T]])


@pytest.mark.parametrize("seed", range(3))
def test_a_block_changes_frame_on_both_sides(seed):
    """X_0^T B X_1, with another pose on either side."""
    rng = np.random.default_rng(seed)
    B, X0, X1 = rng.normal(size=(6, 6)), pose(rng), pose(rng)
    turned_block = plain(block_turn)(numbers(X0.rotation), numbers(X1.rotation), block_of(B))
    found = plain(block_shift)(numbers(X0.translation), numbers(X1.translation), turned_block)
    assert np.abs(matrix_of(found) - motion_matrix(X0).T @ B @ motion_matrix(X1)).max() < 10 * ROUNDING


def test_products_of_a_block():
    rng = np.random.default_rng(4)
    B, U, W = rng.normal(size=(6, 6)), rng.normal(size=6), rng.normal(size=6)
    assert np.allclose(plain(block_times)(block_of(B), numbers(W)), B @ W, atol=ROUNDING)
    assert np.allclose(plain(block_transposed_times)(block_of(B), numbers(W)), B.T @ W, atol=ROUNDING)
    assert np.allclose(matrix_of(plain(block_downdate)(block_of(B), numbers(U), numbers(W))), B - np.outer(U, W), atol=ROUNDING)


def test_a_displacement_of_a_frame_carries_another():
    """(r, d) of a frame, then (R, p) in it, is (R, p) and then what `carried_to` gives."""
    rng = np.random.default_rng(5)
    step, X = pose(rng), pose(rng)
    r, d = plain(carried_to)(numbers(X.rotation), numbers(X.translation), numbers(step.quaternion), numbers(step.translation))
    assert np.allclose((X @ lw.Pose(d, r)).matrix, (step @ X).matrix, atol=ROUNDING)


def test_turns_of_a_vector():
    rng = np.random.default_rng(6)
    turn, x = pose(rng), rng.normal(size=3)
    r, v = numbers(turn.quaternion), numbers(x)
    assert np.allclose(plain(turned)(r, v), turn.rotation @ x, atol=ROUNDING)
    assert np.allclose(plain(turned_back)(r, v), turn.rotation.T @ x, atol=ROUNDING)
    assert np.allclose(plain(turned_away)(r, v), turn.rotation @ x - x, atol=ROUNDING)
