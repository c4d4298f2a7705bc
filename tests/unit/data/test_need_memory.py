"""Runs whose results would not fit into memory: refused at once, with how much they need and what to do."""

import time

import numpy as np
import pytest

import linkwork as lw


def pendulum():
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    return m


CASES = {
    "rollout of 1e12 steps": ("steps", "every=", lambda m: lw.rollout(m, np.zeros((2, 1)), np.zeros((2, 1)), 10**12)),
    "rollout of many copies": ("steps", "fewer copies", lambda m: lw.rollout(m, np.zeros((10**4, 1)), np.zeros((10**4, 1)), 10**8)),
    "frames of a picosecond": ("record_interval", "longer record_interval", lambda m: lw.simulate(m, 1.0, record_interval=1e-12)),
    "a run of centuries": ("record_interval", "longer record_interval", lambda m: lw.simulate(m, 1e10)),
    "1e11 times": ("times", "fewer times", lambda m: lw.simulate(m, times=range(10**11))),
    "all channels of 1e9 frames": ("record_interval", "fewer channels", lambda m: lw.simulate(m, 1e3, record_interval=1e-6, record="all")),
}


@pytest.mark.parametrize(("argument", "remedy", "run"), CASES.values(), ids=CASES)
def test_a_run_that_does_not_fit_into_memory_is_refused_before_it_begins(argument, remedy, run):
    m = pendulum().build()
    began = time.monotonic()
    with pytest.raises(lw.StateError, match=rf"{argument}: found .* needs .* GiB of memory; allowed is .*{remedy}") as caught:
        run(m)
    assert caught.value.argument == argument
    assert time.monotonic() - began < 5.0  # s: nothing was simulated


def test_a_hundred_thousand_times_to_record_at_do_not_take_the_square_of_that():
    """At every frame the time was sought among all of them, one by one: 1e5 frames compared 1e10 numbers."""
    times = np.arange(1, 100_001) * 1e-3
    sim = lw.Simulation(pendulum(), times=times)
    asked = sim._schedule.is_sample
    began = time.monotonic()
    assert all(asked(t) for t in times) and not asked(5e-4) and not asked(1e6)
    assert time.monotonic() - began < 5.0  # s; the square takes about 10 times that
