"""The ledger of energy is true: works of forces and of drives are those of closed forms and quadratures, whatever the motion asks of the steps."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

import linkwork as lw
from linkwork.kernels import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="thousands of steps take minutes in plain Python")
TIGHT = {"rtol": 1e-8, "atol": 1e-10}
FOLLOWING = [lw.Adaptive(**TIGHT), lw.Adaptive(order=8, **TIGHT), lw.Adams(**TIGHT), lw.Implicit(**TIGHT)]
ROUGH = [lw.Adaptive(rtol=1e-4, atol=1e-6), lw.Adaptive(order=8, rtol=1e-4, atol=1e-6), lw.Adams(rtol=1e-4, atol=1e-6), lw.Implicit()]


def slider(**joint):
    m = lw.Mechanism("slider", gravity=(0, 0, 0))
    body = m.add_body("b", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("r", lw.Prismatic((1, 0, 0), **joint), m.ground, body)
    return m


def wheel(inertia=1.0):
    """Driven at 10 rad/s against a spring-damper from its rim to the ground."""
    m = lw.Mechanism("wheel", gravity=(0, 0, 0))
    body = m.add_body("b", mass=1.0, inertia=(inertia,) * 3)
    m.add_joint("j", lw.Revolute((0, 0, 1)), m.ground, body)
    m.add_constraint("d", lw.SpeedDrive(10.0), "j")
    m.add_force("w", lw.SpringDamper(100.0, 0.5, 0.2), body.at(0.3, 0, 0), m.ground.at(1.0, 0, 0))
    return m


def power_of_the_wheel(t):
    """Of the spring-damper, by hand: -(k (L - L0) + c L') L', L the distance of the rim's point."""
    c, s = math.cos(10.0 * t), math.sin(10.0 * t)
    length = math.hypot(1.0 - 0.3 * c, 0.3 * s)
    rate = 3.0 * s / length
    return -(100.0 * (length - 0.2) + 0.5 * rate) * rate


WHEEL = sum(quad(power_of_the_wheel, a, a + 0.1, epsabs=1e-11)[0] for a in np.arange(53) / 10.0)


@pytest.mark.parametrize("integrator", FOLLOWING, ids=str)
def test_a_wheel_at_constant_speed_takes_from_its_drive_what_the_damper_takes(integrator):
    """The motion asks for no steps at all, and -300 to 5586 J were booked, "balanced to 0". 1e-5: some hundred steps, each within 30 rtol of what it moves."""
    rec = lw.simulate(wheel(), 5.3, integrator, q=[0.0], v=[10.0])
    assert WHEEL == pytest.approx(-57.9391131, abs=1e-6)
    assert rec["w", "work"][-1] == pytest.approx(WHEEL, rel=1e-5)
    assert rec["drives"][-1] == pytest.approx(-WHEEL, rel=1e-5)


@pytest.mark.parametrize("integrator", ROUGH, ids=str)
def test_rough_tolerances_tell_works_roughly(integrator):
    """30 rtol, 0.3 %, of what is moved in a step, ten times of what stays in the end: the signs are right, and a tenth is not exceeded."""
    rec = lw.simulate(wheel(), 5.3, integrator, q=[0.0], v=[10.0])
    assert rec["w", "work"][-1] == pytest.approx(WHEEL, rel=0.1)


@pytest.mark.parametrize("integrator", FOLLOWING, ids=str)
def test_the_energy_of_a_flywheel_does_not_hide_works(integrator):
    """5 MJ turn beside the 58 J: rounding (1e-10 of a kinetic energy in a step) is all that may hide behind them."""
    rec = lw.simulate(wheel(1e5), 5.3, integrator, q=[0.0], v=[10.0])
    assert rec["w", "work"][-1] == pytest.approx(WHEEL, abs=1e-10 * 5e6 * rec.audit.steps)


@pytest.mark.parametrize("integrator", FOLLOWING, ids=str)
def test_a_spring_drawn_at_constant_speed_gives_back_what_it_stores(integrator):
    """Adams booked -3.94 J for the 2 J of an ideal spring."""

    @lw.force(on="joint")
    def bumpy(q, v, t, size=10.0):
        return -size * (1.0 + math.cos(6.0 * q))

    m = slider()
    m.add_constraint("d", lw.SpeedDrive(0.5), "r")
    m.add_force("k", lw.JointSpring(4.0), "r")
    m.add_force("bumpy", bumpy, "r")
    rec = lw.simulate(m, 2.0, integrator, q=[0.0], v=[0.5])
    against = -10.0 * (1.0 + math.sin(6.0) / 6.0)
    assert rec["k", "work"][-1] == pytest.approx(-2.0, rel=1e-6)
    assert rec["k", "dissipated"][-1] == pytest.approx(0.0, abs=1e-5)
    assert rec["bumpy", "work"][-1] == pytest.approx(against, rel=1e-6)
    assert rec["drives"][-1] == pytest.approx(2.0 - against, rel=1e-6)


@pytest.mark.parametrize("integrator", FOLLOWING, ids=str)
def test_a_short_pulse_of_force_balances(integrator):
    """Adams moved it rightly, and left 1.6 % of its energy unexplained."""
    m = slider()
    m.add_force("push", lw.JointTable((0.1, 0.1001, 0.1002), (0.0, 1e6, 0.0), outside="zero"), "r")
    rec = lw.simulate(m, 0.5, integrator)
    assert rec.v[-1, 0] == pytest.approx(100.0, rel=1e-6)
    assert rec["push", "work"][-1] == pytest.approx(5000.0, rel=1e-6)
    assert rec.audit.relative < 1e-6 and not rec.audit.warnings


@pytest.mark.slow
@pytest.mark.parametrize("integrator", FOLLOWING, ids=str)
def test_forces_that_balance_each_other_ask_for_no_short_steps(integrator):
    """At rest, and where a preloaded spring does not move, powers are rounding: they are not followed."""
    m = slider()
    body = m.body("b")
    for side in (-1.0, 1.0):
        m.add_force(f"band {side:g}", lw.SpringDamper(100.0, 1.0, 0.3), body.at(0, 0.1, 0), m.ground.at(side, 0.2, 0.1))
    rec = lw.simulate(m, 10.0, integrator, q=[1e-17], v=[1e-16])
    assert rec.audit.steps < 200
    m = wheel()
    m.add_force("on the axle", lw.SpringDamper(1e4, 10.0, 0.3), m.body("b").at(0, 0, 0.1), m.ground.at(0, 0, 1.0))
    m.remove("w")
    rec = lw.simulate(m, 100.0, integrator, q=[0.0], v=[10.0])
    assert rec.audit.steps < 200 and abs(rec["on the axle", "work"][-1]) < 1e-9


# ---- Variational: the work of the discrete force


@pytest.mark.slow
@pytest.mark.parametrize("target", [10.0, lambda t: 10.0], ids=["constant", "function"])
def test_variational_books_the_work_of_a_drive_of_constant_speed(target):
    """A constant speed moves too: nothing was booked for it, and the run ended by energy from nowhere. Steps of 1 ms of order 2: 1e-5."""
    m = wheel()
    m.change("d", kind=lw.SpeedDrive(target))
    rec = lw.simulate(m, 5.3, lw.Variational(1e-3), q=[0.0], v=[10.0])
    assert rec["drives"][-1] == pytest.approx(-WHEEL, rel=1e-5)
    assert rec.audit.relative < 1e-9


@pytest.mark.slow
def test_variational_books_the_work_of_a_relation_that_moves():
    def on_a_moving_parabola(poses, t):
        return poses[0].p[2] - poses[0].p[0] ** 2 - 0.1 * math.sin(3.0 * t)

    m = lw.Mechanism("bead")
    m.add_joint("t", lw.Translational(), m.ground, m.add_body("b", mass=1.5))
    m.add_constraint("rel", lw.Relation(on_a_moving_parabola), m.body("b"))
    rec, fine = (
        lw.simulate(m, 3.0, integrator, q=[0.7, 0.0, 0.49], v=[0.2, 0.0, 0.58])
        for integrator in (lw.Variational(1e-3), lw.RungeKutta4(1e-3))
    )
    assert fine["drives"][-1] > 0.5
    assert rec["drives"][-1] == pytest.approx(fine["drives"][-1], rel=1e-4)
    assert rec.audit.relative < 1e-4


@pytest.mark.parametrize("frame", [0.02, 1e-3])
@pytest.mark.parametrize("dissipation", [0.0, 0.5])
def test_variational_balances_at_a_stop(dissipation, frame):
    """Half an impulse acts at each end of a step: without dissipation the balance of a slider is rounding, at every instant of the contact. With it, it
    is so behind the contact, and within it to what damping changes in half a step, c h / 4 m of the energy."""
    m = slider()
    m.add_force("stop", lw.LimitStop(1000.0, -0.5, 0.5, dissipation=dissipation), "r")
    rec = lw.simulate(m, 3.0, lw.Variational(1e-3), q=[0.0], v=[2.0], record_interval=frame)
    assert np.abs(rec["stop", "work"]).max() > 1.5
    assert abs(rec.audit.numerical) < 1e-12
    assert rec.audit.largest_numerical < (1e-12 if dissipation == 0.0 else 1e-3)


@pytest.mark.parametrize("frame", [0.02, 1e-3])
def test_variational_balances_at_the_limits_of_a_joint(frame):
    """5 % of a pendulum's energy were unexplained: works of its stop -39.0 J, where -36.7 J is right."""
    m = lw.Mechanism("pendulum")
    body = m.add_body("a", mass=3.0, com=(0, 0, -0.4), inertia=(0.1, 0.15, 0.1))
    m.add_joint("j", lw.Revolute((0, 1, 0), lower=-1.0, upper=1.0, damping=0.3, friction=0.5), m.ground, body)
    rec, fine = (
        lw.simulate(m, 1.5, integrator, q=[0.0], v=[9.0], record_interval=frame)
        for integrator in (lw.Variational(1e-3), lw.Adaptive(order=8, **TIGHT))
    )
    assert fine["j.stop", "work"][-1] < -5.0
    assert rec["j.stop", "work"][-1] == pytest.approx(fine["j.stop", "work"][-1], rel=0.02)
    assert abs(rec.audit.numerical) < 1e-3 * rec.audit.scale and not rec.audit.warnings


def test_looking_more_often_changes_no_works_of_variational():
    m = slider(lower=-0.5, upper=0.5, damping=0.1)
    runs = [lw.simulate(m, 2.0, lw.Variational(1e-3), q=[0.0], v=[2.0], record_interval=frame) for frame in (0.5, 0.05, 1e-3)]
    for rec in runs[1:]:
        assert rec["work"][-1].tolist() == runs[0]["work"][-1].tolist()
