"""What a URDF means: every element that is read, as it arrives in the Mechanism."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from linkwork.errors import FormatError
from linkwork.formats import read
from linkwork.parts import Box, Capsule, Cylinder, Free, MeshFile, Planar, Prismatic, Revolute, Sphere, Weld
from linkwork.spatial import Pose

ROUNDING = 1e-14  # a handful of products and sums of numbers of order one


def moment(body):
    return np.array(body.inertia)


def test_everything_arrives(text):
    m = read(text.everything)
    assert m.name == "everything"
    assert [body.name for body in m.bodies] == ["base", "arm", "wheel", "slider", "puck", "satellite", "tool", "finger"]
    kinds = {joint.name: type(joint.kind) for joint in m.joints}
    assert kinds == {
        "root": Weld,
        "shoulder": Revolute,
        "spin": Revolute,
        "slide": Prismatic,
        "hover": Planar,
        "orbit": Free,
        "mount": Weld,
        "grip": Revolute,
    }
    shoulder = m.joint("shoulder")
    assert (shoulder.parent_body, shoulder.child_body) == ("base", "arm")
    assert shoulder.parent_pose.isclose(Pose.from_rpy(0, 0, 1.5, (0.3, 0, 0.1)), ROUNDING)
    assert shoulder.child_pose == Pose()
    k = shoulder.kind
    assert k.axis == (0.0, 1.0, 0.0)
    assert (k.lower, k.upper, k.velocity_limit, k.effort_limit) == ((-1.5,), (2.5,), (3.0,), (40.0,))
    assert (k.damping, k.friction) == ((0.2,), (0.1,))


def test_continuous_has_no_range(text):
    kind = read(text.pair('<axis xyz="0 0 1"/>')).joint("j").kind
    assert (kind.lower, kind.upper, kind.velocity_limit, kind.effort_limit) == ((-math.inf,), (math.inf,), (math.inf,), (math.inf,))


def test_a_continuous_joint_keeps_speed_and_effort_but_not_a_range(text):
    m = read(text.pair('<limit lower="-1" upper="1" effort="2" velocity="3"/>'))
    kind = m.joint("j").kind
    assert (kind.lower, kind.upper, kind.velocity_limit, kind.effort_limit) == ((-math.inf,), (math.inf,), (3.0,), (2.0,))
    assert any("no range" in note.message and note.matters for note in m.notes)


@pytest.mark.parametrize("type", ["revolute", "continuous", "prismatic"])
def test_the_axis_is_x_unless_given_and_is_scaled_to_one(text, type):
    limit = '<limit lower="0" upper="1" effort="1" velocity="1"/>' if type != "continuous" else ""
    assert read(text.pair(limit, type)).joint("j").kind.axis == (1.0, 0.0, 0.0)
    m = read(text.pair(limit + '<axis xyz="0 -3 4"/>', type))
    assert m.joint("j").kind.axis == pytest.approx((0.0, -0.6, 0.8), abs=ROUNDING)
    assert any("scaled to 1" in note.message and not note.matters for note in m.notes)


@pytest.mark.parametrize("xyz", ["1e300 1e300 0", "1e-300 1e-300 0", "5e-324 5e-324 0"])
def test_axes_of_extreme_length_keep_their_direction(text, xyz):
    axis = read(text.pair(f'<axis xyz="{xyz}"/>')).joint("j").kind.axis
    assert axis == pytest.approx((math.sqrt(0.5), math.sqrt(0.5), 0.0), abs=ROUNDING)


def test_rounded_axes_are_scaled_without_a_note(text):
    m = read(text.pair('<axis xyz="0.577350 0.577350 0.577350"/>'))
    assert np.linalg.norm(m.joint("j").kind.axis) == pytest.approx(1.0, abs=ROUNDING)
    assert m.notes == ()


def test_the_axis_of_a_planar_joint_is_its_normal(text):
    kind = read(text.pair('<axis xyz="0 0 2"/>', "planar")).joint("j").kind
    assert kind.normal == (0.0, 0.0, 1.0)
    assert read(text.pair("", "planar")).joint("j").kind.normal == (1.0, 0.0, 0.0)


def test_rpy_turns_about_fixed_axes(text):
    """R = Rz(yaw) Ry(pitch) Rx(roll): SciPy's extrinsic x, y, z."""
    rpy = (0.3, -1.1, 2.2)
    pose = read(text.pair(f'<origin xyz="1 2 3" rpy="{rpy[0]} {rpy[1]} {rpy[2]}"/>')).joint("j").parent_pose
    np.testing.assert_allclose(pose.rotation, Rotation.from_euler("xyz", rpy).as_matrix(), atol=ROUNDING)
    assert pose.translation.tolist() == [1.0, 2.0, 3.0]


def test_a_quaternion_may_stand_for_rpy_from_version_1_1_on(text):
    origin = '<origin xyz="1 2 3" quat_xyzw="0.1 -0.2 0.3 0.9273618495495703"/>'
    m = read(text.pair(origin, attributes='name="r" version="1.1"'))
    expected = Rotation.from_quat([0.1, -0.2, 0.3, 0.9273618495495703]).as_matrix()
    np.testing.assert_allclose(m.joint("j").parent_pose.rotation, expected, atol=ROUNDING)
    m = read(text.pair(origin))
    assert m.joint("j").parent_pose == Pose((1, 2, 3))
    assert any("quat_xyzw" in note.message and note.matters for note in m.notes)


@pytest.mark.parametrize("quaternion", ["0 0 0 0", "1e-200 0 0 0", "1e300 0 0 0", "0 0 1"])
def test_what_is_no_quaternion_is_refused(text, quaternion):
    with pytest.raises(FormatError, match="quat_xyzw"):
        read(text.pair(f'<origin quat_xyzw="{quaternion}"/>', attributes='version="1.1"'))
    with pytest.raises(FormatError, match="only one of them"):
        read(text.pair('<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>', attributes='version="1.1"'))


def test_inertia_is_turned_to_the_link_axes(text):
    """I_link = R I R^T, the centre of mass where the origin is."""
    body = read(text.everything).body("base")
    R = Rotation.from_euler("xyz", (0.1, 0.2, 0.3)).as_matrix()
    tensor = np.array([[0.3, 0.01, -0.02], [0.01, 0.4, 0.03], [-0.02, 0.03, 0.5]])
    assert body.mass == 4.5
    assert body.com == (0.1, 0.0, -0.2)
    np.testing.assert_allclose(moment(body), R @ tensor @ R.T, atol=ROUNDING)


def test_a_quarter_turn_of_the_inertial_frame_swaps_the_moments(text):
    inertial = (
        '<inertial><origin rpy="0 0 1.5707963267948966"/><mass value="1"/>'
        '<inertia ixx="1" ixy="0.5" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial>'
    )
    body = read(text.robot(text.link("a", inertial))).body("a")
    np.testing.assert_allclose(moment(body), [[2, -0.5, 0], [-0.5, 1, 0], [0, 0, 2.5]], atol=ROUNDING)


@pytest.mark.parametrize(
    "inside",
    ["", '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'],
    ids=["no inertial", "all zero"],
)
def test_links_without_mass_are_massless(text, inside):
    m = read(text.robot(text.link("a", inside)))
    assert m.body("a").is_massless
    assert [note for note in m.notes if "massless" in note.message and not note.matters and note.line == 2]


@pytest.mark.parametrize(
    ("mass", "moments", "match"),
    [
        ("1", "0 0 0", "point mass"),
        ("-1", "1 1 1", "mass is -1"),
        ("0", "1 1 1", "mass is 0"),
        ("1", "1 1 3", "triangle"),
        ("1", "1 -1 1", "positive"),
    ],
)
def test_impossible_inertia_is_kept_and_noted(text, mass, moments, match):
    xx, yy, zz = moments.split()
    tensor = f'<inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/>'
    m = read(text.robot(text.link("a", f'<inertial><mass value="{mass}"/>{tensor}</inertial>')), strict=True)
    assert m.body("a").mass == float(mass)
    assert np.diag(moment(m.body("a"))).tolist() == [float(xx), float(yy), float(zz)]
    assert any(match in note.message for note in m.notes)


def test_shapes_are_kept_with_their_poses(text):
    m = read(text.everything)
    assert m.body("base").visuals == (Box(0.4, 0.3, 0.2, at=Pose((0, 0, 1))),)
    assert m.body("base").collisions == (Sphere(0.25),)
    assert m.body("arm").visuals == (MeshFile("package://robot/meshes/arm.stl", (0.001, 0.001, -0.001)),)
    assert m.body("arm").collisions == (Cylinder(0.05, 0.6, at=Pose.from_rpy(0, 1.57, 0)), Capsule(0.04, 0.5))
    assert m.body("base").shape is None


@pytest.mark.parametrize("shape", ['<box size="0 1 1"/>', '<sphere radius="-1"/>', '<mesh filename="a.stl" scale="1 0 1"/>'])
def test_shapes_without_volume_are_left_out(text, shape):
    parts = "".join(f"<{tag}><geometry>{shape}</geometry></{tag}>" for tag in ("visual", "collision"))
    m = read(text.robot(text.link("a", parts)))
    assert m.body("a").visuals == m.body("a").collisions == ()
    assert [note.matters for note in m.notes if "no volume" in note.message] == [True, False]  # the collision shape, then the visual


@pytest.mark.parametrize("name", ["base", "world"])
def test_the_root_is_welded_or_floats(text, name):
    for root, kind in (("fixed", Weld), ("floating", Free)):
        m = read(text.robot(text.link(name)), root=root)
        joint = m.joint("root")
        assert (joint.parent_body, joint.child_body, type(joint.kind)) == ("ground", name, kind)
        assert (joint.parent_pose, joint.child_pose) == (Pose(), Pose())
        assert any("by custom" in note.message for note in m.notes) == (name == "world" and root == "floating")


def mimics(m):
    return {part.name: (part.kind.ratio, part.kind.offset, *(joint for joint, _ in part.joints)) for part in m.constraints}


def test_a_mimic_becomes_a_gear(text):
    m = read(text.everything)
    assert mimics(m) == {"grip mimic": (-2.0, 0.5, "shoulder", "grip")}
    assert not any("mimic" in note.message for note in m.notes)


def test_mimics_can_be_left_out_and_are_noted_then(text):
    m = read(text.everything, mimics=False)
    assert m.constraints == []
    notes = [note for note in m.notes if "mimic left out" in note.message]
    assert len(notes) == 1
    assert notes[0].matters
    with pytest.raises(FormatError, match="mimic left out"):
        read(text.everything, strict=True, mimics=False)


def test_a_mimic_has_defaults_and_follows_renamed_joints(text):
    m = read(
        text.robot(
            *map(text.link, "abc"),
            text.joint("b", parent="a", child="b"),
            text.joint("c", parent="b", child="c", inside='<mimic joint="b"/>'),
        )
    )
    assert mimics(m) == {"c_joint mimic": (1.0, 0.0, "b_joint", "c_joint")}


def test_the_mimic_of_a_joint_that_is_not_there_is_dropped(text):
    m = read(text.pair('<mimic joint="k"/>'))
    assert m.constraints == []
    assert any("does not exist" in note.message and note.matters for note in m.notes)


@pytest.mark.parametrize(
    ("version", "limit", "expected", "matters"),
    [
        ("1.0", "", (-math.inf, math.inf, math.inf, math.inf), [True]),
        ("1.0", '<limit effort="1" velocity="2"/>', (0.0, 0.0, 2.0, 1.0), [True]),
        ("1.0", '<limit lower="-1" effort="1" velocity="2"/>', (-1.0, 0.0, 2.0, 1.0), [False]),
        ("1.0", '<limit lower="-1" upper="1"/>', (-1.0, 1.0, math.inf, math.inf), [True, True]),
        ("1.2", '<limit lower="-1" upper="1"/>', (-1.0, 1.0, math.inf, math.inf), []),
        ("1.2", '<limit upper="1"/>', (-math.inf, 1.0, math.inf, math.inf), [True]),
        ("1.0", '<limit lower="1" upper="-1" effort="1" velocity="2"/>', (1.0, -1.0, 2.0, 1.0), [False]),
    ],
)
@pytest.mark.parametrize("type", ["revolute", "prismatic"])
def test_limits_and_their_defaults(text, type, version, limit, expected, matters):
    m = read(text.pair(limit, type, attributes=f'name="r" version="{version}"'))
    k = m.joint("j").kind
    assert (*k.lower, *k.upper, *k.velocity_limit, *k.effort_limit) == expected
    assert [note.matters for note in m.notes] == matters


@pytest.mark.parametrize(("type", "matters"), [("fixed", False), ("planar", True), ("floating", True)])
def test_limits_and_damping_of_other_joints_are_noted(text, type, matters):
    inside = '<limit lower="0" upper="1" effort="1" velocity="1"/><dynamics damping="1"/><mimic joint="k"/>'
    m = read(text.pair(inside, type))
    assert m.constraints == []
    found = {note.element.rpartition(" > ")[2]: note.matters for note in m.notes if " > " in note.element}
    assert found == dict.fromkeys(("limit", "dynamics", "mimic"), matters)


def test_links_and_joints_of_the_same_name_are_told_apart(text):
    """The body keeps the name; the joint gets a suffix that is free."""
    m = read(
        text.robot(
            *map(text.link, ["base", "hip", "knee", "hip_joint", "root"]),
            text.joint("hip", parent="base", child="hip"),
            text.joint("knee", parent="hip", child="knee"),
            text.joint("knee_joint", parent="base", child="hip_joint"),
            text.joint("foot", parent="base", child="root"),
        )
    )
    assert [joint.name for joint in m.joints] == ["root_joint", "hip_joint_joint", "knee_joint_joint", "knee_joint", "foot"]
    assert m.joint("hip_joint_joint").child_body == "hip"
    assert m.faults() == []
    renamed = [note for note in m.notes if "renamed" in note.message]
    assert [note.line for note in renamed] == [7, 8]
    assert not any(note.matters for note in renamed)


def test_a_link_called_ground_is_not_the_ground(text):
    m = read(text.robot(*map(text.link, ["ground", "b"]), text.joint("ground", parent="ground", child="b")))
    assert [body.name for body in m.bodies] == ["ground_link", "b"]
    assert [(joint.name, joint.parent_body) for joint in m.joints] == [("root", "ground"), ("ground_joint", "ground_link")]
    assert m.faults() == []


def test_a_robot_without_a_name_is_called_robot(text):
    for attributes in ("", 'name=""', 'name="  "'):
        m = read(text.robot(text.link("a"), attributes=attributes))
        assert m.name == "robot"
        assert any("no name" in note.message for note in m.notes)


def test_the_order_of_links_and_joints_does_not_matter(text):
    parts = [*map(text.link, "abc"), text.joint("j", parent="a", child="b"), text.joint("k", parent="b", child="c")]
    m = read(text.robot(*reversed(parts)))
    assert m.joint("root").child_body == "a"
    assert m.faults() == []


def test_a_namespace_on_the_root_changes_nothing(text):
    plain, spaced = read(text.pair()), read(text.pair(attributes='name="r" xmlns="http://www.ros.org"'))
    assert plain == spaced
