"""Actions as Python text: what a person did on the page, as lines that do the same in a script.

Functions of time that are piecewise polynomials (splines are) are written as scipy's PPoly, coefficient by coefficient: reading them gives the same law.
A function that a person wrote cannot be written: its name stands for it, and a comment at the end of the line says so.
"""

import dataclasses
import keyword
import math
import re
import weakref

import numpy as np

from ..errors import LinkworkError
from ..formats.document import Document
from ..integrators.integrator import Integrator
from ..parts.constraints.kind import ConstraintKind
from ..parts.constraints.time_function import CONSTANT, PIECEWISE, TimeFunction
from ..parts.forces.kind import ForceKind
from ..parts.joints.kind import OPTIONS, JointKind
from ..parts.mechanism import Mechanism
from ..parts.part import Part
from ..parts.place import Place
from ..parts.shapes import Shape
from ..parts.surface import Surface
from ..parts.written import Written
from ..spatial.pose import Pose
from ..spatial.rigid_inertia import Inertia

IMPORTS = {"PPoly(": "from scipy.interpolate import PPoly"}  # what a text needs besides `import linkwork as lw`, by how it begins
OWN = (JointKind, ConstraintKind, ForceKind, Shape, Surface, Integrator)

_names: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


class Text:
    """Values as Python writes them, with `lw.` before the names of Linkwork. `own`: names of what the text cannot hold, met on the way."""

    def __init__(self):
        self.own: dict[str, str] = {}

    @property
    def comment(self):
        """What stands at the end of a line that needs something of one's own: nothing if it needs nothing."""
        said = [f"{name}: {what}, which cannot be written here; define it before" for name, what in self.own.items()]
        return f"  # {'; '.join(said)}" if said else ""

    def call(self, owner, method, args, kwargs):
        given = [self.value(value) for value in args] + [f"{name}={self.value(value)}" for name, value in kwargs.items()]
        return f"{owner}.{method}({', '.join(given)})"

    def value(self, value):
        for kinds, write in self._writers:
            if isinstance(value, kinds):
                return write(self, value)
        if hasattr(value, "x") and hasattr(value, "c"):
            return _polynomial_text(value.c, value.x)
        if isinstance(value, type) and issubclass(value, OWN) and not issubclass(value, Written):
            return f"lw.{value.__name__}"
        if callable(value):
            return self.named(value, "a function of yours" if not isinstance(value, type) else "made of a function of yours")
        return self.named(value, f"a {type(value).__name__}")

    def named(self, thing, what):
        """A name for something that has no text."""
        name = name_of(thing)
        self.own[name] = what
        return name

    def _kind(self, kind):
        """A kind with the fields that were given; those at their defaults are left out."""
        shown = [f"{name}={self.value(value)}" for name, value in given_fields(kind)]
        if isinstance(kind, Written):
            return f"{self.named(type(kind), 'made of a function of yours')}({', '.join(shown)})"
        return f"lw.{type(kind).__name__}({', '.join(shown)})"

    def _time_function(self, time_function):
        if time_function.kind == CONSTANT:
            return _number_text(time_function.value)
        if time_function.kind == PIECEWISE:
            return _polynomial_text(np.array(time_function.pieces).T, np.array(time_function.breaks))
        name = self.named(time_function.function, "a function of yours")
        return name if time_function.component < 0 else f"lambda t: {name}(t)[{time_function.component}]"

    def _sequence(self, values):
        if (path := _path_function(values)) is not None:
            return self.named(path, "a function of yours")
        inside = ", ".join(self.value(entry) for entry in values)
        return f"[{inside}]" if isinstance(values, list) else f"({inside}{',' if len(values) == 1 else ''})"

    def _place(self, place):
        return repr(place.name) if place.pose == Pose() else f"lw.Place({place.name!r}, {self.value(place.pose)})"

    def _pose(self, pose):
        p = self.value(tuple(pose.translation.tolist()))
        if np.array_equal(pose.rotation, np.eye(3)):
            return f"lw.Pose({p})"
        turn = tuple(pose.quaternion.tolist())
        exact = Pose(pose.translation, turn) == pose  # else the matrix, which is itself
        return f"lw.Pose({p}, {self.value(turn if exact else pose.rotation.tolist())})"

    def _inertia(self, inertia):
        return f"lw.Inertia({self.value(inertia.mass)}, {self.value(tuple(inertia.com))}, {self.value(inertia.tensor)})"

    def _dictionary(self, values):
        return "{" + ", ".join(f"{self.value(key)}: {self.value(entry)}" for key, entry in values.items()) + "}"

    def _mechanism(self, mechanism):
        """As the text of a file; one with functions in it has none."""
        try:
            return f"lw.Document.from_text({Document(mechanism).text!r}).mechanism"
        except LinkworkError:
            return self.named(mechanism, "a Mechanism")

    _writers = (
        (Mechanism, _mechanism),
        (Part, lambda self, part: repr(part.name)),
        (Place, _place),
        (Pose, _pose),
        (TimeFunction, _time_function),
        (Inertia, _inertia),
        (np.ndarray, lambda self, values: self.value(values.tolist())),
        (np.generic, lambda self, value: self.value(value.item())),
        ((bool, str, type(None)), lambda self, value: repr(value)),
        ((int, float), lambda self, value: _number_text(value)),
        ((list, tuple), _sequence),
        (dict, _dictionary),
        ((*OWN, Written), _kind),
    )


def call_text(owner, method, args, kwargs) -> str:
    """live.add_joint('pivot', lw.Revolute(axis=(0, 1, 0)), 'ground', 'rod') and the like."""
    text = Text()
    return text.call(owner, method, args, kwargs) + text.comment


def value_text(value):
    """A value as Python writes it; what has no text stands there by a name (class Text says which)."""
    return Text().value(value)


def given_fields(kind):
    """(name, value) of the fields of a kind that are not at their defaults."""
    for field in sorted(dataclasses.fields(kind), key=lambda field: field.name in OPTIONS):
        if not field.init:
            continue
        value, default = getattr(kind, field.name), field.default
        if isinstance(value, TimeFunction) and value.kind == CONSTANT:
            value = value.value
        if isinstance(kind, JointKind) and field.name in OPTIONS:
            if value == (default,) * kind.nv:
                continue
            value = value[0] if len(set(value)) == 1 else value
        elif default is not dataclasses.MISSING and type(value) is type(default) and bool(np.all(value == default)):
            continue
        elif field.default_factory is not dataclasses.MISSING and value == field.default_factory():
            continue
        yield field.name, value


def name_of(thing):
    """A name for a function or anything else that has no text: its own if it can be one, and another for everything that is called the same."""
    try:
        if thing in _names:
            return _names[thing]
        known = _names
    except TypeError:  # it cannot be remembered
        known = {}
    given = getattr(thing, "__name__", type(thing).__name__)
    base = given if given.isidentifier() and not keyword.iskeyword(given) else re.sub(r"\W", "", given) or "thing"
    base = f"{base}_" if keyword.iskeyword(base) or base in ("lw", "live", "m", "PPoly") else base
    taken, name, count = set(_names.values()), base, 1
    while name in taken:
        count += 1
        name = f"{base}_{count}"
    try:
        known[thing] = name
    except TypeError:
        return name
    return name


def _path_function(values):
    """The function that gives x, y and z of a path, if one does."""
    time_functions = len(values) == 3 and all(isinstance(part, TimeFunction) for part in values)
    if time_functions and [part.component for part in values] == [0, 1, 2] and len({id(part.function) for part in values}) == 1:
        return values[0].function
    return None


def _polynomial_text(c, x):
    """A piecewise polynomial: coefficients, highest power first, and breaks."""
    return f"PPoly({np.asarray(c, dtype=float).tolist()!r}, {np.asarray(x, dtype=float).tolist()!r})"


def _number_text(value):
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        return f"{int(value)}.0"
    return repr(value)
