"""Equilibrium where bodies touch: closed forms, linear programs and long simulations as referees; words where nothing holds."""

import numpy as np
import pytest
from scipy.optimize import brentq, linprog

import linkwork as lw
from linkwork.analysis.contact_rows import contact_rows

from .touching_scenes import box_on_slope, five_bar, portal, solid

G = 9.81
CLOSE = 1e-9


def stands(model, q, **loads):
    """Does it stand as it is?"""
    try:
        found = lw.equilibrium(model, q, settle=False, **loads)
    except lw.SolverError:
        return False
    assert np.array_equal(found.q, q)
    return True


def threshold(scene, low, high, digits=1e-6):
    """Where between low, at which it stands, and high a scene stops standing."""
    assert stands(*scene(low))
    assert not stands(*scene(high))
    while high - low > digits:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if stands(*scene(middle)) else (low, middle)
    return 0.5 * (low + high)


# ------------------------------------------------------------------------------------------------------------ closed forms


def test_a_block_slips_at_the_angle_of_friction_and_tips_at_that_of_its_sides():
    assert threshold(lambda a: box_on_slope(a, 0.5), 0.3, 0.6) == pytest.approx(np.arctan(0.5), abs=2e-6)
    assert threshold(lambda a: box_on_slope(a, 2.0, sides=(0.1, 0.2, 0.3)), 0.1, 0.6) == pytest.approx(np.arctan(1 / 3), abs=2e-6)


def test_the_margin_of_a_block_on_a_slope():
    for angle in (0.0, 0.2, 0.4):
        found = lw.equilibrium(*box_on_slope(angle, 0.5), settle=False)
        assert found.margin == pytest.approx(1.0 - np.tan(angle) / 0.5, abs=2.0 * CLOSE)  # bisected to 1e-9
        assert found.carrying == ("ground - box",)
        assert found.stable


RADIUS, LONG = 0.02, 3.0


def ladder(angle, floor=0.4, wall=0.3):
    """A ladder at an angle from the horizontal, with balls at its ends."""
    m = lw.Mechanism("ladder")
    m.change(
        "ground",
        collisions=[
            lw.Floor(surface=lw.Surface(friction=floor)),
            lw.Box(1.0, 4.0, 10.0, at=(0.5 + LONG * np.cos(angle) + RADIUS, 0, 0), surface=lw.Surface(friction=wall)),
        ],
    )
    ends = [lw.Sphere(RADIUS, at=(0, 0, 0)), lw.Sphere(RADIUS, at=(LONG, 0, 0))]
    m.add_body(
        "ladder",
        mass=10.0,
        com=(LONG / 2, 0, 0),
        inertia=solid(10.0, (LONG, 0.01, 0.01)),
        collisions=ends,
        surface=lw.Surface(friction=1.0),
    )
    pose = lw.Pose.from_rpy(0, -angle, 0, (0, 0, RADIUS))
    return m.build(), np.array([*pose.translation, *pose.quaternion])


def test_a_ladder_slips_at_its_angle():
    """Both ends slip at once: N2 = F1 = mu1 N1, N1 + mu2 N2 = W, W x = N2 h + mu2 N2 d, x, h, d from the foot's point."""
    mu1, mu2 = np.sqrt(0.4), np.sqrt(0.3)  # of pairs: the geometric mean with 1

    def open_moment(angle):
        N1 = 1.0 / (1.0 + mu1 * mu2)
        h, d = LONG * np.sin(angle) + RADIUS, LONG * np.cos(angle) + RADIUS
        return LONG / 2 * np.cos(angle) - mu1 * N1 * h - mu2 * mu1 * N1 * d

    expected = brentq(open_moment, 0.1, 1.5)
    found = -threshold(lambda a: ladder(-a), -1.3, -0.2)
    assert found == pytest.approx(expected, abs=2e-6)
    with pytest.raises(lw.SolverError, match=r"'ladder' begins to move along .* slips at 'ground/0 - ladder/0', 'ground/1 - ladder/1'"):
        lw.equilibrium(*ladder(expected - 0.01), settle=False)


@pytest.mark.parametrize(("floor", "wall"), [(1.0, 1.0), (0.4, 0.3), (1.0, 0.16), (0.5, 0.0)])
def test_the_margin_of_a_ladder_is_the_friction_that_can_be_taken_away(floor, wall):
    """Forces of least norm would let a steep ladder begin to slip at the wall, and show no margin."""
    steep = np.radians(80.0)
    found = lw.equilibrium(*ladder(steep, floor, wall), settle=False)
    # Pairs have the geometric mean with the ladder's 1: coefficients k times as large are those of surfaces k^2 times as rough.
    least = -threshold(lambda k: ladder(steep, floor * k**2, wall * k**2), -1.0, -1e-3)
    assert 0.8 < found.margin < 0.95
    assert found.margin == pytest.approx(1.0 - least, abs=2e-6)
    assert "-0.000" not in str(found.contacts)
    assert ("~0.000" in str(found.contacts)) == (wall > 0.0)  # what stands in the table is one of many solutions


def test_two_cards_lean_on_each_other():
    """By symmetry the force between their tops is level: H h = W d / 2, and the floor must hold H of W."""

    def cards(lean, mu=0.3):
        m = lw.Mechanism("cards")
        m.add_floor()
        m.surface = lw.Surface(friction=mu)
        q = []
        for sign in (-1.0, 1.0):
            name = "left" if sign < 0 else "right"
            ends = [lw.Sphere(RADIUS, at=(0, y, z)) for z in (0.0, 1.0) for y in (-0.3, 0.3)]
            m.add_body(name, mass=1.0, com=(0, 0, 0.5), inertia=solid(1.0, (0.02, 0.6, 1.0)), collisions=ends)
            pose = lw.Pose.from_rpy(0, -sign * lean, 0, (sign * (np.sin(lean) + RADIUS), 0, RADIUS))
            q += [*pose.translation, *pose.quaternion]
        return m.build(), np.array(q)

    def open_force(lean):
        return 0.5 * np.sin(lean) - 0.3 * (np.cos(lean) + RADIUS)

    assert threshold(cards, 0.2, 1.0) == pytest.approx(brentq(open_force, 0.2, 1.0), abs=2e-6)
    found = lw.equilibrium(*cards(0.3), settle=False)
    H = 0.5 * G * np.sin(0.3) / (np.cos(0.3) + RADIUS)
    assert found.contacts.between("left", "right").force == pytest.approx([H, 0, 0], abs=1e-7)


@pytest.mark.parametrize("bricks", [2, 4])
def test_bricks_overhang_as_far_as_the_harmonic_series(bricks):
    """Each may stand out by L / 2k beyond the one below, k from the top."""

    def leaning(share):
        m = lw.Mechanism("bricks")
        m.surface = lw.Surface(friction=0.6)
        m.change("ground", collisions=[lw.Box(0.2, 0.1, 0.1)])
        x, q = 0.0, []
        for k in range(bricks, 0, -1):
            x += share * 0.1 / k
            z = 0.1 * (bricks - k + 1)
            m.add_body(f"brick {k}", shape=lw.Box(0.2, 0.1, 0.1), density=2000)
            q += [x, 0, z, 1, 0, 0, 0]
        return m.build(), np.array(q)

    assert threshold(leaning, 0.9, 1.1, 1e-5) == pytest.approx(1.0, abs=2e-5)


def arch(thickness, stones, mu=0.9):
    """A semicircular arch of mean radius 1 on two springers."""
    m = lw.Mechanism("arch")
    m.surface = lw.Surface(friction=mu)
    m.change("ground", collisions=[lw.Box(1.0, 1.0, 0.5, at=(x, 0, -0.25)) for x in (-1.0, 1.0)])
    cuts = np.linspace(0.0, np.pi, stones + 1)
    for k in range(stones):
        corners = [
            (r * np.cos(a), y, r * np.sin(a))
            for a in cuts[k : k + 2]
            for r in (1.0 - thickness / 2, 1.0 + thickness / 2)
            for y in (-0.1, 0.1)
        ]
        faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        triangles = [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]
        m.add_body(f"stone {k}", density=2000, shape=lw.Mesh(corners, triangles))
    model = m.build()
    return model, np.array(lw.neutral(model))


def arch_stands(thickness, stones):
    """Another route: a line of thrust within the joints, by a linear program in the plane (thrust, its height and shear at the left springer), no slip."""
    cuts = np.linspace(0.0, np.pi, stones + 1)
    r0, r1 = 1.0 - thickness / 2, 1.0 + thickness / 2
    weight = np.full(stones, 0.5 * (r1**2 - r0**2) * np.pi / stones)
    half = np.pi / stones / 2
    middle = 2.0 / 3.0 * (r1**3 - r0**3) / (r1**2 - r0**2) * np.sin(half) / half
    A, b = [], []
    for k, a in enumerate(cuts):
        W = weight[:k].sum()
        moment = sum(weight[j] * middle * np.cos((cuts[j] + cuts[j + 1]) / 2) for j in range(k))  # of the weights, W x
        # force on the joint from the right end: (H, V - W), moment about the centre M - moment; thrust N = along the tangent, N r = moment of it
        # unknown H, V, M: N = -H sin a - (V - W) cos a pressing, moment about the centre = N r_of_thrust, r0 N <= M' <= r1 N
        n = np.array([np.sin(a), np.cos(a), 0.0])
        for r, sign in ((r0, 1.0), (r1, -1.0)):
            A.append(sign * (r * n - np.array([0, 0, 1.0])))
            b.append(sign * (r * W * np.cos(a) - moment))
    return linprog(np.zeros(3), A_ub=A, b_ub=b, bounds=(None, None)).status == 0


def test_an_arch_stands_from_the_thickness_of_milankovitch():
    """A tenth of the radius, about: 0.1075 for joints everywhere, less for few stones. The linear program in the plane agrees."""
    stones = 11
    low, high = 0.05, 0.2
    while high - low > 1e-4:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if arch_stands(middle, stones) else (middle, high)
    assert arch_stands(0.1080, 200)
    assert not arch_stands(0.1070, 200)
    assert stands(*arch(high + 1e-3, stones))
    assert not stands(*arch(low - 1e-3, stones))


def test_a_rope_on_a_drum_holds_as_much_as_euler_says():
    """Beads joined by inextensible links around a drum: T2 / T1 = ((cos b + mu sin b) / (cos b - mu sin b))^n, b half the angle between links."""
    mu, beads, radius, ball = 0.3, 9, 1.0, 0.05
    half = 0.5 * np.pi / beads

    def rope(ratio):
        m = lw.Mechanism("capstan", gravity=(0, 0, 0))
        m.surface = lw.Surface(friction=mu)
        m.change("ground", collisions=[lw.Cylinder(radius, 1.0, at=lw.Pose.from_rpy(np.pi / 2, 0, 0))])
        q, bodies, r = [], [], radius + ball
        angles = (np.arange(beads) + 0.5) * 2 * half
        for k, a in enumerate(angles):
            bodies.append(m.add_body(f"bead {k}", mass=0.01, inertia=(1e-5, 1e-5, 1e-5), shape=lw.Sphere(ball)))
            q += [r * np.cos(a), 0, r * np.sin(a), 1, 0, 0, 0]
            if k:
                m.add_constraint(f"link {k}", lw.Distance(2 * r * np.sin(half)), bodies[k - 1], bodies[k])
                m.ignore(bodies[k - 1], bodies[k])
        ends = [
            (0, -np.sin(angles[0] - half), np.cos(angles[0] - half), -1.0),
            (beads - 1, -np.sin(angles[-1] + half), np.cos(angles[-1] + half), ratio),
        ]
        # links pull at bead centres, so only the force along the surface at the centre counts; the point's friction turns beads: they are held from turning
        f_ext = {f"bead {k}": [0, 0, 0, sign * x, 0, sign * z] for k, x, z, sign in ends}
        return m, np.array(q), f_ext

    def holds(ratio):
        m, q, f_ext = rope(ratio)
        for k in range(beads):
            m.add_constraint(f"level {k}", lw.SameOrientation(), m.ground, f"bead {k}")
        return stands(m.build(), q, f_ext=f_ext)

    expected = ((np.cos(half) + mu * np.sin(half)) / (np.cos(half) - mu * np.sin(half))) ** beads
    assert expected == pytest.approx(np.exp(mu * np.pi), rel=0.02)
    assert holds(0.999 * expected)
    assert not holds(1.001 * expected)
    assert holds(1.001 / expected)
    assert not holds(0.999 / expected)


# ------------------------------------------------------------------------------------------------------------ referees


def program(model, q, facets, outside):
    """Do forces within polygons, inside the cones or about them, balance the weight? (SciPy)"""
    rows = contact_rows(model, q)
    n = len(rows.points)
    A, b = rows.J.T, lw.gravity_force(model, q)
    grow = 1.0 / np.cos(np.pi / facets) if outside else 1.0
    edges = np.zeros((3 * n, n * facets))
    for k, mu in enumerate(rows.friction):
        for j in range(facets):
            angle = 2 * np.pi * j / facets
            edges[3 * k : 3 * k + 3, k * facets + j] = 1.0, grow * mu * np.cos(angle), grow * mu * np.sin(angle)
    return linprog(np.zeros(n * facets), A_eq=A @ edges, b_eq=b, method="highs").status == 0


def random_pile(seed):
    """Boxes one on another, each shifted at random, on a slope."""
    rng = np.random.default_rng(seed)
    m = lw.Mechanism("pile")
    m.surface = lw.Surface(friction=rng.uniform(0.2, 0.6))
    angle = rng.uniform(0.0, 0.45)
    slope = lw.Pose.from_rpy(angle * rng.uniform(-1, 1), angle, 0)
    m.change("ground", collisions=[lw.Floor(at=slope)])
    q, z, x, y = [], 0.0, 0.0, 0.0
    for k in range(int(rng.integers(1, 5))):
        sides = rng.uniform(0.1, 0.3, 3)
        m.add_body(f"box {k}", shape=lw.Box(*sides), density=500)
        pose = slope @ lw.Pose((x, y, z + sides[2] / 2))
        q += [*pose.translation, *pose.quaternion]
        z, x, y = z + sides[2], x + rng.uniform(-0.06, 0.06), y + rng.uniform(-0.06, 0.06)
    return m.build(), np.array(q)


def test_piles_stand_where_linear_programs_say_so():
    """Polygons inside the cones that balance: it stands. None about them: it does not."""
    said = []
    for seed in range(40):
        model, q = random_pile(seed)
        answer = stands(model, q)
        if program(model, q, 16, False):
            assert answer, seed
        elif not program(model, q, 16, True):
            assert not answer, seed
        else:
            continue
        said.append(answer)
    assert 8 < sum(said) < len(said) - 8
    assert len(said) > 35


def test_what_settles_is_where_a_damped_motion_ends():
    """A plate on a hinge falls onto a ball, which lies in a corner: the pose is unique, and a long simulation with damping ends there."""
    m = lw.Mechanism("trap")
    m.surface = lw.Surface(friction=0.0)
    m.change("ground", collisions=[lw.Floor(), lw.Box(0.2, 1.0, 1.0, at=(0.5, 0, 0))])
    plate = m.add_body("plate", mass=1.0, com=(0.4, 0, 0), inertia=(0.01, 0.06, 0.06), collisions=[lw.Box(0.8, 0.5, 0.04, at=(0.4, 0, 0))])
    m.add_joint("hinge", lw.Revolute((0, 1, 0), damping=0.4), m.ground.at(-0.3, 0, 0.35), plate)
    m.touch("plate", "ground")
    ball = m.add_body("ball", mass=2.0, inertia=(0.008, 0.008, 0.008))
    m.change(ball, collisions=[lw.Sphere(0.1)])
    slide = m.add_body("slider", mass=0.1, inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("x", lw.Prismatic((1, 0, 0), damping=2.0), m.ground, slide)
    m.add_joint("z", lw.Prismatic((0, 0, 1), damping=2.0), slide, ball)
    m.add_force("spring", lw.Load(force=(3.0, 0, 0)), ball)
    m.touch("ball", "ground")
    m.touch("ball", "plate")
    model = m.build()
    start = np.array([-0.5, 0.1, 0.2])
    found = lw.equilibrium(model, start)
    rec = lw.simulate(m, 12.0, lw.ContactStepping(step=1e-3), q=start, v=[0, 0, 0])
    assert np.abs(rec.v[-1]).max() < 1e-8
    assert np.allclose(found.q, rec.q[-1], atol=1e-6)
    assert np.abs(found.q - start).max() > 0.1
    assert len(found.carrying) == 3
    model2, q2 = portal()
    q2[2] += 0.05
    again = lw.equilibrium(model2, q2)
    assert again.q[2] == pytest.approx(0.45, abs=1e-9)
    assert len(again.carrying) == 4


def test_rolling_in_a_bowl_meets_resistance_and_on_a_table_none():
    m = lw.Mechanism("marble")
    m.surface = lw.Surface(friction=0.8)
    m.add_body("marble", mass=1.0, inertia=(0.004, 0.004, 0.004), shape=lw.Sphere(0.1))
    m.add_floor()
    found = lw.equilibrium(m.build(), [0, 0, 0.3, 1, 0, 0, 0])
    assert found.q[2] == pytest.approx(0.1, abs=1e-9)
    assert not found.stable
    assert len(found.neutral) == 3  # rolling both ways, and spinning on the spot
    # the other way round: half a bowl of radius 0.5 on the floor rocks with m g (distance of its centre of mass from the middle of the ball)
    m = lw.Mechanism("rocker")
    m.surface = lw.Surface(friction=0.8)
    m.add_body("rocker", mass=1.0, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.02), shape=lw.Sphere(0.5))
    m.add_floor()
    c, s = np.cos(0.2), np.sin(0.2)
    found = lw.equilibrium(m.build(), [0, 0, 0.5, c, s, 0, 0])
    rocking = np.sort(found.stiffness)[-2:]
    turned = found.motions[np.argsort(found.stiffness)[-2:]]
    size = np.linalg.norm(turned[:, :3], axis=1) ** 2
    assert np.allclose(rocking / size, G * 0.2, rtol=1e-5)
    assert found.stiffness.min() >= 0.0
    m = lw.Mechanism("egg on its tip")
    m.surface = lw.Surface(friction=0.8)
    m.add_body("egg", mass=1.0, com=(0, 0, 0.2), inertia=(0.02, 0.02, 0.02), shape=lw.Sphere(0.5))
    m.add_floor()
    assert lw.equilibrium(m.build(), [0, 0, 0.5, 1, 0, 0, 0], settle=False).stiffness.min() < -0.1


def test_loops_rest_on_the_floor():
    model, q = five_bar(0.6)
    found = lw.equilibrium(model, q)
    assert found.contacts is not None
    r = lw.reactions(model, found.q, np.zeros(model.nv))
    assert np.abs(r.vdot).max() < 1e-6
    assert max(r.gaps.values()) < 1e-9


# ------------------------------------------------------------------------------------------------------------ words


def test_what_nothing_holds_is_named_with_its_direction():
    m = lw.Mechanism("two")
    m.change("ground", collisions=[lw.Box(1.0, 1.0, 0.1)])
    m.surface = lw.Surface(friction=0.5)
    m.add_body("here", shape=lw.Box(0.1, 0.1, 0.1), density=500)
    m.add_body("beside", shape=lw.Sphere(0.1), density=500)
    model = m.build()
    q = [0, 0, 0.1, 1, 0, 0, 0, 2.0, 0, 0.15, 1, 0, 0, 0]
    with pytest.raises(lw.SolverError, match=r"nothing holds it: 'beside' moved on along \(0, 0, -1\)"):
        lw.equilibrium(model, q)
    with pytest.raises(lw.SolverError, match=r"'beside' begins to move along \(0, 0, -1\), 9.81 m/s\^2"):
        lw.equilibrium(model, q, settle=False)
    with pytest.raises(lw.SolverError, match=r"slips at 'ground - box'"):
        lw.equilibrium(*box_on_slope(0.6, 0.5), settle=False)
    with pytest.raises(lw.SolverError, match=r"turning about \(0, 1, 0\), \d"):
        lw.equilibrium(*box_on_slope(0.5, 3.0, sides=(0.02, 0.02, 0.3)), settle=False)


def test_without_contact_a_pose_can_be_asked_about_too():
    m = lw.Mechanism("pendulum")
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1)))
    model = m.build()
    assert lw.equilibrium(model, [0.0], settle=False).contacts is None
    with pytest.raises(lw.SolverError, match="no equilibrium"):
        lw.equilibrium(model, [0.3], settle=False)
    assert lw.equilibrium(model, [0.0]).margin == 1.0


def test_an_equilibrium_is_printed_in_words():
    said = str(lw.equilibrium(*box_on_slope(0.2, 0.5), settle=False))
    assert said.startswith("equilibrium, stable; unbalanced ") and "ground - box" in said and "array(" not in said
    m = lw.Mechanism("pendulum")
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1)))
    upright = lw.equilibrium(m.build(), [np.pi])
    assert str(upright).startswith("equilibrium, 1 of 1 motions unstable; ")
