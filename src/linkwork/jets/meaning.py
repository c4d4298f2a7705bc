"""What a function means: its code and what it uses from outside, by which functions are told apart and their compiled forms are kept.

Compiled code holds the numbers and helpers from outside as they were. A function whose global number has changed since, or whose helper was defined
anew, as in a notebook, is another one, though it is the same object.
"""

import functools
import types

import numpy as np


def cached_by_meaning(make):
    """Keep what make(...) gives, as long as the functions among its arguments mean the same."""
    kept: dict = {}

    @functools.wraps(make)
    def cached(*given):
        functions = [x for x in given if isinstance(getattr(x, "py_func", x), types.FunctionType)]
        key = given, *map(function_said, functions)
        if key not in kept:
            kept[key] = make(*given)
        return kept[key]

    return cached


def function_said(function, within=()):
    """A function by its name, its code and what it uses from outside (numbers, arrays, other functions), not by its address."""
    source = getattr(function, "py_func", function)
    if not hasattr(source, "__code__"):
        return repr((source.__name__,))
    code = source.__code__
    outside = {name: cell.cell_contents for name, cell in zip(code.co_freevars, source.__closure__ or (), strict=True)}
    outside |= {name: source.__globals__[name] for name in code.co_names if name in source.__globals__}
    values = sorted((name, repr(value)) for name, value in outside.items() if isinstance(value, (int, float, str, tuple)))
    values += sorted((name, value.tobytes()) for name, value in outside.items() if isinstance(value, np.ndarray))
    used = {name: getattr(value, "py_func", value) for name, value in outside.items()}
    others = sorted((name, f) for name, f in used.items() if isinstance(f, types.FunctionType) and f not in (source, *within))
    values += [(name, function_said(f, (source, *within))) for name, f in others]
    defaults = source.__defaults__, source.__kwdefaults__
    return repr((source.__module__, source.__qualname__, _code_said(code), repr(defaults), values))


def _code_said(code):
    """Instructions and constants; functions defined inside are constants too."""
    constants = tuple([_code_said(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts])
    return code.co_code, code.co_names, constants
