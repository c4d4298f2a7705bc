"""From events of the page to parts and points, also where the page lags behind."""

import asyncio
import queue
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from linkwork.studio.scene.board import Row
from linkwork.studio.scene.hands import LATER, Hands
from linkwork.studio.scene.meshes import unit
from linkwork.studio.scene.poses import Poses
from linkwork.studio.scene.touch import Touches, modifiers_of

EYE_Q = (1.0, 0.0, 0.0, 0.0)
CLIENT = SimpleNamespace(client_id=7, camera=SimpleNamespace(position=(0.0, -10.0, 0.0)))


class OneBox:
    """A board with one box of edge 1 on body 0, part "box"; a tie where asked for."""

    body: int | None = 0

    def row(self, batch, index):
        if index:
            return None
        return Row("box", unit("box"), self.body, np.zeros(3), np.array(EYE_Q), np.ones(3))


@pytest.fixture
def hands():
    poses = Poses()
    poses.rename(["box"])
    poses.take([(0, 0, 0)], [EYE_Q])
    made = Hands(OneBox(), poses, SimpleNamespace(floor=-2.0), threading.RLock())
    made.poses = poses
    made.roles = {"box": "body"}
    made.told = queue.Queue()
    made.touches.on_click(made.told.put)
    made.touches.on_drag(made.told.put, made.told.put, made.told.put)
    yield made
    made.touches.close()


def click(x=0.1, y=0.2, index=0, modifier=None):
    """A click straight along +y, on the box's near face y = -1/2 if the box is at the origin."""
    ray = {"ray_origin": (x, -10.0, y), "ray_direction": (0.0, 1.0, 0.0), "screen_pos": (0.25, 0.5)}
    return SimpleNamespace(client=CLIENT, client_id=7, **ray, instance_index=index, modifier=modifier)


def drag(phase, start, end, modifier=None):
    return SimpleNamespace(
        client=CLIENT, client_id=7, phase=phase, instance_index=0, start_position=start, end_position=end, modifier=modifier
    )


def test_a_click_tells_part_body_and_point(hands):
    hands.clicked(None, click(modifier="cmd/ctrl+shift"))
    told = hands.told.get(timeout=5)
    assert (told.part, told.role, told.body, told.modifiers) == ("box", "body", "box", {"ctrl", "shift"})
    np.testing.assert_allclose(told.point, (0.1, -0.5, 0.2), atol=1e-6)
    np.testing.assert_allclose(told.world, (0.1, -0.5, 0.2), atol=1e-6)


def test_a_click_on_a_body_that_has_moved_on_is_looked_for_in_earlier_frames(hands):
    """The page shows a frame of some time ago; the point is that of the body as it was then."""
    hands.poses.take([(0.3, 0, 0)], [EYE_Q])
    for k in range(8):
        hands.poses.take([(5.0 + k, 0, 0)], [EYE_Q])
    hands.clicked(None, click())
    np.testing.assert_allclose(hands.told.get(timeout=5).point, (0.1 - 0.3, -0.5, 0.2), atol=1e-6)


def test_a_click_that_meets_no_frame_still_tells_the_part(hands):
    hands.clicked(None, click(x=40.0))
    told = hands.told.get(timeout=5)
    assert told.part == "box" and np.isfinite(told.point).all()


def test_a_click_on_a_tie_has_a_point_in_the_world_only(hands):
    hands.board.body = None
    hands.clicked(None, click())
    told = hands.told.get(timeout=5)
    assert (told.part, told.body, told.point) == ("box", None, None)
    np.testing.assert_allclose(told.world, (0.1, -0.5, 0.2), atol=1e-6)


def test_an_instance_that_is_gone_is_nobody(hands):
    hands.clicked(None, click(index=5))
    hands.dragged(None, drag("update", (0, 0, 0), (1, 1, 1)))
    hands.clicked(None, click())
    assert hands.told.get(timeout=5).part == "box" and hands.told.empty()


def background(at, direction, modifier=None):
    """A click on nothing, as viser tells it for every click: at a place of the page, along a ray."""
    ray = {"ray_origin": (0.0, 0.0, 2.0), "ray_direction": direction, "screen_pos": (at,)}
    return SimpleNamespace(client=CLIENT, client_id=7, **ray, modifier=modifier)


@pytest.mark.parametrize("first", ["part", "background"])
def test_the_background_is_told_with_its_point_on_the_floor_but_not_for_a_click_on_a_part(hands, first):
    """viser sends two messages for a click on a part, in either order, with rays that differ a little."""

    async def clicks():
        if first == "background":
            await hands.background(background((0.25, 0.5), (1e-4, 1.0, 0.0)))
        hands.clicked(None, click())
        if first == "part":
            await hands.background(background((0.25, 0.5), (1e-4, 1.0, 0.0)))
        await hands.background(background((0.7, 0.9), (0.6, 0.0, -0.8), "shift"))
        await asyncio.sleep(2.0 * LATER)

    asyncio.run(clicks())
    assert hands.told.get(timeout=5).part == "box"
    told = hands.told.get(timeout=5)
    assert told.part is None and told.modifiers == {"shift"} and hands.told.empty()
    np.testing.assert_allclose(told.world, (3.0, 0.0, -2.0))


def test_the_outline_that_viser_leaves_where_the_pointer_was_is_no_part(hands):
    """It has no index: neither a click nor a drag of it is one of the part."""
    hands.clicked(None, click(index=None))
    outline = drag("start", (0.1, -0.5, 0.2), (0.2, -0.5, 0.2))
    outline.instance_index = None
    hands.dragged(None, outline)
    hands.clicked(None, click())
    assert hands.told.get(timeout=5).part == "box" and hands.told.empty()


def test_a_drag_keeps_the_grabbed_point_and_tells_where_the_pointer_is(hands):
    hands.dragged(None, drag("start", (0.1, -0.5, 0.2), (0.2, -0.5, 0.2)))
    told = [hands.told.get(timeout=5)]
    hands.poses.take([(3.0, 0, 0)], [EYE_Q])
    for phase, x in (("update", 0.4), ("end", 0.9)):
        hands.dragged(None, drag(phase, (9, 9, 9), (x, -0.5, 0.2)))
        told.append(hands.told.get(timeout=5))
    assert [t.phase for t in told] == ["start", "move", "end"]
    for t, x in zip(told, (0.2, 0.4, 0.9), strict=True):
        np.testing.assert_allclose(t.point, (0.1, -0.5, 0.2), atol=1e-6)
        np.testing.assert_allclose(t.target, (x, -0.5, 0.2))
        assert t.body == t.part == "box"


def test_a_fast_body_is_grabbed_where_the_page_showed_it(hands):
    """It moves 1 m between frames. The page tells a point on the face it showed three frames ago; the newest pose would put it far outside."""
    for k in range(6):
        hands.poses.take([(0.0, 1.0 * k, 0.0)], [EYE_Q])
    hands.dragged(None, drag("start", (0.0, 2.5, 0.1), (0.0, 2.5, 0.1)))
    np.testing.assert_allclose(hands.told.get(timeout=5).point, (0.0, -0.5, 0.1), atol=1e-6)


def test_a_body_taken_away_under_the_hand_ends_the_drag(hands):
    hands.dragged(None, drag("start", (0.1, -0.5, 0.2), (0.2, -0.5, 0.2)))
    assert hands.told.get(timeout=5).phase == "start"
    hands.poses.rename(["other"])
    for _ in range(2):
        hands.dragged(None, drag("update", (0, 0, 0), (1, 1, 1)))
    assert hands.told.get(timeout=5).phase == "end"
    hands.clicked(None, click())
    assert hands.told.get(timeout=5).part == "box", "and nothing more of the drag"


def test_of_moves_that_wait_only_the_last_is_told_and_a_failing_callback_stops_nobody(caplog):
    touches, told, gate = Touches(), [], threading.Event()

    def slow(event):
        gate.wait(5)
        told.append(event.target)

    def broken(event):
        raise ValueError("oh")

    touches.on_drag(move=broken)
    touches.on_drag(start=slow, move=slow, end=lambda event: told.append("end"))
    event = lambda phase, target: SimpleNamespace(phase=phase, client=CLIENT, target=target)  # noqa: E731
    touches.drag(event("start", 0))
    for k in range(1, 6):
        touches.drag(event("move", k))
    touches.drag(event("end", 9))
    gate.set()
    touches._pool.shutdown(wait=True)
    assert told == [0, 5, "end"]
    assert "oh" in caplog.text


def test_modifiers_are_a_set():
    assert modifiers_of(None) == frozenset()
    assert modifiers_of("cmd/ctrl+alt+shift") == {"ctrl", "alt", "shift"}
