"""Ctrl-C while an interpreted function of a user runs: the run is interrupted, and that function is not blamed."""

import os
import signal
import time
import warnings

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
