"""Shapes: values, their volumes and what is wrong with them."""

import copy
import math
import pathlib
import pickle

import numpy as np
import pytest

from linkwork.errors import ModelError
from linkwork.parts import Box, Capsule, Cone, Cylinder, Ellipsoid, HeightField, Mesh, MeshFile, Shape, Sphere
from linkwork.spatial.pose import Pose

TETRAHEDRON = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
SHAPES = [
    (Box(1, 2, 3), 6.0),
    (Sphere(2), 32 / 3 * math.pi),
    (Cylinder(2, 3), 12 * math.pi),
    (Capsule(2, 3), 12 * math.pi + 32 / 3 * math.pi),
    (Ellipsoid(1, 2, 3), 8 * math.pi),
    (Cone(2, 3), 4 * math.pi),
    (Mesh(*TETRAHEDRON), 1 / 6),
]
NAMES = [type(shape).__name__ for shape, _ in SHAPES]


@pytest.mark.parametrize(("shape", "volume"), SHAPES, ids=NAMES)
def test_volumes(shape, volume):
    assert shape.solid().volume == pytest.approx(volume, rel=1e-14)
    assert list(shape.faults()) == []


def test_where_the_mass_is():
    assert Cone(2, 4).solid().com.tolist() == [0, 0, -1]  # a quarter of the height above the base, which is at -2
    np.testing.assert_allclose(Mesh(*TETRAHEDRON).solid().com, [0.25] * 3, rtol=1e-14)
    for shape in (Box(1, 2, 3), Cylinder(1, 2), Capsule(1, 2)):
        assert not shape.solid().com.any()


@pytest.mark.parametrize("shape", [*(shape for shape, _ in SHAPES), MeshFile("wheel.stl", 0.001)], ids=[*NAMES, "MeshFile"])
def test_shapes_are_values(shape):
    for copied in (copy.deepcopy(shape), pickle.loads(pickle.dumps(shape))):
        assert copied == shape and hash(copied) == hash(shape)
        assert isinstance(copied, Shape)
    assert shape != Sphere(77) and shape != "shape"
    with pytest.raises(AttributeError):
        shape.at = Pose()


def test_the_pose_of_a_shape():
    assert Box(1, 1, 1).at == Pose() == Box(1, 1, 1, at=None).at
    assert Box(1, 1, 1, at=(1, 2, 3)).at == Pose((1, 2, 3)) == Box(1, 1, 1, at=Pose((1, 2, 3))).at
    assert Box(1, 1, 1, at=(1, 2, 3)) != Box(1, 1, 1)
    with pytest.raises(ModelError, match=r"^Box: a place is 'there'"):
        Box(1, 1, 1, at="there")
    with pytest.raises(TypeError):
        Box(1, 1, 1, Pose())  # by keyword only


def test_meshes_are_kept_read_only_and_compared_by_content():
    mesh = Mesh(*TETRAHEDRON)
    assert mesh.vertices.dtype == np.float64 and mesh.faces.dtype == np.int64
    for copied in (mesh, copy.deepcopy(mesh), pickle.loads(pickle.dumps(mesh))):
        with pytest.raises(ValueError, match="read-only"):
            copied.vertices[0, 0] = 5.0
    assert mesh != Mesh(np.multiply(TETRAHEDRON[0], 2), TETRAHEDRON[1])
    assert mesh != Mesh(*TETRAHEDRON, at=(1, 0, 0))
    assert repr(mesh) == "Mesh(4 vertices, 4 faces, at=Pose((0, 0, 0)))"


def test_mesh_files():
    assert MeshFile("wheel.stl").scale == (1.0, 1.0, 1.0)
    assert MeshFile("wheel.stl", 0.001).scale == (0.001,) * 3 == MeshFile("wheel.stl", [0.001] * 3).scale
    assert MeshFile(pathlib.PurePosixPath("a/b.stl")).path == "a/b.stl"
    assert list(MeshFile("wheel.stl", (1, -1, 1)).faults()) == []
    with pytest.raises(ModelError, match="MeshFile: it has no volume to take mass from; give mass, com and inertia"):
        MeshFile("wheel.stl").solid()


def test_meshes_and_files_say_what_of_them_touches():
    assert Mesh(*TETRAHEDRON).touching == "hull" == MeshFile("a.stl").touching
    mesh = Mesh(*TETRAHEDRON, touching="triangles")
    assert mesh != Mesh(*TETRAHEDRON) and repr(mesh).endswith("touching='triangles')")
    assert pickle.loads(pickle.dumps(mesh)) == mesh


def test_height_fields():
    field = HeightField([[0, 1, 2], [0, 1, 3]], 0.5)
    assert field.dy == 0.5 and field.heights.shape == (2, 3) and list(field.faults()) == []
    for copied in (field, copy.deepcopy(field), pickle.loads(pickle.dumps(field))):
        assert copied == field and hash(copied) == hash(field)
        with pytest.raises(ValueError, match="read-only"):
            copied.heights[0, 0] = 5.0
    assert field != HeightField([[0, 1, 2], [0, 1, 4]], 0.5) and field != HeightField(field.heights, 0.5, 0.6)
    assert repr(field) == "HeightField(2 x 3 heights, dx=0.5, dy=0.5, at=Pose((0, 0, 0)))"
    with pytest.raises(ModelError, match="HeightField: it has no volume to take mass from; it belongs on the ground"):
        field.solid()


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: HeightField([1, 2], 1), "HeightField: heights has shape (2,); give an array of numbers, (ny, nx)"),
        (lambda: HeightField("flat", 1), "HeightField: heights is 'flat'"),
        (lambda: HeightField([[0, 0], [0]], 1), "HeightField: heights is"),
        (lambda: HeightField([[0, 0], [0, 0]], "1"), "HeightField: dx is '1' (str)"),
        (lambda: Mesh(*TETRAHEDRON, touching="hulls"), "Mesh: touching is 'hulls'"),
        (lambda: MeshFile("a", touching=True), "MeshFile: touching is True"),
        (lambda: Box(1, 2, "3"), "Box: z is '3' (str); give a real number"),
        (lambda: Sphere(None), "Sphere: radius is None"),
        (lambda: Mesh([[0, 0]], [[0, 0, 0]]), "Mesh: vertices has shape (1, 2)"),
        (lambda: Mesh([[0, 0, 0]], [[0.5, 0, 0]]), "Mesh: faces has shape (1, 3) and type float64"),
        (lambda: MeshFile(""), "MeshFile: path is ''"),
        (lambda: MeshFile(7), "MeshFile: path is 7 (int); give the name of a file"),
        (lambda: MeshFile("a", (1, 2)), "MeshFile: scale"),
        (lambda: MeshFile("a", "big"), "MeshFile: scale"),
    ],
)
def test_wrong_types_are_refused_at_once(make, text):
    with pytest.raises(ModelError) as caught:
        make()
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("shape", "about", "texts"),
    [
        (HeightField([[0, 0], [0, math.nan]], 1), "dimension", ["heights[1, 1] of its HeightField is nan", "finite"]),
        (HeightField([[0, 0]], 1), "dimension", ["shape (1, 2)", "at least 2 rows and 2 columns"]),
        (HeightField([[0, 0], [0, 0]], 0, 1), "dimension", ["dx of its HeightField is 0 m"]),
        (Box(1, 0, 3), "dimension", ["y of its Box is 0 m", "above 0", "correct it"]),
        (Box(1, -1, 3), "dimension", ["y of its Box is -1 m"]),
        (Sphere(math.nan), "dimension", ["radius of its Sphere is nan m"]),
        (Cylinder(1, math.inf), "dimension", ["length of its Cylinder is inf m"]),
        (Capsule(1, 0), "dimension", ["length of its Capsule is 0 m"]),
        (Ellipsoid(1, 1, -2), "dimension", ["c of its Ellipsoid is -2 m"]),
        (Cone(0, 1), "dimension", ["radius of its Cone is 0 m"]),
        (Box(1, 1, 1, at=(0, math.inf, 0)), "pose", ["the pose of its Box", "(0, inf, 0)", "finite"]),
        (Mesh([[0, 0, math.nan]], [[0, 0, 0]]), "dimension", ["vertex 0 of its Mesh", "nan", "finite"]),
        (Mesh([[0, 0, 0]], [[0, 0, 1]]), "dimension", ["vertices 0 to 1", "there are 1, counted from 0"]),
        (Mesh([[0, 0, 0]], [[0, 0, -1]]), "dimension", ["vertices -1 to 0"]),
        (Mesh(np.zeros((0, 3)), np.zeros((0, 3), int)), "dimension", ["0 vertices and 0 faces", "at least one"]),
        (MeshFile("a.stl", 0), "dimension", ["scale of its MeshFile is (0.0, 0.0, 0.0)", "other than 0"]),
        (MeshFile("a.stl", math.nan), "dimension", ["scale of its MeshFile", "nan"]),
    ],
)
def test_values_that_cannot_be_are_faults_in_words(shape, about, texts):
    ((found, message),) = shape.faults()
    assert found == about
    for text in texts:
        assert text in message
