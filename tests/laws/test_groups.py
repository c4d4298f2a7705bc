"""The laws of the groups SO(3) and SE(3), of motions and forces, and of inertias, over drawn examples.

Everything here runs the kernels as plain Python; tests/unit/spatial shows that the compiled ones give the same numbers.
"""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.linalg import expm

from linkwork.spatial import Inertia, Pose
from linkwork.spatial.articulated import (
    articulated_downdate,
    articulated_from_rigid,
    articulated_matrix,
    articulated_times,
    articulated_to_parent,
)
from linkwork.spatial.inertia import (
    bias_force,
    inertia_from_com,
    inertia_rotate,
    inertia_shift,
    inertia_sum,
    inertia_times,
    inertia_transform,
    kinetic_energy,
)
from linkwork.spatial.matrices import times9
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
from linkwork.spatial.plain import plain
from linkwork.spatial.se3 import (
    pose_act,
    pose_compose,
    pose_exp,
    pose_inverse,
    pose_log,
)
from linkwork.spatial.so3 import (
    left_jacobian,
    left_jacobian_inverse,
    quaternion_conjugate,
    quaternion_exp,
    quaternion_from_matrix,
    quaternion_log,
    quaternion_product,
    quaternion_to_matrix,
    rotation_exp,
    rotation_log,
)

# ----------------------------------------------------------------------------------------------------------- examples
numbers = st.floats(-2.0, 2.0, allow_subnormal=False)
vectors = st.tuples(numbers, numbers, numbers)
sixes = st.tuples(*[numbers] * 6)

# Any angle up to half a turn, and those where formulas break: 0, next to 0, next to pi, pi.
angles = st.one_of(
    st.floats(0.0, np.pi),
    st.sampled_from([0.0, 1e-300, 1e-160, 1e-17, 1e-9, 1e-7, np.pi - 1e-7, np.pi - 1e-10, np.pi - 1e-15, np.pi]),
    st.floats(0.0, 1e-7),
    st.floats(np.pi - 1e-7, np.pi),
)

axes = st.sampled_from([(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (1, 1, 0), (1, -1, 1)])


@st.composite
def units(draw):
    u = np.array(draw(st.one_of(vectors, axes)), dtype=float)
    assume(np.linalg.norm(u) > 0.1)
    return u / np.linalg.norm(u)


@st.composite
def rotation_vectors(draw):
    return tuple((draw(angles) * draw(units())).tolist())


@st.composite
def quaternions(draw):
    q = plain(quaternion_exp)(draw(rotation_vectors()))
    return q if draw(st.booleans()) else tuple(-c for c in q)


@st.composite
def poses(draw):
    return plain(rotation_exp)(draw(rotation_vectors())), draw(vectors)


@st.composite
def inertias(draw):
    """Ten numbers of a body that exists: four point masses and a ball."""
    ten = plain(inertia_from_com)(0.5, draw(vectors), (0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
    for _ in range(4):
        mass = draw(st.floats(0.01, 2.0))
        ten = plain(inertia_sum)(ten, plain(inertia_from_com)(mass, draw(vectors), (0.0,) * 6))
    return ten


def close(found, expected, tolerance=1e-14):
    """Numbers of order one; 1e-14 is some tens of roundings."""
    found, expected = (np.concatenate([np.ravel(x) for x in y]) for y in (found, expected))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def square(R):
    return np.reshape(R, (3, 3))


def hat(a):
    return np.cross(np.eye(3), a)


def ad(V):
    return np.block([[hat(V[:3]), np.zeros((3, 3))], [hat(V[3:]), hat(V[:3])]])


# ------------------------------------------------------------------------------------------------------------ rotations
@given(quaternions(), quaternions(), quaternions(), vectors)
def test_unit_quaternions_are_a_group_that_rotates_vectors(p, q, r, v):
    """Associativity, identity, inverse; R is a homomorphism onto rotation matrices, blind to the sign of q."""
    product, conjugate, matrix = (plain(f) for f in (quaternion_product, quaternion_conjugate, quaternion_to_matrix))
    close(product(product(p, q), r), product(p, product(q, r)))
    close(product(q, (1.0, 0.0, 0.0, 0.0)), q, 0.0)
    close(product(q, conjugate(q)), (1, 0, 0, 0))
    close(matrix(product(p, q)), square(matrix(p)) @ square(matrix(q)))
    close(product(product(q, (0.0, *v)), conjugate(q)), (0.0, *(square(matrix(q)) @ v)), 4e-14)
    close(matrix(tuple(-c for c in q)), matrix(q), 0.0)
    R = square(matrix(q))
    close(R.T @ R, np.eye(3))
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-14)


@given(quaternions())
def test_matrix_and_quaternion_are_the_same_rotation(q):
    """From any of the four cases of the conversion, q returns up to its sign, with w >= 0."""
    found = np.array(plain(quaternion_from_matrix)(plain(quaternion_to_matrix)(q)))
    assert found[0] >= 0.0
    close(min((found, -found), key=lambda x: np.abs(x - q).max()), q, 2e-15)


@given(rotation_vectors())
def test_exp_and_log_of_rotations_are_inverse_at_every_angle(a):
    """log exp a = a for |a| <= pi to a few roundings, through quaternions and through matrices, for either sign of q."""
    q, R = plain(quaternion_exp)(a), plain(rotation_exp)(a)
    close(plain(quaternion_to_matrix)(q), R, 2e-15)
    results = [plain(quaternion_log)(q), plain(quaternion_log)(tuple(-c for c in q)), plain(rotation_log)(R)]
    for found in results:
        assert np.linalg.norm(found) <= np.pi * (1 + 4e-16)
        close(plain(rotation_exp)(found), R, 2e-15)
        # Within rounding of half a turn, a and -a cannot be told apart.
        signs = (1.0, -1.0) if np.linalg.norm(a) > np.pi - 2e-15 else (1.0,)
        assert min(np.abs(s * np.array(found) - a).max() for s in signs) < 3e-15
    assert results[0] == results[1]


@given(rotation_vectors())
def test_small_rotations_keep_their_digits(a):
    """The relative error of log exp a is a few roundings, however small a is."""
    assume(0.0 < np.linalg.norm(a) < 1e-3)
    for found in (plain(quaternion_log)(plain(quaternion_exp)(a)), plain(rotation_log)(plain(rotation_exp)(a))):
        assert np.linalg.norm(np.subtract(found, a)) <= 2e-15 * np.linalg.norm(a)


@given(rotation_vectors(), vectors)
def test_jacobians_of_exp_are_derivatives(a, da):
    """exp(a + da) = exp(J_l da) exp(a) = exp(a) exp(J_l^T da), by complex step; the inverse inverts."""
    step = 1e-40
    R = square(plain(rotation_exp)(tuple(complex(x, step * d) for x, d in zip(a, da, strict=True))))
    left = square(plain(left_jacobian)(a))
    close(R.imag / step, hat(left @ da) @ R.real)
    close(R.imag / step, R.real @ hat(left.T @ da))
    close(left @ square(plain(left_jacobian_inverse)(a)), np.eye(3))


@given(rotation_vectors(), vectors)
def test_jacobian_of_exp_against_differences(a, da):
    """The same by central differences, which know nothing of complex numbers."""
    h = 1e-5
    plus, minus = (square(plain(rotation_exp)(tuple(np.add(a, s * h * np.array(da)).tolist()))) for s in (1, -1))
    velocity = (plus - minus) / (2 * h) @ square(plain(rotation_exp)(a)).T
    # The third derivative times h^2 / 6, and 1e-16 / h.
    close(velocity, hat(square(plain(left_jacobian)(a)) @ da), 1e-8)


# ---------------------------------------------------------------------------------------------------------------- poses
@given(poses(), poses(), poses(), vectors)
def test_poses_are_a_group_that_moves_points(A, B, C, x):
    compose, inverse, act = plain(pose_compose), plain(pose_inverse), plain(pose_act)
    identity = ((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    close(compose(compose(A, B), C), compose(A, compose(B, C)))
    close(compose(A, identity), A, 0.0)
    close(compose(A, inverse(A)), identity)
    close(compose(inverse(A), A), identity)
    close(act(compose(A, B), x), act(A, act(B, x)))


@given(rotation_vectors(), vectors)
def test_exp_and_log_of_poses_are_inverse_at_every_angle(a, l):
    V = (*a, *l)
    X = plain(pose_exp)(V)
    close([square(X[0]), X[1]], [expm(np.block([[hat(a), np.array(l)[:, None]], [np.zeros((1, 4))]]))[:3, k] for k in (slice(0, 3), 3)])
    found = plain(pose_log)(X)
    close(plain(pose_exp)(found), X)
    if np.linalg.norm(a) < np.pi - 2e-15:
        close(found, V)
    close(Pose.exp(V).log(), found, 0.0)


@given(rotation_vectors(), vectors, sixes)
def test_adjoint_of_exp_is_the_exponential_of_ad(a, l, W):
    """Ad(exp V) = exp(ad V) on motions, and its inverse transposed on forces."""
    V = (*a, *l)
    X = plain(pose_exp)(V)
    # SciPy's expm squares its result a few times: with |V| up to 5 it is off by some 1e-13 where ours is not.
    close(plain(motion_to_parent)(X, W), expm(ad(np.array(V))) @ W, 1e-12)
    close(plain(force_to_parent)(X, W), expm(-ad(np.array(V)).T) @ W, 1e-12)


@given(poses(), poses(), sixes)
def test_adjoint_is_a_homomorphism(A, B, V):
    AB = plain(pose_compose)(A, B)
    for there, back in ((motion_to_parent, motion_to_child), (force_to_parent, force_to_child)):
        there, back = plain(there), plain(back)
        close(there(AB, V), there(A, there(B, V)), 5e-14)
        close(back(A, there(A, V)), V, 5e-14)
        close(back(A, V), there(plain(pose_inverse)(A), V), 5e-14)


# ---------------------------------------------------------------------------------------------------- motions and forces
@given(sixes, sixes, sixes)
def test_jacobi_identity(U, V, W):
    """U x (V x W) + V x (W x U) + W x (U x V) = 0, and V x W = -W x V: motions are a Lie algebra."""
    cross = plain(cross_motion)
    total = np.array(cross(U, cross(V, W))) + cross(V, cross(W, U)) + cross(W, cross(U, V))
    close(total, np.zeros(6), 5e-14)
    close(cross(V, W), -np.array(cross(W, V)), 0.0)


@given(poses(), vectors, sixes, sixes, sixes)
def test_power_is_the_same_in_every_frame(X, r, V, W, F):
    """V . F does not see the frame or the reference point, and carrying both along leaves it: (W x V) . F + V . (W x* F) = 0."""
    expected = plain(power)(V, F)
    tolerance = pytest.approx(expected, abs=1e-12)
    assert plain(power)(plain(motion_to_parent)(X, V), plain(force_to_parent)(X, F)) == tolerance
    assert plain(power)(plain(motion_to_child)(X, V), plain(force_to_child)(X, F)) == tolerance
    assert plain(power)(plain(shift_motion)(V, r), plain(shift_force)(F, r)) == tolerance
    rate = plain(power)(plain(cross_motion)(W, V), F) + plain(power)(V, plain(cross_force)(W, F))
    assert rate == pytest.approx(0.0, abs=1e-12)


@given(poses(), sixes, sixes)
def test_cross_products_move_with_the_frame(X, V, W):
    """Ad(V x W) = Ad V x Ad W, and the same for forces."""
    to = plain(motion_to_parent)
    close(to(X, plain(cross_motion)(V, W)), plain(cross_motion)(to(X, V), to(X, W)), 1e-12)
    close(plain(force_to_parent)(X, plain(cross_force)(V, W)), plain(cross_force)(to(X, V), plain(force_to_parent)(X, W)), 1e-12)


# -------------------------------------------------------------------------------------------------------------- inertias
@given(inertias(), poses(), sixes)
def test_kinetic_energy_is_the_same_in_every_frame(I, X, V):
    """T does not see the frame; momentum and bias force move like forces; the energy of a real body is not negative."""
    moved, W = plain(inertia_transform)(X, I), plain(motion_to_parent)(X, V)
    energy = plain(kinetic_energy)(I, V)
    assert energy >= 0.0
    size = 1.0 + energy + np.abs(moved).max() * np.dot(W, W)
    assert plain(kinetic_energy)(moved, W) == pytest.approx(energy, abs=1e-14 * size)
    close(plain(inertia_times)(moved, W), plain(force_to_parent)(X, plain(inertia_times)(I, V)), 1e-14 * size)
    close(plain(bias_force)(moved, W), plain(force_to_parent)(X, plain(bias_force)(I, V)), 1e-13 * size)
    assert plain(power)(V, plain(bias_force)(I, V)) == pytest.approx(0.0, abs=1e-13 * size)  # gyroscopic forces do no work


@given(inertias(), inertias(), poses(), poses(), vectors)
def test_inertia_transforms_are_linear_and_compose(I, J, A, B, r):
    transform, add = plain(inertia_transform), plain(inertia_sum)
    size = 1e-13 * (np.abs(I).max() + np.abs(J).max() + 10.0)
    close(transform(A, transform(B, I)), transform(plain(pose_compose)(A, B), I), size)
    close(transform(A, add(I, J)), add(transform(A, I), transform(A, J)), size)
    close(plain(inertia_shift)(plain(inertia_shift)(I, r), tuple(-x for x in r)), I, size)
    R, S = A[0], B[0]
    close(plain(inertia_rotate)(R, plain(inertia_rotate)(S, I)), plain(inertia_rotate)(plain(times9)(R, S), I), size)


@given(inertias(), poses())
def test_a_real_body_is_real_in_every_frame(I, X):
    """Mass, principal moments and validity do not depend on the frame."""
    body = Inertia.from_ten(I)
    assert body.faults() == []
    moved = body.transformed(Pose((X[1]), square(X[0])))
    assert moved.faults() == []
    assert moved.mass == body.mass
    np.testing.assert_allclose(moved.principal_moments, body.principal_moments, rtol=1e-12)
    assert moved.isclose(Inertia.from_ten(plain(inertia_transform)(X, I)), 1e-12)


@given(inertias(), poses(), sixes, sixes)
def test_articulated_inertia_moves_like_a_rigid_one_and_loses_its_joint(I, X, S, V):
    """Both forms of one body agree in every frame; A - U U^T / (S . U) with U = A S does not resist along S."""
    A = plain(articulated_from_rigid)(I)
    moved = plain(articulated_to_parent)(X, A)
    size = 1e-13 * (10.0 + np.abs(plain(articulated_matrix)(moved)).max())
    close(moved, plain(articulated_from_rigid)(plain(inertia_transform)(X, I)), size)
    U = plain(articulated_times)(A, S)
    D = float(np.dot(S, U))
    assume(D > 0.1)
    left = plain(articulated_downdate)(A, U, 1.0 / D)
    scale = 1e-13 * (1.0 + np.dot(U, U) / D)
    close(plain(articulated_times)(left, S), np.zeros(6), scale * 10.0)
    assert np.dot(V, plain(articulated_times)(left, V)) >= -scale * 100.0  # still positive semi-definite
    carried = plain(articulated_to_parent)(X, left)
    W = plain(motion_to_parent)(X, V)
    force = plain(force_to_parent)(X, plain(articulated_times)(left, V))
    close(plain(articulated_times)(carried, W), force, 1e-13 * (10.0 + np.abs(plain(articulated_matrix)(carried)).max()) * 100.0)
