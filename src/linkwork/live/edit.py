"""An edit while it is being made: a copy of the mechanism that notes what is done to it, so that all of it takes effect, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..analysis.joint_coordinates import coordinates_of, motion_of
from ..arguments import need_array
from ..errors import StateError
from ..parts.joints.kind_conversion import sorts
from ..parts.mechanism import Mechanism
from ..parts.part import Part
from ..parts.place import Place
from ..spatial.checks import numbers
from ..spatial.pose import Pose
from .placing import placed_assembly
from .python_text import call_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..parts.body import Body
    from ..parts.surface import Surface

# What changes a mechanism. Everything else is read from the mechanism itself.
METHODS = ("add_joint", "add_constraint", "add_force", "add_frame", "add_floor", "touch", "ignore", "forget_touch", "reroot")


@dataclass(frozen=True)
class Edit:
    """An edit that took effect.

    words: what was done. python: the line that does it. time: s, when. moved: m, the largest shift of a body, where parts had to fly together; turned, rad.
    energy_lost: J of kinetic energy that joining moving parts took, negative what drives put in; potential_lost: J that moving parts
    together took. seconds: until it was in effect. apart: what overlapped by it and was moved apart, in words.

    >>> import linkwork as lw
    >>> live = lw.Live()
    >>> _ = live.add_body("puck", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> edit = live.last_edit
    >>> edit.words, edit.energy_lost
    ("add body 'puck'", 0.0)
    """

    words: str
    python: str
    time: float
    moved: float = 0.0
    turned: float = 0.0
    energy_lost: float = 0.0
    potential_lost: float = 0.0
    seconds: float = 0.0
    apart: str = ""

    def __str__(self) -> str:
        more = f", parts moved by {self.moved:.3g} m" if self.moved > 1e-9 else ""
        if abs(self.energy_lost) > 1e-12:
            more += f", {abs(self.energy_lost):.3g} J {'lost in the impact' if self.energy_lost > 0.0 else 'put in by what is driven'}"
        more += f"; {self.apart}" if self.apart else ""
        return f"{self.time:.3f} s: {self.words}{more}"


class Editing:
    """A mechanism being edited: the methods of a Mechanism, each noted as a line of Python. `mechanism` is the copy."""

    def __init__(self, mechanism: Mechanism, bodies: dict[str, tuple[Pose, NDArray[np.float64]]] | None = None) -> None:
        self._began, self.mechanism = mechanism, mechanism.clone()
        self.bodies = bodies or {}  # {name: (pose, twist)} where bodies are now
        self.lines: list[tuple[Any, ...]] = []
        self.renamed: dict[str, str] = {}  # {new name: old name}
        self.placed: dict[str, tuple[Any, ...]] = {}
        self.joints: dict[str, tuple[Any, ...]] = {}  # {joint: (q, v)} that are set, None for what is not

    def _note(self, method: str, args: Any, kwargs: dict[str, Any]) -> None:
        self.lines.append((method, args, kwargs))

    def check_alone(self, mechanism: Mechanism) -> None:
        """Refuse to take the place of a mechanism that is no longer the one this edit began with: what was edited meanwhile would be lost."""
        if mechanism is not self._began:
            raise StateError(
                "edit: others edited meanwhile; allowed in `with live.edit() as m:` are edits by m; use it for all of them", "edit"
            )

    def python(self, owner: str = "live") -> str:
        """The lines; of several, a block."""
        if len(self.lines) == 1:
            return call_text(owner, *self.lines[0])
        return "\n".join([f"with {owner}.edit() as m:", *("    " + call_text("m", *line) for line in self.lines)]) if self.lines else ""

    # ---- what there is

    def __getattr__(self, name: str) -> Any:
        if name in METHODS:

            def edit(*args: Any, **kwargs: Any) -> Any:
                named, options = [_by_name(x) for x in args], {key: _by_name(x) for key, x in kwargs.items()}
                done = getattr(self.mechanism, name)(*named, **options)
                self._note(name, named, options)
                return done

            return edit
        return getattr(self.mechanism, name)

    # ---- edits that are more than the mechanism's own

    def add_body(
        self,
        name: str,
        *,
        pose: Pose | tuple[float, ...] | None = None,
        twist: NDArray[np.float64] | tuple[float, ...] | None = None,
        **given: Any,
    ) -> Body:
        """Add a body; pose: where it starts in the world; twist: its velocity [w; v] in its own axes."""
        body = self.mechanism.add_body(name, **given)
        if pose is not None or twist is not None:
            self.placed[body.name] = _pose("pose", pose), numbers("twist", (0.0,) * 6 if twist is None else twist, (6,))
        where = {} if pose is None else {"pose": _pose("pose", pose)}
        self._note("add_body", [name], {**given, **where, **({} if twist is None else {"twist": twist})})
        return body

    def change(self, part: str, *, dependents: bool = False, stay: bool = False, **values: Any) -> Any:
        """As Mechanism.change. stay: of a joint that takes another kind, its parts stay where they are, and the place on its child moves instead;
        otherwise both places stay, and parts that do not fit fly together.
        """
        name = part.name if isinstance(part, Part) else part
        values = {field: _by_name(value) for field, value in values.items()}
        names = {other.name for other in self.mechanism._registry.acting()}
        was = sorts(self.mechanism.joint(name).kind) if name in self.joints else None
        done: Any = self.mechanism.change(_by_name(part), dependents=dependents, **values)
        if done.role == "joint" and "kind" in values:
            values["kind"] = done.kind if isinstance(values["kind"], type) else values["kind"]
            if sorts(done.kind) != was:
                self.joints.pop(name, None)  # coordinates that were set are none of this kind
            if stay:
                values["child"] = refitted_child(done, self.bodies | self.placed)
                self.mechanism.change(done, child=values["child"])
        elif stay:
            raise StateError(f"stay: {done} takes no other kind of joint here; allowed is stay=True with kind=...; leave it out", "stay")
        self._note("change", [name], {**values, **({"dependents": True} if dependents else {})})
        self._forget(names - {other.name for other in self.mechanism._registry.acting()})
        return done

    def _forget(self, gone: set[str]) -> None:
        """Parts that were removed are no longer placed, set or renamed."""
        for name in gone:
            for kept in (self.placed, self.renamed, self.joints):
                kept.pop(name, None)

    def rename(self, part: str, name: str) -> Any:
        old = part.name if isinstance(part, Part) else part
        done = self.mechanism.rename(_by_name(part), name)
        if done.name != old:
            self.renamed[done.name] = self.renamed.pop(old, old)
            for known in (self.bodies, self.placed, self.joints):
                if old in known:
                    known[done.name] = known.pop(old)
        self._note("rename", [old, name], {})
        return done

    def remove(self, part: str, dependents: bool = True) -> list[Any]:
        """Take a part out, with all that stands on it."""
        name = part.name if isinstance(part, Part) else part
        removed = self.mechanism.remove(_by_name(part), dependents)
        self._note("remove", [name], {} if dependents else {"dependents": False})
        self._forget({gone.name for gone in removed})
        return removed

    def copy(self, bodies: Any, prefix: Any, offset: Any = (0.0, 0.0, 0.0)) -> Any:
        """Copy bodies with the joints among them; offset: how far from the originals the copies stand, m."""
        done = self.mechanism.copy(_by_name(bodies), prefix)
        shift = Pose(offset)
        for part in done:
            if part.role == "body" and part.name[len(prefix) :] in self.bodies:
                pose, twist = self.bodies[part.name[len(prefix) :]]
                self.placed[part.name] = shift @ pose, twist
        self._note("copy", [_by_name(bodies), prefix], {"offset": offset} if np.any(offset) else {})
        return done

    def merge(self, other: Any, prefix: str = "", at: Any = None, poses: Any = None) -> Any:
        """Add all parts of another mechanism; poses: {body of the other: where it starts in the world}, for those that float."""
        done = self.mechanism.merge(other, prefix, at)
        shift = _pose("at", at)
        for name, pose in (poses or {}).items():
            self.placed[prefix + name] = shift @ _pose("poses", pose), numbers("twist", (0.0,) * 6, (6,))
        given = {"at": at, "poses": poses}
        self._note("merge", [other, prefix], {name: value for name, value in given.items() if value is not None})
        return done

    def place(self, body: Any, pose: Any = None, twist: Any = None) -> None:
        """Put a floating body, with all that hangs together with it, somewhere: see Live.place."""
        self.placed |= placed_assembly(self.mechanism, self.bodies | self.placed, body, pose, twist)
        given = {"pose": None if pose is None else _pose("pose", pose), "twist": twist}
        self._note("place", [body], {key: value for key, value in given.items() if value is not None})

    def set_joint(self, joint: str, q: float | None = None, v: Any = None) -> None:
        """Set coordinates or speeds of a joint: see Live.set_joint."""
        kind, given = self.mechanism.joint(joint).kind, {}
        for what, value, size in (("q", q, kind.nq), ("v", v, kind.nv)):
            if value is not None:
                given[what] = numbers(f"{what} of joint {joint!r}", np.atleast_1d(need_array(f"{what} of joint {joint!r}", value)), (size,))
        self.joints[joint] = given.get("q"), given.get("v")
        self._note("set_joint", [joint], {key: value.tolist() for key, value in given.items()})

    def change_gravity(self, gravity: Any) -> None:
        self.mechanism.gravity = gravity
        self._note("change_gravity", [tuple(self.mechanism.gravity)], {})

    def change_contact(self, contact: bool | None) -> None:
        """Let bodies touch (True), or not (False), or only if something of contact is declared (None): see Mechanism.contact."""
        self.mechanism.contact = contact
        self._note("change_contact", [contact], {})

    def change_surface(self, surface: Surface | None) -> None:
        """Friction and restitution of all that says nothing itself: see Mechanism.surface."""
        self.mechanism.surface = surface
        self._note("change_surface", [surface], {})

    def rename_mechanism(self, name: str) -> None:
        self.mechanism.name = name
        self._note("rename_mechanism", [name], {})


def _by_name(value: Any) -> Any:
    """Parts of the mechanism that is being edited, by name: the copy has parts of its own."""
    if isinstance(value, Part):
        return value.name
    if isinstance(value, Place):
        return Place(value.name, value.pose)
    if isinstance(value, (list, tuple)) and any(isinstance(entry, Part) for entry in value):
        return type(value)(_by_name(entry) for entry in value)
    return value


def _pose(what: str, pose: Pose | tuple[float, ...] | None) -> Pose:
    if pose is None:
        return Pose()
    if isinstance(pose, Pose):
        return pose
    try:
        return Pose(pose)
    except (TypeError, ValueError) as error:
        raise StateError(f"{what}: found {pose!r}; allowed is a Pose, or three numbers; give one ({error})", what) from error


# ---- another kind

# A joint that takes another kind while its parts stay where they are: the place on its child is moved instead.
#
# With F and M the places on parent and child, and q the coordinates of the new kind nearest F^-1 M, the place goes to M' = F X_J(q).

FITS = 1e-12  # a place that is nearer stays as it was written


def refitted_child(joint: Any, bodies: dict[str, Any]) -> Place:
    """The place on the child of a joint at which it holds its bodies as they stand. bodies: {name: (pose in the world, ...)}."""
    ends = [bodies[name][0] if name in bodies else Pose() for name in (joint.parent_body, joint.child_body)]
    relative = (ends[0] @ joint.parent_pose).inverse() @ (ends[1] @ joint.child_pose)
    kind, child = joint.kind, cast(Place, joint.child)
    if kind.free:
        return child
    arms = [float(np.linalg.norm(pose.translation)) for pose in (joint.parent_pose, joint.child_pose, relative)]
    q = coordinates_of(kind, relative, max(arms) or 1.0)
    held = Pose((0.0, 0.0, 0.0), q) if kind.ball else motion_of(kind, q)[0] if kind.nv else Pose()
    shift = relative.inverse() @ held
    if abs(shift.log()).max() < FITS:
        return child
    return Place(child.name, child.pose @ shift)
