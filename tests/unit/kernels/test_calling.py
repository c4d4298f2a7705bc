"""C functions called by their address: what they are given, from compiled code and in plain Python."""

import ctypes

import numpy as np
import pytest

from linkwork.kernels import JIT, kernel
from linkwork.kernels.calling import c_signature, calls_address

POINTER = ctypes.POINTER(ctypes.c_double)


def address(returns, *given):
    """Make a Python function what a kernel calls: a C callback's address, in plain Python the function itself."""

    def make(function):
        if not JIT:
            return function
        callback = ctypes.CFUNCTYPE(returns, *given)(function)
        alive.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value

    return make


alive: list = []


@calls_address("i d i -> i")
def call_numbers(code, a, x, b):
    return code(a, x, b)


@calls_address("d -> d")
def call_real(code, x):
    return code(x)


@calls_address("p p+ p -")
def call_arrays(code, given, numbers, at, out, unused):
    code(given, numbers[at:], out)


@kernel
def numbers_through(code, a, x, b) -> int:
    return call_numbers(code, a, x, b)


@kernel
def real_through(code, x) -> float:
    return call_real(code, x)


@kernel
def arrays_through(code, given, numbers, at, out) -> None:
    call_arrays(code, given, numbers, at, out, 7)


def test_numbers_are_given_and_returned_as_they_are():
    seen = []

    @address(ctypes.c_int64, ctypes.c_int64, ctypes.c_double, ctypes.c_int64)
    def code(*given):
        seen.append(given)
        return -(1 << 40)

    assert numbers_through(code, 1 << 50, 0.1, -3) == -(1 << 40)
    assert seen == [(1 << 50, 0.1, -3)]


def test_an_integer_is_given_as_a_double_where_a_double_is_wanted():
    @address(ctypes.c_double, ctypes.c_double)
    def code(x):
        return 0.5 * x

    assert real_through(code, 3) == 1.5


def test_arrays_are_given_as_pointers_from_where_they_are_to_begin():
    @address(None, POINTER, POINTER, POINTER)
    def code(given, numbers, out):
        out[0], out[1] = given[0] + given[1], numbers[0]

    out = np.zeros(2)
    arrays_through(code, np.array([1.0, 2.0]), np.array([4.0, 5.0, 6.0]), 2, out)
    assert out.tolist() == [3.0, 6.0]


@pytest.mark.skipif(not JIT, reason="Numba's words")
def test_the_same_letters_say_what_a_c_function_is():
    assert str(c_signature("i p p+ d - -> i")) == "(int64, float64*, float64*, float64) -> int64"
    assert str(c_signature("p")) == "(float64*,) -> none"
