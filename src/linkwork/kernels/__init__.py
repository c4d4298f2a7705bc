"""Kernels: hot code written in Python, compiled by Numba when the library is built, loaded as object files when it is used.

    decorator.py    @kernel, and what a kernel is before anything is compiled
    level.py        processor levels and the number of SIMD lanes of each
    compiler.py     one kernel for one combination of argument types -> one object file (Numba; nothing else imports it at run time)
    signatures.py   the types of arguments as letters, and the symbols of units
    annotations.py  what a kernel says of its result, so that its callers need not compile it
    sources.py      which source files a unit is made of: what decides whether it is fresh
    store.py        where units are kept on disk
    loader.py       objects into memory, by llvmlite alone
    shims.py        how Python calls a loaded kernel
    c_functions.py  C functions as built-in functions of Python
    build.py        all units at once, in parallel processes (worker.py)
    versions.py     which versions of Numba can compile
    calling.py      C functions called by their address
    headers.py      tables behind a header
    user_functions.py  checked_arithmetic.py  compiled_jets.py   what users' functions are compiled with, and the type of their derivatives
    scalar.py  lanes/  lane_flags.py  records.py  fields.py  array_fields.py   what kernels are written with

This folder is the only one that imports Numba and llvmlite; others say `compiled_form(f)` for what compiled code calls in place of f.
"""

from .annotations import Scalar, Vector
from .decorator import ENTRIES, JIT, Kernel, address_of, compiled_form, kernel, numba_ready, when_compiling

__all__ = ["ENTRIES", "JIT", "Kernel", "Scalar", "Vector", "address_of", "compiled_form", "kernel", "numba_ready", "when_compiling"]
