"""All that keeps a mechanism from becoming a model, found at once and said by the name of the part.

kind        what it is about                                kind        what it is about
name        a name used twice                               axis        an axis without direction, parallel axes
reference   a place on something that does not exist        limits      lower above upper, not a number
self        a joint or constraint of a body with itself     option      a negative armature, damping, friction, effort ...
constraint  a constraint that holds nothing                 custom      functions of a Custom joint that fail or disagree
massless    a joint that nothing resists                    pose        a pose that is not finite
law         a function of time with impossible numbers           joint       a coordinate that a joint does not have
inertia     an inertia that no body can have                dimension   a size of a shape that is not positive
density     a density that is not positive, or unused       gravity     a gravity that is not finite
surface     a negative friction, an impossible restitution  touch       a rule of touching that names no body, a shape that cannot touch
floor       a Floor or a HeightField on a body that moves
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ModelError, UnknownNameError
from . import massless
from .applied_force import EVERY
from .graph import forest
from .joint import Joint
from .mass_faults import mass_faults
from .place import pose_faults
from .touching import Touching, floor_faults, surface_faults, takes_contact

if TYPE_CHECKING:
    from .applied_force import AppliedForce
    from .body import Body
    from .constraint import Constraint
    from .mechanism import Mechanism
    from .place import Place

# Near matches take time among many names: no more comparisons than this are spent on them.
MOST_LISTED = 100  # faults in a message; all of them are in the error's `faults`
MOST_COMPARISONS = 20_000


class Fault(NamedTuple):
    """One fault: the name of the part, the kind of fault (see the table above), and the message in words.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("odd")
    >>> _ = m.add_body("stone", mass=-1.0)
    >>> [(fault.part, fault.kind) for fault in m.faults()]
    [('stone', 'inertia')]
    """

    part: str
    kind: str
    message: str


def find_faults(mechanism: Mechanism) -> list[Fault]:
    """Every fault of a mechanism, in the order: names, bodies, frames, joints, connections, constraints, forces."""
    return _judged(mechanism).faults


def _judged(mechanism: Mechanism) -> _Findings:
    """All that was found out about a mechanism."""
    with mechanism._registry.unchanged():
        return _judged_parts(mechanism)


def _judged_parts(mechanism: Mechanism) -> _Findings:
    found = _Findings(mechanism)
    _gravity(mechanism, found)
    _names(mechanism, found)
    found.weak = weak = _bodies(mechanism, found)
    for frame in mechanism.frames:
        _place(found, frame, "place", frame.place)
    for joint in mechanism.joints:
        _joint(found, joint)
    found.edges = forest(mechanism).with_cut_bodies(weak)
    _connections(mechanism, found)
    for constraint in mechanism.constraints:
        _constraint(mechanism, found, constraint)
    for force in mechanism.forces:
        _acting(mechanism, found, force)
    _touching(mechanism, found)
    for edge, dof, mass in massless.unresisted(found.edges, weak, found.unusable):
        body = mechanism._registry.holder(edge.child_body_name)
        if mass == 0.0 and not edge.closes_loop and body.shape is not None and body.mass is None:
            found.add(body, "massless", massless.shape_message(edge, body))
        else:
            found.add(body if edge.joint.automatic else edge.joint, "massless", massless.message(edge, dof, mass))
    return found


def check(mechanism: Mechanism) -> tuple[Any, ...]:
    """Raise ModelError with all faults of a mechanism, if there are any; its message lists the first of many.

    Returns the edges of its tree, and the bodies without proper inertia by name.
    """
    found = _judged(mechanism)
    faults = found.faults
    if faults:
        counted = "a fault" if len(faults) == 1 else f"{len(faults)} faults"
        listed = "".join(f"\n  - {fault.message}" for fault in faults[:MOST_LISTED])
        listed += f"\n  - and {len(faults) - MOST_LISTED} more: see mechanism.faults()" if len(faults) > MOST_LISTED else ""
        raise ModelError(f"mechanism {mechanism.name!r} has {counted}:{listed}", [(fault.part, fault.message) for fault in faults])
    return found.edges, found.weak


class _Findings:
    """Faults so far, and the bodies about whose inertia nothing can be claimed because of them; the tree, and the bodies that are weak."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.faults: list[Fault] = []
        self.unusable: set[Any] = set()
        self.edges: list[Any] = []
        self.weak: dict[Any, Any] = {}
        self.trace = mechanism._registry.trace
        self.suggestions = 1 + MOST_COMPARISONS // (1 + len(mechanism.bodies) + len(mechanism.frames))

    def add(self, part: Any, kind: str, text: str) -> None:
        self.faults.append(Fault(part.name, kind, f"{part}: {text}"))


def _gravity(mechanism: Mechanism, found: _Findings) -> None:
    if not all(map(math.isfinite, mechanism.gravity)):
        text = f"mechanism {mechanism.name!r}: gravity is {mechanism.gravity} m/s^2; allowed are three finite numbers; correct it"
        found.faults.append(Fault(mechanism.name, "gravity", text))


def _touching(mechanism: Mechanism, found: _Findings) -> None:
    """Report what is declared about contact."""
    if mechanism.touch_rules or takes_contact(mechanism):
        said = Touching(mechanism).faults()
    else:
        said = surface_faults(mechanism)
    for part, kind, text in said:
        if part is not None:
            found.add(part, kind, text)
        else:
            found.faults.append(Fault(mechanism.name, kind, f"mechanism {mechanism.name!r}: {text}"))


def _names(mechanism: Mechanism, found: _Findings) -> None:
    for name, parts in mechanism._registry.shared_names():
        roles = ", ".join(part.role if part.name != "ground" or part is not mechanism.ground else "ground itself" for part in parts)
        text = (
            f"{parts[-1]}: {len(parts)} parts are called {name!r} ({roles}); bodies, joints, frames, constraints, forces and ground share one name space, "
            "in which a name is used once; rename all but one of them"
        )
        found.faults.append(Fault(name, "name", text))


def _bodies(mechanism: Mechanism, found: _Findings) -> dict[str, Body]:
    """Report the bodies; return those, by name, whose inertia is not positive definite."""
    bodies = mechanism.bodies
    faults, weak = mass_faults(bodies)
    for i, body in enumerate([*bodies, mechanism.ground]):
        for kind, text in faults.get(i, ()):
            found.add(body, kind, text)
            found.unusable.add(body.name)
        for kind, text in body.surface.faults() if body.surface is not None else ():
            found.add(body, kind, text)
        if body.shape is not None or body.visuals or body.collisions:
            for kind, text in floor_faults(body) if body is not mechanism.ground else ():
                found.add(body, kind, text)
                found.unusable.add(body.name)
            for shape in (body.shape, *body.visuals, *body.collisions):
                for kind, text in shape.faults() if shape is not None else ():
                    found.add(body, kind, text)
                    if kind != "surface":
                        found.unusable.add(body.name)
    return {bodies[i].name: bodies[i] for i in weak}


def _place(found: _Findings, part: Any, what: str, place: Place) -> Any:
    """Report a place; return the name of the body it is on, or None. The body's inertia says nothing if its place is not finite."""
    impossible = next(pose_faults(place.pose), None)
    if impossible:
        found.add(part, "pose", f"its {what} {impossible}")
    body, pose, problem = found.trace(place)
    if problem is not None:
        found.suggestions -= 1
        text = str(problem(f"its {what}", suggest=found.suggestions >= 0))
        found.add(part, "reference", text)
    elif impossible if pose is place.pose else next(pose_faults(pose), None):
        found.unusable.add(body)
    return body


def _joint(found: _Findings, joint: Joint) -> None:
    known = len(found.faults)
    parent = _place(found, joint, "parent", joint.parent)
    child = _place(found, joint, "child", joint.child)
    for kind, text in joint.kind.faults():
        found.add(joint, kind, text)
    if parent is not None and parent == child:
        text = (
            f"its parent and its child are the same body, {parent!r}; a joint connects two different bodies; change one of the two places"
        )
        found.add(joint, "self", text)
    if len(found.faults) > known:
        found.unusable.update(name for name in (parent, child) if name is not None)


def _connections(mechanism: Mechanism, found: _Findings) -> None:
    for edge in found.edges:
        if edge.joint.automatic and mechanism._registry.has(edge.joint.name):
            taken = mechanism._registry.called(edge.joint.name)[0]
            text = (
                f"its name is needed for the automatic free joint of body {edge.child_body_name!r}, which floats; "
                "names are used once; rename it, or connect the body to ground"
            )
            found.add(taken, "name", text)


def _acting(mechanism: Mechanism, found: _Findings, part: AppliedForce | Constraint) -> None:
    """What is wrong with a constraint or a force: its kind, its places, its joints."""
    for kind, text in part.kind.faults():
        found.add(part, kind, text)
    sides = [(side, place) for side in ("a", "b") if (place := getattr(part, side)) is not None]
    bodies = [_place(found, part, f"place {side}", place) for side, place in sides]
    if len(bodies) == 2 and bodies[0] is not None and bodies[0] == bodies[1] and not part.kind.sees_world:
        text = f"both its places are on {bodies[0]!r}, which cannot move against itself; a {part.role} needs two different bodies"
        found.add(part, "self", f"{text}; change one of the places")
    for name, dof in part.joints:
        joints = mechanism._registry.called(name, Joint)
        if not joints:
            hint = UnknownNameError("joint", name, [joint.name for joint in mechanism.joints])
            found.add(part, "reference", f"{hint}. Add it, or give another name")
        elif (joints[0].kind.ball or joints[0].kind.free) and part.kind.needs_q:
            text = f"joint {name!r} is turned by a quaternion, which has no single coordinate; allowed are joints whose velocity is dq/dt"
            found.add(part, "joint", f"{text}; {part.kind.instead_of_q}")
        elif not 0 <= dof < joints[0].kind.nv and not (dof == EVERY and part.role == "force"):
            text = f"degree of freedom {dof} of joint {name!r} does not exist; it has {joints[0].kind.nv}, counted from 0; correct it"
            found.add(part, "joint", text)
    if len(set(part.joints)) < len(part.joints):
        found.add(
            part, "joint", "it names the same joint coordinate twice; allowed is each once; give another joint, or add up the coefficients"
        )


def _constraint(mechanism: Mechanism, found: _Findings, constraint: Constraint) -> None:
    _acting(mechanism, found, constraint)
    if constraint.kind.takes == "joints" and len(constraint.joints) != (count := len(constraint.kind.blocks()[0].coefficients)):
        found.add(
            constraint, "joint", f"it has {len(constraint.joints)} joints for {count} coefficients; give as many of one as of the other"
        )
