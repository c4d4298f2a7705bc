"""The page without a browser: what is asked of it is done in order, or told in words to who asked."""

import threading

import linkwork as lw
from linkwork.studio.panels.edit import NOTHING, EditPanel

from ...waiting import answer, wait_for
from .people import body, done


def test_what_cannot_be_is_told_to_who_asked_and_nothing_changes(studio, person):
    studio.act(body("rod"))
    before = done(studio).mechanism
    future = studio.act(lambda live: live.remove("nonsense"), client=person)
    wait_for(future.done)
    assert isinstance(future.exception(), lw.UnknownNameError)
    assert person.told == [str(future.exception())] == [studio.message[0]] and studio.message[1]
    assert done(studio).mechanism is before
    studio.act(body("other", x=1.0))
    done(studio)
    assert studio.message == ("", False)  # what was wrong is over


def test_a_fault_of_a_panel_ends_neither_the_others_nor_the_physics(studio, panel):
    studio.panels[3].changed = lambda live: 1 / 0
    studio.act(body("rod"))
    done(studio)
    assert "ZeroDivisionError" in studio.message[0]
    assert panel(EditPanel).choice.options == (NOTHING, "rod  (body)")


def test_a_fault_that_comes_with_every_frame_is_told_once_in_a_while(studio, caplog):
    count = []
    studio.showing.frame = lambda live: count.append(1) or 1 / 0
    wait_for(lambda: len(count) > 5)
    assert len([record for record in caplog.records if "a fault while" in record.message]) == 1
    del studio.showing.frame


def test_a_fault_of_what_is_asked_is_told_and_nothing_else_ends(studio, person):
    future = studio.act(lambda live: 1 / 0, client=person)
    wait_for(future.done)
    assert isinstance(future.exception(), ZeroDivisionError) and person.told == [
        "a fault of Linkwork itself: ZeroDivisionError: division by zero"
    ]
    opening = studio.bring(lambda: 1 / 0, client=person)
    wait_for(opening.done)
    assert isinstance(opening.exception(), ZeroDivisionError) and len(person.told) == 2
    studio.act(body("rod"))
    assert [b.name for b in done(studio).mechanism.bodies] == ["rod"]


def test_edits_that_arrive_together_are_done_in_order(studio):
    for k in range(30):
        studio.act(body(f"rod {k}", x=float(k)))
    assert [b.name for b in done(studio).mechanism.bodies] == [f"rod {k}" for k in range(30)]


def test_names_are_shown_as_they_are_and_never_as_markup(studio, panel):
    name = '<img src=x onerror="alert(1)">{1+1}'
    studio.act(body(name))
    studio.select(name)
    done(studio)
    shown = panel(EditPanel).about.content
    assert "<img" not in shown and "&lt;img" in shown
    studio.tell(name, error=True)
    assert "<img" not in studio._line.content


def test_what_is_selected_is_gone_when_it_is_removed_and_follows_its_name(studio, person, panel):
    studio.act(body("rod"))
    studio.select("rod")
    done(studio)
    edit = panel(EditPanel)
    edit._forms[0][1]._inputs["name"].value = "beam"
    edit._forms[0][1].submit(person)
    assert done(studio).mechanism.bodies[0].name == "beam" and studio.selected == "beam"
    edit.remove(person)
    done(studio)
    assert studio.selected is None and edit.choice.value == NOTHING
    studio.select("rod")
    done(studio)
    assert studio.selected is None


def test_what_takes_long_is_said_and_unsaid(studio):
    release = threading.Event()
    studio.act(lambda live: release.wait(30.0))
    wait_for(lambda: studio.message[0].startswith("Working."))
    release.set()
    wait_for(lambda: studio.message[0] == "")


def test_the_line_that_counts_parts_when_a_file_is_opened_goes_with_the_next_edit(studio):
    """It went on to say "3 bodies" when a fourth had been placed."""
    answer(studio.bring(studio.keeper.start_from, "four-bar"))
    assert studio.message[0] == "four-bar: 3 bodies, 4 joints"
    answer(studio.act(lambda live: live.add_body("ball", shape=lw.Sphere(0.1), density=1000.0)))
    assert studio.message == ("", False)
