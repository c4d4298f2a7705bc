"""Files without a meaning: refused with path and line, all faults together."""

import time

import pytest

from linkwork.errors import FormatError
from linkwork.formats import read

LIMIT = '<limit lower="0" upper="1" effort="1" velocity="1"/>'


def refused(source, match, line=None):
    with pytest.raises(FormatError, match=match) as caught:
        read(source)
    assert caught.value.path == "<text>"
    if line is not None:
        assert caught.value.line == line
        assert f"line {line}" in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "value", ["nan", "NaN", "inf", "-inf", "Infinity", "1e400", "-1e999", "0x10", "1_000", "1,5", "1.2.3", "٣", "", " ", "a"]
)
@pytest.mark.parametrize(
    "piece",
    [
        '<origin xyz="0 0 {}"/>',
        '<origin rpy="{} 0 0"/>',
        '<axis xyz="{} 0 1"/>',
        '<limit lower="{}" upper="1" effort="1" velocity="1"/>',
        '<limit lower="0" upper="1" effort="{}" velocity="1"/>',
        '<dynamics damping="{}"/>',
        '<mimic joint="k" multiplier="{}"/>',
    ],
)
def test_numbers_must_be_finite_decimals(text, piece, value):
    refused(text.pair(piece.format(value), "revolute"), "finite number|beyond the largest|empty|words", line=4)


@pytest.mark.parametrize("number", ["1", "-1", "+1", "1.", ".5", "1e3", "1E-3", "-1.5e+02", "1e-400", "0" * 300 + "1"])
def test_numbers_in_every_decimal_form_are_read(text, number):
    m = read(text.pair(f'<origin xyz="0 0 {number}"/>'))
    assert m.joint("j").parent_pose.translation[2] == float(number)


@pytest.mark.parametrize("vector", ["0 0", "0 0 0 0", "1", "0,0,0", "0 0 0 " * 1000])
@pytest.mark.parametrize("piece", ['<origin xyz="{}"/>', '<origin rpy="{}"/>', '<axis xyz="{}"/>'])
def test_vectors_have_three_numbers(text, piece, vector):
    refused(text.pair(piece.format(vector)), "3 finite numbers needed", line=4)


@pytest.mark.parametrize("axis", ["0 0 0", "-0 0 0.0", "1e-400 0 0"])
@pytest.mark.parametrize("type", ["revolute", "continuous", "prismatic", "planar"])
def test_a_zero_axis_is_refused(text, type, axis):
    refused(text.pair(f'<axis xyz="{axis}"/>{LIMIT}', type), "axis is zero", line=4)


@pytest.mark.parametrize(
    ("parts", "match", "line"),
    [
        (["<link/>"], "attribute name is missing", 2),
        (['<link name=""/>'], "attribute name is empty", 2),
        (['<link name=" "/>'], "attribute name is empty", 2),
        (['<link name="a"/>', '<joint type="fixed"><parent link="a"/><child link="a"/></joint>'], "attribute name is missing", 3),
        (['<link name="a"/>', '<joint name="j"><parent link="a"/><child link="a"/></joint>'], "attribute type is missing", 3),
        (['<link name="a"/>', '<joint name="j" type="fixed"><child link="a"/></joint>'], "<parent link=", 3),
        (['<link name="a"/>', '<joint name="j" type="fixed"><parent link="a"/></joint>'], "<child link=", 3),
        (['<link name="a"/>', '<joint name="j" type="fixed"><parent/><child link="a"/></joint>'], "attribute link is missing", 3),
        (['<link name="a"><inertial/></link>'], "<mass value", 2),
        (['<link name="a"><inertial><mass value="1"/></inertial></link>'], "<inertia ixx", 2),
        (['<link name="a"><inertial><mass/><inertia/></inertial></link>'], "attribute value is missing", 2),
        (['<link name="a"><inertial><mass value="1"/><inertia ixx="1"/></inertial></link>'], "attribute ixy is missing", 2),
        (['<link name="a"><visual/></link>'], "<geometry> is missing", 2),
        (['<link name="a"><visual><geometry/></visual></link>'], "no shape in it", 2),
        (['<link name="a"><visual><geometry><torus/></geometry></visual></link>'], "no shape in it", 2),
        (['<link name="a"><visual><geometry><box/></geometry></visual></link>'], "attribute size is missing", 2),
        (['<link name="a"><visual><geometry><box size="1 1"/></geometry></visual></link>'], "3 finite numbers", 2),
        (['<link name="a"><visual><geometry><cylinder radius="1"/></geometry></visual></link>'], "attribute length", 2),
        (['<link name="a"><visual><geometry><mesh/></geometry></visual></link>'], "attribute filename is missing", 2),
    ],
)
def test_what_is_needed_and_missing(text, parts, match, line):
    refused(text.robot(*parts), match, line)


@pytest.mark.parametrize("type", ["ball", "Revolute", "screw", "x" * 1000])
def test_unknown_joint_types_are_refused(text, type):
    assert "revolute, continuous, prismatic, fixed, planar, floating" in refused(text.pair(type=type), "type is", line=4)


def test_joints_that_lead_nowhere(text):
    links = [text.link("upper_arm"), text.link("lower_arm")]
    message = refused(text.robot(*links, text.joint(parent="uper_arm", child="lower_arm")), "does not exist", line=4)
    assert "did you mean 'upper_arm'" in message
    refused(text.robot(*links, text.joint(parent="upper_arm", child="hand")), "child link 'hand' does not exist", line=4)


def test_two_of_the_same_name(text):
    refused(text.robot(text.link("a"), text.link("a")), "a second link called 'a'; the first is in line 2", line=3)
    links = map(text.link, "abc")
    refused(text.robot(*links, text.joint(child="b"), text.joint(child="c")), "a second joint called 'j'; the first is in line 5", line=6)


def test_two_roots(text):
    refused(text.robot(text.link("a"), text.link("b")), "a second root.*'a'", line=3)


def test_two_parents(text):
    joints = [text.joint("j", parent="a", child="c"), text.joint("k", parent="b", child="c")]
    refused(text.robot(*map(text.link, "abc"), *joints), "has a parent already, by joint 'j'", line=6)


def test_a_link_that_is_its_own_parent(text):
    refused(text.robot(text.link("a"), text.joint(parent="a", child="a")), "its own parent", line=3)


@pytest.mark.parametrize("with_root", [False, True], ids=["no root", "beside a tree"])
def test_cycles_name_their_joints(text, with_root):
    joints = [text.joint("p", parent="a", child="b"), text.joint("q", parent="b", child="c"), text.joint("r", parent="c", child="a")]
    message = refused(text.robot(*map(text.link, "abcd" if with_root else "abc"), *joints), "form a cycle")
    assert all(repr(name) in message for name in "pqr")


def test_a_joint_that_mimics_itself(text):
    refused(text.pair('<mimic joint="j"/>'), "mimics itself", line=4)


def test_no_links_at_all(text):
    refused("<robot/>", "no <link>", line=1)


@pytest.mark.parametrize("version", ["2.0", "0.9", "1.3", "", "one"])
def test_unknown_versions(text, version):
    refused(text.pair(attributes=f'name="r" version="{version}"'), "versions 1.0, 1.1 and 1.2", line=1)


@pytest.mark.parametrize(
    ("source", "match"),
    [
        ("<sdf/>", "SDF"),
        ("<mujoco/>", "MuJoCo"),
        ("<html/>", "root element is <html>"),
        ("<x:robot xmlns:x='http://www.ros.org'/>", "no <link>"),
        ("<robot xmlns:xacro='http://wiki.ros.org/xacro'>\n<xacro:include filename='x'/></robot>", "xacro"),
        ("<robot xmlns:x='http://www.ros.org/wiki/xacro'>\n<x:property name='a'/></robot>", "xacro"),
        ("<robot>\n<link name='${prefix}base'/></robot>", "xacro"),
        ("<robot>\n<link name='$(arg name)'/></robot>", "xacro"),
    ],
)
def test_other_formats_and_macros(source, match):
    refused(source, match)


def test_the_namespace_of_xacro_alone_is_harmless(text):
    read(text.pair(attributes='name="r" xmlns:xacro="http://wiki.ros.org/xacro"'))


def test_all_faults_are_told_at_once(text):
    source = text.robot(
        text.link("a"),
        text.link("a"),
        text.link("b", '<inertial><mass value="x"/><inertia/></inertial>'),
        text.joint("j", type="ball", child="c", inside='<origin xyz="1 2"/><axis xyz="0 0 0"/>'),
    )
    message = refused(source, "faults", line=3)
    for piece in ("a second link", "'x'", "ixx", "izz", "'ball'", "'1 2'", "axis is zero", "'c' does not exist"):
        assert piece in message


def test_a_thousand_faults_make_a_short_message(text):
    message = refused(text.robot(*["<link/>"] * 3000), "3000 faults")
    assert "... and 2980 more" in message
    assert len(message) < 3000


def test_giant_values_make_short_messages(text):
    for source in (text.pair(f'<origin xyz="{"9" * 10**6}"/>'), text.pair(f'<origin xyz="{"1 " * 10**6}"/>'), text.pair(type="t" * 10**6)):
        assert len(refused(source, "line 4")) < 500


def test_moments_that_overflow_when_turned(text):
    tensor = '<inertia ixx="1.7e308" ixy="1.7e308" ixz="0" iyy="1.7e308" iyz="0" izz="0"/>'
    inertial = f'<inertial><origin rpy="1 1 1"/><mass value="1"/>{tensor}</inertial>'
    refused(text.robot(text.link("a", inertial)), "too large", line=2)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["chain", "star", "strangers", "faults", "unknown parents", "near names", "notes of mimics"])
def test_large_files_take_bounded_time(text, shape):
    n = 3000
    links = [f'<link name="l{i}"/>' for i in range(n)]
    joints = [text.joint(f"j{i}", parent=f"l{i - 1 if shape == 'chain' else 0}", child=f"l{i}") for i in range(1, n)]
    parts = {
        "chain": links + joints,
        "star": links + joints,
        "strangers": ["<link name='a'/>"] + ["<gazebo><mu1/></gazebo>"] * n,
        "faults": ["<joint/>"] * n,
        "unknown parents": links[:300] + [text.joint(f"j{i}", parent=f"m{i}", child=f"n{i}") for i in range(n)],
        "near names": [text.link("x" * 90 + str(i)) for i in range(2000)]
        + [text.joint(f"j{i}", parent="x" * 90 + f"q{i}", child="x" * 90 + f"p{i}") for i in range(100)],
        "notes of mimics": links + [j.replace("</joint>", '<mimic joint="nobody"/></joint>') for j in joints],
    }[shape]
    start = time.perf_counter()
    try:
        assert len(read(text.robot(*parts)).notes) >= n
    except FormatError:
        assert shape in ("faults", "unknown parents", "near names")
    assert time.perf_counter() - start < 10.0  # about 0.5 s, on a busy machine 2 s; what grows with the square takes minutes
