"""ContactStepping as a method: refusals, short steps, checkpoints, memory that grows, limits, rollouts, compiled and plain."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.integrators.nonsmooth.memory import LEAST_ROOM, load_contact, refuse_wrong_points, save_contact

from ....fuzz.contact import draw


def unit(values):
    return np.array(values, dtype=float) / np.linalg.norm(values)


def brick(friction=0.5, restitution=0.3):
    m = lw.Mechanism("brick", gravity=(0, 0, -9.81))
    m.add_floor(surface=lw.Surface(friction=friction, restitution=restitution))
    m.add_body("brick", shape=lw.Box(0.2, 0.1, 0.06), density=500)
    return m


Q = [0.0, 0.0, 0.25, *unit([0.9, 0.3, 0.2, 0.1])]
V = [1.0, 2.0, 3.0, 0.5, 0.2, 0.0]


def wall(rows, columns=1):
    m = lw.Mechanism("wall", gravity=(0, 0, -9.81))
    m.add_floor()
    q = []
    for i in range(rows):
        for j in range(columns):
            m.add_body(f"b{i}.{j}", shape=lw.Box(0.1, 0.1, 0.1), density=1000)
            q += [0.2 * j, 0, 0.05 + 0.1 * i, 1, 0, 0, 0]
    return m.build(), np.array(q)


def test_it_is_the_default_of_a_model_whose_bodies_touch():
    assert lw.Simulation(brick()).integrator == lw.ContactStepping(step=1e-3)
    still = brick()
    still.contact = False
    assert lw.Simulation(still).integrator == lw.RungeKutta4(step=1e-3)


@pytest.mark.parametrize("name", ["adams", "implicit", "energy-momentum", "semi-implicit-euler"])
def test_a_method_without_contact_refuses_a_model_whose_bodies_touch(name):
    with pytest.raises(lw.ModelError) as info:
        lw.Simulation(brick(), lw.integrator(name))
    said = str(info.value)
    assert "ContactStepping" in said and "Adaptive" in said and "m.contact = False" in said and "'brick'" in said


def test_the_variational_integrator_takes_contact():
    rec = lw.simulate(brick(), 1.0, lw.Variational(step=1e-3), q=Q, v=V)
    assert rec.status == "finished" and rec.audit.contact.steps > 0 and rec.audit.contact.gap.value < 1e-12


def test_the_sparse_solver_is_refused():
    with pytest.raises(lw.ModelError, match="'articulated'"):
        lw.Simulation(brick(), solver="sparse")


def test_looking_between_steps_changes_no_bit():
    model = brick().build()
    plain = lw.Simulation(model, q=Q, v=V, record_interval=0.1)
    looked = lw.Simulation(model, q=Q, v=V, record_interval=0.1)
    a = plain.run(1.0)
    for _ in range(10):
        looked.run(0.1)
        looked.method.state(looked.method.time + 3e-4)
        looked.method.state(looked.method.time - 3e-4)
    b = looked.recording
    assert (a.q == b.q).all() and (a.v == b.v).all()
    assert (save_contact(plain.system.contact) == save_contact(looked.system.contact)).all()


def test_chunks_of_steps_make_no_difference():
    model = brick().build()
    whole, pieces = (lw.Simulation(model, q=Q, v=V) for _ in range(2))
    whole.method.take(900)
    for count in (1, 2, 3, 5, 89, 300, 500):
        pieces.method.take(count)
    assert (whole.system.q == pieces.system.q).all() and (whole.system.v == pieces.system.v).all()


def test_a_run_is_taken_up_bit_by_bit(tmp_path):
    model, path = brick().build(), tmp_path / "run"
    straight = lw.Simulation(model, q=Q, v=V).run(1.0)
    first = lw.Simulation(model, q=Q, v=V, checkpoint=path)
    first.run(0.3)
    first._goal = 1.0
    first.save_checkpoint()
    second = lw.Simulation.resumed(path, model)
    rec = second.resume()
    assert (rec.q == straight.q).all() and (rec.v == straight.v).all()


def test_a_forged_memory_of_contacts_is_refused():
    sim = lw.Simulation(brick(), q=Q)
    sim.run(0.5)
    saved = save_contact(sim.system.contact)
    with pytest.raises(lw.FormatError, match="contacts"):
        load_contact(sim.system.contact, saved[:-1])


def test_memory_grows_where_more_points_come_than_there_is_room_for():
    model, q = wall(1, 12)
    sim = lw.Simulation(model, q=q)
    contact = sim.system.contact
    room = contact.room
    contact.room = 8  # less than the 48 points of twelve cubes
    sim.run(0.05)
    assert sim.system.contact.memory.count[0] == 48
    other = lw.Simulation(model, q=q)
    other.run(0.05)
    assert (sim.system.q == other.system.q).all() and (sim.system.v == other.system.v).all()
    assert room >= LEAST_ROOM


def test_a_limit_is_hard():
    m = lw.Mechanism("pendulum", gravity=(0, 0, -9.81))
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0), lower=-0.2, upper=0.1), m.ground, bob)
    rec = lw.simulate(m, 2.0, lw.ContactStepping(step=1e-3), q=[0.1], record_interval=1e-3)
    assert rec.q.min() > -0.2 - 1e-9 and rec.q.max() < 0.1 + 1e-9
    rests = lw.simulate(m, 2.0, lw.ContactStepping(step=1e-3), q=[-0.2], v=[0.0])
    assert rests.q.min() > -0.2 - 1e-9


def test_a_slider_is_held_by_its_limit():
    m = lw.Mechanism("slider", gravity=(0, 0, -9.81))
    block = m.add_body("block", mass=2.0, inertia=(1, 1, 1))
    m.add_joint("rail", lw.Prismatic(axis=(0, 0, 1), lower=-0.5), m.ground, block)
    rec = lw.simulate(m, 1.0, lw.ContactStepping(step=1e-3))
    assert rec.q[-1, 0] == pytest.approx(-0.5, abs=1e-9)
    assert abs(rec.v[-1, 0]) < 1e-14


def test_bodies_that_overlap_at_the_start_are_pushed_apart_slowly():
    m = lw.Mechanism("two", gravity=(0, 0, 0))
    m.contact = True
    for name in "ab":
        m.add_body(name, shape=lw.Sphere(0.1), density=1000)
    with pytest.warns(Warning, match=r"'a' and 'b' overlap"):
        sim = lw.Simulation(m, q=[0, 0, 0, 1, 0, 0, 0, 0.15, 0, 0, 1, 0, 0, 0])
        sim.step()
    apart = np.linalg.norm(sim.system.q[7:10] - sim.system.q[:3])
    assert apart == pytest.approx(0.2, abs=0.04) and apart > 0.15
    sim.method.take(20)
    assert np.linalg.norm(sim.system.q[7:10] - sim.system.q[:3]) == pytest.approx(0.2, abs=1e-9)
    assert abs(sim.system.v).max() < 1e-12  # pushing apart gives no speed


def test_rollouts_take_copies_one_by_one():
    model = brick().build()
    q, v = np.tile(Q, (3, 1)), np.tile(V, (3, 1))
    v[1, 3], v[2, 3] = 1.0, -1.0
    rolled = lw.rollout(model, q, v, 300, every=100)
    assert not rolled.failed.any()
    for k in range(3):
        sim = lw.Simulation(model, q=q[k], v=v[k])
        sim.method.take(300)
        assert (sim.system.q == rolled.q[k, -1]).all()


def test_its_name_in_files():
    assert lw.integrator("contact-stepping", step=2e-3) == lw.ContactStepping(step=2e-3)


@pytest.mark.parametrize("step", [0.0, -1.0, float("nan"), "fast"])
def test_a_step_that_is_none_is_refused(step):
    with pytest.raises(lw.ModelError, match="ContactStepping"):
        lw.ContactStepping(step=step)


def test_forces_of_pairs_are_recorded_by_name():
    m = brick(friction=0.5, restitution=0.0)
    weight = 0.2 * 0.1 * 0.06 * 500 * 9.81
    q, v = [0, 0, 0.03, 1, 0, 0, 0], [0, 0, 0, 1.0, 0, 0]
    rec = lw.simulate(m, 0.5, q=q, v=v, record=("q", "v", "contact_forces", "contact_status"))
    assert rec["ground - brick", "force"][5] == pytest.approx([-0.5 * weight, 0.0, weight], abs=1e-9)
    assert rec["ground - brick", "status"][5] == 2  # slides
    assert rec["ground - brick", "status"][-1] == 1  # rests
    assert rec["ground - brick.force"][-1] == pytest.approx([0.0, 0.0, weight], abs=1e-9)


def test_the_audit_tells_how_well_the_laws_hold():
    rec = lw.simulate(brick(), 1.0, q=Q, v=V)
    audit = rec.audit
    contact = audit.contact
    assert contact.residual.value < 1e-10 and contact.cone < 1e-10 and contact.slip.value < 1e-10 and contact.gap.value < 1e-6
    assert contact.impact + contact.friction + contact.separation == pytest.approx(audit.losses, rel=1e-12)
    assert contact.friction_of[0][:2] == ("ground", "brick")
    assert sum(contact.found_by) == contact.steps
    assert "every step exact" in str(audit) and "impacts and friction" in str(audit)
    assert type(audit).from_dict(audit.to_dict()) == audit


@pytest.mark.parametrize("seed", [3485, 3552])
def test_copies_of_a_rollout_are_alike_though_the_first_one_had_to_make_room(seed):
    """A step that found no room for its points is taken again as if it had not been tried: dry friction of joints began with its impulses."""
    scene = draw(seed)
    model = scene.mechanism.build()
    q, v = (np.tile(x, (2, 1)) for x in (scene.q, scene.v))
    made = lw.rollout(model, q, v, 60, lw.ContactStepping(step=scene.step), every=60)
    assert np.array_equal(made.q[0], made.q[1]) and np.array_equal(made.v[0], made.v[1])


def test_a_checkpoint_with_contacts_that_no_step_leaves_is_refused_before_room_is_made_for_them():
    sim = lw.Simulation(brick(), q=Q, v=V)
    sim.run(0.4)
    contact = sim.system.contact
    saved, kind = save_contact(contact), contact.memory.points.rows.dtype
    count = int(saved[0])
    assert count > 0
    refuse_wrong_points(contact, saved)
    lies = [np.append(2**62, saved[1:]), np.append(-1, saved[1:]), saved[:0], np.append(saved, 0)]
    for name, value in (("pair", 1), ("pair", -1), ("status", 7), ("force", np.nan), ("budget", np.inf), ("lasting", -np.inf)):
        wrong = saved.copy()
        wrong[1 : 1 + count * kind.itemsize // 8].view(kind)[name] = value
        lies.append(wrong)
    for wrong in lies:
        with pytest.raises(lw.FormatError, match="contacts"):
            refuse_wrong_points(contact, wrong)
