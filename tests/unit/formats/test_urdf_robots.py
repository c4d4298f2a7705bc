"""The robots of example-robot-data, 69 files: the same tree, poses and masses as Pinocchio finds in them."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from linkwork.errors import FormatError
from linkwork.formats import read
from linkwork.parts import Prismatic, Revolute, Weld
from linkwork.spatial import Pose

pin = pytest.importorskip("pinocchio")

FOLDERS = [Path(entry) / "cmeel.prefix/share/example-robot-data/robots" for entry in sys.path]
FOLDER = next((folder for folder in FOLDERS if folder.is_dir()), None)
FILES = sorted(FOLDER.rglob("*.urdf")) if FOLDER else []
# What is left of a file of macros: a <robot> without a name or a link. Pinocchio refuses it, and so do we.
EMPTY = "ur3.urdf"
ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]

pytestmark = [pytest.mark.peer, pytest.mark.skipif(not FILES, reason="example-robot-data is not installed")]


def kind_of(joint):
    """revolute, continuous or prismatic, by the class and range that Linkwork or Pinocchio gives a joint."""
    if not isinstance(joint, str):
        if isinstance(joint.kind, Prismatic):
            return "prismatic"
        assert isinstance(joint.kind, Revolute)
        return "continuous" if joint.kind.lower == (-np.inf,) else "revolute"
    if "Prismatic" in joint or joint in ("JointModelPX", "JointModelPY", "JointModelPZ"):
        return "prismatic"
    return "continuous" if "Unbounded" in joint or joint.startswith("JointModelRUB") else "revolute"


def limits_of(k):
    return [*k.lower, *k.upper, *k.velocity_limit, *k.effort_limit, *k.damping, *k.friction]


def pin_limits(model, name, kind):
    i = model.getJointId(name)
    q, v = model.joints[i].idx_q, model.joints[i].idx_v
    # Pinocchio writes a turn without limits as a point on the unit circle, with the limits of cosine and sine.
    lower, upper = (-np.inf, np.inf) if kind == "continuous" else (model.lowerPositionLimit[q], model.upperPositionLimit[q])
    return [lower, upper, model.upperVelocityLimit[v], model.upperEffortLimit[v], model.damping[v], model.upperDryFrictionLimit[v]]


def names_in_file(m):
    """From the name in the mechanism to the name in the file, undoing what the notes say."""
    names = {part.name: part.name for part in (*m.bodies, *m.joints)}
    for note in m.notes:
        renamed = re.match(r"renamed '(.*)': ", note.message)
        if renamed:
            names[renamed[1]] = note.element.partition("'")[2].removesuffix("'")
    return names


def body_poses(m, q):
    """X_WB of all bodies by name, walking the joints from the ground; q: dict of coordinates by joint name."""
    outward = {}
    for joint in m.joints:
        outward.setdefault(joint.parent_body, []).append(joint)
    poses, waiting = {"ground": Pose()}, ["ground"]
    while waiting:
        parent = waiting.pop()
        for joint in outward.get(parent, ()):
            X = poses[parent] @ joint.parent_pose
            for element in joint.kind.elements:
                axis = np.array(element.axis) * q[joint.name]
                X = X @ Pose.exp(np.concatenate([element.turn * axis, element.slide * axis]))
            poses[joint.child_body] = X @ joint.child_pose.inverse()
            waiting.append(joint.child_body)
    return poses


def pin_configuration(model, q):
    found = pin.neutral(model)
    for name, value in q.items():
        joint = model.joints[model.getJointId(name)]
        found[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
    return found


def test_there_are_robots():
    assert len(FILES) == 69


@pytest.mark.parametrize("path", [f for f in FILES if f.name != EMPTY], ids=lambda path: path.stem)
def test_robot(path):
    m, model = read(path), pin.buildModelFromUrdf(str(path))
    original = names_in_file(m)
    root, *joints = m.joints
    assert (root.name, type(root.kind)) == ("root", Weld)
    moving = {original[j.name]: kind_of(j) for j in joints if not isinstance(j.kind, Weld)}
    assert moving == {name: kind_of(joint.shortname()) for name, joint in zip(model.names[1:], model.joints[1:])}
    welds = {original[j.name] for j in joints if isinstance(j.kind, Weld)}
    assert welds == {f.name for f in model.frames if f.type == pin.FrameType.FIXED_JOINT} - {"universe"}

    for j in joints:
        if not isinstance(j.kind, Weld):
            assert limits_of(j.kind) == pin_limits(model, original[j.name], moving[original[j.name]])

    rng = np.random.default_rng(len(joints))
    q = {j.name: rng.uniform(-1, 1) for j in joints if not isinstance(j.kind, Weld)}
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin_configuration(model, {original[name]: value for name, value in q.items()}))
    poses = body_poses(m, q)
    frames = {f.name: i for i, f in enumerate(model.frames) if f.type == pin.FrameType.BODY}
    for body in m.bodies:
        frame = frames[original[body.name]]
        # A chain of 30 poses; files give six digits of an axis, which Pinocchio and we scale to length 1 alike.
        np.testing.assert_allclose(poses[body.name].matrix, data.oMf[frame].homogeneous, atol=1e-12)
    sums = lumped(m, poses)
    assert len(sums) == len(moving)
    for name, ours in sums.items():
        theirs = model.inertias[model.getJointId(original[name])].matrix()[np.ix_(ANGULAR_FIRST, ANGULAR_FIRST)]
        # Sums and rotations of up to 40 bodies, in another order: rounding, relative to the largest entry (a mass or a moment).
        np.testing.assert_allclose(ours, theirs, atol=1e-13 * np.abs(theirs).max())


def lumped(m, poses):
    """6x6 inertia, angular first, of what each moving joint carries rigidly, by joint name, in the frame of the joint's child body."""
    sums = {}
    inward = {joint.child_body: joint for joint in m.joints}
    for body in m.bodies:
        joint = inward[body.name]
        while isinstance(joint.kind, Weld) and joint.parent_body != "ground":
            joint = inward[joint.parent_body]
        if not isinstance(joint.kind, Weld):
            X = poses[joint.child_body].inverse() @ poses[body.name]
            sums[joint.name] = sums.get(joint.name, 0.0) + body.mass_properties().transformed(X).matrix
    return sums


def test_an_empty_robot_is_refused():
    [path] = [f for f in FILES if f.name == EMPTY]
    with pytest.raises(FormatError, match="no <link>"):
        read(path)
