"""Generalised-alpha: order on trees and loops, stiffness, constraints with redundant rows, prescribed motion, step control, words on failure."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import linkwork as lw
from linkwork.integrators.method import StepError
from linkwork.kernels import kernel
from linkwork.parts.forces.kind import ForceKind

from .machines import ball_chain, error, four_bar, start, total_energy


def halved(model, q, v, steps, end, **settings):
    """Errors of positions and velocities at `end` for steps h, h/2, ... against Adams at a tight tolerance, and the last method."""
    exact = start(lw.Adams(rtol=1e-12, atol=1e-13), model, q, v, tolerance=1e-12)
    exact.advance(end)
    found = []
    for h in steps:
        method = start(lw.Implicit(step=h, **settings), model, q, v)
        method.advance(end)
        found.append(error(model, method, end, *exact.state(end)[:2]))
    return np.array(found), method


@pytest.mark.parametrize("rho", [0.0, 0.8, 1.0])
def test_second_order_on_a_tree_with_quaternions(rho):
    model, q, v = ball_chain()
    errors, method = halved(model, q, v, (0.004, 0.002), 0.4, rho=rho)
    assert 1.85 < np.log2(errors[0] / errors[1]) < 2.2, errors
    assert abs(np.linalg.norm(method.system.q[:4]) - 1.0) < 1e-14


def test_second_order_on_a_loop_with_redundant_rows_which_stays_closed():
    model, q, v = four_bar()
    assert model.nc == 6 and np.linalg.matrix_rank(lw.constraint_jacobian(model, q).J) == 3
    errors, method = halved(model, q, v, (0.005, 0.0025), 0.4)
    assert 1.85 < np.log2(errors[0] / errors[1]) < 2.2, errors
    phi, rate = method.system.gaps(method.time, method.system.q, method.system.v)
    assert np.abs(phi).max() < 1e-11 and np.abs(rate).max() < 1e-9


def oscillator(stiffness, damping=0.0):
    m = lw.Mechanism("oscillator", gravity=(0, 0, 0))
    body = m.add_body("mass", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("slide", lw.Prismatic((1, 0, 0)), m.ground, body)
    m.add_force("spring", lw.JointSpring(stiffness=stiffness), m.joint("slide"))
    if damping:
        m.add_force("damper", lw.JointDamper(damping), m.joint("slide"))
    return m.build()


@pytest.mark.parametrize(("rho", "left"), [(0.0, 1e-15), (0.5, 1e-9), (0.8, 1e-3), (1.0, 1.0)])
def test_a_spring_a_million_times_too_stiff_for_the_step_is_damped_as_rho_says(rho, left):
    """k h^2 / m = 1e6. The amplitude after n steps goes like n rho^n; with rho = 1 it stays, and never grows."""
    model = oscillator(1e10)
    method = start(lw.Implicit(step=0.01, rho=rho), model, [0.01], [1.0])
    sizes = []
    for _ in range(60):
        method.step()
        sizes.append(abs(method.system.q[0]))
    assert max(sizes) < 0.0101
    assert max(sizes[-5:]) <= 0.01 * left
    if rho == 1.0:
        assert max(sizes[-5:]) > 0.005, "nothing is damped"


def test_a_pendulum_on_a_stiff_spring_follows_the_rigid_one_at_steps_its_vibration_does_not_allow():
    """k = 1e8 N/m, 1 kg: w h = 100 and 50. The bob stretches the spring by 1e-7 m; what is left is the method's error on the rigid motion."""
    m = lw.Mechanism("pendulum")
    body = m.add_body("bob", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("anywhere", lw.Translational(), m.ground, body)
    m.add_force("rod", lw.SpringDamper(stiffness=1e8, damping=100.0, length=1.0), m.ground, body)
    model = m.build()
    angle, end = 1.0, 1.0
    # Closed form: sin(theta/2) = k sn(K - w t), k = sin(angle / 2).
    k, w = np.sin(angle / 2), np.sqrt(9.81)
    sn = ellipj(ellipk(k * k) - w * end, k * k)[0]
    theta = 2 * np.arcsin(k * sn)
    errors = []
    for h in (0.01, 0.005):
        method = start(lw.Implicit(step=h), model, [np.sin(angle), 0.0, -np.cos(angle)], np.zeros(3))
        method.advance(end)
        q = method.system.q
        errors.append(np.hypot(q[0] - np.sin(theta), q[2] + np.cos(theta)))
        assert abs(np.linalg.norm(q) - 1.0) < 1e-6
    assert errors[1] < 2e-4 and 1.7 < np.log2(errors[0] / errors[1]) < 2.3, errors
    assert method.iterations < 5 * method.steps


def test_a_stiff_spring_inside_a_loop_agrees_with_an_explicit_method_at_a_tiny_tolerance():
    P, m = lw.Pose, lw.Mechanism("slider-crank on a stiff buffer", (0, -9.81, 0))
    crank = m.add_body("crank", mass=1.0, inertia=(0.01, 0.02, 0.02))
    rod = m.add_body("rod", mass=1.0, inertia=(0.01, 0.1, 0.1))
    block = m.add_body("block", mass=2.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("hub", lw.Revolute((0, 0, 1)), m.ground, crank)
    m.add_joint("pin", lw.Revolute((0, 0, 1)), crank.at(P((0.3, 0, 0))), rod.at(P((-0.5, 0, 0))))
    m.add_joint("wrist", lw.Revolute((0, 0, 1)), rod.at(P((0.5, 0, 0))), block)
    m.add_joint("guide", lw.Prismatic((1, 0, 0)), m.ground, block)
    # The block is thrown back from 0.1 mm, creeps at k / c = 1e3 / s, and hardly moves then; explicit steps stay below 2 m / c.
    m.add_force("buffer", lw.SpringDamper(stiffness=1e8, damping=1e5, length=0.5), block, m.ground.at(P((1.783, 0, 0))))
    model = m.build()
    q = np.zeros(model.nq)
    for name, value in (("hub", 0.3), ("pin", -0.3888), ("wrist", 0.0888), ("guide", 1.2831)):
        q[model.joint(name).q_index] = value
    q = lw.assemble(model, q)
    v = np.zeros(model.nv)
    exact = start(lw.Adams(rtol=1e-10, atol=1e-12), model, q, v, tolerance=1e-12)
    exact.advance(0.3)
    method = start(lw.Implicit(rtol=1e-4, atol=1e-6), model, q, v)
    method.advance(0.3)
    assert np.abs(q - exact.state(0.3)[0]).max() > 1e-4, "it has moved"
    assert error(model, method, 0.3, *exact.state(0.3)[:2]) < 1e-5
    assert method.steps < exact.steps / 20
    phi, _ = method.system.gaps(method.time, method.system.q, method.system.v)
    assert np.abs(phi).max() < 1e-10


def test_a_body_in_a_stiff_bushing_agrees_with_an_explicit_method_at_a_tiny_tolerance():
    """A heavy body in rubber: it creeps at 1e2 / s along, and swings about at some 20 rad/s; explicit steps are held below 2 m / c = 4e-5 s."""
    m = lw.Mechanism("mount")
    body = m.add_body("engine", mass=2.0, com=(0.05, 0, 0.1), inertia=(0.1, 0.2, 0.25))
    m.add_force("mount", lw.Bushing(stiffness=(60, 80, 100, 1e7, 1e7, 1e7), damping=(0.1, 0.1, 0.1, 1e5, 1e5, 1e5)), body, m.ground)
    model = m.build()
    q = lw.integrate(model, lw.neutral(model), [0.3, 0.2, -0.1, 0.0, 0.0, 0.0])
    exact = start(lw.Adams(rtol=1e-9, atol=1e-11), model, q, np.zeros(6))
    exact.advance(0.2)
    method = start(lw.Implicit(rtol=1e-5, atol=1e-7), model, q, np.zeros(6))
    method.advance(0.2)
    assert np.abs(exact.state(0.2)[1][:3]).max() > 1.0, "it swings"
    assert error(model, method, 0.2, *exact.state(0.2)[:2]) < 5e-3
    assert method.steps < exact.steps / 10


def test_the_error_follows_the_tolerance():
    model, q, v = ball_chain()
    exact = start(lw.Adams(rtol=1e-12, atol=1e-13), model, q, v)
    exact.advance(0.5)
    found = []
    for rtol in (1e-3, 1e-5):
        method = start(lw.Implicit(rtol=rtol, atol=rtol / 10), model, q, v)
        method.advance(0.5)
        found.append((error(model, method, 0.5, *exact.state(0.5)[:2]), method.steps))
    # A step's error goes with h^3, the whole error with h^2: 100 times tighter, 4.6 times the steps, 21 times more exact.
    assert 8 < found[0][0] / found[1][0] < 60
    assert 3 < found[1][1] / found[0][1] < 7
    assert found[1][0] < 1e-3


def test_steps_grow_once_a_stiff_transient_is_over():
    model = oscillator(1e4, damping=1e4)  # decays at 1 / s, after a transient at 1e4 / s
    method = start(lw.Implicit(rtol=1e-4, atol=1e-7), model, [1.0], [0.0])
    method.advance(5.0)
    slow = 1e4 / 2 - np.sqrt(1e8 / 4 - 1e4)
    assert abs(method.state(5.0)[0][0] - np.exp(-slow * 5.0)) < 2e-3
    assert method.h > 0.01 and method.steps < 300  # an explicit method needs 25000


def test_prescribed_motion_is_kept_and_its_work_is_booked():
    m = lw.Mechanism("driven pendulum")
    cart, bob = m.add_body("cart", mass=2.0, inertia=(1, 1, 1)), m.add_body("bob", mass=1.0, com=(0, 0, -0.5), inertia=(0.01, 0.01, 0.01))
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, cart)
    m.add_joint("hinge", lw.Revolute((0, 1, 0)), cart, bob)
    m.add_constraint("shaker", lw.Drive(lambda t: 0.2 * np.sin(3.0 * t)), m.joint("rail"))
    model = m.build()
    q, v = np.array([0.0, 0.4]), np.array([0.6, 0.0])
    losses = []
    for h in (0.01, 0.005):
        method = start(lw.Implicit(step=h, rho=1.0), model, q, v)
        before = total_energy(model, q, v)
        method.advance(1.0)
        assert abs(method.system.q[0] - 0.2 * np.sin(3.0)) < 1e-11 and abs(method.system.v[0] - 0.6 * np.cos(3.0)) < 1e-9
        gained = total_energy(model, method.system.q, method.system.v) - before
        assert abs(method.system.works[-1]) > 0.1
        losses.append(abs(gained - method.system.works[-1]))
    assert losses[1] < 1e-3 and losses[0] / losses[1] > 3.0, "the ledger closes with second order"


def test_a_knife_edge_that_holds_velocities_only():
    m = lw.Mechanism("skate", gravity=(0, 0, 0))
    body = m.add_body("skate", mass=2.0, inertia=(0.2, 0.2, 0.3))
    m.add_joint("ice", lw.Planar((0, 0, 1)), m.ground, body)
    m.add_constraint("blade", lw.KnifeEdge(), body, m.ground)
    model = m.build()
    speed, turn = 1.5, 2.0
    v = lw.project_velocity(model, np.zeros(3), np.array([speed, 0.0, turn]))
    method = start(lw.Implicit(step=1e-3), model, np.zeros(3), v)
    method.advance(1.0)
    # A skate without forces goes round a circle of radius speed / turn.
    radius = np.hypot(v[0], v[1]) / turn
    q = method.system.q
    assert abs(q[2] - turn) < 1e-9
    assert abs(np.hypot(*q[:2]) - 2 * radius * np.sin(turn / 2)) < 1e-5
    assert np.abs(method.system.gaps(1.0, q, method.system.v)[1]).max() < 1e-9


@kernel(address="p p p")
def _cubic(given, numbers, out):
    out[0] = -numbers[0] * given[0] ** 3
    out[1] = 0.25 * numbers[0] * given[0] ** 4


@dataclass(frozen=True)
class CubicSpring(ForceKind):
    """A law of a user: force -k q^3."""

    k: float = 1.0
    takes, most, law = "joints", None, _cubic

    def numbers(self):
        return (self.k,)


def test_a_law_of_a_user_is_differenced_like_any_other():
    m = lw.Mechanism("Duffing", gravity=(0, 0, 0))
    body = m.add_body("mass", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("slide", lw.Prismatic((1, 0, 0)), m.ground, body)
    m.add_force("cubic", CubicSpring(4e6), m.joint("slide"))
    model = m.build()
    # q'' = -k q^3: q = A cn(sqrt(k) A t, 1/2), period 4 K(1/2) / (A sqrt(k)).
    amplitude = 0.5
    period = 4 * ellipk(0.5) / (amplitude * 2e3)
    method = start(lw.Implicit(step=period / 400, rho=1.0), model, [amplitude], [0.0])
    method.advance(period)
    assert abs(method.system.q[0] - amplitude) < 1e-3
    assert abs(abs(method.system.works[0])) < 1e-2 * 0.25 * 4e6 * amplitude**4
    assert method.iterations <= 4 * method.steps


def test_works_of_forces_close_the_ledger_with_second_order():
    model = oscillator(25.0, damping=0.75)
    lost = []
    for h in (0.02, 0.01):
        method = start(lw.Implicit(step=h), model, [0.3], [0.0])
        method.advance(1.0)
        q, v, works = method.state(1.0)
        assert works[1] < -0.05
        lost.append(abs(works.sum() - 0.5 * v[0] ** 2))
    assert 3.0 < lost[0] / lost[1] < 5.0 and lost[1] < 1e-3


def test_states_between_steps():
    model = oscillator(25.0)
    method = start(lw.Implicit(step=0.01, rho=1.0), model, [0.3], [0.0])
    method.advance(0.505)
    q, v, _ = method.state(0.505)
    assert abs(method.time - 0.51) < 1e-12
    assert abs(q[0] - 0.3 * np.cos(2.525)) < 2e-4 and abs(v[0] + 1.5 * np.sin(2.525)) < 2e-3


def test_a_checkpoint_goes_on_bit_by_bit():
    model, q, v = four_bar()
    for settings in ({"step": 0.005}, {"rtol": 1e-3}):
        whole, half, other = (start(lw.Implicit(**settings), model, q, v) for _ in range(3))
        whole.advance(0.2)
        half.advance(0.1)
        other.system.load(half.system.save())
        other.restore(half.arrays(), half.scalars())
        other.advance(0.2)
        assert (whole.system.q == other.system.q).all() and (whole.system.works == other.system.works).all()


def test_a_step_that_cannot_be_taken_names_constraint_or_joint_and_force():
    m = lw.Mechanism("wall", gravity=(0, 0, 0))
    body = m.add_body("mass", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("slide", lw.Prismatic((1, 0, 0)), m.ground, body)
    m.add_joint("other", lw.Prismatic((1, 0, 0)), m.ground, m.add_body("second", mass=1.0, inertia=(1, 1, 1)))
    m.add_force("spring", lw.JointSpring(stiffness=10.0), m.joint("slide"))
    m.add_constraint("drive", lw.Drive(lambda t: np.sqrt(0.5 - t)), m.joint("slide"))
    model = m.build()
    method = start(lw.Implicit(step=0.01), model, [np.sqrt(0.5), 0.0], [-0.5 / np.sqrt(0.5), 0.0])
    with pytest.raises(StepError, match=r"step of 0.01 s from t = 0\.[45].*not finite"):
        method.advance(1.0)
    assert method.time > 0.45 and np.isfinite(method.system.q).all()


@kernel(address="p p p")
def _mad(given, numbers, out):
    out[0] = numbers[0] if given[0] % 1e-4 < 5e-5 else -numbers[0]
    out[1] = 0.0


@dataclass(frozen=True)
class Mad(ForceKind):
    """A law that no method can follow: it jumps between large values every 0.05 mm."""

    k: float = 1e9
    takes, most, law = "joints", None, _mad

    def numbers(self):
        return (self.k,)


def test_newton_that_does_not_converge_says_which_joint_and_which_force():
    m = lw.Mechanism("mad", gravity=(0, 0, 0))
    body = m.add_body("mass", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("slide", lw.Prismatic((1, 0, 0)), m.ground, body)
    m.add_force("gentle", lw.JointSpring(stiffness=10.0), m.joint("slide"))
    m.add_force("jumpy", Mad(), m.joint("slide"))
    method = start(lw.Implicit(step=1e-3), m.build(), [0.1], [0.3])
    with pytest.raises(StepError, match=r"Newton's method did not converge.*joint 'slide'.*force 'jumpy'"):
        method.advance(1.0)


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"step": 0.0}, "step is 0"), ({"rho": 1.2}, "from 0 to 1"), ({"max_iterations": 1}, "from 2 on"), ({"rtol": -1.0}, "rtol is -1")],
)
def test_settings_that_cannot_be_are_refused(settings, words):
    with pytest.raises(lw.ModelError, match=words):
        lw.Implicit(**settings)
