"""Kernels on motion and force vectors against 6x6 matrices."""

import numpy as np
from scipy.spatial.transform import Rotation

from linkwork.kernels import kernel
from linkwork.spatial.motion import (
    cross_force,
    cross_motion,
    force_to_child,
    force_to_parent,
    motion_to_child,
    motion_to_parent,
    power,
    shift_force,
    shift_motion,
)

from .slots import load3, load6, load9, store, store6


@kernel
def algebra(x, y, like):
    X, V, W = (load9(x, 0, like), load3(x, 9, like)), load6(x, 12, like), load6(x, 18, like)
    store6(y, 0, cross_motion(V, W))
    store6(y, 6, cross_force(V, W))
    store6(y, 12, motion_to_parent(X, V))
    store6(y, 18, motion_to_child(X, V))
    store6(y, 24, force_to_parent(X, W))
    store6(y, 30, force_to_child(X, W))
    store6(y, 36, shift_motion(V, X[1]))
    store6(y, 42, shift_force(W, X[1]))
    store(y, 48, power(V, W))


def hat(a):
    return np.cross(np.eye(3), a)


def test_motion_and_force_algebra(run, algebra_kind):
    rows = np.random.default_rng(0).normal(size=(10, 24))
    rows[:, :9] = Rotation.random(10, random_state=1).as_matrix().reshape(-1, 9)
    zero, one = np.zeros((3, 3)), np.eye(3)
    for x, y in zip(rows, run(algebra_kind, algebra, rows, 49).real, strict=True):
        R, p, V, W = x[:9].reshape(3, 3), x[9:12], x[12:18], x[18:24]
        crm = np.block([[hat(V[:3]), zero], [hat(V[3:]), hat(V[:3])]])
        Ad = np.block([[R, zero], [hat(p) @ R, R]])
        shift = np.block([[one, zero], [-hat(p), one]])
        expected = [
            *(crm @ W, -crm.T @ W),
            *(Ad @ V, np.linalg.inv(Ad) @ V, np.linalg.inv(Ad).T @ W, Ad.T @ W),
            *(shift @ V, np.linalg.inv(shift).T @ W),
        ]
        # Sums of a few products of order one.
        np.testing.assert_allclose(y[:48].reshape(8, 6), expected, rtol=0, atol=1e-14)
        np.testing.assert_allclose(y[48], V @ W, rtol=0, atol=1e-14)
