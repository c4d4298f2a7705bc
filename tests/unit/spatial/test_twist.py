"""`Motion` and `Force`: what may be combined with what."""

import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from linkwork.errors import ModelError
from linkwork.spatial import Force, Motion, Pose

V, W = Motion((1, 2, 3), (4, 5, 6)), Motion((0.5, -1, 2), (3, 0, -2))
F = Force((1, -2, 0.5), (3, 1, -1))
X = Pose((0.3, -1, 2), Rotation.from_rotvec([0.3, -1.2, 0.5]))


def test_vector_space():
    assert V + W - W == V
    assert 2 * V == V * 2.0 == V + V == V / 0.5 == np.float64(2.0) * V
    assert -V + V == Motion()
    assert sum([V, W, V]) == V + W + V
    assert V.angular.tolist() == [1, 2, 3] and V.linear.tolist() == [4, 5, 6]
    assert F.moment.tolist() == [1, -2, 0.5] and F.force.tolist() == [3, 1, -1]
    assert Motion.from_array(np.asarray(V)) == V
    assert np.array(V, dtype=np.float32).dtype == np.float32
    assert V.isclose(V * (1 + 1e-12)) and not V.isclose(W)


def test_power_is_the_only_scalar_product():
    assert V.dot(F) == F.dot(V) == 1 - 4 + 1.5 + 12 + 5 - 6
    for wrong in (lambda: V.dot(W), lambda: F.dot(F), lambda: V.dot(np.ones(6)), lambda: F.dot(2)):
        with pytest.raises(TypeError, match="power needs a"):
            wrong()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: V + F, "cannot add a Motion and a Force: .*different kinds"),
        (lambda: F - V, "cannot subtract a Force and a Motion"),
        (lambda: V + np.ones(6), "cannot add a Motion and a ndarray: .*from_array"),
        (lambda: np.ones(6) + V, "cannot add a Motion and a ndarray"),
        (lambda: np.ones(6) - V, "cannot subtract a Motion and a ndarray"),
        (lambda: V + 0.0, "cannot add a Motion and a float"),
        (lambda: V * F, r"cannot multiply a Motion by a Force: .*motion.dot\(force\)"),
        (lambda: V * np.ones(6), "only by a number"),
        (lambda: V / "2", "only by a number"),
        (lambda: 1j * V, "only by a number"),
        (lambda: V.isclose(F), "cannot compare"),
        (lambda: F.cross(V), r"motion.cross\(force\)"),
        (lambda: V.cross(np.ones(6)), "must be a Motion or a Force"),
        (lambda: V.transformed(np.eye(4)), "must be a Pose"),
    ],
)
def test_other_combinations_are_refused_with_an_explanation(wrong, message):
    with pytest.raises(TypeError, match=message):
        wrong()


def test_wrong_numbers_are_refused():
    with pytest.raises(ModelError, match=r"Motion angular: found an array of shape \(2,\)"):
        Motion((1, 2))
    with pytest.raises(ModelError, match=r"Force force: .*finite"):
        Force((0, 0, 0), (np.nan, 0, 0))
    with pytest.raises(ModelError, match="it must be 6 numbers"):
        Motion.from_array((1, 2, 3))
    with pytest.raises(ModelError, match="zero vector"):
        Motion.screw((0, 0, 0))
    with pytest.raises(ModelError, match="pitch is nan"):
        Motion.screw((0, 0, 1), pitch=np.nan)


def test_cross_products_and_their_matrix():
    np.testing.assert_allclose(V.cross(W).array, V.cross_matrix @ W.array, atol=1e-14)
    np.testing.assert_allclose(V.cross(F).array, -V.cross_matrix.T @ F.array, atol=1e-14)
    assert isinstance(V.cross(W), Motion) and isinstance(V.cross(F), Force)
    assert V.cross(V) == Motion()


def test_change_of_frame_and_of_reference_point():
    np.testing.assert_allclose(V.transformed(X).array, X.adjoint @ V.array, atol=1e-14)
    np.testing.assert_allclose(F.transformed(X).array, X.force_adjoint @ F.array, atol=1e-14)
    assert V.transformed(X).transformed(X.inverse()).isclose(V)
    assert V.shifted((1, 2, 3)).shifted((-1, -2, -3)).isclose(V)
    assert V.shifted((1, 0, 0)).linear.tolist() == [4, 8, 4]
    # Moving the reference point to p is going to a parallel frame that sits at p.
    assert F.shifted((1, 2, 3)).isclose(F.transformed(Pose((1, 2, 3)).inverse()))
    assert Force.at((1, 0, 0), (0, 0, 5)).shifted((1, 0, 0)).moment.tolist() == [0, 0, 0]


def test_screw_axes():
    turn = Motion.screw((0, 0, 2), (1, 0, 0), pitch=0.25, magnitude=2.0)
    assert turn == Motion((0, 0, 2), (0, -2, 0.5))
    axis = turn.axis
    np.testing.assert_allclose([*axis.direction, *axis.point, axis.pitch, axis.magnitude], [0, 0, 1, 1, 0, 0, 0.25, 2])
    slide = Motion.screw((0, 3, 0), (7, 7, 7), pitch=np.inf, magnitude=2.0)
    assert slide == Motion((0, 0, 0), (0, 2, 0)) and slide.axis.pitch == np.inf and slide.axis.magnitude == 2.0
    line = Force.at((0, 2, 0), (5, 0, 0)).axis
    np.testing.assert_allclose([*line.direction, *line.point, line.pitch, line.magnitude], [1, 0, 0, 0, 2, 0, 0, 5])
    assert Force((0, 0, 3)).axis.pitch == np.inf


def test_identity_pickle_and_repr():
    assert Motion((0, 0, -0.0)) == Motion() and hash(Motion((0, 0, -0.0))) == hash(Motion())
    assert Motion() != Force() and hash(Motion()) != hash(Force())
    for thing in (V, F):
        assert pickle.loads(pickle.dumps(thing)) == thing
        assert eval(repr(thing)) == thing
        with pytest.raises(AttributeError, match="does not change"):
            thing._array = 1
        with pytest.raises(ValueError, match="read-only"):
            thing.array[0] = 1.0
    assert repr(F) == "Force(moment=(1, -2, 0.5), force=(3, 1, -1))"
