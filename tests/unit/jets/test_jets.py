"""Jets: derivatives of plain functions, compiled and in plain Python, against differences."""

import math
import os
import pickle
import subprocess
import sys
from math import sin as sinus
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.jets import Jet, differentiable, is_function, jets_of
from linkwork.kernels import JIT

ROOT = Path(__file__).parents[3]
GAIN = 0.7


def _helper(x):
    return x * x + GAIN


def _deep(x):
    return _helper(x) + sinus(x)


def sums(t):
    total = 0.0
    for i in range(3):
        total += i * t - 2.0 / (t + i) + (3 - t) * t
    return total - -t + +t


def products(t):
    total = 1
    total *= t
    total -= 0.5 * t
    total /= 1.0 + t * t
    return total


def powers(t):
    return t**2 + t**-1 + t**0.5 + 2.0**t + t**t + math.pow(t, 3) + np.power(t, 1.5) + t**0 + (t - t) ** 2 + (t - t) ** 1


def trigonometry(t):
    return math.sin(t) * np.cos(2 * t) + math.tan(0.5 * t) + np.tan(t) + np.sin(t) / math.cos(t)


def inverses(t):
    return math.asin(0.5 * t) + np.arccos(0.3 * t) + math.atan(t) + np.arctan(2 * t) + np.arcsin(0.1 * t) + math.acos(0.2 * t)


def hyperbolic(t):
    first = math.sinh(t) + np.cosh(t) * math.tanh(t)
    return first + np.arcsinh(t) + math.acosh(1 + t) + np.arctanh(0.5 * t) + math.asinh(t) + np.arccosh(2 + t) + np.sinh(t)


def logarithms(t):
    return math.log(t) + np.log10(t) + math.log2(t) + np.log1p(t) + math.exp(-t) + np.expm1(t) + math.log10(t) + np.log2(2 * t) + np.exp(t)


def roots(t):
    return math.sqrt(t) + np.sqrt(1 + t) + np.square(t) + np.reciprocal(t) + math.erf(t)


def planes(t):
    return math.atan2(t, 2.0) + np.arctan2(1.0, t) + math.atan2(t * t, t) + math.hypot(t, 1.0) + np.hypot(t, 2 * t)


def pieces(t):
    value = abs(t - 2) + math.fabs(-t) + np.absolute(t) + max(t, 0.1 * t) + min(t, t * t) + np.maximum(t, 0.0) + np.minimum(2 * t, t)
    value += np.sign(t) + math.floor(3 * t) + np.ceil(t) + math.copysign(t, -1.0) + t % 0.3 + math.degrees(t) + np.deg2rad(t)
    if t > 5 or t >= 6 or t == 7 or 8 < t or 9 <= t:
        return 0.0 * t
    return value if t != 3 and t <= 4 else t


def helpers(t):
    inner = [GAIN, 1.0]
    return _deep(t) + _helper(2 * t) * inner[0]


def constant(t):
    return 3


FUNCTIONS = (sums, products, powers, trigonometry, inverses, hyperbolic, logarithms, roots, planes, pieces, helpers, constant)
AT = 0.77


def derivatives(function):
    """(value, first, second) by jets, compiled or plain."""
    differentiated = differentiable(function)
    if not JIT:
        jet = jets_of(differentiated(Jet(AT, 1.0, 0.0)))[0]
        return jet.value, jet.first, jet.second
    import numba

    @numba.njit
    def run(t):
        jet = jets_of(differentiated(Jet(t, 1.0, 0.0)))[0]
        return jet.value, jet.first, jet.second

    return run(AT)


def by_differences(function):
    h = 1e-2
    y = np.array([function(AT + k * h) for k in range(-4, 5)], dtype=float)
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) @ y / h
    second = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]) @ y / h**2
    return y[4], first, second


@pytest.mark.slow
@pytest.mark.parametrize("function", FUNCTIONS)
def test_jets_agree_with_differences(function):
    # Differences of order 8 with steps of 0.01: rounding 1e-16 / 1e-4 and truncation of about 1e-10 near singularities at a distance of 0.8.
    assert np.allclose(derivatives(function), by_differences(function), rtol=1e-7, atol=1e-8)


@pytest.mark.slow
def test_compiled_and_plain_jets_are_the_same():
    if not JIT:
        pytest.skip("this is the plain run itself")
    code = (
        "import pickle, sys; from tests.unit.jets import test_jets as t; "
        "sys.stdout.buffer.write(pickle.dumps([t.derivatives(f) for f in t.FUNCTIONS]))"
    )
    environment = os.environ | {"LINKWORK_JIT": "0", "PYTHONPATH": os.pathsep.join([str(Path(lw.__file__).parents[1]), str(ROOT)])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    for function, plain in zip(FUNCTIONS, pickle.loads(done.stdout), strict=True):
        assert np.allclose(derivatives(function), plain, rtol=1e-13, atol=1e-13), function


def test_second_order_motion_follows_the_chain_rule():
    """f(x(s)) with x' = 2 and x'' = 3: f'' x'^2 + f' x''."""
    jet = Jet(0.4, 2.0, 3.0)
    found = jet * jet * jet
    assert np.allclose((found.value, found.first, found.second), (0.064, 3 * 0.16 * 2, 6 * 0.4 * 4 + 3 * 0.16 * 3))
    assert "Jet(0.4, 2.0, 3.0)" in repr(jet)


@pytest.mark.parametrize(
    ("value", "expected"), [(sums, True), (math.sin, True), (np.cos, True), (len, False), (3.0, False), (print, False)]
)
def test_what_can_be_differentiated(value, expected):
    assert is_function(value) is expected


def test_a_function_keeps_its_own_names():
    """Making a twin changes neither the function nor its module."""
    differentiable(_deep)
    assert _deep(1.0) == 1.0 + GAIN + math.sin(1.0)
    assert sinus is math.sin
