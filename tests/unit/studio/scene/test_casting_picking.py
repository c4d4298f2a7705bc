"""Rays against what is drawn."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from linkwork.studio.scene.casting import nearest_on_ray, ray_on_instance, ray_on_mesh, ray_on_plane
from linkwork.studio.scene.meshes import unit


def test_a_ray_meets_the_near_face_of_a_box():
    assert ray_on_mesh(unit("box"), np.array((0.1, 0.2, 3.0)), np.array((0.0, 0.0, -1.0))) == pytest.approx(2.5)
    assert ray_on_mesh(unit("box"), np.array((0.1, 0.2, -3.0)), np.array((0.0, 0.0, 2.0))) == pytest.approx(1.25), (
        "in lengths of the direction"
    )


def test_a_ray_that_passes_or_looks_away_misses():
    box = unit("box")
    assert ray_on_mesh(box, np.array((0.7, 0.0, 3.0)), np.array((0.0, 0.0, -1.0))) == np.inf
    assert ray_on_mesh(box, np.array((0.0, 0.0, 3.0)), np.array((0.0, 0.0, 1.0))) == np.inf


def test_rays_at_ellipsoids_of_any_pose_hit_where_the_equation_says():
    """|((R^T (o + t d - p)) / s)| = 1; the mesh has 40 sides, so that it lies up to 0.3 % within, more where the ray grazes it."""
    rng = np.random.default_rng(11)
    for _ in range(30):
        R = Rotation.random(rng=rng)
        p, s = rng.normal(size=3), rng.uniform(0.3, 1.5, size=3)
        o = p + 5.0 * R.apply(rng.normal(size=3))
        aim = p + 0.3 * s.min() * rng.normal(size=3)
        t = ray_on_instance(unit("sphere"), o, aim - o, p, R.as_quat(scalar_first=True), s)
        u, v = R.inv().apply(o - p) / s, R.inv().apply(aim - o) / s
        a, b, c = v @ v, u @ v, u @ u - 1.0
        if b * b - a * c < 0.1 * a or c < 0.0:
            continue
        assert t == pytest.approx((-b - np.sqrt(b * b - a * c)) / a, rel=0.02)


def test_the_floor_is_met_from_above_and_below_but_not_backwards():
    np.testing.assert_allclose(ray_on_plane((1.0, 2.0, 4.0), (1.0, 0.0, -2.0), 1.0), (2.5, 2.0, 1.0))
    assert ray_on_plane((0.0, 0.0, 4.0), (0.0, 0.0, 1.0), 1.0) is None
    assert ray_on_plane((0.0, 0.0, 4.0), (1.0, 0.0, 0.0), 1.0) is None


def test_the_nearest_point_is_at_a_right_angle_or_the_beginning():
    found = nearest_on_ray((0.0, 0.0, 0.0), (2.0, 0.0, 0.0), np.array((3.0, 4.0, 0.0)))
    np.testing.assert_allclose(found, (3.0, 0.0, 0.0))
    np.testing.assert_allclose(nearest_on_ray((0.0, 0.0, 0.0), (2.0, 0.0, 0.0), np.array((-3.0, 4.0, 0.0))), 0.0)


def test_faces_that_look_away_are_met_only_if_they_are_asked_for():
    box, o, d = unit("box"), np.array((0.1, 0.2, 0.0)), np.array((0.0, 0.0, -1.0))
    assert ray_on_mesh(box, o, d) == pytest.approx(0.5) and ray_on_mesh(box, o, d, facing=True) == np.inf
    assert ray_on_mesh(box, o - 3.0 * d, d, facing=True) == pytest.approx(2.5)
