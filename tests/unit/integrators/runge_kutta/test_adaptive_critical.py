"""Adaptive: critical times, controllers, and motions and settings that it refuses."""

from dataclasses import dataclass

import numpy as np
import pytest

import linkwork as lw
from linkwork.integrators.integrator import StepError
from linkwork.kernels import address_of, kernel
from linkwork.kernels.records import Record, real
from linkwork.parts.forces.kind import JOINTS, LAW_CALL, ForceKind

from ..moving import started

TIGHT = lw.Adaptive(order=8, rtol=1e-13, atol=1e-14)


BETWEEN = [(k + 0.5) / 41 for k in range(41)]  # times at all parts of steps of 1/32, 1/64, ... s


class PushParameters(Record, constant=True):
    start = real("s")
    force = real("N")


@kernel(address=LAW_CALL)
def _push(given, parameters: PushParameters, out):
    out[0] = parameters.force if given[2] >= parameters.start else 0.0
    out[1] = 0.0


@dataclass(frozen=True)
class Push(ForceKind):
    """A force that begins abruptly; its `times` are critical."""

    start: float
    force: float
    times: tuple[float, ...] = ()

    takes, most, needs_q, law, law_reads = JOINTS, None, False, _push, PushParameters


@kernel(address=LAW_CALL)
def _runaway(given, parameters, out):
    out[0] = given[1] * given[1]
    out[1] = 0.0


@dataclass(frozen=True)
class Runaway(ForceKind):
    """v' = v^2: infinite at t = 1/v_0."""

    takes, most, needs_q, law = JOINTS, None, False, _runaway


def slider(force=None):
    m = lw.Mechanism("slider", gravity=(0, 0, 0))
    m.add_joint("slide", lw.Prismatic((1, 0, 0)), m.ground, m.add_body("block", mass=1.0, inertia=(1, 1, 1)))
    if force is not None:
        m.add_force("force", force, "slide")
    return m.build()


@pytest.mark.parametrize("order", [5, 8])
def test_a_force_that_begins_at_a_critical_time_costs_no_rejections(order):
    start = 0.3
    exact = 0.25 + 0.5 * 2.0 * (1.0 - start) ** 2
    found = {}
    for times in ((), (start,)):
        method = started(slider(Push(start, 2.0, times)), lw.Adaptive(order=order), [0.0], [0.25])
        assert method.critical_times == list(times)
        fronts = []
        while method.time < 1.0:
            method.step()
            fronts.append(method.time)
        found[times] = method.rejections
        assert (start in fronts) == bool(times)
        assert abs(method.state(1.0)[0][0] - exact) < (1e-12 if times else 1e-5)
        assert abs(method.state(1.0)[2][0] - 2.0 * (exact - 0.25 * start)) < (1e-12 if times else 1e-5)  # force times way
    assert found[start,] == 0 < found[()]


def test_knots_of_a_table_are_critical():
    """A force that rises in a straight line and stops: q is a cubic, then a parabola, then a line; no step lies across a knot."""
    table = lw.JointTable(times=(0.1, 0.4, 0.7), values=(0.0, 3.0, 3.0), outside="zero")
    method = started(slider(table), lw.Adaptive(), [0.0])
    method.advance(1.0)
    v, q = 0.45, 10.0 * 0.3**3 / 6  # at 0.4 s: the force is 10 (t - 0.1)
    v, q = v + 3.0 * 0.3, q + v * 0.3 + 1.5 * 0.09
    assert method.critical_times == [0.1, 0.4, 0.7]
    assert method.rejections == 0
    np.testing.assert_allclose([x[0] for x in method.state(1.0)[:2]], [q + 0.3 * v, v], atol=1e-13)


class Sampled:
    """A controller as a system takes it: tau = -k q - c v of the slider."""

    def __init__(self, name, rate, k, c):
        self.name, self.rate, self._numbers = name, rate, [k, c]

    def code(self, owner, model):
        return address_of(_spring), None

    def numbers(self, model):
        return self._numbers


@kernel(address="p p p")
def _spring(given, numbers, out):
    out[0] = -numbers[0] * given[1] - numbers[1] * given[2]


def held_motion(controllers, until):
    """q and v of the unit mass under sampled forces, by parabolas from tick to tick (rates in whole Hz)."""
    q, v, held, ticks = 1.0, 0.0, {}, 60
    for tick in range(round(until * ticks)):
        for c in controllers:
            if tick % (ticks // c.rate) == 0:
                held[c.name] = -c._numbers[0] * q - c._numbers[1] * v
        a, h = sum(held.values()), 1.0 / ticks
        q, v = q + h * v + 0.5 * h * h * a, v + h * a
    return q, v


@pytest.mark.parametrize("order", [5, 8])
def test_controllers_of_different_rates_are_sampled_and_held(order):
    controllers = [Sampled("slow", 10, 4.0, 0.0), Sampled("fast", 15, 1.0, 0.7)]
    method = started(slider(), lw.Adaptive(order=order), [1.0], controllers=controllers)
    method.advance(2.0)
    q, v, works = method.state(2.0)
    expected = held_motion(controllers, 2.0)
    assert abs(expected[0] - 1.0) > 0.5
    np.testing.assert_allclose((q[0], v[0]), expected, atol=1e-12)
    assert 40 <= method.steps < 50  # one to every sample, of which every second and third coincide, and a few to begin with
    assert abs(works[0] - 0.5 * v[0] ** 2) < 1e-12  # the work of the controllers is the energy of the block


def test_a_restart_in_the_middle_keeps_the_clock_of_the_controllers():
    controllers = [Sampled("only", 10, 4.0, 0.3)]
    method = started(slider(), lw.Adaptive(), [1.0], controllers=controllers)
    method.advance(0.55)
    method.cut(0.55)
    assert method.time == 0.55
    method.advance(1.0)
    np.testing.assert_allclose([x[0] for x in method.state(1.0)[:2]], held_motion(controllers, 1.0), atol=1e-12)


def test_a_changed_parameter_acts_at_once():
    m = lw.Mechanism("oscillator", gravity=(0, 0, 0))
    m.add_joint("slide", lw.Prismatic((1, 0, 0)), m.ground, m.add_body("block", mass=1.0, inertia=(1, 1, 1)))
    m.add_force("spring", lw.JointSpring(1.0), "slide")
    method = started(m.build(), lw.Adaptive(rtol=1e-11, atol=1e-12), [1.0])
    method.critical_times = [1.0]
    method.advance(1.0)
    assert method.time == 1.0
    method.system.active_forces.change("spring", stiffness=9.0)
    method.advance(2.0)
    q, v = np.cos(1.0), -np.sin(1.0)
    assert abs(method.state(2.0)[0][0] - (q * np.cos(3.0) + v / 3.0 * np.sin(3.0))) < 1e-10


# ---------------------------------------------------------------------- failures


@pytest.mark.parametrize(("least", "words"), [(0.0, "what the clock resolves|not finite"), (1e-5, "min_step = 1e-05 s")])
def test_a_motion_that_ends_in_infinity_stops_with_the_last_good_state(least, words):
    method = started(slider(Runaway()), lw.Adaptive(min_step=least), [0.0], [2.0])
    with pytest.raises(StepError, match=words):
        method.advance(1.0)
    q, v, _ = method.state(method.time)
    assert 0.499 < method.time < 0.5 + 1e-8
    assert abs(1.0 / v[0] - (0.5 - method.time)) < 1e-8
    assert (method.time < 0.5 - 1e-5) == (least > 0.0)
    assert np.isfinite(q).all()


def test_a_force_that_is_not_a_number_is_said_to_be_one():
    method = started(slider(Push(0.2, float("nan"))), lw.Adaptive(), [0.0], [1.0])
    with pytest.raises(StepError, match="not finite"):
        method.advance(1.0)
    assert abs(method.time - 0.2) < 1e-9
    np.testing.assert_allclose(method.state(1.0)[0], [method.time], atol=1e-12)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"order": 4}, "order is 4"),
        ({"rtol": 1e-16}, "rtol is 1e-16"),
        ({"atol": 0.0}, "atol is 0"),
        ({"atol": float("nan")}, "atol is nan"),
        ({"first_step": -1.0}, "first_step is -1"),
        ({"max_step": 0.0}, "max_step 0"),
        ({"min_step": 1.0, "max_step": 0.5}, "min_step is 1"),
        ({"rtol": "small"}, "rtol is 'small'"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, words):
    with pytest.raises(lw.ModelError, match=words):
        lw.Adaptive(**settings)


def test_controllers_without_a_common_clock_are_refused():
    with pytest.raises(lw.ModelError, match="rounder rates"):
        started(
            slider(), lw.Adaptive(), [0.0], controllers=[Sampled("a", 1000.0, 1, 1), Sampled("b", 997.13, 1, 1), Sampled("c", 91.7, 1, 1)]
        )
