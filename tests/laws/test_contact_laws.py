"""Laws of contact in motion: closed forms of bodies that rest, slide, roll and rebound, and what holds whatever they do."""

import numpy as np
import pytest

import linkwork as lw

from .contact_scenes import G, cube, floor_world, four_bar, unit

ON_FLOOR = [0.0, 0.0, 0.05, 1.0, 0.0, 0.0, 0.0]


def on_slope(tangent):
    """Gravity as a floor of this slope sees it."""
    angle = np.arctan(tangent)
    return G * np.sin(angle), 0.0, -G * np.cos(angle)


def books_of(sim):
    return sim.system.contact.books


@pytest.mark.parametrize("step", [1e-3, 5e-3, 2e-2])
def test_a_cube_at_rest_stays_at_rest_at_any_step(step):
    rec = lw.simulate(cube(), 1.0, lw.ContactStepping(step=step), q=ON_FLOOR)
    assert rec.status == "finished"
    assert abs(rec.q - ON_FLOOR).max() < 1e-9  # no penetration, whatever the step
    assert abs(rec.v).max() < 1e-12


def test_a_block_on_a_slope_below_its_angle_of_friction_does_not_creep():
    model = cube(friction=0.5, gravity=on_slope(0.25))
    rec = lw.simulate(model, 10.0, lw.ContactStepping(step=5e-3), q=ON_FLOOR)
    assert abs(rec.v[1:]).max() < 1e-12  # m/s
    assert abs(rec.q[-1, :3] - ON_FLOOR[:3]).max() < 1e-12


def test_a_block_on_a_slope_beyond_its_angle_of_friction_slides_at_the_acceleration_of_coulomb():
    model = cube(friction=0.5, gravity=on_slope(0.6))
    rec = lw.simulate(model, 1.0, lw.ContactStepping(step=1e-3), q=ON_FLOOR)
    angle = np.arctan(0.6)
    acceleration = G * (np.sin(angle) - 0.5 * np.cos(angle))
    assert rec.v[-1, 3] == pytest.approx(acceleration, abs=1e-11)
    assert rec.q[-1, 0] == pytest.approx(0.5 * acceleration, rel=1.1e-3)  # order 1: half a step of the last speed
    assert abs(rec.q[:, 2] - 0.05).max() < 1e-12


@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_a_launched_cube_stays_flat_and_stops_where_friction_says(step):
    rec = lw.simulate(cube(friction=0.5), 1.5, lw.ContactStepping(step=step), q=ON_FLOOR, v=[0, 0, 0, 6.0, 0, 0])
    assert rec.q[:, 2].max() - 0.05 < 1e-9
    assert rec.q[-1, 0] == pytest.approx(36.0 / G, abs=0.5 * 6.0 * step + 1e-9)
    assert abs(rec.v[-1]).max() < 1e-12


def test_a_sphere_that_slides_rolls_in_the_end_at_five_sevenths_of_its_speed():
    m = floor_world(friction=0.3)
    m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    rec = lw.simulate(m, 1.0, q=[0, 0, 0.1, 1, 0, 0, 0], v=[0, 0, 0, 1.0, 0, 0])
    assert np.linalg.norm(rec.v[-1, 3:]) == pytest.approx(5 / 7, abs=1e-12)
    assert 0.1 * np.linalg.norm(rec.v[-1, :3]) == pytest.approx(5 / 7, abs=1e-12)
    assert abs(rec.q[:, 2] - 0.1).max() < 1e-12
    rolls = np.linalg.norm(rec.v[:, 3:], axis=1) < 5 / 7 + 1e-9
    assert rec.time[rolls][0] == pytest.approx(2.0 / (7.0 * 0.3 * G), abs=0.021)  # samples are 0.02 s apart


@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.8, 1.0])
def test_a_ball_rebounds_to_the_square_of_its_restitution(restitution):
    m = floor_world(friction=0.0, restitution=restitution)
    m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    rec = lw.simulate(m, 1.4, q=[0, 0, 1.1, 1, 0, 0, 0], record_interval=1e-3)
    height = rec.q[:, 2] - 0.1
    touch = int(np.argmin(height[:600]))
    end = touch + 2 * int(1000 * restitution * np.sqrt(2.0 / G)) - 5
    assert height[touch:end].max() == pytest.approx(restitution**2, rel=1e-4)  # measured: 6e-6 at most


def test_a_bouncing_ball_that_loses_nothing_keeps_its_energy():
    m = floor_world(friction=0.0, restitution=1.0)
    m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    rec = lw.simulate(m, 10.0, q=[0, 0, 1.1, 1, 0, 0, 0])
    assert abs(rec.energy / rec.energy[0] - 1.0).max() < 2e-4


def test_friction_and_collisions_of_free_bodies_conserve_linear_and_angular_momentum():
    m = lw.Mechanism("two", gravity=(0, 0, 0))
    m.contact = True
    m.add_body("slab", shape=lw.Box(0.1, 0.2, 0.1), density=1000)
    m.add_body("brick", shape=lw.Box(0.12, 0.1, 0.07), density=300)
    model = m.build()
    q = [0, 0, 0, 1, 0, 0, 0, 0.3, 0.04, 0.02, *unit([0.9, 0.3, 0.2, 0.1])]
    v = [0.1, 0.2, 0.3, 1, 0, 0, 3, 2, 1, -1, 0, 0]
    sim = lw.Simulation(model, q=q, v=v)
    rec = sim.run(1.0)
    before, after = (lw.momentum(model, rec.q[k], rec.v[k]) for k in (0, -1))
    assert books_of(sim).steps > 0
    assert abs(after.linear - before.linear).max() < 1e-12
    assert abs(after.about_origin[:3] - before.about_origin[:3]).max() < 1e-12
    assert rec.audit.losses > 0.01


@pytest.mark.parametrize("seed", range(12))
def test_no_impact_gains_energy(seed):
    """Boxes, spheres and capsules thrown at each other without gravity, with friction up to 2 and restitution up to 1."""
    rng = np.random.default_rng(seed)
    m = lw.Mechanism("swarm", gravity=(0, 0, 0))
    m.surface = lw.Surface(friction=rng.uniform(0, 2), restitution=rng.uniform(0, 1))
    shapes = [lw.Box(*rng.uniform(0.1, 0.3, 3)), lw.Sphere(0.1), lw.Capsule(0.05, 0.2), lw.Box(*rng.uniform(0.1, 0.3, 3))]
    q, v = [], []
    for k, shape in enumerate(shapes):
        m.add_body(f"body {k}", shape=shape, density=10.0 ** rng.uniform(2, 4))
        direction = unit([(1, 1, 1), (-1, -1, 1), (-1, 1, -1), (1, -1, -1)][k])
        q += [*(0.5 * direction + rng.uniform(-0.03, 0.03, 3)), *unit(rng.normal(size=4))]
        v += [*rng.normal(size=3), 0, 0, 0]
    m.contact = True
    model = m.build()
    q, v = np.array(q), np.array(v)
    poses = lw.forward_kinematics(model, q)
    for k in range(4):  # towards the middle, in body axes
        v[6 * k + 3 : 6 * k + 6] = poses.pose(f"body {k}").rotation.T @ (-2.0 * q[7 * k : 7 * k + 3])
    sim = lw.Simulation(model, q=q, v=v, record_interval=1e-3)
    rec = sim.run(0.6)
    assert rec.status == "finished"
    kinetic = rec["kinetic"]
    # In flight the turns of a step change energy by O(h^3 omega^3). What a point lost that was stopped just before it closed, it may give back a step later.
    before = np.maximum(np.maximum(kinetic[:-3], kinetic[1:-2]), kinetic[2:-1])
    assert (kinetic[3:] < (1.0 + 1e-5) * before).all()
    assert rec.audit.losses >= -1e-12 * kinetic[0]


def test_twice_as_many_steps_halve_the_error_of_a_slide():
    model = cube(friction=0.3)
    ends = [lw.simulate(model, 0.5, lw.ContactStepping(step=h), q=ON_FLOOR, v=[0, 0, 0, 3.0, 0, 0]).q[-1, 0] for h in (4e-3, 2e-3, 1e-3)]
    exact = 3.0 * 0.5 - 0.5 * 0.3 * G * 0.25
    errors = abs(np.array(ends) - exact)
    assert errors[:-1] / errors[1:] == pytest.approx([2.0, 2.0], rel=0.02)


def test_contact_does_not_depend_on_where_the_world_is_looked_at_from():
    """The same throw in a world that is turned about the vertical and moved."""
    turn = np.array([np.cos(0.35), 0.0, 0.0, np.sin(0.35)])
    model = cube(friction=0.4, restitution=0.3)
    q = np.array([0.0, 0.0, 0.3, *unit([0.9, 0.3, 0.2, 0.1])])
    v = np.array([2.0, -1.0, 3.0, 1.0, 0.5, 0.0])
    w, x, y, z = turn
    R = np.array([[w * w - z * z, -2 * w * z, 0], [2 * w * z, w * w - z * z, 0], [0, 0, 1.0]])
    a, b, c, d = q[3:]
    turned = np.array([w * a - z * d, w * b - z * c, w * c + z * b, w * d + z * a])
    moved = np.array([*(R @ q[:3] + [1.0, -2.0, 0.0]), *turned])
    # Later all four corners of a face slide, and the distribution of their forces, which no law determines, decides on the motion.
    here = lw.simulate(model, 0.3, q=q, v=v)
    there = lw.simulate(model, 0.3, q=moved, v=v)
    assert here.audit.losses > 0.0
    assert there.v[-1] == pytest.approx(here.v[-1], abs=1e-8)  # components in body axes; rounding grows as the cube tumbles
    assert there.q[-1, :3] == pytest.approx(R @ here.q[-1, :3] + [1.0, -2.0, 0.0], abs=1e-8)


def test_the_order_of_bodies_does_not_matter():
    def pile(order):
        m = floor_world(friction=0.4)
        sizes = {"a": 0.2, "b": 0.15, "c": 0.1}
        for name in order:
            m.add_body(name, shape=lw.Box(sizes[name], sizes[name], 0.1), density=800)
        heights = {"a": 0.051, "b": 0.153, "c": 0.256}
        model = m.build()
        q = lw.neutral(model)
        for joint in model.joints:
            q[joint.q_index][2] = heights[joint.child]
            q[joint.q_index][0] = 0.01 * heights[joint.child]
        rec = lw.simulate(model, 0.5, q=q)
        return {joint.child: rec.q[-1, joint.q_index] for joint in model.joints}

    first, second = pile("abc"), pile("cab")
    for name, at in first.items():
        assert second[name] == pytest.approx(at, abs=1e-9)


@pytest.mark.parametrize("turn", [0.0, 0.4])
def test_a_four_bar_linkage_that_falls_on_the_floor_stays_closed(turn):
    model, q = four_bar()
    q[2], q[3:7] = 0.5, [np.cos(turn / 2), 0.0, np.sin(turn / 2), 0.0]
    q = lw.assemble(model, q)
    sim = lw.Simulation(model, q=q, record=("q", "v", "energy", "gaps"))
    rec = sim.run(1.0)
    assert rec.status == "finished"
    assert books_of(sim).steps > 300
    assert rec["gaps"][:, 0].max() < 1e-11
    assert books_of(sim).worst_gap > -1e-6
    assert rec.audit.losses > 1.0


def test_a_robot_that_falls_comes_to_rest():
    m = floor_world(friction=0.6)
    base = m.add_body("base", shape=lw.Box(0.3, 0.2, 0.1), density=500)
    place = base.at(0, 0, 0.05)
    for k in range(4):
        link = m.add_body(f"link {k}", shape=lw.Capsule(0.03, 0.25), density=1000)
        kind = lw.Revolute(axis=(0, 1, 0) if k % 2 else (1, 0, 0), lower=-2.0, upper=2.0, damping=0.02)
        m.add_joint(f"joint {k}", kind, place, link.at(0, 0, -0.125))
        place = link.at(0, 0, 0.125)
    model = m.build()
    q = lw.neutral(model)
    q[2], q[3:7] = 0.5, unit([0.9, 0.2, 0.3, 0.1])
    sim = lw.Simulation(model, q=q)
    rec = sim.run(3.0)
    books = books_of(sim)
    assert rec.status == "finished"
    assert abs(rec.v[-1]).max() < 1e-9
    assert books.worst_gap > -1e-6
    assert books.approximate <= 0.01 * books.steps
    assert abs(rec.q[:, 7:]).max() < 2.0 + 1e-8  # limits of the joints are hard


def test_the_energy_that_impacts_and_friction_take_is_all_that_is_lost():
    rec = lw.simulate(cube(friction=0.5), 1.5, lw.ContactStepping(step=1e-3), q=ON_FLOOR, v=[0, 0, 0, 6.0, 0, 0])
    assert rec.audit.losses == pytest.approx(rec.audit.kinetic_start, rel=1e-12)
    assert abs(rec.audit.numerical) < 1e-12 * rec.audit.kinetic_start


def test_bodies_that_are_moved_apart_keep_their_momentum():
    """A capsule that lies crooked in a box, both spinning: the displacement turns them, and their velocities in the world stay."""
    m = lw.Mechanism("two", gravity=(0, 0, 0))
    m.contact = True
    m.surface = lw.Surface(friction=0.4)
    m.add_body("box", shape=lw.Box(0.4, 0.3, 0.2), density=500)
    m.add_body("capsule", shape=lw.Capsule(0.05, 0.4), density=1000)
    model = m.build()
    q = [0, 0, 0, 1, 0, 0, 0, 0.15, 0.1, 0.12, *unit([0.9, 0.3, 0.2, 0.1])]
    v = [0.5, 1, -2, 3, 1, 0, 3, 2, 1, 3, 0, 0.5]
    with pytest.warns(lw.OverlapWarning):
        rec = lw.simulate(model, 0.02, lw.ContactStepping(step=1e-3), q=q, v=v, record_interval=1e-3)
    assert rec.audit.contact.separations > 0
    start = lw.momentum(model, rec.q[0], rec.v[0]).linear
    for k in range(1, len(rec.time)):
        assert abs(lw.momentum(model, rec.q[k], rec.v[k]).linear - start).max() < 1e-12 * np.linalg.norm(start)


def test_energy_that_moving_apart_puts_in_has_a_name():
    m = floor_world()
    m.add_body("box", shape=lw.Box(1, 1, 1), density=500)
    with pytest.warns(lw.OverlapWarning):
        rec = lw.simulate(m, 0.2, q=[0, 0, 0, 1, 0, 0, 0])
    lifted = 500 * G * 0.5
    assert rec.q[-1, 2] == pytest.approx(0.5, abs=1e-9)
    assert rec.audit.contact.separation == pytest.approx(-lifted, rel=1e-9)
    assert abs(rec.audit.numerical) < 1e-9 * lifted and "energy balanced" in str(rec.audit)
    assert "moving bodies apart" in str(rec.audit)
    assert lw.Audit.from_dict(rec.audit.to_dict()) == rec.audit


@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_recorded_forces_of_contact_are_the_impulses_of_their_step(restitution):
    """m dv = h (m g + F) for every step: behind an impact nothing is left of its force."""
    m = floor_world(friction=0.3, restitution=restitution)
    m.add_body("brick", shape=lw.Box(0.2, 0.1, 0.06), density=500)
    model = m.build()
    h, mass = 1e-3, 500 * 0.2 * 0.1 * 0.06
    q, v = [0, 0, 0.12, *unit([0.9, 0.3, 0.2, 0.1])], [1, 2, 3, 0.5, 0.2, -1]
    rec = lw.simulate(
        model, 0.5, lw.ContactStepping(step=h), q=q, v=v, record=("q", "v", "contact_forces", "contact_status"), record_interval=h
    )
    force, status = rec["ground - brick", "force"], rec["ground - brick", "status"]
    momentum = np.array([lw.momentum(model, rec.q[k], rec.v[k]).linear for k in range(len(rec.time))])
    left = np.diff(momentum, axis=0) - h * (force[1:] + [0, 0, -mass * G])
    assert force.max() > 20 * mass * G  # there were impacts
    assert abs(left).max() < 1e-12 * abs(momentum).max() + 1e-12
    assert (force[status == 0] == 0).all() and (status == 0).any()


def test_an_elastic_rebound_takes_no_energy_whenever_in_a_step_it_happens():
    m = floor_world(friction=0.0, restitution=1.0)
    m.add_body("ball", shape=lw.Sphere(0.1), mass=1.0)
    for height in np.linspace(0.5, 0.52, 9):
        rec = lw.simulate(m, 0.6, lw.ContactStepping(step=5e-3), q=[0, 0, 0.1 + height, 1, 0, 0, 0])
        assert rec.audit.contact.impacts_of[0].number == 1
        assert abs(rec.audit.contact.impact) < 1e-9 * G * height  # by mean velocities of a step up to m v g h = 0.15 J
