"""lw.read: what counts as a path, as text and as bytes, and which format it is."""

import doctest
import pickle
import sys
from pathlib import Path

import pytest

from linkwork.errors import FormatError
from linkwork.formats import read
from linkwork.parts import MeshFile


@pytest.fixture
def file(tmp_path, text):
    path = tmp_path / "Robot.URDF"
    path.write_text(text.everything, encoding="utf-8")
    return path


def test_path_text_and_bytes_are_the_same_mechanism(file, text):
    m = read(file)
    assert m == read(str(file)) == read(text.everything) == read(text.everything.encode()) == read("\ufeff \n" + text.everything[38:])
    assert m.notes == read(text.everything).notes


def test_errors_of_a_file_carry_its_path(tmp_path):
    path = tmp_path / "broken.urdf"
    path.write_text("<robot>\n<link/>\n</robot>")
    with pytest.raises(FormatError) as caught:
        read(path)
    assert (caught.value.path, caught.value.line) == (str(path), 2)
    assert str(caught.value).startswith(f"{path}, line 2: link: ")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.path, again.line) == (str(caught.value), str(path), 2)


@pytest.mark.parametrize(
    ("name", "match"),
    [("robot.urdf.xacro", "expand it first"), ("robot.stl", r"'.stl'; files that end in .urdf"), ("robot", "suffix ''")],
)
def test_unknown_suffixes(tmp_path, name, match):
    (tmp_path / name).write_text("<robot/>")
    with pytest.raises(FormatError, match=match):
        read(tmp_path / name)


def test_missing_files_folders_and_nothing(tmp_path):
    for source, match in (
        (tmp_path / "x.urdf", "No such file"),
        ("no_such_file.urdf", "No such file"),
        (tmp_path, "folder"),
        ("", "empty"),
    ):
        with pytest.raises(FormatError, match=match):
            read(source)
    for source in (None, 3, ["x.urdf"]):
        with pytest.raises(TypeError, match="give a path"):
            read(source)


def test_text_that_is_too_long(monkeypatch, text):
    monkeypatch.setattr("linkwork.formats.xml_safely.MAX_BYTES", 1000)
    for source in (text.everything, text.everything.encode()):
        with pytest.raises(FormatError, match="larger than"):
            read(source)


def test_root_is_fixed_or_floating(text):
    for root in ("free", None, 1, ["fixed"]):
        with pytest.raises(FormatError, match="'fixed' and 'floating'"):
            read(text.everything, root=root)


def test_meshes_are_found_from_the_file_and_in_packages(tmp_path, text):
    mesh = tmp_path / "robot" / "meshes" / "arm.stl"
    mesh.parent.mkdir(parents=True)
    mesh.touch()
    path = tmp_path / "r.urdf"
    relative = '<visual><geometry><mesh filename="meshes/a.stl"/></geometry></visual>'
    path.write_text(text.everything.replace('<link name="wheel"/>', f'<link name="wheel">{relative}</link>'))
    m = read(path, package_dirs=[tmp_path])
    assert m.body("arm").visuals == (MeshFile(str(mesh), (0.001, 0.001, -0.001)),)
    assert Path(m.body("wheel").visuals[0].path) == tmp_path / "meshes" / "a.stl"
    assert m == read(path, package_dirs=str(tmp_path))


def test_the_example_in_the_docstring():
    # The package exports the function under the name of its module, so the module is found by name only.
    result = doctest.testmod(sys.modules["linkwork.formats.read"])
    assert (result.attempted, result.failed) == (3, 0)
