"""Prescribed motion is followed, or the run says by name that it is not."""

import math
import warnings

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PchipInterpolator, PPoly

import linkwork as lw
from linkwork.simulation.open_constraints import open_constraint

STEPPED = PPoly([[0.0, 0.2]], [0, 0.5, 1])  # a speed of 0, then of 0.2 m/s
RAMP = PPoly([[1.0, -1.0], [0.0, 0.5]], [0, 0.5, 1])  # there and back


def pulse(t):
    return 0.1 * math.exp(-(((t - 5.0) / 0.03) ** 2))


def slider(kind):
    m = lw.Mechanism("slider", gravity=(0, 0, 0))
    body = m.add_body("b", mass=2.0, inertia=(1, 1, 1))
    m.add_joint("j", lw.Prismatic((1, 0, 0)), m.ground, body)
    m.add_constraint("d", kind, "j")
    return m


def run(kind, integrator, duration=1.0):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.FailedRunWarning)
        return lw.simulate(slider(kind), duration, integrator)


@pytest.mark.parametrize("integrator", [lw.RungeKutta4(), lw.SemiImplicitEuler(), lw.Adaptive(), lw.Adaptive(order=8), lw.Adams()])
@pytest.mark.parametrize("kind", [lw.SpeedDrive(STEPPED), lw.SpeedDrive(lambda t: 0.0 if t < 0.5 else 0.2), lw.Drive(RAMP)])
def test_a_drive_that_jumps_is_not_silently_left_behind(kind, integrator):
    rec = run(kind, integrator)
    assert rec.status == "failed"
    assert rec.status.time < 0.5
    assert "jumps" in str(rec.status)
    if not isinstance(integrator, lw.Adams):  # which brings its samples onto the constraints: there the energy tells
        assert "constraint 'd'" in str(rec.status)


@pytest.mark.parametrize("integrator", [lw.RungeKutta4(), lw.Adaptive(), lw.Adaptive(order=8), lw.Adams(), lw.Implicit()])
def test_steps_do_not_pass_over_a_pulse_between_the_breaks_of_a_spline(integrator):
    times = np.r_[0, 2, 4, np.linspace(4.8, 5.2, 41), 6, 8, 10]
    spline = CubicSpline(times, [pulse(t) for t in times])
    rec = run(lw.Drive(spline), integrator, 10.0)
    assert rec.status == "finished"
    assert np.abs(rec.q[:, 0]).max() > 0.09
    assert np.abs(rec.q[:, 0] - spline(rec.time)).max() < 1e-10  # the constraint tolerance


@pytest.mark.parametrize("integrator", [lw.Adaptive(), lw.Adaptive(order=8)])
def test_steps_that_pass_over_a_pulse_of_a_plain_function_are_a_failed_run(integrator):
    rec = run(lw.Drive(pulse), integrator, 10.0)
    assert rec.status == "failed"
    assert np.abs(rec.q[:, 0] - [pulse(t) for t in rec.time]).max() < 1e-2  # beyond it a sample is refused
    assert run(lw.Drive(pulse), type(integrator)(order=integrator.order, max_step=0.01), 10.0).status == "finished"


def test_what_is_open_by_a_loose_tolerance_is_told_in_the_audit():
    m = lw.shipped("four-bar")
    rec = lw.simulate(m, 2.0, lw.Adaptive(rtol=1e-2, atol=1e-3))
    assert rec.status == "finished"
    assert rec.audit.gap.value > 1e-4
    assert any("constraint 'C'" in text for text in rec.audit.warnings)
    assert not any("constraint" in text for text in lw.simulate(m, 2.0, lw.Adaptive()).audit.warnings)


def ramp(t):
    return min(max((t - 0.5) / 0.2, 0.0), 1.0)


@pytest.mark.parametrize(("integrator", "error"), [(lw.RungeKutta4(1e-3), 1e-6), (lw.SemiImplicitEuler(1e-3), 1e-3), (lw.Implicit(), 1e-5)])
def test_a_speed_that_rises_at_once_to_a_ramp_is_followed(integrator, error):
    """1.4 m: the acceleration jumps, the speed does not; each method to its order, Implicit to its tolerance of 1e-4."""
    rec = run(lw.SpeedDrive(ramp), integrator, 2.0)
    assert rec.status == "finished"
    assert abs(rec.q[-1, 0] - 1.4) < error
    assert rec.audit.velocity_gap.value < 1e-6


def test_copies_follow_a_ramp_of_speed():
    made = lw.rollout(slider(lw.SpeedDrive(ramp)), np.zeros((9, 1)), np.zeros((9, 1)), 2000, every=2000)
    assert not made.failed.any()
    assert np.abs(made.q[:, -1, 0] - 1.4).max() < 1e-6


def test_a_spline_whose_acceleration_jumps_is_followed():
    spline = PchipInterpolator([0, 0.3, 0.6, 1.0, 2.0], [0, 0.1, -0.1, 0.2, 0])
    rec = run(lw.Drive(spline), lw.RungeKutta4(1e-3), 1.2)
    assert rec.status == "finished"
    assert np.abs(rec.q[:, 0] - spline(rec.time)).max() < 1e-10


def test_a_fast_wheel_elsewhere_does_not_excuse_a_drive():
    m = slider(lw.SpeedDrive(lambda t: math.sin(200.0 * math.pi * t)))
    wheel = m.add_body("wheel", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("axle", lw.Revolute((0, 0, 1)), m.ground.at(0, 3, 0), wheel)
    v = np.zeros(2)
    model = m.build()
    v[model.joint("axle").v_index] = 1e4
    state = np.zeros(2), v, 2.5e-3, (np.zeros(1), np.array([0.2]))
    assert open_constraint(model, *state).refused
