"""One-sided forces: steps that follow the error end where such a force sets in and where it ends, and step over none."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.integrators.switches import Switches
from linkwork.kernels import JIT

CHOOSING = [
    lw.Adaptive(rtol=1e-8, atol=1e-10),
    lw.Adaptive(order=8, rtol=1e-8, atol=1e-10),
    lw.Adams(rtol=1e-8, atol=1e-10),
    lw.Implicit(rtol=1e-8, atol=1e-10),
]
plain = pytest.mark.skipif(not JIT, reason="many steps in plain Python")


def pendulum():
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, bob)
    return m, bob


def touching(depth=1e-5):
    """A pendulum let go at 1 rad that reaches into a hard stop on the other side by `depth` rad, for some milliseconds."""
    m, _ = pendulum()
    m.add_force("stop", lw.LimitStop(1e6, lower=-1.0 + depth), "pivot")
    return m, [1.0], [0.0]


def bouncing():
    m = lw.Mechanism("ball")
    ball = m.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_force("floor", lw.Support(1e5, damping=20.0, friction=0.2), ball.at(0.05, 0, -0.1), m.ground)
    return m, [0, 0, 1.0, 1, 0, 0, 0], [1.0, 0, 2.0, 0.5, 0, 0]


def hanging():
    m, bob = pendulum()
    m.add_force("string", lw.RubberString(300.0, 1.2, 0.8), bob.at(0, 0, -1), m.ground.at(1, 0, -0.3))
    return m, [1.4], [0.0]


def carried():
    """A ball on a plate that swings: the plane of the support moves."""
    m = lw.Mechanism("tray")
    tray = m.add_body("tray", mass=5.0, com=(0, 0, -0.5), inertia=(0.2, 0.2, 0.2))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, tray)
    ball = m.add_body("ball", mass=0.3, inertia=(0.01, 0.01, 0.01))
    m.add_force("floor", lw.Support(3e4, damping=5.0), ball, tray.at(0, 0, -0.6))
    return m, [0.3, 0, 0, -0.3, 1, 0, 0, 0], [0.0] * 7


def end_of(m, q, v, integrator, until):
    sim = lw.Simulation(m, integrator, q=q, v=v, record_interval=until)
    rec = sim.run(until)
    assert rec.status == "finished"
    return rec.q[-1], sim


@plain
@pytest.mark.parametrize("integrator", CHOOSING, ids=str)
@pytest.mark.parametrize("case", [touching, bouncing, hanging, carried])
def test_a_short_touch_is_not_stepped_over(case, integrator):
    """Adaptive of order 5 lost 2e-3 rad here by stepping over a touch, whatever its tolerance."""
    m, q, v = case()
    truth, _ = end_of(m, q, v, lw.Adaptive(order=8, rtol=1e-12, atol=1e-13, max_step=2e-4), 2.0)
    found, sim = end_of(m, q, v, integrator, 2.0)
    # 2 s of motion by steps with errors of 1e-8, through impacts that amplify them tenfold each
    assert np.max(np.abs(found - truth)) < 2e-5
    if case is touching:
        assert sim.method.steps < 1000  # not by short steps everywhere
    free, _ = end_of(_without_forces(m), q, v, lw.Adaptive(), 2.0)
    assert np.max(np.abs(free - truth)) > 1e-4  # the touch counts


def _without_forces(m):
    free = m.clone()
    for force in list(free.forces):
        free.remove(force)
    return free


@plain
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("integrator", [lw.Adaptive(rtol=1e-6, atol=1e-8), lw.Adams(rtol=1e-6, atol=1e-8)], ids=str)
def test_no_touch_of_any_depth_is_missed(seed, integrator):
    """The motion is cut at every stop that it reaches, however shortly: energy is stored in it at some time."""
    depth = 10.0 ** np.random.default_rng(seed).uniform(-5, -1)
    m, q, v = touching(depth)
    seen = []
    sim = lw.Simulation(m, integrator, q=q, v=v, record_interval=1.0)
    method = sim.method
    while method.time < 1.9:  # three quarters of a swing are 1.6 s
        method.step()
        seen.append(float(method.system.q[0]))
    assert min(seen) < -1.0 + depth


@plain
@pytest.mark.parametrize("integrator", CHOOSING[:3], ids=str)
def test_a_force_that_is_never_reached_changes_no_bit(integrator):
    m, _ = pendulum()
    free, without = end_of(m, [1.0], [0.0], integrator, 2.0)
    m.add_force("stop", lw.LimitStop(1e4, lower=-1.5, upper=2.0), "pivot")
    found, sim = end_of(m, [1.0], [0.0], integrator, 2.0)
    assert found.tobytes() == free.tobytes()
    assert (sim.method.steps, sim.method.evaluations) == (without.method.steps, without.method.evaluations)


@pytest.mark.parametrize("integrator", CHOOSING, ids=str)
def test_rest_on_a_switch_does_not_hold_a_run_up(integrator):
    m = lw.Mechanism("rest", gravity=(0, 0, 0))
    block = m.add_body("block", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, block)
    m.add_force("stop", lw.LimitStop(1e4, lower=0.0, upper=1.0), "rail")
    m.add_force("string", lw.RubberString(10.0, 0.5), block, m.ground.at(0.5, 0, 0))
    q, sim = end_of(m, [0.0], [0.0], integrator, 1.0)
    assert q[0] == 0.0 and sim.method.steps < 60


@plain
@pytest.mark.parametrize("integrator", CHOOSING, ids=str)
def test_a_stop_that_is_moved_during_a_run_is_found_where_it_is_now(integrator):
    m, _ = pendulum()
    m.add_force("stop", lw.LimitStop(1e6, lower=-3.0), "pivot")
    sim = lw.Simulation(m, integrator, q=[1.0], record_interval=0.01)
    sim.run(0.3)
    sim.change("stop", lower=-0.99999)
    moved = sim.run(1.7).q[-1]
    fixed, q, v = touching(1e-5)
    truth, _ = end_of(fixed, q, v, integrator, 2.0)
    assert abs(moved[0] - truth[0]) < 1e-5
    sim.switch("stop", False)
    sim.run(0.5)
    assert sim.method.switches.screen is None  # nothing to cut at, and nothing to look at


@pytest.mark.parametrize("seed", range(5))
def test_the_number_that_is_watched_has_the_sign_that_the_law_acts_by(seed):
    rng = np.random.default_rng(seed)
    m = lw.Mechanism("pair")
    a, b = (m.add_body(name, mass=1.0, inertia=(1, 1, 1)) for name in "ab")
    m.add_joint("hinge", lw.Revolute((0, 0, 1)), a, m.add_body("c", mass=1.0, inertia=(1, 1, 1)))
    m.add_force("support", lw.Support(100.0), a.at(0.1, 0.2, 0.3), b.at(*rng.normal(size=3)))
    m.add_force("string", lw.RubberString(100.0, 1.5), a.at(0.4, 0, 0), b)
    m.add_force("stop", lw.LimitStop(100.0, lower=-0.5, upper=0.7), "hinge")
    model = m.build()
    met = set()
    for _ in range(30):
        q = lw.random_configuration(model, rng)
        sim = lw.Simulation(model, lw.Adaptive(), q=q)
        screen = Switches(sim.method).screen
        screen.begin()
        values = [entry.last for entry in screen.record.entries]  # in the order of the forces
        exerted = lw.applied_forces(model, q)
        acts = [exerted[name].energy > 0.0 for name in ("support", "string", "stop")]
        assert acts == [values[0] < 0.0, values[1] > 0.0, values[2] < 0.0 or values[3] > 0.0]
        met |= {(k, on) for k, on in enumerate(acts)}
    assert len(met) == 6


@plain
@pytest.mark.parametrize("integrator", CHOOSING, ids=str)
def test_a_resumed_run_takes_the_same_steps_through_switches(integrator, tmp_path):
    m, q, v = bouncing()
    whole = lw.Simulation(m, integrator, q=q, v=v)
    whole.run(1.5)
    assert whole.method.rejections > 3
    for stop in (0.31, 0.6604, 0.83):
        lw.Simulation(m, integrator, q=q, v=v, checkpoint=tmp_path / "c").run(stop)
        again = lw.Simulation.resumed(tmp_path / "c", m, integrator)
        again.run(1.5 - stop)
        assert again.state == whole.state
        assert again.method.steps == whole.method.steps


@pytest.mark.parametrize("integrator", [lw.Adams(), lw.Adaptive(), lw.Adaptive(order=8)])
def test_a_step_that_begins_at_a_touch_does_not_end_behind_it(integrator):
    """The force is zero where it sets in and where it ends: an error estimate from both saw nothing. Reference: solve_ivp at 1e-12, 2.99808283."""
    m = lw.Mechanism("rotor", gravity=(0, 0, 0))
    body = m.add_body("b", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("p", lw.Revolute((0, 1, 0)), m.ground.at(0, 0, 0.98), body)
    m.add_force("support", lw.Support(400.0), body.at(1, 0, 0), m.ground)
    rec = lw.simulate(m, 1.0, integrator, q=[0.0], v=[3.0])
    assert abs(rec.q[-1, 0] - 2.99808283) < 1e-6


@plain
@pytest.mark.parametrize("integrator", [*CHOOSING, lw.Adaptive(order=8, rtol=1e-12, atol=1e-14), lw.Adams(rtol=1e-12, atol=1e-14)], ids=str)
def test_the_last_press_of_a_damped_support_is_not_stepped_over(integrator):
    """A point is torn out of a support whose damping holds it back: no press, until damping ceases over the ramp and the spring, which is still in, presses
    for 0.02 ms. All methods stepped over it: 2.02e-6 m/s, at any tolerance."""
    m = lw.Mechanism("torn out")
    body = m.add_body("b", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("j", lw.Prismatic((0, 0, 1)), m.ground, body)
    m.add_force("support", lw.Support(4e4, damping=3000.0), body, m.ground)
    m.add_force("pull", lw.Load((0, 0, 1000.0)), body)
    rec = lw.simulate(m, 0.05, integrator, q=[-0.02], v=[6.0], record_interval=0.05)
    # By hand, at the speed u where it presses (0.02 m at 990.19 m/s^2 from 6 m/s): N = k x - 3 c u x^2 / r^2 + 2 c u x^3 / r^3 until x is 0.
    a, k, c, r = 1000.0 - 9.81, 4e4, 3000.0, 0.01
    u = np.sqrt(36.0 + 2 * a * 0.02)
    far = min(x.real for x in np.roots([2 * c * u / r**3, -3 * c * u / r**2, k]) if x.real > 0)
    push = (k * far**2 / 2 - c * u * far**3 / r**2 + c * u * far**4 / (2 * r**3)) / u
    assert 1e-6 < push < 3e-6
    assert rec.v[-1, 0] - (6.0 + a * 0.05) == pytest.approx(push, rel=0.05)  # u changes by 2e-4 of it meanwhile; tolerances of 1e-8
