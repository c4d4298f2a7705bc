"""The one decorator of all hot code: ``@kernel`` compiles a Python function with Numba and caches the result on disk.

With ``LINKWORK_JIT=0`` in the environment ``@kernel`` is the identity: every algorithm then runs as the plain Python that one
reads, to be stepped in a debugger, measured for coverage, or run on complex numbers or a counting scalar.

Numba's own cache looks only at the file of the function itself, so a change in a *callee's* file would go unnoticed. Ours
stamps every cached kernel with the content of all kernel sources it may call, those of its own folder and of the folders below it: a stale
binary can never be loaded.
"""

import functools
import hashlib
import os
import sys
from pathlib import Path

JIT = os.environ.get("LINKWORK_JIT", "1") != "0"

# Allowed liberties: fuse multiply-add, ignore the sign of zero, multiply by a reciprocal. None of them hides a NaN.
LIBERTIES = {"contract", "nsz", "arcp"}

# Folders whose files hold kernels, callees before callers: a change in one of them invalidates the cached binaries of itself and of those after it.
_KERNEL_SOURCES = (
    "kernel.py",
    "arguments.py",
    "lanes",
    "kernels/fields.py",
    "kernels/array_fields.py",
    "kernels/records.py",
    "kernels/compiled_types.py",
    "kernels/compiled_records.py",
    "scalar.py",
    "spatial",
    "parts/constraints",
    "parts/forces/kind.py",
    "model",
    "dynamics",
    "solvers",
    "integrators",
    "parts/forces",  # called by their addresses: nothing is built on them
)


@functools.cache
def sources_stamp(last=_KERNEL_SOURCES[-1]):
    """Hash of every source file that can end up inside a compiled kernel of the folder `last`."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for entry in _KERNEL_SOURCES[: _KERNEL_SOURCES.index(last) + 1]:
        path = package / entry
        for file in [path] if path.suffix else sorted(path.rglob("*.py")):
            if file.exists():
                digest.update(file.relative_to(package).as_posix().encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()


def _stamp_for(name):
    """The stamp of cached kernels of a file; one outside the package (in a test, say) depends on everything and on its own file."""
    entry, file = _entry_of(name), Path(name)
    if entry is not None:
        return sources_stamp(entry)
    return sources_stamp() + (hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else "")


@functools.cache
def _entry_of(name):
    """The entry of kernel sources that a file belongs to, or None."""
    file, package = Path(name), Path(__file__).parent
    return next((entry for entry in _KERNEL_SOURCES if file.is_relative_to(package / entry)), None)


def kernel(function=None, *, inline=False, holds_gil=False, native=False):
    """Compile `function` on its first call (per combination of argument types); the identity if ``LINKWORK_JIT=0``.

    `inline` asks LLVM to merge the function into its callers: right for small algebra, wrong for algorithms. `holds_gil` keeps
    other Python threads out while the function runs: right for calls of microseconds. `native`: it is called by its address, as C would.
    """
    if function is None:
        return functools.partial(kernel, inline=inline, holds_gil=holds_gil, native=native)
    if not JIT:
        return function
    import numba

    dispatcher = numba.njit(
        nogil=not holds_gil,
        error_model="numpy",
        fastmath=LIBERTIES,
        forceinline=inline,
        _nrt=False,
        no_cpython_wrapper=inline,  # nobody calls small algebra from Python: half of the compile time saved
        no_cfunc_wrapper=not native,
    )(function)
    if inline:
        dispatcher.__class__ = _inline_class()
    else:
        dispatcher._cache = _package_cache()(function)
    return dispatcher


def address_of(function, signature):
    """The address of a native kernel, compiled for this signature, for other kernels to call; in plain Python the function itself.

    What is called by address is compiled once, where a callee called by name is optimised anew inside each of its callers.
    """
    if not JIT:
        return function
    function.compile(signature)
    made = function.overloads[tuple(signature.args)]
    return made.library.get_pointer_to_function(made.fndesc.llvm_cfunc_wrapper_name)


@functools.cache
def _inline_class():
    """Inline kernels have no entry for Python; a call from there is a TypeError instead of a crash."""
    from numba.core.registry import CPUDispatcher

    class InlineKernel(CPUDispatcher):
        def __call__(self, *arguments):
            raise TypeError(f"{self.py_func.__name__} is an inline kernel: call it from a kernel, or through linkwork.spatial.plain.plain")

    return InlineKernel


@functools.cache
def _package_cache():
    """A Numba function cache whose freshness depends on all kernel sources, and that tells people when it compiles."""
    from numba.core import caching

    class PackageCacheImpl(caching.CompileResultCacheImpl):
        def __init__(self, py_func):
            super().__init__(py_func)
            self._locator.get_source_stamp = functools.partial(_stamp_for, py_func.__code__.co_filename)

    class PackageCache(caching.FunctionCache):
        _impl_class = PackageCacheImpl

        def load_overload(self, sig, target_context):
            found = super().load_overload(sig, target_context)
            if found is None:
                compiling.started(self._py_func)
            return found

        def save_overload(self, sig, data):
            super().save_overload(sig, data)
            compiling.ended(self._py_func)

    return PackageCache


class _Compiling:
    """Says which kernel is being compiled (or, where there is no terminal, that kernels are), so that a first run never looks frozen."""

    def __init__(self):
        self.busy = set()
        self.told = False

    def started(self, function):
        self.busy.add(function)
        if not self._visible():
            return
        if not sys.stderr.isatty():
            if not self.told:
                print("linkwork: compiling kernels, once per machine (LINKWORK_QUIET=1 hides this line)", file=sys.stderr, flush=True)
            self.told = True
        else:
            print(f"\r\033[Kcompiling {function.__name__} (once per machine) ...", end="", file=sys.stderr, flush=True)

    def ended(self, function):
        self.busy.discard(function)
        if self._visible() and not self.busy and sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    @staticmethod
    def _visible():
        return os.environ.get("LINKWORK_QUIET", "0") == "0" and sys.stderr is not None


compiling = _Compiling()
