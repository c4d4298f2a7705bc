"""Forces at contacts of one state: closed forms, the steps of a motion, linear programs, and the equations of every body as referees."""

import numpy as np
import pytest
from scipy.optimize import linprog

import linkwork as lw
from linkwork.analysis.contact_rows import contact_rows

from .touching_scenes import box_on_slope, five_bar, portal, solid

G = 9.81
# Dense sums of some dozen products, refined to rounding; gamma by central differences is good to 1e-9 of the centripetal acceleration.
CLOSE = 1e-9


@pytest.mark.parametrize("angle", [0.1, 0.4, 0.6])
def test_a_block_on_a_slope_sticks_up_to_the_angle_of_friction(angle):
    mu, mass = 0.5, 2.0
    model, q = box_on_slope(angle, mu, mass=mass)
    found = lw.contact_forces(model, q)
    whole = found.between("ground", "box")
    assert np.isclose(whole.normal, mass * G * np.cos(angle), rtol=CLOSE)
    if np.tan(angle) < mu:
        assert whole.status == "sticking"
        assert np.isclose(whole.margin, 1.0 - np.tan(angle) / mu, atol=CLOSE)
        assert np.abs(found.vdot).max() < CLOSE
    else:
        assert whole.status == "sliding"
        assert whole.margin == pytest.approx(0.0, abs=CLOSE)
        assert np.linalg.norm(found.vdot[3:]) == pytest.approx(G * (np.sin(angle) - mu * np.cos(angle)), rel=CLOSE)
    assert whole.unique.all()


@pytest.mark.parametrize("seed", range(4))
def test_friction_of_a_block_that_slides_is_against_its_velocity(seed):
    rng = np.random.default_rng(seed)
    mu, angle = rng.uniform(0.1, 0.5), rng.uniform(0.0, 0.5)
    model, q = box_on_slope(angle, mu, sides=(0.4, 0.4, 0.1))
    u = rng.normal(size=2)
    found = lw.contact_forces(model, q, [0, 0, 0, *u, 0])  # in axes of the box, which are those of the slope
    whole, R = found.between("ground", "box"), lw.Pose.from_rpy(0, angle, 0).rotation
    along = R.T @ whole.force
    assert np.allclose(along, 2.0 * G * np.cos(angle) * np.array([*(-mu * u / np.linalg.norm(u)), 1.0]), rtol=1e-9)
    assert {touch.status for touch in found} == {"sliding"}


def test_a_wheel_rolls_and_its_corner_does_not():
    """A ball that rolls has no more than its weight at the point; a box that turns about an edge carries the centripetal force too."""
    m = lw.Mechanism("two")
    m.add_floor(surface=lw.Surface(friction=1.0))
    m.surface = lw.Surface(friction=1.0)
    m.add_body("ball", mass=1.0, inertia=(0.004, 0.004, 0.004), shape=lw.Sphere(0.1))
    m.add_body("box", mass=3.0, inertia=solid(3.0, (0.4, 0.2, 0.2)), shape=lw.Box(0.4, 0.2, 0.2))
    angle, rate = 0.3, 1.5
    R = lw.Pose.from_rpy(0, angle, 0).rotation
    edge = np.array([0.2, 0.0, -0.1])
    up = -(R @ edge)
    pose = lw.Pose.from_rpy(0, angle, 0, (2.0, 0.0, up[2]))
    omega = np.array([0.0, rate, 0.0])
    q = [0, 0, 0.1, 1, 0, 0, 0, *pose.translation, *pose.quaternion]
    v = [0, 3.0, 0, 0.3, 0, 0, *omega, *-np.cross(omega, edge)]
    found = lw.contact_forces(m.build(), q, v)
    ball, box = found.between("ground", "ball"), found.between("ground", "box")
    assert (ball.status, box.status) == ("rolling", "sticking")
    assert np.allclose(ball.force, [0, 0, G], atol=CLOSE)
    # about the edge: I alpha = m g x (moment about +y);  force = m (a + g)
    inertia = 3.0 * (0.4**2 + 0.2**2) / 12.0 + 3.0 * edge @ edge
    alpha = 3.0 * G * up[0] / inertia
    a = np.cross([0, alpha, 0], up) + np.cross(omega, np.cross(omega, up))
    assert np.allclose(box.force, 3.0 * (a + [0, 0, G]), rtol=1e-8, atol=1e-8)


def stepped(model, q, v, h, steps):
    """(state before the last step, mean forces of pairs over it) of a motion with tiny steps."""
    sim = lw.Simulation(model, lw.ContactStepping(step=h), q=q, v=v, record=("q", "v", "contact_forces"), record_interval=h)
    rec = sim.run(steps * h)
    return rec.q[-2], rec.v[-2], {name: rec[name, "force"][-1] for name in rec.layout.pairs}


@pytest.mark.parametrize(
    ("scene", "v"),
    [
        (lambda: box_on_slope(0.3, 0.5), [0, 0, 0, 0, 0, 0]),
        (lambda: box_on_slope(0.3, 0.2), [0, 0, 0.4, 0.3, -0.2, 0]),
        (portal, None),
        (lambda: five_bar(0.2), None),
        (lambda: five_bar(0.3, 0.2), None),
    ],
    ids=["stuck", "sliding and turning", "portal", "five-bar", "five-bar on a slope"],
)
def test_forces_are_the_impulses_of_small_steps(scene, v):
    """Impulses over h of a motion in steps of 1e-6 s, in every pair, where they are unique: order 1, so differences are of the order of h times jerks."""
    model, q = scene()
    v = np.zeros(model.nv) if v is None else v
    q, v, pushed = stepped(model, q, v, 1e-6, 20)
    found = lw.contact_forces(model, q, v)
    largest = max(np.abs(force).max() for force in pushed.values())
    assert largest > 1.0
    for name, force in pushed.items():
        pair = found.pair(name)
        sure = pair.unique[3:]
        assert np.abs(pair.force - force)[sure].max(initial=0.0) < 2e-4 * largest, name
    assert any(found.pair(name).unique[3:].any() for name in pushed)


@pytest.mark.parametrize("scene", [portal, lambda: five_bar(0.2), lambda: five_bar(0.3, 0.2)])
def test_every_body_moves_as_the_forces_on_it_say(scene):
    """Newton's law for every body: forces of its joints and contacts, and gravity, are its mass times the acceleration of its centre."""
    model, q = scene()
    rng = np.random.default_rng(5)
    tau = 20.0 * rng.normal(size=model.nv)
    r = lw.reactions(model, q, np.zeros(model.nv), tau)
    found = lw.forward_kinematics(model, q, np.zeros(model.nv), r.vdot)
    assert np.abs(r.vdot).max() > 1e-3
    assert max(touch.normal for touch in r.contacts) > 1.0
    for body in model.bodies:
        force, m = body.inertia.mass * model.gravity, body.inertia.mass
        for joint in model.joints:
            if joint.kind.free:
                k = joint.v_index.start
                force = force + (found.rotation(body.name) @ tau[k + 3 : k + 6] if joint.child == body.name else 0.0)
                continue
            child, parent = (joint.parent, joint.child) if joint.backwards else (joint.child, joint.parent)
            force = force + r.force(joint.name) * ((child == body.name) - 1.0 * (parent == body.name))
        for touch in r.contacts:
            force = force + touch.force * (1.0 * (touch.b == body.name) - 1.0 * (touch.a == body.name))
        a = found.acceleration(lw.Place(body.name, lw.Pose(body.inertia.com)), axes="world")[3:]
        assert np.allclose(force, m * a, atol=1e-8 * m * G), body.name
    assert r.imbalance < 1e-10


def bounds_by_linear_programs(found, model, q):
    """(least, largest) (m, 3) of each component of the forces that leave accelerations as they are, cones replaced by 64 planes about them."""
    rows = contact_rows(model, q)
    n = len(rows.points)
    weight, still = lw.bias_force(model, q, np.zeros(model.nv)), np.zeros(model.nv)
    A = np.array([weight - lw.bias_force(model, q, still, wrench) for wrench in rows.wrenches(np.eye(3 * n).reshape(-1, n, 3))])
    b = np.array([touch.force for touch in found]).ravel() @ A
    planes = []
    for k, touch in enumerate(found):
        for angle in np.arange(64) * np.pi / 32:
            row = np.zeros(3 * n)
            row[3 * k : 3 * k + 3] = np.cos(angle) * rows.frames[k, 1] + np.sin(angle) * rows.frames[k, 2] - touch.friction * touch.n
            planes.append(row)
    ends = []
    for i in range(3 * n):
        c = np.eye(3 * n)[i]
        ends.append(
            [
                sign * linprog(sign * c, A_ub=planes, b_ub=np.zeros(len(planes)), A_eq=A.T, b_eq=b, bounds=(None, None)).fun
                for sign in (1, -1)
            ]
        )
    return np.array(ends).reshape(n, 3, 2)


@pytest.mark.parametrize("case", ["flat", "slope", "three balls"])
def test_what_is_called_unique_is_what_linear_programs_find_to_be(case):
    if case == "three balls":  # a plate on three balls: normal forces are unique, friction is not
        m = lw.Mechanism("tripod")
        m.add_floor()
        balls = [lw.Sphere(0.05, at=(x, y, -0.1)) for x, y in ((0.3, 0.0), (-0.2, 0.25), (-0.2, -0.25))]
        m.add_body("plate", mass=4.0, inertia=(0.1, 0.1, 0.2), collisions=balls)
        model, q = m.build(), np.array([0, 0, 0.15, 1, 0, 0, 0.0])
    else:
        model, q = box_on_slope(0.0 if case == "flat" else 0.3, 0.5)
    found = lw.contact_forces(model, q)
    ends = bounds_by_linear_programs(found, model, q)
    spread = ends[..., 1] - ends[..., 0]
    unique = np.array([touch.unique for touch in found])
    assert (spread[unique] < 1e-6).all()
    assert (spread[~unique] > 1e-3).all()
    assert unique.any() == (case == "three balls")
    shown = np.array([touch.force for touch in found])
    assert (shown > ends[..., 0] - 1e-6).all()
    assert (shown < ends[..., 1] + 1e-6).all()


def test_a_contact_without_load_leaves_the_others_unique():
    """A box at its slip limit: no corner can give or take anything along the slope, and what presses is shared."""
    model, q = box_on_slope(np.arctan(0.5), 0.5, sides=(0.4, 0.2, 0.1))
    found = lw.contact_forces(model, q)
    assert found.between("ground", "box").margin == pytest.approx(0.0, abs=1e-9)
    assert all(touch.normal > 0.1 for touch in found)


def test_joints_of_a_stance_are_not_unique_where_friction_can_wedge():
    """Four feet that stick can be wedged against each other: the joints above feel it; on ice they cannot."""
    model, q = portal()
    r = lw.reactions(model, q, np.zeros(model.nv))
    assert r.self_stress == 4
    assert not r.unique("hip01")[3:].all()
    assert r.contacts.undetermined == r.self_stress
    model, q = portal(friction=0.0)
    r = lw.reactions(model, q, np.zeros(model.nv))
    assert r.self_stress == r.contacts.undetermined == 1  # four legs on a plane: one may carry more with its opposite
    assert r.unique("hip00")[[0, 2, 3, 4]].all()
    assert not r.unique("hip00")[5]


def test_a_pair_is_found_by_name_and_its_sign_is_that_of_the_order():
    model, q = portal()
    r = lw.reactions(model, q, np.zeros(model.nv))
    there, back = r.contacts.between("ground", "leg00"), r.contacts.between("leg00", "ground")
    assert np.array_equal(there.force, -back.force)
    assert there.normal == back.normal > 0.0
    assert np.array_equal(r["ground - leg00"].force, there.force)
    assert r.contacts.between("beam", "ground").normal == 0.0
    with pytest.raises(lw.UnknownNameError, match="ground - leg00"):
        r["ground - leg0"]
    assert lw.reactions(model, q, np.zeros(model.nv), contacts=False).contacts is None
    assert "~" in str(r)
    assert "margin" in str(r)


def test_a_state_in_which_bodies_strike_is_refused():
    model, q = box_on_slope(0.0, 0.5)
    with pytest.raises(lw.StateError, match=r"0\.5 m/s at which 'box' strikes 'ground'"):
        lw.contact_forces(model, q, [0, 0, 0, 0, 0, -0.5])
    apart = lw.contact_forces(model, q, [0, 0, 0, 0, 0, 0.5])
    assert {touch.status for touch in apart} == {"open"}
    assert not apart.between("ground", "box").force.any()
    with pytest.raises(lw.StateError, match="rest_speed"):
        lw.contact_forces(model, q, rest_speed=-1.0)
    m = lw.Mechanism("alone")
    m.add_body("stone", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(lw.StateError, match="touch"):
        lw.contact_forces(m.build(), [0, 0, 0, 1, 0, 0, 0])


def test_a_rod_that_jams_is_told():
    """Painleve: a rod that slides with its lower end ahead, at friction beyond 4/3, has no forces where normal force drives its tip into the floor."""
    mu, angle, length = 3.0, np.arctan(2.0), 1.0  # from the horizontal
    m = lw.Mechanism("rod")
    m.add_floor(surface=lw.Surface(friction=mu))
    m.surface = lw.Surface(friction=mu)
    m.add_body("rod", mass=1.0, inertia=(length**2 / 12, length**2 / 12, 1e-4), collisions=[lw.Sphere(0.01, at=(0, 0, -length / 2))])
    pose = lw.Pose.from_rpy(0, np.pi / 2 - angle, 0)
    tip = pose.rotation @ [0, 0, -length / 2]
    q = [*(-tip + [0, 0, 0.01]), *pose.quaternion]
    speed, states = 1.0, []
    for sign in (1.0, -1.0):
        v = [0, 0, 0, *(pose.rotation.T @ [sign * speed, 0, 0])]
        try:
            states.append(lw.contact_forces(m.build(), q, v)[0].status)
        except lw.SolverError as error:
            assert "Painleve" in str(error)
            states.append("jams")
    assert sorted(states) == ["jams", "sliding"]
