"""From what a file says to the arguments of a Simulation."""

import dataclasses
import inspect
from typing import Any

import numpy as np

from ..analysis.assembly import assemble, project_velocity
from ..analysis.split_rows import gaps_that_count
from ..constraints.tolerance import largest_gap, row_units
from ..errors import AssemblyError, ModelError, UnknownNameError
from ..model.state import State
from ..parts.controller import Controller, controller
from ..solvers.delassus.correct import correction
from .named_integrators import integrator

CLOSED = 1e-10  # m or rad: loops with smaller gaps are closed
ROUNDING = 1e-3  # m or rad: gaps up to this are rounding of numbers written by hand, larger ones are coordinates that were not given


def simulation_options(setup, model, controllers=None, hold=None, close=True) -> dict[str, Any]:
    """See Setup.options."""
    start = starting_state(setup, model, hold) if close else setup.state(model)
    given = {"q": start.q, "v": start.v, "t": start.t}
    for name in ("record_interval", "record", "solver", "drift"):
        if getattr(setup, name) is not None:
            given[name] = getattr(setup, name)
    if setup.integrator is not None:
        given["integrator"] = integrator(setup.integrator)
    if setup.controllers:
        given["controllers"] = tuple(_controller(name, said, dict(controllers or {})) for name, said in setup.controllers.items())
    return given


def starting_state(setup, model, hold=None) -> State:
    """See Setup.start. Where all are held and the gap is rounding, all move by the least that closes the loops."""
    said = setup.state(model)
    if not model.nc:
        return said
    held = [[name for name in given if (hold is None or name in hold) and model.joint(name).nv] for given in (setup.q, setup.v)]
    q = said.q
    gap = largest_gap(model, gaps_that_count(model, q, said.t, correction(model, q, t=said.t)[1], CLOSED * row_units(model)))
    if gap > CLOSED:
        q = assemble(model, q, t=said.t, hold=held[0] if gap > ROUNDING else ())
    try:
        v = project_velocity(model, q, said.v, t=said.t, hold=held[1])
    except AssemblyError:  # what is held does not fit together to the last digit: the nearest that does
        v = project_velocity(model, q, said.v, t=said.t)
        if np.abs(v - said.v).max() > ROUNDING * max(1.0, np.abs(said.v).max()):
            raise
    return State(said.t, q, v)


def _controller(name, said, known):
    """The controller that a file names, with its parameters."""
    if said.function not in known:
        hint = UnknownNameError("controller", said.function, known)
        raise ModelError(
            f"controller {name!r}: a file holds no code, and no function {said.function!r} was given ({hint}); "
            f"give controllers={{{said.function!r}: function}} in Python, or run it by `linkwork run` with --controllers FILE.py"
        )
    given = known[said.function]
    made = isinstance(given, Controller) or (inspect.isclass(given) and issubclass(given, Controller))
    if not made and said.rate is None:
        raise ModelError(
            f"controller {name!r}: neither the file nor its function says how often it is called; allowed is a rate above 0; "
            "give rate = 500 (Hz) in the file, or write @lw.controller(rate=500) before the function"
        )
    if not made:
        given = controller(given, rate=said.rate)
    elif said.rate is not None and said.rate != given.rate:
        raise ModelError(f"controller {name!r}: the file says {said.rate:g} Hz, its function {given.rate:g} Hz; make them agree")
    kind = type(given) if isinstance(given, Controller) else given
    parameters = dataclasses.asdict(given) | said.parameters if isinstance(given, Controller) else said.parameters
    settable = {field.name: field.default for field in dataclasses.fields(kind)}
    for parameter in parameters:
        if parameter not in settable:
            raise ModelError(f"controller {name!r}: {UnknownNameError('parameter', parameter, settable)}")
    for parameter, default in settable.items():
        if parameter not in parameters and default is dataclasses.MISSING:
            raise ModelError(f"controller {name!r}: its function needs {parameter!r}, which has no default; give it under parameters")
    return kind(**parameters)
