"""Radau IIA: order on trees and loops, stiffness, constraints with redundant rows, prescribed motion, step control, words on failure."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import linkwork as lw
from linkwork.integrators.integrator import StepError
from linkwork.kernels import kernel
from linkwork.kernels.records import Record, real
from linkwork.parts.forces.kind import LAW_CALL, ForceKind

from ..machines import ball_chain, error, four_bar, start, total_energy


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


def test_fifth_order_on_a_tree_with_quaternions():
    model, q, v = ball_chain()
    errors, method = halved(model, q, v, (0.02, 0.01, 0.005), 0.4)
    assert (np.abs(np.log2(errors[:-1] / errors[1:]) - 5.0) < 0.2).all(), errors
    assert abs(np.linalg.norm(method.system.q[:4]) - 1.0) < 1e-14


def test_fifth_order_on_a_loop_with_redundant_rows_which_stays_closed():
    model, q, v = four_bar()
    assert model.nc == 6 and np.linalg.matrix_rank(lw.constraint_jacobian(model, q).J) == 3
    errors, method = halved(model, q, v, (0.005, 0.0025), 0.4)
    assert 4.7 < np.log2(errors[0] / errors[1]) < 5.3, errors
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


def test_a_spring_a_million_times_too_stiff_for_the_step_is_damped_out_at_once():
    """k h^2 / m = 1e6, 1000 rad a step. |R(z)| of Radau IIA is below 9 / |z| there: each step leaves less than a hundredth, and never more than there was."""
    model = oscillator(1e10)
    method = start(lw.Implicit(step=0.01), model, [0.01], [1.0])
    sizes = [0.01]
    for _ in range(6):
        method.step()
        sizes.append(np.hypot(method.system.q[0], method.system.v[0] / 1e5))
        assert sizes[-1] < 0.01 * sizes[-2]


@pytest.mark.parametrize("damping", [1e3, 1e6, 1e9, 1e12])
def test_a_stiff_damper_on_a_joint_neither_jumps_nor_oscillates(damping):
    """h c / m from 10 to 1e10. The pendulum creeps at m g l sin(q) / c once the first steps have stopped it."""
    m = lw.Mechanism("pendulum in honey")
    body = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    m.add_joint("hinge", lw.Revolute((0, 1, 0)), m.ground, body)
    m.add_force("honey", lw.JointDamper(damping), m.joint("hinge"))
    method = start(lw.Implicit(step=0.01), m.build(), [1.0], [3.0])
    inertia, q, v = 1.1, [], []
    for _ in range(20):
        method.step()
        q.append(method.system.q[0])
        v.append(method.system.v[0])
    # It runs on by 3 I / c at most. |R| of the method has no sign change that could be seen: after one step velocity is below a tenth, then it creeps.
    assert 1.0 - 1e-2 < min(q) and max(q) < 1.0 + 1.2 * 3.0 * inertia / damping
    assert abs(v[0]) < 0.3 and np.abs(np.array(v[5:]) + 9.81 * np.sin(q[5:]) / damping).max() < 1e-4 * 9.81 / damping + 1e-10
    assert method.rejections == 0


def test_a_damper_of_1e9_between_two_places_acts_as_the_rod_that_it_is():
    """Along it the places do not move, whatever else does: the step of 0.01 s is 1e7 times too long for an explicit method."""
    m = lw.Mechanism("double pendulum on a damper")
    upper, lower = (m.add_body(name, mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1)) for name in ("upper", "lower"))
    m.add_joint("shoulder", lw.Revolute((0, 1, 0)), m.ground, upper)
    m.add_joint("elbow", lw.Revolute((0, 1, 0)), upper.at(0, 0, -1), lower)
    m.add_force("damper", lw.SpringDamper(stiffness=0.0, damping=1e9, length=1.0), lower.at(0, 0, -1), m.ground.at(1, 0, 0))
    damped = m.build()

    def distance(q):
        x = -np.sin(q[0]) - np.sin(q[0] + q[1]) - 1.0
        return np.hypot(x, -np.cos(q[0]) - np.cos(q[0] + q[1]))

    q = np.array([1.0, 0.5])
    reach, moved, speeds = distance(q), [], []
    method = start(lw.Implicit(step=0.01), damped, q, [3.0, -1.0])
    while method.time < 0.3:
        method.step()
        moved.append(abs(distance(method.system.q) - reach))
        speeds.append(np.abs(method.system.v).max())
    assert max(moved) < 1e-6 and max(speeds) < 5.0
    assert np.abs(method.system.q - q).max() > 0.2, "it swings about"


@pytest.mark.parametrize("stiffness", [1e8, 1e10, 1e12])
def test_a_pendulum_on_a_stiff_spring_follows_the_rigid_one_at_steps_its_vibration_does_not_allow(stiffness):
    """1 kg, 10 ms: w h from 100 to 10 000. The weight stretches the spring by 30 N / k; Newton's method leaves 1e-12 m in a step, 1 N at 1e12 N/m."""
    m = lw.Mechanism("pendulum")
    body = m.add_body("bob", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("anywhere", lw.Translational(), m.ground, body)
    m.add_force("rod", lw.SpringDamper(stiffness=stiffness, damping=100.0, length=1.0), m.ground, body)
    model = m.build()
    angle, end = 1.0, 1.0
    # Closed form: sin(theta/2) = k sn(K - w t), k = sin(angle / 2).
    k, w = np.sin(angle / 2), np.sqrt(9.81)
    sn = ellipj(ellipk(k * k) - w * end, k * k)[0]
    theta = 2 * np.arcsin(k * sn)
    method = start(lw.Implicit(step=0.01), model, [np.sin(angle), 0.0, -np.cos(angle)], np.zeros(3))
    method.advance(end)
    q = method.system.q
    assert np.hypot(q[0] - np.sin(theta), q[2] + np.cos(theta)) < 30.0 / stiffness + 5e-6
    assert abs(np.linalg.norm(q) - 1.0) < 30.0 / stiffness + 1e-9
    assert method.steps < 110 and method.iterations < 10 * method.steps


def test_an_extended_stiff_spring_lets_go_without_throwing_its_mass_across():
    """1 mm of 1e9 N/m hold 500 J. The step cannot follow the vibration and damps it; the other end of the spring is a solution of the step's equations, too."""
    m = lw.Mechanism("slingshot")
    body = m.add_body("bob", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("anywhere", lw.Translational(), m.ground, body)
    m.add_force("rod", lw.SpringDamper(stiffness=1e9, length=1.0), m.ground, body)
    method = start(lw.Implicit(step=0.01), m.build(), [1.001 * np.sin(1.0), 0.0, -1.001 * np.cos(1.0)], np.zeros(3))
    for _ in range(20):
        method.step()
        assert abs(np.linalg.norm(method.system.q) - 1.0) < 1e-3 and method.system.q[0] > 0.5


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
    # The estimate is of order 3: h goes with tol^(1/4), the error, of order 5, with tol^(5/4) at most and tol at least.
    assert 20 < found[0][0] / found[1][0] < 400
    assert 2 < found[1][1] / found[0][1] < 5
    assert found[1][0] < 1e-5


def test_steps_grow_once_a_stiff_transient_is_over():
    model = oscillator(1e4, damping=1e4)  # decays at 1 / s, after a transient at 1e4 / s
    method = start(lw.Implicit(rtol=1e-4, atol=1e-7), model, [1.0], [0.0])
    method.advance(5.0)
    slow = 1e4 / 2 - np.sqrt(1e8 / 4 - 1e4)
    assert abs(method.state(5.0)[0][0] - np.exp(-slow * 5.0)) < 1e-4
    assert method.h > 0.1 and method.steps < 60  # an explicit method needs 25000


@pytest.mark.slow
def test_prescribed_motion_is_kept_and_its_work_is_booked():
    m = lw.Mechanism("driven pendulum")
    cart, bob = m.add_body("cart", mass=2.0, inertia=(1, 1, 1)), m.add_body("bob", mass=1.0, com=(0, 0, -0.5), inertia=(0.01, 0.01, 0.01))
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, cart)
    m.add_joint("hinge", lw.Revolute((0, 1, 0)), cart, bob)
    m.add_constraint("shaker", lw.Drive(lambda t: 0.2 * np.sin(3.0 * t)), m.joint("rail"))
    model = m.build()
    q, v = np.array([0.0, 0.4]), np.array([0.6, 0.0])
    losses = []
    for h in (0.1, 0.05):
        method = start(lw.Implicit(step=h), model, q, v)
        before = total_energy(model, q, v)
        method.advance(1.0)
        assert abs(method.system.q[0] - 0.2 * np.sin(3.0)) < 1e-11 and abs(method.system.v[0] - 0.6 * np.cos(3.0)) < 1e-9
        gained = total_energy(model, method.system.q, method.system.v) - before
        assert abs(method.system.works[-1]) > 0.1
        losses.append(abs(gained - method.system.works[-1]))
    assert losses[1] < 1e-6 and losses[0] / losses[1] > 20.0, "the ledger closes with fifth order"


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


class Strength(Record, constant=True):
    k = real("of a law")


@kernel(address=LAW_CALL)
def _cubic(given, parameters: Strength, out):
    out[0] = -parameters.k * given[0] ** 3
    out[1] = 0.25 * parameters.k * given[0] ** 4


@dataclass(frozen=True)
class CubicSpring(ForceKind):
    """A law of a user: force -k q^3."""

    k: float = 1.0
    takes, most, law, law_reads = "joints", None, _cubic, Strength


def test_a_law_of_a_user_is_differenced_like_any_other():
    m = lw.Mechanism("Duffing", gravity=(0, 0, 0))
    body = m.add_body("mass", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("slide", lw.Prismatic((1, 0, 0)), m.ground, body)
    m.add_force("cubic", CubicSpring(4e6), m.joint("slide"))
    model = m.build()
    # q'' = -k q^3: q = A cn(sqrt(k) A t, 1/2), period 4 K(1/2) / (A sqrt(k)).
    amplitude = 0.5
    period = 4 * ellipk(0.5) / (amplitude * 2e3)
    method = start(lw.Implicit(step=period / 40), model, [amplitude], [0.0])
    method.advance(period)
    assert abs(method.system.q[0] - amplitude) < 1e-6
    assert abs(method.system.works[0]) < 1e-5 * 0.25 * 4e6 * amplitude**4
    assert method.iterations <= 4 * method.steps


def test_works_of_forces_close_the_ledger_with_fifth_order():
    model = oscillator(25.0, damping=0.75)
    lost = []
    for h in (0.1, 0.05):
        method = start(lw.Implicit(step=h), model, [0.3], [0.0])
        method.advance(1.0)
        q, v, works = method.state(1.0)
        assert works[1] < -0.05
        lost.append(abs(works.sum() - 0.5 * v[0] ** 2))
    assert 25.0 < lost[0] / lost[1] < 40.0 and lost[1] < 1e-6


def test_states_between_steps():
    model = oscillator(25.0)
    found = []
    for h in (0.04, 0.02):
        method = start(lw.Implicit(step=h), model, [0.3], [0.0])
        method.advance(0.61)
        q, v, _ = method.state(0.61)
        assert method.time > 0.615
        found.append(max(abs(q[0] - 0.3 * np.cos(3.05)), abs(v[0] + 1.5 * np.sin(3.05))))
    assert found[1] < 1e-6 and found[0] / found[1] > 10.0  # a polynomial of degree 3: order 4


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


@pytest.mark.slow
def test_a_step_that_cannot_be_taken_says_that_something_was_not_finite():
    m = lw.Mechanism("wall", gravity=(0, 0, 0))
    body = m.add_body("mass", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("slide", lw.Prismatic((1, 0, 0)), m.ground, body)
    m.add_joint("other", lw.Prismatic((1, 0, 0)), m.ground, m.add_body("second", mass=1.0, inertia=(1, 1, 1)))
    m.add_force("spring", lw.JointSpring(stiffness=10.0), m.joint("slide"))
    m.add_constraint("drive", lw.Drive(lambda t: np.sqrt(0.5 - t)), m.joint("slide"))
    model = m.build()
    method = start(lw.Implicit(step=0.01), model, [np.sqrt(0.5), 0.0], [-0.5 / np.sqrt(0.5), 0.0])
    with pytest.raises(StepError, match=r"parts of a step of 0.01 s.*not finite"):
        method.advance(1.0)
    assert 0.49 < method.time < 0.5 and np.isfinite(method.system.q).all()


@kernel(address=LAW_CALL)
def _mad(given, parameters: Strength, out):
    out[0] = parameters.k if given[0] % 1e-4 < 5e-5 else -parameters.k
    out[1] = 0.0


@dataclass(frozen=True)
class Mad(ForceKind):
    """A law that no method can follow: it jumps between large values every 0.05 mm."""

    k: float = 1e9
    takes, most, law, law_reads = "joints", None, _mad, Strength


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
    [
        ({"step": 0.0}, "step is 0"),
        ({"rho": 0.8}, "no rho.*use Variational"),
        ({"max_iterations": 1}, "from 2 on"),
        ({"rtol": -1.0}, "rtol is -1"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, words):
    with pytest.raises(lw.ModelError, match=words):
        lw.Implicit(**settings)


def test_a_run_that_makes_no_progress_stops_and_says_so():
    """A ball that turns by 1500 rad in a step: a part of the step follows half a radian at best."""
    m = lw.Mechanism("whirl", gravity=(0, 0, 0))
    m.add_joint("ball", lw.Spherical(), m.ground, m.add_body("top", mass=1.0, inertia=(0.1, 0.2, 0.28)))
    model = m.build()
    method = start(lw.Implicit(step=0.1), model, lw.neutral(model), [1e4, 1e4, 5e3])
    with pytest.raises(StepError, match=r"step of 0\.1 s from t = 0 s was not done after 200 tries.*joint 'ball' moves at"):
        method.advance(1.0)
    assert np.isfinite(method.system.q).all()


@pytest.mark.parametrize("stiffness", [1e6, 1e9, 1e12, 1e14])
@pytest.mark.parametrize("mass", [0.01, 1.0])
def test_a_stone_that_bounced_off_a_stiff_support_falls_again_and_does_not_fly_straight_on(stiffness, mass):
    """With the matrix of the contact, 1e12 N/m, Newton's method changed the velocity by 1e-10 m/s, took that for convergence, and gravity was felt no more:
    9 m instead of 0.95 m, with a warning of the audit alone. The stone hits the plane at sqrt(2 g), stays for half a period and returns as fast.

    Tolerances are the defaults, rtol = 1e-4 and atol = 1e-6 a step; the contact takes some ten steps, in which speeds of 4 m/s turn round: 1 % of the height.
    """
    m = lw.Mechanism("stone", gravity=(0.0, 0.0, -9.81))
    stone = m.add_body("stone", mass=mass, inertia=(0.1, 0.1, 0.1))
    m.add_joint("rail", lw.Prismatic((0, 0, 1)), m.ground, stone)
    m.add_force("floor", lw.Support(stiffness), stone, m.ground)
    rate, fall = np.sqrt(stiffness / mass), np.sqrt(2.0 / 9.81)
    speed, sag = 9.81 * fall, 9.81 / rate**2
    contact = 2.0 * (0.5 * np.pi + np.arctan2(sag, speed / rate)) / rate
    since = 0.9 * fall
    rec = lw.simulate(m, fall + contact + since, lw.Implicit(), q=[1.0])
    assert rec.status == "finished"
    assert rec.q[-1, 0] == pytest.approx(speed * since - 0.5 * 9.81 * since**2, abs=0.01)
    assert rec.audit.warnings == ()


@pytest.mark.parametrize("integrator", [lw.Implicit(step=5e-3), lw.Implicit(rtol=1e-8, atol=1e-10)], ids=["fixed", "adaptive"])
def test_a_late_clock_changes_no_motion(integrator):
    """From a Unix time on: steps did not add up to the times of the clock, which resolves 2e-7 s there, and motions were off by 5e-6 rad."""
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.3, com=(0, 0, -0.7), inertia=(0.2, 0.2, 0.2))
    m.add_joint("pin", lw.Revolute((0, 1, 0), damping=0.05), m.ground, bob)
    ends = []
    for t in (0.0, 1.7e9):
        sim = lw.Simulation(m, integrator, q=[0.5], t=t)
        assert sim.run(2.0).status.ok
        ends.append(sim.state.q[0])
    assert ends[1] == pytest.approx(ends[0], abs=2e-7)  # the rounding of the clock times the speed, 0.5 rad/s


def test_a_clock_that_does_not_resolve_the_first_step_ends_the_run_in_words():
    """Times are 1e-4 s apart there: the step had no length, and a ZeroDivisionError came out."""
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.3, com=(0, 0, -0.7), inertia=(0.2, 0.2, 0.2))
    m.add_joint("pin", lw.Revolute((0, 1, 0)), m.ground, bob)
    with pytest.warns(lw.FailedRunWarning, match=r"shorter than what the clock resolves.*begin near t = 0"):
        lw.simulate(m, 2.0, lw.Implicit(rtol=1e-8, atol=1e-10), q=[0.5], t=1e12)
