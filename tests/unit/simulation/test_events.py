"""Events: when they happen, by closed forms; in which order, in which direction; what stops; what is refused."""

import numpy as np
import pytest
from scipy.special import ellipk

import linkwork as lw

from ..integrators.moving import PENDULUM_RATE, fixed, pendulum, started

G = 9.81
TIGHT = lw.Adaptive(order=8, rtol=1e-12, atol=1e-13)
METHODS = [lw.Adaptive(order=5, rtol=1e-11, atol=1e-12), TIGHT, lw.RungeKutta4(step=1e-3)]
WITHIN = 1e-10  # s


def watched(method, events, until):
    """All that happened until a time."""
    return lw.EventWatch(events, method).advance(until)


def stones(*names):
    m = lw.Mechanism("stones")
    for name in names:
        m.add_body(name, mass=2.0, inertia=(0.3, 0.4, 0.5))
    return m.build()


def thrown(height=1.5, speed=4.0, integrator=TIGHT, spin=(1.0, -2.0, 3.0)):
    """A stone thrown upwards, tumbling."""
    return started(stones("stone"), integrator, [0.2, 0.1, height, 1, 0, 0, 0], [*spin, 0, 0, speed])


def when_at(z, height=1.5, speed=4.0):
    """(up, down): the times at which the stone is at z."""
    root = np.sqrt(speed**2 - 2 * G * (z - height))
    return (speed - root) / G, (speed + root) / G


@pytest.mark.parametrize("integrator", METHODS, ids=str)
def test_a_pendulum_passes_and_turns_at_quarters_of_its_elliptic_period(integrator):
    a = 2.5  # rad, far from small
    period = 4 * ellipk(np.sin(a / 2) ** 2) / PENDULUM_RATE
    events = [lw.joint_reaches("hinge", 0.0), lw.speed_zero("hinge")]
    found = watched(started(pendulum(), integrator, [a]), events, 1.1 * period)
    assert [(o.name, o.direction) for o in found] == [
        ("hinge reaches 0", -1),
        ("speed of hinge reaches 0", 1),
        ("hinge reaches 0", 1),
        ("speed of hinge reaches 0", -1),
    ]
    for k, occurrence in enumerate(found):
        assert abs(occurrence.t - (k + 1) * period / 4) < WITHIN
    np.testing.assert_allclose(found[1].q, [-a], atol=1e-9)
    np.testing.assert_allclose(np.abs(found[0].v), [2 * PENDULUM_RATE * np.sin(a / 2)], atol=1e-9)


@pytest.mark.parametrize("integrator", METHODS, ids=str)
def test_a_thrown_stone_crosses_planes_and_reaches_its_top_when_parabolas_say(integrator):
    """Four events, two of them by one function, in the order of time; the steps of order 8 are so long that they share one."""
    events = [lw.crosses_plane("stone", name="ground"), lw.crosses_plane("stone", offset=2.0, name="two"), lw.at_time(0.7)]
    found = watched(thrown(integrator=integrator), events, 1.2)
    up, down = when_at(2.0)
    expected = [("two", up, 1), ("two", down, -1), ("t = 0.7 s", 0.7, 1), ("ground", when_at(0.0)[1], -1)]
    expected.sort(key=lambda e: e[1])
    assert [(o.name, o.direction) for o in found] == [(name, direction) for name, _, direction in expected]
    for occurrence, (_, t, _) in zip(found, expected, strict=True):
        assert abs(occurrence.t - t) < WITHIN
        z = lw.forward_kinematics(stones("stone"), occurrence.q).position("stone")[2]
        assert abs(z - (1.5 + 4.0 * t - G / 2 * t * t)) < 1e-9


@pytest.mark.parametrize("depth", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("at", [0.13, 0.31, 0.5, 0.77, 0.98])
def test_two_crossings_close_together_within_one_step_are_both_found(depth, at):
    """The top of the flight, `at` a fraction of a single step, reaches beyond the plane by `depth` only."""
    top = 1.5 + 4.0**2 / (2 * G)
    method = thrown(integrator=fixed(8, 4.0 / G / at), spin=(0, 0, 0))
    found = watched(method, [lw.crosses_plane("stone", offset=top - depth)], 0.45)
    assert method.steps <= 2
    assert [o.direction for o in found] == [1, -1]
    # A height that is off by 1e-14 m shifts a time near the top by as much over the speed there.
    near = WITHIN + 1e-14 / np.sqrt(2 * G * depth)
    for occurrence, t in zip(found, when_at(top - depth), strict=True):
        assert abs(occurrence.t - t) < near


def test_a_plane_that_is_not_quite_reached_is_no_event():
    assert watched(thrown(), [lw.crosses_plane("stone", offset=1.5 + 4.0**2 / (2 * G) + 1e-9)], 1.0) == []


@pytest.mark.parametrize(("direction", "count"), [(1, 1), (-1, 1), (0, 2)])
def test_directions_are_honoured(direction, count):
    found = watched(thrown(), [lw.crosses_plane("stone", offset=2.0, direction=direction)], 1.0)
    assert len(found) == count
    assert all(direction in (0, o.direction) for o in found)


@pytest.mark.parametrize("integrator", METHODS, ids=str)
def test_an_event_that_starts_at_zero_fires_only_when_it_comes_back(integrator):
    found = watched(thrown(integrator=integrator), [lw.crosses_plane("stone", offset=1.5)], 1.0)
    assert [o.direction for o in found] == [-1]
    assert abs(found[0].t - 2 * 4.0 / G) < WITHIN
    # At rest at zero, or leaving it with a residual of rounding on the wrong side.
    still = started(pendulum(), integrator, [0.0])
    assert watched(still, [lw.joint_reaches("hinge", 0.0)], 0.5) == []
    residual = lw.Event(lambda t, q, v: 1e-17 + 1e-16 * (q[0] > 0.3) if abs(q[0] - 0.3) < 1e-16 else q[0] - 0.3)
    assert watched(started(pendulum(), integrator, [0.3], [-0.2]), [residual], 0.3) == []


def test_places_come_near_as_lines_in_space_do():
    """Two stones fall side by side; seen from each other they move on a line: |d + u t| = 1 is a quadratic equation."""
    method = started(stones("a", "b"), TIGHT, [0, 0, 0, 1, 0, 0, 0, 3, 0.2, 0, 1, 0, 0, 0], [0, 0, 2.0, 1.0, 0, 0, 0, 0, 0, -1.0, 0, 0])
    m = lw.Mechanism("names")
    a, b = m.add_body("a"), m.add_body("b")
    found = watched(method, [lw.distance_reaches(a.at(0, 0, 0), b, 1.0), lw.distance_reaches("a", "ground", 0.5)], 3.0)
    # In the frame of the turning body a its velocity turns along: it moves straight in the world.
    u = 2.0
    near, far = ((3.0 - s * np.sqrt(1.0 - 0.2**2)) / u for s in (1, -1))
    times = sorted([near, far])
    apart = [o for o in found if "and b" in o.name]
    assert [o.direction for o in apart] == [-1, 1]
    for occurrence, t in zip(apart, times, strict=True):
        assert abs(occurrence.t - t) < WITHIN
    assert len(found) == 3


@pytest.mark.parametrize("integrator", METHODS, ids=str)
def test_a_stone_bounces_at_the_times_of_the_geometric_series(integrator):
    """Stop events take the method back to where they happened; it goes on from there with another velocity."""
    e, drop = 0.7, 0.4
    method = thrown(drop, 0.0, integrator)
    method.system.v[:3] = 0.0
    watch = lw.EventWatch([lw.crosses_plane("stone", direction=-1, stop=True)], method)
    fall = np.sqrt(2 * drop / G)
    expected = fall
    for bounce in range(4):
        found = watch.advance(10.0)
        assert len(found) == 1
        assert method.time == found[0].t
        assert abs(method.time - expected) < WITHIN
        half = method.state(method.before + 0.5 * (method.time - method.before))[0][2]
        assert half > 0.0  # what was before the stop is still known
        v = method.system.v.copy()
        v[5] *= -e
        method.restart(method.time, method.system.q.copy(), v)
        watch.reset()
        expected += 2 * fall * e ** (bounce + 1)


def test_what_happens_after_a_stop_waits_and_what_happens_at_once_with_it_does_not():
    events = [lw.at_time(0.5, stop=True), lw.at_time(0.6), lw.at_time(0.2), lw.at_time(0.5)]
    method = thrown()
    watch = lw.EventWatch(events, method)
    assert [(o.name, o.event.stop) for o in watch.advance(1.0)] == [("t = 0.2 s", False), ("t = 0.5 s", True), ("t = 0.5 s", False)]
    assert abs(method.time - 0.5) < 1e-12
    assert [round(o.t, 9) for o in watch.advance(1.0)] == [0.6]


def test_events_are_handed_out_when_their_time_has_come():
    """A long step runs ahead of the frames: what happens in it is told frame by frame, and a stop does not swallow the frames before it."""
    method = thrown(integrator=fixed(8, 2.0), spin=(0, 0, 0))
    watch = lw.EventWatch([lw.at_time(0.25), lw.at_time(0.7, stop=True)], method)
    assert watch.advance(0.2) == []
    assert [o.t for o in watch.advance(0.4)] == pytest.approx([0.25], abs=1e-12)
    assert watch.advance(0.6) == []
    assert abs(method.state(0.6)[0][2] - (1.5 + 4.0 * 0.6 - G / 2 * 0.36)) < 1e-12
    assert [o.event.stop for o in watch.advance(0.8)] == [True]


@pytest.mark.parametrize("integrator", METHODS, ids=str)
def test_a_simulation_stops_at_an_event_with_all_frames_before_it(integrator):
    m = lw.Mechanism("stone")
    m.add_body("stone", mass=2.0, inertia=(0.3, 0.4, 0.5))
    landing = lw.crosses_plane("stone", stop=True, name="landing")
    sim = lw.Simulation(
        m, integrator, q=[0, 0, 1.0, 1, 0, 0, 0], record_interval=0.1, events=[lw.crosses_plane("stone", offset=0.5), landing]
    )
    rec = sim.run(2.0)
    fall = np.sqrt(2.0 / G)
    assert rec.status == "stopped"
    assert "landing" in str(rec.status)
    assert abs(sim.time - fall) < WITHIN
    np.testing.assert_allclose(rec.time, [0, 0.1, 0.2, 0.3, 0.4, fall], atol=1e-9)
    np.testing.assert_allclose(rec.q[:, 2], 1.0 - G / 2 * rec.time**2, atol=1e-10)
    assert sim.run(0.2).time[-1] == pytest.approx(fall + 0.2)


def test_a_function_that_gives_no_number_is_named():
    for wrong, shown in ((lambda t, q, v: None, "None"), (lambda t, q, v: float("nan"), "nan"), (lambda t, q, v: q, "array")):
        with pytest.raises(lw.ModelError, match=rf"event 'mine': its function gave .*{shown}"):
            watched(thrown(), [lw.Event(wrong, name="mine")], 0.1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lw.Event(3), "function is 3"),
        (lambda: lw.Event(abs, direction=2), "direction is 2"),
        (lambda: lw.Event(abs, stop="yes"), "stop is 'yes'"),
        (lambda: lw.Event(abs, name=7), "name is 7"),
        (lambda: lw.joint_reaches(4, 0.0), "joint is 4"),
        (lambda: lw.joint_reaches("hinge", float("inf")), "value is inf"),
        (lambda: lw.joint_reaches("hinge", 0.0, dof=0.5), "dof is 0.5"),
        (lambda: lw.distance_reaches("a", "b", 0.0), "value is 0"),
        (lambda: lw.distance_reaches(3, "b", 1.0), "a place is 3"),
        (lambda: lw.crosses_plane("a", normal=(0, 0, 0)), "normal is"),
        (lambda: lw.EventWatch([abs], thrown()), "found a builtin_function"),
        (lambda: lw.EventWatch([lw.joint_reaches("stone.free", 0.0)], thrown()), "quaternion"),
        (lambda: lw.EventWatch([lw.speed_zero("stone.free", dof=6)], thrown()), "no velocity number 6"),
        (lambda: lw.EventWatch([lw.joint_reaches("hing", 0.0)], started(pendulum(), TIGHT, [0.0])), "did you mean 'hinge'"),
    ],
)
def test_what_cannot_be_watched_is_refused(make, words):
    with pytest.raises(lw.ModelError, match=words):
        make()


@pytest.mark.parametrize(
    "truth", [lambda t, q, v: q[0] > 0.05, lambda t, q, v: bool(q[0] > 0.05), lambda t, q, v: 1.0 if t < 0.3 else q[0] > 0.05]
)
def test_a_truth_value_never_fired_when_it_became_false(truth):
    """It counted as 1 and 0, which do not cross zero downwards; it is refused with what to write."""
    m = lw.Mechanism("swing")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, bob)
    with pytest.warns(lw.FailedRunWarning, match=r"event 'low': its function gave (True|False) at t = .*return a difference"):
        lw.simulate(m, 1.0, q=[0.5], events=[lw.Event(truth, name="low")])
    sim = lw.Simulation(m, q=[0.5], events=[lw.Event(lambda t, q, v: q[0] - 0.05, name="low")])
    sim.run(1.0)
    assert [event.direction for event in sim.events] == [-1]


def test_times_of_events_are_floats():
    """Some were numbers of NumPy's, where a step holds two crossings."""
    m = lw.Mechanism("wheel", gravity=(0, 0, 0))
    wheel = m.add_body("wheel", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("axle", lw.Revolute((0, 0, 1)), m.ground, wheel)
    sim = lw.Simulation(m, lw.RungeKutta4(0.2), v=[1.0], events=[lw.Event(lambda t, q, v: 1e-4 - (q[0] - 0.31) ** 2)])
    sim.run(1.0)
    assert [event.t for event in sim.events] == pytest.approx([0.3, 0.32], abs=1e-9)
    assert {type(event.t) for event in sim.events} == {float}
