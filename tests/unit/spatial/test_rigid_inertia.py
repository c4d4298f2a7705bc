"""`Inertia`: forms, sums, frames, and the judgement whether such a body can exist."""

import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from linkwork.errors import ModelError
from linkwork.spatial import Inertia, Pose, solids

X = Pose((0.3, -1, 2), Rotation.from_rotvec([0.3, -1.2, 0.5]))
BODY = Inertia(2.0, (0.1, 0.2, 0.3), (1.0, 0.1, 0.2, 1.5, 0.3, 2.0))


def test_three_forms_of_a_tensor():
    T = [[1.0, 0.1, 0.2], [0.1, 1.5, 0.3], [0.2, 0.3, 2.0]]
    assert Inertia(2.0, (0.1, 0.2, 0.3), T) == BODY
    np.testing.assert_array_equal(BODY.tensor, T)
    assert Inertia(1.0, tensor=(1, 2, 3)) == Inertia(1.0, (0, 0, 0), np.diag([1, 2, 3]))


def test_matrix_ten_and_back():
    assert Inertia.from_ten(BODY.ten).isclose(BODY, 1e-15)
    assert Inertia.from_matrix(BODY.matrix).isclose(BODY, 1e-15)
    c = np.cross(np.eye(3), BODY.com)
    np.testing.assert_allclose(BODY.tensor_at_origin, BODY.tensor - 2.0 * c @ c, rtol=1e-15)
    np.testing.assert_allclose(BODY.matrix[:3, 3:], 2.0 * c, rtol=1e-15)
    assert Inertia.from_matrix(np.zeros((6, 6))) == Inertia()


def test_a_matrix_of_another_form_is_refused():
    articulated = BODY.matrix
    articulated[4, 4] += 0.1
    with pytest.raises(ModelError, match=r"differs by 0\.1 .*not the inertia of one rigid body"):
        Inertia.from_matrix(articulated)


def test_change_of_frame_and_sum_agree_with_6x6():
    inverse = X.inverse().adjoint
    np.testing.assert_allclose(BODY.transformed(X).matrix, inverse.T @ BODY.matrix @ inverse, atol=2e-14)
    assert BODY.transformed(X).transformed(X.inverse()).isclose(BODY)
    other = Inertia(0.5, (1, -1, 0), (0.1, 0.1, 0.15))
    np.testing.assert_allclose((BODY + other).matrix, BODY.matrix + other.matrix, atol=1e-14)
    assert BODY + Inertia() == Inertia() + BODY == BODY
    with pytest.raises(TypeError):
        BODY + 1.0
    with pytest.raises(ModelError, match="cancel"):
        BODY + Inertia(-2.0, (0, 0, 0), (1, 1, 1))
    with pytest.raises(TypeError, match="must be a Pose"):
        BODY.transformed(np.eye(4))


@pytest.mark.parametrize(
    ("inertia", "message"),
    [
        (Inertia(-1.0, tensor=(1, 1, 1)), "the mass is -1 kg; it must be positive"),
        (Inertia(0.0, tensor=(1, 1, 1)), r"the mass is 0 but the inertia tensor is not \(principal moments \(1, 1, 1\)"),
        (Inertia(1.0, tensor=(1, 1, 3)), r"principal moments \(1, 1, 3\) kg m\^2: .*triangle inequality"),
        (Inertia(1.0, tensor=(1, 1, -1)), r"principal moments \(-1, 1, 1\) kg m\^2: all must be positive"),
        (Inertia(1.0, tensor=(0, 1, 1)), "all must be positive"),
        (Inertia(1.0), "all must be positive"),
        (Inertia(np.nan, tensor=(1, 1, 1)), "the mass is nan; it must be finite"),
        (Inertia(1.0, (0, np.inf, 0), (1, 1, 1)), r"the centre of mass is \(0, inf, 0\)"),
        (Inertia(1.0, tensor=(1, np.nan, 1)), "the inertia tensor is .*nan"),
    ],
)
def test_impossible_inertias_are_named(inertia, message):
    assert len(inertia.faults()) == 1
    with pytest.raises(ModelError, match="impossible inertia: .*" + message) as caught:
        inertia.check()
    assert caught.value.faults == tuple(("inertia", fault) for fault in inertia.faults())


def test_all_faults_come_at_once():
    assert len(Inertia(-1.0, tensor=(-1, 1, 3)).faults()) == 2
    assert len(Inertia(-1.0, tensor=(1, 1, 3)).faults()) == 2


def test_limits_that_are_allowed():
    assert Inertia().faults() == [] and Inertia().is_massless
    assert BODY.faults() == [] and BODY.check() is BODY
    # A flat plate meets the triangle inequality with equality, in any orientation.
    plate = Inertia(1.0, tensor=(0.5, 0.7, 1.2))
    assert plate.faults() == [] and plate.transformed(X).faults() == []
    assert Inertia(1.0, tensor=(0.5, 0.7, 1.2 * (1 + 0.9e-9))).faults() == []
    assert Inertia(1.0, tensor=(0.5, 0.7, 1.2 * (1 + 1.1e-9))).faults() != []
    # Point masses and thin rods pass only if asked for.
    rod = Inertia(1.0, tensor=(0, 1, 1))
    assert rod.faults(strict=False) == [] and rod.transformed(X).faults(strict=False) == []
    assert rod.transformed(X).faults() != []
    assert Inertia(1.0).faults(strict=False) == []
    assert Inertia(1.0, tensor=(1, 1, -1e-3)).faults(strict=False) != []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Inertia("heavy"), "mass: found 'heavy'; it must be one number"),
        (lambda: Inertia(None), "mass: found None; it must be one number"),
        (lambda: Inertia(True), "mass: found True"),
        (lambda: Inertia(10**400), "mass: found 1000.*; it must be one number"),
        (lambda: Inertia(1.0, (1, 2)), r"com: found an array of shape \(2,\)"),
        (lambda: Inertia(1.0, tensor=(1, 2)), r"inertia tensor: found an array of shape \(2,\); it must be 3x3"),
        (lambda: Inertia(1.0, tensor=[[1, 2, 3], [0, 1, 0], [0, 0, 1]]), "not symmetric, entries differ by 3"),
        (lambda: Inertia(1.0, tensor=[[1], [1, 2]]), "uneven list"),
        (lambda: Inertia.from_ten((1, 2)), "it must be 10 numbers"),
        (lambda: Inertia.from_shape(solids.sphere(1.0)), "either density"),
        (lambda: Inertia.from_shape(solids.sphere(1.0), density=1.0, mass=1.0), "either density"),
    ],
)
def test_what_is_no_inertia_is_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_from_shape_by_density_or_mass():
    by_density = Inertia.from_shape(solids.box(0.2, 0.02, 0.02), density=2700.0)
    assert by_density.mass == pytest.approx(2700.0 * 8e-5)
    assert by_density.tensor[1, 1] == pytest.approx(by_density.mass * (0.2**2 + 0.02**2) / 12)
    assert Inertia.from_shape(solids.box(0.2, 0.02, 0.02), mass=by_density.mass).isclose(by_density, 1e-15)

    class Shape:
        def solid(self):
            return solids.cone(0.1, 0.4)

    assert Inertia.from_shape(Shape(), mass=3.0).com == pytest.approx((0, 0, -0.1))
    with pytest.raises(TypeError, match="must be a Solid"):
        Inertia.from_shape("box", mass=1.0)


def test_identity_pickle_and_repr():
    twin = pickle.loads(pickle.dumps(BODY))
    assert twin == BODY and hash(twin) == hash(BODY)
    assert BODY != Inertia(2.0) and BODY != 2.0
    assert repr(BODY) == "Inertia(2, com=(0.1, 0.2, 0.3), tensor=(1, 0.1, 0.2, 1.5, 0.3, 2))"
    assert eval(repr(BODY)) == BODY
    assert repr(Inertia(1.0, tensor=(1, 2, 3))) == "Inertia(1, com=(0, 0, 0), tensor=(1, 2, 3))"
    with pytest.raises(AttributeError, match="does not change"):
        BODY.mass = 3.0
    with pytest.raises(ValueError, match="read-only"):
        BODY.tensor[0, 0] = 3.0
