"""Values of the native format: what a field of a part becomes in TOML, and back, without loss.

    number                      a number; whole numbers are written without a point (7850), which reads back as the same float
    None                        "free", as a coordinate of a Lock is
    sequence, array             a list
    Pose                        see native_poses
    Surface                     { friction = 0.5, restitution = 0 }
    function of time                 a number, { breaks = [...], pieces = [[...], ...] } (as PPoly: highest power of t - t_i first;
                                extrapolate = false if it ends with them),
                                { times = [...], values = [...] } (a cubic spline through them, as CubicSpline makes it; read only),
                                or { function = "name" }
    a Python function           its name; the program that reads the file says which function it is

A file holds no code: functions are found by name among those handed to the reader, and written by name if the writer knows them.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import FormatError, ModelError
from ..parts.constraints.time_function import CONSTANT, PIECEWISE, TimeFunction, time_function
from ..parts.surface import Surface
from ..spatial.pose import Pose
from ..validation import shown
from .native_numbers import RefusalError, decode_number, decode_numbers, encode_number, encode_text, inside
from .native_poses import POSE_KEYS, pose_from_table, pose_to_table
from .native_report import NativeReport, found, unknown

FREE = "free"
SURFACE_KEYS = ("friction", "restitution")
TIME_FUNCTION_KEYS = ("breaks", "pieces", "extrapolate", "times", "values", "function", "component")


@dataclass(frozen=True)
class Writing:
    """What a writer needs to know: names of Python functions, and the folder of the file (None: text without a place)."""

    functions: dict[str, Any] = field(default_factory=dict)
    folder: str | None = None

    def name_of(self, function, owner, what):
        for name, known in self.functions.items():
            if known is function:
                return name
        raise FormatError(
            f"{owner}: {what} is a Python function ({getattr(function, '__name__', function)!r}), and a file holds no code; "
            f"give it a name with functions={{'name': function}}, here and when the file is read, or use a number or a spline"
        )


@dataclass(frozen=True)
class Reading:
    """What a reader needs to know: where to report, Python functions by name, the folder of the file (None: text without a place)."""

    report: NativeReport
    functions: dict[str, Any] = field(default_factory=dict)
    folder: str | None = None


# ---- to TOML


def encode(value, owner, what, writing, infinite=False):
    """A value as TOML has it; `infinite`: may it be infinite?"""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return encode_number(float(value), owner, what, infinite)
    if value is None:
        return FREE
    if isinstance(value, str):
        return encode_text(value, owner, what)
    if isinstance(value, TimeFunction):
        return _encode_time_function(value, owner, what, writing)
    if isinstance(value, Pose):
        return pose_to_table(value, owner, what)
    if isinstance(value, Surface):
        return surface_to_table(value, owner)
    if isinstance(value, tuple | list | np.ndarray):
        return _encode_list(value, owner, what, writing, infinite)
    if callable(value):
        return writing.name_of(value, owner, what)
    raise FormatError(f"{owner}: {what} is {value!r} ({type(value).__name__}), which has no form in a file; use numbers, lists or text")


def _encode_list(value, owner, what, writing, infinite):
    if isinstance(value, np.ndarray):
        if not value.size:
            raise FormatError(f"{owner}: {what} is an empty array; give at least one row")
        value = value.tolist()
    shared = _path_function(value)
    if shared is not None:
        return {"function": writing.name_of(shared, owner, what)}
    return [encode(item, owner, what, writing, infinite) for item in value]


def _path_function(value):
    """The function that gives x, y and z of a path, if one does."""
    time_functions = len(value) == 3 and all(isinstance(part, TimeFunction) for part in value)
    if time_functions and [part.component for part in value] == [0, 1, 2] and value[0].function is not None:
        return value[0].function if all(part.function is value[0].function for part in value) else None
    return None


def _encode_time_function(value, owner, what, writing):
    if value.kind == CONSTANT:
        return encode_number(value.value, owner, what)
    if value.kind == PIECEWISE:
        rows = [[encode_number(c, owner, what) for c in piece] for piece in value.pieces]
        table = {"breaks": [encode_number(t, owner, what) for t in value.breaks], "pieces": rows}
        return table if value.extrapolates else {**table, "extrapolate": False}
    table = {"function": writing.name_of(value.function, owner, what)}
    return table if value.component < 0 else {**table, "component": value.component}


def surface_to_table(surface, owner):
    """{ friction = 0.5, restitution = 0 }"""
    return {key: encode_number(getattr(surface, key), owner, f"{key} of its surface") for key in SURFACE_KEYS}


# ---- from TOML


def surface_from_table(table):
    """A Surface. What is left out is as in Surface(). Raises RefusalError."""
    if not isinstance(table, dict):
        raise RefusalError((), f"found {found(table)}; allowed is a table such as {{ friction = 0.8, restitution = 0.3 }}")
    for key in table:
        if key not in SURFACE_KEYS:
            raise RefusalError((key,), unknown(key, SURFACE_KEYS, "key of a surface"))
    return Surface(**{key: inside(key, decode_number, value) for key, value in table.items()})


def decode(value, reading, infinite=False):
    """A value of the file as a constructor takes it. Raises RefusalError."""
    if isinstance(value, str):
        return None if value == FREE else value
    if isinstance(value, list):
        return [inside(index, decode, item, reading, infinite) for index, item in enumerate(value)]
    if isinstance(value, dict):
        if not value or set(value) & set(TIME_FUNCTION_KEYS):
            return _decode_time_function(value, reading)
        return pose_from_table(value)
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return decode_number(value, infinite)
    raise RefusalError((), f"found {found(value)}; allowed are numbers, lists and tables")


def _decode_time_function(table, reading):
    keys = set(table)
    if keys in ({"function"}, {"function", "component"}):
        function = inside("function", find_function, table["function"], reading)
        if "component" not in table:
            return function
        component = table["component"]
        if type(component) is not int or component not in (0, 1, 2):
            raise RefusalError(("component",), f"found {found(component)}; allowed are 0, 1 and 2")
        return TimeFunction(time_function(function, "time_function", "function").kind, function=function, component=component)
    if keys - {"extrapolate"} == {"breaks", "pieces"}:
        return _piecewise(table)
    if keys == {"times", "values"}:
        return _spline(table)
    raise RefusalError(
        (),
        f"found the keys {', '.join(map(str, table)) or 'none'}; a function of time has breaks and pieces, times and values, or function",
    )


def _piecewise(table):
    breaks = inside("breaks", decode_numbers, table["breaks"])
    if not isinstance(table["pieces"], list):
        raise RefusalError(("pieces",), f"found {found(table['pieces'])}; allowed is a list of lists of numbers")
    pieces = [inside("pieces", inside, index, decode_numbers, piece) for index, piece in enumerate(table["pieces"])]
    if len(pieces) != len(breaks) - 1 or not pieces:
        raise RefusalError(("pieces",), f"found {len(pieces)} pieces between {len(breaks)} breaks; allowed is one piece less than breaks")
    if not pieces[0] or len({len(piece) for piece in pieces}) > 1:
        raise RefusalError(
            ("pieces",), "the pieces have different numbers of coefficients, or none; give all the same; fill up with zeros in front"
        )
    extrapolates = table.get("extrapolate", True)
    if type(extrapolates) is not bool:
        raise RefusalError(("extrapolate",), f"found {found(extrapolates)}; allowed are true and false")
    return TimeFunction(PIECEWISE, breaks=tuple(breaks), pieces=tuple(map(tuple, pieces)), extrapolates=extrapolates)


def _spline(table):
    from scipy.interpolate import CubicSpline

    times = inside("times", decode_numbers, table["times"])
    values = table["values"]
    rows = bool(values) and isinstance(values, list) and isinstance(values[0], list)
    each = (
        [inside("values", inside, k, decode_numbers, row, 3) for k, row in enumerate(values)]
        if rows
        else inside("values", decode_numbers, values)
    )
    if len(each) != len(times) or len(times) < 2 or sorted(set(times)) != times:
        raise RefusalError(
            (), f"found {len(times)} times and {len(each)} values; allowed are as many values as times, two or more, times increasing"
        )
    try:
        with np.errstate(all="ignore"):
            spline = CubicSpline(times, each)
    except (ValueError, np.linalg.LinAlgError):
        spline = None
    if spline is None or not np.isfinite(spline.c).all():
        raise RefusalError(
            (), "no spline through these values has finite slopes; allowed are values and times of sensible sizes; correct them"
        )
    return spline


def find_function(name, reading):
    """The Python function that the program gave for a name."""
    if not isinstance(name, str):
        raise RefusalError((), f"found {found(name)}; allowed is the name of a function, in quotes")
    if name in reading.functions:
        return reading.functions[name]
    advice = "a file holds no code; hand the function in: read(path, functions={'name': function})"
    raise RefusalError((), f"{unknown(name, list(reading.functions), 'function')}; {advice}")


def checked_functions(functions, owner):
    """functions={"name": function}, or an error."""
    if not isinstance(functions, (dict, type(None))):
        raise ModelError(f"{owner}: functions is {shown(functions)}; allowed is {{name: function}}, or None; give one")
    functions = dict(functions or {})
    for name, function in functions.items():
        if not isinstance(name, str) or not callable(function):
            raise ModelError(f"{owner}: functions has {name!r}: {function!r}; allowed are names with functions; correct it")
    return functions


assert not set(TIME_FUNCTION_KEYS) & set(POSE_KEYS)  # a table is one or the other by its keys
