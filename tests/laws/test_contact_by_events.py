"""Contact between located events: RungeKutta4 and Adaptive against closed forms, each other, and time stepping whose steps go to zero."""

import numpy as np
import pytest

import linkwork as lw

from .contact_scenes import four_bar

G = 9.81
METHODS = {"fixed": lw.RungeKutta4(step=1e-2), "order 5": lw.Adaptive(), "order 8": lw.Adaptive(order=8)}
every = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())


def world(friction=0.5, restitution=0.0, gravity=(0.0, 0.0, -G)):
    m = lw.Mechanism("world", gravity=gravity)
    m.surface = lw.Surface(friction=friction, restitution=restitution)
    m.add_floor()
    return m


def ball(friction=0.5, restitution=0.0):
    m = world(friction, restitution)
    m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    return m.build()


def block(friction=0.5, gravity=(0.0, 0.0, -G)):
    m = world(friction, gravity=gravity)
    m.add_body("block", shape=lw.Box(0.2, 0.2, 0.1), density=500)
    return m.build()


def slope(angle):
    """Gravity as a floor that slopes sees it."""
    return G * np.sin(angle), 0.0, -G * np.cos(angle)


def bounces(height, restitution, count):
    """Times of the first touches of a ball that falls from a height."""
    fall = np.sqrt(2 * height / G)
    return fall + 2 * fall * np.concatenate([[0.0], np.cumsum(restitution ** np.arange(1, count))])


@every
def test_bounces_happen_when_and_reach_as_high_as_the_closed_form_says(method):
    e, height = 0.8, 1.0
    sim = lw.Simulation(ball(restitution=e), method, q=[0, 0, 0.1 + height, 1, 0, 0, 0], events=[lw.touches("ball", "ground")])
    rec = sim.run(4.0)
    times = bounces(height, e, 8)
    touched = [found.t for found in sim.events]
    assert len(touched) >= 8
    assert touched[:8] == pytest.approx(times, abs=1e-12)
    for k in range(7):  # half-way between two touches
        top = sim_height(rec.model, method, e, height, 0.5 * (times[k] + times[k + 1]))
        assert top == pytest.approx(height * e ** (2 * k + 2), rel=1e-10)


def sim_height(model, method, e, height, t):
    return float(lw.simulate(model, None, method, q=[0, 0, 0.1 + height, 1, 0, 0, 0], times=[t]).q[-1, 2]) - 0.1


@every
def test_a_ball_that_loses_nothing_bounces_on_with_its_energy(method):
    sim = lw.Simulation(ball(restitution=1.0), method, q=[0, 0, 1.1, 1, 0, 0, 0])
    rec = sim.run(20.0)
    energy = rec["kinetic"] + rec["potential"]
    assert abs(energy - energy[0]).max() < 1e-11 * abs(energy[0])
    assert rec.audit.contact.impacts_of[0].number in (22, 23)  # (20 + fall) / (2 fall) = 22.6; a step may end beyond


@every
def test_endless_bounces_end_where_a_rebound_rises_no_higher_than_a_closed_gap(method):
    e, height = 0.9, 0.5
    sim = lw.Simulation(ball(restitution=e), method, q=[0, 0, 0.1 + height, 1, 0, 0, 0])
    end = np.sqrt(2 * height / G) * (1 + e) / (1 - e)
    rec = sim.run(end + 0.5)
    assert rec.status == "finished"
    tolerance = sim.system.contact.tolerance
    expected = np.log(tolerance / height) / np.log(e**2)  # rebounds until they rise no higher than that
    assert abs(rec.audit.contact.impacts_of[0].number - expected) < 2
    assert rec.q[-1, 2] == pytest.approx(0.1, abs=1e-15)
    assert abs(rec.v[-1]).max() < 1e-15
    assert sim.contacts[0].status == "sticking"


def slide_to_roll(method, friction=0.3, v0=1.0):
    sim = lw.Simulation(
        ball(friction), method, q=[0, 0, 0.1, 1, 0, 0, 0], v=[0, 0, 0, v0, 0, 0], events=[lw.sticks("ball", "ground")], times=[1.0]
    )
    rec = sim.run()
    rolls = 2 * v0 / (7 * friction * G)
    x = v0 * rolls - 0.5 * friction * G * rolls**2 + 5 / 7 * v0 * (1 - rolls)
    return sim.events[0].t - rolls, rec.q[-1, 0] - x, float(np.hypot(rec.v[-1, 3], rec.v[-1, 5])) - 5 / 7 * v0


def test_a_ball_slides_into_rolling_with_the_order_of_the_method():
    coarse, fine = (np.abs(slide_to_roll(lw.RungeKutta4(step=h))) for h in (5e-3, 2.5e-3))
    assert (coarse > 1e-10).all()  # there is an error to be measured
    assert (fine < coarse / 12).all()  # 16 in the limit


@pytest.mark.parametrize("order", [5, 8])
@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
def test_a_ball_slides_into_rolling_within_the_tolerance(order, rtol):
    errors = np.abs(slide_to_roll(lw.Adaptive(order=order, rtol=rtol, atol=rtol * 1e-2)))
    assert (errors < 20 * rtol).all()


@every
def test_a_block_that_slides_stops_where_friction_says_and_stays(method):
    rec = lw.simulate(block(0.5), 2.0, method, q=[0, 0, 0.05, 1, 0, 0, 0], v=[0, 0, 0, 3.0, 0, 0])
    assert rec.q[-1, 0] == pytest.approx(9 / (2 * 0.5 * G), abs=1e-13)
    assert abs(rec.v[-1]).max() < 1e-12 and abs(rec.q[:, 2] - 0.05).max() < 1e-14
    assert rec.audit.contact.friction == pytest.approx(0.5 * 2 * 9, rel=1e-12)
    assert rec.audit.relative < 1e-12


@every
@pytest.mark.parametrize(("angle", "mu"), [(0.3, 0.5), (0.6, 0.5), (0.3, 0.0)])
def test_a_block_on_a_slope_stands_or_slides_as_coulomb_says(method, angle, mu):
    rec = lw.simulate(block(mu, slope(angle)), 2.0, method, q=[0, 0, 0.05, 1, 0, 0, 0])
    acceleration = max(0.0, G * (np.sin(angle) - mu * np.cos(angle)))
    assert rec.q[-1, 0] == pytest.approx(2 * acceleration, abs=1e-12)
    assert abs(rec.q[:, 2] - 0.05).max() < 1e-13


@every
def test_a_block_thrown_up_a_slope_stops_and_stays_or_comes_back(method):
    for mu, stays in ((0.5, True), (0.2, False)):
        rec = lw.simulate(block(mu, slope(0.3)), 1.0, method, q=[0, 0, 0.05, 1, 0, 0, 0], v=[0, 0, 0, -2.0, 0, 0])
        up, down = G * (np.sin(0.3) + mu * np.cos(0.3)), G * (np.sin(0.3) - mu * np.cos(0.3))
        x = -2.0 / up if stays else -2.0 / up + 0.5 * down * (1.0 - 2.0 / up) ** 2
        assert rec.q[-1, 0] == pytest.approx(x, abs=1e-12)


@every
def test_a_mass_on_a_spring_with_dry_friction_swings_half_way_by_half_way(method):
    """Each half swing takes pi sqrt(m / k) and 2 mu m g / k of the amplitude; it stays where the spring no longer overcomes friction."""
    m = world(0.1)
    block = m.add_body("block", mass=2.0, inertia=(0.02, 0.02, 0.02), shape=lw.Box(0.2, 0.2, 0.1))
    stiffness = 50.0
    m.add_force("spring", lw.SpringDamper(stiffness, 0.0, 1.0), m.ground.at(-1, 0, 0.05), block)
    lost, start = 0.1 * 2.0 * G / stiffness, 0.25
    half = np.pi * np.sqrt(2.0 / stiffness)
    q = [start, 0, 0.05, 1, 0, 0, 0]
    sim = lw.Simulation(m, method, q=q, times=[0.5 * half, half, 1.5 * half, 5 * half], events=[lw.sticks("block", "ground")])
    rec = sim.run()
    assert rec.q[0, 0] == pytest.approx(lost, abs=2e-8)  # half-way of a swing about lost
    assert rec.q[1, 0] == pytest.approx(-(start - 2 * lost), abs=2e-8)
    ends = [start]
    while abs(ends[-1]) > lost:
        ends.append(-np.sign(ends[-1]) * (abs(ends[-1]) - 2 * lost))
    assert rec.q[-1, 0] == pytest.approx(ends[-1], abs=2e-8)
    assert abs(rec.v[-1, 0]) < 1e-12
    assert sim.events[-1].t == pytest.approx((len(ends) - 1) * half, abs=1e-6)


@every
def test_a_small_ball_leaves_a_smooth_fixed_one_where_its_weight_no_longer_holds_it(method):
    """cos(theta) = 2/3 + v0^2 / (3 g R), from energy and the force along the normal."""
    m = lw.Mechanism("dome", gravity=(0, 0, -G))
    m.surface = lw.Surface(friction=0.0)
    m.change("ground", collisions=[lw.Sphere(0.9)])
    m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    v0 = 0.5
    event = lw.parts_from("ball", "ground", stop=True)
    sim = lw.Simulation(m, method, q=[0, 0, 1.0, 1, 0, 0, 0], v=[0, 0, 0, v0, 0, 0], events=[event])
    assert sim.run(3.0).status == "stopped"
    x, _, z = sim.state.q[:3]
    assert z / np.hypot(x, z) == pytest.approx(2 / 3 + v0**2 / (3 * G), abs=1e-6)
    assert np.hypot(x, z) == pytest.approx(1.0, abs=1e-12)


@every
def test_a_ball_that_rolls_off_a_fixed_one_slips_before_it_parts(method):
    m = lw.Mechanism("dome", gravity=(0, 0, -G))
    m.surface = lw.Surface(friction=0.6)
    m.change("ground", collisions=[lw.Sphere(0.9)])
    m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    events = [lw.slips("ball", "ground"), lw.parts_from("ball", "ground", stop=True)]
    v0, mu = 0.5, 0.6
    sim = lw.Simulation(m, method, q=[0, 0, 1.0, 1, 0, 0, 0], v=[0, v0 / 0.1, 0, v0, 0, 0], events=events)
    sim.run(3.0)
    assert [found.name.split()[-1] for found in sim.events] == ["slip", "part"]
    # Rolling: v^2 = v0^2 + (10/7) g R (1 - cos); N/m = g cos - v^2 / R; friction (2/7) g sin = mu N/m
    x, _, z = sim.events[0].q[:3]
    c, s = z / np.hypot(x, z), x / np.hypot(x, z)
    assert 2 / 7 * G * s == pytest.approx(mu * (G * c - v0**2 - 10 / 7 * G * (1 - c)), abs=2e-5)


@every
def test_a_rod_that_falls_on_a_smooth_floor_follows_its_closed_form(method):
    """Its middle falls straight down: w^2 = m g l (cos a - cos b) / (I + m l^2 sin^2 b), l half the length."""
    m = world(friction=0.0)
    m.add_body("rod", mass=1.0, inertia=(1 / 12, 1 / 12, 1e-4), shape=lw.Capsule(0.01, 1.0))
    a = 0.3
    rec = lw.simulate(m, 0.4, method, q=[0, 0, 0.01 + 0.5 * np.cos(a), *lw.Pose.from_rpy(0, a, 0).quaternion])
    b = np.array([np.arccos(lw.Pose((0, 0, 0), q[3:7]).rotation[2, 2]) for q in rec.q])
    w = np.sqrt(G * (np.cos(a) - np.cos(b)) / (1 / 12 + 0.25 * np.sin(b) ** 2))
    assert b[-1] > 1.2
    assert abs(np.abs(rec.v[:, 1]) - w).max() < 1e-6
    assert abs(rec.q[:, 0]).max() < 1e-6 and abs(rec.q[:, 2] - 0.01 - 0.5 * np.cos(b)).max() < 1e-9


@every
@pytest.mark.parametrize("count", [3, 5])
def test_the_last_ball_of_newtons_cradle_leaves_with_the_speed_of_the_first(method, count):
    m = lw.Mechanism("cradle", gravity=(0, 0, 0))
    m.surface = lw.Surface(friction=0.0, restitution=1.0)
    for k in range(count):
        m.add_body(f"ball {k}", shape=lw.Sphere(0.1), density=500)
        m.add_joint(f"rail {k}", lw.Prismatic((1, 0, 0)), m.ground, f"ball {k}")
    for k in range(count - 1):
        m.touch(f"ball {k}", f"ball {k + 1}")
    q = [0.0] + [0.5 + 0.201 * k for k in range(count - 1)]
    rec = lw.simulate(m, 1.0, method, q=q, v=[1.0] + [0.0] * (count - 1))
    assert rec.v[-1] == pytest.approx([0.0] * (count - 1) + [1.0], abs=1e-13)
    assert sum(pair.number for pair in rec.audit.contact.impacts_of) == count - 1


@every
def test_collisions_of_spinning_balls_conserve_momentum_and_gain_no_energy(method):
    rng = np.random.default_rng(7)
    m = lw.Mechanism("space", gravity=(0, 0, 0))
    m.surface = lw.Surface(friction=0.4, restitution=0.9)
    for k in range(4):
        m.add_body(f"ball {k}", shape=lw.Sphere(0.1 + 0.02 * k), density=500)
    q, v = [], []
    for k in range(4):
        place = np.array([np.cos(1.5 * k), np.sin(1.5 * k), 0.1 * k])
        q += [*place, 1, 0, 0, 0]
        v += [*rng.normal(size=3) * 5, *(-place)]
    rec = lw.simulate(m, 2.0, method, q=q, v=v, record=("q", "v", "momentum", "energy"))
    assert sum(pair.number for pair in rec.audit.contact.impacts_of) >= 2
    momentum = rec["momentum"]
    error = 1e-4 if isinstance(method, lw.RungeKutta4) else 1e-6  # of v in axes that turn with up to 10 rad/s
    assert abs(momentum - momentum[0]).max() < error * abs(momentum[0]).max()
    kinetic = rec["kinetic"]
    assert (np.diff(kinetic) < error * kinetic[0]).all() and kinetic[-1] < 0.99 * kinetic[0]
    assert rec.audit.relative < error


@every
def test_a_four_bar_linkage_that_falls_on_the_floor_stays_closed(method):
    model, q = four_bar()
    turn = 0.1
    q[2], q[3:7] = 0.3, [np.cos(turn / 2), 0.0, np.sin(turn / 2), 0.0]
    sim = lw.Simulation(model, method, q=lw.assemble(model, q), record=("q", "v", "energy", "gaps", "contact_status"))
    rec = sim.run(0.4)
    assert rec.status == "finished"
    assert rec["gaps"][:, 0].max() < 1e-10
    assert rec.audit.contact.gap.value < 1e-12 and rec.audit.contact.impact > 0.1
    assert rec.audit.relative < 1e-5
    assert (rec["ground - bar 0", "status"] > 0).any()


@every
def test_a_stack_that_is_dropped_comes_to_rest(method):
    m = world()
    q = []
    for k in range(3):
        m.add_body(f"box {k}", shape=lw.Box(0.2, 0.2, 0.1), density=500)
        q += [0.01 * k, 0.02 * k, 0.05 + 0.1 * k + 0.05 * (k + 1), 1, 0, 0, 0]
    sim = lw.Simulation(m, method, q=q)
    rec = sim.run(1.0)
    assert rec.q[-1, 2::7] == pytest.approx([0.05, 0.15, 0.25], abs=1e-14)
    assert abs(rec.v[-1]).max() < 1e-12
    assert len(sim.contacts) == 12 and sum(touch.normal for touch in sim.contacts if touch.a == "ground") == pytest.approx(6.0 * G)


def scene(seed):
    """Balls and a box that is thrown with spin on a floor: (model, q, v)."""
    rng = np.random.default_rng(seed)
    m = world(friction=float(rng.uniform(0.1, 0.6)), restitution=float(rng.uniform(0.6, 0.9)))
    q, v = [], []
    for k in range(2):
        m.add_body(f"ball {k}", shape=lw.Sphere(float(rng.uniform(0.08, 0.12))), density=500)
        q += [0.6 * k, 0.0, float(rng.uniform(0.3, 0.5)), 1, 0, 0, 0]
        v += [*rng.normal(size=3) * 4, *rng.normal(size=3)]
    return m.build(), np.array(q), np.array(v)


@pytest.mark.parametrize("seed", range(6))
def test_time_stepping_comes_to_the_same_motion_as_its_step_goes_to_zero(seed):
    model, q, v = scene(seed)
    exact, fixed = (
        lw.simulate(model, 0.6, method, q=q, v=v) for method in (lw.Adaptive(rtol=1e-10, atol=1e-12), lw.RungeKutta4(step=2e-3))
    )
    assert sum(pair.number for pair in exact.audit.contact.impacts_of) >= 2
    assert fixed.q[-1] == pytest.approx(exact.q[-1], abs=1e-7)
    errors = [abs(lw.simulate(model, 0.6, lw.ContactStepping(step=h), q=q, v=v).q[-1] - exact.q[-1]).max() for h in (4e-3, 1.25e-4)]
    assert errors[1] < min(2e-3, 0.12 * errors[0])  # order 1, unevenly: what an impact loses of a step depends on where in it it falls


@every
def test_a_run_that_is_taken_up_goes_on_bit_by_bit(method, tmp_path):
    model, q, v = scene(3)
    events = [lw.touches("ball 0", "ground"), lw.parts_from("ball 0", "ground"), lw.crosses_plane("ball 1", offset=0.2)]
    options = {"events": events, "record": ("q", "v", "energy", "contact_forces", "contact_status")}
    path = tmp_path / "run"
    first = lw.Simulation(model, method, q=q, v=v, **options)
    first.run(0.5)
    first.save_checkpoint(path)
    second = lw.Simulation.resumed(path, model, method, **options)
    a, b = first.run(0.5), second.run(0.5)
    assert (a.q == b.q).all() and (a.v == b.v).all()
    for name in a["contact_forces"].dtype.names or ("contact_forces",):
        assert np.array_equal(a["contact_forces"], b["contact_forces"]), name
    assert [found.t for found in first.events] == [found.t for found in second.events]
    assert a.audit.contact == b.audit.contact


@every
def test_looking_at_a_motion_changes_no_bit_of_it(method):
    model, q, v = scene(1)
    plain = lw.simulate(model, None, method, q=q, v=v, times=[0.25, 0.5, 0.75])
    often = lw.simulate(model, 0.75, method, q=q, v=v, record_interval=0.25)
    sim = lw.Simulation(model, method, q=q, v=v, record_interval=0.25)
    for _ in range(3):
        sim.run(0.25)
        sim.method.state(0.5 * (sim.method.before + sim.method.time))
        assert sim.contacts is not None
    assert (plain.q[-1] == often.q[-1]).all()
    assert (sim.recording.q[-1] == often.q[-1]).all()


@every
def test_forces_and_statuses_are_those_of_the_sample(method):
    """A ball that slides, then rolls: friction mu m g until it rolls, none afterwards, also within a long step."""
    record = ("q", "v", "contact_forces", "contact_status")
    rec = lw.simulate(ball(0.3), 0.4, method, q=[0, 0, 0.1, 1, 0, 0, 0], v=[0, 0, 0, 1, 0, 0], record=record, record_interval=0.01)
    weight = 500 * 4 / 3 * np.pi * 1e-3 * G
    rolls = 2 / (7 * 0.3 * G)
    slides = (rec.time > 0.0) & (rec.time < rolls - 1e-6)
    after = rec.time > rolls + 1e-6
    force, status = rec["ground - ball", "force"], rec["ground - ball", "status"]
    assert force[slides] == pytest.approx(np.tile([-0.3 * weight, 0, weight], (slides.sum(), 1)), abs=1e-9 * weight)
    assert force[after] == pytest.approx(np.tile([0, 0, weight], (after.sum(), 1)), abs=1e-7 * weight)
    assert (status[slides] == 2).all() and (status[after] == 3).all()


@every
def test_a_stop_event_in_mid_air_cuts_the_motion_there_and_it_goes_on_the_same(method):
    e, height = 0.8, 1.0
    q = [0, 0, 0.1 + height, 1, 0, 0, 0]
    sim = lw.Simulation(ball(restitution=e), method, q=q, events=[lw.crosses_plane("ball", offset=0.5, stop=True)])
    for _ in range(3):
        assert sim.run(2.0).status == "stopped"
        assert sim.state.q[2] == pytest.approx(0.5, abs=1e-9)
    t = sim.time
    assert t == pytest.approx(
        bounces(height, e, 2)[1] - (np.sqrt(2 * height * e**2 / G) - np.sqrt(2 * (height * e**2 - 0.4) / G)), abs=1e-9
    )
    rest = sim.run(0.3)
    assert rest.q[-1, 2] == pytest.approx(0.1 + sim_height(ball(restitution=e), method, e, height, t + 0.3), abs=1e-9)


def test_steps_of_lanes_refuse_contact_by_events():
    model = ball()
    with pytest.raises(lw.ModelError, match="ContactStepping"):
        lw.rollout(model, np.tile([0, 0, 1.0, 1, 0, 0, 0], (2, 1)), np.zeros((2, 6)), 10, lw.RungeKutta4(step=1e-3))
