import os

import pytest

from linkwork.formats.mesh_names import mesh_path


@pytest.mark.parametrize(
    ("filename", "expected"),
    [
        ("package://robot/meshes/a.stl", "package://robot/meshes/a.stl"),
        ("model://robot/a.stl", "model://robot/a.stl"),
        ("http://example.com/a.stl", "http://example.com/a.stl"),
        ("file:///data/a.stl", "/data/a.stl"),
        ("/data/a.stl", "/data/a.stl"),
        ("meshes/a.stl", os.path.join("folder", "meshes/a.stl")),
    ],
)
def test_names_become_paths_where_that_is_certain(filename, expected):
    assert mesh_path(filename, "folder") == expected


def test_text_has_no_folder_to_start_from():
    assert mesh_path("meshes/a.stl", None) == "meshes/a.stl"


def test_a_package_is_found_by_its_parent_or_by_itself(tmp_path):
    mesh = tmp_path / "robot" / "meshes" / "a.stl"
    mesh.parent.mkdir(parents=True)
    mesh.touch()
    for folders in ([tmp_path], [str(tmp_path / "absent"), str(tmp_path)], [tmp_path / "robot"]):
        assert mesh_path("package://robot/meshes/a.stl", None, folders) == str(mesh)


def test_a_package_is_found_around_the_file_that_names_it(tmp_path):
    """In the package that the robot is in, or in one beside it."""
    mesh = tmp_path / "robot" / "meshes" / "a.stl"
    mesh.parent.mkdir(parents=True)
    mesh.touch()
    for folder in (tmp_path / "robot" / "urdf", tmp_path / "other" / "urdf"):
        folder.mkdir(parents=True)
        assert mesh_path("package://robot/meshes/a.stl", folder) == str(mesh)
        assert mesh_path("package:///robot/meshes/a.stl", str(folder)) == str(mesh)  # as some files have it
        assert mesh_path("package://absent/meshes/a.stl", folder) == "package://absent/meshes/a.stl"


@pytest.mark.parametrize("rest", ["../secret.stl", "a/../../secret.stl", "absent.stl", "", "a\0b", "x" * 5000])
def test_names_that_lead_nowhere_or_out_of_the_package_are_kept(tmp_path, rest):
    (tmp_path / "robot").mkdir()
    (tmp_path / "secret.stl").touch()
    name = f"package://robot/{rest}"
    assert mesh_path(name, "folder", [tmp_path]) == name
