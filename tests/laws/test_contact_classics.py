"""Contact of one body in motion against closed forms: slopes, rolling, rebounds, falling rods, tipping, rocking, discs and tops.

Time stepping is of order 1, so most tolerances are a few times the step: where a speed v is reached at the end of a step, the way is off by v h / 2 in each
phase of a motion. Where a quantity obeys a balance that the step satisfies exactly (momentum of a sliding body, say), the tolerance is rounding.
"""

import itertools

import numpy as np
import pytest

import linkwork as lw
from linkwork.data.contact_problem import SLIDE

G = 9.81


def world(friction=0.5, restitution=0.0, gravity=(0.0, 0.0, -G)):
    m = lw.Mechanism("world", gravity=gravity)
    m.surface = lw.Surface(friction=friction, restitution=restitution)
    m.add_floor()
    return m


def with_box(size, **surface):
    m = world(**surface)
    m.add_body("box", shape=lw.Box(*size), density=1000)
    return m.build()


def with_ball(radius=0.1, **surface):
    m = world(**surface)
    m.add_body("ball", shape=lw.Sphere(radius), density=1000)
    return m.build()


def down_slope(tangent):
    """Gravity as the floor of a slope sees it: it falls towards +x."""
    angle = np.arctan(tangent)
    return G * np.sin(angle), 0.0, -G * np.cos(angle)


def at(x, y, z, turn=(1, 0, 0, 0)):
    return [x, y, z, *turn]


def about(axis, angle):
    """Quaternion of a turn."""
    axis = np.array(axis, dtype=float) / np.linalg.norm(axis)
    return [np.cos(angle / 2), *(np.sin(angle / 2) * axis)]


# ---- slopes and slides


@pytest.mark.parametrize("excess", [-1e-6, 1e-6])
def test_a_block_slides_if_the_slope_is_steeper_than_friction_to_a_millionth(excess):
    rec = lw.simulate(with_box([0.2, 0.1, 0.04], friction=0.5, gravity=down_slope(0.5 + excess)), 1.0, q=at(0, 0, 0.02))
    angle = np.arctan(0.5 + excess)
    acceleration = max(0.0, G * (np.sin(angle) - 0.5 * np.cos(angle)))
    assert rec.v[-1, 3] == pytest.approx(acceleration, abs=1e-12)  # 9e-6 m/s, or none


def test_a_block_on_a_floor_that_slopes_feels_what_it_feels_where_gravity_slopes():
    m = lw.Mechanism("slope", gravity=(0, 0, -G))
    angle = np.arctan(0.8)
    m.change("ground", collisions=[lw.Floor(at=lw.Pose.from_rpy(0, angle, 0))], surface=lw.Surface(friction=0.5))
    m.add_body("box", shape=lw.Box(0.2, 0.1, 0.04), density=1000, surface=lw.Surface(friction=0.5))
    normal = np.array([np.sin(angle), 0, np.cos(angle)])
    rec = lw.simulate(m, 1.0, q=[*(0.02 * normal), *about([0, 1, 0], angle)])
    assert np.linalg.norm(rec.v[-1, 3:]) == pytest.approx(G * (np.sin(angle) - 0.5 * np.cos(angle)), abs=1e-10)
    assert abs(rec.q[:, :3] @ normal - 0.02).max() < 1e-9  # never lifts off, never sinks


@pytest.mark.parametrize(("slope", "speed"), [(0.0, 3.0), (0.2, 3.0), (0.2, -3.0), (-0.4, 2.0)])
def test_a_block_stops_after_the_distance_of_coulomb_and_stays(slope, speed):
    """s = v^2 / 2 a, a = g (mu cos - sin sign v): friction that is stronger than the slope."""
    step = 1e-3
    model = with_box([0.2, 0.1, 0.04], friction=0.6, gravity=down_slope(slope))
    rec = lw.simulate(model, 1.5, lw.ContactStepping(step=step), q=at(0, 0, 0.02), v=[0, 0, 0, speed, 0, 0])
    angle = np.arctan(slope)
    a = G * (0.6 * np.cos(angle) - np.sign(speed) * np.sin(angle))
    assert abs(rec.q[-1, 0]) == pytest.approx(
        speed**2 / (2 * a), abs=0.51 * abs(speed) * step
    )  # the way of each step is that of its last speed
    assert abs(rec.v[-1]).max() < 1e-12


# ---- balls


@pytest.mark.parametrize("spin", [0.0, 20.0, -20.0, -60.0])
def test_a_ball_with_spin_slides_until_it_rolls(spin):
    """v = (5 v0 + 2 R w0) / 7 from t = 2 |v0 - R w0| / (7 mu g) on; with enough backspin it comes back."""
    R, mu, v0 = 0.1, 0.3, 1.0
    rec = lw.simulate(with_ball(R, friction=mu), 3.0, q=at(0, 0, R), v=[0, spin, 0, v0, 0, 0], record_interval=1e-3)
    end = (5 * v0 + 2 * R * spin) / 7
    x, w = np.gradient(rec.q[:, 0], rec.time), np.linalg.norm(rec.v[:, :3], axis=1)
    assert x[-10] == pytest.approx(end, abs=1e-11)
    assert R * w[-1] == pytest.approx(abs(end), abs=1e-11)
    rolls = 2 * abs(v0 - R * spin) / (7 * mu * G)
    first = rec.time[abs(x - end) < 1e-9][0]
    assert first == pytest.approx(rolls, abs=3e-3)  # within steps of 1 ms, one more at each side of the difference


def test_a_ball_that_bounces_meets_the_floor_at_the_times_of_its_geometric_series():
    """Falls of t1 = sqrt(2 H / g), then 2 e^k t1; at rest after t1 (1 + e) / (1 - e)."""
    R, H, e, h = 0.1, 1.0, 0.7, 1e-3
    rec = lw.simulate(with_ball(R, friction=0.0, restitution=e), 4.0, lw.ContactStepping(step=h), q=at(0, 0, R + H), record_interval=h)
    z, rising = rec.q[:, 2] - R, np.diff(rec.q[:, 2])
    t1 = np.sqrt(2 * H / G)
    bounces = rec.time[1:-1][(rising[:-1] < 0) & (rising[1:] > 0)]
    expected = t1 * (1 + 2 * np.cumsum(e ** np.arange(1, 9)))
    expected = np.concatenate([[t1], expected])
    assert bounces[:9] == pytest.approx(expected, abs=2 * h)  # a sample stands up to h from its bounce
    tops = [z[(rec.time > a) & (rec.time < b)].max() for a, b in itertools.pairwise(expected)]
    speeds = np.sqrt(2 * G * H) * e ** np.arange(1, 9)  # after bounces: each is off by what gravity does in a step, g h / v, squared
    assert (abs(tops / (H * e ** (2 * np.arange(1, 9))) - 1) < 4 * (G * h / speeds) ** 2).all()
    over = t1 * (1 + e) / (1 - e)
    assert abs(z[rec.time > over + 0.01]).max() < 1e-9
    assert abs(rec.v[rec.time > over + 0.01]).max() < 1e-12


@pytest.mark.parametrize("speed", [0.5, 2.0, 8.0])
@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_an_oblique_impact_of_a_ball_sticks_or_slides_as_the_cone_says(speed, restitution):
    """Sticks if vx < 7/2 mu (1 + e) vn, then vx+ = 5/7 vx; else vx+ = vx - mu (1 + e) vn, w+ = 5/2 mu (1 + e) vn / R."""
    R, mu, vn = 0.1, 0.2, 2.0
    model = with_ball(R, friction=mu, restitution=restitution, gravity=(0, 0, 0))
    rec = lw.simulate(model, 0.1, q=at(0, 0, R + 0.05), v=[0, 0, 0, speed, 0, -vn])
    impulse = mu * (1 + restitution) * vn
    sticks = speed < 3.5 * impulse
    arm = 1e-3 * vn / R if restitution else 0.0  # a rebound within a step acts on the floor's point, up to h vn below the ball
    x = (rec.q[-1, 0] - rec.q[-3, 0]) / (rec.time[-1] - rec.time[-3])
    z = (rec.q[-1, 2] - rec.q[-3, 2]) / (rec.time[-1] - rec.time[-3])
    assert x == pytest.approx(5 / 7 * speed if sticks else speed - impulse, abs=1e-12 + arm * speed)
    assert z == pytest.approx(restitution * vn, abs=1e-12)
    assert np.linalg.norm(rec.v[-1, :3]) * R == pytest.approx(5 / 7 * speed if sticks else 2.5 * impulse, abs=1e-11 + arm * speed)


# ---- impacts of a rod


def rod(friction, restitution=0.0, gravity=(0, 0, 0), length=1.0, radius=0.01):
    """A slender rod along z with a small ball at each end; inertia that of a line."""
    m = world(friction=friction, restitution=restitution, gravity=gravity)
    I = length**2 / 12
    ends = [lw.Sphere(radius, at=(0, 0, s * length / 2)) for s in (-1, 1)]
    m.add_body("rod", mass=1.0, inertia=(I, I, 1e-4 * I), com=(0, 0, 0), collisions=ends)
    return m.build()


def impact_of_rod(tilt, v, mu, length=1.0, radius=0.01):
    """(normal, tangential) impulse without restitution of the lower end of a rod of mass 1 in the xz plane, which is tilted towards +x from the vertical
    and moves with v = (vx, vz): Routh's sticking and sliding, by the 2 x 2 matrix of the point."""
    I = length**2 / 12
    x, z = -length / 2 * np.sin(tilt), -length / 2 * np.cos(tilt) - radius
    Gnn, Gnt, Gtt = 1 + x * x / I, -x * z / I, 1 + z * z / I
    ln, lt = np.linalg.solve([[Gnn, Gnt], [Gnt, Gtt]], [-v[1], -v[0]])
    if abs(lt) <= mu * ln:
        return ln, lt, "sticks"
    for d in (-1, 1):  # the direction of friction, against the slip that is left
        ln = -v[1] / (Gnn + mu * d * Gnt)
        if ln > 0 and (v[0] + (Gnt + mu * d * Gtt) * ln) * d < 0:
            return ln, mu * d * ln, "slides"
    raise AssertionError("no solution")


@pytest.mark.parametrize("friction", [0.1, 0.4, 0.8])
@pytest.mark.parametrize("vx", [-4.0, -1.0, 0.0, 1.0, 4.0])
@pytest.mark.parametrize("tilt", [0.3, 1.0])
def test_the_end_of_a_rod_that_strikes_the_floor_takes_the_impulse_of_routh(friction, vx, tilt):
    model, gap, vz = rod(friction), 0.01, -1.0
    height = 0.5 * np.cos(tilt) + 0.01 + gap
    rec = lw.simulate(
        model, 0.02, lw.ContactStepping(step=1e-3), q=at(0, 0, height, about([0, 1, 0], tilt)), v=[0, 0, 0, *turned(vx, vz, tilt)]
    )
    after = lw.momentum(model, rec.q[-1], rec.v[-1]).linear
    ln, lt, _ = impact_of_rod(tilt, (vx, vz), friction)
    assert after[2] == pytest.approx(vz + ln, abs=1e-10)
    assert after[0] == pytest.approx(vx + lt, abs=1e-10)


def turned(vx, vz, tilt):
    """A velocity in the axes of a body that is turned about y."""
    c, s = np.cos(tilt), np.sin(tilt)
    return c * vx - s * vz, 0.0, s * vx + c * vz


def test_rods_stick_and_slide_in_these_cases():
    """So that the test above does not see one kind only."""
    kinds = {impact_of_rod(tilt, (vx, -1.0), mu)[2] for tilt in (0.3, 1.0) for vx in (-4.0, 0.0, 4.0) for mu in (0.1, 0.4, 0.8)}
    assert kinds == {"sticks", "slides"}


# ---- falling and tipping


def test_a_rod_that_falls_on_a_smooth_floor_falls_straight_down():
    """Its middle moves vertically, w^2 = 12 g / L (cos a0 - cos a) / (1 + 3 sin^2 a)."""
    L, a0, h = 1.0, 0.2, 5e-4
    model = rod(0.0, gravity=(0, 0, -G))
    q0 = at(0, 0, 0.5 * np.cos(a0) + 0.01, about([0, 1, 0], a0))
    rec = lw.simulate(model, 0.7, lw.ContactStepping(step=h), q=q0, record_interval=0.01)
    a = 2 * np.arctan2(rec.q[:, 5], rec.q[:, 3])
    falls = (a > a0 + 0.05) & (a < 1.4)
    expected = np.sqrt(12 * G / L * (np.cos(a0) - np.cos(a)) / (1 + 3 * np.sin(a) ** 2))
    assert falls.sum() > 20
    assert rec.v[falls, 1] == pytest.approx(expected[falls], rel=10 * h)
    assert abs(rec.q[falls, 0]).max() < 1e-12
    assert rec.q[falls, 2] == pytest.approx(
        0.5 * np.cos(a[falls]) + 0.01, abs=1e-6
    )  # its end leaves by h^2 w^2 L / 4 in a step and is held by the next


@pytest.mark.parametrize("friction", [0.2, 0.3, 0.5])
def test_a_rod_that_falls_on_a_rough_floor_slips_at_the_angle_of_its_friction(friction):
    """A narrow plank turns about its edge until |F| = mu N: backwards below mu = 0.371, forwards above it."""
    L, b, h = 1.0, 0.002, 2.5e-4
    model = with_box([b, 0.05, L], friction=friction)
    R, s0 = np.hypot(L, b) / 2, 0.03  # s: from the vertical through the edge to the centre
    tilt = s0 + np.arctan2(b, L)
    centre = R * np.array([np.sin(s0), np.cos(s0)])
    sim = lw.Simulation(model, lw.ContactStepping(step=h), q=at(centre[0], 0, centre[1], about([0, 1, 0], tilt)))
    memory, q = sim.system.contact.memory, sim.system.q
    tilted = edge_at = None
    for _ in range(6000):
        tilted, edge_at = _tilt_and_edge(q, L, b)
        sim.method.take(1)
        if SLIDE in [memory.points[k].status for k in range(memory.count[0])]:
            break
    sim.method.take(40)
    I = (L * L + b * b) / 12
    k = R * R / (I + R * R)  # s'' = k g sin s / R,  s'^2 = 2 k g (cos s0 - cos s) / R
    s = np.linspace(s0, 1.2, 200001)
    force = k * G * np.sin(s) * np.cos(s) - 2 * k * G * (np.cos(s0) - np.cos(s)) * np.sin(s)
    normal = G - k * G * np.sin(s) ** 2 - 2 * k * G * (np.cos(s0) - np.cos(s)) * np.cos(s)
    expected = s[np.argmax(abs(force) > friction * normal)]
    assert tilted - np.arctan2(b, L) == pytest.approx(expected, abs=20 * h)  # w h a step, and an error of order 1
    assert np.sign(_tilt_and_edge(q, L, b)[1] - edge_at) == (-1 if friction < 0.371 else 1)


def _tilt_and_edge(q, L, b):
    tilt = 2 * np.arctan2(q[5], q[3])
    return tilt, q[0] - (L / 2 * np.sin(tilt) - b / 2 * np.cos(tilt))


@pytest.mark.parametrize("excess", [-1e-3, 1e-3])
def test_a_box_on_a_slope_tips_if_its_middle_is_beyond_its_edge(excess):
    """It tips if tan > b / h: a thousandth below it stands for ever."""
    b, H = 0.1, 0.2
    model = with_box([b, 0.1, H], friction=2.0, gravity=down_slope(b / H + excess))
    rec = lw.simulate(model, 4.0, lw.ContactStepping(step=2e-3), q=at(0, 0, H / 2))
    if excess < 0:
        assert abs(rec.v[1:]).max() < 1e-12
    else:
        assert abs(rec.q[-1, 5]) > 0.5  # it lies on its side


@pytest.mark.parametrize("friction", [0.2, 0.4, 0.6, 0.8])
def test_a_box_on_a_steep_slope_slides_tips_or_does_both_as_statics_say(friction):
    """Pushed only by its weight on a steep slope, a box slides without tipping if mu < b / h."""
    b, H, slope = 0.1, 0.2, 1.0
    model = with_box([b, 0.1, H], friction=friction, gravity=down_slope(slope))
    rec = lw.simulate(model, 0.2, lw.ContactStepping(step=1e-3), q=at(0, 0, H / 2))
    assert (abs(rec.q[-1, 5]) > 1e-3) == (friction > b / H)
    assert rec.q[-1, 0] > 0.01


def test_a_rocking_block_loses_what_housner_says_in_each_impact():
    """A slender block on its edge: w+ / w- = 1 - 3/2 sin^2 a, and half a period takes (2 / p) acosh(1 / (1 - s0 / a)) (Housner 1963)."""
    B, H, h = 0.1, 0.4, 2.5e-4
    alpha, R = np.arctan2(B, H), np.hypot(B, H) / 2
    model = with_box([B, 0.2, H], friction=5.0)
    s0 = 0.5 * alpha
    start = R * np.array([np.sin(alpha - s0), np.cos(alpha - s0)])  # from the edge at (B / 2, 0) to the centre
    q0 = at(B / 2 - start[0], 0, start[1], about([0, 1, 0], s0))
    rec = lw.simulate(model, 2.0, lw.ContactStepping(step=h), q=q0, record_interval=h)
    angle = 2 * np.arctan2(rec.q[:, 5], rec.q[:, 3])
    crossings = np.flatnonzero(angle[:-1] * angle[1:] < 0)
    ratio = 1 - 1.5 * np.sin(alpha) ** 2
    assert len(crossings) >= 5
    for k in crossings[:5]:
        assert rec.v[k + 3, 1] / rec.v[k - 2, 1] == pytest.approx(ratio, abs=0.01)  # five steps of gravity among them
    # Turning points: R cos(alpha - s) is what is left of the height, w^2 falls by ratio^2 in each impact. Times: the integral of ds / w.
    p = np.sqrt(3 * G / (4 * R))
    peak, expected, times = s0, [], []
    time = 0.0
    for _ in range(4):
        quarter = _quarter(peak, alpha, p)
        time += quarter
        times.append(time)
        peak = alpha - np.arccos(1 - ratio**2 * (1 - np.cos(alpha - peak)) - (1 - ratio**2) * (1 - np.cos(alpha)))
        expected.append(peak)
        time += _quarter(peak, alpha, p)
    peaks = [abs(angle[a:b]).max() for a, b in itertools.pairwise(crossings)][:4]

    def speed(peak):
        return p * np.sqrt(2 * (np.cos(alpha - peak) - np.cos(alpha)))

    found = [speed(b) / speed(a) for a, b in zip([s0, *peaks[:-1]], peaks, strict=True)]
    assert found == pytest.approx([ratio] * 4, abs=20 * h)  # 0.0042; with steps of a quarter 0.0011: of order 1
    assert rec.time[crossings[:4]] == pytest.approx(times, rel=100 * h)


def _quarter(peak, alpha, p):
    """Time from the peak to the upright position: s'' = -p^2 sin(alpha - s)."""
    u = np.linspace(0, 1, 20001)[1:]
    s = peak * (1 - u * u)  # ds = 2 peak u du removes the root at the peak
    speed = p * np.sqrt(2 * (np.cos(alpha - peak) - np.cos(alpha - s)))
    return np.trapezoid(np.append(2 * peak * u[0] / speed[0], 2 * peak * u / speed), np.append(0.0, u))


# ---- Painleve


@pytest.mark.parametrize("friction", [1.0, 1.3, 1.4, 2.0, 4.0])
@pytest.mark.parametrize("tilt", [0.3, 0.6, 0.9])
def test_a_rod_that_slides_where_painleve_found_no_force_jams_or_slides_and_never_fails(friction, tilt):
    """Slender rods have such angles above mu = 4/3 (Champneys and Varkonyi 2016). The rod is dragged tip first, so that friction presses it on."""
    model = rod(friction, gravity=(0, 0, -G), radius=1e-4)
    q0 = at(0, 0, 0.5 * np.cos(tilt) + 1e-4, about([0, 1, 0], tilt))
    for speed in (-3.0, 3.0):
        sim = lw.Simulation(model, lw.ContactStepping(step=1e-3), q=q0, v=[0, 0, 0, *turned(speed, 0.0, tilt)])
        rec = sim.run(0.5)
        assert rec.status == "finished"
        assert sim.system.contact.books.approximate == 0
        assert (np.diff(rec["kinetic"] + rec["potential"]) < 1e-3).all()
        assert np.isfinite(rec.v).all()


# ---- discs and tops


@pytest.mark.parametrize("tilt", [0.3, 0.8, 1.2])
def test_a_disc_that_whirls_round_on_its_rim_keeps_its_inclination(tilt):
    """Euler's disc, its centre at rest: W^2 = m g (a cos - c sin) / sin / (I1 cos - I3 c / a sin), a: radius, c: half its thickness, from the balance of
    moments; for a thin disc 4 g / (a sin) (Le Saux, Leine, Glocker 2005)."""
    a, c, h = 0.1, 0.002, 1e-4
    m = world(friction=2.0)
    m.add_body("disc", shape=lw.Cylinder(a, 2 * c), density=2000)
    model = m.build()
    mass = 2000 * np.pi * a * a * 2 * c
    I1, I3 = mass * (3 * a * a + (2 * c) ** 2) / 12, 0.5 * mass * a * a
    s, co = np.sin(tilt), np.cos(tilt)
    W = np.sqrt(mass * G * (a * co - c * s) / s / (I1 * co - I3 * c / a * s))
    if c < 1e-3 * a:
        assert W == pytest.approx(np.sqrt(4 * G / (a * s)), rel=1e-2)
    # Tilted about y: e3 leans to +x, so the lowest point of the rim is at +x. It and the centre are at rest: w is along the line between them.
    lean = np.array([a, 0.0, -c])  # from the centre to the lowest point, body axes
    w = lean / a * W * s
    height = a * s + c * co
    rec = lw.simulate(model, 2 * np.pi / W, lw.ContactStepping(step=h), q=at(0, 0, height, about([0, 1, 0], tilt)), v=[*-w, 0, 0, 0])
    axis = 1 - 2 * (rec.q[:, 4] ** 2 + rec.q[:, 5] ** 2)  # e3 . z
    assert np.arccos(axis) == pytest.approx(np.full(len(axis), tilt), abs=0.01)
    assert rec.q[:, 2] == pytest.approx(np.full(len(axis), height), abs=2e-3 * a)
    # e3 leans to where it began: it has gone round once
    lean_x, lean_y = (
        2 * (rec.q[:, 4] * rec.q[:, 6] + rec.q[:, 3] * rec.q[:, 5]),
        2 * (rec.q[:, 5] * rec.q[:, 6] - rec.q[:, 3] * rec.q[:, 4]),
    )
    turns = np.unwrap(np.arctan2(lean_y, lean_x))
    assert abs(turns[-1] - turns[0]) == pytest.approx(2 * np.pi, rel=0.01)


def test_a_tippe_top_inverts_and_keeps_its_jellett_integral():
    """A ball whose centre of mass is below its middle rises on its head where it spins fast and rubs; -L . r_contact is constant whatever the force."""
    R, e = 0.02, 0.004
    m = world(friction=0.3)
    mass, I = 0.02, 0.4 * 0.02 * R * R
    m.add_body("top", mass=mass, com=(0, 0, 0), inertia=(I, I, I), collisions=[lw.Sphere(R, at=(0, 0, e))])
    model = m.build()
    spin, tilt = 180.0, 0.1
    turn = about([1, 0, 0], tilt)
    q0 = at(0, 0, R - e * np.cos(tilt), turn)
    v0 = [0, spin * np.sin(tilt), spin * np.cos(tilt), 0, 0, 0]  # about the vertical
    rec = lw.simulate(model, 4.0, lw.ContactStepping(step=2e-4), q=q0, v=v0, record_interval=0.01)
    jellett, upright = [], []
    for q, v in zip(rec.q, rec.v, strict=True):
        Q = lw.forward_kinematics(model, q).pose("top").rotation
        axis = Q[:, 2]
        jellett.append((Q @ (I * v[:3])) @ (R * np.array([0, 0, 1.0]) - e * axis))
        upright.append(axis[2])
    jellett = np.array(jellett)
    assert jellett == pytest.approx(np.full(len(jellett), jellett[0]), rel=0.01)
    assert upright[0] > 0.99
    assert min(upright) < -0.95  # on its head


def test_a_plate_that_spins_on_its_four_corners_stops_when_their_friction_has_taken_its_spin():
    """Each corner carries a quarter: w' = -mu m g r / I, r: from the middle to a corner, and the middle stays where it is."""
    size, mu, spin, h = 0.2, 0.4, 10.0, 1e-3
    model = with_box([size, size, 0.02], friction=mu)
    rec = lw.simulate(model, 2.0, lw.ContactStepping(step=h), q=at(0, 0, 0.01), v=[0, 0, spin, 0, 0, 0], record_interval=h)
    r, inertia = size / np.sqrt(2), size**2 / 6  # of mass 1
    rate = mu * G * r / inertia
    over = spin / rate
    assert rec.v[rec.time < over - 2 * h, 2] == pytest.approx(spin - rate * rec.time[rec.time < over - 2 * h], rel=0.02, abs=rate * h)
    assert abs(rec.v[rec.time > over * 1.02 + 2 * h]).max() < 1e-10
    assert abs(rec.q[:, :2]).max() < 1e-9
