"""Changing, renaming, removing and rerooting. What is refused changes nothing."""

import pytest

from linkwork.errors import ModelError, UnknownNameError
from linkwork.parts import Box, Cylindrical, Mechanism, Place, Prismatic, Revolute, Sphere, Weld, spanning_forest
from linkwork.spatial.pose import Pose
from linkwork.spatial.rigid_inertia import Inertia

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def arm():
    m = Mechanism("arm")
    upper = m.add_body("upper", shape=Box(0.1, 0.1, 0.4), density=1000.0)
    lower = m.add_body("lower", mass=2.0, com=(0, 0, -0.2), inertia=(0.1, 0.1, 0.01))
    m.add_frame("elbow_frame", upper.at(0, 0, -0.2))
    m.add_frame("pin", "elbow_frame")
    m.add_joint("shoulder", Revolute(Y), m.ground, upper.at(0, 0, 0.2))
    m.add_joint("elbow", Revolute(Y, damping=0.1), "pin", lower)
    return m


def refused(m, operation, *texts):
    """The operation raises a ModelError with these texts, and changes nothing."""
    before = m.clone()
    with pytest.raises(ModelError) as caught:
        operation(m)
    for text in texts:
        assert text in str(caught.value)
    assert m == before
    return caught.value


# ---- change


def test_change_keeps_the_part():
    m = arm()
    upper, elbow, pin = m.body("upper"), m.joint("elbow"), m.frame("pin")
    assert m.change("upper", density=500.0) is upper and upper.density == 500.0
    assert m.change(elbow, kind=Weld()) is elbow and elbow.kind == Weld()
    assert m.change(pin, place="lower") is pin and pin.body == "lower"


def test_change_of_a_joint():
    m = arm()
    m.change("elbow", parent=m.body("upper").at(1, 2, 3), child=Place("elbow_frame"))
    elbow = m.joint("elbow")
    assert elbow.parent == Place("upper", Pose((1, 2, 3))) and elbow.child == Place("elbow_frame")
    assert elbow.kind == Revolute(Y, damping=0.1)


def test_change_of_a_field_of_the_kind_keeps_the_others():
    m = arm()
    m.change("elbow", axis=Z, upper=2)
    assert m.joint("elbow").kind == Revolute(Z, damping=0.1, upper=2.0)
    m.change("elbow", kind=Cylindrical(Y), friction=(1, 2))
    assert m.joint("elbow").kind == Cylindrical(Y, friction=(1, 2))


def test_mass_makes_a_density_void_and_the_other_way_round():
    m = arm()
    m.change("upper", mass=3.0)
    assert (m.body("upper").mass, m.body("upper").density) == (3.0, None)
    m.change("upper", density=200.0)
    assert (m.body("upper").mass, m.body("upper").density) == (None, 200.0)
    m.change("lower", shape=Sphere(1), density=10.0)
    lower = m.body("lower")
    assert (lower.mass, lower.com, lower.inertia, lower.density) == (None, None, None, 10.0)
    assert m.faults() == []


def test_mass_and_com_leave_the_tensor_and_an_inertia_replaces_all():
    m = arm()
    m.change("lower", mass=5.0)
    m.change("lower", com=(1, 0, 0))
    assert m.body("lower").mass_properties() == Inertia(5, (1, 0, 0), (0.1, 0.1, 0.01))
    m.change("upper", inertia=Inertia(1, (0, 0, 1), (2, 2, 2)))
    assert m.body("upper").mass_properties() == Inertia(1, (0, 0, 1), (2, 2, 2))
    assert m.body("upper").density is None and m.faults() == []


def test_none_takes_back_what_was_given():
    m = arm()
    m.change("lower", mass=None, com=None, inertia=None)
    assert m.body("lower").is_massless
    m.change("upper", shape=None, density=None, visuals=None)
    assert m.body("upper").is_massless and m.body("upper").visuals == ()


def test_ground_may_carry_shapes_only():
    m = arm()
    m.change("ground", visuals=[Box(9, 9, 1)], collisions=Box(9, 9, 1))
    assert m.ground.visuals == m.ground.collisions == (Box(9, 9, 1),)
    refused(m, lambda m: m.change("ground", mass=1.0), "no field of part 'ground' is called 'mass'", "'visuals'")


@pytest.mark.parametrize(
    ("operation", "texts"),
    [
        (lambda m: m.change("lower", mas=1), ["no field of body 'lower' is called 'mas'", "'mass'"]),
        (lambda m: m.change("lower", mass="1"), ["body 'lower': mass is '1'"]),
        (lambda m: m.change("lower", mass=3, com=(1, 2)), ["body 'lower': com"]),
        (lambda m: m.change("lower", name="x"), ["no field of body 'lower' is called 'name'"]),
        (lambda m: m.change("elbow", kind="hinge"), ["joint 'elbow': kind is 'hinge'"]),
        (lambda m: m.change("elbow", kind=Prismatic(Z), parent=7), ["joint 'elbow': parent is 7"]),
        (lambda m: m.change("elbow", pitch=1), ["no field of joint 'elbow' is called 'pitch'"]),
        (lambda m: m.change("elbow", parent="lower", damping="much"), ["joint 'elbow': Revolute: damping is 'much'"]),
        (lambda m: m.change("elbow", child=arm().body("lower")), ["joint 'elbow': its child: body 'lower' is no part"]),
        (lambda m: m.change("pin", place=None), ["frame 'pin': place is None"]),
        (lambda m: m.change("nobody", mass=1), ["no part is called 'nobody'"]),
        (lambda m: m.change(arm().body("lower"), mass=1), ["body 'lower' is no part of mechanism 'arm'"]),
        (lambda m: m.change(None, mass=1), ["a part: its name is None"]),
    ],
)
def test_a_change_that_is_refused_changes_nothing(operation, texts):
    refused(arm(), operation, *texts)


# ---- rename


def test_references_follow_a_new_name():
    m = arm()
    upper, held = m.body("upper"), m.body("upper").at(1, 0, 0)
    m.rename("upper", "humerus")
    m.rename(m.frame("elbow_frame"), "e")
    m.rename("pin", "p")
    m.rename("elbow", "hinge")
    assert upper.name == "humerus" and m.body("humerus") is upper
    assert m.joint("shoulder").child == Place("humerus", Pose((0, 0, 0.2)))
    assert m.frame("e").place.name == "humerus" and m.frame("p").place.name == "e" and m.joint("hinge").parent.name == "p"
    assert m.faults() == []
    assert m.add_frame("held", held).body == "humerus"
    with pytest.raises(UnknownNameError):
        m.body("upper")


def test_a_rename_there_and_back_is_no_change():
    m = arm()
    for name in ("upper", "pin", "elbow"):
        m.rename(name, "x")
        m.rename("x", name)
    assert m == arm()
    assert m.rename("upper", "upper") is m.body("upper")


def test_a_rename_may_make_a_name_that_was_referred_to():
    m = arm()
    m.change("elbow", child="ulna")
    m.rename("lower", "ulna")
    assert m.joint("elbow").child_body == "ulna" and m.faults() == []


def test_of_two_parts_with_one_name_the_references_stay_with_the_first():
    m = arm()
    second = m.add_body("upper", mass=1, inertia=(1, 1, 1))
    m.rename(second, "spare")
    assert m.joint("shoulder").child.name == "upper"
    assert m.faults() == []


def test_the_chosen_root_follows_a_new_name():
    m = arm()
    m.remove("shoulder")
    m.reroot("lower")
    m.rename("lower", "ulna")
    assert spanning_forest(m)[0].child_body_name == "ulna"


@pytest.mark.parametrize(
    ("operation", "texts"),
    [
        (lambda m: m.rename("upper", "lower"), ["body 'upper' cannot be called 'lower'", "already body 'lower'", "another name"]),
        (lambda m: m.rename("upper", "elbow"), ["already joint 'elbow'"]),
        (lambda m: m.rename("pin", "ground"), ["already part 'ground'"]),
        (lambda m: m.rename("upper", ""), ["a body: its name is ''"]),
        (lambda m: m.rename("upper", None), ["a body: its name is None"]),
        (lambda m: m.rename("ground", "floor"), ["ground cannot be renamed", "add a frame"]),
        (lambda m: m.rename("uper", "x"), ["no part is called 'uper'", "'upper'"]),
    ],
)
def test_a_rename_that_is_refused_changes_nothing(operation, texts):
    refused(arm(), operation, *texts)


# ---- remove


def test_remove_takes_one_part_and_leaves_the_rest_as_faults():
    m = arm()
    upper = m.body("upper")
    assert m.remove("upper") == [upper]
    assert [part.name for part in m.bodies] == ["lower"] and len(m.joints) == 2 and len(m.frames) == 2
    assert {fault.part for fault in m.faults() if fault.kind == "reference"} == {"shoulder", "elbow_frame", "pin", "elbow"}


def test_a_new_body_of_the_same_name_heals():
    m = arm()
    m.remove("upper")
    m.add_body("upper", mass=1, inertia=(1, 1, 1))
    assert m.faults() == []
    assert m.joint("elbow").parent_body == "upper"


def test_remove_with_dependents_takes_what_stands_on_it():
    m = arm()
    removed = m.remove("upper", dependents=True)
    assert {part.name for part in removed} == {"upper", "shoulder", "elbow_frame", "pin", "elbow"}
    assert [part.name for part in m.bodies] == ["lower"] and not m.joints and not m.frames
    assert m.faults() == []


def test_remove_of_a_frame_with_dependents_leaves_the_body():
    m = arm()
    assert [part.name for part in m.remove(m.frame("elbow_frame"), dependents=True)] == ["elbow_frame", "pin", "elbow"]
    assert [part.name for part in m.bodies] == ["upper", "lower"]


def test_a_joint_from_a_body_to_itself_is_removed_once():
    m = arm()
    m.add_joint("mad", Weld(), "lower", "lower")
    assert sorted(part.name for part in m.remove("lower", dependents=True)) == ["elbow", "lower", "mad"]


def test_a_removed_part_is_no_part_any_more():
    m = arm()
    upper, elbow = m.body("upper"), m.joint("elbow")
    m.remove(upper)
    m.remove(elbow)
    refused(m, lambda m: m.remove(upper), "body 'upper' is no part of mechanism 'arm' (it was removed")
    refused(m, lambda m: m.add_frame("f", upper.at()), "frame 'f': its place: body 'upper' is no part")
    with pytest.raises(ModelError, match="joint 'elbow' belongs to no mechanism"):
        _ = elbow.parent_body


def test_of_two_parts_with_one_name_the_other_is_removed_without_the_dependents_of_the_first():
    m = arm()
    second = m.add_body("upper")
    assert m.remove(second, dependents=True) == [second]
    assert m == arm()


def test_ground_cannot_be_removed():
    refused(arm(), lambda m: m.remove("ground", dependents=True), "ground cannot be removed", "remove the joints")


# ---- reroot


def roots(m):
    return [edge.child_body_name for edge in spanning_forest(m) if edge.joint.automatic]


def test_reroot_chooses_the_body_with_the_free_joint():
    m = arm()
    m.remove("shoulder")
    assert roots(m) == ["upper"]
    assert m.reroot("lower") is m.body("lower")
    assert roots(m) == ["lower"]
    (free, elbow) = spanning_forest(m)
    assert free.joint.name == "lower.free" and elbow.reversed
    m.reroot(m.body("upper"))
    assert roots(m) == ["upper"]


def test_a_choice_rests_while_the_assembly_is_held():
    m = arm()
    m.remove("shoulder")
    m.reroot("lower")
    m.add_joint("shoulder", Weld(), "ground", "upper")
    assert roots(m) == []
    m.remove("shoulder")
    assert roots(m) == ["lower"]
    m.remove("lower", dependents=True)
    m.add_body("lower")
    assert roots(m) == ["upper", "lower"]


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ("upper", ["body 'upper' cannot be a root", "connected to ground", "remove the joints"]),
        ("ground", ["cannot be a root"]),
        ("elbow", ["'elbow' is a joint, not a body"]),
        ("uper", ["no body is called 'uper'", "'upper'"]),
    ],
)
def test_reroot_that_is_refused_changes_nothing(body, texts):
    refused(arm(), lambda m: m.reroot(body), *texts)


def test_a_joint_is_no_root():
    m = arm()
    refused(m, lambda m: m.reroot(m.joint("elbow")), "joint 'elbow' cannot be a root")
