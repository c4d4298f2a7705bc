"""The page without a browser: a real server on a free port, people played by their events."""

import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.panels.build import BuildPanel
from linkwork.studio.panels.console import ConsolePanel
from linkwork.studio.panels.edit import NOTHING, EditPanel
from linkwork.studio.panels.play import PlayPanel
from linkwork.studio.panels.state import StatePanel
from linkwork.studio.panels.world import WorldPanel
from linkwork.studio.scene import Click, Drag
from linkwork.studio.studio import Studio


class Person:
    """A client, as far as panels know one: its number, where it looks from, and what it is told."""

    def __init__(self, number=1):
        self.client_id, self.told = number, []
        self.camera = SimpleNamespace(position=np.array((0.5, -3.0, 0.5)), look_at=np.array((0.5, 0.0, 0.3)))

    def add_notification(self, title, body, **_):
        self.told.append(body)


@pytest.fixture
def studio(tmp_path):
    with Studio(folder=tmp_path, port=0) as studio:
        yield studio
        assert studio.player.faults == []


@pytest.fixture
def person():
    return Person()


def panel(studio, kind):
    return next(each for each in studio.panels if isinstance(each, kind))


def done(studio):
    """All that was asked is done, and what that asked for too."""
    for _ in range(4):
        live = studio.player.ask(lambda live: live)
    return live


def wait_for(condition, seconds=120.0):
    """Until something is so; long, since the first step of a mechanism may compile a kernel."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


def body(name, x=0.0, length=0.4):
    return lambda live: live.add_body(name, shape=lw.Box(length, 0.03, 0.03), density=2700.0, pose=(x, 0.0, 0.3))


def click(person, name=None, point=(0, 0, 0), world=None, role="body"):
    point = np.array(point, dtype=float)
    return Click(name, role if name else None, name, point if name else None, world, frozenset(), person)


def event(person, handle):
    return SimpleNamespace(client=person, client_id=person.client_id, target=handle)


# ---- acting and telling


def test_what_cannot_be_is_told_to_who_asked_and_nothing_changes(studio, person):
    studio.act(body("rod"))
    before = done(studio).mechanism
    future = studio.act(lambda live: live.remove("nonsense"), client=person)
    assert isinstance(future.exception(5), lw.UnknownNameError)
    assert person.told == [str(future.exception())] == [studio.message[0]] and studio.message[1]
    assert done(studio).mechanism is before
    studio.act(body("other", x=1.0))
    done(studio)
    assert studio.message == ("", False)  # what was wrong is over


def test_a_fault_of_a_panel_ends_neither_the_others_nor_the_physics(studio):
    studio.panels[3].changed = lambda live: 1 / 0
    studio.act(body("rod"))
    done(studio)
    assert "ZeroDivisionError" in studio.message[0]
    assert panel(studio, EditPanel).choice.options == (NOTHING, "rod  (body)")


def test_edits_that_arrive_together_are_done_in_order(studio):
    for k in range(30):
        studio.act(body(f"rod {k}", x=float(k)))
    assert [b.name for b in done(studio).mechanism.bodies] == [f"rod {k}" for k in range(30)]


def test_names_are_shown_as_they_are_and_never_as_markup(studio):
    name = '<img src=x onerror="alert(1)">{1+1}'
    studio.act(body(name))
    studio.select(name)
    done(studio)
    shown = panel(studio, EditPanel).about.content
    assert "<img" not in shown and "&lt;img" in shown
    studio.tell(name, error=True)
    assert "<img" not in studio._line.content


def test_what_is_selected_is_gone_when_it_is_removed_and_follows_its_name(studio, person):
    studio.act(body("rod"))
    studio.select("rod")
    done(studio)
    edit = panel(studio, EditPanel)
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


# ---- play


def test_run_pause_step_and_reset(studio, person):
    studio.act(body("rod"))
    play = panel(studio, PlayPanel)
    play.toggle()
    wait_for(lambda: studio.player.live.time > 0.1)
    play.toggle()
    live = done(studio)
    assert not studio.player.playing and live.poses()["rod"].translation[2] < 0.3
    t = live.time
    play.step(person)
    assert done(studio).time == pytest.approx(t + 1e-3)
    play.reset(person)
    live = done(studio)
    assert live.time == 0.0 and live.poses()["rod"].translation[2] == 0.3


def test_looking_back_shows_the_past_and_going_on_begins_there(studio, person):
    studio.act(body("rod"))
    for _ in range(30):
        studio.act(lambda live: live.advance(1 / 60))
    play = panel(studio, PlayPanel)
    assert done(studio).span[1] == pytest.approx(0.5)
    studio.player.do(play.refresh)
    studio.player.do(play._looked, 0.2)
    live = done(studio)
    assert play.onward.visible and studio.showing.glimpse.time == pytest.approx(0.2, abs=1 / 60) and live.time == pytest.approx(0.5)
    assert "looking back" in play.clock.content
    play.onward._impl.value = "Go on from here"
    play._onward(event(person, play.onward))
    live = done(studio)
    assert live.time == pytest.approx(0.2, abs=1 / 60) and studio.showing.glimpse is None
    wait_for(lambda: not play.onward.visible)  # panels look a little later
    studio.act(lambda live: live.undo())
    assert done(studio).time == pytest.approx(0.5)


def test_the_labels_say_what_would_be_undone(studio, person):
    play = panel(studio, PlayPanel)
    done(studio)
    assert play.undo.options == play.redo.options == ("nothing",)
    studio.act(body("rod"))
    done(studio)
    assert play.undo.options == ("add body 'rod'",) and play.redo.options == ("nothing",)
    play._undo(person)
    done(studio)
    assert play.undo.options == ("nothing",) and play.redo.options == ("add body 'rod'",)
    play._undo(person)
    done(studio)
    assert "nothing to undo" in person.told[-1]


def test_a_step_that_fails_stops_time_and_says_why(studio):
    def blow(live):
        live.add_body("rod", shape=lw.Box(0.4, 0.03, 0.03), density=2700.0, twist=(0, 0, 0, 0, 0, 0))
        live.add_force("bomb", lw.Motor(force=(1e300, 0, 0)), "rod")

    studio.act(blow)
    studio.player.play()
    wait_for(lambda: studio.message[1])
    live = done(studio)
    assert not studio.player.playing and "time stands still: failed" in studio.message[0]
    assert np.isfinite(live.q).all() and np.isfinite(live.v).all()


# ---- pulling


def drag(person, phase, target, name="rod", point=(0.2, 0, 0), modifiers=()):
    return Drag(phase, name, np.array(point, dtype=float), np.array(target, dtype=float), frozenset(modifiers), person, name)


def test_dragging_while_time_runs_pulls_and_letting_go_releases(studio, person):
    studio.act(body("rod"))
    studio.player.play()
    hand = studio.pulling
    hand._start(drag(person, "start", (0.2, 0, 0.3)))
    hand._move(drag(person, "move", (0.2, 0, 0.8)))
    live = done(studio)
    assert live.pulling.body == "rod" and not live.pulling.hard
    wait_for(lambda: studio.player.ask(lambda live: live.poses()["rod"].act((0.2, 0, 0))[2]) > 0.31)
    assert set(studio.showing._arrows["hand"]) == {"pull"}
    hand._end(drag(person, "end", (0.2, 0, 0.8)))
    assert done(studio).pulling is None
    wait_for(lambda: studio.showing._arrows["hand"] == {})


def test_dragging_while_time_stands_still_is_inverse_kinematics_and_one_edit(studio, person):
    studio.act(body("rod"))
    studio.act(lambda live: live.add_joint("pivot", lw.Revolute((0, 1, 0)), "ground", lw.Place("rod", lw.Pose((-0.2, 0, 0)))))
    edits = len(done(studio).edits)
    hand = studio.pulling
    hand._start(drag(person, "start", (0.4, 0, 0)))
    for k in range(6):
        hand._move(drag(person, "move", (0.4, 0, 0.1 * k)))
        done(studio)
    hand._end(drag(person, "end", (0.4, 0, 0.5)))
    live = done(studio)
    tip = live.poses()["rod"].act((0.2, 0, 0))
    assert tip == pytest.approx(0.4 * np.array((0.4, 0, 0.5)) / np.linalg.norm((0.4, 0, 0.5)), abs=1e-4)
    assert len(live.edits) == edits + 1 and live.pulling is None


def test_removing_what_is_dragged_is_harmless(studio, person):
    studio.act(body("rod"))
    studio.player.play()
    hand = studio.pulling
    hand._start(drag(person, "start", (0.2, 0, 0.3)))
    studio.act(lambda live: live.remove("rod"))
    for k in range(5):
        hand._move(drag(person, "move", (0.2, 0, 0.3 + 0.1 * k)))
    hand._end(drag(person, "end", (0.2, 0, 0.8)))
    assert done(studio).pulling is None and person.told == [] and studio.player.playing


def test_who_leaves_while_pulling_lets_go_and_a_second_hand_waits(studio, person):
    other = Person(2)
    studio.act(body("rod"))
    studio.player.play()
    hand = studio.pulling
    hand._start(drag(person, "start", (0.2, 0, 0.3)))
    hand._start(drag(other, "start", (0.2, 0, 0.9)))
    hand._move(drag(other, "move", (0.2, 0, 0.9)))
    assert done(studio).pulling.target[2] == 0.3 and "someone else" in studio.message[0]
    hand._left(person)
    assert done(studio).pulling is None and hand.holder is None


# ---- building by pointing


def test_a_hinge_by_two_clicks(studio, person):
    studio.act(body("a"))
    studio.act(body("b", x=0.5))
    done(studio)
    build = panel(studio, BuildPanel)
    build.begin(person)
    assert "first place" in build.words.content and build.cancel.visible
    studio._clicked(click(person, "a", (0.19, -0.015, 0.0)))
    done(studio)
    assert "First: an end of" in build.words.content and build.here.visible
    assert [tuple(mark.position) for mark in build._marks._made] == [pytest.approx((0.2, 0.0, 0.3))]
    studio._clicked(click(person, "b", (-0.19, -0.015, 0.0)))
    live = done(studio)
    assert [joint.name for joint in live.mechanism.joints] == ["hinge"] and build.picking is None and studio.selected == "hinge"
    assert build._marks._made == []
    assert live.poses()["a"].act((0.2, 0, 0)) == pytest.approx(live.poses()["b"].act((-0.2, 0, 0)), abs=1e-9)


def test_a_hinge_to_the_ground_right_there(studio, person):
    studio.act(body("a"))
    done(studio)
    build = panel(studio, BuildPanel)
    build.begin(person)
    studio._clicked(click(person, "a", (-0.19, -0.015, 0.0)))
    done(studio)
    build._to_ground(person)
    live = done(studio)
    assert live.mechanism.joint("hinge").parent_pose.translation == pytest.approx((-0.2, 0, 0.3)) and live.last_edit.moved < 1e-9


def test_picking_can_be_cancelled_and_takes_only_the_clicks_of_who_began(studio, person):
    other = Person(2)
    studio.act(body("a"))
    done(studio)
    build = panel(studio, BuildPanel)
    build.begin(person)
    studio._clicked(click(other, "a"))
    done(studio)
    assert studio.selected == "a" and build.picking.picked == []
    build.stop()
    studio._clicked(click(person))
    done(studio)
    assert studio.selected is None and build.words.content == ""
    build.begin(person)
    build._left(person)
    assert build.picking is None and studio.picker is None


def test_a_click_that_means_no_place_is_told_and_picking_goes_on(studio, person):
    studio.act(body("a"))
    done(studio)
    build = panel(studio, BuildPanel)
    build.begin(person)
    studio._clicked(Click("spring", "force", None, None, np.zeros(3), frozenset(), person))
    done(studio)
    assert "lies between two bodies" in person.told[-1] and build.picking.picked == []


def test_a_number_that_cannot_be_read_is_refused_before_anything_is_picked(studio, person):
    build = panel(studio, BuildPanel)
    build.what.value = "Spring"
    build._tooled()
    build._options["stiffness"][1].value = "stiff"
    studio._guarded(build.begin, person)
    assert build.picking is None and "stiffness: found 'stiff'" in studio.message[0]


def test_bodies_are_placed_from_the_form_and_bad_sizes_are_told(studio, person):
    build = panel(studio, BuildPanel)
    build.size.value, build.where.value = "0.3 0.02", "1 2 3"
    build.place._impl.value = "Place"
    build._place(event(person, build.place))
    live = done(studio)
    assert live.mechanism.body("rod").shape == lw.Box(0.3, 0.02, 0.02) and live.poses()["rod"].translation.tolist() == [1.0, 2.0, 3.0]
    build.size.value = "-1 0.02"
    build._place(event(person, build.place))
    assert len(done(studio).mechanism.bodies) == 1 and "allowed is a finite number above 0" in person.told[-1]


# ---- editing by forms


def test_a_refused_value_is_told_and_the_form_shows_the_old_one_again(studio, person):
    studio.act(body("rod"))
    studio.select("rod")
    done(studio)
    form = dict(panel(studio, EditPanel)._forms)["Box"]
    for bad in ("wide", "-0.2", "inf", "1 2"):
        form._inputs["x"].value = bad
        form.submit(person)
        done(studio)
        assert form._inputs["x"].value == "0.4" and len(person.told) > 0
        person.told.clear()
    form._inputs["x"].value = "0.50"
    form.submit(person)
    assert done(studio).mechanism.body("rod").shape.x == 0.5 and form._inputs["x"].value == "0.5"


def test_what_is_typed_stays_while_other_things_change(studio):
    studio.act(body("rod"))
    studio.select("rod")
    done(studio)
    form = dict(panel(studio, EditPanel)._forms)["Box"]
    form._inputs["y"].value = "0.1"
    studio.act(body("other", x=1.0))
    studio.act(lambda live: live.change("rod", shape=lw.Box(0.6, 0.03, 0.03)))
    done(studio)
    assert form._inputs["y"].value == "0.1" and form._inputs["x"].value == "0.6"


def test_state_can_be_set_while_time_stands_still_only(studio, person):
    studio.act(body("rod"))
    studio.select("rod")
    done(studio)
    form = panel(studio, StatePanel).form
    form._inputs["at"].value = "1 0 2"
    form.submit(person)
    assert done(studio).poses()["rod"].translation.tolist() == [1.0, 0.0, 2.0]
    studio.player.play()
    form._inputs["at"].value = "0 0 0"
    form.submit(person)
    done(studio)
    assert "pause first" in person.told[-1]


def test_duplicates_stand_beside_their_originals(studio, person):
    studio.act(body("rod"))
    studio.act(lambda live: live.add_force("spring", lw.SpringDamper(10.0), "rod"))
    edit = panel(studio, EditPanel)
    for name in ("rod", "spring"):
        studio.select(name)
        done(studio)
        edit.duplicate(person)
        done(studio)
    live = done(studio)
    assert [b.name for b in live.mechanism.bodies] == ["rod", "copy of rod"]
    assert [f.name for f in live.mechanism.forces] == [
        "spring",
        "copy of spring",
        "copy 2 of spring",
    ]  # that of the copied body, and one more
    assert np.linalg.norm(live.poses()["rod"].translation - live.poses()["copy of rod"].translation) > 0.05
    edit.switch(person)
    assert studio.selected == "copy 2 of spring" and done(studio).mechanism.force("copy 2 of spring").on is False


def test_gravity_air_and_method_are_shown_as_they_are(studio, person):
    studio.act(body("rod"))
    world = panel(studio, WorldPanel)
    studio.act(lambda live: live.change_gravity((0, 0, 0)))
    done(studio)
    assert world.gravity.value is False
    world.gravity.value = True
    world._weigh(person)
    assert done(studio).mechanism.gravity == (0.0, 0.0, -9.81)
    world.method.value = "runge-kutta-4"
    world._choose(person)
    assert isinstance(done(studio).integrator, lw.RungeKutta4)
    world.form._inputs["step"].value = "0"
    world.form.submit(person)
    live = done(studio)
    assert live.integrator.step == 1e-3 and world.form._inputs["step"].value == "0.001" and person.told


def test_commands_of_the_console_change_the_mechanism_of_the_page(studio, person):
    console = panel(studio, ConsolePanel)
    console.line.value = "ib <b>ball</b>"
    console._send(person)
    live = done(studio)
    assert [b.name for b in live.mechanism.bodies] == ["<b>ball</b>"] and "<b>" not in console.output.content
    console.line.value = "nonsense"
    console._send(person)
    done(studio)
    assert "error:" in console.output.content


# ---- whatever comes


HOSTILE = (
    "",
    " ",
    "ground",
    "a\nb",
    "a" * 5000,
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "'; DROP TABLE --",
    "\x00",
    "😀",
    "1e308",
    "-1e308",
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_of_a_form_harms_the_page(studio, person, text):
    """Names, sizes, places, numbers: each is taken or refused in words, and time runs on."""
    studio.act(body("rod"))
    studio.select("rod")
    done(studio)
    build, edit = panel(studio, BuildPanel), panel(studio, EditPanel)
    for handle in (build.body_name, build.size, build.where, build.weight):
        kept, handle.value = handle.value, text
        build.place._impl.value = "Place"
        studio._guarded(build._place, event(person, build.place))
        done(studio)
        handle.value = kept
    for _, form in list(edit._forms):
        for made in form._inputs.values():
            if isinstance(made.value, str):
                made.value = text
                form.submit(person)
                done(studio)
    live = done(studio)
    assert studio.player.faults == [] and "fault of Linkwork" not in studio.message[0]
    assert live.mechanism.faults() == [] and "ground" not in [b.name for b in live.mechanism.bodies]
    assert studio.player.ask(lambda live: live.advance(0.01)).word in ("finished", "stopped", "failed")
    while done(studio).mechanism.bodies:  # to the last part, and beyond
        studio.select(live.mechanism.bodies[-1].name)
        done(studio)
        edit.remove(person)
        live = done(studio)
    edit.remove(person)
    assert studio.player.ask(lambda live: live.advance(0.01)).ok
