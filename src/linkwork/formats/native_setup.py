"""What a file says beside the mechanism: where it starts and how it is run. Plain data, checked when read; nothing is run or looked up.

[initial]                       [simulation]                      [controller.balance]
time = 0                        duration = 10                     function = "balance"
q.crank = 0.3                   record_interval = 0.01            rate = 500
v.crank = 2.0                   integrator = { kind = "variational", step = 1e-3 }
                                record = ["q", "v", "energy"]     [controller.balance.parameters]
                                                                  gain = 30.0
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import RENAMED, renamed_attribute
from ..dynamics.configuration import neutral
from ..errors import FormatError, StateError
from ..model.state import State
from ..validation import float_of
from .native_numbers import RefusalError, decode_number, decode_numbers, encode_number, encode_text, inside
from .native_report import found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from ..model.model import Model
    from ..parts.mechanism import Mechanism
    from .native_report import NativeReport

SECTIONS = ("initial", "simulation", "controller")
SIMULATION = ("duration", "record_interval", "integrator", "record", "solver", "drift")
CONTROLLER = ("function", "rate", "parameters")
NUMBERS = ("duration", "record_interval", "rate")


@dataclass(frozen=True)
class NamedController:
    """A controller by name: `function` is what it is called where it is registered in Python; `rate` in Hz, None for what the function says."""

    function: str
    rate: float | None = None
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass
class Setup:
    """Initial state and settings of a run, as a file keeps them.

    q, v: coordinates by joint, each a tuple of numbers; joints that are not named start at zero (a floating body's joint is "<body>.free").
    duration, record_interval: s. integrator: {"kind": name, ...its settings}. record: channels. solver, drift: by name. controllers: by name.
    What is None is left to the program that runs it.

    >>> import linkwork as lw
    >>> doc = lw.shipped("pendulum")
    >>> doc.setup.q, doc.setup.state(doc.mechanism.build()).q.tolist()
    ({'pin': (0.5,)}, [0.5])
    """

    time: float = 0.0
    q: dict[str, tuple[float, ...]] = field(default_factory=dict)
    v: dict[str, tuple[float, ...]] = field(default_factory=dict)
    duration: float | None = None
    record_interval: float | None = None
    integrator: dict[str, Any] | None = None
    record: tuple[str, ...] | None = None
    solver: str | None = None
    drift: str | None = None
    controllers: dict[str, NamedController] = field(default_factory=dict)

    @property
    def frame(self) -> float | None:
        """The old name of `record_interval`."""
        found: float | None = renamed_attribute(self, "frame", "record_interval")
        return found

    def state(self, model: Model) -> State:
        """The initial state of a model: what is given here, zero where nothing is."""
        q, v = neutral(model), np.zeros(model.nv)
        for given, array, index in ((self.q, q, "q_index"), (self.v, v, "v_index")):
            for name, values in given.items():
                place = getattr(model.joint(name), index)
                if len(values) != place.stop - place.start:
                    raise StateError(
                        f"{index[0]} of joint {name!r} has {len(values)} numbers; allowed are {place.stop - place.start}", index[0]
                    )
                array[place] = values
        return State(self.time, q, v)

    def start(self, model: Model, hold: Any = None) -> State:
        """The initial state with all loops closed: joints whose q (or v) is given keep it, or those in `hold` alone, and the others follow.

        Raises AssemblyError if the loops do not close so.
        """
        from .native_options import starting_state

        return starting_state(self, model, hold)

    def options(self, model: Model, controllers: Any = None, hold: Any = None, close: bool = True) -> dict[str, Any]:
        """Arguments for a Simulation of the model: lw.Simulation(model, **setup.options(model)). It begins at `start(model, hold)`.

        close: False begins at `state(model)` as it is, which a Simulation refuses where loops are open.
        controllers: {"name": function} for the functions that the file names, plain or made controllers by @lw.controller.

        >>> import linkwork as lw
        >>> doc = lw.shipped("pendulum")
        >>> model = doc.mechanism.build()
        >>> lw.Simulation(model, **doc.setup.options(model)).run(1.0)
        Recording('pendulum': 51 samples, 0 s to 1 s, finished; q, v, kinetic, potential, stored, work, drives, losses, numerical)
        """
        from .native_options import simulation_options

        return simulation_options(self, model, controllers, hold, close)

    def starting_at(self, model: Model, q: ArrayLike, v: ArrayLike | None = None, time: float = 0.0) -> Setup:
        """The same settings with another initial state, for instance one that lw.assemble found. Joints at zero are left out."""
        at_zero, v = neutral(model), np.zeros(model.nv) if v is None else np.asarray(v, dtype=float)
        q = np.asarray(q, dtype=float)
        if q.shape != (model.nq,) or v.shape != (model.nv,):
            raise StateError(f"q has shape {q.shape} and v {v.shape}; allowed are ({model.nq},) and ({model.nv},)", "q")
        named_q = {j.name: tuple(q[j.q_index].tolist()) for j in model.joints if (q[j.q_index] != at_zero[j.q_index]).any()}
        named_v = {j.name: tuple(v[j.v_index].tolist()) for j in model.joints if v[j.v_index].any()}
        return replace(self, time=float(time), q=named_q, v=named_v)


# ---- to plain data


def setup_to_data(setup: Setup | None) -> dict[str, Any]:
    """The sections of a file, those that say nothing left out."""
    setup = setup or Setup()
    initial = {"time": encode_number(setup.time, "initial", "time")} if setup.time else {}
    for what in ("q", "v"):
        named = {encode_text(joint, "initial", what): _coordinates(value, what, joint) for joint, value in getattr(setup, what).items()}
        initial |= {what: named} if named else {}
    given = {key: getattr(setup, key) for key in SIMULATION if getattr(setup, key) is not None}
    settings = {key: (_number if key in NUMBERS else _setting)(value, f"simulation: {key}") for key, value in given.items()}
    controllers = {name: _controller_to_table(name, given) for name, given in setup.controllers.items()}
    data = {"initial": initial, "simulation": settings, "controller": controllers}
    return {section: table for section, table in data.items() if table}


def check_initial(setup: Setup, mechanism: Mechanism) -> None:
    """Refuse an initial state that could not be read again: of joints that there are not, or of other numbers than their kind has."""
    sizes = _floating(mechanism) | _sizes(mechanism)
    for k, what in enumerate("qv"):
        for name, given in getattr(setup, what).items():
            if name not in sizes:
                raise FormatError(f"setup: no joint is called {name!r}; q and v go by joints of the mechanism; correct the name")
            count, needed = len(np.atleast_1d(given)), sizes[name][k]
            if count != needed:
                raise FormatError(
                    f"setup: {what} of joint {name!r} has {count} number{'s' * (count != 1)}; its kind has {needed}; "
                    f"give setup.{what}[{name!r}] {needed}, or take it out, and the joint starts at zero"
                )


def _sizes(mechanism: Mechanism) -> dict[str, tuple[int, int]]:
    """{joint: (nq, nv)}"""
    return {joint.name: (joint.kind.nq, joint.kind.nv) for joint in mechanism.joints}


def _floating(mechanism: Mechanism) -> dict[str, tuple[int, int]]:
    """The same of the joints of floating bodies."""
    return {f"{body.name}.free": (7, 6) for body in mechanism.bodies}


def renamed_coordinates(renamed: dict[tuple[str, str], str]) -> Iterator[tuple[str, str, str]]:
    """("q" or "v", old name, new name) for joints that were renamed, and for free joints of renamed bodies."""
    for (section, old), new in renamed.items():
        free = {"joint": "", "body": ".free"}.get(section)
        if free is not None:
            yield from ((what, old + free, new + free) for what in ("q", "v"))


def _coordinates(value: tuple[float, ...], what: str, joint: str) -> float | list[float]:
    numbers = [encode_number(float(x), "initial", f"{what} of joint {joint!r}") for x in np.atleast_1d(value).tolist()]
    return numbers[0] if len(numbers) == 1 else numbers


def _controller_to_table(name: str, given: Any) -> Any:
    said = {"function": given.function if given.function != name else None, "rate": given.rate, "parameters": given.parameters or None}
    owner = f"controller {name!r}"
    return {key: (_number if key in NUMBERS else _setting)(value, f"{owner}: {key}") for key, value in said.items() if value is not None}


def _number(value: float, owner: str) -> Any:
    number = float_of(value)
    if number is None or not number > 0.0:
        raise FormatError(f"{owner} is {value!r}; allowed is a number above 0")
    return encode_number(number, owner, "it")


def _setting(value: Any, owner: str) -> Any:
    """A setting as TOML has it: its type is kept, so 5 stays a whole number and 5.0 a float."""
    if isinstance(value, dict):
        return {encode_text(key, owner, "a key"): _setting(entry, owner) for key, entry in value.items()}
    if isinstance(value, tuple | list | np.ndarray):
        return [_setting(entry, owner) for entry in (value.tolist() if isinstance(value, np.ndarray) else value)]
    if isinstance(value, str):
        return encode_text(value, owner, "a value")
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        encode_number(value, owner, "a value")
        return value
    raise FormatError(f"{owner} is {value!r} ({type(value).__name__}), which has no form in a file; use numbers, text, lists and tables")


# ---- from plain data


def setup_from_data(data: dict[str, Any], mechanism: Mechanism, report: NativeReport) -> Setup:
    """The Setup; faults go to the report."""
    setup = Setup()
    for section, read in (("initial", _initial), ("simulation", _simulation), ("controller", _controllers)):
        table = data.get(section, {})
        if isinstance(table, dict):
            read(setup, table, report, mechanism, data)
        else:
            report.fault((section,), f"found {found(table)}; allowed is a table: [{section}] with its keys below")
    return setup


def _take(report: NativeReport, keys: tuple[str, ...], function: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except RefusalError as refusal:
        report.fault((*keys, *refusal.args[0]), refusal.args[1])
        return None


def _initial(setup: Any, table: dict[str, Any], report: Any, mechanism: Mechanism, data: dict[str, Any]) -> None:
    sizes, floating = _sizes(mechanism), _floating(mechanism)
    declared = data["joint"] if isinstance(data.get("joint"), dict) else {}  # one that is faulty has been reported already
    for key, value in table.items():
        if key == "time":
            setup.time = _take(report, ("initial", key), decode_number, value) or 0.0
        elif key not in ("q", "v"):
            report.unknown(("initial", key), key, ["time", "q", "v"], "key of [initial]")
        elif not isinstance(value, dict):
            report.fault(("initial", key), f"found {found(value)}; allowed is a table by joint: {key}.name = number, or a list of numbers")
        else:
            for joint, given in value.items():
                size = sizes.get(joint) or floating.get(joint)
                at = ("initial", key, joint)
                if size is not None:
                    numbers = given if isinstance(given, list) else [given]
                    getattr(setup, key)[joint] = tuple(_take(report, at, decode_numbers, numbers, size[key == "v"]) or ())
                elif joint not in declared:
                    report.unknown(at, joint, [*sizes, *(name for name in floating if name[0] == joint[:1])], "joint")


def _simulation(setup: Setup, table: dict[str, Any], report: NativeReport, *_: Any) -> None:
    readers = {
        "duration": _above_zero,
        "record_interval": _above_zero,
        "integrator": _integrator,
        "record": _texts,
        "solver": _text,
        "drift": _text,
    }
    for given, value in table.items():
        key = RENAMED["Setup"].get(given, given)
        if key != given and key in table:
            report.fault(("simulation", given), f"found {key} too, which is its new name; allowed is one of them; delete {given}")
        elif key in readers:
            if key != given:
                report.note(("simulation", given), f"this key is called {key} now; {given} is understood for this version; rename it")
            setattr(setup, key, _take(report, ("simulation", given), readers[key], value))
        else:
            report.unknown(("simulation", key), key, SIMULATION, "key of [simulation]")


def _controllers(setup: Setup, table: dict[Any, Any], report: NativeReport, *_: Any) -> None:
    from .native_read import section_tables

    for name, given in section_tables({"controller": table}, "controller", report):
        keys = ("controller", name)
        for key in given:
            if key not in CONTROLLER:
                report.unknown((*keys, key), key, CONTROLLER, "key of a controller")
        parameters = given.get("parameters", {})
        if not isinstance(parameters, dict):
            report.fault((*keys, "parameters"), f"found {found(parameters)}; allowed is a table")
            continue
        function = _take(report, (*keys, "function"), _text, given.get("function", name))
        rate = _take(report, (*keys, "rate"), _above_zero, given["rate"]) if "rate" in given else None
        setup.controllers[name] = NamedController(function, rate, _take(report, (*keys, "parameters"), _plain, parameters))


def _above_zero(value: Any) -> Any:
    number = decode_number(value)
    if number <= 0.0:
        raise RefusalError((), f"found {found(value)}; allowed is a number above 0")
    return number


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise RefusalError((), f"found {found(value)}; allowed is a name, in quotes")
    return value


def _texts(value: Any) -> Any:
    if not isinstance(value, list):
        raise RefusalError((), f'found {found(value)}; allowed is a list of names, such as ["q", "v"]')
    return tuple(inside(k, _text, entry) for k, entry in enumerate(value))


def _integrator(value: dict[str, str]) -> Any:
    """A name, or a table of a kind and its settings."""
    table = {"kind": value} if isinstance(value, str) else value
    if not isinstance(table, dict) or "kind" not in table:
        raise RefusalError((), f'found {found(value)}; allowed is a name, or a table such as {{ kind = "runge-kutta-4", step = 1e-3 }}')
    inside("kind", _text, table["kind"])
    return _plain(table)


def _plain(value: dict[str, str] | str) -> dict[str, str] | str:
    """Settings as they are; numbers must be finite, dates mean nothing here."""
    if isinstance(value, dict):
        return {key: inside(key, _plain, entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [inside(k, _plain, entry) for k, entry in enumerate(value)]
    if isinstance(value, float):
        return decode_number(value)
    if isinstance(value, str | int):
        return value
    raise RefusalError((), f"found {found(value)}; allowed are numbers, text, lists and tables")


assert {f.name for f in fields(Setup)} == {"time", "q", "v", "controllers", *SIMULATION}
