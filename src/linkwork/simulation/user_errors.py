"""What a user's function raised in a run: whose function it was, and the exception itself (native_function.py)."""

from typing import NamedTuple

from ..errors import ModelError
from ..kernels import JIT
from ..model.compiled import functions_of
from ..native_function import first_error, forget_errors


class EventFunctionError(ModelError):
    """The function of an event raised an exception, which is the cause, or gave what is no finite number. reason: what happened. remedy: what to do."""

    def __init__(self, reason, remedy="correct its function"):
        super().__init__(f"{reason}; {remedy}")
        self.reason, self.remedy = reason, remedy


class Raised(NamedTuple):
    """owner: whose function, in words. error: what it raised. force: the name of the force, None for another part."""

    owner: str
    error: BaseException
    force: str | None = None

    def __str__(self):
        return f"{self.owner} raised {type(self.error).__name__}: {self.error}"


def forget_raised(system):
    """What functions of a system raised before is over."""
    forget_errors(address for _, address, _ in _functions(system))


def raised_in(system) -> Raised | None:
    """The first exception of a function of a system since it was forgotten last; None if there is none."""
    found = (Raised(owner, error, force) for owner, code, force in _functions(system) if (error := first_error(code)) is not None)
    return next(found, None)


def _functions(system):
    """(whose, address, name of the force) of all users' functions of a system: forces, controllers, and those of the model."""
    if not JIT:
        return  # exceptions are then their own
    active_forces = system.active_forces
    for entry, code in zip(active_forces.entries, active_forces.codes, strict=True):
        name = active_forces.names[entry["force"]]
        yield f"force {name!r}", code, name
    for controller, code in zip(system.controllers, system.controller_codes, strict=True):
        yield f"controller {controller.name!r}", code, None
    for owner, code in functions_of(system.model):
        yield owner, code, None
