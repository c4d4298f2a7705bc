"""How motion gets to the picture: pushed when it changed, eased where parts flew together; only the newest of what is asked too fast."""

import threading
from concurrent.futures import Future
from types import SimpleNamespace

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio import showing as showing_module
from linkwork.studio.latest_wins import LatestWins
from linkwork.studio.showing import FLIGHT, Showing, between

from ...waiting import wait_for


class FakeScene:
    def __init__(self):
        self.shown, self.moved, self.drawn = [], [], []

    def show(self, mechanism, positions, quaternions, names):
        self.shown.append((mechanism, np.array(positions), names))

    def move(self, positions, quaternions, names):
        self.moved.append(np.array(positions))

    def arrows(self, arrows):
        self.drawn.append(arrows)


class FakePlayer:
    waited = 0.0

    def wait(self, seconds):
        self.waited += seconds


@pytest.fixture
def pair():
    """Two rods that do not meet yet, shown."""
    live = lw.Live()
    live.add_body("a", shape=lw.Box(0.4, 0.03, 0.03), density=2700.0)
    live.add_body("b", shape=lw.Box(0.4, 0.03, 0.03), density=2700.0, pose=(1.0, 0.0, 0.0))
    showing = Showing(FakeScene(), FakePlayer())
    showing.show(live)
    return live, showing


def test_nothing_is_pushed_while_nothing_changes(pair):
    live, showing = pair
    for _ in range(5):
        showing.frame(live)
    assert showing.scene.moved == []
    live.advance(0.1)
    for _ in range(5):
        showing.frame(live)
    assert len(showing.scene.moved) == 1


def test_parts_that_flew_together_are_eased_from_where_they_were_shown(pair, monkeypatch):
    live, showing = pair
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(showing_module, "clock", SimpleNamespace(perf_counter=lambda: clock.now))
    before, was = showing.poses(), live.pose_arrays()[0].copy()
    live.add_joint("pin", lw.Revolute((0, 1, 0)), lw.Place("a", lw.Pose((0.2, 0, 0))), lw.Place("b", lw.Pose((-0.2, 0, 0))))
    assert live.last_edit.moved > 0.1
    showing.show(live, before)
    assert np.array_equal(showing.scene.shown[-1][1], was) and showing.player.waited == FLIGHT
    showing.frame(live)
    clock.now = 0.5 * FLIGHT
    showing.frame(live)
    half = showing.scene.moved[-1]
    clock.now = 1.1 * FLIGHT
    showing.frame(live)
    showing.frame(live)
    end = live.pose_arrays()[0]
    assert np.array_equal(showing.scene.moved[-1], end)
    assert 0.01 < np.abs(half - was).max() < np.abs(end - was).max() - 0.01  # on the way
    pushed = len(showing.scene.moved)
    showing.frame(live)
    assert len(showing.scene.moved) == pushed


def test_what_is_drawn_by_hand_is_not_eased(pair):
    live, showing = pair
    before = showing.poses()
    live.pose_to("a", (0, 0, 0), (0.0, 0.3, 0.0))
    showing.moved(live, before)
    assert np.array_equal(showing.scene.moved[-1], live.pose_arrays()[0]) and showing.player.waited == 0.0


def test_the_past_is_shown_with_the_mechanism_it_had_and_the_present_comes_back(pair):
    live, showing = pair
    live.advance(0.1)
    live.remove("b")
    showing.show(live)
    showing.look(live, live.look(0.0))
    mechanism, positions, names = showing.scene.shown[-1]
    assert [body.name for body in mechanism.bodies] == ["a", "b"] == list(names) and positions[1, 0] == 1.0
    live.advance(0.1)
    pushed = len(showing.scene.moved)
    showing.frame(live)
    assert len(showing.scene.moved) == pushed  # the present is not pushed over it
    showing.look(live, None)
    assert [body.name for body in showing.scene.shown[-1][0].bodies] == ["a"]


def test_arrows_of_several_owners_are_shown_together(pair):
    live, showing = pair
    showing.arrows("hand", {"pull": 1})
    showing.arrows("reactions", {"pin": 2})
    showing.frame(live)
    assert showing.scene.drawn == [{("hand", "pull"): 1, ("reactions", "pin"): 2}]
    showing.arrows("hand", {})
    showing.frame(live)
    assert showing.scene.drawn[-1] == {("reactions", "pin"): 2}
    showing.arrows("hand", {})
    showing.frame(live)
    assert len(showing.scene.drawn) == 2


def test_a_turn_goes_the_shorter_way():
    Q_0, Q_1 = np.array([[1.0, 0, 0, 0]]), np.array([[-np.cos(0.1), 0, 0, -np.sin(0.1)]])
    _, Q = between(np.zeros((1, 3)), Q_0, np.zeros((1, 3)), Q_1, 0.5)
    assert np.linalg.norm(Q) == pytest.approx(1.0) and abs(Q[0, 3]) == pytest.approx(np.sin(0.05), rel=1e-3)


def test_of_what_is_asked_too_fast_only_the_newest_is_done():
    asked: list = []

    def act(function, *args):
        future: Future = Future()
        asked.append((future, args))
        return future

    newest = LatestWins(act)
    for k in range(100):
        newest(None, k)
    assert [args for _, args in asked] == [(0,)]
    asked[0][0].set_result(None)
    assert [args for _, args in asked] == [(0,), (99,)]
    newest(None, "forgotten")
    newest.forget()
    asked[1][0].set_result(None)
    newest(None, "after")
    assert [args for _, args in asked] == [(0,), (99,), ("after",)]


def test_the_newest_is_done_from_many_threads():
    with lw.Player(lw.Live()) as player:
        done = []
        newest = LatestWins(player.do)
        threads = [threading.Thread(target=lambda: [newest(lambda live, k=k: done.append(k)) for k in range(50)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wait_for(lambda: done[-1:] == [49])
        assert len(done) < 200
