"""Forces of a mechanism act in every function of states, or the function refuses."""

import numpy as np
import pytest

import linkwork as lw


def arm(rail=False):
    m = lw.Mechanism("arm")
    upper = m.add_body("upper", mass=1.5, com=(0.2, 0, 0.01), inertia=(0.02, 0.05, 0.04))
    lower = m.add_body("lower", mass=0.8, com=(0.1, 0.02, 0), inertia=(0.01, 0.03, 0.02))
    plate = m.add_body("plate", mass=0.3, com=(0, 0.01, 0), inertia=(0.01, 0.01, 0.01))
    m.add_joint("shoulder", lw.Spherical(), m.ground, upper)
    m.add_joint("elbow", lw.Revolute((0, 1, 0)), upper.at(0.4, 0, 0), lower)
    m.add_joint("glue", lw.Weld(), lower.at(0.2, 0, 0), plate)
    m.add_force("band", lw.SpringDamper(30.0, 0.7, 0.1), plate.at(0.05, 0, 0.02), m.ground.at(0.3, 0.4, 0.2))
    m.add_force("twist", lw.JointSpring(2.0, 0.1, 0.3), "elbow")
    m.add_force("rub", lw.JointDamper(0.2), "shoulder")
    if rail:
        m.add_constraint("rail", lw.PointOnPlane(), plate.at(0.05, 0, 0), m.ground.at(0.3, 0.1, 0.2))
    return m


def state(model):
    rng = np.random.default_rng(5)
    q, v = lw.random_configuration(model, rng), rng.normal(size=model.nv)
    return (lw.assemble(model, q), v) if model.nc else (q, v)


def by_hand(model, q, v):
    """Joint forces of the three laws, worked out from kinematics alone."""
    k, J = lw.forward_kinematics(model, q, v), lw.jacobian(model, q, "plate", axes="body")
    R, p = k.rotation("plate"), k.position("plate")
    V = J @ v  # spatial velocity of the plate in its own frame
    r = np.array([0.05, 0, 0.02])
    point, speed = p + R @ r, R @ (V[3:] + np.cross(V[:3], r))
    d = np.array([0.3, 0.4, 0.2]) - point
    L = np.linalg.norm(d)
    pull = (30.0 * (L - 0.1) - 0.7 * (d / L) @ speed) * d / L
    local = R.T @ pull
    tau = J.T @ np.concatenate([np.cross(r, local), local])
    elbow, shoulder = model.joint("elbow"), model.joint("shoulder")
    tau[elbow.v_index] += -2.0 * (q[elbow.q_index] - 0.3) - 0.1 * v[elbow.v_index]
    tau[shoulder.v_index] += -0.2 * v[shoulder.v_index]
    return tau


def test_accelerations_are_those_of_the_forces_worked_out_by_hand():
    for rail in (False, True):
        model = arm(rail).build()
        q, v = state(model)
        tau = by_hand(model, q, v)
        assert np.abs(tau).max() > 1.0
        bare = lw.forward_dynamics(model, q, v, tau, forces=False)
        assert lw.forward_dynamics(model, q, v) == pytest.approx(bare, rel=1e-9, abs=1e-9)
        both = lw.forward_dynamics(model, np.array([q, q]), np.array([v, v]))
        assert both == pytest.approx(np.array([bare, bare]), rel=1e-9, abs=1e-9)


def test_inverse_dynamics_undoes_forward_dynamics():
    model = arm().build()
    q, v = state(model)
    tau = np.array([0.3, -0.2, 0.1, 0.5])
    vdot = lw.forward_dynamics(model, q, v, tau)
    assert lw.inverse_dynamics(model, q, v, vdot) == pytest.approx(tau, abs=1e-9)
    assert lw.inverse_dynamics(model, q, v, vdot, forces=False) != pytest.approx(tau, abs=0.1)


def test_a_weld_carries_the_force_that_acts_on_the_welded_body():
    model = arm().build()
    q, v = state(model)
    with_band = lw.reactions(model, q, v)
    assert with_band.vdot == pytest.approx(lw.forward_dynamics(model, q, v), rel=1e-9)
    _, wrenches = lw.applied_forces(model, q, v)
    assert np.abs(wrenches[model.body("plate").index]).max() > 1.0
    assert np.abs(wrenches[model.body("lower").index]).max() == 0.0
    assert with_band.imbalance < 1e-9


def test_equilibrium_feels_springs():
    m = lw.Mechanism("scale")
    pan = m.add_body("pan", mass=2.0, inertia=(1, 1, 1))
    m.add_joint("rail", lw.Prismatic((0, 0, 1)), m.ground, pan)
    m.add_force("spring", lw.SpringDamper(stiffness=500.0, length=0.5), pan, m.ground.at(0, 0, 1))
    found = lw.equilibrium(m.build(), [0.3])
    assert float(found.q[0]) == pytest.approx(0.5 - 2.0 * 9.81 / 500.0, abs=1e-9)


def test_hybrid_dynamics_refuses_forces_it_would_ignore():
    model = arm().build()
    q, v = state(model)
    with pytest.raises(lw.ModelError, match="band"):
        lw.hybrid_dynamics(model, q, v, np.zeros(model.nv), driven=["elbow"])


def test_a_spring_between_welded_bodies_presses_each_of_them_and_moves_neither():
    """Both share a link: the weld takes 10 (1.5 - 1) = 5 N, the pair falls as without the spring."""
    m = lw.Mechanism("welded", gravity=(0, 0, -9.81))
    a, b = (m.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1)) for name in "ab")
    m.add_joint("rail", lw.Prismatic((0, 0, 1)), m.ground, a)
    m.add_joint("weld", lw.Weld(), a.at(1.5, 0, 0), b)
    m.add_force("spring", lw.SpringDamper(stiffness=10.0, length=1.0), a, b)
    model = m.build()
    tau, wrenches = lw.applied_forces(model, [0.3])
    assert wrenches == pytest.approx(np.array([[0, 0, 0, 5.0, 0, 0], [0, 0, 0, -5.0, 0, 0]]), abs=1e-12)
    assert tau.tolist() == [0.0]
    assert lw.forward_dynamics(model, [0.3], [0.0], [0.0]) == pytest.approx([-9.81], abs=1e-12)
