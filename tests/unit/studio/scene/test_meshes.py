"""Unit meshes are closed, look outward, and have the size that their name promises."""

import numpy as np
import pytest

from linkwork.studio.scene.meshes import coil_line, convex, unit

CLOSED = ("box", "cylinder", "rod", "disc", "sphere", "ball", "cone", "coil", "thread", "left thread", "ring", "gear", "gem", "foot")


def volume(mesh):
    a, b, c = (mesh.vertices[mesh.faces[:, k]].astype(float) for k in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0


@pytest.mark.parametrize("name", CLOSED)
def test_every_edge_is_there_once_each_way(name):
    """Corners are compared by place: sharp edges have vertices of their own on each side."""
    mesh = unit(name)
    _, where = np.unique(np.round(mesh.vertices, 6), axis=0, return_inverse=True)
    faces = where.reshape(-1)[mesh.faces]
    edges = np.concatenate([faces[:, (0, 1)], faces[:, (1, 2)], faces[:, (2, 0)]])
    there, back = sorted(map(tuple, edges.tolist())), sorted(map(tuple, edges[:, ::-1].tolist()))
    assert there == back
    assert volume(mesh) > 0.0, "its faces look inward"


@pytest.mark.parametrize(
    ("name", "exact"),
    # Inscribed polygons and bevels take a little away, never more than 8 %.
    [("box", 1.0), ("cylinder", np.pi), ("rod", np.pi), ("sphere", 4.0 / 3.0 * np.pi), ("ball", 4.0 / 3.0 * np.pi), ("cone", np.pi / 3.0)],
)
def test_volumes_are_those_of_the_solids(name, exact):
    assert 0.92 * exact < volume(unit(name)) <= exact


@pytest.mark.parametrize(("name", "low", "high"), [("box", -0.5, 0.5), ("cylinder", (-1, -1, -0.5), (1, 1, 0.5)), ("sphere", -1.0, 1.0)])
def test_boxes_around_meshes_are_those_of_unit_shapes(name, low, high):
    # 0.4 %: a polygon with 40 sides.
    np.testing.assert_allclose(unit(name).low, np.broadcast_to(low, 3), atol=4e-3)
    np.testing.assert_allclose(unit(name).high, np.broadcast_to(high, 3), atol=4e-3)


def test_the_two_halves_of_a_centre_of_mass_make_a_ball():
    dark, light = unit("dark"), unit("light")
    for mesh, sign in ((dark, 1.0), (light, -1.0)):
        np.testing.assert_allclose(np.linalg.norm(mesh.vertices, axis=1), 1.0, atol=1e-6)
        middle = mesh.vertices[mesh.faces].mean(axis=1)
        assert (sign * np.prod(middle, axis=1) > 0.0).all(), "sectors of both colours overlap"
        a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
        assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), middle) >= -1e-9).all(), "a face looks inward"


def test_a_coil_runs_from_end_to_end_within_its_radius():
    line = coil_line()
    np.testing.assert_allclose(line[[0, -1]], [(0, 0, -0.5), (0, 0, 0.5)], atol=0.0)
    assert (np.diff(line[:, 2]) >= 0.0).all()
    assert np.hypot(line[:, 0], line[:, 1]).max() == pytest.approx(1.0)
    turns = np.unwrap(np.arctan2(line[2:-2, 1], line[2:-2, 0]))
    assert np.ptp(turns) > 2.0 * np.pi * 8.0


def test_threads_are_of_both_hands():
    right, left = unit("thread"), unit("left thread")
    assert len(right.vertices) == len(left.vertices) and not np.allclose(right.vertices, left.vertices)


@pytest.mark.parametrize("count", [4, 5, 8, 12, 20])
def test_a_hull_is_that_of_another_program(count):
    from scipy.spatial import ConvexHull

    points = np.random.default_rng(count).normal(size=(count, 3))
    found, known = convex(points), ConvexHull(points)
    assert len(found.faces) == len(known.simplices)
    assert volume(found) == pytest.approx(known.volume, rel=1e-5), "vertices are single numbers"


def test_a_point_on_a_face_is_no_corner_of_its_hull():
    cube = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    found = convex([*cube, (1, 0.2, 0.3), (0.1, 1, 1)])
    assert len(found.faces) == 12
    assert volume(found) == pytest.approx(8.0)
