"""What strikes something that stands on, or before, something else: the answer of the neighbours belongs to the same time as the impact."""

import math

import numpy as np
import pytest

import linkwork as lw

G = 9.81


def at(x, y, z):
    return [x, y, z, 1.0, 0.0, 0.0, 0.0]


def struck_plate(mass, support):
    """A ball above a plate that rests on the floor, on a box of the ground, or on the limit of its slider."""
    m = lw.Mechanism("anvil", gravity=(0, 0, -G))
    size = (0.3, 0.3, 0.02)
    m.add_body("plate", shape=lw.Box(*size), mass=mass, inertia=mass * np.array([0.0075, 0.0075, 0.015]))
    m.add_body("ball", shape=lw.Sphere(0.05), mass=1.0, inertia=(1e-3,) * 3)
    m.touch("ball", "plate", surface=lw.Surface(friction=0.5, restitution=0.5))
    if support == "floor":
        m.add_floor()
    elif support == "box":
        m.change("ground", collisions=[lw.Box(1, 1, 0.1, at=(0, 0, -0.05))])
    else:
        m.add_joint("slider", lw.Prismatic((0, 0, 1), lower=0.01), m.ground, "plate")
    return m


@pytest.mark.parametrize("support", ["floor", "box", "limit"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("mass", [1.0, 0.1, 0.001])
def test_a_plate_is_not_lifted_by_a_ball_that_rebounds_from_it(mass, share, support):
    """The support answers the blow when it falls: 5 m/s, share of the step of 1 ms before it. The plate may not move, and the ball leaves at half its speed."""
    model = struck_plate(mass, support).build()
    drop = 0.02 + 0.05 + 5.0 * 1e-3 * share
    plate = [0.01] if support == "limit" else at(0, 0, 0.01)
    q = {"plate": plate, "ball": at(0, 0, drop)}
    names = ["plate", "ball"] if support != "limit" else [next(n for n in ("plate", "ball") if b.name == n) for b in model.bodies]
    state = np.concatenate([q[name] for name in names])
    sim = lw.Simulation(model, lw.ContactStepping(step=1e-3), q=state, v=[0.0] * (model.nv - 1) + [-5.0], record_interval=1e-3)
    rec = sim.run(0.05)
    height = rec.q[:, 0 if support == "limit" else 2]
    assert np.abs(height - 0.01).max() < 1e-9
    assert rec.v[5, -1] == pytest.approx(2.5 - 4e-3 * G, abs=2e-3 * G)


@pytest.mark.parametrize("restitution", [0.0, 1.0])
@pytest.mark.parametrize("gap", [0.0, 0.005, 0.02])
def test_what_is_struck_does_not_pass_the_wall_behind_it(gap, restitution):
    """A ball of 10 g before a wall of 1 cm, struck by a ram of a ton at 100 m/s: within a step it could go through the wall five times."""
    m = lw.Mechanism("ram", gravity=(0, 0, 0))
    surface = lw.Surface(friction=0.0, restitution=restitution)
    m.change("ground", collisions=[lw.Box(0.01, 1, 1, at=(0.025 + gap, 0, 0))])
    m.add_body("ball", shape=lw.Sphere(0.02), mass=0.01, inertia=(1e-6,) * 3, surface=surface)
    m.add_body("ram", shape=lw.Box(0.2, 0.2, 0.2), mass=1000, inertia=(1, 1, 1), surface=surface)
    m.touch("ball", "ram", surface=surface)
    m.ignore("ram", "ground")
    model = m.build()
    where = {"ball": 0.0, "ram": -0.121}
    q = np.concatenate([at(where[body.name], 0, 0) for body in model.bodies])
    v = np.concatenate([[0, 0, 0, 0 if body.name == "ball" else 100.0, 0, 0] for body in model.bodies])
    ball = [body.name for body in model.bodies].index("ball")
    rec = lw.simulate(model, 5e-4, lw.ContactStepping(step=5e-4), q=q, v=v)
    assert rec.q[-1, 7 * ball] <= gap + 1e-6
    assert rec.audit.contact.gap.value < 1e-6


def test_a_limit_behind_a_joint_that_is_struck_holds():
    m = lw.Mechanism("bolt", gravity=(0, 0, 0))
    m.add_body("bolt", shape=lw.Sphere(0.02), mass=0.01, inertia=(1e-6,) * 3)
    m.add_joint("slot", lw.Prismatic((1, 0, 0), upper=0.005), m.ground, "bolt")
    m.add_body("ram", shape=lw.Box(0.2, 0.2, 0.2), mass=1000, inertia=(1, 1, 1))
    m.contact = True
    model = m.build()
    assert [body.name for body in model.bodies] == ["bolt", "ram"]
    rec = lw.simulate(
        model, 2e-3, lw.ContactStepping(step=5e-4), q=[0.0, *at(-0.121, 0, 0)], v=[0, 0, 0, 0, 100.0, 0, 0], record_interval=5e-4
    )
    assert rec.q[:, 0].max() <= 0.005 + 1e-9
    assert rec.q[:, 1].max() <= 0.005 - 0.12 + 1e-6


@pytest.mark.parametrize("angle", np.linspace(0.0, math.pi / 4, 4))
def test_a_can_stands_up_to_nine_tenths_of_its_radius_whatever_the_direction(angle):
    """The moment 0.9 m g r about a level axis; eight points under the rim reach to 0.924 r at the least."""
    m = lw.Mechanism("can", gravity=(0, 0, -G))
    m.add_floor(surface=lw.Surface(friction=1.0))
    m.add_body("can", shape=lw.Cylinder(0.1, 0.2), mass=1.0, inertia=(0.01, 0.01, 0.01))
    moment = 0.9 * G * 0.1 * np.array([-math.sin(angle), math.cos(angle), 0.0])
    model = m.build()
    assert np.abs(lw.contact_forces(model, at(0, 0, 0.1), f_ext={"can": [*moment, 0, 0, 0]}).vdot).max() < 1e-9
    assert np.abs(lw.contact_forces(model, at(0, 0, 0.1), f_ext={"can": [*(moment / 0.9 * 1.01), 0, 0, 0]}).vdot).max() > 0.01


def test_a_foot_above_a_large_slab_does_not_touch_it():
    m = lw.Mechanism("airfield", gravity=(0, 0, -G))
    m.change("ground", collisions=[lw.Box(1000, 1000, 1, at=(0, 0, -0.5))])
    m.add_body("foot", shape=lw.Box(0.2, 0.1, 0.06), density=500)
    found = lw.contact_forces(m.build(), at(0, 0, 0.03 + 3e-4))
    assert len(found) == 0
    assert len(lw.contact_forces(m.build(), at(0, 0, 0.03))) == 4


def test_controllers_are_sampled_once_a_step_when_room_for_points_grows():
    @lw.controller(rate=1000.0, joints=["rail"], states=1)
    def count(t, q, v, memory):
        memory[0] += 1.0
        return memory[0]

    m = lw.Mechanism("rain", gravity=(0, 0, -G))
    m.add_floor()
    m.add_body("cart", mass=1, inertia=(1, 1, 1))
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, "cart")
    q = [0.0]
    for i in range(16):
        m.add_body(f"b{i}", shape=lw.Box(0.1, 0.1, 0.1), density=500)
        q += at(0.1 * (i % 4), 0.1 * (i // 4) + 5, 0.053)
    sim = lw.Simulation(
        m.build(), lw.ContactStepping(step=1e-3), controllers=[count()], q=q, record=("q", "v", "tau"), record_interval=1e-3
    )
    room = int(sim.method.system.contact.room)
    rec = sim.run(0.04)
    assert int(sim.method.system.contact.room) > room
    assert rec["tau"][-1].max() == 40.0
