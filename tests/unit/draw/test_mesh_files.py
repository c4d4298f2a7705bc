"""Mesh files: STL and OBJ read here, wrong ones explained, large ones made coarser."""

import struct

import numpy as np
import pytest

import linkwork as lw
from linkwork.draw.mesh_files import coarser, read_mesh
from linkwork.draw.solids import ball
from linkwork.geometry.mesh_files import obj, stl

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype=float)
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def binary(header=b"made by a test"):
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *CORNERS[list(face)].ravel(), 0) for face in FACES)
    return header.ljust(80, b" ") + struct.pack("<I", len(FACES)) + body


def text():
    facets = "".join(
        "facet normal 0 0 0\n outer loop\n"
        + "".join(f"  vertex {x:g} {y:g} {z:g}\n" for x, y, z in CORNERS[list(f)])
        + " endloop\nendfacet\n"
        for f in FACES
    )
    return f"solid s\n{facets}endsolid s\n".encode()


def wavefront():
    return (
        b"# t\n"
        + "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS).encode()
        + b"f 1/1/1 3/1/1 2/1/1\nf 1 2 4\nf -4 -1 -2\nf 2//1 3//1 4//1\n"
    )


FILES = {"binary.stl": binary(), "solid.STL": binary(b"solid but binary"), "text.stl": text(), "a.obj": wavefront()}


@pytest.mark.parametrize("name", FILES)
def test_a_file_becomes_a_closed_solid_in_the_body(tmp_path, name):
    (tmp_path / name).write_bytes(FILES[name])
    at = lw.Pose.from_rpy(0, 0, np.pi / 2, (1, 2, 3))
    solid = read_mesh(lw.MeshFile(str(tmp_path / name), 2.0, at=at))
    assert len(solid.faces) == 4
    assert solid.closed
    expected = 2.0 * CORNERS @ at.rotation.T + at.translation
    assert np.allclose(sorted(map(tuple, solid.corners.round(6))), sorted(map(tuple, expected.round(6))))


def test_a_mirrored_mesh_still_looks_outward(tmp_path):
    (tmp_path / "a.stl").write_bytes(binary())
    solid = read_mesh(lw.MeshFile(str(tmp_path / "a.stl"), (1, 1, -1)))
    middle = solid.corners.mean(axis=0)
    for face in solid.faces:
        a, b, c = solid.corners[list(face)]
        assert np.cross(b - a, c - a) @ (a - middle) > 0


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("missing.stl", None, "No such file"),
        ("short.stl", binary()[:100], "no STL file"),
        ("empty.stl", b"", "no STL file"),
        ("nan.stl", text().replace(b"vertex 1 0 0", b"vertex nan 0 0"), "not finite"),
        ("words.stl", b"vertex a b c\n" * 3, "could not convert"),
        ("far.obj", b"v 0 0 0\nf 1 2 3\n", "no OBJ file"),
        ("flat.obj", b"v 0 0 0\nv 1 0\n", "no OBJ file"),
        ("none.obj", b"# nothing\n", "no triangles"),
        ("line.obj", b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "no area"),
        ("strange.xyz", b"", "xyz"),
    ],
)
def test_a_file_that_cannot_be_shown_says_why(tmp_path, name, data, words):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    said = read_mesh(lw.MeshFile(str(tmp_path / name)))
    assert isinstance(said, str)
    assert words in said


def test_a_package_path_is_no_file():
    assert "package_dirs" in read_mesh(lw.MeshFile("package://robot/a.stl"))


def test_coarser_keeps_the_shape():
    fine = ball(1.0, 96)
    faces = np.array([(f[0], f[k], f[k + 1]) for f in fine.faces for k in range(1, len(f) - 1)])
    corners, left = coarser(fine.corners, faces, most=400)
    assert 100 < len(left) <= 400 < len(faces)
    radius = np.linalg.norm(corners[np.unique(left)], axis=1)
    assert radius.min() > 0.85  # means of nearby corners lie a little inside
    assert radius.max() <= 1.0 + 1e-12
    assert np.abs(np.ptp(corners, axis=0) - 2.0).max() < 0.2


def test_a_small_mesh_stays_as_it_is():
    corners, faces = coarser(CORNERS, np.array(FACES), most=4)
    assert corners is CORNERS
    assert len(faces) == 4


def test_both_readers_agree():
    assert np.array_equal(stl(binary())[0], stl(text())[0])
    vertices, faces = obj(wavefront())
    assert np.array_equal(vertices[faces].reshape(-1, 3), CORNERS[np.array(FACES)].reshape(-1, 3)) or len(faces) == 4
