"""`Pose`: construction, refusal, algebra, identity."""

import copy
import pickle

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from linkwork.errors import ModelError
from linkwork.spatial import Motion, Pose

R = Rotation.from_rotvec([0.3, -1.2, 0.5])
QUATERNION = R.as_quat()[[3, 0, 1, 2]]


def test_every_form_of_a_rotation_gives_the_same_pose():
    forms = [R, R.as_matrix(), R.as_matrix().tolist(), QUATERNION, -QUATERNION, tuple(QUATERNION)]
    for form in forms:
        pose = Pose((1, 2, 3), form)
        np.testing.assert_allclose(pose.rotation, R.as_matrix(), atol=4e-16)
        np.testing.assert_array_equal(pose.translation, [1.0, 2.0, 3.0])
        np.testing.assert_allclose(pose.quaternion, QUATERNION, atol=4e-16)
        np.testing.assert_allclose(pose.as_scipy().as_matrix(), R.as_matrix(), atol=4e-16)
    assert Pose() == Pose((0, 0, 0), np.eye(3)) == Pose(rotation=(1, 0, 0, 0))


def test_roll_pitch_yaw_turn_about_fixed_axes_in_this_order():
    pose = Pose.from_rpy(0.3, -0.7, 1.9, (1, 0, 0))
    np.testing.assert_allclose(pose.rotation, Rotation.from_euler("xyz", [0.3, -0.7, 1.9]).as_matrix(), atol=4e-16)
    np.testing.assert_array_equal(pose.translation, [1, 0, 0])


def test_matrix_round_trip_is_exact():
    pose = Pose((1, 2, 3), R)
    assert Pose.from_matrix(pose.matrix) == pose
    np.testing.assert_array_equal(pose.matrix[3], [0, 0, 0, 1])


def test_composition_inverse_and_action():
    A, B = Pose((1, 2, 3), R), Pose((-1, 0.5, 2), Rotation.from_rotvec([1, 1, 0]))
    np.testing.assert_allclose((A @ B).matrix, A.matrix @ B.matrix, atol=1e-15)
    assert (A @ A.inverse()).isclose(Pose(), 1e-15)
    points = np.random.default_rng(0).normal(size=(4, 3))
    np.testing.assert_allclose((A @ B).act(points), A.act(B.act(points)), atol=2e-15)
    np.testing.assert_allclose(A.act(points[0]), A.act(points)[0], atol=1e-15)
    assert A.act((0, 0, 0)).tolist() == [1.0, 2.0, 3.0]
    assert A.act(np.zeros((2, 5, 3))).shape == (2, 5, 3)


def test_adjoints_carry_motions_and_forces():
    X = Pose((1, 2, 3), R)
    hat = np.cross(np.eye(3), X.translation)
    expected = np.block([[X.rotation, np.zeros((3, 3))], [hat @ X.rotation, X.rotation]])
    np.testing.assert_allclose(X.adjoint, expected, atol=1e-15)
    np.testing.assert_allclose(X.force_adjoint, np.linalg.inv(expected).T, atol=1e-15)


def test_exp_log_and_interpolation():
    V = np.array([0.3, -0.2, 0.9, 1.0, -2.0, 0.5])
    hat = np.block([[np.cross(np.eye(3), V[:3]), V[3:, None]], [np.zeros((1, 4))]])
    np.testing.assert_allclose(Pose.exp(V).matrix, expm(hat), atol=2e-15)
    np.testing.assert_allclose(Pose.exp(V).log(), V, atol=2e-15)
    assert Pose.exp(Motion.from_array(V)) == Pose.exp(V)
    A, B = Pose((1, 2, 3), R), Pose.exp(V)
    assert A.interpolate(B, 0.0).isclose(A, 1e-15)
    assert A.interpolate(B, 1.0).isclose(B, 4e-15)
    third = A.interpolate(B, 1 / 3)
    assert (A.inverse() @ third).isclose(Pose.exp((A.inverse() @ B).log() / 3), 4e-15)


def test_rounded_rotations_are_mended():
    """Six decimals, as files have them: the nearest rotation is taken; nothing is lost beyond the rounding."""
    rough = R.as_matrix().round(6)
    pose = Pose((0, 0, 0), rough)
    assert np.abs(rough.T @ rough - np.eye(3)).max() > 1e-8
    np.testing.assert_allclose(pose.rotation.T @ pose.rotation, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(pose.rotation, rough, atol=1e-6)
    q = Pose((0, 0, 0), QUATERNION.round(6))
    np.testing.assert_allclose(q.rotation.T @ q.rotation, np.eye(3), atol=1e-15)
    exact = R.as_matrix()
    np.testing.assert_array_equal(Pose(rotation=exact).rotation, exact)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Pose((1, 2)), r"pose translation: found an array of shape \(2,\); it must be 3 numbers"),
        (lambda: Pose((1, 2, np.nan)), "pose translation: .*nan.*; every number must be finite"),
        (lambda: Pose((1, 2, "x")), "pose translation: found .*; it must be 3 numbers"),
        (lambda: Pose((1, 2, 3j)), "it must be 3 numbers"),
        (lambda: Pose("abc"), "it must be 3 numbers"),
        (lambda: Pose(rotation=1.1 * np.eye(3)), r"not orthonormal, \|R\^T R - 1\| = 0.21"),
        (lambda: Pose(rotation=np.diag([1, 1, -1])), "reflection"),
        (lambda: Pose(rotation=np.full((3, 3), np.inf)), "finite"),
        (lambda: Pose(rotation=(1, 1, 0, 0)), r"quaternion \(1, 1, 0, 0\) has length 1.414214; it must be 1"),
        (lambda: Pose(rotation=(0, 0, 0, 0)), "has length 0"),
        (lambda: Pose(rotation=(0.1, 0.2, 0.3)), r"shape \(3,\).*Pose.from_rpy"),
        (lambda: Pose(rotation=[[1], [1, 2]]), "uneven list"),
        (lambda: Pose(rotation=Rotation.random(2)), r"shape \(2, 3, 3\)"),
        (lambda: Pose.from_matrix(np.eye(3)), "it must be 4x4 numbers"),
        (lambda: Pose.from_matrix(np.diag([1, 1, 1, 2])), r"the last row is \(0, 0, 0, 2\)"),
        (lambda: Pose.from_rpy(0, np.inf, 0), "roll, pitch, yaw"),
        (lambda: Pose.exp((1, 2, 3)), "displacement: .*it must be 6 numbers"),
        (lambda: Pose().act((1, 2)), r"points: found an array of shape \(2,\)"),
    ],
)
def test_what_is_no_pose_is_refused_with_the_reason(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_poses_in_the_wrong_place_are_type_errors():
    with pytest.raises(TypeError, match="a Pose already"):
        Pose(Pose())
    with pytest.raises(TypeError, match=r"hand in its \.rotation"):
        Pose((0, 0, 0), Pose())
    with pytest.raises(TypeError, match=r"Pose @ ndarray: .*pose\.act"):
        Pose() @ np.eye(4)
    with pytest.raises(TypeError):
        np.eye(4) @ Pose()
    with pytest.raises(TypeError, match="compares with a Pose"):
        Pose().isclose(np.eye(4))


def test_identity_hash_copy_and_pickle():
    pose = Pose((1, -0.0, 3), R)
    twin = Pose((1, 0.0, 3), R)
    assert pose == twin and hash(pose) == hash(twin)
    assert pose != Pose((1, 0, 3.0000000001), R) and pose != "pose"
    for other in (pickle.loads(pickle.dumps(pose)), copy.copy(pose), copy.deepcopy(pose)):
        assert other == pose and hash(other) == hash(pose)
        assert not other.rotation.flags.writeable
    assert len({pose, twin, pose.inverse().inverse()}) <= 2


def test_a_pose_never_changes():
    pose = Pose((1, 2, 3), R)
    for change in (lambda: setattr(pose, "translation", 1), lambda: setattr(pose, "_rotation", 1), lambda: delattr(pose, "_rotation")):
        with pytest.raises(AttributeError, match="does not change"):
            change()
    for array in (pose.translation, pose.rotation):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5.0
    given = np.zeros(3)
    kept = Pose(given)
    given[0] = 1.0
    assert kept == Pose()


def test_isclose_measures_angle_and_distance():
    assert Pose().isclose(Pose((0.9e-9, 0, 0)))
    assert not Pose().isclose(Pose((1.1e-9, 0, 0)))
    assert Pose().isclose(Pose.from_rpy(0, 0, 0.9e-9))
    assert not Pose().isclose(Pose.from_rpy(0, 0, 1.1e-9))


def test_repr_reads_like_the_call_that_makes_it():
    assert repr(Pose((0.1, 0, -2))) == "Pose((0.1, 0, -2))"
    pose = Pose((0.1, 0, -2), R)
    assert eval(repr(pose)).isclose(pose, 1e-6)
