"""A state by names, {"pivot": 0.3, "crate": (0, 0, 1)}, as the numbers q or v of a model; what is not named is at zero."""

from collections.abc import Mapping

import numpy as np

from ..arguments import need_array
from ..dynamics.configuration import neutral
from ..errors import StateError, UnknownNameError
from ..model.model import by_name
from ..spatial.pose import Pose

WORLD = "ground"


def named_state(model, argument, given):
    """(numbers, joints that are named) of a dict {joint, or body that floats: coordinates}; argument: "q" or "v".

    The q of a joint may be one number, all its coordinates, or, of a body that floats, a Pose or a place (x, y, z).
    """
    numbers = neutral(model) if argument == "q" else np.zeros(model.nv)
    joints = {joint.name: joint for joint in model.joints}
    floating = {joint.child: joint for joint in model.joints if joint.kind.free and joint.parent == WORLD and not joint.backwards}
    held = []
    for name, value in by_name(argument, given).items():
        joint = joints.get(name) or floating.get(name)
        if joint is None:
            raise UnknownNameError("joint or floating body", name, [*joints, *floating])
        if joint.name in held:
            raise StateError(f"{argument}: joint {joint.name!r} is found twice, by its name and by its body's; leave one out", argument)
        where = joint.q_index if argument == "q" else joint.v_index
        numbers[where] = _coordinates(argument, name, joint, value, where.stop - where.start)
        held.append(joint.name)
    return numbers, held


def _coordinates(argument, name, joint, value, count):
    place = argument == "q" and joint.kind.free
    if place and isinstance(value, Pose):
        return [*value.translation, *value.quaternion]
    allowed = "one number" if count == 1 else f"{count} numbers"
    if place:
        allowed = "a Pose, a place (x, y, z), or 7 numbers (x, y, z and a quaternion w, x, y, z)"
    found = np.atleast_1d(need_array(f"{argument}[{name!r}]", value, allowed))
    if not np.isfinite(found).all():
        raise StateError(f"{argument}[{name!r}]: found {value!r}; allowed are finite numbers; correct it", argument)
    if place and found.shape == (3,):
        return [*found, 1.0, 0.0, 0.0, 0.0]
    if found.shape != (count,):
        raise StateError(f"{argument}[{name!r}]: found shape {found.shape}; allowed is {allowed}; correct it", argument)
    return found


def is_named(given):
    """Is a state given by names?"""
    return isinstance(given, Mapping)
