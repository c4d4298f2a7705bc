"""The camera: golden pixels, windows, and where `around` puts it."""

import math

import numpy as np
import pytest

import linkwork as lw

# J. D. Reuss's perspective with a camera of our own: eye (3, -4, 2), target origin, up z, 1280 x 1024, half angle 25 degrees.
GOLDEN = lw.Camera((3, -4, 2), field_of_view=math.radians(50))
SIZE = (1280, 1024)
PIXELS = {
    (0, 0, 0): (640.000, 512.000),
    (1, 0, 0): (821.934, 562.676),
    (0, 1, 0): (747.506, 458.764),
    (0, 0, 1): (640.000, 308.669),
    (1, 1, 1): (935.642, 300.245),
}


@pytest.mark.parametrize(("point", "pixel"), PIXELS.items())
def test_golden_pixels(point, pixel):
    assert GOLDEN.pixel(point, SIZE) == pytest.approx(pixel, abs=6e-4)  # the table has three decimals


def test_axes_are_right_down_ahead():
    right, down, ahead = lw.Camera((0, -5, 0)).axes
    assert np.allclose([right, down, ahead], [(1, 0, 0), (0, 0, -1), (0, 1, 0)], atol=1e-15)


def test_axes_are_a_rotation():
    R = lw.Camera((0.3, -2.0, 1.7), (0.2, 0.4, -0.1), up=(0.3, 0.1, 1.0)).axes
    assert np.allclose(R @ R.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(R) == pytest.approx(1.0)


def test_behind_the_eye_there_are_no_pixels():
    assert np.isnan(GOLDEN.pixel((6, -8, 4), SIZE)).all()


def test_looking_straight_down_has_y_upward():
    camera = lw.Camera((0, 0, 5))
    assert camera.pixel((0, 1, 0))[1] < camera.pixel((0, 0, 0))[1]


def test_a_window_in_the_world_is_the_picture():
    """The architect's camera: corners of the window are corners of the picture, also when the eye is not before its middle."""
    corner, across, downward = np.array((-0.7, 2.0, 1.4)), np.array((1.6, 0.0, 0.0)), np.array((0.0, 0.0, -1.2))
    camera = lw.Camera.through_window((0.5, -0.3, 0.2), corner, across, downward)
    corners = np.array((corner, corner + across, corner + downward, corner + across + downward))
    assert camera.pixel(corners, (800, 600)) == pytest.approx(np.array([(0, 0), (800, 0), (0, 600), (800, 600)]), abs=1e-9)


def test_a_window_in_the_middle_is_a_field_of_view():
    half = math.tan(0.3)
    window = lw.Camera((3, -4, 2), window=(-half * 4 / 3, half * 4 / 3, -half, half))
    angle = lw.Camera((3, -4, 2), field_of_view=0.6)
    points = np.random.default_rng(1).uniform(-1, 1, (20, 3))
    assert window.pixel(points, (960, 720)) == pytest.approx(angle.pixel(points, (960, 720)), abs=1e-9)


def test_another_aspect_ratio_shows_more_than_the_window_with_square_pixels():
    camera = lw.Camera((0, -1, 0), window=(-1, 1, -1, 1))
    left, right, top, bottom = camera.edges((200, 100))
    assert (left, right, top, bottom) == pytest.approx((-2, 2, -1, 1))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"eye": (1, 1, 1), "target": (1, 1, 1)}, "looks nowhere"),
        ({"eye": (1, 1, np.nan)}, "finite"),
        ({"eye": (1, 1)}, "3 numbers"),
        ({"eye": (0, 0, 3), "up": (0, 0, 1)}, "across the line of sight"),
        ({"eye": (0, 0, 3), "field_of_view": 50}, "radians"),
        ({"eye": (0, 0, 3), "near": 0}, "above 0"),
        ({"eye": (0, 0, 3), "window": (1, -1, -1, 1)}, "left < right"),
    ],
)
def test_a_camera_that_sees_nothing_is_refused(given, words):
    with pytest.raises(lw.ModelError, match=words):
        lw.Camera(**given)


def test_a_window_behind_the_eye_is_refused():
    with pytest.raises(lw.ModelError, match="other side"):
        lw.Camera.through_window((0, 5, 0), (-1, 0, 1), (2, 0, 0), (0, 0, -2))


def _arm(axes):
    m = lw.Mechanism("arm")
    last = m.ground
    for k, axis in enumerate(axes):
        body = m.add_body(f"link {k}", density=500.0, shape=lw.Box(0.5, 0.05, 0.04, at=(0.25, 0, 0)))
        m.add_joint(f"joint {k}", lw.Revolute(axis), last.at(0.5, 0, 0) if k else last, body)
        last = body
    return m


def test_around_sees_every_corner_in_every_pose_and_is_tight():
    m = _arm([(0, 0, 1), (0, 1, 0), (1, 0, 1)])
    model = m.build()
    qs = np.random.default_rng(3).uniform(-2, 2, (15, 3))
    camera = lw.Camera.around(m, qs, size=(800, 600), margin=0.1)
    corners = np.array([(x, y, z) for x in (0.0, 0.5) for y in (-0.025, 0.025) for z in (-0.02, 0.02)])
    found = lw.forward_kinematics(model, qs)
    world = np.concatenate([found.position(b.name)[:, None] + corners @ np.swapaxes(found.rotation(b.name), -1, -2) for b in model.bodies])
    pixels = camera.pixel(world.reshape(-1, 3), (800, 600))
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    # Signs of joints are seen too, so the links alone may stay a little inside; one direction decides, the other is centred.
    assert (low >= (80 - 30, 60 - 30)).all()
    assert (high <= (720 + 30, 540 + 30)).all()
    assert max((high - low) / (640, 480)) > 0.9
    assert low + high == pytest.approx((800, 600), abs=60)


def test_a_planar_mechanism_is_seen_across_its_plane():
    normal = np.array((0.6, -0.8, 0.0))
    ahead = lw.Camera.around(_arm([normal, normal, -normal])).axes[2]
    assert abs(ahead @ normal) > 0.8
    level = lw.Camera.around(_arm([(0, 0, 1), (0, 0, 1)])).axes[2]
    assert level[2] < -0.6  # from above


def test_around_looks_from_where_it_is_told():
    camera = lw.Camera.around(_arm([(0, 0, 1), (0, 1, 0)]), direction=(-2, 0, 0))
    assert camera.axes[2] == pytest.approx((1, 0, 0), abs=1e-12)
    with pytest.raises(lw.ModelError, match="direction"):
        lw.Camera.around(_arm([(0, 0, 1)]), direction=(0, 0, 0))
