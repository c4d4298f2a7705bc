"""Mesh files: what is read, what is refused in words, what is remembered."""

import os
import struct

import numpy as np
import pytest

from linkwork.geometry import mesh_files
from linkwork.geometry.mesh_files import load_triangles, merged, obj, stl

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype=float)
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def binary(corners=CORNERS):
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *corners[list(face)].ravel(), 0) for face in FACES)
    return b"made by a test".ljust(80) + struct.pack("<I", len(FACES)) + body


def test_triangles_come_with_their_corners(tmp_path):
    (tmp_path / "a.stl").write_bytes(binary())
    vertices, faces = merged(*load_triangles(str(tmp_path / "a.stl")))
    assert sorted(map(tuple, vertices)) == sorted(map(tuple, CORNERS))
    assert len(faces) == 4


def test_a_file_is_read_once_until_it_changes(tmp_path, monkeypatch):
    path = tmp_path / "a.stl"
    path.write_bytes(binary())
    read = []
    monkeypatch.setitem(mesh_files._READERS, ".stl", lambda data: read.append(1) or stl(data))
    first = load_triangles(str(path))
    assert load_triangles(str(path))[0] is first[0] and len(read) == 1
    path.write_bytes(binary(2 * CORNERS))
    os.utime(path, ns=(1, 1))
    assert load_triangles(str(path))[0].max() == 2.0 and len(read) == 2


def test_arrays_of_a_file_cannot_be_changed(tmp_path):
    (tmp_path / "a.stl").write_bytes(binary())
    with pytest.raises(ValueError, match="read-only"):
        load_triangles(str(tmp_path / "a.stl"))[0][0, 0] = 1.0


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.stl", b"", "it is no STL file"),
        ("a.stl", b"solid x\nendsolid", "it is no STL file"),
        ("a.stl", b"vertex 1 2 3\nvertex 1 2 x\nvertex 0 0 0\n", "could not convert"),
        ("a.stl", b"vertex 1 2 3\nvertex 1 2 nan\nvertex 0 0 0\n", "not finite"),
        ("a.stl", b"x" * 80 + struct.pack("<I", 0), "holds no triangles"),
        ("a.obj", b"v 0 0\nf 1 1 1\n", "without three numbers"),
        ("a.obj", b"v 0 0 0\nf 1 2 3\n", "a vertex that is not there"),
        ("a.obj", b"v 0 0 0\nv 1e999 0 0\nv 0 1 0\nf 1 2 3\n", "not finite"),
        ("a.obj", b"f 99999999999999999999 1 2\n", "not there"),
        ("a.dae", b"not xml", "no XML"),
        ("a.ply", b"ply", "trimesh"),
    ],
)
def test_broken_files_are_refused_with_their_name(tmp_path, name, data, said):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match=said) as caught:
        load_triangles(str(tmp_path / name))
    assert name in str(caught.value)


def test_what_is_no_file_of_triangles_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.stl")  # to open it would block
    for path, said in ((tmp_path, "no regular file"), (tmp_path / "pipe.stl", "no regular file"), ("/dev/zero", "no regular file")):
        with pytest.raises(ValueError, match=said):
            load_triangles(str(path))
    with pytest.raises(ValueError, match="package_dirs"):
        load_triangles("package://robot/a.stl")
    with pytest.raises(ValueError, match="null character"):
        load_triangles("a\0.stl")
    with pytest.raises(OSError):
        load_triangles(str(tmp_path / "absent.stl"))


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    with open(tmp_path / "huge.stl", "wb") as file:
        file.truncate(mesh_files.MOST_BYTES + 1)
    with pytest.raises(ValueError, match="larger than 200 MB"):
        load_triangles(str(tmp_path / "huge.stl"))


def test_too_many_triangles_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(mesh_files, "MOST_TRIANGLES", 3)
    (tmp_path / "a.stl").write_bytes(binary())
    with pytest.raises(ValueError, match="4 triangles; allowed are 3"):
        load_triangles(str(tmp_path / "a.stl"))


def test_polygons_of_an_obj_file_are_fans_and_may_count_from_the_end():
    vertices, faces = obj(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf -4//1 -3//1 -2//1 -1//1\n")
    assert vertices.shape == (4, 3) and faces.tolist() == [[0, 1, 2], [0, 2, 3]]
