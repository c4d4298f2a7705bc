"""Copies of assemblies inside a mechanism, and of one mechanism into another."""

import pytest

from linkwork.errors import ModelError
from linkwork.parts import Box, Mechanism, Place, Revolute, Spherical, Weld, spanning_forest
from linkwork.spatial.pose import Pose

Y = (0.0, 1.0, 0.0)
SOLID = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}


def robot():
    """A floating trunk with one leg of two bodies; the foot is held at a frame."""
    m = Mechanism("robot")
    trunk, thigh, shin = (m.add_body(name, **SOLID) for name in ("trunk", "thigh", "shin"))
    m.add_frame("socket", trunk.at(0, 0.1, 0))
    knee = m.add_frame("knee_frame", thigh.at(0, 0, -0.4))
    m.add_frame("pin", knee.at(0, 0.01, 0))
    m.add_joint("hip", Spherical(), "socket", thigh)
    m.add_joint("knee", Revolute(Y, damping=0.1), "pin", shin.at(0, 0, 0.4))
    return m


def names(parts):
    return [part.name for part in parts]


def refused(m, operation, *texts):
    before = m.clone()
    with pytest.raises(ModelError) as caught:
        operation(m)
    for text in texts:
        assert text in str(caught.value)
    assert m == before


# ---- copy


def test_one_body_stands_for_itself_and_all_that_hangs_on_it():
    m = robot()
    new = m.copy("thigh", prefix="left_")
    assert names(new) == ["left_thigh", "left_shin", "left_knee", "left_knee_frame", "left_pin"]
    assert all(m.part(part.name) is part for part in new)
    knee = m.joint("left_knee")
    assert knee.parent == Place("left_pin") and knee.child == Place("left_shin", Pose((0, 0, 0.4)))
    assert (knee.parent_body, knee.child_body) == ("left_thigh", "left_shin")
    assert knee.kind == m.joint("knee").kind and m.body("left_shin").mass == 1.0
    m.add_joint("left_hip", Spherical(), m.body("trunk").at(0, -0.1, 0), "left_thigh")
    assert m.faults() == []


def test_a_copy_is_independent_of_what_was_copied():
    m = robot()
    m.copy(m.body("thigh"), prefix="left_")
    m.change("left_shin", mass=5.0)
    m.change("left_knee", damping=9.0)
    m.rename("left_thigh", "x")
    assert m.body("shin").mass == 1.0 and m.joint("knee").kind.damping == (0.1,)
    assert m.joint("knee").parent_body == "thigh"


def test_the_root_stands_for_the_whole_assembly_with_its_choice_of_root():
    m = robot()
    m.reroot("shin")
    new = m.copy("shin", "b_")
    assert names(new)[:3] == ["b_trunk", "b_thigh", "b_shin"]
    assert [edge.child_body_name for edge in spanning_forest(m) if edge.joint.automatic] == ["shin", "b_shin"]


def test_a_list_is_copied_as_it_is():
    m = robot()
    assert names(m.copy(["trunk", m.body("shin"), "shin"], prefix="x_")) == ["x_trunk", "x_shin", "x_socket"]


def test_joints_to_ground_are_copied_if_ground_is_in_the_list():
    m = Mechanism()
    m.add_body("bob", **SOLID)
    m.add_joint("pivot", Revolute(Y), m.ground.at(0, 0, 1), "bob")
    assert names(m.copy(["bob"], "a_")) == ["a_bob"]
    assert names(m.copy([m.ground, "bob"], "b_")) == ["b_bob", "b_pivot"]
    assert m.joint("b_pivot").parent == Place("ground", Pose((0, 0, 1)))


@pytest.mark.parametrize(
    ("operation", "texts"),
    [
        (lambda m: m.copy("thigh", prefix=""), ["copy", "already body 'thigh'", "give a prefix"]),
        (lambda m: m.copy("thigh", prefix=None), ["prefix is None", "'left_'"]),
        (lambda m: m.copy("thi", prefix="x"), ["no body is called 'thi'", "'thigh'"]),
        (lambda m: m.copy(["thigh", 3], prefix="x"), ["a body is 3"]),
        (lambda m: m.copy([], prefix="x"), ["empty"]),
        (lambda m: m.copy(None, prefix="x"), ["bodies is None"]),
        (lambda m: m.copy("knee", prefix="x"), ["'knee' is a joint, not a body"]),
        (lambda m: m.copy(m.joint("knee"), prefix="x"), ["a body is <joint 'knee'>"]),
        (lambda m: m.copy(robot().body("thigh"), prefix="x"), ["body 'thigh' is no part"]),
    ],
)
def test_a_copy_that_is_refused_changes_nothing(operation, texts):
    refused(robot(), operation, *texts)


def test_a_copy_onto_names_in_use_lists_them_and_changes_nothing():
    m = robot()
    m.copy("thigh", "left_")
    refused(m, lambda m: m.copy("thigh", "left_"), "already body 'left_thigh', body 'left_shin', joint 'left_knee'", "another prefix")


# ---- merge


def cart():
    m = Mechanism("cart", gravity=(0, 0, 0))
    m.add_body("cart", **SOLID)
    m.add_frame("rail", m.ground.at(1, 0, 0))
    m.add_joint("slide", Weld(), "rail", "cart")
    m.add_joint("stop", Weld(), m.ground.at(0, 0, 2), "cart")
    m.change("ground", visuals=[Box(1, 1, 1, at=(0, 0, -1))])
    return m


def test_merge_adds_everything_under_a_prefix():
    m, other = robot(), cart()
    new = m.merge(other, prefix="c_")
    assert names(new) == ["c_cart", "c_slide", "c_stop", "c_rail"]
    assert m.joint("c_slide").parent == Place("c_rail") and m.joint("c_stop").parent == Place("ground", Pose((0, 0, 2)))
    assert m.ground.visuals == (Box(1, 1, 1, at=(0, 0, -1)),)
    assert m.gravity == (0.0, 0.0, -9.81)
    assert other == cart()


def test_merge_identifies_the_grounds_at_a_pose():
    m, at = Mechanism(), Pose.from_rpy(0, 0, 0.5, (10, 0, 0))
    m.merge(cart(), at=at)
    assert m.frame("rail").pose.isclose(at @ Pose((1, 0, 0)), 1e-15)
    assert m.joint("slide").parent_pose.isclose(at @ Pose((1, 0, 0)), 1e-15)
    assert m.joint("slide").parent == Place("rail")  # its frame has moved, so it has
    assert m.joint("stop").parent_pose.isclose(at @ Pose((0, 0, 2)), 1e-15)
    assert m.joint("slide").child_pose == Pose()
    assert m.ground.visuals[0].at.isclose(at @ Pose((0, 0, -1)), 1e-15)


def test_merge_at_a_point():
    m = Mechanism()
    m.merge(cart(), at=(0, 0, 5))
    assert m.joint("stop").parent_pose == Pose((0, 0, 7))


def test_merge_keeps_chosen_roots_and_names_yet_to_come():
    m, other = Mechanism(), robot()
    other.reroot("shin")
    other.add_joint("toe", Weld(), "shin", "foot")
    m.merge(other, "r_")
    assert m.joint("r_toe").child == Place("r_foot")
    assert spanning_forest(m)[0].child_body_name == "r_shin"


def test_a_mechanism_can_be_merged_into_itself():
    m = robot()
    m.merge(m, prefix="second_")
    assert len(m.bodies) == 6 and m.faults() == []


def test_merge_into_an_empty_mechanism_is_the_whole():
    m = Mechanism("robot")
    m.merge(robot())
    assert m == robot()


@pytest.mark.parametrize(
    ("operation", "texts"),
    [
        (lambda m: m.merge(robot()), ["merge", "already body 'trunk'", "and 3 more", "give a prefix"]),
        (lambda m: m.merge("cart"), ["the other is 'cart'", "give a Mechanism"]),
        (lambda m: m.merge(cart(), prefix=3), ["prefix is 3"]),
        (lambda m: m.merge(cart(), at="there"), ["merge", "'there'"]),
    ],
)
def test_a_merge_that_is_refused_changes_nothing(operation, texts):
    refused(robot(), operation, *texts)
