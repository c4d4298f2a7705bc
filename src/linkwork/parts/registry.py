"""The parts of one mechanism in the order they were added, found by name in constant time."""

import contextlib
import functools
from typing import Any, TypeVar

from ..errors import ModelError, UnknownNameError
from .applied_force import AppliedForce
from .body import Body, Ground
from .constraint import Constraint
from .frame import Frame
from .joint import Joint
from .part import Part
from .place import part_name

P = TypeVar("P", bound=Part)
GROUND = "ground"
MOST_SHOWN = 8  # names of a circle


class Registry:
    """Five lists of parts and one name space. Two parts may share a name until faults() finds it; lookups then ask for the object."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self.frames: list[Frame] = []
        self.constraints: list[Constraint] = []
        self.forces: list[AppliedForce] = []
        self._named: dict[str, list[Any]] = {GROUND: [ground]}
        self._traced: dict[Any, Any] | None = None  # where frames are, while nothing changes

    @contextlib.contextmanager
    def unchanged(self):
        """Within this nothing changes: where a frame is, through frames on frames, is found out once for each of them."""
        before, self._traced = self._traced, {} if self._traced is None else self._traced
        try:
            yield
        finally:
            self._traced = before

    def list_of(self, part):
        for kind, kept in ((Joint, self.joints), (Frame, self.frames), (Constraint, self.constraints), (AppliedForce, self.forces)):
            if isinstance(part, kind):
                return kept
        return self.bodies

    def everything(self):
        """All parts but ground: bodies, joints, frames, constraints, forces."""
        return [*self.bodies, *self.joints, *self.frames, *self.acting()]

    def acting(self):
        """Constraints and forces: what acts between places or on joints."""
        return [*self.constraints, *self.forces]

    def names(self, *classes):
        """All names in use, of parts of these classes (all classes if none is given)."""
        return [name for name, parts in self._named.items() if not classes or any(isinstance(part, classes) for part in parts)]

    def has(self, name):
        return name in self._named

    def called(self, name, *classes):
        """The parts with this name, of these classes (all classes if none is given)."""
        parts = self._named.get(name, ())
        return [part for part in parts if isinstance(part, classes)] if classes else list(parts)

    def shared_names(self):
        """(name, parts) for every name that more than one part has."""
        return [(name, parts) for name, parts in self._named.items() if len(parts) > 1]

    def add(self, part):
        self.list_of(part).append(part)
        self._named.setdefault(part.name, []).append(part)

    def discard(self, parts):
        """Take parts out, many at a time."""
        parts = list(parts)
        gone = {id(part) for part in parts}
        for kept in (self.bodies, self.joints, self.frames, self.constraints, self.forces):
            kept[:] = [part for part in kept if id(part) not in gone]
        for part in parts:
            self._unname(part)

    def rename(self, part, name):
        self._unname(part)
        part._put(name=name)
        self._named.setdefault(name, []).append(part)

    def _unname(self, part):
        same = [other for other in self._named[part.name] if other is not part]
        if same:
            self._named[part.name] = same
        else:
            del self._named[part.name]

    def one(self, name: Any, what: str, *classes: type[P]) -> P:
        """The one part with this name, or the part itself; what: how messages call the classes."""
        part, name = name, part_name(name, what)
        if not isinstance(name, str):
            raise UnknownNameError(what, name, self.names(*classes))
        found = self.called(name, *classes)
        found = [part] if any(part is other for other in found) else found
        if len(found) == 1:
            return found[0]
        if found:
            raise ModelError(
                f"{len(found)} parts are called {name!r}: {', '.join(part.role for part in found)}; "
                "names must differ; give the part itself instead of its name, or rename one of them"
            )
        other = self.called(name)
        if other and classes:
            raise ModelError(f"{name!r} is a {other[0].role}, not a {what}; give the name of a {what}")
        raise UnknownNameError(what, name, self.names(*classes))

    def holder(self, name):
        """The body, ground or frame that places with this name stand on, or None."""
        for part in self._named.get(name, ()):
            if isinstance(part, (Body, Frame)):
                return part
        return None

    def trace(self, place):
        """(body name, pose in it, None) of a place, through frames on frames; or (None, None, a function that makes the error)."""
        part = self.holder(place.part)
        if isinstance(part, Body):
            return place.part, place.pose, None
        if part is None:
            return None, None, functools.partial(self._nowhere, place.part)
        body, pose, problem = self._frame(part)
        return body, None if pose is None else pose @ place.pose, problem

    def _frame(self, frame):
        """What `trace` tells, of a frame itself: X = X_1 X_2 ... from the frame on the body outwards."""
        known = {} if self._traced is None else self._traced
        chain, on_chain, part = [], set(), frame
        while isinstance(part, Frame) and part.name not in known and part.name not in on_chain:
            chain.append(part)
            on_chain.add(part.name)
            part = self.holder(part.place.part)
        if part is None:
            found = None, None, functools.partial(self._nowhere, chain[-1].place.part)
        elif isinstance(part, Body):
            found = part.name, None, None
        elif part.name in on_chain:
            names = [other.name for other in chain]
            found = None, None, functools.partial(_circle, names[names.index(part.name) :])
        else:
            found = known[part.name]
        for part in reversed(chain):
            body, pose, problem = found
            if problem is None:
                found = body, part.place.pose if pose is None else pose @ part.place.pose, None
            known[part.name] = found
        return found

    def _nowhere(self, name, where, suggest=True):
        """The error for a place on nothing. Near matches are sought only if asked for: that takes time among many names."""
        found = self.called(name)
        if found:
            return ModelError(
                f"{where} is on {name!r}, which is a {found[0].role}; allowed are bodies, frames and ground; give one of these"
            )
        if not suggest:
            return ModelError(f"{where}: no body or frame is called {name!r}. Add it, or give another name")
        error = UnknownNameError("body or frame", name, self.names(Body, Frame))
        error.args = (f"{where}: {error}{'' if error.near else '.'} Add it, or give another name",)
        return error


def _circle(visited, where, suggest=True):
    shown = [repr(name) for name in (visited if len(visited) <= MOST_SHOWN else visited[:MOST_SHOWN])]
    left_out = [] if len(visited) <= MOST_SHOWN else [f"{len(visited) - MOST_SHOWN} more"]
    return ModelError(
        f"{where} is on a circle of frames: {' on '.join([*shown, *left_out, repr(visited[0])])}; "
        "a frame must stand on a body in the end; change the place of one of them"
    )
