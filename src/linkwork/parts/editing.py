"""Changes to a mechanism that has parts already. Everything is checked before the first thing is changed."""

import dataclasses

from ..errors import ModelError, UnknownNameError
from ..validation import is_whole
from .applied_force import EVERY, AppliedForce
from .body import Body, replaced_values
from .constraint import Constraint
from .constraints.kind import ConstraintKind
from .following import follow, stranded_error
from .forces.kind import ForceKind
from .frame import Frame
from .graph import assembly_of
from .joint import Joint
from .joints.kind import JointKind
from .joints.kind_conversion import as_kind
from .part import Part
from .place import IDENTITY, Place
from .registry import GROUND
from .validation import flag, name_of_part, refuse
from .written import default_kind


def stored_place(mechanism, owner, what, value):
    """A place as a mechanism keeps it: by name. Parts must be the mechanism's own; names may be of parts yet to come."""
    pose = IDENTITY
    if isinstance(value, Place):
        value, pose = value.part, value.pose
    if isinstance(value, (Body, Frame)):
        return Place(mechanism._own(value, f"{owner}: its {what}").name, pose)
    if isinstance(value, str) and value.strip():
        return Place(str(value), pose)
    raise refuse(owner, what, value, "give a place such as body.at(0, 0, 0.1), a body, a frame, or the name of one")


def joint_values(mechanism, owner, given):
    """What is given for a joint, as it is stored."""
    values = {side: stored_place(mechanism, owner, side, given[side]) for side in ("parent", "child") if side in given}
    if "kind" in given:
        if not isinstance(given["kind"], JointKind):
            raise refuse(owner, "kind", given["kind"], "give a joint kind such as Revolute(axis=(0, 0, 1))")
        values["kind"] = given["kind"]
    if "prefer_cut" in given:
        values["prefer_cut"] = flag(given["prefer_cut"], owner, "prefer_cut")
    return values


def constraint_values(mechanism, owner, kind, on):
    """What is given for a constraint, as it is stored: a kind, and two places or some joints."""
    if not isinstance(kind, ConstraintKind):
        raise refuse(owner, "kind", kind, f"give a constraint kind such as Lock() or Distance(1.0){_belongs(kind)}")
    return _acting_values(mechanism, owner, kind, on, 0)


def force_values(mechanism, owner, kind, at, on=True):
    """What is given for a force, as it is stored: a kind, two places or some joints, and whether it acts."""
    if isinstance(kind, type) and issubclass(kind, ForceKind) and kind.function is not None:
        kind = default_kind(kind, owner)
    if not isinstance(kind, ForceKind):
        raise refuse(
            owner, "kind", kind, f"give a force kind such as SpringDamper(100.0), or a function made one by @force{_belongs(kind)}"
        )
    on = flag(on, owner, "on")
    return {**_acting_values(mechanism, owner, kind, at, EVERY), "on": on}


def _belongs(kind):
    """A hint for a kind that was given to the wrong method."""
    for known, word, method in (
        (JointKind, "joint", "add_joint"),
        (ConstraintKind, "constraint", "add_constraint"),
        (ForceKind, "force", "add_force"),
    ):
        if isinstance(kind, known):
            return f"; that is a kind of {word}: {method} takes it"
    return ""


def _acting_values(mechanism, owner, kind, on, all_of_it):
    what, name = kind.takes, type(kind).__name__
    if what == "places" and kind.most == 1 and len(on) == 2 and stored_place(mechanism, owner, "place b", on[1]) == Place(GROUND, IDENTITY):
        on = on[:1]  # what is stored where no second place is given
    if not kind.least <= len(on) <= (len(on) if kind.most is None else kind.most):
        needed = (
            f"{kind.least} or more" if kind.most is None else str(kind.most) if kind.least == kind.most else f"{kind.least} or {kind.most}"
        )
        raise ModelError(f"{owner}: {name} is given {len(on)} {what}; it takes {needed}; give them after the kind")
    if what == "joints":
        return {"kind": kind, "a": None, "b": None, "joints": tuple(_coordinate(mechanism, owner, joint, all_of_it) for joint in on)}
    places = [stored_place(mechanism, owner, f"place {'ab'[k]}", place) for k, place in enumerate(on)]
    return {"kind": kind, "a": places[0], "b": places[1] if len(places) > 1 else Place(GROUND, IDENTITY), "joints": ()}


def _coordinate(mechanism, owner, joint, dof):
    """A joint coordinate as it is stored: (name of the joint, degree of freedom); `dof`: the one meant where none is given."""
    if isinstance(joint, tuple) and len(joint) == 2:
        joint, dof = joint
    if isinstance(joint, Joint):
        joint = mechanism._own(joint, f"{owner}: a joint").name
    if not isinstance(joint, str) or not joint.strip() or not is_whole(dof):
        raise refuse(owner, "a joint", joint, "give a joint or its name, or (joint, k) for its degree of freedom k")
    return str(joint), int(dof)


def options_refused(name, kind, options):
    """The error for options that were given to a joint instead of its kind."""
    known = [field.name for field in dataclasses.fields(kind)] if isinstance(kind, JointKind) else []
    strange = next((option for option in options if option not in known), None)
    if strange is not None:
        return UnknownNameError(
            f"argument of add_joint or of the joint kind (joint {name!r})", strange, ["kind", "parent", "child", *known]
        )
    what, shown = type(kind).__name__, ", ".join(f"{option}={value!r}" for option, value in options.items())
    return ModelError(
        f"joint {name!r}: {', '.join(options)} given to add_joint; allowed are name, kind, parent and child, since such options belong to "
        f"the joint kind; write {what}(..., {shown})"
    )


def change(mechanism, part, values, dependents=False) -> Part:
    """See Mechanism.change."""
    if isinstance(part, Joint) and isinstance(values.get("kind"), type):
        values = {**values, "kind": _converted_kind(part, values["kind"])}
    kind = values.get("kind", part.kind) if isinstance(part, (Joint, Constraint, AppliedForce)) else None
    of_kind = [field.name for field in dataclasses.fields(kind)] if isinstance(kind, (JointKind, ConstraintKind, ForceKind)) else []
    for field in values:
        if field not in part.fields and field not in of_kind:
            raise UnknownNameError(f"field of {part}", field, [*part.fields, *of_kind])
    if isinstance(part, Body):
        part._put(**replaced_values(str(part), values))
    elif isinstance(part, Constraint):
        part._put(**_changed_constraint(mechanism, part, _with_options(part, kind, of_kind, values)))
    elif isinstance(part, AppliedForce):
        part._put(**_changed_force(mechanism, part, _with_options(part, kind, of_kind, values)))
    elif isinstance(part, Frame):
        part._put(**{field: stored_place(mechanism, str(part), field, value) for field, value in values.items()})
    else:
        changed = joint_values(mechanism, str(part), values)
        changed |= {key: value for key, value in _with_options(part, kind, of_kind, values).items() if key == "kind"}
        _let_follow(mechanism, part, changed.get("kind", part.kind), dependents)
        part._put(**changed)
    return part


def _converted_kind(joint, kind):
    try:
        return as_kind(joint.kind, kind)
    except ModelError as error:
        raise ModelError(f"{joint}: {error}") from error


def _let_follow(mechanism, joint, kind, dependents):
    """What acts on the coordinates of a joint goes on with those of its new kind; what can not is removed, or all of it is refused."""
    if type(kind) is type(joint.kind) and kind.nv == joint.kind.nv:
        return
    follows, stranded = follow(mechanism, joint, kind)
    if stranded and not dependents:
        raise stranded_error(joint, kind, stranded)
    for user, coordinates in follows:
        user._put(joints=coordinates)
    for user, _ in stranded:
        remove(mechanism, user, True)


def _with_options(part, kind, of_kind, values):
    """The values, with the fields of a kind put into the kind."""
    options = {field: values[field] for field in of_kind if field in values}
    if not options:
        return values
    try:
        return {**values, "kind": dataclasses.replace(kind, **options)}
    except ModelError as error:
        raise ModelError(f"{part}: {error}") from error


def _changed_force(mechanism, part, values):
    kind, active = values.get("kind", part.kind), values.get("on", part.on)
    if getattr(kind, "takes", "places") == "joints":
        return force_values(mechanism, str(part), kind, tuple(values.get("joints", part.joints)), active)
    on = [values.get(side, getattr(part, side)) for side in ("a", "b")]
    return force_values(mechanism, str(part), kind, tuple(place for place in on if place is not None), active)


def _changed_constraint(mechanism, part, values):
    kind = values.get("kind", part.kind)
    if getattr(kind, "takes", "places") == "joints":
        return constraint_values(mechanism, str(part), kind, tuple(values.get("joints", part.joints)))
    on = [values.get(side, getattr(part, side)) for side in ("a", "b")]
    return constraint_values(mechanism, str(part), kind, tuple(place for place in on if place is not None))


def rename(mechanism, part, name) -> Part:
    """See Mechanism.rename."""
    registry, old, new = mechanism._registry, part.name, name_of_part(name, part.role)
    if part is mechanism.ground:
        raise ModelError(
            f"mechanism {mechanism.name!r}: ground cannot be renamed; its name is always 'ground'; add a frame to name a place on it"
        )
    if new == old:
        return part
    mechanism._refuse_taken([new], f"{part} cannot be called {new!r}", "choose another name")
    if isinstance(part, Joint) and registry.called(old, Joint) == [part]:
        for user in registry.acting():
            user._put(joints=tuple((new if joint == old else joint, dof) for joint, dof in user.joints))
    if registry.holder(old) is part:
        for user, field in _users(registry, [old]):
            user._put(**{field: Place(new, getattr(user, field).pose)})
        mechanism._roots = [new if root == old else root for root in mechanism._roots]
        if isinstance(part, Body):
            rules = [rule.called({old: new}) for rule in mechanism.touch_rules]
            mechanism._touch_rules = {rule.pair: rule for rule in rules}
    registry.rename(part, new)
    return part


def remove(mechanism, part, dependents) -> list[Part]:
    """See Mechanism.remove."""
    registry = mechanism._registry
    if part is mechanism.ground:
        raise ModelError(
            f"mechanism {mechanism.name!r}: ground cannot be removed; everything stands on it; remove the joints on it instead"
        )
    removed = {id(part): part}
    if dependents and isinstance(part, Body) and registry.holder(part.name) is part:
        mechanism._touch_rules = {pair: rule for pair, rule in mechanism._touch_rules.items() if part.name not in pair}
    names = [part.name] if dependents and (isinstance(part, Joint) or registry.holder(part.name) is part) else []
    while names:
        users = {id(user): user for user, _ in _users(registry, names) if id(user) not in removed}
        users |= {id(user): user for user in registry.acting() if any(joint in names for joint, _ in user.joints)}
        users = {key: user for key, user in users.items() if key not in removed}
        removed |= users
        names = [user.name for user in users.values() if isinstance(user, (Frame, Joint))]
    registry.discard(removed.values())
    for gone in removed.values():
        gone._put(_owner=None)
    mechanism._roots = [root for root in mechanism._roots if registry.called(root, Body)]
    return list(removed.values())


def reroot(mechanism, body) -> Body:
    """See Mechanism.reroot."""
    if not isinstance(body, Body):
        raise ModelError(f"{body} cannot be a root; a root is a body; give a body")
    if GROUND in assembly_of(mechanism, body.name):
        raise ModelError(
            f"{body} cannot be a root: it is connected to ground, and only a floating assembly has a root to choose; "
            "remove the joints that hold it to ground first"
        )
    mechanism._roots = [root for root in mechanism._roots if root != body.name] + [body.name]
    return body


def _users(registry, names):
    """(part, field) for every place that stands on one of these names."""
    names = set(names)
    users = [(joint, side) for joint in registry.joints for side in ("parent", "child") if getattr(joint, side).part in names]
    held = [(part, side) for part in registry.acting() for side in ("a", "b") if getattr(part, side) is not None]
    users += [(part, side) for part, side in held if getattr(part, side).part in names]
    return users + [(frame, "place") for frame in registry.frames if frame.place.part in names]
