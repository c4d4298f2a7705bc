"""Kernels on poses against homogeneous matrices and the matrix exponential, for every kind of scalar."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from linkwork.kernels import JIT, kernel
from linkwork.spatial.plain import plain
from linkwork.spatial.se3 import (
    pose_act,
    pose_act_inverse,
    pose_compose,
    pose_exp,
    pose_inverse,
    pose_log,
)

from .slots import load3, load6, load9, store3, store6, store9

ANGLES = [0.0, 1e-9, 1e-4, 0.3, 0.4999, 0.5001, 2.0, np.pi - 1e-7, np.pi - 1e-10, np.pi]


@kernel
def algebra(x, y, like):
    A, B = (load9(x, 0, like), load3(x, 9, like)), (load9(x, 12, like), load3(x, 21, like))
    point = load3(x, 24, like)
    R, p = pose_compose(A, B)
    store9(y, 0, R)
    store3(y, 9, p)
    R, p = pose_inverse(A)
    store9(y, 12, R)
    store3(y, 21, p)
    store3(y, 24, pose_act(A, point))
    store3(y, 27, pose_act_inverse(A, point))


@kernel
def branching(x, y, like):
    V, X = load6(x, 0, like), (load9(x, 6, like), load3(x, 15, like))
    R, p = pose_exp(V)
    store9(y, 0, R)
    store3(y, 9, p)
    store6(y, 12, pose_log(X))


def homogeneous(R, p):
    return np.block([[np.reshape(R, (3, 3)), np.reshape(p, (3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])


def hat(a):
    return np.cross(np.eye(3), a)


def close(found, expected, tolerance):
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance)


def branching_rows():
    """Rows of V, exp(V), the turn of V over all difficult angles."""
    rng = np.random.default_rng(2)
    u = rng.normal(size=(len(ANGLES), 4, 3))
    u[:, 0] = (0.0, 1.0, 0.0)
    u /= np.linalg.norm(u, axis=-1, keepdims=True)
    a = (np.array(ANGLES)[:, None, None] * u).reshape(-1, 3)
    V = np.concatenate([a, rng.normal(size=a.shape)], axis=1)
    exps = [expm(np.block([[hat(v[:3]), v[3:, None]], [np.zeros((1, 4))]])) for v in V]
    # The rotation from SciPy's own formula: expm is a little less accurate.
    R = Rotation.from_rotvec(a).as_matrix().reshape(-1, 9)
    return np.concatenate([V, R, [X[:3, 3] for X in exps]], axis=1)


def test_pose_algebra(run, algebra_kind):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(10, 27))
    for k in (0, 12):
        rows[:, k : k + 9] = Rotation.random(10, random_state=k).as_matrix().reshape(-1, 9)
    for x, y in zip(rows, run(algebra_kind, algebra, rows, 30).real, strict=True):
        A, B, point = homogeneous(x[:9], x[9:12]), homogeneous(x[12:21], x[21:24]), x[24:27]
        close(homogeneous(y[:9], y[9:12]), A @ B, 4e-15)
        close(homogeneous(y[12:21], y[21:24]), np.linalg.inv(A), 4e-15)
        close(y[24:27], (A @ [*point, 1.0])[:3], 4e-15)
        close(y[27:30], np.linalg.solve(A, [*point, 1.0])[:3], 4e-15)


def test_exp_and_log_at_every_angle(run, kind):
    rows = branching_rows()
    for x, y in zip(rows, run(kind, branching, rows, 18).real, strict=True):
        V = x[:6]
        # Angles up to pi, lengths of order one: 5e-15 is a few roundings, and what expm leaves.
        close(homogeneous(y[:9], y[9:12]), homogeneous(x[6:15], x[15:18]), 5e-15)
        # Half a turn: a and -a are the same rotation, with different l; both must lead back to the pose.
        if np.linalg.norm(V[:3]) < 3.1415926535:
            close(y[12:18], V, 1e-14)
        back = plain(pose_exp)(tuple(y[12:18].tolist()))
        close(homogeneous(*back), homogeneous(x[6:15], x[15:18]), 1e-14)


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="nothing is compiled here")
def test_compiled_complex_steps_agree_with_plain_ones(run):
    step = 1e-30
    rows = branching_rows()
    rows = rows + 1j * step * np.random.default_rng(5).normal(size=rows.shape)
    compiled, plainly = run("complex", branching, rows, 18), run("plain complex", branching, rows, 18)
    assert np.abs(plainly.imag).max(axis=1).min() > 0.1 * step
    close(compiled.real, plainly.real, 1e-14)
    close(compiled.imag / step, plainly.imag / step, 1e-13)  # derivatives of order one to ten, two different libraries
