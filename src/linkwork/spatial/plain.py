"""A kernel as plain Python, callees included, for code that runs a few times and should not wait for a compiler.

Kernels are the only place where the mathematics stands. The classes for people (`Pose`, `Motion`, ...) call them through
`plain`: microseconds slower a call, but nothing is compiled to build a mechanism.
"""

import functools
import types
from collections.abc import Callable
from typing import Any


@functools.cache
def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The uncompiled function behind a kernel, in which all kernels it calls are replaced likewise.

    It must take and return tuples of Python numbers. With ``LINKWORK_JIT=0`` kernels are plain already.
    """
    source = getattr(function, "py_func", None)
    if source is None:
        return function
    names = dict(source.__globals__)
    for name in source.__code__.co_names:
        if hasattr(names.get(name), "py_func"):
            names[name] = plain(names[name])
    return functools.update_wrapper(types.FunctionType(source.__code__, names, source.__name__), source)
