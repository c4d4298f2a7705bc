"""Which versions of Numba can compile kernels.

compiler.py drives Numba from within: its passes, its code libraries, its contexts of types. Those change without notice, so it runs with versions
that it was tested with and refuses others. Loading what is compiled already needs llvmlite alone, and is not asked.
"""

import functools
import os
from importlib import metadata

from ..errors import LinkworkError

FIRST, BEFORE = (0, 63), (0, 69)  # pyproject.toml says the same; a test compares them


class CompilerVersionError(LinkworkError, RuntimeError):
    """Something must be compiled, and the Numba that is installed is none that this was tested with."""


@functools.cache
def check_numba():
    """Raise CompilerVersionError unless the Numba that is installed can compile kernels."""
    advice = f"allowed is {allowed()}; install it with: python -m pip install '{allowed()}'"
    if os.environ.get("LINKWORK_JIT") == "1":
        advice += "; or leave out LINKWORK_JIT=1, which compiles all kernels anew instead of using the built library"
    try:
        found = metadata.version("numba")
    except metadata.PackageNotFoundError:
        raise CompilerVersionError(f"a kernel or a function must be compiled, and Numba is not installed; {advice}") from None
    if not FIRST <= _numbers(found) < BEFORE:
        raise CompilerVersionError(f"a kernel or a function must be compiled, and Numba {found} is installed; {advice}")


def allowed():
    """The range as pip writes it."""
    return f"numba>={FIRST[0]}.{FIRST[1]},<{BEFORE[0]}.{BEFORE[1]}"


def _numbers(version):
    """(0, 68) of "0.68.1"; what cannot be read is older than all."""
    parts = version.split(".")[:2]
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else (0, 0)
