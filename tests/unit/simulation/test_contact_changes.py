"""Events of contact: touch, part, stick, slip, against closed forms; at the end of their step, with stops, checkpoints, and bodies of several shapes."""

import numpy as np
import pytest

import linkwork as lw

G = 9.81


def ball(restitution=0.0, friction=0.5):
    m = lw.Mechanism("ball")
    m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    m.surface = lw.Surface(friction=friction, restitution=restitution)
    m.add_floor()
    return m


def brick(friction=0.5):
    m = lw.Mechanism("brick")
    m.surface = lw.Surface(friction=friction)
    m.add_body("brick", shape=lw.Box(0.2, 0.2, 0.1), density=1000)
    m.add_floor()
    return m


def times(sim):
    return [(found.name, round(found.t, 9)) for found in sim.events]


@pytest.mark.parametrize("h", [1e-3, 4e-3])
def test_a_bouncing_ball_touches_and_parts_at_the_times_of_its_flights(h):
    e, height = 0.7, 0.5
    sim = lw.Simulation(
        ball(e),
        lw.ContactStepping(step=h),
        q=[0, 0, 0.1 + height, 1, 0, 0, 0],
        events=[lw.touches("ball", "ground"), lw.parts_from("ground", "ball")],
    )
    sim.run(1.4)
    flight = np.sqrt(2 * height / G)
    expected = [flight * (1 + 2 * sum(e**k for k in range(1, n + 1))) for n in range(3)]
    touched = [found.t for found in sim.events if "touch" in found.name][:3]
    parted = [found.t for found in sim.events if "part" in found.name][:3]
    for exact, t, apart in zip(expected, touched, parted, strict=True):
        assert -1e-9 < t - exact < h + 1e-9 + 2e-5 * h  # at the end of its step
        assert apart == pytest.approx(t + h, abs=1e-12)
    assert [found.direction for found in sim.events[:2]] == [1, -1]
    assert all(found.v[5] > 0.0 for found in sim.events[:1])  # the velocity after the impact


def test_a_brick_that_is_thrown_sticks_after_the_time_of_coulombs_law():
    events = [lw.slips("brick", "ground", stop=True), lw.sticks("brick", "ground"), lw.touches("brick", "ground")]
    thrown = lw.Simulation(brick(), q=[0, 0, 0.05, 1, 0, 0, 0], v=[0, 0, 0, 1.5, 0, 0], events=events)
    thrown.run(1.0)
    assert [found.name for found in thrown.events] == ["brick and ground stick"]  # it slipped and touched from the start: no event
    assert thrown.events[0].t == pytest.approx(1.5 / (0.5 * G), abs=1e-3)


def test_a_brick_that_is_pushed_harder_and_harder_slips_at_the_limit_of_friction():
    m = brick()

    @lw.controller(rate=1000.0)
    def push(t, q, v):
        return np.array([0.0, 0.0, 0.0, 8.0 * t, 0.0, 0.0])

    sim = lw.Simulation(m, q=[0, 0, 0.05, 1, 0, 0, 0], controllers=[push], events=[lw.slips("brick", "ground", stop=True)])
    sim.run(4.0)
    assert sim.status.word == "stopped"
    assert sim.time == pytest.approx(0.5 * 4.0 * G / 8.0, abs=2.1e-3)  # mu m g; force of the sample, end of the step
    assert sim.events[0].t == sim.time


def test_a_stop_event_ends_the_run_at_the_end_of_its_step_and_it_goes_on_from_there():
    plain = lw.Simulation(ball(0.6), q=[0, 0, 0.5, 1, 0, 0, 0])
    whole = plain.run(1.0)
    sim = lw.Simulation(ball(0.6), q=[0, 0, 0.5, 1, 0, 0, 0], events=[lw.touches("ball", "ground", stop=True)])
    rec = sim.run(1.0)
    assert rec.status.word == "stopped"
    assert sim.time == sim.events[0].t == rec.time[-1]
    assert sim.time * 1000 == pytest.approx(round(sim.time * 1000), abs=1e-9)
    while sim.time < 1.0:
        sim.run(1.0 - sim.time)
    assert np.array_equal(sim.state.q, plain.state.q)  # stopping changes nothing
    assert len(sim.events) > 2
    assert whole.status.word == "finished"


def test_a_run_taken_up_from_a_checkpoint_has_the_same_events(tmp_path):
    def events():
        return [lw.touches("ball", "ground"), lw.parts_from("ball", "ground"), lw.crosses_plane("ball", offset=0.3)]

    start = {"q": [0, 0, 0.6, 1, 0, 0, 0], "events": events()}
    whole = lw.Simulation(ball(0.5), **start)
    whole.run(1.5)
    part = lw.Simulation(ball(0.5), **start)
    part.run(0.7)
    part.save_checkpoint(tmp_path / "half.checkpoint")
    later = lw.Simulation.resumed(tmp_path / "half.checkpoint", ball(0.5), events=events())
    later.run(0.8)
    assert times(later) == times(whole)


def test_what_stands_from_the_start_is_no_event_and_steps_one_by_one_find_the_same():
    m = brick()
    m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    start = {"q": [0, 0, 0.05, 1, 0, 0, 0, 0, 0, 0.4, 1, 0, 0, 0]}

    def events():
        return [lw.touches("brick", "ground"), lw.touches("brick", "ball"), lw.sticks("ball", "brick")]

    sim = lw.Simulation(m, events=events(), **start)
    sim.run(0.5)
    assert [name for name, _ in times(sim)] == ["brick and ball touch", "ball and brick stick"]
    assert sim.events[0].t == pytest.approx(np.sqrt(2 * 0.2 / G), abs=1.001e-3)
    steps = lw.Simulation(m, events=events(), **start)
    steps.step(500)
    assert times(steps) == times(sim)


def test_bodies_of_several_shapes_and_shapes_by_name():
    m = lw.Mechanism("dumbbell")
    m.add_floor()
    m.add_body("dumbbell", mass=2.0, inertia=(0.1, 0.1, 0.1), collisions=[lw.Sphere(0.1, at=(x, 0, 0)) for x in (-0.5, 0.5)])
    pose = lw.Pose.from_rpy(0, 0.3, 0, (0, 0, 0.8))
    events = [lw.touches("dumbbell", "ground"), lw.touches("dumbbell/0", "ground"), lw.touches("dumbbell/1", "ground")]
    sim = lw.Simulation(m, q=[*pose.translation, *pose.quaternion], events=events)
    sim.run(2.0)
    first = {found.name: found.t for found in reversed(sim.events)}
    assert first["dumbbell and ground touch"] == first["dumbbell/1 and ground touch"] < first["dumbbell/0 and ground touch"]


def test_names_that_cannot_touch_are_refused():
    with pytest.raises(lw.UnknownNameError, match="ball"):
        lw.Simulation(ball(), events=[lw.touches("bal", "ground")]).run(0.1)
    still = lw.Mechanism("no contact")
    still.add_body("ball", shape=lw.Sphere(0.1), density=500)
    with pytest.raises(lw.ModelError, match="built without contact"):
        lw.Simulation(still, events=[lw.slips("ball", "ground")]).run(0.1)
    m = ball()
    m.add_body("other", shape=lw.Sphere(0.1), density=500)
    m.ignore("ball", "other")
    with pytest.raises(lw.ModelError, match="why_not_touching"):
        lw.Simulation(m, events=[lw.touches("ball", "other")]).run(0.1)
    with pytest.raises(lw.ModelError, match="touches"):
        lw.touches(3, "ground")


# ------------------------------------------------------------------------------------------------------------ recordings


def test_statuses_in_a_recording_tell_rolling_from_sticking():
    sim = lw.Simulation(ball(0.0), q=[0, 0, 0.1, 1, 0, 0, 0], v=[0, 0, 0, 1.0, 0, 0], record=("q", "v", "contact_forces", "contact_status"))
    rec = sim.run(0.6)
    status = rec["ground - ball", "status"]
    grips = 2 * 1.0 / (7 * 0.5 * G)
    assert (status[(rec.time > 0.0) & (rec.time < grips - 2e-3)] == 2).all()
    assert (status[rec.time > grips + 2e-3] == 3).all()
    assert [touch.status for touch in sim.contacts] == ["rolling"]
    assert sim.contacts[0].normal == pytest.approx(500 * 4 / 3 * np.pi * 1e-3 * G, rel=1e-9)
    flat = lw.Simulation(brick(), q=[0, 0, 0.05, 1, 0, 0, 0], record=("contact_status",))
    assert (flat.run(0.2)["ground - brick", "status"][1:] == 1).all()
    assert {touch.status for touch in flat.contacts} == {"sticking"}
    assert lw.Simulation(ball(0.0), q=[0, 0, 1.0, 1, 0, 0, 0]).contacts == ()
    ice = lw.Simulation(brick(0.0), q=[0, 0, 0.05, 1, 0, 0, 0], record=("contact_status",))
    assert (ice.run(0.1)["ground - brick", "status"][1:] == 2).all()


def test_reactions_in_a_recording_are_those_with_contacts():
    """A lamp on a hinge rests on the floor: hinge and floor share its weight, as one state says too."""
    m = lw.Mechanism("lever")
    m.add_floor(surface=lw.Surface(friction=0.0))  # with friction it could be wedged between hinge and floor
    arm = m.add_body("arm", mass=2.0, com=(0.4, 0, 0), inertia=(0.01, 0.1, 0.1), collisions=[lw.Sphere(0.1, at=(0.9, 0, 0))])
    m.add_joint("hinge", lw.Revolute((0, 1, 0)), m.ground.at(0, 0, 0.1), arm)
    m.touch("arm", "ground")
    sim = lw.Simulation(m, q=[0.0], record=("q", "v", "reactions", "contact_forces"))
    rec = sim.run(0.2)
    up = rec["ground - arm", "force"][-1, 2]
    assert up == pytest.approx(2.0 * G * 0.4 / 0.9, rel=1e-9)
    assert rec["hinge", "reaction"][-1, 5] == pytest.approx(2.0 * G - up, rel=1e-9)
    r = lw.reactions(sim.model, sim.state.q, sim.state.v)
    assert np.allclose(r.wrench("hinge"), rec["hinge", "reaction"][-1], atol=1e-7)


def test_forces_and_statuses_go_to_files_and_come_back(tmp_path):
    rec = lw.Simulation(ball(0.5), q=[0, 0, 0.3, 1, 0, 0, 0], record="all").run(1.0)
    rec.save(tmp_path / "run.arrow")
    again = lw.Recording.load(tmp_path / "run.arrow")
    assert np.array_equal(again["ground - ball", "force"], rec["ground - ball", "force"])
    assert np.array_equal(again["ground - ball", "status"], rec["ground - ball", "status"])
    assert again.audit == rec.audit
    rec.to_csv(tmp_path / "run.csv")
    head = (tmp_path / "run.csv").read_text(encoding="utf-8")[:4000]
    assert "contact_forces ground - ball.Fz" in head
    assert "contact_status ground - ball" in head


# ------------------------------------------------------------------------------------------------------------ audit by pair


def test_the_audit_tells_impacts_by_pair():
    """A ball of 1 kg falls 0.5 m with e = 0.6: impulses (1 + e) v, jumps (1 + e) v, and (1 - e^2) of the energy, again and again."""
    m = lw.Mechanism("ball")
    m.surface = lw.Surface(friction=0.4, restitution=0.6)
    m.add_body("ball", mass=1.0, inertia=(4e-3, 4e-3, 4e-3), shape=lw.Sphere(0.1))
    m.add_body("far", shape=lw.Box(1.0, 1.0, 0.1), density=100)
    m.add_floor()
    start = [0, 0, 0.6, 1, 0, 0, 0, 10, 0, 0.05, 1, 0, 0, 0]
    sim = lw.Simulation(m, lw.ContactStepping(step=1e-4), q=start)
    v = np.sqrt(2 * G * 0.5)
    sim.run(v / G + 0.01)
    [first] = sim.recording.audit.contact.impacts_of
    assert first[:3] == ("ground", "ball", 1)
    assert first.impulse == pytest.approx(1.6 * v, rel=2e-4)
    assert first.jump == pytest.approx(1.6 * v, rel=2e-4)
    assert first.energy == pytest.approx(0.5 * v**2 * (1 - 0.36), rel=1e-3)  # the speed where the step begins: g h / v = 3e-4 of it
    rec = sim.run(3.0)
    [all_of_them] = rec.audit.contact.impacts_of
    assert 10 < all_of_them.number < 30
    assert all_of_them.impulse == pytest.approx(v * 1.6 / 0.4, rel=0.02)  # a geometric series
    assert all_of_them.energy == pytest.approx(G * 0.5, rel=1e-3)
    assert all_of_them.jump == pytest.approx(first.jump, rel=1e-12)
    assert "impacts: ground - ball" in str(rec.audit)


def test_a_landing_without_rebound_is_one_impact_and_rest_is_none():
    sim = lw.Simulation(ball(0.0), q=[0, 0, 0.3, 1, 0, 0, 0])
    rec = sim.run(1.0)
    [landing] = rec.audit.contact.impacts_of
    mass, v = 500 * 4 / 3 * np.pi * 1e-3, np.sqrt(2 * G * 0.2)
    assert landing.number == 1
    assert landing.impulse == pytest.approx(mass * v, abs=2.1e-3 * mass * G)  # and weight, for the two steps in which it is stopped
    assert landing.energy == pytest.approx(rec.audit.contact.impact, rel=1e-6)
    still = lw.Simulation(brick(), q=[0, 0, 0.05, 1, 0, 0, 0], v=[0, 0, 0, 1, 0, 0]).run(1.0)
    assert still.audit.contact.impacts_of == ()
    twice = rec.audit.contact.then(rec.audit.contact).impacts_of[0]
    assert (twice.number, twice.jump) == (2, landing.jump)
    assert type(rec.audit.contact).from_dict(rec.audit.contact.to_dict()) == rec.audit.contact


def test_a_status_is_drawn_in_steps():
    """It held over the step before a sample; lines that slope would show statuses that there are not."""
    m = lw.Mechanism("box")
    m.add_floor()
    m.add_body("box", shape=lw.Box(0.2, 0.2, 0.2), density=125.0)
    rec = lw.simulate(m, 0.1, q={"box": (0, 0, 0.1)}, record=("q", "contact_forces", "contact_status"))
    assert (rec["ground - box", "status"][1:] == 1).all()
    [panel] = rec.plot(("ground - box", "status")).axes
    assert {line.get_drawstyle() for line in panel.get_lines()} == {"steps-pre"}
    panel = rec.plot(("ground - box", "force")).axes[0]
    assert {line.get_drawstyle() for line in panel.get_lines()} == {"default"}
