"""A step that failed: where the motion was sound, the step that would hold, and going on."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.diagnosis import fastest_rate


def speck(damping, integrator=None):
    """A light body on a stiff damper, both in free flight: the fastest rate is damping / mass."""
    live = lw.Live(lw.Mechanism("speck", gravity=(0, 0, 0)), integrator)
    live.add_body("anvil", mass=1.0, inertia=(0.1, 0.1, 0.1), pose=(0, 0, 1))
    live.add_body("speck", mass=1e-3, inertia=(1e-6, 1e-6, 1e-6), pose=(0, 0, 0.5), twist=(0, 0, 0, 0, 0, 1))
    live.add_force("damper", lw.SpringDamper(stiffness=10.0, damping=damping, length=0.5), "anvil", "speck")
    return live


def test_a_step_that_fails_is_offered_a_step_that_holds():
    live = speck(50.0)
    assert live.remedies == []
    assert live.advance(0.5) == "failed" and live.time == 0.0  # back where the motion was sound
    assert np.abs(live.v).max() == 1.0 and np.isfinite(live.recording.v).all()
    smaller, implicit = live.remedies
    rate = 50.0 * (1.0 + 1.0 / 1e-3)  # of the distance: damping over the reduced mass
    assert 0.5 * 2.0 / rate < smaller.integrator.step <= 2.0 / rate  # the largest half of a half that holds
    assert isinstance(implicit.integrator, lw.Implicit) and implicit.time == smaller.time == live.time


@pytest.mark.parametrize("which", [0, 1])
def test_taking_an_offer_lets_time_run_as_small_steps_from_the_start_do(which):
    live = speck(50.0)
    live.advance(0.5)
    live.take(live.remedies[which])
    assert live.status.ok and live.remedies == []
    assert live.advance(0.2).ok and np.abs(live.v).max() < 1.0
    other = speck(50.0, lw.RungeKutta4(step=1e-5))
    other.advance(live.time)
    # They go at their common speed by then, 1 mm/s of momentum alone; steps of 1 ms miss the first 20 us, in which the damper acts: 1e-4 of 1 m/s.
    assert np.allclose(live.twists()["speck"], other.twists()["speck"], atol=1e-4)
    assert live.python.splitlines()[-2].startswith("live.integrator = lw.")


def test_a_failure_in_the_midst_of_a_run_goes_back_to_what_was_sound_then():
    """A brake that is thrown in at 1 s: the first second stays."""
    live = speck(0.0)
    live.advance(1.0)
    live.change("damper", damping=50.0)
    assert live.advance(0.5) == "failed"
    live.take(live.remedies[0])
    assert live.time == pytest.approx(1.0, abs=1e-9) and live.mechanism.force("damper").kind.damping == 50.0
    assert live.advance(0.1).ok


@pytest.mark.slow
def test_a_function_that_raises_is_no_matter_of_steps():
    @lw.controller(rate=100.0)
    def broken(t, q, v, tau):
        if t > 0.1:
            raise RuntimeError("no")

    live = lw.Live(lw.shipped("pendulum"), controllers=[broken])
    assert live.advance(0.5) == "failed" and live.remedies == []
    with pytest.raises(lw.StateError, match=r"live\.remedies"):
        live.take("a smaller step")


def test_a_force_beyond_all_bounds_is_no_matter_of_steps():
    live = lw.Live()
    live.add_body("stone", mass=1.0, inertia=(1, 1, 1))
    live.add_force("bomb", lw.Motor(force=(1e300, 0, 0)), "stone")
    assert live.advance(0.5) == "failed" and live.remedies == []


def test_the_fastest_rate_is_the_largest_eigenvalue():
    """An oscillator of 30 rad/s beside one of 2: power iteration finds the faster. To 1 %, as an estimate may be."""
    live = lw.Live(lw.Mechanism("two", gravity=(0, 0, 0)))
    for name, stiffness in (("slow", 4.0), ("fast", 900.0)):
        live.add_body(name, mass=1.0, inertia=(1, 1, 1))
        live.add_joint(f"{name} slide", lw.Prismatic((1, 0, 0)), "ground", name)
        live.add_force(f"{name} spring", lw.JointSpring(stiffness=stiffness), f"{name} slide")
    assert fastest_rate(live.simulation.system, 0.0, live.q, live.v) == pytest.approx(30.0, rel=1e-2)


def test_a_motion_without_stiffness_has_no_fastest_rate():
    live = lw.Live(lw.Mechanism("free", gravity=(0, 0, 0)))
    live.add_body("stone", mass=1.0, inertia=(1, 1, 1))
    assert fastest_rate(live.simulation.system, 0.0, live.q, live.v) < 1.0
