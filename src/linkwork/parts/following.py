"""What acts on the coordinates of a joint, when the joint becomes one of another kind: what goes on, and what can not."""

from ..errors import DependentError
from .applied_force import EVERY
from .joints.kind_conversion import coordinates_kept, sorts

UNITS = {"turn": "an angle", "slide": "a length", "custom": "a coordinate of a custom joint"}


def follow(mechanism, joint, kind):
    """({part: its coordinates under the new kind} of what goes on otherwise, [(part, why)] of what can not go on)."""
    follows, stranded = [], []
    kept = coordinates_kept(joint.kind, kind)
    for part in mechanism._registry.acting():
        if all(name != joint.name for name, _ in part.joints):
            continue
        coordinates, why = [], None
        for name, dof in part.joints:
            found = [(name, dof)]
            if name == joint.name:
                found, why = _continued(joint, kind, kept, dof)
                why = why or _unsuited(part, joint, kind)
            coordinates += found
            if why is not None:
                break
        if why is not None:
            stranded.append((part, why))
        elif tuple(coordinates) != part.joints:
            follows.append((part, tuple(coordinates)))
    return follows, stranded


def _continued(joint, kind, kept, dof):
    """(coordinates in place of one, None), or ([], why there is none)."""
    before, after = sorts(joint.kind), sorts(kind)
    if dof == EVERY:
        if not joint.kind.nv or (after and set(after) <= set(before)):
            return [(joint.name, EVERY)], None
        if kept:
            return [(joint.name, kept[k]) for k in sorted(kept)], None
        dof = 0
    if dof in kept:
        return [(joint.name, kept[dof])], None
    if not 0 <= dof < joint.kind.nv:  # it did not exist before either: a fault that build finds
        return [(joint.name, dof)], None
    which = f" {dof}" if joint.kind.nv > 1 else ""
    return [], f"coordinate{which} of {joint} is {UNITS[before[dof]]}, and {type(kind).__name__} has {_owned(after)}"


def _owned(after):
    if not after:
        return "no coordinate"
    return f"{UNITS[after[0]]} only" if len(after) == 1 else "none left that is like it"


def _unsuited(part, joint, kind):
    if (kind.ball or kind.free) and part.kind.needs_q:
        return f"{type(part.kind).__name__} needs a coordinate, and {type(kind).__name__} is turned by a quaternion, which has none"
    return None


def stranded_error(joint, kind, stranded):
    """The error for parts that can not go on."""
    listed = "; ".join(f"{part}: {why}" for part, why in stranded)
    one = len(stranded) == 1
    return DependentError(
        f"{joint} cannot become {type(kind).__name__}, since {listed}; remove {'it' if one else 'them'} first, or give dependents=True to remove "
        f"{'it' if one else 'them'} too",
        [(part.name, why) for part, why in stranded],
    )
