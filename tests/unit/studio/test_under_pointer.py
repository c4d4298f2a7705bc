"""What a page is told about the point on which its pointer rests: over real sockets, pages played by their websockets."""

import asyncio
import http.client
import threading
import time
from contextlib import contextmanager
from urllib.parse import urlencode

import msgspec
import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.scene.turns import quaternions
from linkwork.studio.studio import Studio

viser = pytest.importorskip("viser")
from websockets.sync.client import connect  # noqa: E402

from linkwork.studio import under_pointer  # noqa: E402

from ...waiting import answer  # noqa: E402

MIDDLE = {"x": "0.5", "y": "0.5", "aspect": "1.5"}
FROM_ABOVE = quaternions([np.diag((1.0, -1.0, -1.0))])[0]  # x to the right, y of the world upwards in the picture, the eye looks down


def two_bodies():
    """A ball that flies along x at 2 m/s, at the origin now; a hinged arm beside it, 3 m away; no gravity."""
    live = lw.Live()
    live.change_gravity((0, 0, 0))
    live.add_body("ball <b>\n&", shape=lw.Sphere(0.2), mass=3.0, twist=(0, 0, 0, 2, 0, 0))
    live.add_body("arm", shape=lw.Box(1.0, 0.2, 0.2, at=(0.5, 0, 0)), mass=1.0, pose=(3, 0, 0))
    live.add_joint("hinge", lw.Revolute((0, 0, 1)), lw.Place("ground", lw.Pose((3, 0, 0))), "arm")
    return live


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    with Studio(two_bodies(), folder=tmp_path_factory.mktemp("studio"), port=0) as studio:
        studio.player.ask(lambda live: None)  # it has been shown, and cameras have been placed
        yield studio
        assert studio.player.faults == []


def wait_for(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


@contextmanager
def page(studio, at=(0.0, 0.0), height=8.0):
    """A page whose camera looks straight down on a point; its key."""
    before = set(studio.under_pointer._pages)
    protocol = [f"viser-v{viser.__version__}"]
    with connect(f"ws://127.0.0.1:{studio.server.get_port()}/", subprotocols=protocol, max_size=None) as socket:
        camera = {"position": (*at, height), "look_at": (*at, 0.0), "up_direction": (0.0, 1.0, 0.0), "wxyz": FROM_ABOVE.tolist()}
        sizes = {"fov": 0.6, "near": 0.1, "far": 100.0, "image_height": 400, "image_width": 600}
        socket.send(msgspec.msgpack.encode({"type": "ViewerCameraMessage", **camera, **sizes}))
        assert wait_for(lambda: set(studio.under_pointer._pages) - before)
        yield (set(studio.under_pointer._pages) - before).pop()


def ask(studio, key, **fields):
    """(status, lines); it waits before, so that no page asks too often."""
    time.sleep(1.2 * under_pointer.LEAST)
    return ask_now(studio, key, **fields)


def ask_now(studio, key, **fields):
    connection = http.client.HTTPConnection("127.0.0.1", studio.server.get_port(), timeout=20)
    connection.request("GET", "/under-pointer?" + urlencode({"key": key, **MIDDLE, **fields}))
    response = connection.getresponse()
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    text = response.read().decode()
    connection.close()
    return response.status, [tuple(line.split("\t")) for line in text.split("\n")]


def test_the_part_in_the_middle_of_the_picture_and_its_values(studio):
    with page(studio) as key:
        status, lines = ask(studio, key)
        assert status == 200
        assert lines[0] == ("ball <b> &", "body"), "plain text; lines stay lines"
        assert dict(lines[1:]) == {"centre of mass": "(0, 0, 0) m", "its speed": "2 m/s", "turns with": "0 rad/s", "mass": "3 kg"}


def test_points_of_the_picture_are_shares_of_its_width_and_height(studio):
    """At a height of 10 m the picture is 2 * 10 tan(0.3) = 6.19 m high and 1.5 times as wide; the arm reaches from x = 3 to 4 m."""
    wide = 1.5 * 20.0 * np.tan(0.3)
    with page(studio, height=10.0) as key:
        for x, y, part in ((3.5, 0.0, "arm"), (4.1, 0.0, None), (3.5, 0.3, None), (-3.5, 0.0, None), (3.5, -0.05, "arm")):
            fields = {"x": f"{0.5 + x / wide:.6f}", "y": f"{0.5 - 1.5 * y / wide:.6f}"}
            status, lines = ask(studio, key, **fields)
            assert status == 200 and lines[0][0] == (part or ""), (x, y)


def test_every_page_has_its_own_camera_and_a_key_that_goes_with_it(studio):
    with page(studio) as one:
        with page(studio, at=(3.0, 0.0)) as other:
            assert ask(studio, one)[1][0][0].startswith("ball") and ask(studio, other)[1][0] == ("hinge", "joint, Revolute")
        assert wait_for(lambda: other not in studio.under_pointer._pages)
        assert ask(studio, other)[0] == 404 and ask(studio, one)[0] == 200
    assert wait_for(lambda: not studio.under_pointer._pages)


def test_a_joint_tells_its_reaction_as_soon_as_it_is_known(studio):
    """The arm turns at w = 2 rad/s about its end: its middle, r = 0.5 m away, is held by m w^2 r = 2 N."""
    studio.player.ask(lambda live: live.set_joint("hinge", v=2.0))
    try:
        with page(studio, at=(3.0, 0.0)) as key:
            rows = dict(ask(studio, key)[1][1:])
            assert rows["reaction"] == "…", "what was known before is of another state"
            assert rows["coordinate"] == "0 rad  (0°)" and rows["speed"] == "2 rad/s" and rows["driven by"] == "0 N m"
            assert wait_for(lambda: dict(ask(studio, key)[1][1:])["reaction"] != "…")
            rows = dict(ask(studio, key)[1][1:])
            assert (rows["reaction"], rows["moment"]) == ("2 N", "0 N m")
    finally:
        studio.player.ask(lambda live: live.set_joint("hinge", v=0.0))


def test_the_past_is_told_as_past(studio):
    answer(studio.act(lambda live: live.advance(0.05)))
    studio.player.ask(lambda live: studio.showing.look(live, live.look(live.span[0])))
    try:
        with page(studio) as key:
            status, lines = ask(studio, key)
            assert status == 200 and lines[0][0].startswith("ball") and "in the past" in lines[1][1] and len(lines) == 2
    finally:
        studio.player.ask(lambda live: studio.showing.look(live, None))
        answer(studio.act(lambda live: live.reset()))


@pytest.mark.parametrize(
    "fields",
    [
        {"x": "nan"},
        {"x": "inf"},
        {"x": "1e-3"},
        {"x": "-0.1"},
        {"y": ""},
        {"y": "1.01"},
        {"aspect": "0"},
        {"aspect": "abc"},
        {"x": "0x1"},
        {"y": "1_0"},
    ],
)
def test_what_is_no_number_in_its_range_is_refused_with_a_word(studio, fields):
    with page(studio) as key:
        status, lines = ask(studio, key, **fields)
        assert status == 400 and "allowed are" in lines[0][0] and next(iter(fields)) in lines[0][0]


def test_keys_that_nobody_has_are_refused(studio):
    for key in ("", "x" * 22, "../..", "☃"):
        assert ask_now(studio, key) == (404, [("key: no page with this key is open; load the page again",)])


def test_a_page_may_not_ask_too_often_and_others_are_not_held_up(studio):
    with page(studio) as one, page(studio) as other:
        fields = {"key": one, **MIDDLE}

        async def many():
            return await asyncio.gather(*(studio.under_pointer.answer(fields) for _ in range(5)))

        assert sorted(status for status, _ in _in_loop(studio, many())) == [200, 429, 429, 429, 429]
        assert _in_loop(studio, studio.under_pointer.answer(fields))[0] == 429 and ask_now(studio, other)[0] == 200
        assert ask(studio, one)[0] == 200


def test_a_busy_physics_is_not_waited_for_and_the_server_goes_on(studio, monkeypatch):
    monkeypatch.setattr(under_pointer, "PATIENCE", 0.2)
    free, begun = threading.Event(), threading.Event()
    with page(studio) as key:
        held = studio.player.do(lambda live: (begun.set(), free.wait(60)))
        assert begun.wait(60)
        answers = []
        asking = threading.Thread(target=lambda: answers.append(ask(studio, key)))
        asking.start()
        connection = http.client.HTTPConnection("127.0.0.1", studio.server.get_port(), timeout=20)
        connection.request("GET", "/")  # served meanwhile
        assert connection.getresponse().status == 200
        asking.join(20)
        assert answers[0][0] == 503 and not held.done()
        free.set()
        answer(held)
        assert ask(studio, key)[0] == 200


def test_a_part_that_has_gone_before_the_picture_followed_is_nothing(studio):
    """Scripts edit beside the page."""
    down = (0.0, 0.0, 8.0), (0.0, 0.0, -1.0)
    assert studio.player.ask(studio.under_pointer.read, *down).startswith("ball")

    def gone(live):
        live.remove("ball <b>\n&")
        try:
            return studio.under_pointer.read(live, *down)
        finally:
            live.undo()

    assert studio.player.ask(gone) == ""


def _in_loop(studio, coroutine):
    return asyncio.run_coroutine_threadsafe(coroutine, studio.server._event_loop).result(60)


def test_a_server_of_another_make_has_no_questions(tmp_path):
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    with Studio(folder=tmp_path, server=server) as studio:
        assert studio.server is server
        assert not under_pointer.on_question(server, under_pointer.PATH, studio.under_pointer.answer)
