"""The one decorator of all hot code.

With ``LINKWORK_JIT=0`` in the environment ``@kernel`` is the identity: every algorithm then runs as the plain Python that one
reads, to be stepped in a debugger, measured for coverage, or run on complex numbers or a counting scalar.

Otherwise a kernel is an object that knows its function. Nothing is compiled and Numba is not imported until a unit is needed that is not on disk.
``LINKWORK_JIT=1`` does not mean "as usual": it leaves the built library aside (store.py), for those who work on the compiler.
"""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, overload

from .switches import check_switches, switch

F = TypeVar("F", bound=Callable[..., Any])

check_switches()
JIT = switch("LINKWORK_JIT", True)


ENTRIES: list = []  # (kernel, letters) of all that Python or an address reaches: what a library is built for


_KERNELS: dict = {}


class Kernel:
    """A function that compiled code calls: merged into its callers (`inline`), or a C function of its own, compiled once for each combination of types.

    `entry`: the types of its arguments and of its result for calls from Python, as letters (signatures.py), such as "i A1 A1 -> i".
    `address`: the types of its arguments for calls by its address.
    `holds_gil`: a call from Python keeps other threads out, right for calls of microseconds.
    """

    def __init__(self, function, inline=False, entry=None, address=None, holds_gil=False):
        self.py_func, self.inline, self.entry, self.address, self.holds_gil = function, inline, entry, address, holds_gil
        self.called = None
        _KERNELS[function.__module__, function.__qualname__] = self
        for letters in (entry, address):
            if letters is not None:
                ENTRIES.append((self, letters.partition("->")[0]))
        functools.update_wrapper(self, function)

    @property
    def name(self):
        """Module and name without the package: "dynamics.aba.articulated_bodies"."""
        return f"{self.py_func.__module__.removeprefix('linkwork.')}.{self.py_func.__qualname__}"

    @property
    def is_ours(self):
        """Does it belong to the package? What belongs to others is compiled in this process and not kept on disk."""
        return self.py_func.__module__.startswith("linkwork.")

    def __call__(self, *arguments):
        if self.called is None:
            self.called = self._callable()
        return self.called(*arguments)

    def _callable(self):
        if self.inline:
            raise TypeError(f"{self.__name__} is an inline kernel: call it from a kernel, or through linkwork.spatial.plain.plain")
        if self.entry is not None:
            from .shims import python_entry

            return python_entry(self, self.entry, self.holds_gil)
        numba_ready()
        from .compiler import dispatcher_for_python  # types are found out at each call: for tests

        return dispatcher_for_python(self)

    def __repr__(self):
        return f"<kernel {self.name}>"

    def __reduce__(self):
        return _find_kernel, (self.py_func.__module__, self.py_func.__qualname__)


def _find_kernel(module, name):
    import importlib

    known = _KERNELS.get((module, name))
    return known if known is not None else getattr(importlib.import_module(module), name)


@overload
def kernel(function: Callable[..., Any]) -> Callable[..., Any]: ...


@overload
def kernel(
    *, inline: bool = False, entry: str | None = None, address: str | None = None, holds_gil: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...


def kernel(
    function: Any = None, *, inline: bool = False, entry: str | None = None, address: str | None = None, holds_gil: bool = False
) -> Any:
    """Mark a function as hot code; the identity if ``LINKWORK_JIT=0``. See `Kernel` for the options."""
    if function is None:
        return functools.partial(kernel, inline=inline, entry=entry, address=address, holds_gil=holds_gil)
    return Kernel(function, inline, entry, address, holds_gil) if JIT else function


def address_of(function):
    """The address of a kernel as a C function, for other kernels to call; in plain Python the function itself."""
    if not JIT:
        return function
    from .loader import address_of_kernel

    return address_of_kernel(function, function.address)


def numba_ready():
    """Numba, told about our types and verbs: for functions that users hand over, which are compiled when they are used."""
    from .versions import check_numba

    check_numba()
    import numba

    from .compiler import begin

    begin()
    return numba


_pending: list = []
_compiling = False


def when_compiling(function: F) -> F:
    """Run `function` when something is compiled for the first time: what tells Numba about our types and verbs stands in such functions."""
    if _compiling:
        function()
    elif JIT:
        _pending.append(function)
    return function


def compiled_form(function: Any) -> Callable[[F], F]:
    """Decorator, within `when_compiling`: what compiled code calls in place of a function.

    The decorated function is given the types of the arguments and returns a function of the arguments themselves, or None where it has none for them.
    """
    from numba.extending import overload

    form: Callable[[F], F] = overload(function)
    return form


def begin_compiling():
    """Let Numba know all our types and verbs. Called by compiler.py alone."""
    global _compiling
    _compiling = True
    while _pending:
        _pending.pop(0)()
