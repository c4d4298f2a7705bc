"""A motion that is stopped, set to another state or changed, and goes on: what is told of it, and when controllers are sampled."""

import math

import numpy as np
import pytest

import linkwork as lw

METHODS = (
    lw.RungeKutta4(1e-2),
    lw.SemiImplicitEuler(1e-2),
    lw.Variational(1e-2),
    lw.Implicit(step=1e-2),
    lw.Adaptive(rtol=1e-9, atol=1e-11),
    lw.Adams(rtol=1e-9, atol=1e-11),
    lw.Implicit(rtol=1e-8, atol=1e-10),
)
every_method = pytest.mark.parametrize("method", METHODS, ids=repr)
W = 2.0  # rad/s, of the oscillator


def oscillator(stiffness=W * W):
    m = lw.Mechanism("oscillator", gravity=(0, 0, 0))
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, body)
    m.add_force("spring", lw.JointSpring(stiffness), "rail")
    return m


def exact(q, v, t):
    return q * np.cos(W * t) + v / W * np.sin(W * t)


@every_method
@pytest.mark.parametrize("first", ("stop", "told"))
def test_an_event_at_the_instant_of_one_that_stops_is_told_whatever_their_order(method, first):
    events = [lw.joint_reaches("rail", 0.3, name="stop", stop=True), lw.joint_reaches("rail", 0.3, name="told")]
    sim = lw.Simulation(oscillator(), method, q=[0.0], v=[1.0], events=events if first == "stop" else events[::-1])
    assert str(sim.run(0.7).status).startswith("stopped")
    sim.run(0.1)
    assert sorted(found.name for found in sim.events) == ["stop", "told"]


@lw.controller(rate=10.0)
def push(t, q, v, tau):
    tau[0] = 3.0 * np.sin(7.0 * t) - 2.0 * q[0]


@pytest.mark.slow
@every_method
def test_a_stop_and_a_change_of_forces_leave_the_times_at_which_controllers_are_sampled(method):
    """The motion is that of a run that did not stop: to what shorter steps change, an order below the 4e-3 of a shifted sample at least."""

    def end(how):
        events = [lw.joint_reaches("rail", 0.25, stop=how == "stop")]
        sim = lw.Simulation(oscillator(), method, q=[0.0], v=[1.0], events=events, controllers=[push], record_interval=0.0371)
        if how == "change":
            sim.run(0.2128)
            sim.change("spring", stiffness=W * W)
        while sim.time < 1.234 - 1e-9:
            sim.run(1.234 - sim.time)
        return float(sim.state.q[0])

    straight = end("straight")
    assert abs(end("stop") - straight) < 1e-5
    assert abs(end("change") - straight) < 1e-5


@pytest.mark.parametrize("method", [lw.RungeKutta4(1e-2), lw.Variational(1e-2), lw.Implicit(step=1e-2)], ids=repr)
def test_a_run_that_was_stopped_within_a_step_resumes_to_the_same_bits(method, tmp_path):
    def stopped():
        sim = lw.Simulation(oscillator(), method, q=[0.0], v=[1.0], events=[lw.joint_reaches("rail", 0.25, stop=True)], controllers=[push])
        sim.run(0.5)
        return sim

    stopped().save_checkpoint(tmp_path / "stopped")
    ahead = stopped().run(0.3)
    events = [lw.joint_reaches("rail", 0.25, stop=True)]
    again = lw.Simulation.resumed(tmp_path / "stopped", oscillator(), method, events=events, controllers=[push])
    assert np.array_equal(again.run(0.3).q, ahead.q)


@every_method
def test_a_state_set_at_the_present_time_is_a_jump_between_two_frames(method):
    sim = lw.Simulation(oscillator(), method, q=[1.0], v=[0.0], record_interval=0.05)
    sim.run(0.5)
    sim.state = lw.State(0.5, [0.3], [1.0])
    rec = sim.run(0.5)
    first_order = isinstance(method, lw.SemiImplicitEuler)
    assert list(rec.time[9:13]) == [pytest.approx(0.45), 0.5, 0.5, pytest.approx(0.55)]
    within = 1e-2 if first_order else 2e-5  # the method's own error at steps of 10 ms; across the jump it was 0.2
    assert sim.at(0.51).q[0] == pytest.approx(exact(0.3, 1.0, 0.01), abs=within)
    assert rec.at(0.51).q[0] == pytest.approx(exact(0.3, 1.0, 0.01), abs=within)
    assert rec.at(0.49).q[0] == pytest.approx(exact(1.0, 0.0, 0.49), abs=within)
    assert rec.q[-1, 0] == pytest.approx(exact(0.3, 1.0, 0.5), abs=10 * within)
    # Works: those of the part of a step beyond the set time are not booked. 8 % of the energy was unexplained.
    assert abs(rec.audit.numerical) < (5e-2 if first_order else 1e-4)


@every_method
@pytest.mark.parametrize("t", (0.0, 2.0))
def test_a_state_set_at_another_time_begins_a_recording_of_its_own(method, t):
    sim = lw.Simulation(oscillator(), method, q=[1.0], v=[0.0], record_interval=0.05)
    sim.run(0.5)
    sim.state = lw.State(t, [0.3], [1.0])
    rec = sim.run(0.3)
    assert (rec.time[0], rec.time[-1]) == (t, pytest.approx(t + 0.3))
    assert rec.q[-1, 0] == pytest.approx(exact(0.3, 1.0, 0.3), abs=1e-2)
    assert sim.at(t + 0.2).q[0] == pytest.approx(exact(0.3, 1.0, 0.2), abs=1e-2)
    assert rec.audit.end == pytest.approx(t + 0.3)


def test_a_time_between_frames_between_which_the_state_was_set_is_refused():
    sim = lw.Simulation(oscillator(), q=[1.0], v=[0.0], times=[0.1, 0.6, 1.0])
    sim.run(0.4)
    sim.state = lw.State(0.4, [0.3], [1.0])
    sim.run(0.6)
    with pytest.raises(lw.StateError, match=r"t: found 0\.5 s, between samples at 0\.1 s and 0\.6 s, between which the state was set"):
        sim.at(0.5)
    assert sim.at(0.8).q[0] == pytest.approx(exact(0.3, 1.0, 0.4), abs=1e-6)


@pytest.mark.parametrize(("t", "frame"), [(5e5, 0.02), (1e6, 0.02), (1e7, 0.1), (-1e6, 0.02)])
def test_runs_begin_late(t, frame):
    rec = lw.simulate(oscillator(), 2.0, q=[0.0], v=[1.0], t=t, record_interval=frame)
    assert len(rec) == round(2.0 / frame) + 1
    assert rec.q[-1, 0] == pytest.approx(exact(0.0, 1.0, 2.0), abs=1e-6)


def test_a_pose_between_frames_is_that_of_the_coordinates_whether_poses_were_recorded_or_not():
    """Eight radians between two frames: the shortest turn between two poses is another way."""
    m = lw.Mechanism("wheel", gravity=(0, 0, 0))
    body = m.add_body("body", mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1))
    m.add_joint("axle", lw.Revolute((0, 0, 1)), m.ground, body.at(-1, 0, 0))
    found = [lw.simulate(m, 0.1, v=[400.0], record=record).at(0.03)["body"] for record in (("q", "v"), ("q", "v", "poses"))]
    assert found[0] == pytest.approx(found[1], abs=1e-12)
    assert found[0][:2] == pytest.approx((np.cos(12.0), np.sin(12.0)), abs=1e-6)


@every_method
def test_single_steps_watch_events(method):
    def events():
        return [lw.joint_reaches("rail", 0.3, name="stop", stop=True), lw.joint_reaches("rail", 0.2, name="told")]

    sim = lw.Simulation(oscillator(), method, q=[0.0], v=[1.0], events=events())
    while not sim.events or sim.events[-1].name != "stop":
        assert sim.time < 1.0
        sim.step()
    run = lw.Simulation(oscillator(), method, q=[0.0], v=[1.0], events=events())
    run.run(1.0)
    assert [(found.name, found.t) for found in sim.events] == [(found.name, pytest.approx(found.t, abs=1e-9)) for found in run.events]
    assert (sim.time, str(sim.status)) == (pytest.approx(run.time, abs=1e-9), str(run.status))


@every_method
def test_the_function_of_an_event_that_raises_fails_the_run_by_name(method):
    def late(t, q, v):
        if t > 0.4:
            raise ValueError("no idea")
        return q[0] - 10.0

    with pytest.warns(lw.FailedRunWarning, match="event 'late' raised ValueError: no idea"):
        rec = lw.simulate(oscillator(), 1.0, method, q=[0.0], v=[1.0], events=[lw.Event(late, name="late")])
    assert 0.3 < rec.time[-1] <= 0.5 or method == METHODS[4]  # long steps fail where they look ahead
    assert rec.status.word == "failed"


@every_method
@pytest.mark.parametrize("value", [math.nan, -math.inf, None, True, "soon", 10**400], ids=lambda x: str(x)[:5])
def test_an_event_function_that_gives_no_number_lost_the_recording(method, value):
    """One that raised did not: both are a failed run, by name, that keeps what was recorded."""
    events = [lw.Event(lambda t, q, v: value if t > 0.4 else q[0] - 10.0, name="late")]
    with pytest.warns(lw.FailedRunWarning, match=r"event 'late': its function gave .* at t = "):
        rec = lw.simulate(oscillator(), 1.0, method, q=[0.0], v=[1.0], events=events)
    assert 0.3 < rec.time[-1] <= 0.5 or method == METHODS[4]  # long steps fail where they look ahead
    assert rec.status.word == "failed" and np.isfinite(rec.q).all()
    with pytest.raises(lw.SolverError, match="event 'late'"):
        lw.simulate(oscillator(), 1.0, method, q=[0.0], v=[1.0], events=events, raises=True)


def test_a_time_that_is_no_number_is_refused_and_changes_nothing():
    sim = lw.Simulation(oscillator(), q=[1.0])
    sim.run(0.1)
    with pytest.raises(lw.StateError, match=r"state\.t: found nan"):
        sim.state = lw.State(float("nan"), [0.0], [0.0])
    sim.run(0.1)
    assert sim.state.q[0] == pytest.approx(exact(1.0, 0.0, 0.2), abs=1e-9)


@every_method
@pytest.mark.parametrize("end", (0.3, 0.7, 1.0))
def test_an_event_at_the_very_end_of_a_run_is_told_once(method, end):
    sim = lw.Simulation(oscillator(), method, q=[1.0], events=[lw.at_time(end)])
    sim.run(end)
    assert len(sim.events) == 1
    sim.run(0.1)
    assert len(sim.events) == 1


@pytest.mark.slow
def test_a_relation_that_leaves_its_domain_ends_a_variational_run_with_what_was_recorded():
    m = lw.Mechanism("bead", gravity=(0, 0, 0))
    bead = m.add_body("bead", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("rails", lw.Translational(), m.ground, bead)
    m.add_constraint("falling", lw.Relation(lambda places, t: places[1].p[2] - (0.4 - t) ** 0.5), m.ground, bead)
    with pytest.warns(lw.FailedRunWarning):
        rec = lw.simulate(m, 1.0, lw.Variational(1e-2), q=[0.0, 0.0, 0.4**0.5], v=[0.0, 0.0, -0.5 / 0.4**0.5])
    assert rec.time[-1] >= 0.3
