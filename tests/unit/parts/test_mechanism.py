"""Mechanisms: adding parts, finding them, comparing, copying and pickling the whole."""

import copy
import math
import pickle

import numpy as np
import pytest

from linkwork.errors import ModelError, UnknownNameError
from linkwork.parts import Box, Free, Ground, Mechanism, Mesh, Place, Revolute, Spherical, Weld
from linkwork.spatial.pose import Pose

Y = (0.0, 1.0, 0.0)


def leg():
    """A body of every kind of inertia, joints by place, frame, body and name, a frame on a frame."""
    m = Mechanism("leg", gravity=(0, 0, -3.7))
    thigh = m.add_body("thigh", shape=Box(0.1, 0.1, 0.4), density=1000.0)
    shin = m.add_body("shin", mass=2.0, com=(0, 0, -0.2), inertia=(0.1, 0.1, 0.01))
    m.add_body("foot", mass=0.5, inertia=np.eye(3) * 0.01, visuals=[Mesh(np.eye(3), [[0, 1, 2]])])
    knee = m.add_frame("knee_frame", thigh.at(0, 0, -0.2))
    m.add_frame("knee_pin", knee.at(0, 0.01, 0))
    m.add_joint("hip", Spherical(damping=0.1), m.ground.at(0, 0, 1), thigh.at(0, 0, 0.2))
    m.add_joint("knee", Revolute(Y, lower=0), "knee_pin", shin)
    m.add_joint("ankle", Weld(), shin.at(Pose((0, 0, -0.4))), "foot")
    return m


def test_what_was_added_is_there_in_order():
    m = leg()
    assert [part.name for part in m.bodies] == ["thigh", "shin", "foot"]
    assert [part.name for part in m.joints] == ["hip", "knee", "ankle"]
    assert [part.name for part in m.frames] == ["knee_frame", "knee_pin"]
    assert m.body("shin") is m.bodies[1] and m.joint("knee") is m.joints[1] and m.frame("knee_pin") is m.frames[1]
    assert m.part("shin") is m.body("shin") and m.part("knee") is m.joint("knee") and m.part(m.frames[0]) is m.frames[0]
    assert m.gravity == (0.0, 0.0, -3.7) and m.name == "leg"
    assert repr(m) == "<mechanism 'leg': 3 bodies, 3 joints, 2 frames, 0 constraints, 0 forces>"
    assert m.faults() == []


def test_the_lists_are_copies():
    m = leg()
    m.bodies.clear()
    m.joints.clear()
    m.frames.clear()
    assert m == leg()


def test_joints_know_their_ends_through_frames_and_names():
    m = leg()
    hip, knee, ankle = m.joints
    assert (hip.parent_body, hip.child_body) == ("ground", "thigh")
    assert (knee.parent_body, knee.child_body) == ("thigh", "shin")
    assert (ankle.parent_body, ankle.child_body) == ("shin", "foot")
    assert hip.parent_pose == Pose((0, 0, 1)) and hip.child_pose == Pose((0, 0, 0.2))
    assert knee.parent_pose == Pose((0, 0.01, -0.2)) and knee.child_pose == Pose()
    assert knee.parent == Place("knee_pin")
    assert not hip.automatic


def test_ground_is_a_part_with_places():
    m = Mechanism()
    assert isinstance(m.ground, Ground) and m.ground.name == "ground"
    assert m.body("ground") is m.ground is m.part("ground")
    assert m.ground.at(1, 2, 3).pose == Pose((1, 2, 3))
    assert m.ground not in m.bodies


def test_parts_may_be_added_in_any_order():
    m = Mechanism()
    m.add_joint("pivot", Revolute(Y), "ground", Place("tool", Pose((1, 0, 0))))
    m.add_frame("tool", "rod")
    assert [fault.kind for fault in m.faults()] == ["reference"] * 2
    m.add_body("rod", mass=1, inertia=(1, 1, 1))
    assert m.faults() == []
    assert m.joint("pivot").child_body == "rod" and m.joint("pivot").child_pose == Pose((1, 0, 0))


@pytest.mark.parametrize(
    ("lookup", "texts"),
    [
        (lambda m: m.body("thig"), ["no body is called 'thig'", "did you mean 'thigh'"]),
        (lambda m: m.joint("kne"), ["no joint is called 'kne'", "'knee'"]),
        (lambda m: m.frame("pin"), ["no frame is called 'pin'"]),
        (lambda m: m.part("xyz"), ["no part is called 'xyz'", "there are 9: 'ground', 'thigh'"]),
        (lambda m: Mechanism().joint("x"), ["no joint is called 'x'", "there is no joint yet"]),
    ],
)
def test_unknown_names_list_near_matches(lookup, texts):
    with pytest.raises(UnknownNameError) as caught:
        lookup(leg())
    for text in texts:
        assert text in str(caught.value)


def test_a_part_of_another_kind_is_named():
    with pytest.raises(ModelError, match="'knee' is a joint, not a body; give the name of a body"):
        leg().body("knee")


def test_a_name_used_twice_asks_for_the_part_itself():
    m = leg()
    first, second = m.body("shin"), m.add_body("shin")
    with pytest.raises(ModelError, match=r"2 parts are called 'shin': body, body; .*give the part itself"):
        m.body("shin")
    m.remove(second)
    assert m.body("shin") is first and m == leg()


def test_a_name_used_for_a_body_and_a_joint_is_still_found_by_kind():
    m = leg()
    extra = m.add_joint("shin", Weld(), "ground", "foot")
    assert m.joint("shin") is extra and m.body("shin") is m.bodies[1]
    assert m.joint("knee").child_body == "shin"
    with pytest.raises(ModelError, match="2 parts are called 'shin': body, joint"):
        m.remove("shin")


@pytest.mark.parametrize(
    ("add", "texts"),
    [
        (
            lambda m: m.add_joint("j", Revolute, "ground", "shin"),
            ["joint 'j': kind is the class Revolute (are its paren", "Revolute(axis=(0, 0, 1))"],
        ),
        (lambda m: m.add_joint("j", Weld(), 3, "shin"), ["joint 'j': parent is 3 (int)", "body.at(0, 0, 0.1)"]),
        (lambda m: m.add_joint("j", Weld(), "shin", None), ["joint 'j': child is None"]),
        (lambda m: m.add_joint("j", Weld(), "shin", ""), ["joint 'j': child is ''"]),
        (lambda m: m.add_joint("j", Weld(), "shin", m.joints[0]), ["joint 'j': child is <joint 'hip'> (Joint)"]),
        (lambda m: m.add_joint("j", Weld(), "shin", (1, 2, 3)), ["joint 'j': child is (1, 2, 3)"]),
        (lambda m: m.add_frame("f", Pose()), ["frame 'f': place is Pose"]),
        (lambda m: m.add_frame("f", Place(3)), ["Place: part is 3 (int)", "give a body, a frame or ground"]),
        (lambda m: m.add_joint("", Weld(), "shin", "foot"), ["a joint: its name is ''", "empty"]),
        (lambda m: m.add_joint(None, Weld(), "shin", "foot"), ["a joint: its name is None", "text"]),
        (lambda m: m.add_body(5), ["a body: its name is 5", "text"]),
        (lambda m: m.add_frame(" ", "shin"), ["a frame: its name is ' '", "empty"]),
        (lambda m: m.add_frame("f", leg().body("shin")), ["frame 'f': its place: body 'shin' is no part of mechanism 'leg'", "'shin'"]),
        (lambda m: m.add_joint("j", Weld(), m.ground, leg().body("shin").at()), ["joint 'j': its child: body 'shin' is no part"]),
        (lambda m: m.add_joint("j", Weld(), Mechanism().ground, "shin"), ["joint 'j': its parent: part 'ground' is no part"]),
    ],
)
def test_what_cannot_be_added_is_refused_and_nothing_changes(add, texts):
    m = leg()
    with pytest.raises(ModelError) as caught:
        add(m)
    for text in texts:
        assert text in str(caught.value)
    assert m == leg()


@pytest.mark.parametrize("gravity", [9.81, "down", (0, 0), None, (0, 0, "g")])
def test_gravity_is_three_numbers(gravity):
    with pytest.raises(ModelError, match="mechanism 'm': gravity is "):
        Mechanism("m", gravity=gravity)
    m = Mechanism("m")
    with pytest.raises(ModelError, match="mechanism 'm': gravity is "):
        m.gravity = gravity
    assert m.gravity == (0.0, 0.0, -9.81)


def test_name_and_gravity_may_be_assigned():
    m = Mechanism()
    m.name, m.gravity = "moon", np.array([0, 0, -1.62])
    assert (m.name, m.gravity) == ("moon", (0.0, 0.0, -1.62))
    with pytest.raises(ModelError, match="a mechanism: its name is ''"):
        m.name = ""


def copies():
    m = leg()
    return [m.clone(), copy.deepcopy(m), pickle.loads(pickle.dumps(m))]


@pytest.mark.parametrize("way", range(3), ids=["clone", "deepcopy", "pickle"])
def test_a_copy_is_equal_and_independent(way):
    original, copied = leg(), copies()[way]
    assert copied == original
    assert copied.faults() == []
    assert copied.joint("knee").parent_pose == Pose((0, 0.01, -0.2))
    copied.change("thigh", density=500.0)
    copied.rename("shin", "tibia")
    copied.remove("ankle")
    copied.add_joint("new", Free(), copied.ground, copied.body("foot"))
    assert copied != original
    assert original == leg()
    assert copied.joint("knee").child_body == "tibia"
    with pytest.raises(ModelError, match="no part of mechanism"):
        original.change(copied.body("foot"), mass=1)


def test_a_deep_copy_keeps_mechanism_and_parts_together():
    m = leg()
    copied, shin = copy.deepcopy((m, m.body("shin")))
    assert copied.body("shin") is shin
    copied.change(shin, mass=7.0)
    assert copied.body("shin").mass == 7.0 and m == leg()


def change_one(m, what):
    if what == "name":
        m.name = "arm"
    elif what == "gravity":
        m.gravity = (0, 0, 0)
    elif what == "ground":
        m.change("ground", visuals=[Box(1, 1, 1)])
    elif what == "body":
        m.change("shin", mass=2.5)
    elif what == "mesh":
        m.change("foot", visuals=())
    elif what == "joint":
        m.change("knee", damping=0.5)
    elif what == "frame":
        m.change("knee_frame", place=m.body("thigh").at(0, 0, -0.3))
    else:
        m.remove("hip")
        m.reroot("shin")
        other = leg()
        other.remove("hip")
        assert m != other
    return m


@pytest.mark.parametrize("what", ["name", "gravity", "ground", "body", "mesh", "joint", "frame", "root"])
def test_mechanisms_that_differ_in_anything_are_not_equal(what):
    assert change_one(leg(), what) != leg()
    assert change_one(leg(), what) == change_one(leg(), what)


def test_a_mechanism_is_equal_to_mechanisms_only():
    assert leg() != "leg" and leg() != None  # noqa: E711 - the operator is what is tested
    with pytest.raises(TypeError, match="unhashable"):
        hash(leg())


def test_a_joint_alone_does_not_know_its_ends():
    knee = pickle.loads(pickle.dumps(leg().joint("knee")))
    assert knee == leg().joint("knee")
    with pytest.raises(ModelError, match="joint 'knee' belongs to no mechanism"):
        _ = knee.parent_pose
    with pytest.raises(ModelError, match="frame 'knee_pin' belongs to no mechanism"):
        _ = copy.copy(leg().frame("knee_pin")).pose


def test_an_end_that_does_not_exist_is_an_error_with_near_matches():
    m = leg()
    m.change("knee", child="shim")
    with pytest.raises(UnknownNameError, match="joint 'knee': its child: no body or frame is called 'shim'; did you mean 'shin'"):
        _ = m.joint("knee").child_pose
    m.change("knee_frame", place="shim")
    with pytest.raises(UnknownNameError, match="frame 'knee_pin': its place: no body or frame is called 'shim'"):
        _ = m.frame("knee_pin").body


def test_check_raises_with_all_faults():
    m = leg()
    m.check()
    m.change("shin", mass=-1.0)
    m.change("knee", child="shim", damping=math.nan)
    with pytest.raises(ModelError) as caught:
        m.check()
    assert str(caught.value).startswith("mechanism 'leg' has 3 faults:\n  - body 'shin': the mass is -1 kg")
    assert [part for part, _ in caught.value.faults] == ["shin", "knee", "knee"]


def test_options_of_a_joint_kind_given_to_add_joint_are_sent_there():
    m = leg()
    with pytest.raises(
        ModelError, match=r"joint 'toe': lower, damping given to add_joint.*write Revolute\(\.\.\., lower=-1, damping=0\.5\)"
    ):
        m.add_joint("toe", Revolute(Y), "foot", "shin", lower=-1, damping=0.5)
    with pytest.raises(UnknownNameError, match=r"'toe'.*is called 'damping_'; did you mean 'damping'"):
        m.add_joint("toe", Revolute(Y), "foot", "shin", damping_=1.0)
    with pytest.raises(UnknownNameError, match="is called 'lower'"):
        m.add_joint("toe", "Revolute", "foot", "shin", lower=1.0)
    assert len(m.joints) == 3
