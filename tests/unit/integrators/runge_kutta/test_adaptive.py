"""Adaptive: order, tolerance, dense output, closed forms, and steps of several linkages."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ellipj

import linkwork as lw
from linkwork.integrators.islands import islands

from ....zoo import ZOO, configuration
from ..moving import PENDULUM_RATE, distance, fixed, mobile, pendulum, slopes, started

TIGHT = lw.Adaptive(order=8, rtol=1e-13, atol=1e-14)


BETWEEN = [(k + 0.5) / 41 for k in range(41)]  # times at all parts of steps of 1/32, 1/64, ... s


@pytest.fixture(scope="module")
def reference():
    """The mobile at t = 1 s and at times between steps, to 2e-12."""
    model, q, v = mobile()
    method, found = started(model, TIGHT, q, v), {}
    for t in (*BETWEEN, 1.0):
        method.advance(t)
        found[t] = method.state(t)
    assert np.abs(found[1.0][1] - v).max() > 1.0, "the mobile hardly moved"
    return model, q, v, found


# Steps short enough to show the order, and long enough for errors to stand clear of rounding; the dense output of order 8 has order 7.
@pytest.mark.parametrize(("order", "steps", "least", "least_dense"), [(5, (64, 128, 256), 4.7, 4.7), (8, (32, 64, 128), 7.5, 6.6)])
def test_the_order_is_seen_when_steps_are_halved_at_fronts_and_between_them(reference, order, steps, least, least_dense):
    model, q, v, expected = reference
    at_end, between = [], []
    for n in steps:
        method = started(model, fixed(order, 1.0 / n), q, v)
        worst = 0.0
        for t in BETWEEN:
            method.advance(t)
            worst = max(worst, distance(model, method.state(t), expected[t]))
        between.append(worst)
        method.advance(1.0)
        assert method.time == 1.0
        assert method.steps == n
        at_end.append(distance(model, method.state(1.0), expected[1.0]))
    assert slopes(at_end).min() > least, at_end
    assert slopes(between[:2] if order == 8 else between).min() > least_dense, between
    assert between[-1] < 10 * at_end[-1], "the dense output spoils the accuracy of the steps"


@pytest.mark.parametrize("order", [5, 8])
def test_the_error_follows_the_tolerance(reference, order):
    model, q, v, expected = reference
    errors = []
    for rtol in (1e-5, 1e-7, 1e-9):
        method = started(model, lw.Adaptive(order=order, rtol=rtol, atol=1e-2 * rtol), q, v)
        method.advance(1.0)
        errors.append(distance(model, method.state(1.0), expected[1.0]))
        assert errors[-1] < 100 * rtol
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert (ratios > 15).all(), "tolerances divided by 100 must divide errors by about as much"
    assert (ratios < 1500).all()


def test_frames_do_not_change_a_bit(reference):
    model, q, v, _ = reference
    integrator = lw.Adaptive(rtol=1e-7, atol=1e-9)
    straight = started(model, integrator, q, v)
    straight.advance(1.0)
    looked = started(model, integrator, q, v)
    for t in np.arange(1, 101) / 100.0:
        looked.advance(t)
        looked.state(t)
        looked.state(0.5 * (looked.before + looked.time))
    assert looked.time == straight.time
    assert looked.steps == straight.steps < 200
    assert looked.evaluations == straight.evaluations
    for a, b in zip(looked.state(looked.time), straight.state(straight.time), strict=True):
        assert a.tobytes() == b.tobytes()
    single = started(model, integrator, q, v)
    while single.time < 1.0:
        single.step()
    assert single.system.q.tobytes() == straight.system.q.tobytes()


@pytest.mark.parametrize("order", [5, 8])
def test_a_resumed_method_goes_on_bit_by_bit(reference, order):
    model, q, v, _ = reference
    integrator = lw.Adaptive(order=order, rtol=1e-8)
    whole = started(model, integrator, q, v)
    whole.advance(0.4)
    array, arrays, scalars = whole.system.save(), whole.arrays(), whole.scalars()
    middle = whole.state(0.4)
    whole.advance(1.0)
    resumed = started(model, integrator, q, v)
    resumed.system.load(array)
    resumed.restore(arrays, scalars)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(resumed.state(0.4), middle, strict=True))
    resumed.advance(1.0)
    assert (resumed.time, resumed.steps, resumed.evaluations) == (whole.time, whole.steps, whole.evaluations)
    assert resumed.system.q.tobytes() == whole.system.q.tobytes()
    assert resumed.system.works.tobytes() == whole.system.works.tobytes()


# ---------------------------------------------------------------------- closed forms


def top(inertia, **at):
    m = lw.Mechanism("top", gravity=(0, 0, 0))
    m.add_body("top", mass=1.0, inertia=inertia, **at)
    return m.build()


@pytest.mark.parametrize("order", [5, 8])
def test_a_free_asymmetric_top_follows_the_elliptic_functions(order):
    """Landau & Lifshitz, Mechanics, section 37: omega by sn, cn, dn; the attitude by Euler angles about the constant momentum."""
    I1, I2, I3 = I = np.array((1.0, 2.0, 2.6))
    w0 = np.array((0.9, 0.0, 1.2))  # omega at t = 0, where sn = 0
    E2, L = float(I @ w0**2), float(np.linalg.norm(I * w0))
    assert L**2 > E2 * I2
    n = np.sqrt((I3 - I2) * (L**2 - E2 * I1) / (I1 * I2 * I3))
    m = (I2 - I1) * (E2 * I3 - L**2) / ((I3 - I2) * (L**2 - E2 * I1))
    size = np.sqrt([(E2 * I3 - L**2) / (I1 * (I3 - I1)), (E2 * I3 - L**2) / (I2 * (I3 - I2)), (L**2 - E2 * I1) / (I3 * (I3 - I1))])

    def omega(t):
        sn, cn, dn, _ = ellipj(n * t, m)
        return size * (cn, sn, dn)

    def precession(t):
        w = omega(t)
        return L * (I1 * w[0] ** 2 + I2 * w[1] ** 2) / (I1**2 * w[0] ** 2 + I2**2 * w[1] ** 2)

    def attitude(t, turned):
        """R_LB from the momentum's frame (z along L) to the body: Rz(phi) Rx(theta) Rz(psi)."""
        l = I * omega(t) / L
        theta, psi = np.arccos(l[2]), np.arctan2(l[0], l[1])
        turns = [lw.Pose.from_rpy(0, 0, turned), lw.Pose.from_rpy(theta, 0, 0), lw.Pose.from_rpy(0, 0, psi)]
        return (turns[0] @ turns[1] @ turns[2]).rotation

    model = top(I)
    q = np.array((0.3, -0.2, 0.5, 0.5, 0.5, -0.5, 0.5))
    R0 = lw.forward_kinematics(model, q).rotations[0]
    method = started(model, lw.Adaptive(order=order, rtol=1e-12, atol=1e-13), q, [*w0, 0, 0, 0])
    turned, before = 0.0, 0.0
    for t in np.linspace(1.7, 17.0, 10):  # several periods of omega, many turns
        turned += quad(precession, before, t, epsabs=1e-13, epsrel=1e-13, limit=200)[0]
        before = t
        method.advance(t)
        q_t, v_t, _ = method.state(t)
        np.testing.assert_allclose(v_t[:3], omega(t), atol=3e-11)
        expected = R0 @ attitude(0.0, 0.0).T @ attitude(t, turned)
        np.testing.assert_allclose(lw.forward_kinematics(model, q_t).rotations[0], expected, atol=3e-11)
        np.testing.assert_allclose(q_t[:3], q[:3], atol=1e-12)


def test_quaternions_keep_their_length_over_thousands_of_steps():
    model = top((1.0, 2.0, 2.6))
    method = started(model, fixed(5, 0.01), [0, 0, 0, 1, 0, 0, 0], [2.0, 3.0, 1.0, 0.1, 0.2, 0.3])
    method.advance(50.0)
    assert method.steps >= 5000
    assert abs(np.linalg.norm(method.state(50.0)[0][3:]) - 1.0) < 1e-12


@pytest.mark.parametrize("order", [5, 8])
def test_a_steady_spin_never_turns_too_far_in_a_step(order):
    """A sphere spins without any error to hold steps back; beyond a turn the local coordinates have no inverse."""
    model = top((1.0, 1.0, 1.0))
    method = started(model, lw.Adaptive(order=order), [0, 0, 0, 1, 0, 0, 0], [30.0, 40.0, 0, 0, 0, 0])
    method.advance(10.0)
    q, v, _ = method.state(10.0)
    assert 500 / np.pi < method.steps < 500
    expected = [np.cos(250.0), *(np.sin(250.0) * np.array((0.6, 0.8, 0.0)))]
    assert abs(abs(q[3:] @ expected) - 1.0) < 1e-12
    np.testing.assert_allclose(v, [30, 40, 0, 0, 0, 0], atol=1e-12)


# ---------------------------------------------------------------------- linkages


def fast_and_slow(slow):
    """A stiff oscillator, 300 rad/s, beside slow pendulums."""
    m = lw.Mechanism("fast and slow")
    m.add_joint("slide", lw.Prismatic((1, 0, 0)), m.ground, m.add_body("fast", mass=0.1, inertia=(1, 1, 1)))
    m.add_force("spring", lw.JointSpring(9000.0), "slide")
    for k in range(slow):
        bob = m.add_body(f"bob {k}", mass=1.0, com=(0, 0, -9.0 - k), inertia=(1, 1, 1))
        m.add_joint(f"hinge {k}", lw.Revolute((0, 1, 0)), m.ground, bob)
    return m.build()


def test_slow_linkages_do_not_hide_the_error_of_a_fast_one():
    """With one norm over all, 40 quiet neighbours would let the fast error grow sixfold; per linkage not a bit of it changes."""
    integrator = lw.Adaptive(rtol=1e-6, atol=1e-8)
    found = []
    for slow in (0, 40):
        model = fast_and_slow(slow)
        method = started(model, integrator, [0.1] + [0.4] * slow)
        method.advance(1.0)
        found.append((method.steps, method.rejections, method.system.q[0], method.system.v[0]))
        error = abs(method.state(1.0)[0][0] - 0.1 * np.cos(300.0))
        assert error < 1e-4
        assert slow == 0 or abs(method.system.q[-1] - 0.4) > 0.03
    assert found[0] == found[1]


def test_linkages_are_joined_by_joints_constraints_and_forces_but_not_by_the_ground():
    m = lw.Mechanism("parts")
    bodies = [m.add_body(name, mass=1.0, inertia=(1, 1, 1)) for name in "abcdefg"]
    a, b, c, d, e, f, g = bodies
    m.add_joint("ab", lw.Revolute((0, 0, 1)), a, b)
    m.add_joint("at c", lw.Revolute((0, 0, 1)), m.ground, c)
    m.add_joint("at d", lw.Universal((0, 0, 1), (1, 0, 0)), m.ground, d)
    m.add_joint("at e", lw.Weld(), m.ground, e)
    m.add_joint("at g", lw.Revolute((0, 0, 1)), m.ground, g)
    m.add_force("cf", lw.SpringDamper(1.0), c, f)
    m.add_force("ea", lw.SpringDamper(1.0), e, a)
    m.add_force("ed", lw.SpringDamper(1.0), e, d)
    m.add_force("both", lw.JointSpring(1.0), "at c", ("at d", 0))
    m.add_constraint("gear", lw.Gear(2.0), ("at d", 0), "at g")
    model = m.build()
    number = {
        body.name: islands(model)[row["link"]] for body, row in zip(model.bodies, model.tables.bodies, strict=True) if row["link"] >= 0
    }
    groups = {frozenset(x for x in number if number[x] == k) for k in number.values()}
    assert groups == {frozenset("ab"), frozenset("cf"), frozenset("dg")}
    assert set(islands(ZOO["four-bar"]().mechanism.build())) == {0}


@pytest.mark.parametrize("order", [5, 8])
def test_a_loop_stays_closed_and_keeps_its_energy(order):
    example = ZOO["four-bar"]()
    model = example.mechanism.build()
    q = configuration(model, example.guess)
    v = lw.project_velocity(model, q, np.full(model.nv, 3.0))
    before = lw.energy(model, q, v)
    method = started(model, lw.Adaptive(order=order, rtol=1e-9, atol=1e-11), q, v, tolerance=1e-10)
    for t in (1.0, 2.0, 3.0):
        method.advance(t)
        q_t, v_t, _ = method.state(t)
        assert np.abs(method.system.gaps(t, q_t, v_t)[0]).max() < 2e-9  # between fronts: the dense output, not projected
        after = lw.energy(model, q_t, v_t)
        assert abs(after.kinetic + after.potential - before.kinetic - before.potential) < 1e-7 * before.kinetic
    assert np.abs(q_t - q).max() > 1.0
    assert method.system.largest_gap < 2e-10
    assert method.system.projections > 0


def test_the_pendulum_agrees_with_the_fixed_step_method():
    q = [2.0]
    adaptive, rk4 = started(pendulum(), TIGHT, q), started(pendulum(), lw.RungeKutta4(step=5e-4), q)
    for method in (adaptive, rk4):
        method.advance(2.0)
    assert abs(adaptive.state(2.0)[0][0] - rk4.state(2.0)[0][0]) < 1e-10
    assert PENDULUM_RATE * 2.0 > np.pi  # more than half a swing


def test_cubics_between_fixed_steps_have_order_four():
    """theta ends with the slope theta', v with vdot: with v in place of theta' the attitude of a ball would have order 3 in this first step."""
    model, q, v = mobile()
    q_errors, errors = [], []
    for h in (0.02, 0.01, 0.005):
        exact, method = started(model, TIGHT, q, 3 * v), started(model, lw.RungeKutta4(step=h), q, 3 * v)
        exact.advance(0.6 * h)
        method.step()
        found, expected = method.state(0.6 * h), exact.state(0.6 * h)
        q_errors.append(np.abs(lw.difference(model, found[0], expected[0])).max())
        errors.append(distance(model, found, expected))
    assert slopes(q_errors).min() > 3.7, q_errors
    assert slopes(errors).min() > 3.7, errors
