"""Contact in a browser: bodies are dropped on each other, rubbed by a slider, pulled out with the mouse; undo takes all of it back."""

import os

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.studio import Studio

from ..waiting import wait_for
from .seeing import rendered
from .test_page import Visitor


@pytest.fixture
def studio(tmp_path):
    with Studio(folder=tmp_path, port=0) as studio:
        studio.scene.shadows(False)
        yield studio
        assert studio.player.faults == []


def heights(visitor):
    return visitor.ask(lambda live: [pose.translation[2] for pose in live.poses().values()])


def slide(visitor, label, text):
    """The number beside a slider."""
    field = visitor.page.locator(f"xpath=//label[normalize-space()='{label}']/following::input[not(@type='hidden')][1]").first
    field.fill(text)
    field.press("Enter")


def picture(visitor, name):
    """For people who look at what a test saw: LINKWORK_PICTURES=folder."""
    if folder := os.environ.get("LINKWORK_PICTURES"):
        rendered(visitor.page)
        visitor.page.screenshot(path=os.path.join(folder, name))


def test_a_stack_is_dropped_seen_to_press_pulled_apart_and_undone(studio, browser_page):
    visitor = Visitor(studio, browser_page)
    for label, text in (("Size", "0.2 0.2"), ("Where", "0 0 0"), ("kg/m³", "500")):
        visitor.fill(label, text)
    for k in range(3):
        visitor.press("Drop")
        wait_for(lambda k=k: len(studio.player.live.mechanism.bodies) == k + 1)
    assert visitor.ask(lambda live: live.model.touches and len(live.mechanism.ground.collisions)) == 1
    visitor.press("Run")
    wait_for(lambda: np.allclose(heights(visitor), (0.1, 0.3, 0.5), atol=1e-6))  # they have fallen on each other, and stand
    wait_for(lambda: studio.scene._dots.count == 12)
    arrows = studio.showing._arrows["contact"]
    assert {"ground - rod", "rod - rod 2", "rod 2 - rod 3"} <= set(arrows) and len(
        arrows
    ) == 3 + 12  # and one for each point of their faces
    visitor.press("Fit view")
    visitor.camera_rests()
    picture(visitor, "stack.png")
    visitor.tab("World")
    slide(visitor, "Friction", "0.3")
    wait_for(lambda: visitor.ask(lambda live: live.mechanism.surface) == lw.Surface(friction=0.3))
    assert np.allclose(heights(visitor), (0.1, 0.3, 0.5), atol=1e-6)
    x, y = visitor.pixel((0.0, -0.1, 0.3))
    visitor.page.mouse.move(x, y)
    visitor.page.mouse.down()
    for k in range(1, 25):
        visitor.page.mouse.move(x + 12.0 * k, y, steps=2)
    wait_for(lambda: visitor.ask(lambda live: live.pulling is not None and live.pulling.body == "rod 2"))
    picture(visitor, "pulled.png")
    wait_for(
        lambda: visitor.ask(lambda live: np.linalg.norm((live.poses()["rod 2"].translation - live.poses()["rod"].translation)[:2])) > 0.18
    )
    visitor.page.mouse.up()
    wait_for(lambda: visitor.ask(lambda live: live.pulling is None))
    released = visitor.ask(lambda live: live.time)
    wait_for(lambda: visitor.ask(lambda live: live.time) > released + 0.5 or not visitor.ask(lambda live: live.status.ok))
    visitor.press("Pause")
    wait_for(lambda: not studio.player.playing)
    picture(visitor, "apart.png")
    assert visitor.ask(lambda live: live.status.ok)
    assert min(heights(visitor)) > 0.0999  # nothing was pulled through the floor
    for left in (3, 2, 1, 0):
        visitor.page.keyboard.press("Control+z")
        wait_for(lambda left=left: visitor.edits == left)
    assert visitor.ask(lambda live: (live.model.touches, len(live.mechanism.ground.collisions))) == (False, 0)
    wait_for(lambda: studio.scene._dots.count == 0)


def test_a_body_thrown_on_the_page_bounces_as_its_slider_says(studio, browser_page):
    visitor = Visitor(studio, browser_page)
    visitor.fill("Size", "0.2 0.2")
    visitor.fill("Where", "0 0 0.6")
    visitor.fill("Thrown", "1 0 0")
    visitor.press("Place")
    wait_for(lambda: len(studio.player.live.mechanism.bodies) == 1)
    visitor.tab("World")
    visitor.press("Add a floor")
    wait_for(lambda: visitor.ask(lambda live: live.model.touches))
    slide(visitor, "restitution", "0.8")  # of the body, which is selected, under Edit
    wait_for(lambda: visitor.ask(lambda live: live.mechanism.body("rod").surface) == lw.Surface(restitution=0.8))
    visitor.press("Run")
    wait_for(lambda: visitor.ask(lambda live: live.time) > 0.6)
    visitor.press("Pause")
    wait_for(lambda: not studio.player.playing)
    x, v = visitor.ask(lambda live: (live.poses()["rod"].translation, live.audit.run.contact))
    assert x[0] > 0.3 and v.impact > 0.0 and any(pair.jump > 3.0 for pair in v.impacts_of)  # it fell 0.5 m: 3.1 m/s, and rebounded
