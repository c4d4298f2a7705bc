"""The pointer takes hold of a body: it pulls while time runs, and poses while time stands still."""

import numpy as np
import pytest

import linkwork as lw

from ...waiting import wait_for
from .people import Person, body, done, drag


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
