"""Numbers that a page cannot hold: they are drawn as far away, or as large, as it can, and nothing overflows on the way."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.scene import Arrow, Scene
from linkwork.studio.scene.arrows import value_text
from linkwork.studio.scene.poses import Poses
from linkwork.studio.scene.turns import FAR, along

pytestmark = pytest.mark.filterwarnings("error")
HUGE = 1e308
EYE = np.tile((1.0, 0.0, 0.0, 0.0), (2, 1))
CORNERS = np.array([(0, 0, 0), (HUGE, 0, 0), (0, -HUGE, 0), (0, 0, HUGE)])


def pair(shape=None, visual=None, at=(0, 0, 0), axis=(0, 1, 0), gravity=(0, 0, -9.81)):
    """Two bodies, a hinge, a spring, and a frame."""
    m = lw.Mechanism("pair")
    a = m.add_body("a", mass=1.0, inertia=(1, 1, 1), shape=shape, visuals=visual)
    b = m.add_body("b", mass=1.0, inertia=(1, 1, 1), shape=lw.Box(0.1, 0.1, 0.1))
    m.add_joint("hinge", lw.Revolute(axis), m.ground, a.at(*at))
    m.add_force("spring", lw.SpringDamper(1.0, length=0.1), a.at(*at), b)
    m.add_frame("frame", a.at(*at))
    m.gravity = gravity
    return m


CASES = {
    "box": {"shape": lw.Box(HUGE, HUGE, 1)},
    "sphere": {"visual": lw.Sphere(HUGE)},
    "capsule": {"visual": lw.Capsule(HUGE, HUGE)},
    "cone": {"visual": lw.Cone(HUGE, HUGE)},
    "mesh": {"visual": lw.Mesh(CORNERS, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])},
    "shape": {"visual": lw.Box(1, 1, 1, at=(HUGE, -HUGE, HUGE))},
    "place": {"at": (HUGE, 0, -HUGE)},
    "axis": {"axis": (1e200, 0, 0)},
    "gravity": {"gravity": (0, 0, -HUGE)},
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_mechanisms_beyond_all_measure_are_drawn(server, case):
    scene = Scene(server)
    sent = []
    queue, server.scene._queue_scene_message = server.scene._queue_scene_message, sent.append
    try:
        for P in (np.zeros((2, 3)), np.array([(HUGE, 0, 0), (-HUGE, 0, HUGE)])):
            scene.show(pair(**case), P, EYE)
            scene.move(0.5 * P, EYE)
            scene.mark_com(True)
            scene.frames(True)
            scene.labels(True)
            scene.select("a", "hinge", "spring")
            scene.fit_camera()
            scene.trails({"a": ("a", (0, 0, 0))})
            scene.move(P, EYE)
    finally:
        server.scene._queue_scene_message = queue
        scene.close()
    arrays = [value for message in sent for value in (getattr(message, "updates", None) or {}).values() if isinstance(value, np.ndarray)]
    assert len(arrays) > 10 and all(np.isfinite(array).all() for array in arrays)


def test_poses_are_clipped_to_what_a_page_can_hold():
    poses = Poses()
    poses.rename(["a", "b"])
    poses.take([(HUGE, -HUGE, 1.0), (1, 2, 3)], [(1, 0, 0, 0), (1e200, 0, 0, 0)])
    np.testing.assert_array_equal(poses.P[0], (FAR, -FAR, 1.0))
    np.testing.assert_array_equal(poses.P[1], (0, 0, 0), "a quaternion whose length is no number is not taken")


@pytest.mark.parametrize("length", [5e-324, 1e-200, 1e200, HUGE])
def test_directions_have_no_length(length):
    np.testing.assert_array_equal(along((0.0, -length, 0.0))[:, 2], (0, -1, 0))


@pytest.mark.parametrize("axis", [(0.0, 0.0, 0.0), (np.nan, 0.0, 1.0), (np.inf, 0.0, 0.0)])
def test_what_has_no_direction_stays_as_it_is(axis):
    R = along(axis)
    np.testing.assert_array_equal(R[:, 2], (0, 0, 1))
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)


def test_an_immense_force_is_an_arrow_like_any_other(server):
    scene = Scene(server)
    ends = (0.0, 0.0, 0.0), (np.inf, 0.0, 0.0)
    scene.arrows({"bomb": Arrow(ends[0], (1e300, 0, 0)), "none": Arrow(*ends), "far": Arrow((HUGE, 0, 0), (0, 0, 1e300))})
    assert scene._arrows._shaft.count == 2 and np.abs(scene._arrows._shaft.positions).max() <= FAR
    np.testing.assert_allclose(scene.arrow_scale * 1e300, 0.22 * scene._figure.size)
    assert value_text(1e300, "N") == "1e+300 N" and value_text(2.5e8, "N") == "250 MN" and value_text(np.inf, "N") == "inf N"
    scene.close()
