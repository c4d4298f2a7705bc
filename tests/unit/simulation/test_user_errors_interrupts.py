"""Ctrl-C while an interpreted function of a user runs: the run is interrupted, and that function is not blamed."""

import os
import signal
import time
import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="in plain Python nothing is called back")


@pytest.fixture(autouse=True)
def keyboard():
    """Ctrl-C raises: a process that was started in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def wheel(law=None):
    m = lw.Mechanism("wheel")
    body = m.add_body("wheel", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("axle", lw.Revolute((0, 1, 0)), m.ground, body)
    if law is not None:
        m.add_force("slow", law, "axle")
    return m


def interrupting(at):
    """Something that no compiler takes, and that presses Ctrl-C once."""
    calls = []

    def look():
        calls.append(time.time())
        if len(calls) == at:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)  # in which the interrupt arrives
        return 1.0

    return look


@pytest.mark.parametrize("integrator", [lw.RungeKutta4(), lw.Adaptive(max_step=1e-3), lw.Variational()], ids=repr)
def test_an_interrupt_within_a_force_interrupts_the_run(integrator):
    look = interrupting(at=40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.InterpretedWarning)
        sim = lw.Simulation(wheel(lw.force(on="joint")(lambda q, v, t: look())), integrator)
        rec = sim.run(1.0)
        assert rec.status.word == "interrupted"
        assert sim.resume().status.word == "finished"
    assert sim.state.v[0] == pytest.approx(1.0, rel=1e-6)


def test_an_interrupt_within_an_event_interrupts_the_run():
    look = interrupting(at=40)
    sim = lw.Simulation(wheel(), lw.RungeKutta4(), events=[lw.Event(lambda t, q, v: look())])
    assert sim.run(1.0).status.word == "interrupted"
    assert sim.resume().status.word == "finished"


def pressing(monkeypatch, sim, times):
    """Ctrl-C pressed once, or twice, where a step has been taken and the time not yet been told."""
    told = sim._schedule._foresee_step

    def press():
        told()
        if sim.method.time > 0.1:
            monkeypatch.undo()
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(sim._schedule, "_foresee_step", press)


INTEGRATORS = [lw.RungeKutta4(), lw.Adaptive(), lw.Adams(), lw.Variational(), lw.Implicit(rtol=1e-8, atol=1e-10)]


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda i: type(i).__name__)
@pytest.mark.parametrize("times", [1, 2])
def test_the_state_after_an_interrupt_is_that_of_its_time_and_the_run_goes_on_from_it(monkeypatch, integrator, times):
    """The state was up to a frame later than its time; what came after `resume()` was shifted by that, or a frame was lost."""
    whole = lw.simulate(lw.shipped("four-bar"), 0.3, integrator)
    sim, seen = lw.Simulation(lw.shipped("four-bar"), integrator), []
    pressing(monkeypatch, sim, times)
    rec = sim.run(0.3, each_sample=lambda sim: seen.append(sim.time))
    assert rec.status.word == "interrupted" and 0.05 < sim.time < 0.25
    assert sim.time == sim.state.t == rec.time[-1] == seen[-1]
    assert np.array_equal(sim.state.q, rec.q[-1]) and np.array_equal(sim.state.v, rec.v[-1])
    on = sim.resume(each_sample=lambda sim: seen.append(sim.time))
    assert on.status.word == "finished" and seen == list(on.time[1:])
    if times == 1:
        assert on == whole
    else:  # methods begin anew at the last sample: the bits are others, the motion is not
        assert np.array_equal(on.time, whole.time) and on.q == pytest.approx(whole.q, abs=1e-6)


@pytest.mark.parametrize("times", [1, 2])
def test_an_interrupted_advance_of_live_has_happened_as_a_whole_or_not_at_all(monkeypatch, times):
    """The clock stood still, and the state was that of the end."""
    live, other = lw.Live(lw.shipped("four-bar")), lw.Live(lw.shipped("four-bar"))
    pressing(monkeypatch, live._simulation, times)
    with pytest.raises(KeyboardInterrupt):
        live.advance(0.5)
    if times == 1:
        other.advance(0.5)
    assert live.time == live.span[1] == other.time
    assert np.array_equal(live.q, other.q) and np.array_equal(live.v, other.v)
    assert live.advance(0.1).ok and live.time == other.time + 0.1


def test_an_interrupt_on_the_way_to_a_later_time_is_not_called_a_wrong_time(monkeypatch):
    sim = lw.Simulation(lw.shipped("four-bar"))
    pressing(monkeypatch, sim, 1)
    with pytest.raises(KeyboardInterrupt):
        sim.at(0.5)
    assert sim.time == sim.recording.time[-1] < 0.2


def test_an_interrupt_between_two_of_many_steps_leaves_a_state_of_its_time(monkeypatch):
    sim = lw.Simulation(lw.shipped("pendulum"))
    foresee = sim._schedule.foresee
    monkeypatch.setattr(
        sim._schedule, "foresee", lambda t: (foresee(t), signal.raise_signal(signal.SIGINT) if 0.0095 < t < 0.0105 else None)
    )
    with pytest.raises(KeyboardInterrupt):
        sim.step(100)
    assert sim.time == sim.state.t == pytest.approx(0.01)
    other = lw.Simulation(lw.shipped("pendulum"))
    assert np.array_equal(other.step(10).q, sim.state.q)
