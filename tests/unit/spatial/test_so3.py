"""Kernels on rotations against independent computations, for every kind of scalar."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from linkwork.kernels import JIT, kernel
from linkwork.spatial.plain import plain
from linkwork.spatial.so3 import (
    left_jacobian,
    left_jacobian_inverse,
    quaternion_conjugate,
    quaternion_exp,
    quaternion_from_matrix,
    quaternion_log,
    quaternion_normalised,
    quaternion_product,
    quaternion_to_matrix,
    rotation_exp,
    rotation_log,
)

from .slots import load3, load4, load9, store3, store4, store9

ANGLES = [0.0, 1e-200, 1e-12, 1e-7, 1e-3, 0.4999, 0.5, 0.5001, 1.0, 2.0, 3.0, np.pi - 1e-7, np.pi - 1e-10, np.pi]


@kernel
def algebra(x, y, like):
    p, q, dq = load4(x, 0, like), load4(x, 4, like), load4(x, 8, like)
    store4(y, 0, quaternion_product(p, q))
    store4(y, 4, quaternion_conjugate(q))
    store4(y, 8, quaternion_normalised(dq))
    store9(y, 12, quaternion_to_matrix(q))


@kernel
def branching(x, y, like):
    """All that asks how large an angle is."""
    a, q, R = load3(x, 0, like), load4(x, 3, like), load9(x, 7, like)
    store4(y, 0, quaternion_exp(a))
    store9(y, 4, rotation_exp(a))
    store9(y, 13, left_jacobian(a))
    store9(y, 22, left_jacobian_inverse(a))
    store4(y, 31, quaternion_from_matrix(R))
    store3(y, 35, quaternion_log(q))
    store3(y, 38, rotation_log(R))


def hat(a):
    return np.cross(np.eye(3), a)


def scipy_of(q):
    return Rotation.from_quat(np.asarray(q)[..., [1, 2, 3, 0]])


def rotation_vectors(seed=0):
    rng = np.random.default_rng(seed)
    u = rng.normal(size=(len(ANGLES), 5, 3))
    u[:, 0], u[:, 1], u[:, 2] = (1, 0, 0), (0, -1, 0), (0, 0, 1)
    u /= np.linalg.norm(u, axis=-1, keepdims=True)
    return (np.array(ANGLES)[:, None, None] * u).reshape(-1, 3)


def branching_rows():
    """Rows of a, q, R, all one rotation; the sign of q is either."""
    a = rotation_vectors()
    q = Rotation.from_rotvec(a).as_quat()[:, [3, 0, 1, 2]]
    q[::2] *= -1.0
    return np.concatenate([a, q, Rotation.from_rotvec(a).as_matrix().reshape(-1, 9)], axis=1)


def algebra_rows():
    """Rows of p, q, dq; p and q of unit length."""
    rows = np.random.default_rng(1).normal(size=(12, 12))
    for k in (0, 4):
        rows[:, k : k + 4] /= np.linalg.norm(rows[:, k : k + 4], axis=1, keepdims=True)
    return rows


def close(found, expected, tolerance=4e-15):
    """Operands of order one and a few operations each."""
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance)


def test_quaternion_algebra(run, algebra_kind):
    rows = algebra_rows()
    p, q, dq = np.split(rows, [4, 8], axis=1)
    y = run(algebra_kind, algebra, rows, 21).real
    close(scipy_of(y[:, 0:4]).as_matrix(), (scipy_of(p) * scipy_of(q)).as_matrix())
    close(y[:, 4:8], q * (1, -1, -1, -1))
    close(y[:, 8:12], dq / np.linalg.norm(dq, axis=1, keepdims=True))
    close(y[:, 12:21].reshape(-1, 3, 3), scipy_of(q).as_matrix())


def test_exponentials_and_logarithms_at_every_angle(run, kind):
    rows = branching_rows()
    a, q = rows[:, :3], rows[:, 3:7]
    y = run(kind, branching, rows, 41).real
    for a_k, row in zip(a, y, strict=True):
        close(row[:4], Rotation.from_rotvec(a_k).as_quat()[[3, 0, 1, 2]], 4e-16)
        left = expm(np.block([[hat(a_k), np.eye(3)], [np.zeros((3, 6))]]))[:3, 3:]  # integral of exp(t hat a) over 0..1
        matrices = (expm(hat(a_k)), left, np.linalg.inv(left))
        close(row[4:31].reshape(3, 3, 3), matrices, 5e-15)  # expm itself is good to about 1e-15
    close(y[:, 31:35] * np.sign(np.sum(y[:, 31:35] * q, axis=1, keepdims=True)), q)
    assert (y[:, 31] >= 0.0).all()
    for found in (y[:, 35:38], y[:, 38:41]):
        # At half a turn the two directions are one rotation.
        flip = (np.linalg.norm(a, axis=1) > 3.1415926535) & (np.sum(found * a, axis=1) < 0.0)
        close(np.where(flip, -1.0, 1.0)[:, None] * found, a)
        small = (np.linalg.norm(a, axis=1) < 1e-6) & (np.linalg.norm(a, axis=1) > 1e-100)
        assert small.sum() == 10
        np.testing.assert_allclose(found[small], a[small], rtol=1e-15, atol=0.0)  # digits of the small vector itself


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="nothing is compiled here")
def test_compiled_complex_steps_agree_with_plain_ones(run):
    """The imaginary part carries the derivative, in compiled kernels as in plain Python."""
    step = 1e-30
    rows = branching_rows()
    rows = rows + 1j * step * np.random.default_rng(5).normal(size=rows.shape)
    compiled, plainly = run("complex", branching, rows, 41), run("plain complex", branching, rows, 41)
    assert np.abs(plainly.imag).max(axis=1).min() > 0.1 * step
    close(compiled.real, plainly.real)
    close(compiled.imag / step, plainly.imag / step, 1e-13)  # derivatives of order one to ten, two different libraries


@pytest.mark.parametrize("a", rotation_vectors(seed=7)[5:])
def test_complex_step_of_exp_is_the_jacobian(a):
    """exp(a + da) = exp(J_l da) exp(a): the derivative of exp along da, taken without a difference, is hat(J_l da) exp(a)."""
    step, da = 1e-40, np.array([0.3, -0.5, 0.8])
    R = np.reshape(plain(rotation_exp)(tuple((a + 1j * step * da).tolist())), (3, 3))
    J = np.reshape(plain(left_jacobian)(tuple(a.tolist())), (3, 3))
    np.testing.assert_allclose(R.imag / step, hat(J @ da) @ R.real, rtol=0, atol=4e-15)
    q = np.array(plain(quaternion_exp)(tuple((a + 1j * step * da).tolist())))
    half = plain(quaternion_product)((0.0, *(0.5 * J @ da).tolist()), tuple(q.real.tolist()))
    np.testing.assert_allclose(q.imag / step, half, rtol=0, atol=2e-15)
    back = np.array(plain(quaternion_log)(tuple(q.tolist())))
    np.testing.assert_allclose(back.imag / step, da, rtol=0, atol=2e-14)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1), (0.6, -0.8, 0), (0, -0.6, 0.8)])
def test_both_signs_of_a_half_turn_have_one_logarithm(axis):
    """w = 0, where the sign of the quaternion cannot decide: q and -q still agree, and the first component is positive."""
    q = (0.0, *(float(c) for c in axis))
    a, b = plain(quaternion_log)(q), plain(quaternion_log)(tuple(-c for c in q))
    assert a == b
    assert next(c for c in a if c) > 0.0
    assert np.linalg.norm(a) == pytest.approx(np.pi, rel=4e-16, abs=0.0)


def test_logarithm_of_the_identity_is_zero():
    for q in ((1.0, 0.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 0.0)):
        assert plain(quaternion_log)(q) == (0.0, 0.0, 0.0)


def test_angles_too_small_to_square_survive():
    """|a|^2 underflows to zero; the logarithm of the exponential is still a."""
    a = (3e-200, -1e-200, 2e-200)
    assert plain(quaternion_log)(plain(quaternion_exp)(a)) == pytest.approx(a, rel=1e-15, abs=0.0)
