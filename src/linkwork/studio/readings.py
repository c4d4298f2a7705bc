"""What there is to read of a part while it moves: rows of (label, value)."""

import numpy as np

import linkwork as lw

from .curves import number_text, vector_text

CHOICE = "~"  # marks components that are the choice of least norm, not unique


def rows_of(live, name):
    """Rows for a part by name; [] if there is none. What takes long, reactions, is not among them."""
    mechanism = live.mechanism
    for role, parts in (("body", mechanism.bodies), ("joint", mechanism.joints), ("force", mechanism.forces), ("frame", mechanism.frames)):
        if any(part.name == name for part in parts):
            return _READERS[role](live, name)
    return []


def has_reaction(mechanism, name) -> bool:
    """Is there a reaction in a part of this name?"""
    return any(part.name == name for part in (*mechanism.joints, *mechanism.constraints))


def reaction_rows(reactions, name):
    """Force and moment in a joint or constraint, world axes; what is not unique is marked."""
    found = reactions[name]
    rows = [
        ("reaction", _marked(found.force, found.unique[3:], "N")),
        ("its size", number_text(float(np.linalg.norm(found.force)), "N")),
        ("moment", _marked(found.moment, found.unique[:3], "N m", reactions.length * float(np.abs(found.force).max()))),
    ]
    if found.unique.all():
        return [*rows, ("", "unique: all solutions have these values")]
    return [*rows, ("", f"{CHOICE} not unique, since constraints are redundant: the choice of least norm")]


def _marked(values, unique, unit, beside=0.0):
    """Numbers, those that are a choice marked; what is nothing beside the largest, or beside something else, is 0."""
    size = max(float(np.abs(values).max(initial=0.0)), beside)
    texts = [
        ("" if own else CHOICE) + number_text(0.0 if abs(x) < 1e-9 * size else float(x)) for x, own in zip(values, unique, strict=True)
    ]
    return f"({', '.join(texts)}) {unit}"


def _body(live, name):
    b = live.model.body(name).index
    k = lw.forward_kinematics(live.model, live.q, live.v)
    R, turn = k.rotations[b], k.velocities[b]
    inertia = live.model.bodies[b].inertia
    return [
        ("position", vector_text(k.positions[b], "m")),
        ("turned", _turn_text(R)),
        ("velocity", vector_text(R @ turn[3:], "m/s")),
        ("speed", number_text(float(np.linalg.norm(turn[3:])), "m/s")),
        ("angular velocity", vector_text(R @ turn[:3], "rad/s")),
        ("mass", number_text(float(inertia.mass), "kg")),
    ]


def _turn_text(R):
    w = lw.Pose((0.0, 0.0, 0.0), R).log()[:3]
    angle = float(np.linalg.norm(w))
    return "not" if angle < 1e-9 else f"{np.degrees(angle):.4g}° about {vector_text(w / angle)}"


def _joint(live, name):
    joint = live.model.joint(name)
    q, v = live.q[joint.q_index], live.v[joint.v_index]
    if not len(v):
        return [("", "it has no freedom")]
    units = ["rad" if _turns(joint.kind, k) else "m" for k in range(len(v))]
    if len(q) == 1:
        degrees = f"  ({np.degrees(float(q[0])):.4g}°)" if units[0] == "rad" else ""
        rows = [("coordinate", number_text(float(q[0]), units[0]) + degrees), ("speed", number_text(float(v[0]), units[0] + "/s"))]
    else:
        rows = [("coordinates", vector_text(q)), ("speeds", vector_text(v))]
    tau = live.loads()[0][joint.v_index]
    efforts = ["N m" if unit == "rad" else "N" for unit in units]
    return [*rows, ("driven by", number_text(float(tau[0]), efforts[0]) if len(tau) == 1 else vector_text(tau))]


def _turns(kind, k):
    """Is velocity k of a joint an angular one?"""
    if kind.ball or kind.free:
        return k < 3
    return kind.custom or kind.elements[k].turn != 0.0


def _force(live, name):
    force = live.model.force(name)
    state = next(part for part in live.mechanism.forces if part.name == name)
    rows = [("switched", "on" if state.on else "off")]
    if len(force.places or ()) == 2:
        a, b = (_point(live, *place) for place in force.places)
        rows.append(("length", number_text(float(np.linalg.norm(a - b)), "m")))
    return rows


def _point(live, body, pose):
    """The origin of a place, in the world."""
    if body == "ground":
        return pose.translation
    k, b = lw.forward_kinematics(live.model, live.q), live.model.body(body).index
    return k.positions[b] + k.rotations[b] @ pose.translation


def _frame(live, name):
    k = lw.forward_kinematics(live.model, live.q)
    return [("position", vector_text(np.reshape(k.position(name), 3), "m"))]


_READERS = {"body": _body, "joint": _joint, "force": _force, "frame": _frame}
