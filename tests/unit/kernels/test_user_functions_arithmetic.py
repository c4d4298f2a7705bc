"""Users' functions compiled and in plain Python: the same number, or an exception; never an integer that wraps, nor a division by zero that gives 0."""

import cmath
import math
import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.jets.retarget import compilable
from linkwork.kernels import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="plain Python is itself")


def product(x):
    found = 1
    for k in range(1, int(x) + 24):
        found *= k
    return float(found)


def tripled_until(x):
    n = 1
    while n < x * 1e25:  # compiled without checks, this never ends
        n *= 3
    return float(n)


def congruential(x):
    seed = int(x)
    for _ in range(20):
        seed = (1103515245 * seed + 12345) % 2**31
    return float(seed)


SAME = {
    "remainder of a negative integer": lambda x: float(-7 % int(x + 1)),
    "remainder of a negative float": lambda x: -7.5 % (x + 1),
    "floor of a negative quotient": lambda x: -7.5 // (x + 1),
    "floor of a negative integer quotient": lambda x: float(-7 // int(x)),
    "integer power": lambda x: float(int(x) ** 62),
    "left shift": lambda x: float(-1 << int(x + 60)),
    "right shift beyond 64": lambda x: float(-5 >> int(x + 70)),
    "right shift of a positive integer beyond 64": lambda x: float(5 >> int(x + 70)),
    "right shift of the least integer": lambda x: float(int(-x * 2.0**62) >> int(x + 61)),
    "pow in place of **": lambda x: float(pow(int(x), 62)) + pow(x, -2) + pow(x, 0.5),
    "abs and minus of the least integer but one": lambda x: float(abs(1 - 2**62 - 2**61 * int(x))) + float(-(1 - 2**62 - 2**61 * int(x))),
    "sums of integers": lambda x: float(sum((int(x), 2, 3)) + sum([int(x), 7]) + sum(range(int(x) + 3)) + sum([int(x)], 5)),
    "a sum of floats": lambda x: sum([x, 0.1, 0.2]),
    "quotients of the least integer": lambda x: float(int(-x * 2.0**62) // int(x) + divmod(int(-x * 2.0**62), int(-x))[0]),
    "round to two digits": lambda x: round(x * 1.3375, 2) + round(x + 0.675, 2),  # 2.675 is a little less than it looks
    "round half way": lambda x: round(x + 0.5, 0) + round(x * 1.125, 1) + round(x + 0.625, 2),
    "round to tens": lambda x: round(x * 12.5, -1) + round(x * 617.28394, -2),
    "round what is large or small": lambda x: round(x * 1e300, 3) + round(x * 1e-300, 3) + round(x * 1e15, 22) + round(x * 1e15, 40),
    "linear congruences": congruential,
    "negative float power": lambda x: x**-2,
    "infinity": lambda x: math.exp(-x * math.inf) + math.atan(x * math.inf),
    "a product of floats beyond the range": lambda x: 1.0 / (x * 1e200 * 1e200),
    "a large hypotenuse": lambda x: math.hypot(x * 1e200, 1e200),
    "not a number": lambda x: 1.0 if math.sqrt(x * math.nan) > 0.0 else 2.0,
    "numpy": lambda x: 1.0 if np.sqrt(-x) > 0.0 else 2.0,
    "whole of a float": lambda x: float(int(x * 4e18) // 10**18 + round(-x * 1.3) + math.floor(-x * 0.7)),
    "large integers": lambda x: float((int(x) * 2**61) // 2**60 - 2**62 + 2**62),
}
RAISING = {
    "integer division by zero": lambda x: 7 // int(x * 0),
    "integer remainder of zero": lambda x: 7 % int(x * 0),
    "true division of integers by zero": lambda x: 7 / int(x * 0),
    "divmod by zero": lambda x: float(divmod(int(x), int(x * 0))[0]),
    "float division by zero": lambda x: math.atan(1.0 / (x * 0)),
    "float floor division by zero": lambda x: 1.0 // (x * 0),
    "float remainder of zero": lambda x: 1.0 % (x * 0),
    "zero to a negative power": lambda x: math.atan((x * 0) ** -1.5),
    "zero to a negative whole power": lambda x: math.atan((x * 0) ** -1),
    "root of a negative number by power": lambda x: 1.0 if (-x) ** 0.5 > 0.0 else 2.0,
    "power beyond the range": lambda x: math.atan((x * 1e200) ** 2),
    "negative shift": lambda x: float(1 << int(-x)),
    "negative right shift": lambda x: float(1 >> int(-x)),
    "pow beyond the range": lambda x: math.atan(pow(x * 1e200, 2)),
    "pow of zero": lambda x: math.atan(pow(x * 0, -1.5)),
    "pow of a negative number": lambda x: 1.0 if pow(-x, 0.5) > 0.0 else 2.0,
    "root of a negative number": lambda x: 1.0 if math.sqrt(-x) > 0.0 else 2.0,
    "logarithm of zero": lambda x: math.atan(math.log(x * 0)),
    "logarithm of a negative number": lambda x: 1.0 if math.log(-x) > 0.0 else 2.0,
    "arc cosine of 7": lambda x: 1.0 if math.acos(x + 5) > 0.0 else 2.0,
    "exponential beyond the range": lambda x: math.atan(math.exp(x * 1000)),
    "pow of math": lambda x: 1.0 if math.pow(-x, 0.5) > 0.0 else 2.0,
    "sine of infinity": lambda x: 1.0 if math.sin(x * math.inf) > 0.0 else 2.0,
    "whole of not a number": lambda x: float(int(x * math.nan)),
    "whole of infinity": lambda x: float(int(x * math.inf)),
}
BEYOND = {  # what 64 bits do not hold
    "integer power": lambda x: float(int(x + 8) ** 30),
    "negative power of an integer": lambda x: 1.0 * int(x) ** int(-x),
    "pow of an integer": lambda x: float(pow(int(x + 8), 30)),
    "negative pow of an integer": lambda x: 1.0 * pow(int(x), int(-x)),
    "abs of the least integer": lambda x: float(abs(int(-x * 2.0**62))),
    "minus of the least integer": lambda x: float(-int(-x * 2.0**62)),
    "the least integer by -1": lambda x: float(int(-x * 2.0**62) // int(1 - x)),
    "divmod of the least integer by -1": lambda x: float(divmod(int(-x * 2.0**62), int(1 - x))[0]),
    "a sum of a list": lambda x: float(sum([int(x) * 2**61, 2**62])),
    "a sum of a tuple": lambda x: float(sum((int(x) * 2**61, 2**62))),
    "round to tens beyond 2**53": lambda x: round(x * 1e20, -2),
    "a product of integers": product,
    "a sum of integers": lambda x: float(int(x) * 2**61 + 2**62),
    "a difference of integers": lambda x: float(-int(x) * 2**61 - 2**62 - 2),
    "left shift": lambda x: float(1 << int(x + 70)),
    "whole of a large float": lambda x: float(int(x * 1e30)),
    "floor of a large float": lambda x: float(math.floor(x * 1e30)),
    "a loop of integers": tripled_until,
}


@pytest.mark.parametrize("function", SAME.values(), ids=SAME)
def test_a_compiled_function_gives_what_plain_python_gives(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of NumPy
        assert compilable(function)(2.0) == function(2.0)


@pytest.mark.parametrize("function", RAISING.values(), ids=RAISING)
def test_a_compiled_function_raises_where_plain_python_raises(function):
    with pytest.raises((ArithmeticError, ValueError, TypeError)):
        float(function(2.0))
    with pytest.raises((ArithmeticError, ValueError)):
        compilable(function)(2.0)


@pytest.mark.parametrize("function", BEYOND.values(), ids=BEYOND)
def test_an_integer_that_64_bits_do_not_hold_raises(function):
    assert math.isfinite(function(2.0))
    with pytest.raises((OverflowError, ValueError)):
        compilable(function)(2.0)


def test_round_to_n_digits_is_that_of_plain_python_to_the_last_bit():
    """Numba's own differs in the last digit (round(2.675, 2)); numbers of all sizes, and many that stand half way."""
    compiled, rng = compilable(lambda x, n: round(x, n)), np.random.default_rng(5)
    half = (rng.integers(-(10**8), 10**8, 4000) + 0.5) / 10.0 ** rng.integers(0, 12, 4000)
    binary = rng.integers(-(10**9), 10**9, 4000) / 2.0 ** rng.integers(0, 20, 4000)
    others = rng.uniform(-1.0, 1.0, 4000) * 10.0 ** rng.integers(-3, 15, 4000)
    numbers = [*half.tolist(), *binary.tolist(), *others.tolist(), 0.0, -0.0, -0.3, math.inf, 2.0**52 + 1.0, 450359962737049.5625]
    for x, n in zip(numbers, [*range(-3, 16)] * len(numbers), strict=False):
        assert math.copysign(1.0, compiled(x, n)) == math.copysign(1.0, round(x, n)) and compiled(x, n) == round(x, n), (x, n)
    assert math.isnan(compiled(math.nan, 2))


REFUSED = {
    "an integer to a negative power that is written down": (lambda x: 1.0 * int(x) ** -2, r"write float\(a\) \*\* -2"),
    "pow of an integer to such a power": (lambda x: 1.0 * pow(int(x), -2), r"write float\(a\) \*\* -2"),
    "a power of a complex number": (lambda x: abs(complex(-x, 0.0) ** 0.5), "a power of complex numbers"),
    "a function of cmath": (lambda x: abs(cmath.sqrt(-x)), "sqrt of cmath"),
    "round of an integer to tens": (lambda x: float(round(int(x), -1)), r"round\(a, n\) of what is no float"),
    "the text of a float": (lambda x: float(len(f"{x}")), "the text of a float64"),
    "the text of an array": (lambda x: float(len(str(np.array([x, 1.0])))), "the text of a array"),
    "the representation of a text": (lambda x: float(len(repr("it's" + str(int(x))))), "the text of a unicode_type"),
    "a sum of integers and truth values": (lambda x: float(sum((int(x), True, 2))), "a sum of integers and other things"),
}


@pytest.mark.parametrize(("function", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_as_in_plain_python_is_not_compiled_and_runs_interpreted(function, said):
    m, _ = pendulum()
    with pytest.warns(lw.InterpretedWarning, match=said):
        m.add_force("push", lw.force(lambda q, v, t: function(2.0), on="joint")(), "pivot")
        found = lw.applied_forces(m.build(), [0.0], [0.0])["push"]
    assert found.tau[0] == pytest.approx(function(2.0), rel=1e-15)


def test_texts_of_integers_and_texts_in_exceptions_are_compiled():
    def told(x):
        if x > 2.0:
            raise ValueError(f"x is {x}")
        return float(len(f"{int(x)}, {x > 1.0} and {'ok'}"))

    compiled = compilable(told)
    assert compiled(2.0) == told(2.0) == 14.0
    with pytest.raises(ValueError, match="x is"):
        compiled(3.0)


def test_a_helper_of_numba_keeps_the_error_model_that_its_author_chose():
    import numba

    helper = numba.njit(error_model="numpy")(lambda x: 1.0 / x)
    assert compilable(lambda x: math.atan(helper(x)))(0.0) == math.atan(math.inf)


# ---- the parts say it by name


def pendulum(kind=None):
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("pivot", kind or lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    return m, bob


def late(t):
    """0 until half a second, 1 then."""
    return int(t > 0.5)


@pytest.mark.slow
def test_a_force_whose_integers_wrap_fails_by_name():
    m, _ = pendulum()
    m.add_force("bad", lw.force(lambda q, v, t: 1e-30 * (10 + 90 * late(t)) ** 15, on="joint")(), "pivot")
    status = lw.simulate(m, 1.0).status
    assert status == "failed" and "force 'bad' raised OverflowError" in str(status) and "beyond 64 bits" in str(status)


def test_a_force_that_divides_an_integer_by_zero_fails_by_name():
    m, _ = pendulum()
    m.add_force("bad", lw.force(lambda q, v, t: 1.0 * (1 // (1 - late(t))), on="joint")(), "pivot")
    status = lw.simulate(m, 1.0).status
    assert status == "failed" and "force 'bad' raised ZeroDivisionError" in str(status)


@pytest.mark.slow
def test_a_controller_that_divides_by_a_coordinate_that_is_zero_fails_by_name():
    """In plain Python q[0] is a number of NumPy's, which only warns."""

    @lw.controller(rate=100.0)
    def inverse(t, q, v):
        return -np.arctan(1.0 / q[0]) * np.ones(1) * (0.0 if t < 0.5 else 1.0)

    m, _ = pendulum()
    status = lw.simulate(m, 1.0, controllers=[inverse()], q=[0.0]).status
    assert status == "failed" and "controller 'inverse' raised FloatingPointError: divide by zero" in str(status)


@pytest.mark.slow
def test_a_function_of_time_and_a_relation_outside_of_their_domain_fail_by_name():
    m, _ = pendulum()
    m.add_constraint("drive", lw.Drive(lambda t: 0.5 + 0.0 * math.sqrt(0.2503 - t)), "pivot")
    status = lw.simulate(m, 1.0).status
    assert status == "failed" and "constraint 'drive' raised ValueError: math domain error" in str(status)
    m, bob = pendulum()
    m.add_constraint("track", lw.Relation(lambda poses, t: poses[1].p[0] - 1.0 / (1.0 - late(t)) + 1.0), m.ground, bob)
    status = lw.simulate(m, 1.0, q=[0.1]).status
    assert status == "failed" and "constraint 'track' raised ZeroDivisionError" in str(status)


def pose(q):
    return 0.0 / (1.0 - late(q[0])), 0.0, 0.0, math.cos(q[0] / 2), 0.0, math.sin(q[0] / 2), 0.0


def motion(q):
    return ((0.0, 1.0, 0.0, 0.0, 0.0, 0.0),)


def rate(q, v):
    return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@pytest.mark.slow
def test_a_custom_joint_that_divides_by_zero_fails_by_name():
    m, _ = pendulum(lw.Custom(1, pose, motion, rate))
    assert "joint 'pivot' raised ZeroDivisionError" in str(lw.simulate(m, 5.0, q=[0.1], v=[3.0]).status)


def test_an_event_whose_integers_leave_64_bits_happens_as_in_plain_python():
    """Compiled functions only screen steps; where they raise, the step is looked at in plain Python, which has such integers."""
    m, _ = pendulum()
    event = lw.Event(lambda t, q, v: 1.0 - 1e-30 * (10 + 190 * late(t)) ** 15, name="far")
    sim = lw.Simulation(m, events=[event])
    sim.run(1.0)
    happened = sim.events
    assert [e.name for e in happened] == ["far"] and abs(happened[0].t - 0.5) < 1e-6  # events are found to 1e-9 s or so
