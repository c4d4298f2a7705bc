"""Time: step rtime stime sstepsize freeze start sacc rlsode method."""

import threading
import time

import numpy as np
import pytest

import linkwork as lw

TOP = "ib top\nsb top -in 1 2 2.5 -vr .3 2 .1 -if gravity g -vl 1 0 3\n"


def test_step_lets_frame_intervals_pass(talk):
    talk.say("ib a")
    assert talk.say("rstepsize") == [f"stepsize {1 / 30!r}"]
    assert talk.say("step 3") == ["time 0.1"]
    assert talk.say("sstepsize .25\nstep\nrtime") == ["time 0.35", "time 0.35"]
    assert talk.say("step 0") == ["time 0.35"]


@pytest.mark.parametrize("interval", [0.5, 0.1, 1 / 30])
def test_the_interval_of_frames_does_not_change_the_motion(talk, interval):
    """The state at 1 s is interpolated by the method itself, so it agrees to the last bit but for the rounding of the times."""
    talk.say(TOP + f"sstepsize {interval}\nstep {round(0.5 / interval)}\nsstepsize {0.5 / 7}\nstep 7")
    assert talk.live.time == pytest.approx(1.0, abs=1e-12)
    other = lw.Live(talk.live.mechanism, lw.Adams(rtol=1e-6, atol=1e-7))
    other.place("top", twist=(0.3, 2, 0.1, 1, 0, 3))
    other.advance(1.0)
    assert talk.live.q == pytest.approx(other.q, abs=1e-11)
    assert np.linalg.norm(other.q[3:] - [1, 0, 0, 0]) > 0.5, "it has turned"


def test_the_time_is_set(talk):
    talk.say("ib a\nsb a -vl 1 0 0\nstep 3\nstime 5\nstep 3")
    assert talk.say("rtime") == ["time 5.1"]
    assert talk.live.poses()["a"].translation == pytest.approx([0.2, 0, 0], abs=1e-12)


def test_time_that_is_frozen_stands_and_frames_are_drawn_all_the_same(talk):
    talk.say("ib a\nsb a -vl 1 0 0\nstep 3\nfreeze\ndraw bolio")
    answers = talk.say("step 2")
    assert [line for line in answers if line.startswith("frame")] == ["frame 4 0.1 1", "frame 5 0.1 1"]
    assert talk.say("state")[0] == "time 0.1 frozen"
    assert talk.say("draw null\nstart\nstep 3") == ["time 0.2"]


def test_a_page_with_a_clock_of_its_own_is_told(talk):
    told = []
    talk.console.on_freeze = told.append
    talk.say("freeze\nstart")
    assert told == [True, False]


def test_another_thread_stops_a_long_step_and_nothing_is_lost(talk):
    talk.say("ib a\nsb a -vl 1 0 0")

    def stop():
        while not talk.console.stepping:
            time.sleep(0.001)
        time.sleep(0.02)
        talk.console.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()
    answers = talk.say("step 1000000")
    stopper.join()
    assert answers[0].startswith("stopped ")
    assert answers[0].endswith(" of 1000000")
    assert 0 < talk.live.time < 1e6 / 30
    assert talk.live.poses()["a"].translation[0] == pytest.approx(talk.live.time, rel=1e-9)
    talk.say("step 1")


def test_motion_too_fast_to_follow_is_given_up_after_the_patience_of_the_page(talk):
    talk.say("ib a\nsb a -in 1 2 2.5 -vr 1e9 2e9 3e9")
    talk.console.patience = 0.2
    begun = time.monotonic()
    assert "0.2 s were not enough" in talk.console.execute("step 1")[-1]
    assert time.monotonic() - begun < 5
    talk.say("sb a -vr 1 2 3\nstep 1")


def test_long_frames_of_short_steps_can_be_stopped_too(talk):
    talk.say("ib a\nsb a -vl 1 0 0\nmethod semi-implicit-euler -step 1e-4\nsstepsize 1e5")
    talk.console.patience = 0.1
    assert "0.1 s were not enough" in talk.console.execute("step 1")[-1]
    assert 0 < talk.live.poses()["a"].translation[0] == pytest.approx(talk.live.time, rel=1e-6)


def test_late_and_long_times_are_reached_exactly(talk):
    talk.say("ib a\nsb a -vl 1 0 0\nstime 1e6\nstep 3")
    assert talk.live.time == pytest.approx(1e6 + 0.1, abs=1e-9)
    talk.say("stime 0\nsstepsize 1e6\nstep 1")
    assert talk.say("rtime") == ["time 1000000"]


def test_a_step_that_fails_stands_at_the_last_good_state_and_says_so(talk):
    talk.say("ib a\nib b\nsb b -t 1 0 0")
    talk.live.add_force("hole", lw.Attraction(strength=1.0), "a", "b")
    talk.say("sstepsize 10")
    answers = talk.console.execute("step 1")
    assert answers[-1].startswith("error: time stands at ")
    assert 0 < talk.live.time < 1.2, "they meet after pi/4 s, half of the collapse of Kepler with a = 1/2 and k/m = 2"
    assert np.isfinite(talk.live.q).all()
    talk.say("remove hole\nstep 1")


def test_accuracy_is_set_and_told(talk):
    talk.say("ib a")
    assert talk.say("sacc") == ["accuracy -r 1e-06 -a 1e-07"]
    talk.say("sacc -r 1e-9")
    assert talk.live.integrator == lw.Adams(rtol=1e-9, atol=1e-7)
    assert "allowed is a number above" in talk.refused("sacc -a 0")
    talk.say("method runge-kutta-4 -step .001")
    assert talk.live.integrator == lw.RungeKutta4(step=0.001)
    assert "fixed steps" in talk.refused("sacc -r 1e-3")
    assert "no integrator is called 'euler'" in talk.refused("method euler")
    assert "adams" in talk.say("method")[1].split()


def test_rlsode_tells_what_the_integrator_did(talk):
    talk.say(TOP + "step 30")
    told = dict(line.split(" ", 1) for line in talk.say("rlsode"))
    assert told["method"].startswith("Adams(rtol=1e-06, atol=1e-07")
    assert int(told["steps"]) > 5
    assert int(told["evaluations"]) >= int(told["steps"])
    assert 2 <= int(told["order"]) <= 12
    assert 0 < float(told["last"]) < 1
    assert 0 < float(told["next"]) < 1


@pytest.mark.parametrize("line", ["sstepsize 0", "sstepsize -1", "sstepsize 1e9", "step -1", "step 1.5", "stime now"])
def test_refused(talk, line):
    talk.say("ib a")
    talk.refused(line)
