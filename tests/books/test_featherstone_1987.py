"""R. Featherstone, Robot Dynamics Algorithms, Kluwer 1987: worked examples and facts that can be computed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwork as lw

from ..laws.measures import assert_close, case, condition, seeds
from ..laws.mechanisms import add_random_body, direction, random_pose

PARENTS = (0, 1, 2, 1, 4, 4)  # lambda of the tree of section 7.2


def tree(parents, floating=False):
    """Hinges about random axes with random offsets; link k + 1 hangs on link parents[k], 0 is the ground."""
    rng = np.random.default_rng(1987)
    m = lw.Mechanism("tree")
    links = [m.ground]
    if floating:
        links[0] = add_random_body(m, "base", rng)
    for k, parent in enumerate(parents, 1):
        links.append(add_random_body(m, f"link {k}", rng))
        m.add_joint(f"joint {k}", lw.Revolute(direction(rng)), links[parent].at(random_pose(rng)), links[k].at(random_pose(rng)))
    return m.build()


def in_book_order(model, matrix):
    """Rows and columns by the number of the joint; the model numbers depth first."""
    order = [model.joint(f"joint {k}").v_index.start for k in range(1, len(model.joints) + 1)]
    return matrix[np.ix_(order, order)]


def test_branches_leave_zeros_in_the_inertia_matrix():
    """Section 7.2: for lambda = (0, 1, 2, 1, 4, 4) the zero entries are exactly (2,4) (2,5) (2,6) (3,4) (3,5) (3,6) (5,6) and their mirror."""
    model = tree(PARENTS)
    H = in_book_order(model, lw.mass_matrix(model, np.linspace(-1, 1, 6)))
    zeros = {(int(i) + 1, int(j) + 1) for i, j in np.argwhere(H == 0.0)}
    upper = {(2, 4), (2, 5), (2, 6), (3, 4), (3, 5), (3, 6), (5, 6)}
    assert zeros == upper | {(j, i) for i, j in upper}


def test_hybrid_dynamics_by_partition_of_the_inertia_matrix():
    """Section 7.5.2, eq. 7.32-7.34: H_11 qdd_1 = Q_1 - C'_1, then Q_2 = H_21 qdd_1 + C'_2, on the branched tree."""
    model, rng = tree(PARENTS), np.random.default_rng(7)
    q, v, known = rng.normal(size=(3, 6))
    driven = np.array([False, True, False, True, True, False])
    H, free = lw.mass_matrix(model, q), ~driven
    C = lw.inverse_dynamics(model, q, v, np.where(driven, known, 0.0))
    vdot, tau = known.copy(), known.copy()
    vdot[free] = np.linalg.solve(H[np.ix_(free, free)], known[free] - C[free])
    tau[driven] = H[np.ix_(driven, free)] @ vdot[free] + C[driven]
    found_vdot, found_tau = lw.hybrid_dynamics(model, q, v, known, driven)
    assert_close(found_vdot, vdot, scale=10.0 * condition(model, q))
    assert_close(found_tau, tau, scale=100.0 * condition(model, q))


def test_floating_base_inverse_dynamics():
    """Eq. 7.25-7.31: a_0 = (I^C_0)^-1 (f_0 - p_0), where p_0 is the force that the base would need to stay unaccelerated."""
    model, rng = tree(PARENTS, floating=True), np.random.default_rng(8)
    q, v, known = lw.random_configuration(model, rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    base = model.joint("base.free").v_index
    still = known.copy()
    still[base] = 0.0
    p = lw.inverse_dynamics(model, q, v, still)[base]
    composite = lw.mass_matrix(model, q)[base, base]
    vdot, tau = lw.hybrid_dynamics(model, q, v, known, [f"joint {k}" for k in range(1, 7)])
    expected = np.linalg.solve(composite, known[base] - p)
    assert_close(vdot[base], expected, scale=np.max(np.abs(expected)) * condition(model, q))
    assert_close(lw.inverse_dynamics(model, q, v, vdot), tau, scale=1000.0)  # forces of some 100 N in 7 bodies


# ------------------------------------------------------------------------------------------------ articulated-body inertia


def articulated_inertia(model, q, handle):
    """I^A of a floating assembly at one of its bodies: the inverse of the inverse inertia, in the body's frame."""
    return np.linalg.inv(lw.inverse_inertia(model, q, handle, axes="body"))


def two_bodies(joint, rng=None):
    """A handle body of mass 2 and a second of mass 3 on it; both centres of mass on the joint's axis, at the origin, unless drawn at random."""
    m = lw.Mechanism("two bodies", gravity=(0, 0, 0))
    if rng is None:
        handle = m.add_body("handle", mass=2.0, inertia=(0.2, 0.2, 0.2))
        second = m.add_body("second", mass=3.0, inertia=(0.3, 0.1, 0.3))
        m.add_joint("joint", joint, handle, second)
    else:
        handle, second = add_random_body(m, "handle", rng), add_random_body(m, "second", rng)
        m.add_joint("joint", joint, handle.at(random_pose(rng)), second.at(random_pose(rng)))
    return m.build()


ROUND = 1e-13  # inverting a 6x6 inertia of condition number 30


def test_sphere_on_a_cylinder():
    """Section 3.6.1: through a cylindric joint along y the mass seen at the handle is diag(m1 + m2, m1, m1 + m2)."""
    model = two_bodies(lw.Cylindrical((0, 1, 0)))
    IA = articulated_inertia(model, lw.neutral(model), "handle")
    assert_close(IA[3:, 3:], np.diag([5.0, 2.0, 5.0]), ROUND)
    assert_close(IA[:3, :3], np.diag([0.5, 0.2, 0.5]), ROUND)
    assert_close(IA[:3, 3:], np.zeros((3, 3)), ROUND, scale=5.0)


def test_sphere_on_a_screw_has_no_centre_of_mass():
    """Section 3.6.1: a screw joint of pitch p couples mass and rotation: I_22 p m / (I_22 + p^2 m) stands where a rigid body has zero."""
    p, m2, I2 = 0.2, 3.0, 0.1
    model = two_bodies(lw.Screw((0, 1, 0), p))
    IA = articulated_inertia(model, lw.neutral(model), "handle")
    D = I2 + p * p * m2
    assert_close(IA[1, 4], -I2 * p * m2 / D, ROUND)  # a rigid body has a skew block here, with a zero diagonal
    assert_close(IA[4, 4], 2.0 + m2 * I2 / D, ROUND)
    assert_close(IA[1, 1], 0.2 + I2 * p * p * m2 / D, ROUND)
    assert abs(IA[1, 4]) > 0.1


@given(seed=st.integers(0, 2**16))
def test_two_body_formula(seed):
    """Eq. 6.25: I_1^A = I_1 + I_2 - I_2 s s^S I_2 / (s^S I_2 s), everything in the frame of body 1."""
    rng = np.random.default_rng(seed)
    model = two_bodies(lw.Screw(direction(rng), rng.uniform(-0.5, 0.5)), rng)
    q = lw.random_configuration(model, rng)
    kinematics = lw.forward_kinematics(model, q)
    X = kinematics.pose("handle").inverse() @ kinematics.pose("second")
    one, two = model.body("handle").inertia.matrix, model.body("second").inertia.transformed(X).matrix
    at = model.joint("joint").v_index
    relative = (
        lw.jacobian(model, q, "second", axes="body")[:, at] - X.inverse().adjoint @ lw.jacobian(model, q, "handle", axes="body")[:, at]
    )
    s = X.adjoint @ relative
    expected = one + two - two @ s @ s.T @ two / (s.T @ two @ s)
    assert_close(articulated_inertia(model, q, "handle"), expected, scale=np.linalg.cond(expected) * np.max(np.abs(expected)))


@pytest.mark.slow
@given(seed=seeds)
def test_articulated_inertia_lies_between_rigid_and_composite_inertia(seed):
    """Section 6.3: x^S I x <= x^S I^A x <= x^S I^C x for all x, for the base of every floating tree."""
    _, model, q, *_ = case(seed, "floating")
    root = model.joints[0]
    I = model.body(root.child).inertia.matrix
    IC = lw.mass_matrix(model, q)[root.v_index, root.v_index]
    IA = articulated_inertia(model, q, root.child)
    rounding = 1e-12 * np.max(np.abs(IC)) * np.linalg.cond(IA)
    assert np.linalg.eigvalsh(IA - I)[0] > -rounding
    assert np.linalg.eigvalsh(IC - IA)[0] > -rounding
    assert np.linalg.eigvalsh(IC - IA)[-1] > 1e3 * rounding or all(joint.nv == 0 for joint in model.joints[1:])


@given(seed=st.integers(0, 2**16))
def test_a_free_child_leaves_the_articulated_inertia_alone(seed):
    """Section 7.4.3: through a joint of six freedoms nothing is felt, I^A = I."""
    rng = np.random.default_rng(seed)
    model = two_bodies(lw.Free(), rng)
    q = lw.random_configuration(model, rng)
    I = model.body("handle").inertia.matrix
    assert_close(articulated_inertia(model, q, "handle"), I, scale=np.max(np.abs(I)) * np.linalg.cond(I))


@pytest.mark.parametrize("freedoms", range(1, 9))
def test_rank_of_the_inverse_inertia_is_the_number_of_freedoms(freedoms):
    """Section 3.5: a body behind k hinges has an inverse inertia of rank min(k, 6); its null space are the forces that do not move it."""
    rng = np.random.default_rng(35)
    m = lw.Mechanism("arm")
    near = m.ground
    for k in range(freedoms):
        far = add_random_body(m, f"link {k}", rng)
        m.add_joint(f"joint {k}", lw.Revolute(direction(rng)), near.at(random_pose(rng)), far.at(random_pose(rng)))
        near = far
    model = m.build()
    Phi = lw.inverse_inertia(model, lw.random_configuration(model, rng), near.name)
    values = np.linalg.eigvalsh(Phi)
    assert np.count_nonzero(values > 1e-9 * values[-1]) == min(freedoms, 6)
    assert values[0] > -1e-12 * values[-1]


@given(pitch=st.floats(-3.0, 3.0), seed=st.integers(0, 2**16))
def test_unit_force_of_a_screw_joint(pitch, seed):
    """Section 7.3: the couple 1 / (1 + p^2) with the force p / (1 + p^2) along the axis is a unit force: it does 1 J over a unit of q."""
    rng = np.random.default_rng(seed)
    m = lw.Mechanism("screw", gravity=(0, 0, 0))
    nut = add_random_body(m, "nut", rng)
    axis = direction(rng)
    place = random_pose(rng)
    m.add_joint("thread", lw.Screw(axis, pitch), m.ground.at(random_pose(rng)), nut.at(place))
    model, a = m.build(), axis / np.linalg.norm(axis)
    wrench = place.force_adjoint @ (np.concatenate([a, pitch * a]) / (1.0 + pitch * pitch))
    q = [rng.normal()]
    assert_close(lw.inverse_dynamics(model, q, [0.0], [0.0], {"nut": wrench}), [-1.0], 1e-14, scale=1.0 + abs(pitch))
    assert_close(lw.forward_dynamics(model, q, [0.0], [0.0], {"nut": wrench}), lw.forward_dynamics(model, q, [0.0], [1.0]))


def test_at_rest_inverse_dynamics_is_the_gravity_load():
    """Section 4.4: with v = vdot = 0 what is left is gravity; with gravity as base acceleration -g it is M_0 g, so a free fall needs no force."""
    model, rng = tree(PARENTS, floating=True), np.random.default_rng(9)
    q, nothing = lw.random_configuration(model, rng), np.zeros(12)
    load = lw.inverse_dynamics(model, q, nothing, nothing)
    assert_close(lw.gravity_force(model, q), load)
    assert np.max(np.abs(load)) > 10.0
    fall = nothing.copy()
    base = model.joint("base.free")
    fall[base.v_index][3:] = lw.forward_kinematics(model, q).rotation("base").T @ model.gravity
    assert_close(lw.inverse_dynamics(model, q, nothing, fall), nothing, scale=np.max(np.abs(load)))
    assert_close(lw.forward_dynamics(model, q, nothing), fall, scale=10.0 * condition(model, q))
