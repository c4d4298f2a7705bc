"""Hulls of points as arrays."""

import numpy as np
import pytest

from linkwork.errors import ModelError
from linkwork.geometry.hull import hull_arrays, hull_row
from linkwork.geometry.support import support_vertex
from tests.convex_cases import random_rotation


def test_a_box_has_six_faces_of_four_corners():
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-2, 2) for z in (-3, 3)], dtype=float)
    for R in (np.eye(3), random_rotation(np.random.default_rng(1))):
        hull = hull_arrays(np.concatenate([corners, np.zeros((1, 3)), 0.5 * corners]) @ R.T)
        assert (hull.npoints, hull.nfaces) == (8, 6)
        assert all(len(hull.face(i)) == 4 for i in range(6))
        assert sorted(np.round(hull.planes[:, 3], 12)) == [1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("count", [4, 20, 300])
def test_faces_turn_outward_and_contain_everything(count):
    rng = np.random.default_rng(count)
    hull = hull_arrays(rng.normal(size=(count, 3)))
    v, planes = hull.vertices, hull.planes
    assert (v @ planes[:, :3].T - planes[:, 3]).max() < 1e-12
    for i in range(hull.nfaces):
        p = v[hull.face(i)]
        assert np.abs(p @ planes[i, :3] - planes[i, 3]).max() < 1e-9
        assert np.cross(p[1] - p[0], p[2] - p[1]) @ planes[i, :3] > 0
    # Euler: corners - edges + faces = 2
    edges = sum(len(hull.face(i)) for i in range(hull.nfaces)) / 2
    assert hull.npoints - edges + hull.nfaces == 2


def test_neighbours_are_neighbours_of_each_other_and_faces_are_around_their_corners():
    hull = hull_arrays(np.random.default_rng(5).normal(size=(80, 3)))
    n, table = hull.npoints, hull.neighbours
    beside = [set(table[table[8 + i] : table[9 + i]]) for i in range(n)]
    assert all(i in beside[j] for i in range(n) for j in beside[i])
    for i in range(n):
        around = table[table[9 + n + i] : table[10 + n + i]]
        assert sorted(around) == [f for f in range(hull.nfaces) if i in hull.face(f)]


def test_climbing_finds_the_farthest_vertex():
    from linkwork.geometry.manifold import Manifold

    points = np.random.default_rng(6).normal(size=(400, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    _, hull = hull_row(points)
    core = Manifold.allocate().convex.a
    core.count, core.points, core.neighbours = hull.npoints, hull.points.ctypes.data, hull.neighbours.ctypes.data
    assert hull.npoints > 64
    for d in np.random.default_rng(7).normal(size=(200, 3)):
        found = support_vertex(core, tuple(d.tolist()))
        assert hull.vertices[found] @ d == pytest.approx((hull.vertices @ d).max(), abs=1e-14)


def test_a_prism_of_many_sides_keeps_its_ends_whole():
    angle = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    hull = hull_arrays(np.concatenate([np.c_[ring, np.full(48, z)] for z in (-1.0, 1.0)]))
    assert hull.nfaces == 50
    assert sorted(len(hull.face(i)) for i in range(50))[-2:] == [48, 48]


@pytest.mark.parametrize(
    "points", [np.zeros((5, 3)), np.eye(3), np.random.default_rng(0).normal(size=(9, 3)) * [1, 1, 0], [[0, 0, np.nan]] * 4]
)
def test_points_that_enclose_nothing_are_refused(points):
    with pytest.raises(ModelError, match="vertices of a hull"):
        hull_arrays(points)
