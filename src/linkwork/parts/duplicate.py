"""Copies of parts under new names: inside one mechanism, from one into another, or as a whole."""

import dataclasses

from ..errors import ModelError
from .applied_force import AppliedForce
from .body import Body
from .constraint import Constraint
from .graph import outboard_of
from .part import Part
from .place import Place, pose_from
from .registry import GROUND
from .validation import refuse, sequence


def copy_of(part, name, owner, moved=lambda place: place):
    """A part with the same content, another name and owner; `moved` maps the places it stands on."""
    values = {field: moved(value) if isinstance(value, Place) else value for field, value in part.content().items() if field != "name"}
    new = object.__new__(type(part))
    Part.__init__(new, name, values, owner)
    return new


def copy(mechanism, bodies, prefix) -> list[Part]:
    """See Mechanism.copy."""
    registry = mechanism._registry
    where = f"mechanism {mechanism.name!r}: copy"
    chosen = _chosen(mechanism, bodies, where)
    _check_prefix(prefix, where)
    parts = [body for body in registry.bodies if body.name in chosen]
    parts += [joint for joint in registry.joints if {registry.trace(joint.parent)[0], registry.trace(joint.child)[0]} <= chosen]
    parts += [frame for frame in registry.frames if registry.trace(frame.place)[0] in chosen]
    copied = {part.name for part in parts}
    parts += [part for part in registry.acting() if _among(registry, part, chosen, copied)]
    copied = {part.name for part in parts}

    def moved(place):
        return Place(prefix + place.part, place.pose) if place.part in copied else place

    roots = [root for root in mechanism._roots if root in copied]
    rules = [rule for rule in mechanism.touch_rules if rule.pair <= chosen | {GROUND}]
    return _add_copies(mechanism, parts, prefix, moved, (roots, rules), where)


def merge(mechanism, other, prefix, at) -> list[Part]:
    """See Mechanism.merge."""
    where = f"mechanism {mechanism.name!r}: merge"
    if not isinstance(other, type(mechanism)):
        raise refuse(where, "the other", other, "give a Mechanism")
    _check_prefix(prefix, where)
    pose = pose_from(where, () if at is None else (at,), None)

    def moved(place):
        return Place(GROUND, pose @ place.pose) if place.part == GROUND else Place(prefix + place.part, place.pose)

    def placed(shapes):
        surface = theirs.surface or other.surface
        return tuple([dataclasses.replace(shape, at=pose @ shape.at, surface=shape.surface or surface) for shape in shapes])

    new = _add_copies(mechanism, other._registry.everything(), prefix, moved, (list(other._roots), other.touch_rules), where)
    ours, theirs = mechanism.ground, other.ground
    for part in new if other.surface is not None else ():
        if isinstance(part, Body) and part.surface is None:
            part._put(surface=other.surface)
    ours._put(visuals=ours.visuals + placed(theirs.visuals), collisions=ours.collisions + placed(theirs.collisions))
    return new


def _add_copies(mechanism, parts, prefix, moved, said, where):
    """Make all copies before the first is added: if one cannot be, nothing has changed. said: (roots, rules of touching) of the originals."""
    remedy = "give another prefix" if prefix else "give a prefix, such as prefix='left_'"
    mechanism._refuse_taken([prefix + part.name for part in parts], where, remedy)
    copies = [copy_of(part, prefix + part.name, mechanism, moved) for part in parts]
    for new in copies:
        if isinstance(new, (Constraint, AppliedForce)):
            new._put(joints=tuple((prefix + joint, dof) for joint, dof in new.joints))
        mechanism._registry.add(new)
    roots, rules = said
    mechanism._roots += [prefix + root for root in roots]
    for rule in rules:
        mechanism._keep_rule(rule._replace(**{side: name if (name := getattr(rule, side)) == GROUND else prefix + name for side in "ab"}))
    return copies


def _among(registry, constraint, chosen, copied):
    """Does a constraint or force stand among the chosen bodies and copied joints only?"""
    places = [place for place in (constraint.a, constraint.b) if place is not None]
    return all(registry.trace(place)[0] in chosen | {GROUND} for place in places) and all(joint in copied for joint, _ in constraint.joints)


def _chosen(mechanism, bodies, where):
    """Names of the bodies to copy."""
    if isinstance(bodies, (str, Part)):
        return set(outboard_of(mechanism, _body_name(mechanism, bodies, where)))
    names = {_body_name(mechanism, body, where) for body in sequence(bodies, where, "bodies", "give a body, its name, or a list of these")}
    if not names:
        raise ModelError(f"{where}: the list of bodies is empty; give at least one body")
    return names


def _body_name(mechanism, body, where):
    if isinstance(body, Body):
        return mechanism._own(body, where).name
    if isinstance(body, str):
        return mechanism.body(body).name
    raise refuse(where, "a body", body, "give a body or its name")


def _check_prefix(prefix, where):
    if not isinstance(prefix, str):
        raise refuse(where, "prefix", prefix, "give text, such as 'left_'")
