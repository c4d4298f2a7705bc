"""Parts by the names that commands use: forces of a body, the link between two bodies, where a place is."""

import numpy as np

import linkwork as lw

from .errors import RefusedError
from .words import quoted


def body(mechanism, name):
    """A body that can move."""
    found = mechanism.body(name)
    if found is mechanism.ground:
        raise RefusedError("ground does not move; allowed are bodies; give the name of one")
    return found


def where(mechanism, place):
    """(name of the body, pose in it) of a place."""
    part = mechanism.part(place.name)
    return (part.body, part.pose @ place.pose) if isinstance(part, lw.Frame) else (place.name, place.pose)


def free_name(mechanism, name):
    """The name, if no part has it yet."""
    try:
        there = mechanism.part(name)
    except lw.UnknownNameError:
        return name
    raise RefusedError(f"there is already a {there.role} {name!r}; a name is used once; give another one, or remove that first")


def force_name(body_name, name):
    """What a force of a body is called in the mechanism: two bodies may each have one called `damping`."""
    return f"{body_name}.{name}"


def short_name(body_name, name):
    return name.removeprefix(f"{body_name}.")


def forces_of(mechanism, body_name):
    """All forces that act on a body, strings and the like included."""
    return [force for force in mechanism.forces if body_name in acts_on(mechanism, force)]


def acts_on(mechanism, part):
    """Names of the bodies that a force or constraint acts on."""
    if part.joints:
        joints = [mechanism.joint(name) for name, _ in part.joints]
        return [name for joint in joints for name in (joint.parent_body, joint.child_body)]
    return [where(mechanism, place)[0] for place in (part.a, part.b)]


def force(mechanism, body_name, name):
    """A force of a body, by its short name or by its whole name."""
    found = {force.name: force for force in forces_of(mechanism, body_name)}
    for called in (force_name(body_name, name), name):
        if called in found:
            return found[called]
    raise lw.UnknownNameError(f"force of body {body_name!r}", name, [short_name(body_name, known) for known in found])


def links_between(mechanism, parent, child):
    return [joint for joint in mechanism.joints if (joint.parent_body, joint.child_body) == (parent, child)]


def link(mechanism, parent, child):
    """The joint from parent to child."""
    for name in (parent, child):
        mechanism.body(name)
    found = links_between(mechanism, parent, child)
    if len(found) == 1:
        return found[0]
    if found:
        raise RefusedError(f"{len(found)} joints lead from {parent!r} to {child!r}: {', '.join(quoted(j.name) for j in found)}; remove one")
    if links_between(mechanism, child, parent):
        raise RefusedError(f"the joint leads from {child!r} (parent) to {parent!r} (child); give them in this order")
    others = [quoted(joint.parent_body) for joint in mechanism.joints if joint.child_body == child]
    hint = f"{child!r} hangs on {', '.join(others)}" if others else f"{child!r} hangs on nothing; il and connect make joints"
    raise RefusedError(f"no joint leads from {parent!r} to {child!r}; {hint}")


def rotation(four):
    """A quaternion of any length as one of length 1."""
    length = sum(x * x for x in four) ** 0.5
    if not length > 1e-9:
        raise RefusedError(
            f"the quaternion {' '.join(f'{x:g}' for x in four)} has no direction; allowed is any but 0 0 0 0; 1 0 0 0 is no turn"
        )
    return tuple(x / length for x in four)


def velocity(live, name):
    """(angular velocity, velocity of the origin) of a body, in world axes."""
    R, twist = live.poses()[name].rotation, live.twists()[name]
    return R @ twist[:3], R @ twist[3:]


def point(live, place):
    """(position, velocity) of a place in the world."""
    name, pose = where(live.mechanism, place)
    if name == "ground":
        return pose.translation, np.zeros(3)
    X, (w, u) = live.poses()[name], velocity(live, name)
    there = X.act(pose.translation)
    return there, u + np.cross(w, there - X.translation)
