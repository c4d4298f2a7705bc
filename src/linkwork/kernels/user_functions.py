"""What functions that users hand over are compiled with, and what can be asked of the types of their results. Loaded when the first of them is compiled."""

import functools

from .decorator import numba_ready

numba = numba_ready()

from numba.np.unsafe.ndarray import to_fixed_tuple  # noqa: E402, F401 - after the check of Numba's version; (array, count)

types, type_of, literal_unroll = numba.types, numba.typeof, numba.literal_unroll
CompileError = numba.core.errors.NumbaError
array_behind = numba.carray  # (pointer, shape)
NUMBER = types.float64
NUMBERS = types.float64[::1]  # a contiguous array


def compiled(function):
    """A function as compiled code and Python call it; 1 / 0 is infinite."""
    return numba.njit(error_model="numpy")(function)


def compiled_strictly(function):
    """The same, but 1 / 0 is an exception, as in Python."""
    return numba.njit(function)


@functools.cache
def helper(function):
    """A function that only compiled code calls, compiled once; what Python would need to call it is left out, which saves time."""
    return numba.njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)


def c_function(function):
    """A function of three pointers to floats (see `array_behind`) as a C function; its `address` is valid as long as it lives."""
    pointer = types.CPointer(types.float64)
    return numba.cfunc(types.void(pointer, pointer, pointer))(function)


def result_type(function, arguments):
    """Compile what `compiled` has made for these types of arguments; the type of its result."""
    function.compile(arguments)
    return function.overloads[arguments].signature.return_type


def is_number(kind):
    return isinstance(kind, (types.Integer, types.Float))


def is_tuple(kind, size):
    return isinstance(kind, types.BaseTuple) and len(kind) == size


def is_tuple_of_numbers(kind, size):
    return is_tuple(kind, size) and all(map(is_number, kind.types))


def is_sequence_of_numbers(kind):
    """An array or list, whose length is seen when it is there."""
    return isinstance(kind, (types.Array, types.List)) and getattr(kind, "ndim", 1) == 1 and is_number(kind.dtype)
