"""A story told by the page's own panel, with a real server and the physics in its thread."""

import linkwork as lw
from linkwork.studio.panels.stories import StoriesPanel
from linkwork.studio.stories import Step, Story

from ....waiting import answer, wait_for


def drop(live, told):
    live.add_body("ball", shape=lw.Sphere(0.1), density=500.0, pose=(0, 0, 1))


def note(live, told):
    told.setdefault("heights", []).append(live.poses()["ball"].translation[2])


STORY = Story("drop", "A ball falls", lw.Mechanism, (Step("A ball.", drop), Step("It falls.", None, 0.2, note), Step("The end is near.")))


def test_a_story_is_told_step_by_step_on_the_page(studio, panel):
    stories = panel(StoriesPanel)
    answer(stories.begin(STORY))
    answer(stories.go_on())
    assert [body.name for body in studio.player.live.mechanism.bodies] == ["ball"]
    answer(stories.go_on())
    wait_for(lambda: stories.telling.at == 2 and not studio.player.playing)
    live = studio.player.live
    assert 0.2 - 1e-6 <= live.time < 0.5
    heights = stories.telling.told["heights"]
    assert len(heights) > 3 and heights[0] > heights[-1]
    answer(stories.go_on())
    assert stories.telling.over and stories.next.disabled
    answer(stories.go_on())  # nothing more happens
