"""The frustum, clipping before dividing, and depth; the numbers are those of the golden picture of Reuss's perspective."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.draw.perspective import PLANES, clip_polygon, clip_segment, frustum, homogeneous

CAMERA = lw.Camera((3, -4, 2), field_of_view=math.radians(50), near=0.1)
SIZE = (1280, 1024)
T1 = frustum(CAMERA.edges(SIZE), CAMERA.near)


def to_pixels(clip, size):
    """Column and row from clip coordinates with w > 0, (..., 2): the upper left corner of the picture is (0, 0)."""
    return (clip[..., :2] / clip[..., 3:] + 1.0) * (0.5 * np.asarray(size, dtype=float))


def test_the_matrix_and_the_camera_agree():
    points = np.random.default_rng(0).uniform(-1.5, 1.5, (50, 3))
    clip = homogeneous(points) @ (T1 @ CAMERA.view).T
    assert to_pixels(clip, SIZE) == pytest.approx(CAMERA.pixel(points, SIZE), abs=1e-9)


@pytest.mark.parametrize(("point", "inverse"), [((0, 0, 0), 0.185695), ((1, 0, 0), 0.207122), ((0, 0, 1), 0.199451), ((1, 1, 1), 0.192327)])
def test_inverse_depth_of_the_golden_picture(point, inverse):
    assert 1.0 / (CAMERA.view @ homogeneous(point))[2] == pytest.approx(inverse, abs=5e-7)


@pytest.mark.parametrize(("far", "row"), [(math.inf, 457.101), (100.0, 459.297)])
def test_a_ray_ends_at_its_vanishing_point_or_at_the_far_plane(far, row):
    """From (.2, .1, 2) in eye axes towards (.1, -.05, 1): one segment to a point at infinity."""
    T = frustum(CAMERA.edges(SIZE), 0.1, far)
    ends = clip_segment(T @ homogeneous((0.2, 0.1, 2.0)), T @ homogeneous((0.1, -0.05, 1.0), 0.0))
    assert to_pixels(ends[1], SIZE) == pytest.approx((749.799, row), abs=6e-4)


def test_near_and_far_planes_become_minus_and_plus_one():
    for far in (7.0, math.inf):
        T = frustum((-1, 1, -1, 1), 0.5, far)
        near = T @ (0.1, 0.2, 0.5, 1.0)
        assert near[2] / near[3] == pytest.approx(-1.0)
    end = frustum((-1, 1, -1, 1), 0.5, 7.0) @ (0.1, 0.2, 7.0, 1.0)
    assert end[2] / end[3] == pytest.approx(1.0)


def _inside(X):
    return (X @ PLANES.T >= -1e-12 * np.abs(X).max()).all(axis=-1)


def test_clipped_segments_are_what_dense_sampling_sees():
    """Points behind the eye, rays to infinity, all six planes: nothing is cut too short and nothing too long."""
    rng = np.random.default_rng(5)
    t = np.linspace(0.0, 1.0, 4001)[:, None]
    cut = 0
    for k in range(300):
        T = frustum((-1.0, 1.2, -0.8, 0.9), 0.3, (6.0, math.inf)[k % 2])
        P = T @ homogeneous(rng.uniform(-4, 6, 3))
        Q = T @ homogeneous(rng.uniform(-4, 6, 3), float(k % 3 > 0))
        seen = _inside(P + t * (Q - P))
        ends = clip_segment(P, Q)
        if ends is None:
            assert seen.sum() <= 1
            continue
        shares = [float((end - P) @ (Q - P) / ((Q - P) @ (Q - P))) for end in ends]
        expected = t[seen, 0]
        if len(expected):
            assert shares[0] == pytest.approx(expected[0], abs=3e-4)  # the spacing of samples
            assert shares[1] == pytest.approx(expected[-1], abs=3e-4)
        cut += 0.0 < shares[0] or shares[1] < 1.0
    assert cut > 50


def test_clipped_polygons_keep_exactly_what_is_in_view():
    """Random points of a triangle: in the clipped polygon just when they are in the frustum; also for corners behind the eye."""
    rng = np.random.default_rng(6)
    crossing = 0
    for _ in range(60):
        corners = rng.uniform((-3, -3, -2), (3, 3, 5), (3, 3))
        clip = homogeneous(corners) @ T1.T
        left = clip_polygon(clip)
        shares = rng.dirichlet((1, 1, 1), 200)
        inside = _inside(shares @ clip)
        crossing += 0 < inside.sum() < 200
        if not left:
            assert not inside.any()
            continue
        # In the triangle's own plane: corners of what is left in barycentric coordinates.
        found = np.linalg.lstsq(clip.T, np.array(left).T, rcond=None)[0].T
        found /= found.sum(axis=1, keepdims=True)
        assert np.array_equal(_in_polygon(shares[:, :2], found[:, :2]), inside)
    assert crossing > 15


def _in_polygon(points, corners):
    """In a convex polygon, whichever way round it is."""
    edge = np.roll(corners, -1, axis=0) - corners
    to = points[:, None] - corners
    side = edge[:, 0] * to[..., 1] - edge[:, 1] * to[..., 0]
    return (side >= -1e-12).all(axis=1) | (side <= 1e-12).all(axis=1)


def test_marks_stay_with_their_edges():
    """A square that sticks out on one side: three edges remain marked, the cut is not."""
    square = np.array([(0, 0, 1), (4, 0, 1), (4, 1, 1), (0, 1, 1)], dtype=float)
    plane = np.array([(-1.0, 0.0, 2.0)])  # x <= 2
    corners, marks = clip_polygon(square, plane, [True] * 4)
    assert np.allclose(corners, [(0, 0, 1), (2, 0, 1), (2, 1, 1), (0, 1, 1)])
    assert marks == [True, False, True, True]
