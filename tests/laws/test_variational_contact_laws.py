"""Laws of contact in the variational integrator: closed forms, what is conserved, order, and loops that fall."""

import numpy as np
import pytest

import linkwork as lw

from .contact_scenes import G, cube, floor_world, four_bar, unit
from .plain_contact import bennett_ring


def ball(**world):
    m = floor_world(**world)
    m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    return m.build()


def simulate(model, duration, step=1e-3, **options):
    rec = lw.simulate(model, duration, lw.Variational(step=step), **options)
    assert rec.status == "finished"
    return rec


ON_FLOOR = [0.0, 0.0, 0.05, 1.0, 0.0, 0.0, 0.0]


def on_slope(tangent):
    """Gravity as a floor of this slope sees it."""
    angle = np.arctan(tangent)
    return G * np.sin(angle), 0.0, -G * np.cos(angle)


# ---- closed forms


@pytest.mark.parametrize("step", [1e-3, 5e-3, 2e-2])
def test_a_cube_at_rest_stays_at_rest_at_any_step(step):
    rec = simulate(cube(), 1.0, step, q=ON_FLOOR)
    assert abs(rec.q - ON_FLOOR).max() < 1e-12  # rounding; measured 5e-14
    assert abs(rec.v).max() < 1e-11
    assert abs(rec.audit.numerical) < 1e-12


@pytest.mark.parametrize("tangent, holds", [(0.25, True), (0.4999, True), (0.5001, False)])
def test_a_block_on_a_slope_holds_up_to_its_angle_of_friction(tangent, holds):
    rec = simulate(cube(friction=0.5, gravity=on_slope(tangent)), 10.0, 5e-3, q=ON_FLOOR)
    if holds:
        assert abs(rec.v).max() < 1e-11  # m/s: no creep
        assert abs(rec.q[-1, :3] - ON_FLOOR[:3]).max() < 1e-12
    else:
        angle = np.arctan(tangent)
        assert rec.v[-1, 3] == pytest.approx(10.0 * G * (np.sin(angle) - 0.5 * np.cos(angle)), rel=1e-8)


def test_a_block_on_a_slope_slides_as_coulomb_says_to_rounding():
    rec = simulate(cube(friction=0.5, gravity=on_slope(0.6)), 1.0, q=ON_FLOOR)
    angle = np.arctan(0.6)
    acceleration = G * (np.sin(angle) - 0.5 * np.cos(angle))
    assert rec.v[-1, 3] == pytest.approx(acceleration, abs=1e-11)
    assert rec.q[-1, 0] == pytest.approx(0.5 * acceleration, abs=1e-11)  # a parabola: exact for a method of order 2
    assert abs(rec.q[:, 2] - 0.05).max() < 1e-13


@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_a_launched_cube_stays_flat_and_stops_where_friction_says(step):
    rec = simulate(cube(friction=0.5), 1.5, step, q=ON_FLOOR, v=[0, 0, 0, 6.0, 0, 0])
    assert rec.q[:, 2].max() - 0.05 < 1e-13
    # Friction stops it within one step, before or behind its end: a part of a step of the last speed, mu g h, is open. Measured 1.4e-7 and 7.6e-6 m.
    assert rec.q[-1, 0] == pytest.approx(36.0 / G, abs=0.125 * 0.5 * G * step**2 + 1e-12)
    assert abs(rec.v[-1]).max() < 1e-12
    assert rec.audit.losses == pytest.approx(rec.audit.kinetic_start, rel=1e-11)
    assert abs(rec.audit.numerical) < 1e-11


def test_a_sphere_that_slides_rolls_in_the_end_at_five_sevenths_of_its_speed():
    rec = simulate(ball(friction=0.3), 1.0, q=[0, 0, 0.1, 1, 0, 0, 0], v=[0, 0, 0, 1.0, 0, 0])
    assert np.linalg.norm(rec.v[-1, 3:]) == pytest.approx(5 / 7, abs=1e-13)
    assert 0.1 * np.linalg.norm(rec.v[-1, :3]) == pytest.approx(5 / 7, abs=1e-13)
    assert rec.audit.losses == pytest.approx(2 / 7 * rec.audit.kinetic_start, rel=1e-5)  # where it begins to roll is known to a step
    rolls = np.linalg.norm(rec.v[:, 3:], axis=1) < 5 / 7 + 1e-9
    assert rec.time[rolls][0] == pytest.approx(2.0 / (7.0 * 0.3 * G), abs=0.021)  # samples are 0.02 s apart


def test_a_rod_that_stands_falls_as_its_energy_says():
    """A capsule stands on its tip without friction, a little askew: its centre falls straight down. With theta from the vertical, l half its length,
    (m l^2 sin^2(theta) + I) w^2 / 2 = m g l (cos(theta_0) - cos(theta))."""
    m = floor_world(friction=0.0)
    m.add_body("rod", shape=lw.Capsule(0.02, 1.0), density=1000)
    model, start = m.build(), 0.3
    rec = simulate(model, 0.4, q=[0, 0, 0.5 * np.cos(start) + 0.02, np.cos(start / 2), 0, np.sin(start / 2), 0])
    assert abs(rec.q[:, 0]).max() < 1e-12  # no horizontal force
    theta = 2 * np.arctan2(rec.q[:, 5], rec.q[:, 3])
    assert theta[-1] > 0.6 and abs(rec.q[:, 2] - (0.5 * np.cos(theta) + 0.02)).max() < 1e-12  # the tip stays on the floor
    assert abs(rec.energy - rec.energy[0]).max() < 2e-5 * abs(rec["kinetic"]).max()
    assert rec.audit.losses == pytest.approx(0.0, abs=1e-5)  # the energy of a motion along a floor oscillates by the square of the step


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_a_ball_rebounds_to_the_square_of_its_restitution(restitution):
    rec = simulate(ball(friction=0.0, restitution=restitution), 1.4, q=[0, 0, 1.1, 1, 0, 0, 0], record_interval=1e-3)
    speed, after = rec.v[:, 5], restitution * np.sqrt(2 * G)
    touch = int(np.argmin(speed[:460]))
    # Behind the impact, energy per mass says how high it rises: (e v)^2 / 2g.
    rises = rec.q[touch + 1, 2] - 0.1 + speed[touch + 1] ** 2 / (2 * G)
    assert rises == pytest.approx(restitution**2, abs=1e-12)
    assert rec.q[:, 2].min() > 0.1 - 1e-13
    since = rec.time[900] - np.sqrt(2 / G)
    if 0.0 < since < 2 * after / G:  # on the parabola that begins where the impact was
        assert rec.q[900, 2] - 0.1 == pytest.approx(after * since - 0.5 * G * since**2, abs=1e-12)
    if restitution in (0.0, 0.3):
        assert abs(rec.v[-1]).max() < 1e-12


# ---- what is conserved


@pytest.mark.parametrize("step", [1e-2, 3e-2])
def test_a_bouncing_ball_that_loses_nothing_keeps_its_energy_for_long(step):
    rec = simulate(ball(friction=0.0, restitution=1.0), 100.0, step, q=[0, 0, 1.1, 1, 0, 0, 0], record_interval=0.1)
    assert rec.audit.contact.impacts_of[0].number == 111  # (100 - t) / 2t + 1 flights, t = sqrt(2 / g)
    assert abs(rec.energy / rec.energy[0] - 1.0).max() < 1e-12  # measured 2e-14 at 1e-2


@pytest.mark.parametrize("step", [1e-3, 2e-3])
def test_a_tumbling_box_that_rebounds_without_loss_keeps_its_energy_but_for_what_it_grazes(step):
    """It tumbles without friction for 60 s, at up to 45 rad/s. Corners that close more slowly than accelerations change their speed within a step do not
    rebound: that is all it may lose, and it never gains."""
    m = floor_world(friction=0.0, restitution=1.0)
    m.add_body("box", shape=lw.Box(0.2, 0.1, 0.06), density=500)
    q, v = [0, 0, 0.4, *unit([0.9, 0.3, 0.2, 0.1])], [3.0, 1.0, 2.0, 0.2, 0.1, 0.0]
    rec = simulate(m.build(), 60.0, step, q=q, v=v, record_interval=0.1)
    start = rec.energy[0]
    assert rec.audit.contact.impacts_of[0].number > 250 and rec.audit.contact.guarded == 0
    assert np.diff(rec.energy).max() < 1e-12 * start
    if step == 1e-3:  # nothing is grazed so slowly; at 2 ms one or two corners are, which take up to 9 %
        assert abs(rec.audit.losses) < 1e-11 * start
    assert abs(rec.audit.numerical) < 1e-11 * start


def two_bodies(friction, restitution):
    m = lw.Mechanism("two", gravity=(0, 0, 0))
    m.contact = True
    m.surface = lw.Surface(friction=friction, restitution=restitution)
    m.add_body("slab", shape=lw.Box(0.1, 0.2, 0.1), density=1000)
    m.add_body("brick", shape=lw.Box(0.12, 0.1, 0.07), density=300)
    return m.build(), [0, 0, 0, 1, 0, 0, 0, 0.3, 0.04, 0.02, *unit([0.9, 0.3, 0.2, 0.1])], [0.1, 0.2, 0.3, 1, 0, 0, 3, 2, 1, -1, 0, 0]


@pytest.mark.parametrize("friction, restitution", [(0.5, 0.0), (0.5, 0.6), (0.0, 1.0), (1.5, 1.0)])
def test_collisions_of_free_bodies_conserve_momenta_to_rounding(friction, restitution):
    model, q, v = two_bodies(friction, restitution)
    rec = simulate(model, 1.0, 5e-3, q=q, v=v)
    before, after = (lw.momentum(model, rec.q[k], rec.v[k]) for k in (0, -1))
    assert rec.audit.contact.impacts_of[0].number > 0
    assert abs(after.linear - before.linear).max() < 1e-13
    assert abs(after.about_origin[:3] - before.about_origin[:3]).max() < 1e-13
    assert rec.audit.losses > (0.01 if restitution < 1.0 else -1e-12)
    assert abs(rec.audit.numerical) < 1e-3 * rec["kinetic"][0]


def swarm(seed):
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
    return model, q, v


@pytest.mark.parametrize("seed", range(12))
def test_no_impact_gains_energy_and_all_that_is_lost_is_booked(seed):
    model, q, v = swarm(seed)
    rec = simulate(model, 0.6, q=q, v=v, record_interval=1e-3)
    kinetic = rec["kinetic"]
    assert rec.audit.losses > 0.01 * kinetic[0]
    # A free body keeps its discrete energy to rounding; where bodies lie on each other for some steps, curvature shows: 1.4e-6 in seed 10.
    assert (kinetic[1:] < (1.0 + 1e-5) * kinetic[:-1]).all()
    assert abs(rec.audit.numerical) < 1e-11 * kinetic[0]
    before, after = (lw.momentum(model, rec.q[k], rec.v[k]) for k in (0, -1))
    size = np.abs(after.linear).max() + kinetic[0]
    assert abs(after.linear - before.linear).max() < 1e-13 * size
    assert abs(after.about_origin[:3] - before.about_origin[:3]).max() < 1e-13 * size


# ---- order


def ends(model, duration, steps, **start):
    return [simulate(model, duration, step, record_interval=duration, **start).q[-1] for step in steps]


def orders(found):
    """Of the differences to the last of them, which is much finer."""
    errors = np.array([np.abs(q - found[-1]).max() for q in found[:-1]])
    return np.log2(errors[:-1] / errors[1:]), errors


def test_a_ball_that_slides_and_then_rolls_is_followed_to_second_order():
    steps = [2e-3, 1e-3, 5e-4, 3e-5]
    found = ends(ball(friction=0.3), 0.5, steps, q=[0, 0, 0.1, 1, 0, 0, 0], v=[0, 3.0, 0, 1.0, 0.3, 0])
    measured, errors = orders(found)
    assert measured == pytest.approx([2.0, 2.0], abs=0.1) and errors[0] > 1e-6


@pytest.mark.parametrize("seed, restitution", [(0, 0.0), (1, 0.0), (3, 0.0), (5, 0.0), (0, 0.5), (4, 0.5), (7, 0.5), (3, 1.0), (4, 1.0)])
def test_a_tumbling_box_is_followed_to_second_order_through_its_impacts(seed, restitution):
    """Steps are cut where bodies strike; between, they slide and fall smoothly. (Others of these boxes rattle on a face: see decision 0029.)"""
    rng = np.random.default_rng(seed)
    m = floor_world(friction=0.3, restitution=restitution)
    m.add_body("x", shape=lw.Box(0.2, 0.1, 0.06), density=500)
    q = [0, 0, 0.4, *unit(rng.normal(size=4))]
    v = [*rng.normal(size=3) * 3, *rng.normal(size=3)]
    measured, errors = orders(ends(m.build(), 0.36, [2e-3, 1e-3, 5e-4, 3e-5], q=q, v=v))
    assert measured == pytest.approx([2.0, 2.0], abs=0.15) and errors[0] > 1e-6


def test_time_stepping_comes_to_the_same_motion_with_short_steps():
    """ContactStepping has order 1: with h = 2e-5 it is within some 1e-5 of Variational at 1e-3, and halves its distance with its step."""
    model, q, v = ball(friction=0.3), [0, 0, 0.1, 1, 0, 0, 0], [0, 3.0, 0, 1.0, 0.3, 0]
    best = simulate(model, 0.5, 1e-4, q=q, v=v).q[-1]
    off = [np.abs(lw.simulate(model, 0.5, lw.ContactStepping(step=h), q=q, v=v).q[-1] - best).max() for h in (4e-4, 2e-4, 1e-4)]
    assert off[0] / off[1] == pytest.approx(2.0, rel=0.05) and off[1] / off[2] == pytest.approx(2.0, rel=0.05)
    assert off[2] < 2e-4


# ---- mechanisms


@pytest.mark.filterwarnings("ignore:singular pose")
@pytest.mark.parametrize("turn", [0.0, 0.2, 0.4])
def test_a_four_bar_linkage_that_falls_on_the_floor_stays_closed(turn):
    model, q = four_bar()
    q[2], q[3:7] = 0.5, [np.cos(turn / 2), 0.0, np.sin(turn / 2), 0.0]
    q = lw.assemble(model, q)
    rec = simulate(model, 0.42, q=q, record=("q", "v", "energy", "gaps"))  # the crooked one lies flat soon after, in a singular pose
    assert rec.audit.contact.impact > 5.0
    assert rec["gaps"][:, 0].max() < 1e-13
    assert rec.audit.contact.gap.value < 1e-9
    assert abs(rec.audit.numerical) < 1e-10 * rec.audit.losses


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_a_redundant_ring_of_bennett_that_falls_on_the_floor_stays_closed(restitution):
    """Four skew hinges: of the five constraints of the loop three are redundant, and it moves all the same."""
    model, q = bennett_ring(restitution)
    rec = simulate(model, 0.6, q=q, record=("q", "v", "energy", "gaps"))
    assert rec.audit.contact.impacts_of
    assert rec["gaps"][:, 0].max() < 1e-13
    assert rec.audit.contact.gap.value < 1e-9
    assert abs(rec.audit.numerical) < 1e-3 * rec.audit.losses  # in flight, the energy of a linkage oscillates by the square of the step


def robot(restitution):
    m = floor_world(friction=0.6, restitution=restitution)
    base = m.add_body("base", shape=lw.Box(0.3, 0.2, 0.1), density=500)
    place = base.at(0, 0, 0.05)
    for k in range(4):
        link = m.add_body(f"link {k}", shape=lw.Capsule(0.03, 0.25), density=1000)
        kind = lw.Revolute(axis=(0, 1, 0) if k % 2 else (1, 0, 0), lower=-2.0, upper=2.0, damping=0.02)
        m.add_joint(f"joint {k}", kind, place, link.at(0, 0, -0.125))
        place = link.at(0, 0, 0.125)
    return m.build()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_a_robot_that_falls_comes_to_rest(seed, restitution):
    model = robot(restitution)
    q = lw.neutral(model)
    q[2], q[3:7] = 0.5, unit([0.9, 0.2, 0.3, 0.1]) if seed == 0 else unit(np.random.default_rng(seed).normal(size=4))
    rec = simulate(model, 3.0, q=q)
    contact = rec.audit.contact
    assert abs(rec.v[-1]).max() < 1e-9
    assert contact.gap.value < 1e-9 and contact.residual.value < 1e-6
    assert contact.approximate < 0.06 * contact.steps
    assert rec.audit.losses == pytest.approx(contact.impact + contact.friction, rel=1e-12)
    assert abs(rec.audit.numerical) < 2e-3 * rec.audit.losses  # of the works of dampers and stops, to second order


def biped():
    """A trunk on two legs with feet, after Wendlandt (1997, section 4.1): masses of his table, hinges that turn about the lateral axis."""
    m = floor_world(friction=0.6)
    trunk = m.add_body("trunk", shape=lw.Box(0.25, 0.3, 0.6), mass=45.0)
    for side, y in (("left", -0.15), ("right", 0.15)):
        thigh = m.add_body(f"{side} thigh", shape=lw.Box(0.15, 0.1, 0.46), mass=7.5)
        shank = m.add_body(f"{side} shank", shape=lw.Box(0.1, 0.1, 0.44), mass=4.79)
        foot = m.add_body(f"{side} foot", shape=lw.Box(0.21, 0.1, 0.06), mass=1.455)
        m.add_joint(f"{side} hip", lw.Revolute((0, 1, 0), damping=5.0), trunk.at(0, y, -0.3), thigh.at(0, 0, 0.23))
        m.add_joint(
            f"{side} knee", lw.Revolute((0, 1, 0), damping=5.0, lower=-2.2, upper=0.05), thigh.at(0, 0, -0.23), shank.at(0, 0, 0.22)
        )
        ankle = lw.Revolute((0, 1, 0), damping=5.0, lower=-0.9, upper=0.9)
        m.add_joint(f"{side} ankle", ankle, shank.at(0, 0, -0.22), foot.at(0.03, 0, 0.04))
    return m.build()


def test_a_biped_that_is_let_go_falls_and_comes_to_rest():
    model = biped()
    q = lw.neutral(model)
    q[model.joint("trunk.free").q_index] = [0, 0, 1.35, 1, 0, 0, 0]
    for side in ("left", "right"):
        for name, angle in (("hip", -0.5), ("knee", -0.6), ("ankle", 0.3)):
            q[model.joint(f"{side} {name}").q_index] = angle
    rec = simulate(model, 3.0, q=q)
    contact = rec.audit.contact
    assert abs(rec.v[-1]).max() < 1e-9
    assert contact.gap.value < 1e-9 and contact.residual.value < 1e-6
    assert abs(rec.audit.numerical) < 1e-3 * rec.audit.losses
    assert rec.audit.losses > 100.0
