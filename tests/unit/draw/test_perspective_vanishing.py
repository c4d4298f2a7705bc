"""The painter's perspective against the architect's: the same camera gives the same pixels, without projecting a single point."""

import math

import numpy as np
import pytest

import linkwork as lw

from .vanishing import Canvas, Scale, finite, horizon, join, meet, vanishing_point

CAMERA = lw.Camera((3, -4, 2), field_of_view=math.radians(50))
SIZE = (1280, 1024)


@pytest.mark.parametrize(
    ("direction", "pixel"), [((1, 0, 0), (-936.76, 72.80)), ((0, 1, 0), (1526.93, 72.80)), ((0, 0, 1), (640.00, 3256.97))]
)
def test_golden_vanishing_points(direction, pixel):
    assert vanishing_point(CAMERA, direction, SIZE) == pytest.approx((*pixel, 1.0), abs=6e-3)


def test_a_vanishing_point_is_the_limit_of_points_far_away():
    rng = np.random.default_rng(2)
    for direction in rng.normal(size=(30, 3)):
        ahead = direction if direction @ CAMERA.axes[2] > 0 else -direction
        far = CAMERA.pixel(rng.uniform(-1, 1, 3) + 1e9 * ahead, SIZE)
        V = vanishing_point(CAMERA, direction, SIZE)
        # The limit is approached like 1 / distance, in pixels times the steepness of the line.
        assert far == pytest.approx(V[:2], rel=1e-6, abs=1e-4)


def test_lines_across_the_line_of_sight_stay_parallel():
    camera = lw.Camera((0, -3, 0))
    V = vanishing_point(camera, (2, 0, 0), SIZE)
    assert V[2] == 0.0
    assert abs(V[0]) == pytest.approx(1.0)


def test_the_horizon_of_the_floor():
    line = horizon(CAMERA, (0, 0, 1), SIZE)
    assert line[1] != 0.0
    assert -line[2] / line[1] == pytest.approx(72.80, abs=6e-3)
    assert line[0] == pytest.approx(0.0, abs=1e-12)
    for angle in np.linspace(0.1, 3.0, 7):
        assert line @ vanishing_point(CAMERA, (math.cos(angle), math.sin(angle), 0), SIZE) == pytest.approx(0.0, abs=1e-8)


def test_a_plane_seen_along_its_normal_has_no_horizon_on_the_canvas():
    assert horizon(lw.Camera((0, -3, 0)), (0, 1, 0), SIZE).tolist() == [0.0, 0.0, 1.0]


def test_tiles_by_distance_points():
    """Eye 1.5 above the floor, straight ahead, front edge at depth 2, unit tiles: the far edge of tile 1, 2 and 5 is at PY = 1/2, 3/8 and 3/14.

    Alberti: the line of depth through a front point meets the diagonal through another, which ends in the distance point (1, 0).
    """
    centre, distance = np.array((0.0, 0.0, 1.0)), np.array((1.0, 0.0, 1.0))
    for tiles, row in ((1, 0.5), (2, 0.375), (5, 0.2142857142857)):
        start, shifted = np.array((0.0, 1.5 / 2, 1.0)), np.array((-tiles / 2, 1.5 / 2, 1.0))
        assert meet(join(start, centre), join(shifted, distance))[1] == pytest.approx(row)
        assert row == pytest.approx(1.5 / (2 + tiles))  # the architect's


def test_constructed_points_are_projected_points():
    """Seven points of the canvas are enough for all others: marks, lines to vanishing points, where they meet."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        eye = rng.normal(size=3)
        camera = lw.Camera(5.0 * eye / np.linalg.norm(eye), rng.uniform(-0.3, 0.3, 3), up=(0.1, 0.2, 1.0), field_of_view=0.9)
        canvas = Canvas.seen_by(camera, SIZE)
        for point in rng.uniform(-1.5, 1.5, (10, 3)):
            assert canvas.point(*point)[:2] == pytest.approx(camera.pixel(point, SIZE), rel=1e-7, abs=1e-6)


def test_constructed_points_where_an_axis_is_parallel_to_the_canvas():
    camera = lw.Camera((0, -5, 0.7), (0, 0, 0.7))  # x and z stay parallel, y ends in the middle
    canvas = Canvas.seen_by(camera, SIZE)
    for point in ((0.3, 0.8, 0.9), (-1.0, 2.0, 0.2), (0.5, 0.0, 1.0), (0.0, 0.0, 1.5), (0.4, -0.6, 0.0)):
        assert canvas.point(*point)[:2] == pytest.approx(camera.pixel(point, SIZE), abs=1e-6)


def test_a_scale_needs_three_points_only():
    zero, one, V = np.array((100.0, 50.0, 1.0)), np.array((150.0, 50.0, 1.0)), np.array((300.0, 50.0, 1.0))
    scale = Scale(zero, one, V)
    assert scale.mark(1.0)[:2] == pytest.approx(one[:2])
    assert scale.mark(1e9)[:2] == pytest.approx(V[:2])
    # Cross-ratio: (x - 0) (V - 1) / ((V - x) (1 - 0)) is the mark.
    x = scale.mark(3.0)[0]
    assert (x - 100) * (300 - 150) / ((300 - x) * (150 - 100)) == pytest.approx(3.0)


def test_parallel_canvas_lines_meet_at_infinity():
    a, b = join((0, 0, 1), (1, 1, 1)), join((0, 1, 1), (1, 2, 1))
    assert np.abs(meet(a, b)) == pytest.approx((math.sqrt(0.5), math.sqrt(0.5), 0.0))
    assert finite((2.0, 4.0, 2.0)).tolist() == [1.0, 2.0, 1.0]
