"""Laws of dry friction in joints where it is a row of the contact problem: what is held does not creep, what slides loses what friction takes."""

import itertools

import numpy as np
import pytest

import linkwork as lw

G = 9.81
STEPS = lw.ContactStepping(step=1e-3)


def pendulum(friction, **more):
    m = lw.Mechanism("pendulum", gravity=(0, 0, -G))
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0), friction=friction, **more), m.ground, bob)
    return m


def slider(friction, **more):
    m = lw.Mechanism("slider", gravity=(0, 0, -G))
    block = m.add_body("block", mass=2.0, inertia=(1, 1, 1))
    m.add_joint("rail", lw.Prismatic(axis=(1, 0, 0), friction=friction, **more), m.ground, block)
    return m


def test_a_joint_whose_load_is_within_its_friction_does_not_move():
    rec = lw.simulate(pendulum(5.0), 10.0, STEPS, q=[0.5])  # the load: 9.81 sin(0.5) = 4.70 N m
    assert abs(rec.v).max() < 1e-12
    assert abs(rec.q - 0.5).max() < 1e-12


def test_friction_gives_way_at_its_strength():
    load = G * np.sin(0.5)
    held, slides = (lw.simulate(pendulum(share * load), 0.5, STEPS, q=[0.5]) for share in (1.0 + 1e-9, 1.0 - 1e-3))
    assert abs(held.v).max() < 1e-12
    assert abs(slides.v[-1, 0]) > 1e-4


def test_a_slide_ends_where_friction_says_and_its_energy_is_booked_by_name():
    rec = lw.simulate(slider(4.0), 2.0, STEPS, v=[3.0])  # 2 m/s^2 against 3 m/s: 1.5 s, 2.25 m
    contact = rec.audit.contact
    assert rec.q[-1, 0] == pytest.approx(2.25, abs=0.5 * 3.0 * 1e-3 + 1e-9)  # positions are semi-implicit: half a step of the first speed
    assert abs(rec.v[-1, 0]) < 1e-12
    assert contact.joint_friction == (("rail", pytest.approx(9.0, rel=1e-13)),)  # all of m v^2 / 2
    assert contact.friction == pytest.approx(9.0, rel=1e-13)
    assert abs(rec.audit.numerical) < 1e-12 * 9.0
    assert "rail 9 J" in str(rec.audit)


def test_what_friction_takes_is_its_force_times_the_way_slid():
    found = []
    for step in (2e-3, 1e-3):
        rec = lw.simulate(slider(4.0), 1.0, lw.ContactStepping(step=step), v=[3.0])
        found.append(rec.audit.contact.friction / 4.0 - rec.q[-1, 0])
    assert found == pytest.approx(
        [0.5 * 2e-3 * 2.0, 0.5 * 1e-3 * 2.0], rel=1e-9
    )  # half a step of what the speed has lost: order 1, as positions are


def random_tree(seed, n=4):
    rng = np.random.default_rng(seed)
    m = lw.Mechanism("tree", gravity=(0, 0, -G))
    bodies = []
    for k in range(n):
        body = m.add_body(f"b{k}", mass=rng.uniform(0.5, 3.0), com=rng.normal(size=3) * 0.2, inertia=rng.uniform(0.1, 0.19, 3))
        axis = rng.normal(size=3)
        kind = (lw.Revolute if rng.random() < 0.7 else lw.Prismatic)(
            axis=tuple(axis / np.linalg.norm(axis)), friction=rng.uniform(0.1, 4.0)
        )
        parent = bodies[rng.integers(len(bodies))] if bodies and rng.random() < 0.8 else m.ground
        m.add_joint(f"j{k}", kind, parent.at(*rng.normal(size=3) * 0.3), body)
        bodies.append(body)
    return m.build(), rng


@pytest.mark.parametrize("seed", range(8))
def test_one_step_of_a_tree_is_the_one_that_all_statuses_tried_in_turn_give(seed):
    """The referee: the mass matrix, and each of the 3^4 statuses of four joints; M is positive definite, so one of them alone fits."""
    model, rng = random_tree(seed)
    q, v, h = rng.normal(size=model.nv), rng.normal(size=model.nv) * (0.01 if seed % 2 else 1.0), 1e-3
    M = lw.mass_matrix(model, q)
    most = h * np.array([joint.friction[0] for joint in model.joints])
    free = v + h * lw.forward_dynamics(model, q, v, np.zeros(model.nv))
    inverse, fits = np.linalg.inv(M), []
    for status in itertools.product((-1, 0, 1), repeat=model.nv):
        held, l = np.array(status) == 0, most * np.array(status, dtype=float)
        if held.any():
            rest = -(free + inverse @ l)[held]
            l[held] = np.linalg.solve(inverse[np.ix_(held, held)], rest)
        after = free + inverse @ l
        if (np.abs(l[held]) <= most[held] * (1 + 1e-12)).all() and (after[~held] * np.array(status)[~held] <= 1e-14).all():
            fits.append(after)
    assert fits
    sim = lw.Simulation(model, STEPS, q=q, v=v)
    sim.method.take(1)
    assert sim.system.v == pytest.approx(fits[0], abs=1e-11)
    assert abs(sim.system.v - free).max() > 1e-5


def four_bar(friction, motor=False):
    """Four bars in a vertical plane, the first fixed to the ground."""
    m = lw.Mechanism("four-bar", gravity=(0, 0, -G))
    places, ends = [(0, 0, 0), (0.15, 0, 0.15), (0.5, 0, 0.4), (0.5, 0, 0)], []
    for k in range(3):
        a, b = np.array(places[k], dtype=float), np.array(places[k + 1], dtype=float)
        ends.append(m.add_body(f"bar {k}", mass=1.0, com=tuple((b - a) / 2), inertia=(0.01, 0.01, 0.01)))
    pin = lw.Revolute(axis=(0, 1, 0), friction=friction)
    m.add_joint("crank", pin, m.ground, ends[0])
    for k in range(2):
        m.add_joint(f"pin {k}", pin, ends[k].at(*np.subtract(places[k + 1], places[k])), ends[k + 1])
    m.add_joint("rocker", pin, m.ground.at(0.5, 0, 0), ends[2].at(*np.subtract(places[3], places[2])))
    if motor:
        m.add_constraint("motor", lw.Drive(lambda t: 2.0 * t), "crank")
    return m.build()


def test_joints_of_a_loop_hold_it_together_or_let_it_go():
    model = four_bar(3.0)
    held = lw.simulate(model, 2.0, STEPS)
    assert abs(held.v).max() < 1e-12
    falls = lw.simulate(four_bar(0.1), 1.0, STEPS)
    assert abs(falls.q[-1]).max() > 0.1
    assert sum(work for _, work in falls.audit.contact.joint_friction) == pytest.approx(falls.audit.contact.friction, rel=1e-12)
    assert len(falls.audit.contact.joint_friction) == 4


def test_a_drive_supplies_what_friction_takes():
    rec = lw.simulate(four_bar(0.4, motor=True), 1.0, STEPS)
    smooth = lw.simulate(four_bar(0.0, motor=True), 1.0, STEPS)
    assert rec.q[-1, 0] == pytest.approx(2.0, abs=1e-9)
    taken = dict(rec.audit.contact.joint_friction)
    assert taken["crank"] == pytest.approx(0.4 * 2.0, rel=1e-12)  # its speed is prescribed: 2 rad in all
    assert sum(taken.values()) > 1.0
    assert rec.audit.drives - smooth.audit.drives == pytest.approx(
        sum(taken.values()), rel=1e-3
    )  # order 1: of the rows at the start of each step
    assert abs(rec.audit.numerical) < 2.0 * abs(smooth.audit.numerical) + 1e-3 * sum(taken.values())


def test_without_joint_forces_there_is_no_friction():
    rec = lw.simulate(slider(4.0), 1.0, STEPS, v=[3.0], joint_forces=False)
    assert rec.v[-1, 0] == 3.0


@pytest.mark.parametrize("limit", [3.0, 50.0])
def test_controllers_push_no_more_than_the_effort_limit(limit):
    @lw.controller(rate=1000)
    def pushes(t, q, v):
        return np.array([10.0])

    rec = lw.simulate(slider(1.0, effort_limit=limit), 1.0, STEPS, controllers=[pushes])
    assert rec.v[-1, 0] == pytest.approx((min(10.0, limit) - 1.0) / 2.0, rel=1e-12)  # less the friction of 1 N, on 2 kg


def test_a_run_with_friction_is_taken_up_and_repeated_bit_by_bit(tmp_path):
    model, rng = random_tree(3)
    q, v = rng.normal(size=model.nv), rng.normal(size=model.nv)
    straight, again = (lw.Simulation(model, STEPS, q=q, v=v).run(1.0) for _ in range(2))
    assert (straight.q == again.q).all() and (straight.v == again.v).all()
    first = lw.Simulation(model, STEPS, q=q, v=v, checkpoint=tmp_path / "run")
    first.run(0.3)
    first._goal = 1.0
    first.save_checkpoint()
    second = lw.Simulation.resumed(tmp_path / "run", model, STEPS)
    rec = second.resume()
    assert (rec.q == straight.q).all() and (rec.v == straight.v).all()
    assert rec.audit.contact.joint_friction == straight.audit.contact.joint_friction
    rolled = lw.rollout(model, q[None], v[None], 1000, integrator=STEPS, every=500)
    assert (rolled.q[0, -1] == straight.q[-1]).all()
