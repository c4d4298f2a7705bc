"""Time on the page: it runs, stands still, is looked back at; edits are undone by their names."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.panels.play import PlayPanel

from ...waiting import wait_for
from .people import body, done, event


def test_run_pause_step_and_reset(studio, person, panel):
    studio.act(body("rod"))
    play = panel(PlayPanel)
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


def test_looking_back_shows_the_past_and_going_on_begins_there(studio, person, panel):
    studio.act(body("rod"))
    for _ in range(30):
        studio.act(lambda live: live.advance(1 / 60))
    play = panel(PlayPanel)
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


def test_the_labels_say_what_would_be_undone(studio, person, panel):
    play = panel(PlayPanel)
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
