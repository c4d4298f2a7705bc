"""One kind of joint in place of another: which coordinate goes on as which, and what of the old kind the new one takes over.

A coordinate goes on as one that turns (rad) if it turned, as one that slides (m) if it slid: rather about the same axis, else in the same
place of the order. An angle never goes on as a length.
"""

import dataclasses

import numpy as np

from ...errors import ModelError
from .axis import cross, has_direction, unit
from .custom import Custom
from .kind import OPTIONS, JointKind

ALONG = 1.0 - 1e-9  # cosine from which on two axes are one
UP = (0.0, 0.0, 1.0)
PITCH = 0.01  # m/rad of a screw that was none before
RESISTANCES = ("damping", "friction")  # options that a quaternion joint can have alike in all directions


def sorts(kind: JointKind) -> list[str]:
    """ "turn", "slide" or "custom" for each degree of freedom."""
    if kind.custom:
        return ["custom"] * kind.nv
    if kind.elements is None:
        return (["turn"] * 3 + ["slide"] * 3)[: kind.nv]
    return ["turn" if element.turn else "slide" for element in kind.elements]


def coordinates_kept(old: JointKind, new: JointKind) -> dict[int, int]:
    """{degree of freedom of the old kind: that of the new kind as which it goes on}; what is missing exists no more."""
    if type(old) is type(new) and old.nv == new.nv:
        return {k: k for k in range(old.nv)}
    before, after = sorts(old), sorts(new)
    if "custom" in before + after:  # nobody knows what their coordinates mean
        return {}
    kept: dict[int, int] = {}
    for same in (_along(old, new), lambda k, i: k == i):
        for k, sort in enumerate(before):
            free = [i for i, other in enumerate(after) if other == sort and i not in kept.values() and same(k, i)]
            if k not in kept and free:
                kept[k] = free[0]
    return kept


def _along(old, new):
    """Is degree of freedom k of one kind about, or along, the axis of degree of freedom i of the other?"""
    ours, theirs = _axes(old), _axes(new)
    return lambda k, i: float(np.dot(ours[k], theirs[i])) > ALONG


def _axes(kind):
    if kind.elements is None:
        return list(np.eye(3)) * 2
    return [np.asarray(element.axis) for element in kind.elements]


def as_kind(old: JointKind, new: type) -> JointKind:
    """The kind `new` with the axis, limits, damping and drive of `old`, coordinate by coordinate; the rest at their defaults."""
    if not (isinstance(new, type) and issubclass(new, JointKind)) or new in (JointKind, Custom):
        raise ModelError(
            f"kind: found {getattr(new, '__name__', new)}; allowed are Revolute, Prismatic, Spherical and the like; give one of these"
        )
    if type(old) is new:
        return old
    made = new(**_own(old, new))
    kept = coordinates_kept(old, made)
    options = {name: list(getattr(made, name)) for name in OPTIONS}
    for k, i in kept.items():
        for name in OPTIONS:
            options[name][i] = getattr(old, name)[k]
    if made.ball or made.free:
        turning = [k for k, sort in enumerate(sorts(old)) if sort == "turn"]
        for name, default in OPTIONS.items():
            same = {getattr(old, name)[k] for k in turning} if name in RESISTANCES else set()
            options[name] = [same.pop() if len(same) == 1 else default] * 3 + [default] * (made.nv - 3)
    return dataclasses.replace(made, **{name: tuple(values) for name, values in options.items()})


def _own(old, new):
    """The fields special to a kind, taken from another."""
    axis = next((given for name in ("axis", "axis1", "normal") if (given := getattr(old, name, None)) is not None), UP)
    axis = axis if has_direction(axis) else UP
    least = np.zeros(3)
    least[int(np.argmin(np.abs(axis)))] = 1.0
    across = tuple(float(x) for x in unit(cross(unit(axis), least.tolist())))
    known = {"axis": axis, "axis1": axis, "axis2": across, "normal": axis, "pitch": PITCH}
    return {field.name: known[field.name] for field in dataclasses.fields(new) if field.name in known}
