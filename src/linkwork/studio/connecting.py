"""A tool and what was picked become a part: where its places are, which way its axis points, how long it is."""

import dataclasses

import numpy as np

import linkwork as lw

from .spots import long_axis, world_of
from .tools import AXES, MEASURED, Tool, free_name

AXIS_CHOICES = ("automatic", "world x", "world y", "world z", "body x", "body y", "body z", "towards me")


def connect(live, tool: Tool, picked, axis="automatic", values=None, name="", sight=None) -> str:
    """Make a part in one transaction; returns its name.

    picked: Spots, or names of joints, as the tool wants. axis: one of AXIS_CHOICES. values: {field: value} of the kind, None for what is
    measured. sight: the direction in which the person looks, world.
    """
    name = name.strip() or free_name(live.mechanism, tool.name)
    values = {**(values or {})}
    if tool.picks == "joints":
        return _on_joints(live, tool, list(picked), values, name)
    spots = list(picked)
    if tool.count == 2 and len(spots) == 2 and spots[0].body == spots[1].body:
        raise lw.StudioError(
            f"{tool.label}: both places are on {spots[0].body!r}; allowed are two bodies, or a body and the ground; pick another"
        )
    if tool.count == 1 and spots[0].body == "ground":
        raise lw.StudioError(f"{tool.label}: the place is on the ground, which nothing moves; pick a body")
    if tool.count == 2 and spots[1].body == "ground" and tool.role == "joint":
        spots.reverse()  # ground is the parent
    if tool.count == 1:
        spots.append(_below(live, spots[0], tool))
    values = _measured(live, spots, tool, values)
    kind = dataclasses.replace(tool.kind, **{key: value for key, value in values.items() if value is not None})
    a, b, R = _places(live, spots)
    if tool.axis:
        kind = _turned(kind, R.T @ direction(live, tool, spots, axis, sight))
    b = _upright(kind, b)
    add = {"joint": live.add_joint, "force": live.add_force, "constraint": live.add_constraint}[tool.role]
    add(name, kind, a, b)
    return name


def direction(live, tool, spots, axis="automatic", sight=None):
    """The world direction of an axis, a unit vector."""
    word, _, which = axis.partition(" ")
    if axis == "towards me":
        return _unit(-np.asarray(sight if sight is not None else (0.0, 1.0, 0.0), dtype=float))
    if which in ("x", "y", "z"):
        e = np.eye(3)["xyz".index(which)]
        body = next((spot.body for spot in spots if spot.body != "ground"), "ground")
        return e if word == "world" or body == "ground" else live.poses()[body].rotation @ e
    return _automatic(live, tool, spots, sight)


def _automatic(live, tool, spots, sight):
    along = _along(live, spots)
    if tool.axis == "slide":
        return along if along is not None else np.array((1.0, 0.0, 0.0))
    same = _common_axis(live)
    if same is not None:
        return same
    best = np.array((0.0, 1.0, 0.0))
    if along is not None:  # across the body, level, rather towards the person than not
        level = np.eye(3)[:2]
        towards = np.abs(level @ _unit(np.asarray(sight, dtype=float))) if sight is not None else np.zeros(2)
        across = 1.0 - np.abs(level @ along)
        best = level[int(np.argmax(across + 0.1 * towards + (0.0, 1e-6)))]
    return best


def _along(live, spots):
    """The world direction of the longest edge of the first body that has one."""
    for spot in spots:
        if spot.body != "ground":
            axis = long_axis(live.mechanism.body(spot.body))
            if axis is not None:
                return live.poses()[spot.body].rotation @ axis
    return None


def _common_axis(live):
    """The direction that most hinges turn about, if there are any: mechanisms in a plane are the rule."""
    poses, counted = live.poses(), {}
    for joint in live.mechanism.joints:
        if isinstance(joint.kind, lw.Revolute):
            parent = poses.get(joint.parent_body, lw.Pose())
            u = _unit(parent.rotation @ joint.parent_pose.rotation @ np.array(joint.kind.axis))
            u = u if u[np.argmax(np.abs(u))] > 0.0 else -u
            counted.setdefault(tuple(u.round(3).tolist()), []).append(u)
    return max(counted.values(), key=len)[0] if counted else None


def _unit(u):
    return u / max(float(np.linalg.norm(u)), 1e-12)


def _places(live, spots):
    """(place a, place b, axes of both in the world): frames of the two places are turned alike, as they stand."""
    poses = live.poses()
    A, B = (poses.get(spot.body, lw.Pose()) for spot in spots)
    R = B.rotation.T @ A.rotation
    R = np.where(np.abs(R) < 1e-12, 0.0, R)
    turn = None if np.abs(R - np.eye(3)).max() < 1e-9 else R
    return lw.Place(spots[0].body, lw.Pose(spots[0].point)), lw.Place(spots[1].body, lw.Pose(spots[1].point, turn)), A.rotation


def _upright(kind, place):
    """The second place without its turn, where the joint turns that way itself: the angle is then that between the bodies."""
    if isinstance(kind, (lw.Revolute, lw.Cylindrical)):
        u = np.array(kind.axis)
        keeps = np.abs(place.pose.rotation @ u - u).max() < 1e-9
    else:
        keeps = isinstance(kind, lw.Spherical)
    return lw.Place(place.name, lw.Pose(place.pose.translation)) if keeps else place


def _below(live, spot, tool):
    """The place on the ground for what needs one body only: where the body's place is now; for what rests on the floor, the floor."""
    point = world_of(live, spot)
    if isinstance(tool.kind, (lw.Support, lw.StickSlip, lw.RollingDisc, lw.RollingBall)):
        point = np.array((0.0, 0.0, 0.0))
    return type(spot)("ground", tuple(np.where(np.abs(point) < 1e-12, 0.0, point).tolist()), "the ground")


def _measured(live, spots, tool, values):
    """Lengths that are not given are as things stand."""
    known = {field.name for field in dataclasses.fields(tool.kind)}
    for field in MEASURED:
        if field in known and values.get(field) is None:
            length = float(np.linalg.norm(world_of(live, spots[0]) - world_of(live, spots[1])))
            values = {**values, field: float(f"{length:.6g}")}
    return values


def _turned(kind, u):
    """The kind with its axes along u, in the axes of its places."""
    u = np.where(np.abs(u) < 1e-12, 0.0, u)
    u = tuple((u / np.linalg.norm(u)).round(12).tolist())
    names = {field.name for field in dataclasses.fields(kind)} & set(AXES)
    chosen = {name: u for name in names if name not in ("axis2", "x_axis")}
    if "axis2" in names:
        least = np.eye(3)[int(np.argmin(np.abs(u)))]
        chosen["axis2"] = tuple(_unit(np.cross(u, least)).round(12).tolist())
    return dataclasses.replace(kind, **chosen)


def _on_joints(live, tool, names, values, name):
    if len(set(names)) != len(names):
        raise lw.StudioError(f"{tool.label}: {names[0]!r} was picked twice; allowed are two joints; pick another")
    given = {key: value for key, value in values.items() if value is not None}
    if isinstance(tool.kind, lw.Motor):
        joint = live.mechanism.joint(names[0])
        elements = joint.kind.elements
        if not elements:
            raise lw.StudioError(
                f"{tool.label}: joint {names[0]!r} has no axis to turn about; allowed are hinges, sliders and the like; pick another"
            )
        size = float(given.get("torque", 1.0))
        e = np.array(elements[0].axis)
        what = {"torque": tuple(size * e)} if elements[0].turn else {"force": tuple(size * e)}
        live.add_force(name, lw.Motor(**what), joint.child, joint.parent)
        return name
    kind = dataclasses.replace(tool.kind, **given)
    if isinstance(tool.kind, lw.Drive) and not isinstance(tool.kind, lw.SpeedDrive) and "target" not in given:
        kind = lw.Drive(float(live.q[live.model.joint(names[0]).q_index][0]))
    add = live.add_force if tool.role == "force" else live.add_constraint
    add(name, kind, *names)
    return name
