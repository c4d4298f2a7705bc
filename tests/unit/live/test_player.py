"""The player: time that runs, waits, stands still; edits of a gesture are one."""

import time

import pytest

import linkwork as lw

from ...waiting import wait_for


@pytest.fixture
def falling():
    live = lw.Live()
    live.add_body("ball", mass=1.0, inertia=(1, 1, 1))
    live.advance(0.01)  # kernels are there before clocks count
    return live


def test_time_runs_and_stands_still_by_turns(falling):
    with lw.Player(falling) as player:
        player.toggle()
        wait_for(lambda: falling.time > 0.1)
        player.toggle()
        t = player.ask(lambda live: live.time)
        time.sleep(0.1)
        assert player.ask(lambda live: live.time) == t and not player.playing


def test_time_that_waits_goes_on_by_itself_and_makes_up_for_nothing(falling):
    with lw.Player(falling) as player:
        player.play()
        wait_for(lambda: falling.time > 0.05)
        player.wait(0.4)
        t = player.ask(lambda live: live.time)
        time.sleep(0.2)
        assert player.ask(lambda live: live.time) <= t + 0.05 and player.playing  # a slice that was under way at most
        wait_for(lambda: falling.time > t + 0.1)


def test_what_was_taken_back_can_be_read(falling):
    falling.change_gravity((0, 0, -1))
    falling.change("ball", mass=2.0)
    assert falling.undone == []
    falling.undo()
    falling.undo()
    assert [edit.words for edit in falling.undone] == ["change 'ball' (mass)", "change gravity"] and falling.can_redo
    falling.redo()
    assert [edit.words for edit in falling.undone] == ["change 'ball' (mass)"]


def test_edits_of_a_gesture_are_one_however_long_it_takes(falling, monkeypatch):
    """A drag may pause for longer than a slider that is drawn."""
    edits, now = len(falling.edits), time.monotonic()
    for k in range(4):
        monkeypatch.setattr("linkwork.live.history.clock.monotonic", lambda k=k: now + 100.0 * k)
        falling.pose_to("ball", (0, 0, 0), (0.1 * k, 0, 1), together=("gesture", 1))
    assert len(falling.edits) == edits + 1
    falling.pose_to("ball", (0, 0, 0), (0, 0, 2), together=("gesture", 2))
    assert len(falling.edits) == edits + 2
    falling.undo()
    assert falling.poses()["ball"].translation == pytest.approx((0.3, 0, 1), abs=1e-6)


def test_what_is_played_may_be_made_in_the_thread():
    """Whoever asks for it waits; a fault of the making is told to them, and the thread ends."""
    made = []

    def make():
        time.sleep(0.1)
        made.append(lw.Live(lw.shipped("pendulum")))
        return made[0]

    with lw.Player(make) as player:
        assert made == []
        later = player.do(lambda live: live)
        assert player.live is made[0] and later.result(60) is made[0]
        other = lw.Live()
        player.ask(lambda live: setattr(player, "live", other))
        assert player.ask(lambda live: live) is other
    with lw.Player(lambda: 1 / 0) as player:
        with pytest.raises(ZeroDivisionError):
            _ = player.live
        with pytest.raises(ZeroDivisionError):
            player.do(lambda live: live).result(60)


@pytest.mark.parametrize("frame", [-1, 0, float("nan"), 1e9, "fast"])
def test_a_frame_in_which_time_would_never_move_is_refused(falling, frame):
    with pytest.raises(lw.StateError, match=r"^frame: found .*; allowed is a"):
        lw.Player(falling, frame=frame)


def test_a_player_that_is_closed_cannot_play(falling):
    """It was taken without a word."""
    player = lw.Player(falling)
    player.close()
    with pytest.raises(lw.StateError, match="it is closed"):
        player.play()
