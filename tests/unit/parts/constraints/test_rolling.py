"""Rolling and the knife edge against closed forms and against velocities of points found another way."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.constraints.jacobian import constraint_jacobian
from linkwork.solvers.delassus.driver import solve_constrained

G = 9.81
CLOSE = {"rtol": 1e-12, "atol": 1e-11}  # one well-conditioned solve of a single body


def rolling(kind, inertia, slope=0.0, mass=2.0):
    m = lw.Mechanism("rolling", gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    m.add_body("wheel", mass=mass, inertia=inertia)
    m.add_constraint("rolls", kind, "wheel")
    return m.build()


def state(position, rotation=(1.0, 0.0, 0.0, 0.0), angular=(0, 0, 0), linear=(0, 0, 0)):
    """q and v of a floating body; velocities in world axes."""
    R = lw.Pose((0, 0, 0), rotation).rotation
    return np.array([*position, *rotation]), np.concatenate([R.T @ np.array(angular, float), R.T @ np.array(linear, float)])


def test_a_ball_on_an_incline_accelerates_by_five_sevenths():
    """A solid ball rolls down with 5/7 g sin(slope), from rest and while it spins about the normal."""
    mass, radius, slope = 2.0, 0.15, 0.4
    model = rolling(lw.RollingBall(radius), (0.4 * mass * radius**2,) * 3, slope, mass)
    for spin in (0.0, 3.0):
        q, v = state((0.2, -0.1, radius), angular=(0.5, 2.0 / radius, spin), linear=(2.0, -0.5 * radius, 0.0))
        assert np.allclose(constraint_jacobian(model, q, v).phi_dot, 0.0, atol=1e-14)
        vdot = lw.forward_dynamics(model, q, v)
        # Spatial acceleration in body axes: the classical one is vdot + w x v.
        acceleration = vdot[3:] + np.cross(v[:3], v[3:])
        assert np.allclose(acceleration, (5 / 7 * G * np.sin(slope), 0.0, 0.0), **CLOSE)
        assert np.allclose(vdot[:3], (0.0, 5 / 7 * G * np.sin(slope) / radius, 0.0), **CLOSE)


@pytest.mark.parametrize(("shape", "share"), [(0.5, 2 / 3), (1.0, 1 / 2)])
def test_a_wheel_on_an_incline_accelerates_by_its_inertia(shape, share):
    """An upright wheel of inertia k m r^2 rolls straight down with g sin(slope) / (1 + k): 2/3 for a disc, 1/2 for a hoop."""
    mass, radius, slope = 2.0, 0.3, 0.25
    axle = shape * mass * radius**2
    model = rolling(lw.RollingDisc(radius, axis=(0, 1, 0)), (axle / 2, axle, axle / 2), slope, mass)
    q, v = state((0.0, 0.0, radius), angular=(0.0, 4.0 / radius, 0.0), linear=(4.0, 0.0, 0.0))
    vdot = lw.forward_dynamics(model, q, v)
    assert np.allclose(vdot[3:] + np.cross(v[:3], v[3:]), (share * G * np.sin(slope), 0.0, 0.0), **CLOSE)
    assert np.allclose(vdot[:3], (0.0, share * G * np.sin(slope) / radius, 0.0), **CLOSE)


def test_the_spinning_coin_stands_on_its_circle():
    """A disc tilted by alpha whose centre rests precesses steadily with W^2 = 4 g / (r sin alpha) (Moffatt 2000, "Euler's disk")."""
    mass, radius, alpha = 1.3, 0.2, 0.6
    model = rolling(lw.RollingDisc(radius), (mass * radius**2 / 4, mass * radius**2 / 4, mass * radius**2 / 2), mass=mass)
    precession = np.sqrt(4 * G / (radius * np.sin(alpha)))
    # Turned by alpha about y: the lowest point lies along the disc's own x-axis, (cos alpha, 0, -sin alpha).
    low = np.array([np.cos(alpha), 0.0, -np.sin(alpha)])
    spin = precession * np.sin(alpha) * low
    q, v = state((0, 0, radius * np.sin(alpha)), (np.cos(alpha / 2), 0.0, np.sin(alpha / 2), 0.0), angular=spin)
    rows = constraint_jacobian(model, q, v)
    assert np.allclose(rows.phi, 0.0, atol=1e-15) and np.allclose(rows.phi_dot, 0.0, atol=1e-14)
    vdot = lw.forward_dynamics(model, q, v)
    R = lw.Pose((0, 0, 0), q[3:]).rotation
    assert np.allclose(vdot[3:], 0.0, atol=1e-10), "the centre stays at rest"
    # spin is what is left of the precession about -z without its part along the axle; it turns with the disc.
    turning = np.cross((0.0, 0.0, -precession), spin)
    assert np.allclose(R @ vdot[:3], turning, atol=1e-9)
    assert np.linalg.norm(turning) > 10.0


def test_a_skate_on_an_incline_follows_its_edge():
    """With the mass at the edge the turn is uniform, and the speed along the edge grows by g sin(slope) times the slope's share of it."""
    m = lw.Mechanism("skate", gravity=(0.0, 0.0, -G))
    slope, mass = 0.3, 1.7
    plane = lw.Pose((0, 0, 0), (np.cos(slope / 2), 0.0, np.sin(slope / 2), 0.0))
    skate = m.add_body("skate", mass=mass, inertia=(0.1, 0.1, 0.1))
    m.add_joint("ice", lw.Planar(), m.ground.at(plane), skate)
    m.add_constraint("edge", lw.KnifeEdge((0, 1, 0)), skate)
    model = m.build()
    heading, speed, turn = 0.7, 2.5, 1.9
    q, v = np.array([0.4, -0.2, heading]), np.array([speed * np.cos(heading), speed * np.sin(heading), turn])
    assert abs(constraint_jacobian(model, q, v).phi_dot[0]) < 1e-14
    assert not model.constraint("edge").holonomic
    found = solve_constrained(model, q, v)
    along = G * np.sin(slope) * np.cos(heading)
    edge, across = np.array([np.cos(heading), np.sin(heading)]), np.array([-np.sin(heading), np.cos(heading)])
    assert np.allclose(found.vdot[:2], along * edge + speed * turn * across, **CLOSE)
    assert abs(found.vdot[2]) < 1e-12
    # The edge pushes sideways with what the turn needs and the slope does not give.
    assert np.isclose(found.multipliers[0], mass * (speed * turn + G * np.sin(slope) * np.sin(heading)), rtol=1e-12)


def _rate(model, q, v):
    """d(q, v)/dt of a floating body."""
    R = lw.Pose((0, 0, 0), q[3:]).rotation
    w, (x, y, z) = q[3:], v[:3]
    spin = 0.5 * np.array(
        [-w[1] * x - w[2] * y - w[3] * z, w[0] * x + w[2] * z - w[3] * y, w[0] * y + w[3] * x - w[1] * z, w[0] * z + w[1] * y - w[2] * x]
    )
    return np.concatenate([R @ v[3:], spin, lw.forward_dynamics(model, q, v)])


def test_a_wobbling_wheel_keeps_its_energy_and_the_ground():
    """A disc that leans, turns and rolls: forces of rolling do no work, and the rows hold all the way (Runge and Kutta, 1 s)."""
    mass, radius = 2.0, 0.3
    I = mass * radius**2 / 4
    model = rolling(lw.RollingDisc(radius, axis=(0, 1, 0)), (I, 2 * I, I), mass=mass)
    lean = 0.2
    contact = radius * np.array([0.0, np.sin(lean), -np.cos(lean)])
    spin = np.array([0.3, 9.0 * np.cos(lean), 9.0 * np.sin(lean) + 1.0])
    q, v = state(-contact * (0, 1, 1), (np.cos(lean / 2), np.sin(lean / 2), 0.0, 0.0), angular=spin, linear=-np.cross(spin, contact))
    start = constraint_jacobian(model, q, v)
    assert np.allclose(start.phi, 0.0, atol=1e-14) and np.allclose(start.phi_dot, 0.0, atol=1e-13)
    energy = lw.energy(model, q, v).total
    x, h, heading = np.concatenate([q, v]), 2e-3, []

    def rate(x):
        return _rate(model, np.concatenate([x[:3], x[3:7] / np.linalg.norm(x[3:7])]), x[7:])

    for _ in range(500):
        a = rate(x)
        b = rate(x + h / 2 * a)
        c = rate(x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + rate(x + h * c))
        x[3:7] /= np.linalg.norm(x[3:7])
        heading.append(x[:2])
    rows = constraint_jacobian(model, x[:7], x[7:])
    # Fourth order with 500 steps, speeds of 10 rad/s: (10 h)^4 = 2e-7 of the motion a second, less after cancellation.
    assert abs(lw.energy(model, x[:7], x[7:]).total - energy) < 1e-6 * abs(energy)
    assert np.abs(rows.phi).max() < 1e-6 and np.abs(rows.phi_dot).max() < 1e-5
    assert np.ptp(np.array(heading), axis=0).min() > 0.1, "the path must bend, or the test is an upright wheel"


def _velocity_at(model, q, v, body, point):
    """Velocity in the world of the body's material point that is now at `point` (world)."""
    motion = lw.forward_kinematics(model, q, v)
    V = motion.velocity(body, axes="world")
    return V[3:] + np.cross(V[:3], point - motion.position(body))


@pytest.mark.parametrize("disc", [True, False])
def test_slip_is_the_velocity_of_the_touching_point(disc):
    """The two slip rows are the velocity of one body's contact point against the other's, in the axes of the plane."""
    m = lw.Mechanism("plate and wheel")
    for name in ("wheel", "plate"):
        m.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
    kind = lw.RollingDisc(0.3) if disc else lw.RollingBall(0.3)
    m.add_constraint("rolls", kind, m.body("wheel").at(0.1, 0.0, 0.2), m.body("plate").at(0.0, 0.3, 0.1))
    m.add_frame("hub", m.body("wheel").at(0.1, 0.0, 0.2))
    m.add_frame("table", m.body("plate").at(0.0, 0.3, 0.1))
    model, rng = m.build(), np.random.default_rng(3)
    info = model.constraint("rolls")
    assert info.words == ("height", "slip x", "slip y") and not info.holonomic
    for _ in range(5):
        q, v = lw.random_configuration(model, rng), rng.normal(size=model.nv)
        motion = lw.forward_kinematics(model, q)
        R, n, k = motion.rotation("table"), motion.rotation("table")[:, 2], motion.rotation("hub")[:, 2]
        down = -(n - (n @ k) * k) / np.linalg.norm(np.cross(n, k)) if disc else -n
        contact = motion.position("hub") + 0.3 * down
        slip = _velocity_at(model, q, v, "wheel", contact) - _velocity_at(model, q, v, "plate", contact)
        rows = constraint_jacobian(model, q, v)
        assert np.allclose(rows.phi_dot[1:], (R.T @ slip)[:2], rtol=1e-12, atol=1e-13)
        assert np.isclose(rows.phi[0], n @ (contact - motion.position("table")), rtol=1e-12, atol=1e-14)


def test_the_edge_sees_the_velocity_across_it():
    """The row is the velocity of the edge's point against the other body, along a direction that turns with the first."""
    m = lw.Mechanism("skate on a raft")
    for name in ("skate", "raft"):
        m.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_constraint("edge", lw.KnifeEdge((0.0, 0.0, 2.0)), m.body("skate").at(0.1, 0.2, 0.3), m.body("raft").at(1.0, 0.0, 0.0))
    m.add_frame("blade", m.body("skate").at(0.1, 0.2, 0.3))
    model, rng = m.build(), np.random.default_rng(4)
    for _ in range(5):
        q, v = lw.random_configuration(model, rng), rng.normal(size=model.nv)
        motion = lw.forward_kinematics(model, q)
        point = motion.position("blade")
        across = _velocity_at(model, q, v, "skate", point) - _velocity_at(model, q, v, "raft", point)
        assert np.isclose(constraint_jacobian(model, q, v).phi_dot[0], motion.rotation("skate")[:, 2] @ across, rtol=1e-12, atol=1e-13)


def test_a_disc_that_lies_flat_gives_finite_rows():
    model = rolling(lw.RollingDisc(0.3), (0.1, 0.1, 0.2))
    rows = constraint_jacobian(model, *state((0.0, 0.0, 0.0), angular=(0.1, 0.2, 0.3)))
    assert all(np.isfinite(x).all() for x in rows)
