"""Events in steps in which joints turn far: as many looks as the turning needs, whatever the method, and none too many."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import JIT

LONG = [
    lw.Adaptive(order=5, rtol=1e-3, atol=1e-3),
    lw.Adaptive(order=8, rtol=1e-3, atol=1e-3),
    lw.Adams(rtol=1e-3, atol=1e-3),
    lw.Implicit(rtol=1e-3, atol=1e-3),
]
RATE = 31.0  # rad/s
compiled = pytest.mark.skipif(not JIT, reason="many looks in plain Python")


def wheel(gravity=0.0):
    m = lw.Mechanism("wheel", gravity=(0, 0, -gravity))
    disk = m.add_body("disk", mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.add_joint("axle", lw.Revolute((0, 1, 0)), m.ground, disk)
    return m, disk


@pytest.mark.parametrize("integrator", LONG, ids=str)
def test_a_wheel_that_turns_many_times_in_a_step_crosses_a_plane_twice_a_turn(integrator):
    """Steps grow tenfold, up to hundreds of turns. z = -sin(31 t): crossings of z = 0.5, in closed form; of functions of the user's, too."""
    m, disk = wheel()
    until = 3.0 if JIT else 0.3
    events = [
        lw.crosses_plane(disk.at(1, 0, 0), offset=0.5, name="plane"),
        lw.distance_reaches(disk.at(1, 0, 0), m.ground.at(0, 0, 1), 1.0, name="distance"),
        lw.Event(lambda t, q, v: -math.sin(q[0]) - 0.5, name="own"),
    ]
    sim = lw.Simulation(m, integrator, q=[0.0], v=[RATE], events=events, record_interval=until)
    sim.run(until)
    turns = np.arange(0, int(RATE * until / (2 * math.pi)) + 2)
    angles = np.sort(np.concatenate([7 * math.pi / 6 + 2 * math.pi * turns, 11 * math.pi / 6 + 2 * math.pi * turns]))
    times = angles[angles < RATE * until] / RATE
    for name in ("plane", "distance", "own"):  # |p - (0, 0, 1)| = 1 where z = 1/2
        found = [e.t for e in sim.events if e.name == name]
        assert len(found) == len(times)
        np.testing.assert_allclose(found, times, rtol=0, atol=1e-9)
    if JIT:
        assert sim.method.steps < len(times)  # not trivial: several crossings in a step


@compiled
@pytest.mark.parametrize("integrator", LONG, ids=str)
def test_a_speed_that_swings_with_every_turn_is_seen_to_reach_its_extremes(integrator):
    """The heavy side of the wheel goes up and down: its speed swings about its mean once a turn, and is followed on the method's own motion."""
    m, _ = wheel(gravity=9.81)
    middle = lw.simulate(m, 1.0, lw.Adaptive(order=8, rtol=1e-11, atol=1e-12), q=[0.0], v=[RATE], record_interval=1e-3).v[:, 0]
    value = 0.5 * (middle.min() + middle.max())
    sim = lw.Simulation(m, integrator, q=[0.0], v=[RATE], events=[lw.speed_reaches("axle", float(value))], record_interval=1.0)
    sim.run(1.0)
    assert len(sim.events) == np.count_nonzero(np.diff(np.sign(middle - value)))


def chain(rng):
    m, on = lw.Mechanism("chain", gravity=(0, 0, -9.81 * rng.choice([0.0, 0.1, 1.0]))), None
    for k in range(rng.choice([1, 1, 2, 3])):
        body = m.add_body(f"b{k}", mass=1.0, com=tuple(0.2 * rng.normal(size=3)), inertia=(0.05, 0.06, 0.07))
        kind = lw.Prismatic if k and rng.random() < 0.15 else lw.Revolute
        at = m.ground if on is None else on.at(*(0.4 * rng.normal(size=3)))
        m.add_joint(f"j{k}", kind(tuple(rng.normal(size=3))), at, body)
        on = body
    return m, on


@compiled
@pytest.mark.parametrize("seed", range(24))
def test_no_crossing_is_missed_on_the_motion_of_a_random_chain(seed):
    """Every change of sign between many looks at the method's own motion is an event. Where joints turn more than once in a step, some were lost."""
    rng = np.random.default_rng(seed)
    m, tip = chain(rng)
    model, tolerance = m.build(), 10.0 ** rng.uniform(-5, -1)
    integrator = [
        lw.Adaptive(order=5, rtol=tolerance, atol=tolerance),
        lw.Adaptive(order=8, rtol=tolerance, atol=tolerance),
        lw.Adams(rtol=tolerance, atol=tolerance),
    ][seed % 3]
    q, v = rng.uniform(-3, 3, model.nq), rng.normal(size=model.nv) * rng.choice([3.0, 15.0, 60.0])
    place, until = tip.at(*(0.5 * rng.normal(size=3))), 0.4
    events = [
        lw.crosses_plane(place, normal=rng.normal(size=3), offset=rng.uniform(-0.8, 0.8)),
        lw.distance_reaches(place, m.ground.at(*(0.7 * rng.normal(size=3))), rng.uniform(0.2, 1.5)),
        lw.joint_reaches("j0", q[0] + rng.uniform(-8, 8)),
        lw.speed_reaches(model.joints[-1].name, v[-1] * rng.uniform(0.7, 1.2)),
    ]
    sim = lw.Simulation(model, integrator, q=q, v=v, events=events, record_interval=until)
    sim.run(until)
    method = lw.Simulation(model, integrator, q=q, v=v, record_interval=until).method
    while method.time < until:
        method.step()
        end = min(method.time, until)
        times = np.linspace(method.before, end, 30 + int(10 * np.abs(method.system.v).sum() * (end - method.before)))
        states = list(zip(*method.states_inside_step(times), strict=True))
        for event in events:
            function = event.on(model)
            values = np.array([function(t, *state) for t, state in zip(times, states, strict=True)])
            for k in np.flatnonzero(values[1:] * values[:-1] < 0):
                assert any(e.event is event and times[k] - 1e-9 <= e.t <= times[k + 1] + 1e-9 for e in sim.events)
