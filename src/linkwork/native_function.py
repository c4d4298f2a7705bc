"""A user's plain function as a native one that compiled code calls by its address:   law(given, numbers, out), three arrays of floats.

It is compiled by Numba. If that cannot be done (it prints, keeps a dictionary, calls a library), it runs interpreted behind a C callback with the
same interface, announced once by an InterpretedWarning. Either way an exception leaves NaN in `out`, and `first_error` tells it: an interpreted
function's is remembered; a compiled one leaves what it was given, and is called with that once more in plain Python, which knows index and size where
compiled code knows only that an index was wrong. With LINKWORK_JIT=0 the function is simply called, and its exceptions are its own.

What stands between the three arrays and the function's own arguments is an adapter.
"""

import ctypes
import dis
import math
import re
import warnings
from collections.abc import Hashable
from typing import Any, NamedTuple, Protocol

import numpy as np

from .errors import InterpretedWarning, ModelError
from .jets.meaning import cached_by_meaning
from .jets.retarget import compilable, interpreted
from .kernels import JIT


class Adapter(Hashable, Protocol):
    """How a function is called. Hashable: a function is compiled once for each adapter.

    `sizes`: how many numbers are in given, in numbers and in out. The fillers have the arguments (given, numbers, out).
    """

    sizes: tuple[int, int, int]

    def argument_types(self) -> tuple:
        """Numba's types of the function's arguments."""

    def compiled_filler(self, function, returns) -> Any:
        """The function, already compiled, between arrays, to be compiled too; ModelError if what it returns (a Numba type) is not right."""

    def plain_filler(self, function) -> Any:
        """The same in plain Python; raises ValueError if what is returned is not right."""


class Native(NamedTuple):
    """A native function: its address (in plain Python the function itself), what must be kept alive, and whether it runs interpreted."""

    address: Any
    keep: Any
    interpreted: bool


def native_callable(function, adapter: Adapter, owner: str) -> Native:
    """The function as compiled code calls it. `owner`: the part in words, for messages."""
    if not JIT:
        return Native(adapter.plain_filler(function), None, False)
    try:
        return _native(function, adapter)
    except ModelError as error:
        raise ModelError(f"{owner}: {error}") from error


def interpreted_callable(function, adapter: Adapter) -> Native:
    """The function as compiled code calls it, interpreted: at once, and without a word, for what is called too seldom to be compiled."""
    if not JIT:
        return Native(adapter.plain_filler(function), None, False)
    callback = _called_back(adapter.plain_filler(interpreted(function)), adapter.sizes)
    return Native(ctypes.cast(callback, ctypes.c_void_p).value, callback, True)


def reads_argument(function: Any, place: int) -> bool:
    """Does a function use its argument at a place? True if that cannot be told."""
    code = getattr(getattr(function, "py_func", function), "__code__", None)
    if code is None or place >= code.co_argcount:
        return True
    name = code.co_varnames[place]
    if name in code.co_cellvars:
        return True
    read = (i.argval if isinstance(i.argval, tuple) else (i.argval,) for i in dis.get_instructions(code) if i.opname.startswith("LOAD_"))
    return any(name in names for names in read)


def last_error(address) -> BaseException | None:
    """What an interpreted function raised when it was called last, None if it did not."""
    raise_interrupts()
    return _ERRORS.get(address)


def first_error(address) -> BaseException | None:
    """What a function, compiled or interpreted, raised first since `forget_errors`, None if it did not."""
    raise_interrupts()
    failed = _FAILED.get(address)
    return _FIRST_ERRORS.get(address) if failed is None else failed.error()


def forget_errors(addresses):
    """Let `first_error` begin anew."""
    for address in addresses:
        _FIRST_ERRORS.pop(address, None)
        if address in _FAILED:
            _FAILED[address].arguments[0] = 0.0


def reason(error) -> str:
    """The line of a compiler's message that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("Failed in nopython", "During:", "-", ">>>", "There are"))]
    return re.sub(r"\W*Raised from \w+$", "", (telling or lines or [type(error).__name__])[0].rstrip(".:"))


# ---- compiled


@cached_by_meaning
def _native(function, adapter):
    try:
        made = _compiled(function, adapter)
    except ModelError:
        raise
    except Exception as error:  # Numba raises whatever it meets in a user's code
        name = getattr(function, "__qualname__", repr(function))
        _warn_at(
            function,
            f"{name} cannot be compiled and runs interpreted, some hundred times slower; the compiler says: {reason(error)}. Compiled is what uses arithmetic, "
            "tuples, arrays and functions of math and numpy; write it so to make it fast",
        )
        return interpreted_callable(function, adapter)
    return Native(made.address, made, False)


def _warn_at(function, message):
    """An InterpretedWarning that points at the function, not at us."""
    source = getattr(function, "py_func", function)
    code = getattr(source, "__code__", None)
    if code is None:
        warnings.warn(message, InterpretedWarning, stacklevel=3)
    else:
        warnings.warn_explicit(message, InterpretedWarning, code.co_filename, code.co_firstlineno, source.__module__)


def _compiled(function, adapter):
    from .kernels.user_functions import result_type

    inner = compilable(function)
    fill = adapter.compiled_filler(inner, result_type(inner, adapter.argument_types()))
    return native_filler(fill, adapter.plain_filler(interpreted(function)), adapter.sizes)


def native_filler(fill, plain_fill, sizes, checked=False):
    """fill(given, numbers, out), to be compiled, as a C function, with its `address`. Where it raises, out is NaN.

    `plain_fill`: the same in plain Python, which finds out what was raised. `sizes`: how many numbers are in the three arrays. `checked`: does fill
    read from arrays that a user's function has made?
    """
    from .kernels.user_functions import array_behind, c_function, floats_at, helper

    given_size, numbers_size, out_size = sizes
    failed = _Failed(plain_fill, sizes)
    inner, kept_at, kept_size = helper(fill, checked), failed.arguments.ctypes.data, len(failed.arguments)

    def native(given_pointer, numbers_pointer, out_pointer):
        given, numbers = array_behind(given_pointer, (given_size,)), array_behind(numbers_pointer, (numbers_size,))
        out = array_behind(out_pointer, (out_size,))
        try:
            inner(given, numbers, out)
        except Exception:
            out[:] = math.nan
            kept = array_behind(floats_at(kept_at), (kept_size,))
            if kept[0] == 0.0:
                kept[1 : 1 + given_size] = given
                kept[1 + given_size :] = numbers
                kept[0] = 1.0

    made = c_function(native)
    _FAILED[made.address] = failed
    return made


class _Failed:
    """The first call in which a compiled function raised: a mark, what was given, and its numbers."""

    def __init__(self, plain_fill, sizes):
        self.plain_fill, self.sizes = plain_fill, sizes
        self.arguments = np.zeros(1 + sizes[0] + sizes[1])

    def error(self):
        """What the function raises for that in plain Python; None if there was no such call."""
        if self.arguments[0] == 0.0:
            return None
        split = 1 + self.sizes[0]
        for floats in ("ignore", "raise"):  # numbers of arrays are NumPy's, which raise only when they are asked to
            try:
                with np.errstate(divide=floats, invalid=floats, over=floats):
                    self.plain_fill(self.arguments[1:split].copy(), self.arguments[split:].copy(), np.zeros(self.sizes[2]))
            except Exception as error:
                return error
        return OverflowError(
            "a whole number beyond 64 bits, or a whole number to a negative power, which plain Python has and compiled code has not; "
            "compute with floats (2.0 ** 70)"
        )


_FAILED: dict[int, _Failed] = {}  # by address


# ---- interpreted

_POINTER = ctypes.POINTER(ctypes.c_double)
_CALLBACK = ctypes.CFUNCTYPE(None, _POINTER, _POINTER, _POINTER)
_ERRORS: dict[int, BaseException] = {}  # of the last call, by address
_FIRST_ERRORS: dict[int, BaseException] = {}  # kept until they are forgotten
_INTERRUPTS: list[BaseException] = []  # Ctrl-C, or an exit, while an interpreted function ran: no fault of that function


def raise_interrupts():
    """Raise the interrupt that came while native code was calling a function back, if one did: to be called once native code has returned."""
    if _INTERRUPTS:
        error = _INTERRUPTS[0]
        _INTERRUPTS.clear()
        raise error


def _called_back(fill, sizes):
    """A C callback that fills arrays; ctypes takes the interpreter's lock by itself."""
    given_size, numbers_size, out_size = sizes

    def called(given, numbers, out):
        filled = _array(out, out_size)
        _ERRORS.pop(address, None)
        try:
            fill(_array(given, given_size), _array(numbers, numbers_size), filled)
        except BaseException as error:  # an interrupt too: nothing may pass through native code
            filled[:] = math.nan
            if not isinstance(error, Exception):
                _INTERRUPTS.append(error)
                return
            _ERRORS[address] = error
            _FIRST_ERRORS.setdefault(address, error)

    callback = _CALLBACK(called)
    address = ctypes.cast(callback, ctypes.c_void_p).value
    return callback


def _array(pointer, size):
    return np.ctypeslib.as_array(pointer, (size,)) if size else np.empty(0)
