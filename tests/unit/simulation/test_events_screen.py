"""Steps that cannot hold an event are passed over in the compiled loop: what happens, and when, stays the same to the last bit."""

import math
import time
import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import JIT
from linkwork.simulation import events as module

METHODS = [
    lw.RungeKutta4(step=2e-3),
    lw.RungeKutta4(step=2e-2),
    lw.SemiImplicitEuler(step=2e-3),
    lw.Adaptive(rtol=1e-7),
    lw.Adaptive(order=8),
    lw.Adams(rtol=1e-6, atol=1e-7),
    lw.Variational(step=4e-3),
    lw.Implicit(step=1e-2),
]


def arm():
    """A spatial arm that ends in a ball joint, and a body that floats."""
    m, on = lw.Mechanism("arm"), None
    for k in range(2):
        body = m.add_body(f"b{k}", mass=1.0, com=(0, 0, -0.25), inertia=(0.02, 0.02, 0.01))
        m.add_joint(f"j{k}", lw.Revolute((k, 1, 0)), m.ground if on is None else on.at(0, 0, -0.5), body)
        on = body
    ball = m.add_body("ball", mass=0.5, com=(0.05, 0, -0.1), inertia=(0.01, 0.02, 0.03))
    m.add_joint("s", lw.Spherical(), on.at(0, 0, -0.5), ball)
    m.add_force("band", lw.SpringDamper(5.0, 0.1, 0.3), ball, m.ground.at(0.5, 0.2, -1))
    return m.build()


def events():
    return [
        lw.joint_reaches("j1", 0.05),
        lw.speed_reaches("j0", 1.0),
        lw.speed_zero("j1"),
        lw.speed_reaches("s", 0.5, dof=1),
        lw.at_time(0.77),
        lw.distance_reaches("ball", "ground", 0.95),
        lw.crosses_plane("b1", normal=(1, 0, 0.3), offset=-0.1),
        lw.Event(lambda t, q, v: math.sin(3.0 * q[0]) * v[1] - 0.1 * t, name="mixed"),
        lw.Event(lambda t, q, v: q[3] - 0.2, name="of the ball", direction=1),
    ]


def happened(integrator, until=1.5 if JIT else 0.3):
    sim = lw.Simulation(arm(), integrator, q=[0.9, 0.4, 1, 0, 0, 0], events=events())
    recording = sim.run(until)
    return [(e.name, e.t, e.direction, e.q.tobytes(), e.v.tobytes()) for e in sim.events], recording.q.tobytes(), sim


@pytest.mark.slow
@pytest.mark.parametrize("integrator", METHODS, ids=str)
def test_what_happens_is_what_a_close_look_at_every_step_finds(integrator, monkeypatch):
    found, q, sim = happened(integrator)
    assert len({name for name, *_ in found}) >= (7 if JIT else 1)  # not trivial
    looks = []
    close = lw.EventWatch.after_step
    monkeypatch.setattr(lw.EventWatch, "after_step", lambda self: looks.append(1) or close(self))
    monkeypatch.setattr(lw.EventWatch, "_compile", lambda self: None)
    begin = module.Screen.begin

    def suspicious(self):
        self.record.margin = math.inf
        begin(self)

    monkeypatch.setattr(module.Screen, "begin", suspicious)
    closely, q_closely, other = happened(integrator)
    assert found == closely and q == q_closely
    assert len(looks) == other.method.steps == sim.method.steps  # every step was looked at


@pytest.mark.parametrize("integrator", METHODS, ids=str)
def test_steps_far_from_an_event_are_not_looked_at(integrator, monkeypatch):
    monkeypatch.setattr(lw.EventWatch, "after_step", lambda self: pytest.fail("looked at closely"))
    never = [
        lw.joint_reaches("j1", 50.0),
        lw.speed_reaches("j0", 500.0),
        lw.at_time(1e3),
        lw.distance_reaches("ball", "ground", 30.0),
        lw.crosses_plane("b1", offset=40.0),
        lw.Event(lambda t, q, v: q[0] + v[0] - 900.0),
    ]
    sim = lw.Simulation(arm(), integrator, q=[0.9, 0.4, 1, 0, 0, 0], events=never)
    assert sim.run(0.5).status == "finished" and sim.events == []


@pytest.mark.parametrize("depth", [1e-4, 1e-7, 1e-10])
@pytest.mark.parametrize("integrator", [lw.RungeKutta4(step=1e-3), lw.RungeKutta4(step=3e-2), lw.Adaptive()], ids=str)
def test_a_short_visit_beyond_zero_is_found_in_short_steps_too(integrator, depth):
    """The top of a flight reaches beyond a plane by `depth` only: in and out within one step."""
    m = lw.Mechanism("stone")
    m.add_body("stone", mass=2.0, inertia=(0.3, 0.4, 0.5))
    top = 4.0**2 / (2 * 9.81)
    rec = lw.Simulation(m, integrator, v=[0, 0, 0, 0, 0, 4.0], events=[lw.crosses_plane("stone", offset=top - depth)])
    rec.run(0.6)
    assert [e.direction for e in rec.events] == [1, -1]
    half = math.sqrt(2.0 * depth / 9.81)
    np.testing.assert_allclose([e.t for e in rec.events], [4.0 / 9.81 - half, 4.0 / 9.81 + half], atol=1e-9 + 1e-13 / half)


def test_a_number_that_stays_exactly_zero_is_no_event_and_costs_no_look(monkeypatch):
    close, looks = lw.EventWatch.after_step, []
    monkeypatch.setattr(lw.EventWatch, "after_step", lambda self: looks.append(1) or close(self))
    m = lw.Mechanism("rest", gravity=(0, 0, 0))
    m.add_body("puck", mass=1.0, inertia=(1, 1, 1))
    sim = lw.Simulation(m, events=[lw.Event(lambda t, q, v: v[3])])
    sim.run(0.1)
    assert sim.events == [] and looks == []


def pendulum():
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, bob)
    return m.build()


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_a_function_is_compiled_in_a_long_run_and_says_if_it_cannot_be():
    calls = []

    def counted(t, q, v):
        calls.append(t)
        return q[0] - 9.0

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lw.simulate(pendulum(), 1.0, q=[0.5], events=[lw.Event(counted)])  # a short run: not worth it, and nothing is said
    assert calls
    with pytest.warns(lw.InterpretedWarning, match="counted cannot be compiled and runs interpreted"):
        lw.simulate(pendulum(), 6.0, q=[0.5], events=[lw.Event(counted)])


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_a_compiled_function_finds_what_the_interpreted_one_finds(monkeypatch):
    def watched():
        sim = lw.Simulation(pendulum(), q=[0.5], events=[lw.Event(lambda t, q, v: q[0] * math.cos(t) - 0.1 * v[0])])
        sim.run(3.0)
        return [(e.t, e.q.tobytes()) for e in sim.events]

    interpreted = watched()
    monkeypatch.setattr(module, "COMPILED_AFTER", 50)
    assert watched() == interpreted and len(interpreted) > 1


@pytest.mark.slow
@pytest.mark.parametrize("compiled_after", [0, 10**9])
def test_what_a_function_gives_that_is_no_number_is_named_when_it_happens(compiled_after, monkeypatch):
    monkeypatch.setattr(module, "COMPILED_AFTER", compiled_after)
    with pytest.warns(lw.FailedRunWarning, match=r"event 'late': its function gave nan at t = 0\.5.*correct its function"):
        rec = lw.simulate(pendulum(), 1.0, q=[0.5], events=[lw.Event(lambda t, q, v: 1.0 if t < 0.5 else math.nan, name="late")])
    assert 0.4 < rec.time[-1] <= 0.52

    def failing(t, q, v):
        if t > 0.5:
            raise LookupError("out of tables")
        return 1.0

    with pytest.warns(lw.FailedRunWarning, match="event 'failing' raised LookupError: out of tables"):
        assert 0.4 < lw.simulate(pendulum(), 1.0, q=[0.5], events=[lw.Event(failing)]).time[-1] <= 0.52


@pytest.mark.skipif(not JIT, reason="plain Python pays for every call")
def test_an_event_that_never_fires_does_not_slow_a_run_down():
    """It made 20 000 steps 400 times slower. 1.2 times is usual; 3 allows for a busy machine, and for the least of five runs each, in turn."""
    sims = [lw.Simulation(arm(), q=[0.9, 0.4, 1, 0, 0, 0], record_interval=1.0, events=e) for e in ([], [lw.joint_reaches("j1", 50.0)])]
    best = [math.inf, math.inf]
    for _ in range(5):
        for k, sim in enumerate(sims):
            started = time.process_time()
            sim.run(2.0)
            best[k] = min(best[k], time.process_time() - started)
    assert best[1] < 3.0 * best[0]
