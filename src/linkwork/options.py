"""Options of public functions, checked by name before anything is done with them: a wrong type is an error that names the argument.

    @checked(t="time", threads="threads", method="word")
    def mobility(model, q, t=0.0): ...

Arrays (q, v, tau) are judged where they are taken in (dynamics/call.py); this is for what stands beside them. What a word may be is told by the
function itself, which knows its words.
"""

import functools
import inspect
import math
import types
from typing import Any

import numpy as np

from .errors import StateError
from .keywords import misspelt

_REAL = (int, float, np.integer, np.floating)


def _is_number(x):
    """One finite number."""
    if isinstance(x, (bool, np.bool_)) or not (
        isinstance(x, _REAL) or (isinstance(x, np.ndarray) and x.ndim == 0 and x.dtype.kind in "fiu")
    ):
        return False
    return math.isfinite(x) if not isinstance(x, int) else abs(x) < 10**300


def _is_numbers(x):
    """One number or an array of them; whether they are finite is told by place."""
    if isinstance(x, (bool, np.bool_, str, bytes, dict, set)) or x is None:
        return False
    try:
        return np.asarray(x).dtype.kind in "fiu"
    except (TypeError, ValueError):
        return False


def _is_whole(x, least=0):
    return isinstance(x, (int, np.integer)) and not isinstance(x, bool) and least <= x < 2**53


def _is_names(x):
    """Names or parts, or None; one alone will do."""
    return x is None or isinstance(x, str) or hasattr(x, "name") or isinstance(x, (list, tuple, set, frozenset, dict))


CHECKS: dict[str, tuple[Any, str]] = {
    "time": (_is_number, "a finite number, s"),
    "times": (_is_numbers, "a number, or an array of them, s"),
    "threads": (lambda x: x is None or _is_whole(x, 1), "a whole number from 1 on, or None for all cores"),
    "flag": (lambda x: isinstance(x, (bool, np.bool_)), "True or False"),
    "word": (lambda x: isinstance(x, str) and len(x) < 200, "a word in quotes"),
    "names": (_is_names, "a list of names"),
    "size": (lambda x: _is_number(x) and x >= 0, "a finite number from 0 on"),
    "span": (lambda x: _is_number(x) and 0 <= x < 1e300, "a finite number from 0 on"),
    "whole": (_is_whole, "a whole number from 0 on"),
    "count": (lambda x: _is_whole(x, 1), "a whole number from 1 on"),
    "frame": (lambda x: isinstance(x, str) or hasattr(x, "name"), "the name of a frame or body"),
    "frame or none": (lambda x: x is None or isinstance(x, str) or hasattr(x, "name"), "the name of a frame or body, or None"),
}


def checked(**kinds):
    """Check these options of a function, each by its kind (CHECKS)."""

    def mark(function):
        parameters = inspect.signature(function).parameters
        places = [(_place(parameters, name), name, *CHECKS[kind]) for name, kind in kinds.items()]

        refused, explain, show = StateError, misspelt, shown

        def calls(*given, **options):
            for place, name, fits, allowed in places:
                if place < len(given):
                    value = given[place]
                elif name in options:
                    value = options[name]
                else:
                    continue
                if not fits(value):
                    raise refused(f"{name}: found {show(value)}; allowed is {allowed}; correct it", name)
            try:
                return function(*given, **options)
            except TypeError as error:
                if (
                    options and error.__traceback__.tb_next is None
                ):  # refused before it began: a keyword is misspelt, or something is missing
                    wrong = explain(function, function.__name__, options)
                    if wrong is not None:
                        raise wrong from None
                raise

        # With the function's own globals: what looks for the functions of a module, doctest for one, finds it as one of them.
        return functools.wraps(function)(
            types.FunctionType(calls.__code__, function.__globals__, function.__name__, None, calls.__closure__)
        )

    return mark


def _place(parameters, name):
    """Where an option stands among those that need no name; beyond all of them if it needs one."""
    return list(parameters).index(name) if parameters[name].kind is not inspect.Parameter.KEYWORD_ONLY else 1 << 30


def shown(value):
    """A value for a message, not longer than a line."""
    text = repr(value)
    return f"{text if len(text) <= 80 else text[:77] + '...'} ({type(value).__name__})"
