"""Where the selected part is and how it moves: in words, and as fields that can be set while time stands still."""

import numpy as np

import linkwork as lw

from .fields import Field

DEGREE = np.pi / 180.0


def motion_of(live, name):
    """(pose, twist [w; v] in its axes) of one body."""
    k, b = lw.forward_kinematics(live.model, live.q, live.v), live.model.body(name).index
    return lw.Pose(k.positions[b], k.rotations[b]), k.velocities[b]


def is_floating(mechanism, body) -> bool:
    """Is a body connected to ground by no joints at all?"""
    reached, waiting = {body}, [body]
    neighbours: dict[str, set] = {}
    for joint in mechanism.joints:
        a, b = joint.parent_body, joint.child_body
        neighbours.setdefault(a, set()).add(b)
        neighbours.setdefault(b, set()).add(a)
    while waiting:
        for other in neighbours.get(waiting.pop(), ()):
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return "ground" not in reached


def rpy_of(rotation):
    """Roll, pitch, yaw in degrees, R = Rz(yaw) Ry(pitch) Rx(roll)."""
    R = np.asarray(rotation)
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    if abs(np.cos(pitch)) < 1e-9:
        return np.array((np.arctan2(-R[1, 2], R[1, 1]), pitch, 0.0)) / DEGREE
    return np.array((np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0]))) / DEGREE


def rows_of(live, part) -> list[tuple[str, str]]:
    """(label, value) of what a part does now."""
    if part.role == "body":
        pose, twist = motion_of(live, part.name)
        inertia = live.model.body(part.name).inertia
        velocity = pose.rotation @ (twist[3:] + np.cross(twist[:3], inertia.com))
        return [
            ("mass", f"{inertia.mass:.4g} kg"),
            ("at", _three(pose.translation) + " m"),
            ("turned", _three(rpy_of(pose.rotation), 1) + "°"),
            ("speed", f"{np.linalg.norm(velocity):.3f} m/s  ({_three(velocity, 2)})"),
            ("spin", f"{np.linalg.norm(twist[:3]):.3f} rad/s"),
        ]
    if part.role == "joint":
        joint = live.model.joint(part.name)
        q, v = live.q[joint.q_index], live.v[joint.v_index]
        return [("q", "  ".join(f"{x:.4f}" for x in q) or "fixed"), ("speed", "  ".join(f"{x:.4f}" for x in v) or "none")]
    return []


def _three(x, digits=3):
    return "  ".join(f"{value:.{digits}f}" for value in (np.round(x, digits) + 0.0))


def state_fields(live, part, floats=None) -> list[Field]:
    """What can be set of a part now; nothing if it cannot be. floats: of a body, if it is known already."""
    if part.role == "body" and (floats if floats is not None else is_floating(live.mechanism, part.name)):
        pose, twist = motion_of(live, part.name)
        return [
            Field("at", _tidy(pose.translation), "numbers", 3),
            Field("turn", _tidy(rpy_of(pose.rotation)), "numbers", 3),
            Field("velocity", _tidy(pose.rotation @ twist[3:]), "numbers", 3),
            Field("spin", _tidy(pose.rotation @ twist[:3]), "numbers", 3),
        ]
    if part.role == "joint":
        joint = live.model.joint(part.name)
        if joint.nv:
            q, v = live.q[joint.q_index], live.v[joint.v_index]
            return [Field("q", _tidy(q), "numbers", joint.nq), Field("v", _tidy(v), "numbers", joint.nv)]
    return []


HINTS = {"at": "of its origin, m", "turn": "roll, pitch, yaw in degrees", "velocity": "of its origin, world axes, m/s", "spin": "rad/s"}


def _tidy(x):
    return tuple((np.round(np.asarray(x, dtype=float), 9) + 0.0).tolist())


def set_state(live, name, values):
    """Put what was set into effect."""
    part = live.mechanism.part(name)
    if part.role == "joint":
        return live.set_joint(name, **values)
    pose, twist = motion_of(live, name)
    velocity, spin = pose.rotation @ twist[3:], pose.rotation @ twist[:3]
    turn = lw.Pose.from_rpy(*(DEGREE * np.array(values["turn"]))).rotation if "turn" in values else pose.rotation
    pose = lw.Pose(values.get("at", pose.translation), turn)
    moving = "velocity" in values or "spin" in values
    twist = np.concatenate([turn.T @ np.array(values.get("spin", spin)), turn.T @ np.array(values.get("velocity", velocity))])
    return live.place(name, pose if "at" in values or "turn" in values else None, twist.tolist() if moving else None)
