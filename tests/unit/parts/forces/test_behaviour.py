"""What each law is for: numbers that its equations say, one-way laws that let go, strengths that are bounded."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import linkwork as lw

from ....force_cases import CASES, evaluated, evaluated_plain, state

ONE = np.eye(3).ravel()


def given(p_a=(0, 0, 0), u_a=(0, 0, 0), w_a=(0, 0, 0), R_a=ONE, p_b=(0, 0, 0), u_b=(0, 0, 0), w_b=(0, 0, 0), R_b=ONE, t=0.0):
    return np.concatenate([np.ravel(R_a), p_a, w_a, u_a, np.ravel(R_b), p_b, w_b, u_b, [t]]).astype(float)


def on_first(kind, **values):
    """(n, f) on the first body."""
    force, _ = evaluated_plain(kind, given(**values))
    return force[:3], force[3:6]


def along(kind, q=0.0, v=0.0, t=0.0):
    return float(evaluated_plain(kind, np.array([q, v, t]))[0][0])


# ---- motors, fields, drag


def test_a_motor_turns_with_the_axes_it_is_given_in():
    quarter, half = (Rotation.from_rotvec((0, 0, a)).as_matrix() for a in (math.pi / 2, math.pi))
    for axes, expected in (("a", (0, 1, 0)), ("b", (-1, 0, 0)), ("world", (1, 0, 0))):
        n, f = on_first(lw.Motor(torque=(1, 0, 0), force=(2, 0, 0), axes=axes), R_a=quarter, R_b=half)
        assert np.allclose(n, expected) and np.allclose(f, 2 * np.array(expected))


def test_weight_hangs_on_the_first_body():
    force, stored = evaluated_plain(lw.Gravity(2.0), given(p_a=(0, 0, 3)))
    assert np.allclose(force[3:6], (0, 0, -19.62)) and stored == pytest.approx(2 * 9.81 * 3)


def test_drag_is_felt_at_the_place_relative_to_the_turning_body():
    """A point that goes round with the second body feels nothing."""
    n, f = on_first(lw.ViscousDamping(2.0, 0.5), p_a=(1, 0, 0), u_a=(0, 3, 0), w_a=(0, 0, 4), w_b=(0, 0, 3))
    assert np.allclose(f, 0) and np.allclose(n, (0, 0, -0.5))
    _, f = on_first(lw.ViscousDamping((2.0, 0.0, 1.0)), u_a=(1, 1, 1))
    assert np.allclose(f, (-2, 0, -1))


@pytest.mark.parametrize("speed", [1e-9, 1e-6, 0.005, 0.02, 3.0])
def test_a_brake_is_a_damper_at_first_and_bounded_in_the_end(speed):
    n, f = on_first(lw.Brake(force=6.0, torque=2.0, slip_speed=0.01, slip_rate=0.01), u_a=(0, speed, 0), w_a=(speed, 0, 0))
    assert np.allclose(f, (0, -6.0 * math.tanh(speed / 0.01), 0), rtol=1e-14)
    assert np.allclose(n, (-2.0 * math.tanh(speed / 0.01), 0, 0), rtol=1e-14)


def test_a_brake_along_an_axis_leaves_the_others_free():
    n, f = on_first(lw.Brake(force=6.0, torque=2.0, axis=(0, 0, 5)), u_a=(1, 2, 3), w_a=(4, 5, -6))
    assert np.allclose(f, (0, 0, -6)) and np.allclose(n, (0, 0, 2))


# ---- one-way laws


@pytest.mark.parametrize("name", ["support", "support with friction"])
def test_a_support_never_pulls_and_is_nothing_above_the_plane(name):
    kind, below = CASES[name].kind, 0
    for seed in range(200):
        where = state(kind, seed)
        where[12:18] *= 10  # fast enough for the damper to pull, if it could
        up = where[18:27].reshape(3, 3)[:, 2]
        height = up @ (where[9:12] - where[27:30])
        force, stored = evaluated(kind, where)
        press = up @ force[3:6]
        assert press >= 0 if height < 0 else not force.any() and stored == 0
        below += height < 0 and press == 0
    assert below > 5, "no case in which the damper would have pulled"


@pytest.mark.parametrize("speed", [-3.0, 0.0, 3.0])
def test_one_way_laws_are_continuous_where_they_let_go(speed):
    """Across the edge the force is at most what stiffness and damping make of the distance."""
    edge = 1e-7
    foot = lw.Support(900.0, 50.0, 0.01, friction=0.8)
    band, stop = lw.RubberString(900.0, 1.0, 0.2), lw.LimitStop(900.0, -1.0, 1.0, dissipation=2.0)
    for x in (-edge, edge):
        assert np.linalg.norm(on_first(foot, p_a=(0, 0, x), u_a=(1, 0, speed))[1]) < 2e-3
        assert np.linalg.norm(on_first(band, p_a=(1 + x, 0, 0), u_a=(speed, 1, 0))[1]) < 2e-4
        assert abs(along(stop, 1 + x, speed)) < 1e-3 and abs(along(stop, -1 + x, speed)) < 1e-3
    assert on_first(band, p_a=(0.9, 0, 0))[1].any() == 0 and along(stop, 0.9, speed) == 0
    assert on_first(foot, p_a=(0, 0, -0.1))[1][2] == pytest.approx(90.0)


def test_a_support_carries_and_rubs():
    _, f = on_first(lw.Support(1000.0, friction=0.5, slip_speed=1e-3), p_a=(0, 0, -0.02), u_a=(3.0, 4.0, 0.0))
    assert np.allclose(f, (-6.0, -8.0, 20.0))
    _, f = on_first(lw.Support(1000.0, 200.0, ramp=0.01), p_a=(0, 0, -0.02), u_a=(0, 0, -0.05))
    assert np.allclose(f, (0, 0, 30.0))
    _, f = on_first(lw.Support(1000.0, 200.0, ramp=0.04), p_a=(0, 0, -0.02), u_a=(0, 0, -0.05))
    assert np.allclose(f, (0, 0, 25.0))  # half way down the ramp, half of the damping


def test_a_rubber_string_gives_back_its_part_of_the_work():
    band = lw.RubberString(40.0, 0.5, restitution=0.25, smoothing=0.1)
    pull = [[np.dot(on_first(band, p_a=(x, 0, 0), u_a=(u, 0, 0))[1], (u, 0, 0)) for x in (0.8, 1.1, 1.4)] for u in (1.0, -1.0)]
    assert np.allclose(pull[0], [-12.0, -24.0, -36.0]) and np.allclose(pull[1], [3.0, 6.0, 9.0])
    resting = on_first(band, p_a=(0.8, 0, 0))[1]
    assert np.allclose(resting, (-12.0 * (1 + 0.25) / 2, 0, 0))


@pytest.mark.parametrize("speed", [0.02, 0.1])
def test_a_stop_gives_back_the_speed_that_hunt_and_crossley_say(speed):
    """e = 1 - 2 d u / 3 for small d u: the next term is of the order (d u)^2."""
    stop = lw.LimitStop(1e4, upper=0.0, dissipation=1.0)

    def motion(t, y):
        return [y[1], along(stop, y[0], y[1]) / 2.0]

    def leaves(t, y):
        return y[0] + 1e-12

    leaves.terminal, leaves.direction = True, -1
    end = solve_ivp(motion, (0, 1), [0.0, speed], events=leaves, rtol=1e-9, atol=1e-12).y[1, -1]
    assert end < 0
    assert -end / speed == pytest.approx(1 - 2 * speed / 3, abs=speed**2)
    assert -end / speed < 1 - speed / 3


# ---- turning


def test_a_torsion_spring_about_a_hinge_turns_about_the_hinge():
    axis = np.array([0.6, 0.0, 0.8])
    for angle in (-3.0, -0.2, 0.0, 0.5, 2.9):
        n, _ = on_first(lw.TorsionSpring(4.0, axis=axis * 7, rest=0.1), R_a=Rotation.from_rotvec(axis * angle).as_matrix())
        assert np.allclose(n, -4.0 * (angle - 0.1) * axis, atol=1e-13)


def test_a_torsion_spring_takes_the_shorter_way_to_its_rest():
    for angle, away in ((3.0, -2 * math.pi + 3.0 + 1.0), (-3.0, -2.0)):
        n, _ = on_first(lw.TorsionSpring(1.0, axis=(0, 0, 1), rest=-1.0), R_a=Rotation.from_rotvec((0, 0, angle)).as_matrix())
        assert n[2] == pytest.approx(-away)


def test_a_frame_that_is_turned_over_has_no_angle_and_feels_no_torque():
    over = Rotation.from_rotvec((math.pi, 0, 0)).as_matrix()
    force, stored = evaluated_plain(lw.TorsionSpring(4.0, axis=(0, 0, 1), rest=0.3), given(R_a=over.round()))
    assert not force.any() and stored == 0


def test_a_bushing_is_its_matrix_for_small_displacements():
    K = np.diag([3.0, 4.0, 5.0, 60.0, 70.0, 80.0])
    K[0, 4] = K[4, 0] = 6.0
    x = 1e-6 * np.array([1.0, -2.0, 3.0, 4.0, -5.0, 6.0])
    n, f = on_first(lw.Bushing(K), R_a=Rotation.from_rotvec(x[:3]).as_matrix(), p_a=x[3:])
    assert np.allclose([*n, *f], -K @ x, rtol=1e-5)
    assert lw.Bushing(np.diag(K)) == lw.Bushing(np.diag(np.diag(K)))


# ---- friction and attraction


def test_friction_of_sticking_falls_to_that_of_sliding():
    kind = lw.JointFriction(2.0, 1e-3, static=3.0, stribeck_speed=0.1)
    assert along(kind, v=0.01) == pytest.approx(-2.0 - math.exp(-0.01), rel=1e-6)
    assert along(kind, v=1.0) == pytest.approx(-2.0) and along(kind, v=-1.0) == pytest.approx(2.0)
    assert along(kind, q=5.0, v=0.0) == 0
    assert along(lw.JointFriction(2.0), v=0.005) == pytest.approx(-2.0 * math.tanh(0.5))


def test_attraction_falls_with_the_square():
    assert np.allclose(on_first(lw.Attraction(8.0), p_b=(0, 2, 0))[1], (0, 2, 0))
    assert np.allclose(on_first(lw.Attraction(8.0), p_b=(0, 4, 0))[1], (0, 0.5, 0))
    assert not on_first(lw.Attraction(8.0))[1].any() and not on_first(lw.Attraction(8.0, 0.1))[1].any()
