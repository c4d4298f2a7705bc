"""From a click to the place that was meant."""

from types import SimpleNamespace

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.spots import grid_step, long_axis, spot_of, useful_points, world_of


def click(part=None, role=None, body=None, point=None, world=None):
    return SimpleNamespace(part=part, role=role, body=body, point=None if point is None else np.array(point), world=world)


@pytest.fixture
def live():
    live = lw.Live()
    live.add_body("rod", shape=lw.Box(0.5, 0.03, 0.03), density=2700.0, pose=(0.0, 0.0, 0.3))
    live.add_body("ball", shape=lw.Sphere(0.1), mass=1.0, pose=(1.0, 0.0, 0.3))
    live.add_joint("pivot", lw.Revolute((0, 1, 0)), lw.Place("ground", lw.Pose((-0.25, 0, 0.3))), lw.Place("rod", lw.Pose((-0.25, 0, 0))))
    return live


def test_a_click_near_an_end_means_the_end(live):
    found = spot_of(live, click("rod", "body", "rod", (0.235, -0.015, 0.004)))
    assert found.body == "rod" and found.point == (0.25, 0.0, 0.0) and found.what == "an end"


def test_a_click_near_the_middle_means_the_middle(live):
    assert spot_of(live, click("rod", "body", "rod", (0.03, -0.015, 0.0))).point == (0.0, 0.0, 0.0)


def test_a_click_far_from_all_that_is_useful_means_itself(live):
    found = spot_of(live, click("rod", "body", "rod", (0.1234567, -0.015, 0.0)))
    assert found.point == (0.1235, -0.015, 0.0) and found.what == "a point"


def test_without_snapping_a_click_means_itself(live):
    assert spot_of(live, click("rod", "body", "rod", (0.249, -0.015, 0.0)), snap=False).point == (0.249, -0.015, 0.0)


def test_the_line_of_sight_finds_the_middle_of_a_ball_behind_its_surface(live):
    """Seen from the front, a click on the front of a ball is 0.1 m from its middle, and meant it."""
    found = spot_of(live, click("ball", "body", "ball", (0.005, -0.0999, 0.0)), eye=(1.0, -5.0, 0.3))
    assert found.point == (0.0, 0.0, 0.0)
    aside = spot_of(live, click("ball", "body", "ball", (0.098, -0.02, 0.0)), eye=(1.0, -5.0, 0.3))
    assert aside.point == (0.098, -0.02, 0.0)


def test_a_click_on_a_joint_means_its_place_on_that_body(live):
    assert spot_of(live, click("pivot", "joint", "rod", (-0.24, 0.02, 0.01))).point == (-0.25, 0.0, 0.0)
    assert spot_of(live, click("pivot", "joint", "ground", (-0.24, 0.02, 0.31))).point == (-0.25, 0.0, 0.3)


def test_a_click_on_the_ground_means_a_crossing_of_the_grid(live):
    step = grid_step(live)
    found = spot_of(live, click(world=np.array((0.611, -0.207, 0.0))))
    assert found.body == "ground" and np.allclose(np.array(found.point) / step, np.round(np.array(found.point) / step))
    assert np.abs(np.array(found.point) - (0.611, -0.207, 0.0)).max() <= 0.5 * step


def test_what_lies_between_two_bodies_and_the_sky_are_refused(live):
    with pytest.raises(lw.StudioError, match=r"'spring' lies between two bodies"):
        spot_of(live, click("spring", "force", None, None, np.zeros(3)))
    with pytest.raises(lw.StudioError, match="there is nothing"):
        spot_of(live, click())


def test_a_spot_moves_with_its_body(live):
    spot = spot_of(live, click("ball", "body", "ball", (0.0, 0.0, 0.1)))
    assert world_of(live, spot) == pytest.approx((1.0, 0.0, 0.4), abs=1e-6)
    live.place("ball", (2.0, 0.0, 0.0))
    assert world_of(live, spot) == pytest.approx((2.0, 0.0, 0.1), abs=1e-6)


@pytest.mark.parametrize(
    ("shape", "ends"),
    [(lw.Box(0.5, 0.03, 0.03), 2), (lw.Box(0.2, 0.2, 0.2), 6 + 8), (lw.Box(0.4, 0.3, 0.01), 4 + 4), (lw.Cylinder(0.2, 0.02), 4), (lw.Capsule(0.02, 0.4), 2)],
)  # fmt: skip
def test_only_long_edges_have_ends(shape, ends):
    m = lw.Mechanism()
    m.add_body("it", shape=shape, density=1.0)
    assert len([what for _, what in useful_points(m, "it") if what in ("an end", "a corner")]) == ends


def test_the_long_axis_of_a_body_is_that_of_its_longest_edge():
    m = lw.Mechanism()
    m.add_body("rod", shape=lw.Box(0.5, 0.03, 0.03), density=1.0)
    m.add_body("pole", shape=lw.Cylinder(0.02, 1.0, at=lw.Pose.from_rpy(np.pi / 2, 0, 0)), density=1.0)
    m.add_body("cube", shape=lw.Box(1.0, 1.0, 1.0), density=1.0)
    assert np.abs(long_axis(m.body("rod"))) == pytest.approx((1, 0, 0), abs=1e-12)
    assert np.abs(long_axis(m.body("pole"))) == pytest.approx((0, 1, 0), abs=1e-12)
    assert long_axis(m.body("cube")) is None
