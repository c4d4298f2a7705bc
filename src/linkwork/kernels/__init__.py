"""Kernels: hot code written in Python, compiled by Numba when the library is built, loaded as object files when it is used.

    decorator.py    @kernel, and what a kernel is before anything is compiled
    level.py        processor levels and the number of SIMD lanes of each
    compiler.py     one kernel for one combination of argument types -> one object file (Numba; nothing else imports it at run time)
    units.py        names, sources and freshness of these units
    store.py        where units are kept on disk
    loader.py       objects into memory, by llvmlite alone
    shims.py        how Python calls a loaded kernel
    build.py        all units at once, in parallel processes

This folder is the only one that knows Numba and llvmlite.
"""

from .annotations import Scalar, Vector
from .decorator import ENTRIES, JIT, Kernel, address_of, kernel, numba_ready, when_compiling

__all__ = ["ENTRIES", "JIT", "Kernel", "Scalar", "Vector", "address_of", "kernel", "numba_ready", "when_compiling"]
