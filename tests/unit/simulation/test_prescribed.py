"""Time functions that no motion can follow end a run by the name of their constraint, before it follows them."""

import math
import time
import warnings

import numpy as np
import pytest
from scipy.interpolate import Akima1DInterpolator, CubicSpline, PPoly

import linkwork as lw
from linkwork.integrators import headway
from linkwork.simulation.prescribed import PrescribedMotion

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


@pytest.mark.parametrize("integrator", PROJECTING, ids=str)
@pytest.mark.parametrize("height", [there_and_back, KINK], ids=["function", "spline"])
def test_a_kink_of_prescribed_motion_does_not_leave_free_coordinates_wrong_without_a_word(height, integrator):
    """Adams finished with free coordinates that were a third of the right ones: the projection took the jump of velocity for drift."""
    rec = run(held(lw.PointOnPlane(height=height)), 1.0, integrator)
    assert rec.status == "failed" and rec.status.row == "c"
    assert "constraint 'c': its time function jumps by 2 m/s" in str(rec.status) and "at t = 0.5 s" in str(rec.status)
    # What is kept is the motion before the kink: that of a height t, by a tight method. Semi-implicit Euler is of order 1: half a step of 1 ms.
    exact = lw.simulate(held(lw.PointOnPlane(height=lambda t: t)), 0.5, lw.Adaptive(rtol=1e-11, atol=1e-12), frame=0.02)
    allowed = 1e-3 if isinstance(integrator, lw.SemiImplicitEuler) else 1e-8
    assert 0.4 <= rec.time[-1] <= 0.5
    assert np.abs(rec.q - exact.q[: len(rec)]).max() < allowed


@pytest.mark.parametrize("integrator", [lw.Variational(), lw.Implicit(step=1e-3)], ids=str)
def test_methods_that_solve_constraints_take_a_kink_as_the_impact_it_is(integrator):
    rec = run(held(lw.PointOnPlane(height=there_and_back)), 1.0, integrator)
    # Newton and Euler's equations with an impulse at 0.5 s, by DOP853 at 1e-12; the step of 1 ms ends at the kink.
    assert rec.status == "finished" and rec.q[-1, :2] == pytest.approx([8.58622573e-3, 2.49088529e-2], rel=1e-5)


def test_an_implicit_run_that_meets_a_kink_names_its_constraint():
    """ "The error stays beyond the tolerance ...; a force or a constraint jumps there"."""
    rec = run(held(lw.PointOnPlane(height=there_and_back)), 1.0, lw.Implicit())
    assert rec.status == "failed" and "constraint 'c': its time function jumps" in str(rec.status)


@pytest.mark.parametrize("integrator", ALL, ids=str)
def test_a_height_that_steps_does_not_move_a_body_in_no_time(integrator):
    """It finished 10 cm further on, at rest all the way."""
    rec = run(held(lw.PointOnPlane(height=lambda t: 0.0 if t < 0.5 else 0.1)), 1.0, integrator)
    assert rec.status == "failed" and "its time function jumps by 0.1 m or rad at t = 0.5 s" in str(rec.status)
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


@pytest.mark.parametrize("k", range(len(SMOOTH)))
def test_fast_and_smooth_time_functions_are_no_jumps(k):
    prescribed = PrescribedMotion(slider(lw.Drive(SMOOTH[k])).build())
    assert [prescribed.first_fault(0.02 * i, 0.02 * (i + 1)) for i in range(50)] == [None] * 50


@pytest.mark.parametrize("integrator", [lw.RungeKutta4(), lw.SemiImplicitEuler()], ids=str)
def test_copies_of_a_rollout_whose_motion_jumps_have_failed(integrator):
    model = held(lw.PointOnPlane(height=there_and_back)).build()
    sim = lw.Simulation(model)
    q, v = (np.tile(x, (11, 1)) for x in (sim.state.q, sim.state.v))
    found = lw.rollout(model, q, v, 700, integrator, every=100)
    assert found.failed.all() and np.isnan(found.q[:, 6:]).all() and np.isfinite(found.q[:, :6]).all()  # 0.5 s itself is before the jump
    assert not lw.rollout(model, q, v, 400, integrator, every=100).failed.any()


def test_a_resumed_run_knows_how_fast_its_time_functions_were(tmp_path):
    """A kink that is of no account for the fast motion before it is none after a resume."""
    path = tmp_path / "run.ckpt"
    mechanism = slider(lw.Drive(lambda t: math.sin(4.0 * t) if t < 0.39 else math.sin(4.0 * t) + 0.05 * (t - 0.39)))
    lw.Simulation(mechanism, checkpoint=path).run(0.38)
    assert lw.Simulation.resumed(path, mechanism).run(0.1).status == "finished"


# ---- domains


@pytest.mark.parametrize("integrator", ALL, ids=str)
def test_an_angle_that_reaches_pi_ends_the_run_by_name_within_seconds(integrator):
    """Implicit crept on for minutes; others went on with pi minus what is beyond it."""
    begun = time.perf_counter()
    rec = run(held(lw.Angle(angle=lambda t: 3.0 + t)), 0.3, integrator)
    assert rec.status == "failed" and "constraint 'c': its time function gives 3.14059 at t = 0.140593 s" in str(rec.status)
    assert "allowed are angles from 0.001 to pi - 0.001" in str(rec.status) and rec.time[-1] == pytest.approx(0.14)
    assert time.perf_counter() - begun < 20.0


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
    monkeypatch.setattr(headway, "SHARE", 1.0)

    class Creeping:
        time, steps, rejections, step_cost = 0.0, 0, 0, lw.Implicit().start(lw.Simulation(held(lw.PointOnPlane())).system, 0.0).step_cost

    method = Creeping()
    watch = headway.Headway(method, 1.0)
    method.steps, method.time = 2000, 1e-9
    with pytest.raises(Exception, match="no headway"):
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
    assert "from 1 to 2 s" in str(run(slider(lw.Drive(late)), 0.5).status)
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
