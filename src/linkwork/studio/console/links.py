"""Links: il sl pl, and connect and kind for bodies that are there already.

A joint has a frame on each side: distal in the parent (-djt -djE), proximal in the child (-pjt -pjE). At q = 0 the two coincide. Where the axis
does not pass through their origins, two frames of the mechanism, `<joint>.distal` and `<joint>.proximal`, keep what was said.
"""

import numpy as np

import linkwork as lw

from . import find
from .bodies import new_body
from .errors import RefusedError
from .table import command
from .words import quoted, shown

KINDS = {
    "weld": lambda axis: lw.Weld(),
    "revolute": lambda axis: lw.Revolute(axis),
    "prismatic": lambda axis: lw.Prismatic(axis),
    "cylindrical": lambda axis: lw.Cylindrical(axis),
    "universal": lambda axis: lw.Universal(axis, _across(axis)),
    "spherical": lambda axis: lw.Spherical(),
    "planar": lambda axis: lw.Planar(axis),
}
SIDES = {"parent": ("distal", "-djt", "-djE"), "child": ("proximal", "-pjt", "-pjE")}
UP = (0.0, 0.0, 1.0)


@command("il PARENT NAME", "a new link: a body like that of ib on a hinge about the z axis of its parent (a body, or ground)")
def il(console, given):
    parent, name = given.values
    mechanism, live = console.mechanism, console.live
    mechanism.body(parent)
    find.free_name(mechanism, name)
    joint = find.free_name(mechanism, f"{name}.joint")
    ground = (lw.Pose(), np.zeros(6))
    pose, twist = ground if parent == "ground" else (live.poses()[parent], live.twists()[parent])
    with live.edit(f"link {name} on {parent}") as m:
        new_body(m, name, pose=pose, twist=twist)
        m.add_joint(joint, lw.Revolute(UP), parent, name)


@command(
    "sl PARENT CHILD [-s wx wy wz vx vy vz] [-q q] [-qdot v] [-pjt x y z] [-pjE w x y z] [-djt x y z] [-djE w x y z]",
    "sets a link: the spatial axis of its joint (angular, then linear: 0 0 1 0 0 0 a hinge, 0 0 0 1 0 0 a slide, both a screw), its coordinate and "
    "speed, and its frame in the child (proximal, -pj) and in the parent (distal, -dj); the child's side moves, the parent's stays",
)
def sl(console, given):
    parent, child = given.values
    live = console.live
    joint = find.link(console.mechanism, parent, child)
    if not given.options:
        raise RefusedError(f"sl: nothing is given to set; pl {quoted(parent)} {quoted(child)} shows it")
    if joint.kind.nv != 1 and given["-s"] is None and (given["-q"] is not None or given["-qdot"] is not None):
        raise RefusedError(
            f"joint {joint.name!r} has {joint.kind.nv} degrees of freedom; -q and -qdot set those that have one; give -s first"
        )
    q, v = _coordinates(live, joint, given)
    with live.edit(f"set link {parent} {child}") as m:
        if any(given[flag] is not None for flag in ("-s", "-pjt", "-pjE", "-djt", "-djE")):
            _reshape(m, joint, given)
        m.set_joint(joint.name, q, v)


def _coordinates(live, joint, given):
    """(q, v) of a joint after the command: what is given, or what it is now; a joint of a new kind starts at 0."""
    now = live.model.joint(joint.name)
    stays = given["-s"] is None or now.nv == 1
    q = live.q[now.q_index] if stays else [0.0]
    v = live.v[now.v_index] if stays else [0.0]
    return (q if given["-q"] is None else [given["-q"]]), (v if given["-qdot"] is None else [given["-qdot"]])


def _reshape(m, joint, given):
    """The joint's axis and frames."""
    kind, r = (joint.kind, offset(m.mechanism, joint)) if given["-s"] is None else joint_of(given["-s"])
    values = {} if given["-s"] is None else {"kind": kind}
    for side, (word, t, E) in SIDES.items():
        body, pose = side_frame(m.mechanism, joint, side)
        p = pose.translation if given[t] is None else given[t]
        pose = lw.Pose(p, pose.rotation if given[E] is None else find.rotation(given[E]))
        values[side] = _put_side(m, f"{joint.name}.{word}", body, pose, r)
    m.change(joint.name, **values)
    _drop_unused(m, joint)


def _put_side(m, name, body, pose, r):
    """The place of a joint's side; a frame keeps the pose that was said, if the axis does not pass through it."""
    known = {frame.name for frame in m.mechanism.frames}
    if not np.any(r):
        return lw.Place(body, pose)
    if name in known:
        m.change(name, place=lw.Place(body, pose))
    else:
        m.add_frame(find.free_name(m.mechanism, name), lw.Place(body, pose))
    return lw.Place(name, lw.Pose(r))


def _drop_unused(m, joint):
    now = m.mechanism.joint(joint.name)
    for side, (word, *_) in SIDES.items():
        name = f"{joint.name}.{word}"
        if getattr(now, side).name != name and any(frame.name == name for frame in m.mechanism.frames):
            m.remove(name)


def offset(mechanism, joint):
    """r: how far the axis is from the frames that were said."""
    own = joint.parent.name == f"{joint.name}.distal" and joint.child.name == f"{joint.name}.proximal"
    return np.array(joint.parent.pose.translation) if own else np.zeros(3)


def side_frame(mechanism, joint, side):
    """(body, pose in it) of a joint's frame on one side, as it was said."""
    place = getattr(joint, side)
    if np.any(offset(mechanism, joint)):
        return find.where(mechanism, lw.Place(place.name))
    return find.where(mechanism, place)


@command("pl [PARENT] [CHILD]", "prints links: joint, kind, parent, child, axis, coordinates, frames; all, those of a parent, or one")
def pl(console, given):
    parent, child = given.values
    mechanism = console.mechanism
    if child is not None:
        chosen = [find.link(mechanism, parent, child)]
    else:
        chosen = [joint for joint in mechanism.joints if parent is None or joint.parent_body == mechanism.body(parent).name]
    for joint in chosen:
        yield _line(console.live, joint)


def _line(live, joint):
    mechanism, now = live.mechanism, live.model.joint(joint.name)
    said = {}
    axis = axis_of(joint.kind, offset(mechanism, joint))
    if axis is not None:
        said["-s"] = axis
    if now.nv:
        said |= {"-q": live.q[now.q_index], "-qdot": live.v[now.v_index]}
    for side in ("child", "parent"):
        _, t, E = SIDES[side]
        pose = side_frame(mechanism, joint, side)[1]
        said |= {t: pose.translation, E: pose.quaternion}
    ends = f"{quoted(joint.parent_body)} {quoted(joint.child_body)}"
    return f"link {quoted(joint.name)} {type(joint.kind).__name__} {ends} " + " ".join(f"{flag} {shown(x)}" for flag, x in said.items())


@command(
    f"connect {{{'|'.join(KINDS)}}} PARENT CHILD [-name NAME] [-one x y z] [-two x y z] [-axis x y z]",
    "joins two bodies that are there at a point of each (-one, -two; by default the child's origin, where it is); parts that do not meet fly together",
)
def connect(console, given):
    word, parent, child = given.values
    mechanism, live = console.mechanism, console.live
    mechanism.body(parent)
    if child == "ground":
        raise RefusedError(f"ground is a parent, never a child; write connect {word} ground {quoted(parent)}")
    mechanism.body(child)
    name = find.free_name(mechanism, given["-name"] or _unused(mechanism, f"{parent}-{child}"))
    axis = given["-axis"] or UP
    X_P = lw.Pose() if parent == "ground" else live.poses()[parent]
    X_C = live.poses()[child]
    two = lw.Pose(given["-two"] or (0.0, 0.0, 0.0))
    meeting = X_P.inverse() @ X_C @ two  # the child's point, in the parent as it is now
    one = meeting if given["-one"] is None else lw.Pose(given["-one"], meeting.rotation)
    with live.edit(f"connect {parent} and {child}") as m:
        m.add_joint(name, KINDS[word](axis), lw.Place(parent, one), lw.Place(child, two))
    yield from _moved(live)


@command(
    f"kind {{{'|'.join(KINDS)}}} PARENT CHILD [-axis x y z] [-stay] [-all]",
    "makes the joint of a link one of another kind, its axis as before unless -axis is given; -stay: no part moves, the joint's frame in the child does; "
    "-all: what acts on coordinates that are no more goes too",
)
def kind(console, given):
    word, parent, child = given.values
    live = console.live
    joint = find.link(console.mechanism, parent, child)
    wanted = KINDS[word](given["-axis"] or UP)
    if given["-axis"] is None:
        wanted = type(wanted)
    try:
        live.change(joint.name, kind=wanted, stay=given["-stay"] is not None, dependents=given["-all"] is not None)
    except lw.DependentError as error:
        listed = "; ".join(f"{name}: {why}" for name, why in error.faults)
        raise RefusedError(f"joint {joint.name!r} stays as it is, since {listed}; remove what is named, or add -all to do so") from error
    yield from _moved(live)


def _moved(live):
    edit = live.last_edit
    if edit.moved > 1e-9:
        yield f"moved {shown(edit.moved)}"


def _unused(mechanism, name):
    names = {part.name for kind in ("bodies", "joints", "frames", "constraints", "forces") for part in getattr(mechanism, kind)}
    return next(called for called in (name, *(f"{name}-{k}" for k in range(2, 10_000))) if called not in names)


def _across(axis):
    """A direction across another one."""
    a = np.array(axis)
    least = np.zeros(3)
    least[int(np.argmin(np.abs(a)))] = 1.0
    return tuple(np.cross(a, least).tolist())


# ---- spatial axes

# Six numbers as a joint of one degree of freedom, and back.
#
# A spatial axis s = [w; v], in the frame of the joint, says how the child moves per unit of q: exp(s q). With |w| = 1 it is a screw
#
#     direction w,   pitch h = w . v,   through the point r = w x v nearest the frame's origin
#
# and exp(s q) = T(r) exp([w; h w] q) T(-r): a joint on the axis itself whose frames, on both sides, are shifted by r. With w = 0 it is a slide
# along v. The length of w, or of v, does not count: q is an angle in rad, or a length in m.

SHORTEST = 1e-9  # axes of a smaller length have no direction
STRAIGHT = 1e-12  # m/rad: a pitch below this is that of a hinge


def joint_of(six):
    """(joint kind, r) of a spatial axis."""
    w, v = np.array(six[:3]), np.array(six[3:])
    turn, slide = float(np.linalg.norm(w)), float(np.linalg.norm(v))
    if turn > SHORTEST:
        w, v = w / turn, v / turn
        pitch, r = float(w @ v), np.cross(w, v)
        axis = tuple(w.tolist())
        return (lw.Screw(axis, pitch) if abs(pitch) > STRAIGHT else lw.Revolute(axis)), r
    if turn:
        raise RefusedError(f"the angular part of -s has length {turn:g}; allowed is 0, or more than {SHORTEST:g}; give 0 0 0 for a slide")
    if slide > SHORTEST:
        return lw.Prismatic(tuple((v / slide).tolist())), np.zeros(3)
    raise RefusedError("-s has no direction; allowed are six numbers, angular then linear, not all 0; 0 0 1 0 0 0 is a hinge about z")


def axis_of(kind, r):
    """The spatial axis of a joint kind of one degree of freedom whose frames are shifted by r; None for other kinds."""
    if kind.nv != 1 or kind.elements is None:
        return None
    (element,) = kind.elements
    w, v = np.array(element.axis) * element.turn, np.array(element.axis) * element.slide
    return (*w, *(v + np.cross(r, w)))
