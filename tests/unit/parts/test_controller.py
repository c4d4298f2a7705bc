"""Controllers: plain functions of (t, q, v) as native ones, for all coordinates or for named joints; memory; what is refused."""

import functools
import math
import pickle
import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import InterpretedWarning, ModelError, UnknownNameError
from linkwork.kernels import JIT
from linkwork.native_function import last_error
from linkwork.parts.controller import as_controller

from ...force_cases import pid, run

compiled_only = pytest.mark.skipif(not JIT, reason="plain Python compiles nothing")


@functools.cache
def leg():
    """hip (1), knee (1), ankle (a ball: 4 coordinates, 3 velocities), toe (a universal joint, 2)."""
    m = lw.Mechanism("leg")
    last = m.ground
    for name, kind in (
        ("hip", lw.Revolute((0, 1, 0))),
        ("knee", lw.Revolute((0, 1, 0))),
        ("ankle", lw.Spherical()),
        ("toe", lw.Universal((1, 0, 0), (0, 1, 0))),
    ):
        body = m.add_body(f"{name} body", mass=1.0, inertia=(0.1, 0.1, 0.1))
        m.add_joint(name, kind, last.at(0, 0, -1), body)
        last = body
    return m.build()


Q, V = np.array([0.1, 0.2, 1.0, 0.0, 0.0, 0.0, 0.3, 0.4]), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])


def sampled(controller, t=0.0, numbers=None):
    """(tau, numbers afterwards) by native code, at Q and V."""
    code, _ = controller.code("controller 'c'", leg())
    return run(code, [t, *Q, *V], controller.numbers(leg()) if numbers is None else numbers, leg().nv)


def made(function, **options):
    return lw.controller(function, **({"rate": 100.0} | options))


@pytest.mark.slow
def test_all_velocities_get_a_force():
    tau, _ = sampled(made(lambda t, q, v, k=2.0: -k * v - q[:7] * t)(k=3.0), t=0.5)
    assert np.allclose(tau, -3 * V - 0.5 * Q[:7])


@pytest.mark.slow
@pytest.mark.parametrize(
    "function",
    [
        lambda t, q, v: (1, 2.0, 3, 4.0, 5, 6, 7.5),
        lambda t, q, v: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.5],
        lambda t, q, v: np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.5]),
    ],
)
def test_forces_are_returned_as_anything_with_numbers(function):
    assert sampled(made(function)())[0].tolist() == [1, 2, 3, 4, 5, 6, 7.5]


def _fills(t, q, v, tau, k=2.0):
    tau[1] = k * q[1]


@pytest.mark.slow
def test_forces_are_filled_in():
    """What is not filled is zero, whatever was there."""
    tau, _ = sampled(made(_fills)(k=5.0))
    assert np.allclose(tau, [0, 1.0, 0, 0, 0, 0, 0])


@pytest.mark.slow
def test_named_joints_come_in_the_order_of_their_names():
    tau, numbers = sampled(pid(kp=10.0, ki=0.0))
    assert np.allclose(tau, [-10 * 0.1 - 1, -10 * 0.2 - 2, 0, 0, 0, 0, 0])  # hip, knee; given as knee, hip
    assert np.allclose(numbers, [10.0, 0.0, 0.2])


@pytest.mark.slow
def test_one_number_will_do_for_one_velocity():
    tau, _ = sampled(made(lambda t, q, v: -q[0], joints=[("toe", 1)])())
    assert np.allclose(tau, [0, 0, 0, 0, 0, 0, -0.4])


@pytest.mark.slow
def test_a_ball_joint_comes_whole():
    tau, _ = sampled(made(lambda t, q, v: v * q[0] * len(q), joints=["ankle", "hip"])())
    assert np.allclose(tau, [5 * 1, 0, 5 * 3, 5 * 4, 5 * 5, 0, 0])


@pytest.mark.slow
@pytest.mark.parametrize("interpreted", [False, True])
@pytest.mark.filterwarnings("ignore::linkwork.errors.InterpretedWarning")
def test_memory_lasts_from_call_to_call(interpreted):
    def counts(t, q, v, memory, step=1.0):
        memory[0] += step
        memory[1] *= 2.0
        return memory[0] + 0.0 * v

    def counts_in_words(t, q, v, memory, step=1.0):
        memory[0] += float(str(step))
        memory[1] *= 2.0
        return memory[0] + 0.0 * v

    controller = made(counts_in_words if interpreted else counts, states=(5.0, 1.0))(step=2.0)
    assert not JIT or controller.native("here", leg()).interpreted == interpreted
    tau, numbers = sampled(controller)
    assert controller.numbers() == (2.0, 5.0, 1.0) and np.allclose(tau, 7.0) and np.allclose(numbers, [2.0, 7.0, 2.0])
    tau, numbers = sampled(controller, numbers=numbers)
    assert np.allclose(tau, 9.0) and np.allclose(numbers, [2.0, 9.0, 4.0])


@compiled_only
def test_what_cannot_be_compiled_is_announced_and_works():
    def remote(t, q, v):
        return [float(f"{x}") for x in v]

    with pytest.warns(InterpretedWarning, match="remote"):
        controller = made(remote)()
        assert np.allclose(sampled(controller)[0], V)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sampled(controller)


@pytest.mark.slow
@compiled_only
@pytest.mark.filterwarnings("ignore::linkwork.errors.InterpretedWarning")
def test_a_failure_is_nan_and_remembered():
    controller = made(lambda t, q, v: [float("no number" if t > 1 else x) for x in v])()
    code, _ = controller.code("c", leg())
    assert np.isfinite(sampled(controller)[0]).all() and np.isnan(sampled(controller, t=2.0)[0]).all()
    assert isinstance(last_error(code), ValueError)
    assert np.isnan(sampled(made(lambda t, q, v: np.zeros(3))())[0]).all()


@pytest.mark.slow
def test_a_trial_computes_the_same_and_leaves_the_memory_alone():
    assert np.allclose(pid().tried("c", leg(), Q, V), sampled(pid())[0])
    assert np.allclose(pid().tried("c", leg(), Q, V), pid().tried("c", leg(), Q, V))


@pytest.mark.parametrize(
    ("function", "texts"),
    [
        (lambda t, q, v: v[:3], ["failed at t = 0", "it returned", "allowed are 7 numbers", "8 coordinates q and 7 velocities v"]),
        (lambda t, q, v: None, ["failed at t = 0", "7 joint forces"]),
        (lambda t, q, v: q.missing, ["AttributeError"]),
        (lambda t, q, v: v * math.nan, ["gave [nan", "finite"]),
    ],
)
def test_a_trial_says_what_is_wrong(function, texts):
    with pytest.raises(ModelError) as caught:
        made(function)().tried("controller 'c'", leg(), Q, V)
    for text in ["controller 'c': its function <lambda>", "correct it", *texts]:
        assert text in str(caught.value), str(caught.value)


@compiled_only
@pytest.mark.parametrize("function", [lambda t, q, v: (1.0, 2.0), lambda t, q, v: 1.0, lambda t, q, v: None, lambda t, q, v: "much"])
def test_a_result_of_another_kind_is_refused(function):
    with pytest.raises(ModelError, match=r"controller 'c': its function <lambda> returns .*; allowed are 7 numbers.*; correct it"):
        made(function)().code("controller 'c'", leg())


def test_controllers_are_values():
    again = pickle.loads(pickle.dumps(pid(kp=3.0)))
    assert again == pid(3.0) != pid() and hash(again) == hash(pid(3.0))
    assert (again.name, again.rate, again.joints, again.memory) == ("pid", 500.0, (("knee", -1), ("hip", -1)), (0.0,))
    assert as_controller(pid) == pid() and as_controller(again) is again and repr(again) == "pid(kp=3.0, ki=1.0)"
    assert [text for _, text in pid(kp=math.inf).faults()] == ["kp is inf; allowed is a finite number; correct it"]


def _keeps(t, q, v, memory):
    return v


def _law(t, q, v):
    return v


@pytest.mark.parametrize(
    ("make", "texts"),
    [
        (lambda: lw.controller(_law), ["rate is nan", "@controller(rate=500)"]),
        (lambda: made(_law, rate=-5.0), ["rate is -5 Hz", "above 0"]),
        (lambda: made(_law, rate="fast"), ["rate is 'fast'"]),
        (lambda: made(_law, joints="hip"), ["joints is 'hip'", "list of names"]),
        (lambda: made(_law, joints=[]), ["joints is []"]),
        (lambda: made(_law, joints=["hip", "hip"]), ["each once"]),
        (lambda: made(_law, joints=[3]), ["a joint is 3"]),
        (lambda: made(_law, states=2), ["keeps 2 numbers", "no argument `memory`"]),
        (lambda: made(_keeps), ["keeps no memory", "an argument `memory`"]),
        (lambda: made(_keeps, states=-1), ["states is -1"]),
        (lambda: made(_keeps, states=[math.nan]), ["states is [nan]", "finite"]),
        (lambda: made(lambda t, q: q), ["has 2 arguments", "t, q, v"]),
        (lambda: made(lambda t, q, v, rate=2.0: q), ["'rate'", "rename"]),
        (lambda: made(3), ["what it decorates is 3"]),
        (lambda: as_controller(_law), ["a controller is", "@controller(rate=500)"]),
        (lambda: as_controller(made(lambda t, q, v, k: q), "simulation"), ["simulation: <lambda>", "k=..."]),
        (lambda: made(_law, joints=["elbow"])().code("controller 'c'", leg()), ["controller 'c': no joint is called 'elbow'"]),
        (lambda: made(_law, joints=[("ankle", 1)])().code("c", leg()), ["degree of freedom 1 of joint 'ankle'", "as a whole"]),
        (lambda: made(_law, joints=[("toe", 5)])().code("c", leg()), ["degree of freedom 5 of joint 'toe'"]),
        (lambda: made(_law, joints=["toe", ("toe", 1)])().code("c", leg()), ["a coordinate twice"]),
    ],
)
def test_what_makes_no_controller_is_refused(make, texts):
    with pytest.raises(ModelError) as caught:
        make()
    for text in texts:
        assert text in str(caught.value), str(caught.value)
    assert not isinstance(caught.value, UnknownNameError) or caught.value.name == "elbow"
