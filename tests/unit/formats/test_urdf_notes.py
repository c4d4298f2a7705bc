"""Everything left out has a note with its line; strict reading refuses exactly those notes that matter."""

import pickle

import pytest

from linkwork.errors import FormatError
from linkwork.formats import Note, read

# (what stands in the file, where, whether leaving it out matters)
STRANGERS = [
    ('<transmission name="t"><joint name="j"/><actuator name="m"/></transmission>', "robot", False),
    ('<transmission name="t"><passive_joint name="j"/></transmission>', "robot", True),
    ('<gazebo reference="a"><material>Red</material></gazebo>', "robot", False),
    ('<gazebo reference="a"><material>Red</material><mu1>0.2</mu1></gazebo>', "robot", True),
    ('<gazebo><plugin name="p" filename="p.so"/></gazebo>', "robot", True),
    ("<gazebo/>", "robot", False),
    ('<sensor name="s"/>', "robot", False),
    ('<ros2_control name="c"/>', "robot", False),
    ('<material name="m"><color rgba="1 0 0 1"/></material>', "robot", False),
    ("<loop_joint/>", "robot", True),
    ("<contact/>", "link", True),
    ("<self_filter/>", "link", False),
    ("<calibration/>", "joint", False),
    ('<safety_controller k_velocity="1"/>', "joint", False),
    ("<spring/>", "joint", True),
    ("stray words", "joint", False),
    ('<origin xyz="0 0 0"/><origin xyz="0 0 1"/>', "joint", True),
    ('<dynamics damping="1" stiffness="2"/>', "joint", True),
    ('<limit effort="1" velocity="1" jerk="3"/>', "joint", True),
    ('<axis xyz="1 0 0" frame="world"/>', "joint", True),
]


def file_with(text, piece, where):
    """The piece stands in line 5 (robot), 3 (link b) or 4 (joint j)."""
    inside = {"link": "", "joint": ""} | {where: piece}
    return text.robot(
        text.link("a"),
        text.link("b", text.inertial + inside["link"]),
        text.joint(inside=inside["joint"]),
        piece if where == "robot" else "",
    )


@pytest.mark.parametrize(("piece", "where", "matters"), STRANGERS)
def test_what_is_left_out_is_noted_with_its_line(text, piece, where, matters):
    source = file_with(text, piece, where)
    notes = read(source).notes
    assert [(note.line, note.matters) for note in notes] == [({"robot": 5, "link": 3, "joint": 4}[where], matters)]
    assert "ignored" in str(notes[0])
    if matters:
        with pytest.raises(FormatError, match="strict reading refuses"):
            read(source, strict=True)
    else:
        assert read(source, strict=True) == read(source)


def test_a_clean_file_has_no_notes(text):
    assert read(text.pair('<axis xyz="0 0 1"/>'), strict=True).notes == ()


def test_strict_reading_lists_what_matters_and_nothing_else(text):
    with pytest.raises(FormatError) as caught:
        read(text.everything, strict=True)
    message = str(caught.value)
    assert "mu1" in message
    assert "mimic" not in message
    assert "transmission" not in message
    assert caught.value.line == min(note.line for note in read(text.everything).notes if note.matters)
    assert "strict=False" in message


def test_notes_that_matter_come_first_then_the_order_of_lines(text):
    places = [(not note.matters, note.line) for note in read(text.everything).notes]
    assert len(places) > 5 and {first for first, _ in places} == {False, True}
    assert places == sorted(places)


def test_a_joint_that_missing_limits_hold_at_zero_matters(text):
    [note] = read(text.pair('<limit effort="1" velocity="1"/>', type="revolute")).notes
    assert note.matters and "the joint is held at 0" in note.message


def test_a_note_reads_as_a_sentence(text):
    notes = read(text.pair('<spring k="1"/>')).notes
    assert notes == (Note(4, "joint 'j' > spring", "<spring> ignored; it is not in the URDF standard", True),)
    assert str(notes[0]) == "line 4: joint 'j' > spring: <spring> ignored; it is not in the URDF standard"


def test_foreign_namespaces_are_named_by_their_prefix(text):
    notes = read(text.robot(text.link("a"), "<s:cam/>", attributes='name="r" xmlns:s="http://x" s:mode="m"')).notes
    assert [(note.element, note.matters) for note in notes] == [("s:cam", True), ("robot 'r'", False)]


def test_long_names_and_values_are_cut_in_notes(text):
    notes = read(text.robot(text.link("a"), f'<thing name="{"n" * 100_000}"/>', f"<{'t' * 50_000}/>", "w" * 100_000)).notes
    assert len(notes) == 3
    assert all(len(str(note)) < 400 for note in notes)


def test_a_mesh_that_is_in_no_package_folder_is_noted(text, tmp_path):
    notes = read(text.everything, package_dirs=tmp_path).notes
    assert [note.matters for note in notes if "package_dirs" in note.message] == [False]
    assert not any("package_dirs" in note.message for note in read(text.everything).notes)


def test_notes_are_printed_in_two_groups_what_matters_first(text):
    notes = read(text.everything).notes
    printed = str(notes).splitlines()
    serious = [note for note in notes if note.matters]
    assert printed[0] == f"what matters to the mechanism; strict reading refuses it ({len(serious)}):"
    assert printed[1 : 1 + len(serious)] == [f"  {note}" for note in serious]
    assert printed[1 + len(serious)] == f"what makes no difference to it ({len(notes) - len(serious)}):"
    assert len(printed) == len(notes) + 2
    assert str(read(text.pair('<axis xyz="0 0 1"/>')).notes) == "nothing was left out or assumed"
    assert pickle.loads(pickle.dumps(notes)) == notes == tuple(notes)
