"""Numbers that are no state, or lead to none, are refused by name, whatever a model has besides."""

import numpy as np
import pytest

import linkwork as lw


@pytest.fixture(scope="module")
def ball():
    m = lw.Mechanism("ball")
    body = m.add_body("body", mass=1.0, com=(0.1, 0, 0), inertia=(1, 2, 3))
    m.add_joint("socket", lw.Spherical(), m.ground, body)
    return m.build()


@pytest.mark.parametrize(
    "call",
    [
        lambda m, v: lw.inverse_dynamics(m, [1.0, 0, 0, 0], v, [0.0, 0, 0]),
        lambda m, v: lw.forward_dynamics(m, [1.0, 0, 0, 0], v),
        lambda m, v: lw.bias_force(m, [1.0, 0, 0, 0], v),
    ],
)
@pytest.mark.parametrize("rows", (None, 11))
def test_results_that_overflow_are_refused(ball, call, rows):
    fast = np.full(3, 1e160) if rows is None else np.full((rows, 3), 1e160)
    with pytest.raises(lw.SolverError, match="not finite"):
        call(ball, fast)
    slow = call(ball, 1e-160 * fast)
    assert np.isfinite(slow).all()


@pytest.mark.parametrize("rows", (None, 11))
def test_energy_and_accelerations_of_bodies_overflowed_to_infinity_without_a_word(ball, rows):
    """1e160 rad/s squared is beyond all numbers: every function of states says so."""
    lead = () if rows is None else (rows,)
    q, v = np.broadcast_to([1.0, 0, 0, 0], (*lead, 4)), np.full((*lead, 3), 1e160)
    for call in (lambda v: lw.energy(ball, q, v), lambda v: lw.forward_kinematics(ball, q, v, v).accelerations):
        with pytest.raises(lw.SolverError, match="not finite"):
            call(v)
        assert np.isfinite(call(1e-160 * v)).all()


def test_a_rollout_began_with_a_kinetic_energy_beyond_all_numbers(ball):
    """A Simulation refused it."""
    v = np.zeros((3, 3))
    v[1] = 1e200
    with pytest.raises(lw.StateError, match=r"^v\[1\]: the kinetic energy is inf J"):
        lw.rollout(ball, np.tile([1.0, 0, 0, 0], (3, 1)), v, 2)


def test_stored_energy_momentum_and_poses_that_overflow_are_refused():
    m = lw.Mechanism("cars")
    car = m.add_body("car", mass=1e10, inertia=(1, 1, 1))
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, car)
    trailer = m.add_body("trailer", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("hook", lw.Prismatic((1, 0, 0)), car, trailer)
    m.add_force("buffer", lw.JointSpring(1.0), "rail")
    model = m.build()
    for call in (
        lambda x: lw.momentum(model, [0.0, 0.0], [x, 0.0]),
        lambda x: lw.forward_kinematics(model, [x, x]).positions,
        lambda x: lw.energy(model, [x, 0.0], [0.0, 0.0], forces=True),
    ):
        with pytest.raises(lw.SolverError, match="not finite"):
            call(1.5e308)
        assert np.isfinite(call(1.5)[0]).all()


@pytest.mark.parametrize(
    "call",
    [
        lw.clamp,
        lw.within_limits,
        lw.assemble,
        lw.mobility,
        lw.constraint_jacobian,
        lw.applied_forces,
        lambda m, q: lw.project_velocity(m, q, [0.0, 0, 0]),
    ],
)
def test_quaternions_that_are_not_of_unit_length_are_refused_by_models_without_constraints_too(ball, call):
    with pytest.raises(lw.StateError, match=r"^q0?: .*socket"):
        call(ball, [2.0, 0, 0, 0])


@pytest.mark.parametrize(
    "rotation",
    [
        [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]],
        2.0 * np.eye(3),
        np.diag([1.0, 1.0, -1.0]),
        np.zeros((3, 3)),
        [2.0, 0, 0, 0],
        [0.0, 0, 0, 0],
        [1.01, 0, 0, 0],
    ],
)
def test_a_target_that_is_no_rotation_is_refused(ball, rotation):
    with pytest.raises(lw.StateError, match=r"targets\['body'\]: rotation is off by"):
        lw.inverse_kinematics(ball, [1.0, 0, 0, 0], [lw.Target("body", rotation=rotation)])


@pytest.mark.parametrize("speed", (float("nan"), "a", -1.0))
def test_the_speed_of_a_player_is_a_number_from_zero_on(speed):
    m = lw.Mechanism("stone")
    m.add_body("stone", mass=1.0, inertia=(1, 1, 1))
    player = lw.Player(lw.Live(m))
    try:
        with pytest.raises(lw.StateError, match=r"^speed: "):
            player.speed = speed
        assert player.speed == 1.0
    finally:
        player.close()
