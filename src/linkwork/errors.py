"""Every error Linkwork raises. A message has four parts: where, what was found, what is allowed, what to do next."""

from __future__ import annotations

import difflib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    from numpy.typing import NDArray


def similar(name: object, known: Iterable[object]) -> list[str]:
    """The names among `known`, at most three, that this one may stand for: those that resemble it, upper or lower case, or begin with it."""
    by_small = {str(k).lower(): str(k) for k in known}
    small = str(name).lower()
    near = difflib.get_close_matches(small, by_small, n=3, cutoff=0.5)
    near += [k for k in by_small if small and k.startswith(small) and k not in near]
    return [by_small[k] for k in near[:3]]


class LinkworkError(Exception):
    """Root of all errors of this package.

    >>> import linkwork as lw
    >>> issubclass(lw.StateError, lw.LinkworkError), issubclass(lw.StateError, ValueError)
    (True, True)
    """


class ModelError(LinkworkError, ValueError):
    """A mechanism cannot become a model, or a part is not what it should be. `faults` lists (part, message) pairs.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("odd")
    >>> _ = m.add_body("stone", mass=-1.0)
    >>> try:
    ...     m.build()
    ... except lw.ModelError as error:
    ...     print(error.faults[0][0])
    stone
    """

    def __init__(self, message: str, faults: Iterable[Any] = ()) -> None:
        super().__init__(message)
        self.faults = tuple(faults)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.faults)


class DependentError(ModelError):
    """A part cannot change while others depend on how it is. `dependents`: their names; `faults`: (part, why) of each.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("door")
    >>> _ = m.add_joint("hinge", lw.Revolute(axis=(0, 0, 1)), m.ground, m.add_body("leaf", mass=1.0, inertia=(1, 1, 1)))
    >>> _ = m.add_force("closer", lw.JointSpring(stiffness=1.0), "hinge")
    >>> try:
    ...     _ = m.change("hinge", kind=lw.Spherical)
    ... except lw.DependentError as error:
    ...     print(error.dependents)
    ('closer',)
    """

    @property
    def dependents(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.faults)


class StateError(LinkworkError, ValueError):
    """An array argument (q, v, tau, ...) has a wrong shape, dtype or value. `argument` is its name.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("stone")
    >>> _ = m.add_body("stone", mass=2.0, inertia=(1, 1, 1))
    >>> try:
    ...     lw.mass_matrix(m.build(), [0.0, 0.0])
    ... except lw.StateError as error:
    ...     print(error.argument)
    q
    """

    def __init__(self, message: str, argument: str | None = None) -> None:
        super().__init__(message)
        self.argument = argument

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.argument)


# What is looked for in a function, and stands elsewhere: (function, argument): where.
_BEGINS = (
    "a mechanism says what there is, not where it begins: give lw.simulate(m, 5.0, q={'NAME': lw.Pose((0, 0, 1))}), "
    "[initial] in a file, or a joint to a place. "
)
ELSEWHERE = {("Mechanism.add_body", name): _BEGINS for name in ("pose", "at", "position", "q", "where")}
_MOVES = (
    "a mechanism says what there is, not how it moves: give lw.simulate(m, 5.0, v={'NAME': (0, 0, 0, 1, 0, 0)}), or [initial] in a file. "
)
ELSEWHERE |= {("Mechanism.add_body", name): _MOVES for name in ("velocity", "twist", "v")}


class ArgumentError(LinkworkError, TypeError):
    """A function was given an argument by a name that it does not know. `function`, `name`, `known` names and the `near` ones among them.

    >>> import linkwork as lw
    >>> try:
    ...     lw.RungeKutta4(stp=1e-3)
    ... except lw.ArgumentError as error:
    ...     print(error.name, error.near)
    stp ['step']
    """

    def __init__(self, function: str, name: str, known: Iterable[str]) -> None:
        self.function, self.name, self.known = function, name, list(known)
        self.near = similar(name, self.known)
        hint = f"did you mean {' or '.join(repr(n) for n in self.near)}? " if self.near else ""
        hint = ELSEWHERE.get((function, name), hint)
        allowed = f"{'Allowed' if hint else 'allowed'} {'is' if len(self.known) == 1 else 'are'} {', '.join(self.known)}"
        super().__init__(f"{function}: no argument is called {name!r}; {hint}{allowed}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.function, self.name, self.known)


class MissingArgumentError(LinkworkError, TypeError):
    """A function was called without an argument that it needs. `name` is the first that is missing, `call` how it is called.

    >>> import linkwork as lw
    >>> try:
    ...     lw.Revolute()
    ... except lw.MissingArgumentError as error:
    ...     print(error.function, error.name)
    Revolute axis
    """

    def __init__(self, function: str, name: str, call: str) -> None:
        super().__init__(f"{function}: {name!r} is missing; it is called as {call}")
        self.function, self.name, self.call = function, name, call

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.function, self.name, self.call)


class UnknownNameError(ModelError, KeyError):
    """A part was asked for by a name that does not exist. `name` is that name, `near` the closest existing ones. hint: said instead of these.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> _ = m.add_body("bob", mass=1.0)
    >>> try:
    ...     m.body("bobb")
    ... except lw.UnknownNameError as error:
    ...     print(error.name, error.near)
    bobb ['bob']
    """

    def __init__(self, what: str, name: object, known: Iterable[object], hint: str | None = None) -> None:
        known = [str(k) for k in known]
        near = similar(name, known)
        said = hint or (f"did you mean {' or '.join(repr(n) for n in near)}?" if near else _listing(what, known))
        super().__init__(f"no {what} is called {name!r}; {said}")
        self.what, self.name, self.known, self.near, self.hint = what, name, known, near, hint

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.name, self.known, self.hint)


def _listing(what: str, known: Any) -> str:
    if not known:
        return f"there is no {what} yet"
    shown = ", ".join(repr(k) for k in known[:8])
    return f"there are {len(known)}: {shown}{', ...' if len(known) > 8 else ''}"


class AssemblyError(LinkworkError, RuntimeError):
    """Parts cannot be put together so that all constraints hold. `gaps`: what stays open, by name; `q`: the nearest pose that was found.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("too far")
    >>> rod = m.add_body("rod", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, rod)
    >>> _ = m.add_constraint("pin", lw.Coincident(), rod.at(1, 0, 0), m.ground.at(3, 0, 0))
    >>> try:
    ...     lw.assemble(m.build(), [0.3])
    ... except lw.AssemblyError as error:
    ...     print({name: round(gap, 3) for name, gap in error.gaps.items()})
    {'pin': 2.0}
    """

    def __init__(self, message: str, gaps: Mapping[str, float] | None = None, q: NDArray[np.float64] | None = None) -> None:
        super().__init__(message)
        self.gaps, self.q = dict(gaps or {}), q

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.gaps, self.q)


class SolverError(LinkworkError, ArithmeticError):
    """A solver met a system it cannot solve (singular, not converging).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("blown up")
    >>> _ = m.add_joint("rail", lw.Prismatic(axis=(1, 0, 0)), m.ground, m.add_body("block", mass=1.0))
    >>> _ = m.add_force("spring", lw.JointSpring(stiffness=1e9), "rail")
    >>> try:
    ...     _ = lw.simulate(m, 1.0, lw.RungeKutta4(step=0.01), q=[0.1], raises=True)
    ... except lw.SolverError as error:
    ...     print(str(error)[:6])
    failed
    """


class SingularPoseWarning(UserWarning):
    """A motion is in a singular pose, where branches of motion cross, and nothing decides along which of them it goes on.

    >>> import linkwork as lw
    >>> import warnings
    >>> m = lw.Mechanism("parallelogram")  # flat: all four hinges on one line
    >>> bars = [m.add_body(name, mass=1.0, com=(x, 0, 0), inertia=(0.1, 0.1, 0.1)) for name, x in (("crank", 0.5), ("rod", 1.0), ("rocker", 0.5))]
    >>> hinge = lw.Revolute(axis=(0, 0, 1))
    >>> _ = m.add_joint("a", hinge, m.ground, "crank"), m.add_joint("b", hinge, bars[0].at(1, 0, 0), "rod")
    >>> _ = m.add_joint("d", hinge, m.ground.at(2, 0, 0), "rocker"), m.add_joint("c", hinge, bars[1].at(2, 0, 0), bars[2].at(1, 0, 0))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = lw.simulate(m, 0.01)
    >>> [warning.category.__name__ for warning in caught]
    ['SingularPoseWarning']
    """


class LimitWarning(UserWarning):
    """A motion begins far beyond the limits of a joint, whose stop will throw it back; or a rollout winds a spring past the half turn that it knows.

    >>> import linkwork as lw
    >>> import warnings
    >>> m = lw.Mechanism("door")
    >>> _ = m.add_joint("hinge", lw.Revolute(axis=(0, 0, 1), upper=1.0), m.ground, m.add_body("leaf", mass=1.0, inertia=(1, 1, 1)))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = lw.simulate(m, 0.01, q=[3.0])
    >>> [warning.category.__name__ for warning in caught]
    ['LimitWarning']
    """


class OverlapWarning(UserWarning):
    """A motion begins with bodies that overlap, which will be pushed apart.

    >>> import linkwork as lw
    >>> import warnings
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", shape=lw.Sphere(0.1), density=500), m.add_floor()
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = lw.simulate(m, 0.01)  # its centre is on the floor
    >>> [warning.category.__name__ for warning in caught]
    ['OverlapWarning']
    """


class ContactWarning(UserWarning):
    """Bodies do not touch as was probably meant: one without a shape falls through the floor, for instance.

    >>> import linkwork as lw
    >>> import warnings
    >>> m = lw.Mechanism("stone")
    >>> _ = m.add_body("stone", mass=1.0, inertia=(0.1, 0.1, 0.1)), m.add_floor()
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = m.build()
    >>> [warning.category.__name__ for warning in caught]
    ['ContactWarning']
    """


class ConstraintWarning(UserWarning):
    """Constraints contradict each other; what was returned is the compromise with the least squares of what they lack.

    >>> import linkwork as lw
    >>> import warnings
    >>> from scipy.interpolate import CubicSpline
    >>> m = lw.Mechanism("two drives")
    >>> _ = m.add_joint("axle", lw.Revolute(axis=(0, 0, 1)), m.ground, m.add_body("wheel", mass=1.0, inertia=(1, 1, 1)))
    >>> for name, rate in (("slow", 1.0), ("fast", 3.0)):  # rad/s^2
    ...     _ = m.add_constraint(name, lw.SpeedDrive(CubicSpline([0, 1], [0, rate])), "axle")
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     vdot = lw.forward_dynamics(m.build(), [0.0], [0.0])
    >>> vdot.round(9).tolist(), "ConstraintWarning" in {warning.category.__name__ for warning in caught}  # half way
    ([2.0], True)
    """


class FailedRunWarning(UserWarning):
    """A run ended before its time, because a step could not be taken. `status`: the Status of its recording, with time, parts and advice.

    >>> import linkwork as lw
    >>> import warnings
    >>> m = lw.Mechanism("blown up")
    >>> _ = m.add_joint("rail", lw.Prismatic(axis=(1, 0, 0)), m.ground, m.add_body("block", mass=1.0))
    >>> _ = m.add_force("spring", lw.JointSpring(stiffness=1e9), "rail")
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = lw.simulate(m, 1.0, lw.RungeKutta4(step=0.01), q=[0.1])  # the step is far too long for so stiff a spring
    >>> caught[0].message.status.word
    'failed'
    """

    def __init__(self, message: str, status: Any = None) -> None:
        super().__init__(message)
        self.status = status


class PictureWarning(UserWarning):
    """A picture does not show all that was asked for.

    >>> import linkwork as lw
    >>> import warnings
    >>> m = lw.Mechanism("pendulum")
    >>> _ = m.add_body("bob", mass=1.0, inertia=(1, 1, 1), visuals=[lw.MeshFile("no-such-file.stl")])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = lw.draw(m)
    >>> [warning.category.__name__ for warning in caught]
    ['PictureWarning']
    """


class InterpretedWarning(UserWarning):
    """A function that was to be compiled runs as plain Python, which is much slower.

    >>> import linkwork as lw
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", lw.InterpretedWarning)  # refuse what would be slow
    ...     rec = lw.simulate(lw.shipped("pendulum"), 0.1)
    >>> rec.status.word
    'finished'
    """


class FormatError(LinkworkError, ValueError):
    """A file is broken, hostile or not understood. `path`, `line` and `column` say where (the first of) it is; `faults` lists
    (line, key, message) for each fault, where a reader can tell them apart.

    >>> import linkwork as lw
    >>> try:
    ...     lw.from_toml('linkwork = 1\\nname = "x"\\n[body.rod]\\nmas = 1.0\\n')
    ... except lw.FormatError as error:
    ...     print(error.line, error.faults[0][1])
    4 body.rod.mas
    """

    def __init__(
        self, message: str, path: Any = None, line: int | None = None, column: int | None = None, faults: Iterable[Any] = ()
    ) -> None:
        super().__init__(message)
        self.path, self.line, self.column, self.faults = path, line, column, tuple(faults)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.path, self.line, self.column, self.faults)


class StudioError(LinkworkError, RuntimeError):
    """The browser studio cannot do what was asked.

    >>> import linkwork as lw
    >>> issubclass(lw.StudioError, lw.LinkworkError)
    True
    """


def outside_level() -> int:
    """The `stacklevel` for a warning of the function that asks: that of the first caller outside this package, a line of the user's program."""
    level, frame = 2, sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("linkwork."):
        level, frame = level + 1, frame.f_back
    return level
