"""A user's plain function made to take jets: the names it uses are looked up anew.

Compiled, Numba finds sin and the like for jets by itself; helper functions that the user wrote are compiled with it. In plain Python,
`math`, `numpy` and functions imported from them are replaced by twins that know jets.
"""

import math
import types

import numpy as np

from ..kernels import JIT
from . import rules
from .meaning import cached_by_meaning
from .number import binary, unary


def _differentiated_functions():
    """{original function: twin that takes jets}."""
    found = {}
    for table, make in ((rules.UNARY, unary), (rules.BINARY, binary)):
        for rule, (in_math, in_numpy) in table.items():
            for module, names in ((math, in_math), (np, in_numpy)):
                found |= {getattr(module, name): make(rule, getattr(module, name)) for name in names}
    return found


FUNCTIONS = _differentiated_functions()


class _DifferentiatedModule:
    """Stands in for `math` or `numpy`."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        value = getattr(self._module, name)
        return FUNCTIONS.get(value, value) if callable(value) and not isinstance(value, type) else value


_MODULES = {id(module): _DifferentiatedModule(module) for module in (math, np)}


def is_function(value):
    """Can this be differentiated: a function written in Python (also one already given to numba.njit), or one of math or numpy?"""
    return isinstance(_source(value), types.FunctionType) or _is_known(value)


def differentiable(function):
    """The twin of a function that takes jets, ready to be called (plain) or to be called by compiled code."""
    if _is_known(function):
        known = function
        return differentiable(lambda x: known(x))
    return _compiled(function) if JIT else _retargeted(_source(function), _plain)


def compilable(function):
    """A function of plain numbers, helpers that its author wrote included, as Numba compiles it."""
    return _compiled(function)


def interpreted(function):
    """A function in plain Python, helpers that were given to numba.njit included: what they do wrong raises, and writes nowhere."""
    return _retargeted(_source(function), _unwrapped) if isinstance(_source(function), types.FunctionType) else function


def _unwrapped(value):
    return interpreted(value) if hasattr(value, "py_func") else value


def _is_known(value):
    try:
        return value in FUNCTIONS
    except TypeError:
        return False


def _source(value):
    return getattr(value, "py_func", value)


@cached_by_meaning
def _compiled(function):
    from ..kernels.user_functions import compiled, is_compiled

    return compiled(compilable_source(function), function if is_compiled(function) else None)


def compilable_source(function):
    """A function whose helpers are compiled, itself ready to be."""
    return _retargeted(_source(function), _for_numba)


def _for_numba(value):
    """Helpers that were given to numba.njit already are compiled once more too: with checked indices."""
    from ..kernels.user_functions import is_compiled

    return _compiled(value) if isinstance(value, types.FunctionType) or is_compiled(value) else value


def _plain(value):
    if id(value) in _MODULES:
        return _MODULES[id(value)]
    if _is_known(value):
        return FUNCTIONS[value]
    return _retargeted(_source(value), _plain) if isinstance(_source(value), types.FunctionType) else value


def _retargeted(function, change):
    """The function with other values behind the global and enclosing names it uses; itself if none changes."""
    code = function.__code__
    known = function.__globals__
    names = {name for name in _names(code) if name in known and _source(known[name]) is not function}
    new = {name: value for name in names if (value := change(known[name])) is not known[name]}
    cells = tuple([_changed_cell(cell, function, change) for cell in function.__closure__ or ()])
    if not new and cells == (function.__closure__ or ()):
        return function
    differentiated = types.FunctionType(code, known | new, function.__name__, function.__defaults__, cells)
    differentiated.__kwdefaults__ = function.__kwdefaults__
    differentiated.__qualname__ = function.__qualname__
    return differentiated


def _changed_cell(cell, function, change):
    try:
        value = cell.cell_contents
    except ValueError:  # not filled yet
        return cell
    changed = value if _source(value) is function else change(value)
    return cell if changed is value else types.CellType(changed)


def _names(code):
    """All global names that a function's code uses, also inside functions it defines."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
