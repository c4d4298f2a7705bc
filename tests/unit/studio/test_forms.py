"""Editing by forms: values are taken, or refused in words, and shown as they are."""

import numpy as np

import linkwork as lw
from linkwork.studio.panels.console import ConsolePanel
from linkwork.studio.panels.edit import EditPanel
from linkwork.studio.panels.state import StatePanel
from linkwork.studio.panels.world import WorldPanel

from .people import body, done


def test_a_refused_value_is_told_and_the_form_shows_the_old_one_again(studio, person, panel):
    studio.act(body("rod"))
    studio.select("rod")
    done(studio)
    form = dict(panel(EditPanel)._forms)["Box"]
    for bad in ("wide", "-0.2", "inf", "1 2"):
        form._inputs["x"].value = bad
        form.submit(person)
        done(studio)
        assert form._inputs["x"].value == "0.4" and len(person.told) > 0
        person.told.clear()
    form._inputs["x"].value = "0.50"
    form.submit(person)
    assert done(studio).mechanism.body("rod").shape.x == 0.5 and form._inputs["x"].value == "0.5"


def test_what_is_typed_stays_while_other_things_change(studio, panel):
    studio.act(body("rod"))
    studio.select("rod")
    done(studio)
    form = dict(panel(EditPanel)._forms)["Box"]
    form._inputs["y"].value = "0.1"
    studio.act(body("other", x=1.0))
    studio.act(lambda live: live.change("rod", shape=lw.Box(0.6, 0.03, 0.03)))
    done(studio)
    assert form._inputs["y"].value == "0.1" and form._inputs["x"].value == "0.6"


def test_state_can_be_set_while_time_stands_still_only(studio, person, panel):
    studio.act(body("rod"))
    studio.select("rod")
    done(studio)
    form = panel(StatePanel).form
    form._inputs["at"].value = "1 0 2"
    form.submit(person)
    assert done(studio).poses()["rod"].translation.tolist() == [1.0, 0.0, 2.0]
    studio.player.play()
    form._inputs["at"].value = "0 0 0"
    form.submit(person)
    done(studio)
    assert "pause first" in person.told[-1]


def test_duplicates_stand_beside_their_originals(studio, person, panel):
    studio.act(body("rod"))
    studio.act(lambda live: live.add_force("spring", lw.SpringDamper(10.0), "rod"))
    edit = panel(EditPanel)
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


def test_gravity_air_and_method_are_shown_as_they_are(studio, person, panel):
    studio.act(body("rod"))
    world = panel(WorldPanel)
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


def test_commands_of_the_console_change_the_mechanism_of_the_page(studio, person, panel):
    console = panel(ConsolePanel)
    console.line.value = "ib <b>ball</b>"
    console._send(person)
    live = done(studio)
    assert [b.name for b in live.mechanism.bodies] == ["<b>ball</b>"] and "<b>" not in console.output.content
    console.line.value = "nonsense"
    console._send(person)
    done(studio)
    assert "error:" in console.output.content
