"""Several bodies in contact against closed forms of statics and impact: cradles, piles of balls, cards, arches, dominoes, a rope about a drum.

Thresholds are approached from both sides, so the tolerance of each test is the distance between the two cases.
"""

import numpy as np
import pytest

import linkwork as lw

G = 9.81


def about_y(angle):
    return [np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0]


def positions(model, **where):
    """q of free bodies at poses (x, y, z) or (x, y, z, quaternion)."""
    q = lw.neutral(model)
    for joint in model.joints:
        if joint.child in where:
            pose = list(where[joint.child])
            q[joint.q_index] = pose + [1, 0, 0, 0] if len(pose) == 3 else pose
    return q


def velocity_of(model, rec, name, k=-1):
    """Of the origin of a body, world axes."""
    joint = next(j for j in model.joints if j.child == name)
    R = lw.forward_kinematics(model, rec.q[k]).pose(name).rotation
    return R @ rec.v[k, joint.v_index][3:]


# ---- cradles


def cradle(balls, restitution, gap):
    m = lw.Mechanism("cradle", gravity=(0, 0, 0))
    m.surface = lw.Surface(friction=0.0, restitution=restitution)
    m.contact = True
    for k in range(balls):
        m.add_body(f"ball {k}", mass=1.0, shape=lw.Sphere(0.1))
    model = m.build()
    q = positions(model, **{f"ball {k}": ((0.2 + gap) * k if k else -0.25, 0, 0) for k in range(balls)})
    v = np.zeros(model.nv)
    v[3] = 1.0
    return model, q, v


@pytest.mark.parametrize("balls", [3, 5])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_balls_of_a_cradle_that_touch_each_other_obey_newtons_law_all_at_once(balls, restitution):
    """Pairs that touch and do not approach get no rebound, so all but the first move on together: v = (1 + e) / n, the first v - e."""
    model, q, v = cradle(balls, restitution, 0.0)
    rec = lw.simulate(model, 0.5, q=q, v=v)
    after = [velocity_of(model, rec, f"ball {k}")[0] for k in range(balls)]
    together = (1 + restitution) / balls
    assert after == pytest.approx([together - restitution] + [together] * (balls - 1), abs=1e-12)


@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_balls_of_a_cradle_that_are_apart_hand_the_impact_on(restitution):
    """One after the other: each keeps (1 - e) / 2 of what reaches it, and hands on (1 + e) / 2."""
    model, q, v = cradle(4, restitution, 0.01)
    rec = lw.simulate(model, 0.4, lw.ContactStepping(step=2e-4), q=q, v=v)
    expected, reaching = [], 1.0
    for _ in range(3):
        expected.append(reaching * (1 - restitution) / 2)
        reaching *= (1 + restitution) / 2
    after = [velocity_of(model, rec, f"ball {k}")[0] for k in range(4)]
    assert after[3] == pytest.approx(reaching, abs=1e-12)
    assert sum(after) == pytest.approx(1.0, abs=1e-12)
    if restitution == 1.0:
        assert after == pytest.approx([*expected, reaching], abs=1e-12)


# ---- piles that statics hold up or not


def pile(between, on_floor):
    """A ball on three others, which touch each other."""
    m = lw.Mechanism("pile", gravity=(0, 0, -G))
    m.add_floor()
    r = 0.1
    for name in ("top", "a", "b", "c"):
        m.add_body(name, shape=lw.Sphere(r), density=1000)
        m.touch("ground", name, surface=lw.Surface(friction=on_floor))
    for name in ("a", "b", "c"):
        m.touch("top", name, surface=lw.Surface(friction=between))
    for a, b in ("ab", "bc", "ca"):
        m.touch(a, b, surface=lw.Surface(friction=0.0))
    model = m.build()
    R = 2 * r / np.sqrt(3)
    low = {name: (R * np.cos(k), R * np.sin(k), r) for name, k in zip("abc", 2 * np.pi * np.arange(3) / 3 + 0.1, strict=True)}
    q = positions(model, top=(0, 0, r + 2 * r * np.sqrt(2 / 3)), **low)
    return lw.simulate(model, 0.5, lw.ContactStepping(step=1e-3), q=q), model


NEEDED = np.sqrt(3) - np.sqrt(2)  # tan of half the angle between the vertical and a line of centres; on the floor a quarter of it


@pytest.mark.parametrize(("between", "on_floor", "stands"), [(1.01, 1.01, True), (0.99, 5.0, False), (5.0, 0.99, False)])
def test_a_pyramid_of_four_balls_stands_if_friction_suffices_between_them_and_below(between, on_floor, stands):
    rec, model = pile(NEEDED * between, NEEDED / 4 * on_floor)
    top = next(j for j in model.joints if j.child == "top").q_index
    if stands:
        assert abs(rec.v).max() < 1e-9
    else:
        assert rec.q[-1, top][2] < rec.q[0, top][2] - 1e-3


@pytest.mark.parametrize(("share", "stands"), [(1.02, True), (0.98, False)])
def test_two_cards_that_lean_on_each_other_stand_if_friction_is_half_the_cotangent_of_their_slope(share, stands):
    """A ladder on a smooth wall, twice: mu >= 1 / (2 tan slope). Feet and heads are balls, so that each force has its place."""
    length, slope, r = 1.0, 1.1, 0.01
    mu = share / (2 * np.tan(slope))
    m = lw.Mechanism("cards", gravity=(0, 0, -G))
    m.add_floor()
    for name in ("left", "right"):
        ends = [lw.Sphere(r, at=(x, y, 0)) for x in (-length / 2, length / 2) for y in (-0.2, 0.2)]
        m.add_body(name, mass=1.0, com=(0, 0, 0), inertia=(0.02, 1 / 12, 0.09), collisions=ends)
        m.touch("ground", name, surface=lw.Surface(friction=mu))
    m.touch("left", "right", surface=lw.Surface(friction=0.0))
    model = m.build()
    x, z = length / 2 * np.cos(slope), length / 2 * np.sin(slope) + r
    q = positions(model, left=(-x - r, 0, z, *about_y(-slope)), right=(x + r, 0, z, *about_y(np.pi + slope)))
    rec = lw.simulate(model, 1.0, lw.ContactStepping(step=1e-3), q=q)
    fallen = rec.q[0, 2] - rec.q[-1, 2]
    if stands:
        assert abs(rec.v[1:]).max() < 1e-9
    else:
        assert fallen > 0.01


def arch(thickness, blocks=11):
    """Half a ring of wedges with a mean radius of 1 m, between two steps of the ground that it stands on."""
    inner, outer = 1 - thickness / 2, 1 + thickness / 2
    m = lw.Mechanism("arch", gravity=(0, 0, -G))
    m.surface = lw.Surface(friction=2.0)
    m.add_floor()
    half, depth = np.pi / blocks / 2, 0.3
    corners = [(R * np.cos(s * half), y, R * np.sin(s * half)) for s in (-1, 1) for y in (-depth / 2, depth / 2) for R in (inner, outer)]
    where = {}
    for k in range(blocks):
        angle = (2 * k + 1) * half
        c, s = np.cos(angle), np.sin(angle)
        points = np.array([(c * x - s * z, y, s * x + c * z) for x, y, z in corners])
        centre = points.mean(axis=0)
        m.add_body(f"block {k}", shape=lw.Mesh(points - centre, FACES), density=1000)
        where[f"block {k}"] = tuple(centre)
    model = m.build()
    return model, positions(model, **where)


FACES = [(0, 3, 1), (0, 2, 3), (4, 7, 6), (4, 5, 7), (0, 5, 4), (0, 1, 5), (2, 7, 3), (2, 6, 7), (0, 6, 2), (0, 4, 6), (1, 7, 5), (1, 3, 7)]


@pytest.mark.parametrize(("thickness", "stands"), [(0.125, True), (0.09, False)])
def test_an_arch_stands_if_it_is_thicker_than_a_tenth_of_its_radius(thickness, stands):
    """A semicircular arch needs t / R = 0.1075 (Milankovitch 1907; blocks of finite size a little less)."""
    model, q = arch(thickness)
    rec = lw.simulate(model, 0.5, lw.ContactStepping(step=2e-3), q=q)
    assert rec.status == "finished"
    top = next(j for j in model.joints if j.child == "block 5").q_index
    fall = rec.q[0, top][2] - rec.q[-1, top][2]
    if stands:
        assert abs(fall) < 1e-6
        assert abs(rec.v[-1]).max() < 1e-6
    else:
        assert fall > 0.01


# ---- dominoes


def test_a_domino_falls_on_the_next_at_the_time_of_its_pendulum_and_knocks_down_the_row():
    B, H, space, count, h = 0.01, 0.08, 0.03, 6, 5e-4
    m = lw.Mechanism("dominoes", gravity=(0, 0, -G))
    m.surface = lw.Surface(friction=0.8)
    m.add_floor()
    for k in range(count):
        m.add_body(f"domino {k}", shape=lw.Box(B, 0.04, H), density=700)
        if k:
            m.touch(f"domino {k - 1}", f"domino {k}", surface=lw.Surface(friction=0.1))
    model = m.build()
    w0 = 3.0  # pushed about its lower front edge at (B / 2, 0)
    q = positions(model, **{f"domino {k}": ((B + space) * k, 0, H / 2) for k in range(count)})
    v = np.zeros(model.nv)
    first = next(j for j in model.joints if j.child == "domino 0").v_index
    v[first] = [0, w0, 0, w0 * H / 2, 0, w0 * B / 2]
    rec = lw.simulate(model, 1.5, lw.ContactStepping(step=h), q=q, v=v, record_interval=h)
    second = next(j for j in model.joints if j.child == "domino 1").v_index
    struck = rec.time[np.argmax(abs(rec.v[:, second]).max(axis=1) > 1e-3)]
    R, k = np.hypot(B, H) / 2, 0.75  # I about the edge = 4/3 m R^2
    lean = np.linspace(0, np.arcsin(space / H), 20001)  # until the front edge of the top meets the next face
    start = np.arctan2(B, H)
    speed = np.sqrt(w0**2 + 2 * k * G / R * (np.cos(start) - np.cos(start - lean)))
    assert struck == pytest.approx(np.trapezoid(1 / speed, lean), abs=3 * h)
    tilts = [2 * np.arctan2(rec.q[-1, j.q_index][5], rec.q[-1, j.q_index][3]) for j in model.joints]
    assert min(tilts) > 0.5  # all of them are down


# ---- a rope about a drum


def capstan(ratio, friction, links=12, radius=0.1, bead=1e-4):
    """A chain of light links with a bead at each joint lies over half a drum; weights of 1 kg and `ratio` kg hang on its ends."""
    m = lw.Mechanism("capstan", gravity=(0, 0, -G))
    m.surface = lw.Surface(friction=friction)
    m.change("ground", collisions=[lw.Cylinder(radius, 0.2, at=lw.Pose.from_rpy(np.pi / 2, 0, 0))])
    R = radius + bead
    way = 2 * R * np.sin(np.pi / links / 2)
    heavy = m.add_body("heavy", mass=ratio, com=(0, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
    place, angle = heavy.at(0, 0, 0.3), 0.0
    for k in range(links):
        turn = -(np.pi / links) * (k + 0.5) - np.pi / 2  # about y, from x to the link's direction
        ball = lw.Sphere(bead, at=(-way / 2, 0, 0))
        link = m.add_body(f"link {k}", mass=2e-4, com=(0, 0, 0), inertia=(1e-8, 1e-7, 1e-7), collisions=[ball])
        m.add_joint(f"joint {k}", lw.Revolute((0, 1, 0)), place, link.at(-way / 2, 0, 0))
        place, angle = link.at(way / 2, 0, 0), turn
    light = m.add_body("light", mass=1.0, com=(0, 0, 0), inertia=(1e-3, 1e-3, 1e-3), collisions=[lw.Sphere(bead, at=(0, 0, 0.3))])
    m.add_joint("last", lw.Revolute((0, 1, 0)), place, light.at(0, 0, 0.3))
    model = m.build()
    q = lw.neutral(model)
    q[model.joint("joint 0").q_index] = -np.pi / links / 2 - np.pi / 2
    for k in range(1, links):
        q[model.joint(f"joint {k}").q_index] = -np.pi / links
    q[model.joint("last").q_index] = -angle
    free = next(j for j in model.joints if j.child == "heavy").q_index
    q[free] = [R, 0, -0.3, 1, 0, 0, 0]
    return model, q, free


@pytest.mark.parametrize(("share", "holds"), [(0.97, True), (1.03, False)])
@pytest.mark.parametrize("friction", [0.1, 0.3])
def test_a_rope_about_a_drum_holds_as_many_times_the_load_as_euler_and_eytelwein_say(friction, share, holds):
    """e^(mu pi); with n straight links ((1 + mu t) / (1 - mu t))^n, t = tan(pi / 2 n): 2.61 in place of 2.57 for mu = 0.3 and n = 12."""
    n = 12
    t = np.tan(np.pi / n / 2)
    limit = ((1 + friction * t) / (1 - friction * t)) ** n
    assert limit == pytest.approx(np.exp(np.pi * friction), rel=0.03)
    model, q, free = capstan(share * limit, friction, n)
    rec = lw.simulate(model, 0.2, lw.ContactStepping(step=1e-3), q=q)
    fallen = rec.q[0, free][2] - rec.q[-1, free][2]
    if holds:
        assert abs(fallen) < 1e-6
    else:
        assert fallen > 1e-3  # it sinks at g (r - limit) / (r + limit) or so
