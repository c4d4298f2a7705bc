"""The chain of elementary screws of a kind is the motion that its documentation states."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from linkwork.parts import Cylindrical, Planar, Prismatic, Revolute, Screw, Translational, Universal, Weld

# Round-off of two exponentials of 4x4 matrices with entries up to about 5.
CLOSE = {"rtol": 0, "atol": 1e-13}

numbers = st.floats(-3, 3)
axes = st.tuples(numbers, numbers, numbers).filter(lambda a: np.linalg.norm(a) > 0.1)


def motion(kind, q):
    """X_J as a 4x4 matrix, by exponentials of the elements."""
    X = np.eye(4)
    for (axis, turn, slide), value in zip(kind.elements, q, strict=True):
        x, y, z = axis
        s = np.zeros((4, 4))
        s[:3, :3] = turn * np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        s[:3, 3] = slide * np.array(axis)
        X = X @ expm(s * value)
    return X


def pose(R=None, p=(0, 0, 0)):
    X = np.eye(4)
    X[:3, :3] = np.eye(3) if R is None else R
    X[:3, 3] = p
    return X


def turn(axis, angle):
    return Rotation.from_rotvec(angle * np.array(axis) / np.linalg.norm(axis)).as_matrix()


def along(axis, distance):
    return distance * np.array(axis) / np.linalg.norm(axis)


@given(axis=axes, q=numbers, pitch=numbers)
def test_one_axis(axis, q, pitch):
    np.testing.assert_allclose(motion(Revolute(axis), [q]), pose(turn(axis, q)), **CLOSE)
    np.testing.assert_allclose(motion(Prismatic(axis), [q]), pose(p=along(axis, q)), **CLOSE)
    np.testing.assert_allclose(motion(Screw(axis, pitch), [q]), pose(turn(axis, q), along(axis, pitch * q)), **CLOSE)


@given(axis=axes, q1=numbers, q2=numbers)
def test_cylindrical_turns_and_slides(axis, q1, q2):
    np.testing.assert_allclose(motion(Cylindrical(axis), [q1, q2]), pose(turn(axis, q1), along(axis, q2)), **CLOSE)


@given(a=axes, b=axes, q1=numbers, q2=numbers)
def test_universal_turns_about_the_parents_axis_and_then_about_the_childs(a, b, q1, q2):
    np.testing.assert_allclose(motion(Universal(a, b), [q1, q2]), pose(turn(a, q1) @ turn(b, q2)), **CLOSE)


@given(normal=axes, q1=numbers, q2=numbers, angle=numbers)
def test_planar_stays_in_the_plane_and_turns_about_the_normal(normal, q1, q2, angle):
    X = motion(Planar(normal), [q1, q2, angle])
    np.testing.assert_allclose(X[:3, :3], turn(normal, angle), **CLOSE)
    n = along(normal, 1.0)
    assert abs(n @ X[:3, 3]) < 1e-13
    # The coordinates are distances along two perpendicular axes that do not turn with the child.
    assert np.linalg.norm(X[:3, 3]) == pytest.approx(np.hypot(q1, q2), abs=1e-13)


@given(normal=axes)
def test_the_axes_of_planar_are_right_handed(normal):
    (x, *_), (y, *_), (n, *_) = Planar(normal).elements
    np.testing.assert_allclose(np.cross(x, y), n, **CLOSE)


@pytest.mark.parametrize(
    ("kind", "x", "y"),
    [
        (Planar(), (1, 0, 0), (0, 1, 0)),
        (Planar((0, 0, -2)), (1, 0, 0), (0, -1, 0)),
        (Planar((0, 3, 0)), (1, 0, 0), (0, 0, -1)),
        (Planar((1, 0, 0)), (0, 1, 0), (0, 0, 1)),
        (Planar(x_axis=(0, 5, 7)), (0, 1, 0), (-1, 0, 0)),
    ],
)
def test_the_first_axis_of_planar(kind, x, y):
    assert kind.elements[0].axis == x
    assert kind.elements[1].axis == y


def test_translational_and_weld():
    np.testing.assert_allclose(motion(Translational(), [1, 2, 3]), pose(p=(1, 2, 3)), **CLOSE)
    assert Weld().elements == ()


def documented_motion(kind, q):
    """S as the kinds' files state it, for those in which it depends on q."""
    if isinstance(kind, Universal):
        (a1, *_), (a2, *_) = kind.elements
        return [(*(turn(a2, q[1]).T @ a1), 0, 0, 0), (*a2, 0, 0, 0)]
    (x, *_), (y, *_), (n, *_) = kind.elements
    R = turn(n, q[2])
    return [(0, 0, 0, *(R.T @ x)), (0, 0, 0, *(R.T @ y)), (*n, 0, 0, 0)]


def documented_rate(kind, q, v):
    """Sdot v as the kinds' files state it."""
    if isinstance(kind, Universal):
        (a1, *_), (a2, *_) = kind.elements
        return [*np.cross(turn(a2, q[1]).T @ a1, a2) * v[0] * v[1], 0, 0, 0]
    (x, *_), (y, *_), (n, *_) = kind.elements
    return [0, 0, 0, *np.cross(turn(n, q[2]).T @ (np.multiply(x, v[0]) + np.multiply(y, v[1])), n) * v[2]]


@pytest.mark.parametrize("kind", [Universal((1, 2, 3), (0, 1, -1)), Planar((1, -2, 1))], ids=["Universal", "Planar"])
def test_the_documented_motion_and_its_rate_are_derivatives_of_the_pose(kind):
    q, v, h = np.array([0.4, -0.7, 1.1])[: kind.nv], np.array([0.9, 0.5, -1.2])[: kind.nv], 1e-5
    S = documented_motion(kind, q)
    for k, step in enumerate(np.eye(kind.nv) * h):
        W = np.linalg.inv(motion(kind, q)) @ (motion(kind, q + step) - motion(kind, q - step)) / (2 * h)
        # Central differences of step 1e-5: error about 1e-10 each.
        np.testing.assert_allclose([W[2, 1], W[0, 2], W[1, 0], *W[:3, 3]], S[k], rtol=0, atol=1e-9)
    S_dot = (np.array(documented_motion(kind, q + h * v)) - documented_motion(kind, q - h * v)) / (2 * h)
    np.testing.assert_allclose(S_dot.T @ v, documented_rate(kind, q, v), rtol=0, atol=1e-9)
    assert np.linalg.norm(documented_rate(kind, q, v)) > 0.1
