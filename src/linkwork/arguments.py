"""Arguments of public functions and classes: misspelt names explained, wrong values refused by name, before anything is done with them.

    lw.RungeKutta4(stp=1e-3)   ->   RungeKutta4: no argument is called 'stp'; did you mean 'step'? Allowed is step

    @checked(t="time", threads="threads")
    def mobility(model, q, t=0.0): ...                lw.mobility(m, q, t="now")   ->   t: found 'now' (str); allowed is a finite number, s; correct it

Python refuses a misspelt name by itself, before a line of the function runs. So a public function stands behind one that checks what it is told to
check, calls it, and explains only if the call as such was refused: calls that are right pay for one more call of Python (functions that are marked
`quick`, of which it would be a fifth, are left as they are), those of the package among itself nothing (lazy.py hands out what is explained).
Methods of classes are explained in place; classes that a person meets without having named them (the Mechanism of a Document) are decorated where they
stand. Arrays (q, v, tau) are judged where they are taken in (dynamics/call.py), numbers of parts by parts/validation.py, all by the rules of
validation.py. What a word may be is told by the function itself, which knows its words.
"""

import inspect
import re
import types
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from .errors import ArgumentError, MissingArgumentError, StateError, outside_level
from .validation import array_of, is_finite, is_flag, is_whole, shown

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
_DONE: set[type] = set()

# Arguments whose old names are understood for this version, with a DeprecationWarning: by the function, {old: new}.
_OF_A_RUN = {"frame": "record_interval", "gap": "constraint_tolerance"}
RENAMED: dict[str, dict[str, str]] = {
    "Simulation": _OF_A_RUN,
    "Simulation.resumed": _OF_A_RUN,
    "Simulation.run": {"each_frame": "each_sample"},
    "Simulation.resume": {"each_frame": "each_sample"},
    "simulate": _OF_A_RUN,
    "rollout": {"gap": "constraint_tolerance"},
    "Live": {"gap": "constraint_tolerance"},
    "Live.open": {"gap": "constraint_tolerance"},
    "Live.advance": {"within": "time_budget"},
    "Setup": {"frame": "record_interval"},
}
ONE = 2  # parameters of a method that takes one thing, which nobody gives by name


# ---- values


def _are_numbers(x):
    """One number or an array of them; whether they are finite is told by place."""
    return array_of(x) is not None


def _is_names(x):
    """Names or parts, or None; one alone will do. Or truth values in an array."""
    if getattr(getattr(x, "dtype", None), "kind", "") == "b":
        return True
    return x is None or isinstance(x, str) or hasattr(x, "name") or isinstance(x, (list, tuple, set, frozenset, dict))


CHECKS: dict[str, tuple[Any, str]] = {
    "number": (is_finite, "a finite number"),
    "time": (is_finite, "a finite number, s"),
    "times": (_are_numbers, "a number, or an array of them, s"),
    "threads": (lambda x: x is None or is_whole(x, 1), "a whole number from 1 on, or None for all cores"),
    "flag": (is_flag, "True or False"),
    "word": (lambda x: isinstance(x, str) and len(x) < 200, "a word in quotes"),
    "names": (_is_names, "a list of names"),
    "size": (lambda x: is_finite(x) and x >= 0, "a finite number from 0 on"),
    "span": (lambda x: is_finite(x) and 0 <= x < 1e300, "a finite number from 0 on"),
    "positive": (lambda x: is_finite(x) and x > 0, "a finite number above 0"),
    "whole": (lambda x: is_whole(x, 0), "a whole number from 0 on"),
    "count": (lambda x: is_whole(x, 1), "a whole number from 1 on"),
    "frame": (lambda x: isinstance(x, str) or hasattr(x, "name"), "a frame, a body, the name of one, or a place"),
    "frame or none": (
        lambda x: x is None or isinstance(x, str) or hasattr(x, "name"),
        "a frame, a body, the name of one, a place, or None",
    ),
}


def need(kind, name, value):
    """The value, if it is of a kind (CHECKS); StateError with its name if it is not."""
    fits, allowed = CHECKS[kind]
    if not fits(value):
        raise _wrong_value(name, value, allowed)
    return value


def need_array(name, value, allowed="numbers of one shape"):
    """The value as a new float64 array of any shape; StateError with its name for text, truth values, uneven lists and numbers beyond float64."""
    array = array_of(value)
    if array is None:
        raise StateError(f"{name}: found {shown(value)}; allowed are {allowed}; correct it", _argument(name))
    return array.astype(float)


def _wrong_value(name, value, allowed):
    return StateError(f"{name}: found {shown(value)}; allowed is {allowed}; correct it", _argument(name))


def _argument(name):
    """The argument that a message begins with: targets, of "targets['hand']: weight"."""
    return re.match(r"\w*", name)[0]


# ---- calls


def checked(**kinds: str) -> Callable[[F], F]:
    """Check these arguments of a function, each by its kind (CHECKS), and explain misspelt names."""

    def mark(function: F) -> F:
        parameters = inspect.signature(function).parameters
        return _explaining(function, function.__name__, [(_place(parameters, name), name, *CHECKS[kind]) for name, kind in kinds.items()])

    return mark


def quick(function: F) -> F:
    """Mark a function that is called so often that a call in front of it would be felt: it is left as it is."""
    function.__dict__["is_quick"] = True
    return function


def with_options_of(taker: type) -> Callable[[F], F]:
    """Mark a function that hands its **options on to a class."""

    def mark(function: F) -> F:
        function.__dict__["options_of"] = taker
        return function

    return mark


def _place(parameters, name):
    """Where an argument stands among those that need no name; beyond all of them if it needs one."""
    return list(parameters).index(name) if parameters[name].kind is not inspect.Parameter.KEYWORD_ONLY else 1 << 30


def explained(thing: T) -> T:
    """A public function or class whose misspelt keywords are explained."""
    if isinstance(thing, type):
        _explain_class(thing)
        return thing
    return explained_method(thing, thing.__name__) if isinstance(thing, types.FunctionType) else thing


def _explain_class(cls):
    if cls in _DONE or not (cls.__module__ or "").startswith("linkwork."):
        return
    _DONE.add(cls)
    for base in cls.__mro__[:0:-1]:
        _explain_class(base)
    for name, member in list(vars(cls).items()):
        if isinstance(member, types.FunctionType) and (name == "__init__" or not name.startswith("_")):
            shown = None if name == "__init__" else f"{cls.__name__}.{name}"
            setattr(cls, name, explained_method(member, shown))
        elif (
            isinstance(member, (classmethod, staticmethod)) and isinstance(member.__func__, types.FunctionType) and not name.startswith("_")
        ):
            setattr(cls, name, type(member)(explained_method(member.__func__, f"{cls.__name__}.{name}")))


def explained_method(function, shown) -> Any:
    """A function behind one that explains, under the name that is shown (None: that of the class); itself where there is nothing to misspell."""
    if hasattr(function, "__wrapped__") or hasattr(function, "is_quick") or _nothing_to_misspell(function):
        return function
    return _explaining(function, shown, ())


def _explaining(function, shown, places) -> Any:
    """The function behind one that checks arguments ((place, name, fits, allowed) of each) and explains a call that was refused."""
    explain, wrong_value, current = refused, _wrong_value, current_names

    def call(*given, **named):
        for place, name, fits, allowed in places:
            if place < len(given):
                value = given[place]
            elif name in named:
                value = named[name]
            else:
                continue
            if not fits(value):
                raise wrong_value(name, value, allowed)
        try:
            return function(*given, **named)
        except TypeError as error:
            if error.__traceback__.tb_next is None:  # refused before it began
                name = shown or type(given[0]).__name__
                renamed = current(name, named)
                if renamed is not named:
                    return call(*given, **renamed)
                wrong = explain(function, name, given, named)
                if wrong is not None:
                    raise wrong from None
            raise

    # With the function's own globals: what looks for the functions of a module, doctest for one, finds it as one of them.
    made = types.FunctionType(call.__code__, function.__globals__, function.__name__, None, call.__closure__)
    for name in ("__module__", "__qualname__", "__doc__", "__annotations__"):
        setattr(made, name, getattr(function, name))
    made.__dict__.update(function.__dict__)
    made.__wrapped__ = function  # type: ignore[attr-defined]
    return made


def current_names(function, named):
    """The keywords of a call with new names in place of old ones (RENAMED), and a warning for each; the same dict where there are none."""
    known = RENAMED.get(function, {})
    old = [name for name in named if name in known]
    if not old:
        return named
    found = {name: value for name, value in named.items() if name not in known}
    for name in old:
        new = known[name]
        if new in named:
            raise StateError(f"{function}: found {name!r} and {new!r}, the old and the new name of one argument; leave {name!r} out", name)
        _warn_renamed(f"{function}: the argument {name!r} is called {new!r} now; {name!r} is understood for this version; rename it")
        found[new] = named[name]
    return found


def renamed_attribute(owner, old, new):
    """What an attribute is called now, with a DeprecationWarning; for properties and methods of the old name."""
    _warn_renamed(f"{type(owner).__name__}.{old} is called {new} now; {old} is understood for this version; rename it")
    return getattr(owner, new)


def _warn_renamed(message):
    """A DeprecationWarning at the line that called Linkwork."""
    warnings.warn(message, DeprecationWarning, stacklevel=outside_level())


def _nothing_to_misspell(function):
    """Does it take no argument by name, or, as a method, one thing that nobody gives by name? Asked of every method: by its code alone."""
    code = function.__code__
    plain = code.co_argcount - code.co_posonlyargcount
    method = code.co_argcount > 0 and code.co_varnames[0] in ("self", "cls")
    if plain - method + code.co_kwonlyargcount == 0:
        return True
    return (
        method and function.__name__ != "__init__" and code.co_argcount == ONE and not function.__defaults__ and not code.co_kwonlyargcount
    )


def refused(function, shown, given, named):
    """The error for a call that does not fit a callable: a keyword that it does not know, or an argument that is missing; None for all else."""
    return misspelt(function, shown, named) or _missing(function, shown, given, named)


def _missing(function, shown, given, named):
    parameters = list(inspect.signature(function).parameters.values())
    plain = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    taken = {*plain[: len(given)], *named}
    missing = [
        p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name not in taken
    ]
    if not missing:
        return None
    own = [p for p in parameters if p.name not in ("self", "cls")]
    call = ", ".join(p.name if p.default is p.empty else f"{p.name}=..." for p in own if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))
    return MissingArgumentError(shown, missing[0], f"{shown}({call})")


def misspelt(function, shown, named):
    """The error for keywords that a callable does not know; None if it knows all of them."""
    known, options = _names(function), getattr(function, "options_of", None)
    if options is not None:
        known += [name for name in _names(options) if name not in known]
    elif any(p.kind is p.VAR_KEYWORD for p in inspect.signature(function).parameters.values()):
        return None  # whatever it does with them, it says itself
    wrong = [name for name in named if name not in known]
    return ArgumentError(shown, wrong[0], known) if wrong else None


def _names(function):
    """What a callable takes by name; of a method without self."""
    parameters = list(inspect.signature(function).parameters.values())
    if parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
