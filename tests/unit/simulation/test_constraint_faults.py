"""Prescribed motion is followed, or the run says by the name of its constraint that it is not; time functions that no motion follows before it follows them."""

import math
import time
import warnings

import numpy as np
import pytest
from scipy.interpolate import Akima1DInterpolator, CubicSpline, PchipInterpolator, PPoly

import linkwork as lw
from linkwork.integrators import progress_check
from linkwork.simulation.constraint_faults import PrescribedMotion, open_constraint

PROJECTING = [lw.RungeKutta4(), lw.SemiImplicitEuler(), lw.Adams(), lw.Adaptive(), lw.Adaptive(order=8)]
ALL = [*PROJECTING, lw.Implicit(), lw.Implicit(step=1e-3), lw.Variational()]


def there_and_back(t):
    return min(t, 1.0 - t)


KINK = PPoly([[1.0, -1.0], [0.0, 0.5]], [0, 0.5, 1])


def held(kind):
    """A free body under one constraint, which leaves it five freedoms."""
    m = lw.Mechanism("held", gravity=(0, 0, 0))
    body = m.add_body("b", mass=2.0, com=(0.1, 0.2, 0.3), inertia=(1.0, 1.2, 0.9))
    m.add_constraint("c", kind, body, m.ground)
    return m


# Functions of time of tests with many cases: here, so that each is compiled once.
def at_unit_speed(t):
    return t


def step_up(t):
    return 0.0 if t < 0.5 else 0.1


def to_half_a_turn(t):
    return 3.0 + t


def slider(kind):
    m = lw.Mechanism("slider", gravity=(0, 0, 0))
    body = m.add_body("b", mass=2.0, inertia=(1, 1, 1))
    m.add_joint("j", lw.Prismatic((1, 0, 0)), m.ground, body)
    m.add_constraint("d", kind, "j")
    return m


def run(mechanism, duration, integrator=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.FailedRunWarning)
        return lw.simulate(mechanism, duration, integrator, **options)


# ---- jumps


@pytest.mark.slow
@pytest.mark.parametrize("integrator", PROJECTING, ids=str)
@pytest.mark.parametrize("height", [there_and_back, KINK], ids=["function", "spline"])
def test_a_kink_of_prescribed_motion_does_not_leave_free_coordinates_wrong_without_a_word(height, integrator):
    """Adams finished with free coordinates that were a third of the right ones: the projection took the jump of velocity for drift."""
    rec = run(held(lw.PointOnPlane(height=height)), 1.0, integrator)
    assert rec.status == "failed" and rec.status.row == "c"
    assert "constraint 'c': its time function jumps by 2 m/s" in str(rec.status) and "at t = 0.5 s" in str(rec.status)
    # What is kept is the motion before the kink: that of a height t, by a tight method. Semi-implicit Euler is of order 1: half a step of 1 ms.
    exact = lw.simulate(held(lw.PointOnPlane(height=at_unit_speed)), 0.5, lw.Adaptive(rtol=1e-11, atol=1e-12), record_interval=0.02)
    allowed = 1e-3 if isinstance(integrator, lw.SemiImplicitEuler) else 1e-8
    assert 0.4 <= rec.time[-1] <= 0.5
    assert np.abs(rec.q - exact.q[: len(rec)]).max() < allowed


@pytest.mark.parametrize("integrator", [lw.Variational(), lw.Implicit(step=1e-3)], ids=str)
def test_methods_that_solve_constraints_take_a_kink_as_the_impact_it_is(integrator):
    rec = run(held(lw.PointOnPlane(height=there_and_back)), 1.0, integrator)
    # Newton and Euler's equations with an impulse at 0.5 s, by DOP853 at 1e-12; the step of 1 ms ends at the kink.
    assert rec.status == "finished" and rec.q[-1, :2] == pytest.approx([8.58622573e-3, 2.49088529e-2], rel=1e-5)


KINK_FROM_REST = PPoly([[0.0, 1.0], [0.0, 0.0]], [0, 0.5, 1])


@pytest.mark.slow
@pytest.mark.parametrize("integrator", [lw.Variational(), lw.Implicit(step=1e-3)], ids=str)
@pytest.mark.parametrize("target", [lambda t: max(t - 0.5, 0.0), KINK_FROM_REST], ids=["function", "spline"])
def test_an_impact_of_prescribed_motion_from_rest_is_no_energy_from_nowhere(integrator, target):
    """Variational, which the messages of others recommend, failed: the work of the impact stood in no book."""
    rec = run(slider(lw.Drive(target)), 1.0, integrator)
    assert rec.status == "finished" and not rec.audit.warnings
    assert rec.q[-1, 0] == pytest.approx(0.5) and rec.v[-1, 0] == pytest.approx(1.0)
    assert rec["drives"][-1] == pytest.approx(1.0, abs=1e-6)  # J, of 2 kg at 1 m/s


def test_an_implicit_run_that_meets_a_kink_names_its_constraint():
    """ "The error stays beyond the tolerance ...; a force or a constraint jumps there"."""
    rec = run(held(lw.PointOnPlane(height=there_and_back)), 1.0, lw.Implicit())
    assert rec.status == "failed" and "constraint 'c': its time function jumps" in str(rec.status)


@pytest.mark.slow
@pytest.mark.parametrize("integrator", ALL, ids=str)
def test_a_height_that_steps_does_not_move_a_body_in_no_time(integrator):
    """It finished 10 cm further on, at rest all the way."""
    rec = run(held(lw.PointOnPlane(height=step_up)), 1.0, integrator)
    assert rec.status == "failed" and "its time function jumps by 0.1 m at t = 0.5 s" in str(rec.status)
    assert np.abs(rec.q[:, :3]).max() < 1e-12  # it has not moved yet


def test_jumps_of_no_account_are_told_and_not_refused():
    """A speed that rises by 2 % at once."""
    rec = run(slider(lw.Drive(PPoly([[1.0, 1.02], [0.0, 0.505]], [0, 0.505, 1]))), 1.0)
    assert rec.status == "finished" and any("its time function jumps by 0.02 m/s" in text for text in rec.audit.warnings)


SMOOTH = [
    lambda t: math.sin(3.0 * t),
    lambda t: 1e-3 * math.sin(2000.0 * t),  # faster than it is sampled
    lambda t: 0.1 * math.exp(-(((t - 0.5) / 0.003) ** 2)),
    lambda t: 1e4 * t * t,
    lambda t: 1.0 / (1e-4 + (t - 0.3) ** 2),
    lambda t: math.tanh(5000.0 * (t - 0.303)),
    lambda t: max(t - 0.5, 0.0) ** 2,  # its acceleration jumps
]


@pytest.mark.slow
@pytest.mark.parametrize("k", range(len(SMOOTH)))
def test_fast_and_smooth_time_functions_are_no_jumps(k):
    prescribed = PrescribedMotion(slider(lw.Drive(SMOOTH[k])).build())
    assert [prescribed.first_fault(0.02 * i, 0.02 * (i + 1)) for i in range(50)] == [None] * 50


@pytest.mark.parametrize("length", [0.1, 10.0])
def test_a_jump_of_an_angle_is_measured_as_an_angle_and_that_of_a_slide_by_the_length_of_the_mechanism(length):
    """Both were measured by the length, but 1 m at most."""

    def refused(joint, size):
        m = lw.Mechanism("arm", gravity=(0, 0, 0))
        arm = m.add_body("arm", mass=1.0, com=(length, 0, 0), inertia=(1, 1, 1))
        m.add_joint("j", joint, m.ground, arm.at(-length, 0, 0))
        m.add_constraint("d", lw.Drive(PPoly([[0.0, size]], [0, 0.5, 1])), "j")
        found = PrescribedMotion(m.build()).first_fault(0.0, 1.0)
        return found.refused, "m" if " m at" in found.text() else "rad"

    assert [refused(lw.Revolute((0, 0, 1)), size) for size in (0.008, 0.012)] == [(False, "rad"), (True, "rad")]  # of 1 rad
    assert [refused(lw.Prismatic((1, 0, 0)), size * length) for size in (0.008, 0.012)] == [(False, "m"), (True, "m")]


@pytest.mark.parametrize("integrator", [lw.RungeKutta4(), lw.SemiImplicitEuler()], ids=str)
def test_copies_of_a_rollout_whose_motion_jumps_have_failed(integrator):
    model = held(lw.PointOnPlane(height=there_and_back)).build()
    sim = lw.Simulation(model)
    q, v = (np.tile(x, (11, 1)) for x in (sim.state.q, sim.state.v))
    found = lw.rollout(model, q, v, 700, integrator, every=100)
    assert found.failed.all() and np.isnan(found.q[:, 6:]).all() and np.isfinite(found.q[:, :6]).all()  # 0.5 s itself is before the jump
    assert not lw.rollout(model, q, v, 400, integrator, every=100).failed.any()


@pytest.mark.slow
def test_a_resumed_run_knows_how_fast_its_time_functions_were(tmp_path):
    """A kink that is of no account for the fast motion before it is none after a resume."""
    path = tmp_path / "run.ckpt"
    mechanism = slider(lw.Drive(lambda t: math.sin(4.0 * t) if t < 0.39 else math.sin(4.0 * t) + 0.05 * (t - 0.39)))
    lw.Simulation(mechanism, checkpoint=path).run(0.38)
    assert lw.Simulation.resumed(path, mechanism).run(0.1).status == "finished"


# ---- domains


@pytest.mark.slow
@pytest.mark.parametrize("integrator", ALL, ids=str)
def test_an_angle_that_reaches_pi_ends_the_run_by_name_within_seconds(integrator):
    """Implicit crept on for minutes; others went on with pi minus what is beyond it."""
    begun = time.perf_counter()
    rec = run(held(lw.Angle(angle=to_half_a_turn)), 0.3, integrator)
    assert rec.status == "failed" and "constraint 'c': its time function gives 3.14059 at t = 0.140593 s" in str(rec.status)
    assert "allowed are angles from 0.001 to pi - 0.001" in str(rec.status) and rec.time[-1] == pytest.approx(0.14)
    assert time.perf_counter() - begun < 20.0


@pytest.mark.slow
@pytest.mark.parametrize("length", [lambda t: 0.21 - t, CubicSpline([0, 0.05, 0.1], [0.21, 0.16, 0.11])], ids=["function", "spline"])
@pytest.mark.parametrize("integrator", ALL, ids=str)
def test_a_length_below_zero_is_not_taken_without_its_sign(length, integrator):
    """SemiImplicitEuler finished with |length|."""
    m = lw.Mechanism("rod", gravity=(0, 0, 0))
    body = m.add_body("b", mass=2.0, inertia=(1, 1, 1))
    m.add_joint("j", lw.Prismatic((1, 0, 0)), m.ground, body)
    m.add_constraint("rod", lw.Distance(length), body, m.ground)
    rec = run(m, 0.3, integrator, q=[0.21])
    assert rec.status == "failed" and "constraint 'rod': its time function gives" in str(rec.status) and "at t = 0.21 s" in str(rec.status)
    assert rec.time[-1] <= 0.21 and rec.q.min() > 0.0


def test_an_implicit_run_that_creeps_does_not_wait_for_as_many_steps_as_an_explicit_one(monkeypatch):
    """A step of it takes a hundred times as long."""
    monkeypatch.setattr(progress_check, "SHARE", 1.0)

    class Creeping:
        time, steps, rejections, step_cost = 0.0, 0, 0, lw.Implicit().start(lw.Simulation(held(lw.PointOnPlane())).system, 0.0).step_cost

    method = Creeping()
    watch = progress_check.ProgressCheck(method, 1.0)
    method.steps, method.time = 2000, 1e-9
    with pytest.raises(Exception, match="no progress"):
        watch.check()


# ---- ends of splines

AKIMA = Akima1DInterpolator([0, 0.3, 0.6, 0.8, 1], [0, 0.1, 0.3, 0.2, 0.0])
ENDING = CubicSpline([0, 0.5, 1], [0, 0.3, 0], extrapolate=False)


@pytest.mark.parametrize("integrator", [lw.RungeKutta4(), lw.Adaptive(), lw.Adams(), lw.Implicit(), lw.Variational()], ids=str)
@pytest.mark.parametrize("spline", [AKIMA, ENDING], ids=["Akima", "Cubic"])
def test_a_spline_that_does_not_extrapolate_is_not_followed_beyond_its_end(spline, integrator):
    """It was, to -8 m and further."""
    rec = run(slider(lw.Drive(spline)), 2.0, integrator)
    assert rec.status == "failed" and rec.time[-1] == pytest.approx(1.0)
    assert "constraint 'd': its spline, from 0 to 1 s, says that it does not extrapolate, and ends at t = 1 s" in str(rec.status)
    assert "extrapolate=True" in str(rec.status)
    whole = run(slider(lw.Drive(spline)), 1.0, integrator)
    assert whole.status == "finished" and whole.q[:, 0] == pytest.approx(spline(np.minimum(whole.time, 1.0)), abs=1e-9)


def test_a_spline_that_does_not_extrapolate_is_not_followed_before_its_begin():
    late = CubicSpline([1, 1.5, 2], [0, 0.3, 0], extrapolate=False)
    with pytest.raises(lw.StateError, match=r"t: found 0 s; allowed by constraint 'd'.* is 1 to 2 s"):
        run(slider(lw.Drive(late)), 0.5)
    assert run(slider(lw.Drive(late)), 0.5, t=1.0).status == "finished"


@pytest.mark.parametrize("where", ["drive", "path"])
def test_a_periodic_spline_is_refused_with_what_to_do(where):
    """It was followed along its last piece, period or not."""
    once = CubicSpline([0, 0.5, 1], [0, 0.3, 0], bc_type="periodic")
    path = CubicSpline([0, 0.5, 1], [[0, 0, 0], [0.3, 0, 0], [0, 0, 0]], bc_type="periodic")
    with pytest.raises(lw.ModelError, match=r"extrapolate='periodic'.*allowed are True and False.*np\.tile"):
        lw.Drive(once) if where == "drive" else lw.FollowPath(path)


def test_files_keep_that_a_spline_ends(tmp_path):
    path = tmp_path / "ending.toml"
    lw.Document(slider(lw.Drive(ENDING))).save(path)
    again = lw.Document.open(path).mechanism
    assert "extrapolate = false" in path.read_text()
    assert again.constraint("d").kind == lw.Drive(ENDING) != lw.Drive(CubicSpline([0, 0.5, 1], [0, 0.3, 0]))
    assert run(again, 2.0).status == "failed"
    path.write_text(path.read_text().replace("extrapolate = false", 'extrapolate = "periodic"'))
    with pytest.raises(lw.FormatError, match="allowed are true and false"):
        lw.Document.open(path)


# ---- prescribed motion in runs

STEPPED = PPoly([[0.0, 0.2]], [0, 0.5, 1])  # a speed of 0, then of 0.2 m/s
RAMP = PPoly([[1.0, -1.0], [0.0, 0.5]], [0, 0.5, 1])  # there and back


def pulse(t):
    return 0.1 * math.exp(-(((t - 5.0) / 0.03) ** 2))


@pytest.mark.parametrize("integrator", [lw.RungeKutta4(), lw.SemiImplicitEuler(), lw.Adaptive(), lw.Adaptive(order=8), lw.Adams()])
@pytest.mark.parametrize("kind", [lw.SpeedDrive(STEPPED), lw.SpeedDrive(lambda t: 0.0 if t < 0.5 else 0.2), lw.Drive(RAMP)])
def test_a_drive_that_jumps_is_not_silently_left_behind(kind, integrator):
    rec = run(slider(kind), 1.0, integrator)
    assert rec.status == "failed"
    assert rec.status.time < 0.5
    assert "jumps" in str(rec.status)
    if not isinstance(integrator, lw.Adams):  # which brings its samples onto the constraints: there the energy tells
        assert "constraint 'd'" in str(rec.status)


@pytest.mark.parametrize("integrator", [lw.RungeKutta4(), lw.Adaptive(), lw.Adaptive(order=8), lw.Adams(), lw.Implicit()])
def test_steps_do_not_pass_over_a_pulse_between_the_breaks_of_a_spline(integrator):
    times = np.r_[0, 2, 4, np.linspace(4.8, 5.2, 41), 6, 8, 10]
    spline = CubicSpline(times, [pulse(t) for t in times])
    rec = run(slider(lw.Drive(spline)), 10.0, integrator)
    assert rec.status == "finished"
    assert np.abs(rec.q[:, 0]).max() > 0.09
    assert np.abs(rec.q[:, 0] - spline(rec.time)).max() < 1e-10  # the constraint tolerance


@pytest.mark.slow
@pytest.mark.parametrize("integrator", [lw.Adaptive(), lw.Adaptive(order=8), lw.Adams(), lw.Implicit()], ids=str)
def test_steps_do_not_pass_over_a_pulse_of_a_plain_function(integrator):
    """The run failed at a sample off the constraint."""
    rec = run(slider(lw.Drive(pulse)), 10.0, integrator)
    assert rec.status == "finished"
    assert np.abs(rec.q[:, 0] - [pulse(t) for t in rec.time]).max() < 1e-9  # ten times the constraint tolerance


def test_what_is_open_by_a_loose_tolerance_is_told_in_the_audit():
    m = lw.shipped("four-bar")
    rec = lw.simulate(m, 2.0, lw.Adaptive(rtol=1e-2, atol=1e-3))
    assert rec.status == "finished"
    assert rec.audit.gap.value > 1e-4
    assert any("constraint 'C'" in text for text in rec.audit.warnings)
    assert not any("constraint" in text for text in lw.simulate(m, 2.0, lw.Adaptive()).audit.warnings)


def ramp(t):
    return min(max((t - 0.5) / 0.2, 0.0), 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("integrator", "error"),
    [
        (lw.RungeKutta4(1e-3), 1e-6),
        (lw.SemiImplicitEuler(1e-3), 1e-3),
        (lw.Implicit(), 1e-5),
        (lw.Adaptive(), 1e-9),
        (lw.Adaptive(order=8), 1e-9),
        (lw.Adams(), 1e-9),
    ],
)
def test_a_speed_that_rises_at_once_to_a_ramp_is_followed(integrator, error):
    """1.4 m: the acceleration jumps, the speed does not; each method to its order or tolerance. Adaptive and Adams failed."""
    rec = run(slider(lw.SpeedDrive(ramp)), 2.0, integrator)
    assert rec.status == "finished"
    assert abs(rec.q[-1, 0] - 1.4) < error
    assert rec.audit.velocity_gap.value < 1e-6


def test_copies_follow_a_ramp_of_speed():
    made = lw.rollout(slider(lw.SpeedDrive(ramp)), np.zeros((9, 1)), np.zeros((9, 1)), 2000, every=2000)
    assert not made.failed.any()
    assert np.abs(made.q[:, -1, 0] - 1.4).max() < 1e-6


def test_a_spline_whose_acceleration_jumps_is_followed():
    spline = PchipInterpolator([0, 0.3, 0.6, 1.0, 2.0], [0, 0.1, -0.1, 0.2, 0])
    rec = run(slider(lw.Drive(spline)), 1.2, lw.RungeKutta4(1e-3))
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
