"""Kernels on rigid and articulated inertias against 6x6 matrices."""

import numpy as np
from scipy.spatial.transform import Rotation

from linkwork.kernels import kernel
from linkwork.spatial.articulated import (
    articulated_downdate,
    articulated_from_rigid,
    articulated_matrix,
    articulated_plus_rigid,
    articulated_sum,
    articulated_times,
    articulated_to_parent,
    zero_articulated,
)
from linkwork.spatial.inertia import (
    bias_force,
    inertia_from_com,
    inertia_matrix,
    inertia_sum,
    inertia_times,
    inertia_to_com,
    inertia_transform,
    kinetic_energy,
    zero_inertia,
)
from linkwork.spatial.plain import plain

from .slots import load, load3, load6, load9, load_articulated, load_inertia, store, store3, store6, store_articulated, store_inertia

POSE, MASS, COM, TENSOR, V, OTHER, BLOCKS, U, INPUTS = 0, 12, 13, 16, 22, 28, 38, 59, 65


@kernel
def rigid(x, y, like):
    X, motion = (load9(x, POSE, like), load3(x, POSE + 9, like)), load6(x, V, like)
    I = inertia_from_com(load(x, MASS, like), load3(x, COM, like), load6(x, TENSOR, like))
    other = load_inertia(x, OTHER, like)
    store_inertia(y, 0, I)
    m, c, T = inertia_to_com(I)
    store(y, 10, m)
    store3(y, 11, c)
    store6(y, 14, T)
    store6(y, 20, inertia_times(I, motion))
    store(y, 26, kinetic_energy(I, motion))
    store6(y, 27, bias_force(I, motion))
    store_inertia(y, 33, inertia_transform(X, I))
    store_inertia(y, 43, inertia_sum(inertia_sum(I, zero_inertia(like)), other))
    m, c, T = inertia_to_com(zero_inertia(like))
    store(y, 53, m)
    store3(y, 54, c)
    store6(y, 57, T)


@kernel
def articulated(x, y, like):
    X, motion, u = (load9(x, POSE, like), load3(x, POSE + 9, like)), load6(x, V, like), load6(x, U, like)
    A, other = load_articulated(x, BLOCKS, like), load_inertia(x, OTHER, like)
    store6(y, 0, articulated_times(A, motion))
    store_articulated(y, 6, articulated_to_parent(X, A))
    store_articulated(y, 27, articulated_sum(articulated_sum(A, zero_articulated(like)), articulated_from_rigid(other)))
    store_articulated(y, 48, articulated_plus_rigid(A, other))
    store_articulated(y, 69, articulated_downdate(A, u, load(x, MASS, like)))


def hat(a):
    return np.cross(np.eye(3), a)


def symmetric(six):
    xx, xy, xz, yy, yz, zz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def six_of_ten(ten):
    H = hat(ten[1:4])
    return np.block([[symmetric(ten[4:]), H], [H.T, ten[0] * np.eye(3)]])


def six_of_blocks(b):
    H = b[6:15].reshape(3, 3)
    return np.block([[symmetric(b[:6]), H], [H.T, symmetric(b[15:])]])


def adjoint(R, p):
    return np.block([[R, np.zeros((3, 3))], [hat(p) @ R, R]])


def rows():
    rows = np.random.default_rng(0).normal(size=(9, INPUTS))
    rows[:, :9] = Rotation.random(9, random_state=3).as_matrix().reshape(-1, 9)
    rows[:, MASS] = np.abs(rows[:, MASS]) + 0.1
    return rows


def close(found, expected):
    # Sums of up to twenty products of numbers of order one to ten.
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-14)


def test_rigid_inertia_against_6x6(run, algebra_kind):
    for x, y in zip(rows(), run(algebra_kind, rigid, rows(), 63).real, strict=True):
        R, p, m, c, T, motion = x[:9].reshape(3, 3), x[9:12], x[MASS], x[COM : COM + 3], symmetric(x[TENSOR : TENSOR + 6]), x[V : V + 6]
        I = np.block([[T - m * hat(c) @ hat(c), m * hat(c)], [-m * hat(c), m * np.eye(3)]])
        crf = -np.block([[hat(motion[:3]), np.zeros((3, 3))], [hat(motion[3:]), hat(motion[:3])]]).T
        close(six_of_ten(y[:10]), I)
        close(y[10:20], x[MASS : MASS + 10])
        close(y[20:26], I @ motion)
        close(y[26], 0.5 * motion @ I @ motion)
        close(y[27:33], crf @ I @ motion)
        inverse = np.linalg.inv(adjoint(R, p))
        close(six_of_ten(y[33:43]), inverse.T @ I @ inverse)
        close(six_of_ten(y[43:53]), I + six_of_ten(x[OTHER : OTHER + 10]))
        np.testing.assert_array_equal(y[53:63], 0.0)


def test_articulated_inertia_against_6x6(run, algebra_kind):
    for x, y in zip(rows(), run(algebra_kind, articulated, rows(), 90).real, strict=True):
        A, other, u = six_of_blocks(x[BLOCKS : BLOCKS + 21]), six_of_ten(x[OTHER : OTHER + 10]), x[U : U + 6]
        close(y[:6], A @ x[V : V + 6])
        inverse = np.linalg.inv(adjoint(x[:9].reshape(3, 3), x[9:12]))
        close(six_of_blocks(y[6:27]), inverse.T @ A @ inverse)
        close(six_of_blocks(y[27:48]), A + other)
        close(six_of_blocks(y[48:69]), A + other)
        close(six_of_blocks(y[69:90]), A - x[MASS] * np.outer(u, u))


def test_matrices_have_the_documented_order():
    ten = tuple(float(k) for k in range(1, 11))
    np.testing.assert_array_equal(np.reshape(plain(inertia_matrix)(ten), (6, 6)), six_of_ten(np.array(ten)))
    np.testing.assert_array_equal(plain(inertia_matrix)(ten), plain(articulated_matrix)(plain(articulated_from_rigid)(ten)))
    blocks = np.arange(21.0)
    A = tuple(blocks[:6]), tuple(blocks[6:15]), tuple(blocks[15:])
    np.testing.assert_array_equal(np.reshape(plain(articulated_matrix)(A), (6, 6)), six_of_blocks(blocks))
