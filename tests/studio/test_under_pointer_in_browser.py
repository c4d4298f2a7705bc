"""Values beside the pointer that rests on a part, in a browser: they live, they go with the pointer, and they are in nobody's way."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.studio import Studio

from ..waiting import answer, wait_for
from .seeing import camera_rests, pixel, quick

VIEW = {"width": 1180, "height": 700}


@pytest.fixture
def studio(tmp_path):
    with Studio(lw.Live(lw.shipped("four-bar")), folder=tmp_path, port=0) as studio:
        studio.scene.shadows(False)
        studio.player.ask(lambda live: setattr(studio.player, "speed", 0.02))  # slow, so that the bar stays under the pointer
        yield studio
        assert studio.player.faults == []


def told(page):
    """What the tooltip says, {label: value}, its name under ""; {} while it is hidden."""
    cells = page.evaluate("""() => { const tip = document.getElementById('linkwork-under-pointer');
        return getComputedStyle(tip).display === 'none' ? [] : [...tip.children].map(cell => cell.textContent); }""")
    return {"": cells[:2], **dict(zip(cells[2::2], cells[3::2], strict=True))} if cells else {}


def test_a_bar_tells_its_values_while_the_pointer_rests_on_it(studio, browser_page):
    page = browser_page(quick(studio.address), viewport=VIEW)
    refused = []
    page.on("console", lambda message: refused.append(message.text) if "Content Security Policy" in message.text else None)
    page.add_style_tag(content=".mantine-Notifications-root { display: none }")
    client = wait_for(lambda: next(iter(studio.server.get_clients().values()), None))
    page.locator("[data-linkwork-page]").wait_for(state="attached")
    camera_rests(page, client)
    box = page.locator("canvas[data-engine]").bounding_box()

    def rest_on(body, x):
        at = pixel(client.camera, studio.player.ask(lambda live: live.poses()[body].act((x, 0.0, 0.0))), box)
        page.mouse.move(at[0] + 40, at[1])
        page.mouse.move(*at)
        return at

    # It shows name and values, which live.
    studio.player.play()
    x, y = rest_on("rocker", 0.1)
    first = wait_for(lambda: told(page))
    assert first[""] == ["rocker", "body"] and first["mass"] == "0.3925 kg" and first["centre of mass"].endswith(") m")
    wait_for(lambda: (now := told(page)) and now[""] == first[""] and now["turns with"] != first["turns with"])
    tip = page.locator("#linkwork-under-pointer").bounding_box()
    beside = max(tip["x"] - x, x - tip["x"] - tip["width"]), max(tip["y"] - y, y - tip["y"] - tip["height"])
    assert beside == pytest.approx((14, 14), abs=1.0), "beside the pointer, on whichever side there is room; px"
    assert tip["x"] + tip["width"] < box["x"] + box["width"] and tip["y"] + tip["height"] < box["y"] + box["height"]

    # A tremble of the hand does not matter; beside the mechanism, and over panels, there is nothing to tell.
    page.mouse.move(x + 1, y + 1)
    assert told(page)
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    assert told(page) == {}
    studio.player.pause()
    at = rest_on("coupler", 0.1)
    wait_for(lambda: told(page).get("") == ["coupler", "body"])
    page.mouse.move(VIEW["width"] - 40, 300)
    assert told(page) == {}

    # While a button is down it is out of the way: the bar is drawn as ever.
    rest_on("coupler", 0.1)
    wait_for(lambda: told(page).get("") == ["coupler", "body"])
    page.mouse.down()
    assert told(page) == {}
    q = studio.player.ask(lambda live: live.q.copy())
    for k in range(1, 7):
        page.mouse.move(at[0], at[1] - 6 * k)
    wait_for(lambda: np.abs(studio.player.ask(lambda live: live.q) - q).max() > 0.01)
    assert told(page) == {}
    page.mouse.up()
    wait_for(lambda: studio.pulling.holder is None)

    # A joint, paused: its reaction comes as well. A part that is switched off is not told any more.
    studio.player.ask(lambda live: live.reset())
    answer(studio.changed())
    rest_on("rocker", 0.0)
    rows = wait_for(lambda: (now := told(page)) and now.get("reaction", "…") != "…" and now)
    assert rows[""][1] == "joint, Revolute" and rows["reaction"].endswith(" N") and rows["coordinate"].endswith("°)")
    rest_on("coupler", 0.1)
    wait_for(lambda: told(page).get("") == ["coupler", "body"])
    studio.scene.bodies(False)
    wait_for(lambda: told(page) == {})
    assert refused == []
