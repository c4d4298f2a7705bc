"""Every error Linkwork raises. A message has four parts: where, what was found, what is allowed, what to do next."""

import difflib
import sys


def similar(name, known):
    """The names among `known`, at most three, that this one may stand for: those that resemble it, upper or lower case, or begin with it."""
    by_small = {str(k).lower(): str(k) for k in known}
    small = str(name).lower()
    near = difflib.get_close_matches(small, by_small, n=3, cutoff=0.5)
    near += [k for k in by_small if small and k.startswith(small) and k not in near]
    return [by_small[k] for k in near[:3]]


class LinkworkError(Exception):
    """Root of all errors of this package."""


class ModelError(LinkworkError, ValueError):
    """A mechanism cannot become a model, or a part is not what it should be. `faults` lists (part, message) pairs."""

    def __init__(self, message, faults=()):
        super().__init__(message)
        self.faults = tuple(faults)

    def __reduce__(self):
        return type(self), (self.args[0], self.faults)


class DependentError(ModelError):
    """A part cannot change while others depend on how it is. `dependents`: their names; `faults`: (part, why) of each."""

    @property
    def dependents(self):
        return tuple(name for name, _ in self.faults)


class StateError(LinkworkError, ValueError):
    """An array argument (q, v, tau, ...) has a wrong shape, dtype or value. `argument` is its name."""

    def __init__(self, message, argument=None):
        super().__init__(message)
        self.argument = argument

    def __reduce__(self):
        return type(self), (self.args[0], self.argument)


class ArgumentError(LinkworkError, TypeError):
    """A function was given an argument by a name that it does not know. `function`, `name`, `known` names and the `near` ones among them."""

    def __init__(self, function, name, known):
        self.function, self.name, self.known = function, name, list(known)
        self.near = similar(name, self.known)
        hint = f"did you mean {' or '.join(repr(n) for n in self.near)}? " if self.near else ""
        allowed = f"{'Allowed' if hint else 'allowed'} {'is' if len(self.known) == 1 else 'are'} {', '.join(self.known)}"
        super().__init__(f"{function}: no argument is called {name!r}; {hint}{allowed}")

    def __reduce__(self):
        return type(self), (self.function, self.name, self.known)


class MissingArgumentError(LinkworkError, TypeError):
    """A function was called without an argument that it needs. `name` is the first that is missing, `call` how it is called."""

    def __init__(self, function, name, call):
        super().__init__(f"{function}: {name!r} is missing; it is called as {call}")
        self.function, self.name, self.call = function, name, call

    def __reduce__(self):
        return type(self), (self.function, self.name, self.call)


class UnknownNameError(ModelError, KeyError):
    """A part was asked for by a name that does not exist. `name` is that name, `near` the closest existing ones. hint: said instead of these."""

    def __init__(self, what, name, known, hint=None):
        known = [str(k) for k in known]
        near = similar(name, known)
        said = hint or (f"did you mean {' or '.join(repr(n) for n in near)}?" if near else _listing(what, known))
        super().__init__(f"no {what} is called {name!r}; {said}")
        self.what, self.name, self.known, self.near, self.hint = what, name, known, near, hint

    def __str__(self):
        return self.args[0]

    def __reduce__(self):
        return type(self), (self.what, self.name, self.known, self.hint)


def _listing(what, known):
    if not known:
        return f"there is no {what} yet"
    shown = ", ".join(repr(k) for k in known[:8])
    return f"there are {len(known)}: {shown}{', ...' if len(known) > 8 else ''}"


class AssemblyError(LinkworkError, RuntimeError):
    """Parts cannot be put together so that all constraints hold. `gaps`: what stays open, by name; `q`: the nearest pose that was found."""

    def __init__(self, message, gaps=None, q=None):
        super().__init__(message)
        self.gaps, self.q = dict(gaps or {}), q

    def __reduce__(self):
        return type(self), (self.args[0], self.gaps, self.q)


class SolverError(LinkworkError, ArithmeticError):
    """A solver met a system it cannot solve (singular, not converging)."""


class SingularPoseWarning(UserWarning):
    """A motion is in a singular pose, where branches of motion cross, and nothing decides along which of them it goes on."""


class LimitWarning(UserWarning):
    """A motion begins far beyond the limits of a joint, whose stop will throw it back."""


class ConstraintWarning(UserWarning):
    """Constraints contradict each other; what was returned is the compromise with the least squares of what they lack."""


class FailedRunWarning(UserWarning):
    """A run ended before its time, because a step could not be taken. `status`: the Status of its recording, with time, parts and advice."""

    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


class PictureWarning(UserWarning):
    """A picture does not show all that was asked for."""


class InterpretedWarning(UserWarning):
    """A function that was to be compiled runs as plain Python, which is much slower."""


class FormatError(LinkworkError, ValueError):
    """A file is broken, hostile or not understood. `path`, `line` and `column` say where (the first of) it is; `faults` lists
    (line, key, message) for each fault, where a reader can tell them apart."""

    def __init__(self, message, path=None, line=None, column=None, faults=()):
        super().__init__(message)
        self.path, self.line, self.column, self.faults = path, line, column, tuple(faults)

    def __reduce__(self):
        return type(self), (self.args[0], self.path, self.line, self.column, self.faults)


class StudioError(LinkworkError, RuntimeError):
    """The browser studio cannot do what was asked."""


def outside_level():
    """The `stacklevel` for a warning of the function that asks: that of the first caller outside this package, a line of the user's program."""
    level, frame = 2, sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("linkwork."):
        level, frame = level + 1, frame.f_back
    return level
