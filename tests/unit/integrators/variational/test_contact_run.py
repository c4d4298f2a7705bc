"""Contact in Variational: refusals, short steps, checkpoints, memory that grows, recordings, events, works, Live, rollouts, compiled and plain."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.integrators.integrator import StepError
from linkwork.integrators.nonsmooth.memory import save_contact
from linkwork.integrators.variational.contact_run import first_root

G = 9.81
METHOD = lw.Variational(step=1e-3)


def unit(values):
    return np.array(values, dtype=float) / np.linalg.norm(values)


def brick(friction=0.5, restitution=0.3):
    m = lw.Mechanism("brick", gravity=(0, 0, -G))
    m.add_floor(surface=lw.Surface(friction=friction, restitution=restitution))
    m.add_body("brick", shape=lw.Box(0.2, 0.1, 0.06), density=500)
    return m


def ball(restitution=0.5):
    m = lw.Mechanism("ball", gravity=(0, 0, -G))
    m.add_floor(surface=lw.Surface(friction=0.3, restitution=restitution))
    m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    return m


Q = [0.0, 0.0, 0.25, *unit([0.9, 0.3, 0.2, 0.1])]
V = [1.0, 2.0, 3.0, 0.5, 0.2, 0.0]


# ---- where steps are cut


@pytest.mark.parametrize(
    "f, b, root", [(lambda x: 1.0 - x, 2.0, 1.0), (lambda x: 1.0 - x**3, 3.0, 1.0), (lambda x: 1.0 if x < 0.3 else -1.0, 1.0, 0.3)]
)
def test_the_first_root_is_found_where_a_gap_closes(f, b, root):
    assert first_root(f, f(0.0), b, 1e-13) == pytest.approx(root, abs=1e-12)


def test_a_gap_that_does_not_close_has_no_root():
    assert first_root(lambda x: 2.0 - x, 2.0, 1.0, 1e-13) is None


def test_a_step_in_which_a_ball_rebounds_twice_is_cut_twice():
    m = lw.Mechanism("between", gravity=(0, 0, 0))
    m.surface = lw.Surface(friction=0.0, restitution=1.0)
    m.contact = True
    m.add_body("ball", shape=lw.Sphere(0.1), mass=1.0)
    m.add_body("left", shape=lw.Box(0.1, 1, 1), mass=1e6)
    m.add_body("right", shape=lw.Box(0.1, 1, 1), mass=1e6)
    model = m.build()
    q = lw.neutral(model)
    for joint, x in zip(model.joints, (0.0, -0.16, 0.16), strict=True):
        q[joint.q_index][0] = x
    v = np.zeros(model.nv)
    v[model.joint("ball.free").v_index] = [0, 0, 0, 1.6, 0, 0]
    rec = lw.simulate(model, 0.1, lw.Variational(step=0.1), q=q, v=v, record_interval=0.1)  # 0.16 m of way in a gap of 0.02 m
    assert sum(pair.number for pair in rec.audit.contact.impacts_of) == 8
    assert abs(rec.q[-1, 0]) <= 0.01 + 1e-9
    assert rec["kinetic"][-1] == pytest.approx(rec["kinetic"][0], rel=1e-12)


# ---- steps, looks, checkpoints


def test_looking_between_steps_changes_no_bit():
    model = brick().build()
    plain = lw.Simulation(model, METHOD, q=Q, v=V, record_interval=0.1)
    looked = lw.Simulation(model, METHOD, q=Q, v=V, record_interval=0.1)
    a = plain.run(1.0)
    for _ in range(10):
        looked.run(0.1)
        looked.method.state(looked.method.time + 3e-4)
        looked.method.state(looked.method.time - 3e-4)
    b = looked.recording
    assert (a.q == b.q).all() and (a.v == b.v).all()
    assert a.audit.contact == b.audit.contact
    assert (save_contact(plain.system.contact) == save_contact(looked.system.contact)).all()


def test_chunks_of_steps_make_no_difference():
    model = brick().build()
    whole, pieces = (lw.Simulation(model, METHOD, q=Q, v=V) for _ in range(2))
    whole.method.take(900)
    for count in (1, 2, 3, 5, 89, 300, 500):
        pieces.method.take(count)
    assert (whole.system.q == pieces.system.q).all() and (whole.system.v == pieces.system.v).all()


@pytest.mark.parametrize("when", [0.3, 0.3004])  # on the grid, and within a step
def test_a_run_is_taken_up_bit_by_bit(tmp_path, when):
    model, path = brick().build(), tmp_path / "run"
    straight = lw.Simulation(model, METHOD, q=Q, v=V)
    straight.run(when)
    straight = straight.run(1.0 - when)
    first = lw.Simulation(model, METHOD, q=Q, v=V, checkpoint=path)
    first.run(when)
    first._goal = 1.0
    first.save_checkpoint()
    rec = lw.Simulation.resumed(path, model, METHOD).resume()
    assert (rec.q == straight.q).all() and (rec.v == straight.v).all()
    assert rec.audit.contact == straight.audit.contact


def test_memory_grows_where_more_points_come_than_there_is_room_for():
    m = lw.Mechanism("wall", gravity=(0, 0, -G))
    m.add_floor()
    q = []
    for j in range(6):
        m.add_body(f"b{j}", shape=lw.Box(0.1, 0.1, 0.1), density=1000)
        q += [0.2 * j, 0, 0.05 + 0.01 * (j % 2), 1, 0, 0, 0]
    model = m.build()
    sim = lw.Simulation(model, METHOD, q=q)
    sim.system.contact.room = 8  # less than the 24 points of six cubes
    sim.run(0.1)
    assert sim.system.contact.memory.count[0] == 24
    other = lw.Simulation(model, METHOD, q=q)
    other.run(0.1)
    assert (sim.system.q == other.system.q).all() and (sim.system.v == other.system.v).all()
    assert sim.recording.audit.contact == other.recording.audit.contact


def test_bodies_that_overlap_at_the_start_are_pushed_apart_slowly():
    m = lw.Mechanism("two", gravity=(0, 0, 0))
    m.contact = True
    for name in "ab":
        m.add_body(name, shape=lw.Sphere(0.1), density=1000)
    with pytest.warns(Warning, match=r"'a' and 'b' overlap"):
        sim = lw.Simulation(m, METHOD, q=[0, 0, 0, 1, 0, 0, 0, 0.15, 0, 0, 1, 0, 0, 0])
        sim.step()
    sim.method.take(20)
    assert np.linalg.norm(sim.system.q[7:10] - sim.system.q[:3]) == pytest.approx(0.2, abs=1e-9)
    assert abs(sim.system.v).max() < 1e-12  # pushing apart gives no speed
    assert sim.recording.audit.contact.separations > 0


# ---- what is told


def test_forces_of_pairs_are_recorded_by_name():
    weight = 0.2 * 0.1 * 0.06 * 500 * G
    q, v = [0, 0, 0.03, 1, 0, 0, 0], [0, 0, 0, 1.0, 0, 0]
    rec = lw.simulate(brick(0.5, 0.0), 0.5, METHOD, q=q, v=v, record=("q", "v", "contact_forces", "contact_status"))
    assert rec["ground - brick", "force"][5] == pytest.approx([-0.5 * weight, 0.0, weight], abs=1e-9)
    assert rec["ground - brick", "status"][5] == 2  # slides
    assert rec["ground - brick", "status"][-1] == 1  # rests
    assert rec["ground - brick.force"][-1] == pytest.approx([0.0, 0.0, weight], abs=1e-9)


def test_the_force_of_a_rebound_is_its_impulse_over_the_step():
    rec = lw.simulate(ball(0.5), 0.6, METHOD, q=[0, 0, 1.1, 1, 0, 0, 0], record=("q", "v", "contact_forces"), record_interval=1e-3)
    mass, speed = 500 * 4 / 3 * np.pi * 0.1**3, np.sqrt(2 * G)
    assert rec["ground - ball", "force"][:, 2].max() * 1e-3 == pytest.approx(1.5 * mass * speed, rel=1e-12)
    pair = rec.audit.contact.impacts_of[0]
    assert (pair.a, pair.b, pair.number) == ("ground", "ball", 1)
    assert pair.impulse == pytest.approx(1.5 * mass * speed, rel=1e-12) and pair.jump == pytest.approx(1.5 * speed, rel=1e-12)
    assert pair.energy == pytest.approx(0.75 * 0.5 * mass * speed**2, rel=1e-12)


def test_events_of_contact_are_seen_in_steps_that_are_cut():
    events = [lw.touches("ball", "ground"), lw.parts_from("ball", "ground")]
    sim = lw.Simulation(ball(0.5), METHOD, q=[0, 0, 1.1, 1, 0, 0, 0], events=events)
    sim.run(1.0)
    first = np.sqrt(2 / G)
    second = first + 2 * 0.5 * np.sqrt(2 * G) / G
    touched, parted = ([found.t for found in sim.events if word in found.name] for word in ("touch", "part"))
    assert len(touched) == len(parted) == 2
    for exact, t, apart in zip((first, second), touched, parted, strict=True):
        assert -1e-9 < t - exact < 1e-3 + 1e-9  # at the end of its step
        assert apart == pytest.approx(t + 1e-3, abs=1e-12)


def test_a_run_stops_where_bodies_touch():
    sim = lw.Simulation(ball(0.0), METHOD, q=[0, 0, 1.1, 1, 0, 0, 0], events=[lw.touches("ball", "ground", stop=True)])
    sim.run(1.0)
    assert sim.time == pytest.approx(np.ceil(1e3 * np.sqrt(2 / G)) * 1e-3, abs=1e-9)


def test_an_event_within_a_step_cuts_a_run_that_goes_on_the_same_way():
    """What is left of the step is taken from there, to second order."""
    model = ball(0.5).build()
    sim = lw.Simulation(model, METHOD, q=[0, 0, 1.1, 1, 0, 0, 0], events=[lw.Event(lambda t, q, v: t - 0.50037, stop=True)])
    sim.run(1.0)
    assert sim.time == pytest.approx(0.50037, abs=1e-9)
    sim.run(0.75 - sim.time)
    straight = lw.simulate(model, 0.75, METHOD, q=[0, 0, 1.1, 1, 0, 0, 0])
    assert sim.state.q == pytest.approx(straight.q[-1], abs=1e-9)


def test_the_audit_tells_how_well_the_laws_hold():
    rec = lw.simulate(brick(), 1.0, METHOD, q=Q, v=V)
    audit = rec.audit
    contact = audit.contact
    assert contact.residual.value < 1e-6 and contact.cone < 1e-10 and contact.slip.value < 1e-6 and contact.gap.value < 1e-9
    assert contact.impact + contact.friction == pytest.approx(audit.losses, rel=1e-12)
    assert contact.friction_of[0][:2] == ("ground", "brick")
    assert sum(contact.found_by) == contact.steps
    assert abs(audit.numerical) < 1e-11 * audit.losses  # every loss is booked, to rounding
    assert type(audit).from_dict(audit.to_dict()) == audit


def test_works_of_prescribed_motion_against_contacts_are_booked():
    m = lw.Mechanism("pusher", gravity=(0, 0, -G))
    m.surface = lw.Surface(friction=0.4)
    m.add_floor()
    m.add_body("paddle", shape=lw.Box(0.05, 0.3, 0.1), mass=2.0)
    m.add_joint("rail", lw.Prismatic(axis=(1, 0, 0)), m.ground.at(0, 0, 0.06), "paddle")
    m.add_constraint("push", lw.SpeedDrive(0.5), "rail")
    m.add_body("box", shape=lw.Box(0.1, 0.1, 0.1), density=1000)
    model = m.build()
    q, v = lw.neutral(model), np.zeros(model.nv)
    q[model.joint("box.free").q_index] = [0.2, 0.02, 0.05, 1, 0, 0, 0]
    v[model.joint("rail").v_index] = 0.5
    rec = lw.simulate(model, 1.0, METHOD, q=q, v=v)
    assert rec.q[-1, model.joint("box.free").q_index][0] == pytest.approx(0.575, abs=1e-12)
    assert rec.audit.drives > 1.0
    assert abs(rec.audit.numerical) < 1e-12 * rec.audit.drives
    assert rec.audit.drives == pytest.approx(rec.audit.losses + 0.125, rel=1e-12)


def test_damping_and_springs_act_while_bodies_touch():
    m = lw.Mechanism("tied", gravity=(0, 0, -G))
    m.surface = lw.Surface(friction=0.5, restitution=0.3)
    m.add_floor()
    a = m.add_body("a", shape=lw.Box(0.2, 0.1, 0.1), density=1000)
    b = m.add_body("b", shape=lw.Sphere(0.06), density=500)
    m.add_force("leash", lw.SpringDamper(2e3, 100.0, 0.2), a.at(0.1, 0, 0.05), b)  # h c / 2m is 0.1 for the ball
    model = m.build()
    q = lw.neutral(model)
    q[model.joint("a.free").q_index], q[model.joint("b.free").q_index] = (
        [0, 0, 0.3, *unit([0.9, 0.3, 0.2, 0.1])],
        [0.3, 0.1, 0.4, 1, 0, 0, 0],
    )
    sim = lw.Simulation(model, METHOD, q=q)
    rec = sim.run(1.5)
    assert rec.status == "finished"
    assert sim.method.iterations < 8 * sim.method.steps  # Newton's matrix knows the damper; 22 a step without
    assert rec.audit.contact.gap.value < 1e-9


# ---- limits and friction of joints


def test_limits_and_dry_friction_of_joints_are_forces_as_without_contact():
    m = lw.Mechanism("door", gravity=(0, 0, -G))
    m.add_floor(surface=lw.Surface(friction=0.5))
    m.add_body("leaf", shape=lw.Box(0.8, 0.04, 0.5, at=(0.4, 0, 0)), density=600)
    m.add_joint("hinge", lw.Revolute((0, 1, 0), friction=2.0, upper=1.5, lower=-0.3), m.ground.at(0, 0, 1.5), "leaf")
    sim = lw.Simulation(m, METHOD, v=[1.0])
    assert {"hinge.friction", "hinge.stop"} <= set(sim.forces)
    rec = sim.run(3.0)
    assert rec.q[-1, 0] == pytest.approx(1.5, abs=1e-3)  # the stop is a spring


# ---- what is refused, and what fails


def test_a_run_in_real_time_is_refused():
    with pytest.raises(lw.ModelError, match=r"real_time is True, but bodies of 'brick' touch"):
        lw.Simulation(brick(), lw.Variational(step=1e-3, real_time=True))


def test_rollouts_are_refused_by_name():
    model = brick().build()
    with pytest.raises(lw.ModelError, match="Variational"):
        lw.rollout(model, np.tile(Q, (2, 1)), np.tile(V, (2, 1)), 10, METHOD)


def test_a_step_that_is_not_solved_fails_by_name_and_changes_nothing():
    model = brick(restitution=0.0).build()
    sim = lw.Simulation(model, METHOD, q=Q, v=V)
    sim.run(0.2)
    sim.method.run.settings.iterations = 1  # no step is solved in one correction
    before = sim.system.q.copy(), sim.system.v.copy(), sim.system.works.copy(), save_contact(sim.system.contact)
    with pytest.raises(StepError, match=r"in which bodies may touch: not solved within .* 'brick.free'"):
        sim.method.take(1)
    after = sim.system.q, sim.system.v, sim.system.works, save_contact(sim.system.contact)
    for x, y in zip(before, after, strict=True):
        assert (x == y).all()


# ---- Live


def test_live_steps_with_it():
    m = lw.Mechanism("brick", gravity=(0, 0, -G))
    m.add_floor(-0.2, lw.Surface(friction=0.5))
    m.add_body("brick", shape=lw.Box(0.2, 0.1, 0.06), density=500)
    live = lw.Live(m, integrator=METHOD)
    for _ in range(60):
        live.advance(0.02)
    assert live.q[2] == pytest.approx(-0.17, abs=1e-9) and abs(live.v).max() < 1e-9


def test_its_name_in_files():
    assert lw.integrator("variational", step=2e-3) == lw.Variational(step=2e-3)
