"""Kinds made of a function that a user wrote: a class whose fields are the function's parameters.

    @decorator
    def magnet(a, b, t, strength=2.0): ...          magnet is a class of kinds; magnet(strength=3.0) is one of them

What comes first (a, b, t) is given at every call; what follows are parameters, numbers that can be changed. The class stands where the function
stood, under its name, so that kinds can be pickled if the function is at the top of a module. Kinds are equal if their functions say the same
and their parameters are equal.
"""

import dataclasses
import functools
import inspect
import math
import sys
import types
from typing import Any, ClassVar

from ..arguments import explained_method
from ..errors import ModelError
from ..jets.meaning import function_said
from .validation import number, refuse

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Written:
    """What kinds made of a function have in common; `function` is the function, `made_by` what made the class and with which options."""

    function: ClassVar[Any] = None
    made_by: ClassVar[tuple] = ()

    def __post_init__(self):
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, number(getattr(self, field.name), type(self).__name__, field.name))

    def parameters(self) -> tuple[float, ...]:
        """The parameters in the order of the function."""
        return tuple([getattr(self, field.name) for field in dataclasses.fields(self)])  # type: ignore[arg-type]

    def parameter_faults(self):
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if not math.isfinite(value):
                yield f"{field.name} is {value:g}; allowed is a finite number; correct it"

    def _content(self):
        return function_said(self.function), self.made_by[1:], self.parameters()

    def __eq__(self, other):
        return self._content() == other._content() if isinstance(other, Written) else NotImplemented

    def __hash__(self):
        return hash(self._content())

    def __reduce__(self):
        if _stands_under_its_name(type(self)):
            return type(self), self.parameters()
        return _made_again, (self.made_by, self.function, self.parameters())


def written_class(base, function, owner, given, made_by, **attributes):
    """A class of kinds derived from `base`. `given`: names of what comes first in the function's arguments, for messages; `owner`: the decorator.

    `attributes` become attributes of the class.
    """
    fields = [_field(parameter, owner, base) for parameter in _parameters(function, owner, given)]
    namespace = {"function": staticmethod(function), "made_by": made_by, "__doc__": function.__doc__, **attributes}
    made = dataclasses.make_dataclass(function.__name__, fields, bases=(base,), namespace=namespace, frozen=True, eq=False)
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    made.__init__ = explained_method(made.__init__, None)
    return made


def default_kind(kind, owner):
    """The kind whose parameters are the defaults, for a class that was given instead of a kind."""
    missing = [field.name for field in dataclasses.fields(kind) if field.default is dataclasses.MISSING]
    if missing:
        shown = ", ".join(f"{name}=..." for name in missing)
        raise ModelError(
            f"{owner}: {kind.__name__} is given without {', '.join(missing)}, which have no default; write {kind.__name__}({shown})"
        )
    return kind()


def checked_function(function, owner, form):
    """The function, if it is one; `form`: how it should look."""
    if not isinstance(getattr(function, "py_func", function), types.FunctionType):
        raise refuse(owner, "what it decorates", function, f"put it before a function such as {form}")
    return function


def _parameters(function, owner, given):
    """The parameters after those that are given at every call."""
    source = getattr(function, "py_func", function)
    parameters = list(inspect.signature(source).parameters.values())
    name = source.__qualname__
    strange = next((p.name for p in parameters if p.kind not in _POSITIONAL), None)
    if strange is not None:
        raise ModelError(f"{owner}: {name} has the argument {strange!r} (of *, ** or after a *); allowed are plain arguments; write it so")
    if len(parameters) < len(given):
        raise ModelError(
            f"{owner}: {name} has {len(parameters)} arguments; it is called with {', '.join(given)}, and then its parameters; add them"
        )
    return parameters[len(given) :]


def _field(parameter, owner, base):
    """A parameter as a field of a dataclass."""
    name = parameter.name
    if hasattr(base, name) or name in base.taken:
        raise ModelError(f"{owner}: a parameter is called {name!r}, which means something else in a kind; rename the parameter")
    if parameter.default is inspect.Parameter.empty:
        return name, float
    return name, float, dataclasses.field(default=number(parameter.default, owner, f"the default of {name}"))


def _stands_under_its_name(kind):
    """Is the class found under its own name, as pickle looks for it?"""
    try:
        return functools.reduce(getattr, kind.__qualname__.split("."), sys.modules[kind.__module__]) is kind
    except (AttributeError, KeyError):
        return False


def _made_again(made_by, function, parameters):
    """A kind restored from its function, where the class has no name of its own."""
    maker, options = made_by
    return maker(function, **dict(options))(*parameters)
