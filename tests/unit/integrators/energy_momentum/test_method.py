"""The energy-momentum method: energy and momentum to round-off, second order, the rows of Wendlandt's table 2.2, and what it refuses."""

from dataclasses import dataclass

import numpy as np
import pytest

import linkwork as lw
from linkwork.integrators.integrator import StepError
from linkwork.kernels import kernel
from linkwork.parts.forces.kind import LAW_CALL

from ..implicit.test_method import CubicSpring, Strength
from ..machines import ball_chain, error, four_bar, free_rates, start, top, total_energy


def momentum(model, q, v):
    found = lw.momentum(model, q, v)
    return np.concatenate([found.about_origin[:3], found.linear])


def whole_energy(method):
    s = method.system
    return total_energy(s.model, s.q, s.v) + s.evaluate(method.time, s.q, s.v).stored.sum()


def drifts(method, steps):
    """Largest changes of energy and of each component of momentum over some steps."""
    s = method.system
    E, P, lost, turned = whole_energy(method), momentum(s.model, s.q, s.v), 0.0, np.zeros(6)
    for _ in range(steps):
        method.step()
        lost = max(lost, abs(whole_energy(method) - E))
        turned = np.maximum(turned, np.abs(momentum(s.model, s.q, s.v) - P))
    return lost, turned


def test_a_free_top_keeps_energy_and_momentum_at_any_step_and_converges_with_order_two():
    model = top()
    v = free_rates(0.0)[0]
    errors = []
    for h in (0.04, 0.02):
        method = start(lw.EnergyMomentum(step=h), model, lw.neutral(model), v)
        lost, turned = drifts(method, round(2.0 / h))
        assert lost < 1e-13 and turned[:3].max() < 1e-13
        errors.append(np.abs(method.system.v - free_rates(2.0)[0]).max())
    assert 1e-4 < errors[1] < 1e-2 and 1.9 < np.log2(errors[0] / errors[1]) < 2.1


def floating():
    """A chain that nothing holds: hinge, slider, cross, a ball, springs between bodies and along joints, in violent motion."""
    P, m = lw.Pose, lw.Mechanism("floating", gravity=(0, 0, 0))
    a = m.add_body("a", mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.2, 0.25))
    b = m.add_body("b", mass=2.0, inertia=(0.3, 0.2, 0.25))
    c = m.add_body("c", mass=0.5, inertia=(0.03, 0.02, 0.025))
    d = m.add_body("d", mass=0.7, com=(0.0, 0.05, 0.0), inertia=(0.03, 0.02, 0.025))
    m.add_joint("hinge", lw.Revolute((0, 1, 0)), a.at(P((0.5, 0, 0))), b.at(P((-0.5, 0, 0))))
    m.add_joint("slider", lw.Prismatic((1, 1, 0)), c, b.at(P((0.5, 0, 0))))
    m.add_joint("cross", lw.Universal((1, 0, 0), (0, 1, 0.3)), c.at(P((0.3, 0, 0))), d.at(P((-0.2, 0, 0))))
    m.add_force("spring", lw.SpringDamper(stiffness=30.0, length=0.3), a.at(P((0, 0.3, 0))), c.at(P((0, 0, 0.2))))
    m.add_force("joint springs", lw.JointSpring(stiffness=5.0), m.joint("hinge"), m.joint("slider"), m.joint("cross"))
    return m


def moving(model, seed=2):
    rng = np.random.default_rng(seed)
    return lw.integrate(model, lw.neutral(model), 0.4 * rng.normal(size=model.nv)), rng.normal(size=model.nv)


def test_springs_between_bodies_and_along_joints_exchange_energy_and_no_momentum():
    model = floating().build()
    method = start(lw.EnergyMomentum(step=0.02), model, *moving(model))
    before = method.system.evaluate(0.0, method.system.q, method.system.v).stored.copy()
    lost, turned = drifts(method, 20)
    s = method.system
    stored = s.evaluate(method.time, s.q, s.v).stored
    assert np.abs(stored - before).min() > 0.05, "both kinds of springs have worked"
    assert lost < 1e-11 and turned.max() < 1e-11
    assert np.abs(s.works[:2] + stored - before).max() < 1e-11, "the ledger says the same"


def test_dampers_take_energy_and_no_momentum():
    m = floating()
    m.add_force("joint dampers", lw.JointDamper(0.5), m.joint("hinge"), m.joint("cross"))
    m.add_force("dashpot", lw.SpringDamper(stiffness=0.0, damping=2.0), m.body("a"), m.body("d"))
    model = m.build()
    method = start(lw.EnergyMomentum(step=0.02), model, *moving(model))
    first = whole_energy(method)
    _, turned = drifts(method, 10)
    assert turned.max() < 1e-11
    works = method.system.works
    assert works[2] < -0.01 and works[3] < -0.01
    assert abs(whole_energy(method) - first - works[2:].sum()) < 1e-11


def test_a_chain_and_a_loop_under_gravity_keep_their_energy_and_what_gravity_leaves_of_momentum():
    model, q, v = ball_chain()
    method = start(lw.EnergyMomentum(step=0.01), model, q, v)
    lost, turned = drifts(method, 30)
    assert lost < 1e-12 and turned[2] < 1e-12 < turned[0]
    model, q, v = four_bar()
    method = start(lw.EnergyMomentum(step=0.01), model, q, v)
    method.step()  # the first state is on the constraints to 1e-11 only
    lost, _ = drifts(method, 30)
    phi, rate = method.system.gaps(method.time, method.system.q, method.system.v)
    assert lost < 1e-11 and np.abs(phi).max() < 1e-12 and np.abs(rate).max() < 1e-11


def test_second_order_on_a_loop():
    model, q, v = four_bar()
    exact = start(lw.Adams(rtol=1e-12, atol=1e-13), model, q, v, tolerance=1e-12)
    exact.advance(0.2)
    errors = []
    for h in (0.02, 0.01):
        method = start(lw.EnergyMomentum(step=h), model, q, v)
        method.advance(0.2)
        errors.append(error(model, method, 0.2, *exact.state(0.2)[:2]))
    assert 1.9 < np.log2(errors[0] / errors[1]) < 2.1


def double_spherical_pendulum():
    """Two point masses on massless rods (Wendlandt 1997, section 2.4.2): (model, q, v)."""
    m = lw.Mechanism("double spherical pendulum")
    a, b = m.add_body("first", mass=2.0), m.add_body("second", mass=3.5)
    m.add_joint("first place", lw.Translational(), m.ground, a)
    m.add_joint("second place", lw.Translational(), m.ground, b)
    m.add_constraint("upper rod", lw.Distance(4.0), a, m.ground)
    m.add_constraint("lower rod", lw.Distance(3.0), a, b)
    q, v = np.array([2.820, 0.025, 0.0, 5.085, 0.105, 0.0]), np.array([3.381, 2.506, 0.0, 2.497, 10.495, 0.0])
    q[2] = -np.sqrt(16.0 - q[0] ** 2 - q[1] ** 2)
    q[5] = q[2] - np.sqrt(9.0 - (q[3] - q[0]) ** 2 - (q[4] - q[1]) ** 2)
    v[2] = -(q[:2] @ v[:2]) / q[2]
    d, w = q[3:] - q[:3], v[3:] - v[:3]
    v[5] = v[2] - (d[:2] @ w[:2]) / d[2]
    return m.build(), q, v


@pytest.mark.slow
@pytest.mark.parametrize("hold_rates", [False, True])
def test_table_2_2_of_wendlandt(hold_rates):
    """h = 0.1 s, 30 s: position error 1.184e-1 (1/(6 N) sum |dq|, against a fine solution), energy and J_z constant. It holds rates or not."""
    model, q, v = double_spherical_pendulum()
    exact = start(lw.Adams(rtol=1e-11, atol=1e-12), model, q, v, tolerance=1e-12)
    method = start(lw.EnergyMomentum(step=0.1, hold_rates=hold_rates), model, q, v)
    E, P, errors = total_energy(model, q, v), momentum(model, q, v), []
    for k in range(1, 301):
        method.step()
        exact.advance(0.1 * k)
        errors.append(np.linalg.norm(method.system.q - exact.state(0.1 * k)[0]))
    assert abs(np.sum(errors) / (6 * 301) / 1.184e-1 - 1.0) < 0.02
    assert abs(total_energy(model, method.system.q, method.system.v) - E) < 1e-10
    assert abs(momentum(model, method.system.q, method.system.v)[2] - P[2]) < 1e-10
    _, rate = method.system.gaps(30.0, method.system.q, method.system.v)
    assert (np.abs(rate).max() < 1e-11) == hold_rates


def test_a_checkpoint_goes_on_bit_by_bit():
    model = floating().build()
    q, v = moving(model)
    whole, half, other = (start(lw.EnergyMomentum(step=0.02), model, q, v) for _ in range(3))
    whole.advance(0.08)
    half.advance(0.04)
    other.system.load(half.system.save())
    other.restore(half.arrays(), half.scalars())
    other.advance(0.08)
    assert (whole.system.q == other.system.q).all() and (whole.system.works == other.system.works).all()


def test_a_law_of_a_user_with_its_energy_is_conserved():
    m = lw.Mechanism("Duffing", gravity=(0, 0, 0))
    m.add_joint("slide", lw.Prismatic((1, 2, 0)), m.ground, m.add_body("mass", mass=1.0, inertia=(1, 1, 1)))
    m.add_force("cubic", CubicSpring(400.0), m.joint("slide"))
    method = start(lw.EnergyMomentum(step=0.05), m.build(), [0.5], [0.0])
    lost, _ = drifts(method, 20)
    assert lost < 1e-12 and abs(method.system.q[0] - 0.5) > 0.01


@kernel(address=LAW_CALL)
def _false(given, parameters: Strength, out):
    out[0] = -parameters.k * given[0]
    out[1] = parameters.k * given[0] * given[0]  # twice what it is


@dataclass(frozen=True)
class FalseSpring(CubicSpring):
    """A law whose energy is not the one that its force draws on."""

    law = _false


def test_a_force_with_a_false_energy_is_refused():
    m = lw.Mechanism("false", gravity=(0, 0, 0))
    m.add_joint("slide", lw.Prismatic((1, 0, 0)), m.ground, m.add_body("mass", mass=1.0, inertia=(1, 1, 1)))
    m.add_force("spring", FalseSpring(10.0), m.joint("slide"))
    with pytest.raises(lw.ModelError, match="force 'spring' stores energy that is not the one its force draws on"):
        start(lw.EnergyMomentum(step=0.05), m.build(), [0.5], [0.0]).step()


def screw(m, body):
    m.add_joint("joint", lw.Screw((0, 0, 1), 0.1), m.ground, body)


def motor(m, body):
    m.add_joint("joint", lw.Revolute((0, 0, 1), armature=0.1), m.ground, body)


def skate(m, body):
    m.add_joint("joint", lw.Planar((0, 0, 1)), m.ground, body)
    m.add_constraint("blade", lw.KnifeEdge(), body, m.ground)


def driven(m, body):
    m.add_joint("joint", lw.Translational(), m.ground, body)
    m.add_constraint("lift", lw.PointOnPlane(height=lambda t: 0.1 * t), body, m.ground)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (screw, r"joint 'joint' is Screw, whose rows are not quadratic"),
        (motor, r"joint 'joint' has an armature"),
        (skate, r"constraint 'blade' is KnifeEdge"),
        (driven, r"constraint 'lift' prescribes a motion"),
    ],
)
def test_what_it_cannot_conserve_is_refused(build, words):
    m = lw.Mechanism("refused")
    build(m, m.add_body("body", mass=1.0, inertia=(1, 1, 1)))
    model = m.build()
    with pytest.raises(lw.ModelError, match=words):
        start(lw.EnergyMomentum(step=0.01), model, lw.neutral(model), np.zeros(model.nv))


def test_a_step_too_long_to_be_solved_says_so():
    model, q, v = four_bar()
    method = start(lw.EnergyMomentum(step=2.0), model, q, 10 * v)
    with pytest.raises(StepError, match=r"Newton's method did not converge in a step of 2 s from t = 0"):
        method.advance(2.0)
    assert (method.system.q == q).all()


@lw.force
def springy_floor(a, b, t, k=1e4):
    return 0.0, 0.0, -k * min(a.p[2], 0.0)


@lw.force(on="joint")
def growing(q, v, t):
    return 2.0 * t


def _slider(kind, *on, mass=2.0):
    m = lw.Mechanism("slider", gravity=(0, 0, 0))
    body = m.add_body("b", mass=mass, inertia=(1, 1, 1))
    m.add_joint("j", lw.Prismatic((1, 0, 0)), m.ground, body)
    m.add_force("f", kind, *(on or ("j",)))
    return m


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "on", "expected"),
    [
        (lw.JointTable([0, 1], [0.0, 2.0]), ("j",), 2.5),  # v0 + integral of F dt / m
        (lw.WrenchTable([0, 1], [[0, 0, 0, 0, 0, 0], [0, 0, 0, 2.0, 0, 0]]), ("b",), 2.5),
        (growing, ("j",), 3.0),
    ],
)
def test_a_force_that_is_zero_at_the_start_acts_later(kind, on, expected):
    rec = lw.simulate(_slider(kind, *on), 2.0, lw.EnergyMomentum(1e-3), v=[1.0])
    assert rec.status == "finished"
    assert abs(rec.v[-1, 0] - expected) < 1e-9  # the force is linear in time between steps: the middle of a step has its mean
    assert abs(float(rec["f", "work"][-1]) - 0.5 * 2.0 * (expected**2 - 1.0)) < 1e-9


@pytest.mark.slow
def test_a_body_does_not_fall_through_a_floor_that_a_user_wrote():
    m = lw.Mechanism("ball")
    body = m.add_body("b", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("j", lw.Prismatic((0, 0, 1)), m.ground, body)
    m.add_force("floor", springy_floor, body)
    rec = lw.simulate(m, 1.0, lw.EnergyMomentum(1e-3), q=[1.0])
    other = lw.simulate(m, 1.0, lw.RungeKutta4(1e-4), q=[1.0])
    assert other.q.min() > -0.1
    assert abs(rec.q[-1, 0] - other.q[-1, 0]) < 5e-3  # a touch of 0.03 s, in steps of 1 ms, of second order


@pytest.mark.parametrize(
    "kind", [lw.Motor(force=(2.0, 0, 0), reaction=False), lw.WrenchTable([0, 9], [[0, 0, 0, 2.0, 0, 0]] * 2, reaction=False)]
)
def test_a_jet_beside_a_moving_body_pushes(kind):
    m = lw.Mechanism("jet", gravity=(0, 0, 0))
    b, c = m.add_body("b", mass=2.0, inertia=(1, 1, 1)), m.add_body("c", mass=3.0, inertia=(1, 1, 1))
    m.add_joint("jb", lw.Prismatic((1, 0, 0)), m.ground, b)
    m.add_joint("jc", lw.Prismatic((1, 0, 0)), m.ground.at(0, 1, 0), c)
    m.add_force("f", kind, b, c)
    rec = lw.simulate(m, 1.0, lw.EnergyMomentum(1e-3), v=[0.0, 0.5])
    assert np.abs(rec.v[-1] - [1.0, 0.5]).max() < 1e-9


@pytest.mark.parametrize("stiffness", [1e3, 1e7, 1e9])
def test_rest_on_a_stiff_support_is_no_energy_that_its_force_does_not_follow(stiffness):
    """The depth is 1e-2 to 1e-8 m: differences across the surface say nothing of the slope."""
    m = lw.Mechanism("block")
    body = m.add_body("b", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("j", lw.Prismatic((0, 0, 1)), m.ground, body)
    m.add_force("support", lw.Support(stiffness), body, m.ground)
    depth = 9.81 / stiffness
    rec = lw.simulate(m, 0.05, lw.EnergyMomentum(1e-3), q=[-depth])
    assert rec.status == "finished"
    assert np.abs(rec.q[:, 0] + depth).max() < 1e-3 * depth


@pytest.mark.slow
@pytest.mark.parametrize("on", [True, False])
def test_a_plain_load_in_world_axes_is_followed(on):
    """A constant force at a point follows from -F . x, as gravity does; that the ground feels no reaction of it was taken for another energy."""
    m = lw.Mechanism("pendulum")
    rod = m.add_body("rod", mass=2.0, com=(0, 0, -0.5), inertia=(0.3, 0.2, 0.1))
    m.add_joint("ball", lw.Spherical(), m.ground, rod)
    m.add_force("load", lw.Load((3.0, 1.0, -2.0)), rod.at(0.1, 0, -1.0))
    ends = []
    for integrator in (lw.EnergyMomentum(1e-2), lw.EnergyMomentum(5e-3), lw.RungeKutta4(1e-3)):
        sim = lw.Simulation(m, integrator, q=[np.cos(0.2), 0, np.sin(0.2), 0], v=[0.5, 1.0, 0.2])
        if not on:
            sim.switch("load", False)
            sim.run(0.1)
            sim.switch("load", True)
        rec = sim.run(1.0 if on else 0.9)
        ends.append(rec.q[-1])
    audit = lw.simulate(m, 1.0, lw.EnergyMomentum(1e-2), q=[np.cos(0.2), 0, np.sin(0.2), 0], v=[0.5, 1.0, 0.2]).audit
    assert abs(audit.numerical) < 1e-12 * audit.scale  # rounding of a hundred steps
    coarse, fine = (np.abs(end - ends[-1]).max() for end in ends[:2])
    assert coarse < 2e-3 and 3.5 < coarse / fine < 4.5  # order 2


def test_a_load_whose_moment_has_no_energy_is_refused():
    m = _slider(lw.Load((1.0, 0, 0), torque=(0, 0, 1.0)), "b")
    with pytest.raises(lw.ModelError, match="force 'f' stores energy that is not the one its force draws on"):
        lw.simulate(m, 0.1, lw.EnergyMomentum(1e-2), q=[0.1])


STOPS = {
    "stop": lambda m: m.add_force("f", lw.LimitStop(2000.0, -0.5, 0.5), "j"),
    "limits": lambda m: m.change("j", kind=lw.Prismatic((1, 0, 0), lower=-0.5, upper=0.5)),
    "support": lambda m: m.add_force("f", lw.Support(2000.0), "b", lw.Place(m.ground, lw.Pose((0.5, 0, 0), (0.5**0.5, 0, -(0.5**0.5), 0)))),
}


@pytest.mark.parametrize("stop", STOPS)
def test_a_stop_that_is_touched_where_a_step_ends_is_the_energy_that_its_force_draws_on(stop):
    """It is 1e-16 m inside, or a little more: a difference of energies reaches over the surface on one side, where no force is."""
    for offset in (0.0, 1e-16, 1e-13, 1e-10, 1e-8):
        m = lw.Mechanism("slider", gravity=(0, 0, 0))
        m.add_joint("j", lw.Prismatic((1, 0, 0)), m.ground, m.add_body("b", mass=2.0, inertia=(1, 1, 1)))
        STOPS[stop](m)
        rec = lw.simulate(m, 0.45, lw.EnergyMomentum(5e-3), q=[offset], v=[2.0])
        assert rec.status == "finished"
        assert rec.q.max() > 0.5
        if stop != "limits":  # those take energy
            assert rec.v[-1, 0] == pytest.approx(-2.0, abs=1e-12)
            assert abs(rec.audit.numerical) < 1e-13 * rec.audit.scale
