"""Recordings of a mechanism that is edited: what is one, what is another, and nothing of it lost."""

import numpy as np
import pytest

import linkwork as lw

from .mechanisms import four_bar, run


def swing():
    live = lw.Live()
    live.add_body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    live.add_joint("pivot", lw.Revolute((0, 1, 0)), "ground", "rod")
    live.add_force("spring", lw.JointSpring(stiffness=2.0), "pivot")
    live.set_joint("pivot", q=0.5)
    return live


def test_edits_that_leave_the_parts_alone_make_one_recording():
    live = swing()
    run(live, 0.2, 12)
    live.change("spring", stiffness=9.0)
    run(live, 0.2, 12)
    live.set_joint("pivot", q=-0.2, v=1.0)
    run(live, 0.2, 12)
    live.change_gravity((0, 0, 0))
    live.integrator = lw.RungeKutta4(step=5e-4)
    run(live, 0.2, 12)
    live.pull("rod", (0, 0, -0.5), (0.4, 0, -0.5))
    run(live, 0.1, 6)
    live.pull("rod", (0, 0, -0.5), (0.4, 0, -0.5), hard=True)
    run(live, 0.1, 6)
    live.release()
    recording = live.recording
    assert recording.time[0] == 0.0 == live.recorded_since and recording.time[-1] == live.time and len(recording) > 60
    assert recording.model is live.model and (np.diff(recording.time) < 0.02).all()  # no hole
    assert [words for _, words in recording.notes["edits"]][:2] == ["change 'spring' (stiffness)", "set joint 'pivot'"]
    jump = np.flatnonzero(np.diff(recording.time) == 0.0)  # before and after the joint was set
    assert any(abs(recording.q[k + 1, 0] + 0.2) < 1e-12 and abs(recording.q[k, 0] + 0.2) > 1e-3 for k in jump)
    for t in (0.1, 0.3, 0.5, 0.7):
        assert np.array_equal(live.look(t).moment.q, recording.q[np.argmin(np.abs(recording.time - live.look(t).time))])


def test_a_recording_of_several_runs_is_saved_and_read_again(tmp_path):
    live = swing()
    run(live, 0.1, 6)
    live.change("spring", stiffness=9.0)
    run(live, 0.1, 6)
    live.recording.save(tmp_path / "run.arrow")
    again = lw.Recording.load(tmp_path / "run.arrow", model=live.model)
    assert again == live.recording and again.notes["edits"][0][1] == "change 'spring' (stiffness)"


def test_other_parts_begin_another_span():
    live = four_bar()
    run(live, 0.2, 12)
    live.remove("C")
    run(live, 0.2, 12)
    live.add_body("stone", mass=1.0, inertia=(1, 1, 1))
    run(live, 0.2, 12)
    segments = live.segments[-3:]
    assert [len(segment.mechanism.bodies) for segment in segments] == [3, 3, 4]
    assert [segment.recording.q.shape[1] for segment in segments] == [live_nq(segment.mechanism) for segment in segments]
    assert [segment.first for segment in segments] == pytest.approx([0.0, 0.2, 0.4]) and segments[-1].last == live.time
    assert live.recorded_since == segments[-1].first and live.recording == segments[-1].recording
    assert segments[0].first == live.span[0]


def live_nq(mechanism):
    return mechanism.build().nq


def test_going_back_goes_on_in_the_span_of_then():
    live = swing()
    run(live, 0.3, 18)
    live.add_body("stone", mass=1.0, inertia=(1, 1, 1))
    run(live, 0.2, 12)
    live.rewind(0.1)
    run(live, 0.2, 12)
    assert len([segment for segment in live.segments if segment.last > segment.first]) == 1
    assert live.recorded_since == 0.0 and (np.diff(live.recording.time) >= 0.0).all() and live.recording.time[-1] == live.time
    live.reset()
    run(live, 0.1, 6)
    assert live.recording.time[-1] == live.time == pytest.approx(0.1)


def test_a_clock_that_is_set_back_leaves_a_recording_in_the_order_of_time():
    live = swing()
    run(live, 0.2, 12)
    live.set_time(0.05)
    run(live, 0.1, 6)
    recording = live.recording
    assert (np.diff(recording.time) >= 0.0).all() and recording.time[-1] == live.time == pytest.approx(0.15)


def test_edits_of_a_time_that_was_taken_back_are_not_noted():
    live = swing()
    run(live, 0.1, 6)
    live.change("spring", stiffness=3.0)
    run(live, 0.1, 6)
    live.rewind(0.05)
    run(live, 0.2, 12)
    assert [words[:7] for _, words in live.recording.notes["edits"]] == ["back to"]
