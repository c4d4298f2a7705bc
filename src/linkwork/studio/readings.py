"""What there is to read of a part while it moves: rows of (label, value), all of them or those that are read at a glance."""

import numpy as np

import linkwork as lw

from .chart_data import number_text, vector_text

CHOICE = "~"  # marks components that are the choice of least norm, not unique
LONGER = {"position", "turned", "velocity", "speed", "angular velocity"}  # labels of rows of a body that a glance leaves out
NOTHING = 1e-12  # N, N m, m, m/s: what is less is rounding


def rows_of(live, name):
    """Rows for a part by name; [] if there is none. What takes long, reactions, is not among them."""
    mechanism = live.mechanism
    for role, parts in (("body", mechanism.bodies), ("joint", mechanism.joints), ("force", mechanism.forces), ("frame", mechanism.frames)):
        if any(part.name == name for part in parts):
            return _READERS[role](live, name)
    return []


def glance_rows(live, name, known=None):
    """The few rows that fit beside a pointer. known: of all reactions, by reacting.py; they may be a little old, which is said then."""
    longer = LONGER if any(body.name == name for body in live.mechanism.bodies) else ()
    rows = [(label, value) for label, value in rows_of(live, name) if label not in longer and (label, value) != ("switched", "on")]
    if not has_reaction(live.mechanism, name):
        return rows
    if known is None or (not known.current and known.t == live.time):
        return [*rows, ("reaction", "…")]
    when = "" if known.current else f"  (at {known.t:.2f} s)"
    return rows + [(label, value + when) for label, value in _reaction_sizes(known.reactions, name)]


def _reaction_sizes(reactions, name):
    """How far it is open, where it closes something; sizes of force and moment; of what acts along joints, its force there."""
    if isinstance(reactions, lw.LinkworkError) or name not in reactions.names:
        return []
    gap = reactions.gaps.get(name)
    rows = [] if gap is None else [("gap", _size_text(gap, "m or rad"))]
    if not reactions.is_joint(name) and reactions.model.constraint(name).joints:
        mark = "" if reactions.drive_unique(name).all() else CHOICE
        return [*rows, ("drives with", mark + _size_text(float(np.linalg.norm(reactions.drive(name))), "N m or N"))]
    found = reactions[name]
    force, moment = float(np.linalg.norm(found.force)), float(np.linalg.norm(found.moment))
    moment = moment if moment > 1e-9 * reactions.length * force else 0.0
    for label, size, own, unit in (("reaction", force, found.unique[3:], "N"), ("moment", moment, found.unique[:3], "N m")):
        rows.append((label, ("" if own.all() else CHOICE) + _size_text(size, unit)))
    return rows


def _size_text(size, unit):
    return number_text(size if size > NOTHING else 0.0, unit)


def has_reaction(mechanism, name) -> bool:
    """Is there a reaction in a part of this name?"""
    return any(part.name == name for part in (*mechanism.joints, *mechanism.constraints))


def reaction_rows(reactions, name):
    """Force and moment in a joint or constraint, world axes; what is not unique is marked. reactions: of all parts, or why there are none."""
    if isinstance(reactions, lw.LinkworkError):
        return [("reaction", str(reactions))]
    if name not in reactions.names:
        return []
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
    com, spin = np.asarray(inertia.com), float(np.linalg.norm(turn[:3]))
    return [
        ("position", vector_text(k.positions[b], "m")),
        ("turned", _turn_text(R)),
        ("velocity", vector_text(R @ turn[3:], "m/s")),
        ("speed", number_text(float(np.linalg.norm(turn[3:])), "m/s")),
        ("angular velocity", vector_text(R @ turn[:3], "rad/s")),
        ("centre of mass", vector_text(k.positions[b] + R @ com, "m")),
        ("its speed", _size_text(float(np.linalg.norm(turn[3:] + np.cross(turn[:3], com))), "m/s")),
        ("turns with", _size_text(spin, "rad/s")),
        ("mass", number_text(float(inertia.mass), "kg")),
        *_touching(live, name),
    ]


def _touching(live, name):
    """What other bodies and the ground exert on a body where they touch, and how."""
    shapes = {shape.name: shape.body for shape in live.model.shapes} if live.model.touches else {}
    sums: dict = {}
    found = live.touching()
    for pair, force, slides in zip(found.pairs, found.forces, found.sliding, strict=True):
        a, b = (shapes[shape] for shape in pair)
        if name in (a, b):
            other, sign = (a, 1.0) if name == b else (b, -1.0)
            total, sliding = sums.get(other, (np.zeros(3), False))
            sums[other] = total + sign * force, sliding or bool(slides)
    return [
        (f"touches {other!r}", f"{number_text(float(np.linalg.norm(force)), 'N')}, {'slides' if slides else 'sticks'}")
        for other, (force, slides) in sums.items()
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
    tau = live.active_forces()[0][joint.v_index]
    efforts = ["N m" if unit == "rad" else "N" for unit in units]
    return [*rows, ("driven by", number_text(float(tau[0]), efforts[0]) if len(tau) == 1 else vector_text(tau))]


def _turns(kind, k):
    """Is velocity k of a joint an angular one?"""
    if kind.ball or kind.free:
        return k < 3
    return kind.custom or kind.elements[k].turn != 0.0


def _force(live, name):
    force = live.model.force(name)
    state = live.mechanism.force(name)
    rows = [("switched", "on" if state.on else "off")]
    if len(force.places or ()) == 2:
        a, b = (_point(live, *place) for place in force.places)
        rows.append(("length", number_text(float(np.linalg.norm(a - b)), "m")))
        rows.append(("force", number_text(live.read(f"tension {name}"), "N")))
    return rows + [row for joint in dict.fromkeys(joint for joint, _ in state.joints) for row in _driven(live, joint)]


def _driven(live, name):
    """What drives a joint, in all: of a motor or brake on it, that is what can be told."""
    return [(f"{label} {name!r}", value) for label, value in _joint(live, name) if label in ("speed", "driven by")]


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
