"""Adams' methods: order on quaternions, accuracy against closed forms, loops, evaluations a step, stops, and words on failure."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.integrators.adams.steps import _switch_in_step
from linkwork.integrators.integrator import StepError
from linkwork.kernels import address_of, kernel

from ..machines import ball_chain, error, four_bar, free_rates, start, top, total_energy


def fixed_steps(model, q, v, order, h, end, reach):
    """Steps of one order and size, after a start at the tightest tolerance; the chart moves whenever a joint has turned by `reach`."""
    method = start(lw.Adams(rtol=1e-13, atol=1e-14), model, q, v)
    method.settings.reach = reach
    while method.order < order + 1 or method.time < 0.05:
        method.step()
    began = method.time
    method.settings.rtol = method.settings.atol = 1e6  # nothing is rejected from here on
    method.settings.max_step = h
    head = method.head
    while method.time < end:
        head.order, head.step, head.wait = order, h, 10**9
        method.step()
    return method, began


@pytest.mark.parametrize("order", [2, 3, 5, 7])
def test_the_order_holds_when_the_base_of_a_quaternion_moves_with_every_step(order):
    """The trap of the erector set: local coordinates moved without their past make every method one of second order."""
    model = top()
    v = free_rates(0.0)[0]
    errors = []
    for h in (0.04, 0.02):
        method, _ = fixed_steps(model, lw.neutral(model), v, order, h, 3.0, reach=0.0)
        assert method.bases > 50
        errors.append(error(model, method, 3.0, *_reference(model, v, 3.0)))
    assert np.log2(errors[0] / errors[1]) > order - 0.4, errors


def _reference(model, v, t):
    method = start(lw.RungeKutta4(step=2.5e-4), model, lw.neutral(model), v)
    method.advance(t)
    return method.system.q.copy(), method.system.v.copy()


@pytest.mark.parametrize("reach", [0.0, 1.0, 2.5])
def test_a_free_top_follows_elliptic_functions_wherever_its_chart_is_based(reach):
    model = top()
    v, period = free_rates(0.0)
    method = start(lw.Adams(rtol=1e-11, atol=1e-13), model, lw.neutral(model), v)
    method.settings.reach = reach
    for t in np.linspace(0.0, 2 * period, 9)[1:]:
        method.advance(t)
        q, w, _ = method.state(t)
        # Two turns of the polhode, tolerance 1e-11 a step, some 500 steps.
        assert np.abs(w - free_rates(t)[0]).max() < 2e-8
        R = lw.forward_kinematics(model, q).rotations[0]
        assert np.abs(R @ (np.array([0.1, 0.2, 0.28]) * w) - np.array([0.1, 0.2, 0.28]) * v).max() < 1e-8
    # Second order would need 1e5 steps for this.
    assert 100 < method.steps < 1500
    assert method.evaluations < 1.3 * method.steps + 20
    assert abs(np.linalg.norm(q) - 1.0) < 1e-14


def test_a_tighter_tolerance_gives_a_smaller_error_and_higher_orders():
    model, q, v = ball_chain()
    exact = start(lw.Adams(rtol=1e-13, atol=1e-14), model, q, v)
    exact.advance(1.0)
    reference = exact.state(1.0)[:2]
    found = []
    for rtol in (1e-4, 1e-6, 1e-8, 1e-10):
        method = start(lw.Adams(rtol=rtol, atol=rtol / 100), model, q, v)
        method.advance(1.0)
        found.append((error(model, method, 1.0, *reference), method.steps, method.order, method.evaluations / method.steps))
    errors, steps, orders, per_step = zip(*found, strict=True)
    for rtol, size in zip((1e-4, 1e-6, 1e-8, 1e-10), errors, strict=True):
        assert size < 300 * rtol, "the error follows the tolerance"
    # Order p: a tolerance 1e6 times tighter costs about 1e6^(1/(p + 1)) times the steps; 100 with order 2, less than 8 with order 6 and more.
    assert steps[-1] < 8 * steps[0]
    assert orders[-1] >= 6
    assert max(per_step) < 2.0, "the thesis reports 1.05 to 1.82 evaluations a step"


def test_max_order_is_a_limit():
    model, q, v = ball_chain()
    method = start(lw.Adams(rtol=1e-8, atol=1e-10, max_order=3), model, q, v)
    while method.time < 0.2:
        method.step()
        assert method.order <= 3


def test_states_between_steps_are_as_exact_as_steps():
    model, q, v = ball_chain()
    exact = start(lw.Adams(rtol=1e-13, atol=1e-14), model, q, v)
    method = start(lw.Adams(rtol=1e-9, atol=1e-11), model, q, v)
    method.advance(0.5)
    assert method.time > method.before > 0.4
    for x in (0.01, 0.3, 0.7, 0.99):
        t = method.before + x * (method.time - method.before)
        exact.advance(t)
        assert error(model, method, t, *exact.state(t)[:2]) < 1e-7


def test_what_is_looked_at_does_not_change_the_motion():
    model, q, v = ball_chain()
    once, often = (start(lw.Adams(), model, q, v) for _ in range(2))
    once.advance(0.4)
    for t in np.linspace(0.0, 0.4, 23):
        often.advance(t)
        often.state(t)
    assert (once.system.q == often.system.q).all() and once.time == often.time


def test_a_loop_stays_closed_without_restarts():
    """Projection leaves the past alone (Eich 1993): orders and steps stay what they are without it, the gap does not."""
    model, q, v = four_bar()
    energy = total_energy(model, q, v)
    found = {}
    for tolerance in (0.0, 1e-10):
        method = start(lw.Adams(rtol=1e-8, atol=1e-10), model, q, v, tolerance=tolerance)
        orders = []
        while method.time < 3.0:
            method.step()
            orders.append(method.order)
        phi, rate = method.system.gaps(method.time, method.system.q, method.system.v)
        found[tolerance] = np.abs(phi).max(), method.steps, np.mean(orders)
        drift = abs(total_energy(model, method.system.q, method.system.v) / energy - 1.0)
        assert drift < (1e-3 if tolerance == 0.0 else 1e-5)
    assert found[0.0][0] > 1e-8 and found[1e-10][0] < 1e-10
    assert method.system.projections > 100
    assert found[1e-10][1] < 1.2 * found[0.0][1]
    assert found[1e-10][2] > found[0.0][2] - 0.5


def test_works_of_forces_are_integrated_along():
    m = lw.Mechanism("oscillator", gravity=(0, 0, 0))
    body = m.add_body("mass", mass=2.0, inertia=(1, 1, 1))
    m.add_joint("slide", lw.Prismatic((1, 0, 0)), m.ground, body)
    m.add_force("spring", lw.JointSpring(stiffness=50.0), m.joint("slide"))
    m.add_force("damper", lw.JointDamper(1.5), m.joint("slide"))
    model = m.build()
    method = start(lw.Adams(rtol=1e-10, atol=1e-12), model, [0.3], [0.0])
    method.advance(2.0)
    q, v, works = method.state(2.0)
    # q'' + 0.75 q' + 25 q = 0
    a, w = 0.375, np.sqrt(25 - 0.375**2)
    assert abs(q[0] - 0.3 * np.exp(-2 * a) * (np.cos(2 * w) + a / w * np.sin(2 * w))) < 1e-9
    # Powers vary twice as fast as the motion, whose error alone steers the step: at order 9 that is 2^9 times the error.
    assert abs(works[0] - 25.0 * (0.09 - q[0] ** 2)) < 1e-7
    assert works[1] < -0.1 and abs(works[:2].sum() - v[0] ** 2) < 1e-7


@kernel(address="p p p")
def _push(given, numbers, out):
    out[0] = numbers[0] if given[0] < 0.45 else 0.0


class Push:
    """A controller that pushes until 0.45 s, sampled every 0.1 s: it stops pushing at 0.5 s."""

    name, rate = "push", 10.0

    def code(self, owner, model):
        return address_of(_push), None

    def numbers(self, model):
        return (4.0,)


def slider():
    m = lw.Mechanism("slider", gravity=(0, 0, 0))
    body = m.add_body("mass", mass=2.0, inertia=(1, 1, 1))
    m.add_joint("slide", lw.Prismatic((1, 0, 0)), m.ground, body)
    return m.build()


def test_steps_end_where_controllers_are_sampled():
    method = start(lw.Adams(rtol=1e-8, atol=1e-10), slider(), [0.0], [0.0], controllers=[Push()])
    method.advance(1.0)
    q, v, works = method.state(1.0)
    # 2 m/s^2 for 0.5 s, then 1 m/s; ten starts with steps of order 1, each within the tolerance. A sample missed by 1 ms would be 2e-3.
    assert abs(v[0] - 1.0) < 1e-12 and abs(q[0] - 0.75) < 1e-7
    assert abs(works[-2] - 1.0) < 1e-7


def test_changed_parameters_begin_a_new_history():
    m = lw.Mechanism("oscillator", gravity=(0, 0, 0))
    body = m.add_body("mass", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("slide", lw.Prismatic((1, 0, 0)), m.ground, body)
    m.add_force("spring", lw.JointSpring(stiffness=100.0), m.joint("slide"))
    method = start(lw.Adams(rtol=1e-10, atol=1e-12), m.build(), [0.1], [0.0])
    method.advance(1.0)
    method.cut(1.0)
    q, v = method.system.q.copy(), method.system.v.copy()
    method.system.active_forces.change("spring", stiffness=400.0)
    method.advance(1.5)
    assert abs(method.state(1.5)[0][0] - (q[0] * np.cos(10.0) + v[0] / 20.0 * np.sin(10.0))) < 1e-9
    assert abs(method.state(1.5)[0][0] - 0.1 * np.cos(15.0)) > 1e-3


def with_stop():
    """(model, q, v) of a double pendulum that swings against a stop again and again."""
    m = lw.Mechanism("pendulum", gravity=(0, 0, -9.81))
    rods = [m.add_body(f"rod {k}", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)) for k in range(2)]
    m.add_joint("hinge", lw.Revolute((0, 1, 0)), m.ground, rods[0])
    m.add_joint("elbow", lw.Revolute((0, 1, 0)), rods[0].at(0, 0, -1), rods[1])
    m.add_force("stop", lw.LimitStop(stiffness=1e3, lower=0.0, dissipation=0.1), "hinge")
    return m.build(), [0.3, 0.2], [0.0, 0.0]


@pytest.mark.parametrize("machine", [four_bar, with_stop])
def test_a_checkpoint_goes_on_bit_by_bit(machine):
    model, q, v = machine()
    whole = start(lw.Adams(), model, q, v, tolerance=1e-10)
    whole.advance(0.9)
    for cut in (0.3, 0.37, 0.41, 0.62):
        half = start(lw.Adams(), model, q, v, tolerance=1e-10)
        half.advance(cut)
        other = start(lw.Adams(), model, q, v, tolerance=1e-10)
        other.system.load(half.system.save())
        other.restore(half.arrays(), half.scalars())
        other.advance(0.9)
        assert (whole.system.q == other.system.q).all() and (whole.system.v == other.system.v).all()
        assert (whole.state(0.9)[0] == other.state(0.9)[0]).all() and whole.steps == other.steps


@pytest.mark.slow
def test_a_step_that_cannot_be_taken_names_time_and_joint():
    m = lw.Mechanism("wall", gravity=(0, 0, 0))
    body = m.add_body("mass", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("slide", lw.Prismatic((1, 0, 0)), m.ground, body)
    # The motion ends at t = 0.5: no acceleration is known beyond.
    m.add_constraint("drive", lw.Drive(lambda t: np.sqrt(0.5 - t)), m.joint("slide"))
    model = m.build()
    method = start(lw.Adams(), model, [np.sqrt(0.5)], [-0.5 / np.sqrt(0.5)])
    with pytest.raises(StepError, match=r"at t = 0\.[45]"):
        method.advance(1.0)
    assert 0.45 < method.time <= 0.5 and np.isfinite(method.system.q).all()


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"rtol": 0.0}, "rtol is 0"), ({"atol": -1.0}, "atol is -1"), ({"max_order": 13}, "1 to 12"), ({"rtol": "x"}, "real number")],
)
def test_settings_that_cannot_be_are_refused(settings, words):
    with pytest.raises(lw.ModelError, match=words):
        lw.Adams(**settings)


def test_looking_for_a_switch_changed_what_is_remembered():
    """What f - f_p adds to the last difference was added and taken away again, which left rounding; it is large here against the difference itself."""
    m = lw.Mechanism("pendulum", gravity=(0, 0, -9.81))
    rod = m.add_body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    m.add_joint("hinge", lw.Revolute((0, 1, 0)), m.ground, rod)
    m.add_force("stop", lw.LimitStop(stiffness=1e3, lower=0.0), "hinge")
    method = start(lw.Adams(), m.build(), [1.0], [0.0])
    while method.system.q[0] > 0.2:
        method.step()
    kept, head = method.kept, method.head
    kept.D[:] *= 1e-12
    before, h = kept.D.copy(), head.time - head.before
    _switch_in_step(kept, head.used, head.time + 5.0 * h, 5.0 * h)
    assert not method.switches.screen.record.entries[0].clear, "the look did not come to the polynomial"
    np.testing.assert_array_equal(kept.D, before)


def test_a_clock_that_does_not_resolve_the_steps_is_named():
    """A jump of a force was looked for."""
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.3, com=(0, 0, -0.7), inertia=(0.2, 0.2, 0.2))
    m.add_joint("pin", lw.Revolute((0, 1, 0), damping=0.05), m.ground, bob)
    with pytest.warns(lw.FailedRunWarning, match=r"times near t = 1.7e\+09 s are 2e-07 s apart.*; begin near t = 0") as caught:
        lw.simulate(m, 2.0, lw.Adams(), q=[0.5], t=1.7e9)
    assert "jumps" not in str(caught[0].message)
