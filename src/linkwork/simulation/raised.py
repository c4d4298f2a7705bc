"""What a user's function raised in a run: whose function it was, when, and the exception itself.

A function that runs interpreted is remembered by its first exception (native_function.py). A compiled one leaves NaN and no trace; so it is called
again in plain Python, at the state where the step began and at a few states ahead, as the step must have met it.
"""

from typing import Any, NamedTuple

import numpy as np

from ..data.forces import ALONG
from ..dynamics.configuration import integrate
from ..kernels import JIT
from ..native_function import first_error, forget_errors
from ..solvers.modes import ACCELERATION

AHEAD = (0.0, 1e-9, 0.5, 1.0, 1.0 + 1e-9)  # of a step: where functions are called again


class Raised(NamedTuple):
    """owner: whose function, in words. error: what it raised. force: the name of the force, None for a controller."""

    owner: str
    error: BaseException
    force: str | None = None

    def __str__(self):
        return f"{self.owner} raised {type(self.error).__name__}: {self.error}"


def forget_raised(system):
    """What functions of a system raised before is over."""
    forget_errors((*system.loads.codes, *system.controller_codes))


def raised_in(system) -> Raised | None:
    """The first exception of a function that runs interpreted, since it was forgotten last; None if there is none."""
    loads = system.loads
    for entry, code in zip(loads.entries, loads.codes, strict=True):
        if (error := first_error(code)) is not None:
            name = loads.names[entry["force"]]
            return Raised(f"force {name!r}", error, name)
    for controller, code in zip(system.controllers, system.controller_codes, strict=True):
        if (error := first_error(code)) is not None:
            return Raised(f"controller {controller.name!r}", error)
    return None


def raised_again(system, t, q, v, h) -> Raised | None:
    """What a user's function raises, called again in plain Python at a state and up to a step of h (s) ahead of it."""
    if not JIT:
        return None
    written = [k for k, info in enumerate(system.loads.infos) if info.kind.function is not None and system.loads.on[k]]
    for share in AHEAD:
        at, there = t + share * h, integrate(system.model, q, share * h * v) if share else q
        for k in written:
            for given, numbers in _calls(system, k, at, there, v):
                name, error = system.loads.names[k], system.loads.infos[k].kind.raises(given, numbers)
                if error is not None:
                    return Raised(f"force {name!r}", error, name)
        for entry, controller in zip(system.controller_table.entries, system.controllers, strict=True):
            owner = f"controller {controller.name!r}"
            numbers = np.array(system.numbers[entry.number : entry.number + len(controller.numbers(system.model))])
            if (error := controller.raises(owner, system.model, [at, *there, *v], numbers)) is not None:
                return Raised(owner, error)
    return None


def _calls(system, k, t, q, v) -> list[Any]:
    """(given, numbers) of every call of force k at a state."""
    loads, found = system.loads, []
    count = len(loads.infos[k].kind.numbers())
    for entry in loads.entries[loads.entries["force"] == k]:
        numbers = loads.numbers[entry["number"] : entry["number"] + count]
        if entry["kind"] == ALONG:
            found.append(([q[entry["q"]] if entry["q"] >= 0 else 0.0, v[entry["v"]], t], numbers))
        else:
            found.append((_markers(system, k, t, q, v), numbers))
    return found


def _markers(system, k, t, q, v):
    """What the law of a force between places is given, as the kernels lay it out: of this force alone."""
    on = system.loads.on.copy()
    try:
        system.loads.on[:] = 0
        system.loads.on[k] = on[k]
        place = system.beside(q, v)
        place.evaluate(system, t, ACCELERATION)
        return place.forces.call.given.copy()
    finally:
        system.loads.on[:] = on
