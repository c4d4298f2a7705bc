"""A story told by the page's own panel, with a real server and the physics in its thread."""

import time

import linkwork as lw
from linkwork.studio.panels.stories import StoriesPanel
from linkwork.studio.stories import Step, Story
from linkwork.studio.studio import Studio


def drop(live, told):
    live.add_body("ball", shape=lw.Sphere(0.1), density=500.0, pose=(0, 0, 1))


def note(live, told):
    told.setdefault("heights", []).append(live.poses()["ball"].translation[2])


STORY = Story("drop", "A ball falls", lw.Mechanism, (Step("A ball.", drop), Step("It falls.", None, 0.2, note), Step("The end is near.")))


def wait_for(condition, seconds=400.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end and not condition():
        time.sleep(0.02)
    assert condition()


def test_a_story_is_told_step_by_step_on_the_page(tmp_path):
    with Studio(folder=tmp_path, port=0) as studio:
        panel = next(panel for panel in studio.panels if isinstance(panel, StoriesPanel))
        panel.begin(STORY).result(400)
        panel.go_on().result(400)
        assert [body.name for body in studio.player.live.mechanism.bodies] == ["ball"]
        panel.go_on().result(400)
        wait_for(lambda: panel.telling.at == 2 and not studio.player.playing)
        live = studio.player.live
        assert 0.2 - 1e-6 <= live.time < 0.5
        heights = panel.telling.told["heights"]
        assert len(heights) > 3 and heights[0] > heights[-1]
        panel.go_on().result(400)
        assert panel.telling.over and panel.next.disabled
        panel.go_on().result(400)  # nothing more happens
