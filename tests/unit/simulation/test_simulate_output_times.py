"""Times to record at are met exactly; `at` tells any state of the past with the accuracy of the method."""

import numpy as np
import pytest

import linkwork as lw

TIGHT = lw.Adaptive(order=8, rtol=1e-13, atol=1e-14)
METHODS = [
    lw.RungeKutta4(step=1e-3),
    lw.Adaptive(rtol=1e-10, atol=1e-12),
    TIGHT,
    lw.Adams(rtol=1e-10, atol=1e-12),
    lw.Variational(step=1e-3),
]
ODD = [0.0, 0.1, 0.1234567, 1 / 3, 0.5, 0.77777, 1.0]


def pendulum(**options):
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("pivot", lw.Revolute((0, 1, 0), **options), m.ground, bob)
    return m


def truth(times):
    return np.array([lw.Simulation(pendulum(), TIGHT, q=[1.2]).at(t).q[0] for t in times])


@pytest.mark.parametrize("integrator", METHODS, ids=str)
@pytest.mark.parametrize("events", [(), (lw.joint_reaches("pivot", 0.3),)], ids=["", "with an event"])
def test_a_recording_has_the_times_that_were_asked_for_and_no_others(integrator, events):
    rec = lw.simulate(pendulum(), None, integrator, q=[1.2], times=ODD, events=events)
    assert rec.time.tolist() == ODD and rec.status == "finished"  # exactly
    np.testing.assert_allclose(rec.q[:, 0], truth(ODD), atol=1e-5 if isinstance(integrator, lw.Variational) else 3e-9)  # order 2 at 1 ms


def test_times_do_not_change_the_motion_and_a_start_that_is_not_asked_for_is_not_recorded():
    rec = lw.simulate(pendulum(), 1.0, q=[1.2], times=[0.25, 0.5, 2.0])
    usual = lw.simulate(pendulum(), 1.0, q=[1.2], record_interval=0.25)
    assert rec.time.tolist() == [0.25, 0.5] and np.array_equal(rec.q, usual.q[1:3])
    assert rec.status.time == 1.0 and abs(rec.audit.largest_numerical) < 1e-9
    again = lw.simulate(pendulum(), 1.0, q=[1.2], times=[5.0])
    assert len(again) == 0 and again.status == "finished"


def test_a_run_in_pieces_meets_the_same_times():
    sim = lw.Simulation(pendulum(), q=[1.2], times=[0.1, 0.3, 0.6000000000000001, 0.7])
    for _ in range(7):
        sim.run(0.1)
    assert sim.recording.time.tolist() == [0.1, 0.3, 0.6000000000000001, 0.7]
    sim = lw.Simulation(pendulum(), q=[1.2], times=[0.2, 0.3])
    sim.run(0.25)
    assert sim.run().time.tolist() == [0.2, 0.3] and sim.time == 0.3 and sim.run().time.tolist() == [0.2, 0.3]


def test_a_run_with_times_is_taken_up_from_a_checkpoint(tmp_path):
    path, options = tmp_path / "run.ckpt", {"q": [1.2], "times": [0.2, 0.3, 0.8]}
    whole = lw.simulate(pendulum(), **options)
    lw.Simulation(pendulum(), checkpoint=path, **options).run(0.1)  # before the first of them
    sim = lw.Simulation.resumed(path, pendulum(), **options)
    sim.run(0.15)
    rest = lw.Simulation.resumed(path, pendulum(), **options).run()
    assert rest.time.tolist() == [0.2, 0.3, 0.8] and np.array_equal(rest.q, whole.q)


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ([0.2, 0.1], "found 0.1 s after 0.2 s; allowed are times that increase"),
        ([0.1, 0.1], "leave out doubles"),
        ([-0.1, 0.1], "found -0.1 s, but the run begins at 0 s"),
        ([], "found none"),
        ([0.1, np.nan], "found a time that is not finite"),
        ([[0.1]], r"found an array of shape \(1, 1\)"),
        ("soon", r"found 'soon' \(str\); allowed are times in s"),
    ],
)
def test_times_that_cannot_be_met_are_refused(times, said):
    with pytest.raises(lw.StateError, match=said):
        lw.simulate(pendulum(), 1.0, times=times)


def test_without_times_a_duration_is_needed():
    with pytest.raises(lw.StateError, match=r"duration: found None; allowed is a time in s, or times=\[...\]"):
        lw.simulate(pendulum())


@pytest.mark.parametrize("integrator", METHODS, ids=str)
def test_the_past_is_told_with_the_accuracy_of_the_method(integrator):
    """Frames 0.5 s apart: a cubic through them is off by a hundredth; the method's own state is not."""
    sim = lw.Simulation(pendulum(), integrator, q=[1.2], record_interval=0.5)
    rec = sim.run(2.0)
    times = [0.1234, 0.4999, 0.75, 1.0, 1.3333, 1.99993]
    found = np.array([sim.at(t).q[0] for t in times])
    cubic = np.array([rec.at(t).q[0] for t in times])
    np.testing.assert_allclose(found, truth(times), atol=1e-5 if isinstance(integrator, lw.Variational) else 3e-9)
    assert np.abs(cubic - truth(times)).max() > 1e-3
    assert np.array_equal(sim.at(1.0).q, rec.q[2]) and sim.time == 2.0 and sim.recording.time.tolist() == rec.time.tolist()


@pytest.mark.slow
def test_the_past_under_other_parameters_or_controllers_is_told_by_the_frames():
    @lw.controller(rate=100.0)
    def push(t, q, v):
        return -30.0 * q

    held = lw.Simulation(pendulum(), q=[1.2], record_interval=0.1, controllers=[push])
    rec = held.run(1.0)
    assert np.array_equal(held.at(0.333).q, rec.at(0.333).q)
    m = pendulum()
    m.add_force("spring", lw.JointSpring(30.0), "pivot")
    sim = lw.Simulation(m, q=[1.2], record_interval=0.1)
    sim.run(0.5)
    sim.change("spring", stiffness=0.0)
    rec = sim.run(0.5)
    assert np.array_equal(sim.at(0.333).q, rec.at(0.333).q)  # of a spring that is no more
    fine = lw.Simulation(sim.model, q=rec.sample(5).q, v=rec.sample(5).v, t=0.5)
    fine.change("spring", stiffness=0.0)
    assert abs(sim.at(0.777).q[0] - fine.at(0.777).q[0]) < 1e-9


def test_times_outside_are_refused_by_name_and_those_ahead_are_run_to():
    sim = lw.Simulation(pendulum(), q=[1.2], t=1.0, events=[lw.joint_reaches("pivot", 0.0, stop=True)])
    with pytest.raises(lw.StateError, match=r"at: t is 0.5 s; this recording goes from 1 s"):
        sim.at(0.5)
    assert sim.at(1.25).t == 1.25 and sim.time == 1.25
    with pytest.raises(lw.StateError, match=r"at: t is 9 s; this recording goes from 1 s to 1\.55"):
        sim.at(9.0)  # it stops before
    with pytest.raises(lw.StateError, match="t: found nan"):
        sim.at(float("nan"))
