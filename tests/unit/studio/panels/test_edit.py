"""The form of a joint: a choice of its kind, and what is asked when not all can stay."""

from contextlib import contextmanager

import pytest

import linkwork as lw
from linkwork.studio.panels.edit import EditPanel
from linkwork.studio.part_fields import KIND, STAY

from ....waiting import answer


class Asked:
    """A client that remembers what it was asked, and answers when told to."""

    def __init__(self):
        self.gui, self.title, self.lines, self.answers = self, None, "", {}

    @contextmanager
    def _modal(self):
        yield self

    def add_modal(self, title):
        self.title = title
        modal = self._modal()
        modal.close = lambda: None
        return modal

    def add_html(self, text):
        self.lines = text

    def add_button(self, label, **_):
        class Handle:
            @staticmethod
            def on_click(function):
                self.answers[label] = function

        return Handle

    def add_notification(self, *_, **__):
        pass

    def press(self, label):
        import asyncio

        asyncio.run(self.answers[label](None))


@pytest.fixture
def page(studio, panel):
    """(studio, edit panel) of a rod on a hinge with a spring, the hinge selected."""
    live = lw.Live()
    live.add_body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    live.add_joint("pivot", lw.Revolute((0, 1, 0), damping=0.2), "ground", "rod")
    live.add_force("spring", lw.JointSpring(stiffness=2.0), "pivot")
    live.set_joint("pivot", q=0.4)
    answer(studio.open(lambda: live))
    studio.select("pivot")
    studio.player.ask(lambda live: None)
    return studio, panel(EditPanel)


def choose(edit, client=None, **values):
    """Fill the form of the kind, and send it."""
    form = dict(edit._forms)[KIND]
    for name, value in values.items():
        form._inputs[name].value = value
    form.submit(client)
    edit.studio.player.ask(lambda live: None)
    edit.studio.player.ask(lambda live: None)
    return form


def kind_of(studio):
    return studio.player.live.mechanism.joint("pivot").kind


def test_a_kind_is_chosen_and_the_form_becomes_that_of_the_new_one(page):
    studio, edit = page
    assert dict(edit._forms)[KIND]._inputs["kind"].value == "Hinge"
    choose(edit, kind="Universal")
    assert kind_of(studio) == lw.Universal((0, 1, 0), kind_of(studio).axis2, damping=(0.2, 0.0))
    titles = dict(edit._forms)
    assert titles[KIND]._inputs["kind"].value == "Universal" and set(titles[None].fields) == {"name", "axis1", "axis2"}
    answer(studio.act(lambda live: live.undo()))
    assert kind_of(studio) == lw.Revolute((0, 1, 0), damping=0.2)
    assert dict(edit._forms)[KIND]._inputs["kind"].value == "Hinge"


def test_what_can_not_go_on_is_asked_about_and_goes_if_wanted(page):
    studio, edit = page
    client = Asked()
    form = choose(edit, client, kind="Ball")
    assert kind_of(studio) == lw.Revolute((0, 1, 0), damping=0.2) and form._inputs["kind"].value == "Hinge"
    assert "spring" in client.lines and "dependents" not in client.lines and set(client.answers) == {"Remove it too", "Leave all as it was"}
    client.press("Leave all as it was")
    assert studio.player.ask(lambda live: len(live.mechanism.forces)) == 1
    edits = studio.player.ask(lambda live: len(live.edits))
    client.press("Remove it too")
    assert studio.player.ask(lambda live: (len(live.mechanism.forces), len(live.edits))) == (0, edits + 1)
    assert kind_of(studio) == lw.Spherical(damping=0.2)


@pytest.mark.slow
def test_only_what_was_named_goes(page):
    """Somebody else adds a spring while the question is open: it is asked again, about both."""
    studio, edit = page
    client = Asked()
    choose(edit, client, kind="Ball")
    answer(studio.act(lambda live: live.add_force("other", lw.JointSpring(stiffness=1.0), "pivot")))
    client.press("Remove it too")
    assert studio.player.ask(lambda live: len(live.mechanism.forces)) == 2 and "other" in client.lines
    client.press("Remove these too")
    assert studio.player.ask(lambda live: len(live.mechanism.forces)) == 0 and kind_of(studio) == lw.Spherical(damping=0.2)


def test_an_answer_about_a_joint_that_has_gone_changes_nothing(page):
    studio, edit = page
    client = Asked()
    choose(edit, client, kind="Ball")
    answer(studio.act(lambda live: live.remove("pivot")))
    edits = studio.player.ask(lambda live: len(live.edits))
    client.press("Remove it too")
    assert studio.player.ask(lambda live: len(live.edits)) == edits and "pivot" in studio.message[0]


def test_parts_fly_or_stay_as_chosen(page):
    studio, edit = page
    answer(studio.act(lambda live: live.remove("spring")))
    here = studio.player.ask(lambda live: live.poses()["rod"])
    choose(edit, parts=STAY)  # nothing by itself
    choose(edit, kind="Weld", parts=STAY)
    assert kind_of(studio) == lw.Weld() and studio.player.ask(lambda live: live.poses()["rod"]).isclose(here)
    answer(studio.act(lambda live: live.undo()))
    choose(edit, kind="Weld")
    assert studio.player.ask(lambda live: live.poses()["rod"]).isclose(lw.Pose(), 1e-9)  # both places at the origin
