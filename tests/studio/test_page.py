"""The page in a browser: a four-bar is built by clicking, run, dragged, undone and redone; a second page sees the same and may leave."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.panels.build import BuildPanel
from linkwork.studio.studio import Studio

from ..waiting import answer, wait_for
from .seeing import camera_rests, pixel, quick, rendered

VIEW = {"width": 1180, "height": 700}

CHARTS = "() => Object.values(window.__viserTestpoints?.uplots ?? {}).map(x => x.chart.data)"


@pytest.fixture
def studio(tmp_path):
    with Studio(folder=tmp_path, port=0) as studio:
        studio.scene.shadows(False)  # they cost most where there is no graphics card
        yield studio
        assert studio.player.faults == []


class Visitor:
    """A person with a browser."""

    def __init__(self, studio, browser_page):
        there = set(studio.server.get_clients())
        self.studio, self.page = studio, browser_page(quick(studio.address), viewport=VIEW)
        # viser warns of slow graphics, above what is to be clicked
        self.page.add_style_tag(content=".mantine-Notifications-root { display: none }")
        number = wait_for(lambda: set(studio.server.get_clients()) - there).pop()
        self.client = studio.server.get_clients()[number]
        self.build = next(panel for panel in studio.panels if isinstance(panel, BuildPanel))
        self.canvas = self.page.locator("canvas").first.bounding_box()

    def ask(self, function):
        return self.studio.player.ask(function)

    def field(self, label):
        return self.page.locator(f"xpath=//label[normalize-space()='{label}']/following::input[1]").first

    def tab(self, name):
        self.page.get_by_role("tab", name=name, exact=True).click()

    def fill(self, label, text):
        """Write into a field, and wait until the studio has it: the page sends what is written a moment later, as a person clicks later."""
        self.field(label).fill(text)
        fields = self.studio.server.gui._gui_input_handle_from_uuid
        wait_for(lambda: any(getattr(f, "label", None) == label and f.value == text for f in list(fields.values())))

    def press(self, name):
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def pixel(self, point):
        """Where a point of the world is on the page."""
        return pixel(self.client.camera, point, self.canvas)

    def click(self, body, x, makes=False):
        """Click a rod at a place along it, and wait until the page has taken it; makes: until it has made something of it."""
        said, edits = self.build.words.content, self.edits
        self.page.mouse.click(*self.pixel(self.ask(lambda live: live.poses()[body].act((x, 0.0, 0.0)))))
        wait_for(lambda: self.edits > edits if makes else self.build.words.content != said)

    def camera_rests(self):
        camera_rests(self.page, self.client)

    @property
    def edits(self):
        return self.ask(lambda live: len(live.edits))

    def begin(self):
        self.press("Pick places")
        wait_for(lambda: self.build.picking is not None)

    def to_ground(self):
        edits = self.edits
        self.press("Ground, right there")
        wait_for(lambda: self.edits > edits)


def settled(visitor):
    """No part is on its way any more, and that is seen."""
    wait_for(lambda: visitor.studio.showing._flight is None)
    visitor.camera_rests()


def build_four_bar(visitor):
    studio = visitor.studio
    for k, (size, where) in enumerate((("0.2 0.03", "-0.3 0 0.3"), ("0.5 0.03", "0 0 0.6"), ("0.4 0.03", "0.4 0 0.3"))):
        visitor.fill("Size", size)
        visitor.fill("Where", where)
        visitor.press("Place")
        wait_for(lambda k=k: len(studio.player.live.mechanism.bodies) == k + 1)
    before = np.array(visitor.client.camera.position)
    visitor.press("Fit view")
    wait_for(lambda: np.abs(visitor.client.camera.position - before).max() > 1e-3)
    visitor.camera_rests()
    visitor.begin()
    visitor.click("rod", -0.09)
    visitor.to_ground()
    for a, x, b, y in (("rod", 0.09, "rod 2", -0.24), ("rod 2", 0.24, "rod 3", -0.19)):
        settled(visitor)
        visitor.begin()
        visitor.click(a, x)
        visitor.click(b, y, makes=True)
    settled(visitor)
    visitor.begin()
    visitor.click("rod 3", 0.19)
    visitor.to_ground()


def test_a_four_bar_is_built_by_clicking_run_drawn_undone_redone_saved_and_opened_again(studio, browser_page):
    visitor = Visitor(studio, browser_page)
    build_four_bar(visitor)
    live = studio.player.live
    assert [joint.name for joint in live.mechanism.joints] == ["hinge", "hinge 2", "hinge 3", "hinge 4"]
    assert {type(joint.kind) for joint in live.mechanism.joints} == {lw.Revolute}
    assert visitor.ask(lambda live: live.mobility().dof) == 1

    # run: it swings, the loop stays closed, the chart tells its energy
    visitor.tab("Charts")
    visitor.press("Energy")
    wait_for(lambda: "energy total" in visitor.ask(lambda live: list(live.watched.values)))
    visitor.press("Run")
    wait_for(lambda: visitor.ask(lambda live: live.time) > 0.4)
    visitor.press("Pause")
    wait_for(lambda: not studio.player.playing)
    assert visitor.ask(lambda live: np.abs(live.v).max()) > 0.1 and visitor.ask(lambda live: live.audit.run.gap.value) < 1e-8
    times, totals = visitor.ask(lambda live: live.history("energy total"))
    visitor.page.wait_for_function(f"({CHARTS})().some(chart => chart[0].length >= {len(times) // 2})")
    assert np.ptp(totals) < 1e-6 * max(1.0, np.abs(totals).max())  # swinging freely
    visitor.page.get_by_text(f"{totals[-1]:.4g} J").first.wait_for()

    # a second page sees the same, and may leave
    second = browser_page(studio.address, viewport={"width": 700, "height": 500})
    wait_for(lambda: len(studio.server.get_clients()) == 2)
    second.get_by_text("add joint 'hinge 4'").first.wait_for()
    second.close()
    wait_for(lambda: len(studio.server.get_clients()) == 1)

    # drag the coupler while time stands still: it follows, and that is one edit
    edits, q = visitor.edits, visitor.ask(lambda live: live.q.copy())
    x, y = visitor.pixel(visitor.ask(lambda live: live.poses()["rod 2"].act((0.1, 0.0, 0.0))))
    visitor.page.mouse.move(x, y)
    visitor.page.mouse.down()
    for k in range(1, 7):
        visitor.page.mouse.move(x, y - 6 * k)
    wait_for(lambda: visitor.ask(lambda live: np.abs(live.q - q).max()) > 0.02)
    visitor.page.mouse.up()
    wait_for(lambda: studio.pulling.holder is None)
    assert visitor.edits == edits + 1 and visitor.ask(lambda live: live.last_edit.words) == "draw 'rod 2'"

    # undo all, redo all
    count, mechanism, q = edits + 1, visitor.ask(lambda live: live.mechanism), visitor.ask(lambda live: live.q.copy())
    for k in range(count):
        visitor.page.keyboard.press("Control+z")
        wait_for(lambda k=k: visitor.edits == count - k - 1)
    assert visitor.ask(lambda live: (len(live.mechanism.bodies), len(live.mechanism.joints))) == (0, 0)
    for k in range(count):
        visitor.page.locator("xpath=//label[normalize-space()='Redo']/following::button[1]").click()
        wait_for(lambda k=k: visitor.edits == k + 1)
    assert visitor.ask(lambda live: live.mechanism) == mechanism
    assert visitor.ask(lambda live: live.q) == pytest.approx(q, abs=1e-9)

    # save, go on with another one, reload the page, open it again: the same mechanism in the same state
    visitor.tab("Files")
    visitor.press("Save")
    visitor.page.get_by_text("saved as mechanism.toml").wait_for()
    saved = visitor.ask(lambda live: (live.mechanism, live.time, live.q.copy(), live.v.copy()))
    answer(studio.open(lambda: lw.Live(lw.shipped("pendulum"))))
    visitor.page.reload()
    visitor.tab("Files")
    visitor.press("Open")
    wait_for(lambda: len(studio.player.live.mechanism.bodies) == 3)
    again = visitor.ask(lambda live: (live.mechanism, live.time, live.q.copy(), live.v.copy()))
    assert again[:2] == saved[:2] and (again[2] == saved[2]).all() and (again[3] == saved[3]).all()


def test_pulling_while_time_runs_shows_its_force_and_the_background_turns_the_view(studio, browser_page):
    answer(studio.open(lambda: lw.Live(lw.shipped("four-bar"))))
    visitor = Visitor(studio, browser_page)
    rendered(visitor.page)
    x, y = visitor.pixel(visitor.ask(lambda live: live.poses()["coupler"].act((0.1, 0.0, 0.0))))
    studio.player.do(lambda live: setattr(studio.player, "speed", 0.02))  # slow, so that the pointer meets it
    studio.player.play()
    visitor.page.mouse.move(x, y)
    visitor.page.mouse.down()
    for k in range(1, 6):
        visitor.page.mouse.move(x, y - 12 * k)
    grip = wait_for(lambda: visitor.ask(lambda live: live.pulling))
    assert grip.body == "coupler" and not grip.hard
    arrow = wait_for(lambda: studio.showing._arrows.get("hand", {}).get("pull"))
    assert arrow.kind == "pull" and np.linalg.norm(arrow.vector) > 0.01
    visitor.page.mouse.up()
    wait_for(lambda: visitor.ask(lambda live: live.pulling) is None)
    studio.player.pause()

    # beside the mechanism a drag turns the view, and pulls at nothing
    eye = np.array(visitor.client.camera.position)
    left = visitor.canvas["x"] + 25, visitor.canvas["y"] + 0.8 * visitor.canvas["height"]
    visitor.page.mouse.move(*left)
    visitor.page.mouse.down()
    for k in range(1, 6):
        visitor.page.mouse.move(left[0] + 15 * k, left[1])
    visitor.page.mouse.up()
    wait_for(lambda: np.linalg.norm(visitor.client.camera.position - eye) > 0.02)
    assert visitor.ask(lambda live: live.pulling) is None and studio.selected is None
