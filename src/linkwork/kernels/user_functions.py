"""What functions that users hand over are compiled with, and what can be asked of the types of their results. Loaded when the first of them is compiled.

They are compiled with checked indices and checked arithmetic: a place beyond an array, an integer beyond 64 bits, a division by zero is an exception.
LINKWORK_BOUNDS=0 leaves the checks out everywhere, numba.njit(boundscheck=False) those of indices in one function, numba.njit(error_model="numpy") those
of arithmetic (decision 0019).
"""

import functools

from .decorator import numba_ready
from .switches import switch

numba = numba_ready()

from numba.np.unsafe.ndarray import to_fixed_tuple  # noqa: E402, F401 - after the check of Numba's version; (array, count)

types, type_of, literal_unroll = numba.types, numba.typeof, numba.literal_unroll
array_behind = numba.carray  # (pointer, shape)
NUMBER = types.float64
NUMBERS = types.float64[::1]  # a contiguous array
FLOATS = types.CPointer(types.float64)
CHECKED = switch("LINKWORK_BOUNDS", True)  # are indices and arithmetic checked?


def compiled(function, like=None):
    """A function as compiled code and Python call it, which raises where plain Python does.

    `like`: what its author made of it with numba.njit, whose options stay.
    """
    options = {"error_model": "python"} if like is None else dict(like.targetoptions)
    checked = CHECKED and options.get("boundscheck") is not False
    if CHECKED and options.get("error_model", "python") == "python":
        from .checked_arithmetic import CheckedArithmetic

        options["pipeline_class"] = CheckedArithmetic
    return numba.jit(**{**options, "nopython": True, "boundscheck": checked})(function)


def is_compiled(value):
    """Is this a function that its author has given to numba.njit?"""
    return isinstance(value, numba.core.dispatcher.Dispatcher)


@functools.cache
def helper(function, checked=False):
    """A function of ours that only compiled code calls, compiled once; what Python would need to call it is left out, which saves time.

    `checked`: it reads from arrays that a user's function has made.
    """
    options = {"boundscheck": checked and CHECKED, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return numba.njit(error_model="numpy", **options)(function)


def c_function(function):
    """A function of three pointers to floats (see `array_behind`) as a C function; its `address` is valid as long as it lives."""
    return numba.cfunc(types.void(FLOATS, FLOATS, FLOATS))(function)


@numba.extending.intrinsic
def floats_at(typingctx, address):
    """A pointer to the floats at an address."""

    def lower(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(FLOATS))

    return FLOATS(types.int64), lower


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
