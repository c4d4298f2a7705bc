"""Misspelt keywords of public functions and classes: the error says what was meant.

    lw.RungeKutta4(stp=1e-3)   ->   RungeKutta4: no argument is called 'stp'; did you mean 'step'? Allowed is step

Python refuses such a call by itself, before a line of the function runs. So a public function stands behind one that does nothing but call it, and
explains only if the call as such was refused: calls that are right pay for one more call of Python (functions that are marked `is_quick`, of which it
would be a fifth, are left as they are), those of the package among itself nothing
(lazy.py hands out what is explained). Methods of classes are explained in place; classes that a person meets without having named them (the Mechanism
of a Document) are decorated where they stand.
"""

import inspect
import types

from .errors import ArgumentError

_DONE: set[type] = set()
ONE = 2  # parameters of a method that takes one thing, which nobody gives by name


def explained(thing):
    """A public function or class whose misspelt keywords are explained. `options_of` of a function: what takes its **options."""
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


def explained_method(function, shown):
    """A function behind one that explains, under the name that is shown (None: that of the class); itself where there is nothing to misspell."""
    if hasattr(function, "__wrapped__") or hasattr(function, "is_quick") or _nothing_to_misspell(function):
        return function

    explain = misspelt

    def call(*given, **named):
        try:
            return function(*given, **named)
        except TypeError as error:
            if named and error.__traceback__.tb_next is None:  # refused before it began
                wrong = explain(function, shown or type(given[0]).__name__, named)
                if wrong is not None:
                    raise wrong from None
            raise

    # With the function's own globals: what looks for the functions of a module, doctest for one, finds it as one of them.
    made = types.FunctionType(call.__code__, function.__globals__, function.__name__, None, call.__closure__)
    for name in ("__module__", "__qualname__", "__doc__", "__annotations__"):
        setattr(made, name, getattr(function, name))
    made.__dict__.update(function.__dict__)
    made.__wrapped__ = function
    return made


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
